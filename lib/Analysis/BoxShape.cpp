// Boxes of transposing kernels. An access of an element-wise kernel is a sum of
// digits of the element number, `coefficient * ((d0 floordiv stride) mod
// size)`; the digits of all accesses together are the axes of the space. An
// operand whose nearest neighbours in memory lie along the threads is accessed
// directly. Another one is copied through shared memory, by threads that lie
// along its own axes; the box is long enough along these, too, for whole
// sectors on both sides.
//
// Legal for any element-wise group: each element is computed from the same
// operand elements as before, which no thread of the kernel writes.
#include "fuse-mlir/Analysis/BoxShape.h"

#include "LaunchChoice.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// An access of an operand, as a sum over the axes.
struct Operand {
  AffineExpr linear;
  int64_t bytes = 1;
  bool isOutput = false;
  unsigned number = 0;
  /// Of each axis; empty if the access is no such sum.
  SmallVector<int64_t> coefficients;

  bool isSum() const { return !coefficients.empty(); }
};

class BoxChooser {
public:
  explicit BoxChooser(GroupShape &shape)
      : shape(shape), numSizes(shape.sizes.getNumSymbols()) {
    ranges.dims = {IndexRange::ofSize(shape.rowExtent), IndexRange::ofSize(1)};
    ranges.symbols.assign(numSizes, IndexRange::ofSizeSymbol());
  }
  void run();

private:
  void collect();
  bool findAxes();
  AffineExpr getUnit(AffineExpr expr) const;
  bool isSize(AffineExpr expr) const;
  void readCoefficients(Operand &operand, AffineExpr place,
                        const IndexRanges &digits) const;
  SmallVector<unsigned, 4> getOrder(const Operand &operand,
                                    bool withOthers) const;
  bool fits(const Operand &operand, ArrayRef<unsigned> order) const;
  bool isSameElement(const Operand &operand, const Operand &other,
                     unsigned along) const;
  void chooseOrder();
  bool chooseExtents(int64_t runBytes);
  void grow(ArrayRef<unsigned> order, const Operand *contiguous, int64_t run);

  GroupShape &shape;
  unsigned numSizes;
  IndexRanges ranges;
  SmallVector<Operand> operands;
  SmallVector<BoxAxis, 4> axes;
  SmallVector<unsigned, 4> order;
  /// Operands that do not fit the order.
  SmallVector<const Operand *> boxed;
};
} // namespace

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// The accesses that matter: to data only, of operands that are no mere
/// fraction of the space.
void BoxChooser::collect() {
  constexpr int64_t kFraction = 32;
  auto add = [&](Value value, AffineExpr linear, bool isOutput,
                 unsigned number) {
    int64_t elements = shape.sizes.assume(shape.sizes.getElements(value));
    if (elements * kFraction < shape.rows)
      return;
    for (unsigned i = 0; i < shape.runTimeIndices.size(); ++i)
      if (linear.isFunctionOfSymbol(numSizes + i))
        return;
    operands.push_back(
        {linear, bytesOf(value.getType()), isOutput, number, {}});
  };
  for (auto [i, seed] : llvm::enumerate(shape.outputs))
    add(seed.value,
        linearize(seed.value.getContext(), seed.index,
                  shape.sizes.getShape(seed.value), ranges),
        /*isOutput=*/true, i);
  for (auto [i, access] : llvm::enumerate(shape.accesses))
    add(access.value, access.linear, /*isOutput=*/false, i);
}

bool fuse::isContiguous(AffineExpr linear, int64_t elementBytes,
                        int64_t places) {
  if (isa<AffineDimExpr>(linear))
    return true;
  MLIRContext *context = linear.getContext();
  AffineExpr zero = getAffineConstantExpr(0, context);
  auto at = [&](int64_t place) {
    AffineExpr value =
        linear.replaceDims({getAffineConstantExpr(place, context), zero});
    return cast<AffineConstantExpr>(value).getValue();
  };
  int64_t count = std::min(kSectorBytes / elementBytes, places);
  if (count < 2)
    return true;
  int64_t step = at(1) - at(0);
  if (step == 0)
    return true;
  for (int64_t place = 1; place < count; ++place)
    if (at(place) - at(place - 1) != step)
      return false;
  return step == 1 || step == -1;
}

/// The step of the element number at which `expr`, a digit, changes; null if it
/// is not one.
AffineExpr BoxChooser::getUnit(AffineExpr expr) const {
  if (isa<AffineDimExpr>(expr))
    return getAffineConstantExpr(1, expr.getContext());
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || (expr.getKind() != AffineExprKind::Mod &&
                  expr.getKind() != AffineExprKind::FloorDiv))
    return {};
  AffineExpr unit = getUnit(binary.getLHS());
  if (!unit || !isSize(binary.getRHS()))
    return {};
  return expr.getKind() == AffineExprKind::Mod
             ? unit
             : shape.sizes.multiply(unit, binary.getRHS());
}

/// Whether `expr` is a constant or made of sizes.
bool BoxChooser::isSize(AffineExpr expr) const {
  bool isSize = true;
  expr.walk([&](AffineExpr part) {
    AffineSymbolExpr symbol = dyn_cast<AffineSymbolExpr>(part);
    isSize &=
        symbol ? symbol.getPosition() < numSizes : !isa<AffineDimExpr>(part);
  });
  return isSize;
}

/// Cuts the element number into the digits of all operands. False if they
/// contradict each other.
bool BoxChooser::findAxes() {
  // By their values at the assumed sizes.
  MLIRContext *context = operands.front().linear.getContext();
  std::map<int64_t, AffineExpr> cuts = {{1, getAffineConstantExpr(1, context)},
                                        {shape.rows, shape.rowExtent}};
  for (Operand &operand : operands) {
    SmallVector<AffineExpr> own;
    bool known = true;
    operand.linear.walk([&](AffineExpr expr) {
      auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
      if (!binary || (expr.getKind() != AffineExprKind::Mod &&
                      expr.getKind() != AffineExprKind::FloorDiv))
        return;
      AffineExpr unit = getUnit(binary.getLHS());
      known &= unit && isSize(binary.getRHS());
      if (known)
        own.push_back(shape.sizes.multiply(unit, binary.getRHS()));
    });
    if (known)
      for (AffineExpr cut : own)
        cuts.insert({shape.sizes.assume(cut), cut});
  }
  for (auto it = cuts.begin(); it->first != shape.rows; ++it) {
    auto &[stride, step] = *it;
    auto &[end, next] = *std::next(it);
    AffineExpr places = simplifyIndex(next.floorDiv(step), ranges);
    if (shape.sizes.multiply(places, step) != next)
      return false;
    axes.push_back({end / stride, stride, 1, places, step});
  }
  std::reverse(axes.begin(), axes.end());
  if (axes.size() < 2 || cuts.upper_bound(shape.rows) != cuts.end())
    return false;
  // In the indices of the axes.
  AffineExpr place = getAffineConstantExpr(0, context);
  IndexRanges digits;
  digits.symbols = ranges.symbols;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    place = place + getAffineDimExpr(i, context) * axis.step;
    digits.dims.push_back(IndexRange::ofSize(axis.places));
  }
  for (Operand &operand : operands)
    readCoefficients(operand, place, digits);
  return true;
}

void BoxChooser::readCoefficients(Operand &operand, AffineExpr place,
                                  const IndexRanges &digits) const {
  AffineExpr zero = getAffineConstantExpr(0, place.getContext());
  AffineExpr linear =
      simplifyIndex(operand.linear.replaceDims({place, zero}), digits);
  linear = takeAssumedSizes(linear, shape.sizes);
  SmallVector<int64_t> coefficients;
  for (unsigned i = 0; i < axes.size(); ++i) {
    std::optional<int64_t> stride =
        linear.isFunctionOfDim(i) ? getStride(linear, i) : 0;
    if (!stride)
      return;
    coefficients.push_back(*stride);
  }
  operand.coefficients = std::move(coefficients);
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

/// The axes by their distance in memory; with those that the operand does not
/// depend on at the end.
SmallVector<unsigned, 4> BoxChooser::getOrder(const Operand &operand,
                                              bool withOthers) const {
  SmallVector<unsigned, 4> sorted;
  for (unsigned i = axes.size(); i-- > 0;)
    if (operand.coefficients[i] != 0)
      sorted.push_back(i);
  llvm::sort(sorted, [&](unsigned a, unsigned b) {
    int64_t left = std::abs(operand.coefficients[a]);
    int64_t right = std::abs(operand.coefficients[b]);
    return left != right ? left < right : a > b;
  });
  for (unsigned i = axes.size(); withOthers && i-- > 0;)
    if (operand.coefficients[i] == 0)
      sorted.push_back(i);
  return sorted;
}

/// Whether threads along `along` access whole sectors, or one element.
bool BoxChooser::fits(const Operand &operand, ArrayRef<unsigned> along) const {
  int64_t run = 1;
  for (unsigned axis : along) {
    int64_t coefficient = operand.coefficients[axis];
    if (coefficient == 0 && run == 1)
      return true;
    if (std::abs(coefficient) != run)
      return false;
    run *= axes[axis].size;
    if (run * operand.bytes >= kSectorBytes)
      return true;
  }
  return true;
}

/// Whether another access, `other`, may be to the same element of the same
/// value as `operand`, which is guarded, at one of the places that a thread
/// computes together: some along axis `along`.
bool BoxChooser::isSameElement(const Operand &operand, const Operand &other,
                               unsigned along) const {
  constexpr int64_t kMostTogether = 16;
  if (other.isOutput || operand.number == other.number)
    return false;
  const LeafAccess &access = shape.accesses[operand.number];
  if (access.value != shape.accesses[other.number].value)
    return false;
  if (access.linear == other.linear)
    return true;
  if (access.guards.empty())
    return false;
  auto apart = dyn_cast<AffineConstantExpr>(
      simplifyIndex(other.linear - operand.linear, ranges));
  int64_t step = operand.coefficients[along];
  return !apart || std::abs(apart.getValue()) < kMostTogether * std::abs(step);
}

/// The order that leaves the fewest bytes to shared memory; of the same, the
/// outputs'.
void BoxChooser::chooseOrder() {
  auto getBytes = [&](ArrayRef<unsigned> candidate) {
    int64_t bytes = 0;
    for (const Operand &operand : operands)
      if (operand.isSum() && !fits(operand, candidate))
        bytes += operand.bytes;
    return bytes;
  };
  int64_t least = INT64_MAX;
  for (const Operand &operand : operands) {
    if (!operand.isSum())
      continue;
    SmallVector<unsigned, 4> candidate = getOrder(operand, true);
    int64_t bytes = getBytes(candidate);
    if (bytes >= least)
      continue;
    least = bytes;
    order = candidate;
  }
  // A place of a buffer is filled where its element exists: for one access.
  auto hasOther = [&](const Operand &operand) {
    return !operand.isOutput &&
           llvm::any_of(operands, [&](const Operand &other) {
             return isSameElement(operand, other, order.front());
           });
  };
  for (const Operand &operand : operands) {
    if (!operand.isSum() || fits(operand, order) || hasOther(operand))
      continue;
    // Every so many-th element is in no order better than in this one.
    unsigned nearest = getOrder(operand, false).front();
    if (std::abs(operand.coefficients[nearest]) == 1)
      boxed.push_back(&operand);
  }
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

/// At least `need` of the indices of an axis: all of them if that is nearly the
/// same, else as many as divide the axis without much of a rest. Of how many
/// only the running program knows, those that are needed.
static int64_t getExtent(const BoxAxis &axis, int64_t need) {
  int64_t size = axis.size;
  if (!isa<AffineConstantExpr>(axis.places))
    return std::max<int64_t>(need, 1);
  if (2 * size < 3 * need || need <= 1)
    return std::min(size, need <= 1 ? 1 : size);
  if (8 * (ceilDiv(size, need) * need - size) <= size)
    return need;
  constexpr int64_t kAlign = 8;
  int64_t extent = ceilDiv(ceilDiv(size, size / need), kAlign) * kAlign;
  return std::min(extent, size);
}

/// Makes the box hold `run` neighbours along `along`, or all that are
/// contiguous in `contiguous`.
void BoxChooser::grow(ArrayRef<unsigned> along, const Operand *contiguous,
                      int64_t run) {
  int64_t have = 1;
  for (unsigned axis : along) {
    if (contiguous && std::abs(contiguous->coefficients[axis]) != have)
      return;
    int64_t extent = getExtent(axes[axis], ceilDiv(run, have));
    axes[axis].extent = std::max(axes[axis].extent, extent);
    if (axes[axis].extent != axes[axis].size)
      return;
    have *= axes[axis].size;
    if (have >= run)
      return;
  }
}

/// Boxes with runs of `runBytes`; false if they do not fit shared memory.
bool BoxChooser::chooseExtents(int64_t runBytes) {
  for (BoxAxis &axis : axes)
    axis.extent = 1;
  int64_t smallest = 8;
  for (const Operand &operand : operands)
    if (operand.isSum() && fits(operand, order) &&
        operand.coefficients[order.front()] != 0)
      smallest = std::min(smallest, operand.bytes);
  grow(order, nullptr, runBytes / smallest);
  for (const Operand *operand : boxed)
    grow(getOrder(*operand, false), operand, runBytes / operand->bytes);
  int64_t bytes = 0;
  for (const Operand *operand : boxed) {
    int64_t items = operand->bytes;
    for (unsigned axis : getOrder(*operand, false))
      items *= axes[axis].extent;
    bytes += llvm::alignTo(items, 128);
  }
  // Rows of a buffer may be padded to units.
  return 8 * bytes <= 7 * kStaticShared;
}

void BoxChooser::run() {
  collect();
  if (operands.empty() || llvm::all_of(operands, [&](const Operand &operand) {
        return isContiguous(takeAssumedSizes(operand.linear, shape.sizes),
                            operand.bytes, shape.rows);
      }))
    return;
  if (!findAxes())
    return;
  chooseOrder();
  // The borders of pads are known at the assumed sizes only.
  if (boxed.empty() || llvm::any_of(boxed, [&](const Operand *operand) {
        return numSizes != 0 && !operand->isOutput &&
               !shape.accesses[operand->number].guards.empty();
      }))
    return;
  // A line of the cache on each side, or at least a sector.
  bool found = false;
  for (int64_t bytes : {128, 64, 32})
    found = found || chooseExtents(bytes);
  if (!found)
    return;
  shape.path = KernelPath::Box;
  shape.axes = axes;
  shape.order = order;
  for (const Operand *operand : boxed)
    shape.boxed.push_back(
        {operand->isOutput, operand->number, getOrder(*operand, false)});
}

void fuse::chooseBox(GroupShape &shape) {
  if (shape.path == KernelPath::Pointwise && shape.rows > 1)
    BoxChooser(shape).run();
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

AffineExpr fuse::takeAssumedSizes(AffineExpr expr, const TensorSizes &sizes) {
  SmallVector<AffineExpr> values;
  for (unsigned i = 0; i < sizes.getNumSymbols(); ++i)
    values.push_back(getAffineConstantExpr(
        sizes.assume(getAffineSymbolExpr(i, expr.getContext())),
        expr.getContext()));
  return expr.replaceSymbols(values);
}

int64_t fuse::countBoxItems(const GroupShape &shape, ArrayRef<unsigned> order) {
  int64_t items = 1;
  for (unsigned axis : order)
    items *= shape.axes[axis].extent;
  return items;
}

int64_t fuse::countBoxes(const GroupShape &shape) {
  int64_t boxes = 1;
  for (const BoxAxis &axis : shape.axes)
    boxes *= ceilDiv(axis.size, axis.extent);
  return boxes;
}

namespace {
struct ConstantMath {
  int64_t zero;
  int64_t divide(int64_t a, int64_t b) const { return a / b; }
  int64_t remainder(int64_t a, int64_t b) const { return a % b; }
};
struct ExprMath {
  AffineExpr zero;
  AffineExpr divide(AffineExpr a, int64_t b) const { return a.floorDiv(b); }
  AffineExpr remainder(AffineExpr a, int64_t b) const { return a % b; }
};
} // namespace

template <typename Number, typename Math>
static SmallVector<Number> getIndex(const GroupShape &shape,
                                    ArrayRef<unsigned> order, Number item,
                                    const Math &math) {
  SmallVector<Number> index(shape.axes.size(), math.zero);
  int64_t step = 1;
  for (unsigned axis : order) {
    int64_t extent = shape.axes[axis].extent;
    if (extent > 1)
      index[axis] = math.remainder(math.divide(item, step), extent);
    step *= extent;
  }
  return index;
}

template <typename Number, typename Math>
static SmallVector<Number> getOrigin(const GroupShape &shape, Number block,
                                     const Math &math) {
  SmallVector<Number> origin(shape.axes.size(), math.zero);
  int64_t step = 1;
  for (unsigned axis : shape.order) {
    const BoxAxis &own = shape.axes[axis];
    int64_t boxes = ceilDiv(own.size, own.extent);
    if (boxes > 1)
      origin[axis] =
          math.remainder(math.divide(block, step), boxes) * own.extent;
    step *= boxes;
  }
  return origin;
}

SmallVector<AffineExpr> fuse::getBoxIndex(const GroupShape &shape,
                                          ArrayRef<unsigned> order,
                                          AffineExpr item) {
  return getIndex(shape, order, item,
                  ExprMath{getAffineConstantExpr(0, item.getContext())});
}

SmallVector<int64_t> fuse::getBoxIndex(const GroupShape &shape,
                                       ArrayRef<unsigned> order, int64_t item) {
  return getIndex(shape, order, item, ConstantMath{0});
}

SmallVector<AffineExpr> fuse::getBoxCounts(const GroupShape &shape) {
  return llvm::map_to_vector(shape.axes, [](const BoxAxis &axis) {
    if (AffineConstantExpr known = dyn_cast<AffineConstantExpr>(axis.places))
      return getAffineConstantExpr(ceilDiv(known.getValue(), axis.extent),
                                   axis.places.getContext());
    return (axis.places + (axis.extent - 1)).floorDiv(axis.extent);
  });
}

SmallVector<AffineExpr> fuse::getBoxOrigin(const GroupShape &shape,
                                           AffineExpr block) {
  return getOrigin(shape, block,
                   ExprMath{getAffineConstantExpr(0, block.getContext())});
}

SmallVector<int64_t> fuse::getBoxOrigin(const GroupShape &shape,
                                        int64_t block) {
  return getOrigin(shape, block, ConstantMath{0});
}

int64_t fuse::getBoxWidth(const GroupShape &shape, ArrayRef<unsigned> order,
                          int64_t most) {
  const BoxAxis &axis = shape.axes[order.front()];
  bool isWhole =
      axis.extent == axis.size && isa<AffineConstantExpr>(axis.places);
  int64_t width = most;
  while (axis.extent % width != 0 ||
         (!isWhole && !axis.places.isMultipleOf(width)))
    width /= 2;
  return width;
}

int64_t fuse::getElementBytes(const GroupShape &shape,
                              const BoxOperand &operand) {
  Value value = operand.isOutput ? shape.outputs[operand.number].value
                                 : shape.accesses[operand.number].value;
  return bytesOf(value.getType());
}
