// Sizes in host code, see the header.
#include "HostSizes.h"

#include "SizeVariants.h"

#include "fuse-mlir/Analysis/BoxShape.h"
#include "fuse-mlir/Analysis/LaunchShape.h"

#include "fuse-mlir/Transforms/HostSizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fuse;

Value fuse::emitSize(OpBuilder &builder, Location loc, AffineExpr expr,
                     ArrayRef<Value> symbols) {
  if (AffineConstantExpr constant = dyn_cast<AffineConstantExpr>(expr))
    return arith::ConstantIndexOp::create(builder, loc, constant.getValue());
  if (AffineSymbolExpr symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  AffineBinaryOpExpr binary = cast<AffineBinaryOpExpr>(expr);
  Value lhs = emitSize(builder, loc, binary.getLHS(), symbols);
  Value rhs = emitSize(builder, loc, binary.getRHS(), symbols);
  if (expr.getKind() == AffineExprKind::Add)
    return arith::AddIOp::create(builder, loc, lhs, rhs);
  if (expr.getKind() == AffineExprKind::Mul)
    return arith::MulIOp::create(builder, loc, lhs, rhs);
  // Sizes are not negative.
  return arith::DivUIOp::create(builder, loc, lhs, rhs);
}

/// The number of blocks, in the symbols of the shape.
static AffineExpr getGrid(const GroupShape &shape, ScheduleAttr schedule) {
  if (TileAttr tile = schedule.getTile()) {
    auto count = [](AffineExpr extent, int64_t size) {
      return (extent + (size - 1)).floorDiv(size);
    };
    if (shape.path == KernelPath::Attention)
      return shape.headExtent * count(shape.queryExtent, tile.getRows());
    const ContractionShape &contraction = shape.contractions.front();
    return contraction.batchExtent *
           count(contraction.rowExtent, tile.getRows()) *
           count(contraction.columnExtent, tile.getColumns());
  }
  int64_t perBlock =
      schedule.getThreads() * schedule.getPositions() * schedule.getVector();
  return (shape.rowExtent + (perBlock - 1)).floorDiv(perBlock);
}

/// As many blocks for each of `teams` as have enough of the columns to share,
/// with steps of `columns`, and are together no more than may share rows; at
/// least one.
static Value emitParts(OpBuilder &builder, Location loc,
                       const GroupShape &shape, Value teams, int64_t columns,
                       ArrayRef<Value> symbols) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  AffineExpr steps = (shape.columnExtent + (columns - 1)).floorDiv(columns);
  Value one = constant(1);
  Value most =
      arith::DivUIOp::create(builder, loc, constant(kMostSharingBlocks),
                             arith::MaxUIOp::create(builder, loc, teams, one));
  Value worth = arith::DivUIOp::create(
      builder, loc, emitSize(builder, loc, steps, symbols),
      constant(getFewestSharedSteps(shape, columns)));
  return arith::MaxUIOp::create(
      builder, loc, arith::MinUIOp::create(builder, loc, most, worth), one);
}

/// Blocks of path `column` if the sizes ask for the first of `versions` that
/// takes them.
static Value emitColumnGrid(OpBuilder &builder, Location loc,
                            const GroupShape &shape, ScheduleAttr schedule,
                            ArrayRef<ColumnVersion> versions,
                            ArrayRef<Value> symbols) {
  const ColumnVersion &version = versions.front();
  int64_t rows = version.getRowsPerBlock(schedule);
  int64_t columns = version.getColumnsPerStep(schedule);
  Value grid = emitSize(builder, loc,
                        (shape.rowExtent + (rows - 1)).floorDiv(rows), symbols);
  if (shape.singlePass)
    grid = arith::MulIOp::create(
        builder, loc, grid,
        emitParts(builder, loc, shape, grid, columns, symbols));
  if (!version.size)
    return grid;
  Value fits = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ule,
      emitSize(builder, loc, version.size, symbols),
      arith::ConstantIndexOp::create(builder, loc, version.most));
  return arith::SelectOp::create(builder, loc, fits, grid,
                                 emitColumnGrid(builder, loc, shape, schedule,
                                                versions.drop_front(),
                                                symbols));
}

/// Blocks of path `row`: several rows for each if these are short; of rows that
/// are needed once, several for a long one.
static Value emitRowGrid(OpBuilder &builder, Location loc,
                         const GroupShape &shape, ScheduleAttr schedule,
                         ArrayRef<Value> symbols) {
  constexpr int64_t kUnroll = 4;
  AffineExpr layout = schedule.getLayout().getResult(0);
  int64_t rows = getStride(layout, 0).value_or(1);
  Value grid = emitSize(builder, loc,
                        (shape.rowExtent + (rows - 1)).floorDiv(rows), symbols);
  if (mayShareAtRunTime(shape, schedule)) {
    int64_t columns = schedule.getThreads() * schedule.getVector() * kUnroll;
    grid = arith::MulIOp::create(
        builder, loc, grid,
        emitParts(builder, loc, shape, grid, columns, symbols));
  }
  if (isa<AffineConstantExpr>(shape.columnExtent))
    return grid;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  // No columns are more than any number here.
  Value others = arith::SubIOp::create(
      builder, loc, emitSize(builder, loc, shape.columnExtent, symbols),
      constant(1));
  auto kinds = getShortRows(schedule);
  for (const ShortRows &kind : llvm::reverse(kinds)) {
    int64_t each = schedule.getThreads() / kind.threads;
    Value isShort = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, others, constant(kind.most));
    grid = arith::SelectOp::create(
        builder, loc, isShort,
        emitSize(builder, loc, (shape.rowExtent + (each - 1)).floorDiv(each),
                 symbols),
        grid);
  }
  return grid;
}

/// Blocks of path `mixed`: as many as have the rows of the schedule's, up to
/// those that may share; one also has a result if there are no rows.
static Value emitMixedGrid(OpBuilder &builder, Location loc,
                           const GroupShape &shape, ScheduleAttr schedule,
                           ArrayRef<Value> symbols) {
  int64_t rows = getStride(schedule.getLayout().getResult(0), 0).value_or(1);
  Value grid = emitSize(builder, loc,
                        (shape.rowExtent + (rows - 1)).floorDiv(rows), symbols);
  grid = arith::MinUIOp::create(
      builder, loc, grid,
      arith::ConstantIndexOp::create(builder, loc, kMostSharingBlocks));
  return arith::MaxUIOp::create(
      builder, loc, grid, arith::ConstantIndexOp::create(builder, loc, 1));
}

Value fuse::emitGrid(OpBuilder &builder, Location loc, const GroupShape &shape,
                     ScheduleAttr schedule, ArrayRef<Value> symbols) {
  if (shape.sizes.isStatic())
    return arith::ConstantIndexOp::create(builder, loc, schedule.getGrid());
  if (shape.path == KernelPath::Row)
    return emitRowGrid(builder, loc, shape, schedule, symbols);
  if (shape.path == KernelPath::Column)
    return emitColumnGrid(builder, loc, shape, schedule,
                          getColumnVersions(shape, schedule), symbols);
  if (shape.path == KernelPath::Mixed)
    return emitMixedGrid(builder, loc, shape, schedule, symbols);
  if (shape.path == KernelPath::Box) {
    AffineExpr boxes = getAffineConstantExpr(1, builder.getContext());
    for (AffineExpr count : getBoxCounts(shape))
      boxes = boxes * count;
    return emitSize(builder, loc, boxes, symbols);
  }
  return emitSize(builder, loc, getGrid(shape, schedule), symbols);
}

namespace {
/// Finds symbols one after another from what the operands say.
class SizeEmitter {
public:
  SizeEmitter(KernelOp kernel, const TensorSizes &sizes)
      : kernel(kernel), sizes(sizes), builder(kernel),
        symbols(sizes.getNumSymbols()) {}

  FailureOr<SmallVector<Value>> run();

private:
  Value getOperand(const SizeSource &source);
  Value emitGiven(const SizeSource &source);
  bool solve(AffineExpr expr, const SizeSource &source);
  bool computeOne();
  void check(AffineExpr expr, const SizeSource &source);

  KernelOp kernel;
  const TensorSizes &sizes;
  OpBuilder builder;
  SmallVector<Value> symbols;
  /// What each symbol was read from.
  llvm::SmallDenseSet<std::pair<Value, int64_t>> read;
};
} // namespace

/// The value outside of the kernel; null if there is none.
Value SizeEmitter::getOperand(const SizeSource &source) {
  BlockArgument argument = dyn_cast<BlockArgument>(source.value);
  if (!argument || argument.getOwner() != &kernel.getBody().front())
    return {};
  return kernel->getOperand(argument.getArgNumber());
}

/// What an operand says, as an index.
Value SizeEmitter::emitGiven(const SizeSource &source) {
  Location loc = kernel.getLoc();
  Value operand = getOperand(source);
  if (source.dim >= 0)
    return getValueOrCreateConstantIndexOp(
        builder, loc, tensor::getMixedSize(builder, loc, operand, source.dim));
  if (operand.getType().isIndex())
    return operand;
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    operand);
}

/// The factors of a size.
static void collectFactors(AffineExpr expr,
                           SmallVectorImpl<AffineExpr> &factors) {
  AffineBinaryOpExpr product = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!product) {
    factors.push_back(expr);
    return;
  }
  collectFactors(product.getLHS(), factors);
  collectFactors(product.getRHS(), factors);
}

/// Finds the one symbol of `expr` that is not known yet, if there is just one.
bool SizeEmitter::solve(AffineExpr expr, const SizeSource &source) {
  SmallVector<AffineExpr> factors;
  collectFactors(expr, factors);
  AffineExpr known = builder.getAffineConstantExpr(1);
  std::optional<unsigned> wanted;
  for (AffineExpr factor : factors) {
    AffineSymbolExpr symbol = dyn_cast<AffineSymbolExpr>(factor);
    if (!symbol || symbols[symbol.getPosition()]) {
      known = known * factor;
      continue;
    }
    if (wanted)
      return false;
    wanted = symbol.getPosition();
  }
  if (!wanted || !getOperand(source))
    return false;
  Location loc = kernel.getLoc();
  Value size = emitGiven(source);
  if (known != builder.getAffineConstantExpr(1)) {
    // Without elements all is well with any size.
    Value divisor = emitSize(builder, loc, known, symbols);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    divisor = arith::MaxUIOp::create(builder, loc, divisor, one);
    size = arith::DivUIOp::create(builder, loc, size, divisor);
  } else {
    read.insert({source.value, source.dim});
  }
  symbols[*wanted] = size;
  return true;
}

/// A size that has to be what others say: kernels read by these.
void SizeEmitter::check(AffineExpr expr, const SizeSource &source) {
  if (!getOperand(source) || read.contains({source.value, source.dim}))
    return;
  Location loc = kernel.getLoc();
  Value size = emitGiven(source);
  Value wanted = emitSize(builder, loc, expr, symbols);
  if (size == wanted)
    return;
  Value equal = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                      size, wanted);
  cf::AssertOp::create(
      builder, loc, equal,
      builder.getStringAttr("operands of kernel '" + kernel.getKernelName() +
                            "' have sizes that do not fit together"));
}

/// Finds a symbol that no operand tells, but that follows from what they do
/// (the size of a padded tensor).
bool SizeEmitter::computeOne() {
  for (auto [number, symbol] : llvm::enumerate(symbols)) {
    const SizeSource &source = sizes.getSymbol(number);
    if (symbol || source.dim < 0)
      continue;
    std::optional<OpFoldResult> size =
        getHostSize(builder, source.value, source.dim,
                    [&](Value value) { return getOperand({value, -1}); });
    if (!size)
      continue;
    symbol = getValueOrCreateConstantIndexOp(builder, kernel.getLoc(), *size);
    return true;
  }
  return false;
}

FailureOr<SmallVector<Value>> SizeEmitter::run() {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto &[source, expr] : sizes.getSources())
      changed |= solve(expr, source);
    if (!changed)
      changed = computeOne();
  }
  for (auto [number, value] : llvm::enumerate(symbols))
    if (!value)
      return kernel.emitOpError("has a size that its operands do not tell: ")
             << (sizes.getSymbol(number).dim < 0 ? "an index of "
                                                 : "a dimension of ")
             << sizes.getSymbol(number).value;
  for (auto &[source, expr] : sizes.getSources())
    check(expr, source);
  return symbols;
}

FailureOr<SmallVector<Value>> fuse::emitSizes(KernelOp kernel,
                                              const TensorSizes &sizes) {
  if (sizes.isStatic())
    return SmallVector<Value>();
  return SizeEmitter(kernel, sizes).run();
}
