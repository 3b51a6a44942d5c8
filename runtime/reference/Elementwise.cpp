//===- Elementwise.cpp - Operations on one element at a time --------------===//
#include "runtime/base/Dropout.h"
#include "runtime/reference/Ops.h"

#include <cmath>

namespace heddle::runtime::reference {

namespace {

template <double (*Fn)(double)>
Status unary(Context &c) {
  HEDDLE_RETURN_IF_ERROR(c.wantOperands(1, 1));
  HEDDLE_RETURN_IF_ERROR(c.wantShape("result", c.resultShape(), c.operandShape(0)));
  const double *x = c.operand(0);
  double *y = c.result();
  c.pool.parallelFor(elementCount(c.resultShape()), kGrain, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      y[i] = Fn(x[i]);
  });
  return Status::ok();
}

template <double (*Fn)(double, double)>
Status binary(Context &c) {
  HEDDLE_RETURN_IF_ERROR(c.wantOperands(2, 2));
  HEDDLE_RETURN_IF_ERROR(c.wantShape("operand 0", c.operandShape(0), c.resultShape()));
  HEDDLE_RETURN_IF_ERROR(c.wantShape("operand 1", c.operandShape(1), c.resultShape()));
  const double *a = c.operand(0), *b = c.operand(1);
  double *y = c.result();
  c.pool.parallelFor(elementCount(c.resultShape()), kGrain, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      y[i] = Fn(a[i], b[i]);
  });
  return Status::ok();
}

double neg(double x) { return -x; }
double exponential(double x) { return std::exp(x); }
double logarithm(double x) { return std::log(x); }
double squareRoot(double x) { return std::sqrt(x); }
double rsqrt(double x) { return 1 / std::sqrt(x); }
double hyperbolicTangent(double x) { return std::tanh(x); }
double sigmoid(double x) { return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }
double errorFunction(double x) { return std::erf(x); }
double sine(double x) { return std::sin(x); }
double cosine(double x) { return std::cos(x); }
double absolute(double x) { return std::fabs(x); }
double relu(double x) { return x <= 0 ? 0 : x; } // A NaN stays one.
double silu(double x) { return x * sigmoid(x); }
double logicalNot(double x) { return x == 0; }
double reciprocal(double x) { return 1 / x; }
double identity(double x) { return x; }
double truncation(double x) { return std::trunc(x); }
double truth(double x) { return x != 0; }
double siluGrad(double x, double gradient) {
  double s = sigmoid(x);
  return gradient * s * (1 + x * (1 - s));
}
double geluErf(double x) { return 0.5 * x * (1 + std::erf(x * M_SQRT1_2)); }
/// Hendrycks and Gimpel's approximation, as PyTorch's approximate="tanh".
double geluTanh(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

double geluErfGrad(double x, double gradient) {
  return gradient * (0.5 * (1 + std::erf(x * M_SQRT1_2)) + x * std::exp(-0.5 * x * x) / std::sqrt(2 * M_PI));
}
double geluTanhGrad(double x, double gradient) {
  double a = std::sqrt(2 / M_PI), t = std::tanh(a * (x + 0.044715 * x * x * x));
  return gradient * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * a * (1 + 3 * 0.044715 * x * x));
}

double add(double a, double b) { return a + b; }
double sub(double a, double b) { return a - b; }
double mul(double a, double b) { return a * b; }
double quotient(double a, double b) { return a / b; }
double power(double a, double b) { return std::pow(a, b); }
/// NaN where either is: std::max would drop one.
double maximum(double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : a > b ? a : b; }
double minimum(double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : a < b ? a : b; }
double logicalAnd(double a, double b) { return a != 0 && b != 0; }
double logicalOr(double a, double b) { return a != 0 || b != 0; }
double eq(double a, double b) { return a == b; }
double ne(double a, double b) { return a != b; }
double lt(double a, double b) { return a < b; }
double le(double a, double b) { return a <= b; }
double gt(double a, double b) { return a > b; }
double ge(double a, double b) { return a >= b; }
double truncatedQuotient(double a, double b) { return std::trunc(a / b); }

/// Integers divide as in C, toward zero; by zero is an error and not an infinity.
Status divide(Context &c) {
  if (isFloating(c.resultType()))
    return binary<quotient>(c);
  HEDDLE_RETURN_IF_ERROR(c.wantOperands(2, 2));
  for (double divisor : *c.operands[1])
    if (divisor == 0)
      return invalidInput("an integer is divided by zero");
  return binary<truncatedQuotient>(c);
}

Status gelu(Context &c) {
  std::string approximate = c.stringOr("approximate", "none");
  if (approximate == "none")
    return unary<geluErf>(c);
  if (approximate == "tanh")
    return unary<geluTanh>(c);
  return invalidInput("approximate: wanted none or tanh, found " + approximate);
}

Status geluGrad(Context &c) {
  std::string approximate = c.stringOr("approximate", "none");
  if (approximate == "none")
    return binary<geluErfGrad>(c);
  if (approximate == "tanh")
    return binary<geluTanhGrad>(c);
  return invalidInput("approximate: wanted none or tanh, found " + approximate);
}

/// Between floating types the reference does not round.
Status cast(Context &c) {
  HEDDLE_RETURN_IF_ERROR(c.wantOperands(1, 1));
  if (c.resultType() == DType::Bool)
    return unary<truth>(c);
  if (!isFloating(c.resultType()) && isFloating(c.operandType(0)))
    return unary<truncation>(c);
  return unary<identity>(c);
}

Status compare(Context &c) {
  static const Handlers predicates = {{"eq", binary<eq>}, {"ne", binary<ne>}, {"lt", binary<lt>},
                                      {"le", binary<le>}, {"gt", binary<gt>}, {"ge", binary<ge>}};
  HEDDLE_ASSIGN_OR_RETURN(std::string predicate, c.string("predicate"));
  auto found = predicates.find(predicate);
  if (found == predicates.end())
    return invalidInput("predicate: wanted eq, ne, lt, le, gt or ge, found " + predicate);
  return found->second.run(c);
}

Status select(Context &c) {
  HEDDLE_RETURN_IF_ERROR(c.wantOperands(3, 3));
  for (size_t i = 0; i < 3; ++i)
    HEDDLE_RETURN_IF_ERROR(c.wantShape("operand " + std::to_string(i), c.operandShape(i), c.resultShape()));
  const double *condition = c.operand(0), *a = c.operand(1), *b = c.operand(2);
  double *y = c.result();
  c.pool.parallelFor(elementCount(c.resultShape()), kGrain, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      y[i] = condition[i] != 0 ? a[i] : b[i];
  });
  return Status::ok();
}

Status dropout(Context &c) {
  HEDDLE_RETURN_IF_ERROR(c.wantOperands(3, 3));
  for (size_t i = 0; i < 3; ++i)
    HEDDLE_RETURN_IF_ERROR(c.wantShape("operand " + std::to_string(i), c.operandShape(i), c.resultShape()));
  HEDDLE_ASSIGN_OR_RETURN(int64_t layer, c.integer("layer"));
  HEDDLE_ASSIGN_OR_RETURN(double probability, c.real("probability"));
  int64_t threshold = dropoutThreshold(probability);
  double scale = dropoutScale(probability);
  const double *x = c.operand(0), *index = c.operand(1), *key = c.operand(2);
  double *y = c.result();
  c.pool.parallelFor(elementCount(c.resultShape()), kGrain, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      uint32_t bits = dropoutBits(static_cast<int64_t>(key[i]), layer, static_cast<uint32_t>(index[i]));
      y[i] = bits >> 1 >= threshold ? x[i] * scale : 0;
    }
  });
  return Status::ok();
}

} // namespace

void addElementwise(Handlers &handlers) {
  handlers.insert({
      {"neg", unary<neg>},
      {"exp", unary<exponential>},
      {"log", unary<logarithm>},
      {"sqrt", unary<squareRoot>},
      {"rsqrt", unary<rsqrt>},
      {"tanh", unary<hyperbolicTangent>},
      {"sigmoid", unary<sigmoid>},
      {"erf", unary<errorFunction>},
      {"sin", unary<sine>},
      {"cos", unary<cosine>},
      {"abs", unary<absolute>},
      {"relu", unary<relu>},
      {"silu", unary<silu>},
      {"gelu", gelu},
      {"gelu_grad", geluGrad},
      {"silu_grad", binary<siluGrad>},
      {"not", unary<logicalNot>},
      {"reciprocal", unary<reciprocal>},
      {"cast", cast},
      {"add", binary<add>},
      {"sub", binary<sub>},
      {"mul", binary<mul>},
      {"div", divide},
      {"pow", binary<power>},
      {"maximum", binary<maximum>},
      {"minimum", binary<minimum>},
      {"and", binary<logicalAnd>},
      {"or", binary<logicalOr>},
      {"compare", compare},
      {"select", select},
      {"dropout", dropout},
  });
}

} // namespace heddle::runtime::reference
