// Each function is named after the constraint that it breaks.
// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @parameter_no_parts() {
  // expected-error@below {{wants at least one part}}
  %w = graph.parameter [] : tensor<4xf32>
  return
}

// -----

func.func @parameter_rank_0() {
  // expected-error@below {{wants a result of rank at least 1}}
  %w = graph.parameter [#graph.part<"w", [1], normal, 0.02>] : tensor<f32>
  return
}

// -----

func.func @parameter_rows() {
  // expected-error@below {{the parts have 4 rows, the result has 5}}
  %w = graph.parameter [#graph.part<"w", [4, 2], normal, 0.02>] : tensor<5x2xf32>
  return
}

// -----

func.func @parameter_part_shape() {
  // expected-error@below {{part "w" has shape [4, 3], wanted [*, 2]}}
  %w = graph.parameter [#graph.part<"w", [4, 3], normal, 0.02>] : tensor<4x2xf32>
  return
}

// -----

func.func @parameter_part_rows() {
  // expected-error@below {{part "a" has -1 rows, wanted at least 1}}
  %w = graph.parameter [#graph.part<"a", [-1, 2], normal, 0.02>, #graph.part<"b", [5, 2], normal, 0.02>] : tensor<4x2xf32>
  return
}

// -----

func.func @parameter_scale() {
  // expected-error@below {{part "w" has scale -1.0}}
  %w = graph.parameter [#graph.part<"w", [4], normal, -1.0>] : tensor<4xf32>
  return
}

// -----

func.func @parameter_elements() {
  // expected-error@below {{result #0 must be tensor of static extents of at least 1, rank at most 6, at most 1e15 elements of f32, bf16 or f16}}
  %w = graph.parameter [#graph.part<"w", [4], normal, 0.02>] : tensor<4xi32>
  return
}

// -----

func.func @constant_resource() {
  // expected-error@below {{wants its elements dense, as numbers}}
  %c = graph.constant dense_resource<blob> : tensor<4xf32>
  return
}

// -----

func.func @iota_axis() {
  // expected-error@below {{axis 2 is not in a result of rank 2}}
  %i = graph.iota 2 : tensor<4x2xi32>
  return
}

// -----

func.func @elements_f64(%x: tensor<4xf64>) {
  // expected-error@below {{operand #0 must be tensor of static extents}}
  %y = graph.neg %x : tensor<4xf64>
  return
}

// -----

func.func @extent_0(%x: tensor<0xf32>) {
  // expected-error@below {{operand #0 must be tensor of static extents of at least 1}}
  %y = graph.neg %x : tensor<0xf32>
  return
}

// -----

func.func @extent_dynamic(%x: tensor<?xf32>) {
  // expected-error@below {{operand #0 must be tensor of static extents of at least 1}}
  %y = graph.neg %x : tensor<?xf32>
  return
}

// -----

func.func @too_many_elements(%x: tensor<100000000x100000000xf32>) {
  // expected-error@below {{operand #0 must be tensor of static extents of at least 1}}
  %y = graph.neg %x : tensor<100000000x100000000xf32>
  return
}

// -----

func.func @rank_7(%x: tensor<1x1x1x1x1x1x1xf32>) {
  // expected-error@below {{rank at most 6}}
  %y = graph.neg %x : tensor<1x1x1x1x1x1x1xf32>
  return
}

// -----

func.func @exp_of_integers(%x: tensor<4xi32>) {
  // expected-error-re@below {{operand #0 must be tensor {{.*}} elements of f32, bf16 or f16}}
  %y = graph.exp %x : tensor<4xi32>
  return
}

// -----

func.func @not_of_numbers(%x: tensor<4xf32>) {
  // expected-error-re@below {{operand #0 must be tensor {{.*}} elements of i1}}
  %y = graph.not %x : tensor<4xf32>
  return
}

// -----

func.func @add_types(%x: tensor<4xf32>, %z: tensor<4xbf16>) {
  // expected-error@below {{requires the same type for all operands and results}}
  %y = "graph.add"(%x, %z) : (tensor<4xf32>, tensor<4xbf16>) -> tensor<4xf32>
  return
}

// -----

func.func @compare_types(%x: tensor<4xf32>, %z: tensor<4xi32>) {
  // expected-error@below {{requires all operands to have the same type}}
  %y = "graph.compare"(%x, %z) <{predicate = #graph<predicate lt>}> : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xi1>
  return
}

// -----

func.func @select_shape(%c: tensor<3xi1>, %x: tensor<4xf32>) {
  // expected-error@below {{requires the same shape for all operands and results}}
  %y = graph.select %c, %x, %x : tensor<3xi1>, tensor<4xf32>
  return
}

// -----

func.func @kept_operand(%x: tensor<4xf32>) {
  // expected-error@below {{is kept, wanted the result of graph.parameter as its operand}}
  %y = graph.cast %x kept : tensor<4xf32> -> tensor<4xbf16>
  return
}

// -----

func.func @kept_implicit() {
  %w = graph.parameter [#graph.part<"w", [4], normal, 0.02>] : tensor<4xf32>
  // expected-error@below {{is kept, wanted it not implicit, and from one floating type to another}}
  %y = graph.cast %w implicit kept : tensor<4xf32> -> tensor<4xbf16>
  return
}

// -----

func.func @kept_integer() {
  %w = graph.parameter [#graph.part<"w", [4], normal, 0.02>] : tensor<4xf32>
  // expected-error@below {{is kept, wanted it not implicit, and from one floating type to another}}
  %y = graph.cast %w kept : tensor<4xf32> -> tensor<4xi32>
  return
}

// -----

func.func @assign_cast() {
  %w = graph.parameter [#graph.part<"w", [4], normal, 0.02>] : tensor<4xf32>
  %y = graph.cast %w : tensor<4xf32> -> tensor<4xbf16>
  // expected-error@below {{wants the result of graph.parameter, graph.state or a kept graph.cast as what is assigned to}}
  graph.assign %y, %y : tensor<4xbf16>
  return
}

// -----

func.func @cast_shape(%x: tensor<4xf32>) {
  // expected-error@below {{requires the same shape for all operands and results}}
  %y = graph.cast %x : tensor<4xf32> -> tensor<5xbf16>
  return
}

// -----

func.func @reshape_elements(%x: tensor<4x6xf32>) {
  // expected-error@below {{operand has 24 elements, result 25}}
  %y = graph.reshape %x : tensor<4x6xf32> -> tensor<5x5xf32>
  return
}

// -----

func.func @transpose_rank(%x: tensor<4x6xf32>) {
  // expected-error@below {{operand of rank 2, result of rank 2 and a permutation of 1 dimensions do not agree}}
  %y = graph.transpose %x [0] : tensor<4x6xf32> -> tensor<6x4xf32>
  return
}

// -----

func.func @transpose_permutation(%x: tensor<4x6xf32>) {
  // expected-error@below {{is no permutation}}
  %y = graph.transpose %x [1, 1] : tensor<4x6xf32> -> tensor<6x6xf32>
  return
}

// -----

func.func @transpose_extent(%x: tensor<4x6xf32>) {
  // expected-error@below {{result dimension 0 has extent 4, wanted 6}}
  %y = graph.transpose %x [1, 0] : tensor<4x6xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @slice_rank(%x: tensor<4x6xf32>) {
  // expected-error@below {{operand of rank 2 wants a result, offsets and strides of that rank, found 2, 1 and 2}}
  %y = graph.slice %x offsets [0] strides [1, 1] : tensor<4x6xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @slice_bounds(%x: tensor<4x6xf32>) {
  // expected-error@below {{dimension 1: offset 1, stride 2 and extent 4 leave the operand's extent 6}}
  %y = graph.slice %x offsets [0, 1] strides [1, 2] : tensor<4x6xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @slice_stride(%x: tensor<6xf32>) {
  // expected-error@below {{dimension 0: offset 0, stride 0 and extent 6 leave the operand's extent 6}}
  %y = graph.slice %x offsets [0] strides [0] : tensor<6xf32> -> tensor<6xf32>
  return
}

// -----

func.func @slice_overflow(%x: tensor<6xf32>) {
  // expected-error@below {{dimension 0: offset 0, stride 9223372036854775807 and extent 3 leave the operand's extent 6}}
  %y = graph.slice %x offsets [0] strides [9223372036854775807] : tensor<6xf32> -> tensor<3xf32>
  return
}

// -----

func.func @broadcast_rank(%x: tensor<6xf32>) {
  // expected-error@below {{operand has rank 1, result 2}}
  %y = graph.broadcast %x : tensor<6xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @broadcast_extent(%x: tensor<2x6xf32>) {
  // expected-error@below {{dimension 0 of the operand has extent 2, wanted 1 or 4}}
  %y = graph.broadcast %x : tensor<2x6xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @concat_nothing() {
  // expected-error@below {{wants at least one operand}}
  %y = "graph.concat"() <{axis = 0 : i64}> : () -> tensor<4xf32>
  return
}

// -----

func.func @concat_axis(%x: tensor<4xf32>) {
  // expected-error@below {{axis 1 is not in a result of rank 1}}
  %y = graph.concat %x, %x axis 1 : tensor<4xf32>, tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

func.func @concat_elements(%x: tensor<4xf32>, %z: tensor<4xbf16>) {
  // expected-error@below {{operand 1 has elements 'bf16', result 'f32'}}
  %y = graph.concat %x, %z axis 0 : tensor<4xf32>, tensor<4xbf16> -> tensor<8xf32>
  return
}

// -----

func.func @concat_rank(%x: tensor<4xf32>, %z: tensor<4x1xf32>) {
  // expected-error@below {{operand 1 has rank 2, result 1}}
  %y = graph.concat %x, %z axis 0 : tensor<4xf32>, tensor<4x1xf32> -> tensor<8xf32>
  return
}

// -----

func.func @concat_extent(%x: tensor<4x2xf32>, %z: tensor<4x3xf32>) {
  // expected-error@below {{operand 1, dimension 1 has extent 3, wanted 2}}
  %y = graph.concat %x, %z axis 0 : tensor<4x2xf32>, tensor<4x3xf32> -> tensor<8x2xf32>
  return
}

// -----

func.func @concat_sum(%x: tensor<4xf32>) {
  // expected-error@below {{the operands have extent 8 along axis 0, the result has 9}}
  %y = graph.concat %x, %x axis 0 : tensor<4xf32>, tensor<4xf32> -> tensor<9xf32>
  return
}

// -----

func.func @reduce_rank(%x: tensor<4x6xf32>) {
  // expected-error@below {{operand has rank 2, result 1}}
  %y = graph.reduce sum %x axes [1] : tensor<4x6xf32> -> tensor<4xf32>
  return
}

// -----

func.func @reduce_no_axis(%x: tensor<4x6xf32>) {
  // expected-error@below {{wants at least one axis}}
  %y = graph.reduce sum %x axes [] : tensor<4x6xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @reduce_axes(%x: tensor<4x6xf32>) {
  // expected-error@below {{axes [1, 1] are not distinct dimensions of a tensor of rank 2}}
  %y = graph.reduce sum %x axes [1, 1] : tensor<4x6xf32> -> tensor<4x1xf32>
  return
}

// -----

func.func @reduce_extent(%x: tensor<4x6xf32>) {
  // expected-error@below {{result dimension 1 has extent 6, wanted 1}}
  %y = graph.reduce sum %x axes [1] : tensor<4x6xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @matmul_rank(%x: tensor<6xf32>, %z: tensor<6x4xf32>) {
  // expected-error@below {{wants operands of rank at least 2, found 1 and 2}}
  %y = graph.matmul %x, %z : tensor<6xf32>, tensor<6x4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @matmul_inner(%x: tensor<4x6xf32>, %z: tensor<5x4xf32>) {
  // expected-error@below {{lhs [4, 6] and rhs [5, 4] do not agree: wanted 6 rows in rhs, found 5}}
  %y = graph.matmul %x, %z : tensor<4x6xf32>, tensor<5x4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @matmul_leading(%x: tensor<2x4x6xf32>, %z: tensor<3x6x4xf32>) {
  // expected-error@below {{have other leading dimensions}}
  %y = graph.matmul %x, %z : tensor<2x4x6xf32>, tensor<3x6x4xf32> -> tensor<2x4x4xf32>
  return
}

// -----

func.func @matmul_result(%x: tensor<4x6xf32>, %z: tensor<6x4xf32>) {
  // expected-error@below {{result has shape [4, 5], wanted [4, 4]}}
  %y = graph.matmul %x, %z : tensor<4x6xf32>, tensor<6x4xf32> -> tensor<4x5xf32>
  return
}

// -----

func.func @matmul_elements(%x: tensor<4x6xbf16>, %z: tensor<6x4xbf16>) {
  // expected-error@below {{result elements are 'f16', wanted 'bf16' or f32}}
  %y = graph.matmul %x, %z : tensor<4x6xbf16>, tensor<6x4xbf16> -> tensor<4x4xf16>
  return
}

// -----

func.func @softmax_rank(%x: tensor<f32>) {
  // expected-error@below {{wants an operand of rank at least 1}}
  %y = graph.softmax %x : tensor<f32>
  return
}

// -----

func.func @layer_norm_weight(%x: tensor<4x6xf32>, %w: tensor<5xf32>) {
  // expected-error@below {{weight has shape [5], wanted [6]}}
  %y = graph.layer_norm %x, %w epsilon 1.0e-5 : tensor<4x6xf32>, tensor<5xf32>
  return
}

// -----

func.func @layer_norm_bias(%x: tensor<4x6xf32>, %w: tensor<6xf32>, %b: tensor<1x6xf32>) {
  // expected-error@below {{bias has shape [1, 6], wanted [6]}}
  %y = graph.layer_norm %x, %w, %b epsilon 1.0e-5 : tensor<4x6xf32>, tensor<6xf32>, tensor<1x6xf32>
  return
}

// -----

func.func @rms_norm_rank(%x: tensor<f32>, %w: tensor<1xf32>) {
  // expected-error@below {{wants an operand of rank at least 1}}
  %y = graph.rms_norm %x, %w epsilon 1.0e-5 : tensor<f32>, tensor<1xf32>
  return
}

// -----

func.func @rms_norm_weight(%x: tensor<4x6xf32>, %w: tensor<5xf32>) {
  // expected-error@below {{weight has shape [5], wanted [6]}}
  %y = graph.rms_norm %x, %w epsilon 1.0e-5 : tensor<4x6xf32>, tensor<5xf32>
  return
}

// -----

func.func @embedding_table(%t: tensor<5xf32>, %i: tensor<2xi32>) {
  // expected-error@below {{table has rank 1, wanted 2}}
  %y = graph.embedding %t, %i : tensor<5xf32>, tensor<2xi32> -> tensor<2xf32>
  return
}

// -----

func.func @embedding_result(%t: tensor<5x6xf32>, %i: tensor<2xi32>) {
  // expected-error@below {{result has shape [2, 5], wanted [2, 6]}}
  %y = graph.embedding %t, %i : tensor<5x6xf32>, tensor<2xi32> -> tensor<2x5xf32>
  return
}

// -----

func.func @attention_statistics(%q: tensor<2x4x6x8xf32>) {
  // expected-error@+1 {{statistics has shape [2, 2, 4, 8], wanted [2, 2, 4, 6]}}
  %0, %l = graph.attention %q, %q, %q scale 1.0 : tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>, tensor<2x2x4x8xf32>
}

// -----

func.func @attention_statistics_type(%q: tensor<2x4x6x8xf32>) {
  // expected-error@+1 {{statistics elements are 'bf16', wanted f32}}
  %0, %l = graph.attention %q, %q, %q scale 1.0 : tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>, tensor<2x2x4x6xbf16>
}

// -----

func.func @attention_grad_gradient(%q: tensor<2x4x6x8xf32>, %l: tensor<2x2x4x6xf32>, %d: tensor<2x4x6xf32>, %g: tensor<2x4x6x7xf32>) {
  // expected-error@+1 {{gradient has shape [2, 4, 6, 7], wanted [2, 4, 6, 8]}}
  %0:3 = graph.attention_grad %q, %q, %q, %g, %l, %d scale 1.0 : tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x7xf32>, tensor<2x2x4x6xf32>, tensor<2x4x6xf32>
}

// -----

func.func @attention_grad_statistics(%q: tensor<2x4x6x8xf32>, %l: tensor<2x4x6xf32>, %g: tensor<2x4x6x1xf32>) {
  // expected-error@+1 {{statistics has shape [2, 4, 6, 1], wanted [2, 2, 4, 6]}}
  %0:3 = graph.attention_grad %q, %q, %q, %q, %g, %l scale 1.0 : tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x1xf32>, tensor<2x4x6xf32>
}

// -----

func.func @attention_grad_delta(%q: tensor<2x4x6x8xf32>, %l: tensor<2x2x4x6xf32>, %g: tensor<2x4x6xbf16>) {
  // expected-error@+1 {{delta elements are 'bf16', wanted f32}}
  %0:3 = graph.attention_grad %q, %q, %q, %q, %l, %g scale 1.0 : tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x2x4x6xf32>, tensor<2x4x6xbf16>
}

// -----

func.func @attention_grad_no_bias(%q: tensor<2x4x6x8xf32>, %l: tensor<2x2x4x6xf32>, %d: tensor<2x4x6xf32>) {
  // expected-error@+1 {{gives the gradient of a bias and has none}}
  %0:4 = graph.attention_grad %q, %q, %q, %q, %l, %d scale 1.0 : tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x2x4x6xf32>, tensor<2x4x6xf32> -> tensor<2x4x6x6xf32>
}

// -----

func.func @attention_grad_bias(%q: tensor<2x4x6x8xf32>, %l: tensor<2x2x4x6xf32>, %d: tensor<2x4x6xf32>, %b: tensor<1x4x1x6xf32>) {
  // expected-error@+1 {{dbias has shape [2, 4, 6, 6], wanted [1, 4, 6, 6]}}
  %0:4 = graph.attention_grad %q, %q, %q, %q, %l, %d bias %b : tensor<1x4x1x6xf32> scale 1.0 : tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x2x4x6xf32>, tensor<2x4x6xf32> -> tensor<2x4x6x6xf32>
}

// -----

func.func @attention_rank(%q: tensor<4x6x8xf32>) {
  // expected-error@below {{wants query, key and value of rank 4, found 3, 3 and 3}}
  %y = graph.attention %q, %q, %q scale 1.0 : tensor<4x6x8xf32>, tensor<4x6x8xf32>, tensor<4x6x8xf32> -> tensor<4x6x8xf32>
  return
}

// -----

func.func @attention_key(%q: tensor<2x4x6x8xf32>, %k: tensor<2x4x6x7xf32>) {
  // expected-error@below {{key has shape [2, 4, 6, 7], wanted [2, G, Sk, 8] for query [2, 4, 6, 8]}}
  %y = graph.attention %q, %k, %q scale 1.0 : tensor<2x4x6x8xf32>, tensor<2x4x6x7xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return
}

// -----

func.func @attention_value(%q: tensor<2x4x6x8xf32>, %v: tensor<2x4x5x8xf32>) {
  // expected-error@below {{value has shape [2, 4, 5, 8], wanted [2, 4, 6, E]}}
  %y = graph.attention %q, %q, %v scale 1.0 : tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x5x8xf32> -> tensor<2x4x6x8xf32>
  return
}

// -----

func.func @attention_groups(%q: tensor<2x4x6x8xf32>, %k: tensor<2x3x6x8xf32>) {
  // expected-error@below {{4 query heads are no multiple of 3 key heads}}
  %y = graph.attention %q, %k, %k scale 1.0 : tensor<2x4x6x8xf32>, tensor<2x3x6x8xf32>, tensor<2x3x6x8xf32> -> tensor<2x4x6x8xf32>
  return
}

// -----

func.func @attention_result(%q: tensor<2x4x6x8xf32>) {
  // expected-error@below {{result has shape [2, 4, 6, 7], wanted [2, 4, 6, 8]}}
  %y = graph.attention %q, %q, %q scale 1.0 : tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x7xf32>
  return
}

// -----

func.func @attention_mask(%q: tensor<2x4x6x8xf32>, %m: tensor<6x6xi1>) {
  // expected-error@below {{mask has shape [6, 6], wanted [2, 4, 6, 6] or 1 in place of any extent}}
  %y = graph.attention %q, %q, %q mask %m : tensor<6x6xi1> scale 1.0 : tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return
}

// -----

func.func @attention_window_alone(%q: tensor<2x4x6x8xf32>) {
  // expected-error@below {{has a window and is not causal}}
  %y = graph.attention %q, %q, %q scale 1.0 window 3 : tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return
}

// -----

func.func @attention_window_empty(%q: tensor<2x4x6x8xf32>) {
  // expected-error@below {{window is 0, wanted at least 1}}
  %y = graph.attention %q, %q, %q scale 1.0 causal window 0 : tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return
}

// -----

func.func @attention_softcap_zero(%q: tensor<2x4x6x8xf32>) {
  // expected-error@below {{softcap is 0.000000e+00, wanted a number from 1e-30 to 1e30}}
  %y = graph.attention %q, %q, %q scale 1.0 softcap 0.0 : tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return
}

// -----

func.func @attention_softcap_negative(%q: tensor<2x4x6x8xf32>) {
  // expected-error@below {{softcap is -1.000000e+00, wanted a number from 1e-30 to 1e30}}
  %y = graph.attention %q, %q, %q scale 1.0 softcap -1.0 : tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return
}

// -----

func.func @attention_softcap_infinite(%q: tensor<2x4x6x8xf32>) {
  // expected-error@below {{softcap is INF, wanted a number from 1e-30 to 1e30}}
  %y = graph.attention %q, %q, %q scale 1.0 softcap 0x7FF0000000000000 : tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return
}

// -----

func.func @attention_bias(%q: tensor<2x4x6x8xf32>, %b: tensor<1x3x6x6xf32>) {
  // expected-error@below {{bias has shape [1, 3, 6, 6], wanted [2, 4, 6, 6] or 1 in place of any extent}}
  %y = graph.attention %q, %q, %q bias %b : tensor<1x3x6x6xf32> scale 1.0 : tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x6x8xf32> -> tensor<2x4x6x8xf32>
  return
}

// -----

func.func @group_yield(%x: tensor<4xf32>) {
  // expected-error@below {{yields 1 values whose types are not its 1 results'}}
  graph.group rows "g" { graph.yield %x : tensor<4xf32> } : tensor<5xf32>
  return
}

// -----

// expected-error@below {{#graph.dims names 1 dimensions of a tensor of rank 2}}
func.func @dims_rank(%x: tensor<4x6xf32, #graph.dims<["batch"]>>) {
  return
}

// -----

// expected-error@below {{#graph.dims: "seq*batch" is no product of sorted symbols that can be 4}}
func.func @dims_order(%x: tensor<4xf32, #graph.dims<["seq*batch"]>>) {
  return
}

// -----

// expected-error@below {{#graph.dims: "2*seq" is no product of sorted symbols that can be 5}}
func.func @dims_coefficient(%x: tensor<5xf32, #graph.dims<["2*seq"]>>) {
  return
}

// -----

// expected-error@below {{unknown or malformed attribute 'graph.title' of an argument, wanted graph.name (a string), graph.bound or graph.ignored (an integer)}}
func.func @name_attribute(%x: tensor<4xf32> {graph.title = "x"}) {
  return
}

// -----

// expected-error@below {{unknown or malformed attribute 'graph.gradient' of an argument, wanted graph.name (a string), graph.bound or graph.ignored (an integer)}}
func.func @gradient_of_argument(%x: tensor<4xf32> {graph.gradient = [#graph.part<"w", [4], normal, 0.5>]}) {
  return
}

// -----

// expected-error@below {{unknown or malformed attribute 'graph.bound' of a result, wanted graph.name (a string), graph.gradient (parts) or graph.element (f32, bf16 or f16)}}
func.func @bound_of_result(%x: tensor<4xi32>) -> (tensor<4xi32> {graph.bound = 4}) {
  return %x : tensor<4xi32>
}

// -----

func.func @loss_scalar(%x: tensor<f32>, %t: tensor<i32>) {
  // expected-error@below {{wants logits of rank at least 1}}
  %y = graph.cross_entropy %x, %t ignored -100 smoothing 0.0 : tensor<f32>, tensor<i32> -> tensor<f32>
  return
}

// -----

func.func @loss_smoothing_negative(%x: tensor<2x3x5xf32>, %t: tensor<2x3xi32>) {
  // expected-error@below {{smoothing is -1.000000e-01, wanted at least 0 and less than 1}}
  %y = graph.cross_entropy %x, %t ignored -100 smoothing -0.1 : tensor<2x3x5xf32>, tensor<2x3xi32> -> tensor<2x3xf32>
  return
}

// -----

func.func @loss_smoothing_one(%x: tensor<2x3x5xf32>, %t: tensor<2x3xi32>) {
  // expected-error@below {{smoothing is 1.000000e+00, wanted at least 0 and less than 1}}
  %y = graph.cross_entropy %x, %t ignored -100 smoothing 1.0 : tensor<2x3x5xf32>, tensor<2x3xi32> -> tensor<2x3xf32>
  return
}

// -----

func.func @loss_smoothing_nan(%x: tensor<2x3x5xf32>, %t: tensor<2x3xi32>) {
  // expected-error@below {{smoothing is nan, wanted at least 0 and less than 1}}
  %y = graph.cross_entropy %x, %t ignored -100 smoothing 0x7FF8000000000000 : tensor<2x3x5xf32>, tensor<2x3xi32> -> tensor<2x3xf32>
  return
}

// -----

func.func @loss_targets(%x: tensor<2x3x5xf32>, %t: tensor<3x2xi32>) {
  // expected-error@below {{targets has shape [3, 2], wanted [2, 3]}}
  %y = graph.cross_entropy %x, %t ignored -100 smoothing 0.0 : tensor<2x3x5xf32>, tensor<3x2xi32> -> tensor<2x3xf32>
  return
}

// -----

func.func @loss_result_shape(%x: tensor<2x3x5xf32>, %t: tensor<2x3xi32>) {
  // expected-error@below {{result has shape [2], wanted [2, 3]}}
  %y = graph.cross_entropy %x, %t ignored -100 smoothing 0.0 : tensor<2x3x5xf32>, tensor<2x3xi32> -> tensor<2xf32>
  return
}

// -----

func.func @loss_result_type(%x: tensor<2x3x5xf32>, %t: tensor<2x3xi32>) {
  // expected-error@below {{result elements are 'bf16', wanted f32}}
  %y = graph.cross_entropy %x, %t ignored -100 smoothing 0.0 : tensor<2x3x5xf32>, tensor<2x3xi32> -> tensor<2x3xbf16>
  return
}

// -----

func.func @loss_float_targets(%x: tensor<2x3x5xf32>, %t: tensor<2x3xf32>) {
  // expected-error@below {{operand #1 must be tensor of static extents of at least 1, rank at most 6, at most 1e15 elements of i32 or i64}}
  %y = graph.cross_entropy %x, %t ignored -100 smoothing 0.0 : tensor<2x3x5xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @loss_grad_gradient(%x: tensor<2x3x5xf32>, %t: tensor<2x3xi32>, %g: tensor<2xf32>) {
  // expected-error@below {{gradient has shape [2], wanted [2, 3]}}
  %y = graph.cross_entropy_grad %x, %t, %g ignored -100 smoothing 0.0 : tensor<2x3x5xf32>, tensor<2x3xi32>, tensor<2xf32>
  return
}

// -----

func.func @loss_grad_smoothing(%x: tensor<2x3x5xf32>, %t: tensor<2x3xi32>, %g: tensor<2x3xf32>) {
  // expected-error@below {{smoothing is 2.000000e+00, wanted at least 0 and less than 1}}
  %y = graph.cross_entropy_grad %x, %t, %g ignored -100 smoothing 2.0 : tensor<2x3x5xf32>, tensor<2x3xi32>, tensor<2x3xf32>
  return
}

// -----

func.func @softmax_grad_scalar(%x: tensor<f32>) {
  // expected-error@below {{wants operands of rank at least 1}}
  %y = graph.softmax_grad %x, %x : tensor<f32>
  return
}

// -----

func.func @state_parts() {
  // expected-error@below {{the parts have 7 rows, the result has 8}}
  %m = graph.state [#graph.part<"m", [7], constant, 0.0>] : tensor<8xf32>
  return
}

// -----

func.func @state_of_a_reserved_name() {
  // expected-error@below {{part "accumulate.mine": names of states that accumulate, and of those alone, begin with "accumulate."}}
  %m = graph.state [#graph.part<"accumulate.mine", [8], constant, 0.0>] : tensor<8xf32>
  return
}

// -----

func.func @accumulator_of_another_name() {
  // expected-error@below {{part "mine": names of states that accumulate, and of those alone, begin with "accumulate."}}
  %m = graph.state accumulates [#graph.part<"mine", [8], constant, 0.0>] : tensor<8xf32>
  return
}

// -----

func.func @state_drawn() {
  // expected-error@below {{part "m" is drawn, wanted a constant to begin with}}
  %m = graph.state [#graph.part<"m", [8], normal, 0.02>] : tensor<8xf32>
  return
}

// -----

func.func @assign_input(%x: tensor<8xf32>) {
  // expected-error@below {{wants the result of graph.parameter, graph.state or a kept graph.cast as what is assigned to}}
  graph.assign %x, %x : tensor<8xf32>
  return
}

// -----

func.func @assign_twice(%x: tensor<8xf32>) {
  %m = graph.state [#graph.part<"m", [8], constant, 0.0>] : tensor<8xf32>
  // expected-error@below {{is not the only one of its leaf}}
  graph.assign %m, %x : tensor<8xf32>
  graph.assign %m, %x : tensor<8xf32>
  return
}

// -----

func.func @dropout_probability(%x: tensor<8xf32>, %i: tensor<8xi32>, %k: tensor<8xi64>) {
  // expected-error@below {{probability 1.500000e+00: wanted a number from 0 to 1}}
  %0 = graph.dropout %x, %i, %k layer 0 probability 1.5 : tensor<8xf32>
  return
}

// -----

func.func @dropout_probability_below(%x: tensor<8xf32>, %i: tensor<8xi32>, %k: tensor<8xi64>) {
  // expected-error@below {{probability -1.000000e-01: wanted a number from 0 to 1}}
  %0 = graph.dropout %x, %i, %k layer 0 probability -0.1 : tensor<8xf32>
  return
}

// -----

func.func @dropout_probability_nan(%x: tensor<8xf32>, %i: tensor<8xi32>, %k: tensor<8xi64>) {
  // expected-error-re@below {{probability {{.*}}: wanted a number from 0 to 1}}
  %0 = graph.dropout %x, %i, %k layer 0 probability 0x7FF8000000000000 : tensor<8xf32>
  return
}

// -----

func.func @dropout_layer(%x: tensor<8xf32>, %i: tensor<8xi32>, %k: tensor<8xi64>) {
  // expected-error@below {{layer -1: wanted a number from 0 on}}
  %0 = graph.dropout %x, %i, %k layer -1 probability 0.5 : tensor<8xf32>
  return
}

// -----

func.func @dropout_integers(%x: tensor<8xi32>, %i: tensor<8xi32>, %k: tensor<8xi64>) {
  // expected-error@below {{'result' must be tensor of static extents of at least 1, rank at most 6, at most 1e15 elements of f32, bf16 or f16, but got 'tensor<8xi32>'}}
  %0 = graph.dropout %x, %i, %k layer 0 probability 0.5 : tensor<8xi32>
  return
}

// -----

func.func @dropout_index(%x: tensor<8xf32>, %i: tensor<8xi64>, %k: tensor<8xi64>) {
  // expected-error@below {{the index is i32, of the result's extents}}
  %0 = "graph.dropout"(%x, %i, %k) <{layer = 0 : i64, probability = 0.5 : f64}> : (tensor<8xf32>, tensor<8xi64>, tensor<8xi64>) -> tensor<8xf32>
  return
}

// -----

func.func @dropout_key(%x: tensor<8xf32>, %i: tensor<8xi32>, %k: tensor<1xi64>) {
  // expected-error@below {{the key is i64, of the result's extents}}
  %0 = "graph.dropout"(%x, %i, %k) <{layer = 0 : i64, probability = 0.5 : f64}> : (tensor<8xf32>, tensor<8xi32>, tensor<1xi64>) -> tensor<8xf32>
  return
}

// -----

func.func @dropout_elements(%x: tensor<2147483649xf32>, %i: tensor<2147483649xi32>, %k: tensor<2147483649xi64>) {
  // expected-error@below {{2147483649 elements: wanted at most 2147483648, which an i32 index tells apart}}
  %0 = graph.dropout %x, %i, %k layer 0 probability 0.5 : tensor<2147483649xf32>
  return
}

// -----

func.func @partial_sums_extent(%x: tensor<64x6xf32>) {
  // expected-error@below {{result dimension 1 has extent 3, wanted 6}}
  %y = graph.partial_sums %x axes [0] : tensor<64x6xf32> -> tensor<4x3xf32>
  return
}

// -----

func.func @partial_sums_second_axis(%x: tensor<8x64x6xf32>) {
  // expected-error@below {{result dimension 1 has extent 4, wanted 1}}
  %y = graph.partial_sums %x axes [1, 0] : tensor<8x64x6xf32> -> tensor<4x4x6xf32>
  return
}

// -----

func.func @partial_sums_parts(%x: tensor<64x6xf32, #graph.dims<["rows", ""]>>) {
  // expected-error@below {{the number of parts is known only with the symbols, wanted a constant}}
  %y = graph.partial_sums %x axes [0] : tensor<64x6xf32, #graph.dims<["rows", ""]>> -> tensor<64x6xf32, #graph.dims<["rows", ""]>>
  return
}

// -----

func.func @partial_sums_low(%x: tensor<64x6xbf16>) {
  // expected-error@below {{operand #0 must be tensor of static extents of at least 1, rank at most 6, at most 1e15 elements of f32}}
  %y = graph.partial_sums %x axes [0] : tensor<64x6xbf16> -> tensor<4x6xbf16>
  return
}
