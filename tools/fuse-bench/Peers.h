// What other compilers make of graphs (docs/peers.json).
#ifndef FUSE_MLIR_TOOLS_FUSE_BENCH_PEERS_H
#define FUSE_MLIR_TOOLS_FUSE_BENCH_PEERS_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/JSON.h"

#include <optional>

namespace mlir::fuse::bench {

/// Figures of one graph.
struct Peers {
  double compulsoryBytes = 0;
  /// The fewest of any compiler, and bytes ÷ compulsory bytes.
  double kernels = 0, bytes = 0;
  /// By compiler: `kernels`, `bytes_per_compulsory`.
  llvm::json::Object columns;
};

class PeerFile {
public:
  /// Reads the file; an error is reported.
  LogicalResult load();
  /// The figures of a graph; nothing without an entry.
  std::optional<Peers> find(StringRef name) const;
  /// The graphs that goals are stated for, and the goals; null if there are
  /// none.
  const llvm::json::Object *getGoals() const { return file.getObject("goals"); }

private:
  llvm::json::Object file;
};

} // namespace mlir::fuse::bench

#endif // FUSE_MLIR_TOOLS_FUSE_BENCH_PEERS_H
