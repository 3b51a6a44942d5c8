// Every diagnostic of the plan dialect, each in a program of its own that is right but for one thing.
// RUN: heddle-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{'plan.program' op device "tpu", wanted "cpu" or "cuda"}}
plan.program @device attributes {model = "", device = "tpu", target = "", pipeline = "", mode = "", precision = "",
                                 symbols = {}} {}

// -----

// expected-error@+1 {{'plan.program' op symbol "batch" is 4 : i32, wanted an i64}}
plan.program @symbol attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "",
                                 symbols = {batch = 4 : i32}} {}

// -----

// expected-error@+1 {{'plan.program' op arenaBytes -256, wanted 0 or more}}
plan.program @arena attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "",
                                symbols = {}, arenaBytes = -256 : i64} {}

// -----

// expected-error@+1 {{'plan.program' op workspaceBytes -1, wanted 0 or more}}
plan.program @workspace attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "",
                                    symbols = {}, workspaceBytes = -1 : i64} {}

// -----

plan.program @child attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "",
                                symbols = {}} {
  // expected-error@+1 {{'arith.constant' op in a plan.program, wanted buffers, kernels and steps}}
  %0 = arith.constant 1 : i64
}

// -----

// expected-error@+1 {{'plan.buffer' op expects parent op 'plan.program'}}
plan.buffer @outside scratch tensor<4xf32>

// -----

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  // expected-error@+1 {{'plan.buffer' op type 'tensor<?xf32>', wanted static extents and no encoding}}
  plan.buffer @dynamic scratch tensor<?xf32>
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  // expected-error@+1 {{'plan.buffer' op elements 'f64', wanted f32, bf16, f16, i32, i64, i1 or ui8}}
  plan.buffer @element scratch tensor<4xf64>
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  // expected-error@+1 {{'plan.buffer' op type 'tensor<4611686018427387904x2xf32>', wanted a size that fits in 64 bits}}
  plan.buffer @large scratch tensor<4611686018427387904x2xf32>
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  // expected-error@+1 {{'plan.buffer' op bytes 16, wanted more than the type's 16 or none given}}
  plan.buffer @bytes scratch tensor<4xf32> {bytes = 16 : i64}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  // expected-error@+1 {{'plan.buffer' op indexLimit -1, wanted 0, or above 0 for an input of i32 or i64}}
  plan.buffer @limit input tensor<4xi32> {indexLimit = -1 : i64}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  // expected-error@+1 {{'plan.buffer' op indexLimit 7, wanted 0, or above 0 for an input of i32 or i64}}
  plan.buffer @limit input tensor<4xf32> {indexLimit = 7 : i64}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  // expected-error@+1 {{'plan.buffer' op indexLimit 7, wanted 0, or above 0 for an input of i32 or i64}}
  plan.buffer @limit scratch tensor<4xi32> {indexLimit = 7 : i64}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  // expected-error@+1 {{'plan.buffer' op panel 16, wanted 0, or above 0 for a parameter that is a matrix of floats and nothing else}}
  plan.buffer @panel scratch tensor<4x4xf32> {panel = 16 : i64}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  // expected-error@+1 {{'plan.buffer' op panel -16, wanted 0, or above 0 for a parameter that is a matrix of floats and nothing else}}
  plan.buffer @panel parameter tensor<4x4xf32> {panel = -16 : i64}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  // expected-error@+1 {{'plan.buffer' op panel 16, wanted 0, or above 0 for a parameter that is a matrix of floats and nothing else}}
  plan.buffer @panel parameter tensor<16xf32> {panel = 16 : i64}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  // expected-error@+1 {{'plan.buffer' op ignoredIndex -100 without an indexLimit}}
  plan.buffer @limit input tensor<4xi32> {ignoredIndex = -100 : i64}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  // expected-error@+1 {{'plan.buffer' op offset 128, wanted a multiple of 256}}
  plan.buffer @offset scratch tensor<4xf32> {offset = 128 : i64}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  // expected-error@+1 {{'plan.buffer' op has firstStep alone, wanted both or neither}}
  plan.buffer @first scratch tensor<4xf32> {firstStep = 0 : i64}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  // expected-error@+1 {{'plan.buffer' op lives from step 3 to step 2, wanted 0 or more, in order, below 2^31}}
  plan.buffer @life scratch tensor<4xf32> {firstStep = 3 : i64, lastStep = 2 : i64}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  // expected-error@+1 {{'plan.buffer' op of role scratch has parts, wanted them on parameters, states and outputs alone}}
  plan.buffer @parts scratch tensor<4xf32> {parts = [#plan.part<"w", [4] at 0, normal, 1.0 : f64>]}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  // expected-error@+1 {{'plan.buffer' op part "w" has 4 elements at 1, wanted it inside the buffer's 4}}
  plan.buffer @inside parameter tensor<4xf32> {parts = [#plan.part<"w", [2, 2] at 1, normal, 1.0 : f64>]}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  // Their order in the list does not matter.
  // expected-error@+1 {{'plan.buffer' op parts "a" and "b" overlap, wanted them apart}}
  plan.buffer @overlap parameter tensor<4xf32> {parts = [#plan.part<"b", [2] at 1, normal, 1.0 : f64>,
                                                         #plan.part<"a", [2] at 0, normal, 1.0 : f64>]}
}

// -----

// expected-error@+1 {{part "w": shape [-1], wanted extents of 0 or more whose product fits in 64 bits}}
module attributes {part = #plan.part<"w", [-1] at 0, normal, 1.0 : f64>} {}

// -----

// expected-error@+1 {{part "w": element offset -4, wanted 0 or more}}
module attributes {part = #plan.part<"w", [4] at -4, normal, 1.0 : f64>} {}

// -----

// expected-error@+1 {{part "w": scale of type 'f32', wanted f64}}
module attributes {part = #plan.part<"w", [4] at 0, normal, 1.0 : f32>} {}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  // expected-error@+1 {{'plan.buffer' op of role input has data, wanted it on constants alone}}
  plan.buffer @role input tensor<2xf32> {data = dense<1.0> : tensor<2xf32>}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  // expected-error@+1 {{'plan.buffer' op data has type 'tensor<3xf32>', wanted 'tensor<2xf32>'}}
  plan.buffer @type constant tensor<2xf32> {data = dense<1.0> : tensor<3xf32>}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  // expected-error@+1 {{'plan.buffer' op data is not dense, wanted dense elements}}
  plan.buffer @dense constant tensor<2xf32> {data = sparse<[[0]], [1.0]> : tensor<2xf32>}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  // expected-error@+1 {{'plan.buffer' op has no elements, wanted no data}}
  plan.buffer @none constant tensor<0xf32> {data = dense<> : tensor<0xf32>}
}

// -----

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  // expected-error@+1 {{'plan.kernel' op language cuda, wanted that of the program's device, "cpu"}}
  plan.kernel @k cuda "sm_80" {source = "void k() {}", threads = 32 : i64}
}

// -----

plan.program @p attributes {model = "", device = "cuda", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  // expected-error@+1 {{'plan.kernel' op target is empty, wanted what the kernel was made for}}
  plan.kernel @k cuda "" {source = "void k() {}", threads = 32 : i64}
}

// -----

plan.program @p attributes {model = "", device = "cuda", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  // expected-error@+1 {{'plan.kernel' op binary is empty, wanted bytes or none given}}
  plan.kernel @k cuda "sm_80" {source = "void k() {}", binary = array<i8>, threads = 32 : i64}
}

// -----

plan.program @p attributes {model = "", device = "cuda", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  // expected-error@+1 {{'plan.kernel' op has neither source nor binary, wanted one of them}}
  plan.kernel @k cuda "sm_80" {source = "", threads = 32 : i64}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  // expected-error@+1 {{'plan.kernel' op has no binary, wanted an object}}
  plan.kernel @k cpu "x86-64-v3" {source = "text alone"}
}

// -----

plan.program @p attributes {model = "", device = "cuda", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  // expected-error@+1 {{'plan.kernel' op threads 0, wanted 1 to 1024}}
  plan.kernel @k cuda "sm_80" {source = "void k() {}"}
}

// -----

plan.program @p attributes {model = "", device = "cuda", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  // expected-error@+1 {{'plan.kernel' op sharedBytes -1, wanted 0 or more, below 2^31}}
  plan.kernel @k cuda "sm_80" {source = "void k() {}", threads = 32 : i64, sharedBytes = -1 : i64}
}

// -----

//===----------------------------------------------------------------------===//
// References and launches
//===----------------------------------------------------------------------===//

// expected-error@+1 {{reference at byte -4, wanted 0 or more}}
module attributes {ref = #plan.ref<@a + -4>} {}

// -----

// expected-error@+1 {{reference to no buffer at byte 4, wanted 0}}
module attributes {ref = #plan.ref<none + 4>} {}

// -----

plan.program @p attributes {model = "", device = "cuda", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  // expected-error@+1 {{'plan.launch' op kernel @missing is not in the program, wanted a kernel.func or a plan.kernel}}
  plan.launch @missing [] counts [] phase forward
}

// -----

plan.program @p attributes {model = "", device = "cuda", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a scratch tensor<4xf32>
  // expected-error@+1 {{'plan.launch' op kernel @a is a 'plan.buffer', wanted a kernel.func or a plan.kernel}}
  plan.launch @a [] counts [] phase forward
}

// -----

plan.program @p attributes {model = "", device = "cuda", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.kernel @k cuda "sm_80" {source = "void k() {}", threads = 32 : i64}
  // expected-error@+1 {{'plan.launch' op buffer 0 refers to @a, wanted a buffer of the program}}
  plan.launch @k [#plan.ref<@a>] counts [] phase forward
}

// -----

plan.program @p attributes {model = "", device = "cuda", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.kernel @k cuda "sm_80" {source = "void k() {}", threads = 32 : i64}
  // expected-error@+1 {{'plan.launch' op buffer 0 refers to @k, a 'plan.kernel', wanted a plan.buffer}}
  plan.launch @k [#plan.ref<@k>] counts [] phase forward
}

// -----

plan.program @p attributes {model = "", device = "cuda", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  // expected-note@+1 {{the buffer}}
  plan.buffer @a scratch tensor<4xf32>
  plan.kernel @k cuda "sm_80" {source = "void k() {}", threads = 32 : i64}
  // expected-error@+1 {{'plan.launch' op buffer 1 takes 0 bytes from byte 20 on, wanted them inside the 16 bytes of @a}}
  plan.launch @k [#plan.ref<@a + 16>, #plan.ref<@a + 20>] counts [] phase forward
}

// -----

plan.program @p attributes {model = "", device = "cuda", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.kernel @k cuda "sm_80" {source = "void k() {}", threads = 32 : i64}
  // expected-error@+1 {{'plan.launch' op grid has 2 extents, wanted 3}}
  plan.launch @k [] counts [] phase forward {grid = array<i64: 1, 1>}
}

// -----

plan.program @p attributes {model = "", device = "cuda", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.kernel @k cuda "sm_80" {source = "void k() {}", threads = 32 : i64}
  // expected-error@+1 {{'plan.launch' op grid extent 1 is 65536, wanted 1 to 65535}}
  plan.launch @k [] counts [] phase forward {grid = array<i64: 70000, 65536, 1>}
}

// -----

plan.program @p attributes {model = "", device = "cuda", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.kernel @k cuda "sm_90a" {source = "void k() {}", threads = 32 : i64}
  // expected-error@+1 {{'plan.launch' op tensor map 0 is of operand 0, wanted one of 0}}
  plan.launch @k [] counts [] phase forward {maps = [#plan.tensor_map<operand = 0, elementType = f32, extents = [4], strides = [], box = [4], swizzle = none>]}
}

// -----

plan.program @p attributes {model = "", device = "cuda", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a scratch tensor<4xi32>
  plan.kernel @k cuda "sm_90a" {source = "void k() {}", threads = 32 : i64}
  // expected-error@+1 {{'plan.launch' op tensor map 0 has elements 'i32', wanted f32, bf16 or f16}}
  plan.launch @k [#plan.ref<@a>] counts [] phase forward {maps = [#plan.tensor_map<operand = 0, elementType = i32, extents = [4], strides = [], box = [4], swizzle = none>]}
}

// -----

plan.program @p attributes {model = "", device = "cuda", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.kernel @k cuda "sm_90a" {source = "void k() {}", threads = 32 : i64}
  // expected-error@+1 {{'plan.launch' op attribute 'maps' failed to satisfy constraint: tensor maps}}
  plan.launch @k [] counts [] phase forward {maps = [1 : i64]}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.kernel @k cpu "x86-64-v3" {source = "", binary = array<i8: 1>}
  // expected-error@+1 {{'plan.launch' op items -1, wanted 0 or more}}
  plan.launch @k [] counts [] phase forward {items = -1 : i64}
}

// -----

plan.program @p attributes {model = "", device = "cuda", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a scratch tensor<4xf32>
  // expected-note@+1 {{the kernel}}
  kernel.func @k(%a: !kernel.buffer<f32>, %n: index) {
    kernel.rows () in () {
    }
  }
  // expected-error@+1 {{'plan.launch' op has 2 buffers and 0 counts, wanted 1 and 1 for @k}}
  plan.launch @k [#plan.ref<@a>, #plan.ref<@a>] counts [] phase forward
}

// -----

plan.program @p attributes {model = "", device = "cuda", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a scratch tensor<4xbf16>
  kernel.func @k(%a: !kernel.buffer<f32>) {
    kernel.rows () in () {
    }
  }
  // expected-error@+1 {{'plan.launch' op buffer 0 has elements 'f32', wanted those of @a, 'bf16'}}
  plan.launch @k [#plan.ref<@a>] counts [] phase forward
}

// -----

plan.program @p attributes {model = "", device = "cuda", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a scratch tensor<4xf32>
  kernel.func @k(%a: !kernel.buffer<f32>) {
    kernel.rows () in () {
    }
  }
  // expected-error@+1 {{'plan.launch' op buffer 0 starts at byte 6, wanted a multiple of 4}}
  plan.launch @k [#plan.ref<@a + 6>] counts [] phase forward
}

// -----

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a scratch tensor<4x4xf32>
  plan.buffer @b scratch tensor<4x4xf32>
  plan.buffer @c scratch tensor<4x4xf32>
  plan.buffer @d scratch tensor<4x4xf32>
  // expected-error@+1 {{'plan.product' op sizes 0 x 4 x 4, wanted m and n above 0 and k not below}}
  plan.product 0 x 4 x 4 math f32 epilogue none phase forward {
    a = #plan.matrix<ref = <@a>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@b>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    d = #plan.matrix<ref = <@d>, elementType = f32, ld = 4, batchStride = 0, transposed = false>}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a scratch tensor<4x4xf32>
  plan.buffer @b scratch tensor<4x4xf32>
  plan.buffer @c scratch tensor<4x4xf32>
  plan.buffer @d scratch tensor<4x4xf32>
  // expected-error@+1 {{'plan.product' op batch 0, wanted at least 1}}
  plan.product 4 x 4 x 4 math f32 epilogue none phase forward {batch = 0 : i64,
    a = #plan.matrix<ref = <@a>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@b>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    d = #plan.matrix<ref = <@d>, elementType = f32, ld = 4, batchStride = 0, transposed = false>}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a scratch tensor<4x4xf32>
  plan.buffer @b scratch tensor<4x4xf32>
  plan.buffer @c scratch tensor<4x4xf32>
  plan.buffer @d scratch tensor<4x4xf32>
  // expected-error@+1 {{'plan.product' op a has elements 'i32', wanted f32, bf16 or f16}}
  plan.product 4 x 4 x 4 math f32 epilogue none phase forward {
    a = #plan.matrix<ref = <@a>, elementType = i32, ld = 4, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@b>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    d = #plan.matrix<ref = <@d>, elementType = f32, ld = 4, batchStride = 0, transposed = false>}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a scratch tensor<4x4xf32>
  plan.buffer @b scratch tensor<4x4xf32>
  plan.buffer @c scratch tensor<4x4xf32>
  plan.buffer @d scratch tensor<4x4xf32>
  // expected-error@+1 {{'plan.product' op b has ld 3, wanted at least 4}}
  plan.product 4 x 4 x 4 math f32 epilogue none phase forward {
    a = #plan.matrix<ref = <@a>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@b>, elementType = f32, ld = 3, batchStride = 0, transposed = false>,
    d = #plan.matrix<ref = <@d>, elementType = f32, ld = 4, batchStride = 0, transposed = false>}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a scratch tensor<4x4xf32>
  plan.buffer @b scratch tensor<4x4xf32>
  plan.buffer @c scratch tensor<4x4xf32>
  plan.buffer @d scratch tensor<4x4xf32>
  // Stored as it is read: four rows of two.
  // expected-error@+1 {{'plan.product' op a has ld 2, wanted at least 4}}
  plan.product 4 x 4 x 2 math f32 epilogue none phase forward {
    a = #plan.matrix<ref = <@a>, elementType = f32, ld = 2, batchStride = 0, transposed = true>,
    b = #plan.matrix<ref = <@b>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    d = #plan.matrix<ref = <@d>, elementType = f32, ld = 4, batchStride = 0, transposed = false>}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a scratch tensor<4x4xf32>
  plan.buffer @b scratch tensor<4x4xf32>
  plan.buffer @c scratch tensor<4x4xf32>
  plan.buffer @d scratch tensor<4x4xf32>
  // expected-error@+1 {{'plan.product' op a has batchStride -1, wanted 0 or more}}
  plan.product 4 x 4 x 4 math f32 epilogue none phase forward {
    a = #plan.matrix<ref = <@a>, elementType = f32, ld = 4, batchStride = -1, transposed = false>,
    b = #plan.matrix<ref = <@b>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    d = #plan.matrix<ref = <@d>, elementType = f32, ld = 4, batchStride = 0, transposed = false>}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a scratch tensor<4x4xf32>
  plan.buffer @b scratch tensor<4x4xf32>
  plan.buffer @c scratch tensor<4x4xf32>
  plan.buffer @d scratch tensor<4x4xf32>
  // Operands may be shared by the batches, results not.
  // expected-error@+1 {{'plan.product' op d has batchStride 0 for 2 matrices, wanted a place for each}}
  plan.product 2 x 4 x 4 math f32 epilogue none phase forward {batch = 2 : i64,
    a = #plan.matrix<ref = <@a>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@b>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    d = #plan.matrix<ref = <@d>, elementType = f32, ld = 4, batchStride = 0, transposed = false>}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a scratch tensor<4x4xf32>
  plan.buffer @b scratch tensor<4x4xf32>
  plan.buffer @c scratch tensor<4x4xf32>
  plan.buffer @d scratch tensor<4x4xf32>
  // expected-error@+1 {{'plan.product' op d is transposed, wanted it as it is}}
  plan.product 4 x 4 x 4 math f32 epilogue none phase forward {
    a = #plan.matrix<ref = <@a>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@b>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    d = #plan.matrix<ref = <@d>, elementType = f32, ld = 4, batchStride = 0, transposed = true>}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a scratch tensor<4x4xf32>
  plan.buffer @b scratch tensor<4x4xf32>
  plan.buffer @c scratch tensor<4x4xf32>
  plan.buffer @d scratch tensor<4x4xf32>
  // expected-error@+1 {{'plan.product' op c is transposed, wanted it as it is}}
  plan.product 4 x 4 x 4 math f32 epilogue none phase forward {
    a = #plan.matrix<ref = <@a>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@b>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    d = #plan.matrix<ref = <@d>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    c = #plan.matrix<ref = <@c>, elementType = f32, ld = 4, batchStride = 0, transposed = true>}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a scratch tensor<4x4xf32>
  plan.buffer @b scratch tensor<4x4xf32>
  plan.buffer @c scratch tensor<4x4xf32>
  plan.buffer @d scratch tensor<4x4xf32>
  // expected-error@+1 {{'plan.product' op a and b have elements 'bf16' and 'bf16', wanted both f32 for math tf32}}
  plan.product 4 x 4 x 4 math tf32 epilogue none phase forward {
    a = #plan.matrix<ref = <@a>, elementType = bf16, ld = 4, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@b>, elementType = bf16, ld = 4, batchStride = 0, transposed = false>,
    d = #plan.matrix<ref = <@d>, elementType = f32, ld = 4, batchStride = 0, transposed = false>}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a scratch tensor<4x4xf32>
  plan.buffer @b scratch tensor<4x4xf32>
  plan.buffer @c scratch tensor<4x4xf32>
  plan.buffer @d scratch tensor<4x4xf32>
  // expected-error@+1 {{'plan.product' op a and b have elements 'f32' and 'f32', wanted both bf16 or both f16 for math low}}
  plan.product 4 x 4 x 4 math low epilogue none phase forward {
    a = #plan.matrix<ref = <@a>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@b>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    d = #plan.matrix<ref = <@d>, elementType = f32, ld = 4, batchStride = 0, transposed = false>}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a scratch tensor<4x4xf32>
  plan.buffer @b scratch tensor<4x4xf32>
  plan.buffer @c scratch tensor<4x4xf32>
  plan.buffer @d scratch tensor<4x4xf32>
  // expected-error@+1 {{'plan.product' op a and b have elements 'bf16' and 'f16', wanted both bf16 or both f16 for math low}}
  plan.product 4 x 4 x 4 math low epilogue none phase forward {
    a = #plan.matrix<ref = <@a>, elementType = bf16, ld = 4, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@b>, elementType = f16, ld = 4, batchStride = 0, transposed = false>,
    d = #plan.matrix<ref = <@d>, elementType = f32, ld = 4, batchStride = 0, transposed = false>}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a scratch tensor<4x4xf32>
  plan.buffer @b scratch tensor<4x4xf32>
  plan.buffer @c scratch tensor<4x4xf32>
  plan.buffer @d scratch tensor<4x4xf32>
  // expected-error@+1 {{'plan.product' op beta is 1.000000e+00 : f64 without c, wanted 0 or c}}
  plan.product 4 x 4 x 4 math f32 epilogue none phase forward {beta = 1.0 : f64,
    a = #plan.matrix<ref = <@a>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@b>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    d = #plan.matrix<ref = <@d>, elementType = f32, ld = 4, batchStride = 0, transposed = false>}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a scratch tensor<4x4xf32>
  plan.buffer @b scratch tensor<4x4xf32>
  plan.buffer @c scratch tensor<4x4xf32>
  plan.buffer @d scratch tensor<4x4xf32>
  // expected-error@+1 {{'plan.product' op epilogue bias_relu without a bias, wanted one}}
  plan.product 4 x 4 x 4 math f32 epilogue bias_relu phase forward {
    a = #plan.matrix<ref = <@a>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@b>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    d = #plan.matrix<ref = <@d>, elementType = f32, ld = 4, batchStride = 0, transposed = false>}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a scratch tensor<4x4xf32>
  plan.buffer @b scratch tensor<4x4xf32>
  plan.buffer @c scratch tensor<4x4xf32>
  plan.buffer @d scratch tensor<4x4xf32>
  // expected-error@+1 {{'plan.product' op epilogue gelu_tanh with a bias, wanted none}}
  plan.product 4 x 4 x 4 math f32 epilogue gelu_tanh phase forward {
    a = #plan.matrix<ref = <@a>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@b>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    d = #plan.matrix<ref = <@d>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    bias = #plan.ref<@c>,
    biasType = f32}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a scratch tensor<4x4xf32>
  plan.buffer @b scratch tensor<4x4xf32>
  plan.buffer @c scratch tensor<4x4xf32>
  plan.buffer @d scratch tensor<4x4xf32>
  // expected-error@+1 {{'plan.product' op has a bias alone, wanted both or neither}}
  plan.product 4 x 4 x 4 math f32 epilogue bias phase forward {
    a = #plan.matrix<ref = <@a>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@b>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    d = #plan.matrix<ref = <@d>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    bias = #plan.ref<@c>}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a scratch tensor<4x4xf32>
  plan.buffer @b scratch tensor<4x4xf32>
  plan.buffer @c scratch tensor<4x4xf32>
  plan.buffer @d scratch tensor<4x4xf32>
  // expected-error@+1 {{'plan.product' op has a biasType alone, wanted both or neither}}
  plan.product 4 x 4 x 4 math f32 epilogue none phase forward {
    a = #plan.matrix<ref = <@a>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@b>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    d = #plan.matrix<ref = <@d>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    biasType = f32}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a scratch tensor<4x4xf32>
  plan.buffer @b scratch tensor<4x4xf32>
  plan.buffer @c scratch tensor<4x4xf32>
  plan.buffer @d scratch tensor<4x4xf32>
  // expected-error@+1 {{'plan.product' op bias has elements 'i32', wanted f32, bf16 or f16}}
  plan.product 4 x 4 x 4 math f32 epilogue bias phase forward {
    a = #plan.matrix<ref = <@a>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@b>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    d = #plan.matrix<ref = <@d>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    bias = #plan.ref<@c>,
    biasType = i32}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a scratch tensor<4x4xf32>
  plan.buffer @b scratch tensor<4x4xf32>
  plan.buffer @c scratch tensor<4x4xf32>
  plan.buffer @d scratch tensor<4x4xf32>
  // expected-error@+1 {{'plan.product' op algorithm is empty, wanted bytes or none given}}
  plan.product 4 x 4 x 4 math f32 epilogue none phase forward {
    a = #plan.matrix<ref = <@a>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@b>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    d = #plan.matrix<ref = <@d>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    algorithm = array<i8>}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  // expected-note@+1 {{the buffer}}
  plan.buffer @a scratch tensor<4x4xf32>
  plan.buffer @b scratch tensor<4x4xf32>
  plan.buffer @c scratch tensor<4x4xf32>
  plan.buffer @d scratch tensor<4x4xf32>
  // expected-error@+1 {{'plan.product' op a takes 64 bytes from byte 4 on, wanted them inside the 64 bytes of @a}}
  plan.product 4 x 4 x 4 math f32 epilogue none phase forward {
    a = #plan.matrix<ref = <@a + 4>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@b>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    d = #plan.matrix<ref = <@d>, elementType = f32, ld = 4, batchStride = 0, transposed = false>}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a scratch tensor<4x4xf32>
  // expected-note@+1 {{the buffer}}
  plan.buffer @b scratch tensor<4x4xf32>
  plan.buffer @c scratch tensor<4x4xf32>
  plan.buffer @d scratch tensor<4x4xf32>
  // The last row ends before its ld does.
  // expected-error@+1 {{'plan.product' op b takes 76 bytes from byte 0 on, wanted them inside the 64 bytes of @b}}
  plan.product 4 x 4 x 4 math f32 epilogue none phase forward {
    a = #plan.matrix<ref = <@a>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@b>, elementType = f32, ld = 5, batchStride = 0, transposed = false>,
    d = #plan.matrix<ref = <@d>, elementType = f32, ld = 4, batchStride = 0, transposed = false>}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a scratch tensor<4x4xf32>
  plan.buffer @b scratch tensor<4x4xf32>
  // expected-note@+1 {{the buffer}}
  plan.buffer @c scratch tensor<4x4xf32>
  plan.buffer @d scratch tensor<4x4xf32>
  // expected-error@+1 {{'plan.product' op c takes 72 bytes from byte 0 on, wanted them inside the 64 bytes of @c}}
  plan.product 2 x 4 x 4 math f32 epilogue none phase forward {batch = 2 : i64,
    a = #plan.matrix<ref = <@a>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@b>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    d = #plan.matrix<ref = <@d>, elementType = f32, ld = 4, batchStride = 8, transposed = false>,
    c = #plan.matrix<ref = <@c>, elementType = f32, ld = 4, batchStride = 10, transposed = false>}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a scratch tensor<4x4xf32>
  plan.buffer @b scratch tensor<4x4xf32>
  plan.buffer @c scratch tensor<4x4xf32>
  // expected-note@+1 {{the buffer}}
  plan.buffer @d scratch tensor<4x4xf32>
  // expected-error@+1 {{'plan.product' op d takes 9223372036854775807 bytes from byte 0 on, wanted them inside the 64 bytes of @d}}
  plan.product 2 x 4 x 4 math f32 epilogue none phase forward {batch = 4611686018427387904 : i64,
    a = #plan.matrix<ref = <@a>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@b>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    d = #plan.matrix<ref = <@d>, elementType = f32, ld = 4, batchStride = 4611686018427387904, transposed = false>}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a scratch tensor<4x4xf32>
  plan.buffer @b scratch tensor<4x4xf32>
  // expected-note@+1 {{the buffer}}
  plan.buffer @c scratch tensor<4x4xf32>
  plan.buffer @d scratch tensor<4x4xf32>
  // expected-error@+1 {{'plan.product' op bias takes 16 bytes from byte 52 on, wanted them inside the 64 bytes of @c}}
  plan.product 4 x 4 x 4 math f32 epilogue bias phase forward {
    a = #plan.matrix<ref = <@a>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@b>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    d = #plan.matrix<ref = <@d>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    bias = #plan.ref<@c + 52>,
    biasType = f32}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a scratch tensor<4x4xf32>
  plan.buffer @b scratch tensor<4x4xf32>
  plan.buffer @c scratch tensor<4x4xf32>
  plan.buffer @d scratch tensor<4x4xf32>
  // expected-error@+1 {{'plan.product' op bias has elements 'bf16', wanted those of @c, 'f32'}}
  plan.product 4 x 4 x 4 math f32 epilogue bias phase forward {
    a = #plan.matrix<ref = <@a>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@b>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    d = #plan.matrix<ref = <@d>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    bias = #plan.ref<@c>,
    biasType = bf16}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a scratch tensor<4x4xf16>
  plan.buffer @b scratch tensor<4x4xbf16>
  plan.buffer @c scratch tensor<4x4xbf16>
  plan.buffer @d scratch tensor<4x4xbf16>
  // expected-error@+1 {{'plan.product' op b has elements 'f16', wanted those of @b, 'bf16'}}
  plan.product 4 x 4 x 4 math low epilogue none phase forward {
    a = #plan.matrix<ref = <@a>, elementType = f16, ld = 4, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@b>, elementType = f16, ld = 4, batchStride = 0, transposed = false>,
    d = #plan.matrix<ref = <@d>, elementType = bf16, ld = 4, batchStride = 0, transposed = false>}
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a scratch tensor<4x4xf32>
  plan.buffer @b scratch tensor<4x4xf32>
  plan.buffer @c scratch tensor<4x4xf32>
  plan.buffer @d scratch tensor<4x4xf32>
  // expected-error@+1 {{'plan.product' op a refers to none, wanted a buffer}}
  plan.product 4 x 4 x 4 math f32 epilogue none phase forward {
    a = #plan.matrix<ref = <none>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@b>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    d = #plan.matrix<ref = <@d>, elementType = f32, ld = 4, batchStride = 0, transposed = false>}
}

// -----

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a scratch tensor<4x4xf32>
  plan.buffer @b scratch tensor<4x4xf32>
  // expected-error@+1 {{'plan.copy' op bytes -1, wanted 0 or more}}
  plan.copy <@a> to <@b> bytes -1 phase forward
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a scratch tensor<4x4xf32>
  plan.buffer @b scratch tensor<4x4xf32>
  // expected-error@+1 {{'plan.copy' op of 16 bytes inside @a from byte 0 to byte 12, wanted ranges that do not overlap}}
  plan.copy <@a> to <@a + 12> bytes 16 phase forward
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  // expected-note@+1 {{the buffer}}
  plan.buffer @a scratch tensor<4x4xf32>
  plan.buffer @b scratch tensor<4x4xf32>
  // expected-error@+1 {{'plan.copy' op source takes 65 bytes from byte 0 on, wanted them inside the 64 bytes of @a}}
  plan.copy <@a> to <@b> bytes 65 phase forward
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a scratch tensor<4x4xf32>
  // expected-note@+1 {{the buffer}}
  plan.buffer @b scratch tensor<4x4xf32>
  // expected-error@+1 {{'plan.copy' op destination takes 16 bytes from byte 60 on, wanted them inside the 64 bytes of @b}}
  plan.copy <@a> to <@b + 60> bytes 16 phase forward
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a scratch tensor<4x4xf32>
  plan.buffer @b scratch tensor<4x4xf32>
  // expected-error@+1 {{'plan.copy' op destination refers to none, wanted a buffer}}
  plan.copy <@a> to <none> bytes 16 phase forward
}

// -----

plan.program @p attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a scratch tensor<4x4xf32>
  plan.buffer @b scratch tensor<4x5xf32>
  plan.buffer @d scratch tensor<4x4xf32>
  // expected-error@+1 {{'plan.product' op epilogue silu_mul with 5 columns, wanted an even number and no c}}
  plan.product 4 x 5 x 4 math f32 epilogue silu_mul phase forward {
    a = #plan.matrix<ref = <@a>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
    b = #plan.matrix<ref = <@b>, elementType = f32, ld = 5, batchStride = 0, transposed = false>,
    d = #plan.matrix<ref = <@d>, elementType = f32, ld = 4, batchStride = 0, transposed = false>}
}

// -----

plan.program @no_instances attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a input tensor<4xf32>
  plan.kernel @k cpu "x86-64-v3" {source = "", binary = array<i8: 1>}
  // expected-error@+1 {{'plan.launch' op instances 0, wanted at least 1}}
  plan.launch @k [] counts [] phase forward {instances = 0 : i64}
}

// -----

plan.program @uneven_instances attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a input tensor<4xf32>
  plan.kernel @k cpu "x86-64-v3" {source = "", binary = array<i8: 1>}
  // expected-error@+1 {{'plan.launch' op has 2 buffers and 1 counts, wanted as many for each of 2 instances}}
  plan.launch @k [#plan.ref<@a>, #plan.ref<@a>] counts [1] phase forward {instances = 2 : i64}
}

// -----

plan.program @instances_with_maps attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a input tensor<4xf32>
  plan.kernel @k cpu "x86-64-v3" {source = "", binary = array<i8: 1>}
  // expected-error@+1 {{'plan.launch' op of 2 instances has tensor maps, wanted none}}
  plan.launch @k [#plan.ref<@a>, #plan.ref<@a>] counts [] phase forward {instances = 2 : i64, maps = []}
}

// -----

plan.program @no_shares attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a input tensor<4xf32>
  plan.kernel @k cpu "x86-64-v3" {source = "", binary = array<i8: 1>}
  // expected-error@+1 {{'plan.launch' op of 2 instances has no shares, wanted them with items}}
  plan.launch @k [#plan.ref<@a>, #plan.ref<@a>] counts [] phase forward {instances = 2 : i64, items = 2 : i64}
}

// -----

plan.program @number_of_shares attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a input tensor<4xf32>
  plan.kernel @k cpu "x86-64-v3" {source = "", binary = array<i8: 1>}
  // expected-error@+1 {{'plan.launch' op has 1 shares, wanted one for each of 2 instances}}
  plan.launch @k [#plan.ref<@a>, #plan.ref<@a>] counts [] phase forward {instances = 2 : i64, items = 2 : i64, shares = array<i64: 2>}
}

// -----

plan.program @negative_share attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a input tensor<4xf32>
  plan.kernel @k cpu "x86-64-v3" {source = "", binary = array<i8: 1>}
  // expected-error@+1 {{'plan.launch' op has a share of -1, wanted 0 or more that fit in 64 bits}}
  plan.launch @k [#plan.ref<@a>, #plan.ref<@a>] counts [] phase forward {instances = 2 : i64, items = 2 : i64, shares = array<i64: 3, -1>}
}

// -----

plan.program @sum_of_shares attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a input tensor<4xf32>
  plan.kernel @k cpu "x86-64-v3" {source = "", binary = array<i8: 1>}
  // expected-error@+1 {{'plan.launch' op has shares of 3 together, wanted a grid of so many along x}}
  plan.launch @k [#plan.ref<@a>, #plan.ref<@a>] counts [] phase forward {instances = 2 : i64, grid = array<i64: 4, 1, 1>, shares = array<i64: 2, 1>}
}

// -----

plan.program @not_batched attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a input tensor<4xf32>
  // expected-note@+1 {{the kernel}}
  kernel.func @k(%x: !kernel.buffer<f32>) {
    %n = arith.constant 4 : index
    kernel.rows () in () {
    }
  }
  // expected-error@+1 {{'plan.launch' op has 2 instances, wanted one for @k, which is not batched}}
  plan.launch @k [#plan.ref<@a>, #plan.ref<@a>] counts [] phase forward {instances = 2 : i64}
}

// -----

plan.program @instances_of_kernel attributes {model = "", device = "cpu", target = "", pipeline = "", mode = "", precision = "", symbols = {}} {
  plan.buffer @a input tensor<4xf32>
  // expected-note@+1 {{the kernel}}
  kernel.func @k(%x: !kernel.buffer<f32>) attributes {batched} {
    %n = arith.constant 4 : index
    kernel.rows () in () {
    }
  }
  // expected-error@+1 {{'plan.launch' op has 4 buffers and 2 counts, wanted 2 and 0 for @k}}
  plan.launch @k [#plan.ref<@a>, #plan.ref<@a>, #plan.ref<@a>, #plan.ref<@a>] counts [1, 1] phase forward {instances = 2 : i64}
}
