// An architecture that no description covers is named, with those that there are.
// RUN: not heddle-opt %s --legalize-cuda=arch=sm_75 2>&1 | FileCheck %s
// RUN: not heddle-opt %s --verify-cuda-kernel=arch=sm_75 2>&1 | FileCheck %s
// RUN: not heddle-opt %s --target-cuda=arch=sm_75 2>&1 | FileCheck %s
// RUN: not heddle-translate %s --kernel-to-cuda --cuda-arch=sm_75 2>&1 | FileCheck %s
// CHECK: error: unknown architecture 'sm_75', wanted sm_80 or sm_90a
module {}
