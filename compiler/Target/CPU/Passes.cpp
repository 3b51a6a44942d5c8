#include "compiler/Target/CPU/Passes.h"

namespace heddle {
#define GEN_PASS_REGISTRATION
#include "compiler/Target/CPU/Passes.h.inc"
} // namespace heddle

void heddle::registerCpuTargetPasses() { registerHeddleCpuPasses(); }
