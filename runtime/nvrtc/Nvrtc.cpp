//===- Nvrtc.cpp - CUDA C++ to cubins -------------------------------------===//
#include "runtime/nvrtc/Nvrtc.h"

#include "runtime/base/DynamicLibrary.h"

#include <memory>

#if HEDDLE_HAVE_CUDA
#include <nvrtc.h>
#endif

using namespace heddle::runtime;

std::vector<std::string> heddle::runtime::compilerOptions(const CompileRequest &request) {
  std::vector<std::string> options = {"--gpu-architecture=" + request.arch, "-std=c++17",
                                      // The report that parseAssemblerLog reads.
                                      "--ptxas-options=-v"};
  options.insert(options.end(), request.options.begin(), request.options.end());
  return options;
}

#if HEDDLE_HAVE_CUDA
namespace {

#define HEDDLE_NVRTC_FUNCTIONS(X)                                                                            \
  X(nvrtcVersion)                                                                                            \
  X(nvrtcGetErrorString)                                                                                     \
  X(nvrtcCreateProgram)                                                                                      \
  X(nvrtcDestroyProgram)                                                                                     \
  X(nvrtcCompileProgram)                                                                                     \
  X(nvrtcGetProgramLogSize)                                                                                  \
  X(nvrtcGetProgramLog)                                                                                      \
  X(nvrtcGetCUBINSize)                                                                                       \
  X(nvrtcGetCUBIN)

class LoadedNvrtc final : public Nvrtc {
public:
  Status load() {
    HEDDLE_ASSIGN_OR_RETURN(DynamicLibrary library, DynamicLibrary::open({"libnvrtc.so.13", "libnvrtc.so.12"},
                                                                         cudaLibraryFolders()));
    path_ = library.path();
#define HEDDLE_BIND(name) HEDDLE_RETURN_IF_ERROR(library.bind(#name, name));
    HEDDLE_NVRTC_FUNCTIONS(HEDDLE_BIND)
#undef HEDDLE_BIND
    int major = 0, minor = 0;
    if (nvrtcResult result = nvrtcVersion(&major, &minor); result != NVRTC_SUCCESS)
      return unavailable("nvrtcVersion of " + path_ + ": " + nvrtcGetErrorString(result));
    version_ = std::to_string(major) + "." + std::to_string(minor);
    return Status::ok();
  }

  std::string path() const override { return path_; }
  std::string version() const override { return version_; }
  StatusOr<CompiledKernel> compile(const CompileRequest &request,
                                   const std::vector<SourceHeader> &headers) const override;

private:
  Status failed(const char *call, nvrtcResult result, const std::string &name) const {
    return internalError(std::string(call) + " of " + name + ": " + nvrtcGetErrorString(result));
  }

  std::string path_, version_;
#define HEDDLE_MEMBER(name) decltype(&::name) name = nullptr;
  HEDDLE_NVRTC_FUNCTIONS(HEDDLE_MEMBER)
#undef HEDDLE_MEMBER
};

StatusOr<CompiledKernel> LoadedNvrtc::compile(const CompileRequest &request,
                                              const std::vector<SourceHeader> &headers) const {
  std::vector<const char *> names, texts, options;
  for (const SourceHeader &header : headers) {
    names.push_back(header.name.c_str());
    texts.push_back(header.text.c_str());
  }
  std::vector<std::string> optionTexts = compilerOptions(request);
  for (const std::string &option : optionTexts)
    options.push_back(option.c_str());

  nvrtcProgram program = nullptr;
  std::string file = request.name + ".cu";
  if (nvrtcResult result = nvrtcCreateProgram(&program, request.source.c_str(), file.c_str(),
                                              int(names.size()), texts.data(), names.data());
      result != NVRTC_SUCCESS)
    return failed("nvrtcCreateProgram", result, request.name);
  auto destroy = [this](nvrtcProgram program) { nvrtcDestroyProgram(&program); };
  std::unique_ptr<std::remove_pointer_t<nvrtcProgram>, decltype(destroy)> owner(program, destroy);

  nvrtcResult compiled = nvrtcCompileProgram(program, int(options.size()), options.data());
  CompiledKernel kernel;
  size_t size = 0;
  if (nvrtcGetProgramLogSize(program, &size) == NVRTC_SUCCESS && size > 1) {
    kernel.log.resize(size);
    nvrtcGetProgramLog(program, kernel.log.data());
    kernel.log.resize(size - 1); // The size counts the terminating zero.
  }
  if (compiled != NVRTC_SUCCESS)
    return invalidInput("kernel " + request.name + " does not compile for " + request.arch + ": " +
                        nvrtcGetErrorString(compiled) + "\n" + kernel.log);
  if (nvrtcResult result = nvrtcGetCUBINSize(program, &size); result != NVRTC_SUCCESS)
    return failed("nvrtcGetCUBINSize", result, request.name);
  kernel.cubin.resize(size);
  if (nvrtcResult result = nvrtcGetCUBIN(program, reinterpret_cast<char *>(kernel.cubin.data()));
      result != NVRTC_SUCCESS)
    return failed("nvrtcGetCUBIN", result, request.name);
  kernel.resources = parseAssemblerLog(kernel.log);
  return kernel;
}

} // namespace

StatusOr<const Nvrtc *> Nvrtc::get() {
  // Kept, found or not: a library does not appear while a program runs.
  static LoadedNvrtc library;
  static Status loaded = library.load();
  if (!loaded)
    return Status(loaded).with("NVRTC, the CUDA compiler library");
  return static_cast<const Nvrtc *>(&library);
}

#else

StatusOr<const Nvrtc *> Nvrtc::get() {
  return unavailable("NVRTC, the CUDA compiler library: this program was built without the CUDA headers");
}

#endif // HEDDLE_HAVE_CUDA
