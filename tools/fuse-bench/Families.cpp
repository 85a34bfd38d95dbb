// The graphs of the suite `planning`.
#include "Families.h"
#include "GraphWriter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <random>

using namespace mlir;
using namespace mlir::fuse::bench;

using Tensor = GraphWriter::Tensor;

static std::string makeChain(int64_t ops) {
  const char *bodies[] = {
      "%c = arith.constant 1.25 : f32\n    %r = arith.mulf %x0, %c : f32",
      "%c = arith.constant 0.125 : f32\n    %r = arith.addf %x0, %c : f32",
      "%r = arith.negf %x0 : f32",
      "%c = arith.constant -64.0 : f32\n    %r = arith.maximumf %x0, %c : f32"};
  GraphWriter writer;
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
  GraphWriter writer;
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

Tensor fuse::bench::normalize(GraphWriter &writer, const Tensor &x,
                              const Tensor &gain) {
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
  GraphWriter writer;
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

static Tensor addBias(GraphWriter &writer, const Tensor &x, int64_t width) {
  return writer.map({x, writer.addArgument({width})}, kAdd);
}

static Tensor attend(GraphWriter &writer, const Tensor &x) {
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
  GraphWriter writer;
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
  const GraphWriter::Shape shapes[] = {
      {768, 768}, {768}, {768, 3072}, {3072}, {3072, 768}};
  const char decay[] = "%c = arith.constant 0.9 : f32\n    %r = arith.mulf "
                       "%x0, %c : f32";
  GraphWriter writer;
  std::vector<Tensor> results;
  for (size_t i = 0; writer.getOps() < ops; ++i) {
    const GraphWriter::Shape &shape = shapes[i % std::size(shapes)];
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
