// fuse-classify-ops: writes the class of each operator and the reason for it.
#include "fuse-mlir/Transforms/Passes.h"

#include "fuse-mlir/Analysis/OpClassification.h"
#include "fuse-mlir/Analysis/OpKinds.h"
#include "fuse-mlir/IR/FuseOps.h"
#include "fuse-mlir/Transforms/Functions.h"
#include "fuse-mlir/Transforms/MarkerTags.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Remarks.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_CLASSIFYOPSPASS
#include "fuse-mlir/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// Classes of operators. Maps, iterators and bodies say all about a linalg
/// operator that does not speak for itself: one of a kind is looked at.
class Classes {
public:
  explicit Classes(MLIRContext *context)
      : name(StringAttr::get(context, FuseDialect::kClassAttrName)) {}

  ClassAttr get(Operation *op) {
    if (!isa<linalg::LinalgOp>(op) || isa<FusableOpInterface>(op) ||
        op->hasAttr(name))
      return find(op);
    unsigned kind = kinds.get(op);
    if (kind == ofKind.size())
      ofKind.push_back(find(op));
    return ofKind[kind];
  }
  /// Adds the class to the attributes of `op`; most operators have the same
  /// ones.
  void set(Operation *op, ClassAttr own) {
    DictionaryAttr before = op->getDiscardableAttrDictionary();
    DictionaryAttr &after = attributes[{before, own}];
    if (!after) {
      NamedAttrList list(before);
      list.set(name, own);
      after = list.getDictionary(op->getContext());
    }
    op->setDiscardableAttrs(after);
  }

private:
  static ClassAttr find(Operation *op) {
    std::string reason;
    OpClass opClass = classify(op, reason);
    return ClassAttr::get(op->getContext(), opClass, reason);
  }

  StringAttr name;
  OpKinds kinds{FuseDialect::kClassAttrName};
  std::vector<ClassAttr> ofKind;
  llvm::DenseMap<std::pair<Attribute, Attribute>, DictionaryAttr> attributes;
};

struct ClassifyOps : fuse::impl::ClassifyOpsPassBase<ClassifyOps> {
  using ClassifyOpsPassBase::ClassifyOpsPassBase;
  void runOnOperation() override;

private:
  void classifyOp(Operation *op, Classes &classes, StringRef function);
};
} // namespace

void ClassifyOps::classifyOp(Operation *op, Classes &classes,
                             StringRef function) {
  ClassAttr own = classes.get(op);
  classes.set(op, own);
  StringRef opClass = stringifyOpClass(own.getValue());
  StringRef reason = own.getReason();
  remark::analysis(op->getLoc(), remark::RemarkOpts::name("OpClass")
                                     .category("fuse-classify-ops")
                                     .function(function))
      << remark::metric("op", op->getName().getStringRef())
      << remark::metric("class", opClass) << remark::reason("{0}", reason);
  if (print)
    llvm::outs() << function << ": " << op->getName() << ": " << opClass << ", "
                 << reason << "\n";
}

void ClassifyOps::runOnOperation() {
  Classes classes(&getContext());
  for (FunctionOpInterface function : collectFunctions(getOperation())) {
    StringRef name = function.getName();
    function->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op == function.getOperation())
        return WalkResult::advance();
      if (op->hasTrait<OpTrait::IsTerminator>())
        return WalkResult::advance();
      if (isInStructuredBody(op))
        return WalkResult::skip();
      classifyOp(op, classes, name);
      return WalkResult::advance();
    });
  }
}
