"""bench/peers/training_data.py against `heddle train`: the loss of the windows that it draws, by `heddle run`, is the one
that the training logged. Usage: training-windows.py SOURCE HEDDLE FOLDER"""

import csv
import pathlib
import struct
import subprocess
import sys

source, heddle, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
sys.dont_write_bytecode = True
sys.path.insert(0, f"{source}/bench/peers")
from training_data import philox4x32, places, read_safetensors, write_npy, write_safetensors  # noqa: E402

# The known answer of the generator's authors (Random123, kat_vectors) for a counter and a key of zeros.
assert philox4x32((0, 0, 0, 0), (0, 0)) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]

BATCH, CONTEXT, SEED = 2, 8, 12345678901  # More than 32 bits.
text = pathlib.Path(f"{source}/README.md").read_bytes()
(folder / "text.txt").write_bytes(text)
model = ["study:small", "--layers", "1", "--vocab", "256", "--batch", str(BATCH), "--context", str(CONTEXT)]


def call(*arguments):
    done = subprocess.run([heddle, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{arguments}: {done.stderr}")


# A rate that is too small to change a weight: both steps have the first weights.
call("train", *model, "--data", folder / "text.txt", "--seed", SEED, "--steps", 2, "--lr", 1e-30, "--csv", folder / "log.csv",
     "--save", folder / "checkpoint")
trained = read_safetensors(folder / "checkpoint" / "model.safetensors")
write_safetensors(folder / "weights.safetensors", trained)
for step, row in enumerate(csv.DictReader(open(folder / "log.csv", encoding="utf-8"))):
    begins = places(step, BATCH, len(text), CONTEXT, SEED)
    for name, shift in (("ids", 0), ("targets", 1)):
        write_npy(folder / f"{name}.npy", (BATCH, CONTEXT),
                  [byte for begin in begins for byte in text[begin + shift:begin + shift + CONTEXT]])
    call("run", *model, "--mode", "backward", "--weights", folder / "weights.safetensors", "--input", f"ids={folder}/ids.npy",
         "--input", f"targets={folder}/targets.npy", "--output", folder / "out.safetensors")
    (loss,) = struct.unpack("<f", read_safetensors(folder / "out.safetensors")["loss"][2])
    # The same kernels on the same numbers; plans of two modes may sum in another order.
    if abs(loss - float(row["loss"])) > 1e-5 * loss:
        sys.exit(f"step {step}: heddle train has the loss {row['loss']}, its windows drawn here {loss}")
print(f"the windows of {step + 1} steps are those of heddle train")
