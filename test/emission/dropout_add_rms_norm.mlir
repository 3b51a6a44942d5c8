// RUN: heddle-opt %s --legalize-cuda=arch=sm_90a --mlir-print-debuginfo | heddle-translate --kernel-to-cuda | diff %S/golden/dropout_add_rms_norm.cu -
// The same with the norm behind it: the sum is kept in registers, and its elements are numbered over all rows.
kernel.func @dropout_add_rms_norm(%arg0: !kernel.buffer<bf16> loc("matmul"), %arg1: !kernel.buffer<i64> loc("dropout_key"),
    %arg2: !kernel.buffer<f32> loc("x"), %arg3: !kernel.buffer<f32> loc("weight"), %arg4: !kernel.buffer<f32> loc("add"), %arg5: !kernel.buffer<bf16> loc("cast"), %arg6: index loc("batch"), %arg7: index loc("seq"), %arg8: index loc("layer")) {
  %0 = arith.muli %arg6, %arg7 : index loc("extent")
  %c768 = arith.constant 768 : index
  kernel.rows (%arg9 loc("row")) in (%0) {
    %1 = kernel.load %arg1[affine_map<() -> (0)>] () : <i64>
    %2:2 = kernel.columns %arg10 loc("col") in %c768 reduce [add] {
      %6 = kernel.load %arg2[affine_map<(d0, d1) -> (d0 * 768 + d1)>] (%arg9, %arg10) : <f32>
      %7 = kernel.load %arg0[affine_map<(d0, d1) -> (d0 * 768 + d1)>] (%arg9, %arg10) : <bf16>
      %8 = arith.extf %7 : bf16 to f32
      %9 = arith.muli %arg9, %c768 : index loc("iota")
      %10 = arith.addi %arg10, %9 : index loc("iota")
      %11 = arith.index_cast %10 : index to i32 loc("iota")
      %12 = arith.index_cast %arg8 : index to i32 loc("dropout")
      %c-1640531527_i32 = arith.constant -1640531527 : i32 loc("dropout")
      %13 = arith.muli %12, %c-1640531527_i32 : i32 loc("dropout")
      %14 = arith.trunci %1 : i64 to i32 loc("dropout")
      %15 = arith.addi %14, %13 : i32 loc("dropout")
      %c16_i32 = arith.constant 16 : i32 loc("dropout")
      %16 = arith.shrui %15, %c16_i32 : i32 loc("dropout")
      %17 = arith.xori %15, %16 : i32 loc("dropout")
      %c2146121005_i32 = arith.constant 2146121005 : i32 loc("dropout")
      %18 = arith.muli %17, %c2146121005_i32 : i32 loc("dropout")
      %c15_i32 = arith.constant 15 : i32 loc("dropout")
      %19 = arith.shrui %18, %c15_i32 : i32 loc("dropout")
      %20 = arith.xori %18, %19 : i32 loc("dropout")
      %c-2073254261_i32 = arith.constant -2073254261 : i32 loc("dropout")
      %21 = arith.muli %20, %c-2073254261_i32 : i32 loc("dropout")
      %22 = arith.shrui %21, %c16_i32 : i32 loc("dropout")
      %23 = arith.xori %21, %22 : i32 loc("dropout")
      %c32_i64 = arith.constant 32 : i64 loc("dropout")
      %24 = arith.shrui %1, %c32_i64 : i64 loc("dropout")
      %25 = arith.trunci %24 : i64 to i32 loc("dropout")
      %26 = arith.xori %23, %25 : i32 loc("dropout")
      %27 = arith.shrui %26, %c16_i32 : i32 loc("dropout")
      %28 = arith.xori %26, %27 : i32 loc("dropout")
      %29 = arith.muli %28, %c2146121005_i32 : i32 loc("dropout")
      %30 = arith.shrui %29, %c15_i32 : i32 loc("dropout")
      %31 = arith.xori %29, %30 : i32 loc("dropout")
      %32 = arith.muli %31, %c-2073254261_i32 : i32 loc("dropout")
      %33 = arith.shrui %32, %c16_i32 : i32 loc("dropout")
      %34 = arith.xori %32, %33 : i32 loc("dropout")
      %35 = arith.xori %11, %23 : i32 loc("dropout")
      %36 = arith.shrui %35, %c16_i32 : i32 loc("dropout")
      %37 = arith.xori %35, %36 : i32 loc("dropout")
      %38 = arith.muli %37, %c2146121005_i32 : i32 loc("dropout")
      %39 = arith.shrui %38, %c15_i32 : i32 loc("dropout")
      %40 = arith.xori %38, %39 : i32 loc("dropout")
      %41 = arith.muli %40, %c-2073254261_i32 : i32 loc("dropout")
      %42 = arith.shrui %41, %c16_i32 : i32 loc("dropout")
      %43 = arith.xori %41, %42 : i32 loc("dropout")
      %44 = arith.addi %43, %34 : i32 loc("dropout")
      %45 = arith.shrui %44, %c16_i32 : i32 loc("dropout")
      %46 = arith.xori %44, %45 : i32 loc("dropout")
      %47 = arith.muli %46, %c2146121005_i32 : i32 loc("dropout")
      %48 = arith.shrui %47, %c15_i32 : i32 loc("dropout")
      %49 = arith.xori %47, %48 : i32 loc("dropout")
      %50 = arith.muli %49, %c-2073254261_i32 : i32 loc("dropout")
      %51 = arith.shrui %50, %c16_i32 : i32 loc("dropout")
      %52 = arith.xori %50, %51 : i32 loc("dropout")
      %c214748364_i32 = arith.constant 214748364 : i32 loc("dropout")
      %c1_i32 = arith.constant 1 : i32 loc("dropout")
      %53 = arith.shrui %52, %c1_i32 : i32 loc("dropout")
      %54 = arith.cmpi sgt, %53, %c214748364_i32 : i32 loc("dropout")
      %cst_1 = arith.constant 1.11111116 : f32 loc("dropout")
      %55 = arith.mulf %8, %cst_1 : f32 loc("dropout")
      %cst_2 = arith.constant 0.000000e+00 : f32 loc("dropout")
      %56 = arith.select %54, %55, %cst_2 : f32 loc("dropout")
      %57 = arith.addf %6, %56 : f32 loc("add")
      %58 = arith.mulf %57, %57 : f32 loc("mul")
      kernel.store %57, %arg4[affine_map<(d0, d1) -> (d0 * 768 + d1)>] (%arg9, %arg10) : <f32>
      kernel.yield %57, %58 : f32, f32
    } : !kernel.row<f32>, f32
    %cst = arith.constant 7.680000e+02 : f32
    %3 = arith.divf %2#1, %cst : f32 loc("mean")
    %cst_0 = arith.constant 9.99999974E-6 : f32
    %4 = arith.addf %3, %cst_0 : f32 loc("add")
    %5 = math.rsqrt %4 : f32 loc("rsqrt")
    kernel.columns %arg10 loc("col") in %c768 {
      %6 = kernel.get %2#0 : <f32> loc("add")
      %7 = arith.mulf %6, %5 : f32 loc("mul")
      %8 = kernel.load %arg3[affine_map<(d0) -> (d0)>] (%arg10) : <f32>
      %9 = arith.mulf %7, %8 : f32 loc("mul")
      %10 = arith.truncf %9 : f32 to bf16
      kernel.store %10, %arg5[affine_map<(d0, d1) -> (d0 * 768 + d1)>] (%arg9, %arg10) : <bf16>
      kernel.yield
    }
  }
}
