// Which operator of a model `--at` and `--and` mean.
#ifndef FUSE_EXPLAIN_QUERY_H
#define FUSE_EXPLAIN_QUERY_H

#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

namespace mlir::fuse::explain {

/// A model with what its text says of names and places.
struct Source {
  llvm::SourceMgr buffers;
  AsmParserState state;
  OwningOpRef<ModuleOp> module;
};

/// Reads `path`. Bytecode has no names: only ordinals work there.
LogicalResult readSource(StringRef path, MLIRContext *context, Source &source);

/// An operator as it is called in reports.
struct Identity {
  std::string function;
  int64_t ordinal = 0;
  /// As in the input.
  std::string name;
  bool operator==(const Identity &other) const {
    return function == other.function && ordinal == other.ordinal;
  }
};

/// Finds the operator that `text` means: `[FUNCTION:]ORDINAL`, `LINE:[COLUMN]`
/// or `[FUNCTION:]%name`. On failure `message` says what is wrong and what
/// there is instead.
FailureOr<Identity> resolve(StringRef text, const Source &source,
                            std::string &message);

} // namespace mlir::fuse::explain

#endif // FUSE_EXPLAIN_QUERY_H
