// Index expressions as values: 32-bit arithmetic where the ranges allow it,
// placed in the outermost scope that knows the variables.
#include "fuse-mlir/Codegen/ElementEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::fuse;

AffineExpr ElementEmitter::constant(int64_t value) {
  return getAffineConstantExpr(value, getContext());
}

AffineExpr ElementEmitter::addVariable(Value value, IndexRange range) {
  if (range.lo == range.hi)
    return constant(range.lo);
  unsigned position = variables.size();
  variables.push_back({value, static_cast<unsigned>(scopes.size() - 1)});
  ranges.dims.push_back(range);
  return getAffineDimExpr(position, getContext());
}

Value ElementEmitter::integer(int64_t value, Type type) {
  return arith::ConstantOp::create(builder, loc, type,
                                   builder.getIntegerAttr(type, value));
}

/// Sizes are non-negative nearly always; sign extension is right in all cases.
Value ElementEmitter::castInteger(Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (value.getType().isIndex() || type.isIndex())
    return arith::IndexCastOp::create(builder, loc, type, value);
  unsigned from = value.getType().getIntOrFloatBitWidth();
  if (from < type.getIntOrFloatBitWidth())
    return arith::ExtSIOp::create(builder, loc, type, value);
  return arith::TruncIOp::create(builder, loc, type, value);
}

/// Whether `expr` and all its parts are 32-bit integers.
bool ElementEmitter::fitsInt32(AffineExpr expr) {
  bool fits = true;
  expr.walk([&](AffineExpr part) {
    // Of small sizes, only numbers that no size bounds can be large.
    AffineDimExpr dim = dyn_cast<AffineDimExpr>(part);
    bool isBounded = dim ? ranges.dims[dim.getPosition()].extent != AffineExpr()
                         : !isa<AffineConstantExpr>(part);
    fits &= (sizesAreSmall && isBounded) ||
            getRange(part, ranges).within(INT32_MIN, INT32_MAX);
  });
  return fits;
}

/// The innermost scope whose variables `expr` uses.
unsigned ElementEmitter::scopeOf(AffineExpr expr) {
  unsigned scope = 0;
  expr.walk([&](AffineExpr part) {
    if (AffineDimExpr dim = dyn_cast<AffineDimExpr>(part))
      scope = std::max(scope, variables[dim.getPosition()].scope);
  });
  return std::min<unsigned>(scope, scopes.size() - 1);
}

Value ElementEmitter::materialize(AffineExpr expr) {
  bool narrow = fitsInt32(expr);
  return materializeAs(expr,
                       narrow ? builder.getI32Type() : builder.getI64Type());
}

Value ElementEmitter::materializeIndex(AffineExpr expr) {
  if (AffineConstantExpr constant = dyn_cast<AffineConstantExpr>(expr)) {
    Value value =
        arith::ConstantIndexOp::create(builder, loc, constant.getValue());
    exprs[value] = expr;
    return value;
  }
  std::pair<AffineExpr, Type> key{expr, builder.getIndexType()};
  for (Scope &scope : llvm::reverse(scopes))
    if (Value known = scope.values.lookup(key))
      return known;
  Value integer = materialize(expr);
  OpBuilder::InsertionGuard guard(builder);
  unsigned scope = scopeOf(expr);
  if (scope + 1 < scopes.size())
    builder.setInsertionPoint(scopes[scope + 1].anchor);
  Value result = castInteger(integer, builder.getIndexType());
  scopes[scope].values[key] = result;
  exprs[result] = expr;
  return result;
}

Value ElementEmitter::materializeAs(AffineExpr expr, Type type) {
  std::pair<AffineExpr, Type> key{expr, type};
  for (Scope &scope : llvm::reverse(scopes))
    if (Value known = scope.values.lookup(key))
      return known;
  unsigned scope = scopeOf(expr);
  OpBuilder::InsertionGuard guard(builder);
  if (scope + 1 < scopes.size())
    builder.setInsertionPoint(scopes[scope + 1].anchor);
  Value result = buildExpr(expr, type);
  scopes[scope].values[key] = result;
  return result;
}

/// The smaller of `expr` and the largest number of 32 bits, in 32 bits.
Value ElementEmitter::materializeSaturated(AffineExpr expr) {
  Type type = builder.getI32Type(), wide = builder.getI64Type();
  if (fitsInt32(expr))
    return materializeAs(expr, type);
  std::pair<AffineExpr, Type> key{expr, type};
  for (Scope &scope : llvm::reverse(scopes))
    if (Value known = scope.values.lookup(key))
      return known;
  Value value = materializeAs(expr, wide);
  unsigned scope = scopeOf(expr);
  OpBuilder::InsertionGuard guard(builder);
  if (scope + 1 < scopes.size())
    builder.setInsertionPoint(scopes[scope + 1].anchor);
  value = arith::MinSIOp::create(builder, loc, value, integer(INT32_MAX, wide));
  value = castInteger(value, type);
  scopes[scope].values[key] = value;
  return value;
}

Value ElementEmitter::buildExpr(AffineExpr expr, Type type) {
  if (AffineConstantExpr constant = dyn_cast<AffineConstantExpr>(expr))
    return integer(constant.getValue(), type);
  if (AffineDimExpr dim = dyn_cast<AffineDimExpr>(expr))
    return castInteger(variables[dim.getPosition()].value, type);
  if (AffineSymbolExpr size = dyn_cast<AffineSymbolExpr>(expr))
    return castInteger(sizeValues[size.getPosition()], type);
  AffineBinaryOpExpr binary = cast<AffineBinaryOpExpr>(expr);
  if (expr.getKind() == AffineExprKind::Mod ||
      expr.getKind() == AffineExprKind::FloorDiv)
    return buildDivision(binary, type);
  Value lhs = materializeAs(binary.getLHS(), type);
  if (expr.getKind() == AffineExprKind::Mul)
    return arith::MulIOp::create(builder, loc, lhs,
                                 materializeAs(binary.getRHS(), type));
  // x - c * y reads better than x + -c * y and saves an instruction.
  AffineBinaryOpExpr product = dyn_cast<AffineBinaryOpExpr>(binary.getRHS());
  AffineConstantExpr factor;
  if (product && product.getKind() == AffineExprKind::Mul)
    factor = dyn_cast<AffineConstantExpr>(product.getRHS());
  if (factor && factor.getValue() == -1)
    return arith::SubIOp::create(builder, loc, lhs,
                                 materializeAs(product.getLHS(), type));
  return arith::AddIOp::create(builder, loc, lhs,
                               materializeAs(binary.getRHS(), type));
}

/// Floor division and its remainder. Unsigned operations where the numerator
/// is known to be non-negative.
Value ElementEmitter::buildDivision(AffineBinaryOpExpr expr, Type type) {
  bool isMod = expr.getKind() == AffineExprKind::Mod;
  Value lhs = materializeAs(expr.getLHS(), type);
  Value rhs = materializeAs(expr.getRHS(), type);
  if (getRange(expr.getLHS(), ranges).lo >= 0) {
    if (isMod)
      return arith::RemUIOp::create(builder, loc, lhs, rhs);
    return arith::DivUIOp::create(builder, loc, lhs, rhs);
  }
  Value remainder = arith::RemSIOp::create(builder, loc, lhs, rhs);
  Value zero = integer(0, type);
  Value negative = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::slt, remainder, zero);
  Value lifted = arith::AddIOp::create(builder, loc, remainder, rhs);
  Value modulo =
      arith::SelectOp::create(builder, loc, negative, lifted, remainder);
  if (isMod)
    return modulo;
  Value multiple = arith::SubIOp::create(builder, loc, lhs, modulo);
  return arith::DivSIOp::create(builder, loc, multiple, rhs);
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

Condition ElementEmitter::isWithin(AffineExpr expr, AffineExpr low,
                                   AffineExpr high) {
  IndexRange range = getRange(expr, ranges);
  // What was asked around this may say more about `expr`.
  for (const KnownGuard &entry : known) {
    auto least = dyn_cast<AffineConstantExpr>(entry.guard.low);
    auto most = dyn_cast<AffineConstantExpr>(entry.guard.high);
    if (!entry.holds || !least || !most)
      continue;
    auto distance =
        dyn_cast<AffineConstantExpr>(simplify(expr - entry.guard.expr));
    if (!distance)
      continue;
    int64_t from = distance.getValue();
    range.lo = std::max(range.lo, least.getValue() + from);
    range.hi = std::min(range.hi, most.getValue() - (entry.width - 1) + from);
  }
  IndexRange lows = getRange(low, ranges), highs = getRange(high, ranges);
  bool aboveLow = range.lo >= lows.hi;
  bool isInside = aboveLow && range.hi <= highs.lo;
  if (!isInside && low == constant(0))
    isInside = isIndexBelow(expr, simplify(high + 1), ranges);
  if (isInside)
    return {Condition::Always, {}};
  if (range.hi < lows.lo || range.lo > highs.hi)
    return {Condition::Never, {}};
  for (const KnownGuard &entry : known) {
    if (entry.guard.low != low || entry.guard.high != high)
      continue;
    AffineConstantExpr distance =
        dyn_cast<AffineConstantExpr>(simplify(expr - entry.guard.expr));
    if (distance && distance.getValue() >= 0 &&
        distance.getValue() < entry.width)
      return {entry.holds ? Condition::Always : Condition::Never, {}};
  }
  if (guardLog)
    guardLog->push_back({expr, low, high});
  // A bound above 32 bits is as good as their largest number.
  bool narrow = fitsInt32(expr) && fitsInt32(low) && range.hi < INT32_MAX;
  Type type = narrow ? builder.getI32Type() : builder.getI64Type();
  Value value = materializeAs(expr, type);
  // Bounds beyond the type's range are implied by the range of `expr`.
  Value result;
  auto add = [&](arith::CmpIPredicate predicate, AffineExpr bound) {
    Value limit =
        narrow ? materializeSaturated(bound) : materializeAs(bound, type);
    Value test = arith::CmpIOp::create(builder, loc, predicate, value, limit);
    result = result ? arith::AndIOp::create(builder, loc, result, test) : test;
  };
  bool belowHigh = range.hi <= highs.lo;
  if (!aboveLow && !belowHigh && low == constant(0)) {
    // As unsigned numbers the negative ones are above all sizes. A size that is
    // known at run time only may be 0: then nothing is below it.
    if (isa<AffineConstantExpr>(high))
      add(arith::CmpIPredicate::ule, high);
    else
      add(arith::CmpIPredicate::ult, simplify(high + 1));
    return {Condition::Runtime, result};
  }
  if (!aboveLow)
    add(arith::CmpIPredicate::sge, low);
  if (!belowHigh)
    add(arith::CmpIPredicate::sle, high);
  return {Condition::Runtime, result};
}

/// Emits into a place of its own, looks at what was emitted, and erases it.
void ElementEmitter::runAndErase(function_ref<void()> emit,
                                 function_ref<void()> inspect) {
  size_t loadCount = loads.size(), storeCount = stores.size();
  Value always =
      arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  scf::IfOp scratch =
      scf::IfOp::create(builder, loc, always, /*withElse=*/false);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(scratch.thenBlock());
    pushScope(scratch);
    emit();
    inspect();
    popScope();
  }
  loads.truncate(loadCount);
  stores.truncate(storeCount);
  SmallVector<Value> dead;
  for (auto &[value, expr] : exprs)
    if (scratch.getThenRegion().isAncestor(value.getParentRegion()))
      dead.push_back(value);
  for (Value value : dead)
    exprs.erase(value);
  scratch.erase();
}

SmallVector<Guard> ElementEmitter::collectGuards(function_ref<void()> emit) {
  SmallVector<Guard> log;
  SmallVector<Guard> *outer = std::exchange(guardLog, &log);
  runAndErase(emit, [] {});
  guardLog = outer;
  return log;
}

bool ElementEmitter::usesOnly(AffineExpr expr, unsigned variables) {
  bool result = true;
  expr.walk([&](AffineExpr part) {
    if (AffineDimExpr dim = dyn_cast<AffineDimExpr>(part))
      result &= dim.getPosition() < variables;
  });
  return result;
}

SmallVector<ElementRequest>
ElementEmitter::collectGuarded(function_ref<void()> emit) {
  SmallVector<ElementRequest> log;
  unsigned known = variables.size();
  SmallVector<ElementRequest> *outer = std::exchange(requestLog, &log);
  runAndErase(emit, [] {});
  requestLog = outer;
  for (const ElementRequest &request : log)
    for (AffineExpr expr : request.index)
      if (!usesOnly(expr, known))
        return {};
  return log;
}

SmallVector<MemoryAccess>
ElementEmitter::collectLoads(function_ref<void()> emit) {
  SmallVector<MemoryAccess> found;
  size_t before = loads.size();
  runAndErase(emit, [&] {
    for (const MemoryAccess &access : llvm::drop_begin(loads, before))
      found.push_back({nullptr, access.buffer, access.linear});
  });
  return found;
}

int64_t ElementEmitter::countOperations(function_ref<void()> emit) {
  int64_t count = 0;
  runAndErase(emit, [&] {
    builder.getInsertionBlock()->walk([&](Operation *) { ++count; });
  });
  return count;
}

SmallVector<ElementSource>
ElementEmitter::findSources(unsigned count,
                            function_ref<Value(unsigned lane)> emit) {
  unsigned known = variables.size();
  // An element may have been loaded before, for another operand.
  auto findLoad = [&](Value value) -> const MemoryAccess * {
    for (const MemoryAccess &access : llvm::reverse(loads))
      if (access.op == value.getDefiningOp())
        return &access;
    return nullptr;
  };
  SmallVector<ElementSource> sources;
  auto find = [&](unsigned lane) {
    SmallVector<Guard> borders;
    SmallVector<Guard> *outer = std::exchange(borderLog, &borders);
    Value value = emit(lane);
    borderLog = outer;
    const MemoryAccess *load = findLoad(value);
    if (!load || !usesOnly(load->linear, known) ||
        !llvm::all_of(borders, [&](const Guard &guard) {
          return usesOnly(guard.expr, known) && usesOnly(guard.high, known);
        }))
      return;
    sources.push_back({load->buffer, load->linear, borders});
  };
  runAndErase(
      [&] {
        for (unsigned lane = 0; lane < count && sources.size() == lane; ++lane)
          find(lane);
      },
      [] {});
  return sources.size() == count ? sources : SmallVector<ElementSource>();
}

AffineExpr ElementEmitter::exclusiveOr(AffineExpr a, AffineExpr b,
                                       int64_t size) {
  AffineConstantExpr left = dyn_cast<AffineConstantExpr>(a);
  AffineConstantExpr right = dyn_cast<AffineConstantExpr>(b);
  if (left && right)
    return constant(left.getValue() ^ right.getValue());
  if (left && left.getValue() == 0)
    return b;
  if (right && right.getValue() == 0)
    return a;
  unsigned scope = std::max(scopeOf(a), scopeOf(b));
  AffineExpr &known = scopes[scope].exclusiveOrs[{a, b}];
  if (known)
    return known;
  Value first = materialize(a), second = materialize(b);
  OpBuilder::InsertionGuard guard(builder);
  if (scope + 1 < scopes.size())
    builder.setInsertionPoint(scopes[scope + 1].anchor);
  Type type = builder.getI32Type();
  Value value = arith::XOrIOp::create(builder, loc, castInteger(first, type),
                                      castInteger(second, type));
  known = getAffineDimExpr(variables.size(), getContext());
  variables.push_back({value, scope});
  ranges.dims.push_back(IndexRange::ofSize(size));
  return known;
}

Condition ElementEmitter::conjunction(Condition a, Condition b) {
  if (a.kind == Condition::Never || b.kind == Condition::Always)
    return a;
  if (b.kind == Condition::Never || a.kind == Condition::Always)
    return b;
  return {Condition::Runtime,
          arith::AndIOp::create(builder, loc, a.value, b.value)};
}

AffineExpr ElementEmitter::clamp(AffineExpr expr, int64_t low, int64_t high) {
  IndexRange range = getRange(expr, ranges);
  if (range.within(low, high))
    return expr;
  for (Scope &scope : llvm::reverse(scopes))
    if (AffineExpr known =
            scope.clamped.lookup({expr, constant(low), constant(high)}))
      return known;
  Value value = materialize(expr);
  Type type = value.getType();
  if (range.hi > high)
    value = arith::MinSIOp::create(builder, loc, value, integer(high, type));
  if (range.lo < low)
    value = arith::MaxSIOp::create(builder, loc, value, integer(low, type));
  AffineExpr clamped =
      addVariable(value, {std::max(low, range.lo),
                          std::min(high, std::max(low, range.hi))});
  scopes.back().clamped[{expr, constant(low), constant(high)}] = clamped;
  return clamped;
}

AffineExpr ElementEmitter::clampBelow(AffineExpr expr, AffineExpr size) {
  if (AffineConstantExpr known = dyn_cast<AffineConstantExpr>(size))
    return clamp(expr, 0, known.getValue() - 1);
  if (isIndexBelow(expr, size, ranges))
    return expr;
  AffineExpr last = simplify(size - 1);
  for (Scope &scope : llvm::reverse(scopes))
    if (AffineExpr known = scope.clamped.lookup({expr, constant(0), last}))
      return known;
  bool narrow = fitsInt32(expr);
  Type type = narrow ? builder.getI32Type() : builder.getI64Type();
  Value value = arith::MinSIOp::create(
      builder, loc, materializeAs(expr, type),
      narrow ? materializeSaturated(last) : materializeAs(last, type));
  if (getRange(expr, ranges).lo < 0)
    value = arith::MaxSIOp::create(builder, loc, value, integer(0, type));
  AffineExpr clamped = addVariable(value, IndexRange::ofSize(size));
  scopes.back().clamped[{expr, constant(0), last}] = clamped;
  return clamped;
}
