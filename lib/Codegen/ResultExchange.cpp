// Lanes hand sums to each other through shared memory. Rows are 2 ^ c chunks of
// four sums; eight chunks are all banks. The matrix units' side writes half of a
// chunk at a time, 16 lanes of four rows and two chunks together. The other side
// reads whole chunks, eight lanes together, of which each begins one, two or
// four chunks behind the last; or, down the rows, single sums.
#include "ResultExchange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fuse;

/// Sums of a chunk, and chunks that are all banks.
static constexpr int64_t kChunk = 4, kBanks = 8;

ResultExchange::ResultExchange(KernelContext &context, ResultLayout layout,
                               AffineExpr warp, int64_t warps)
    : context(context), emitter(context.emitter), layout(layout),
      first(emitter.simplify(warp * (ResultLayout::kSlabRows * layout.columns))),
      size(warps * ResultLayout::kSlabRows * layout.columns),
      firstByte(context.dynamicSharedBytes) {
  context.dynamicSharedBytes += 4 * size;
}

Value ResultExchange::getBuffer(Type type) {
  Value &buffer = buffers[type];
  if (!buffer) {
    int64_t end = std::exchange(context.dynamicSharedBytes, firstByte);
    buffer = addDynamicBuffer(context, size, type);
    context.dynamicSharedBytes = end;
  }
  return buffer;
}

/// Bit `number` of a chunk's place among the banks is exchanged with
/// - 1 and 2: bits of the row, so that four rows that are written together lie
///   apart (and down the rows, those that are read together);
/// - 0 (and 1): of lanes that read every second (fourth) chunk, the bits that
///   tell apart those that are eight chunks from each other.
AffineExpr ResultExchange::locate(AffineExpr row, AffineExpr column) {
  int64_t chunks = layout.columns / kChunk;
  int64_t apart = layout.downRows ? 1 : std::max<int64_t>(layout.vector / kChunk, 1);
  AffineExpr chunk = emitter.simplify(column.floorDiv(kChunk));
  auto bit = [&](AffineExpr expr, int64_t number) {
    return emitter.simplify(expr.floorDiv(int64_t(1) << number) % 2);
  };
  AffineExpr zero = emitter.constant(0);
  // Rows that share 128 bytes lie apart as they are.
  bool sharesLine = chunks < kBanks;
  AffineExpr low = zero;
  AffineExpr rows = sharesLine ? emitter.simplify(bit(row, 1) * 2)
                               : emitter.simplify(row % 4 * 2);
  if (layout.downRows && !sharesLine)
    rows = emitter.exclusiveOr(rows, emitter.simplify(row.floorDiv(4) % 4 * 2),
                               kBanks);
  if (apart == 2)
    low = sharesLine          ? bit(row, 1)
          : chunks == kBanks ? bit(row, 0)
                              : bit(chunk, 3);
  AffineExpr with = emitter.simplify(rows + low);
  AffineExpr place = emitter.exclusiveOr(chunk, with, chunks);
  return emitter.simplify(first + row * layout.columns + place * kChunk +
                          column % kChunk);
}

void ResultExchange::write(ArrayRef<Value> slab) {
  OpBuilder &builder = context.builder();
  Location loc = context.loc();
  AffineExpr lane = context.thread % 32;
  Type type = slab.front().getType();
  Value buffer = getBuffer(type);
  int64_t count = int64_t(slab.size()) / 2;
  for (int64_t half = 0; half < 2; ++half)
    for (int64_t group = 0; group < count / 2; ++group) {
      AffineExpr place = locate(emitter.simplify(lane.floorDiv(4) + half * 8),
                                emitter.simplify(lane % 4 * 2 + group * 8));
      Value both = vector::FromElementsOp::create(
          builder, loc, VectorType::get({2}, type),
          slab.slice(half * count + group * 2, 2));
      vector::StoreOp::create(builder, loc, both, buffer,
                              emitter.materializeIndex(place),
                              /*nontemporal=*/false, llvm::MaybeAlign(8));
    }
}

void ResultExchange::wait() {
  OpBuilder &builder = context.builder();
  Value all = arith::ConstantIntOp::create(builder, context.loc(),
                                           builder.getI32Type(), -1);
  NVVM::SyncWarpOp::create(builder, context.loc(), all);
}

/// `count` neighbours along the columns: one, or those of a chunk.
SmallVector<Value> ResultExchange::load(Type type, AffineExpr row,
                                        AffineExpr column, int64_t count) {
  OpBuilder &builder = context.builder();
  Location loc = context.loc();
  Value at = emitter.materializeIndex(
      locate(emitter.simplify(row), emitter.simplify(column)));
  Value loaded = vector::LoadOp::create(
      builder, loc, VectorType::get({count}, type), getBuffer(type), at,
      /*nontemporal=*/false, llvm::MaybeAlign(4 * count));
  SmallVector<Value> elements;
  for (int64_t i = 0; i < count; ++i)
    elements.push_back(vector::ExtractOp::create(builder, loc, loaded, i));
  return elements;
}

SmallVector<Value> ResultExchange::read(Type type) {
  AffineExpr lane = context.thread % 32;
  int64_t width =
      layout.downRows ? 1 : std::min<int64_t>(layout.vector, kChunk);
  SmallVector<Value> elements;
  for (int64_t number = 0; number < layout.countChunks(); ++number) {
    auto [row, column] = layout.place(emitter.constant(number), lane);
    for (int64_t i = 0; i < layout.vector; i += width)
      llvm::append_range(
          elements, load(type, layout.downRows ? row + i : row,
                         layout.downRows ? column : column + i, width));
  }
  return elements;
}

SmallVector<Place> fuse::placesOf(AffineExpr row, const Chunk &columns) {
  return llvm::map_to_vector(columns.places, [&](AffineExpr column) {
    return Place(row, column);
  });
}

void fuse::storePlaces(KernelContext &context, ArrayRef<Place> places,
                       Condition common, ArrayRef<Condition> exists) {
  ElementEmitter &emitter = context.emitter;
  bool uniform = llvm::all_of(exists, [&](const Condition &other) {
    return other.kind == exists.front().kind &&
           other.value == exists.front().value;
  });
  for (unsigned i = 0; i < context.shape.outputs.size(); ++i) {
    if (context.shape.outputs[i].perRow)
      continue;
    SmallVector<Value> values;
    for (auto [row, column] : places)
      values.push_back(context.emitOutput(i, row, column));
    auto store = [&](size_t lane) {
      context.storeOutput(i, places[lane].first, places[lane].second,
                          values[lane]);
    };
    if (uniform) {
      emitter.emitIf(emitter.conjunction(common, exists.front()), [&] {
        for (size_t lane = 0; lane < values.size(); ++lane)
          store(lane);
      });
      continue;
    }
    for (size_t lane = 0; lane < values.size(); ++lane)
      emitter.emitIf(emitter.conjunction(common, exists[lane]),
                     [&] { store(lane); });
  }
}
