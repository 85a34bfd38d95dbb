// Writes the graphs of the suite `contractions`.
#include "ContractionGraphs.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse::bench;

using llvm::formatv;

/// Those of `rows` × `depth` by `depth` × `columns`.
static double countProducts(int64_t rows, int64_t columns, int64_t depth) {
  return double(llvm::divideCeil(rows, 16)) *
         double(llvm::divideCeil(columns, 8)) *
         double(llvm::divideCeil(depth, 16));
}

ContractionGraph fuse::bench::makeMatmul(int64_t rows, int64_t columns,
                                         int64_t depth, StringRef element,
                                         StringRef tile) {
  ContractionGraph graph;
  graph.element = element.str();
  graph.leastProducts = countProducts(rows, columns, depth);
  graph.name =
      formatv("matmul/{0}x{1}x{2}/{3}", rows, columns, depth, element).str();
  std::string x = formatv("tensor<{0}x{1}x{2}>", rows, depth, element).str();
  std::string w = formatv("tensor<{0}x{1}x{2}>", depth, columns, element).str();
  std::string y = formatv("tensor<{0}x{1}xf32>", rows, columns).str();
  std::string attribute =
      tile.empty() ? "" : ("{fuse.tile = " + tile + "} ").str();
  graph.text = formatv(R"(#id = affine_map<(i, j) -> (i, j)>
func.func @main(%x: {0}, %w: {1}) -> {2} {{
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : {2}
  %f = linalg.fill ins(%zero : f32) outs(%e : {2}) -> {2}
  %p = linalg.matmul {3}ins(%x, %w : {0}, {1}) outs(%f : {2}) -> {2}
  %s = linalg.generic {{indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel"]} ins(%p : {2}) outs(%e : {2}) {{
  ^bb0(%v: f32, %o: f32):
    %n = arith.negf %v : f32
    %g = math.exp %n : f32
    %d = arith.addf %g, %one : f32
    %r = arith.divf %v, %d : f32
    linalg.yield %r : f32
  } -> {2}
  return %s : {2}
}
)",
                       x, w, y, attribute)
                   .str();
  return graph;
}

/// A layer of a network for images, NCHW: padding that keeps the size, bias and
/// ReLU.
static ContractionGraph makeConvolution(StringRef name, int64_t images,
                                        int64_t channels, int64_t filters,
                                        int64_t size, int64_t window,
                                        int64_t stride, StringRef element) {
  bool isDepthwise = filters == 0;
  int64_t made = isDepthwise ? channels : filters;
  int64_t pad = window / 2;
  int64_t padded = size + 2 * pad, side = (padded - window) / stride + 1;
  ContractionGraph graph;
  graph.element = element.str();
  // As an implicit product; depthwise ones have one column.
  graph.leastProducts =
      countProducts(images * side * side * (isDepthwise ? channels : 1),
                    isDepthwise ? 1 : filters,
                    window * window * (isDepthwise ? 1 : channels));
  graph.name = ("conv/" + name + "/" + element).str();
  auto image = [&](int64_t channels, int64_t size, StringRef element) {
    return formatv("tensor<{0}x{1}x{2}x{2}x{3}>", images, channels, size,
                   element)
        .str();
  };
  std::string x = image(channels, size, element);
  std::string p = image(channels, padded, element);
  std::string y = image(made, side, "f32");
  std::string w =
      isDepthwise
          ? formatv("tensor<{0}x{1}x{1}x{2}>", channels, window, element).str()
          : formatv("tensor<{0}x{1}x{2}x{2}x{3}>", filters, channels, window,
                    element)
                .str();
  std::string b = formatv("tensor<{0}xf32>", made).str();
  StringRef op =
      isDepthwise ? "depthwise_conv_2d_nchw_chw" : "conv_2d_nchw_fchw";
  graph.text = formatv(R"(#id = affine_map<(i, j, k, l) -> (i, j, k, l)>
func.func @main(%x: {0}, %w: {1}, %b: {2}) -> {3} {{
  %none = arith.constant 0.0 : {4}
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, {5}, {5}] high[0, 0, {5}, {5}] {{
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %none : {4}
  } : {0} to {6}
  %e = tensor.empty() : {3}
  %f = linalg.fill ins(%zero : f32) outs(%e : {3}) -> {3}
  %c = linalg.{7} {{strides = dense<{8}> : tensor<2xi64>}
      ins(%p, %w : {6}, {1}) outs(%f : {3}) -> {3}
  %r = linalg.generic {{indexing_maps = [#id,
      affine_map<(i, j, k, l) -> (j)>, #id], iterator_types =
      ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c, %b : {3}, {2}) outs(%e : {3}) {{
  ^bb0(%v: f32, %u: f32, %o: f32):
    %0 = arith.addf %v, %u : f32
    %1 = arith.maximumf %0, %zero : f32
    linalg.yield %1 : f32
  } -> {3}
  return %r : {3}
}
)",
                       x, w, b, y, element, pad, p, op, stride)
                   .str();
  return graph;
}

/// Scores, scale, a causal mask if wanted, softmax, and values. The queries are
/// the last ones of the sequence that the keys are.
static ContractionGraph makeAttention(int64_t heads, int64_t queries,
                                      int64_t keys, int64_t size, bool isCausal,
                                      StringRef element) {
  ContractionGraph graph;
  graph.element = element.str();
  graph.name = formatv("attention/{0}x{1}x{2}x{3}{4}/{5}", heads, queries, keys,
                       size, isCausal ? "-causal" : "", element)
                   .str();
  graph.isUneven = isCausal;
  // Keys that one of 16 queries sees.
  for (int64_t first = 0; first < queries; first += 16) {
    int64_t last = std::min(first + 16, queries) - 1;
    int64_t seen = isCausal ? keys - queries + last + 1 : keys;
    graph.leastProducts += double(heads) * (countProducts(16, seen, size) +
                                            countProducts(16, size, seen));
  }
  auto tensor = [&](ArrayRef<int64_t> sizes, StringRef element) {
    std::string text = "tensor<";
    for (int64_t size : sizes)
      text += std::to_string(size) + "x";
    return text + element.str() + ">";
  };
  std::string q = tensor({heads, queries, size}, element);
  std::string k = tensor({heads, keys, size}, element);
  std::string s = tensor({heads, queries, keys}, "f32");
  std::string w = tensor({heads, queries, keys}, element);
  std::string r = tensor({heads, queries}, "f32");
  std::string y = tensor({heads, queries, size}, "f32");
  StringRef mask = isCausal ? R"(
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %l = arith.addi %i, %before : index
    %h = arith.cmpi sgt, %j, %l : index
    %m = arith.select %h, %low, %t : f32
    linalg.yield %m : f32)"
                            : R"(
    linalg.yield %t : f32)";
  graph.text = formatv(R"(#q = affine_map<(b, i, j, d) -> (b, i, d)>
#k = affine_map<(b, i, j, d) -> (b, j, d)>
#s = affine_map<(b, i, j, d) -> (b, i, j)>
#v = affine_map<(b, i, j, d) -> (b, d, j)>
#all = affine_map<(b, i, j) -> (b, i, j)>
#row = affine_map<(b, i, j) -> (b, i)>
func.func @main(%q: {0}, %k: {1}, %v: {1}) -> {0} {{
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %before = arith.constant {7} : index
  %es = tensor.empty() : {2}
  %fs = linalg.fill ins(%zero : f32) outs(%es : {2}) -> {2}
  %s = linalg.generic {{indexing_maps = [#q, #k, #s], iterator_types =
      ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : {0}, {1}) outs(%fs : {2}) {{
  ^bb0(%a: {6}, %b: {6}, %o: f32):
    %0 = arith.extf %a : {6} to f32
    %1 = arith.extf %b : {6} to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> {2}
  %x = linalg.generic {{indexing_maps = [#all, #all], iterator_types =
      ["parallel", "parallel", "parallel"]} ins(%s : {2}) outs(%es : {2}) {{
  ^bb0(%a: f32, %o: f32):
    %t = arith.mulf %a, %scale : f32{8}
  } -> {2}
  %er = tensor.empty() : {4}
  %fm = linalg.fill ins(%low : f32) outs(%er : {4}) -> {4}
  %m = linalg.generic {{indexing_maps = [#all, #row], iterator_types =
      ["parallel", "parallel", "reduction"]} ins(%x : {2}) outs(%fm : {4}) {{
  ^bb0(%a: f32, %o: f32):
    %0 = arith.maximumf %a, %o : f32
    linalg.yield %0 : f32
  } -> {4}
  %e = linalg.generic {{indexing_maps = [#all, #row, #all], iterator_types =
      ["parallel", "parallel", "parallel"]}
      ins(%x, %m : {2}, {4}) outs(%es : {2}) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> {2}
  %fl = linalg.fill ins(%zero : f32) outs(%er : {4}) -> {4}
  %l = linalg.generic {{indexing_maps = [#all, #row], iterator_types =
      ["parallel", "parallel", "reduction"]} ins(%e : {2}) outs(%fl : {4}) {{
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  } -> {4}
  %ew = tensor.empty() : {3}
  %w = linalg.generic {{indexing_maps = [#all, #row, #all], iterator_types =
      ["parallel", "parallel", "parallel"]}
      ins(%e, %l : {2}, {4}) outs(%ew : {3}) {{
  ^bb0(%a: f32, %b: f32, %o: {6}):
    %0 = arith.divf %a, %b : f32
    %1 = arith.truncf %0 : f32 to {6}
    linalg.yield %1 : {6}
  } -> {3}
  %ey = tensor.empty() : {5}
  %fy = linalg.fill ins(%zero : f32) outs(%ey : {5}) -> {5}
  %y = linalg.generic {{indexing_maps = [#q, #v, #s], iterator_types =
      ["parallel", "parallel", "parallel", "reduction"]}
      ins(%w, %v : {3}, {1}) outs(%fy : {5}) {{
  ^bb0(%a: {6}, %b: {6}, %o: f32):
    %0 = arith.extf %a : {6} to f32
    %1 = arith.extf %b : {6} to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> {5}
  %en = tensor.empty() : {0}
  %n = linalg.generic {{indexing_maps = [#all, #all], iterator_types =
      ["parallel", "parallel", "parallel"]} ins(%y : {5}) outs(%en : {0}) {{
  ^bb0(%a: f32, %o: {6}):
    %0 = arith.truncf %a : f32 to {6}
    linalg.yield %0 : {6}
  } -> {0}
  return %n : {0}
}
)",
                       q, k, s, w, r, y, element, keys - queries, mask)
                   .str();
  return graph;
}

std::vector<ContractionGraph> fuse::bench::getContractionGraphs() {
  std::vector<ContractionGraph> graphs;
  struct Size {
    int64_t rows, columns, depth;
  };
  // Large ones, a projection, few rows, one row, and ragged ones.
  for (Size size :
       {Size{4096, 4096, 4096}, Size{8192, 4096, 1024}, Size{512, 3072, 768},
        Size{17, 4096, 4096}, Size{1, 14336, 4096}, Size{1000, 1000, 500},
        Size{333, 517, 129}})
    graphs.push_back(makeMatmul(size.rows, size.columns, size.depth, "f16"));
  graphs.push_back(makeMatmul(512, 3072, 768, "f32"));
  graphs.push_back(makeMatmul(17, 4096, 4096, "f32"));
  // Layers of ResNet-50 and of MobileNetV2 (no filters: depthwise).
  auto add = [&](StringRef name, int64_t channels, int64_t filters,
                 int64_t size, int64_t window, int64_t stride) {
    graphs.push_back(makeConvolution(name, 1, channels, filters, size, window,
                                     stride, "f16"));
  };
  add("resnet50-stem", 3, 64, 224, 7, 2);
  add("resnet50-56-1x1", 64, 256, 56, 1, 1);
  add("resnet50-56-3x3", 64, 64, 56, 3, 1);
  add("resnet50-28-3x3", 128, 128, 28, 3, 1);
  add("resnet50-14-3x3", 256, 256, 14, 3, 1);
  add("resnet50-7-3x3", 512, 512, 7, 3, 1);
  add("mobilenetv2-112-depthwise", 32, 0, 112, 3, 1);
  add("mobilenetv2-56-depthwise", 144, 0, 56, 3, 2);
  add("mobilenetv2-14-depthwise", 384, 0, 14, 3, 1);
  add("mobilenetv2-14-1x1", 384, 96, 14, 1, 1);
  // Attentions, and one query with long keys (decoding).
  for (int64_t size : {64, 128}) {
    for (int64_t keys : {128, 1024, 4096, 16384})
      for (bool isCausal : {false, true})
        graphs.push_back(makeAttention(keys <= 1024 ? 8 : 1, keys, keys, size,
                                       isCausal, "f16"));
    graphs.push_back(makeAttention(32, 1, 4096, size, false, "f16"));
  }
  return graphs;
}
