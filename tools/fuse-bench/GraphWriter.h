// A small builder of linalg programs as text, for made graphs.
#ifndef FUSE_MLIR_TOOLS_FUSE_BENCH_GRAPHWRITER_H
#define FUSE_MLIR_TOOLS_FUSE_BENCH_GRAPHWRITER_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace mlir::fuse::bench {

/// A function in the making. Values are names such as `%v3`.
class GraphWriter {
public:
  using Shape = SmallVector<int64_t, 4>;
  struct Tensor {
    std::string name;
    Shape shape;
  };

  Tensor addArgument(Shape shape) {
    Tensor value{"%a" + std::to_string(arguments.size()), shape};
    arguments.push_back(value);
    return value;
  }

  /// An element-wise operator of the first operand's shape. Operands with fewer
  /// dimensions are broadcast: along the columns if they have the size of the
  /// rows, otherwise along the rows. `body` computes %r of %x0, %x1, ….
  Tensor map(ArrayRef<Tensor> operands, StringRef body) {
    const Shape &shape = operands.front().shape;
    return generic(operands, shape, shape, body);
  }
  /// A sum over the last dimension.
  Tensor sumRows(const Tensor &operand) {
    Shape shape = operand.shape;
    shape.pop_back();
    return generic(operand, operand.shape, shape,
                   "%r = arith.addf %x0, %o : f32", /*reduces=*/true);
  }
  /// A maximum over the last dimension.
  Tensor maxRows(const Tensor &operand) {
    Shape shape = operand.shape;
    shape.pop_back();
    return generic(operand, operand.shape, shape,
                   "%r = arith.maximumf %x0, %o : f32", /*reduces=*/true);
  }
  Tensor matmul(const Tensor &a, const Tensor &b) {
    Shape shape{a.shape[0], b.shape[1]};
    std::string init = fill(shape);
    Tensor result = add(shape);
    os << "  " << result.name << " = linalg.matmul ins(" << a.name << ", "
       << b.name << " : " << type(a.shape) << ", " << type(b.shape) << ") outs("
       << init << " : " << type(shape) << ") -> " << type(shape) << "\n";
    return result;
  }
  Tensor transpose(const Tensor &a) {
    Shape shape{a.shape[1], a.shape[0]};
    std::string init = empty(shape);
    Tensor result = add(shape);
    os << "  " << result.name << " = linalg.transpose ins(" << a.name << " : "
       << type(a.shape) << ") outs(" << init << " : " << type(shape)
       << ") permutation = [1, 0]\n";
    return result;
  }

  int64_t getOps() const { return ops; }
  std::string finish(ArrayRef<Tensor> results) {
    std::string text = "func.func @main(";
    llvm::raw_string_ostream out(text);
    llvm::interleaveComma(arguments, out, [&](const Tensor &value) {
      out << value.name << ": " << type(value.shape);
    });
    out << ") -> (";
    llvm::interleaveComma(
        results, out, [&](const Tensor &value) { out << type(value.shape); });
    out << ") {\n  %zero = arith.constant 0.0 : f32\n" << body << "  return ";
    llvm::interleaveComma(results, out,
                          [&](const Tensor &value) { out << value.name; });
    out << " : ";
    llvm::interleaveComma(
        results, out, [&](const Tensor &value) { out << type(value.shape); });
    out << "\n}\n";
    return text;
  }

private:
  static std::string type(const Shape &shape) {
    std::string text = "tensor<";
    for (int64_t size : shape)
      text += std::to_string(size) + "x";
    return text + "f32>";
  }
  Tensor add(const Shape &shape) {
    ++ops;
    return {"%v" + std::to_string(ops), shape};
  }
  std::string empty(const Shape &shape) {
    std::string name = "%e" + std::to_string(inits++);
    os << "  " << name << " = tensor.empty() : " << type(shape) << "\n";
    return name;
  }
  std::string fill(const Shape &shape) {
    std::string init = empty(shape), name = "%f" + std::to_string(inits++);
    os << "  " << name << " = linalg.fill ins(%zero : f32) outs(" << init
       << " : " << type(shape) << ") -> " << type(shape) << "\n";
    return name;
  }
  /// The map from the loops to a tensor that may lack the rows or the columns.
  static std::string mapTo(const Shape &loops, const Shape &shape) {
    std::string dims;
    for (size_t i = 0; i < loops.size(); ++i)
      dims += (i ? ", d" : "d") + std::to_string(i);
    std::string read = dims;
    if (shape.size() < loops.size())
      read = shape.front() == loops.front() ? "d0" : "d1";
    return "affine_map<(" + dims + ") -> (" + read + ")>";
  }
  Tensor generic(ArrayRef<Tensor> operands, const Shape &loops,
                 const Shape &shape, StringRef body, bool reduces = false) {
    std::string init = reduces ? fill(shape) : empty(shape);
    Tensor result = add(shape);
    os << "  " << result.name << " = linalg.generic {indexing_maps = [";
    for (const Tensor &operand : operands)
      os << mapTo(loops, operand.shape) << ", ";
    os << mapTo(loops, shape) << "], iterator_types = [";
    for (size_t i = 0; i < loops.size(); ++i)
      os << (i ? ", " : "")
         << (reduces && i + 1 == loops.size() ? "\"reduction\""
                                              : "\"parallel\"");
    os << "]} ins(";
    llvm::interleaveComma(operands, os,
                          [&](const Tensor &value) { os << value.name; });
    os << " : ";
    llvm::interleaveComma(
        operands, os, [&](const Tensor &value) { os << type(value.shape); });
    os << ") outs(" << init << " : " << type(shape) << ") {\n  ^bb0(";
    for (size_t i = 0; i < operands.size(); ++i)
      os << "%x" << i << ": f32, ";
    os << "%o: f32):\n    " << body << "\n    linalg.yield %r : f32\n  } -> "
       << type(shape) << "\n";
    return result;
  }

  std::vector<Tensor> arguments;
  std::string body;
  llvm::raw_string_ostream os{body};
  int64_t ops = 0, inits = 0;
};

// Bodies of element-wise operators.
inline constexpr char kAdd[] = "%r = arith.addf %x0, %x1 : f32";
inline constexpr char kMultiply[] = "%r = arith.mulf %x0, %x1 : f32";
inline constexpr char kSubtract[] = "%r = arith.subf %x0, %x1 : f32";
inline constexpr char kDivide[] = "%r = arith.divf %x0, %x1 : f32";
inline constexpr char kExp[] = "%r = math.exp %x0 : f32";
inline constexpr char kTanh[] = "%r = math.tanh %x0 : f32";

/// (x - mean) / deviation * gain, with a factor for the width.
GraphWriter::Tensor normalize(GraphWriter &writer, const GraphWriter::Tensor &x,
                              const GraphWriter::Tensor &gain);

} // namespace mlir::fuse::bench

#endif // FUSE_MLIR_TOOLS_FUSE_BENCH_GRAPHWRITER_H
