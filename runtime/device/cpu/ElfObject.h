//===- ElfObject.h - Loads a kernel's object code ---------------*- C++ -*-===//
//
// A plan carries CPU kernels as relocatable x86-64 ELF objects: position-independent, small code model, as
// LLVM and C compilers make them with -fPIC. This loader places their sections, applies their relocations and
// makes the code executable, with no linker and no LLVM. It believes nothing that it has not checked: every
// offset, size, index and relocation is held against the bounds of the file, so that a damaged object is an
// error and never a crash.
//
// Taken: sections of code, constants, data and zeroes; the relocations R_X86_64_64, PC32, PLT32, PC64, 32,
// 32S and the GOTPCREL family; calls of a short list of C functions (memcpy, expf and their like). Refused by
// name: any other relocation or undefined symbol, thread-local data, constructors, code that is also
// writable.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_DEVICE_CPU_ELFOBJECT_H
#define HEDDLE_RUNTIME_DEVICE_CPU_ELFOBJECT_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>

namespace heddle::runtime {

/// An object in memory, ready to be called. Unmapped when it is destroyed.
class ElfObject {
public:
  /// InvalidInput says what in the object is wrong; Unavailable where the system gives no executable memory.
  static StatusOr<std::unique_ptr<ElfObject>> load(std::span<const uint8_t> bytes);
  ~ElfObject();
  ElfObject(const ElfObject &) = delete;
  ElfObject &operator=(const ElfObject &) = delete;

  /// The address of a global function, or InvalidInput where the object does not define it.
  StatusOr<void *> function(const std::string &name) const;

private:
  friend class ElfLoader;
  ElfObject() = default;

  void *memory_ = nullptr;
  size_t size_ = 0;
  std::map<std::string, void *> functions_;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DEVICE_CPU_ELFOBJECT_H
