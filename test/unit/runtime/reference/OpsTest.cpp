//===- OpsTest.cpp - Known answers of every operation ---------------------===//
#include "Single.h"
#include "runtime/base/Dropout.h"

#include <cmath>
#include <limits>

using namespace heddle::runtime;
using namespace heddle::runtime::reference;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

Tensor pseudo(int64_t count, double seed = 1) {
  Tensor tensor(static_cast<size_t>(count));
  for (size_t i = 0; i < tensor.size(); ++i)
    tensor[i] = std::sin(12.9898 * (static_cast<double>(i) + 78.233 * seed)) * 1.5;
  return tensor;
}

void expectNear(const Tensor &found, const Tensor &expected, double bound = 1e-14) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) // Float64 sums of few terms: a few units of 2^-53.
    EXPECT_NEAR(found[i], expected[i], bound * std::max(1.0, std::fabs(expected[i]))) << i;
}

double unary(const char *name, double x) { return Single(name, {{{1}, {x}}}, {1}).value().at(0); }

TEST(Ops, Dropout) {
  auto dropped = [](double probability, int64_t layer, double key) {
    Tensor x = {1, 2, NAN, 4, 5, 6, 7, 8};
    return Single("dropout",
                  {{{8}, x}, {{8}, {0, 1, 2, 3, 4, 5, 6, 7}, DType::I32}, {{8}, Tensor(8, key), DType::I64}},
                  {8})
        .ints("layer", {layer})
        .real("probability", probability);
  };
  int kept = 0;
  Tensor y = dropped(0.75, 5, 1234567890123).value();
  for (uint32_t i = 0; i < 8; ++i) {
    bool keep = dropoutBits(1234567890123, 5, i) >> 1 >= uint32_t{3} << 29;
    kept += keep;
    if (i == 2 && keep)
      EXPECT_TRUE(std::isnan(y[i]));
    else
      EXPECT_EQ(y[i], keep ? 4 * (i + 1) : 0) << i;
  }
  EXPECT_TRUE(kept > 0 && kept < 8);
  EXPECT_EQ(dropped(1, 0, 0).value(), Tensor(8, 0.0)); // NaN is dropped, too.
  EXPECT_EQ(dropped(0, 0, 0).value()[7], 8);
}

TEST(Ops, Unary) {
  EXPECT_EQ(unary("neg", 2.5), -2.5);
  EXPECT_EQ(unary("exp", 1), std::exp(1.0));
  EXPECT_EQ(unary("log", 2), std::log(2.0));
  EXPECT_EQ(unary("sqrt", 9), 3);
  EXPECT_EQ(unary("rsqrt", 4), 0.5);
  EXPECT_EQ(unary("tanh", 0.5), std::tanh(0.5));
  EXPECT_EQ(unary("sigmoid", 0), 0.5);
  EXPECT_EQ(unary("sigmoid", -1000), 0);
  EXPECT_EQ(unary("sigmoid", 1000), 1);
  EXPECT_EQ(unary("erf", 0.5), std::erf(0.5));
  EXPECT_EQ(unary("sin", 1), std::sin(1.0));
  EXPECT_EQ(unary("cos", 1), std::cos(1.0));
  EXPECT_EQ(unary("abs", -3), 3);
  EXPECT_EQ(unary("relu", -3), 0);
  EXPECT_EQ(unary("relu", 3), 3);
  EXPECT_TRUE(std::isnan(unary("relu", NAN)));
  EXPECT_NEAR(unary("silu", 2), 2 / (1 + std::exp(-2.0)), 1e-15);
  EXPECT_EQ(unary("not", 0), 1);
  EXPECT_EQ(unary("not", 1), 0);
  EXPECT_EQ(unary("reciprocal", 4), 0.25);
}

TEST(Ops, Gelu) {
  Single gelu("gelu", {{{1}, {1.0}}}, {1});
  EXPECT_NEAR(gelu.value()[0], 0.8413447460685429, 1e-15); // The normal's distribution function at 1.
  EXPECT_NEAR(gelu.string("approximate", "tanh").value()[0], 0.8411919906082768, 1e-15);
  EXPECT_EQ(gelu.string("approximate", "fast").error(), "approximate: wanted none or tanh, found fast");
}

double binary(const char *name, double a, double b) {
  return Single(name, {{{1}, {a}}, {{1}, {b}}}, {1}).value().at(0);
}

TEST(Ops, Binary) {
  EXPECT_EQ(binary("add", 2, 3), 5);
  EXPECT_EQ(binary("sub", 2, 3), -1);
  EXPECT_EQ(binary("mul", 2, 3), 6);
  EXPECT_EQ(binary("div", 3, 2), 1.5);
  EXPECT_EQ(binary("pow", 2, 10), 1024);
  EXPECT_EQ(binary("maximum", 2, 3), 3);
  EXPECT_EQ(binary("minimum", 2, 3), 2);
  EXPECT_TRUE(std::isnan(binary("maximum", 2, NAN)));
  EXPECT_TRUE(std::isnan(binary("minimum", NAN, 2)));
  EXPECT_EQ(binary("and", 1, 0), 0);
  EXPECT_EQ(binary("or", 1, 0), 1);
  Single integers("div", {{{2}, {7, -7}, DType::I64}, {{2}, {2, 2}, DType::I64}}, {2}, DType::I64);
  EXPECT_EQ(integers.value(), (Tensor{3, -3}));
  integers.operands[1].values[1] = 0;
  EXPECT_EQ(integers.error(), "an integer is divided by zero");
  EXPECT_EQ(Single("add", {{{2}, {1, 2}}, {{1}, {1}}}, {2}).error(),
            "operand 1: wanted shape [2], found [1]");
  EXPECT_EQ(Single("add", {{{2}, {1, 2}}}, {2}).error(), "operands: wanted 2, found 1");
}

TEST(Ops, CompareAndSelect) {
  std::map<std::string, Tensor> answers = {{"eq", {0, 1, 0}}, {"ne", {1, 0, 1}}, {"lt", {1, 0, 0}},
                                           {"le", {1, 1, 0}}, {"gt", {0, 0, 1}}, {"ge", {0, 1, 1}}};
  Single compare("compare", {{{3}, {1, 2, 3}}, {{3}, {2, 2, 2}}}, {3}, DType::Bool);
  for (auto &[predicate, answer] : answers)
    EXPECT_EQ(compare.string("predicate", predicate).value(), answer) << predicate;
  EXPECT_EQ(compare.string("predicate", "lessThan").error(),
            "predicate: wanted eq, ne, lt, le, gt or ge, found lessThan");
  compare.operation.strings.clear();
  EXPECT_EQ(compare.error(), "attribute \"predicate\" is missing");
  EXPECT_EQ(Single("select", {{{2}, {1, 0}, DType::Bool}, {{2}, {5, 6}}, {{2}, {7, 8}}}, {2}).value(),
            (Tensor{5, 8}));
}

TEST(Ops, Cast) {
  Operand x{{4}, {-1.75, 0, 0.5, 2}};
  EXPECT_EQ(Single("cast", {x}, {4}, DType::BF16).value(), x.values);
  EXPECT_EQ(Single("cast", {x}, {4}, DType::I32).value(), (Tensor{-1, 0, 0, 2}));
  EXPECT_EQ(Single("cast", {x}, {4}, DType::Bool).value(), (Tensor{1, 0, 1, 1}));
}

TEST(Ops, Reduce) {
  Operand x{{2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};
  EXPECT_EQ(Single("reduce", {x}, {2, 1, 2}).string("kind", "sum").ints("axes", {1}).value(),
            (Tensor{9, 12, 27, 30}));
  EXPECT_EQ(Single("reduce", {x}, {1, 3, 1}).string("kind", "mean").ints("axes", {0, 2}).value(),
            (Tensor{4.5, 6.5, 8.5}));
  EXPECT_EQ(Single("reduce", {x}, {2, 3, 1}).string("kind", "max").ints("axes", {-1}).value(),
            (Tensor{2, 4, 6, 8, 10, 12}));
  EXPECT_EQ(Single("reduce", {x}, {1, 1, 1}).string("kind", "min").ints("axes", {0, 1, 2}).value(),
            (Tensor{1}));
  EXPECT_EQ(Single("reduce", {x}, {2, 3, 2}).string("kind", "sum").ints("axes", {}).value(), x.values);
  Single sum("reduce", {x}, {2, 1, 2});
  EXPECT_EQ(sum.string("kind", "sum").ints("axes", {3}).error(),
            "axes: 3 is outside a rank of 3, or twice there");
  EXPECT_EQ(sum.ints("axes", {1, 1}).error(), "axes: 1 is outside a rank of 3, or twice there");
  EXPECT_EQ(sum.ints("axes", {0}).error(), "result: wanted shape [1, 3, 2], found [2, 1, 2]");
  EXPECT_EQ(sum.ints("axes", {1}).string("kind", "product").error(),
            "kind: wanted sum, mean, max or min, found product");
  EXPECT_EQ(Single("reduce", {{{0, 2}, {}}}, {1, 2}).string("kind", "max").ints("axes", {0}).error(),
            "the max of no elements");
}

TEST(Ops, Softmax) {
  double e = std::exp(1.0);
  Operand x{{2, 2}, {0, 1, 1000, 1001}};
  expectNear(Single("softmax", {x}, {2, 2}).ints("axis", {1}).value(),
             {1 / (1 + e), e / (1 + e), 1 / (1 + e), e / (1 + e)});
  expectNear(Single("softmax", {x}, {2, 2}).ints("axis", {-2}).value(), {0, 0, 1, 1});
  EXPECT_EQ(Single("softmax", {x}, {2, 2}).ints("axis", {2}).error(), "axis 2 is outside a rank of 2");
}

TEST(Ops, Norms) {
  Operand x{{2, 2}, {1, 3, -2, 2}}, weight{{2}, {2, 10}}, bias{{2}, {100, 200}};
  double r = 1 / std::sqrt(1.0 + 0.5), s = 1 / std::sqrt(4.0 + 0.5);
  expectNear(Single("layer_norm", {x, weight, bias}, {2, 2}).real("epsilon", 0.5).value(),
             {100 - 2 * r, 200 + 10 * r, 100 - 4 * s, 200 + 20 * s});
  expectNear(Single("layer_norm", {x}, {2, 2}).real("epsilon", 0.5).value(), {-r, r, -2 * s, 2 * s});
  double t = 1 / std::sqrt(5.0 + 0.5), u = 1 / std::sqrt(4.0 + 0.5);
  expectNear(Single("rms_norm", {x, weight}, {2, 2}).real("epsilon", 0.5).value(),
             {2 * t, 30 * t, -4 * u, 20 * u});
  expectNear(Single("rms_norm", {x}, {2, 2}).real("epsilon", 0.5).value(), {t, 3 * t, -2 * u, 2 * u});
  EXPECT_EQ(Single("rms_norm", {x, {{3}, {1, 1, 1}}}, {2, 2}).real("epsilon", 0).error(),
            "operand 1: wanted shape [2], found [3]");
  EXPECT_EQ(Single("rms_norm", {x}, {2, 2}).error(), "attribute \"epsilon\" is missing");
}

TEST(Ops, EmbeddingAndGather) {
  Operand table{{3, 2}, {1, 2, 3, 4, 5, 6}}, ids{{1, 2}, {2, 0}, DType::I64};
  EXPECT_EQ(Single("embedding", {table, ids}, {1, 2, 2}).value(), (Tensor{5, 6, 1, 2}));
  ids.values[1] = 3;
  EXPECT_EQ(Single("embedding", {table, ids}, {1, 2, 2}).error(), "index 1 is 3, outside 0 to 2");
  ids.values[1] = -1;
  EXPECT_EQ(Single("embedding", {table, ids}, {1, 2, 2}).error(), "index 1 is -1, outside 0 to 2");
  Operand gradient{{2, 1}, {1, 2}}, rows{{2}, {1, 1}, DType::I64};
  EXPECT_EQ(Single("embedding_grad", {gradient, rows}, {2, 1}).value(), (Tensor{0, 3}));
  rows.values[1] = 2;
  EXPECT_EQ(Single("embedding_grad", {gradient, rows}, {2, 1}).error(), "index 1 is outside 0 to 1");
  Operand indices{{3}, {1, 1, 0}, DType::I64};
  EXPECT_EQ(Single("gather", {table, indices}, {3, 3}).ints("axis", {1}).value(),
            (Tensor{2, 2, 1, 4, 4, 3, 6, 6, 5}));
  EXPECT_EQ(Single("gather", {table, indices}, {3, 2}).ints("axis", {0}).value(), (Tensor{3, 4, 3, 4, 1, 2}));
  EXPECT_EQ(Single("gather", {table, indices}, {2, 2}).ints("axis", {0}).error(),
            "result: wanted shape [3, 2], found [2, 2]");
}

TEST(Ops, Views) {
  Operand x{{2, 3}, {1, 2, 3, 4, 5, 6}};
  EXPECT_EQ(Single("iota", {}, {2, 3}, DType::I64).ints("axis", {1}).value(), (Tensor{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(Single("iota", {}, {2, 3}, DType::I64).ints("axis", {0}).value(), (Tensor{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(Single("broadcast", {{{1, 3}, {1, 2, 3}}}, {2, 3}).value(), (Tensor{1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(Single("broadcast", {{{2, 1}, {1, 2}}}, {2, 3}).value(), (Tensor{1, 1, 1, 2, 2, 2}));
  EXPECT_EQ(Single("broadcast", {x}, {4, 3}).error(),
            "broadcast of [2, 3] to [4, 3]: wanted the same rank, and sizes that are equal or 1");
  EXPECT_EQ(Single("reshape", {x}, {3, 2}).value(), x.values);
  EXPECT_EQ(Single("reshape", {x}, {4, 2}).error(), "reshape of [2, 3] to [4, 2]: wanted as many elements");
  EXPECT_EQ(Single("copy", {x}, {2, 3}).value(), x.values);
  EXPECT_EQ(Single("transpose", {x}, {3, 2}).ints("permutation", {1, 0}).value(), (Tensor{1, 4, 2, 5, 3, 6}));
  Operand y{{2, 1, 3}, {1, 2, 3, 4, 5, 6}};
  EXPECT_EQ(Single("transpose", {y}, {3, 2, 1}).ints("permutation", {2, 0, 1}).value(),
            (Tensor{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(Single("transpose", {x}, {3, 2}).ints("permutation", {1, 1}).error(),
            "permutation [1, 1] is none of a rank of 2");
  EXPECT_EQ(Single("slice", {x}, {2, 2}).ints("offsets", {0, 1}).ints("strides", {1, 1}).value(),
            (Tensor{2, 3, 5, 6}));
  EXPECT_EQ(Single("slice", {x}, {1, 2}).ints("offsets", {1, 0}).ints("strides", {1, 2}).value(),
            (Tensor{4, 6}));
  EXPECT_EQ(Single("slice", {x}, {2, 2}).ints("offsets", {0, 2}).ints("strides", {1, 1}).error(),
            "axis 1: elements 2 to 3 are outside its size 3");
  EXPECT_EQ(Single("concat", {x, {{2, 1}, {7, 8}}}, {2, 4}).ints("axis", {1}).value(),
            (Tensor{1, 2, 3, 7, 4, 5, 6, 8}));
  EXPECT_EQ(Single("concat", {x, {{1, 3}, {7, 8, 9}}}, {3, 3}).ints("axis", {0}).value(),
            (Tensor{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(Single("concat", {x, x}, {2, 5}).ints("axis", {1}).error(),
            "axis 1: wanted 5 elements of the operands together, found 6");
}

Tensor naiveMatmul(const Tensor &a, const Tensor &b, int64_t batch, int64_t m, int64_t n, int64_t k,
                   bool shared) {
  Tensor c(static_cast<size_t>(batch * m * n), 0);
  for (int64_t z = 0; z < batch; ++z)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j)
        for (int64_t p = 0; p < k; ++p)
          c[(z * m + i) * n + j] += a[(z * m + i) * k + p] * b[((shared ? 0 : z) * k + p) * n + j];
  return c;
}

TEST(Ops, Matmul) {
  for (auto [batch, m, n, k] : {std::array<int64_t, 4>{1, 1, 1, 1},
                                {3, 7, 17, 5},
                                {2, 97, 33, 300},
                                {1, 5, 530, 260},
                                {2, 0, 3, 4},
                                {2, 3, 4, 0}})
    for (bool shared : {false, true}) {
      Operand a{{batch, m, k}, pseudo(batch * m * k)}, b{{batch, k, n}, pseudo(batch * k * n, 2)};
      if (shared)
        b = {{k, n}, pseudo(k * n, 2)};
      // Sums of at most 300 terms of size 2.
      for (int threads : {1, 3})
        expectNear(Single("matmul", {a, b}, {batch, m, n}).value(threads),
                   naiveMatmul(a.values, b.values, batch, m, n, k, shared), 1e-12);
    }
  EXPECT_EQ(Single("matmul", {{{2, 3}, pseudo(6)}, {{4, 2}, pseudo(8)}}, {2, 2}).error(),
            "operand 1: wanted shape [3, 2], found [4, 2]");
  EXPECT_EQ(Single("matmul", {{{2, 2, 3}, pseudo(12)}, {{3, 3, 2}, pseudo(18)}}, {2, 2, 2}).error(),
            "operand 1: wanted shape [2, 3, 2], found [3, 3, 2]");
  EXPECT_EQ(Single("matmul", {{{3}, pseudo(3)}, {{3, 2}, pseudo(6)}}, {2}).error(),
            "operand 0: wanted a rank of at least 2, found [3]");
}

struct AttentionCase {
  int64_t batch, heads, keyHeads, queries, keys, depth, width;
  bool causal;
  Tensor mask, bias; ///< Of shape [queries, keys], or empty.
};

Tensor naiveAttention(const AttentionCase &a, const Tensor &q, const Tensor &k, const Tensor &v,
                      double scale) {
  Tensor out(static_cast<size_t>(a.batch * a.heads * a.queries * a.width), 0);
  for (int64_t b = 0; b < a.batch; ++b)
    for (int64_t h = 0; h < a.heads; ++h)
      for (int64_t i = 0; i < a.queries; ++i) {
        int64_t kv = b * a.keyHeads + h * a.keyHeads / a.heads, z = (b * a.heads + h) * a.queries + i;
        Tensor weights(a.keys, 0);
        double sum = 0;
        for (int64_t j = 0; j < a.keys; ++j) {
          if ((a.causal && j > i + a.keys - a.queries) || (!a.mask.empty() && a.mask[i * a.keys + j] == 0))
            continue;
          double score = 0;
          for (int64_t d = 0; d < a.depth; ++d)
            score += q[z * a.depth + d] * k[(kv * a.keys + j) * a.depth + d];
          sum += weights[j] = std::exp(scale * score + (a.bias.empty() ? 0 : a.bias[i * a.keys + j]));
        }
        for (int64_t j = 0; j < a.keys && sum > 0; ++j)
          for (int64_t d = 0; d < a.width; ++d)
            out[z * a.width + d] += weights[j] / sum * v[(kv * a.keys + j) * a.width + d];
      }
  return out;
}

TEST(Ops, Attention) {
  Tensor mask(35), bias = pseudo(35, 9);
  for (size_t i = 0; i < 35; ++i)
    mask[i] = i % 3 != 0 && i >= 7; // The first query sees nothing.
  std::vector<AttentionCase> cases = {
      {1, 1, 1, 1, 1, 1, 1, false, {}, {}},    {2, 4, 2, 5, 7, 8, 3, false, {}, {}},
      {1, 2, 1, 5, 7, 8, 3, true, {}, {}},     {1, 2, 2, 7, 5, 4, 4, true, {}, {}},
      {2, 2, 1, 5, 7, 4, 2, false, mask, {}},  {2, 2, 1, 5, 7, 4, 2, true, mask, bias},
      {1, 1, 1, 100, 130, 16, 9, true, {}, {}}};
  for (const AttentionCase &a : cases) {
    Operand q{{a.batch, a.heads, a.queries, a.depth}, pseudo(a.batch * a.heads * a.queries * a.depth)};
    Operand k{{a.batch, a.keyHeads, a.keys, a.depth}, pseudo(a.batch * a.keyHeads * a.keys * a.depth, 2)};
    Operand v{{a.batch, a.keyHeads, a.keys, a.width}, pseudo(a.batch * a.keyHeads * a.keys * a.width, 3)};
    Single attention("attention", {q, k, v}, {a.batch, a.heads, a.queries, a.width});
    attention.real("scale", 0.3).ints("causal", {a.causal});
    if (!a.mask.empty()) {
      attention.operands.push_back({{a.queries, a.keys}, a.mask, DType::Bool});
      attention.ints("has_mask", {1});
    }
    if (!a.bias.empty()) {
      attention.operands.push_back({{1, 1, a.queries, a.keys}, a.bias});
      attention.ints("has_bias", {1});
    }
    for (int threads : {1, 3})
      expectNear(attention.value(threads), naiveAttention(a, q.values, k.values, v.values, 0.3), 1e-13);
  }
}

TEST(Ops, AttentionRowsThatSeeNothingAreZero) {
  // Seven queries of five keys, anchored at the last: the first two see none.
  Single attention("attention",
                   {{{1, 1, 7, 1}, Tensor(7, 1)}, {{1, 1, 5, 1}, Tensor(5, 1)}, {{1, 1, 5, 1}, Tensor(5, 2)}},
                   {1, 1, 7, 1});
  expectNear(attention.real("scale", 1).ints("causal", {1}).value(), {0, 0, 2, 2, 2, 2, 2});
  Single biased("attention",
                {{{1, 1, 1, 1}, {1}}, {{1, 1, 2, 1}, {1, 1}}, {{1, 1, 2, 1}, {5, 6}}, {{2}, {-kInf, -kInf}}},
                {1, 1, 1, 1});
  EXPECT_EQ(biased.real("scale", 1).ints("has_bias", {1}).value(), (Tensor{0}));
  biased.operands[3].values[1] = 0;
  EXPECT_EQ(biased.value(), (Tensor{6}));
}

TEST(Ops, AttentionWindow) {
  // Equal scores: each query gives the mean of the values that it sees, at most two of them, the last its
  // own.
  Single attention(
      "attention",
      {{{1, 1, 5, 1}, Tensor(5, 1)}, {{1, 1, 4, 1}, Tensor(4, 1)}, {{1, 1, 4, 1}, {2, 4, 8, 16}}},
      {1, 1, 5, 1});
  attention.real("scale", 1).ints("causal", {1}).ints("window", {2});
  expectNear(attention.value(), {0, 2, 3, 6, 12});
  EXPECT_EQ(attention.ints("window", {0}).error(), "window: wanted at least 1, found 0");
}

TEST(Ops, AttentionSoftCap) {
  // Scores 3 q = 3 and -6 capped at 2, then a bias.
  Single attention("attention",
                   {{{1, 1, 1, 1}, {1}}, {{1, 1, 2, 1}, {1, -2}}, {{1, 1, 2, 1}, {0, 1}}, {{2}, {0.5, 0}}},
                   {1, 1, 1, 1});
  attention.real("scale", 3).real("softcap", 2).ints("has_bias", {1});
  double first = std::exp(2 * std::tanh(1.5) + 0.5), second = std::exp(2 * std::tanh(-3.0));
  expectNear(attention.value(), {second / (first + second)}, 1e-15);
  EXPECT_EQ(attention.real("softcap", 0).error(), "softcap: wanted a positive number, found 0.000000");
}

TEST(Ops, RankErrors) {
  EXPECT_EQ(Single("attention", {{{2}, {1, 2}}, {{2}, {1, 2}}, {{2}, {1, 2}}}, {2}).error(),
            "operand 0: wanted rank 4, found [2]");
  EXPECT_EQ(Single("embedding", {{{2}, {1, 2}}, {{1}, {0}}}, {1, 1}).error(),
            "table: wanted rank 2, found [2]");
  EXPECT_EQ(Single("embedding_grad", {{{1}, {0}}, {{1, 2}, {1, 2}}}, {2}).error(),
            "result: wanted rank 2, found [2]");
  EXPECT_EQ(Single("iota", {}, {2}).ints("axis", {0, 1}).error(),
            "attribute \"axis\": wanted one number, found 2");
}

TEST(Ops, AttentionErrors) {
  Single attention("attention",
                   {{{1, 3, 2, 4}, pseudo(24)}, {{1, 2, 2, 4}, pseudo(16)}, {{1, 2, 2, 4}, pseudo(16)}},
                   {1, 3, 2, 4});
  attention.real("scale", 1);
  EXPECT_EQ(attention.error(), "heads: 3 of q are no multiple of 2 of k");
  attention.ints("has_mask", {1});
  EXPECT_EQ(attention.error(), "operands: wanted 4, found 3");
  Single masked(
      "attention",
      {{{1, 1, 2, 1}, pseudo(2)}, {{1, 1, 2, 1}, pseudo(2)}, {{1, 1, 2, 1}, pseudo(2)}, {{3}, pseudo(3)}},
      {1, 1, 2, 1});
  EXPECT_EQ(masked.real("scale", 1).ints("has_mask", {1}).error(),
            "operand 3: [3] does not broadcast to [1, 1, 2, 2]");
}

} // namespace
