//===- WithoutGpuTest.cpp - What must hold on any machine -----------------===//
#include "runtime/base/DynamicLibrary.h"
#include "runtime/device/Device.h"
#include "runtime/device/cuda/Probe.h"

#include <gtest/gtest.h>
#include <stdlib.h>

using namespace heddle::runtime;

TEST(WithoutGpu, CreationSaysWhatIsMissing) {
  StatusOr<std::unique_ptr<Device>> device = createCudaDevice(0);
  if (device)
    GTEST_SKIP() << "there is a GPU: " << (*device)->name();
  EXPECT_EQ(device.status().code(), StatusCode::Unavailable);
  const std::string &message = device.status().message();
#if HEDDLE_HAVE_CUDA
  // Either no driver, or a driver that shows no device.
  EXPECT_NE(message.find("libcuda.so"), std::string::npos) << message;
#else
  EXPECT_NE(message.find("built without the CUDA headers"), std::string::npos) << message;
#endif
}

TEST(WithoutGpu, DeviceNumberOutOfRange) {
  StatusOr<std::unique_ptr<Device>> device = createCudaDevice(1000);
  ASSERT_FALSE(device);
  EXPECT_EQ(device.status().code(), StatusCode::Unavailable);
}

TEST(WithoutGpu, ProbeExplainsEveryLibrary) {
  CudaProbe probe = probeCuda();
  ASSERT_EQ(probe.libraries.size(), 4u);
  for (const LibraryProbe &library : probe.libraries) {
    EXPECT_FALSE(library.name.empty());
    EXPECT_FALSE(library.purpose.empty());
    EXPECT_EQ(library.found, !library.path.empty()) << library.name;
    EXPECT_EQ(library.found, !library.version.empty()) << library.name;
    EXPECT_EQ(library.found, library.problem.empty()) << library.name;
  }
}

TEST(DynamicLibrary, ErrorListsWhatWasTried) {
  auto library = DynamicLibrary::open({"libheddle-absent.so.2", "libheddle-absent.so.1"}, {"/no/folder"});
  ASSERT_FALSE(library);
  EXPECT_EQ(library.status().code(), StatusCode::Unavailable);
  for (const char *tried : {"libheddle-absent.so.2", "libheddle-absent.so.1",
                            "/no/folder/libheddle-absent.so.2", "/no/folder/libheddle-absent.so.1"})
    EXPECT_NE(library.status().message().find(tried), std::string::npos) << library.status().message();
}

TEST(DynamicLibrary, BindsSymbolsAndNamesMissingOnes) {
  auto library = DynamicLibrary::open({"libm.so.6"}, {});
  ASSERT_TRUE(library) << library.status().message();
  double (*root)(double) = nullptr;
  ASSERT_TRUE(library->bind("sqrt", root));
  EXPECT_EQ(root(9.0), 3.0);
  void (*absent)() = nullptr;
  Status status = library->bind("heddle_absent", absent);
  EXPECT_EQ(status.code(), StatusCode::Unavailable);
  EXPECT_NE(status.message().find("heddle_absent"), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("libm"), std::string::npos) << status.message();
}

TEST(DynamicLibrary, FoldersComeFromTheEnvironment) {
  const char *old = getenv("HEDDLE_CUDA_LIB_DIR");
  std::string saved = old ? old : "";
  setenv("HEDDLE_CUDA_LIB_DIR", "/one::/two", 1);
  std::vector<std::string> folders = cudaLibraryFolders();
  if (old)
    setenv("HEDDLE_CUDA_LIB_DIR", saved.c_str(), 1);
  else
    unsetenv("HEDDLE_CUDA_LIB_DIR");
  ASSERT_GE(folders.size(), 3u);
  EXPECT_EQ(folders[0], "/one");
  EXPECT_EQ(folders[1], "/two");
  EXPECT_NE(folders[2], "");
}
