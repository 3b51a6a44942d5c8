#include "compiler/Target/CPU/CpuTarget.h"

using namespace heddle::cpu;

// 16 registers of 8 lanes with AVX2, 32 of 16 lanes with AVX-512.
static constexpr CpuTarget kTargets[] = {{"x86-64-v3", 8, 4, 2}, {"x86-64-v4", 16, 4, 4}};

std::optional<CpuTarget> heddle::cpu::lookupCpuTarget(llvm::StringRef name) {
  for (const CpuTarget &target : kTargets)
    if (target.name == name)
      return target;
  return std::nullopt;
}
