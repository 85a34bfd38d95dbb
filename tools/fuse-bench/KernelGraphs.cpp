// Writes the graphs of the suite `kernels`; see KernelGraphs.h.
#include "KernelGraphs.h"
#include "GraphText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::fuse::bench;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

static constexpr StringRef kSum = "%r = arith.addf %x0, %o0 : f32";

static std::string writeSoftmax(GraphText &w, Extent kept) {
  TextTensor x = w.addArgument(Extent::Full);
  TextTensor largest =
      w.reduce(x, kept, "0xFF800000", "%r = arith.maximumf %x0, %o0 : f32");
  TextTensor total = w.reduce({x, largest}, kept, "0.0",
                              "%d = arith.subf %x0, %x1 : f32\n"
                              "%e = math.exp %d : f32\n"
                              "%r = arith.addf %e, %o0 : f32");
  return w.finish(w.map({x, largest, total}, "%d = arith.subf %x0, %x1 : f32\n"
                                             "%e = math.exp %d : f32\n"
                                             "%r = arith.divf %e, %x2 : f32"));
}

static std::string writeLayerNorm(GraphText &w) {
  TextTensor x = w.addArgument(Extent::Full),
             scale = w.addArgument(Extent::Column),
             shift = w.addArgument(Extent::Column);
  std::string count = w.count();
  TextTensor sum = w.reduce(x, Extent::Row, "0.0", kSum);
  TextTensor squares = w.reduce({x, sum}, Extent::Row, "0.0",
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

static std::string writeRmsNorm(GraphText &w) {
  TextTensor x = w.addArgument(Extent::Full),
             scale = w.addArgument(Extent::Column);
  std::string count = w.count();
  TextTensor squares = w.reduce(x, Extent::Row, "0.0",
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

static std::string writeArgmax(GraphText &w) {
  TextTensor x = w.addArgument(Extent::Full);
  return w.finish(
      w.generic(x, {{"", Extent::Row, "f32"}, {"", Extent::Row, "i32"}},
                {"0xFF800000", "0"},
                "%k = linalg.index 1 : index\n"
                "%p = arith.index_cast %k : index to i32\n"
                "%c = arith.cmpf ogt, %x0, %o0 : f32\n"
                "%r0 = arith.select %c, %x0, %o0 : f32\n"
                "%r1 = arith.select %c, %p, %o1 : i32"));
}

static std::string writeWelford(GraphText &w) {
  TextTensor x = w.addArgument(Extent::Full);
  return w.finish(w.generic(x,
                            {{"", Extent::Row, "f32"},
                             {"", Extent::Row, "f32"},
                             {"", Extent::Row, "f32"}},
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

static std::string writeSums(GraphText &w, ArrayRef<Extent> kept) {
  TextTensor x = w.addArgument(Extent::Full);
  SmallVector<TextTensor> sums;
  for (Extent kind : kept)
    sums.push_back(w.reduce(x, kind, "0.0", kSum));
  return w.finish(sums);
}

static std::string writeAdd(GraphText &w) {
  TextTensor a = w.addArgument(Extent::Full), b = w.addArgument(Extent::Full);
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
  GraphText w(graph);
  StringRef kind = graph.kind;
  if (kind == "add")
    return writeAdd(w);
  if (kind == "softmax")
    return writeSoftmax(w, Extent::Row);
  if (kind == "softmax-outer")
    return writeSoftmax(w, Extent::Column);
  if (kind == "layernorm")
    return writeLayerNorm(w);
  if (kind == "rmsnorm")
    return writeRmsNorm(w);
  if (kind == "rowsum")
    return writeSums(w, Extent::Row);
  if (kind == "colsum")
    return writeSums(w, Extent::Column);
  if (kind == "sums")
    return writeSums(w, {Extent::Row, Extent::Column});
  if (kind == "argmax")
    return writeArgmax(w);
  if (kind == "welford")
    return writeWelford(w);
  if (kind == "maxpool")
    return writePool(graph);
  return writeFusedGraph(graph);
}

std::string fuse::bench::allowApproximations(StringRef text) {
  static constexpr StringLiteral names[] = {
      "arith.addf", "arith.subf", "arith.mulf", "arith.divf", "math.exp",
      "math.log",   "math.sqrt",  "math.rsqrt", "math.erf",   "math.tanh"};
  std::string result;
  for (StringRef line : llvm::split(text, '\n')) {
    StringRef name = line.split(" = ").second.split(' ').first;
    auto [operands, type] = line.rsplit(" : ");
    bool isFloat = llvm::is_contained(names, name);
    result +=
        isFloat
            ? (operands + " fastmath<contract,arcp,afn> : " + type + "\n").str()
            : (line + "\n").str();
  }
  return result;
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

std::vector<KernelGraph> fuse::bench::getMachineGraphs() {
  std::vector<KernelGraph> graphs;
  auto add = [&](StringRef kind, int64_t columns, double bestPeer,
                 StringRef element = "f32", int64_t rows = 4096) {
    graphs.push_back({kind.str(), rows, columns, element.str(), 0, bestPeer});
  };
  add("softmax", 1024, 17);
  add("softmax", 4096, 19);
  add("softmax", 32768, 30);
  add("layernorm", 1024, 8.3);
  add("layernorm", 1024, 12.8, "bf16");
  add("layernorm", 4096, 10);
  add("layernorm", 32768, 18);
  add("rmsnorm", 1024, 8.9, "bf16");
  add("rmsnorm", 4096, 7.5, "bf16");
  add("rmsnorm", 32768, 11, "bf16");
  add("residual-norm", 1024, 10);
  add("gelu-gate", 1024, 36);
  add("gelu-gate", 1024, 39, "bf16");
  add("silu-gate", 1024, 21);
  add("silu-gate", 1024, 24, "bf16");
  add("add", 1024, 3.5);
  add("add", 1024, 2.6, "bf16");
  add("transpose-add", 1024, 10);
  add("transpose-add", 1024, 6, "bf16");
  add("rowsum", 4096, 4.5);
  add("colsum", 1024, 1.9);
  add("sums", 1024, 6.2);
  add("cross-entropy", 32000, 25, "f32", 1024);
  add("adam", 1024, 30);
  add("rope", 64, 37);
  add("concat", 1536, 26);
  add("norm-gradients", 1024, 43);
  return graphs;
}
