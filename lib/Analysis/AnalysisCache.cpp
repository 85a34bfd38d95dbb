// Finds once what many groups of the same operators ask for.
#include "SpaceAnalysis.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::fuse;

size_t AnalysisCache::KeyHash::operator()(const Key &key) const {
  return llvm::xxh3_64bits(
      ArrayRef(reinterpret_cast<const uint8_t *>(key.data()),
               key.size() * sizeof(const void *)));
}

AnalysisCache::OpEntry &AnalysisCache::getEntry(Operation *op) {
  std::unique_ptr<OpEntry> &entry = entries[op];
  if (!entry)
    entry = std::make_unique<OpEntry>();
  return *entry;
}

/// What `slot` holds, found first if need be.
template <typename T, typename Find>
static T &getOrFind(std::optional<T> &slot, Find find) {
  if (!slot)
    slot.emplace(find());
  return *slot;
}

bool AnalysisCache::isElementComputable(Operation *op) {
  return getOrFind(getEntry(op).computable,
                   [&] { return fuse::isElementComputable(op); });
}

bool AnalysisCache::isRootOp(Operation *op) {
  return getOrFind(getEntry(op).root, [&] { return fuse::isRootOp(op); });
}

bool AnalysisCache::hasCombinablePartials(Operation *op) {
  return getOrFind(getEntry(op).combinable,
                   [&] { return fuse::hasCombinablePartials(op); });
}

bool AnalysisCache::isStatic(Operation *op) {
  return getOrFind(getEntry(op).isStatic,
                   [&] { return !hasDynamicSize(op); });
}

bool AnalysisCache::areStatic(ArrayRef<Operation *> ops) {
  return llvm::all_of(ops, [&](Operation *op) { return isStatic(op); });
}

TensorSizes AnalysisCache::getSizes(ArrayRef<Operation *> ops) {
  return areStatic(ops) ? TensorSizes() : TensorSizes(ops);
}

static RootSizes findRootSizes(linalg::LinalgOp op, const TensorSizes &sizes) {
  RootSizes root;
  root.loops = sizes.getLoops(op);
  root.rows = root.columns = getAffineConstantExpr(1, op->getContext());
  for (auto [i, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool parallel = kind == utils::IteratorType::parallel;
    (parallel ? root.parallel : root.reduction).push_back(i);
    AffineExpr &product = parallel ? root.rows : root.columns;
    product = sizes.multiply(product, root.loops[i]);
  }
  return root;
}

const RootSizes &AnalysisCache::getRootSizes(Operation *root,
                                             const TensorSizes &sizes) {
  auto find = [&] {
    return findRootSizes(cast<linalg::LinalgOp>(root), sizes);
  };
  if (!isStatic(root))
    return dynamicSizes = find();
  return getOrFind(getEntry(root).sizes, find);
}

const std::optional<ContractionShape> &
AnalysisCache::matchContraction(Operation *root, const TensorSizes &sizes) {
  auto find = [&] { return fuse::matchContraction(root, sizes); };
  if (!isStatic(root))
    return dynamicContraction = find();
  return getOrFind(getEntry(root).contraction, find);
}

AnalysisCache::Space &AnalysisCache::getSpace(ArrayRef<Operation *> ops,
                                              ArrayRef<Value> outputs,
                                              bool &added) {
  Key key;
  key.reserve(ops.size() + outputs.size() + 1);
  llvm::append_range(key, ops);
  key.push_back(nullptr);
  for (Value output : outputs)
    key.push_back(output.getAsOpaquePointer());
  auto [it, isNew] = spaces.try_emplace(std::move(key));
  added = isNew;
  return it->second;
}
