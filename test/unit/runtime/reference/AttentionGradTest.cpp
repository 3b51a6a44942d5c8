// The gradient of attention in float64 against central differences of attention itself.
#include "runtime/reference/Program.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace heddle::runtime::reference {
namespace {

using Shape = std::vector<int64_t>;

struct Case {
  const char *name;
  Shape q, k, v;
  double scale = 0.6;
  bool causal = false;
  int64_t window = 0; ///< 0: none.
  double softcap = 0; ///< 0: none.
  Shape mask = {}, bias = {};
};

void PrintTo(const Case &test, std::ostream *os) { *os << test.name; }

int64_t countOf(const Shape &shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

/// In [-1, 1).
Tensor pseudo(int64_t count, uint64_t seed) {
  Tensor values;
  uint64_t state = 12345 + seed * 0x9E3779B97F4A7C15ull;
  for (int64_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    values.push_back(static_cast<double>(state >> 11) * 0x1p-52 - 1);
  }
  return values;
}

/// The tensors of one case: query, key, value, then mask and bias where it has them, by name.
struct Problem {
  explicit Problem(const Case &test) : test(test) {
    shapes = {{"q", test.q}, {"k", test.k}, {"v", test.v}};
    if (!test.mask.empty())
      shapes.emplace_back("mask", test.mask);
    if (!test.bias.empty())
      shapes.emplace_back("bias", test.bias);
    uint64_t seed = 0;
    for (auto &[name, shape] : shapes)
      values[name] = pseudo(countOf(shape), seed++);
    if (!test.mask.empty()) // Some rows see nothing.
      for (double &seen : values["mask"])
        seen = seen > -0.2;
    out = {test.q[0], test.q[1], test.q[2], test.v[3]};
    rows = {test.q[0], test.q[1], test.q[2]};
    weights = pseudo(countOf(out), 17);
  }

  Shape statistics() const { return {2, rows[0], rows[1], rows[2]}; }

  void describe(Operation &op) const {
    op.floats["scale"] = test.scale;
    if (test.softcap != 0)
      op.floats["softcap"] = test.softcap;
    op.ints["causal"] = {test.causal};
    if (test.window != 0)
      op.ints["window"] = {test.window};
    op.ints["has_mask"] = {!test.mask.empty()};
    op.ints["has_bias"] = {!test.bias.empty()};
  }

  /// Runs one operation; `operands` by name and shape.
  static std::vector<Tensor> run(Operation op, const std::vector<std::pair<Shape, Tensor>> &operands,
                                 const std::vector<Shape> &results, int threads = 1) {
    Program program;
    std::map<std::string, Tensor> inputs;
    for (auto &[shape, tensor] : operands) {
      auto index = static_cast<int32_t>(program.values.size());
      op.operands.push_back(index);
      program.values.push_back({DType::F32, shape});
      program.inputs.emplace_back(std::to_string(index), index);
      inputs[std::to_string(index)] = tensor;
    }
    for (const Shape &shape : results) {
      auto index = static_cast<int32_t>(program.values.size());
      op.results.push_back(index);
      program.values.push_back({DType::F32, shape});
      program.outputs.emplace_back(std::to_string(op.results.size() - 1), index);
    }
    program.operations.push_back(op);
    auto outputs = execute(program, inputs, nullptr, threads);
    EXPECT_TRUE(outputs.isOk()) << outputs.status().message();
    std::vector<Tensor> found;
    for (size_t i = 0; outputs.isOk() && i < results.size(); ++i)
      found.push_back(outputs->at(std::to_string(i)));
    return found;
  }

  /// Result and statistics.
  std::vector<Tensor> forward() const {
    Operation op;
    op.name = "attention";
    describe(op);
    std::vector<std::pair<Shape, Tensor>> operands;
    for (auto &[name, shape] : shapes)
      operands.emplace_back(shape, values.at(name));
    return run(op, operands, {out, statistics()});
  }

  double loss() const {
    std::vector<Tensor> results = forward();
    double sum = 0;
    for (size_t i = 0; i < results[0].size(); ++i)
      sum += results[0][i] * weights[i];
    return sum;
  }

  std::vector<Tensor> backward(int threads) const {
    std::vector<Tensor> results = forward();
    Tensor delta(results[1].size() / 2, 0.0);
    for (size_t i = 0; i < results[0].size(); ++i)
      delta[i / static_cast<size_t>(test.v[3])] += results[0][i] * weights[i];
    Operation op;
    op.name = "attention_grad";
    describe(op);
    std::vector<std::pair<Shape, Tensor>> operands;
    for (auto &[name, shape] : shapes) {
      if (name == "mask" || name == "bias")
        continue;
      operands.emplace_back(shape, values.at(name));
    }
    operands.insert(operands.end(), {{out, weights}, {statistics(), results[1]}, {rows, delta}});
    std::vector<Shape> wanted{test.q, test.k, test.v};
    for (size_t i = 3; i < shapes.size(); ++i)
      operands.emplace_back(shapes[i].second, values.at(shapes[i].first));
    if (!test.bias.empty())
      wanted.push_back({test.bias[0], test.bias[1], test.q[2], test.k[2]});
    return run(op, operands, wanted, threads);
  }

  const Case &test;
  std::vector<std::pair<std::string, Shape>> shapes;
  std::map<std::string, Tensor> values;
  Shape out, rows;
  Tensor weights;
};

class AttentionGrad : public testing::TestWithParam<Case> {};

TEST_P(AttentionGrad, IsTheLimitOfDifferences) {
  Problem problem(GetParam());
  std::vector<Tensor> found = problem.backward(1);
  ASSERT_EQ(found, problem.backward(3)) << "the number of threads changes bits";
  std::vector<std::string> names{"q", "k", "v"};
  if (!GetParam().bias.empty())
    names.emplace_back("bias");
  ASSERT_EQ(found.size(), names.size());
  for (size_t n = 0; n < names.size(); ++n) {
    Tensor &values = problem.values[names[n]];
    for (size_t i = 0; i < values.size(); ++i) {
      constexpr double step = 1e-5;
      double kept = values[i];
      values[i] = kept + step;
      double above = problem.loss();
      values[i] = kept - step;
      double below = problem.loss();
      values[i] = kept;
      // The difference's error: step² times a third derivative of about 1, and 1e-16 of the loss over the
      // step.
      EXPECT_NEAR(found[n][i], (above - below) / (2 * step), 1e-9) << names[n] << ", element " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, AttentionGrad,
    testing::Values(
        Case{"plain", {1, 2, 4, 3}, {1, 2, 5, 3}, {1, 2, 5, 2}},
        Case{"shared_key_heads", {2, 4, 3, 2}, {2, 2, 4, 2}, {2, 2, 4, 3}},
        Case{"causal_less_queries", {1, 1, 3, 2}, {1, 1, 6, 2}, {1, 1, 6, 2}, 0.6, true},
        Case{"causal_more_queries", {1, 1, 6, 2}, {1, 1, 4, 2}, {1, 1, 4, 2}, 0.6, true},
        Case{"window", {1, 2, 6, 2}, {1, 1, 6, 2}, {1, 1, 6, 2}, 0.6, true, 2},
        Case{"softcap", {1, 1, 4, 3}, {1, 1, 4, 3}, {1, 1, 4, 3}, 1.5, false, 0, 0.8},
        Case{"mask", {1, 2, 4, 2}, {1, 2, 3, 2}, {1, 2, 3, 2}, 0.6, false, 0, 0, {1, 1, 4, 3}},
        Case{"bias", {2, 2, 3, 2}, {2, 1, 4, 2}, {2, 1, 4, 2}, 0.6, true, 3, 0.8, {}, {2, 2, 3, 4}},
        Case{"bias_of_all_heads",
             {2, 2, 3, 2},
             {2, 2, 4, 2},
             {2, 2, 4, 2},
             0.6,
             false,
             0,
             0,
             {2, 1, 1, 4},
             {1, 1, 3, 4}},
        Case{"bias_of_each_head",
             {2, 2, 3, 2},
             {2, 2, 4, 2},
             {2, 2, 4, 2},
             0.6,
             false,
             0,
             0.9,
             {},
             {1, 2, 3, 4}}),
    [](const auto &info) { return info.param.name; });

TEST(AttentionGradErrors, Shapes) {
  Case test{"errors", {1, 2, 3, 2}, {1, 2, 3, 2}, {1, 2, 3, 2}};
  Problem problem(test);
  auto message = [&](const std::vector<Shape> &results, const Shape &statistics) {
    Program program;
    std::map<std::string, Tensor> inputs;
    Operation op;
    op.name = "attention_grad";
    problem.describe(op);
    for (const Shape &shape : {test.q, test.k, test.v, problem.out, statistics, problem.rows}) {
      auto index = static_cast<int32_t>(program.values.size());
      op.operands.push_back(index);
      program.values.push_back({DType::F32, shape});
      program.inputs.emplace_back(std::to_string(index), index);
      inputs[std::to_string(index)] = Tensor(static_cast<size_t>(countOf(shape)), 0.5);
    }
    for (const Shape &shape : results) {
      op.results.push_back(static_cast<int32_t>(program.values.size()));
      program.values.push_back({DType::F32, shape});
    }
    program.operations.push_back(op);
    auto outputs = execute(program, inputs, nullptr, 1);
    EXPECT_FALSE(outputs.isOk());
    return std::string(outputs.status().message());
  };
  const std::string at = "reference: operation 0 (attention_grad): ";
  EXPECT_EQ(message({test.q, test.k}, problem.statistics()), at + "wanted 3 to 4 results, found 2");
  EXPECT_EQ(message({test.q, test.k, {1, 2, 3, 3}}, problem.statistics()),
            at + "result 2: wanted shape [1, 2, 3, 2], found [1, 2, 3, 3]");
  EXPECT_EQ(message({test.q, test.k, test.v}, {2, 1, 2, 4}),
            at + "statistics: wanted shape [2, 1, 2, 3], found [2, 1, 2, 4]");
  EXPECT_EQ(message({test.q, test.k, test.v, {1, 2, 3, 4}}, problem.statistics()),
            at + "result 3: wanted [1 or 1, 2 or 1, 3, 3], found [1, 2, 3, 4]");
}

} // namespace
} // namespace heddle::runtime::reference
