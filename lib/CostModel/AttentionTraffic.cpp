// Traffic and registers of attentions, from the tile of the launch and the
// loops of the two contractions.
#include "fuse-mlir/CostModel/AttentionTraffic.h"

#include "fuse-mlir/Analysis/StreamedAttention.h"
#include "fuse-mlir/CostModel/OpFacts.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::cost;

static double getSectors(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape())
    return 0;
  return std::ceil(double(type.getNumElements() *
                          getElementBytes(type.getElementType())) /
                   kSectorBytes);
}

/// Bytes of an element of the tensor in memory that operand `number` of `op` is
/// computed from, through views and operators of one tensor.
static int64_t getBytesInMemory(Operation *op, unsigned number,
                                ValueRange inputs) {
  Value value = op->getOperand(number);
  while (!llvm::is_contained(inputs, value)) {
    Operation *def = value.getDefiningOp();
    if (!def || def->getNumOperands() == 0 ||
        !isa<RankedTensorType>(def->getOperand(0).getType()))
      break;
    value = def->getOperand(0);
  }
  return getElementBytes(getElementTypeOrSelf(value.getType()));
}

/// Sectors of a value for each score, as warps access it: `width` columns of a
/// row at a time.
static double getRowSectors(double rows, double columns, double width,
                            int64_t bytes) {
  return rows * std::ceil(columns / width) *
         std::ceil(width * double(bytes) / kSectorBytes);
}

/// Keys that all tiles of a head visit.
static double countKeys(const GroupShape &shape, const TileShape &tile) {
  std::optional<StreamedAttention> attention = matchStreamed(shape);
  double keys = 0;
  for (int64_t number = 0, end = llvm::divideCeil(shape.queries, tile.rows);
       number < end; ++number)
    keys += double(std::min(
        shape.columns,
        attention->countSteps(shape, tile, number) * tile.columns));
  return keys;
}

KernelTraffic cost::countAttention(const GroupShape &shape,
                                   const LaunchShape &launch,
                                   ValueRange inputs, ValueRange outputs) {
  KernelTraffic traffic;
  for (Value input : inputs)
    traffic.uniqueLoads += getSectors(input);
  for (Value output : outputs)
    traffic.uniqueStores += getSectors(output);
  if (!launch.tile) {
    traffic.loads = traffic.uniqueLoads;
    traffic.stores = traffic.uniqueStores;
    return traffic;
  }
  double rows = double(shape.rows);
  double width = launch.tile->unit == TileUnit::Mma ? 8 : 32;
  Operation *scores = shape.stages[0].shape.roots.front();
  Operation *sums = shape.stages[2].shape.roots.front();
  double columns = double(shape.columns);
  auto loops = cast<linalg::LinalgOp>(scores).getStaticLoopRanges();
  double depth = 1;
  SmallVector<unsigned> reduced;
  cast<linalg::LinalgOp>(scores).getReductionDims(reduced);
  for (unsigned loop : reduced)
    depth *= double(loops[loop]);
  double values = double(shape.stages[2].shape.columns);
  // Queries once, keys and values once for each block, as far as it goes.
  double visited = double(shape.rows / shape.queries) *
                   countKeys(shape, *launch.tile);
  double bytes = rows * depth * double(getBytesInMemory(scores, 0, inputs)) +
                 visited *
                     (depth * double(getBytesInMemory(scores, 1, inputs)) +
                      values * double(getBytesInMemory(sums, 1, inputs)));
  traffic.loads = std::ceil(bytes / kSectorBytes);
  for (const LeafAccess &access : shape.stages[1].shape.accesses)
    if (llvm::is_contained(inputs, lookThroughViews(access.value)))
      traffic.loads +=
          access.linear.isFunctionOfDim(1)
              ? getRowSectors(rows, columns, width,
                              getElementBytes(
                                  getElementTypeOrSelf(access.value)))
              : rows;
  for (Value output : outputs)
    traffic.stores += getRowSectors(
        rows, values, width,
        getElementBytes(getElementTypeOrSelf(output.getType())));
  traffic.uniqueLoads = std::min(traffic.uniqueLoads, traffic.loads);
  traffic.uniqueStores = std::min(traffic.uniqueStores, traffic.stores);
  return traffic;
}

double cost::getAttentionRegisters(const GroupShape &shape,
                                   const LaunchShape &launch) {
  // The sums of each query at up to four places, and what they are made of.
  if (!launch.tile)
    return 24 + 8 * double(launch.positions);
  const TileShape &tile = *launch.tile;
  double rows = double(tile.rows) / double(launch.threads);
  double values = double(shape.stages[2].shape.columns);
  // Scores and sums, and fragments of queries and one of weights; or what four
  // steps of a thread's rows and columns multiply.
  double words = rows * (double(tile.columns) + values);
  if (tile.unit == TileUnit::Mma)
    return 40 + words + rows * double(tile.depth + tile.columns) / 2;
  return 32 + words + 4 * rows * 8 + double(tile.columns) / 2;
}
