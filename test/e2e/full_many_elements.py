# REQUIRES: device-cuda
# RUN: %python %s %t
"""many_elements.py with more elements than 2^31: logits [42692, 50304] and [8560, 250880], made row by row and by a product, and a copy out
of [3, 2^30]."""

from support.driver import Test
from support.many_elements import copied_row, rows_and_alone
from support.vocabulary import VocabularyLoss

test = Test(needs=("cuda", "tensors of 4 to 13 GB each, several of them at once"))
copied_row(test, 1 << 15, True)
for rows, columns in ((42692, 50304), (8560, 250880)):
    rows_and_alone(test, rows, columns)
    loss = VocabularyLoss(rows, columns, 8, [i % columns for i in range(rows)])
    for precision in ("fp32", "bf16"):
        flags = ("--mode", "backward", "--precision", precision)
        for label, outputs in test.run(f"product-{rows}-{precision}", loss.text(True), loss.inputs, flags, loss.weights):
            loss.check(test, label, outputs, precision, range(8))
test.finish()
