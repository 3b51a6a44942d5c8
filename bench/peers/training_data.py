"""What `heddle train` draws and saves, for programs that train beside it: its batches (docs/training.md), arrays and
safetensors files. Nothing but Python's standard library."""

import json
import struct

MASK32, MASK64 = 2**32 - 1, 2**64 - 1


def philox4x32(counter, key):
    """Philox4x32-10 (Salmon et al., SC'11): four 32-bit words of four and a key of two."""
    c, k = list(counter), list(key)
    for _ in range(10):
        first, second = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(second >> 32) ^ c[1] ^ k[0], second & MASK32, (first >> 32) ^ c[3] ^ k[1], first & MASK32]
        k = [(k[0] + 0x9E3779B9) & MASK32, (k[1] + 0xBB67AE85) & MASK32]
    return c


def fnv1a(text):
    """The 64-bit FNV-1a hash that names a stream of the generator."""
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = ((value ^ byte) * 0x100000001B3) & MASK64
    return value


STREAM = fnv1a("batches")


def place_of(window, tokens, context, seed):
    """The first token of window number `window`: uniform in [0, tokens - context)."""
    block = philox4x32((window & MASK32, window >> 32, STREAM & MASK32, STREAM >> 32), (seed & MASK32, seed >> 32))
    return ((block[1] << 32 | block[0]) * (tokens - context)) >> 64


def places(step, batch, tokens, context, seed):
    """Of the windows of step 0, 1, …: where they begin. A window has context + 1 tokens: ids, and behind each its target."""
    return [place_of(step * batch + row, tokens, context, seed) for row in range(batch)]


def write_npy(path, shape, values, code="i"):
    """Values in rows; code: "i" for int32, "f" for float32."""
    descr = {"i": "<i4", "f": "<f4"}[code]
    header = repr({"descr": descr, "fortran_order": False, "shape": tuple(shape)})
    header += " " * (-(len(header) + 11) % 64) + "\n"
    values = list(values)
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                     struct.pack(f"<{len(values)}{code}", *values))


def read_safetensors(path):
    """{name: (type, shape, bytes)} of a file in F32, BF16 or another type: the bytes are as stored."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    return {name: (entry["dtype"], tuple(entry["shape"]), data[8 + length + entry["data_offsets"][0]:
                                                               8 + length + entry["data_offsets"][1]])
            for name, entry in json.loads(data[8:8 + length]).items() if name != "__metadata__"}


def write_safetensors(path, tensors):
    """tensors: as read_safetensors gives them."""
    header, offset = {}, 0
    for name, (kind, shape, data) in tensors.items():
        header[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [offset, offset + len(data)]}
        offset += len(data)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(data for _, _, data in tensors.values()))
