// Implementations of FusableOpInterface for operators of upstream's dialects
// that have no indexing maps, or whose name says more than these.
#include "fuse-mlir/Analysis/OpClassification.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// A class and reason that hold for every operator of a kind.
struct FixedClass {
  OpClass opClass;
  const char *reason;
};

constexpr FixedClass kView{OpClass::Movement,
                           "a view: elements keep their order"};
constexpr FixedClass kSlice{OpClass::Movement,
                            "takes elements at offsets and strides"};
constexpr FixedClass kInsert{OpClass::Movement,
                             "writes elements over part of a tensor"};
constexpr FixedClass kPad{OpClass::Movement,
                          "copies elements and puts a border around"};
constexpr FixedClass kConcat{OpClass::Movement,
                             "puts its operands one after the other"};
constexpr FixedClass kGather{OpClass::Movement,
                             "gathers elements by computed indices"};
constexpr FixedClass kScatter{OpClass::Movement,
                              "scatters elements to computed indices"};
constexpr FixedClass kElement{OpClass::Movement, "reads one element"};
constexpr FixedClass kFromElements{OpClass::Movement,
                                   "makes a tensor of scalars"};
constexpr FixedClass kEmpty{OpClass::Injective,
                            "no inputs: elements are not defined"};
constexpr FixedClass kSplat{OpClass::Injective,
                            "no inputs: filled with a scalar"};
constexpr FixedClass kGenerate{OpClass::Injective,
                               "no inputs: made of the loop indices"};
constexpr FixedClass kSize{OpClass::Injective,
                           "reads a size and no elements: host code"};
constexpr FixedClass kSoftmax{OpClass::Reduction,
                              "a maximum and a sum along its dimension"};
constexpr FixedClass kWinograd{OpClass::Contraction,
                               "products with a constant matrix for each tile"};

template <typename OpTy, const FixedClass &fixed>
struct FixedModel
    : public FusableOpInterface::ExternalModel<FixedModel<OpTy, fixed>, OpTy> {
  OpClass getFusionClass(Operation *, std::string &reason) const {
    reason = fixed.reason;
    return fixed.opClass;
  }
};

/// Named operators whose maps would say the same with more words. On buffers
/// the maps decide.
template <typename OpTy>
struct NamedMoveModel
    : public FusableOpInterface::ExternalModel<NamedMoveModel<OpTy>, OpTy> {
  OpClass getFusionClass(Operation *op, std::string &reason) const {
    OpTy move = cast<OpTy>(op);
    if (!cast<linalg::LinalgOp>(op).hasPureTensorSemantics())
      return *classifyByMaps(op, reason);
    if constexpr (std::is_same_v<OpTy, linalg::TransposeOp>) {
      reason = "permutes dimensions: " + join(move.getPermutation());
      return OpClass::Movement;
    } else {
      reason =
          "repeats its operand along dimensions " + join(move.getDimensions());
      return OpClass::Broadcast;
    }
  }

private:
  static std::string join(ArrayRef<int64_t> dims) {
    return "[" +
           llvm::join(
               llvm::map_range(dims,
                               [](int64_t dim) { return std::to_string(dim); }),
               ", ") +
           "]";
  }
};

template <const FixedClass &fixed, typename... OpTys>
void attach(MLIRContext &context) {
  (OpTys::template attachInterface<FixedModel<OpTys, fixed>>(context), ...);
}

} // namespace

void fuse::registerFusableOpExternalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *ctx, tensor::TensorDialect *) {
    using namespace tensor;
    attach<kView, CollapseShapeOp, ExpandShapeOp, ReshapeOp, CastOp, BitcastOp>(
        *ctx);
    attach<kSlice, ExtractSliceOp>(*ctx);
    attach<kInsert, InsertSliceOp, ParallelInsertSliceOp, InsertOp>(*ctx);
    attach<kPad, PadOp>(*ctx);
    attach<kConcat, ConcatOp>(*ctx);
    attach<kGather, GatherOp>(*ctx);
    attach<kScatter, ScatterOp>(*ctx);
    attach<kElement, ExtractOp>(*ctx);
    attach<kFromElements, FromElementsOp>(*ctx);
    attach<kEmpty, EmptyOp>(*ctx);
    attach<kSplat, SplatOp>(*ctx);
    attach<kGenerate, GenerateOp>(*ctx);
    attach<kSize, DimOp, RankOp>(*ctx);
  });
  registry.addExtension(+[](MLIRContext *ctx, linalg::LinalgDialect *) {
    using namespace linalg;
    attach<kSoftmax, SoftmaxOp>(*ctx);
    attach<kWinograd, WinogradFilterTransformOp, WinogradInputTransformOp,
           WinogradOutputTransformOp>(*ctx);
    attach<kPad, PackOp>(*ctx);
    attach<kSlice, UnPackOp>(*ctx);
    TransposeOp::attachInterface<NamedMoveModel<TransposeOp>>(*ctx);
    BroadcastOp::attachInterface<NamedMoveModel<BroadcastOp>>(*ctx);
  });
}
