"""The published configurations that the comparison of models runs: the tests' own copies."""

import json
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "test" / "Inputs" / "configs"
NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))


def first_of(fields, *names):
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def fields_for(name, context):
    """(fields, positions that were added): with as many positions as the context has tokens, where the file has fewer. Both
    sides get the same."""
    fields = json.loads((FOLDER / f"{name}.json").read_text())
    key = next(key for key in ("n_positions", "max_position_embeddings") if key in fields)
    added = max(0, context - fields[key])
    fields[key] += added
    if added and "n_ctx" in fields:  # An old name of n_positions; both together must agree.
        fields["n_ctx"] = fields[key]
    return fields, added


def matrix_flops(fields, batch, context):
    """FLOPs of all matrix products of a forward pass; attention counted in full, not halved for causality. BERT's pooler
    reads one token a sequence and is left out: a thousandth of a per cent."""
    d = first_of(fields, "n_embd", "hidden_size")
    heads = first_of(fields, "n_head", "num_attention_heads")
    kv_heads = fields.get("num_key_value_heads") or heads
    head_dim = fields.get("head_dim") or d // heads
    ff = first_of(fields, "n_inner", "intermediate_size") or 4 * d
    gated = fields["model_type"] not in ("gpt2", "bert")
    layer = 2 * d * (2 * heads + 2 * kv_heads) * head_dim + (6 if gated else 4) * d * ff + 4 * context * heads * head_dim
    head = 0 if fields["model_type"] == "bert" else 2 * d * fields["vocab_size"]
    return batch * context * (first_of(fields, "n_layer", "num_hidden_layers") * layer + head)
