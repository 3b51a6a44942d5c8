//===- GradientTest.cpp - Gradients against finite differences ------------===//
//
// For small graphs of every differentiable op and every form of shape: what the float64 reference of mode
// backward gives for each element of each parameter, against central differences of the forward loss. The
// loss is the sum of the result times fixed weights, so that no two elements have the same gradient.
//
//===----------------------------------------------------------------------===//
#include "compiler/Pipelines/Compiler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace heddle {
namespace {

namespace reference = runtime::reference;
using Shape = std::vector<int64_t>;

struct Case {
  const char *name;
  std::vector<std::pair<std::string, Shape>> parameters;
  std::string body; ///< Reads the parameters and gives `%y`.
  Shape shape;      ///< Of `%y`.
  /// Further arguments of @main.
  std::vector<std::string> inputs = {};
  /// Parameters are drawn from [low, high): where an op has no value or no gradient outside.
  double low = -1, high = 1;
  std::string dims = ""; ///< Of `%y`, where it has symbolic extents: `, #graph.dims<…>`.
};

void PrintTo(const Case &test, std::ostream *os) { *os << test.name; }

std::string typeText(const Shape &shape, const std::string &rest = "") {
  std::string text = "tensor<";
  for (int64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text + "f32" + rest + ">";
}

std::string listText(const Shape &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

std::string graphText(const Case &test) {
  std::string arguments = "%weights: " + typeText(test.shape, test.dims) + " {graph.name = \"weights\"}";
  for (const std::string &input : test.inputs)
    arguments += ", " + input;
  std::string text = "func.func @main(" + arguments + ") -> (tensor<f32> {graph.name = \"loss\"}) {\n";
  for (const auto &[name, shape] : test.parameters)
    text += "  %" + name + " = graph.parameter [#graph.part<\"" + name + "\", " + listText(shape) +
            ", normal, 1.0>] : " + typeText(shape) + "\n";
  Shape axes, ones;
  for (size_t i = 0; i < test.shape.size(); ++i) {
    axes.push_back(static_cast<int64_t>(i));
    ones.push_back(1);
  }
  std::string type = typeText(test.shape, test.dims);
  text += test.body;
  text += "\n  %weighted = graph.mul %y, %weights : " + type + "\n";
  text += "  %sum = graph.reduce sum %weighted axes " + listText(axes) + " : " + type + " -> " +
          typeText(ones) + "\n";
  return text + "  %loss = graph.reshape %sum : " + typeText(ones) +
         " -> tensor<f32>\n  return %loss : tensor<f32>\n}\n";
}

/// Numbers in [0, 1) that depend on the seed and the index alone.
double draw(uint64_t seed, uint64_t index) {
  uint64_t state = seed * 0x9E3779B97F4A7C15ull + (index + 1) * 0xBF58476D1CE4E5B9ull;
  state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9ull;
  state = (state ^ (state >> 27)) * 0x94D049BB133111EBull;
  state ^= state >> 31;
  return static_cast<double>(state >> 11) * 0x1p-53;
}

size_t countOf(const Shape &shape) {
  size_t count = 1;
  for (int64_t extent : shape)
    count *= static_cast<size_t>(extent);
  return count;
}

using Tensors = std::map<std::string, reference::Tensor>;

/// Floating inputs in [-1, 1); integers 0, 1, 2, 3, 0, …, so that rows repeat; booleans by turns.
Tensors inputsOf(const reference::Program &program) {
  Tensors inputs;
  uint64_t seed = 100;
  for (const auto &[name, index] : program.inputs) {
    const reference::Value &value = program.values[static_cast<size_t>(index)];
    reference::Tensor tensor(countOf(value.shape));
    for (size_t i = 0; i < tensor.size(); ++i)
      tensor[i] = value.dtype == runtime::DType::F32    ? 2 * draw(seed, i) - 1
                  : value.dtype == runtime::DType::Bool ? static_cast<double>(i % 3 == 1)
                                                        : static_cast<double>(i % 4);
    inputs[name] = std::move(tensor);
    ++seed;
  }
  return inputs;
}

/// In [low, high), no two of them, nor of two tensors with other seeds below 4, closer than a quarter of
/// (high - low) / count: further apart than a difference quotient reaches, so that a maximum stays where it
/// is.
reference::Tensor drawApart(uint64_t seed, size_t count, double low, double high) {
  reference::Tensor tensor(count);
  for (size_t i = 0; i < count; ++i) {
    double place = 0.25 * static_cast<double>(seed % 4);
    for (size_t j = 0; j < count; ++j)
      place += draw(seed, j) < draw(seed, i);
    tensor[i] = low + (high - low) * place / static_cast<double>(count);
  }
  return tensor;
}

class Gradient : public testing::TestWithParam<Case> {
protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() /
            (std::string("heddle-gradient-") + GetParam().name + ".mlir");
    std::ofstream(path_) << graphText(GetParam());
  }
  void TearDown() override { std::filesystem::remove(path_); }

  reference::Program program(const std::string &mode) {
    ModelRequest request;
    request.model = path_;
    auto program = compiler_.reference(request, mode);
    EXPECT_TRUE(program.isOk()) << program.status().message() << "\n" << graphText(GetParam());
    return program.isOk() ? *std::move(program) : reference::Program();
  }

  Compiler compiler_;
  std::filesystem::path path_;
};

Tensors run(const reference::Program &program, const Tensors &inputs, const Tensors &parameters) {
  auto reader = [&](const runtime::ParameterPart &part) -> runtime::StatusOr<reference::Tensor> {
    return parameters.at(part.name);
  };
  auto outputs = reference::execute(program, inputs, reader, /*threads=*/1);
  EXPECT_TRUE(outputs.isOk()) << outputs.status().message();
  return outputs.isOk() ? *outputs : Tensors();
}

TEST_P(Gradient, IsTheDifferenceQuotient) {
  const Case &test = GetParam();
  reference::Program forward = program("forward"), backward = program("backward");
  ASSERT_FALSE(HasFailure());
  Tensors inputs = inputsOf(forward), parameters;
  uint64_t seed = 1;
  for (const auto &[name, shape] : test.parameters) {
    parameters[name] = drawApart(seed, countOf(shape), test.low, test.high);
    ++seed;
  }
  Tensors gradients = run(backward, inputs, parameters);
  ASSERT_FALSE(HasFailure());
  auto lossAt = [&](double &element, double at, double offset) {
    element = at + offset;
    double loss = run(forward, inputs, parameters).at("loss").at(0);
    element = at;
    return loss;
  };
  EXPECT_EQ(gradients.at("loss").at(0), run(forward, inputs, parameters).at("loss").at(0));
  for (const auto &[name, shape] : test.parameters) {
    const reference::Tensor &found = gradients.at(name + ".grad");
    ASSERT_EQ(found.size(), countOf(shape));
    double largest = 1;
    for (double value : found)
      largest = std::max(largest, std::fabs(value));
    for (size_t i = 0; i < found.size(); ++i) {
      // Fourth order: its own error is h^4 / 30 times the fifth derivative, 5e-13 of that, and the rounding
      // of the losses over h, 1e-13.
      constexpr double h = 0x1p-9;
      double &element = parameters[name][i];
      double at = element;
      double wanted = (8 * (lossAt(element, at, h) - lossAt(element, at, -h)) -
                       (lossAt(element, at, 2 * h) - lossAt(element, at, -2 * h))) /
                      (12 * h);
      // 2^-22 is four half steps of float32: gradients hold constants of the graph (2 / sqrt(pi), epsilons),
      // which are float32 there, and the forward op holds them in float64.
      EXPECT_NEAR(found[i], wanted, 0x1p-22 * largest) << test.name << ": " << name << "[" << i << "]";
    }
  }
}

std::string unary(const std::string &op) { return "  %y = graph." + op + " %p : tensor<3x5xf32>"; }
std::string binary(const std::string &op) { return "  %y = graph." + op + " %a, %b : tensor<3x5xf32>"; }
Case ofOne(const char *name, const std::string &op, double low = -1, double high = 1) {
  return {name, {{"p", {3, 5}}}, unary(op), {3, 5}, {}, low, high};
}
Case ofTwo(const char *name, const std::string &op, double low = -1, double high = 1) {
  return {name, {{"a", {3, 5}}, {"b", {3, 5}}}, binary(op), {3, 5}, {}, low, high};
}

/// Functions with a pole are kept 0.5 from it, where their fifth derivative is below 1e4 (of 1/x: 120 x^-6).
const std::vector<Case> kElementwise = {
    ofOne("neg", "neg"),
    // Kinks at 0: each sign alone.
    ofOne("abs_positive", "abs", 0.1, 2),
    ofOne("abs_negative", "abs", -2, -0.1),
    ofOne("relu_positive", "relu", 0.1, 2),
    ofOne("relu_negative", "relu", -2, -0.1),
    ofOne("exp", "exp"),
    ofOne("log", "log", 0.5, 2),
    ofOne("sqrt", "sqrt", 0.5, 2),
    ofOne("rsqrt", "rsqrt", 0.5, 2),
    ofOne("reciprocal", "reciprocal", -2, -0.5),
    ofOne("tanh", "tanh"),
    ofOne("sigmoid", "sigmoid", -3, 3),
    ofOne("erf", "erf"),
    ofOne("sin", "sin", -3, 3),
    ofOne("cos", "cos", -3, 3),
    ofOne("silu", "silu", -3, 3),
    ofOne("gelu_erf", "gelu erf", -3, 3),
    ofOne("gelu_tanh", "gelu tanh", -3, 3),
    ofOne("copy", "copy"),
    ofTwo("add", "add"),
    ofTwo("sub", "sub"),
    ofTwo("mul", "mul"),
    ofTwo("div", "div", 0.5, 2),
    ofTwo("pow", "pow", 0.5, 2),
    ofTwo("maximum", "maximum"),
    ofTwo("minimum", "minimum"),
    {"pow_square",
     {{"p", {3, 5}}},
     "  %c = graph.constant dense<2.0> : tensor<3x5xf32>\n  %y = graph.pow %p, %c : tensor<3x5xf32>",
     {3, 5}},
    {"pow_negative_base",
     {{"p", {3, 5}}},
     "  %c = graph.constant dense<3.0> : tensor<3x5xf32>\n  %y = graph.pow %p, %c : tensor<3x5xf32>",
     {3, 5},
     {},
     -2,
     -0.5},
    {"cast",
     {{"p", {3, 5}}},
     "  %n = graph.cast %p : tensor<3x5xf32> -> tensor<3x5xbf16>\n  %s = graph.mul %n, %n : "
     "tensor<3x5xbf16>\n"
     "  %y = graph.cast %s : tensor<3x5xbf16> -> tensor<3x5xf32>",
     {3, 5}},
    {"select",
     {{"a", {3, 5}}, {"b", {3, 5}}},
     "  %y = graph.select %m, %a, %b : tensor<3x5xi1>, tensor<3x5xf32>",
     {3, 5},
     {"%m: tensor<3x5xi1> {graph.name = \"m\"}"}},
    {"dropout",
     {{"p", {3, 5}}},
     "  %i = graph.iota 0 : tensor<15xi32>\n  %index = graph.reshape %i : tensor<15xi32> -> tensor<3x5xi32>\n"
     "  %one = graph.reshape %k : tensor<1xi64> -> tensor<1x1xi64>\n"
     "  %key = graph.broadcast %one : tensor<1x1xi64> -> tensor<3x5xi64>\n  %s = graph.mul %p, %p : "
     "tensor<3x5xf32>\n"
     "  %y = graph.dropout %s, %index, %key layer 1 probability 0.5 : tensor<3x5xf32>",
     {3, 5},
     {"%k: tensor<1xi64> {graph.name = \"k\"}"}},
    {"several_readers",
     {{"p", {4}}},
     "  %0 = graph.mul %p, %p : tensor<4xf32>\n  %1 = graph.tanh %p : tensor<4xf32>\n"
     "  %2 = graph.mul %0, %1 : tensor<4xf32>\n  %y = graph.add %2, %p : tensor<4xf32>",
     {4}},
};

const std::vector<Case> kShapes = {
    {"reshape", {{"p", {4, 6}}}, "  %y = graph.reshape %p : tensor<4x6xf32> -> tensor<3x2x4xf32>", {3, 2, 4}},
    {"transpose",
     {{"p", {2, 3, 4}}},
     "  %y = graph.transpose %p [1, 2, 0] : tensor<2x3x4xf32> -> tensor<3x4x2xf32>",
     {3, 4, 2}},
    {"transpose_twice",
     {{"p", {2, 3}}},
     "  %0 = graph.transpose %p [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>\n  %1 = graph.exp %0 : "
     "tensor<3x2xf32>\n"
     "  %y = graph.transpose %1 [1, 0] : tensor<3x2xf32> -> tensor<2x3xf32>",
     {2, 3}},
    {"broadcast_rows",
     {{"p", {1, 5}}},
     "  %y = graph.broadcast %p : tensor<1x5xf32> -> tensor<3x5xf32>",
     {3, 5}},
    {"broadcast_two",
     {{"p", {1, 5, 1}}},
     "  %y = graph.broadcast %p : tensor<1x5x1xf32> -> tensor<3x5x2xf32>",
     {3, 5, 2}},
    {"broadcast_none",
     {{"p", {3, 5}}},
     "  %y = graph.broadcast %p : tensor<3x5xf32> -> tensor<3x5xf32>",
     {3, 5}},
    {"slice",
     {{"p", {4, 6}}},
     "  %y = graph.slice %p offsets [1, 2] strides [1, 1] : tensor<4x6xf32> -> tensor<2x3xf32>",
     {2, 3}},
    {"slice_even",
     {{"p", {4, 6}}},
     "  %y = graph.slice %p offsets [0, 0] strides [1, 2] : tensor<4x6xf32> -> tensor<4x3xf32>",
     {4, 3}},
    {"slice_strides",
     {{"p", {8, 7}}},
     "  %y = graph.slice %p offsets [1, 1] strides [3, 2] : tensor<8x7xf32> -> tensor<3x3xf32>",
     {3, 3}},
    {"slice_past_end",
     {{"p", {8}}},
     "  %y = graph.slice %p offsets [4] strides [3] : tensor<8xf32> -> tensor<2xf32>",
     {2}},
    {"slice_short",
     {{"p", {11}}},
     "  %y = graph.slice %p offsets [1] strides [2] : tensor<11xf32> -> tensor<3xf32>",
     {3}},
    {"slice_one",
     {{"p", {8}}},
     "  %y = graph.slice %p offsets [5] strides [3] : tensor<8xf32> -> tensor<1xf32>",
     {1}},
    {"slices_side_by_side",
     {{"p", {2, 6}}},
     "  %0 = graph.slice %p offsets [0, 0] strides [1, 1] : tensor<2x6xf32> -> tensor<2x2xf32>\n"
     "  %1 = graph.slice %p offsets [0, 2] strides [1, 1] : tensor<2x6xf32> -> tensor<2x2xf32>\n"
     "  %2 = graph.slice %p offsets [0, 4] strides [1, 1] : tensor<2x6xf32> -> tensor<2x2xf32>\n"
     "  %3 = graph.mul %0, %1 : tensor<2x2xf32>\n  %y = graph.mul %3, %2 : tensor<2x2xf32>",
     {2, 2}},
    {"slices_that_overlap",
     {{"p", {6}}},
     "  %0 = graph.slice %p offsets [0] strides [1] : tensor<6xf32> -> tensor<4xf32>\n"
     "  %1 = graph.slice %p offsets [2] strides [1] : tensor<6xf32> -> tensor<4xf32>\n  %y = graph.mul %0, "
     "%1 : tensor<4xf32>",
     {4}},
    {"slices_interleaved",
     {{"p", {2, 6}}},
     "  %0 = graph.slice %p offsets [0, 0] strides [1, 2] : tensor<2x6xf32> -> tensor<2x3xf32>\n"
     "  %1 = graph.slice %p offsets [0, 1] strides [1, 2] : tensor<2x6xf32> -> tensor<2x3xf32>\n  %y = "
     "graph.mul %0, %1 : tensor<2x3xf32>",
     {2, 3}},
    {"slices_of_both_kinds",
     {{"p", {2, 6}}},
     "  %0 = graph.slice %p offsets [0, 0] strides [1, 2] : tensor<2x6xf32> -> tensor<2x3xf32>\n"
     "  %1 = graph.slice %p offsets [0, 3] strides [1, 1] : tensor<2x6xf32> -> tensor<2x3xf32>\n  %y = "
     "graph.mul %0, %1 : tensor<2x3xf32>",
     {2, 3}},
    {"slices_of_two_dimensions",
     {{"p", {4, 6}}},
     "  %0 = graph.slice %p offsets [0, 0] strides [1, 1] : tensor<4x6xf32> -> tensor<2x6xf32>\n"
     "  %1 = graph.slice %p offsets [0, 0] strides [2, 1] : tensor<4x6xf32> -> tensor<2x6xf32>\n  %y = "
     "graph.mul %0, %1 : tensor<2x6xf32>",
     {2, 6}},
    {"concat",
     {{"a", {2, 3}}, {"b", {2, 1}}},
     "  %y = graph.concat %a, %x, %b, %a axis 1 : tensor<2x3xf32>, tensor<2x2xf32>, tensor<2x1xf32>, "
     "tensor<2x3xf32> -> tensor<2x9xf32>",
     {2, 9},
     {"%x: tensor<2x2xf32> {graph.name = \"x\"}"}},
    {"reduce_sum",
     {{"p", {3, 4, 2}}},
     "  %y = graph.reduce sum %p axes [0, 2] : tensor<3x4x2xf32> -> tensor<1x4x1xf32>",
     {1, 4, 1}},
    {"reduce_mean",
     {{"p", {3, 4}}},
     "  %y = graph.reduce mean %p axes [1] : tensor<3x4xf32> -> tensor<3x1xf32>",
     {3, 1}},
    {"reduce_max",
     {{"p", {3, 4}}},
     "  %y = graph.reduce max %p axes [0] : tensor<3x4xf32> -> tensor<1x4xf32>",
     {1, 4}},
    {"reduce_min",
     {{"p", {3, 4}}},
     "  %y = graph.reduce min %p axes [1] : tensor<3x4xf32> -> tensor<3x1xf32>",
     {3, 1}},
    {"reduce_mean_symbolic",
     {{"p", {1, 6}}},
     "  %b = graph.broadcast %p : tensor<1x6xf32> -> tensor<4x6xf32, #graph.dims<[\"batch\", \"\"]>>\n"
     "  %s = graph.mul %b, %x : tensor<4x6xf32, #graph.dims<[\"batch\", \"\"]>>\n"
     "  %y = graph.reduce mean %s axes [0, 1] : tensor<4x6xf32, #graph.dims<[\"batch\", \"\"]>> -> "
     "tensor<1x1xf32>",
     {1, 1},
     {"%x: tensor<4x6xf32, #graph.dims<[\"batch\", \"\"]>> {graph.name = \"x\"}"}},
    {"symbolic_result",
     {{"p", {1, 6}}},
     "  %b = graph.broadcast %p : tensor<1x6xf32> -> tensor<4x6xf32, #graph.dims<[\"batch\", \"\"]>>\n"
     "  %y = graph.mul %b, %b : tensor<4x6xf32, #graph.dims<[\"batch\", \"\"]>>",
     {4, 6},
     {},
     -1,
     1,
     ", #graph.dims<[\"batch\", \"\"]>"},
};

const std::vector<Case> kModel = {
    {"matmul",
     {{"a", {3, 4}}, {"b", {4, 5}}},
     "  %y = graph.matmul %a, %b : tensor<3x4xf32>, tensor<4x5xf32> -> tensor<3x5xf32>",
     {3, 5}},
    {"matmul_both_transposed",
     {{"a", {4, 3}}, {"b", {5, 4}}},
     "  %s = graph.transpose %a [1, 0] : tensor<4x3xf32> -> tensor<3x4xf32>\n  %t = graph.transpose %b [1, "
     "0] : tensor<5x4xf32> -> tensor<4x5xf32>\n"
     "  %y = graph.matmul %s, %t : tensor<3x4xf32>, tensor<4x5xf32> -> tensor<3x5xf32>",
     {3, 5}},
    // A square matrix: a transpose that is left out would not show in the shape.
    {"matmul_square_transposed",
     {{"a", {4, 4}}, {"b", {4, 4}}},
     "  %t = graph.transpose %b [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>\n"
     "  %y = graph.matmul %a, %t : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>",
     {4, 4}},
    {"matmul_with_itself",
     {{"p", {4, 4}}},
     "  %t = graph.transpose %p [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>\n  %y = graph.matmul %p, %t : "
     "tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>",
     {4, 4}},
    {"matmul_shared_matrix",
     {{"a", {2, 3, 4}}, {"b", {4, 5}}},
     "  %y = graph.matmul %a, %b : tensor<2x3x4xf32>, tensor<4x5xf32> -> tensor<2x3x5xf32>",
     {2, 3, 5}},
    {"matmul_shared_transposed",
     {{"a", {2, 3, 4}}, {"b", {5, 4}}},
     "  %t = graph.transpose %b [1, 0] : tensor<5x4xf32> -> tensor<4x5xf32>\n"
     "  %y = graph.matmul %a, %t : tensor<2x3x4xf32>, tensor<4x5xf32> -> tensor<2x3x5xf32>",
     {2, 3, 5}},
    {"matmul_batched",
     {{"a", {2, 3, 4}}, {"b", {2, 4, 5}}},
     "  %y = graph.matmul %a, %b : tensor<2x3x4xf32>, tensor<2x4x5xf32> -> tensor<2x3x5xf32>",
     {2, 3, 5}},
    {"matmul_scores",
     {{"q", {2, 2, 3, 4}}, {"k", {2, 2, 3, 4}}},
     "  %t = graph.transpose %k [0, 1, 3, 2] : tensor<2x2x3x4xf32> -> tensor<2x2x4x3xf32>\n"
     "  %y = graph.matmul %q, %t : tensor<2x2x3x4xf32>, tensor<2x2x4x3xf32> -> tensor<2x2x3x3xf32>",
     {2, 2, 3, 3}},
    {"matmul_wide_result",
     {{"a", {3, 4}}, {"b", {4, 5}}},
     "  %s = graph.cast %a : tensor<3x4xf32> -> tensor<3x4xbf16>\n  %t = graph.cast %b : tensor<4x5xf32> -> "
     "tensor<4x5xbf16>\n"
     "  %y = graph.matmul %s, %t : tensor<3x4xbf16>, tensor<4x5xbf16> -> tensor<3x5xf32>",
     {3, 5}},
    {"softmax", {{"p", {2, 3, 5}}}, "  %y = graph.softmax %p : tensor<2x3x5xf32>", {2, 3, 5}, {}, -2, 2},
    {"rms_norm",
     {{"p", {2, 3, 5}}, {"w", {5}}},
     "  %y = graph.rms_norm %p, %w epsilon 1.0e-1 : tensor<2x3x5xf32>, tensor<5xf32>",
     {2, 3, 5}},
    {"rms_norm_vector",
     {{"p", {5}}, {"w", {5}}},
     "  %y = graph.rms_norm %p, %w epsilon 1.0e-1 : tensor<5xf32>, tensor<5xf32>",
     {5}},
    {"layer_norm",
     {{"p", {3, 5}}, {"w", {5}}, {"b", {5}}},
     "  %y = graph.layer_norm %p, %w, %b epsilon 1.0e-1 : tensor<3x5xf32>, tensor<5xf32>, tensor<5xf32>",
     {3, 5}},
    {"layer_norm_plain",
     {{"p", {3, 5}}, {"w", {5}}},
     "  %y = graph.layer_norm %p, %w epsilon 1.0e-1 : tensor<3x5xf32>, tensor<5xf32>",
     {3, 5}},
    // Ids 0, 1, 2, 3, 0, 1: two rows repeat, one is never read.
    {"embedding",
     {{"table", {5, 4}}},
     "  %y = graph.embedding %table, %ids : tensor<5x4xf32>, tensor<2x3xi32> -> tensor<2x3x4xf32>",
     {2, 3, 4},
     {"%ids: tensor<2x3xi32> {graph.name = \"ids\"}"}},
    {"cross_entropy",
     {{"p", {2, 3, 5}}},
     "  %y = graph.cross_entropy %p, %t ignored -100 smoothing 0.0 : tensor<2x3x5xf32>, tensor<2x3xi32> -> "
     "tensor<2x3xf32>",
     {2, 3},
     {"%t: tensor<2x3xi32> {graph.name = \"t\"}"},
     -2,
     2},
    {"cross_entropy_smoothed",
     {{"p", {6, 5}}},
     "  %y = graph.cross_entropy %p, %t ignored -100 smoothing 0.2 : tensor<6x5xf32>, tensor<6xi64> -> "
     "tensor<6xf32>",
     {6},
     {"%t: tensor<6xi64> {graph.name = \"t\"}"},
     -2,
     2},
    // Two of the six targets are 1.
    {"cross_entropy_ignored",
     {{"p", {6, 5}}},
     "  %y = graph.cross_entropy %p, %t ignored 1 smoothing 0.2 : tensor<6x5xf32>, tensor<6xi32> -> "
     "tensor<6xf32>",
     {6},
     {"%t: tensor<6xi32> {graph.name = \"t\"}"},
     -2,
     2},
    {"scaled_dot_product_attention",
     {{"q", {2, 3, 4}}, {"k", {2, 3, 4}}, {"v", {2, 3, 4}}},
     "  %t = graph.transpose %k [0, 2, 1] : tensor<2x3x4xf32> -> tensor<2x4x3xf32>\n  %s = graph.matmul %q, "
     "%t : tensor<2x3x4xf32>, tensor<2x4x3xf32> -> tensor<2x3x3xf32>\n"
     "  %i = graph.iota 1 : tensor<2x3x3xi32>\n  %j = graph.iota 2 : tensor<2x3x3xi32>\n  %m = graph.compare "
     "ge %i, %j : tensor<2x3x3xi32> -> tensor<2x3x3xi1>\n"
     "  %n = graph.constant dense<0xFF800000> : tensor<2x3x3xf32>\n  %h = graph.select %m, %s, %n : "
     "tensor<2x3x3xi1>, tensor<2x3x3xf32>\n"
     "  %a = graph.softmax %h : tensor<2x3x3xf32>\n  %y = graph.matmul %a, %v : tensor<2x3x3xf32>, "
     "tensor<2x3x4xf32> -> tensor<2x3x4xf32>",
     {2, 3, 4}},
};

/// What an op's gradient is where there is none, or several: PyTorch's choices.
struct Corner {
  const char *name;
  std::string body;
  Tensors parameters, gradients;
};
void PrintTo(const Corner &corner, std::ostream *os) { *os << corner.name; }

class GradientCorner : public testing::TestWithParam<Corner> {};

TEST_P(GradientCorner, IsPyTorchs) {
  const Corner &corner = GetParam();
  Case test{corner.name, {}, corner.body, {4}};
  for (const auto &[name, values] : corner.parameters)
    test.parameters.push_back({name, {static_cast<int64_t>(values.size())}});
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / (std::string("heddle-corner-") + corner.name + ".mlir");
  std::ofstream(path) << graphText(test);
  Compiler compiler;
  ModelRequest request;
  request.model = path;
  auto backward = compiler.reference(request, "backward");
  std::filesystem::remove(path);
  ASSERT_TRUE(backward.isOk()) << backward.status().message();
  Tensors found = run(*backward, {{"weights", {1, 1, 1, 1}}}, corner.parameters);
  for (const auto &[name, wanted] : corner.gradients)
    EXPECT_EQ(found.at(name + ".grad"), wanted) << name;
}

const std::vector<Corner> kCorners = {
    {"relu", "  %y = graph.relu %p : tensor<4xf32>", {{"p", {-1, -0.0, 0, 1}}}, {{"p", {0, 0, 0, 1}}}},
    {"abs", "  %y = graph.abs %p : tensor<4xf32>", {{"p", {-1, -0.0, 0, 1}}}, {{"p", {-1, 0, 0, 1}}}},
    {"maximum",
     "  %y = graph.maximum %a, %b : tensor<4xf32>",
     {{"a", {1, 2, 3, 0}}, {"b", {2, 2, 2, -0.0}}},
     {{"a", {0, 0.5, 1, 0.5}}, {"b", {1, 0.5, 0, 0.5}}}},
    {"minimum",
     "  %y = graph.minimum %a, %b : tensor<4xf32>",
     {{"a", {1, 2, 3, 0}}, {"b", {2, 2, 2, -0.0}}},
     {{"a", {1, 0.5, 0, 0.5}}, {"b", {0, 0.5, 1, 0.5}}}},
    // Shared among the three that are the maximum; four readers give each its share.
    {"reduce_max",
     "  %m = graph.reduce max %p axes [0] : tensor<4xf32> -> tensor<1xf32>\n"
     "  %y = graph.broadcast %m : tensor<1xf32> -> tensor<4xf32>",
     {{"p", {2, 2, 1, 2}}},
     {{"p", {4.0 / 3, 4.0 / 3, 0, 4.0 / 3}}}},
    {"reduce_min",
     "  %m = graph.reduce min %p axes [0] : tensor<4xf32> -> tensor<1xf32>\n"
     "  %y = graph.broadcast %m : tensor<1xf32> -> tensor<4xf32>",
     {{"p", {2, 1, 1, 2}}},
     {{"p", {0, 2, 2, 0}}}},
    // x^0 is 1 everywhere; 0^b has gradient 0 by its exponent where b is not negative.
    {"pow",
     "  %y = graph.pow %a, %b : tensor<4xf32>",
     {{"a", {0, 0, 0, -2}}, {"b", {0, 1, 2, 0}}},
     {{"a", {0, 1, 0, 0}}}},
    {"pow_exponent",
     "  %y = graph.pow %a, %b : tensor<4xf32>",
     {{"a", {0, 0, 0, 1}}, {"b", {0, 1, 2, 3}}},
     {{"b", {0, 0, 0, 0}}}},
    {"pow_of_nothing",
     "  %c = graph.constant dense<0.0> : tensor<4xf32>\n  %y = graph.pow %p, %c : tensor<4xf32>",
     {{"p", {0, 1, -1, 2}}},
     {{"p", {0, 0, 0, 0}}}},
    // Integers stop a gradient; what goes around them goes on.
    {"integers",
     "  %i = graph.cast %p : tensor<4xf32> -> tensor<4xi32>\n  %f = graph.cast %i : tensor<4xi32> -> "
     "tensor<4xf32>\n"
     "  %y = graph.mul %p, %f : tensor<4xf32>",
     {{"p", {1.5, 2.5, -3.5, 0.5}}},
     {{"p", {1, 2, -3, 0}}}},
    // A key that is masked from every query: no NaN where a row of scores is -inf but for one.
    {"masked_scores",
     "  %s = graph.mul %p, %p : tensor<4xf32>\n  %i = graph.iota 0 : tensor<4xi32>\n  %z = graph.constant "
     "dense<0> : tensor<4xi32>\n"
     "  %m = graph.compare eq %i, %z : tensor<4xi32> -> tensor<4xi1>\n  %n = graph.constant "
     "dense<0xFF800000> : tensor<4xf32>\n"
     "  %h = graph.select %m, %s, %n : tensor<4xi1>, tensor<4xf32>\n  %y = graph.softmax %h : tensor<4xf32>",
     {{"p", {1, 2, 3, 4}}},
     {{"p", {0, 0, 0, 0}}}},
};

std::string nameOfCorner(const testing::TestParamInfo<Corner> &info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Corners, GradientCorner, testing::ValuesIn(kCorners), nameOfCorner);

std::string nameOf(const testing::TestParamInfo<Case> &info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Elementwise, Gradient, testing::ValuesIn(kElementwise), nameOf);
INSTANTIATE_TEST_SUITE_P(Shapes, Gradient, testing::ValuesIn(kShapes), nameOf);
INSTANTIATE_TEST_SUITE_P(Model, Gradient, testing::ValuesIn(kModel), nameOf);

} // namespace
} // namespace heddle
