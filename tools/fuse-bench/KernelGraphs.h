// The graphs of the suite `kernels`: one for each shape of kernel.
#ifndef FUSE_MLIR_TOOLS_FUSE_BENCH_KERNELGRAPHS_H
#define FUSE_MLIR_TOOLS_FUSE_BENCH_KERNELGRAPHS_H

#include "mlir/Support/LLVM.h"

#include <optional>
#include <string>
#include <vector>

namespace mlir::fuse::bench {

/// A graph over `rows` x `columns` elements of a storage type; what is computed
/// is computed in f32.
struct KernelGraph {
  std::string kind;
  int64_t rows = 0, columns = 0;
  std::string element;
  /// The most sectors of operands as large as the space that are good enough,
  /// as a ratio to their size.
  double goal = 1.05;
  /// Machine instructions for each element in the better one of the kernels of
  /// XLA:GPU (jax 0.10) and Inductor (torch 2.15, Triton 3.9) for sm_90a.
  std::optional<double> bestPeer = std::nullopt;

  std::string getName() const;
  int64_t getElements() const { return rows * columns; }
};

/// The kinds that `writeKernelGraph` knows, in the order of the table.
ArrayRef<StringRef> getKernelKinds();

/// Those of the table: every kind at the sizes that say something about it.
std::vector<KernelGraph> getKernelGraphs();

/// Those whose machine code is counted: the graphs that other compilers' was
/// counted for, with `bestPeer`.
std::vector<KernelGraph> getMachineGraphs();

/// The program as MLIR text; nothing for an unknown kind.
std::optional<std::string> writeKernelGraph(const KernelGraph &graph);
/// The same for kinds that only `getMachineGraphs` has.
std::optional<std::string> writeFusedGraph(const KernelGraph &graph);

/// The text with the flags `contract`, `arcp` and `afn` at every float
/// operation: what other compilers take for granted.
std::string allowApproximations(StringRef text);

} // namespace mlir::fuse::bench

#endif // FUSE_MLIR_TOOLS_FUSE_BENCH_KERNELGRAPHS_H
