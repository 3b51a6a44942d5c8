# REQUIRES: device-cuda
# RUN: %python %s %t
"""loss_large_vocabulary.py at the size of gemma-3-1b's head: 2048 rows, most without a target, 262144 columns, 1152 wide, in bf16."""

from support.driver import Test
from support.vocabulary import VocabularyLoss, check_chunks, most_ignored

test = Test(needs=("cuda", "weight, gradient and logits of some gigabytes each take too long elsewhere"))
ROWS, COLUMNS = 2048, 262144
check_chunks(test, "gemma-3-1b", VocabularyLoss(ROWS, COLUMNS, 1152, most_ignored(ROWS, COLUMNS)), "bf16", ["eager", "compiled"])
test.finish()
