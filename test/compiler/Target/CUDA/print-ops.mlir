// One line of C++ for each scalar op: accurate functions, shortest literals, parentheses only where C++ needs them.
// RUN: heddle-opt %s --legalize-cuda --mlir-print-debuginfo | heddle-translate --kernel-to-cuda | FileCheck %s

// CHECK-LABEL: void __launch_bounds__(256) exp_0(
// CHECK: y[c] = expf(a[c]);
kernel.func @exp_0(%ab: !kernel.buffer<f32> loc("a"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %r = math.exp %a : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) exp2_1(
// CHECK: y[c] = exp2f(a[c]);
kernel.func @exp2_1(%ab: !kernel.buffer<f32> loc("a"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %r = math.exp2 %a : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) expm1_2(
// CHECK: y[c] = expm1f(a[c]);
kernel.func @expm1_2(%ab: !kernel.buffer<f32> loc("a"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %r = math.expm1 %a : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) log_3(
// CHECK: y[c] = logf(a[c]);
kernel.func @log_3(%ab: !kernel.buffer<f32> loc("a"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %r = math.log %a : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) log2_4(
// CHECK: y[c] = log2f(a[c]);
kernel.func @log2_4(%ab: !kernel.buffer<f32> loc("a"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %r = math.log2 %a : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) log1p_5(
// CHECK: y[c] = log1pf(a[c]);
kernel.func @log1p_5(%ab: !kernel.buffer<f32> loc("a"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %r = math.log1p %a : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) sqrt_6(
// CHECK: y[c] = sqrtf(a[c]);
kernel.func @sqrt_6(%ab: !kernel.buffer<f32> loc("a"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %r = math.sqrt %a : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) rsqrt_7(
// CHECK: y[c] = rsqrtf(a[c]);
kernel.func @rsqrt_7(%ab: !kernel.buffer<f32> loc("a"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %r = math.rsqrt %a : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) tanh_8(
// CHECK: y[c] = tanhf(a[c]);
kernel.func @tanh_8(%ab: !kernel.buffer<f32> loc("a"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %r = math.tanh %a : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) erf_9(
// CHECK: y[c] = erff(a[c]);
kernel.func @erf_9(%ab: !kernel.buffer<f32> loc("a"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %r = math.erf %a : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) sin_10(
// CHECK: y[c] = sinf(a[c]);
kernel.func @sin_10(%ab: !kernel.buffer<f32> loc("a"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %r = math.sin %a : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) cos_11(
// CHECK: y[c] = cosf(a[c]);
kernel.func @cos_11(%ab: !kernel.buffer<f32> loc("a"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %r = math.cos %a : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) absf_12(
// CHECK: y[c] = fabsf(a[c]);
kernel.func @absf_12(%ab: !kernel.buffer<f32> loc("a"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %r = math.absf %a : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) floor_13(
// CHECK: y[c] = floorf(a[c]);
kernel.func @floor_13(%ab: !kernel.buffer<f32> loc("a"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %r = math.floor %a : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) ceil_14(
// CHECK: y[c] = ceilf(a[c]);
kernel.func @ceil_14(%ab: !kernel.buffer<f32> loc("a"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %r = math.ceil %a : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) powf_15(
// CHECK: y[c] = powf(a[c], b[c]);
kernel.func @powf_15(%ab: !kernel.buffer<f32> loc("a"), %bb: !kernel.buffer<f32> loc("b"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("b_value")
      %r = math.powf %a, %b : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) fma_16(
// CHECK: y[c] = fmaf(a_value, b[c], a_value);
kernel.func @fma_16(%ab: !kernel.buffer<f32> loc("a"), %bb: !kernel.buffer<f32> loc("b"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("b_value")
      %r = math.fma %a, %b, %a : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) addf_17(
// CHECK: y[c] = a[c] + b[c];
kernel.func @addf_17(%ab: !kernel.buffer<f32> loc("a"), %bb: !kernel.buffer<f32> loc("b"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("b_value")
      %r = arith.addf %a, %b : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) subf_18(
// CHECK: y[c] = a[c] - b[c];
kernel.func @subf_18(%ab: !kernel.buffer<f32> loc("a"), %bb: !kernel.buffer<f32> loc("b"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("b_value")
      %r = arith.subf %a, %b : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) mulf_19(
// CHECK: y[c] = a[c] * b[c];
kernel.func @mulf_19(%ab: !kernel.buffer<f32> loc("a"), %bb: !kernel.buffer<f32> loc("b"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("b_value")
      %r = arith.mulf %a, %b : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) divf_20(
// CHECK: y[c] = a[c] / b[c];
kernel.func @divf_20(%ab: !kernel.buffer<f32> loc("a"), %bb: !kernel.buffer<f32> loc("b"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("b_value")
      %r = arith.divf %a, %b : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) negf_21(
// CHECK: y[c] = -a[c];
kernel.func @negf_21(%ab: !kernel.buffer<f32> loc("a"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %r = arith.negf %a : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) maximumf_22(
// CHECK: y[c] = heddle::Max::apply(a[c], b[c]);
kernel.func @maximumf_22(%ab: !kernel.buffer<f32> loc("a"), %bb: !kernel.buffer<f32> loc("b"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("b_value")
      %r = arith.maximumf %a, %b : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) minimumf_23(
// CHECK: y[c] = heddle::Min::apply(a[c], b[c]);
kernel.func @minimumf_23(%ab: !kernel.buffer<f32> loc("a"), %bb: !kernel.buffer<f32> loc("b"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("b_value")
      %r = arith.minimumf %a, %b : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) maxnumf_24(
// CHECK: y[c] = fmaxf(a[c], b[c]);
kernel.func @maxnumf_24(%ab: !kernel.buffer<f32> loc("a"), %bb: !kernel.buffer<f32> loc("b"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("b_value")
      %r = arith.maxnumf %a, %b : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) minnumf_25(
// CHECK: y[c] = fminf(a[c], b[c]);
kernel.func @minnumf_25(%ab: !kernel.buffer<f32> loc("a"), %bb: !kernel.buffer<f32> loc("b"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("b_value")
      %r = arith.minnumf %a, %b : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) cmpf_26(
// CHECK: y[c] = a[c] == b[c];
kernel.func @cmpf_26(%ab: !kernel.buffer<f32> loc("a"), %bb: !kernel.buffer<f32> loc("b"), %y: !kernel.buffer<i1> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("b_value")
      %r = arith.cmpf oeq, %a, %b : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i1>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) cmpf_27(
// CHECK: y[c] = a[c] > b[c];
kernel.func @cmpf_27(%ab: !kernel.buffer<f32> loc("a"), %bb: !kernel.buffer<f32> loc("b"), %y: !kernel.buffer<i1> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("b_value")
      %r = arith.cmpf ogt, %a, %b : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i1>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) cmpf_28(
// CHECK: y[c] = a[c] >= b[c];
kernel.func @cmpf_28(%ab: !kernel.buffer<f32> loc("a"), %bb: !kernel.buffer<f32> loc("b"), %y: !kernel.buffer<i1> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("b_value")
      %r = arith.cmpf oge, %a, %b : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i1>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) cmpf_29(
// CHECK: y[c] = a[c] < b[c];
kernel.func @cmpf_29(%ab: !kernel.buffer<f32> loc("a"), %bb: !kernel.buffer<f32> loc("b"), %y: !kernel.buffer<i1> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("b_value")
      %r = arith.cmpf olt, %a, %b : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i1>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) cmpf_30(
// CHECK: y[c] = a[c] <= b[c];
kernel.func @cmpf_30(%ab: !kernel.buffer<f32> loc("a"), %bb: !kernel.buffer<f32> loc("b"), %y: !kernel.buffer<i1> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("b_value")
      %r = arith.cmpf ole, %a, %b : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i1>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) cmpf_31(
// CHECK: y[c] = heddle::less_or_greater(a[c], b[c]);
kernel.func @cmpf_31(%ab: !kernel.buffer<f32> loc("a"), %bb: !kernel.buffer<f32> loc("b"), %y: !kernel.buffer<i1> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("b_value")
      %r = arith.cmpf one, %a, %b : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i1>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) cmpf_32(
// CHECK: y[c] = heddle::ordered(a[c], b[c]);
kernel.func @cmpf_32(%ab: !kernel.buffer<f32> loc("a"), %bb: !kernel.buffer<f32> loc("b"), %y: !kernel.buffer<i1> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("b_value")
      %r = arith.cmpf ord, %a, %b : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i1>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) cmpf_33(
// CHECK: y[c] = !heddle::less_or_greater(a[c], b[c]);
kernel.func @cmpf_33(%ab: !kernel.buffer<f32> loc("a"), %bb: !kernel.buffer<f32> loc("b"), %y: !kernel.buffer<i1> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("b_value")
      %r = arith.cmpf ueq, %a, %b : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i1>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) cmpf_34(
// CHECK: y[c] = !(a[c] <= b[c]);
kernel.func @cmpf_34(%ab: !kernel.buffer<f32> loc("a"), %bb: !kernel.buffer<f32> loc("b"), %y: !kernel.buffer<i1> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("b_value")
      %r = arith.cmpf ugt, %a, %b : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i1>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) cmpf_35(
// CHECK: y[c] = !(a[c] < b[c]);
kernel.func @cmpf_35(%ab: !kernel.buffer<f32> loc("a"), %bb: !kernel.buffer<f32> loc("b"), %y: !kernel.buffer<i1> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("b_value")
      %r = arith.cmpf uge, %a, %b : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i1>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) cmpf_36(
// CHECK: y[c] = !(a[c] >= b[c]);
kernel.func @cmpf_36(%ab: !kernel.buffer<f32> loc("a"), %bb: !kernel.buffer<f32> loc("b"), %y: !kernel.buffer<i1> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("b_value")
      %r = arith.cmpf ult, %a, %b : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i1>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) cmpf_37(
// CHECK: y[c] = !(a[c] > b[c]);
kernel.func @cmpf_37(%ab: !kernel.buffer<f32> loc("a"), %bb: !kernel.buffer<f32> loc("b"), %y: !kernel.buffer<i1> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("b_value")
      %r = arith.cmpf ule, %a, %b : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i1>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) cmpf_38(
// CHECK: y[c] = a[c] != b[c];
kernel.func @cmpf_38(%ab: !kernel.buffer<f32> loc("a"), %bb: !kernel.buffer<f32> loc("b"), %y: !kernel.buffer<i1> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("b_value")
      %r = arith.cmpf une, %a, %b : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i1>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) cmpf_39(
// CHECK: y[c] = !heddle::ordered(a[c], b[c]);
kernel.func @cmpf_39(%ab: !kernel.buffer<f32> loc("a"), %bb: !kernel.buffer<f32> loc("b"), %y: !kernel.buffer<i1> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("b_value")
      %r = arith.cmpf uno, %a, %b : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i1>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) cmpi_40(
// CHECK: y[c] = a[c] == b[c];
kernel.func @cmpi_40(%ab: !kernel.buffer<i32> loc("a"), %bb: !kernel.buffer<i32> loc("b"), %y: !kernel.buffer<i1> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("b_value")
      %r = arith.cmpi eq, %a, %b : i32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i1>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) cmpi_41(
// CHECK: y[c] = a[c] != b[c];
kernel.func @cmpi_41(%ab: !kernel.buffer<i32> loc("a"), %bb: !kernel.buffer<i32> loc("b"), %y: !kernel.buffer<i1> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("b_value")
      %r = arith.cmpi ne, %a, %b : i32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i1>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) cmpi_42(
// CHECK: y[c] = a[c] < b[c];
kernel.func @cmpi_42(%ab: !kernel.buffer<i32> loc("a"), %bb: !kernel.buffer<i32> loc("b"), %y: !kernel.buffer<i1> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("b_value")
      %r = arith.cmpi slt, %a, %b : i32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i1>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) cmpi_43(
// CHECK: y[c] = a[c] <= b[c];
kernel.func @cmpi_43(%ab: !kernel.buffer<i32> loc("a"), %bb: !kernel.buffer<i32> loc("b"), %y: !kernel.buffer<i1> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("b_value")
      %r = arith.cmpi sle, %a, %b : i32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i1>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) cmpi_44(
// CHECK: y[c] = a[c] > b[c];
kernel.func @cmpi_44(%ab: !kernel.buffer<i32> loc("a"), %bb: !kernel.buffer<i32> loc("b"), %y: !kernel.buffer<i1> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("b_value")
      %r = arith.cmpi sgt, %a, %b : i32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i1>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) cmpi_45(
// CHECK: y[c] = a[c] >= b[c];
kernel.func @cmpi_45(%ab: !kernel.buffer<i32> loc("a"), %bb: !kernel.buffer<i32> loc("b"), %y: !kernel.buffer<i1> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("b_value")
      %r = arith.cmpi sge, %a, %b : i32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i1>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) addi_46(
// CHECK: y[c] = heddle::wrap_add(a[c], b[c]);
kernel.func @addi_46(%ab: !kernel.buffer<i32> loc("a"), %bb: !kernel.buffer<i32> loc("b"), %y: !kernel.buffer<i32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("b_value")
      %r = arith.addi %a, %b : i32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) subi_47(
// CHECK: y[c] = heddle::wrap_sub(a[c], b[c]);
kernel.func @subi_47(%ab: !kernel.buffer<i32> loc("a"), %bb: !kernel.buffer<i32> loc("b"), %y: !kernel.buffer<i32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("b_value")
      %r = arith.subi %a, %b : i32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) muli_48(
// CHECK: y[c] = heddle::wrap_mul(a[c], b[c]);
kernel.func @muli_48(%ab: !kernel.buffer<i32> loc("a"), %bb: !kernel.buffer<i32> loc("b"), %y: !kernel.buffer<i32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("b_value")
      %r = arith.muli %a, %b : i32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) maxsi_49(
// CHECK: y[c] = max(a[c], b[c]);
kernel.func @maxsi_49(%ab: !kernel.buffer<i32> loc("a"), %bb: !kernel.buffer<i32> loc("b"), %y: !kernel.buffer<i32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("b_value")
      %r = arith.maxsi %a, %b : i32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) minsi_50(
// CHECK: y[c] = min(a[c], b[c]);
kernel.func @minsi_50(%ab: !kernel.buffer<i32> loc("a"), %bb: !kernel.buffer<i32> loc("b"), %y: !kernel.buffer<i32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("b_value")
      %r = arith.minsi %a, %b : i32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) addi_51(
// CHECK: y[c] = heddle::wrap_add(a[c], b[c]);
kernel.func @addi_51(%ab: !kernel.buffer<i64> loc("a"), %bb: !kernel.buffer<i64> loc("b"), %y: !kernel.buffer<i64> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i64> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i64> loc("b_value")
      %r = arith.addi %a, %b : i64
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i64>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) subi_52(
// CHECK: y[c] = heddle::wrap_sub(a[c], b[c]);
kernel.func @subi_52(%ab: !kernel.buffer<i64> loc("a"), %bb: !kernel.buffer<i64> loc("b"), %y: !kernel.buffer<i64> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i64> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i64> loc("b_value")
      %r = arith.subi %a, %b : i64
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i64>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) muli_53(
// CHECK: y[c] = heddle::wrap_mul(a[c], b[c]);
kernel.func @muli_53(%ab: !kernel.buffer<i64> loc("a"), %bb: !kernel.buffer<i64> loc("b"), %y: !kernel.buffer<i64> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i64> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i64> loc("b_value")
      %r = arith.muli %a, %b : i64
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i64>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) maxsi_54(
// CHECK: y[c] = max(a[c], b[c]);
kernel.func @maxsi_54(%ab: !kernel.buffer<i64> loc("a"), %bb: !kernel.buffer<i64> loc("b"), %y: !kernel.buffer<i64> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i64> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i64> loc("b_value")
      %r = arith.maxsi %a, %b : i64
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i64>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) minsi_55(
// CHECK: y[c] = min(a[c], b[c]);
kernel.func @minsi_55(%ab: !kernel.buffer<i64> loc("a"), %bb: !kernel.buffer<i64> loc("b"), %y: !kernel.buffer<i64> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i64> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i64> loc("b_value")
      %r = arith.minsi %a, %b : i64
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i64>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) divsi_56(
// CHECK: y[c] = a[c] / b[c];
kernel.func @divsi_56(%ab: !kernel.buffer<i32> loc("a"), %bb: !kernel.buffer<i32> loc("b"), %y: !kernel.buffer<i32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("b_value")
      %r = arith.divsi %a, %b : i32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) remsi_57(
// CHECK: y[c] = a[c] % b[c];
kernel.func @remsi_57(%ab: !kernel.buffer<i32> loc("a"), %bb: !kernel.buffer<i32> loc("b"), %y: !kernel.buffer<i32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("b_value")
      %r = arith.remsi %a, %b : i32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) andi_58(
// CHECK: y[c] = a[c] & b[c];
kernel.func @andi_58(%ab: !kernel.buffer<i32> loc("a"), %bb: !kernel.buffer<i32> loc("b"), %y: !kernel.buffer<i32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("b_value")
      %r = arith.andi %a, %b : i32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) ori_59(
// CHECK: y[c] = a[c] | b[c];
kernel.func @ori_59(%ab: !kernel.buffer<i32> loc("a"), %bb: !kernel.buffer<i32> loc("b"), %y: !kernel.buffer<i32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("b_value")
      %r = arith.ori %a, %b : i32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) xori_60(
// CHECK: y[c] = a[c] ^ b[c];
kernel.func @xori_60(%ab: !kernel.buffer<i32> loc("a"), %bb: !kernel.buffer<i32> loc("b"), %y: !kernel.buffer<i32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("b_value")
      %r = arith.xori %a, %b : i32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) andi_61(
// CHECK: y[c] = a[c] & b[c];
kernel.func @andi_61(%ab: !kernel.buffer<i1> loc("a"), %bb: !kernel.buffer<i1> loc("b"), %y: !kernel.buffer<i1> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i1> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i1> loc("b_value")
      %r = arith.andi %a, %b : i1
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i1>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) xori_62(
// CHECK: y[c] = a[c] ^ b[c];
kernel.func @xori_62(%ab: !kernel.buffer<i1> loc("a"), %bb: !kernel.buffer<i1> loc("b"), %y: !kernel.buffer<i1> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i1> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i1> loc("b_value")
      %r = arith.xori %a, %b : i1
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i1>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) extf_63(
// CHECK: y[c] = heddle::to_float(a[c]);
kernel.func @extf_63(%ab: !kernel.buffer<bf16> loc("a"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<bf16> loc("a_value")
      %r = arith.extf %a : bf16 to f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) extf_64(
// CHECK: y[c] = heddle::to_float(a[c]);
kernel.func @extf_64(%ab: !kernel.buffer<f16> loc("a"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f16> loc("a_value")
      %r = arith.extf %a : f16 to f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) truncf_65(
// CHECK: y[c] = heddle::from_float<heddle::bf16>(a[c]);
kernel.func @truncf_65(%ab: !kernel.buffer<f32> loc("a"), %y: !kernel.buffer<bf16> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %r = arith.truncf %a : f32 to bf16
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<bf16>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) truncf_66(
// CHECK: y[c] = heddle::from_float<heddle::f16>(a[c]);
kernel.func @truncf_66(%ab: !kernel.buffer<f32> loc("a"), %y: !kernel.buffer<f16> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %r = arith.truncf %a : f32 to f16
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f16>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) sitofp_67(
// CHECK: y[c] = float(a[c]);
kernel.func @sitofp_67(%ab: !kernel.buffer<i32> loc("a"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("a_value")
      %r = arith.sitofp %a : i32 to f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) sitofp_68(
// CHECK: y[c] = float(a[c]);
kernel.func @sitofp_68(%ab: !kernel.buffer<i64> loc("a"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i64> loc("a_value")
      %r = arith.sitofp %a : i64 to f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) sitofp_69(
// CHECK: y[c] = a[c] ? -1.0f : 0.0f;
kernel.func @sitofp_69(%ab: !kernel.buffer<i1> loc("a"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i1> loc("a_value")
      %r = arith.sitofp %a : i1 to f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) uitofp_70(
// CHECK: y[c] = a[c] ? 1.0f : 0.0f;
kernel.func @uitofp_70(%ab: !kernel.buffer<i1> loc("a"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i1> loc("a_value")
      %r = arith.uitofp %a : i1 to f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) fptosi_71(
// CHECK: y[c] = int(a[c]);
kernel.func @fptosi_71(%ab: !kernel.buffer<f32> loc("a"), %y: !kernel.buffer<i32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %r = arith.fptosi %a : f32 to i32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) fptosi_72(
// CHECK: y[c] = (long long)a[c];
kernel.func @fptosi_72(%ab: !kernel.buffer<f32> loc("a"), %y: !kernel.buffer<i64> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %r = arith.fptosi %a : f32 to i64
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i64>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) extsi_73(
// CHECK: y[c] = (long long)a[c];
kernel.func @extsi_73(%ab: !kernel.buffer<i32> loc("a"), %y: !kernel.buffer<i64> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("a_value")
      %r = arith.extsi %a : i32 to i64
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i64>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) extsi_74(
// CHECK: y[c] = a[c] ? -1 : 0;
kernel.func @extsi_74(%ab: !kernel.buffer<i1> loc("a"), %y: !kernel.buffer<i32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i1> loc("a_value")
      %r = arith.extsi %a : i1 to i32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) extui_75(
// CHECK: y[c] = int(a[c]);
kernel.func @extui_75(%ab: !kernel.buffer<i1> loc("a"), %y: !kernel.buffer<i32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i1> loc("a_value")
      %r = arith.extui %a : i1 to i32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) extui_76(
// CHECK: y[c] = (long long)uint32_t(a[c]);
kernel.func @extui_76(%ab: !kernel.buffer<i32> loc("a"), %y: !kernel.buffer<i64> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("a_value")
      %r = arith.extui %a : i32 to i64
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i64>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) trunci_77(
// CHECK: y[c] = int(a[c]);
kernel.func @trunci_77(%ab: !kernel.buffer<i64> loc("a"), %y: !kernel.buffer<i32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i64> loc("a_value")
      %r = arith.trunci %a : i64 to i32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) trunci_78(
// CHECK: y[c] = (a[c] & 1) != 0;
kernel.func @trunci_78(%ab: !kernel.buffer<i32> loc("a"), %y: !kernel.buffer<i1> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("a_value")
      %r = arith.trunci %a : i32 to i1
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i1>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) literal_0(
// CHECK: y[c] = a[c] * 1.0f;
kernel.func @literal_0(%ab: !kernel.buffer<f32> loc("a"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %k = arith.constant 1.0 : f32
      %r = arith.mulf %a, %k : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) literal_1(
// CHECK: y[c] = a[c] * 1e-05f;
kernel.func @literal_1(%ab: !kernel.buffer<f32> loc("a"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %k = arith.constant 1.0e-05 : f32
      %r = arith.mulf %a, %k : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) literal_2(
// CHECK: y[c] = a[c] * 0.1f;
kernel.func @literal_2(%ab: !kernel.buffer<f32> loc("a"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %k = arith.constant 0.1 : f32
      %r = arith.mulf %a, %k : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) literal_3(
// CHECK: y[c] = a[c] * -2.5f;
kernel.func @literal_3(%ab: !kernel.buffer<f32> loc("a"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %k = arith.constant -2.5 : f32
      %r = arith.mulf %a, %k : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) literal_4(
// CHECK: y[c] = a[c] * 16777216.0f;
kernel.func @literal_4(%ab: !kernel.buffer<f32> loc("a"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %k = arith.constant 16777216.0 : f32
      %r = arith.mulf %a, %k : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) literal_5(
// CHECK: y[c] = a[c] * 3.4028235e+38f;
kernel.func @literal_5(%ab: !kernel.buffer<f32> loc("a"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %k = arith.constant 3.40282347e+38 : f32
      %r = arith.mulf %a, %k : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) literal_6(
// CHECK: y[c] = a[c] * INFINITY;
kernel.func @literal_6(%ab: !kernel.buffer<f32> loc("a"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %k = arith.constant 0x7F800000 : f32
      %r = arith.mulf %a, %k : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) literal_7(
// CHECK: y[c] = a[c] * -INFINITY;
kernel.func @literal_7(%ab: !kernel.buffer<f32> loc("a"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %k = arith.constant 0xFF800000 : f32
      %r = arith.mulf %a, %k : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) literal_8(
// CHECK: y[c] = a[c] * NAN;
kernel.func @literal_8(%ab: !kernel.buffer<f32> loc("a"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %k = arith.constant 0x7FC00000 : f32
      %r = arith.mulf %a, %k : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) literal_9(
// CHECK: y[c] = a[c] * -0.0f;
kernel.func @literal_9(%ab: !kernel.buffer<f32> loc("a"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %k = arith.constant -0.0 : f32
      %r = arith.mulf %a, %k : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) literal_10(
// CHECK: y[c] = a[c] * 1e-45f;
kernel.func @literal_10(%ab: !kernel.buffer<f32> loc("a"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %k = arith.constant 1.0e-45 : f32
      %r = arith.mulf %a, %k : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) literal_half(
// CHECK: y[c] = heddle::from_float<heddle::bf16>(1.5f);
kernel.func @literal_half(%ab: !kernel.buffer<bf16> loc("a"), %y: !kernel.buffer<bf16> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<bf16> loc("a_value")
      %r = arith.constant 1.5 : bf16
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<bf16>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) literal_long(
// CHECK: y[c] = heddle::wrap_add(a[c], (long long)5000000000LL);
kernel.func @literal_long(%ab: !kernel.buffer<i64> loc("a"), %y: !kernel.buffer<i64> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i64> loc("a_value")
      %k = arith.constant 5000000000 : i64
      %r = arith.addi %a, %k : i64
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i64>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) right_of_minus(
// CHECK: y[c] = d[c] - (a[c] - b[c]);
kernel.func @right_of_minus(%ab: !kernel.buffer<f32> loc("a"), %bb: !kernel.buffer<f32> loc("b"), %db: !kernel.buffer<f32> loc("d"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("b_value")
      %d = kernel.load %db [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("d_value")
      %s = arith.subf %a, %b : f32
      %r = arith.subf %d, %s : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) left_of_minus(
// CHECK: y[c] = a[c] - b[c] - d[c];
kernel.func @left_of_minus(%ab: !kernel.buffer<f32> loc("a"), %bb: !kernel.buffer<f32> loc("b"), %db: !kernel.buffer<f32> loc("d"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("b_value")
      %d = kernel.load %db [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("d_value")
      %s = arith.subf %a, %b : f32
      %r = arith.subf %s, %d : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) right_of_plus(
// CHECK: y[c] = d[c] + (a[c] + b[c]);
kernel.func @right_of_plus(%ab: !kernel.buffer<f32> loc("a"), %bb: !kernel.buffer<f32> loc("b"), %db: !kernel.buffer<f32> loc("d"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("b_value")
      %d = kernel.load %db [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("d_value")
      %s = arith.addf %a, %b : f32
      %r = arith.addf %d, %s : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) sum_in_product(
// CHECK: y[c] = (a[c] + b[c]) * d[c];
kernel.func @sum_in_product(%ab: !kernel.buffer<f32> loc("a"), %bb: !kernel.buffer<f32> loc("b"), %db: !kernel.buffer<f32> loc("d"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("b_value")
      %d = kernel.load %db [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("d_value")
      %s = arith.addf %a, %b : f32
      %r = arith.mulf %s, %d : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) product_in_sum(
// CHECK: y[c] = a[c] * b[c] + d[c];
kernel.func @product_in_sum(%ab: !kernel.buffer<f32> loc("a"), %bb: !kernel.buffer<f32> loc("b"), %db: !kernel.buffer<f32> loc("d"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("b_value")
      %d = kernel.load %db [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("d_value")
      %s = arith.mulf %a, %b : f32
      %r = arith.addf %s, %d : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) minus_of_sum(
// CHECK: y[c] = -(a[c] + b[c]) * d[c];
kernel.func @minus_of_sum(%ab: !kernel.buffer<f32> loc("a"), %bb: !kernel.buffer<f32> loc("b"), %db: !kernel.buffer<f32> loc("d"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("b_value")
      %d = kernel.load %db [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("d_value")
      %s = arith.addf %a, %b : f32
      %t = arith.negf %s : f32
      %r = arith.mulf %t, %d : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) minus_of_minus(
// CHECK: y[c] = -(-a[c]) * b[c] + d[c];
kernel.func @minus_of_minus(%ab: !kernel.buffer<f32> loc("a"), %bb: !kernel.buffer<f32> loc("b"), %db: !kernel.buffer<f32> loc("d"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("b_value")
      %d = kernel.load %db [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("d_value")
      %s = arith.negf %a : f32
      %t = arith.negf %s : f32
      %u = arith.mulf %t, %b : f32
      %r = arith.addf %u, %d : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) right_of_divide(
// CHECK: y[c] = d[c] / (a[c] / b[c]);
kernel.func @right_of_divide(%ab: !kernel.buffer<f32> loc("a"), %bb: !kernel.buffer<f32> loc("b"), %db: !kernel.buffer<f32> loc("d"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("b_value")
      %d = kernel.load %db [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("d_value")
      %s = arith.divf %a, %b : f32
      %r = arith.divf %d, %s : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) choice(
// CHECK: y[c] = (a[c] > b[c] ? d[c] : 1.0f) + 1.0f;
kernel.func @choice(%ab: !kernel.buffer<f32> loc("a"), %bb: !kernel.buffer<f32> loc("b"), %db: !kernel.buffer<f32> loc("d"), %y: !kernel.buffer<f32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("b_value")
      %d = kernel.load %db [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32> loc("d_value")
      %k = arith.constant 1.0 : f32
      %p = arith.cmpf ogt, %a, %b : f32
      %s = arith.select %p, %d, %k : f32
      %r = arith.addf %s, %k : f32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<f32>
    }
  }
}

// CHECK-LABEL: void __launch_bounds__(256) shrui_100(
// CHECK: y[c] = heddle::shift_right(a[c], b[c]);
kernel.func @shrui_100(%ab: !kernel.buffer<i32> loc("a"), %bb: !kernel.buffer<i32> loc("b"), %y: !kernel.buffer<i32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("a_value")
      %b = kernel.load %bb [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32> loc("b_value")
      %r = arith.shrui %a, %b : i32
      kernel.store %r, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32>
    }
  }
}

// A literal is of the operand's type.
// CHECK-LABEL: void __launch_bounds__(256) shrui_101(
// CHECK: y[c] = int(heddle::shift_right(a[c], (long long)32));
kernel.func @shrui_101(%ab: !kernel.buffer<i64> loc("a"), %y: !kernel.buffer<i32> loc("y"), %n: index loc("n")) {
  kernel.rows () in () {
    kernel.columns %c loc("c") in %n {
      %a = kernel.load %ab [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i64> loc("a_value")
      %b = arith.constant 32 : i64
      %r = arith.shrui %a, %b : i64
      %t = arith.trunci %r : i64 to i32
      kernel.store %t, %y [affine_map<(c) -> (c)>] (%c) : !kernel.buffer<i32>
    }
  }
}
