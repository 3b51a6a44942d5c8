//===- SanitizerOptions.cpp - Leak checks of programs with CUDA libraries -===//
//
// The leak checker walks the thread-local blocks of every thread at exit, and now and then crashes in those
// of the threads that the CUDA libraries leave behind. Everything else of the address sanitizer stays on.
//
//===----------------------------------------------------------------------===//
#if defined(__SANITIZE_ADDRESS__)
extern "C" const char *__asan_default_options();
extern "C" const char *__asan_default_options() { return "detect_leaks=0"; }
#endif
