"""The graph of one written-out attention, as `heddle` reads it."""


def attention_graph(batch, length, head_dim, trained=False, dtype="f32", causal=False):
    """softmax(q kᵀ / sqrt(d)) v for `batch` sequences of one head, or heads times as many: whole ones, [batch, length, d].

    causal: key j only where j ≤ i. Scores and softmax are float32 whatever the type is, as a library's attention has them.
    trained: q, k and v are parameters, so that mode backward gives their gradients for the input `gradient` of the result.
    """
    rows, columns = f"tensor<{batch}x{length}x{head_dim}x{dtype}>", f"tensor<{batch}x{head_dim}x{length}x{dtype}>"
    single, square = f"tensor<{batch}x{length}x{head_dim}xf32>", f"tensor<{batch}x{length}x{length}xf32>"
    narrow = f"tensor<{batch}x{length}x{length}x{dtype}>"
    lines = [f"%kt = graph.transpose %k [0, 2, 1] : {rows} -> {columns}",
             f"%scores = graph.matmul %q, %kt : {rows}, {columns} -> {square}",
             f"%scale = graph.constant dense<{head_dim**-0.5!r}> : tensor<f32>",
             "%unit = graph.reshape %scale : tensor<f32> -> tensor<1x1x1xf32>",
             f"%wide = graph.broadcast %unit : tensor<1x1x1xf32> -> {square}",
             f"%scaled = graph.mul %scores, %wide : {square}"]
    seen = "%scaled"
    if causal:
        seen = "%seen"
        index, mask = f"tensor<{batch}x{length}x{length}xi32>", f"tensor<{batch}x{length}x{length}xi1>"
        lines += [f"%query = graph.iota 1 : {index}", f"%key = graph.iota 2 : {index}",
                  f"%mask = graph.compare ge %query, %key : {index} -> {mask}",
                  f"%none = graph.constant dense<0xFF800000> : {square}",
                  f"%seen = graph.select %mask, %scaled, %none : {mask}, {square}"]
    lines.append(f"%weights = graph.softmax {seen} : {square}")
    weights = "%weights"
    if dtype != "f32":
        weights = "%cast"
        lines.append(f"%cast = graph.cast %weights : {square} -> {narrow}")
    lines.append(f"%out = graph.matmul {weights}, %v : {narrow}, {rows} -> {rows}")

    if not trained:
        arguments = ", ".join(f'%{name}: {rows} {{graph.name = "{name}"}}' for name in "qkv")
        return (f'func.func @main({arguments}) -> ({rows} {{graph.name = "out"}}) {{\n  '
                + "\n  ".join([*lines, f"return %out : {rows}"]) + "\n}\n")
    # The sum of out times a given gradient: its derivatives are those of out for that gradient.
    shape = f"{batch}, {length}, {head_dim}"
    parameters = [f'%{name} = graph.parameter [#graph.part<"{name}", [{shape}], normal, 1.0>] : {rows}' for name in "qkv"]
    given = "%gradient"
    if dtype != "f32":
        given, out = "%given", "%wider"
        lines += [f"%given = graph.cast %gradient : {rows} -> {single}", f"%wider = graph.cast %out : {rows} -> {single}"]
    else:
        out = "%out"
    lines += [f"%products = graph.mul {out}, {given} : {single}",
              f"%sum = graph.reduce sum %products axes [0, 1, 2] : {single} -> tensor<1x1x1xf32>",
              "%loss = graph.reshape %sum : tensor<1x1x1xf32> -> tensor<f32>", "return %loss : tensor<f32>"]
    return (f'func.func @main(%gradient: {rows} {{graph.name = "gradient"}}) -> (tensor<f32> {{graph.name = "loss"}}) {{\n  '
            + "\n  ".join([*parameters, *lines]) + "\n}\n")
