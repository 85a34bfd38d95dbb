// Filling a device function: arguments, thread numbers, and the flat paths
// (pointwise, general), in which the space is one line of elements.
#include "fuse-mlir/Codegen/KernelCodegen.h"

#include "SizeVariants.h"

#include "fuse-mlir/Analysis/LaunchShape.h"
#include "fuse-mlir/Analysis/ReductionParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::fuse;

unsigned KernelContext::resultOf(unsigned number) {
  unsigned result = 0;
  while (getStoredValue(kernel, result) != outputs[number])
    ++result;
  return result;
}

Value KernelContext::outArgument(unsigned number) {
  return kernel.getBody().getArgument(kernel.getInputs().size() +
                                      resultOf(number));
}

bool KernelContext::reads(Value input) {
  return llvm::any_of(input.getUsers(), [&](Operation *user) {
    return llvm::is_contained(
        ops, kernel.getBody().front().findAncestorOpInBlock(*user));
  });
}

bool KernelContext::isFull(Value argument) {
  return isa<RankedTensorType>(argument.getType()) &&
         shape.sizes.getElements(argument) ==
             shape.sizes.multiply(shape.rowExtent, shape.columnExtent);
}

SmallVector<AffineExpr> KernelContext::at(ArrayRef<AffineExpr> exprs,
                                          AffineExpr row, AffineExpr column) {
  SmallVector<AffineExpr> result;
  for (AffineExpr expr : exprs)
    result.push_back(expr ? emitter.simplify(expr.replaceDims({row, column}))
                          : expr);
  return result;
}

Value KernelContext::emitOutput(unsigned number, AffineExpr row,
                                AffineExpr column) {
  const OutputSeed &seed = shape.outputs[number];
  return emitter.emit(seed.value, at(seed.index, row, column));
}

/// Simplified for all rows and columns at once: what cancels out there need not
/// do so for one of them.
AffineExpr KernelContext::numberInOutput(unsigned number) {
  const OutputSeed &seed = shape.outputs[number];
  IndexRanges ranges;
  ranges.dims = {IndexRange::ofSize(shape.rowExtent),
                 IndexRange::ofSize(shape.columnExtent)};
  ranges.symbols = emitter.getRanges().symbols;
  return linearize(seed.value.getContext(), seed.index,
                   shape.sizes.getShape(seed.value), ranges);
}

void KernelContext::storeOutput(unsigned number, AffineExpr row,
                                AffineExpr column, Value element) {
  if (keepOutput)
    return keepOutput(number, row, column, element);
  emitter.store(outArgument(number), placeOfOutput(number, row, column),
                element);
}

AffineExpr KernelContext::placeOfOutput(unsigned number, AffineExpr row,
                                        AffineExpr column) {
  if (tensor::InsertSliceOp update = getUpdate(kernel, resultOf(number)))
    return emitter.placeOfInserted(
        update, at(shape.outputs[number].index, row, column));
  return emitter.simplify(numberInOutput(number).replaceDims({row, column}));
}

/// Whether the loop of a reduction of the kernel reads results of `op`.
static bool feedsAnotherRoot(const GroupShape &shape, Operation *op) {
  SmallVector<Operation *> work = {op};
  llvm::DenseSet<Operation *> seen;
  while (!work.empty())
    for (Operation *user : work.pop_back_val()->getUsers()) {
      if (llvm::is_contained(shape.roots, user))
        return true;
      if (seen.insert(user).second)
        work.push_back(user);
    }
  return false;
}

void KernelContext::emitInnerRoots(AffineExpr row) {
  if (shape.path != KernelPath::General && shape.path != KernelPath::Window)
    return;
  for (Operation *op : shape.roots) {
    linalg::LinalgOp root = cast<linalg::LinalgOp>(op);
    if (!feedsAnotherRoot(shape, op))
      continue;
    SmallVector<AffineExpr> loops =
        at(shape.rootLoops.lookup(op), row, emitter.constant(0));
    // Where a guard keeps the index in bounds, only code under it may read.
    SmallVector<AffineExpr> extents = shape.sizes.getLoops(root);
    bool inBounds = llvm::all_of(llvm::zip(loops, extents), [&](auto pair) {
      auto [loop, size] = pair;
      return !loop || isIndexBelow(loop, size, emitter.getRanges());
    });
    if (!inBounds)
      continue;
    AffineMap map = root.getMatchingIndexingMap(root.getDpsInitOperand(0));
    SmallVector<AffineExpr> index;
    for (AffineExpr expr : map.getResults())
      index.push_back(emitter.simplify(expr.replaceDims(loops)));
    emitter.emit(root->getResult(0), index);
  }
}

/// All elements of one place of the space.
static void emitElement(KernelContext &context, AffineExpr element) {
  AffineExpr zero = context.emitter.constant(0);
  context.emitInnerRoots(element);
  for (unsigned i = 0; i < context.shape.outputs.size(); ++i)
    context.storeOutput(i, element, zero, context.emitOutput(i, element, zero));
}

/// The neighbouring elements `places`.
static void emitLanes(KernelContext &context, ArrayRef<AffineExpr> places) {
  AffineExpr zero = context.emitter.constant(0);
  unsigned outputs = context.shape.outputs.size();
  // All lanes of an output, then its stores: so that they become one.
  SmallVector<SmallVector<Value>> values(outputs);
  for (AffineExpr place : places)
    context.emitInnerRoots(place);
  for (AffineExpr place : places)
    for (unsigned i = 0; i < outputs; ++i)
      values[i].push_back(context.emitOutput(i, place, zero));
  for (unsigned i = 0; i < outputs; ++i)
    for (auto [place, value] : llvm::zip(places, values[i]))
      context.storeOutput(i, place, zero, value);
}

/// The same, with questions that are common to the lanes asked once, so that
/// accesses behind them still become vectors.
static void emitChunk(KernelContext &context, ArrayRef<AffineExpr> places,
                      unsigned depth) {
  std::optional<std::pair<Guard, int64_t>> common;
  if (depth < 4 && places.size() > 1)
    common = findCommonGuard(
        context.emitter, static_cast<int64_t>(places.size()),
        [&](int64_t lane) { emitLanes(context, places[lane]); });
  if (!common)
    return emitLanes(context, places);
  ElementEmitter &emitter = context.emitter;
  auto &[guard, width] = *common;
  auto branch = [&](bool holds) {
    emitter.pushKnown(guard, width, holds);
    emitChunk(context, places, depth + 1);
    emitter.popKnown();
  };
  emitter.emitIf(
      emitter.isWithin(guard.expr, guard.low, guard.high),
      [&] { branch(true); }, [&] { branch(false); });
}

void fuse::emitNeighbours(KernelContext &context, ArrayRef<AffineExpr> places) {
  bool isWindow = context.schedule.getPath() == KernelPath::Window;
  emitChunk(context, places, hasGuards(context) && !isWindow ? 0 : 4);
}

/// What a thread of a block does whose elements all exist.
static void emitWholeBlock(KernelContext &context, AffineExpr block) {
  ElementEmitter &emitter = context.emitter;
  AffineExpr layout = context.schedule.getLayout().getResult(0);
  for (int64_t p = 0; p < context.schedule.getPositions(); ++p) {
    SmallVector<AffineExpr> places;
    for (int64_t e = 0; e < context.schedule.getVector(); ++e)
      places.push_back(emitter.simplify(layout.replaceDims(
          {block, context.thread, emitter.constant(p), emitter.constant(e)})));
    emitNeighbours(context, places);
  }
}

void fuse::emitFlatKernel(KernelContext &context) {
  ElementEmitter &emitter = context.emitter;
  ScheduleAttr schedule = context.schedule;
  int64_t perThread = schedule.getPositions() * schedule.getVector();
  int64_t perBlock = perThread * schedule.getThreads();
  AffineExpr elements = context.shape.rowExtent;
  AffineExpr whole = emitter.simplify(elements.floorDiv(perBlock));
  // Blocks of which some elements do not exist take the elements one by one.
  auto emitRagged = [&](AffineExpr block) {
    emitter.emitLoop(
        perThread, {}, [&](AffineExpr step, ValueRange) -> SmallVector<Value> {
          AffineExpr place = emitter.simplify(
              block * perBlock + step * schedule.getThreads() + context.thread);
          emitter.emitIf(emitter.isBelow(place, elements), [&] {
            AffineExpr inside = emitter.addVariable(
                emitter.materialize(place), IndexRange::ofSize(elements));
            emitElement(context, inside);
          });
          return {};
        });
  };
  bool isExact = emitter.simplify(whole * perBlock) == elements;
  if (!isExact && (whole == emitter.constant(0) || perThread == 1))
    return emitRagged(context.block);
  if (isExact)
    return emitWholeBlock(context, context.block);
  Condition isWhole = emitter.isBelow(context.block, whole);
  scf::IfOp branch = scf::IfOp::create(context.builder(), context.loc(),
                                       isWhole.value, /*withElse=*/true);
  Value block = emitter.materialize(context.block);
  IndexRange range =
      isa<AffineConstantExpr>(whole)
          ? IndexRange::ofSize(cast<AffineConstantExpr>(whole).getValue())
          : IndexRange::ofSize(INT32_MAX);
  OpBuilder::InsertionGuard guard(context.builder());
  context.builder().setInsertionPointToStart(branch.thenBlock());
  emitter.pushScope(branch);
  emitWholeBlock(context, emitter.addVariable(block, range));
  emitter.popScope();
  context.builder().setInsertionPointToStart(branch.elseBlock());
  emitter.pushScope(branch);
  emitRagged(isa<AffineConstantExpr>(whole) ? whole : context.block);
  emitter.popScope();
}

/// A kernel argument as the emitter wants it: tensors as one-dimensional
/// buffers of `elements`, bits as the bytes that they are in memory (a vector
/// of bits would be packed). Both types become one pointer, and the cast
/// nothing.
static Value flatten(OpBuilder &builder, Location loc, Value argument,
                     OpFoldResult elements) {
  MemRefType type = dyn_cast<MemRefType>(argument.getType());
  if (!type)
    return argument;
  int64_t size = getConstantIntValue(elements).value_or(ShapedType::kDynamic);
  if (type.getRank() != 1)
    argument = memref::ReinterpretCastOp::create(
        builder, loc, MemRefType::get({size}, type.getElementType()), argument,
        OpFoldResult(builder.getIndexAttr(0)), ArrayRef<OpFoldResult>(elements),
        ArrayRef<OpFoldResult>(builder.getIndexAttr(1)));
  if (!type.getElementType().isInteger(1))
    return argument;
  Type bytes = MemRefType::get({size}, builder.getI8Type());
  return UnrealizedConversionCastOp::create(builder, loc, bytes, argument)
      .getResult(0);
}

static OpFoldResult getElements(ElementEmitter &emitter, Value argument) {
  AffineExpr elements = emitter.getSizes().getElements(argument);
  if (AffineConstantExpr known = dyn_cast<AffineConstantExpr>(elements))
    return emitter.getBuilder().getIndexAttr(known.getValue());
  return emitter.materializeIndex(elements);
}

static AffineExpr emitNumber(ElementEmitter &emitter, Value id, int64_t size) {
  OpBuilder &builder = emitter.getBuilder();
  if (size <= INT32_MAX)
    id = arith::IndexCastOp::create(builder, id.getLoc(), builder.getI32Type(),
                                    id);
  return emitter.addVariable(id, IndexRange::ofSize(size));
}

static void emitPath(KernelContext &context) {
  if (context.schedule.getPath() == KernelPath::Row)
    emitRowKernel(context);
  else if (context.schedule.getPath() == KernelPath::Column)
    emitColumnKernel(context);
  else if (context.schedule.getPath() == KernelPath::Mixed)
    emitMixedKernel(context);
  else if (context.schedule.getPath() == KernelPath::Window)
    emitWindowKernel(context);
  else if (context.schedule.getPath() == KernelPath::Attention)
    emitAttentionKernel(context);
  else if (context.schedule.getPath() == KernelPath::Box)
    emitBoxKernel(context);
  else if (context.schedule.getPath() == KernelPath::Tile)
    emitTileKernel(context);
  else
    emitFlatKernel(context);
}

/// The function's arguments are the kernel's inputs, but for those without
/// elements, the sizes, the outputs and the scratch buffers. Returns how many
/// inputs there are.
static unsigned bindArguments(KernelOp kernel, const GroupShape &shape,
                              gpu::GPUFuncOp function, ElementEmitter &emitter,
                              SmallVectorImpl<Value> &scratch) {
  ArrayRef<BlockArgument> arguments = kernel.getBody().getArguments();
  SmallVector<BlockArgument> passed;
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (i >= kernel.getInputs().size() || !type || !type.hasStaticShape() ||
        type.getNumElements() != 0)
      passed.push_back(argument);
  }
  unsigned outs = kernel.getOuts().size();
  unsigned firstSize = passed.size() - outs;
  unsigned firstOut = firstSize + shape.sizes.getNumSymbols();
  emitter.bindSizes(
      shape.sizes,
      ArrayRef<Value>(SmallVector<Value>(function.getArguments().slice(
          firstSize, shape.sizes.getNumSymbols()))));
  for (auto [i, argument] : llvm::enumerate(passed)) {
    Value given =
        function.getArgument(i < firstSize ? i : i - firstSize + firstOut);
    Value tensor = i < firstSize
                       ? Value(argument)
                       : kernel.getBody().front().getTerminator()->getOperand(
                             i - firstSize);
    if (isa<MemRefType>(given.getType()))
      given = flatten(emitter.getBuilder(), kernel.getLoc(), given,
                      getElements(emitter, tensor));
    emitter.bindArgument(argument, given);
  }
  for (auto [given, type] :
       llvm::zip(function.getArguments().drop_front(firstOut + outs),
                 getScratchTypes(shape, *kernel.getSchedule())))
    scratch.push_back(
        flatten(emitter.getBuilder(), kernel.getLoc(), given,
                emitter.getBuilder().getIndexAttr(type.getNumElements())));
  return firstSize;
}

static bool hasTile(ScheduleAttr schedule) {
  return schedule.getTile() || llvm::any_of(schedule.getParts(), hasTile);
}

/// 32-bit words of a thread's partial results.
static int64_t countPartialWords(ArrayRef<Operation *> roots) {
  int64_t bits = 0;
  for (Operation *root : roots)
    for (Type type : getPartialTypes(root))
      bits +=
          llvm::alignTo(type.isIndex() ? 64 : type.getIntOrFloatBitWidth(), 32);
  return bits / 32;
}

/// Elements that are computed with in registers of their own.
static bool isNarrowFloat(Type type) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return element && element.getWidth() < 32;
}

/// Blocks of a multiprocessor that leave a thread the registers it needs, where
/// `ptxas` would rather spill some of them than have fewer blocks: with a tile,
/// for more of which there is no room in shared memory, with a row beside
/// partial results of its columns, and with a part of a row of unknown length,
/// or partial results of several. Nothing where that is left to `ptxas`.
static std::optional<int64_t> getLeastBlocks(const KernelContext &context) {
  // Beside what is held: addresses, which are of 64 bits in some versions.
  constexpr int64_t kRegisters = 64 * 1024, kInRow = 72, kInStrip = 72;
  // More than these `ptxas` does not take of itself, but for large blocks.
  constexpr int64_t kOwn = 64, kLarge = 256, kInMixed = 24, kConverted = 16,
                    kSpare = 24;
  const ScheduleAttr schedule = context.schedule;
  if (hasTile(schedule))
    return 1;
  auto leave = [&](int64_t words) {
    return std::max<int64_t>(kRegisters / (schedule.getThreads() * words), 1);
  };
  if (schedule.getPath() == KernelPath::Mixed) {
    int64_t words =
        kInMixed + getPositionsOfRow(schedule) * schedule.getVector() *
                       (countHeldWords(context.shape) +
                        countPartialWords(context.shape.columnRoots));
    if (KernelOp kernel = context.kernel;
        llvm::any_of(kernel.getInputs().getTypes(), isNarrowFloat))
      words += kConverted;
    if (words <= kOwn || schedule.getThreads() > kLarge)
      return std::nullopt;
    return leave(words + kSpare);
  }
  bool isColumn = schedule.getPath() == KernelPath::Column;
  bool isKept = schedule.getPath() == KernelPath::Row &&
                schedule.getResidency() == Residency::Registers;
  if (context.shape.sizes.isStatic() || (!isColumn && !isKept))
    return std::nullopt;
  int64_t held = schedule.getPositions() * schedule.getVector() *
                 countHeldWords(context.shape);
  held += isColumn ? kInStrip + schedule.getVector() *
                                    countPartialWords(context.shape.roots)
                   : kInRow;
  return leave(held);
}

FailureOr<int64_t> fuse::emitKernel(KernelOp kernel, const GroupShape &shape,
                                    gpu::GPUFuncOp function) {
  ScheduleAttr schedule = *kernel.getSchedule();
  Location loc = kernel.getLoc();
  OpBuilder builder(function.getContext());
  builder.setInsertionPointToStart(&function.getBody().front());
  ElementEmitter emitter(builder, loc);
  KernelBody body(kernel);
  KernelContext context{kernel,   body.ops, body.outputs, schedule, shape,
                        function, emitter,  {},           {}};
  Value block = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
  Value thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  bool isStatic = shape.sizes.isStatic();
  context.block =
      emitNumber(emitter, block, isStatic ? schedule.getGrid() : INT32_MAX);
  context.thread = emitNumber(emitter, thread, schedule.getThreads());
  unsigned inputs =
      bindArguments(kernel, shape, function, emitter, context.scratch);
  if (std::optional<int64_t> blocks = getLeastBlocks(context))
    function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                      builder.getI32IntegerAttr(static_cast<int32_t>(*blocks)));
  if (schedule.getPath() == KernelPath::Packed)
    emitPackedKernel(context, emitPath);
  else
    emitForSizes(context, emitPath);
  gpu::ReturnOp::create(builder, loc);
  if (emitter.hasFailed())
    return failure();
  mergeAccesses(emitter);
  loadEarly(function.getBody(), inputs);
  return context.dynamicSharedBytes;
}
