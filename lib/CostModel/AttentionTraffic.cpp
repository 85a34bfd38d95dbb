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
  return std::ceil(
      double(type.getNumElements() * getElementBytes(type.getElementType())) /
      kSectorBytes);
}

/// The tensor whose elements are the factor of `op`; null if its body makes it.
static Value getFactorTensor(Operation *op, Value factor) {
  auto argument = dyn_cast<BlockArgument>(getKeptFactor(factor));
  return argument
             ? cast<linalg::LinalgOp>(op).getMatchingOpOperand(argument)->get()
             : Value();
}

/// Bytes of an element of the tensor in memory that the factor of `op` is
/// computed from, through views and operators of one tensor.
static int64_t getBytesInMemory(Operation *op, Value factor,
                                ValueRange inputs) {
  Value value = getFactorTensor(op, factor);
  if (!value)
    return getElementBytes(factor.getType());
  while (!llvm::is_contained(inputs, value)) {
    Operation *def = value.getDefiningOp();
    if (!def || def->getNumOperands() == 0 ||
        !isa<RankedTensorType>(def->getOperand(0).getType()))
      break;
    value = def->getOperand(0);
  }
  return getElementBytes(getElementTypeOrSelf(value.getType()));
}

/// Columns of a row that a warp's access has.
static double getRowWidth(const TileShape &tile) {
  return tile.unit == TileUnit::Mma ? 8 : 32;
}

/// Neighbouring rows that a warp's access has.
static double getSideBySide(const TileShape &tile) {
  return tile.unit == TileUnit::Mma ? 8 : 4;
}

/// Sectors of a value for each score, as warps access it: `width` columns of a
/// row at a time.
static double getRowSectors(double rows, double columns, double width,
                            int64_t bytes) {
  return rows * std::ceil(columns / width) *
         std::ceil(width * double(bytes) / kSectorBytes);
}

namespace {
/// What all tiles of all heads visit in a pass.
struct Visits {
  /// Keys, tile by tile; the places of queries and keys that exist.
  double keys = 0, places = 0;
};
} // namespace

static Visits countVisits(const GroupShape &shape, const TileShape &tile,
                          const StreamedAttention &attention) {
  Visits visits;
  for (int64_t number = 0, end = llvm::divideCeil(shape.queries, tile.rows);
       number < end; ++number) {
    double keys = double(
        std::min(shape.columns,
                 attention.countSteps(shape, tile, number) * tile.columns));
    visits.keys += keys;
    visits.places +=
        keys * double(std::min(tile.rows, shape.queries - number * tile.rows));
  }
  double heads = double(shape.rows / shape.queries);
  return {heads * visits.keys, heads * visits.places};
}

/// Rows for which a warp reads what the cascade needs at `linear`: a mask that
/// all queries of a head share is read once for the rows of the warp.
static double countRowReads(const GroupShape &shape, const TileShape &tile,
                            AffineExpr linear) {
  IndexRanges oneHead;
  oneHead.dims = {IndexRange::ofSize(shape.queries),
                  IndexRange::ofSize(shape.columns)};
  double rows = double(shape.rows);
  bool shared = !simplifyIndex(linear, oneHead).isFunctionOfDim(0);
  return shared ? std::ceil(rows / double(tile.rows / tile.rowWarps)) : rows;
}

/// In how many passes a tensor is read by operators of the cascade.
static int64_t
countReads(const KernelPart &cascade,
           const llvm::DenseMap<Operation *, int64_t> &evaluations,
           Value value) {
  int64_t most = 0;
  for (Operation *op : cascade.ops)
    if (llvm::any_of(op->getOperands(), [&](Value operand) {
          return lookThroughViews(operand) == lookThroughViews(value);
        }))
      most = std::max(most, evaluations.lookup(op));
  return most;
}

/// Sectors that blocks ask for: queries once for each part of the keys; as far
/// as the block goes, keys in each pass, and values in the last one; what the
/// cascade reads, in the passes that need it.
static double countLoads(const GroupShape &shape, const TileShape &tile,
                         const StreamedAttention &attention,
                         const Visits &visits, ValueRange inputs) {
  const ContractionShape &scores = attention.scores, &sums = attention.sums;
  auto getBytes = [&](const ContractionShape &contraction, Value factor) {
    return double(getBytesInMemory(contraction.op, factor, inputs));
  };
  double rows = double(shape.rows), depth = double(scores.depth);
  double keys =
      double(attention.countPasses()) * depth * getBytes(scores, scores.right) +
      double(sums.columns) * getBytes(sums, sums.right);
  double loads = std::ceil(
      (double(tile.parts) * rows * depth * getBytes(scores, scores.left) +
       visits.keys * keys) /
      kSectorBytes);
  const KernelPart &cascade = shape.stages[1];
  llvm::DenseMap<Operation *, int64_t> evaluations =
      attention.countEvaluations(shape);
  for (const LeafAccess &access : cascade.shape.accesses) {
    if (!llvm::is_contained(inputs, lookThroughViews(access.value)))
      continue;
    int64_t bytes = getElementBytes(getElementTypeOrSelf(access.value));
    double once =
        access.linear.isFunctionOfDim(1)
            ? getRowSectors(countRowReads(shape, tile, access.linear),
                            visits.places / rows, getRowWidth(tile), bytes)
            : rows;
    loads += once * double(countReads(cascade, evaluations, access.value));
  }
  return loads;
}

static double countStores(const GroupShape &shape, const TileShape &tile,
                          const StreamedAttention &attention,
                          ValueRange outputs) {
  const GroupShape &cascade = shape.stages[1].shape;
  double rows = double(shape.rows), width = getRowWidth(tile), stores = 0;
  double columns = double(attention.sums.columns);
  ResultLayout results = attention.getResults(shape, tile.unit);
  results.columns = attention.sums.columns;
  for (Value output : outputs) {
    int64_t bytes = getElementBytes(getElementTypeOrSelf(output.getType()));
    if (!llvm::is_contained(shape.stored, output)) {
      // Neighbours of a lane, and lanes side by side.
      double together = double(results.countLanes() * results.vector);
      stores += results.isFragment() ? getRowSectors(rows, columns, width, bytes)
                : results.downRows
                    ? getRowSectors(columns, rows, together, bytes)
                    : getRowSectors(rows, columns, together, bytes);
      continue;
    }
    bool isFull = llvm::any_of(cascade.outputs, [&](const OutputSeed &seed) {
      return seed.value == output && seed.isFull();
    });
    // Statistics of eight rows, or four, lie side by side.
    stores += isFull ? getRowSectors(rows, double(shape.columns), width, bytes)
                     : getRowSectors(1, rows, getSideBySide(tile), bytes);
  }
  return stores;
}

KernelTraffic cost::countAttention(const GroupShape &shape,
                                   const LaunchShape &launch, ValueRange inputs,
                                   ValueRange outputs) {
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
  const TileShape &tile = *launch.tile;
  std::optional<StreamedAttention> attention = matchStreamed(shape);
  traffic.loads = countLoads(shape, tile, *attention,
                             countVisits(shape, tile, *attention), inputs);
  traffic.stores = countStores(shape, tile, *attention, outputs);
  double shared = std::ceil(double(launch.scratchBytes) / kSectorBytes);
  traffic.loads += shared;
  traffic.stores += shared;
  traffic.uniqueLoads += shared;
  traffic.uniqueStores += shared;
  traffic.uniqueLoads = std::min(traffic.uniqueLoads, traffic.loads);
  traffic.uniqueStores = std::min(traffic.uniqueStores, traffic.stores);
  return traffic;
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

llvm::DenseMap<Operation *, double>
cost::countWalks(const GroupShape &shape, const LaunchShape &launch) {
  llvm::DenseMap<Operation *, double> evaluations;
  if (!launch.tile)
    return evaluations;
  const TileShape &tile = *launch.tile;
  std::optional<StreamedAttention> attention = matchStreamed(shape);
  double steps = double(shape.rows / shape.queries) *
                 double(attention->countAllSteps(shape, tile));
  double visited = steps * double(tile.rows * tile.columns) /
                   double(shape.rows * shape.columns);
  evaluations[attention->scores.op] =
      visited * double(attention->countPasses());
  for (auto [op, passes] : attention->countEvaluations(shape))
    evaluations[op] = visited * double(passes);
  return evaluations;
}

llvm::SmallVector<std::pair<Value, double>>
cost::countFactorReads(const GroupShape &shape, const LaunchShape &launch) {
  SmallVector<std::pair<Value, double>> reads;
  if (!launch.tile)
    return reads;
  std::optional<StreamedAttention> attention = matchStreamed(shape);
  double tiles = countVisits(shape, *launch.tile, *attention).keys /
                 double(shape.rows / shape.queries * shape.columns);
  auto add = [&](const ContractionShape &contraction, Value factor,
                 double times) {
    if (Value tensor = getFactorTensor(contraction.op, factor))
      reads.push_back({tensor, times});
  };
  const ContractionShape &scores = attention->scores, &sums = attention->sums;
  add(scores, scores.left, double(launch.tile->parts));
  add(scores, scores.right, tiles * double(attention->countPasses()));
  add(sums, sums.right, tiles);
  return reads;
}

/// Columns of `columns` that are multiplied: blocks of 16, or 32.
static double getPadded(const TileShape &tile, int64_t columns) {
  return double(llvm::alignTo(columns, tile.unit == TileUnit::Mma ? 16 : 32));
}

/// What a thread takes that multiplies the rows of its warp with so many
/// columns: instructions, and loads from shared memory, which take as long as
/// four.
static std::pair<double, double> getProductSlots(const TileShape &tile,
                                                 double columns, double depth) {
  double rows = double(tile.rows / tile.rowWarps);
  // The left factor stays in registers.
  if (tile.unit == TileUnit::Mma) {
    double steps = std::ceil(depth / 16);
    return {steps * 2 * (rows / 16) * (columns / 16), steps * 4 * columns / 16};
  }
  return {depth * rows / 4 * columns / 8, depth * (rows / 4 + columns / 8)};
}

TileWork cost::getAttentionWork(const GroupShape &shape,
                                const LaunchShape &launch) {
  const TileShape &tile = *launch.tile;
  std::optional<StreamedAttention> attention = matchStreamed(shape);
  double passes = double(attention->countPasses());
  double steps = double(shape.rows / shape.queries) *
                 double(attention->countAllSteps(shape, tile));
  double depth = double(attention->scores.depth);
  double keys = double(tile.columns);
  double values = getPadded(tile, attention->sums.columns);
  TileWork work;
  bool onMatrixUnits = tile.unit == TileUnit::Mma;
  if (onMatrixUnits)
    depth = getPadded(tile, attention->scores.depth);
  work.products = steps * double(tile.rows) * keys * (passes * depth + values);
  work.halfProducts = onMatrixUnits ? work.products : 0;
  auto [scoring, scoreLoads] = getProductSlots(tile, keys, depth);
  auto [summing, valueLoads] = getProductSlots(tile, values, keys);
  double loads =
      steps * double(launch.threads) * (passes * scoreLoads + valueLoads);
  work.slots =
      steps * double(launch.threads) * (passes * scoring + summing) + loads;
  // A warp's access of 16 bytes takes four wavefronts.
  work.wavefronts = loads / 32;
  // The sums of values are rescaled at each step.
  if (attention->isOnline())
    work.slots += steps * double(tile.rows) * values;
  return work;
}

double cost::getWalkClocks(const GroupShape &shape, const LaunchShape &launch,
                           double barrierClocks, double shuffleClocks) {
  const TileShape &tile = *launch.tile;
  std::optional<StreamedAttention> attention = matchStreamed(shape);
  double tiles = double(llvm::divideCeil(shape.queries, tile.rows));
  double steps = std::ceil(double(attention->countAllSteps(shape, tile)) /
                           (tiles * double(tile.parts)));
  double passes = double(attention->countPasses());
  bool onMatrixUnits = tile.unit == TileUnit::Mma;
  // The maximum of a row goes around its four or eight threads in each step,
  // its sum once.
  double rows = double(tile.rows / tile.rowWarps) / (onMatrixUnits ? 8 : 4);
  double around = shuffleClocks * rows * (onMatrixUnits ? 2 : 3);
  double barriers = barrierClocks * (tile.stages > 1 ? 1 : 2);
  double shuffles = attention->maximum ? (steps + 1) * around : around;
  return passes * steps * barriers + shuffles;
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
