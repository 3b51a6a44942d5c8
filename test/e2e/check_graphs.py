# RUN: %python %s %t
"""`heddle check` holds compiled and eager execution against float64: a preset at odd contexts and small graphs."""

from support.driver import Test
from support.graph import Graph
from support.together import Together

test = Test()
for precision in ("fp32", "bf16"):
    for context in (1, 2, 33, 129):
        test.verdict(f"study:small, {precision}, context {context}", "study:small", "--layers", "2", "--batch", "2",
                     "--vocab", "1000", "--context", str(context), "--precision", precision)


def norms(graph):
    weight, bias = graph.parameter("w", (65,), "constant, 1.5"), graph.parameter("b", (65,), "normal, 0.5")
    type_ = f"{graph.types['%x']}, {graph.types[weight]}"
    first = graph.op(f"layer_norm %x, {weight}, {bias} epsilon 1.0e-5 : {type_}, {graph.types[bias]}", "f32", (7, 65))
    return graph.op(f"rms_norm {first}, {weight} epsilon 1.0e-6 : {type_}", "f32", (7, 65))


def elementwise(graph):
    """Every op of one operand whose domain is all numbers, one after another."""
    value = "%x"
    for name in ("neg", "abs", "tanh", "sigmoid", "erf", "sin", "cos", "relu", "silu", "gelu erf", "gelu tanh", "exp"):
        value = graph.binary("add", graph.unary(name, value), "%x")
    positive = graph.binary("add", graph.unary("abs", value), graph.like("0.5", value))
    for name in ("log", "sqrt", "rsqrt", "reciprocal"):
        value = graph.binary("sub", value, graph.unary(name, positive))
    value = graph.binary("minimum", value, graph.binary("maximum", "%x", graph.like("-0.25", "%x")))
    return graph.binary("div", value, graph.binary("pow", positive, graph.like("1.5", value)))


def shapes(graph):
    left = graph.transpose(graph.slice("%x", [1, 3], [2, 4], (3, 15)), [1, 0])
    right = graph.broadcast(graph.reshape(graph.reduce("mean", "%x", [0]), (65, 1)), (65, 3))
    both = graph.concat([left, right], 0)
    return graph.reshape(graph.binary("mul", both, both), (4, 60))


def reductions(graph):
    total = graph.reduce_like("sum", "%x", 0)
    spread = graph.binary("sub", graph.reduce_like("max", "%x", 1), graph.reduce_like("min", "%x", 1))
    return graph.binary("div", total, graph.binary("add", spread, graph.like("1.0", spread)))


def mlp(graph):
    hidden = graph.matmul("%x", graph.parameter("up", (65, 130), "normal, 0.1"))
    bias = graph.broadcast(graph.reshape(graph.parameter("bias", (130,), "normal, 0.5"), (1, 130)), (7, 130))
    hidden = graph.unary("gelu erf", graph.binary("add", hidden, bias))
    return graph.binary("add", "%x", graph.matmul(hidden, graph.parameter("down", (130, 65), "normal, 0.1")))


def several(graph):
    """A value that is an output and is read on, an input that is an output, and one value that is two."""
    first = graph.unary("tanh", "%x")
    return {"first": first, "input": "%x", "second": graph.binary("mul", first, "%x"), "again": first}


together = Together()
for form in (norms, elementwise, shapes, reductions, several):
    graph = Graph(x=("f32", (7, 65)))
    result = form(graph)
    together.add(form.__name__, graph, result if isinstance(result, dict) else {"out": result})
test.verdict("forms", test.write("forms.mlir", together.text()), outputs=together.names())


def folded(graph):
    """Ops that become others while the graph is simplified, which the policies treat in another way; the outputs' types stay."""
    product = graph.matmul("%x", graph.parameter("w", (65, 9), "normal, 0.2"))
    column, like = graph.slice(product, [0, 0], [1, 1], (7, 1)), lambda number: graph.like(number, product)
    part = graph.slice(like("0.5"), [0, 0], [1, 1], (7, 4))
    return {"square": graph.binary("pow", product, like("2.0")), "power": graph.binary("pow", product, like("1.0")),
            "sum": graph.reduce("sum", column, [1]), "both": graph.concat([product, part], 1),
            "first": graph.select(graph.splat("true", "i1", (7, 9)), product, graph.slice("%x", [0, 0], [1, 1], (7, 9)))}


graph = Graph(x=("f32", (7, 65)))
path = test.write("folded.mlir", graph.text(**folded(graph)))
for precision in ("bf16", "bf16-true"):
    test.verdict(f"folded, {precision}", path, "--precision", precision, outputs=["square", "power", "sum", "both", "first"])
# Apart: products of this length allow more roundings, to all outputs of their graph.
graph = Graph(x=("f32", (7, 65)))
test.verdict("mlp", test.write("mlp.mlir", graph.text(out=mlp(graph))))


def updated(assigns, second="parameter"):
    """A graph without an optimizer that assigns a and b what `assigns` makes of them, and its output: a third value, where there is one."""
    graph = Graph(x=("f32", (9, 9)))
    a = graph.parameter("a", (9, 9), "normal, 0.5")
    b = (graph.parameter("b", (9, 9), "normal, 0.5") if second == "parameter" else
         graph.op('state [#graph.part<"b", [9, 9], constant, 2.0>] : tensor<9x9xf32>', "f32", (9, 9)))
    *values, out = (*assigns(graph, a, b), graph.binary("mul", a, "%x"))[:3]
    for leaf, value in zip((a, b), values):
        graph.lines.append(f"graph.assign {leaf}, {value} : {graph.types[leaf]}")
    return graph, {"out": out}


def late_product(graph, a, b):
    """A product that is read by an activation only behind the op that changes its operand."""
    product = graph.matmul("%x", b)
    changed = graph.binary("add", b, "%x")
    return graph.unary("tanh", a), changed, graph.unary("relu", product)


# What a run leaves in parameters and states is checked whatever the mode; every reader, another assign too, sees the old
# values.
turned = lambda graph, value: graph.transpose(value, [1, 0])
together = Together()
for name, assigns in {"new": lambda graph, a, b: ("%x", graph.like("3.0", b)),
                      "swapped": lambda graph, a, b: (b, a),
                      "swapped_turned": lambda graph, a, b: (turned(graph, b), turned(graph, a)),
                      "turned_itself": lambda graph, a, b: (turned(graph, a), graph.binary("add", a, b)),
                      "one_through_view": lambda graph, a, b: (graph.binary("add", a, "%x"), turned(graph, a)),
                      "moved_on": lambda graph, a, b: (graph.binary("add", a, b), a),
                      "softmax": lambda graph, a, b: (graph.unary("softmax", a), graph.binary("add", a, "%x")),
                      "products": lambda graph, a, b: (graph.matmul(a, b), graph.matmul(a, "%x")),
                      "fused_products": lambda graph, a, b: (graph.binary("add", graph.matmul("%x", "%x"), a),
                                                             graph.unary("relu", graph.matmul("%x", b))),
                      "late_product": late_product}.items():
    for second in ("parameter", "state"):
        together.add(f"{name}_{second}", *updated(assigns, second))
test.verdict("updates", test.write("updates.mlir", together.text()), outputs=[f"{case}.{name}" for case in together.cases for name in ("out", "a", "b")])
test.finish()
