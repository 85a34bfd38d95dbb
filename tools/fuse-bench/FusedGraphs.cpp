// Writes the graphs that other compilers' machine code was counted for; see
// KernelGraphs.h.
#include "GraphText.h"

using namespace mlir;
using namespace mlir::fuse::bench;
using llvm::formatv;

static constexpr StringRef kSum = "%r = arith.addf %x0, %o0 : f32";

static std::string writeGeluGate(GraphText &t) {
  TextTensor a = t.addArgument(Extent::Full), b = t.addArgument(Extent::Full);
  return t.finish(t.map({a, b}, "%root = arith.constant 0.707106769 : f32\n"
                                "%half = arith.constant 0.5 : f32\n"
                                "%one = arith.constant 1.0 : f32\n"
                                "%z = arith.mulf %x0, %root : f32\n"
                                "%e = math.erf %z : f32\n"
                                "%p = arith.addf %e, %one : f32\n"
                                "%h = arith.mulf %x0, %half : f32\n"
                                "%g = arith.mulf %h, %p : f32\n"
                                "%r = arith.mulf %g, %x1 : f32"));
}

static std::string writeSiluGate(GraphText &t) {
  TextTensor a = t.addArgument(Extent::Full), b = t.addArgument(Extent::Full);
  return t.finish(t.map({a, b}, "%one = arith.constant 1.0 : f32\n"
                                "%n = arith.negf %x0 : f32\n"
                                "%e = math.exp %n : f32\n"
                                "%p = arith.addf %e, %one : f32\n"
                                "%g = arith.divf %x0, %p : f32\n"
                                "%r = arith.mulf %g, %x1 : f32"));
}

/// The normalised rows of `x`.
static std::string getNormBody(GraphText &t) {
  return t.count() + "%m = arith.divf %x1, %n : f32\n"
                     "%d = arith.subf %x0, %m : f32\n"
                     "%v = arith.divf %x2, %n : f32\n"
                     "%c = arith.constant 1.0e-05 : f32\n"
                     "%s = arith.addf %v, %c : f32\n"
                     "%i = math.rsqrt %s : f32\n"
                     "%h = arith.mulf %d, %i : f32\n";
}

/// Sums and sums of squared distances from the mean.
static std::pair<TextTensor, TextTensor> writeMoments(GraphText &t,
                                                      const TextTensor &x) {
  TextTensor sum = t.reduce(x, Extent::Row, "0.0", kSum);
  TextTensor squares = t.reduce({x, sum}, Extent::Row, "0.0",
                                t.count() + "%m = arith.divf %x1, %n : f32\n"
                                            "%d = arith.subf %x0, %m : f32\n"
                                            "%q = arith.mulf %d, %d : f32\n"
                                            "%r = arith.addf %q, %o0 : f32");
  return {sum, squares};
}

static std::string writeResidualNorm(GraphText &t) {
  TextTensor x = t.addArgument(Extent::Full), y = t.addArgument(Extent::Full);
  TextTensor scale = t.addArgument(Extent::Column);
  TextTensor shift = t.addArgument(Extent::Column);
  TextTensor residual = t.map({x, y}, "%r = arith.addf %x0, %x1 : f32");
  auto [sum, squares] = writeMoments(t, residual);
  TextTensor norm = t.map({residual, sum, squares, scale, shift},
                          getNormBody(t) + "%g = arith.mulf %h, %x3 : f32\n"
                                           "%r = arith.addf %g, %x4 : f32");
  return t.finish({residual, norm});
}

/// A layer norm and its gradients from those of its result: rows and columns.
static std::string writeNormGradients(GraphText &t) {
  TextTensor x = t.addArgument(Extent::Full), dy = t.addArgument(Extent::Full);
  TextTensor scale = t.addArgument(Extent::Column);
  TextTensor shift = t.addArgument(Extent::Column);
  auto [sum, squares] = writeMoments(t, x);
  TextTensor y = t.map({x, sum, squares, scale, shift},
                       getNormBody(t) + "%g = arith.mulf %h, %x3 : f32\n"
                                        "%r = arith.addf %g, %x4 : f32");
  TextTensor mean = t.reduce({dy, scale}, Extent::Row, "0.0",
                             "%p = arith.mulf %x0, %x1 : f32\n"
                             "%r = arith.addf %p, %o0 : f32");
  TextTensor product =
      t.reduce({x, sum, squares, dy, scale}, Extent::Row, "0.0",
               getNormBody(t) + "%p = arith.mulf %x3, %x4 : f32\n"
                                "%w = arith.mulf %p, %h : f32\n"
                                "%r = arith.addf %w, %o0 : f32");
  TextTensor dx = t.map({x, sum, squares, dy, scale, mean, product},
                        getNormBody(t) + "%p = arith.mulf %x3, %x4 : f32\n"
                                         "%a = arith.divf %x5, %n : f32\n"
                                         "%b = arith.divf %x6, %n : f32\n"
                                         "%e = arith.subf %p, %a : f32\n"
                                         "%f = arith.mulf %h, %b : f32\n"
                                         "%g = arith.subf %e, %f : f32\n"
                                         "%r = arith.mulf %g, %i : f32");
  TextTensor dScale =
      t.reduce({x, sum, squares, dy}, Extent::Column, "0.0",
               getNormBody(t) + "%w = arith.mulf %x3, %h : f32\n"
                                "%r = arith.addf %w, %o0 : f32");
  TextTensor dShift = t.reduce(dy, Extent::Column, "0.0", kSum);
  return t.finish({y, dx, dScale, dShift});
}

static std::string writeAdam(GraphText &t) {
  TextTensor p = t.addArgument(Extent::Full), g = t.addArgument(Extent::Full);
  TextTensor m = t.addArgument(Extent::Full), v = t.addArgument(Extent::Full);
  std::string element = p.element;
  SmallVector<TextTensor> results(3, {"", Extent::Full, element});
  return t.finish(t.generic({p, g, m, v}, results, {},
                            "%b1 = arith.constant 0.9 : f32\n"
                            "%c1 = arith.constant 0.1 : f32\n"
                            "%b2 = arith.constant 0.999 : f32\n"
                            "%c2 = arith.constant 0.001 : f32\n"
                            "%eps = arith.constant 1.0e-08 : f32\n"
                            "%rate = arith.constant 0.001 : f32\n"
                            "%k1 = arith.constant 0.271 : f32\n"
                            "%k2 = arith.constant 0.00299700 : f32\n"
                            "%m0 = arith.mulf %x2, %b1 : f32\n"
                            "%m1 = arith.mulf %x1, %c1 : f32\n"
                            "%r1 = arith.addf %m0, %m1 : f32\n"
                            "%q = arith.mulf %x1, %x1 : f32\n"
                            "%w0 = arith.mulf %x3, %b2 : f32\n"
                            "%w1 = arith.mulf %q, %c2 : f32\n"
                            "%r2 = arith.addf %w0, %w1 : f32\n"
                            "%mh = arith.divf %r1, %k1 : f32\n"
                            "%vh = arith.divf %r2, %k2 : f32\n"
                            "%abs = math.absf %vh : f32\n"
                            "%root = math.sqrt %abs : f32\n"
                            "%d = arith.addf %root, %eps : f32\n"
                            "%s = arith.mulf %mh, %rate : f32\n"
                            "%u = arith.divf %s, %d : f32\n"
                            "%r0 = arith.subf %x0, %u : f32"));
}

/// The transpose of one operand and another one.
static std::string writeTransposeAdd(const KernelGraph &graph) {
  return formatv(
             R"(func.func @main(%x: tensor<{1}x{0}x{2}>, %y: tensor<{0}x{1}x{2}>) -> tensor<{0}x{1}x{2}> {{
%e = tensor.empty() : tensor<{0}x{1}x{2}>
%t = linalg.transpose ins(%x : tensor<{1}x{0}x{2}>) outs(%e : tensor<{0}x{1}x{2}>) permutation = [1, 0]
%r = linalg.add ins(%t, %y : tensor<{0}x{1}x{2}>, tensor<{0}x{1}x{2}>) outs(%e : tensor<{0}x{1}x{2}>) -> tensor<{0}x{1}x{2}>
return %r : tensor<{0}x{1}x{2}>
}
)",
             graph.rows, graph.columns, graph.element)
      .str();
}

/// Two thirds of the columns are max(x, 0), the others tanh(y).
static std::string writeConcat(const KernelGraph &graph) {
  int64_t right = graph.columns / 3;
  return formatv(
             R"(func.func @main(%x: tensor<{0}x{1}xf32>, %y: tensor<{0}x{2}xf32>) -> tensor<{0}x{3}xf32> {{
%ex = tensor.empty() : tensor<{0}x{1}xf32>
%ey = tensor.empty() : tensor<{0}x{2}xf32>
%a = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<{0}x{1}xf32>) outs(%ex : tensor<{0}x{1}xf32>) {{
^bb0(%p: f32, %o: f32):
%z = arith.constant 0.0 : f32
%c = arith.cmpf ugt, %p, %z : f32
%s = arith.select %c, %p, %z : f32
linalg.yield %s : f32
} -> tensor<{0}x{1}xf32>
%b = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<{0}x{2}xf32>) outs(%ey : tensor<{0}x{2}xf32>) {{
^bb0(%p: f32, %o: f32):
%s = math.tanh %p : f32
linalg.yield %s : f32
} -> tensor<{0}x{2}xf32>
%r = tensor.concat dim(1) %a, %b : (tensor<{0}x{1}xf32>, tensor<{0}x{2}xf32>) -> tensor<{0}x{3}xf32>
return %r : tensor<{0}x{3}xf32>
}
)",
             graph.rows, graph.columns - right, right, graph.columns)
      .str();
}

/// log(sum exp(x - max)) - (x[label] - max) of each row.
static std::string writeCrossEntropy(const KernelGraph &graph) {
  return formatv(R"(#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#id = affine_map<(i) -> (i)>
func.func @main(%x: tensor<{0}x{1}xf32>, %labels: tensor<{0}xi64>) -> tensor<{0}xf32> {{
%low = arith.constant 0xFF800000 : f32
%zero = arith.constant 0.0 : f32
%e = tensor.empty() : tensor<{0}xf32>
%i0 = linalg.fill ins(%low : f32) outs(%e : tensor<{0}xf32>) -> tensor<{0}xf32>
%i1 = linalg.fill ins(%zero : f32) outs(%e : tensor<{0}xf32>) -> tensor<{0}xf32>
%m = linalg.generic {{indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<{0}x{1}xf32>) outs(%i0 : tensor<{0}xf32>) {{
^bb0(%p: f32, %o: f32):
%r = arith.maximumf %p, %o : f32
linalg.yield %r : f32
} -> tensor<{0}xf32>
%s = linalg.generic {{indexing_maps = [#full, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %m : tensor<{0}x{1}xf32>, tensor<{0}xf32>) outs(%i1 : tensor<{0}xf32>) {{
^bb0(%p: f32, %q: f32, %o: f32):
%d = arith.subf %p, %q : f32
%v = math.exp %d : f32
%r = arith.addf %v, %o : f32
linalg.yield %r : f32
} -> tensor<{0}xf32>
%l = linalg.generic {{indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]} ins(%labels, %m, %s : tensor<{0}xi64>, tensor<{0}xf32>, tensor<{0}xf32>) outs(%e : tensor<{0}xf32>) {{
^bb0(%n: i64, %q: f32, %t: f32, %o: f32):
%i = linalg.index 0 : index
%j = arith.index_cast %n : i64 to index
%p = tensor.extract %x[%i, %j] : tensor<{0}x{1}xf32>
%d = arith.subf %p, %q : f32
%g = math.log %t : f32
%r = arith.subf %g, %d : f32
linalg.yield %r : f32
} -> tensor<{0}xf32>
return %l : tensor<{0}xf32>
}
)",
                 graph.rows, graph.columns)
      .str();
}

/// Rotary positions: pairs half a row apart are turned by position * frequency.
static std::string writeRope(const KernelGraph &graph) {
  return formatv(R"(#full = affine_map<(h, i, j) -> (h, i, j)>
#pos = affine_map<(h, i, j) -> (i)>
func.func @main(%x: tensor<32x{0}x{1}xf32>, %positions: tensor<{0}xi64>, %frequencies: tensor<{2}xf32>) -> tensor<32x{0}x{1}xf32> {{
%lo = tensor.extract_slice %x[0, 0, 0] [32, {0}, {2}] [1, 1, 1] : tensor<32x{0}x{1}xf32> to tensor<32x{0}x{2}xf32>
%hi = tensor.extract_slice %x[0, 0, {2}] [32, {0}, {2}] [1, 1, 1] : tensor<32x{0}x{1}xf32> to tensor<32x{0}x{2}xf32>
%e = tensor.empty() : tensor<32x{0}x{2}xf32>
%n = linalg.generic {{indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel", "parallel"]} ins(%hi : tensor<32x{0}x{2}xf32>) outs(%e : tensor<32x{0}x{2}xf32>) {{
^bb0(%p: f32, %o: f32):
%s = arith.negf %p : f32
linalg.yield %s : f32
} -> tensor<32x{0}x{2}xf32>
%w = tensor.concat dim(2) %n, %lo : (tensor<32x{0}x{2}xf32>, tensor<32x{0}x{2}xf32>) -> tensor<32x{0}x{1}xf32>
%f = tensor.concat dim(0) %frequencies, %frequencies : (tensor<{2}xf32>, tensor<{2}xf32>) -> tensor<{1}xf32>
%y = tensor.empty() : tensor<32x{0}x{1}xf32>
%r = linalg.generic {{indexing_maps = [#full, #full, #pos, affine_map<(h, i, j) -> (j)>, #full], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %w, %positions, %f : tensor<32x{0}x{1}xf32>, tensor<32x{0}x{1}xf32>, tensor<{0}xi64>, tensor<{1}xf32>) outs(%y : tensor<32x{0}x{1}xf32>) {{
^bb0(%p: f32, %q: f32, %i: i64, %g: f32, %o: f32):
%k = arith.sitofp %i : i64 to f32
%a = arith.mulf %k, %g : f32
%c = math.cos %a : f32
%s = math.sin %a : f32
%u = arith.mulf %p, %c : f32
%v = arith.mulf %q, %s : f32
%t = arith.addf %u, %v : f32
linalg.yield %t : f32
} -> tensor<32x{0}x{1}xf32>
return %r : tensor<32x{0}x{1}xf32>
}
)",
                 graph.rows / 32, graph.columns, graph.columns / 2)
      .str();
}

std::optional<std::string>
fuse::bench::writeFusedGraph(const KernelGraph &graph) {
  GraphText text(graph);
  StringRef kind = graph.kind;
  if (kind == "gelu-gate")
    return writeGeluGate(text);
  if (kind == "silu-gate")
    return writeSiluGate(text);
  if (kind == "residual-norm")
    return writeResidualNorm(text);
  if (kind == "norm-gradients")
    return writeNormGradients(text);
  if (kind == "adam")
    return writeAdam(text);
  if (kind == "transpose-add")
    return writeTransposeAdd(graph);
  if (kind == "concat")
    return writeConcat(graph);
  if (kind == "cross-entropy")
    return writeCrossEntropy(graph);
  if (kind == "rope")
    return writeRope(graph);
  return std::nullopt;
}
