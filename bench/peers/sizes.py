"""The study's models: sizes, and the FLOPs of their matrix products; shared by the peers' scripts."""

SIZES = {  # name: (d_model, d_ff, layers, heads)
    "small": (768, 3072, 12, 12),
    "medium": (1024, 4096, 24, 16),
    "large": (1280, 5120, 36, 20),
    "xl": (2560, 10240, 32, 32),
    "10B": (4608, 12288, 50, 36),
}

# Products of a backward pass count twice those of the forward: one for each operand's gradient.
MODE_FACTOR = {"forward": 1, "backward": 3, "step": 3}


def matrix_flops(size, batch, context, vocabulary, mode="forward", layers=None):
    """FLOPs of all matrix products of one run; attention counted in full, not halved for causality."""
    d, ff, own_layers, _ = SIZES[size]
    layers = layers or own_layers
    tokens = batch * context
    forward = tokens * (layers * (8 * d * d + 6 * d * ff + 4 * context * d) + 2 * d * vocabulary)
    return forward * MODE_FACTOR[mode]


def add_cell_arguments(parser):
    """What every peer's script takes: one cell of the comparison."""
    parser.add_argument("--size", choices=SIZES, default="small")
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--context", type=int, default=512)
    parser.add_argument("--vocab", type=int, default=10000)
    parser.add_argument("--attention", choices=["written", "library"], default="written")
    parser.add_argument("--precision", choices=["fp32", "tf32", "bf16"], default="fp32")
    parser.add_argument("--mode", choices=MODE_FACTOR, default="forward")
    parser.add_argument("--layers", type=int, help="keep only the first so many blocks")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--warmup", type=int, default=5)
    parser.add_argument("--steps", type=int, default=10)
