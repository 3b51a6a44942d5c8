// A kernel that was legalised for one architecture is not printed for another that lacks its version; what every
// architecture runs is.
// RUN: heddle-opt %S/../../../emission/attention_full_bf16.mlir --legalize-cuda=arch=sm_90a -o %t.mlir
// RUN: not heddle-translate %t.mlir --kernel-to-cuda --cuda-arch=sm_80 2>&1 | FileCheck %s
// CHECK: error: has version 'wgmma', which sm_80 does not have for it, wanted 'mma'
// CHECK-NOT: __global__
// RUN: heddle-opt %S/../../../emission/attention_full_bf16.mlir --legalize-cuda=arch=sm_80 \
// RUN:   | heddle-translate --kernel-to-cuda --cuda-arch=sm_90a | FileCheck %s --check-prefix=PORTABLE
// PORTABLE: attention_forward_mma.cuh
