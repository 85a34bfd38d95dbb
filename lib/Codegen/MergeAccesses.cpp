// Vector accesses by address analysis. The element number of each access is
// known as an expression: those of one block that differ by a constant and
// fill an aligned chunk become one load or store of up to 16 bytes. Kernel
// arguments are whole buffers that start at a multiple of 16 bytes, and a
// chunk lies within its buffer because each of its elements is accessed.
#include "fuse-mlir/Codegen/ElementEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// Accesses of one buffer in one block whose element numbers differ by
/// constants.
struct AccessGroup {
  /// By constant part; the first access of each in program order.
  std::map<int64_t, MemoryAccess> accesses;
};
using GroupKey = std::pair<std::pair<Value, Block *>, AffineExpr>;
using AccessGroups = llvm::MapVector<GroupKey, AccessGroup>;
} // namespace

/// Splits `expr` in a part without a constant, and the constant.
static std::pair<AffineExpr, int64_t> splitConstant(AffineExpr expr) {
  if (AffineConstantExpr constant = dyn_cast<AffineConstantExpr>(expr))
    return {getAffineConstantExpr(0, expr.getContext()), constant.getValue()};
  AffineBinaryOpExpr binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || binary.getKind() != AffineExprKind::Add)
    return {expr, 0};
  if (AffineConstantExpr constant =
          dyn_cast<AffineConstantExpr>(binary.getRHS()))
    return {binary.getLHS(), constant.getValue()};
  auto [lhs, lhsConstant] = splitConstant(binary.getLHS());
  auto [rhs, rhsConstant] = splitConstant(binary.getRHS());
  return {lhs + rhs, lhsConstant + rhsConstant};
}

static int64_t bytesOf(Type type) {
  if (type.isIndex())
    return 8;
  if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() % 8 != 0)
    return 0;
  return type.getIntOrFloatBitWidth() / 8;
}

static AccessGroups collect(ArrayRef<MemoryAccess> accesses) {
  AccessGroups groups;
  for (const MemoryAccess &access : accesses) {
    Type type = cast<MemRefType>(access.buffer.getType()).getElementType();
    int64_t bytes = bytesOf(type);
    if (bytes == 0 || bytes > 8)
      continue;
    auto [base, number] = splitConstant(access.linear);
    AccessGroup &group = groups[{{access.buffer, access.op->getBlock()}, base}];
    group.accesses.insert({number, access});
  }
  return groups;
}

/// Whether some neighbours are more than one access and do not fill the last.
static bool hasRest(const AccessGroup &group, int64_t widest) {
  int64_t count = 0, previous = 0;
  bool found = false;
  auto end = [&] {
    found |= count % widest != 0 && !llvm::isPowerOf2_64(count);
    count = 0;
  };
  for (auto &[number, access] : group.accesses) {
    if (count != 0 && number != previous + 1)
      end();
    ++count;
    previous = number;
  }
  end();
  return found;
}

/// Calls `merge` for each aligned run of 2, 4, … neighbours of a group, the
/// longest first.
static void forEachRun(const GroupKey &key, const AccessGroup &group,
                       function_ref<void(ArrayRef<MemoryAccess>)> merge) {
  Value buffer = key.first.first;
  Type type = cast<MemRefType>(buffer.getType()).getElementType();
  int64_t widest = 16 / bytesOf(type);
  // LLVM widens neighbours of an aligned access where it can, over the end of
  // the buffer as well: keep to widths that divide it.
  MemRefType bufferType = cast<MemRefType>(buffer.getType());
  if (isa<AffineConstantExpr>(key.second) || hasRest(group, widest))
    while (widest > 1 && (!bufferType.hasStaticShape() ||
                          bufferType.getNumElements() % widest != 0))
      widest /= 2;
  auto it = group.accesses.begin();
  while (it != group.accesses.end()) {
    SmallVector<MemoryAccess> run;
    int64_t width = widest;
    for (; width > 1; width /= 2) {
      run.clear();
      if (it->first % width != 0 || !key.second.isMultipleOf(width))
        continue;
      for (int64_t i = 0; i < width; ++i) {
        auto next = group.accesses.find(it->first + i);
        if (next == group.accesses.end())
          break;
        run.push_back(next->second);
      }
      if (static_cast<int64_t>(run.size()) == width)
        break;
    }
    if (width > 1)
      merge(run);
    std::advance(it, width > 1 ? width : 1);
  }
}

static Operation *firstOf(ArrayRef<MemoryAccess> run) {
  Operation *first = run.front().op;
  for (const MemoryAccess &access : run)
    if (access.op->isBeforeInBlock(first))
      first = access.op;
  return first;
}

static Operation *lastOf(ArrayRef<MemoryAccess> run) {
  Operation *last = run.front().op;
  for (const MemoryAccess &access : run)
    if (last->isBeforeInBlock(access.op))
      last = access.op;
  return last;
}

/// Moves what `value` is computed from, as far as it lies after `before` in
/// the same block, in front of it. Address arithmetic is free of effects.
static void hoist(Value value, Operation *before) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != before->getBlock() ||
      op->isBeforeInBlock(before))
    return;
  for (Value operand : op->getOperands())
    hoist(operand, before);
  op->moveBefore(before);
}

static VectorType vectorOf(ArrayRef<MemoryAccess> run) {
  Type type = cast<MemRefType>(run.front().buffer.getType()).getElementType();
  return VectorType::get({static_cast<int64_t>(run.size())}, type);
}

static llvm::MaybeAlign alignmentOf(VectorType type) {
  return llvm::MaybeAlign(type.getNumElements() *
                          bytesOf(type.getElementType()));
}

static void mergeLoads(OpBuilder &builder, ArrayRef<MemoryAccess> run) {
  Operation *first = firstOf(run);
  Value at = cast<memref::LoadOp>(run.front().op).getIndices().front();
  hoist(at, first);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(first);
  VectorType type = vectorOf(run);
  Value loaded = vector::LoadOp::create(
      builder, first->getLoc(), type, run.front().buffer, at,
      /*nontemporal=*/false, alignmentOf(type));
  for (auto [lane, access] : llvm::enumerate(run)) {
    Value element = vector::ExtractOp::create(builder, access.op->getLoc(),
                                              loaded, int64_t(lane));
    access.op->getResult(0).replaceAllUsesWith(element);
  }
}

static void mergeStores(OpBuilder &builder, ArrayRef<MemoryAccess> run) {
  Operation *last = lastOf(run);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(last);
  VectorType type = vectorOf(run);
  SmallVector<Value> elements;
  for (const MemoryAccess &access : run)
    elements.push_back(cast<memref::StoreOp>(access.op).getValueToStore());
  Value vector =
      vector::FromElementsOp::create(builder, last->getLoc(), type, elements);
  vector::StoreOp::create(builder, last->getLoc(), vector, run.front().buffer,
                          cast<memref::StoreOp>(run.front().op).getIndices(),
                          /*nontemporal=*/false, alignmentOf(type));
}

void fuse::mergeAccesses(ElementEmitter &emitter) {
  OpBuilder &builder = emitter.getBuilder();
  SmallVector<Operation *> dead;
  auto retire = [&](ArrayRef<MemoryAccess> run) {
    for (const MemoryAccess &access : run)
      dead.push_back(access.op);
  };
  AccessGroups loads = collect(emitter.getLoads());
  for (auto &[key, group] : loads)
    forEachRun(key, group, [&](ArrayRef<MemoryAccess> run) {
      mergeLoads(builder, run);
      retire(run);
    });
  AccessGroups stores = collect(emitter.getStores());
  for (auto &[key, group] : stores)
    forEachRun(key, group, [&](ArrayRef<MemoryAccess> run) {
      mergeStores(builder, run);
      retire(run);
    });
  for (Operation *op : dead)
    op->erase();
}
