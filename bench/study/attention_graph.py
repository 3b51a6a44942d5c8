"""The graph of one written-out attention, as `heddle` reads it."""

ATTENTION = """\
  %kt = graph.transpose %k [0, 2, 1] : {rows} -> {columns}
  %scores = graph.matmul %q, %kt : {rows}, {columns} -> {square}
  %scale = graph.constant dense<{scale!r}> : tensor<f32>
  %unit = graph.reshape %scale : tensor<f32> -> tensor<1x1x1xf32>
  %wide = graph.broadcast %unit : tensor<1x1x1xf32> -> {square}
  %scaled = graph.mul %scores, %wide : {square}
  %weights = graph.softmax %scaled : {square}
  %out = graph.matmul %weights, %v : {square}, {rows} -> {rows}
"""
FORWARD = """\
func.func @main(%q: {rows} {{graph.name = "q"}}, %k: {rows} {{graph.name = "k"}}, %v: {rows} {{graph.name = "v"}})
    -> ({rows} {{graph.name = "out"}}) {{
""" + ATTENTION + """\
  return %out : {rows}
}}
"""
# The sum of out times a given gradient: its derivatives are those of out for that gradient.
BACKWARD = """\
func.func @main(%gradient: {rows} {{graph.name = "gradient"}}) -> (tensor<f32> {{graph.name = "loss"}}) {{
  %q = graph.parameter [#graph.part<"q", [{shape}], normal, 1.0>] : {rows}
  %k = graph.parameter [#graph.part<"k", [{shape}], normal, 1.0>] : {rows}
  %v = graph.parameter [#graph.part<"v", [{shape}], normal, 1.0>] : {rows}
""" + ATTENTION + """\
  %products = graph.mul %out, %gradient : {rows}
  %sum = graph.reduce sum %products axes [0, 1, 2] : {rows} -> tensor<1x1x1xf32>
  %loss = graph.reshape %sum : tensor<1x1x1xf32> -> tensor<f32>
  return %loss : tensor<f32>
}}
"""


def attention_graph(batch, length, head_dim, trained=False):
    """softmax(q kᵀ / sqrt(d)) v in float32 for `batch` sequences of one head, without a mask. trained: q, k and v are
    parameters, so that mode backward gives their gradients for the input `gradient` of the result."""
    return (BACKWARD if trained else FORWARD).format(
        rows=f"tensor<{batch}x{length}x{head_dim}xf32>", columns=f"tensor<{batch}x{head_dim}x{length}xf32>",
        square=f"tensor<{batch}x{length}x{length}xf32>", scale=head_dim**-0.5, shape=f"{batch}, {length}, {head_dim}")
