// Kernels made of text, for tests of the cost model's quantities.
#ifndef FUSE_MLIR_TEST_UNIT_COSTMODEL_QUANTITYTEST_H
#define FUSE_MLIR_TEST_UNIT_COSTMODEL_QUANTITYTEST_H

#include "fuse-mlir/CostModel/KernelCounts.h"

#include "fuse-mlir/InitAll.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

namespace mlir::fuse {
/// One generic operator of the function `f` as a kernel.
class QuantityTest : public ::testing::Test {
protected:
  QuantityTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    registerAllExtensions(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// A copy of 64 x 1024 f32 elements that reads `type` through `map`.
  KernelView makeCopy(StringRef map, StringRef type, StringRef body = "") {
    std::string text =
        "func.func @f(%x: " + type.str() +
        ") -> tensor<64x1024xf32> {\n"
        "  %e = tensor.empty() : tensor<64x1024xf32>\n"
        "  %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> " +
        map.str() +
        ">, affine_map<(i, j) -> (i, j)>], iterator_types = [\"parallel\", "
        "\"parallel\"]} ins(%x : " +
        type.str() +
        ") outs(%e : tensor<64x1024xf32>) {\n  ^bb0(%in: f32, %out: f32):\n" +
        (body.empty() ? "    linalg.yield %in : f32\n" : body.str()) +
        "  } -> tensor<64x1024xf32>\n  return %a : tensor<64x1024xf32>\n}";
    return parseKernel(text);
  }

  /// The only function of `text`, and its operators.
  void parseFunction(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    auto function = *module->getOps<func::FuncOp>().begin();
    ops.clear();
    for (Operation &op : function.getBody().front().without_terminator())
      ops.push_back(&op);
    inputs.assign(function.getArguments().begin(),
                  function.getArguments().end());
  }

  KernelView parseKernel(StringRef text) {
    parseFunction(text);
    outputs.assign({ops.back()->getResult(0)});
    shape = *analyzeGroup(ops, outputs);
    return {ops, inputs, outputs, &shape};
  }

  /// `x`, of 64 x 64 elements, times a matrix of that size and one of `second`.
  KernelView parseProducts(StringRef second) {
    std::string type = "tensor<" + second.str() + "xf32>";
    parseFunction(R"(
      func.func @f(%x: tensor<64x64xf32>, %a: tensor<64x64xf32>, %b: )" +
                  type + ") -> " + type + R"( {
        %z = arith.constant 0.0 : f32
        %e = tensor.empty() : tensor<64x64xf32>
        %i = linalg.fill ins(%z : f32) outs(%e : tensor<64x64xf32>)
          -> tensor<64x64xf32>
        %p = linalg.matmul {fuse.tile = #fuse.tile<rows = 64, columns = 64,
            depth = 32, row_warps = 2, column_warps = 2, stages = 2, group = 1,
            parts = 1, unit = fma, async = true>}
          ins(%x, %a : tensor<64x64xf32>, tensor<64x64xf32>)
          outs(%i : tensor<64x64xf32>) -> tensor<64x64xf32>
        %f = tensor.empty() : )" +
                  type + R"(
        %j = linalg.fill ins(%z : f32) outs(%f : )" +
                  type + ") -> " + type + R"(
        %q = linalg.matmul ins(%x, %b : tensor<64x64xf32>, )" +
                  type + ") outs(%j : " + type + ") -> " + type + R"(
        return %q : )" +
                  type + "\n}");
    outputs = {ops[3]->getResult(0), ops.back()->getResult(0)};
    shape = *analyzeGroup(ops, outputs);
    return {ops, inputs, outputs, &shape};
  }

  static constexpr int64_t kTensor = 64 * 1024 * 4;
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  SmallVector<Operation *> ops;
  SmallVector<Value> inputs, outputs;
  GroupShape shape;
  AnalyticCostModel model;
  DeviceInfo device;
};
} // namespace mlir::fuse

#endif // FUSE_MLIR_TEST_UNIT_COSTMODEL_QUANTITYTEST_H
