//===- CpuFeatures.cpp - What this processor can do -----------------------===//
#include "runtime/base/CpuFeatures.h"

#include <cpuid.h>

#include <cstdint>
#include <cstring>

namespace heddle::runtime {

bool cpuRuns(const std::string &target) {
  for (CpuLevel level : {CpuLevel::Baseline, CpuLevel::V3, CpuLevel::V4})
    if (target == nameOf(level))
      return level <= cpuLevel();
  return false;
}

std::string nameOf(CpuLevel level) {
  switch (level) {
  case CpuLevel::V4:
    return "x86-64-v4";
  case CpuLevel::V3:
    return "x86-64-v3";
  case CpuLevel::Baseline:
    break;
  }
  return "x86-64";
}

namespace {

struct Registers {
  uint32_t a = 0, b = 0, c = 0, d = 0;
};

Registers cpuid(uint32_t leaf, uint32_t subleaf = 0) {
  Registers r;
  if (__get_cpuid_max(leaf & 0x80000000u, nullptr) >= leaf)
    __cpuid_count(leaf, subleaf, r.a, r.b, r.c, r.d);
  return r;
}

bool bit(uint32_t word, int index) { return (word >> index) & 1; }

/// XCR0: which register files the operating system saves. Only valid where CPUID says OSXSAVE.
uint64_t savedState() {
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (static_cast<uint64_t>(high) << 32) | low;
}

CpuLevel detectLevel() {
  Registers one = cpuid(1), seven = cpuid(7);
  bool osxsave = bit(one.c, 27);
  if (!osxsave)
    return CpuLevel::Baseline;
  uint64_t saved = savedState();
  bool ymm = (saved & 0x6) == 0x6, zmm = (saved & 0xe6) == 0xe6;
  bool v3 = ymm && bit(one.c, 28) /*AVX*/ && bit(one.c, 12) /*FMA*/ && bit(one.c, 29) /*F16C*/ &&
            bit(one.c, 22) /*MOVBE*/ && bit(seven.b, 5) /*AVX2*/ && bit(seven.b, 3) /*BMI1*/ &&
            bit(seven.b, 8) /*BMI2*/ && bit(cpuid(0x80000001u).c, 5) /*LZCNT*/;
  bool v4 = v3 && zmm && bit(seven.b, 16) /*F*/ && bit(seven.b, 17) /*DQ*/ && bit(seven.b, 28) /*CD*/ &&
            bit(seven.b, 30) /*BW*/ && bit(seven.b, 31) /*VL*/;
  return v4 ? CpuLevel::V4 : v3 ? CpuLevel::V3 : CpuLevel::Baseline;
}

} // namespace

CpuLevel cpuLevel() {
  static const CpuLevel level = detectLevel();
  return level;
}

bool cpuHasAvx512Bf16() {
  static const bool has = cpuLevel() == CpuLevel::V4 && bit(cpuid(7, 1).a, 5);
  return has;
}

bool cpuIsAmd() {
  Registers zero = cpuid(0);
  return zero.b == signature_AMD_ebx && zero.c == signature_AMD_ecx && zero.d == signature_AMD_edx;
}

std::string cpuName() {
  char name[49] = {};
  for (size_t i = 0; i < 3; ++i) {
    Registers r = cpuid(0x80000002u + static_cast<uint32_t>(i));
    std::memcpy(name + 16 * i, &r, 16);
  }
  std::string text(name);
  size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string::npos ? "x86-64 processor" : text.substr(first, last - first + 1);
}

} // namespace heddle::runtime
