# REQUIRES: device-cuda
# RUN: %python %s %t
"""loss_large_vocabulary.py at the size of bloom-560m's head: 4096 rows, most without a target, 250880 columns, 1024 wide, in float32."""

from support.driver import Test
from support.vocabulary import VocabularyLoss, check_chunks, most_ignored

test = Test(needs=("cuda", "weight, gradient and logits of some gigabytes each take too long elsewhere"))
ROWS, COLUMNS = 4096, 250880
check_chunks(test, "bloom-560m", VocabularyLoss(ROWS, COLUMNS, 1024, most_ignored(ROWS, COLUMNS)), "fp32", ["eager", "compiled"])
test.finish()
