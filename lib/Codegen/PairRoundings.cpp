// Roundings to narrower floats, two at a time: one instruction rounds two f32
// into halves of a register. LLVM makes these of values that are stored as
// vectors, but not of those that are widened again (a chain of f32 that the
// source rounds in between), and of 8-bit floats not at all.
#include "fuse-mlir/Codegen/MathExpansions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::fuse;

/// Operations between two roundings of a pair, at the most: what separates the
/// same value of two neighbouring elements.
static constexpr unsigned kMostBetween = 512;

/// Whether LLVM makes an instruction on two bf16 of the rounded operation.
static bool isBf16Arithmetic(arith::TruncFOp op) {
  Operation *rounded = op.getIn().getDefiningOp();
  return op.getType().isBF16() && rounded && rounded->hasOneUse() &&
         isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(rounded) &&
         llvm::all_of(rounded->getOperands(), [](Value operand) {
           auto widened = operand.getDefiningOp<arith::ExtFOp>();
           return widened && widened.getIn().getType().isBF16();
         });
}

static bool isCandidate(arith::TruncFOp op, unsigned generation) {
  Type type = op.getType();
  if (!op.getIn().getType().isF32() || op.getRoundingmode())
    return false;
  if (isNarrowFloat(type))
    return generation >= 89;
  if (generation < 80 || !(type.isF16() || type.isBF16()) ||
      isBf16Arithmetic(op))
    return false;
  return llvm::any_of(op->getUsers(), [](Operation *user) {
    auto widened = dyn_cast<arith::ExtFOp>(user);
    return widened && !isForBf16Arithmetic(widened.getOut());
  });
}

/// Whether `op` only computes: intrinsics of floats (FloatBuilder::call) are
/// not known to.
static bool mayMove(Operation *op) {
  if (op->getNumRegions() != 0)
    return false;
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op))
    return !call.getArgs().empty() &&
           llvm::all_of(call.getArgs().getTypes(), llvm::IsaPred<FloatType>);
  return isMemoryEffectFree(op);
}

/// What stands between `first` and `second` and depends on `first`, in order,
/// if it may all move behind `second`.
static std::optional<SmallVector<Operation *>> getMovable(Operation *first,
                                                          Operation *second) {
  SmallPtrSet<Operation *, 16> depends = {first};
  auto isDependent = [&](Operation *op) {
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      return depends.contains(operand.getDefiningOp());
    });
  };
  SmallVector<Operation *> movable;
  unsigned between = 0;
  for (Operation *op = first->getNextNode(); op != second;
       op = op->getNextNode()) {
    if (++between > kMostBetween)
      return std::nullopt;
    // What an operation with regions reads inside of them is not looked at.
    bool isUser = isDependent(op);
    if (op->getNumRegions() != 0 || (isUser && !mayMove(op)))
      return std::nullopt;
    if (!isUser)
      continue;
    depends.insert(op);
    movable.push_back(op);
  }
  if (isDependent(second))
    return std::nullopt;
  return movable;
}

/// Two roundings to 8-bit floats by one instruction. It saturates where the
/// source asks for infinity or, in f8E4M3FN, NaN; their bits come right after
/// those of the largest number.
static std::array<Value, 2> roundToNarrow(FloatBuilder &f, Type type,
                                          std::array<Value, 2> values) {
  bool isE4M3 = isa<Float8E4M3FNType>(type);
  Type i16 = f.b.getI16Type(), i8 = f.b.getI8Type();
  auto constant = [&](int64_t number) -> Value {
    return arith::ConstantOp::create(f.b, i16, f.b.getI16IntegerAttr(number));
  };
  Value both = LLVM::CallIntrinsicOp::create(
                   f.b, i16,
                   f.b.getStringAttr(isE4M3 ? "llvm.nvvm.ff.to.e4m3x2.rn"
                                            : "llvm.nvvm.ff.to.e5m2x2.rn"),
                   ValueRange{values[1], values[0]})
                   .getResult(0);
  for (unsigned lane = 0; lane < 2; ++lane) {
    Value magnitude = f.abs(values[lane]);
    // Half way between the largest number and the one that would follow: 448
    // and 480, of which 448 is the even one, or 57344 and 65536.
    Value isLarge =
        isE4M3 ? f.compare(arith::CmpFPredicate::OGT, magnitude, /*y=*/464.0)
               : f.compare(arith::CmpFPredicate::OGE, magnitude, /*y=*/61440.0);
    both = arith::AddIOp::create(
        f.b, both, f.select(isLarge, constant(1 << 8 * lane), constant(0)));
  }
  Value bytes = vector::BitCastOp::create(
      f.b, VectorType::get({2}, i8),
      vector::FromElementsOp::create(f.b, VectorType::get({1}, i16), both));
  std::array<Value, 2> results;
  for (unsigned lane = 0; lane < 2; ++lane)
    results[lane] = arith::BitcastOp::create(
        f.b, type, vector::ExtractOp::create(f.b, bytes, int64_t(lane)));
  return results;
}

static std::array<Value, 2> roundToHalf(FloatBuilder &f, Type type,
                                        std::array<Value, 2> values) {
  Value wide = vector::FromElementsOp::create(f.b, VectorType::get({2}, f.type),
                                              ValueRange(values));
  Value both = arith::TruncFOp::create(f.b, VectorType::get({2}, type), wide);
  return {vector::ExtractOp::create(f.b, both, 0),
          vector::ExtractOp::create(f.b, both, 1)};
}

static bool pair(arith::TruncFOp first, arith::TruncFOp second) {
  if (first.getType() != second.getType())
    return false;
  std::optional<SmallVector<Operation *>> movable = getMovable(first, second);
  if (!movable)
    return false;
  OpBuilder builder(second);
  FloatBuilder f(builder, second.getLoc(), builder.getF32Type());
  std::array<Value, 2> values = {first.getIn(), second.getIn()};
  auto [low, high] = isNarrowFloat(first.getType())
                         ? roundToNarrow(f, first.getType(), values)
                         : roundToHalf(f, first.getType(), values);
  Operation *last = second;
  for (Operation *op : *movable) {
    op->moveAfter(last);
    last = op;
  }
  first.replaceAllUsesWith(low);
  second.replaceAllUsesWith(high);
  first.erase();
  second.erase();
  return true;
}

void fuse::pairRoundings(Operation *root, unsigned generation) {
  root->walk([&](Block *block) {
    // Those of one type whose partner has not come yet.
    llvm::SmallDenseMap<Type, arith::TruncFOp> waiting;
    for (Operation &op : llvm::make_early_inc_range(*block)) {
      auto rounding = dyn_cast<arith::TruncFOp>(op);
      if (!rounding || !isCandidate(rounding, generation))
        continue;
      arith::TruncFOp &partner = waiting[rounding.getType()];
      bool isPaired = partner && pair(partner, rounding);
      partner = isPaired ? arith::TruncFOp() : rounding;
    }
  });
}
