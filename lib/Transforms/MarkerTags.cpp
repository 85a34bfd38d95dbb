// Markers that travel in locations, see the header. A tag is a NameLoc with a
// reserved prefix and the row of the table: unlike a FusedLoc's metadata, it
// survives when a rewrite fuses the locations of two operators.
#include "fuse-mlir/Transforms/MarkerTags.h"

#include "fuse-mlir/Analysis/MatrixUnits.h"
#include "fuse-mlir/IR/FuseOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr StringLiteral kTagPrefix = "fuse.tag:";

bool fuse::isInStructuredBody(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp()) {
    if (isa<linalg::LinalgOp, tensor::PadOp, tensor::GenerateOp>(parent))
      return true;
    if (isa<GroupOp, KernelOp>(parent))
      return false;
  }
  return false;
}

bool fuse::hasMarker(Operation *op) {
  return llvm::any_of(ArrayRef{FuseDialect::kMustFuseAttrName,
                               FuseDialect::kNeverFuseAttrName,
                               FuseDialect::kClassAttrName},
                      [&](StringRef name) { return op->hasAttr(name); });
}

/// An operator that computes or moves elements, so that a marker of the
/// operator it came from makes sense on it: no view, no fill of an init.
static bool carriesMarkers(Operation *op) {
  if (isa<linalg::FillOp>(op))
    return false;
  return isa<linalg::LinalgOp, tensor::PadOp, tensor::ConcatOp,
             tensor::ExtractSliceOp, tensor::InsertSliceOp, tensor::GatherOp,
             tensor::ScatterOp, GroupOp>(op);
}

/// An operator whose identity reports may name.
static bool carriesOrdinal(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>() ||
      op->hasTrait<OpTrait::ConstantLike>() || isa<tensor::EmptyOp>(op))
    return false;
  bool onTensors =
      llvm::any_of(op->getOperandTypes(), llvm::IsaPred<TensorType>) ||
      llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>);
  return onTensors || isa<CallOpInterface, GroupOp, KernelOp>(op);
}

static std::optional<unsigned> tagNumber(LocationAttr loc) {
  NameLoc name = dyn_cast<NameLoc>(loc);
  unsigned number;
  if (!name || !name.getName().strref().starts_with(kTagPrefix) ||
      name.getName()
          .strref()
          .drop_front(kTagPrefix.size())
          .getAsInteger(10, number))
    return std::nullopt;
  return number;
}

void MarkerTags::attach(Operation *root) {
  Builder builder(root->getContext());
  int64_t ordinal = -1;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == root)
      return;
    ++ordinal;
    if (isInStructuredBody(op))
      return;
    Markers markers;
    markers.ordinal =
        op->getAttrOfType<IntegerAttr>(FuseDialect::kOrdinalAttrName);
    if (!markers.ordinal)
      markers.ordinal = builder.getI64IntegerAttr(ordinal);
    markers.mustFuse = op->getAttr(FuseDialect::kMustFuseAttrName);
    markers.neverFuse = op->getAttr(FuseDialect::kNeverFuseAttrName);
    markers.opClass = op->getAttr(FuseDialect::kClassAttrName);
    markers.tile = op->getAttr(FuseDialect::kTileAttrName);
    markers.products = op->getAttr(kF32ProductsAttrName);
    // Numbers must not keep equal operators apart, user's marks must.
    op->removeAttr(FuseDialect::kOrdinalAttrName);
    op->removeAttr(FuseDialect::kClassAttrName);
    std::string name = (kTagPrefix + Twine(table.size())).str();
    op->setLoc(NameLoc::get(builder.getStringAttr(name), op->getLoc()));
    table.push_back(markers);
  });
}

SmallVector<unsigned> MarkerTags::collect(Location loc) const {
  SmallVector<unsigned> tags;
  loc->walk([&](Location inner) {
    if (std::optional<unsigned> number = tagNumber(inner))
      if (*number < table.size() && !llvm::is_contained(tags, *number))
        tags.push_back(*number);
    return WalkResult::advance();
  });
  llvm::sort(tags);
  return tags;
}

void MarkerTags::restore(Operation *op, ArrayRef<unsigned> tags) {
  IntegerAttr lowest;
  for (unsigned tag : tags) {
    const Markers &markers = table[tag];
    if (!lowest || markers.ordinal.getInt() < lowest.getInt())
      lowest = markers.ordinal;
    if (!carriesMarkers(op))
      continue;
    if (markers.mustFuse && !op->hasAttr(FuseDialect::kMustFuseAttrName))
      op->setAttr(FuseDialect::kMustFuseAttrName, markers.mustFuse);
    if (markers.neverFuse)
      op->setAttr(FuseDialect::kNeverFuseAttrName, markers.neverFuse);
    linalg::LinalgOp linalgOp = dyn_cast<linalg::LinalgOp>(op);
    bool reduces = linalgOp && linalgOp.getNumReductionLoops() > 0;
    if (markers.tile && reduces)
      op->setAttr(FuseDialect::kTileAttrName, markers.tile);
    if (markers.products && reduces)
      op->setAttr(kF32ProductsAttrName, markers.products);
    if (markers.opClass && markers.carriers == 1)
      op->setAttr(FuseDialect::kClassAttrName, markers.opClass);
  }
  if (lowest && carriesOrdinal(op))
    op->setAttr(FuseDialect::kOrdinalAttrName, lowest);
}

void MarkerTags::detach(Operation *root) {
  root->walk([&](Operation *op) {
    if (op != root && carriesMarkers(op) && !isInStructuredBody(op))
      for (unsigned tag : collect(op->getLoc()))
        ++table[tag].carriers;
  });

  AttrTypeReplacer strip;
  strip.addReplacement(
      [&](NameLoc loc) -> std::optional<std::pair<Attribute, WalkResult>> {
        if (!tagNumber(loc))
          return std::nullopt;
        return std::make_pair(strip.replace(Attribute(loc.getChildLoc())),
                              WalkResult::skip());
      });
  IntegerAttr previous =
      IntegerAttr::get(IntegerType::get(root->getContext(), 64), 0);
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == root)
      return;
    if (isInStructuredBody(op)) {
      // Rewrites that copy all attributes bring markers here as well.
      for (StringRef name :
           {FuseDialect::kMustFuseAttrName, FuseDialect::kNeverFuseAttrName,
            FuseDialect::kTileAttrName, kF32ProductsAttrName})
        op->removeDiscardableAttr(name);
    } else {
      restore(op, collect(op->getLoc()));
      // A rewrite that gave no location: the identity of what stands before.
      if (IntegerAttr own =
              op->getAttrOfType<IntegerAttr>(FuseDialect::kOrdinalAttrName))
        previous = own;
      else if (carriesOrdinal(op))
        op->setAttr(FuseDialect::kOrdinalAttrName, previous);
    }
    strip.replaceElementsIn(op, /*replaceAttrs=*/false, /*replaceLocs=*/true,
                            /*replaceTypes=*/false);
  });
}
