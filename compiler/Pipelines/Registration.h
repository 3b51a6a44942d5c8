//===- Registration.h - All dialects and passes of the project --*- C++ -*-===//
#ifndef HEDDLE_COMPILER_PIPELINES_REGISTRATION_H
#define HEDDLE_COMPILER_PIPELINES_REGISTRATION_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace heddle {

/// The project's dialects and the upstream ones that its passes make.
void registerDialects(mlir::DialectRegistry &registry);
/// Every pass, with the upstream canonicalizer and CSE, for tools that take pass names.
void registerPasses();

} // namespace heddle

#endif // HEDDLE_COMPILER_PIPELINES_REGISTRATION_H
