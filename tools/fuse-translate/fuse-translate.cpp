// Prints parts of compiled modules in their own format: PTX text.
#include "fuse-mlir/InitAll.h"
#include "fuse-mlir/Target/PtxModule.h"

#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;
using namespace mlir::fuse;

/// Prints the PTX of the module's binaries; of one kernel only, with what it
/// needs, if `kernel` is not empty.
static LogicalResult printPtx(ModuleOp module, StringRef kernel,
                              raw_ostream &os) {
  SmallVector<PtxModule> modules = collectPtxModules(module);
  if (modules.empty())
    return module.emitError("expected a 'gpu.binary' with PTX, but got none");
  if (kernel.empty()) {
    for (const PtxModule &ptx : modules)
      os << ptx.text;
    return success();
  }
  for (const PtxModule &ptx : modules) {
    FailureOr<std::string> text = extractKernel(ptx.text, kernel);
    if (failed(text))
      continue;
    os << *text;
    return success();
  }
  InFlightDiagnostic diag = module.emitError()
                            << "expected option 'kernel' to name a kernel, but "
                               "got '"
                            << kernel << "'";
  for (const PtxModule &ptx : modules) {
    Diagnostic &note = diag.attachNote(ptx.loc);
    note << "kernels of '" << ptx.name << "': ";
    llvm::interleaveComma(getKernelNames(ptx.text), note);
  }
  return diag;
}

int main(int argc, char **argv) {
  static llvm::cl::opt<std::string> kernel(
      "kernel", llvm::cl::desc("Print the PTX of this kernel only"),
      llvm::cl::value_desc("name"), llvm::cl::init(""));
  TranslateFromMLIRRegistration toPtx(
      "gpu-binary-to-ptx", "Print the PTX text of the module's gpu.binary",
      [](ModuleOp module, raw_ostream &os) {
        return printPtx(module, kernel, os);
      },
      [](DialectRegistry &registry) {
        fuse::registerAllDialects(registry);
        fuse::registerAllExtensions(registry);
      });
  return failed(mlirTranslateMain(argc, argv, "fuse translation driver\n"));
}
