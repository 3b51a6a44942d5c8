//===- PolicyTable.h - Which op computes in which type ----------*- C++ -*-===//
//
// The precision policies as data. The precision pass reads the rules, `explain --precision` prints the rows:
// one table for both. The bf16 policy is that of torch.autocast (its lists of ops that run in the lower type,
// in float32, or in the widest type of their operands).
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_COMPILER_PRECISION_POLICYTABLE_H
#define HEDDLE_COMPILER_PRECISION_POLICYTABLE_H

#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// How an op's types follow from its operands'.
enum class TypeRule {
  Low,    ///< Operands are cast to the policy's low type, and so is the result.
  Single, ///< Operands are cast to float32, which the result has too; under bf16-true it is Widest.
  Always, ///< Single under every policy: losses.
  Widest, ///< Operands are cast to the widest of their types, which the result has too. Constants do not
          ///< count.
  Follow, ///< The operand's type.
  Inside, ///< float32 inside its kernel under every policy: operands are widened as they are read.
  Fixed,  ///< As written: leaves, tables, and casts that the user wrote.
};

/// What an op is for, where one op has several rules.
enum class PolicyRole { Any, BiasOfProduct, Sum, AttentionDelta };

struct PolicyRule {
  const char *op; ///< Mnemonic in the graph dialect.
  PolicyRole role;
  TypeRule rule;
  const char *accumulate; ///< Type of its sums; "" where it has none.
};

/// The rule of an op under bf16; ops that are not in the table are Fixed. Under bf16-true what is Single here
/// is Widest, all else as under bf16.
const PolicyRule *findPolicyRule(std::string_view op, PolicyRole role);

/// A row of the table as people read it.
struct PolicyRow {
  std::string op;
  std::string role;       ///< "" for any.
  std::string compute;    ///< What its operands are taken as.
  std::string accumulate; ///< "" where it has no sums.
  std::string result;
};

/// All rows under a policy (fp32, tf32, bf16 or bf16-true), in the table's order; empty for another name.
std::vector<PolicyRow> policyRows(std::string_view policy);

} // namespace heddle

#endif // HEDDLE_COMPILER_PRECISION_POLICYTABLE_H
