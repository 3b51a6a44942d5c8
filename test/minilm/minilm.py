"""Embeddings of all-MiniLM-L6-v2 by heddle, against two others: a float64 computation from the same weights, written
here, and the values that PyTorch gave (reference.json). Usage: minilm.py MODEL_FOLDER WORK_FOLDER [heddle run's flags…]

An embedding is the mean of the last hidden state over the tokens that are no padding, divided by its norm. The model is
that of https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0): BERT, 6 layers, width 384, 12 heads.
"""

import hashlib
import json
import math
import pathlib
import struct
import subprocess
import sys

import numpy

# 1 - cosine of two embeddings that differ by rounding alone: float32's error here is about 1e-6 of the norm, and an angle
# of 1e-6 makes 1e-12 at most. 1e-9 leaves a factor of thirty to that angle, and is far within a cosine of 0.99999.
MOST = 1e-9


def read_safetensors(path):
    """Name to array, widened to float64; what is no F32 is left out."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            begin, end = (8 + length + offset for offset in entry["data_offsets"])
            tensors[name] = numpy.frombuffer(data[begin:end], "<f4").reshape(entry["shape"]).astype(numpy.float64)
    return tensors


def embed(hidden, mask):
    mean = (hidden * mask[..., None]).sum(1) / mask.sum(1)[:, None]
    return mean / numpy.linalg.norm(mean, axis=1)[:, None]


def hidden_state(weights, config, ids, mask):
    """BERT's last hidden state in float64; every sentence is of segment 0."""
    heads, epsilon = config["num_attention_heads"], config["layer_norm_eps"]
    batch, length = ids.shape
    erf = numpy.vectorize(math.erf, otypes=[numpy.float64])

    def linear(x, name):
        return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def norm(x, name):
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / numpy.sqrt((centred**2).mean(-1, keepdims=True) + epsilon)
        return scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    def split(x):
        return x.reshape(batch, length, heads, -1).transpose(0, 2, 1, 3)

    table = weights["embeddings.word_embeddings.weight"]
    x = table[ids] + weights["embeddings.position_embeddings.weight"][:length]
    x = norm(x + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for layer in range(config["num_hidden_layers"]):
        name = f"encoder.layer.{layer}"
        q, k, v = (split(linear(x, f"{name}.attention.self.{part}")) for part in ("query", "key", "value"))
        scores = q @ k.transpose(0, 1, 3, 2) / math.sqrt(q.shape[-1])
        scores = numpy.where(mask[:, None, None, :] > 0, scores, -numpy.inf)
        shares = numpy.exp(scores - scores.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        attended = (shares @ v).transpose(0, 2, 1, 3).reshape(batch, length, -1)
        x = norm(x + linear(attended, f"{name}.attention.output.dense"), f"{name}.attention.output.LayerNorm")
        up = linear(x, f"{name}.intermediate.dense")
        up = up * (1 + erf(up / math.sqrt(2))) / 2
        x = norm(x + linear(up, f"{name}.output.dense"), f"{name}.output.LayerNorm")
    return x


def by_heddle(folder, work, ids, mask, flags):
    inputs = {"input_ids": ids, "token_type_ids": numpy.zeros_like(ids), "attention_mask": mask}
    given = []
    for name, values in inputs.items():
        numpy.save(work / f"{name}.npy", values)
        given += ["--input", f"{name}={work / f'{name}.npy'}"]
    output = work / "output.safetensors"
    done = subprocess.run(["heddle", "run", folder, "--batch", str(ids.shape[0]), "--context", str(ids.shape[1]), *given,
                    "--output", output, *flags], stdout=subprocess.DEVNULL)
    if done.returncode:
        sys.exit(f"heddle run {' '.join(flags)}: exit code {done.returncode}")
    return read_safetensors(output)["last_hidden_state"]


def main():
    folder, work, flags = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
    work.mkdir(parents=True, exist_ok=True)
    reference = json.loads((pathlib.Path(__file__).parent / "reference.json").read_text())
    found = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    if found != reference["weights_sha256"]:
        sys.exit(f"{folder}/model.safetensors: wanted SHA-256 {reference['weights_sha256']}, found {found}")
    ids = numpy.array(reference["input_ids"], numpy.int64)
    mask = numpy.array(reference["attention_mask"], numpy.int64)
    weights = read_safetensors(folder / "model.safetensors")
    exact = embed(hidden_state(weights, json.loads((folder / "config.json").read_text()), ids, mask), mask)
    stored = numpy.array(reference["embeddings"])
    embeddings = embed(by_heddle(folder, work, ids, mask, flags), mask)
    faults = 0
    pairs = {"heddle to float64": (embeddings, exact), "heddle to PyTorch": (embeddings, stored),
             "PyTorch to float64": (stored, exact)}
    for name, (left, right) in pairs.items():
        cosines = (left * right).sum(1) / numpy.linalg.norm(left, axis=1) / numpy.linalg.norm(right, axis=1)
        good = left.shape == right.shape and bool((1 - cosines <= MOST).all())  # NaN is not.
        faults += not good
        print(f"{name}: 1 - cosine at most {1 - cosines.min():.2e}{'' if good else '  FAILED'}")
    # Sentences that differ have embeddings that differ: the comparison above can fail.
    other = (embeddings[0] * embeddings[2]).sum()
    if not other < 0.5:
        faults += 1
        print(f"two unrelated sentences have cosine {other:.3f}; wanted below 0.5")
    sys.exit(1 if faults else 0)


main()
