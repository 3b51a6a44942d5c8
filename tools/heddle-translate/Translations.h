//===- Translations.h - The translations of heddle-translate ----*- C++ -*-===//
#ifndef HEDDLE_TOOLS_HEDDLE_TRANSLATE_TRANSLATIONS_H
#define HEDDLE_TOOLS_HEDDLE_TRANSLATE_TRANSLATIONS_H

namespace heddle {

/// --kernel-to-cuda: legal kernel dialect to CUDA C++.
void registerKernelToCuda();

} // namespace heddle

#endif // HEDDLE_TOOLS_HEDDLE_TRANSLATE_TRANSLATIONS_H
