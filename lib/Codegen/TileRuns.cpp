// Pieces of a tile whose elements are runs in memory that begin anywhere, or
// have zeros in between: rows of a padded image, or of a matrix with odd rows.
// Vectors around a run are loaded; when they have arrived, they are shifted,
// and elements that do not exist become zero.
#include "TileMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fuse;

/// The sources of `length` neighbours from `first` on of `extent`. They are
/// known for places that exist: what lies beyond the end is another place of
/// the buffer, if it is one. So a run that reaches beyond the end is one, too.
SmallVector<ElementSource> TileFiller::findNeighbours(AffineExpr first,
                                                      AffineExpr extent,
                                                      AffineExpr other,
                                                      int64_t length) {
  bool along = layout.alongDepth;
  // Numbers stand for places; they are never computed.
  auto addPlace = [&](AffineExpr count) {
    OpBuilder &builder = context.builder();
    return emitter.addVariable(
        arith::ConstantIntOp::create(builder, context.loc(),
                                     builder.getI32Type(), 0),
        rangeOfCount(count));
  };
  // All of them exist or none, or the first one does.
  bool whole = extent.isMultipleOf(length) && first.isMultipleOf(length);
  AffineExpr number =
      addPlace(whole ? emitter.simplify(extent.floorDiv(length)) : extent);
  int64_t step = whole ? length : 1;
  SmallVector<ElementSource> sources =
      emitter.findSources(whole ? length : 1, [&](unsigned lane) {
        AffineExpr place = emitter.simplify(number * step + lane);
        return along ? source.emit(other, place) : source.emit(place, other);
      });
  if (sources.empty())
    return {};
  auto place = [&](AffineExpr expr, int64_t lane) {
    AffineExpr own = emitter.simplify(first.floorDiv(step) + lane);
    return emitter.simplify(
        isa<AffineConstantExpr>(number) ? expr : expr.replace(number, own));
  };
  SmallVector<ElementSource> placed;
  for (int64_t lane = 0; lane < length; ++lane) {
    ElementSource own = sources[whole ? lane : 0];
    int64_t offset = whole ? 0 : lane;
    own.linear = place(own.linear, offset);
    for (Guard &guard : own.guards)
      guard.expr = place(guard.expr, offset);
    placed.push_back(own);
  }
  return placed;
}

SmallVector<ElementSource>
TileFiller::findSources(AffineExpr number, AffineExpr step, int64_t length) {
  auto [outer, depth] = inTile(number);
  outer = emitter.simplify(source.firstOuter + outer);
  depth = emitter.simplify(step * layout.depth + depth);
  bool along = layout.alongDepth;
  SmallVector<ElementSource> sources;
  for (int64_t i = 0; i < chunk; i += length) {
    AffineExpr first = emitter.simplify((along ? depth : outer) + i);
    SmallVector<ElementSource> own =
        findNeighbours(first, along ? source.depth : source.outer,
                       along ? outer : depth, length);
    if (own.empty())
      return {};
    llvm::append_range(sources, own);
  }
  return sources;
}

SmallVector<ShiftedRun> TileFiller::findRuns(AffineExpr number, AffineExpr step,
                                             int64_t length) {
  SmallVector<ElementSource> sources = findSources(number, step, length);
  SmallVector<ShiftedRun> runs;
  for (int64_t i = 0; i < int64_t(sources.size()); i += length) {
    std::optional<ShiftedRun> run =
        ShiftedRun::find(context, ArrayRef(sources).slice(i, length));
    if (!run)
      return {};
    runs.push_back(*run);
  }
  return runs;
}

/// The longest runs that all pieces of a thread are made of; 0 if there are
/// none of at least four bytes.
int64_t TileFiller::chooseRunLength(AffineExpr step) {
  constexpr int64_t kBits = 32;
  int64_t bits = source.element.getIntOrFloatBitWidth();
  if (bits >= kBits)
    return 0;
  for (int64_t length = chunk; length * bits >= kBits; length /= 2) {
    bool fits = true;
    emitter.collectGuards([&] {
      for (int64_t i = 0; i < countOwnPieces() && fits; ++i)
        fits = !findRuns(emitter.constant(i), step, length).empty();
    });
    if (fits)
      return length;
  }
  return 0;
}

SmallVector<Condition> TileFiller::existsInRuns(AffineExpr number,
                                                AffineExpr step) {
  AffineExpr depth =
      emitter.simplify(step * layout.depth + inTile(number).second);
  SmallVector<Condition> exists;
  for (auto [lane, source] :
       llvm::enumerate(findSources(number, step, runLength))) {
    AffineExpr at = layout.alongDepth ? emitter.simplify(depth + lane) : depth;
    Condition own = emitter.isBelow(at, this->source.depth);
    for (const Guard &guard : source.guards)
      own = emitter.conjunction(
          own, emitter.isWithin(guard.expr, guard.low, guard.high));
    exists.push_back(own);
  }
  return exists;
}

/// The runs of those pieces that a thread takes together, joined as far as they
/// overlap.
SmallVector<TileFiller::Bundle> TileFiller::findBundles(int64_t unit,
                                                        AffineExpr step) {
  SmallVector<Bundle> bundles;
  int64_t part = 0;
  auto add = [&](const ShiftedRun &run) {
    for (Bundle &bundle : bundles)
      if (std::optional<int64_t> offset = bundle.run.absorb(context, run)) {
        bundle.offsets.push_back(*offset);
        return bundle.parts.push_back(part);
      }
    bundles.push_back({run, {0}, {part}});
  };
  for (int64_t i = 0; i < countTogether(); ++i)
    for (const ShiftedRun &run : findRuns(
             emitter.constant(unit * countTogether() + i), step, runLength)) {
      add(run);
      ++part;
    }
  return bundles;
}

SmallVector<Value> TileFiller::loadRuns(int64_t unit, AffineExpr step) {
  SmallVector<Value> vectors;
  for (const Bundle &bundle : findBundles(unit, step))
    llvm::append_range(vectors, bundle.run.load(context));
  return vectors;
}

/// `word` with zeros for the elements that do not exist.
static Value keepExisting(KernelContext &context, Value word,
                          ArrayRef<Condition> exists) {
  OpBuilder &builder = context.builder();
  Location loc = context.loc();
  auto integer = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI32IntegerAttr(int32_t(value)));
  };
  int64_t bits = 32 / int64_t(exists.size());
  int64_t always = 0;
  SmallVector<Value> parts;
  for (auto [lane, own] : llvm::enumerate(exists)) {
    int64_t mask = ((int64_t(1) << bits) - 1) << (int64_t(lane) * bits);
    if (own.kind == Condition::Always)
      always |= mask;
    if (own.kind == Condition::Runtime)
      parts.push_back(arith::SelectOp::create(builder, loc, own.value,
                                              integer(mask), integer(0)));
  }
  if (parts.empty() && always == 0xffffffff)
    return word;
  Value mask = integer(always);
  for (Value part : parts)
    mask = arith::OrIOp::create(builder, loc, mask, part);
  return arith::AndIOp::create(builder, loc, word, mask);
}

/// The words of a piece, stored as elements of the tile.
void TileFiller::storeWords(AffineExpr number, AffineExpr step,
                            AffineExpr stage, SmallVector<Value> words) {
  OpBuilder &builder = context.builder();
  Location loc = context.loc();
  SmallVector<Condition> exists = existsInRuns(number, step);
  int64_t lanes = exists.size() / words.size();
  for (auto [i, word] : llvm::enumerate(words))
    word = keepExisting(context, word,
                        ArrayRef(exists).slice(int64_t(i) * lanes, lanes));
  Value packed = vector::FromElementsOp::create(
      builder, loc,
      VectorType::get({int64_t(words.size())}, builder.getI32Type()), words);
  Value elements = vector::BitCastOp::create(
      builder, loc, VectorType::get({chunk}, source.element), packed);
  auto [outer, depth] = inTile(number);
  vector::StoreOp::create(
      builder, loc, elements, tile->getBuffer(),
      emitter.materializeIndex(tile->locate(stage, outer, depth)),
      /*nontemporal=*/false, llvm::MaybeAlign(16));
}

void TileFiller::storeRuns(int64_t unit, AffineExpr step, AffineExpr stage,
                           ArrayRef<Value> vectors) {
  int64_t together = countTogether(), perPiece = chunk / runLength;
  SmallVector<SmallVector<Value>> parts(together * perPiece);
  for (const Bundle &bundle : findBundles(unit, step)) {
    int64_t count = bundle.run.countVectors();
    SmallVector<Value> words =
        bundle.run.shift(context, vectors.take_front(count));
    vectors = vectors.drop_front(count);
    for (auto [offset, part] : llvm::zip(bundle.offsets, bundle.parts))
      parts[part] = bundle.run.cut(context, words, offset, runLength);
  }
  for (int64_t i = 0; i < together; ++i) {
    SmallVector<Value> words;
    for (int64_t run = 0; run < perPiece; ++run)
      llvm::append_range(words, parts[i * perPiece + run]);
    storeWords(emitter.constant(unit * together + i), step, stage,
               std::move(words));
  }
}

Condition TileFiller::existsUnit(int64_t unit) {
  return exists(emitter.constant(unit * countTogether()));
}

/// Pieces are emitted one by one: only where a piece's number is known are its
/// elements known to be runs.
void TileFiller::fillRunsInTurn(AffineExpr step, AffineExpr stage,
                                int64_t together) {
  int64_t units = countUnits();
  for (int64_t first = 0; first < units; first += together) {
    int64_t end = std::min(first + together, units);
    SmallVector<SmallVector<Value>> vectors;
    for (int64_t unit = first; unit < end; ++unit)
      vectors.push_back(loadRuns(unit, step));
    for (int64_t unit = first; unit < end; ++unit)
      emitter.emitIf(existsUnit(unit), [&] {
        storeRuns(unit, step, stage, vectors[unit - first]);
      });
  }
}
