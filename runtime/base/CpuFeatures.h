//===- CpuFeatures.h - What this processor can do ---------------*- C++ -*-===//
//
// One place decides which vector instructions may be used: the CPU device's target, the product library's
// core type and the runtime's own loops all ask here.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_BASE_CPUFEATURES_H
#define HEDDLE_RUNTIME_BASE_CPUFEATURES_H

#include <string>

namespace heddle::runtime {

/// The x86-64 micro-architecture levels of the psABI that Heddle makes code for. A level is reported only
/// where the processor has its instructions and the operating system saves their registers.
enum class CpuLevel {
  Baseline, ///< Below x86-64-v3.
  V3,       ///< AVX2, FMA, F16C, BMI: "x86-64-v3".
  V4,       ///< AVX-512 F, BW, CD, DQ and VL: "x86-64-v4".
};

/// "x86-64-v4", "x86-64-v3"; "x86-64" below.
std::string nameOf(CpuLevel level);
/// This processor's level; found once.
CpuLevel cpuLevel();
/// Whether this processor runs code of a level by its name.
bool cpuRuns(const std::string &target);
/// Whether it also has AVX512_BF16, which tells the newer AVX-512 cores from the older.
bool cpuHasAvx512Bf16();
/// Whether the maker is AMD.
bool cpuIsAmd();
/// The processor's own name: "AMD EPYC".
std::string cpuName();

/// Defines NAME, which runs BODY (an always-inlined function of the same parameters) compiled for the best
/// level of this processor. The bodies are plain loops: the compiler vectorises each copy for its level.
#define HEDDLE_ALWAYS_INLINE inline __attribute__((always_inline))
#define HEDDLE_TARGET_V3 __attribute__((target("avx2,fma,f16c,bmi,bmi2")))
// GCC takes 256-bit vectors on most AVX-512 processors unless it is told; Clang does not know the word.
#ifdef __clang__
#define HEDDLE_VECTOR_WIDTH ""
#else
#define HEDDLE_VECTOR_WIDTH ",prefer-vector-width=512"
#endif
#define HEDDLE_TARGET_V4                                                                                     \
  __attribute__((                                                                                            \
      target("avx2,fma,f16c,bmi,bmi2,avx512f,avx512bw,avx512cd,avx512dq,avx512vl" HEDDLE_VECTOR_WIDTH)))
#define HEDDLE_DISPATCH(NAME, BODY, PARAMETERS, ARGUMENTS)                                                   \
  HEDDLE_TARGET_V4 static void NAME##V4 PARAMETERS { BODY ARGUMENTS; }                                       \
  HEDDLE_TARGET_V3 static void NAME##V3 PARAMETERS { BODY ARGUMENTS; }                                       \
  static void NAME##Baseline PARAMETERS { BODY ARGUMENTS; }                                                  \
  [[maybe_unused]] static void NAME PARAMETERS {                                                             \
    switch (::heddle::runtime::cpuLevel()) {                                                                 \
    case ::heddle::runtime::CpuLevel::V4:                                                                    \
      return NAME##V4 ARGUMENTS;                                                                             \
    case ::heddle::runtime::CpuLevel::V3:                                                                    \
      return NAME##V3 ARGUMENTS;                                                                             \
    case ::heddle::runtime::CpuLevel::Baseline:                                                              \
      return NAME##Baseline ARGUMENTS;                                                                       \
    }                                                                                                        \
  }

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_BASE_CPUFEATURES_H
