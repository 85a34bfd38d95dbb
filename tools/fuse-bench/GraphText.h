// MLIR text of graphs over the elements of a space of rows and columns.
#ifndef FUSE_MLIR_TOOLS_FUSE_BENCH_GRAPHTEXT_H
#define FUSE_MLIR_TOOLS_FUSE_BENCH_GRAPHTEXT_H

#include "KernelGraphs.h"

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::fuse::bench {

/// Tensors of the space, of its rows, and of its columns.
enum class Extent { Full, Row, Column };

struct TextTensor {
  std::string name;
  Extent kind = Extent::Full;
  std::string element;
};

/// A function in the making. Bodies see the elements of the operands as %x0,
/// %x1, … in f32 and give %r.
class GraphText {
public:
  explicit GraphText(const KernelGraph &graph) : graph(graph) {}

  TextTensor addArgument(Extent kind) {
    arguments.push_back(
        {"%a" + std::to_string(arguments.size()), kind, graph.element});
    return arguments.back();
  }
  TextTensor map(ArrayRef<TextTensor> operands, StringRef body) {
    return generic(operands, {{"", Extent::Full, graph.element}}, {}, body)[0];
  }
  /// Reduces to one value for each row or column; `init` and the other operand
  /// %o0 are in f32.
  TextTensor reduce(ArrayRef<TextTensor> operands, Extent kept, StringRef init,
                    StringRef body) {
    return generic(operands, {{"", kept, "f32"}}, {init.str()}, body)[0];
  }
  /// Several results, each with an initial value; the body yields %r0, %r1, ….
  SmallVector<TextTensor> generic(ArrayRef<TextTensor> operands,
                                  SmallVector<TextTensor> results,
                                  ArrayRef<std::string> inits, StringRef body);
  std::string finish(ArrayRef<TextTensor> results);
  /// `count` as a constant %n of f32 in front of what follows.
  std::string count() const {
    return llvm::formatv("%n = arith.constant {0}.0 : f32\n", graph.columns)
        .str();
  }

private:
  std::string type(const TextTensor &tensor) const {
    std::string sizes =
        std::to_string(graph.rows) + "x" + std::to_string(graph.columns);
    if (tensor.kind != Extent::Full)
      sizes = std::to_string(tensor.kind == Extent::Row ? graph.rows
                                                        : graph.columns);
    return "tensor<" + sizes + "x" + tensor.element + ">";
  }
  static StringRef getMap(Extent kind) {
    return kind == Extent::Full  ? "affine_map<(i, j) -> (i, j)>"
           : kind == Extent::Row ? "affine_map<(i, j) -> (i)>"
                                 : "affine_map<(i, j) -> (j)>";
  }
  std::string fresh() { return "%v" + std::to_string(names++); }
  std::string joinTypes(ArrayRef<TextTensor> tensors) const {
    return llvm::join(
        llvm::map_range(tensors, [&](const TextTensor &t) { return type(t); }),
        ", ");
  }

  const KernelGraph &graph;
  SmallVector<TextTensor> arguments;
  std::string text;
  unsigned names = 0;
};

} // namespace mlir::fuse::bench

#endif // FUSE_MLIR_TOOLS_FUSE_BENCH_GRAPHTEXT_H
