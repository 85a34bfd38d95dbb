// A kernel with dynamic sizes asks once, all threads alike, what its sizes
// allow: accesses of 16 bytes and 32-bit index arithmetic (the size of which
// neighbours in memory are counted is a multiple, no tensor is too large), and
// how many threads and positions hold a row or a strip of rows. Nothing is
// compiled at run time; there are at most thirteen versions, one of which takes
// all sizes.
#include "SizeVariants.h"

#include "fuse-mlir/Analysis/LaunchShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::fuse;

/// Elements of a tensor with which index arithmetic fits 32 bits, what the last
/// block adds beyond the end included.
static constexpr int64_t kMostElements = int64_t(1) << 30;
static constexpr int64_t kWarp = 32;

namespace {
class SizeVariants {
public:
  SizeVariants(KernelContext &context,
               function_ref<void(KernelContext &)> emitPath)
      : context(context), emitter(context.emitter), emitPath(emitPath) {}

  void run();

private:
  bool isRow() const { return context.schedule.getPath() == KernelPath::Row; }
  bool isColumn() const {
    return context.schedule.getPath() == KernelPath::Column;
  }
  bool isBox() const { return context.schedule.getPath() == KernelPath::Box; }
  SmallVector<AffineExpr> getNeighbours() const;
  bool isWorthIt() const;
  bool collectElements();
  std::optional<unsigned> findSymbol(AffineExpr size) const;
  Condition emitGuard();
  GroupShape takeMultiple() const;
  ScheduleAttr makeRowSchedule(int64_t threadsPerRow, int64_t positions,
                               int64_t vector, Residency residency) const;
  void emitVersion(const GroupShape &shape, ScheduleAttr schedule,
                   int64_t rowShift = 0);
  Condition isFromOneTo(AffineExpr size, int64_t most);
  void emitRows(const GroupShape &shape, int64_t vector);
  void emitLongRows(const GroupShape &shape, int64_t vector, int64_t elements);
  void emitWide(const GroupShape &shape);
  void emitNarrow();
  ScheduleAttr makeNarrowBox() const;
  void chooseWidth(function_ref<void(const GroupShape &)> emitWhole,
                   function_ref<void()> emitRest);
  ScheduleAttr makeColumnSchedule(const ColumnVersion &version,
                                  int64_t vector) const;
  void emitColumns(ArrayRef<ColumnVersion> versions);

  KernelContext &context;
  ElementEmitter &emitter;
  function_ref<void(KernelContext &)> emitPath;
  /// Numbers of elements that are known at run time only.
  llvm::SmallSetVector<AffineExpr, 4> elements;
  /// The sizes that have to be multiples of the schedule's vector; none if the
  /// numbers of neighbours are anyway.
  llvm::SmallSetVector<unsigned, 2> wide;
  Condition isWide;
  /// The sizes' values; with those of `wide` divided by the vector.
  SmallVector<Value> values, counted;
};
} // namespace

/// The sizes along which elements are neighbours in memory.
SmallVector<AffineExpr> SizeVariants::getNeighbours() const {
  const GroupShape &shape = context.shape;
  if (isRow())
    return {shape.columnExtent};
  if (isColumn())
    return {shape.neighbourExtent};
  if (!isBox())
    return {shape.sizes.getShape(shape.outputs.front().value).back()};
  SmallVector<AffineExpr> sizes = {shape.axes[shape.order.front()].places};
  for (const BoxOperand &operand : shape.boxed)
    sizes.push_back(shape.axes[operand.order.front()].places);
  return sizes;
}

/// Rows of known length, and elements whose operands are all numbered like
/// themselves, need no other code for sizes that are nice.
bool SizeVariants::isWorthIt() const {
  if (isRow())
    return !isa<AffineConstantExpr>(context.shape.columnExtent);
  if (isColumn() || isBox())
    return true;
  KernelPath path = context.schedule.getPath();
  bool isFlat = path == KernelPath::Pointwise || path == KernelPath::Window ||
                path == KernelPath::General;
  return isFlat &&
         cast<RankedTensorType>(context.shape.outputs.front().value.getType())
                 .getRank() > 0 &&
         llvm::any_of(context.shape.accesses, [](const LeafAccess &access) {
           return !isa<AffineConstantExpr, AffineDimExpr>(access.linear);
         });
}

/// False if a tensor is known to be too large.
bool SizeVariants::collectElements() {
  const TensorSizes &sizes = context.shape.sizes;
  elements.insert(
      sizes.multiply(context.shape.rowExtent, context.shape.columnExtent));
  for (BlockArgument argument : context.kernel.getBody().getArguments())
    if (isa<RankedTensorType>(argument.getType()) && context.reads(argument))
      elements.insert(sizes.getElements(argument));
  for (Value output : context.outputs)
    elements.insert(sizes.getElements(output));
  return llvm::none_of(elements, [](AffineExpr size) {
    AffineConstantExpr known = dyn_cast<AffineConstantExpr>(size);
    return known && known.getValue() > kMostElements;
  });
}

/// The last symbol that `size` is a product of.
std::optional<unsigned> SizeVariants::findSymbol(AffineExpr size) const {
  std::optional<unsigned> last;
  size.walk([&](AffineExpr part) {
    if (AffineSymbolExpr found = dyn_cast<AffineSymbolExpr>(part))
      last = std::max(last.value_or(0), found.getPosition());
  });
  return last;
}

Condition SizeVariants::emitGuard() {
  OpBuilder &builder = context.builder();
  Location loc = context.loc();
  Value holds;
  auto require = [&](arith::CmpIPredicate predicate, Value lhs, int64_t rhs) {
    Value limit = arith::ConstantIndexOp::create(builder, loc, rhs);
    Value test = arith::CmpIOp::create(builder, loc, predicate, lhs, limit);
    holds = holds ? arith::AndIOp::create(builder, loc, holds, test) : test;
  };
  for (AffineExpr size : elements)
    if (!isa<AffineConstantExpr>(size))
      require(arith::CmpIPredicate::ule, emitter.materializeIndex(size),
              kMostElements);
  for (unsigned symbol : wide) {
    Value size = emitter.getSizeValues()[symbol];
    Value width = arith::ConstantIndexOp::create(builder, loc,
                                                 context.schedule.getVector());
    require(arith::CmpIPredicate::eq,
            arith::RemUIOp::create(builder, loc, size, width), 0);
  }
  // What lies beyond a row is moved to its last element: there has to be one.
  if (isRow() || isColumn())
    require(arith::CmpIPredicate::uge,
            emitter.materializeIndex(context.shape.columnExtent), 1);
  return holds ? Condition{Condition::Runtime, holds} : Condition();
}

/// The shape in which the symbols `wide` count whole vectors.
GroupShape SizeVariants::takeMultiple() const {
  GroupShape shape = context.shape;
  int64_t vector = context.schedule.getVector();
  SmallVector<AffineExpr> symbols;
  for (unsigned i = 0; i < shape.sizes.getNumSymbols(); ++i)
    symbols.push_back(getAffineSymbolExpr(i, emitter.getContext()) *
                      (wide.contains(i) ? vector : 1));
  auto replace = [&](AffineExpr &expr) {
    if (expr)
      expr = expr.replaceSymbols(symbols);
  };
  replace(shape.rowExtent);
  replace(shape.columnExtent);
  for (auto &[root, loops] : shape.rootLoops)
    llvm::for_each(loops, replace);
  for (OutputSeed &output : shape.outputs)
    llvm::for_each(output.index, replace);
  for (LeafAccess &access : shape.accesses)
    replace(access.linear);
  for (BoxAxis &axis : shape.axes) {
    replace(axis.places);
    replace(axis.step);
  }
  for (unsigned symbol : wide)
    shape.sizes.setMultiple(symbol, vector * shape.sizes.getMultiple(symbol));
  return shape;
}

ScheduleAttr SizeVariants::makeRowSchedule(int64_t threadsPerRow,
                                           int64_t positions, int64_t vector,
                                           Residency residency) const {
  ScheduleAttr whole = context.schedule;
  AffineExpr block, thread, position, lane;
  bindDims(whole.getContext(), block, thread, position, lane);
  int64_t rows = whole.getThreads() / threadsPerRow;
  AffineExpr row = block * rows + thread.floorDiv(threadsPerRow);
  AffineExpr inRow = thread % threadsPerRow;
  if (rows == 1) {
    row = block;
    inRow = thread;
  }
  AffineExpr column = (position * threadsPerRow + inRow) * vector + lane;
  return ScheduleAttr::get(
      whole.getContext(), whole.getPath(), whole.getRows(), whole.getColumns(),
      whole.getGrid(), whole.getThreads(), positions, vector, residency,
      AffineMap::get(4, 0, {row, column}, whole.getContext()),
      ArrayRef<ScheduleAttr>(), TileAttr());
}

void SizeVariants::emitVersion(const GroupShape &shape, ScheduleAttr schedule,
                               int64_t rowShift) {
  KernelContext own{context.kernel,
                    context.ops,
                    context.outputs,
                    schedule,
                    shape,
                    context.function,
                    emitter,
                    context.block,
                    context.thread,
                    0,
                    isColumn() || isBox(),
                    context.scratch,
                    rowShift};
  emitPath(own);
  context.dynamicSharedBytes =
      std::max(context.dynamicSharedBytes, own.dynamicSharedBytes);
}

SmallVector<ShortRows> fuse::getShortRows(ScheduleAttr schedule) {
  constexpr int64_t kFew = 8;
  int64_t vector = schedule.getVector();
  return {{kFew, kFew}, {kFew, kFew * vector}, {kWarp, kWarp * vector}};
}

/// `1 <= size && size <= most`. Ranges of sizes leave 0 out: without elements
/// most that is computed from them does not matter.
Condition SizeVariants::isFromOneTo(AffineExpr size, int64_t most) {
  OpBuilder &builder = context.builder();
  Location loc = context.loc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value others = arith::SubIOp::create(
      builder, loc, emitter.materializeIndex(size), constant(1));
  return {Condition::Runtime,
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, others,
                                constant(most))};
}

/// Rows that a block has to itself, in accesses of `vector` elements, of which
/// a thread has `elements` at least: in registers if they fit there, else
/// looped over. Rows of odd length begin anywhere in a sector, but the elements
/// of a thread do not.
void SizeVariants::emitLongRows(const GroupShape &shape, int64_t vector,
                                int64_t elements) {
  // Elements that are not side by side have addresses of their own.
  constexpr int64_t kUnroll = 4, kMostApart = 16;
  ScheduleAttr schedule = context.schedule;
  int64_t threads = schedule.getThreads(), width = schedule.getVector();
  bool isOdd = vector != width;
  int64_t before = isOdd ? 2 * width : 0;
  int64_t most = schedule.getPositions() * width;
  if (elements > (isOdd ? std::min(most, kMostApart) : most))
    return emitVersion(shape,
                       makeRowSchedule(threads, isOdd ? kUnroll : 2, vector,
                                       Residency::Reread),
                       before);
  emitter.emitIf(
      isFromOneTo(shape.columnExtent,
                  threads * elements - std::max<int64_t>(before - 1, 0)),
      [&] {
        emitVersion(shape,
                    makeRowSchedule(threads, elements / vector, vector,
                                    Residency::Registers),
                    before);
      },
      [&] { emitLongRows(shape, vector, 2 * elements); });
}

/// Rows of any length, in accesses of `vector` elements.
void SizeVariants::emitRows(const GroupShape &shape, int64_t vector) {
  constexpr int64_t kFewest = 4;
  SmallVector<ShortRows> kinds = getShortRows(context.schedule);
  std::function<void(ArrayRef<ShortRows>)> choose =
      [&](ArrayRef<ShortRows> rest) {
        if (rest.empty())
          return emitLongRows(shape, vector, std::max(vector, kFewest));
        ShortRows rows = rest.front();
        // Less than an access of each thread is no other code.
        if (rows.most < rows.threads * vector)
          return choose(rest.drop_front());
        int64_t positions = rows.most / (rows.threads * vector);
        emitter.emitIf(
            isFromOneTo(shape.columnExtent, rows.most),
            [&] {
              emitVersion(shape, makeRowSchedule(rows.threads, positions,
                                                 vector, Residency::Registers));
            },
            [&] { choose(rest.drop_front()); });
      };
  choose(kinds);
}

void SizeVariants::emitWide(const GroupShape &shape) {
  if (!isRow())
    return emitVersion(shape, context.schedule);
  emitRows(shape, context.schedule.getVector());
}

/// The version for sizes without anything nice about them.
void SizeVariants::emitNarrow() {
  if (isRow())
    return emitRows(context.shape, /*vector=*/1);
  emitVersion(context.shape, isBox() ? makeNarrowBox() : context.schedule);
}

/// The same boxes, element by element.
ScheduleAttr SizeVariants::makeNarrowBox() const {
  ScheduleAttr whole = context.schedule;
  LaunchShape launch;
  launch.threads = whole.getThreads();
  launch.positions = whole.getPositions() * whole.getVector();
  return ScheduleAttr::get(whole.getContext(), whole.getPath(), whole.getRows(),
                           whole.getColumns(), whole.getGrid(), launch.threads,
                           launch.positions, /*vector=*/1, whole.getResidency(),
                           getLayout(whole.getContext(), context.shape, launch),
                           ArrayRef<ScheduleAttr>(), TileAttr());
}

/// `emitWhole` where the size of neighbours is a multiple of the vector and
/// numbers of elements fit 32 bits, `emitRest` elsewhere.
void SizeVariants::chooseWidth(function_ref<void(const GroupShape &)> emitWhole,
                               function_ref<void()> emitRest) {
  const TensorSizes sizes = context.shape.sizes;
  emitter.emitIf(
      isWide,
      [&] {
        GroupShape shape = takeMultiple();
        emitter.bindSizes(shape.sizes, counted);
        emitter.assumeSmallSizes(true);
        emitWhole(shape);
        emitter.assumeSmallSizes(false);
        emitter.bindSizes(sizes, values);
      },
      emitRest);
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

/// Bytes of a place of all operands as large as the space.
static int64_t getKeptBytes(const GroupShape &shape) {
  AffineExpr space = shape.sizes.multiply(shape.rowExtent, shape.columnExtent);
  llvm::SmallDenseSet<Value, 4> seen;
  int64_t bytes = 0;
  for (const LeafAccess &access : shape.accesses) {
    auto type = dyn_cast<RankedTensorType>(access.value.getType());
    if (!type || shape.sizes.getElements(access.value) != space ||
        !seen.insert(access.value).second)
      continue;
    Type element = type.getElementType();
    bytes += element.isIndex()
                 ? 8
                 : std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8);
  }
  return std::max<int64_t>(bytes, 1);
}

SmallVector<ColumnVersion> fuse::getColumnVersions(const GroupShape &shape,
                                                   ScheduleAttr schedule) {
  // Threads along the rows: a warp, the lines of a few rows, a sector.
  constexpr int64_t kWide = kWarp, kMiddle = 8, kNarrow = 2;
  // What a strip that is kept in shared memory takes of it.
  constexpr int64_t kShared = 96 * 1024;
  int64_t positions = schedule.getPositions(), vector = schedule.getVector();
  if (shape.singlePass)
    return {{kMiddle, positions, Residency::None, shape.rowExtent,
             2 * kMiddle * vector},
            {kWide, positions, Residency::None, {}, 0}};
  SmallVector<ColumnVersion> versions;
  for (int64_t across : {kWide, kWide / 2, kMiddle, kNarrow})
    versions.push_back({across, positions, Residency::Registers,
                        shape.columnExtent,
                        schedule.getThreads() / across * positions});
  int64_t kept =
      kShared / (getKeptBytes(shape) * schedule.getThreads() * vector);
  if (kept > positions)
    versions.push_back({kNarrow, kept, Residency::Shared, shape.columnExtent,
                        schedule.getThreads() / kNarrow * kept});
  versions.push_back({kMiddle, positions, Residency::Reread, {}, 0});
  return versions;
}

/// The same strip of rows in vectors of `vector`, by more threads along it if
/// these are shorter than the schedule's.
ScheduleAttr SizeVariants::makeColumnSchedule(const ColumnVersion &version,
                                              int64_t vector) const {
  ScheduleAttr whole = context.schedule;
  int64_t times = whole.getVector() / vector;
  LaunchShape launch;
  launch.threads = whole.getThreads();
  launch.threadsPerRow = launch.threads / (version.across * times);
  launch.positions = version.positions;
  launch.vector = vector;
  launch.rowsPerBlock = version.getRowsPerBlock(whole);
  Residency residency = version.residency;
  // Elements that are not side by side are more positions.
  if (times > 1 && residency == Residency::Registers)
    residency = Residency::Shared;
  if (residency == Residency::Shared)
    launch.positions *= times;
  return ScheduleAttr::get(
      whole.getContext(), whole.getPath(), whole.getRows(), whole.getColumns(),
      whole.getGrid(), whole.getThreads(), launch.positions, vector, residency,
      getLayout(whole.getContext(), context.shape, launch),
      ArrayRef<ScheduleAttr>(), TileAttr());
}

void SizeVariants::emitColumns(ArrayRef<ColumnVersion> versions) {
  const ColumnVersion &version = versions.front();
  auto emitOne = [&] {
    chooseWidth(
        [&](const GroupShape &shape) {
          emitVersion(
              shape, makeColumnSchedule(version, context.schedule.getVector()));
        },
        [&] { emitVersion(context.shape, makeColumnSchedule(version, 1)); });
  };
  if (!version.size)
    return emitOne();
  emitter.emitIf(emitter.isWithin(version.size, 0, version.most), emitOne,
                 [&] { emitColumns(versions.drop_front()); });
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

void SizeVariants::run() {
  if (!isWorthIt() || !collectElements())
    return emitPath(context);
  for (AffineExpr neighbours : getNeighbours())
    if (!neighbours.isMultipleOf(context.schedule.getVector()))
      if (std::optional<unsigned> symbol = findSymbol(neighbours))
        wide.insert(*symbol);
  isWide = emitGuard();
  values.assign(emitter.getSizeValues().begin(), emitter.getSizeValues().end());
  counted = values;
  for (unsigned symbol : wide) {
    Value width = arith::ConstantIndexOp::create(
        context.builder(), context.loc(), context.schedule.getVector());
    counted[symbol] = arith::DivUIOp::create(context.builder(), context.loc(),
                                             values[symbol], width);
  }
  if (isColumn())
    return emitColumns(getColumnVersions(context.shape, context.schedule));
  chooseWidth([&](const GroupShape &shape) { emitWide(shape); },
              [&] { emitNarrow(); });
}

void fuse::emitForSizes(KernelContext &context,
                        function_ref<void(KernelContext &)> emitPath) {
  if (context.shape.sizes.isStatic())
    return emitPath(context);
  SizeVariants(context, emitPath).run();
}
