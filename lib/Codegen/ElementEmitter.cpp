// The core of element emission: memory of what was emitted, leaves, dispatch
// on producers, and control flow. Linalg operators and movement have files of
// their own.
#include "fuse-mlir/Codegen/ElementEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fuse;

ElementEmitter::ElementEmitter(OpBuilder &builder, Location loc)
    : builder(builder), loc(loc) {
  scopes.emplace_back();
}

void ElementEmitter::bindSizes(const TensorSizes &tensorSizes,
                               ArrayRef<Value> values) {
  sizes = tensorSizes;
  sizeValues.assign(values.begin(), values.end());
  ranges.symbols.assign(values.size(), IndexRange::ofSizeSymbol());
  // What was computed from the symbols as they were.
  for (Scope &scope : scopes) {
    scope.elements.clear();
    scope.values.clear();
    scope.clamped.clear();
    scope.exclusiveOrs.clear();
  }
}

Value ElementEmitter::fail(Operation *op, const Twine &message, Type type) {
  if (!failed_)
    op->emitOpError() << message.str();
  failed_ = true;
  if (type.isIntOrIndexOrFloat())
    return arith::ConstantOp::create(builder, loc, type,
                                     builder.getZeroAttr(type));
  return UnrealizedConversionCastOp::create(builder, loc, type, ValueRange())
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// Memory of elements
//===----------------------------------------------------------------------===//

AffineExpr ElementEmitter::linearIndex(Value tensor,
                                       ArrayRef<AffineExpr> index) {
  return linearize(getContext(), index, sizes.getShape(tensor), ranges);
}

Value ElementEmitter::lookup(Value tensor, AffineExpr linear) {
  for (Scope &scope : llvm::reverse(scopes))
    if (Value known = scope.elements.lookup({tensor, linear}))
      return known;
  return {};
}

void ElementEmitter::remember(Value tensor, ArrayRef<AffineExpr> index,
                              Value element) {
  scopes.back().elements[{tensor, linearIndex(tensor, index)}] = element;
}

Value ElementEmitter::emit(Value tensor, ArrayRef<AffineExpr> index) {
  SmallVector<AffineExpr> simple;
  for (AffineExpr expr : index)
    simple.push_back(simplify(expr));
  AffineExpr linear = linearIndex(tensor, simple);
  if (Value known = lookup(tensor, linear))
    return known;
  Value element;
  if (bound_.count(tensor) || staged.count(tensor)) {
    AffineExpr at = linear;
    Value buffer = locate(tensor, at);
    if (!buffer)
      return fail(tensor.getDefiningOp(), "is read beyond what a block keeps",
                  getElementTypeOrSelf(tensor.getType()));
    element = loadFrom(buffer, at);
    // Bits are bytes in memory.
    if (getElementTypeOrSelf(tensor.getType()).isInteger(1))
      element = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                      element, integer(0, element.getType()));
  } else if (OpResult result = dyn_cast<OpResult>(tensor)) {
    element = emitResult(result, simple);
  } else if (cast<ShapedType>(tensor.getType()).getNumElements() == 0) {
    // Not passed to the kernel, and never read by a program that is defined:
    // what stands behind a guard that is never true needs some value.
    Type type = getElementTypeOrSelf(tensor.getType());
    element = arith::ConstantOp::create(builder, loc, type,
                                        builder.getZeroAttr(type));
  } else {
    element = fail(tensor.getParentBlock()->getParentOp(),
                   "has a block argument that code generation does not know",
                   getElementTypeOrSelf(tensor.getType()));
  }
  scopes.back().elements[{tensor, linear}] = element;
  return element;
}

Value ElementEmitter::emitScalar(Value scalar) {
  if (Value argument = bound_.lookup(scalar))
    return argument;
  if (Value known = lookup(scalar, AffineExpr()))
    return known;
  Operation *op = scalar.getDefiningOp();
  Value result;
  if (!op) {
    return fail(scalar.getParentBlock()->getParentOp(),
                "uses a value that code generation does not know",
                scalar.getType());
  }
  IRMapping mapping;
  emitBodyOp(op, mapping, {});
  result = mapping.lookup(scalar);
  scopes.back().elements[{scalar, AffineExpr()}] = result;
  return result;
}

Value ElementEmitter::locate(Value argument, AffineExpr &linear) {
  if (auto [buffer, at] = stagedElements.lookup({argument, linear}); buffer) {
    linear = at;
    return buffer;
  }
  auto it = staged.find(argument);
  if (it == staged.end())
    return bound_.lookup(argument);
  AffineExpr local = simplify(linear - it->second.base);
  if (!getRange(local, ranges).within(0, it->second.size - 1))
    return bound_.lookup(argument);
  linear = it->second.offset ? simplify(local + it->second.offset) : local;
  return it->second.buffer;
}

Value ElementEmitter::loadFrom(Value buffer, AffineExpr linear) {
  Value at = materializeIndex(linear);
  memref::LoadOp op = memref::LoadOp::create(builder, loc, buffer, at);
  loads.push_back({op, buffer, linear});
  return op;
}

void ElementEmitter::storeTo(Value buffer, AffineExpr linear, Value element) {
  Value at = materializeIndex(linear);
  Operation *op = memref::StoreOp::create(builder, loc, element, buffer, at);
  stores.push_back({op, buffer, linear});
}

void ElementEmitter::store(Value argument, AffineExpr linear, Value element) {
  Value buffer = locate(argument, linear);
  auto it = staged.find(argument);
  if (it != staged.end()) {
    // The whole range is copied back: what went elsewhere would be lost.
    if (buffer != it->second.buffer)
      fail(argument.getParentBlock()->getParentOp(),
           "stores beyond the rows of a block", element.getType());
    it->second.written = true;
  }
  if (element.getType().isInteger(1))
    element =
        arith::ExtUIOp::create(builder, loc, builder.getI8Type(), element);
  storeTo(buffer, linear, element);
}

//===----------------------------------------------------------------------===//
// Producers
//===----------------------------------------------------------------------===//

bool fuse::isGuarded(Operation *op) {
  return isa<tensor::ConcatOp, tensor::PadOp, tensor::InsertSliceOp>(op);
}

Value ElementEmitter::emitResult(OpResult result, ArrayRef<AffineExpr> index) {
  Operation *op = result.getOwner();
  Type type = getElementTypeOrSelf(result.getType());
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return emitLinalg(linalgOp, result.getResultNumber(), index);
  if (requestLog && isGuarded(op)) {
    requestLog->push_back({result, SmallVector<AffineExpr>(index)});
    SmallVector<ElementRequest> *log = std::exchange(requestLog, nullptr);
    Value element = emitResult(result, index);
    requestLog = log;
    return element;
  }
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
          [&](auto view) { return emitView(view.getSrc(), result, index); })
      .Case([&](tensor::ReshapeOp view) {
        return emitView(view.getSource(), result, index);
      })
      .Case([&](tensor::CastOp cast) { return emit(cast.getSource(), index); })
      .Case(
          [&](tensor::ExtractSliceOp slice) { return emitSlice(slice, index); })
      .Case([&](tensor::InsertSliceOp insert) {
        return emitInsertSlice(insert, index);
      })
      .Case([&](tensor::PadOp pad) { return emitPad(pad, index); })
      .Case([&](tensor::ConcatOp concat) { return emitConcat(concat, index); })
      .Case([&](tensor::GenerateOp generate) {
        return emitGenerate(generate.getBody(), index);
      })
      .Case([&](tensor::SplatOp splat) { return emitScalar(splat.getInput()); })
      .Case([&](tensor::FromElementsOp elements) {
        SmallVector<Value> choices;
        for (Value element : elements.getElements())
          choices.push_back(emitScalar(element));
        return selectByIndex(linearIndex(result, index), choices, type);
      })
      .Case([&](tensor::EmptyOp) {
        // Whoever reads it gets any value; zero is one.
        return arith::ConstantOp::create(builder, loc, type,
                                         builder.getZeroAttr(type))
            .getResult();
      })
      .Default([&](Operation *) { return emitElementwise(op, result, index); });
}

/// Constants, and element-wise operators on tensors.
Value ElementEmitter::emitElementwise(Operation *op, OpResult result,
                                      ArrayRef<AffineExpr> index) {
  Type type = getElementTypeOrSelf(result.getType());
  ElementsAttr elements;
  if (matchPattern(op, m_Constant(&elements)))
    return emitConstant(op, elements, index);
  if (!OpTrait::hasElementwiseMappableTraits(op))
    return fail(op, "has no code generation", type);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(isa<RankedTensorType>(operand.getType())
                           ? emit(operand, index)
                           : emitScalar(operand));
  OperationState state(loc, op->getName());
  state.addOperands(operands);
  for (Type resultType : op->getResultTypes())
    state.addTypes(getElementTypeOrSelf(resultType));
  state.addAttributes(op->getAttrDictionary().getValue());
  return builder.create(state)->getResult(result.getResultNumber());
}

Value ElementEmitter::emitConstant(Operation *op, ElementsAttr elements,
                                   ArrayRef<AffineExpr> index) {
  Type type = elements.getElementType();
  auto make = [&](Attribute value) -> Value {
    return arith::ConstantOp::create(builder, loc, type,
                                     cast<TypedAttr>(value));
  };
  if (!type.isIntOrIndexOrFloat())
    return fail(op, "has an element type without code generation", type);
  if (elements.isSplat())
    return make(elements.getSplatValue<Attribute>());
  std::optional<
      detail::ElementsAttrRange<detail::ElementsAttrIterator<Attribute>>>
      values = elements.tryGetValues<Attribute>();
  if (!values)
    return fail(op, "has a constant whose values cannot be read", type);
  AffineExpr linear = linearIndex(op->getResult(0), index);
  if (AffineConstantExpr number = dyn_cast<AffineConstantExpr>(linear))
    return make(*std::next(values->begin(), number.getValue()));
  SmallVector<Value> choices;
  for (Attribute value : *values)
    choices.push_back(make(value));
  return selectByIndex(linear, choices, type);
}

/// `choices[linear]`, without memory.
Value ElementEmitter::selectByIndex(AffineExpr linear, ArrayRef<Value> choices,
                                    Type type) {
  if (AffineConstantExpr number = dyn_cast<AffineConstantExpr>(linear))
    return choices[number.getValue()];
  IndexRange range = getRange(linear, ranges);
  int64_t first = std::max<int64_t>(range.lo, 0);
  int64_t last = std::min<int64_t>(range.hi, choices.size() - 1);
  Value result = choices[last];
  Value at = materialize(linear);
  for (int64_t i = last - 1; i >= first; --i) {
    if (choices[i] == result)
      continue;
    Value isHere = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                         at, integer(i, at.getType()));
    result = arith::SelectOp::create(builder, loc, isHere, choices[i], result);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Scopes and control flow
//===----------------------------------------------------------------------===//

void ElementEmitter::pushScope(Operation *anchor) {
  scopes.emplace_back();
  scopes.back().anchor = anchor;
}

void ElementEmitter::popScope() { scopes.pop_back(); }

SmallVector<Value> ElementEmitter::emitLoop(
    AffineExpr count, ValueRange inits,
    function_ref<SmallVector<Value>(AffineExpr, ValueRange)> body) {
  if (AffineConstantExpr known = dyn_cast<AffineConstantExpr>(count)) {
    if (known.getValue() <= 0)
      return SmallVector<Value>(inits);
    if (known.getValue() == 1)
      return body(constant(0), inits);
  }
  Value end = materialize(count);
  Type type = end.getType();
  scf::ForOp loop = scf::ForOp::create(builder, loc, integer(0, type), end,
                                       integer(1, type), inits);
  OpBuilder::InsertionGuard guard(builder);
  Block *block = loop.getBody();
  // Without carried values the builder has put a terminator.
  if (inits.empty())
    builder.setInsertionPoint(block->getTerminator());
  else
    builder.setInsertionPointToEnd(block);
  pushScope(loop);
  AffineExpr counter =
      addVariable(loop.getInductionVar(), IndexRange::ofSize(count));
  SmallVector<Value> next = body(counter, loop.getRegionIterArgs());
  if (!inits.empty())
    scf::YieldOp::create(builder, loc, next);
  popScope();
  return SmallVector<Value>(loop.getResults());
}

Value ElementEmitter::emitIf(Condition condition, Type type,
                             function_ref<Value()> then,
                             function_ref<Value()> otherwise) {
  return emitIf(
             condition, TypeRange(type),
             [&] { return SmallVector<Value>{then()}; },
             [&] { return SmallVector<Value>{otherwise()}; })
      .front();
}

SmallVector<Value>
ElementEmitter::emitIf(Condition condition, TypeRange types,
                       function_ref<SmallVector<Value>()> then,
                       function_ref<SmallVector<Value>()> otherwise) {
  if (condition.kind == Condition::Always)
    return then();
  if (condition.kind == Condition::Never)
    return otherwise();
  scf::IfOp branch = scf::IfOp::create(builder, loc, types, condition.value,
                                       /*withElse=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(branch.thenBlock());
  pushScope(branch);
  SmallVector<Value> thenValues = then();
  scf::YieldOp::create(builder, loc, thenValues);
  popScope();
  builder.setInsertionPointToEnd(branch.elseBlock());
  pushScope(branch);
  SmallVector<Value> elseValues = otherwise();
  scf::YieldOp::create(builder, loc, elseValues);
  popScope();
  return SmallVector<Value>(branch.getResults());
}

void ElementEmitter::emitIf(Condition condition, function_ref<void()> then) {
  emitIf(condition, then, {});
}

void ElementEmitter::emitIf(Condition condition, function_ref<void()> then,
                            function_ref<void()> otherwise) {
  if (condition.kind == Condition::Always)
    return then();
  if (condition.kind == Condition::Never)
    return otherwise ? otherwise() : void();
  bool withElse = static_cast<bool>(otherwise);
  scf::IfOp branch = scf::IfOp::create(builder, loc, condition.value, withElse);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  pushScope(branch);
  then();
  popScope();
  if (!withElse)
    return;
  builder.setInsertionPointToStart(branch.elseBlock());
  pushScope(branch);
  otherwise();
  popScope();
}
