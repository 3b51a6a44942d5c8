# Finds the CUDA headers, which is all that is needed at build time: every CUDA library is loaded while running.
# Defines heddle_cuda_headers, with HEDDLE_HAVE_CUDA=1 where the headers were found and HEDDLE_HAVE_CUPTI=1 where
# CUPTI's were too. Without them everything builds, and CUDA devices are reported as unavailable.
# HEDDLE_CUDA=OFF builds without CUDA even where they are.
#   HEDDLE_CUDA_INCLUDE_DIRS  folders with cuda.h, nvrtc.h, cublasLt.h and cupti.h; found when not given: in the
#                             toolkit, or in NVIDIA's wheels in a virtual environment under build/.
include_guard(GLOBAL)
include(CheckCXXSourceCompiles)

if(NOT HEDDLE_CUDA_INCLUDE_DIRS)
  set(candidates "")
  foreach(root $ENV{CUDA_HOME} /usr/local/cuda /opt/cuda)
    list(APPEND candidates ${root}/include ${root}/extras/CUPTI/include)
  endforeach()
  # The wheels' layout up to CUDA 12 is a folder a library, from 13 on nvidia/cu13 for all.
  file(GLOB wheels ${CMAKE_SOURCE_DIR}/build/*/nvidia/*/include
    ${CMAKE_SOURCE_DIR}/build/*/lib/python3*/site-packages/nvidia/*/include)
  list(APPEND candidates ${wheels})
  set(found "")
  foreach(header cuda.h nvrtc.h cublasLt.h cupti.h crt/host_defines.h)
    foreach(dir ${candidates})
      if(EXISTS ${dir}/${header})
        list(APPEND found ${dir})
        break()
      endif()
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES found)
  set(HEDDLE_CUDA_INCLUDE_DIRS "${found}" CACHE STRING "Folders with the CUDA headers" FORCE)
endif()

# Other folders than last time are checked anew.
option(HEDDLE_CUDA "Use the CUDA headers where they are found" ON)
if(NOT "${HEDDLE_CUDA};${HEDDLE_CUDA_INCLUDE_DIRS}" STREQUAL "${HEDDLE_CUDA_CHECKED}")
  unset(HEDDLE_HAVE_CUDA_HEADERS CACHE)
  unset(HEDDLE_HAVE_CUPTI_HEADERS CACHE)
  set(HEDDLE_CUDA_CHECKED "${HEDDLE_CUDA};${HEDDLE_CUDA_INCLUDE_DIRS}" CACHE INTERNAL "")
  if(NOT HEDDLE_CUDA)
    set(HEDDLE_HAVE_CUDA_HEADERS OFF CACHE INTERNAL "")
  endif()
endif()
add_library(heddle_cuda_headers INTERFACE)
set(CMAKE_REQUIRED_INCLUDES ${HEDDLE_CUDA_INCLUDE_DIRS})
set(CMAKE_REQUIRED_QUIET ON)
check_cxx_source_compiles("#include <cuda.h>
#include <nvrtc.h>
#include <cublasLt.h>
int main() {}" HEDDLE_HAVE_CUDA_HEADERS)
check_cxx_source_compiles("#include <cuda.h>
#include <cupti.h>
CUpti_ActivityKernel10 kernel; // CUDA 13's record
int main() {}" HEDDLE_HAVE_CUPTI_HEADERS)
unset(CMAKE_REQUIRED_INCLUDES)
unset(CMAKE_REQUIRED_QUIET)
if(HEDDLE_HAVE_CUDA_HEADERS)
  message(STATUS "CUDA headers: ${HEDDLE_CUDA_INCLUDE_DIRS}")
  target_include_directories(heddle_cuda_headers SYSTEM INTERFACE ${HEDDLE_CUDA_INCLUDE_DIRS})
  target_compile_definitions(heddle_cuda_headers INTERFACE HEDDLE_HAVE_CUDA=1)
  if(HEDDLE_HAVE_CUPTI_HEADERS)
    target_compile_definitions(heddle_cuda_headers INTERFACE HEDDLE_HAVE_CUPTI=1)
  else()
    message(STATUS "no cupti.h of CUDA 13: profiles are timed by events")
  endif()
else()
  message(STATUS "no CUDA headers (HEDDLE_CUDA_INCLUDE_DIRS, CUDA_HOME, /usr/local/cuda, wheels): built without CUDA")
endif()
