// Kernels of different kinds and sizes to try cost models on.
#include "fuse-mlir/CostModel/Contract.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// Builds operators on tensors of f32 in a block.
class ProbeBuilder {
public:
  ProbeBuilder(MLIRContext *context, Block &block)
      : builder(context), loc(builder.getUnknownLoc()), block(block) {
    builder.setInsertionPointToEnd(&block);
  }

  Value addArgument(ArrayRef<int64_t> shape, Type element = {}) {
    Type type = element ? element : builder.getF32Type();
    return block.addArgument(RankedTensorType::get(shape, type), loc);
  }

  /// An operator of two loops `rows` and `columns`; `maps` are those of the
  /// inputs and of the result.
  Value addGeneric(ArrayRef<Value> inputs, Value init, ArrayRef<AffineMap> maps,
                   ArrayRef<utils::IteratorType> iterators,
                   function_ref<Value(OpBuilder &, ValueRange)> body) {
    auto op = linalg::GenericOp::create(
        builder, loc, init.getType(), inputs, init, maps, iterators,
        [&](OpBuilder &b, Location at, ValueRange arguments) {
          linalg::YieldOp::create(b, at, body(b, arguments));
        });
    return op.getResult(0);
  }

  Value addEmpty(ArrayRef<int64_t> shape, ValueRange sizes = {}) {
    return tensor::EmptyOp::create(builder, loc, shape, builder.getF32Type(),
                                   sizes);
  }

  Value addZeros(ArrayRef<int64_t> shape) {
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(0));
    return linalg::FillOp::create(builder, loc, zero, addEmpty(shape))
        .getResult(0);
  }

  AffineMap getMap(ArrayRef<unsigned> dims, unsigned count = 2) {
    SmallVector<AffineExpr> results;
    for (unsigned dim : dims)
      results.push_back(builder.getAffineDimExpr(dim));
    return AffineMap::get(count, 0, results, builder.getContext());
  }

  OpBuilder builder;
  Location loc;

private:
  Block &block;
};
} // namespace

static constexpr utils::IteratorType kParallel = utils::IteratorType::parallel;
static constexpr utils::IteratorType kReduction =
    utils::IteratorType::reduction;
static constexpr int64_t kColumns = 1024;

static Value addExp(ProbeBuilder &b, Value input, Value init) {
  AffineMap both = b.getMap({0, 1});
  return b.addGeneric({input}, init, {both, both}, {kParallel, kParallel},
                      [&](OpBuilder &body, ValueRange args) -> Value {
                        return math::ExpOp::create(body, b.loc, args[0]);
                      });
}

static Value addSum(ProbeBuilder &b, OpBuilder &body, Value left, Value right) {
  return arith::AddFOp::create(body, b.loc, left, right);
}

/// One element for each of `rows` x 1024.
static std::pair<SmallVector<Value>, Value> makePointwise(ProbeBuilder &b,
                                                          int64_t rows) {
  Value x = b.addArgument({rows, kColumns});
  return {{x}, addExp(b, x, b.addEmpty({rows, kColumns}))};
}

/// The same plus a value for each column.
static std::pair<SmallVector<Value>, Value> makeBroadcast(ProbeBuilder &b,
                                                          int64_t rows) {
  Value x = b.addArgument({rows, kColumns}), bias = b.addArgument({kColumns});
  Value exp = addExp(b, x, b.addEmpty({rows, kColumns}));
  AffineMap both = b.getMap({0, 1});
  Value sum = b.addGeneric({exp, bias}, b.addEmpty({rows, kColumns}),
                           {both, b.getMap({1}), both}, {kParallel, kParallel},
                           [&](OpBuilder &body, ValueRange args) {
                             return addSum(b, body, args[0], args[1]);
                           });
  return {{x, bias}, sum};
}

/// The sum of each row.
static std::pair<SmallVector<Value>, Value> makeRows(ProbeBuilder &b,
                                                     int64_t rows) {
  Value x = b.addArgument({rows, kColumns});
  Value sum = b.addGeneric(
      {x}, b.addZeros({rows}), {b.getMap({0, 1}), b.getMap({0})},
      {kParallel, kReduction}, [&](OpBuilder &body, ValueRange args) {
        return addSum(b, body, args[0], args[1]);
      });
  return {{x}, sum};
}

/// A product of matrices.
static std::pair<SmallVector<Value>, Value> makeMatmul(ProbeBuilder &b,
                                                       int64_t rows) {
  Value x = b.addArgument({rows, kColumns});
  Value w = b.addArgument({kColumns, kColumns});
  Value product = linalg::MatmulOp::create(b.builder, b.loc, ValueRange{x, w},
                                           b.addZeros({rows, kColumns}))
                      .getResult(0);
  return {{x, w}, product};
}

/// Rows of a table, picked by number.
static std::pair<SmallVector<Value>, Value> makeGather(ProbeBuilder &b,
                                                       int64_t rows) {
  Value table = b.addArgument({50000, kColumns});
  Value picks = b.addArgument({rows}, b.builder.getI64Type());
  Value gathered = b.addGeneric(
      {picks}, b.addEmpty({rows, kColumns}), {b.getMap({0}), b.getMap({0, 1})},
      {kParallel, kParallel}, [&](OpBuilder &body, ValueRange args) -> Value {
        Value row = arith::IndexCastOp::create(body, b.loc, body.getIndexType(),
                                               args[0]);
        Value column = linalg::IndexOp::create(body, b.loc, 1);
        return tensor::ExtractOp::create(body, b.loc, table,
                                         ValueRange{row, column});
      });
  return {{table, picks}, gathered};
}

/// As many rows as the program is given.
static std::pair<SmallVector<Value>, Value> makeDynamic(ProbeBuilder &b,
                                                        int64_t) {
  Value x = b.addArgument({ShapedType::kDynamic, kColumns});
  Value rows = tensor::DimOp::create(b.builder, b.loc, x, 0);
  return {{x},
          addExp(b, x, b.addEmpty({ShapedType::kDynamic, kColumns}, rows))};
}

void ContractProbes::add(std::string name, unsigned family,
                         ArrayRef<Value> arguments, Value output) {
  Storage &s = *storage.emplace_back(std::make_unique<Storage>());
  // What was built since the last kernel.
  size_t known = 0;
  for (const std::unique_ptr<Storage> &other : storage)
    known += other->ops.size();
  for (Operation &op : llvm::drop_begin(block, known))
    s.ops.push_back(&op);
  s.inputs.append(arguments.begin(), arguments.end());
  s.outputs.push_back(output);
  FailureOr<GroupShape> shape = analyzeGroup(s.ops, s.outputs);
  if (succeeded(shape))
    s.shape = std::move(*shape);
  probes.push_back(
      {std::move(name),
       family,
       {s.ops, s.inputs, s.outputs, s.shape ? &*s.shape : nullptr}});
}

ContractProbes::ContractProbes(MLIRContext *context) {
  context->loadDialect<arith::ArithDialect, linalg::LinalgDialect,
                       math::MathDialect, tensor::TensorDialect>();
  using Maker =
      std::pair<SmallVector<Value>, Value> (*)(ProbeBuilder &, int64_t);
  std::pair<StringRef, Maker> families[] = {
      {"pointwise", makePointwise}, {"broadcast", makeBroadcast},
      {"rows", makeRows},           {"matmul", makeMatmul},
      {"gather", makeGather},       {"dynamic", makeDynamic}};
  ProbeBuilder builder(context, block);
  for (auto [number, family] : llvm::enumerate(families)) {
    auto [name, make] = family;
    if (make == makeDynamic) {
      auto [arguments, output] = make(builder, 0);
      add(name.str(), unsigned(number), arguments, output);
      continue;
    }
    for (int64_t rows : {1, 8, 100, 512, 4096, 5000, 32768}) {
      auto [arguments, output] = make(builder, rows);
      add((name + " " + Twine(rows)).str(), unsigned(number), arguments,
          output);
    }
  }
}
