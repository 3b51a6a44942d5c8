# heddle_library(NAME SOURCES … [DEPENDS …] [MLIR])
#   One static library of the project. MLIR: the library includes MLIR headers (dialects and compiler);
#   without it the library must build on a machine that has no LLVM.
function(heddle_library name)
  cmake_parse_arguments(ARG "MLIR" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC heddle_options ${ARG_DEPENDS})
  if(ARG_MLIR)
    target_link_libraries(${name} PUBLIC heddle_mlir)
    # MLIR's headers are not clean under -Wextra.
    target_compile_options(${name} PRIVATE -Wno-unused-but-set-parameter -Wno-comment)
    if(HEDDLE_BUILD_FUZZERS)
      # Checks at every access through a pointer double the time to compile MLIR's templates; the address sanitizer
      # finds what matters of them.
      target_compile_options(${name} PRIVATE -fno-sanitize=vptr,null,alignment,object-size)
    endif()
  endif()
endfunction()

# heddle_tablegen(TARGET INPUT.td  OUTPUT.inc -gen-flag …  [OUTPUT.inc -gen-flag …]…)
#   Runs mlir-tblgen for pairs of output file and generator options (a ;-list in quotes where there are several).
function(heddle_tablegen target input)
  set(outputs "")
  set(rest ${ARGN})
  while(rest)
    list(POP_FRONT rest output options)
    string(REPLACE " " ";" options "${options}")
    set(out ${CMAKE_CURRENT_BINARY_DIR}/${output})
    add_custom_command(OUTPUT ${out}
      COMMAND ${MLIR_TABLEGEN_EXE} ${options} ${CMAKE_CURRENT_SOURCE_DIR}/${input}
        -I ${CMAKE_SOURCE_DIR} -I ${HEDDLE_MLIR_INCLUDE} -o ${out} -d ${out}.d
      DEPFILE ${out}.d
      DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${input}
      COMMENT "mlir-tblgen ${output}" VERBATIM)
    list(APPEND outputs ${out})
  endwhile()
  add_custom_target(${target} DEPENDS ${outputs})
endfunction()
