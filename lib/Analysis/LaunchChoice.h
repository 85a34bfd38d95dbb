// What the choices of launches for the paths share.
#ifndef FUSE_MLIR_LIB_ANALYSIS_LAUNCHCHOICE_H
#define FUSE_MLIR_LIB_ANALYSIS_LAUNCHCHOICE_H

#include "fuse-mlir/Analysis/LaunchShape.h"
#include "fuse-mlir/Analysis/ReductionParts.h"

#include "mlir/IR/TypeUtilities.h"

namespace mlir::fuse {

// Numbers that decisions are made from.
inline constexpr int64_t kAccessBytes = 16;
inline constexpr int64_t kSectorBytes = 32;
inline constexpr int64_t kWarp = 32;
inline constexpr int64_t kMaxThreads = 1024;
/// Words of a row that a thread keeps in registers.
inline constexpr int64_t kRowWords = 32;
/// Blocks of 256 threads that fill the larger of today's devices once.
inline constexpr int64_t kFullDevice = 1024;
/// Shared memory that a block has without asking for more.
inline constexpr int64_t kStaticShared = 48 * 1024;
/// Bytes of a row that are kept in shared memory (an sm_80 has 163 KB).
inline constexpr int64_t kRowSharedBytes = 158 * 1024;

/// What a multiprocessor does in a clock, and how long it waits: one of today's
/// larger devices (an H200; its L2 hands out 5.5 TB/s).
struct Rates {
  static constexpr int64_t kMultiprocessors = 132;
  static constexpr double kTensorProducts = 1024, kFmaProducts = 128,
                          kDoubleProducts = 64;
  static constexpr double kOperandBytes = 24;
  /// Clocks until a tile that was asked for is there, and those of an exchange
  /// between blocks.
  static constexpr double kLatency = 800, kExchange = 2500;
  /// A launch that takes no longer has nothing to gain (2 us); what passes
  /// before it begins (1.3 us).
  static constexpr double kShortest = 3600, kLaunch = 2400;
};
/// The part of the time that a kernel with tiles may still take where blocks
/// share sums: they write and read more, which is not worth a little.
inline constexpr double kWorthSharing = 0.75;

/// Bytes of an exchange, written and read, that do not matter.
inline constexpr double kSmallExchange = 64 * 1024;

/// Element sizes of the operands that are as large as the space, or of all if
/// there are none.
struct Footprint {
  int64_t smallest = 8;
  int64_t largest = 1;
  /// Inputs as large as the space: what may have to be kept.
  int64_t fullInputs = 0;
  int64_t inputBytes = 0;
  int64_t outputBytes = 0;
  /// Bytes of one partial result of every reduction.
  int64_t resultBytes = 0;
};

inline int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Whole warps, as few as hold `items` threads.
inline int64_t roundToWarps(int64_t items) {
  return ceilDiv(std::max<int64_t>(items, 1), kWarp) * kWarp;
}

/// Calls `use` for each operand that has as many elements as the space.
void forEachFull(TypeRange types, int64_t space,
                 function_ref<void(RankedTensorType)> use);

inline int64_t bytesOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  Type element = tensor ? tensor.getElementType() : getElementTypeOrSelf(type);
  if (isa<Float32Type>(element))
    return 4;
  if (!element.isIntOrFloat())
    return 8; // index, and what no kernel takes.
  return std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8);
}

/// Bytes of one partial result of all `roots`.
inline int64_t getPartialBytes(ArrayRef<Operation *> roots) {
  int64_t bytes = 0;
  for (Operation *root : roots)
    for (Type type : getPartialTypes(root))
      bytes += bytesOf(type);
  return bytes;
}

/// Gives the `positions` of a thread (chunks of `threadsPerRow` threads, of
/// `chunks`) to several blocks if there are fewer than fill the device and
/// `shape` allows it. `blocks` is their number so far. Sets positions, parts
/// and scratch.
void splitColumns(LaunchShape &launch, const GroupShape &shape,
                  const Footprint &footprint, int64_t blocks, int64_t chunks,
                  int64_t positions);

LaunchShape chooseAttention(const GroupShape &shape,
                            bool mayUseMatrixUnits = true);
AffineMap getAttentionLayout(MLIRContext *context, const GroupShape &shape,
                             const LaunchShape &launch);

/// Whether the device that `op` is for has clusters: from sm_90 on, and where
/// no device is attached.
bool hasClusters(Operation *op);
/// Blocks of the largest cluster that all of them run.
inline constexpr int64_t kMostClustered = 8;
/// Whether the tiles of a row of `shape` may be those of a cluster.
bool mayJoinTiles(const GroupShape &shape);

/// Gives each of few rows of `chunks` chunks, which stay in registers, to the
/// blocks of a cluster if the device has some.
void spreadOverCluster(const GroupShape &shape, int64_t chunks,
                       LaunchShape &launch);

/// Gives a row of `chunks` chunks, which all inputs together take `inputBytes`
/// for, to the blocks of a cluster that keep it in shared memory, at most
/// `mostBytes` each. Not if the device has none, or one block does as well.
bool chooseCluster(const GroupShape &shape, int64_t chunks, int64_t inputBytes,
                   int64_t mostBytes, LaunchShape &launch);

/// For sizes that are known at run time only: right for all, good for large.
LaunchShape chooseDynamic(const GroupShape &shape, const Footprint &footprint);

/// Path `pointwise`: how far apart two chunks of a thread lie where much of what
/// is computed for both is the same; 0 if nothing is gained.
int64_t chooseStride(const GroupShape &shape, int64_t vector, int64_t threads);
/// `mayCluster`: the whole grid is this kernel's.
LaunchShape chooseRow(const GroupShape &shape, const Footprint &footprint,
                      TypeRange inputs, TypeRange outputs, bool mayCluster);
LaunchShape chooseColumn(const GroupShape &shape, const Footprint &footprint);
/// Path `row`: whether rows that threads take in order, a warp of them, fit shared
/// memory.
bool canStageOrdered(const GroupShape &shape);
/// Spreads the work of a block over `threads`, a power of two.
void widenColumn(const GroupShape &shape, int64_t threads, LaunchShape &launch);
void widenMixed(const GroupShape &shape, int64_t threads, LaunchShape &launch);
LaunchShape chooseWindow(const GroupShape &shape, const Footprint &footprint);
LaunchShape chooseMixed(const GroupShape &shape, const Footprint &footprint);
/// Shares the tile of a block among `threads`, a power of two and not fewer
/// than it has.
void widenTile(const GroupShape &shape, int64_t threads, LaunchShape &launch);
LaunchShape chooseTile(const GroupShape &shape);
/// Tiles for parts of path `tile`, with regard to how their blocks fill a
/// device together.
llvm::SmallVector<LaunchShape> chooseTiles(llvm::ArrayRef<KernelPart> parts);
/// The time in clocks of a kernel of path `tile`; nothing if its program asks
/// for a tile.
std::optional<double> getTileClocks(const GroupShape &shape);
/// The time in clocks of parts of path `tile`, each with tiles as large as its
/// own sums allow.
double getClocksTogether(llvm::ArrayRef<KernelPart> parts);
AffineMap getTileLayout(MLIRContext *context, const GroupShape &shape,
                        const LaunchShape &launch);
/// As the widest outputs with an element for each place lie in memory.
/// `rowsOfBatch`: rows that follow each other, if lanes may have neighbours
/// down the rows.
ResultLayout chooseResultLayout(const GroupShape &shape,
                                AffineExpr rowsOfBatch);
/// Path `box`.
LaunchShape chooseBoxLaunch(const GroupShape &shape);
void widenBox(const GroupShape &shape, int64_t threads, LaunchShape &launch);
AffineMap getBoxLayout(MLIRContext *context, const GroupShape &shape,
                       const LaunchShape &launch);
AffineMap getMixedLayout(MLIRContext *context, const LaunchShape &launch);
AffineMap getColumnLayout(MLIRContext *context, const LaunchShape &launch);

} // namespace mlir::fuse

#endif // FUSE_MLIR_LIB_ANALYSIS_LAUNCHCHOICE_H
