// The contract of cost models, checked over every registered one, and the two
// ways to add to them: a model of one's own, and one replaced quantity.
#include "fuse-mlir/CostModel/Contract.h"

#include "fuse-mlir/InitAll.h"
#include "fuse-mlir/Pipelines/PtxasCostModel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <atomic>
#include <cmath>
#include <deque>
#include <set>
#include <thread>

using namespace mlir;
using namespace mlir::fuse;

namespace {
class CostModelTest : public ::testing::Test {
protected:
  CostModelTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    registerAllExtensions(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// A kernel of one exponential of `rows` x 1024 elements.
  KernelView makeKernel(int64_t rows) {
    std::string type = "tensor<" + std::to_string(rows) + "x1024xf32>";
    std::string text = "func.func @f(%x: T) -> T {\n"
                       "  %e = tensor.empty() : T\n"
                       "  %a = linalg.exp ins(%x : T) outs(%e : T) -> T\n"
                       "  return %a : T\n}";
    for (size_t at; (at = text.find(" T")) != std::string::npos;)
      text.replace(at + 1, 1, type);
    modules.push_back(parseSourceString<ModuleOp>(text, &context));
    auto function = *modules.back()->getOps<func::FuncOp>().begin();
    Storage &s = storage.emplace_back();
    for (Operation &op : function.getBody().front().without_terminator())
      s.ops.push_back(&op);
    s.inputs.push_back(function.getArgument(0));
    s.outputs.push_back(s.ops.back()->getResult(0));
    s.shape = *analyzeGroup(s.ops, s.outputs);
    return {s.ops, s.inputs, s.outputs, &s.shape};
  }

  std::unique_ptr<CostModel> parse(StringRef spec) {
    CostModelRegistry &registry =
        context.getLoadedDialect<FuseDialect>()->getSlot<CostModelRegistry>();
    return registry.parse(spec,
                          [&] { return emitError(UnknownLoc::get(&context)); });
  }

  struct Storage {
    SmallVector<Operation *> ops;
    SmallVector<Value> inputs, outputs;
    GroupShape shape;
  };
  MLIRContext context;
  std::vector<OwningOpRef<ModuleOp>> modules;
  std::deque<Storage> storage;
};

TEST_F(CostModelTest, QuantitiesOfAnExponential) {
  KernelView kernel = makeKernel(64);
  AnalyticCostModel model;
  EXPECT_EQ(model.bytesRead(kernel), 64 * 1024 * 4);
  EXPECT_EQ(model.bytesWritten(kernel), 64 * 1024 * 4);
  EXPECT_EQ(model.bytesMoved(kernel), 64 * 1024 * 8);
  EXPECT_EQ(model.flops(kernel), 64 * 1024);
  EXPECT_EQ(model.recomputedFlops(kernel), 0);
  EXPECT_EQ(model.instructions(kernel), 64 * 1024 * 7); // exp 6, store 1
  // Four words read and written, three values, for four elements, an expansion.
  EXPECT_EQ(model.registersPerThread(kernel),
            int(std::ceil(5.4 + 0.49 * 4 + 0.5 * 4 + 0.33 * 3 + 0.17 * 3 * 4 +
                          5.9)));
  EXPECT_EQ(model.sharedBytes(kernel), 0);
  EXPECT_EQ(model.launches(kernel), 1);
  std::optional<Occupancy> grid = model.occupancy(kernel, DeviceInfo());
  ASSERT_TRUE(grid);
  EXPECT_EQ(grid->blocks, 128); // 4 elements for each of 128 threads
  EXPECT_EQ(grid->threadsPerBlock, 128);
  EXPECT_EQ(grid->residentBlocks, 16); // 2048 threads
}

// Every registered model keeps the contract, `ptxas` without a budget to
// assemble included.
TEST_F(CostModelTest, ContractOfEveryModel) {
  CostModelRegistry &registry =
      context.getLoadedDialect<FuseDialect>()->getSlot<CostModelRegistry>();
  ContractProbes probes(&context);
  for (StringRef name : registry.names()) {
    std::unique_ptr<CostModel> model = parse(name);
    ASSERT_TRUE(model);
    ContractOptions options;
    options.monotone = name == "analytic" || name == "traffic";
    for (const ContractViolation &violation :
         checkCostModel(*model, probes.getProbes(), options))
      ADD_FAILURE() << name.str() << " is not " << violation.rule << ": "
                    << violation.message;
  }
}

// Kernels are assembled from copies. What these take from outside is passed to
// them, or else they would be users of it, in a list of uses that threads
// share. The rows of a table are taken by the body of an operator only.
TEST_F(CostModelTest, AssembledCopiesStandForThemselves) {
  if (!Ptxas::find())
    GTEST_SKIP() << "no ptxas";
  ContractProbes probes(&context);
  CandidateAssembler assembler(/*ptxas=*/"", /*cacheDir=*/"");
  unsigned assembled = 0;
  for (const ContractProbes::Probe &probe : probes.getProbes()) {
    if (!StringRef(probe.name).ends_with(" 512"))
      continue;
    AssembledKernel kernel = assembler.assemble(probe.view);
    EXPECT_FALSE(StringRef(kernel.reason).contains("read back"))
        << probe.name << ": " << kernel.reason;
    assembled += kernel.resources.has_value();
  }
  EXPECT_GE(assembled, 4u); // Element-wise, broadcast, rows, gather.
}

namespace {
/// A model with one fault.
struct Faulty : public AnalyticCostModel {
  explicit Faulty(std::string fault) : fault(std::move(fault)) {}

  Quantity estimateNanoseconds(const KernelView &kernel,
                               const DeviceInfo &device) const override {
    Quantity price = AnalyticCostModel::estimateNanoseconds(kernel, device);
    if (fault == "deterministic")
      return ++calls;
    if (fault == "thread-safe" && std::this_thread::get_id() != home)
      return 1;
    if (fault == "monotone" && price)
      return 1'000'000'000 / (1 + *price);
    return price;
  }
  int64_t leastNanoseconds(const DeviceInfo &) const override {
    return fault == "least" ? 1'000'000'000'000 : 0;
  }
  Quantity registersPerThread(const KernelView &kernel) const override {
    if (fault == "non-negative")
      return -1;
    return AnalyticCostModel::registersPerThread(kernel);
  }
  CostBreakdown explain(const KernelView &kernel,
                        const DeviceInfo &device) const override {
    CostBreakdown price = AnalyticCostModel::explain(kernel, device);
    if (fault == "consistent")
      price.nanoseconds = 7;
    return price;
  }

  std::string fault;
  std::thread::id home = std::this_thread::get_id();
  mutable std::atomic<int64_t> calls{0};
};
} // namespace

// Each rule of the contract fires on a model that breaks it, and only there.
TEST_F(CostModelTest, ContractFiresOnPlantedFaults) {
  ContractProbes probes(&context);
  ContractOptions options;
  options.monotone = true;
  for (StringRef fault : {"deterministic", "thread-safe", "monotone",
                          "non-negative", "consistent", "least"}) {
    std::vector<ContractViolation> violations =
        checkCostModel(Faulty(fault.str()), probes.getProbes(), options);
    std::set<std::string> rules;
    for (const ContractViolation &violation : violations)
      rules.insert(violation.rule);
    EXPECT_TRUE(rules.count(fault.str())) << fault.str();
    // A price that counts its calls differs from its explanation, too.
    if (fault != "deterministic") {
      EXPECT_EQ(rules.size(), 1u) << fault.str();
    }
  }
  EXPECT_TRUE(
      checkCostModel(Faulty("none"), probes.getProbes(), options).empty());
}

// The terms of an explanation make up the price that the search sees.
TEST_F(CostModelTest, TermsMakeUpThePrice) {
  AnalyticCostModel model;
  for (int64_t rows : {1, 4096, 32768}) {
    KernelView kernel = makeKernel(rows);
    CostBreakdown price = model.explain(kernel, DeviceInfo());
    EXPECT_EQ(price.nanoseconds,
              model.estimateNanoseconds(kernel, DeviceInfo()));
    double sum = 0;
    for (const CostBreakdown::Contribution &term : price.getContributions())
      sum += term.nanoseconds;
    EXPECT_EQ(*price.nanoseconds, std::llround(sum));
    ASSERT_TRUE(price.getDominant());
    EXPECT_EQ(price.getDominant()->name, "memory");
  }
}

// More bytes never cost less, also between sizes that the contract does not
// try.
TEST_F(CostModelTest, MonotoneInBytes) {
  for (StringRef name : {"analytic", "traffic"}) {
    std::unique_ptr<CostModel> model = parse(name);
    Quantity last = 0;
    for (int64_t rows : {1, 8, 64, 512, 4096, 32768}) {
      Quantity now = model->estimateNanoseconds(makeKernel(rows), DeviceInfo());
      ASSERT_TRUE(now);
      EXPECT_GE(*now, *last) << name.str() << " at " << rows;
      last = now;
    }
  }
}

// One replaced quantity; the rest stays and follows.
struct ManyRegisters : AnalyticCostModel {
  Quantity registersPerThread(const KernelView &) const override {
    return 4096;
  }
};

TEST_F(CostModelTest, OneQuantityReplaced) {
  KernelView kernel = makeKernel(4096);
  AnalyticCostModel plain;
  ManyRegisters many;
  EXPECT_EQ(plain.bytesMoved(kernel), many.bytesMoved(kernel));
  EXPECT_LT(*plain.estimateNanoseconds(kernel, DeviceInfo()),
            *many.estimateNanoseconds(kernel, DeviceInfo()));
  EXPECT_LT(many.occupancy(kernel, DeviceInfo())->residentBlocks,
            plain.occupancy(kernel, DeviceInfo())->residentBlocks);
}

TEST_F(CostModelTest, RegistryAddsOnce) {
  CostModelRegistry registry;
  auto factory =
      [](const CostModelOptions &options,
         function_ref<InFlightDiagnostic()>) -> std::unique_ptr<CostModel> {
    EXPECT_EQ(options.lookup("speed"), "3");
    return std::make_unique<ManyRegisters>();
  };
  EXPECT_TRUE(registry.add("mine", factory));
  EXPECT_FALSE(registry.add("mine", factory));
  EXPECT_EQ(registry.names(),
            (SmallVector<StringRef>{"always", "analytic", "mine", "never",
                                    "profile", "traffic"}));
  auto emit = [&] { return emitError(UnknownLoc::get(&context)); };
  EXPECT_TRUE(registry.parse("mine{speed=3}", emit));
  ScopedDiagnosticHandler silent(&context,
                                 [](Diagnostic &) { return success(); });
  EXPECT_FALSE(registry.parse("other", emit));
  EXPECT_FALSE(registry.parse("traffic{a=1}", emit));
  EXPECT_FALSE(registry.parse("mine{speed=3", emit));
}

// Unknown sizes are unknown prices.
TEST_F(CostModelTest, UnknownIsStated) {
  auto module = parseSourceString<ModuleOp>(
      "func.func @f(%x: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {\n"
      "%a = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> "
      "tensor<?xf32>\n return %a : tensor<?xf32>}",
      &context);
  auto function = *module->getOps<func::FuncOp>().begin();
  Operation *op = &function.getBody().front().front();
  Value input = function.getArgument(0), output = op->getResult(0);
  KernelView kernel{op, input, output};
  EXPECT_FALSE(AnalyticCostModel().estimateNanoseconds(kernel, DeviceInfo()));
  EXPECT_FALSE(TrafficCostModel().bytesRead(kernel));
}

TEST(DeviceTest, RoundTrip) {
  MLIRContext context;
  DialectRegistry registry;
  registerAllDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  for (StringRef name : getDeviceNames()) {
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
    DeviceInfo device = *lookupDevice(name);
    EXPECT_TRUE(succeeded(attachDevice(*module, device)));
    EXPECT_TRUE(succeeded(attachDevice(*module, device)));
    FailureOr<DeviceInfo> back = getAttachedDevice(*module);
    ASSERT_TRUE(succeeded(back));
    EXPECT_EQ(back->name, name.str());
    EXPECT_EQ(back->dramGBPerSecond, device.dramGBPerSecond);
    EXPECT_EQ(back->chip, device.chip);
  }
  EXPECT_FALSE(lookupDevice("abacus"));
}
} // namespace
