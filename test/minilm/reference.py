"""Writes reference.json: the embeddings that the `transformers` library computes with PyTorch, in float32 on a CPU.

Usage: reference.py MODEL_FOLDER reference.json, with torch, transformers and tokenizers installed. It ran once; the
test reads what it wrote, and needs none of them.
"""

import hashlib
import json
import pathlib
import sys

import torch
import transformers

SENTENCES = ["The quick brown fox jumps over the lazy dog.", "A brown fox leaps over a sleeping hound.",
             "Compilers turn programs into machine code.", "Yes"]

folder, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
tokens = transformers.AutoTokenizer.from_pretrained(folder)(SENTENCES, padding="max_length", max_length=16,
                                                            return_tensors="pt")
model = transformers.BertModel.from_pretrained(folder, torch_dtype=torch.float32, attn_implementation="eager").eval()
with torch.no_grad():
    hidden = model(**tokens).last_hidden_state
mask = tokens["attention_mask"].unsqueeze(-1).float()
embeddings = torch.nn.functional.normalize((hidden * mask).sum(1) / mask.sum(1), dim=1)
output.write_text(json.dumps({
    "made_by": "test/minilm/reference.py",
    "versions": {"torch": torch.__version__, "transformers": transformers.__version__},
    "weights_sha256": hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest(),
    "sentences": SENTENCES,
    "input_ids": tokens["input_ids"].tolist(),
    "attention_mask": tokens["attention_mask"].tolist(),
    "embeddings": [[float(f"{value:.9g}") for value in row] for row in embeddings.tolist()],
}) + "\n")
