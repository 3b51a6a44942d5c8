// Options that are none.
// RUN: not heddle-opt %s --precision=policy=int8 2>&1 | FileCheck %s --check-prefix=POLICY
// RUN: not heddle-opt %s --precision='policy=bf16 rounding=up' 2>&1 | FileCheck %s --check-prefix=ROUNDING

// RUN: not heddle-opt %s --precision='policy=bf16-true prepare-weights' 2>&1 | FileCheck %s --check-prefix=PREPARE
// RUN: not heddle-opt %s --precision='policy=fp32 prepare-weights' 2>&1 | FileCheck %s --check-prefix=PREPARE

// PREPARE: error: weights are prepared under policy bf16, found '{{fp32|bf16-true}}'
// POLICY: error: unknown precision policy 'int8', wanted fp32, tf32, bf16 or bf16-true
// ROUNDING: error: unknown rounding 'up', wanted eager or fused
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
