//===- Single.h - Programs of one operation ---------------------*- C++ -*-===//
#ifndef HEDDLE_TEST_UNIT_RUNTIME_REFERENCE_SINGLE_H
#define HEDDLE_TEST_UNIT_RUNTIME_REFERENCE_SINGLE_H

#include "runtime/reference/Program.h"

#include <gtest/gtest.h>

namespace heddle::runtime::reference {

struct Operand {
  std::vector<int64_t> shape;
  Tensor values;
  DType dtype = DType::F32;
};

/// One operation, its operands as inputs "0", "1", … and its result as output "out".
struct Single {
  Operation operation;
  std::vector<Operand> operands;
  Value result;

  Single(std::string name, std::vector<Operand> operands, std::vector<int64_t> shape,
         DType dtype = DType::F32)
      : operands(std::move(operands)), result{dtype, std::move(shape)} {
    operation.name = std::move(name);
  }
  Single &ints(const std::string &key, std::vector<int64_t> value) {
    operation.ints[key] = std::move(value);
    return *this;
  }
  Single &real(const std::string &key, double value) {
    operation.floats[key] = value;
    return *this;
  }
  Single &string(const std::string &key, const std::string &value) {
    operation.strings[key] = value;
    return *this;
  }

  StatusOr<Tensor> run(int threads = 2) const {
    Program program;
    std::map<std::string, Tensor> inputs;
    Operation op = operation;
    for (size_t i = 0; i < operands.size(); ++i) {
      program.values.push_back({operands[i].dtype, operands[i].shape});
      program.inputs.emplace_back(std::to_string(i), static_cast<int32_t>(i));
      inputs[std::to_string(i)] = operands[i].values;
      op.operands.push_back(static_cast<int32_t>(i));
    }
    program.values.push_back(result);
    op.results = {static_cast<int32_t>(operands.size())};
    program.outputs.emplace_back("out", op.results[0]);
    program.operations.push_back(op);
    auto outputs = execute(program, inputs, nullptr, threads);
    if (!outputs.isOk())
      return std::move(outputs).status();
    return outputs->at("out");
  }
  Tensor value(int threads = 2) const {
    auto tensor = run(threads);
    EXPECT_TRUE(tensor.isOk()) << tensor.status().message();
    return tensor.isOk() ? *tensor : Tensor();
  }
  /// The message without its context.
  std::string error() const {
    auto tensor = run();
    std::string prefix = "reference: operation 0 (" + operation.name + "): ",
                message = tensor.status().message();
    EXPECT_FALSE(tensor.isOk());
    EXPECT_EQ(message.substr(0, prefix.size()), prefix);
    return message.size() < prefix.size() ? message : message.substr(prefix.size());
  }
};

} // namespace heddle::runtime::reference

#endif // HEDDLE_TEST_UNIT_RUNTIME_REFERENCE_SINGLE_H
