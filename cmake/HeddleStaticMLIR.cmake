# The static archives behind heddle_mlir, for a program that needs nothing but libc and libm (preset `portable`).
#
# Debian builds MLIR against the shared LLVM, so every imported MLIR* target names `LLVM`, which is libLLVM.so, as
# its dependency: linking two copies of LLVM into one program would follow. Here that entry is replaced, on every
# imported target, by one interface target that stands for the archives of the components below.

# Code generation for the CPU target, and what MLIR's translation to LLVM IR uses.
llvm_map_components_to_libnames(HEDDLE_LLVM_LIBS
  Support Core Analysis Passes TargetParser Target MC AsmParser BitReader BitWriter IRReader
  TransformUtils ScalarOpts InstCombine Vectorize IPO AggressiveInstCombine Coroutines
  X86CodeGen X86AsmParser X86Desc X86Info CodeGen SelectionDAG AsmPrinter Object Demangle
  FrontendOpenMP)
add_library(heddle_llvm INTERFACE)
target_link_libraries(heddle_llvm INTERFACE ${HEDDLE_LLVM_LIBS})

# heddle_replace_link_entry(TARGET OLD NEW): edits INTERFACE_LINK_LIBRARIES in place; NEW may be empty.
function(heddle_replace_link_entry target old new)
  get_target_property(libraries ${target} INTERFACE_LINK_LIBRARIES)
  if(NOT libraries)
    return()
  endif()
  set(edited "")
  foreach(entry IN LISTS libraries)
    if(entry MATCHES "^(\\$<LINK_ONLY:)?${old}>?$")
      if(new)
        list(APPEND edited ${new})
      endif()
    else()
      list(APPEND edited "${entry}")
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${edited}")
endfunction()

foreach(target IN LISTS MLIR_EXPORTED_TARGETS)
  if(TARGET ${target})
    heddle_replace_link_entry(${target} LLVM heddle_llvm)
  endif()
endforeach()

# LLVMSupport asks for the shared z3, zlib and zstd. Z3 serves Clang's static analyzer alone, but its symbols are
# referenced from the archive; compression is of debug sections. The static zlib and zstd are in their -dev
# packages; --as-needed drops what nothing refers to.
find_library(HEDDLE_STATIC_ZLIB libz.a REQUIRED)
find_library(HEDDLE_STATIC_ZSTD libzstd.a REQUIRED)
heddle_replace_link_entry(LLVMSupport "[^;]*libz3\\.so" "")
heddle_replace_link_entry(LLVMSupport "ZLIB::ZLIB" ${HEDDLE_STATIC_ZLIB})
heddle_replace_link_entry(LLVMSupport "zstd::libzstd_(shared|static)" ${HEDDLE_STATIC_ZSTD})

# Dialects that the compiler uses, their conversions, and translation to LLVM IR; archives behind them follow by
# their own dependencies.
target_link_libraries(heddle_mlir INTERFACE
  MLIRIR MLIRParser MLIRPass MLIRTransforms MLIRTransformUtils MLIRSupport MLIRRewrite MLIRAnalysis
  MLIROptLib MLIRTranslateLib MLIRDebug MLIRBytecodeReader MLIRBytecodeWriter MLIRBytecodeOpInterface
  MLIRFuncDialect MLIRArithDialect MLIRArithTransforms MLIRMathDialect MLIRMathTransforms MLIRSCFDialect
  MLIRSCFTransforms MLIRSCFUtils MLIRVectorDialect MLIRVectorTransforms MLIRVectorUtils MLIRMemRefDialect
  MLIRMemRefTransforms MLIRMemRefUtils MLIRControlFlowDialect MLIRLLVMDialect MLIRLLVMIRTransforms MLIRIndexDialect
  MLIRAffineDialect MLIRAffineTransforms MLIRAffineUtils MLIRUBDialect MLIRDLTIDialect MLIRFuncAllExtensions
  MLIRFuncTransforms MLIRArithUtils MLIRDialectUtils
  MLIRReconcileUnrealizedCasts MLIRFuncToLLVM MLIRArithToLLVM MLIRMathToLLVM MLIRMathToLibm MLIRSCFToControlFlow
  MLIRControlFlowToLLVM MLIRVectorToLLVM MLIRVectorToLLVMPass MLIRVectorToSCF MLIRMemRefToLLVM MLIRIndexToLLVM
  MLIRAffineToStandard MLIRUBToLLVM MLIRLLVMCommonConversion MLIRConvertToLLVMPass MLIRArithAttrToLLVMConversion
  MLIRTargetLLVMIRExport MLIRLLVMToLLVMIRTranslation MLIRBuiltinToLLVMIRTranslation
  heddle_llvm)

target_link_options(heddle_options INTERFACE -static-libstdc++ -static-libgcc -Wl,--as-needed -Wl,--gc-sections)
target_compile_options(heddle_options INTERFACE -ffunction-sections -fdata-sections)
