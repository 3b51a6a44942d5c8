"""Writes records of runs on a GPU, good and bad, for test/gpu/unrun. Usage: gpu_records.py TEST_GPU HEDDLE FOLDER"""

import json
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import corpus

heddle, folder = sys.argv[2], pathlib.Path(sys.argv[3])
folder.mkdir(exist_ok=True)
kernels, library = {}, {}
for case, arguments in corpus.cases().items():
    kernels[case], files = corpus.kernels_of(heddle, arguments, "cuda:sm_90a")
    library.update(files)
names = corpus.distinct(kernels)
record = {"device": "a GPU", "target": "sm_90a", "date": "2001-02-03", "device_library": library, "checks": [],
          "kernels": {f"renamed {name}": text for name, text in names.items()}}


def write(name, text):
    (folder / f"{name}.json").write_text(text)


write("all", json.dumps(record))
write("cut", json.dumps(record)[:-40])
write("no-kernels", json.dumps({**record, "kernels": []}))
write("other", json.dumps({**record, "kernels": {**names, "softmax-fp32/softmax": "0" * 64},
                           "device_library": {**library, "row.cuh": "0" * 64}}))
