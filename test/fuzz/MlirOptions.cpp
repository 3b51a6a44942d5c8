//===- MlirOptions.cpp - The address sanitizer beside MLIR's libraries ----===//
//
// LLVM's arena allocator poisons its free memory where it is compiled under the address sanitizer. Its
// headers are, in our units; the installed libraries are not, and hand out memory that our units have
// poisoned. What poisons by hand is therefore off; everything else of the sanitizer stays on.
//
//===----------------------------------------------------------------------===//
extern "C" const char *__asan_default_options();
extern "C" const char *__asan_default_options() { return "allow_user_poisoning=0"; }
