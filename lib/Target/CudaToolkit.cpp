// Finds the parts of an installed CUDA toolkit that we can use.
#include "fuse-mlir/Target/CudaToolkit.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace llvm;

/// The folders of toolkits, best first. Who names one gets that one.
static SmallVector<std::string> getToolkits() {
  SmallVector<std::string> toolkits;
  for (StringRef variable : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"})
    if (std::optional<std::string> value = sys::Process::GetEnv(variable))
      if (!value->empty())
        return {*value};
  for (StringRef program : {"nvcc", "ptxas"}) {
    ErrorOr<std::string> path = sys::findProgramByName(program);
    if (!path)
      continue;
    SmallString<128> real;
    if (sys::fs::real_path(*path, real))
      real = *path;
    // <toolkit>/bin/<program>
    toolkits.push_back(
        sys::path::parent_path(sys::path::parent_path(real)).str());
  }
  toolkits.push_back("/usr/local/cuda");
  return toolkits;
}

static std::optional<std::string> findInToolkits(StringRef relative) {
  for (const std::string &toolkit : getToolkits()) {
    SmallString<128> path(toolkit);
    sys::path::append(path, relative);
    if (sys::fs::exists(path))
      return path.str().str();
  }
  return std::nullopt;
}

static std::optional<std::string> findTool(StringRef name) {
  if (ErrorOr<std::string> path = sys::findProgramByName(name))
    return *path;
  return findInToolkits(("bin/" + name).str());
}

std::optional<std::string> mlir::fuse::findPtxas() { return findTool("ptxas"); }

std::optional<std::string> mlir::fuse::findNvdisasm() {
  return findTool("nvdisasm");
}

std::optional<std::string> mlir::fuse::findLibdevice() {
  return findInToolkits("nvvm/libdevice/libdevice.10.bc");
}
