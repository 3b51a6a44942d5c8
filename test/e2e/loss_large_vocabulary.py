# RUN: %python %s %t
"""The loss over a vocabulary so large that its logits go in chunks, none of which divides the rows, most of whose targets are ignored: no copy
of all logits is in memory, and loss and gradients are right (NVIDIA-NeMo/Automodel#3907; huggingface/transformers#38452;
linkedin/Liger-Kernel#241). The sizes of two published heads are in full_loss_bloom.py and full_loss_gemma.py."""

from support.driver import Test
from support.vocabulary import VocabularyLoss, check_chunks, most_ignored

test = Test()
# 607 MiB of float32 logits: five chunks, the last one shorter.
ROWS, COLUMNS = 3181, 50021
for precision in ("fp32", "bf16"):
    check_chunks(test, "small", VocabularyLoss(ROWS, COLUMNS, 24, most_ignored(ROWS, COLUMNS)), precision)
test.finish()
