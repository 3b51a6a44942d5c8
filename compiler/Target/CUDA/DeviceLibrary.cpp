//===- DeviceLibrary.cpp - The .cuh files in place of #include lines ------===//
#include "compiler/Target/CUDA/DeviceLibrary.h"
#include "compiler/Target/CUDA/Kernels.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"

using namespace heddle::cuda;

static const DeviceFile *find(llvm::StringRef name) {
  for (size_t index = 0; index < kDeviceFileCount; ++index)
    if (llvm::StringRef(kDeviceFiles[index].name) == name)
      return &kDeviceFiles[index];
  return nullptr;
}

/// Copies `text` line by line; a line that includes a file of the library becomes that file, once. The
/// library's comments stay behind: a plan carries the text of every kernel.
static void expand(llvm::StringRef text, bool library, std::string &to, llvm::StringSet<> &done) {
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    llvm::StringRef name = line;
    const DeviceFile *file = nullptr;
    if (name.consume_front("#include \"") && name.consume_back("\""))
      file = find(name);
    if (library && line.ltrim().starts_with("//"))
      continue;
    if (!file)
      (to += line) += '\n';
    else if (done.insert(file->name).second)
      expand(file->text, /*library=*/true, to, done);
  }
}

std::string heddle::cuda::withDeviceLibrary(llvm::StringRef source) {
  std::string text;
  llvm::StringSet<> done;
  expand(source, /*library=*/false, text, done);
  return text;
}
