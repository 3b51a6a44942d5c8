//===- ResourcesTest.cpp - The corpus compiled, against the model ---------===//
//
// Every kernel of test/emission is legalised, printed and compiled by NVRTC for each target, without a GPU.
// What the assembler reports is held against ResourceModel.h.
//
//===----------------------------------------------------------------------===//
#include "compiler/Pipelines/Registration.h"
#include "compiler/Target/CUDA/Kernels.h"
#include "compiler/Target/CUDA/ResourceModel.h"
#include "runtime/nvrtc/Nvrtc.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

using namespace heddle;

static std::vector<std::string> corpus() {
  std::vector<std::string> files;
  for (const auto &entry : std::filesystem::directory_iterator(HEDDLE_CORPUS))
    if (entry.path().extension() == ".mlir")
      files.push_back(entry.path().stem().string());
  std::sort(files.begin(), files.end());
  return files;
}

namespace {
class Resources : public testing::TestWithParam<std::tuple<std::string, std::string>> {};
} // namespace

TEST_P(Resources, FitTheModel) {
  auto [file, arch] = GetParam();
  runtime::StatusOr<const runtime::Nvrtc *> nvrtc = runtime::Nvrtc::get();
  if (!nvrtc)
    GTEST_SKIP() << nvrtc.status().message();
  const cuda::TargetInfo *target = cuda::TargetInfo::get(arch);
  ASSERT_NE(target, nullptr);

  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(HEDDLE_CORPUS "/" + file + ".mlir", &context);
  ASSERT_TRUE(module);
  int64_t kernels = 0;
  for (auto func : module->getOps<kernel::FuncOp>()) {
    ++kernels;
    ASSERT_TRUE(succeeded(cuda::legalizeKernel(func, *target)));
    mlir::FailureOr<std::string> text = cuda::printKernel(func);
    ASSERT_TRUE(succeeded(text));
    EXPECT_EQ(*text, *cuda::printKernel(func)) << "printing twice gives two texts";
    auto compiled = (*nvrtc)->compile({func.getName().str(), cuda::withDeviceLibrary(*text), arch, {}}, {});
    ASSERT_TRUE(compiled) << compiled.status().message() << "\n" << *text;
    ASSERT_EQ(compiled->resources.size(), 1u);
    const runtime::KernelResources &found = compiled->resources.front();
    cuda::Resources model = cuda::resourcesOf(func);
    std::printf("%-26s %-7s registers %3d (model %3lld)  spills %d  static shared %d\n", file.c_str(),
                arch.c_str(), found.registers, static_cast<long long>(model.registers), found.spillStoreBytes,
                found.sharedBytes);
    EXPECT_EQ(found.entry, func.getName().str());
    EXPECT_LE(found.registers, model.registers);
    // An estimate that is far too high would refuse or split kernels that fit.
    EXPECT_LE(model.registers, 2 * found.registers + 16);
    EXPECT_LE(model.registers * cuda::threadsOf(func), target->registerFile());
    EXPECT_EQ(found.sharedBytes, model.staticShared);
    EXPECT_LE(model.dynamicShared + model.staticShared, target->maxSharedBytes());
    EXPECT_EQ(found.spillStoreBytes, 0);
    EXPECT_EQ(found.spillLoadBytes, 0);
  }
  EXPECT_EQ(kernels, 1);
}

INSTANTIATE_TEST_SUITE_P(Corpus, Resources,
                         testing::Combine(testing::ValuesIn(corpus()), testing::Values("sm_80", "sm_90a")),
                         [](const auto &info) {
                           return std::get<0>(info.param) + "_" + std::get<1>(info.param);
                         });
