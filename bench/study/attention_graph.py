"""The graph of one written-out attention, as `heddle` reads it."""

TEMPLATE = """\
func.func @main(%q: {rows} {{graph.name = "q"}}, %k: {rows} {{graph.name = "k"}}, %v: {rows} {{graph.name = "v"}})
    -> ({rows} {{graph.name = "out"}}) {{
  %kt = graph.transpose %k [0, 2, 1] : {rows} -> {columns}
  %scores = graph.matmul %q, %kt : {rows}, {columns} -> {square}
  %scale = graph.constant dense<{scale!r}> : tensor<f32>
  %unit = graph.reshape %scale : tensor<f32> -> tensor<1x1x1xf32>
  %wide = graph.broadcast %unit : tensor<1x1x1xf32> -> {square}
  %scaled = graph.mul %scores, %wide : {square}
  %weights = graph.softmax %scaled : {square}
  %out = graph.matmul %weights, %v : {square}, {rows} -> {rows}
  return %out : {rows}
}}
"""


def attention_graph(batch, length, head_dim):
    """softmax(q kᵀ / sqrt(d)) v in float32 for `batch` sequences of one head, without a mask."""
    return TEMPLATE.format(
        rows=f"tensor<{batch}x{length}x{head_dim}xf32>", columns=f"tensor<{batch}x{head_dim}x{length}xf32>",
        square=f"tensor<{batch}x{length}x{length}xf32>", scale=head_dim**-0.5)
