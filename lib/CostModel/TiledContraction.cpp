// Work and traffic of tiled contractions. The formulas are in
// docs/CostModel.md.
#include "fuse-mlir/CostModel/TiledContraction.h"

#include "fuse-mlir/Analysis/ElementAccess.h"
#include "fuse-mlir/Analysis/MatrixUnits.h"
#include "fuse-mlir/CostModel/OpFacts.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::cost;

/// Threads of a warp, whose access of 16 bytes each takes four wavefronts.
static constexpr double kWarp = 32;

/// Steps of the sum of all blocks, those that fill up last tiles included.
static double getSteps(const ContractionShape &contraction,
                       const LaunchShape &launch) {
  const TileShape &tile = *launch.tile;
  int64_t tiles = llvm::divideCeil(
      llvm::divideCeil(contraction.depth, tile.depth), tile.parts);
  return double(launch.grid) * double(tiles * tile.depth);
}

/// Adds what a contraction takes on matrix units, if a warp loads so many rows
/// and columns of its factors.
static void addFragments(const ContractionShape &contraction,
                         const LaunchShape &launch, double loadedRows,
                         double loadedColumns, TileWork &work) {
  const TileShape &tile = *launch.tile;
  MatrixForm form = *matchMatrixForm(contraction);
  double steps = getSteps(contraction, launch);
  work.halfProducts += steps * double(tile.rows * tile.columns) / form.rate;
  double warpRows = double(tile.rows / tile.rowWarps) / 16;
  double warpColumns = double(tile.columns / tile.columnWarps) / 16;
  // For 16 x 16 results of a warp two products, of f64 four; for 16 rows or
  // columns 512 bytes of shared memory, and four roundings to tf32.
  double products = form.leftType == "f64" ? 4 : 2;
  double loads = form.leftType == "tf32" ? 8 : 4;
  double each = steps / double(form.depth) * double(launch.threads);
  double fragments = (loadedRows + loadedColumns) / 16;
  work.slots += each * (products * warpRows * warpColumns + loads * fragments);
  work.wavefronts += each * 4 * fragments / kWarp;
}

TileWork cost::getTileWork(const GroupShape &shape, const LaunchShape &launch) {
  const TileShape &tile = *launch.tile;
  TileWork work;
  double results = double(tile.rows * tile.columns);
  double threads = double(launch.threads);
  double rows = double(tile.rows / tile.rowWarps);
  double columns = double(tile.columns / tile.columnWarps);
  bool onMatrixUnits = tile.unit == TileUnit::Mma;
  // What is loaded for one contraction is there for others.
  auto getLoaded = [&](size_t number, bool isLeft) {
    if (keepsFactorOfEarlier(shape.contractions, number, isLeft))
      return 0.0;
    return isLeft ? rows : columns;
  };
  for (auto [i, contraction] : llvm::enumerate(shape.contractions)) {
    double steps = getSteps(contraction, launch);
    double loadedRows = getLoaded(i, /*isLeft=*/true);
    double loadedColumns = getLoaded(i, /*isLeft=*/false);
    work.products += steps * results;
    work.registers +=
        results / threads *
        double(llvm::divideCeil(
            getElementBytes(contraction.op->getResult(0).getType()), 4));
    if (onMatrixUnits) {
      addFragments(contraction, launch, loadedRows, loadedColumns, work);
      continue;
    }
    // A warp's access of 16 bytes for each four rows or columns takes as long
    // as four instructions.
    double accesses = steps * threads * (loadedRows / 4 + loadedColumns / 8);
    work.slots += steps * results + accesses;
    Type type = contraction.add->getResult(0).getType();
    if (type.isF64())
      work.f64 += steps * results;
    else if (type.isInteger())
      work.integer += steps * results;
    work.wavefronts += accesses / kWarp;
  }
  // Of a warp's fragments, or of the elements of four steps, half at a time.
  work.registers += onMatrixUnits ? 4 * (rows / 16 + columns / 16)
                                  : 4 * (rows / 4 + columns / 8) / 2;
  // What windows cover is under way, as much as fits (TileWalk.cpp).
  if (!shape.windows.empty())
    work.registers += 90;
  // Elements wait for the reductions of their rows, and what they are made of
  // is on its way to most of them.
  if (shape.joinsRows)
    work.registers += 16 + 1.25 * results / threads;
  return work;
}

Value cost::getFactor(const ContractionShape &contraction, bool isLeft) {
  Value kept = getKeptFactor(isLeft ? contraction.left : contraction.right);
  BlockArgument argument = dyn_cast<BlockArgument>(kept);
  if (!argument)
    return Value();
  return cast<linalg::LinalgOp>(contraction.op)
      .getMatchingOpOperand(argument)
      ->get();
}

double cost::countCopiedTogether(const GroupShape &shape, Operation *op) {
  if (shape.path != KernelPath::Tile)
    return 1;
  tensor::PadOp pad = dyn_cast<tensor::PadOp>(op);
  if (!pad || pad.getType().getRank() == 0 || !padsWithZeros(pad))
    return 1;
  bool isFactor = llvm::any_of(
      shape.contractions, [&](const ContractionShape &contraction) {
        auto isPadded = [&](bool isLeft) {
          Value factor = getFactor(contraction, isLeft);
          return factor && lookThroughViews(factor) == pad.getResult();
        };
        return isPadded(/*isLeft=*/true) || isPadded(/*isLeft=*/false);
      });
  int64_t last = pad.getSourceType().getShape().back();
  bool isWhole = getConstantIntValue(pad.getMixedLowPad().back()) == 0 &&
                 getConstantIntValue(pad.getMixedHighPad().back()) == 0;
  if (!isFactor || !isWhole || ShapedType::isDynamic(last))
    return 1;
  int64_t bytes = getElementBytes(pad.getType().getElementType());
  int64_t together = 16 / bytes;
  while (last % together != 0)
    together /= 2;
  return together * bytes < 4 ? 1 : double(together);
}

Operation *cost::getTileOperandOf(const PlacedAccess &access) {
  for (auto [i, index] : llvm::enumerate(access.indices))
    if (index.loopOf && !index.isWindow &&
        access.access->linear.isFunctionOfSymbol(i))
      return index.loopOf;
  return nullptr;
}

static const ContractionShape &getContraction(const GroupShape &shape,
                                              Operation *op) {
  return *llvm::find_if(shape.contractions,
                        [&](const ContractionShape &contraction) {
                          return contraction.op == op;
                        });
}

/// The place of `access` with the loops along the sums numbered from 0.
static AffineExpr renumberLoops(const PlacedAccess &access) {
  Operation *op = getTileOperandOf(access);
  SmallVector<AffineExpr> symbols;
  unsigned next = 0;
  MLIRContext *context = access.access->linear.getContext();
  for (auto [i, index] : llvm::enumerate(access.indices))
    symbols.push_back(
        index.loopOf == op
            ? getAffineSymbolExpr(next++, context)
            : getAffineSymbolExpr(access.indices.size() + i, context));
  return access.access->linear.replaceSymbols(symbols);
}

bool cost::isSharedFactor(const GroupShape &shape, const PlacedAccess &a,
                          const PlacedAccess &b) {
  const ContractionShape &one = getContraction(shape, getTileOperandOf(a));
  const ContractionShape &other = getContraction(shape, getTileOperandOf(b));
  bool isLeft = !a.access->linear.isFunctionOfDim(1);
  Value factor = getFactor(one, isLeft);
  return factor && one.op != other.op && one.depthExtent == other.depthExtent &&
         factor == getFactor(other, isLeft) &&
         renumberLoops(a) == renumberLoops(b);
}
