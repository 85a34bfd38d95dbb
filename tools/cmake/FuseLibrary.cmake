# How the libraries and programs of the project are made.

define_property(GLOBAL PROPERTY FUSE_COMPONENTS
  BRIEF_DOCS "All component libraries" FULL_DOCS "All component libraries")

if(FUSE_ENABLE_PCH AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(FUSE_USE_PCH ON)
  add_library(fuse_pch OBJECT "${FUSE_SOURCE_DIR}/tools/cmake/pch.cpp")
  target_include_directories(fuse_pch SYSTEM PRIVATE
    ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_compile_options(fuse_pch PRIVATE -fno-exceptions -Wall -Wextra
    -Wno-unused-parameter -fpch-instantiate-templates)
  if(NOT LLVM_ENABLE_RTTI)
    target_compile_options(fuse_pch PRIVATE -fno-rtti)
  endif()
  target_compile_definitions(fuse_pch PRIVATE ${LLVM_DEFINITIONS_LIST})
  target_precompile_headers(fuse_pch PRIVATE "${FUSE_SOURCE_DIR}/tools/cmake/pch.h")
else()
  set(FUSE_USE_PCH OFF)
endif()

function(fuse_use_pch target)
  if(FUSE_USE_PCH)
    target_precompile_headers(${target} REUSE_FROM fuse_pch)
    target_compile_options(${target} PRIVATE -fpch-instantiate-templates)
  endif()
endfunction()

# What users of a library of ours need: its headers and C++20.
function(fuse_add_usage target)
  target_include_directories(${target} INTERFACE
    $<BUILD_INTERFACE:${FUSE_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${FUSE_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:include>)
  target_compile_features(${target} INTERFACE cxx_std_20)
endfunction()

# fuse_add_library(NAME sources... [DEPENDS ...] [LINK_LIBS ...]
#                  [LINK_COMPONENTS ...])
#
# One component of the project. LINK_LIBS names components of ours and MLIR
# libraries alike, LINK_COMPONENTS those of LLVM (NVPTX, Passes ...). With FUSE_LINK_MLIR_DYLIB the objects of all components are
# collected in libFuseMLIR.so; otherwise each is a static archive of its own.
function(fuse_add_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK_LIBS;LINK_COMPONENTS" ${ARGN})
  set(fuse_libs)
  set(mlir_libs)
  foreach(lib ${ARG_LINK_LIBS})
    if(lib MATCHES "^Fuse")
      list(APPEND fuse_libs ${lib})
    else()
      list(APPEND mlir_libs ${lib})
    endif()
  endforeach()
  add_mlir_library(${name} OBJECT EXCLUDE_FROM_LIBMLIR DISABLE_INSTALL
    ${ARG_UNPARSED_ARGUMENTS}
    DEPENDS FuseHeaders ${ARG_DEPENDS}
    LINK_COMPONENTS ${ARG_LINK_COMPONENTS})
  target_link_libraries(${name} PUBLIC ${fuse_libs})
  mlir_target_link_libraries(${name} PUBLIC ${mlir_libs})
  fuse_add_usage(${name})
  fuse_use_pch(obj.${name})
  set_property(GLOBAL APPEND PROPERTY FUSE_COMPONENTS ${name})
  if(FUSE_LINK_MLIR_DYLIB)
    # Nothing of ours links the archives then; build them only when asked.
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

# Links an executable or plug-in with everything of ours.
function(fuse_link_all target)
  if(FUSE_LINK_MLIR_DYLIB)
    target_link_libraries(${target} PRIVATE FuseMLIR MLIR LLVM)
  else()
    get_property(components GLOBAL PROPERTY FUSE_COMPONENTS)
    target_link_libraries(${target} PRIVATE ${components})
  endif()
endfunction()

# fuse_add_tool(NAME sources... [LINK_LIBS ...]): LINK_LIBS names the MLIR
# libraries that the tool itself needs beyond those of the components.
function(fuse_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  add_dependencies(${name} FuseHeaders)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tools/common)
  fuse_link_all(${name})
  mlir_target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS})
  fuse_use_pch(${name})
  # The precompiled header was made with -fPIC; CMake would say -fPIE here.
  target_compile_options(${name} PRIVATE -fPIC)
  set_target_properties(${name} PROPERTIES
    POSITION_INDEPENDENT_CODE OFF
    INSTALL_RPATH "$ORIGIN/../lib;${LLVM_LIBRARY_DIR}")
endfunction()
