// A model file: its module, the entry function, and how to draw the inputs.
#ifndef FUSE_RUN_MODEL_H
#define FUSE_RUN_MODEL_H

#include "HostTensor.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <memory>

namespace llvm {
class SourceMgr;
}

namespace mlir::fuse::run {

/// One argument or result of the entry function.
struct Port {
  std::string name;
  SmallVector<int64_t> shape;
  Type elementType;
  bool isScalar = false;
  /// An argument that the function may write.
  bool isBuffer = false;
  DrawSpec draw;
};

struct Model {
  std::string path;
  OwningOpRef<ModuleOp> module;
  std::string entry;
  SmallVector<Port> inputs;
  SmallVector<Port> results;

  FunctionOpInterface getEntry();
};

/// Reads and verifies the file; every error has been emitted when it fails.
/// `sourceMgr` gets the buffer, so that diagnostics can show the line.
LogicalResult loadModel(StringRef path, MLIRContext *context,
                        llvm::SourceMgr &sourceMgr, Model &model);

/// Finds `entry` and describes its arguments and results. Dynamic sizes and
/// types without a host representation are located errors.
LogicalResult readSignature(Model &model, StringRef entry);

/// Reads how to draw the inputs from `NAME.json` beside `NAME.mlir`, or from
/// `path` where given. A missing default file is fine.
LogicalResult readDrawFile(Model &model, StringRef path);

/// The first call, reachable from the entry, of a function without a body;
/// null if there is none.
Operation *findExternalCall(Model &model);

/// Seeded inputs in argument order.
std::vector<HostTensor> drawInputs(const Model &model, uint64_t seed);

} // namespace mlir::fuse::run

#endif // FUSE_RUN_MODEL_H
