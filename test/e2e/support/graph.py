"""Text of graphs. A Graph collects lines; each method that makes a value returns its name."""

from support.tensors import tensor_type


class Graph:
    def __init__(self, **inputs):
        """Inputs by name, each a Tensor or (dtype, shape)."""
        self.inputs = {name: (value.dtype, value.shape) if hasattr(value, "dtype") else value
                       for name, value in inputs.items()}
        self.types = {f"%{name}": tensor_type(*value) for name, value in self.inputs.items()}
        self.shapes = {f"%{name}": value for name, value in self.inputs.items()}
        self.lines = []

    def op(self, text, dtype, shape):
        """`text` up to the type list; the result's type. The caller writes the rest of the type list."""
        name = f"%v{len(self.lines)}"
        self.shapes[name], self.types[name] = (dtype, tuple(shape)), tensor_type(dtype, shape)
        self.lines.append(f"{name} = graph.{text}")
        return name

    def parameter(self, name, shape, init="normal, 0.2"):
        extents = ", ".join(map(str, shape))
        return self.op(f'parameter [#graph.part<"{name}", [{extents}], {init}>] : {tensor_type("f32", shape)}', "f32", shape)

    def shape(self, value):
        return self.shapes[value][1]

    def dtype(self, value):
        return self.shapes[value][0]

    def unary(self, name, value):
        return self.op(f"{name} {value} : {self.types[value]}", *self.shapes[value])

    def binary(self, name, lhs, rhs):
        return self.op(f"{name} {lhs}, {rhs} : {self.types[lhs]}", *self.shapes[lhs])

    def _convert(self, text, value, dtype, shape):
        return self.op(f"{text} : {self.types[value]} -> {tensor_type(dtype, shape)}", dtype, shape)

    def splat(self, literal, dtype, shape):
        return self.op(f"constant dense<{literal}> : {tensor_type(dtype, shape)}", dtype, shape)

    def like(self, literal, value):
        return self.splat(literal, *self.shapes[value])

    def iota(self, axis, dtype, shape):
        return self.op(f"iota {axis} : {tensor_type(dtype, shape)}", dtype, shape)

    def cast(self, value, dtype):
        return self._convert(f"cast {value}", value, dtype, self.shape(value))

    def reshape(self, value, shape):
        return self._convert(f"reshape {value}", value, self.dtype(value), shape)

    def broadcast(self, value, shape):
        return self._convert(f"broadcast {value}", value, self.dtype(value), shape)

    def transpose(self, value, permutation):
        shape = [self.shape(value)[dim] for dim in permutation]
        return self._convert(f"transpose {value} {list(permutation)}", value, self.dtype(value), shape)

    def slice(self, value, offsets, strides, shape):
        return self._convert(f"slice {value} offsets {offsets} strides {strides}", value, self.dtype(value), shape)

    def concat(self, values, axis):
        shape = list(self.shape(values[0]))
        shape[axis] = sum(self.shape(value)[axis] for value in values)
        types = ", ".join(self.types[value] for value in values)
        dtype = self.dtype(values[0])
        return self.op(f"concat {', '.join(values)} axis {axis} : {types} -> {tensor_type(dtype, shape)}", dtype, shape)

    def reduce(self, kind, value, axes):
        shape = [1 if dim in axes else extent for dim, extent in enumerate(self.shape(value))]
        return self._convert(f"reduce {kind} {value} axes {axes}", value, self.dtype(value), shape)

    def reduce_like(self, kind, value, axis):
        """Reduced over one axis and broadcast back."""
        return self.broadcast(self.reduce(kind, value, [axis]), self.shape(value))

    def matmul(self, lhs, rhs, dtype=None):
        shape = (*self.shape(lhs)[:-1], self.shape(rhs)[-1])
        dtype = dtype or self.dtype(lhs)
        types = f"{self.types[lhs]}, {self.types[rhs]} -> {tensor_type(dtype, shape)}"
        return self.op(f"matmul {lhs}, {rhs} : {types}", dtype, shape)

    def compare(self, predicate, lhs, rhs):
        return self._convert(f"compare {predicate} {lhs}, {rhs}", lhs, "i1", self.shape(lhs))

    def select(self, condition, true, false):
        return self.op(f"select {condition}, {true}, {false} : {self.types[condition]}, {self.types[true]}",
                       *self.shapes[true])

    def attention(self, query, key, value, scale, mask=None, bias=None, causal=False, softcap=None, window=None):
        dtype, shape = self.dtype(query), (*self.shape(query)[:-1], self.shape(value)[-1])
        text = f"attention {query}, {key}, {value}"
        for name, operand in (("mask", mask), ("bias", bias)):
            text += f" {name} {operand} : {self.types[operand]}" if operand else ""
        text += f" scale {scale!r}" + (f" softcap {softcap!r}" if softcap else "")
        text += (" causal" if causal else "") + (f" window {window}" if window else "")
        types = ", ".join(self.types[operand] for operand in (query, key, value))
        return self.op(f"{text} : {types} -> {tensor_type(dtype, shape)}", dtype, shape)

    def causal_mask(self, shape):
        """True where the query's index is at least the key's."""
        rank = len(shape)
        return self.compare("ge", self.iota(rank - 2, "i32", shape), self.iota(rank - 1, "i32", shape))

    def total(self, value):
        """The sum of all elements as one f32 number of rank 0: what a loss has to be."""
        value = value if self.dtype(value) == "f32" else self.cast(value, "f32")
        rank = len(self.shape(value))
        return self.reshape(self.reduce("sum", value, list(range(rank))), ()) if rank else value

    def cross_entropy(self, logits, targets, ignored=-100, smoothing=0.0):
        shape = self.shape(logits)[:-1]
        types = f"{self.types[logits]}, {self.types[targets]} -> {tensor_type('f32', shape)}"
        return self.op(f"cross_entropy {logits}, {targets} ignored {ignored} smoothing {smoothing} : {types}", "f32", shape)

    def mean_loss(self, losses, targets, ignored=-100):
        """The mean over the targets that are not ignored, as torch.nn.functional.cross_entropy gives it."""
        valid = self.cast(self.compare("ne", targets, self.like(str(ignored), targets)), "f32")
        return self.binary("div", self.total(losses), self.total(valid))

    def text(self, **outputs):
        """The whole module; outputs by name."""
        arguments = ", ".join(f'%{name}: {tensor_type(*value)} {{graph.name = "{name}"}}'
                              for name, value in self.inputs.items())
        results = ", ".join(f'{self.types[value]} {{graph.name = "{name}"}}' for name, value in outputs.items())
        types = ", ".join(self.types[value] for value in outputs.values())
        body = "\n".join(f"  {line}" for line in self.lines)
        return (f"func.func @main({arguments}) -> ({results}) {{\n{body}\n"
                f"  return {', '.join(outputs.values())} : {types}\n}}\n")
