//===- JsonFile.cpp - Reading a JSON description --------------------------===//
#include "compiler/Import/JsonFile.h"

#include "runtime/base/Json.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace heddle::import;
using heddle::runtime::invalidInput;
using heddle::runtime::StatusOr;
using Json = nlohmann::json;

StatusOr<Json> heddle::import::readJsonObject(const std::string &path) {
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status))
    return invalidInput("cannot read '" + path + "': " + error.message());
  if (!llvm::sys::fs::is_regular_file(status))
    return invalidInput(path + ": wanted a file, found a folder or device");
  if (status.getSize() > kMaxJsonBytes)
    return invalidInput(path + ": wanted at most " + std::to_string(kMaxJsonBytes) + " bytes, found " +
                        std::to_string(status.getSize()));
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return invalidInput("cannot read '" + path + "': " + buffer.getError().message());
  return runtime::parseJsonObject((*buffer)->getBuffer(), path);
}
