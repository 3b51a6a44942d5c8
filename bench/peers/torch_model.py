"""The study's language model in plain PyTorch: what compiled execution is measured against.

Pre-norm decoder: token embedding, blocks of (RMSNorm, causal multi-head attention with rotary positions in interleaved
pairs, residual; RMSNorm, SwiGLU, residual), final RMSNorm, output projection. No biases, untied embeddings. Attention is
written out op by op ("written") or calls scaled_dot_product_attention ("library").
"""

import math

import torch
import torch.nn.functional as F
from torch import nn

from sizes import SIZES


class RMSNorm(nn.Module):
    def __init__(self, width, epsilon=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.epsilon = epsilon

    def forward(self, x):
        dtype = x.dtype
        x = x.float()
        x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.epsilon)
        return (x * self.weight).to(dtype)


def rotary_tables(length, head_dim, theta=10000.0):
    frequency = theta ** (-torch.arange(0, head_dim, 2).float() / head_dim)
    angle = torch.arange(length).float()[:, None] * frequency
    return angle.cos(), angle.sin()


def rotate(x, cos, sin):
    """x: [batch, heads, tokens, head_dim], interleaved pairs."""
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack((a * cos - b * sin, a * sin + b * cos), -1).flatten(-2).to(x.dtype)


def written_attention(q, k, v, mask):
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    return torch.softmax(scores, -1) @ v


class Block(nn.Module):
    def __init__(self, d, ff, heads, attention):
        super().__init__()
        self.heads, self.attention = heads, attention
        self.norm1, self.norm2 = RMSNorm(d), RMSNorm(d)
        self.q, self.k, self.v, self.o = (nn.Linear(d, d, bias=False) for _ in range(4))
        self.w1, self.w3 = nn.Linear(d, ff, bias=False), nn.Linear(d, ff, bias=False)
        self.w2 = nn.Linear(ff, d, bias=False)

    def forward(self, x, cos, sin, mask):
        batch, tokens, width = x.shape
        h = self.norm1(x)
        q, k, v = (p(h).view(batch, tokens, self.heads, -1).transpose(1, 2) for p in (self.q, self.k, self.v))
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        if self.attention == "written":
            y = written_attention(q, k, v, mask)
        else:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(y.transpose(1, 2).reshape(batch, tokens, width))
        h = self.norm2(x)
        return x + self.w2(F.silu(self.w1(h)) * self.w3(h))


class LanguageModel(nn.Module):
    def __init__(self, size, vocabulary, context, attention, layers=None):
        """layers: instead of the size's own."""
        super().__init__()
        d, ff, own_layers, heads = SIZES[size]
        self.embed = nn.Embedding(vocabulary, d)
        self.blocks = nn.ModuleList(Block(d, ff, heads, attention) for _ in range(layers or own_layers))
        self.norm = RMSNorm(d)
        self.head = nn.Linear(d, vocabulary, bias=False)
        cos, sin = rotary_tables(context, d // heads)
        self.register_buffer("cos", cos, persistent=False)
        self.register_buffer("sin", sin, persistent=False)
        self.register_buffer("mask", torch.tril(torch.ones(context, context, dtype=torch.bool)), persistent=False)

    def forward(self, ids):
        x = self.embed(ids)
        for block in self.blocks:
            x = block(x, self.cos, self.sin, self.mask)
        return self.head(self.norm(x))
