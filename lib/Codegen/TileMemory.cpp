// Tiles of operands in shared memory. The threads of a block take the chunks of
// a tile in order, neighbours next to each other, so that they read and write
// whole lines.
#include "TileMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace mlir::fuse;

static int64_t bytesOf(Type type) {
  return type.isIndex() ? 8 : type.getIntOrFloatBitWidth() / 8;
}

/// Those of sizes that are known at run time only are taken to be many.
static int64_t countElements(Value buffer) {
  MemRefType type = cast<MemRefType>(buffer.getType());
  return type.hasStaticShape() ? type.getNumElements() : INT32_MAX;
}

IndexRange fuse::rangeOfCount(AffineExpr count) {
  if (AffineConstantExpr known = dyn_cast<AffineConstantExpr>(count))
    return IndexRange::ofSize(known.getValue());
  return IndexRange();
}

//===----------------------------------------------------------------------===//
// SharedTile
//===----------------------------------------------------------------------===//

SharedTile::SharedTile(KernelContext &context, Type element,
                       SharedLayout layout, int64_t stages)
    : emitter(&context.emitter), element(element), layout(layout),
      chunk(16 / bytesOf(element)),
      buffer(addDynamicBuffer(context, stages * layout.outer * layout.depth,
                              element)) {
  memref::ViewOp view = buffer.getDefiningOp<memref::ViewOp>();
  MemRefType type = cast<MemRefType>(buffer.getType());
  OpBuilder &builder = context.builder();
  halves = memref::ViewOp::create(
      builder, context.loc(),
      MemRefType::get({type.getNumElements() * bytesOf(element) / 2},
                      builder.getF16Type(), MemRefLayoutAttrInterface(),
                      type.getMemorySpace()),
      view.getSource(), view.getByteShift(), ValueRange());
}

AffineExpr SharedTile::locate(AffineExpr stage, AffineExpr outer,
                              AffineExpr depth) const {
  AffineExpr line = layout.alongDepth ? outer : depth;
  AffineExpr inLine = layout.alongDepth ? depth : outer;
  int64_t length = layout.alongDepth ? layout.depth : layout.outer;
  AffineExpr number = emitter->simplify(inLine.floorDiv(chunk));
  // Those among which chunks are exchanged, a power of two.
  int64_t chunks = length / chunk & -(length / chunk);
  if (layout.lineGroup > 0 && chunks > 1) {
    // Eight chunks are all banks.
    int64_t lines = layout.lineGroup * std::max<int64_t>(8 / chunks, 1);
    AffineExpr exchange = emitter->simplify(
        line.floorDiv(lines) %
        std::max<int64_t>(std::min<int64_t>(chunks, 8) / layout.span, 1) *
        layout.span);
    number = emitter->simplify(
        number.floorDiv(chunks) * chunks +
        emitter->exclusiveOr(emitter->simplify(number % chunks), exchange,
                             chunks));
  }
  return emitter->simplify(stage * (layout.outer * layout.depth) +
                           line * length + number * chunk + inLine % chunk);
}

//===----------------------------------------------------------------------===//
// TileFiller
//===----------------------------------------------------------------------===//

TileFiller::TileFiller(KernelContext &context, TileSource given,
                       SharedLayout wanted, int64_t stages, bool mayBeAsync)
    : context(context), emitter(context.emitter), source(std::move(given)),
      layout(wanted), chunk(16 / bytesOf(source.element)),
      steps(emitter.simplify(
          (source.depth + (wanted.depth - 1)).floorDiv(wanted.depth))),
      piece(chunk) {
  // Any step, as far as the choice goes.
  OpBuilder &builder = context.builder();
  AffineExpr step = emitter.addVariable(
      arith::ConstantIntOp::create(builder, context.loc(),
                                   builder.getI32Type(), 0),
      rangeOfCount(steps));
  int64_t widths[2];
  for (bool alongDepth : {false, true}) {
    layout.alongDepth = alongDepth;
    bool allowed = mayBeAsync && (alongDepth || !layout.onlyAlongDepth);
    widths[alongDepth] = allowed ? chooseWidth(step) : 0;
  }
  piece = chunk;
  bool hasDepthRuns =
      widths[0] != widths[1] ? widths[1] > widths[0] : prefersDepth(step);
  async = std::max(widths[0], widths[1]) > 0;
  if (async)
    piece = std::max(widths[0], widths[1]);
  layout.alongDepth = layout.onlyAlongDepth || hasDepthRuns;
  acrossLines = layout.alongDepth && !hasDepthRuns;
  // Lines along the depth are read in whole chunks, but those of f64.
  if (layout.alongDepth && bytesOf(source.element) < 8)
    layout.span = 1;
  // Threads that read neighbouring chunks of one line use different banks.
  if (!layout.alongDepth && layout.lineGroup > 1)
    layout.lineGroup = 0;
  tile.emplace(context, source.element, layout, stages);
  if (async)
    return;
  runLength = chooseRunLength(step);
  if (runLength > 0) {
    for (const Bundle &bundle : findBundles(0, step)) {
      heldValues += bundle.run.countVectors();
      heldWords += bundle.run.countWords();
    }
    operations = emitter.countOperations(
        [&] { storeRuns(0, step, emitter.constant(0), loadRuns(0, step)); });
    return;
  }
  // Narrow elements have a register each until they are stored; bytes are put
  // together in further ones. Before, there is what they are computed from.
  int64_t bytes = bytesOf(source.element);
  int64_t words = bytes == 1 ? 2 : llvm::divideCeil(bytes, 4);
  Places places = placesOf(emitter.constant(0), step);
  heldValues = chunk;
  heldWords = std::max(chunk * words, countLoadedWords(places));
  operations = chunk * emitter.countOperations([&] {
    source.emit(places.outer.front(), places.depth.front());
  });
}

/// 32-bit words that a thread loads for a piece: narrow elements that follow
/// each other share them.
int64_t TileFiller::countLoadedWords(const Places &places) {
  SmallVector<MemoryAccess> loads = emitter.collectLoads([&] {
    for (int64_t lane = 0; lane < chunk; ++lane)
      source.emit(places.outer[lane], places.depth[lane]);
  });
  int64_t bytes = 0;
  DenseMap<Value, SmallVector<AffineExpr>> seen;
  for (const MemoryAccess &load : loads) {
    SmallVector<AffineExpr> &own = seen[load.buffer];
    if (llvm::is_contained(own, load.linear))
      continue;
    bool follows = !own.empty() && emitter.simplify(load.linear - own.back()) ==
                                       emitter.constant(1);
    int64_t each =
        bytesOf(cast<MemRefType>(load.buffer.getType()).getElementType());
    bytes += follows ? each : std::max<int64_t>(each, 4);
    own.push_back(load.linear);
  }
  return llvm::divideCeil(bytes, 4);
}

/// Only if no thread is left without a piece by it.
int64_t TileFiller::countTogether() const {
  bool divides = !layout.alongDepth && layout.depth % source.window == 0;
  int64_t lines = layout.depth / source.window;
  return divides &&
                 lines * layout.outer / piece >= context.schedule.getThreads()
             ? source.window
             : 1;
}

/// The place in the tile of piece `number` of the thread.
std::pair<AffineExpr, AffineExpr> TileFiller::inTile(AffineExpr number) {
  int64_t inLine = (layout.alongDepth ? layout.depth : layout.outer) / piece;
  int64_t together = countTogether();
  AffineExpr id = getPiece(emitter.simplify(number.floorDiv(together)));
  if (together > 1)
    return {
        emitter.simplify(id % inLine * piece),
        emitter.simplify(id.floorDiv(inLine) * together + number % together)};
  if (acrossLines)
    return {emitter.simplify(id % layout.outer),
            emitter.simplify(id.floorDiv(layout.outer) * piece)};
  AffineExpr line = emitter.simplify(id.floorDiv(inLine));
  AffineExpr place = emitter.simplify(id % inLine * piece);
  return layout.alongDepth ? std::pair(line, place) : std::pair(place, line);
}

TileFiller::Places TileFiller::placesOf(AffineExpr number, AffineExpr step) {
  auto [outer, depth] = inTile(number);
  AffineExpr firstOuter = emitter.simplify(source.firstOuter + outer);
  AffineExpr firstDepth = emitter.simplify(step * layout.depth + depth);
  bool along = layout.alongDepth;
  Chunk outers =
      makeChunk(emitter, along ? 1 : piece, source.outer,
                [&](int64_t lane) { return firstOuter + lane; });
  Chunk depths =
      makeChunk(emitter, along ? piece : 1, source.depth,
                [&](int64_t lane) { return firstDepth + lane; });
  Places places;
  for (int64_t lane = 0; lane < piece; ++lane) {
    places.outer.push_back(outers.places[along ? 0 : lane]);
    places.depth.push_back(depths.places[along ? lane : 0]);
    places.exists.push_back(depths.exists[along ? lane : 0]);
  }
  return places;
}

/// Calls `use` for each piece of the thread that exists.
void TileFiller::forEachPiece(function_ref<void(AffineExpr)> use) {
  for (int64_t i = 0; i < countOwnPieces(); ++i) {
    AffineExpr number = emitter.constant(i);
    emitter.emitIf(exists(number), [&] { use(number); });
  }
}

/// Calls `use` for the thread's pieces in a loop, `together` of them, or one, at a
/// time; those of the last turn need not exist.
void TileFiller::forEachTurn(int64_t together,
                             function_ref<void(ArrayRef<AffineExpr>)> use) {
  together = std::max<int64_t>(together, 1);
  AffineExpr turns =
      emitter.constant(llvm::divideCeil(countOwnPieces(), together));
  emitter.emitLoop(turns, {}, [&](AffineExpr turn, ValueRange) {
    SmallVector<AffineExpr> numbers;
    for (int64_t i = 0; i < together; ++i)
      numbers.push_back(emitter.simplify(turn * together + i));
    use(numbers);
    return SmallVector<Value>();
  });
}

/// Where the neighbours are in memory, if they are neighbours there, too, exist
/// (or are zeros around a pad's source) or not together, and begin at a multiple
/// of their size.
std::optional<ElementSource> TileFiller::findRun(const Places &places) {
  int64_t width = places.outer.size();
  for (const Condition &exists : places.exists)
    if (exists.kind != places.exists.front().kind ||
        exists.value != places.exists.front().value)
      return std::nullopt;
  SmallVector<ElementSource> found =
      emitter.findSources(width, [&](unsigned lane) {
        return source.emit(places.outer[lane], places.depth[lane]);
      });
  if (found.empty())
    return std::nullopt;
  const ElementSource &first = found.front();
  for (auto [lane, other] : llvm::enumerate(found))
    if (other.buffer != first.buffer ||
        emitter.simplify(other.linear - first.linear) !=
            emitter.constant(lane) ||
        other.guards.size() != first.guards.size())
      return std::nullopt;
  for (auto [a, b] : llvm::zip(first.guards, found.back().guards))
    if (!asksTheSame(emitter, a, b, width))
      return std::nullopt;
  Type type = cast<MemRefType>(first.buffer.getType()).getElementType();
  if (type != source.element || !first.linear.isMultipleOf(width))
    return std::nullopt;
  return first;
}

/// The elements of an asynchronous copy for the present direction; 0 if there
/// can be none. All pieces of a thread are asked: they may lie in different
/// tensors, behind a concatenation.
int64_t TileFiller::chooseWidth(AffineExpr step) {
  int64_t chosen = 0;
  for (piece = chunk; chosen == 0 && piece * bytesOf(source.element) >= 4;
       piece /= 2)
    emitter.collectGuards([&] {
      for (int64_t number = 0; number < countOwnPieces(); ++number)
        if (!findRun(placesOf(emitter.constant(number), step)))
          return;
      chosen = piece;
    });
  return chosen;
}

/// Whether neighbours along the depth are neighbours in the largest tensor that
/// elements are computed from.
bool TileFiller::prefersDepth(AffineExpr step) {
  // Wherever places exist: those at the ends are moved to the last one.
  auto loadsAt = [&](int64_t lane) {
    auto [outer, depth] = inTile(emitter.constant(0));
    AffineExpr &along = layout.alongDepth ? depth : outer;
    along = emitter.simplify(along + lane);
    return emitter.collectLoads([&, outer = outer, depth = depth] {
      source.emit(emitter.simplify(source.firstOuter + outer),
                  emitter.simplify(step * layout.depth + depth));
    });
  };
  auto countNeighbours = [&](bool alongDepth) {
    layout.alongDepth = alongDepth;
    SmallVector<MemoryAccess> first = loadsAt(0), second = loadsAt(1);
    int64_t elements = 0;
    for (auto [a, b] : llvm::zip(first, second))
      if (a.buffer == b.buffer && emitter.simplify(b.linear - a.linear) ==
                                      emitter.constant(1))
        elements = std::max(elements, countElements(a.buffer));
    return elements;
  };
  return countNeighbours(true) >= countNeighbours(false);
}

void TileFiller::copyPiece(AffineExpr number, AffineExpr step,
                           AffineExpr stage) {
  OpBuilder &builder = context.builder();
  Location loc = context.loc();
  Places places = placesOf(number, step);
  std::optional<ElementSource> from = findRun(places);
  if (!from) {
    emitter.fail(context.kernel, "has an operand whose parts differ",
                 builder.getI32Type());
    return;
  }
  auto [outer, depth] = inTile(number);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  // Fewer elements are read than written: the rest become zero.
  Condition exists = places.exists.front();
  for (const Guard &guard : from->guards)
    exists = emitter.conjunction(
        exists, emitter.isWithin(guard.expr, guard.low, guard.high));
  Value count;
  if (exists.kind == Condition::Never)
    count = constant(0);
  else if (exists.kind == Condition::Runtime)
    count = arith::SelectOp::create(builder, loc, exists.value, constant(piece),
                                    constant(0));
  UnitAttr bypass;
  if (piece == chunk)
    bypass = builder.getUnitAttr();
  nvgpu::DeviceAsyncCopyOp::create(
      builder, loc, nvgpu::DeviceAsyncTokenType::get(builder.getContext()),
      tile->getBuffer(),
      emitter.materializeIndex(tile->locate(stage, outer, depth)), from->buffer,
      emitter.materializeIndex(from->linear), builder.getIndexAttr(piece), count,
      bypass);
}

void TileFiller::copy(AffineExpr step, AffineExpr stage) {
  // Addresses of pieces wait in registers from step to step as long as there are
  // not too many. Places of several elements are known to be neighbours only
  // where the piece's number is known.
  constexpr int64_t kMostEmitted = 512;
  int64_t pieces = countOwnPieces(), together = pieces;
  if (piece == 1)
    together = kMostEmitted / emitter.countOperations([&] {
      copyPiece(emitter.constant(0), step, stage);
    });
  if (together >= pieces)
    return forEachPiece(
        [&](AffineExpr number) { copyPiece(number, step, stage); });
  forEachTurn(together, [&](ArrayRef<AffineExpr> numbers) {
    for (AffineExpr number : numbers)
      emitter.emitIf(exists(number), [&] { copyPiece(number, step, stage); });
  });
}

/// The elements of a piece; zeros for those that do not exist.
SmallVector<Value> TileFiller::loadPiece(AffineExpr number, AffineExpr step) {
  OpBuilder &builder = context.builder();
  Location loc = context.loc();
  Places places = placesOf(number, step);
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < chunk; ++lane) {
    Value element = source.emit(places.outer[lane], places.depth[lane]);
    const Condition &exists = places.exists[lane];
    if (exists.kind != Condition::Always) {
      Value zero = arith::ConstantOp::create(
          builder, loc, builder.getZeroAttr(source.element));
      element = exists.kind == Condition::Never
                    ? zero
                    : arith::SelectOp::create(builder, loc, exists.value,
                                              element, zero)
                          .getResult();
    }
    elements.push_back(element);
  }
  return elements;
}

void TileFiller::storePiece(AffineExpr number, AffineExpr stage,
                            ArrayRef<Value> elements) {
  auto [outer, depth] = inTile(number);
  AffineExpr first = tile->locate(stage, outer, depth);
  for (auto [lane, element] : llvm::enumerate(elements))
    emitter.storeTo(tile->getBuffer(), emitter.simplify(first + lane), element);
}

SmallVector<Value> TileFiller::load(AffineExpr step) {
  loadedStep = step;
  SmallVector<Value> values;
  for (int64_t i = 0; i < countGroups(); ++i)
    llvm::append_range(values, runLength > 0
                                   ? loadRuns(i, step)
                                   : loadPiece(emitter.constant(i), step));
  return values;
}

void TileFiller::store(ArrayRef<Value> values, AffineExpr stage) {
  for (int64_t i = 0; i < countGroups(); ++i) {
    ArrayRef<Value> own = values.slice(i * heldValues, heldValues);
    AffineExpr number = emitter.constant(i);
    if (runLength > 0)
      emitter.emitIf(existsUnit(i),
                     [&] { storeRuns(i, loadedStep, stage, own); });
    else
      emitter.emitIf(exists(number), [&] { storePiece(number, stage, own); });
  }
}

int64_t TileFiller::countHeldWords() const {
  return async ? 0 : countGroups() * heldWords;
}

void TileFiller::fillInTurn(AffineExpr step, AffineExpr stage,
                            int64_t mostWords) {
  // Operations that are emitted.
  constexpr int64_t kMostEmitted = 1024;
  int64_t groups = countGroups();
  int64_t together = std::min({groups, mostWords * groups / countHeldWords(),
                               kMostEmitted * groups / countEmitted()});
  if (runLength > 0)
    return fillRunsInTurn(step, stage, std::max<int64_t>(together, 1));
  forEachTurn(together, [&](ArrayRef<AffineExpr> numbers) {
    SmallVector<SmallVector<Value>> elements;
    for (AffineExpr number : numbers)
      elements.push_back(loadPiece(number, step));
    for (auto [number, own] : llvm::zip(numbers, elements))
      emitter.emitIf(exists(number), [&, number = number,
                                      own = ArrayRef(own)] {
        storePiece(number, stage, own);
      });
  });
}

Value fuse::commitCopies(KernelContext &context) {
  OpBuilder &builder = context.builder();
  nvgpu::DeviceAsyncCreateGroupOp group =
      nvgpu::DeviceAsyncCreateGroupOp::create(
          builder, context.loc(),
          nvgpu::DeviceAsyncTokenType::get(builder.getContext()), ValueRange());
  // A group of no tokens is all copies under way. Printed without an attribute,
  // it would take the name in the next line for its token when parsed again.
  group->setAttr("all_pending", builder.getUnitAttr());
  return group;
}

void fuse::awaitCopies(KernelContext &context, Value token, int64_t pending) {
  OpBuilder &builder = context.builder();
  nvgpu::DeviceAsyncWaitOp::create(
      builder, context.loc(), token,
      builder.getI32IntegerAttr(static_cast<int32_t>(pending)));
}
