// Samples of the steps that warps take through a kernel's space, as code
// generation lays them out (docs/CostModel.md).
#include "WarpAccess.h"

#include "fuse-mlir/Analysis/BoxShape.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::cost;

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

void LaneProgram::compile(AffineExpr expr) {
  Step step{expr.getKind()};
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    step.number = constant.getValue();
  } else if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    step.number = dim.getPosition();
  } else if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    step.number = symbol.getPosition();
  } else {
    auto binary = cast<AffineBinaryOpExpr>(expr);
    compile(binary.getLHS());
    if (auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS())) {
      step.isImmediate = true;
      step.number = constant.getValue();
    } else {
      compile(binary.getRHS());
    }
  }
  steps.push_back(step);
}

bool LaneProgram::isLinear() const {
  return llvm::all_of(steps, [](const Step &step) {
    switch (step.kind) {
    case AffineExprKind::FloorDiv:
    case AffineExprKind::CeilDiv:
    case AffineExprKind::Mod:
      return false;
    case AffineExprKind::Mul:
      return step.isImmediate;
    default:
      return true;
    }
  });
}

static int64_t floorDiv(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

/// Quotients or remainders of a power of two.
static void applyPowerOfTwo(AffineExprKind kind, Lanes &a, int64_t b) {
  unsigned shift = llvm::Log2_64(b);
  for (int64_t &lane : a)
    lane = kind == AffineExprKind::Mod ? lane & (b - 1) : lane >> shift;
}

/// `getRight` gives the right operand of a lane.
template <typename Right>
static void apply(AffineExprKind kind, Lanes &a, Right getRight) {
  auto forEach = [&](auto combine) {
    for (int64_t lane = 0; lane < kWarp; ++lane)
      a[lane] = combine(a[lane], getRight(lane));
  };
  switch (kind) {
  case AffineExprKind::Add:
    return forEach([](int64_t a, int64_t b) { return a + b; });
  case AffineExprKind::Mul:
    return forEach([](int64_t a, int64_t b) { return a * b; });
  case AffineExprKind::FloorDiv:
    return forEach(
        [](int64_t a, int64_t b) { return b == 0 ? 0 : floorDiv(a, b); });
  case AffineExprKind::CeilDiv:
    return forEach(
        [](int64_t a, int64_t b) { return b == 0 ? 0 : -floorDiv(-a, b); });
  case AffineExprKind::Mod:
    return forEach([](int64_t a, int64_t b) {
      return b == 0 ? 0 : a - floorDiv(a, b) * b;
    });
  default:
    return a.fill(0);
  }
}

Lanes LaneProgram::run(ArrayRef<Lanes> dims, ArrayRef<int64_t> symbols) const {
  SmallVector<Lanes, 4> stack;
  for (const Step &step : steps) {
    bool divides = step.kind == AffineExprKind::FloorDiv ||
                   step.kind == AffineExprKind::Mod;
    if (step.isImmediate && divides && llvm::isPowerOf2_64(step.number)) {
      applyPowerOfTwo(step.kind, stack.back(), step.number);
    } else if (step.isImmediate) {
      apply(step.kind, stack.back(), [&](int64_t) { return step.number; });
    } else if (step.kind == AffineExprKind::Constant) {
      stack.emplace_back().fill(step.number);
    } else if (step.kind == AffineExprKind::DimId) {
      stack.push_back(dims[step.number]);
    } else if (step.kind == AffineExprKind::SymbolId) {
      stack.emplace_back().fill(symbols[step.number]);
    } else {
      Lanes right = stack.pop_back_val();
      apply(step.kind, stack.back(), [&](int64_t lane) { return right[lane]; });
    }
  }
  return stack.back();
}

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

namespace {
using Samples = SmallVector<std::pair<int64_t, double>, 8>;
} // namespace

Samples cost::sampleNumbers(int64_t count, int64_t most) {
  Samples result;
  if (count <= most) {
    for (int64_t i = 0; i < count; ++i)
      result.push_back({i, 1.0});
    return result;
  }
  double weight = double(count - 1) / double(most - 1);
  for (int64_t i = 0; i + 1 < most; ++i)
    result.push_back({(count - 1) * i / (most - 1), weight});
  result.push_back({count - 1, 1.0});
  return result;
}

Samples cost::sampleNeighbours(int64_t count, int64_t most) {
  if (count <= most + 1)
    return sampleNumbers(count, count);
  Samples result;
  for (int64_t i = 0; i < most; ++i)
    result.push_back({i, double(count - 1) / double(most)});
  result.push_back({count - 1, 1.0});
  return result;
}

/// Warps of a block; all of them where some places of the block do not exist.
static Samples sampleWarps(int64_t threads, bool ragged) {
  int64_t count = (threads + kWarp - 1) / kWarp;
  constexpr int64_t kMost = 4;
  return ragged || count <= kMost ? sampleNumbers(count, count)
                                  : sampleNeighbours(count, kMost - 1);
}

/// Samples along what a guard depends on.
static constexpr int64_t kMany = 16;

/// Those of a row, of which parts may be done by a few warps.
static Samples sampleRowWarps(int64_t threads, bool ragged, SampleKind kind) {
  return kind.guardsColumns && !ragged
             ? sampleNumbers((threads + kWarp - 1) / kWarp, kMany)
             : sampleWarps(threads, ragged);
}

/// A thread for `width` neighbours of the line of elements, beginning at
/// `first` + its number × `width`.
static WarpStep makeFlatStep(int64_t first, int64_t warp, int64_t width,
                             int64_t threads, int64_t elements, double weight) {
  WarpStep step;
  step.width = width;
  step.weight = weight;
  step.column.fill(0);
  for (int64_t lane = 0; lane < kWarp; ++lane) {
    int64_t thread = warp * kWarp + lane;
    step.row[lane] = first + thread * width;
    step.exists[lane] = thread < threads && step.row[lane] < elements;
    step.row[lane] = std::min(step.row[lane], elements - 1);
  }
  return step;
}

/// Paths `pointwise` and `general`: whole blocks take chunks, ragged ones their
/// elements one by one.
static SmallVector<SampledBlock> sampleFlat(const GroupShape &shape,
                                            const LaunchShape &launch,
                                            SampleKind kind) {
  int64_t perThread = launch.positions * launch.vector;
  int64_t perBlock = perThread * launch.threads;
  int64_t whole = shape.rows / perBlock;
  bool allRagged =
      whole * perBlock != shape.rows && (whole == 0 || perThread == 1);
  SmallVector<SampledBlock> blocks;
  auto add = [&](int64_t block, double blockWeight, bool ragged) {
    SampledBlock &sampled = blocks.emplace_back();
    sampled.weight = blockWeight;
    int64_t positions = ragged ? perThread : launch.positions;
    int64_t width = ragged ? 1 : launch.vector;
    for (auto [position, positionWeight] : sampleNumbers(positions, 4))
      for (auto [warp, warpWeight] : sampleWarps(launch.threads, ragged))
        sampled.steps.push_back(
            makeFlatStep(block * perBlock + position * launch.threads * width,
                         warp, width, launch.threads, shape.rows,
                         blockWeight * positionWeight * warpWeight));
  };
  if (allRagged) {
    for (auto [block, weight] : sampleNumbers(launch.grid, 4))
      add(block, weight, /*ragged=*/true);
    return blocks;
  }
  for (auto [block, weight] : sampleNumbers(whole, kind.guardsRows ? kMany : 4))
    add(block, weight, /*ragged=*/false);
  if (whole * perBlock != shape.rows)
    add(whole, 1.0, /*ragged=*/true);
  return blocks;
}

namespace {
/// Row and first column of a thread (path `row`), or first row and column (path
/// `column`).
struct Place {
  int64_t row, column;
  /// The thread stores what there is once per row.
  bool ownsRow;
};
} // namespace

/// The same as the layout of `getLayout`.
static Place placeThread(const GroupShape &shape, const LaunchShape &launch,
                         int64_t block, int64_t thread, int64_t position) {
  if (shape.path == KernelPath::Mixed) {
    int64_t each = launch.positions / launch.steps;
    int64_t inRow = thread % launch.threadsPerRow;
    return {(block * launch.steps + position / each) * launch.rowsPerBlock +
                thread / launch.threadsPerRow,
            (position % each * launch.threadsPerRow + inRow) * launch.vector,
            inRow == 0};
  }
  int64_t firstRow = block / launch.parts * launch.rowsPerBlock;
  position += block % launch.parts * launch.positions;
  if (shape.path == KernelPath::Column) {
    int64_t across = launch.threads / launch.threadsPerRow;
    int64_t part = thread / across;
    return {firstRow + thread % across * launch.vector,
            position * launch.threadsPerRow + part, part == 0};
  }
  int64_t row = firstRow + thread / launch.threadsPerRow;
  int64_t inRow = thread % launch.threadsPerRow;
  int64_t column = (position * launch.threadsPerRow + inRow) * launch.vector;
  if (launch.shift)
    column -= (row * shape.columns) % launch.shift;
  return {row, column, inRow == 0};
}

/// Whether a thread's positions are neighbours whose code stands side by side.
static bool hasNeighbouringPositions(const GroupShape &shape,
                                     const LaunchShape &launch) {
  return shape.path == KernelPath::Row && launch.threadsPerRow == 1 &&
         launch.vector == 1 && launch.parts == 1 && !launch.isLooped(shape.path);
}

static WarpStep makeRowStep(const GroupShape &shape, const LaunchShape &launch,
                            SampleKind kind, int64_t block, int64_t warp,
                            int64_t position, int64_t width) {
  bool alongRows = shape.path == KernelPath::Column;
  WarpStep step;
  step.width = kind.perRow && !alongRows ? 1 : width;
  auto lastChunk = [&](int64_t size) {
    return (size - 1) / step.width * step.width;
  };
  for (int64_t lane = 0; lane < kWarp; ++lane) {
    int64_t thread = warp * kWarp + lane;
    Place place = placeThread(shape, launch, block, thread, position);
    bool exists = thread < launch.threads && place.row < shape.rows;
    exists &= !kind.byOwner || place.ownsRow;
    if (!kind.perRow)
      exists &= place.column >= 0 && place.column < shape.columns;
    step.exists[lane] = kind.masked ? exists : thread < launch.threads;
    step.row[lane] =
        std::min(place.row, alongRows ? lastChunk(shape.rows) : shape.rows - 1);
    step.column[lane] = std::clamp<int64_t>(
        place.column, 0,
        alongRows ? shape.columns - 1 : lastChunk(shape.columns));
  }
  return step;
}

/// Positions of a thread that are looked at: those of one row if the access is
/// the same in all rows, one of each row if it is the same in all columns.
static Samples samplePositions(const LaunchShape &launch, SampleKind kind) {
  int64_t each = launch.positions / launch.steps;
  if (kind.perColumn)
    return sampleNumbers(kind.perRow ? 1 : each, 8);
  if (!kind.perRow)
    return sampleNumbers(launch.positions, kind.guardsColumns ? kMany : 8);
  Samples rows = sampleNumbers(launch.steps, 8);
  for (auto &[row, weight] : rows)
    row *= each;
  return rows;
}

static SmallVector<SampledBlock> sampleRows(const GroupShape &shape,
                                            const LaunchShape &launch,
                                            SampleKind kind) {
  SmallVector<SampledBlock> blocks;
  int64_t width = launch.vector;
  Samples positions = samplePositions(launch, kind);
  if (!kind.perRow && hasNeighbouringPositions(shape, launch)) {
    width = launch.positions;
    positions = {{0, 1.0}};
  }
  int64_t perBlock = launch.rowsPerBlock * launch.steps;
  bool guardsBlocks =
      kind.guardsRows || (kind.guardsColumns && launch.parts > 1);
  for (auto [block, blockWeight] :
       sampleNumbers(launch.grid, guardsBlocks ? kMany : 4)) {
    SampledBlock &sampled = blocks.emplace_back();
    sampled.weight = blockWeight;
    bool ragged = (block / launch.parts + 1) * perBlock > shape.rows;
    for (auto [position, positionWeight] : positions)
      for (auto [warp, warpWeight] :
           sampleRowWarps(launch.threads, ragged, kind)) {
        WarpStep step =
            makeRowStep(shape, launch, kind, block, warp, position, width);
        step.weight = blockWeight * positionWeight * warpWeight;
        sampled.steps.push_back(step);
      }
  }
  return blocks;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Blocks of path `tile`, and how many each stands for: tiles at the lower and
/// at the right edge are cut off, and no others are.
static Samples sampleTileBlocks(const ContractionShape &contraction,
                                const TileShape &tile) {
  int64_t down = llvm::divideCeil(contraction.rows, tile.rows);
  int64_t across = llvm::divideCeil(contraction.columns, tile.columns);
  int64_t batch = contraction.batches / 2;
  Samples result;
  for (auto [row, rowWeight] : sampleNumbers(down, 2))
    for (auto [column, columnWeight] : sampleNumbers(across, 2)) {
      int64_t inGroup = column * tile.group + row % tile.group;
      int64_t block =
          (batch * down + row - row % tile.group) * across + inGroup;
      result.push_back(
          {block, double(contraction.batches) * rowWeight * columnWeight});
    }
  return result;
}

/// Path `tile`: the results of a thread, as the layout places them.
static SmallVector<SampledBlock> sampleTiles(const GroupShape &shape,
                                             const LaunchShape &launch,
                                             SampleKind kind) {
  const ContractionShape &contraction = shape.contractions.front();
  // The layout by threads: block and position are the same for a warp.
  Builder builder(contraction.op->getContext());
  AffineMap layout =
      getLayout(builder.getContext(), shape, launch)
          .replaceDimsAndSymbols({builder.getAffineSymbolExpr(0),
                                  builder.getAffineDimExpr(0),
                                  builder.getAffineSymbolExpr(1),
                                  builder.getAffineConstantExpr(0)},
                                 {}, /*numResultDims=*/1, /*numResultSyms=*/2);
  LaneProgram rowOf(layout.getResult(0)), columnOf(layout.getResult(1));
  int64_t padded = llvm::alignTo(contraction.rows, launch.tile->rows);
  int64_t down = launch.downRows ? launch.vector : 1;
  int64_t across = launch.downRows ? 1 : launch.vector;
  int64_t lastRow = std::max<int64_t>(0, contraction.rows - down);
  int64_t lastColumn = std::max<int64_t>(0, contraction.columns - across);
  SmallVector<SampledBlock> blocks;
  auto makeStep = [&](int64_t block, int64_t position, int64_t warp) {
    WarpStep step;
    step.width = launch.vector;
    Lanes threads;
    std::iota(threads.begin(), threads.end(), warp * kWarp);
    Lanes rows = rowOf.run(threads, {block, position});
    Lanes columns = columnOf.run(threads, {block, position});
    for (int64_t lane = 0; lane < kWarp; ++lane) {
      int64_t row = rows[lane] % padded;
      step.exists[lane] = !kind.masked || (row < contraction.rows &&
                                           columns[lane] < contraction.columns);
      step.row[lane] =
          rows[lane] / padded * contraction.rows + std::min(row, lastRow);
      step.column[lane] = std::min(columns[lane], lastColumn);
    }
    return step;
  };
  // What is the same for all columns, or rows, is read once for each of the
  // others.
  SmallVector<int64_t> positions;
  llvm::SmallDenseSet<std::pair<int64_t, int64_t>> seen;
  for (int64_t position = 0; position < launch.positions; ++position) {
    WarpStep step = makeStep(0, position, 0);
    if (seen.insert({kind.perColumn ? 0 : step.row.front(),
                     kind.perRow ? 0 : step.column.front()})
            .second)
      positions.push_back(position);
  }
  // Of the blocks that share a tile, one stores.
  for (auto [block, blockWeight] :
       sampleTileBlocks(contraction, *launch.tile)) {
    SampledBlock &sampled = blocks.emplace_back();
    sampled.weight = blockWeight;
    for (auto [position, positionWeight] : sampleNumbers(positions.size(), 8))
      for (auto [warp, warpWeight] :
           sampleWarps(launch.threads, /*ragged=*/false)) {
        sampled.steps.push_back(makeStep(block, positions[position], warp));
        sampled.steps.back().weight = blockWeight * positionWeight * warpWeight;
      }
  }
  return blocks;
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

/// The neighbours of a warp from item `first` of a box on.
static WarpStep makeBoxStep(const GroupShape &shape, const LaunchShape &launch,
                            SampleKind kind, ArrayRef<int64_t> origin,
                            int64_t first, int64_t warp) {
  int64_t items = countBoxItems(shape, kind.order);
  WarpStep step;
  step.width = kind.vector;
  step.rowStep = shape.axes[kind.order.front()].stride;
  step.column.fill(0);
  step.row.fill(0);
  for (int64_t lane = 0; lane < kWarp; ++lane) {
    int64_t thread = warp * kWarp + lane;
    int64_t item = first + thread * kind.vector;
    step.exists[lane] = thread < launch.threads && item < items;
    if (!step.exists[lane])
      continue;
    for (auto [start, inBox, axis] :
         llvm::zip(origin, getBoxIndex(shape, kind.order, item), shape.axes)) {
      step.exists[lane] &= start + inBox < axis.size;
      step.row[lane] += (start + inBox) * axis.stride;
    }
    if (!step.exists[lane])
      step.row[lane] = 0;
  }
  return step;
}

static SmallVector<SampledBlock> sampleBoxes(const GroupShape &shape,
                                             const LaunchShape &launch,
                                             SampleKind kind) {
  int64_t perStep = launch.threads * kind.vector;
  int64_t steps = llvm::divideCeil(countBoxItems(shape, kind.order), perStep);
  SmallVector<SampledBlock> blocks;
  for (auto [block, blockWeight] : sampleNumbers(launch.grid, 4)) {
    SampledBlock &sampled = blocks.emplace_back();
    sampled.weight = blockWeight;
    SmallVector<int64_t> origin = getBoxOrigin(shape, block);
    for (auto [step, stepWeight] : sampleNumbers(steps, 4))
      for (auto [warp, warpWeight] :
           sampleWarps(launch.threads, /*ragged=*/false)) {
        sampled.steps.push_back(
            makeBoxStep(shape, launch, kind, origin, step * perStep, warp));
        sampled.steps.back().weight = blockWeight * stepWeight * warpWeight;
      }
  }
  return blocks;
}

SmallVector<SampledBlock> cost::sampleBlocks(const GroupShape &shape,
                                             const LaunchShape &launch,
                                             SampleKind kind) {
  if (shape.rows <= 0 || shape.columns <= 0)
    return {};
  if (shape.path == KernelPath::Box)
    return sampleBoxes(shape, launch, kind);
  if (shape.path == KernelPath::Tile)
    return sampleTiles(shape, launch, kind);
  return hasRows(shape) ? sampleRows(shape, launch, kind)
                        : sampleFlat(shape, launch, kind);
}
