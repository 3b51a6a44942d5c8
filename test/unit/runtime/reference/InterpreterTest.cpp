//===- InterpreterTest.cpp - Programs of several operations ---------------===//
#include "runtime/reference/Program.h"

#include <gtest/gtest.h>

using namespace heddle::runtime;
using namespace heddle::runtime::reference;

namespace {

Operation op(const char *name, std::vector<int32_t> operands, int32_t result, const char *location = "") {
  Operation operation;
  operation.name = name;
  operation.operands = std::move(operands);
  operation.results = {result};
  operation.location = location;
  return operation;
}

/// out = (x + two) * w, where two is splat and w has two parts; also = x + two.
Program sample() {
  Program program;
  for (int i = 0; i < 5; ++i)
    program.values.push_back({DType::F32, {4}});
  program.inputs = {{"x", 0}};
  program.constants = {{{2}, 1}};
  program.parameters = {{{{"w.first", {1}, 0}, {"w.rest", {3}, 1}}, 2}};
  program.operations = {op("add", {0, 1}, 3), op("mul", {3, 2}, 4, "layer 3")};
  program.outputs = {{"out", 4}, {"also", 3}};
  return program;
}

StatusOr<Tensor> readPart(const ParameterPart &part) {
  return part.name == "w.first" ? Tensor{10} : Tensor{1, 2, 3};
}

std::string message(const Program &program,
                    const std::map<std::string, Tensor> &inputs = {{"x", {1, 2, 3, 4}}},
                    const ParameterReader &reader = readPart) {
  return execute(program, inputs, reader, 1).status().message();
}

TEST(Interpreter, RunsAProgram) {
  auto outputs = execute(sample(), {{"x", {1, 2, 3, 4}}}, readPart, 2);
  ASSERT_TRUE(outputs.isOk()) << outputs.status().message();
  EXPECT_EQ(outputs->at("out"), (Tensor{30, 4, 10, 18}));
  EXPECT_EQ(outputs->at("also"), (Tensor{3, 4, 5, 6}));
}

TEST(Interpreter, AnInputMayBeAnOutput) {
  Program program = sample();
  program.outputs.emplace_back("x too", 0);
  EXPECT_EQ(execute(program, {{"x", {1, 2, 3, 4}}}, readPart, 1)->at("x too"), (Tensor{1, 2, 3, 4}));
}

TEST(Interpreter, InputErrors) {
  EXPECT_EQ(message(sample(), {}), "reference: input x is not given");
  EXPECT_EQ(message(sample(), {{"x", {1}}}), "reference: input x: shape [4] wants 4 elements, found 1");
  EXPECT_EQ(message(sample(), {{"x", {1, 2, 3, 4}}, {"y", {}}}),
            "reference: the program has no input named \"y\"; it has x");
}

TEST(Interpreter, ParameterErrors) {
  EXPECT_EQ(message(sample(), {{"x", {1, 2, 3, 4}}}, nullptr), "reference: parameter w.first is not given");
  EXPECT_EQ(message(sample(), {{"x", {1, 2, 3, 4}}},
                    [](const ParameterPart &) -> StatusOr<Tensor> {
                      return Tensor{1, 2};
                    }),
            "reference: parameter w.first: shape [1] wants 1 elements, found 2");
  EXPECT_EQ(message(sample(), {{"x", {1, 2, 3, 4}}},
                    [](const ParameterPart &) -> StatusOr<Tensor> { return invalidInput("no file"); }),
            "reference: no file");
  Program program = sample();
  program.parameters[0].first[1].elementOffset = 2;
  EXPECT_EQ(message(program), "reference: parameter w.rest at element 2 is outside its buffer of 4");
}

TEST(Interpreter, OperationErrors) {
  Program program = sample();
  program.operations[1].name = "warp";
  EXPECT_EQ(message(program),
            "reference: operation 1 (warp) at layer 3: the reference does not know this operation");
  program = sample();
  program.operations[0].operands[0] = 9;
  EXPECT_EQ(message(program), "reference: operation 0 (add): operand: wanted a value below 5, found 9");
  program = sample();
  program.operations[0].results = {};
  EXPECT_EQ(message(program), "reference: operation 0 (add): wanted one result, found 0");
  program = sample();
  std::swap(program.operations[0], program.operations[1]);
  EXPECT_EQ(message(program),
            "reference: operation 0 (mul) at layer 3: value 3 is used before it is computed");
  program = sample();
  program.operations[1].results = {0};
  EXPECT_EQ(message(program), "reference: operation 1 (mul) at layer 3: value 0 is computed twice");
  program = sample();
  program.operations.pop_back();
  EXPECT_EQ(message(program), "output out is computed by no operation");
  program = sample();
  program.values[4].shape = {-1};
  EXPECT_EQ(message(program),
            "reference: operation 1 (mul) at layer 3: result: shape [-1] is negative or too large");
}

TEST(Interpreter, ConstantErrors) {
  Program program = sample();
  program.constants[0].first = {1, 2};
  EXPECT_EQ(message(program), "reference: constant 1: shape [4] wants 4 elements, found 2");
}

} // namespace
