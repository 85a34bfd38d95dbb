// Elements of two bytes or one, a padded image's rows or the odd rows of a
// matrix, would be loads of their own. The aligned vectors around a run are two
// loads, and as many selections and funnel shifts as there are words, twice or
// thrice.
#include "ShiftedRun.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

/// Vectors around a run, at most.
static constexpr int64_t kMostVectors = 4;

static Value integer(KernelContext &context, int64_t value, Type type) {
  return arith::ConstantOp::create(
      context.builder(), context.loc(),
      context.builder().getIntegerAttr(type, value));
}

std::optional<ShiftedRun> ShiftedRun::find(KernelContext &context,
                                           ArrayRef<ElementSource> sources) {
  if (sources.empty())
    return std::nullopt;
  ElementEmitter &emitter = context.emitter;
  ShiftedRun run;
  run.buffer = sources.front().buffer;
  run.first = sources.front().linear;
  run.count = sources.size();
  for (auto [lane, source] : llvm::enumerate(sources)) {
    AffineConstantExpr distance = dyn_cast<AffineConstantExpr>(
        emitter.simplify(source.linear - run.first));
    if (source.buffer != run.buffer || !distance)
      return std::nullopt;
    if (lane == 1)
      run.stride = distance.getValue();
    if (run.stride < 1 || distance.getValue() != int64_t(lane) * run.stride)
      return std::nullopt;
  }
  MemRefType type = cast<MemRefType>(run.buffer.getType());
  if (!type.hasStaticShape() || !type.getElementType().isIntOrFloat())
    return std::nullopt;
  run.bytes = type.getElementTypeBitWidth() / 8;
  run.width = 16 / run.bytes;
  while (run.width > run.count * run.stride ||
         type.getNumElements() % run.width != 0)
    run.width /= 2;
  if (run.width * run.bytes < 4)
    return std::nullopt;
  int64_t known = run.first.getLargestKnownDivisor();
  run.divisor = known == 0 ? run.width : std::gcd(known, run.width);
  if (run.countVectors() > kMostVectors)
    return std::nullopt;
  return run;
}

std::optional<int64_t> ShiftedRun::absorb(KernelContext &context,
                                          const ShiftedRun &other) {
  AffineConstantExpr distance = dyn_cast<AffineConstantExpr>(
      context.emitter.simplify(other.first - first));
  if (!distance || buffer != other.buffer || width != other.width ||
      stride != 1 || other.stride != 1)
    return std::nullopt;
  int64_t offset = distance.getValue();
  if (offset < 0 || offset > count)
    return std::nullopt;
  ShiftedRun both = *this;
  both.count = std::max(count, offset + other.count);
  if (both.countVectors() > kMostVectors)
    return std::nullopt;
  *this = both;
  return offset;
}

int64_t ShiftedRun::countVectors() const {
  return llvm::divideCeil(getSpan() + width - divisor, width);
}

SmallVector<Value> ShiftedRun::load(KernelContext &context) const {
  OpBuilder &builder = context.builder();
  ElementEmitter &emitter = context.emitter;
  MemRefType memory = cast<MemRefType>(buffer.getType());
  int64_t last = memory.getNumElements() / width - 1;
  VectorType vector = VectorType::get({width}, memory.getElementType());
  SmallVector<Value> vectors;
  for (int64_t next = 0; next < countVectors(); ++next) {
    AffineExpr number =
        emitter.clamp(emitter.simplify(first.floorDiv(width) + next), 0, last);
    vectors.push_back(vector::LoadOp::create(
        builder, context.loc(), vector, buffer,
        emitter.materializeIndex(emitter.simplify(number * width)),
        /*nontemporal=*/false, llvm::MaybeAlign(width * bytes)));
  }
  return vectors;
}

/// The number of the first element in its vector, an i32.
Value ShiftedRun::getShift(KernelContext &context) const {
  OpBuilder &builder = context.builder();
  Value place = context.emitter.materialize(first);
  Type word = builder.getI32Type();
  if (place.getType() != word)
    place = arith::TruncIOp::create(builder, context.loc(), word, place);
  return arith::AndIOp::create(builder, context.loc(), place,
                               integer(context, width - divisor, word));
}

SmallVector<Value> ShiftedRun::shift(KernelContext &context,
                                     ArrayRef<Value> vectors) const {
  OpBuilder &builder = context.builder();
  Location loc = context.loc();
  Type word = builder.getI32Type();
  auto asWords = [&](Value vector, int64_t words) {
    Value cast = vector::BitCastOp::create(
        builder, loc, VectorType::get({words}, word), vector);
    return SmallVector<Value>(
        vector::ToElementsOp::create(builder, loc, cast).getResults());
  };
  SmallVector<Value> words;
  for (Value vector : vectors)
    llvm::append_range(words, asWords(vector, getVectorWords()));
  bool splitsWords = divisor * bytes < 4;
  int64_t needed = llvm::divideCeil(getSpan() * bytes, 4);
  if (divisor < width) {
    Value shift = getShift(context);
    Value zero = integer(context, 0, word);
    auto bitsOf = [&](int64_t mask) -> Value {
      return arith::AndIOp::create(builder, loc, shift,
                                   integer(context, mask, word));
    };
    // Whole words, in powers of two, then parts of these.
    for (int64_t step = getVectorWords() / 2; step > 0; step /= 2) {
      if (step * 4 / bytes < divisor)
        continue;
      Value moves =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                bitsOf(step * 4 / bytes), zero);
      int64_t left =
          std::min<int64_t>(needed + splitsWords + step - 1, words.size());
      for (int64_t i = 0; i < left; ++i)
        if (i + step < int64_t(words.size()))
          words[i] = arith::SelectOp::create(builder, loc, moves,
                                             words[i + step], words[i]);
      words.truncate(left);
    }
    if (splitsWords) {
      Value bits = arith::MulIOp::create(builder, loc, bitsOf(4 / bytes - 1),
                                         integer(context, 8 * bytes, word));
      for (int64_t i = 0; i < needed; ++i)
        words[i] = LLVM::FshrOp::create(
            builder, loc, word,
            words[std::min<int64_t>(i + 1, words.size() - 1)], words[i], bits);
    }
  }
  words.truncate(needed);
  if (stride == 1)
    return words;
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  Value packed = vector::FromElementsOp::create(
      builder, loc, VectorType::get({needed}, word), words);
  Value elements = vector::BitCastOp::create(
      builder, loc, VectorType::get({needed * 4 / bytes}, element), packed);
  SmallVector<int64_t> picked;
  for (int64_t i = 0; i < count; ++i)
    picked.push_back(i * stride);
  Value own =
      vector::ShuffleOp::create(builder, loc, elements, elements, picked);
  return asWords(own, count * bytes / 4);
}

SmallVector<Value> ShiftedRun::cut(KernelContext &context,
                                   ArrayRef<Value> words, int64_t offset,
                                   int64_t length) const {
  int64_t first = offset * bytes / 4, inWord = offset * bytes % 4;
  ArrayRef<Value> own = words.slice(first, length * bytes / 4);
  if (inWord == 0)
    return SmallVector<Value>(own);
  Type word = context.builder().getI32Type();
  Value bits = integer(context, 8 * inWord, word);
  SmallVector<Value> shifted;
  for (auto [i, low] : llvm::enumerate(own))
    shifted.push_back(LLVM::FshrOp::create(context.builder(), context.loc(),
                                           word, words[first + int64_t(i) + 1],
                                           low, bits));
  return shifted;
}
