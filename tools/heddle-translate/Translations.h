//===- Translations.h - What heddle-translate knows -------------*- C++ -*-===//
#ifndef HEDDLE_TOOLS_HEDDLE_TRANSLATE_TRANSLATIONS_H
#define HEDDLE_TOOLS_HEDDLE_TRANSLATE_TRANSLATIONS_H

namespace heddle {

/// --plan-to-artifact, --artifact-to-plan, --artifact-to-memory-report.
void registerPlanTranslations();
/// --kernel-to-cuda: legal kernel dialect to CUDA C++.
void registerKernelToCuda();

} // namespace heddle

#endif // HEDDLE_TOOLS_HEDDLE_TRANSLATE_TRANSLATIONS_H
