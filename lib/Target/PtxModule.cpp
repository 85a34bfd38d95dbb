// Reads PTX text from `gpu.binary` and picks kernels out of it. Kernels are
// found by the directives that LLVM prints at the start of a line.
#include "fuse-mlir/Target/PtxModule.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::fuse;

SmallVector<PtxModule> fuse::collectPtxModules(ModuleOp module) {
  SmallVector<PtxModule> modules;
  module.walk([&](gpu::BinaryOp binary) {
    for (Attribute attr : binary.getObjects()) {
      gpu::ObjectAttr object = dyn_cast<gpu::ObjectAttr>(attr);
      if (!object || object.getFormat() != gpu::CompilationTarget::Assembly)
        continue;
      std::string chip;
      if (NVVM::NVVMTargetAttr target =
              dyn_cast<NVVM::NVVMTargetAttr>(object.getTarget()))
        chip = target.getChip().str();
      StringRef text = object.getObject().getValue();
      modules.push_back({binary.getSymName().str(), chip,
                         text.rtrim('\0').str(), binary.getLoc()});
    }
  });
  return modules;
}

/// The name of the kernel whose definition starts in `line`, or nothing.
static StringRef getEntryName(StringRef line) {
  size_t entry = line.find(".entry ");
  if (entry == StringRef::npos || line.trim().starts_with("//"))
    return {};
  StringRef name = line.drop_front(entry + 7).ltrim();
  return name.take_until([](char c) { return c == '(' || isspace(c); });
}

SmallVector<StringRef> fuse::getKernelNames(StringRef ptx) {
  SmallVector<StringRef> names;
  for (StringRef line : llvm::split(ptx, '\n'))
    if (StringRef name = getEntryName(line); !name.empty())
      names.push_back(name);
  return names;
}

FailureOr<std::string> fuse::extractKernel(StringRef ptx, StringRef kernel) {
  std::string text;
  bool found = false, skipping = false;
  for (StringRef line : llvm::split(ptx, '\n')) {
    if (StringRef name = getEntryName(line); !name.empty()) {
      found |= name == kernel;
      skipping = name != kernel;
    }
    bool isComment = line.ltrim().starts_with("//");
    if (!skipping && !(isComment && line.contains(".globl")))
      text += (line + "\n").str();
    // The body's closing brace stands alone at the start of a line.
    if (skipping && line.starts_with("}"))
      skipping = false;
  }
  if (!found)
    return failure();
  return StringRef(text).rtrim('\n').str() + "\n";
}
