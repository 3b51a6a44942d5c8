"""Tensors as flat row-major lists, and the files that hold them."""

import array
import json
import math
import struct
from typing import NamedTuple

# NumPy's name, and the code of struct and array, of the element types that inputs have.
NPY_TYPES = {"f32": ("<f4", "f"), "i32": ("<i4", "i"), "i64": ("<i8", "q"), "i1": ("|b1", "b")}


class Tensor(NamedTuple):
    """Values in row-major order. `dtype` is spelt as in a graph's text."""

    dtype: str
    shape: tuple
    values: list

    def type(self):
        return tensor_type(self.dtype, self.shape)


def tensor_type(dtype, shape):
    """The type in a graph's text: tensor<2x3xf32>."""
    return f"tensor<{''.join(f'{extent}x' for extent in shape)}{dtype}>"


def f32(shape, values):
    tensor = Tensor("f32", tuple(shape), list(values))
    assert len(tensor.values) == math.prod(shape), (shape, len(tensor.values))
    return tensor


def fill(seed, shape):
    """A fixed pattern in [-2, 2] with period 257. Every value is a multiple of 1/64 below 2 + 1/64, exact in bf16."""
    period = [((7 * i * i + (2 * seed + 37) * i + 17 * seed) % 257 - 128) / 64 for i in range(257)]
    count = math.prod(shape)
    return f32(shape, (period * (count // 257 + 1))[:count])


def write_npy(path, tensor):
    """Format 1.0 of https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html: the header's text is
    padded so that the data begin at a multiple of 64 bytes."""
    descr, code = NPY_TYPES[tensor.dtype]
    header = repr({"descr": descr, "fortran_order": False, "shape": tuple(tensor.shape)})
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        array.array(code, tensor.values).tofile(file)


def _decode(dtype, data):
    if dtype == "BF16":  # The upper half of a float32.
        wide = array.array("I", (half << 16 for half in array.array("H", data)))
        return array.array("f", wide.tobytes())
    if dtype == "F16":
        return [value for (value,) in struct.iter_unpack("<e", data)]
    return array.array({"F32": "f", "F64": "d", "I32": "i", "I64": "q", "BOOL": "b"}[dtype], data)


def read_safetensors(path):
    """Name to Tensor: eight bytes of length, JSON with dtype, shape and data_offsets of each, then the data."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = file.read()
    header.pop("__metadata__", None)
    names = {"F32": "f32", "F64": "f64", "BF16": "bf16", "F16": "f16", "I32": "i32", "I64": "i64", "BOOL": "i1"}
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        values = _decode(entry["dtype"], data[begin:end])
        if len(values) != math.prod(entry["shape"]):
            raise ValueError(f"{path}: {name}: {len(values)} values for shape {entry['shape']}")
        tensors[name] = Tensor(names[entry["dtype"]], tuple(entry["shape"]), values)
    return tensors


def write_safetensors(path, tensors, stored=None):
    """Name to Tensor of float32 values. `stored` names the type in the file: F32, BF16 or F16; BF16 keeps the upper half
    of each float32, so its values should be exact there."""
    header, data = {}, b""
    for name, tensor in tensors.items():
        dtype = stored or "F32"
        values = array.array("f", tensor.values)
        if dtype == "BF16":
            values = array.array("H", (word >> 16 for word in array.array("I", values.tobytes())))
        raw = struct.pack(f"<{len(values)}e", *values) if dtype == "F16" else values.tobytes()
        header[name] = {"dtype": dtype, "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)
