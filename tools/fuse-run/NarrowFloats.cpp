// 8-bit floats in the reference: upstream's lowering has no conversions for
// them, so they become calls of functions that fuse-run itself provides.
#include "Reference.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::fuse::run;

std::string fuse::run::getNarrowFunction(Type type, bool widen) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return (widen ? "__fuse_run_widen_" : "__fuse_run_narrow_") + name;
}

bool fuse::run::isNarrowFloat(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

static func::FuncOp declare(ModuleOp module, StringRef name,
                            FunctionType type) {
  if (func::FuncOp found = module.lookupSymbol<func::FuncOp>(name))
    return found;
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  func::FuncOp made =
      func::FuncOp::create(builder, module.getLoc(), name, type);
  made.setPrivate();
  return made;
}

/// Any float to another float type, by extending or truncating.
static Value convert(OpBuilder &builder, Location loc, Value value, Type to) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  if (value.getType() == to)
    return value;
  if (from < to.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(builder, loc, to, value);
  return arith::TruncFOp::create(builder, loc, to, value);
}

static void replaceWiden(ModuleOp module, arith::ExtFOp op) {
  IRRewriter b(op);
  Location loc = op.getLoc();
  Type i32 = b.getI32Type(), f64 = b.getF64Type();
  func::FuncOp callee =
      declare(module, getNarrowFunction(op.getIn().getType(), true),
              b.getFunctionType({i32}, {f64}));
  Value bits = arith::BitcastOp::create(b, loc, b.getI8Type(), op.getIn());
  bits = arith::ExtUIOp::create(b, loc, i32, bits);
  Value wide = func::CallOp::create(b, loc, callee, bits).getResult(0);
  b.replaceOp(op, convert(b, loc, wide, op.getType()));
}

static void replaceNarrow(ModuleOp module, arith::TruncFOp op) {
  IRRewriter b(op);
  Location loc = op.getLoc();
  Type i32 = b.getI32Type(), f64 = b.getF64Type();
  func::FuncOp callee = declare(module, getNarrowFunction(op.getType(), false),
                                b.getFunctionType({f64}, {i32}));
  Value wide = convert(b, loc, op.getIn(), f64);
  Value bits = func::CallOp::create(b, loc, callee, wide).getResult(0);
  bits = arith::TruncIOp::create(b, loc, b.getI8Type(), bits);
  b.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), bits);
}

/// Conversions between integers and narrow floats go by f64.
static void widenIntegerConversions(ModuleOp module) {
  module.walk([](Operation *op) {
    IRRewriter b(op);
    Type f64 = b.getF64Type();
    if (isa<arith::SIToFPOp, arith::UIToFPOp>(op) &&
        isNarrowFloat(op->getResult(0).getType())) {
      Type narrow = op->getResult(0).getType();
      op->getResult(0).setType(f64);
      b.setInsertionPointAfter(op);
      arith::TruncFOp rounded =
          arith::TruncFOp::create(b, op->getLoc(), narrow, op->getResult(0));
      b.replaceAllUsesExcept(op->getResult(0), rounded, rounded);
    } else if (isa<arith::FPToSIOp, arith::FPToUIOp>(op) &&
               isNarrowFloat(op->getOperand(0).getType())) {
      op->setOperand(
          0, arith::ExtFOp::create(b, op->getLoc(), f64, op->getOperand(0)));
    }
  });
}

void fuse::run::lowerNarrowFloats(ModuleOp module) {
  widenIntegerConversions(module);
  SmallVector<arith::ExtFOp> extensions;
  SmallVector<arith::TruncFOp> truncations;
  module.walk([&](Operation *op) {
    if (arith::ExtFOp extension = dyn_cast<arith::ExtFOp>(op)) {
      if (isNarrowFloat(extension.getIn().getType()))
        extensions.push_back(extension);
    } else if (arith::TruncFOp truncation = dyn_cast<arith::TruncFOp>(op)) {
      if (isNarrowFloat(truncation.getType()))
        truncations.push_back(truncation);
    }
  });
  for (arith::ExtFOp op : extensions)
    replaceWiden(module, op);
  for (arith::TruncFOp op : truncations)
    replaceNarrow(module, op);
}
