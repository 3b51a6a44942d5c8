"""Fails where the arena of a second plan is larger than the first's by more than all of the first's memory over N. Usage: A.mlir B.mlir N"""

import re
import sys

BYTES = {"f32": 4, "bf16": 2, "i32": 4}


def arena(text):
    return int(re.search(r"arenaBytes = (\d+)", text).group(1))


def kept(text):
    """Of parameters and states."""
    total = 0
    for shape in re.findall(r"plan\.buffer @\S+ (?:parameter|state) tensor<([^>]+)>", text):
        *extents, element = shape.split("x")
        count = BYTES[element]
        for extent in extents:
            count *= int(extent)
        total += count
    return total


apart, batched = (open(path, encoding="utf-8").read() for path in sys.argv[1:3])
room = (arena(apart) + kept(apart)) // int(sys.argv[3])
growth = arena(batched) - arena(apart)
print(f"{arena(apart)} to {arena(batched)} bytes, room {room}")
assert growth <= room and batched.count("plan.launch") < apart.count("plan.launch"), growth
