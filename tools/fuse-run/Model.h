// A model file: its module, the entry function, and how to draw the inputs.
#ifndef FUSE_RUN_MODEL_H
#define FUSE_RUN_MODEL_H

#include "HostTensor.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringMap.h"

#include <map>
#include <memory>

namespace llvm {
class SourceMgr;
}

namespace mlir::fuse::run {

/// Values of the sizes that are not part of the types, by name.
using SizeBinding = std::map<std::string, int64_t>;

/// One argument or result of the entry function.
struct Port {
  std::string name;
  /// The shape; dynamic where no size has been bound.
  SmallVector<int64_t> shape;
  /// Names of an argument's dynamic dimensions: `ARGUMENT.DIMENSION` if the
  /// side file has none. Empty for static ones.
  std::vector<std::string> sizeNames;
  Type elementType;
  bool isScalar = false;
  /// An argument that the function may write.
  bool isBuffer = false;
  /// A tensor that the function may overwrite (`bufferization.writable`).
  bool isLeft = false;
  DrawSpec draw;
};

struct Model {
  std::string path;
  OwningOpRef<ModuleOp> module;
  std::string entry;
  SmallVector<Port> inputs;
  SmallVector<Port> results;
  /// The bindings to run with, one after another. One, maybe an empty one, for
  /// static shapes.
  std::vector<SizeBinding> bindings;

  FunctionOpInterface getEntry() const;
  bool hasDynamicSizes() const;
};

/// Reads and verifies the file; every error has been emitted when it fails.
/// `sourceMgr` gets the buffer, so that diagnostics can show the line.
LogicalResult loadModel(StringRef path, MLIRContext *context,
                        llvm::SourceMgr &sourceMgr, Model &model);

/// Finds `entry` and describes its arguments and results. Types without a host
/// representation are located errors.
LogicalResult readSignature(Model &model, StringRef entry);

/// Reads how to draw the inputs from `NAME.json` beside `NAME.mlir`, or from
/// `path` where given. A missing default file is fine.
LogicalResult readDrawFile(Model &model, StringRef path);

/// Takes the bindings `NAME=SIZE,…` instead of those of the side file, and
/// checks that all bindings give each dynamic dimension of an argument a size.
LogicalResult readBindings(Model &model, ArrayRef<std::string> texts);

/// Checks that with each binding the arguments and results, as far as their
/// sizes are known, fit into the memory of this machine.
LogicalResult checkMemory(const Model &model);

/// `model` with the sizes of `binding`: shapes of its arguments, and values of
/// integer arguments that are named like a size.
Model bindSizes(const Model &model, const SizeBinding &binding);

/// `b=4 s=128`.
std::string toString(const SizeBinding &binding);

/// The first call, reachable from the entry, of a function without a body;
/// null if there is none.
Operation *findExternalCall(Model &model);

/// Fails with a diagnostic if the entry leads, by calls that nothing makes
/// conditional, to a function that calls itself: the run would never end.
LogicalResult checkRecursion(Model &model);

/// Seeded inputs in argument order. What is longer than `distinct` elements
/// (0: no limit) repeats these.
std::vector<HostTensor> drawInputs(const Model &model, uint64_t seed,
                                   int64_t distinct = 0);

} // namespace mlir::fuse::run

#endif // FUSE_RUN_MODEL_H
