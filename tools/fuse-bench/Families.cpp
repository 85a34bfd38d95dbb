// Writes graphs as text with a small builder of linalg operators.
#include "Families.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <random>

using namespace mlir;
using namespace mlir::fuse::bench;

namespace {
/// A function in the making. Values are names such as `%v3`.
class Writer {
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

using Tensor = Writer::Tensor;
} // namespace

static const char kAdd[] = "%r = arith.addf %x0, %x1 : f32";
static const char kMultiply[] = "%r = arith.mulf %x0, %x1 : f32";
static const char kSubtract[] = "%r = arith.subf %x0, %x1 : f32";
static const char kExp[] = "%r = math.exp %x0 : f32";
static const char kTanh[] = "%r = math.tanh %x0 : f32";
static const char kDivide[] = "%r = arith.divf %x0, %x1 : f32";

static std::string makeChain(int64_t ops) {
  const char *bodies[] = {
      "%c = arith.constant 1.25 : f32\n    %r = arith.mulf %x0, %c : f32",
      "%c = arith.constant 0.125 : f32\n    %r = arith.addf %x0, %c : f32",
      "%r = arith.negf %x0 : f32",
      "%c = arith.constant -64.0 : f32\n    %r = arith.maximumf %x0, %c : f32"};
  Writer writer;
  Tensor value = writer.addArgument({256, 512});
  for (int64_t i = 0; i < ops; ++i)
    value = writer.map(value, bodies[i % 4]);
  return writer.finish(value);
}

static std::string makeDag(int64_t ops) {
  constexpr size_t kWindow = 8;
  const char *bodies[] = {kAdd, kMultiply, kSubtract,
                          "%r = arith.maximumf %x0, %x1 : f32"};
  std::mt19937 random(1);
  Writer writer;
  struct Entry {
    Tensor value;
    bool used = false;
  };
  std::vector<Entry> window;
  for (size_t i = 0; i < kWindow; ++i)
    window.push_back({writer.addArgument({256, 512})});
  for (int64_t i = 0; i < ops; ++i) {
    // The oldest value leaves the window: it must have been used.
    Entry &first =
        window.front().used ? window[random() % kWindow] : window.front();
    Entry &second = window[random() % kWindow];
    first.used = second.used = true;
    Tensor value =
        writer.map({first.value, second.value}, bodies[random() % 4]);
    window.erase(window.begin());
    window.push_back({value});
  }
  std::vector<Tensor> results;
  for (const Entry &entry : window)
    if (!entry.used)
      results.push_back(entry.value);
  return writer.finish(results);
}

/// (x - mean) / deviation * gain, with a factor for the width.
static Tensor normalize(Writer &writer, const Tensor &x, const Tensor &gain) {
  Tensor mean = writer.sumRows(x);
  Tensor centred = writer.map(
      {x, mean}, "%c = arith.constant 1.0e-3 : f32\n    %m = arith.mulf %x1, "
                 "%c : f32\n    %r = arith.subf %x0, %m : f32");
  Tensor square = writer.map({centred, centred}, kMultiply);
  Tensor variance = writer.sumRows(square);
  Tensor scaled = writer.map(
      {centred, variance},
      "%c = arith.constant 1.0e-5 : f32\n    %m = arith.addf %x1, %c : f32\n"
      "    %s = math.rsqrt %m : f32\n    %r = arith.mulf %x0, %s : f32");
  return writer.map({scaled, gain}, kMultiply);
}

static std::string makeBlocks(int64_t ops) {
  Writer writer;
  Tensor value = writer.addArgument({256, 512});
  Tensor gain = writer.addArgument({512});
  while (writer.getOps() + 10 <= std::max<int64_t>(ops, 10)) {
    Tensor inner = normalize(writer, value, gain);
    inner = writer.map(inner, kTanh);
    inner = writer.map({inner, value}, kMultiply);
    inner = writer.map(inner, "%r = math.absf %x0 : f32");
    value = writer.map({inner, value}, kAdd);
  }
  return writer.finish(value);
}

static Tensor addBias(Writer &writer, const Tensor &x, int64_t width) {
  return writer.map({x, writer.addArgument({width})}, kAdd);
}

static Tensor attend(Writer &writer, const Tensor &x) {
  int64_t width = x.shape[1];
  auto project = [&] {
    return addBias(writer, writer.matmul(x, writer.addArgument({width, width})),
                   width);
  };
  Tensor q = project(), k = project(), v = project();
  Tensor scores = writer.matmul(q, writer.transpose(k));
  scores = writer.map(scores, "%c = arith.constant 0.125 : f32\n    %r = "
                              "arith.mulf %x0, %c : f32");
  scores = writer.map({scores, writer.maxRows(scores)}, kSubtract);
  scores = writer.map(scores, kExp);
  scores = writer.map({scores, writer.sumRows(scores)}, kDivide);
  return writer.matmul(scores, v);
}

static std::string makeTransformer(int64_t ops) {
  constexpr int64_t kRows = 512, kWidth = 768;
  Writer writer;
  Tensor value = writer.addArgument({kRows, kWidth});
  do {
    Tensor gain = writer.addArgument({kWidth});
    Tensor inner = attend(writer, normalize(writer, value, gain));
    inner = writer.matmul(inner, writer.addArgument({kWidth, kWidth}));
    value = writer.map({addBias(writer, inner, kWidth), value}, kAdd);
    inner = normalize(writer, value, gain);
    inner = writer.matmul(inner, writer.addArgument({kWidth, 4 * kWidth}));
    inner = addBias(writer, inner, 4 * kWidth);
    inner = writer.map({inner, writer.map(inner, kTanh)}, kMultiply);
    inner = writer.matmul(inner, writer.addArgument({4 * kWidth, kWidth}));
    value = writer.map({addBias(writer, inner, kWidth), value}, kAdd);
  } while (writer.getOps() < ops);
  return writer.finish(value);
}

static std::string makeOptimizer(int64_t ops) {
  const Writer::Shape shapes[] = {
      {768, 768}, {768}, {768, 3072}, {3072}, {3072, 768}};
  const char decay[] = "%c = arith.constant 0.9 : f32\n    %r = arith.mulf "
                       "%x0, %c : f32";
  Writer writer;
  std::vector<Tensor> results;
  for (size_t i = 0; writer.getOps() < ops; ++i) {
    const Writer::Shape &shape = shapes[i % std::size(shapes)];
    Tensor weight = writer.addArgument(shape);
    Tensor gradient = writer.addArgument(shape);
    Tensor first = writer.addArgument(shape);
    Tensor second = writer.addArgument(shape);
    first = writer.map({writer.map(first, decay), gradient}, kAdd);
    Tensor square = writer.map({gradient, gradient}, kMultiply);
    second = writer.map({writer.map(second, decay), square}, kAdd);
    Tensor root = writer.map(second, "%r = math.sqrt %x0 : f32");
    root = writer.map(root, "%c = arith.constant 1.0e-8 : f32\n    %r = "
                            "arith.addf %x0, %c : f32");
    Tensor step = writer.map({first, root}, kDivide);
    step = writer.map(step, "%c = arith.constant 1.0e-3 : f32\n    %r = "
                            "arith.mulf %x0, %c : f32");
    results.push_back(writer.map({weight, step}, kSubtract));
    results.push_back(first);
    results.push_back(second);
  }
  return writer.finish(results);
}

ArrayRef<Family> fuse::bench::getFamilies() {
  static const Family families[] = {{"chain", makeChain},
                                    {"dag", makeDag},
                                    {"blocks", makeBlocks},
                                    {"transformer", makeTransformer},
                                    {"optimizer", makeOptimizer}};
  return families;
}
