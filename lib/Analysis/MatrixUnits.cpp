// The forms in which matrix units multiply: by the types of the factors before
// the body widens them.
#include "fuse-mlir/Analysis/MatrixUnits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::fuse;

bool fuse::mayRoundToTf32(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto products = op->getAttrOfType<StringAttr>(
            kF32ProductsAttrName))
      return products == "tf32";
  return false;
}

/// The values that `factor` is a widened form of, itself first.
static SmallVector<Value> getNarrowerFactors(Value factor) {
  SmallVector<Value> factors = {factor};
  while (isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(
      factors.back().getDefiningOp()))
    factors.push_back(factors.back().getDefiningOp()->getOperand(0));
  return factors;
}

/// PTX's name of a float type of 8 or 16 bits that the matrix units multiply.
static StringRef getFloatName(Value factor) {
  Type type = factor.getType();
  if (type.isF16())
    return "f16";
  if (type.isBF16())
    return "bf16";
  if (isa<Float8E4M3FNType>(type))
    return "e4m3";
  if (isa<Float8E5M2Type>(type))
    return "e5m2";
  return "";
}

/// f16 or bf16, the same for both factors, or 8-bit floats.
static std::optional<MatrixForm> matchFloats(ArrayRef<Value> lefts,
                                             ArrayRef<Value> rights) {
  for (Value left : lefts)
    for (Value right : rights) {
      MatrixForm form;
      form.left = left;
      form.right = right;
      form.leftType = getFloatName(left);
      form.rightType = getFloatName(right);
      if (form.leftType.empty() || form.rightType.empty())
        continue;
      bool isNarrow = form.leftType.starts_with("e");
      if (isNarrow != form.rightType.starts_with("e") ||
          (!isNarrow && form.leftType != form.rightType))
        continue;
      if (isNarrow) {
        form.generation = 89;
        form.rate = 2;
        form.depth = 32;
      }
      return form;
    }
  return std::nullopt;
}

/// `s8` or `u8` for an i8 that was widened in one step, or without its sign.
static StringRef getIntegerName(ArrayRef<Value> factors) {
  if (factors.size() < 2 || !factors.back().getType().isInteger(8))
    return "";
  Value widened = factors[factors.size() - 2];
  if (isa<arith::ExtUIOp>(widened.getDefiningOp()))
    return "u8";
  bool keepsSign = llvm::all_of(factors.drop_back(), [](Value value) {
    return isa<arith::ExtSIOp>(value.getDefiningOp());
  });
  return keepsSign ? "s8" : "";
}

std::optional<MatrixForm>
fuse::matchMatrixForm(const ContractionShape &contraction) {
  SmallVector<Value> lefts = getNarrowerFactors(contraction.left);
  SmallVector<Value> rights = getNarrowerFactors(contraction.right);
  Type type = contraction.left.getType();
  MatrixForm form;
  form.left = contraction.left;
  form.right = contraction.right;
  if (type.isF64()) {
    form.leftType = form.rightType = "f64";
    form.rate = 1.0 / 8;
    form.depth = 4;
    return form;
  }
  if (type.isF32()) {
    if (std::optional<MatrixForm> narrow = matchFloats(lefts, rights))
      return narrow;
    if (!mayRoundToTf32(contraction.op))
      return std::nullopt;
    form.leftType = form.rightType = "tf32";
    form.rate = 1.0 / 2;
    form.depth = 8;
    return form;
  }
  form.left = lefts.back();
  form.right = rights.back();
  form.leftType = getIntegerName(lefts);
  form.rightType = getIntegerName(rights);
  form.rate = 2;
  form.depth = 32;
  if (!type.isInteger(32) || form.leftType.empty() || form.rightType.empty())
    return std::nullopt;
  return form;
}

unsigned fuse::getGeneration(StringRef chip) {
  unsigned number = 0;
  chip.consume_front("sm_");
  chip.take_while(llvm::isDigit).getAsInteger(10, number);
  return number;
}

LaunchShape fuse::adaptLaunch(const GroupShape &shape, LaunchShape launch,
                              unsigned generation) {
  if (!launch.tile)
    return launch;
  unsigned needed = 80;
  for (const ContractionShape &contraction : shape.contractions)
    if (std::optional<MatrixForm> form = matchMatrixForm(contraction))
      needed = std::max(needed, form->generation);
  if (generation < needed)
    launch = avoidMatrixUnits(shape, launch);
  if (launch.tile)
    launch.tile->async &= generation >= 80;
  return launch;
}
