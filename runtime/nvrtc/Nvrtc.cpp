//===- Nvrtc.cpp - CUDA C++ to cubins -------------------------------------===//
#include "runtime/nvrtc/Nvrtc.h"

#include "runtime/base/DynamicLibrary.h"

#include <memory>
#include <type_traits>

#if HEDDLE_HAVE_CUDA
#include <nvrtc.h>
#endif

using namespace heddle::runtime;

std::vector<std::string> heddle::runtime::compilerOptions(const CompileRequest &request) {
  std::vector<std::string> options = {
      "--gpu-architecture=" + request.arch, "-std=c++17",
      // NVRTC takes a generic lambda's operator() for a host function otherwise.
      "--device-as-default-execution-space",
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
  X(nvrtcGetCUBIN)                                                                                           \
  X(nvrtcGetPTXSize)                                                                                         \
  X(nvrtcGetPTX)

class LoadedNvrtc final : public Nvrtc {
public:
  Status load() {
    HEDDLE_ASSIGN_OR_RETURN(DynamicLibrary library,
                            DynamicLibrary::open({"libnvrtc.so.13", "libnvrtc.so.12"}, cudaLibraryFolders()));
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

  StatusOr<std::string> ptx(const CompileRequest &request,
                            const std::vector<SourceHeader> &headers) const override;

private:
  /// Destroys a program at the end of its scope.
  struct Destroy {
    const LoadedNvrtc *nvrtc;
    void operator()(nvrtcProgram program) const { nvrtc->nvrtcDestroyProgram(&program); }
  };
  using Program = std::unique_ptr<std::remove_pointer_t<nvrtcProgram>, Destroy>;

  /// Compiles and fills `log`, also where that fails.
  StatusOr<Program> build(const CompileRequest &request, const std::vector<SourceHeader> &headers,
                          std::string &log) const;
  Status check(const char *call, nvrtcResult result, const std::string &name) const {
    if (result == NVRTC_SUCCESS)
      return Status::ok();
    return internalError(std::string(call) + " of " + name + ": " + nvrtcGetErrorString(result));
  }

  std::string path_, version_;
#define HEDDLE_MEMBER(name) decltype(&::name) name = nullptr;
  HEDDLE_NVRTC_FUNCTIONS(HEDDLE_MEMBER)
#undef HEDDLE_MEMBER
};

StatusOr<LoadedNvrtc::Program> LoadedNvrtc::build(const CompileRequest &request,
                                                  const std::vector<SourceHeader> &headers,
                                                  std::string &log) const {
  std::vector<const char *> names, texts, options;
  for (const SourceHeader &header : headers) {
    names.push_back(header.name.c_str());
    texts.push_back(header.text.c_str());
  }
  std::vector<std::string> optionTexts = compilerOptions(request);
  for (const std::string &option : optionTexts)
    options.push_back(option.c_str());

  nvrtcProgram handle = nullptr;
  std::string file = request.name + ".cu";
  HEDDLE_RETURN_IF_ERROR(check("nvrtcCreateProgram",
                               nvrtcCreateProgram(&handle, request.source.c_str(), file.c_str(),
                                                  int(names.size()), texts.data(), names.data()),
                               request.name));
  Program program(handle, Destroy{this});
  nvrtcResult compiled = nvrtcCompileProgram(handle, int(options.size()), options.data());
  size_t size = 0;
  if (nvrtcGetProgramLogSize(handle, &size) == NVRTC_SUCCESS && size > 1) {
    log.resize(size);
    nvrtcGetProgramLog(handle, log.data());
    log.resize(size - 1); // The size counts the terminating zero.
  }
  if (compiled != NVRTC_SUCCESS)
    return invalidInput("kernel " + request.name + " does not compile for " + request.arch + ": " +
                        nvrtcGetErrorString(compiled) + "\n" + log);
  return StatusOr<Program>(std::move(program));
}

StatusOr<CompiledKernel> LoadedNvrtc::compile(const CompileRequest &request,
                                              const std::vector<SourceHeader> &headers) const {
  CompiledKernel kernel;
  HEDDLE_ASSIGN_OR_RETURN(Program program, build(request, headers, kernel.log));
  size_t size = 0;
  HEDDLE_RETURN_IF_ERROR(check("nvrtcGetCUBINSize", nvrtcGetCUBINSize(program.get(), &size), request.name));
  kernel.cubin.resize(size);
  HEDDLE_RETURN_IF_ERROR(check("nvrtcGetCUBIN",
                               nvrtcGetCUBIN(program.get(), reinterpret_cast<char *>(kernel.cubin.data())),
                               request.name));
  kernel.resources = parseAssemblerLog(kernel.log);
  return kernel;
}

StatusOr<std::string> LoadedNvrtc::ptx(const CompileRequest &request,
                                       const std::vector<SourceHeader> &headers) const {
  std::string log, text;
  HEDDLE_ASSIGN_OR_RETURN(Program program, build(request, headers, log));
  size_t size = 0;
  HEDDLE_RETURN_IF_ERROR(check("nvrtcGetPTXSize", nvrtcGetPTXSize(program.get(), &size), request.name));
  text.resize(size);
  HEDDLE_RETURN_IF_ERROR(check("nvrtcGetPTX", nvrtcGetPTX(program.get(), text.data()), request.name));
  text.resize(size ? size - 1 : 0); // The size counts the terminating zero.
  return text;
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
