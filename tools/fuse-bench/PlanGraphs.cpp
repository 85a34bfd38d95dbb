// Loads and plans graphs in process.
#include "PlanGraphs.h"

#include "fuse-mlir/InitAll.h"
#include "fuse-mlir/Transforms/Passes.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::bench;

GraphContext::GraphContext() : context(MLIRContext::Threading::DISABLED) {
  DialectRegistry registry;
  fuse::registerAllDialects(registry);
  fuse::registerAllExtensions(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
}

static OwningOpRef<ModuleOp> prepare(OwningOpRef<ModuleOp> module) {
  if (!module)
    return nullptr;
  PassManager pm(module->getContext());
  pm.addPass(createNormalizeOpsPass());
  pm.addPass(createClassifyOpsPass());
  if (failed(pm.run(*module)))
    return nullptr;
  return module;
}

OwningOpRef<ModuleOp> fuse::bench::loadGraphFile(StringRef path,
                                                 MLIRContext *context) {
  // Diagnostics show the line of the file.
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, context);
  return prepare(
      parseSourceFile<ModuleOp>(path, sources, ParserConfig(context)));
}

OwningOpRef<ModuleOp> fuse::bench::loadGraphText(StringRef text,
                                                 MLIRContext *context) {
  return prepare(parseSourceString<ModuleOp>(text, context));
}

/// Rules that refused candidates of `plan`.
static std::string listRefusals(const Plan &plan) {
  llvm::StringMap<int> counts;
  int unprofitable = 0;
  for (const Decision &decision : plan.decisions) {
    if (decision.accepted)
      continue;
    if (decision.violation.rule.empty())
      ++unprofitable;
    else
      ++counts[decision.violation.rule];
  }
  std::vector<std::pair<int, std::string>> sorted;
  for (auto &entry : counts)
    sorted.emplace_back(-entry.second, entry.first().str());
  if (unprofitable)
    sorted.emplace_back(-unprofitable, "not profitable");
  llvm::sort(sorted);
  std::string text;
  for (auto &[count, rule] : sorted)
    text += (text.empty() ? "" : ", ") + rule + " x" + std::to_string(-count);
  return text;
}

/// The numbers of the operators of each kernel.
static std::string listPartition(const Plan &plan, ModuleOp module) {
  llvm::DenseMap<Operation *, int> numbers;
  module->walk([&](Operation *op) { numbers.try_emplace(op, numbers.size()); });
  std::string text;
  for (const PlannedGroup &group : plan.groups) {
    for (Operation *op : group.ops)
      text += std::to_string(numbers.lookup(op)) + " ";
    text += "; ";
  }
  return text;
}

FailureOr<PlannedGraph> fuse::bench::planGraph(ModuleOp module,
                                               const PlanRequest &request) {
  FailureOr<ResolvedPlanOptions> resolved = resolvePlanOptions(module, request);
  if (failed(resolved))
    return failure();
  FailureOr<Plan> plan = planOperation(module, resolved->options);
  if (failed(plan))
    return failure();
  PlannedGraph result;
  result.report = makeReport(*plan, module, resolved->options,
                             getModelName(module), request.costModel,
                             /*withRows=*/false);
  result.kernels = int64_t(plan->groups.size());
  for (const PlannedGroup &group : plan->groups) {
    result.nanoseconds += group.nanoseconds.value_or(0);
    result.bytes +=
        group.bytesRead.value_or(0) + group.bytesWritten.value_or(0);
  }
  result.refusals = listRefusals(*plan);
  result.partition = listPartition(*plan, module);
  return result;
}
