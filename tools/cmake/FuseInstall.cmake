# Installation, and the CMake package FuseMLIR for the build tree and for the
# installed tree.
#
# With FUSE_LINK_MLIR_DYLIB the package has one library, FuseMLIR, and an
# interface target for each component; otherwise the archives themselves.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/FuseMLIR")
get_property(components GLOBAL PROPERTY FUSE_COMPONENTS)

set(libraries)
if(FUSE_LINK_MLIR_DYLIB)
  list(APPEND libraries FuseMLIR)
else()
  list(APPEND libraries ${components})
endif()
# What does not depend on LLVM: the emulator and the runtime.
foreach(library FuseEmulator fuse_runtime)
  if(TARGET ${library})
    list(APPEND libraries ${library})
    target_include_directories(${library} INTERFACE
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  endif()
endforeach()
list(REMOVE_DUPLICATES libraries)

set(programs)
foreach(program fuse-explain fuse-opt fuse-translate fuse-run fuse-emulate)
  if(TARGET ${program})
    list(APPEND programs ${program})
  endif()
endforeach()

foreach(target ${libraries} ${programs})
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    set_target_properties(${target} PROPERTIES
      INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR};${LLVM_LIBRARY_DIR}")
  elseif(type STREQUAL "SHARED_LIBRARY")
    set_target_properties(${target} PROPERTIES
      INSTALL_RPATH "$ORIGIN;${LLVM_LIBRARY_DIR}")
  endif()
endforeach()

install(TARGETS ${libraries} ${programs} EXPORT FuseMLIRTargets
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")

# Headers and TableGen sources; the generated ones come from the build tree.
foreach(folder include/fuse-mlir include/fuse-mlir-c)
  foreach(root "${FUSE_SOURCE_DIR}" "${FUSE_BINARY_DIR}")
    if(root STREQUAL FUSE_BINARY_DIR OR EXISTS "${root}/${folder}")
      install(DIRECTORY "${root}/${folder}"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING
        PATTERN "*.h" PATTERN "*.inc" PATTERN "*.td" PATTERN "*.def"
        PATTERN CMakeFiles EXCLUDE)
    endif()
  endforeach()
endforeach()

# The package. The two trees differ only in where the headers are.
set(FUSE_CONFIG_COMPONENTS "${components}")
set(config_in "${CMAKE_CURRENT_LIST_DIR}/FuseMLIRConfig.cmake.in")
set(build_package "${FUSE_BINARY_DIR}/lib/cmake/FuseMLIR")
set(install_package "${FUSE_BINARY_DIR}/cmake-install")

set(FUSE_CONFIG_INCLUDE_DIRS
  "${FUSE_SOURCE_DIR}/include;${FUSE_BINARY_DIR}/include")
set(FUSE_CONFIG_TOOLS_DIR "${FUSE_BINARY_DIR}/bin")
set(FUSE_CONFIG_LIBRARY_DIR "${FUSE_BINARY_DIR}/lib")
configure_package_config_file("${config_in}"
  "${build_package}/FuseMLIRConfig.cmake"
  INSTALL_DESTINATION "${build_package}"
  INSTALL_PREFIX "${FUSE_BINARY_DIR}"
  NO_SET_AND_CHECK_MACRO)
export(EXPORT FuseMLIRTargets
  FILE "${build_package}/FuseMLIRTargets.cmake")

set(FUSE_CONFIG_INCLUDE_DIRS
  "\${PACKAGE_PREFIX_DIR}/${CMAKE_INSTALL_INCLUDEDIR}")
set(FUSE_CONFIG_TOOLS_DIR "\${PACKAGE_PREFIX_DIR}/${CMAKE_INSTALL_BINDIR}")
set(FUSE_CONFIG_LIBRARY_DIR "\${PACKAGE_PREFIX_DIR}/${CMAKE_INSTALL_LIBDIR}")
configure_package_config_file("${config_in}"
  "${install_package}/FuseMLIRConfig.cmake"
  INSTALL_DESTINATION "${package_dir}"
  NO_SET_AND_CHECK_MACRO)

set(version_file "${build_package}/FuseMLIRConfigVersion.cmake")
write_basic_package_version_file("${version_file}"
  VERSION "${FuseMLIR_VERSION}" COMPATIBILITY SameMinorVersion)

install(EXPORT FuseMLIRTargets DESTINATION "${package_dir}")
install(FILES "${install_package}/FuseMLIRConfig.cmake" "${version_file}"
  DESTINATION "${package_dir}")
