# Compiler flags shared by everything that the project builds.
add_library(heddle_options INTERFACE)
target_compile_options(heddle_options INTERFACE -Wall -Wextra -Wno-unused-parameter)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  # Reports std::string's own operator+ when it is inlined (GCC bug 105651).
  target_compile_options(heddle_options INTERFACE -Wno-restrict)
endif()
target_include_directories(heddle_options INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})

if(HEDDLE_SANITIZE)
  target_compile_options(heddle_options INTERFACE -fsanitize=${HEDDLE_SANITIZE} -fno-omit-frame-pointer)
  if(HEDDLE_BUILD_FUZZERS)
    # A fuzzer keeps the input that ends the program, so that any finding must end it.
    target_compile_options(heddle_options INTERFACE -fno-sanitize-recover=all)
  endif()
  target_link_options(heddle_options INTERFACE -fsanitize=${HEDDLE_SANITIZE})
endif()

find_program(HEDDLE_CCACHE ccache)
if(HEDDLE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths relative to the source folder: presets with the same flags share the cache.
  set(HEDDLE_CCACHE_COMMAND ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} ${HEDDLE_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${HEDDLE_CCACHE_COMMAND})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${HEDDLE_CCACHE_COMMAND})
endif()
