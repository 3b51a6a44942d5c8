"""Three families of decoders and an encoder in PyTorch, from their weights' names alone, in whatever type the weights have: what a training is
held against. float32 is PyTorch as its users have it, op by op; float64 is the reference, with tables of positions in float64,
too (transformers' own classes compute norms, softmax and positions in float32 whatever their weights are).
"""

import json
import math

import torch
import torch.nn.functional as F


def rms_norm(x, weight, epsilon):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + epsilon) * weight


def angles(length, pairs, theta, like):
    """cos and sin of position times theta^(-i / pairs), [length, pairs]."""
    frequency = theta ** (-torch.arange(pairs, dtype=like.dtype, device=like.device) / pairs)
    angle = torch.arange(length, dtype=like.dtype, device=like.device)[:, None] * frequency
    return angle.cos(), angle.sin()


def attend(q, k, v, attention, seen=None):
    """Attention, causal without `seen` [batch, 1, 1, tokens]: the keys that count. All others [batch, heads, tokens, head_dim].
    `library` is what torch.nn.functional calls in that type."""
    if attention == "library":
        return F.scaled_dot_product_attention(q, k, v, attn_mask=seen, is_causal=seen is None)
    tokens = q.shape[2]
    if seen is None:
        seen = torch.ones(tokens, tokens, dtype=torch.bool, device=q.device).tril()
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    return torch.softmax(scores.masked_fill(~seen, float("-inf")), -1) @ v


def split(x, heads):
    return x.view(*x.shape[:2], heads, -1).transpose(1, 2)


def join(x):
    return x.transpose(1, 2).reshape(x.shape[0], x.shape[2], -1)


def interleaved(x, cos, sin):
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack((a * cos - b * sin, a * sin + b * cos), -1).flatten(-2)


def halves(x, cos, sin):
    a, b = x.chunk(2, -1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)


class Study:
    """study:SIZE; `heads` of the size."""

    def __init__(self, heads, layers):
        self.heads, self.layers = heads, layers

    def other_inputs(self, batch, context):
        return {}

    def logits(self, w, ids, attention):
        x = F.embedding(ids, w["embed.weight"])
        cos, sin = angles(ids.shape[1], x.shape[-1] // self.heads // 2, 10000.0, x)
        for layer in range(self.layers):
            p = f"blocks.{layer}."
            h = rms_norm(x, w[p + "norm1.weight"], 1e-5)
            q, k, v = (split(F.linear(h, w[f"{p}{name}.weight"]), self.heads) for name in "qkv")
            y = attend(interleaved(q, cos, sin), interleaved(k, cos, sin), v, attention)
            x = x + F.linear(join(y), w[p + "o.weight"])
            h = rms_norm(x, w[p + "norm2.weight"], 1e-5)
            gate, up = (F.linear(h, w[f"{p}{name}.weight"]) for name in ("w1", "w3"))
            x = x + F.linear(F.silu(gate) * up, w[p + "w2.weight"])
        return F.linear(rms_norm(x, w["norm.weight"], 1e-5), w["head.weight"])

    def zero_parts(self, name):
        return None


class Gpt2:
    def __init__(self, fields, layers):
        self.heads, self.layers, self.epsilon = fields["n_head"], layers, fields["layer_norm_epsilon"]
        if fields["activation_function"] != "gelu_new":
            raise ValueError(f"activation_function {fields['activation_function']}: wanted gelu_new")

    def other_inputs(self, batch, context):
        return {}

    def logits(self, w, ids, attention):
        def linear(x, name):
            """As transformers' Conv1D, whose weight is [in, out]."""
            weight = w[f"{name}.weight"]
            return torch.addmm(w[f"{name}.bias"], x.view(-1, x.shape[-1]), weight).view(*x.shape[:2], -1)

        def norm(x, name):
            return F.layer_norm(x, x.shape[-1:], w[f"{name}.weight"], w[f"{name}.bias"], self.epsilon)

        table = w["transformer.wte.weight"]
        x = F.embedding(ids, table) + w["transformer.wpe.weight"][:ids.shape[1]]
        for layer in range(self.layers):
            p = f"transformer.h.{layer}."
            packed = linear(norm(x, p + "ln_1"), p + "attn.c_attn")
            q, k, v = (split(part, self.heads) for part in packed.chunk(3, -1))
            x = x + linear(join(attend(q, k, v, attention)), p + "attn.c_proj")
            h = F.gelu(linear(norm(x, p + "ln_2"), p + "mlp.c_fc"), approximate="tanh")
            x = x + linear(h, p + "mlp.c_proj")
        return F.linear(norm(x, "transformer.ln_f"), table)

    def zero_parts(self, name):
        """The keys' bias adds the same to all scores of a query, which a softmax does not see: its gradient is zero."""
        return (1 / 3, 2 / 3) if name.endswith("attn.c_attn.bias") else None


class Llama:
    def __init__(self, fields, layers):
        self.heads, self.kv_heads = fields["num_attention_heads"], fields["num_key_value_heads"]
        self.layers, self.epsilon, self.theta = layers, fields["rms_norm_eps"], float(fields["rope_theta"])
        for name, wanted in (("rope_scaling", None), ("attention_bias", False), ("mlp_bias", False), ("hidden_act", "silu"),
                             ("tie_word_embeddings", True)):
            if fields[name] != wanted:
                raise ValueError(f"{name} {fields[name]}: wanted {wanted}")

    def other_inputs(self, batch, context):
        return {}

    def logits(self, w, ids, attention):
        table = w["model.embed_tokens.weight"]
        x = F.embedding(ids, table)
        cos, sin = angles(ids.shape[1], x.shape[-1] // self.heads // 2, self.theta, x)
        for layer in range(self.layers):
            p = f"model.layers.{layer}."
            h = rms_norm(x, w[p + "input_layernorm.weight"], self.epsilon)
            q = split(F.linear(h, w[p + "self_attn.q_proj.weight"]), self.heads)
            k, v = (split(F.linear(h, w[f"{p}self_attn.{name}_proj.weight"]), self.kv_heads) for name in "kv")
            k, v = (t.repeat_interleave(self.heads // self.kv_heads, 1) for t in (halves(k, cos, sin), v))
            y = attend(halves(q, cos, sin), k, v, attention)
            x = x + F.linear(join(y), w[p + "self_attn.o_proj.weight"])
            h = rms_norm(x, w[p + "post_attention_layernorm.weight"], self.epsilon)
            gate, up = (F.linear(h, w[f"{p}mlp.{name}_proj.weight"]) for name in ("gate", "up"))
            x = x + F.linear(F.silu(gate) * up, w[p + "mlp.down_proj.weight"])
        return F.linear(rms_norm(x, w["model.norm.weight"], self.epsilon), table)

    def zero_parts(self, name):
        return None


class Bert:
    """With the masked-language head, which is what has a loss."""

    def __init__(self, fields, layers):
        self.heads, self.layers, self.epsilon = fields["num_attention_heads"], layers, fields["layer_norm_eps"]
        for name, wanted in (("hidden_act", "gelu"), ("position_embedding_type", "absolute")):
            if fields[name] != wanted:
                raise ValueError(f"{name} {fields[name]}: wanted {wanted}")

    def other_inputs(self, batch, context):
        """Padding at the last row's end, and two segments in each row."""
        mask, segments = torch.ones(batch, context, dtype=torch.int64), torch.zeros(batch, context, dtype=torch.int64)
        mask[-1, context - context // 4:] = 0
        segments[:, context // 2:] = 1
        return {"attention_mask": mask, "token_type_ids": segments}

    def logits(self, w, ids, attention, attention_mask, token_type_ids):
        def linear(x, name):
            return F.linear(x, w[f"{name}.weight"], w[f"{name}.bias"])

        def norm(x, name):
            return F.layer_norm(x, x.shape[-1:], w[f"{name}.weight"], w[f"{name}.bias"], self.epsilon)

        table = w["bert.embeddings.word_embeddings.weight"]
        seen = (attention_mask != 0)[:, None, None, :]
        x = F.embedding(ids, table) + F.embedding(token_type_ids, w["bert.embeddings.token_type_embeddings.weight"])
        x = norm(x + w["bert.embeddings.position_embeddings.weight"][:ids.shape[1]], "bert.embeddings.LayerNorm")
        for layer in range(self.layers):
            p = f"bert.encoder.layer.{layer}."
            q, k, v = (split(linear(x, f"{p}attention.self.{name}"), self.heads) for name in ("query", "key", "value"))
            y = linear(join(attend(q, k, v, attention, seen)), p + "attention.output.dense")
            x = norm(x + y, p + "attention.output.LayerNorm")
            x = norm(x + linear(F.gelu(linear(x, p + "intermediate.dense")), p + "output.dense"), p + "output.LayerNorm")
        x = norm(F.gelu(linear(x, "cls.predictions.transform.dense")), "cls.predictions.transform.LayerNorm")
        return F.linear(x, table, w["cls.predictions.bias"])

    def zero_parts(self, name):
        """As GPT-2's, where it is a tensor of its own."""
        return (0, 1) if name.endswith("self.key.bias") else None


def of_config(path, layers):
    fields = json.loads(path.read_text())
    return {"gpt2": Gpt2, "llama": Llama, "bert": Bert}[fields["model_type"]](fields, layers), fields["vocab_size"]
