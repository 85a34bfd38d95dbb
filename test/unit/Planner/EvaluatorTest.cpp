// Prices that the planner takes from what it knows of groups already are those
// of a full analysis of the union.
#include "Evaluator.h"

#include "fuse-mlir/Analysis/GroupShape.h"
#include "fuse-mlir/CostModel/KernelCounts.h"
#include "fuse-mlir/InitAll.h"
#include "fuse-mlir/Planner/PlanRequest.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

namespace {
class EvaluatorTest : public ::testing::Test {
protected:
  EvaluatorTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    registerAllExtensions(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// `count` steps on 2048 x 2048 matrices: element by element, transposed, row
  /// sums and what subtracts them, rows and columns of one matrix.
  OwningOpRef<ModuleOp> makeRandom(unsigned seed, unsigned count) {
    std::mt19937 random(seed);
    std::string text = "#id = affine_map<(d0, d1) -> (d0, d1)>\n"
                       "#row = affine_map<(d0, d1) -> (d0)>\n"
                       "#col = affine_map<(d0, d1) -> (d1)>\n"
                       "!t = tensor<2048x2048xf32>\n!r = tensor<2048xf32>\n"
                       "func.func @f(%v0: !t, %v1: !t, %w: !r) -> !t {\n"
                       "%e = tensor.empty() : !t\n%er = tensor.empty() : !r\n"
                       "%z = arith.constant 0.0 : f32\n"
                       "%i = linalg.fill ins(%z : f32) outs(%er : !r) -> !r\n";
    for (unsigned i = 2; i < count; ++i) {
      auto pick = [&] {
        return "%v" + std::to_string(i - 1 - random() % std::min(i, 4u));
      };
      std::string name = "%v" + std::to_string(i), sum = "%s" + name.substr(1);
      auto subtract = [&](std::string map, std::string from, std::string what) {
        return name + " = linalg.generic {indexing_maps = [#id, " + map +
               ", #id], iterator_types = [\"parallel\", \"parallel\"]} ins(" +
               from + ", " + what + " : !t, !r) outs(%e : !t) {\n" +
               "^bb0(%a: f32, %b: f32, %o: f32):\n" +
               "%c = arith.subf %a, %b : f32\nlinalg.yield %c : f32\n} -> !t\n";
      };
      switch (random() % 6) {
      case 0:
        text += name + " = linalg.transpose ins(" + pick() +
                " : !t) outs(%e : !t) permutation = [1, 0]\n";
        break;
      case 1: {
        std::string of = pick();
        text += sum + " = linalg.reduce {arith.addf} ins(" + of +
                " : !t) outs(%i : !r) dimensions = [1]\n" +
                subtract("#row", random() % 2 ? of : pick(), sum);
        break;
      }
      case 2:
        text += subtract(random() % 2 ? "#row" : "#col", pick(), "%w");
        break;
      case 3:
        text += name + " = linalg.exp ins(" + pick() + " : !t) outs(%e : !t) " +
                "-> !t\n";
        break;
      default:
        text += name + " = linalg.add ins(" + pick() + ", " + pick() +
                " : !t, !t) outs(%e : !t) -> !t\n";
      }
    }
    text += "return %v" + std::to_string(count - 1) + " : !t\n}";
    return parseSourceString<ModuleOp>(text, &context);
  }

  MLIRContext context;
};

// Random merges of neighbours: each union is priced from the alignment of the
// two groups, where they have one, and by analysing all of it.
TEST_F(EvaluatorTest, UnionsAreLikeWholes) {
  unsigned aligned = 0, rows = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    OwningOpRef<ModuleOp> module = makeRandom(seed, 24);
    ASSERT_TRUE(module);
    FailureOr<ResolvedPlanOptions> resolved =
        resolvePlanOptions(*module, PlanRequest());
    ASSERT_TRUE(succeeded(resolved));
    auto function = *module->getOps<func::FuncOp>().begin();
    PlanGraph graph(function.getBody().front());
    Evaluator known(graph, resolved->options);
    std::mt19937 random(seed);
    for (unsigned step = 0; step < 200; ++step) {
      unsigned a = random() % graph.groups.size();
      const Group &first = graph.groups[a];
      if (!first.alive || !first.mergeable || first.successors.empty())
        continue;
      auto next = first.successors.begin();
      std::advance(next, random() % first.successors.size());
      unsigned b = next->first;
      if (!graph.groups[b].mergeable || graph.hasIndirectPath(a, b))
        continue;
      SmallVector<unsigned, 4> ops =
          PlanGraph::unite(first.ops, graph.groups[b].ops);
      Evaluator fresh(graph, resolved->options);
      Evaluation whole = fresh.evaluate(ops, {a, b});
      Evaluation both = known.evaluateUnion(a, b, {a, b});
      ASSERT_EQ(both.violation == nullptr, whole.violation == nullptr);
      EXPECT_EQ(both.nanoseconds, whole.nanoseconds);
      EXPECT_EQ(both.bytes, whole.bytes);
      EXPECT_EQ(both.hasRoots, whole.hasRoots);
      Alignment alignment = graph.getAlignment(a, b);
      aligned += alignment.aligned;
      rows += alignment.aligned && alignment.roots != 0;
      graph.merge(a, b);
    }
  }
  // The short cut was taken.
  EXPECT_GT(aligned, 100u);
  EXPECT_GT(rows, 30u);
}

/// `count` programs side by side on matrices of different sizes: a function and
/// its sine, and what row sums are subtracted from; every third one transposes.
static std::string makeApart(unsigned count) {
  std::string text = "#id = affine_map<(d0, d1) -> (d0, d1)>\n"
                     "#row = affine_map<(d0, d1) -> (d0)>\n"
                     "func.func @f(%z: f32";
  std::string body;
  for (unsigned i = 0; i < count; ++i) {
    std::string n = std::to_string(i), rows = std::to_string(64u << i % 4),
                columns = std::to_string(32 * (i + 1)),
                type = "tensor<" + rows + "x" + columns + "xf32>",
                row = "tensor<" + rows + "xf32>",
                turned = "tensor<" + columns + "x" + rows + "xf32>";
    text += ", %x" + n + ": " + type;
    body += "%e" + n + " = tensor.empty() : " + type + "\n%a" + n +
            " = linalg.exp ins(%x" + n + " : " + type + ") outs(%e" + n +
            " : " + type + ") -> " + type + "\n";
    if (i % 3 == 2) {
      body += "%t" + n + " = tensor.empty() : " + turned + "\n%b" + n +
              " = linalg.transpose ins(%a" + n + " : " + type + ") outs(%t" +
              n + " : " + turned + ") permutation = [1, 0]\n";
      continue;
    }
    body += "%r" + n + " = tensor.empty() : " + row + "\n%i" + n +
            " = linalg.fill ins(%z : f32) outs(%r" + n + " : " + row + ") -> " +
            row + "\n%s" + n + " = linalg.reduce {arith.addf} ins(%a" + n +
            " : " + type + ") outs(%i" + n + " : " + row +
            ") dimensions = [1]\n%b" + n +
            " = linalg.generic {indexing_maps = [#id, #row, #id], "
            "iterator_types = [\"parallel\", \"parallel\"]} ins(%a" +
            n + ", %s" + n + " : " + type + ", " + row + ") outs(%e" + n +
            " : " + type +
            ") {\n^bb0(%p: f32, %q: f32, %o: f32):\n%c = arith.subf %p, %q : "
            "f32\nlinalg.yield %c : f32\n} -> " +
            type + "\n";
  }
  text += ") {\n" + body + "\"test.use\"(";
  std::string types;
  for (unsigned i = 0; i < count; ++i) {
    std::string rows = std::to_string(64u << i % 4),
                columns = std::to_string(32 * (i + 1));
    text += (i ? ", %b" : "%b") + std::to_string(i);
    types += (i ? ", tensor<" : "tensor<") +
             (i % 3 == 2 ? columns + "x" + rows : rows + "x" + columns) +
             "xf32>";
  }
  return text + ") : (" + types + ") -> ()\nreturn\n}";
}

// Programs side by side, put together from the shapes of each where they are
// aligned, cost what an analysis of all their elements says.
TEST_F(EvaluatorTest, PartsAreLikeWholes) {
  context.allowUnregisteredDialects();
  for (unsigned count = 2; count < 8; ++count) {
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(makeApart(count), &context);
    ASSERT_TRUE(module);
    FailureOr<ResolvedPlanOptions> resolved =
        resolvePlanOptions(*module, PlanRequest());
    ASSERT_TRUE(succeeded(resolved));
    auto function = *module->getOps<func::FuncOp>().begin();
    PlanGraph graph(function.getBody().front());
    Evaluator evaluator(graph, resolved->options);
    SmallVector<unsigned> ops;
    for (unsigned i = 0; i < graph.nodes.size(); ++i)
      if (graph.nodes[i].role == Role::Compute)
        ops.push_back(i);
    ASSERT_EQ(graph.getComponents(ops).size(), count);
    Evaluation evaluation = evaluator.evaluate(ops, ops);
    ASSERT_FALSE(evaluation.violation);
    EXPECT_TRUE(evaluation.packed);

    SmallVector<Operation *> members = graph.getMembers(ops);
    SmallVector<Value> inputs = graph.getInputs(ops);
    SmallVector<Value> outputs = graph.getOutputs(ops, ops);
    SmallVector<bool> resident =
        evaluator.residency->find(ArrayRef<unsigned>(ops), inputs, outputs);
    FailureOr<GroupShape> shape = analyzeGroup(members, outputs);
    ASSERT_TRUE(succeeded(shape));
    EXPECT_EQ(shape->parts.size(), count);
    KernelView view{members, inputs, outputs, &*shape, nullptr, resident};
    cost::KernelCounts counts = cost::countKernel(view);
    view.counts = &counts;
    const CostModel &model = *resolved->options.costModel;
    EXPECT_EQ(evaluation.nanoseconds,
              model.estimateNanoseconds(view, resolved->options.device));
    EXPECT_EQ(evaluation.hasRoots, !shape->roots.empty());
  }
}

// Operators that differ in nothing but their values and ordinals are of one
// kind; attributes, types and how a body uses its values make a difference.
TEST_F(EvaluatorTest, Kinds) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      "!t = tensor<8xf32>\n"
      "func.func @f(%x: !t, %y: !t, %z: tensor<9xf32>) {\n"
      "%e = tensor.empty() : !t\n%g = tensor.empty() : tensor<9xf32>\n"
      "%0 = linalg.exp {fuse.ordinal = 3} ins(%x : !t) outs(%e : !t) -> !t\n"
      "%1 = linalg.exp {fuse.ordinal = 4} ins(%y : !t) outs(%e : !t) -> !t\n"
      "%2 = linalg.exp {mine} ins(%y : !t) outs(%e : !t) -> !t\n"
      "%3 = linalg.exp ins(%z : tensor<9xf32>) outs(%g : tensor<9xf32>) -> "
      "tensor<9xf32>\n"
      "%4 = linalg.map ins(%x, %y : !t, !t) outs(%e : !t) "
      "(%a: f32, %b: f32, %o: f32) { %c = arith.subf %a, %b : f32 "
      "linalg.yield %c : f32 }\n"
      "%5 = linalg.map ins(%x, %y : !t, !t) outs(%e : !t) "
      "(%a: f32, %b: f32, %o: f32) { %c = arith.subf %b, %a : f32 "
      "linalg.yield %c : f32 }\n"
      "return\n}",
      &context);
  ASSERT_TRUE(module);
  OpKinds kinds;
  SmallVector<unsigned> numbers;
  auto function = *module->getOps<func::FuncOp>().begin();
  for (Operation &op : function.getBody().front().without_terminator())
    if (!op.getName().getStringRef().starts_with("tensor."))
      numbers.push_back(kinds.get(&op));
  ASSERT_EQ(numbers.size(), 6u);
  EXPECT_EQ(numbers[0], numbers[1]);
  EXPECT_EQ(
      llvm::SmallDenseSet<unsigned>(numbers.begin(), numbers.end()).size(), 5u);
}
} // namespace
