//===- TestProgram.h - Programs from text -----------------------*- C++ -*-===//
#ifndef HEDDLE_TEST_UNIT_COMPILER_PLAN_TESTPROGRAM_H
#define HEDDLE_TEST_UNIT_COMPILER_PLAN_TESTPROGRAM_H

#include "dialects/Kernel/KernelDialect.h"
#include "dialects/Plan/PlanDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <string>

namespace heddle::plan {

/// A module of one program, in a context of its own.
struct TestProgram {
  explicit TestProgram(const std::string &body, const std::string &device = "cuda") {
    context.loadDialect<PlanDialect, heddle::kernel::KernelDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(
        "plan.program @plan attributes {model = \"m\", device = \"" + device +
            "\", target = \"t\", pipeline = \"compiled\", mode = \"forward\", precision = \"fp32\", symbols "
            "= {}} {" +
            body + "}",
        &context);
  }
  ProgramOp program() { return *module->getOps<ProgramOp>().begin(); }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// As the printer writes it.
inline std::string textOf(mlir::Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream);
  return text;
}

} // namespace heddle::plan

#endif // HEDDLE_TEST_UNIT_COMPILER_PLAN_TESTPROGRAM_H
