// Path `box`. A block takes a box of the space. Operands that threads along the
// kernel's order would access in small pieces are read by threads along their
// own axes first, into shared memory, or written by such threads last; all
// else is the element code of the pointwise path. Each element of a box that
// exists is loaded, computed and stored once.
#include "BoxBuffer.h"

#include "fuse-mlir/Analysis/LaunchShape.h"
#include "fuse-mlir/Codegen/KernelCodegen.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// A place of the box: its index along each axis, within the box and in all.
struct BoxPlace {
  SmallVector<AffineExpr> inBox, index;
};

/// An operand in shared memory.
struct Boxed {
  const BoxOperand *operand;
  BoxBuffer layout;
  Value buffer;
};

class BoxKernel {
public:
  explicit BoxKernel(KernelContext &context)
      : context(context), emitter(context.emitter), shape(context.shape) {}

  void run();

private:
  bool readLayout();
  void chooseOrigin();
  void addBuffers();
  void load(const Boxed &boxed);
  void compute();
  void store(const Boxed &boxed);
  void forEachChunk(ArrayRef<unsigned> order, int64_t width,
                    function_ref<void(ArrayRef<BoxPlace>)> visit);
  void visitChunk(ArrayRef<unsigned> order, int64_t width, AffineExpr step,
                  function_ref<void(ArrayRef<BoxPlace>)> visit);
  SmallVector<BoxPlace> getPlaces(ArrayRef<unsigned> order, int64_t width,
                                  AffineExpr first);
  Condition exists(ArrayRef<unsigned> order, AffineExpr first);
  AffineExpr getElement(const BoxPlace &place);
  AffineExpr getPlaceInBuffer(const Boxed &boxed, const BoxPlace &place);
  AffineExpr permute(AffineExpr unit, AffineExpr with, int64_t units);
  Condition isRead(const BoxOperand &operand, AffineExpr element);
  AffineExpr getLinear(const BoxOperand &operand, AffineExpr element);
  Value getArgument(const BoxOperand &operand);
  int64_t getChunk(const Boxed &boxed) const;

  KernelContext &context;
  ElementEmitter &emitter;
  const GroupShape &shape;
  SmallVector<AffineExpr> origin;
  SmallVector<Boxed> operands;
  /// Permuted units of the present chunk of places.
  DenseMap<std::pair<AffineExpr, AffineExpr>, AffineExpr> permuted;
};
} // namespace

bool BoxKernel::readLayout() {
  ScheduleAttr schedule = context.schedule;
  LaunchShape launch;
  launch.threads = schedule.getThreads();
  launch.vector = schedule.getVector();
  launch.positions = schedule.getPositions();
  return schedule.getLayout() ==
             getLayout(schedule.getContext(), shape, launch) &&
         getBoxWidth(shape, shape.order, launch.vector) == launch.vector &&
         launch.positions * launch.threads * launch.vector >=
             countBoxItems(shape, shape.order) &&
         schedule.getGrid() == countBoxes(shape);
}

/// The first index of the block along each axis.
void BoxKernel::chooseOrigin() {
  if (shape.sizes.isStatic()) {
    origin = getBoxOrigin(shape, context.block);
    for (AffineExpr &at : origin)
      at = emitter.simplify(at);
    return;
  }
  SmallVector<AffineExpr> counts = getBoxCounts(shape);
  origin.assign(shape.axes.size(), emitter.constant(0));
  AffineExpr rest = context.block;
  for (unsigned axis : shape.order) {
    Value index = emitter.materialize(emitter.simplify(rest % counts[axis]));
    AffineExpr box =
        emitter.addVariable(index, IndexRange::ofSize(counts[axis]));
    origin[axis] = box * shape.axes[axis].extent;
    rest = emitter.simplify(rest.floorDiv(counts[axis]));
  }
}

void BoxKernel::addBuffers() {
  for (const BoxOperand &operand : shape.boxed) {
    BoxBuffer layout =
        chooseBuffer(shape, operand, context.schedule.getVector());
    Type type =
        getElementTypeOrSelf(emitter.getBound(getArgument(operand)).getType());
    operands.push_back(
        {&operand, layout, addSharedBuffer(context, layout.size, type)});
  }
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Whether the places from item `first` on exist: they are of the box, and the
/// box does not reach beyond the space there.
Condition BoxKernel::exists(ArrayRef<unsigned> order, AffineExpr first) {
  int64_t items = countBoxItems(shape, order);
  Condition result = emitter.isWithin(first, 0, items - 1);
  SmallVector<AffineExpr> inBox = getBoxIndex(shape, order, first);
  for (auto [i, axis] : llvm::enumerate(shape.axes)) {
    if (axis.places.isMultipleOf(axis.extent))
      continue;
    AffineExpr at = emitter.simplify(origin[i] + inBox[i]);
    result = emitter.conjunction(result, emitter.isBelow(at, axis.places));
  }
  return result;
}

/// The `width` places from item `first` on, which are known to exist.
SmallVector<BoxPlace> BoxKernel::getPlaces(ArrayRef<unsigned> order,
                                           int64_t width, AffineExpr first) {
  // Variables: what is asked for at their sums then has one form, whatever
  // views it is reached through, and a range.
  SmallVector<AffineExpr> start = getBoxIndex(shape, order, first);
  SmallVector<AffineExpr> chunk;
  for (auto [i, axis] : llvm::enumerate(shape.axes)) {
    int64_t unit = i == order.front() ? width : 1;
    AffineExpr number = emitter.simplify((origin[i] + start[i]).floorDiv(unit));
    if (!isa<AffineConstantExpr>(number))
      number = emitter.addVariable(
          emitter.materialize(number),
          IndexRange::ofSize(emitter.simplify(axis.places.floorDiv(unit))));
    chunk.push_back(number * unit);
  }
  SmallVector<BoxPlace> places;
  for (int64_t lane = 0; lane < width; ++lane) {
    BoxPlace place{getBoxIndex(shape, order, first + lane), chunk};
    for (AffineExpr &at : place.inBox)
      at = emitter.simplify(at);
    place.index[order.front()] = chunk[order.front()] + lane;
    places.push_back(std::move(place));
  }
  return places;
}

void BoxKernel::visitChunk(ArrayRef<unsigned> order, int64_t width,
                           AffineExpr step,
                           function_ref<void(ArrayRef<BoxPlace>)> visit) {
  int64_t threads = context.schedule.getThreads();
  AffineExpr first =
      emitter.simplify((step * threads + context.thread) * width);
  emitter.emitIf(exists(order, first), [&] {
    visit(getPlaces(order, width, first));
    permuted.clear();
  });
}

/// Visits the places of the box, `width` neighbours along `order` at a time.
void BoxKernel::forEachChunk(ArrayRef<unsigned> order, int64_t width,
                             function_ref<void(ArrayRef<BoxPlace>)> visit) {
  constexpr int64_t kUnrolled = 4;
  int64_t perStep = width * context.schedule.getThreads();
  int64_t steps = llvm::divideCeil(countBoxItems(shape, order), perStep);
  if (steps <= kUnrolled) {
    for (int64_t step = 0; step < steps; ++step)
      visitChunk(order, width, emitter.constant(step), visit);
    return;
  }
  emitter.emitLoop(steps, {}, [&](AffineExpr step, ValueRange) {
    visitChunk(order, width, step, visit);
    return SmallVector<Value>();
  });
}

/// The number of the element at `place`.
AffineExpr BoxKernel::getElement(const BoxPlace &place) {
  AffineExpr element = emitter.constant(0);
  for (auto [at, axis] : llvm::zip(place.index, shape.axes))
    element = element + at * axis.step;
  return emitter.simplify(element);
}

/// `unit xor with`, where both are below `units`.
AffineExpr BoxKernel::permute(AffineExpr unit, AffineExpr with, int64_t units) {
  AffineExpr &result = permuted[{unit, with}];
  if (!result)
    result = emitter.addVariable(
        arith::XOrIOp::create(context.builder(), context.loc(),
                              emitter.materialize(unit),
                              emitter.materialize(with)),
        IndexRange::ofSize(units));
  return result;
}

AffineExpr BoxKernel::getPlaceInBuffer(const Boxed &boxed,
                                       const BoxPlace &place) {
  const BoxBuffer &layout = boxed.layout;
  AffineExpr at = emitter.constant(0);
  for (auto [axis, stride] : llvm::zip(boxed.operand->order, layout.strides))
    at = at + place.inBox[axis] * stride;
  at = emitter.simplify(at);
  if (!layout.isPermuted())
    return at;
  int64_t units = layout.line / layout.unit;
  AffineExpr line = emitter.simplify(at.floorDiv(layout.line));
  AffineExpr inLine = emitter.simplify(at % layout.line);
  AffineExpr unit = emitter.simplify(inLine.floorDiv(layout.unit));
  for (int64_t shift : {layout.shift, layout.otherShift}) {
    constexpr int64_t kNone = 63;
    if (shift != kNone)
      unit = permute(
          unit, emitter.simplify(line.floorDiv(int64_t(1) << shift) % units),
          units);
  }
  return emitter.simplify(line * layout.line + unit * layout.unit +
                          inLine % layout.unit);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Value BoxKernel::getArgument(const BoxOperand &operand) {
  return operand.isOutput ? context.outArgument(operand.number)
                          : shape.accesses[operand.number].value;
}

/// The number of the operand's element that belongs to `element` of the space.
AffineExpr BoxKernel::getLinear(const BoxOperand &operand, AffineExpr element) {
  AffineExpr zero = emitter.constant(0);
  if (operand.isOutput)
    return context.placeOfOutput(operand.number, element, zero);
  return emitter.simplify(
      shape.accesses[operand.number].linear.replaceDims({element, zero}));
}

/// Whether the operand is read for `element`: padding is not.
Condition BoxKernel::isRead(const BoxOperand &operand, AffineExpr element) {
  AffineExpr zero = emitter.constant(0);
  Condition result;
  for (auto [expr, size] : shape.accesses[operand.number].guards)
    result = emitter.conjunction(
        result,
        emitter.isWithin(emitter.simplify(expr.replaceDims({element, zero})), 0,
                         size - 1));
  return result;
}

/// Neighbours of an operand that a thread moves at once.
int64_t BoxKernel::getChunk(const Boxed &boxed) const {
  int64_t bytes = getElementBytes(shape, *boxed.operand);
  return getBoxWidth(shape, boxed.operand->order,
                     std::max<int64_t>(16 / bytes, 1));
}

void BoxKernel::load(const Boxed &boxed) {
  const BoxOperand &operand = *boxed.operand;
  Value global = emitter.getBound(getArgument(operand));
  bool isGuarded = !shape.accesses[operand.number].guards.empty();
  forEachChunk(operand.order, getChunk(boxed), [&](ArrayRef<BoxPlace> places) {
    auto copy = [&](const BoxPlace &place) {
      AffineExpr linear = getLinear(operand, getElement(place));
      emitter.storeTo(boxed.buffer, getPlaceInBuffer(boxed, place),
                      emitter.loadFrom(global, linear));
    };
    for (const BoxPlace &place : places)
      emitter.emitIf(isRead(operand, getElement(place)), [&] {
        copy(place);
        if (isGuarded)
          permuted.clear();
      });
  });
}

void BoxKernel::store(const Boxed &boxed) {
  const BoxOperand &operand = *boxed.operand;
  Value global = emitter.getBound(getArgument(operand));
  forEachChunk(operand.order, getChunk(boxed), [&](ArrayRef<BoxPlace> places) {
    for (const BoxPlace &place : places)
      emitter.storeTo(
          global, getLinear(operand, getElement(place)),
          emitter.loadFrom(boxed.buffer, getPlaceInBuffer(boxed, place)));
  });
}

void BoxKernel::compute() {
  forEachChunk(shape.order, context.schedule.getVector(),
               [&](ArrayRef<BoxPlace> places) {
                 SmallVector<AffineExpr> elements;
                 for (const BoxPlace &place : places) {
                   elements.push_back(getElement(place));
                   for (const Boxed &boxed : operands)
                     emitter.stageElement(
                         getArgument(*boxed.operand),
                         getLinear(*boxed.operand, elements.back()),
                         boxed.buffer, getPlaceInBuffer(boxed, place));
                 }
                 emitNeighbours(context, elements);
                 emitter.unstageElements();
               });
}

void BoxKernel::run() {
  if (!readLayout()) {
    emitter.fail(context.kernel, "has a layout that is not one of boxes",
                 context.builder().getI32Type());
    return;
  }
  chooseOrigin();
  addBuffers();
  auto isOutput = [](const Boxed &boxed) { return boxed.operand->isOutput; };
  for (const Boxed &boxed : operands)
    if (!isOutput(boxed))
      load(boxed);
  if (!llvm::all_of(operands, isOutput))
    gpu::BarrierOp::create(context.builder(), context.loc());
  compute();
  if (llvm::any_of(operands, isOutput))
    gpu::BarrierOp::create(context.builder(), context.loc());
  for (const Boxed &boxed : operands)
    if (isOutput(boxed))
      store(boxed);
}

void fuse::emitBoxKernel(KernelContext &context) { BoxKernel(context).run(); }
