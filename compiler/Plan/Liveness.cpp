//===- Liveness.cpp - When each buffer of a program lives -----------------===//
#include "compiler/Plan/Liveness.h"

#include "llvm/ADT/DenseMap.h"

using namespace heddle::plan;

llvm::SmallVector<BufferLife> heddle::plan::computeLiveness(ProgramOp program) {
  llvm::SmallVector<BufferLife> lives;
  llvm::DenseMap<mlir::StringAttr, size_t> indices;
  for (BufferOp buffer : program.getBuffers()) {
    indices[buffer.getSymNameAttr()] = lives.size();
    lives.emplace_back().buffer = buffer;
  }
  for (auto [number, step] : llvm::enumerate(program.getSteps()))
    for (RefAttr ref : step.getRefs()) {
      BufferLife &life = lives[indices.at(ref.getBuffer().getAttr())];
      if (life.first < 0) {
        life.first = static_cast<int32_t>(number);
        life.firstStep = step;
      }
      life.last = static_cast<int32_t>(number);
      life.lastStep = step;
    }
  return lives;
}

void heddle::plan::moveInitStepsFirst(ProgramOp program) {
  mlir::Operation *firstLater = nullptr; // The first step of another phase.
  for (StepInterface step : program.getSteps()) {
    if (step.getPhase() != Phase::Init) {
      if (!firstLater)
        firstLater = step;
    } else if (firstLater) {
      step->moveBefore(firstLater);
    }
  }
}

bool heddle::plan::isPlacedOutput(const BufferLife &life) {
  BufferOp buffer = life.buffer;
  StepInterface first = life.firstStep;
  return buffer.getRole() == Role::Output && life.first >= 0 && first.getPhase() != Phase::Init;
}

bool heddle::plan::livesBetweenSteps(Role role) { return role == Role::Scratch || role == Role::Saved; }
