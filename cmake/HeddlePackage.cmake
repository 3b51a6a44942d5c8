# What `cpack --preset portable` packs: the driver alone, stripped, with the licence and the README. With the
# static MLIR of that preset it needs libc and libm only (glibc 2.36 or newer).
if(TARGET heddle)
  install(TARGETS heddle RUNTIME DESTINATION bin)
endif()
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/README.md DESTINATION .)

set(CPACK_PACKAGE_NAME heddle)
set(CPACK_PACKAGE_VENDOR Heddle)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "A graph compiler for Transformers")
set(CPACK_PACKAGE_FILE_NAME heddle-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_GENERATOR TXZ)
set(CPACK_STRIP_FILES ON)
include(CPack)
