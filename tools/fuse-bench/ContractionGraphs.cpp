// Writes the graphs of the suite `contractions`.
#include "ContractionGraphs.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::fuse::bench;

using llvm::formatv;

ContractionGraph fuse::bench::makeMatmul(int64_t rows, int64_t columns,
                                         int64_t depth, StringRef element,
                                         StringRef tile) {
  ContractionGraph graph;
  graph.element = element.str();
  graph.rows = rows;
  graph.columns = columns;
  graph.depth = depth;
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
  graph.rows = images * side * side * (isDepthwise ? channels : 1);
  graph.columns = isDepthwise ? 1 : filters;
  graph.depth = window * window * (isDepthwise ? 1 : channels);
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
  StringRef op = isDepthwise ? "depthwise_conv_2d_nchw_chw" : "conv_2d_nchw_fchw";
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

std::vector<ContractionGraph> fuse::bench::getContractionGraphs() {
  std::vector<ContractionGraph> graphs;
  struct Size {
    int64_t rows, columns, depth;
  };
  // Large ones, a projection, few rows, one row, and ragged ones.
  for (Size size : {Size{4096, 4096, 4096}, Size{8192, 4096, 1024},
                    Size{512, 3072, 768}, Size{17, 4096, 4096},
                    Size{1, 14336, 4096}, Size{1000, 1000, 500},
                    Size{333, 517, 129}})
    graphs.push_back(
        makeMatmul(size.rows, size.columns, size.depth, "f16"));
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
  return graphs;
}
