#include "compiler/Precision/PolicyTable.h"

using namespace heddle;

static constexpr PolicyRule kRules[] = {
    {"matmul", PolicyRole::Any, TypeRule::Low, "f32"},
    {"attention", PolicyRole::Any, TypeRule::Low, "f32"},
    {"attention_grad", PolicyRole::Any, TypeRule::Low, "f32"},
    {"add", PolicyRole::BiasOfProduct, TypeRule::Low, ""},
    {"softmax", PolicyRole::Any, TypeRule::Single, "f32"},
    {"softmax_grad", PolicyRole::Any, TypeRule::Single, "f32"},
    {"cross_entropy", PolicyRole::Any, TypeRule::Always, "f32"},
    {"cross_entropy_grad", PolicyRole::Any, TypeRule::Single, "f32"},
    {"rms_norm", PolicyRole::Any, TypeRule::Single, "f32"},
    {"layer_norm", PolicyRole::Any, TypeRule::Single, "f32"},
    {"pow", PolicyRole::Any, TypeRule::Single, ""},
    {"exp", PolicyRole::Any, TypeRule::Single, ""},
    {"log", PolicyRole::Any, TypeRule::Single, ""},
    {"rsqrt", PolicyRole::Any, TypeRule::Single, ""},
    {"reciprocal", PolicyRole::Any, TypeRule::Single, ""},
    {"reduce", PolicyRole::Sum, TypeRule::Single, "f32"},
    {"reduce", PolicyRole::Any, TypeRule::Follow, "f32"},
    {"add", PolicyRole::Any, TypeRule::Widest, ""},
    {"sub", PolicyRole::Any, TypeRule::Widest, ""},
    {"mul", PolicyRole::Any, TypeRule::Widest, ""},
    {"mul", PolicyRole::AttentionDelta, TypeRule::Inside, ""},
    {"div", PolicyRole::Any, TypeRule::Widest, ""},
    {"maximum", PolicyRole::Any, TypeRule::Widest, ""},
    {"minimum", PolicyRole::Any, TypeRule::Widest, ""},
    {"compare", PolicyRole::Any, TypeRule::Widest, ""},
    {"select", PolicyRole::Any, TypeRule::Widest, ""},
    {"silu_grad", PolicyRole::Any, TypeRule::Widest, ""},
    {"gelu_grad", PolicyRole::Any, TypeRule::Widest, ""},
    {"concat", PolicyRole::Any, TypeRule::Widest, ""},
    {"neg", PolicyRole::Any, TypeRule::Follow, ""},
    {"abs", PolicyRole::Any, TypeRule::Follow, ""},
    {"sqrt", PolicyRole::Any, TypeRule::Follow, ""},
    {"tanh", PolicyRole::Any, TypeRule::Follow, ""},
    {"sigmoid", PolicyRole::Any, TypeRule::Follow, ""},
    {"erf", PolicyRole::Any, TypeRule::Follow, ""},
    {"sin", PolicyRole::Any, TypeRule::Follow, ""},
    {"cos", PolicyRole::Any, TypeRule::Follow, ""},
    {"relu", PolicyRole::Any, TypeRule::Follow, ""},
    {"silu", PolicyRole::Any, TypeRule::Follow, ""},
    {"gelu", PolicyRole::Any, TypeRule::Follow, ""},
    {"dropout", PolicyRole::Any, TypeRule::Follow, ""},
    {"copy", PolicyRole::Any, TypeRule::Follow, ""},
    {"reshape", PolicyRole::Any, TypeRule::Follow, ""},
    {"transpose", PolicyRole::Any, TypeRule::Follow, ""},
    {"slice", PolicyRole::Any, TypeRule::Follow, ""},
    {"broadcast", PolicyRole::Any, TypeRule::Follow, ""},
    {"embedding_grad", PolicyRole::Any, TypeRule::Follow, "f32"},
    {"embedding", PolicyRole::Any, TypeRule::Fixed, ""},
    {"parameter", PolicyRole::Any, TypeRule::Fixed, ""},
    {"constant", PolicyRole::Any, TypeRule::Fixed, ""},
    {"iota", PolicyRole::Any, TypeRule::Fixed, ""},
    {"cast", PolicyRole::Any, TypeRule::Fixed, ""},
};

const PolicyRule *heddle::findPolicyRule(std::string_view op, PolicyRole role) {
  const PolicyRule *any = nullptr;
  for (const PolicyRule &rule : kRules) {
    if (op != rule.op)
      continue;
    if (rule.role == role)
      return &rule;
    if (rule.role == PolicyRole::Any)
      any = &rule;
  }
  return any;
}

static const char *textOf(PolicyRole role) {
  switch (role) {
  case PolicyRole::Any:
    return "";
  case PolicyRole::BiasOfProduct:
    return "bias of a product";
  case PolicyRole::Sum:
    return "sum";
  case PolicyRole::AttentionDelta:
    return "delta of attention_grad";
  }
  return "";
}

static const char *textOf(TypeRule rule) {
  switch (rule) {
  case TypeRule::Low:
    return "bf16";
  case TypeRule::Single:
  case TypeRule::Always:
  case TypeRule::Inside:
    return "f32";
  case TypeRule::Widest:
    return "widest operand";
  case TypeRule::Follow:
    return "operand";
  case TypeRule::Fixed:
    return "as written";
  }
  return "";
}

std::vector<PolicyRow> heddle::policyRows(std::string_view policy) {
  std::vector<PolicyRow> rows;
  if (policy == "bf16" || policy == "bf16-true")
    for (const PolicyRule &rule : kRules) {
      bool widened = policy == "bf16" || rule.rule != TypeRule::Single;
      const char *type = textOf(widened ? rule.rule : TypeRule::Widest);
      rows.push_back({rule.op, textOf(rule.role), type, rule.accumulate, type});
    }
  // Without casts every op computes in the types that the graph has; tf32 rounds what products multiply.
  if (policy == "fp32" || policy == "tf32")
    for (const PolicyRule &rule : kRules) {
      if (rule.role != PolicyRole::Any)
        continue;
      bool product = std::string_view(rule.op) == "matmul";
      rows.push_back(
          {rule.op, "", product && policy == "tf32" ? "tf32" : "as written", rule.accumulate, "as written"});
    }
  return rows;
}
