# Finds MLIR 22 and defines heddle_mlir, what every library of the compiler links: the shared libMLIR for
# everyday builds, the static archives for a self-contained program.
list(APPEND CMAKE_PREFIX_PATH /usr/lib/llvm-22)
# Asking for a version is refused by MLIR's version file, so compare afterwards.
find_package(MLIR REQUIRED CONFIG)
if(NOT LLVM_PACKAGE_VERSION MATCHES "^22\\.")
  message(FATAL_ERROR "Heddle needs MLIR and LLVM 22, found ${LLVM_PACKAGE_VERSION} in ${MLIR_DIR}")
endif()
set(MLIR_TABLEGEN_EXE ${LLVM_TOOLS_BINARY_DIR}/mlir-tblgen)
list(GET MLIR_INCLUDE_DIRS 0 HEDDLE_MLIR_INCLUDE)

add_library(heddle_mlir INTERFACE)
target_include_directories(heddle_mlir SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
separate_arguments(HEDDLE_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_definitions(heddle_mlir INTERFACE ${HEDDLE_LLVM_DEFINITIONS})
if(HEDDLE_SHARED_MLIR)
  target_link_libraries(heddle_mlir INTERFACE MLIR LLVM)
else()
  include(HeddleStaticMLIR)
endif()
