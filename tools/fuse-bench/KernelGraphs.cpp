// Writes the graphs of the suite `kernels`; see KernelGraphs.h.
#include "KernelGraphs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::fuse::bench;
using llvm::formatv;

namespace {
/// Tensors of the space, of its rows, and of its columns.
enum class Kind { Full, Row, Column };

struct Tensor {
  std::string name;
  Kind kind = Kind::Full;
  std::string element;
};

/// A function in the making. Bodies see the elements of the operands as %x0,
/// %x1, … in f32 and give %r.
class Writer {
public:
  explicit Writer(const KernelGraph &graph) : graph(graph) {}

  Tensor addArgument(Kind kind) {
    arguments.push_back(
        {"%a" + std::to_string(arguments.size()), kind, graph.element});
    return arguments.back();
  }
  Tensor map(ArrayRef<Tensor> operands, StringRef body) {
    return generic(operands, {{"", Kind::Full, graph.element}}, {}, body)[0];
  }
  /// Reduces to one value for each row or column; `init` and the other operand
  /// %o0 are in f32.
  Tensor reduce(ArrayRef<Tensor> operands, Kind kept, StringRef init,
                StringRef body) {
    return generic(operands, {{"", kept, "f32"}}, {init.str()}, body)[0];
  }
  /// Several results, each with an initial value; the body yields %r0, %r1, ….
  SmallVector<Tensor> generic(ArrayRef<Tensor> operands,
                              SmallVector<Tensor> results,
                              ArrayRef<std::string> inits, StringRef body);
  std::string finish(ArrayRef<Tensor> results);
  /// `count` as a constant %n of f32 in front of what follows.
  std::string count() const {
    return formatv("%n = arith.constant {0}.0 : f32\n", graph.columns).str();
  }

private:
  std::string type(const Tensor &tensor) const {
    std::string sizes =
        std::to_string(graph.rows) + "x" + std::to_string(graph.columns);
    if (tensor.kind != Kind::Full)
      sizes =
          std::to_string(tensor.kind == Kind::Row ? graph.rows : graph.columns);
    return "tensor<" + sizes + "x" + tensor.element + ">";
  }
  static StringRef getMap(Kind kind) {
    return kind == Kind::Full  ? "affine_map<(i, j) -> (i, j)>"
           : kind == Kind::Row ? "affine_map<(i, j) -> (i)>"
                               : "affine_map<(i, j) -> (j)>";
  }
  std::string fresh() { return "%v" + std::to_string(names++); }
  std::string joinTypes(ArrayRef<Tensor> tensors) const {
    return llvm::join(
        llvm::map_range(tensors, [&](const Tensor &t) { return type(t); }),
        ", ");
  }

  const KernelGraph &graph;
  SmallVector<Tensor> arguments;
  std::string text;
  unsigned names = 0;
};
} // namespace

SmallVector<Tensor> Writer::generic(ArrayRef<Tensor> operands,
                                    SmallVector<Tensor> results,
                                    ArrayRef<std::string> inits,
                                    StringRef body) {
  SmallVector<std::string> maps, names, parameters, yields, outs;
  std::string widen, narrow;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    maps.push_back(getMap(operand.kind).str());
    names.push_back(operand.name);
    bool narrowed = operand.element != "f32";
    parameters.push_back(
        formatv(narrowed ? "%s{0}: {1}" : "%x{0}: {1}", i, operand.element));
    if (narrowed)
      widen += formatv("%x{0} = arith.extf %s{0} : {1} to f32\n", i,
                       operand.element);
  }
  std::string name = fresh();
  for (auto [i, result] : llvm::enumerate(results)) {
    std::string init = fresh();
    text += formatv("{0} = tensor.empty() : {1}\n", init, type(result));
    if (!inits.empty()) {
      std::string value = fresh(), filled = fresh();
      text +=
          formatv("{0} = arith.constant {1} : {2}\n{3} = linalg.fill ins({0} "
                  ": {2}) outs({4} : {5}) -> {5}\n",
                  value, inits[i], result.element, filled, init, type(result));
      init = filled;
    }
    outs.push_back(init);
    maps.push_back(getMap(result.kind).str());
    parameters.push_back(formatv("%o{0}: {1}", i, result.element));
    std::string yielded =
        results.size() == 1 ? std::string("%r") : "%r" + std::to_string(i);
    if (result.element == "bf16" || result.element == "f16") {
      narrow += formatv("%y{0} = arith.truncf {1} : f32 to {2}\n", i, yielded,
                        result.element);
      yielded = "%y" + std::to_string(i);
    }
    yields.push_back(yielded);
    result.name = results.size() == 1 ? name : name + "#" + std::to_string(i);
  }
  Kind kept = results.front().kind;
  text += formatv(
      "{0} = linalg.generic {{indexing_maps = [{1}], iterator_types = "
      "[\"{2}\", "
      "\"{3}\"]} ins({4} : {5}) outs({6} : {7}) {{\n^bb0({8}):\n{9}{10}\n{11}",
      results.size() == 1 ? name : name + ":" + std::to_string(results.size()),
      llvm::join(maps, ", "), kept == Kind::Column ? "reduction" : "parallel",
      kept == Kind::Row ? "reduction" : "parallel", llvm::join(names, ", "),
      joinTypes(operands), llvm::join(outs, ", "), joinTypes(results),
      llvm::join(parameters, ", "), widen, body, narrow);
  text += formatv(
      "linalg.yield {0} : {1}\n} -> ({2})\n", llvm::join(yields, ", "),
      llvm::join(
          llvm::map_range(results, [](const Tensor &t) { return t.element; }),
          ", "),
      joinTypes(results));
  return results;
}

std::string Writer::finish(ArrayRef<Tensor> results) {
  SmallVector<std::string> parameters, names;
  for (const Tensor &argument : arguments)
    parameters.push_back(argument.name + ": " + type(argument));
  for (const Tensor &result : results)
    names.push_back(result.name);
  return formatv("func.func @main({0}) -> ({1}) {{\n{2}return {3} : {1}\n}\n",
                 llvm::join(parameters, ", "), joinTypes(results), text,
                 llvm::join(names, ", "))
      .str();
}

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

static constexpr StringRef kSum = "%r = arith.addf %x0, %o0 : f32";

static std::string writeSoftmax(Writer &w, Kind kept) {
  Tensor x = w.addArgument(Kind::Full);
  Tensor largest =
      w.reduce(x, kept, "0xFF800000", "%r = arith.maximumf %x0, %o0 : f32");
  Tensor total = w.reduce({x, largest}, kept, "0.0",
                          "%d = arith.subf %x0, %x1 : f32\n"
                          "%e = math.exp %d : f32\n"
                          "%r = arith.addf %e, %o0 : f32");
  return w.finish(w.map({x, largest, total}, "%d = arith.subf %x0, %x1 : f32\n"
                                             "%e = math.exp %d : f32\n"
                                             "%r = arith.divf %e, %x2 : f32"));
}

static std::string writeLayerNorm(Writer &w) {
  Tensor x = w.addArgument(Kind::Full), scale = w.addArgument(Kind::Column),
         shift = w.addArgument(Kind::Column);
  std::string count = w.count();
  Tensor sum = w.reduce(x, Kind::Row, "0.0", kSum);
  Tensor squares = w.reduce({x, sum}, Kind::Row, "0.0",
                            count + "%m = arith.divf %x1, %n : f32\n"
                                    "%d = arith.subf %x0, %m : f32\n"
                                    "%q = arith.mulf %d, %d : f32\n"
                                    "%r = arith.addf %q, %o0 : f32");
  return w.finish(w.map({x, sum, squares, scale, shift},
                        count + "%m = arith.divf %x1, %n : f32\n"
                                "%d = arith.subf %x0, %m : f32\n"
                                "%v = arith.divf %x2, %n : f32\n"
                                "%c = arith.constant 1.0e-05 : f32\n"
                                "%s = arith.addf %v, %c : f32\n"
                                "%i = math.rsqrt %s : f32\n"
                                "%h = arith.mulf %d, %i : f32\n"
                                "%g = arith.mulf %h, %x3 : f32\n"
                                "%r = arith.addf %g, %x4 : f32"));
}

static std::string writeRmsNorm(Writer &w) {
  Tensor x = w.addArgument(Kind::Full), scale = w.addArgument(Kind::Column);
  std::string count = w.count();
  Tensor squares = w.reduce(x, Kind::Row, "0.0",
                            "%q = arith.mulf %x0, %x0 : f32\n"
                            "%r = arith.addf %q, %o0 : f32");
  return w.finish(
      w.map({x, squares, scale}, count + "%v = arith.divf %x1, %n : f32\n"
                                         "%c = arith.constant 1.0e-05 : f32\n"
                                         "%s = arith.addf %v, %c : f32\n"
                                         "%i = math.rsqrt %s : f32\n"
                                         "%h = arith.mulf %x0, %i : f32\n"
                                         "%r = arith.mulf %h, %x2 : f32"));
}

static std::string writeArgmax(Writer &w) {
  Tensor x = w.addArgument(Kind::Full);
  return w.finish(w.generic(x, {{"", Kind::Row, "f32"}, {"", Kind::Row, "i32"}},
                            {"0xFF800000", "0"},
                            "%k = linalg.index 1 : index\n"
                            "%p = arith.index_cast %k : index to i32\n"
                            "%c = arith.cmpf ogt, %x0, %o0 : f32\n"
                            "%r0 = arith.select %c, %x0, %o0 : f32\n"
                            "%r1 = arith.select %c, %p, %o1 : i32"));
}

static std::string writeWelford(Writer &w) {
  Tensor x = w.addArgument(Kind::Full);
  return w.finish(w.generic(
      x,
      {{"", Kind::Row, "f32"}, {"", Kind::Row, "f32"}, {"", Kind::Row, "f32"}},
      {"0.0", "0.0", "0.0"},
      "%one = arith.constant 1.0 : f32\n"
      "%r0 = arith.addf %o0, %one : f32\n"
      "%d = arith.subf %x0, %o1 : f32\n"
      "%q = arith.divf %d, %r0 : f32\n"
      "%r1 = arith.addf %o1, %q : f32\n"
      "%e = arith.subf %x0, %r1 : f32\n"
      "%p = arith.mulf %d, %e : f32\n"
      "%r2 = arith.addf %o2, %p : f32"));
}

static std::string writeSums(Writer &w, ArrayRef<Kind> kept) {
  Tensor x = w.addArgument(Kind::Full);
  SmallVector<Tensor> sums;
  for (Kind kind : kept)
    sums.push_back(w.reduce(x, kind, "0.0", kSum));
  return w.finish(sums);
}

static std::string writeAdd(Writer &w) {
  Tensor a = w.addArgument(Kind::Full), b = w.addArgument(Kind::Full);
  return w.finish(w.map({a, b}, "%r = arith.addf %x0, %x1 : f32"));
}

/// Windows of 3 x 3, two apart, over an image of `rows` places and `columns`
/// channels.
static std::string writePool(const KernelGraph &graph) {
  int64_t side = 2;
  while ((side + 2) * (side + 2) <= graph.rows)
    side += 2;
  std::string x =
      formatv("tensor<1x{0}x{0}x{1}x{2}>", side, graph.columns, graph.element);
  std::string padded = formatv("tensor<1x{0}x{0}x{1}x{2}>", side + 2,
                               graph.columns, graph.element);
  std::string y = formatv("tensor<1x{0}x{0}x{1}x{2}>", side / 2, graph.columns,
                          graph.element);
  return formatv(R"(func.func @main(%x: {0}) -> {2} {{
%low = arith.constant -1.0e+30 : {3}
%p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {{
^bb0(%i: index, %j: index, %k: index, %l: index):
  tensor.yield %low : {3}
} : {0} to {1}
%w = tensor.empty() : tensor<3x3x{3}>
%e = tensor.empty() : {2}
%f = linalg.fill ins(%low : {3}) outs(%e : {2}) -> {2}
%r = linalg.pooling_nhwc_max {{strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%p, %w : {1}, tensor<3x3x{3}>) outs(%f : {2}) -> {2}
return %r : {2}
}
)",
                 x, padded, y, graph.element)
      .str();
}

ArrayRef<StringRef> fuse::bench::getKernelKinds() {
  static const StringRef kinds[] = {
      "add",     "softmax", "layernorm",     "rmsnorm", "rowsum", "argmax",
      "welford", "colsum",  "softmax-outer", "sums",    "maxpool"};
  return kinds;
}

std::optional<std::string>
fuse::bench::writeKernelGraph(const KernelGraph &graph) {
  Writer w(graph);
  StringRef kind = graph.kind;
  if (kind == "add")
    return writeAdd(w);
  if (kind == "softmax")
    return writeSoftmax(w, Kind::Row);
  if (kind == "softmax-outer")
    return writeSoftmax(w, Kind::Column);
  if (kind == "layernorm")
    return writeLayerNorm(w);
  if (kind == "rmsnorm")
    return writeRmsNorm(w);
  if (kind == "rowsum")
    return writeSums(w, Kind::Row);
  if (kind == "colsum")
    return writeSums(w, Kind::Column);
  if (kind == "sums")
    return writeSums(w, {Kind::Row, Kind::Column});
  if (kind == "argmax")
    return writeArgmax(w);
  if (kind == "welford")
    return writeWelford(w);
  if (kind == "maxpool")
    return writePool(graph);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

std::string KernelGraph::getName() const {
  return kind + "/" + std::to_string(rows) + "x" + std::to_string(columns) +
         "/" + element;
}

std::vector<KernelGraph> fuse::bench::getKernelGraphs() {
  // Few rows only where they are so long that many would take minutes.
  constexpr int64_t kElements = 1 << 20, kManyRows = 576, kLongRow = 8192;
  std::vector<KernelGraph> graphs;
  auto add = [&](StringRef kind, ArrayRef<int64_t> widths, double goal) {
    for (int64_t columns : widths)
      for (StringRef element : {"f32", "bf16"})
        graphs.push_back(
            {kind.str(),
             std::max<int64_t>(kElements / columns,
                               columns <= kLongRow ? kManyRows : 4),
             columns, element.str(), goal});
  };
  int64_t rows[] = {128, 1000, 4096, 32768, 131072};
  add("add", {1024}, 1.05);
  for (StringRef kind : {"softmax", "layernorm", "rmsnorm"})
    add(kind, rows, 1.05);
  for (StringRef kind : {"rowsum", "argmax"})
    add(kind, {16, 1000, 131072}, 1.05);
  add("welford", {1000, 32768}, 1.05);
  add("colsum", {64, 1024}, 1.10);
  add("softmax-outer", {1024}, 1.10);
  for (StringRef element : {"f32", "bf16"})
    graphs.push_back({"sums", 4096, 1024, element.str(), 1.10});
  // Each element lies in 2.25 windows on average; the others come from L1.
  add("maxpool", {64}, 2.3);
  return graphs;
}
