"""make_ids.py FILE.npy ROWS COLUMNS VALUE: an int64 array that holds VALUE everywhere, without NumPy."""

import struct
import sys

path, rows, columns, value = sys.argv[1], *map(int, sys.argv[2:])
header = f"{{'descr': '<i8', 'fortran_order': False, 'shape': ({rows}, {columns}), }}\n".encode()
with open(path, "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
    file.write(struct.pack("<q", value) * (rows * columns))
