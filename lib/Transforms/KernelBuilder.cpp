// Makes a self-contained kernel of operators, see the header.
#include "fuse-mlir/Transforms/KernelBuilder.h"

#include "fuse-mlir/Analysis/GroupShape.h"
#include "fuse-mlir/Analysis/OpClassification.h"
#include "fuse-mlir/CostModel/KernelCounts.h"
#include "fuse-mlir/Planner/OpRoles.h"
#include "fuse-mlir/Transforms/HostSizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::fuse;

linalg::CopyOp fuse::createCopy(OpBuilder &builder, Location loc, Value value) {
  RankedTensorType type = cast<RankedTensorType>(value.getType());
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, value),
      type.getElementType());
  if (empty.getType() != type)
    empty = tensor::CastOp::create(builder, loc, type, empty);
  return linalg::CopyOp::create(builder, loc, value, empty);
}

namespace {
/// Copies operators into a kernel and collects what it needs from outside.
class BodyBuilder {
public:
  BodyBuilder(const KernelRequest &request, const IRMapping &host)
      : request(request), host(host),
        members(request.ops.begin(), request.ops.end()) {}

  FailureOr<KernelOp> build(OpBuilder &builder);

private:
  bool isPlacedAtUse(Operation *op);
  void mapUses(Operation *op, OpBuilder &inside);
  void mapValue(Value value, OpBuilder &inside);
  bool isCopied(Value value);
  FailureOr<SmallVector<Value>> makeDestinations(OpBuilder &builder);

  const KernelRequest &request;
  const IRMapping &host;
  llvm::SmallPtrSet<Operation *, 16> members;
  IRMapping mapping;
  SmallVector<Value> inputs;
  Block *body = nullptr;
};
} // namespace

/// Whether the kernel makes `value` itself instead of taking it as an operand.
bool BodyBuilder::isCopied(Value value) {
  Operation *def = value.getDefiningOp();
  if (!def || host.contains(value) || isLargeConstant(def))
    return false;
  if (request.inner && request.inner->isAncestor(def->getParentRegion()))
    return true;
  if (isGeneratorOp(def)) {
    // A fill of a tensor that is no mere shape is no generator here.
    if (linalg::FillOp fill = dyn_cast<linalg::FillOp>(def))
      return fill.getDpsInits()[0].getDefiningOp<tensor::EmptyOp>() != nullptr;
    return true;
  }
  if (cost::isView(def))
    return isCopied(def->getOperand(0)) &&
           !isa<tensor::EmptyOp>(def->getOperand(0).getDefiningOp());
  return isFreeOp(def);
}

/// Whether a member stands where it is used first: so that kernels which differ
/// only in where the function around had its constants are equal.
bool BodyBuilder::isPlacedAtUse(Operation *op) {
  return isa<arith::ConstantOp, tensor::EmptyOp, linalg::FillOp>(op) &&
         !llvm::is_contained(request.outputs, op->getResult(0));
}

void BodyBuilder::mapValue(Value value, OpBuilder &inside) {
  if (mapping.contains(value))
    return;
  Operation *def = value.getDefiningOp();
  if (members.contains(def) || isCopied(value)) {
    mapUses(def, inside);
    inside.clone(*def, mapping);
    return;
  }
  Value outer = host.lookupOrDefault(value);
  inputs.push_back(outer);
  mapping.map(value, body->addArgument(outer.getType(), outer.getLoc()));
}

void BodyBuilder::mapUses(Operation *op, OpBuilder &inside) {
  auto use = [&](Value value) {
    Operation *def = value.getDefiningOp();
    if (!def || !members.contains(def) || isPlacedAtUse(def))
      mapValue(value, inside);
  };
  for (Value operand : op->getOperands())
    use(operand);
  for (Region &region : op->getRegions())
    visitUsedValuesDefinedAbove(
        region, [&](OpOperand *operand) { use(operand->get()); });
}

FailureOr<SmallVector<Value>>
BodyBuilder::makeDestinations(OpBuilder &builder) {
  SmallVector<Value> destinations;
  for (Value output : request.outputs) {
    RankedTensorType type = dyn_cast<RankedTensorType>(output.getType());
    if (!type) {
      output.getDefiningOp()->emitError()
          << "expected a kernel's result to be a ranked tensor, but got "
          << output.getType();
      return failure();
    }
    // The type says which sizes are known, even where more could be told of
    // the operands or less.
    SmallVector<Value> sizes;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (!type.isDynamicDim(dim))
        continue;
      std::optional<OpFoldResult> size =
          getHostSize(builder, output, dim, [&](Value value) -> Value {
            if (host.contains(value))
              return host.lookup(value);
            Operation *def = value.getDefiningOp();
            bool hidden =
                def && (members.contains(def) ||
                        (request.inner &&
                         request.inner->isAncestor(def->getParentRegion())));
            return hidden ? Value() : value;
          });
      if (!size) {
        output.getDefiningOp()->emitError()
            << "the size of dimension " << dim
            << " of a kernel's result is not known outside of it";
        return failure();
      }
      sizes.push_back(
          getValueOrCreateConstantIndexOp(builder, request.loc, *size));
    }
    destinations.push_back(tensor::EmptyOp::create(
        builder, request.loc, type.getShape(), type.getElementType(), sizes,
        type.getEncoding()));
  }
  return destinations;
}

FailureOr<KernelOp> BodyBuilder::build(OpBuilder &builder) {
  FailureOr<SmallVector<Value>> destinations = makeDestinations(builder);
  if (failed(destinations))
    return failure();
  // The operands are known once the body is built.
  Region region;
  body = &region.emplaceBlock();
  OpBuilder inside(builder.getContext());
  inside.setInsertionPointToEnd(body);
  for (Operation *op : request.ops) {
    // May have been copied already, as something another one needs.
    if (isPlacedAtUse(op) ||
        (op->getNumResults() && mapping.contains(op->getResult(0))))
      continue;
    mapUses(op, inside);
    inside.clone(*op, mapping);
  }
  SmallVector<Value> yielded;
  for (Value output : request.outputs)
    yielded.push_back(mapping.lookup(output));
  YieldOp::create(inside, request.loc, yielded);
  for (Value destination : *destinations)
    body->addArgument(destination.getType(), request.loc);

  KernelOp kernel = KernelOp::create(
      builder, request.loc, ValueRange(request.outputs).getTypes(),
      request.name, inputs, *destinations, request.opClass, request.cost,
      ScheduleAttr());
  kernel.getBody().takeBody(region);
  return kernel;
}

FailureOr<KernelOp> fuse::buildKernel(OpBuilder &builder,
                                      const KernelRequest &request,
                                      const IRMapping &host) {
  return BodyBuilder(request, host).build(builder);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

Operation *fuse::findHero(ArrayRef<Operation *> ops) {
  Operation *hero = ops.back();
  bool found = false;
  for (Operation *op : llvm::reverse(ops)) {
    if (isRootOp(op))
      return op;
    if (!found && isComputeOp(op) && !isFreeOp(op) && !isGeneratorOp(op)) {
      hero = op;
      found = true;
    }
  }
  return hero;
}

std::string KernelNames::make(StringRef wanted) {
  std::string name;
  for (char c : wanted)
    name += llvm::isAlnum(c) ? c : '_';
  if (name.empty() || llvm::isDigit(name.front()))
    name.insert(name.begin(), '_');
  std::string unique = name;
  for (unsigned i = 1; !taken.insert(unique).second; ++i)
    unique = name + "_" + std::to_string(i);
  return unique;
}

std::string KernelNames::makeFor(Operation *hero) {
  std::string name;
  if (FunctionOpInterface function =
          hero->getParentOfType<FunctionOpInterface>())
    name = function.getName().str() + "_";
  if (IntegerAttr ordinal =
          hero->getAttrOfType<IntegerAttr>(FuseDialect::kOrdinalAttrName))
    name += std::to_string(ordinal.getInt()) + "_";
  StringRef kind = hero->getName().stripDialect();
  return make(
      name +
      (kind == "generic" ? stringifyOpClass(classify(hero)) : kind).str());
}
