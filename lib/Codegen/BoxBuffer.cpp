// Looks for the layout of a box in shared memory without bank conflicts: the
// candidates are tried on the first warps of both sides. Source of the rules of
// the 32 banks of 4 bytes: CUDA C++ Programming Guide, compute capability 5.x
// and later; accesses of 8 and 16 bytes run by halves and quarters of a warp.
#include "BoxBuffer.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

#include <array>
#include <utility>

using namespace mlir;
using namespace mlir::fuse;

static constexpr int64_t kWarp = 32;

namespace {
/// What a few warps on both sides cost.
struct Passes {
  int64_t passes = 0;
  /// Of these, the ones that no conflict-free access would need.
  int64_t conflicts = 0;
};

/// Both sides' accesses to one buffer.
class BankCounter {
public:
  BankCounter(const GroupShape &shape, const BoxOperand &operand,
              int64_t vector)
      : shape(shape), operand(operand), vector(vector),
        bytes(getElementBytes(shape, operand)) {}

  Passes count(const BoxBuffer &buffer) const;

private:
  int64_t getPlace(const BoxBuffer &buffer, ArrayRef<int64_t> index) const;
  void countAccess(ArrayRef<int64_t> places, int64_t width, Passes &sum) const;
  void countSide(const BoxBuffer &buffer, ArrayRef<unsigned> order,
                 int64_t each, int64_t width, Passes &sum) const;

  const GroupShape &shape;
  const BoxOperand &operand;
  int64_t vector, bytes;
};
} // namespace

int64_t BankCounter::getPlace(const BoxBuffer &buffer,
                              ArrayRef<int64_t> index) const {
  int64_t at = 0;
  for (auto [axis, stride] : llvm::zip(operand.order, buffer.strides))
    at += index[axis] * stride;
  if (!buffer.isPermuted())
    return at;
  int64_t line = at / buffer.line, unit = at % buffer.line / buffer.unit;
  int64_t with = ((line >> buffer.shift) ^ (line >> buffer.otherShift)) %
                 (buffer.line / buffer.unit);
  return line * buffer.line + (unit ^ with) * buffer.unit + at % buffer.unit;
}

/// Passes of one access of a warp, `width` elements of each lane at `places`.
void BankCounter::countAccess(ArrayRef<int64_t> places, int64_t width,
                              Passes &sum) const {
  int64_t laneWords = llvm::divideCeil(width * bytes, 4);
  int64_t together = kWarp / laneWords;
  for (; !places.empty();
       places = places.drop_front(std::min<int64_t>(places.size(), together))) {
    std::array<llvm::SmallDenseSet<int64_t, 8>, kWarp> banks;
    size_t most = 0;
    for (int64_t place :
         places.take_front(std::min<int64_t>(places.size(), together)))
      for (int64_t word = 0; word < laneWords; ++word) {
        int64_t address = place * bytes / 4 + word;
        banks[address % kWarp].insert(address);
        most = std::max<size_t>(most, banks[address % kWarp].size());
      }
    sum.passes += int64_t(most);
    sum.conflicts += int64_t(most) - 1;
  }
}

/// Warps whose lanes take `each` neighbours along `order`, `width` at once.
void BankCounter::countSide(const BoxBuffer &buffer, ArrayRef<unsigned> order,
                            int64_t each, int64_t width, Passes &sum) const {
  constexpr int64_t kWarps = 4;
  int64_t items = countBoxItems(shape, order);
  for (int64_t warp = 0; warp < kWarps; ++warp)
    for (int64_t next = 0; next < each; next += width) {
      SmallVector<int64_t> places;
      for (int64_t lane = 0; lane < kWarp; ++lane) {
        int64_t item = (warp * kWarp + lane) * each + next;
        if (item < items)
          places.push_back(getPlace(buffer, getBoxIndex(shape, order, item)));
      }
      countAccess(places, width, sum);
    }
}

Passes BankCounter::count(const BoxBuffer &buffer) const {
  int64_t each =
      getBoxWidth(shape, operand.order, std::max<int64_t>(16 / bytes, 1));
  // What is moved at once lies together: as far as units go, and rows begin at
  // multiples of it.
  int64_t width = each;
  auto isShifted = [&](int64_t stride) { return stride % width != 0; };
  while (width > 1 &&
         ((buffer.isPermuted() && buffer.unit % width != 0) ||
          llvm::any_of(llvm::drop_begin(buffer.strides), isShifted)))
    width /= 2;
  Passes sum;
  countSide(buffer, operand.order, each, width, sum);
  bool alike = operand.order.front() == shape.order.front();
  countSide(buffer, shape.order, vector, alike ? std::min(width, vector) : 1,
            sum);
  return sum;
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// The box without permutation; the stride of the second axis is a multiple of
/// `align`, plus `pad`.
static BoxBuffer makeBuffer(const GroupShape &shape, const BoxOperand &operand,
                            int64_t line, int64_t align, int64_t pad = 0) {
  BoxBuffer buffer;
  int64_t stride = 1;
  for (unsigned axis : operand.order) {
    buffer.strides.push_back(stride);
    stride *= shape.axes[axis].extent;
    stride = int64_t(llvm::alignTo(stride, align));
    stride += std::exchange(pad, 0);
  }
  buffer.size = int64_t(llvm::alignTo(stride, line));
  return buffer;
}

BoxBuffer fuse::chooseBuffer(const GroupShape &shape, const BoxOperand &operand,
                             int64_t vector) {
  constexpr int64_t kNone = 63, kMostShift = 8;
  int64_t bytes = getElementBytes(shape, operand);
  int64_t line = 128 / bytes;
  BankCounter counter(shape, operand, vector);
  BoxBuffer best = makeBuffer(shape, operand, line, 1);
  Passes fewest = counter.count(best);
  auto take = [&](const BoxBuffer &buffer) {
    Passes own = counter.count(buffer);
    if (own.passes >= fewest.passes)
      return;
    fewest = own;
    best = buffer;
  };
  auto attempt = [&](int64_t unit, int64_t shift, int64_t otherShift) {
    if (fewest.conflicts == 0)
      return;
    BoxBuffer buffer = makeBuffer(shape, operand, line, unit);
    buffer.unit = unit;
    buffer.line = line;
    buffer.shift = shift;
    buffer.otherShift = otherShift;
    take(buffer);
  };
  for (int64_t unitBytes : {16, 8, 4}) {
    int64_t unit = std::max<int64_t>(unitBytes / bytes, 1);
    for (int64_t shift = 0; shift < kMostShift; ++shift)
      attempt(unit, shift, kNone);
    for (int64_t shift = 0; shift < kMostShift; ++shift)
      for (int64_t other = shift + 1; other < kMostShift; ++other)
        attempt(unit, shift, other);
  }
  int64_t word = std::max<int64_t>(4 / bytes, 1);
  for (int64_t pad = word; pad < line && fewest.conflicts; pad += word)
    take(makeBuffer(shape, operand, line, 1, pad));
  return best;
}
