// RUN: heddle-opt %s --legalize-cuda=arch=sm_90a --mlir-print-debuginfo | heddle-translate --kernel-to-cuda | diff %S/golden/dropout_add_bf16.cu -
// A product's bf16 values, dropped out and added to the residual stream: the key and what depends on the layer are the
// same for all elements.
kernel.func @dropout_add_bf16(%arg0: !kernel.buffer<bf16> loc("matmul"), %arg1: !kernel.buffer<i64> loc("dropout_key"),
    %arg2: !kernel.buffer<f32> loc("x"), %arg3: !kernel.buffer<f32> loc("add"), %arg4: index loc("batch"), %arg5: index loc("seq"), %arg6: index loc("layer")) {
  %0 = arith.muli %arg4, %arg5 : index loc("extent")
  %c768 = arith.constant 768 : index
  %1 = arith.muli %0, %c768 : index loc("extent")
  kernel.rows () in () {
    kernel.columns %arg7 loc("col") in %1 {
      %2 = kernel.load %arg2[affine_map<(d0) -> (d0)>] (%arg7) : <f32>
      %3 = kernel.load %arg0[affine_map<(d0) -> (d0)>] (%arg7) : <bf16>
      %4 = arith.extf %3 : bf16 to f32
      %5 = arith.index_cast %arg7 : index to i32 loc("iota")
      %6 = kernel.load %arg1[affine_map<() -> (0)>] () : <i64>
      %7 = arith.index_cast %arg6 : index to i32 loc("dropout")
      %c-1640531527_i32 = arith.constant -1640531527 : i32 loc("dropout")
      %8 = arith.muli %7, %c-1640531527_i32 : i32 loc("dropout")
      %9 = arith.trunci %6 : i64 to i32 loc("dropout")
      %10 = arith.addi %9, %8 : i32 loc("dropout")
      %c16_i32 = arith.constant 16 : i32 loc("dropout")
      %11 = arith.shrui %10, %c16_i32 : i32 loc("dropout")
      %12 = arith.xori %10, %11 : i32 loc("dropout")
      %c2146121005_i32 = arith.constant 2146121005 : i32 loc("dropout")
      %13 = arith.muli %12, %c2146121005_i32 : i32 loc("dropout")
      %c15_i32 = arith.constant 15 : i32 loc("dropout")
      %14 = arith.shrui %13, %c15_i32 : i32 loc("dropout")
      %15 = arith.xori %13, %14 : i32 loc("dropout")
      %c-2073254261_i32 = arith.constant -2073254261 : i32 loc("dropout")
      %16 = arith.muli %15, %c-2073254261_i32 : i32 loc("dropout")
      %17 = arith.shrui %16, %c16_i32 : i32 loc("dropout")
      %18 = arith.xori %16, %17 : i32 loc("dropout")
      %c32_i64 = arith.constant 32 : i64 loc("dropout")
      %19 = arith.shrui %6, %c32_i64 : i64 loc("dropout")
      %20 = arith.trunci %19 : i64 to i32 loc("dropout")
      %21 = arith.xori %18, %20 : i32 loc("dropout")
      %22 = arith.shrui %21, %c16_i32 : i32 loc("dropout")
      %23 = arith.xori %21, %22 : i32 loc("dropout")
      %24 = arith.muli %23, %c2146121005_i32 : i32 loc("dropout")
      %25 = arith.shrui %24, %c15_i32 : i32 loc("dropout")
      %26 = arith.xori %24, %25 : i32 loc("dropout")
      %27 = arith.muli %26, %c-2073254261_i32 : i32 loc("dropout")
      %28 = arith.shrui %27, %c16_i32 : i32 loc("dropout")
      %29 = arith.xori %27, %28 : i32 loc("dropout")
      %30 = arith.xori %5, %18 : i32 loc("dropout")
      %31 = arith.shrui %30, %c16_i32 : i32 loc("dropout")
      %32 = arith.xori %30, %31 : i32 loc("dropout")
      %33 = arith.muli %32, %c2146121005_i32 : i32 loc("dropout")
      %34 = arith.shrui %33, %c15_i32 : i32 loc("dropout")
      %35 = arith.xori %33, %34 : i32 loc("dropout")
      %36 = arith.muli %35, %c-2073254261_i32 : i32 loc("dropout")
      %37 = arith.shrui %36, %c16_i32 : i32 loc("dropout")
      %38 = arith.xori %36, %37 : i32 loc("dropout")
      %39 = arith.addi %38, %29 : i32 loc("dropout")
      %40 = arith.shrui %39, %c16_i32 : i32 loc("dropout")
      %41 = arith.xori %39, %40 : i32 loc("dropout")
      %42 = arith.muli %41, %c2146121005_i32 : i32 loc("dropout")
      %43 = arith.shrui %42, %c15_i32 : i32 loc("dropout")
      %44 = arith.xori %42, %43 : i32 loc("dropout")
      %45 = arith.muli %44, %c-2073254261_i32 : i32 loc("dropout")
      %46 = arith.shrui %45, %c16_i32 : i32 loc("dropout")
      %47 = arith.xori %45, %46 : i32 loc("dropout")
      %c214748364_i32 = arith.constant 214748364 : i32 loc("dropout")
      %c1_i32 = arith.constant 1 : i32 loc("dropout")
      %48 = arith.shrui %47, %c1_i32 : i32 loc("dropout")
      %49 = arith.cmpi sgt, %48, %c214748364_i32 : i32 loc("dropout")
      %cst = arith.constant 1.11111116 : f32 loc("dropout")
      %50 = arith.mulf %4, %cst : f32 loc("dropout")
      %cst_0 = arith.constant 0.000000e+00 : f32 loc("dropout")
      %51 = arith.select %49, %50, %cst_0 : f32 loc("dropout")
      %52 = arith.addf %2, %51 : f32 loc("add")
      kernel.store %52, %arg3[affine_map<(d0) -> (d0)>] (%arg7) : <f32>
      kernel.yield
    }
  }
}
