// Says in numbers why two operators of a model share a kernel or do not.
#include "PlanFlags.h"
#include "Query.h"
#include "Report.h"
#include "Text.h"

#include "fuse-mlir/InitAll.h"
#include "fuse-mlir/Planner/OpRoles.h"
#include "fuse-mlir/Planner/Report.h"
#include "fuse-mlir/Transforms/Functions.h"
#include "fuse-mlir/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::explain;
namespace cl = llvm::cl;

namespace {
/// The command line. A local of main: nothing is registered globally.
struct Options {
  cl::OptionCategory category{"fuse-explain"};
  cl::opt<std::string> path{cl::Positional, cl::Required,
                            cl::desc("model.mlir"), cl::cat(category)};
  cl::opt<std::string> at{
      "at", cl::value_desc("operator"),
      cl::desc("[FUNCTION:]ORDINAL as in reports, LINE:[COLUMN], or "
               "[FUNCTION:]%name"),
      cl::cat(category)};
  cl::opt<std::string> with{"and", cl::value_desc("operator"),
                            cl::desc("The other operator, in the same forms"),
                            cl::cat(category)};
  cl::opt<std::string> report{
      "report", cl::value_desc("file"),
      cl::desc(
          "Instead of two operators: write the whole plan as JSON, with the "
          "prices of kernels and decisions term by term (docs/Report.md)"),
      cl::cat(category)};
  cl::opt<bool> force{
      "force",
      cl::desc("Say what the whole program would cost if the two had "
               "to share a kernel"),
      cl::cat(category)};
  cl::opt<std::string> device{
      "device", cl::desc("Device to plan for (default: the attached one)"),
      cl::cat(category)};
  PlanFlags plan{category};
};

/// The model, planned.
struct Planned {
  ResolvedPlanOptions resolved;
  Plan plan;
};
} // namespace

static LogicalResult fail(const Twine &message) {
  llvm::WithColor::error(llvm::errs(), "fuse-explain") << message << "\n";
  return failure();
}

/// Runs what comes before planning in `fuse-plan`.
static LogicalResult prepare(ModuleOp module, const Options &options) {
  PassManager pm(module.getContext(), ModuleOp::getOperationName(),
                 OpPassManager::Nesting::Implicit);
  if (!options.device.empty()) {
    AttachDevicePassOptions attach;
    attach.deviceName = options.device;
    pm.addPass(createAttachDevicePass(attach));
  }
  NormalizeOpsPassOptions normalize;
  normalize.fpOrder = options.plan.fpOrder;
  normalize.halfSums = options.plan.halfSums;
  pm.addPass(createNormalizeOpsPass(normalize));
  pm.addPass(createClassifyOpsPass());
  return pm.run(module);
}

static LogicalResult planModel(ModuleOp module, const Options &options,
                               Planned &planned) {
  FailureOr<ResolvedPlanOptions> resolved =
      resolvePlanOptions(module, options.plan.getRequest());
  if (failed(resolved))
    return failure();
  FailureOr<Plan> plan = planOperation(module, resolved->options);
  if (failed(plan))
    return failure();
  planned.resolved = std::move(*resolved);
  planned.plan = std::move(*plan);
  return success();
}

static std::string describe(const Identity &identity) {
  return identity.name + " (" + identity.function + ":" +
         std::to_string(identity.ordinal) + ")";
}

/// What became of an operator of the input: those that carry its ordinal.
static SmallVector<Operation *> findNormalized(ModuleOp module,
                                               const Identity &identity) {
  SmallVector<Operation *> found;
  for (FunctionOpInterface function : collectFunctions(module))
    if (function.getName() == identity.function)
      function->walk<WalkOrder::PreOrder>([&](Operation *op) {
        auto own =
            op->getAttrOfType<IntegerAttr>(FuseDialect::kOrdinalAttrName);
        if (own && own.getInt() == identity.ordinal)
          found.push_back(op);
      });
  return found;
}

/// Of `ops`, those that stand in a kernel of the plan. If there are none, says
/// what became of the operator.
static FailureOr<SmallVector<Operation *>>
findPlanned(const Plan &plan, ArrayRef<Operation *> ops,
            const Identity &identity) {
  SmallVector<Operation *> inKernels;
  for (Operation *op : ops)
    for (const PlannedGroup &group : plan.groups) {
      Operation *premade = group.premade;
      if (!llvm::is_contained(group.ops, op) && premade != op)
        continue;
      inKernels.push_back(op);
      break;
    }
  if (!inKernels.empty())
    return inKernels;
  if (ops.empty())
    return fail(
        describe(identity) +
        " is in no kernel: it is copied to where it is used (a view, a "
        "fill, a constant), normalization has folded it, or nobody uses "
        "it");
  Operation *op = ops.front();
  if (isFreeOp(op) || isGeneratorOp(op))
    return fail(describe(identity) + " is in no kernel of its own: it costs "
                                     "nothing and is copied to where it is "
                                     "used");
  if (!isComputeOp(op))
    return fail(describe(identity) +
                " is in no kernel: it stays on the host "
                "(rule 'opaque'); " +
                getRuleAdvice("opaque"));
  return fail(describe(identity) + " is in no kernel: nobody uses it");
}

/// The pair to explain if an operator of the input has become several: one that
/// shares a kernel, else the last of the first and the first of the last.
static std::pair<Operation *, Operation *>
choosePair(const Plan &plan, ArrayRef<Operation *> a, ArrayRef<Operation *> b) {
  for (Operation *first : a)
    for (Operation *second : b)
      for (const PlannedGroup &group : plan.groups)
        if (llvm::is_contained(group.ops, first) &&
            llvm::is_contained(group.ops, second))
          return {first, second};
  if (a.front()->getBlock() == b.front()->getBlock() &&
      b.front()->isBeforeInBlock(a.front()))
    return {a.front(), b.back()};
  return {a.back(), b.front()};
}

//===----------------------------------------------------------------------===//
// --force
//===----------------------------------------------------------------------===//

/// Sum of the prices of all kernels, and how many have none.
static std::pair<int64_t, int64_t> getTotal(const Plan &plan) {
  int64_t sum = 0, unknown = 0;
  for (const PlannedGroup &group : plan.groups) {
    sum += group.nanoseconds.value_or(0);
    unknown += !group.nanoseconds;
  }
  return {sum, unknown};
}

/// Gives both operators one tag. Those that had a tag keep their company.
static void tagPair(Operation *a, Operation *b) {
  StringRef name = FuseDialect::kMustFuseAttrName;
  auto tag = a->getAttrOfType<StringAttr>(name);
  if (!tag)
    tag = StringAttr::get(a->getContext(), "fuse-explain");
  auto old = b->getAttrOfType<StringAttr>(name);
  if (old)
    for (Operation &op : *b->getBlock())
      if (op.getAttr(name) == old)
        op.setAttr(name, tag);
  a->setAttr(name, tag);
  b->setAttr(name, tag);
}

static LogicalResult force(ModuleOp module, const Options &options,
                           const Plan &before, Operation *a, Operation *b) {
  tagPair(a, b);
  Planned planned;
  if (failed(planModel(module, options, planned)))
    return failure();
  auto [oldNs, oldUnknown] = getTotal(before);
  auto [newNs, newUnknown] = getTotal(planned.plan);
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "Forced into one kernel, the program would take " << newNs << " ns in "
     << planned.plan.groups.size() << " kernel(s), instead of " << oldNs
     << " ns in " << before.groups.size() << " (" << (newNs < oldNs ? "" : "+")
     << newNs - oldNs << " ns).";
  if (oldUnknown || newUnknown)
    os << " Kernels without a price, which are not in these sums: "
       << newUnknown << " instead of " << oldUnknown << ".";
  llvm::outs() << "\n";
  printWrapped(text, llvm::outs());
  return success();
}

//===----------------------------------------------------------------------===//
// Main
//===----------------------------------------------------------------------===//

static LogicalResult explainPair(ModuleOp module, const Options &options,
                                 const Identity &at, const Identity &with) {
  Planned planned;
  if (failed(prepare(module, options)) ||
      failed(planModel(module, options, planned)))
    return failure();
  FailureOr<SmallVector<Operation *>> first =
      findPlanned(planned.plan, findNormalized(module, at), at);
  FailureOr<SmallVector<Operation *>> second =
      findPlanned(planned.plan, findNormalized(module, with), with);
  if (failed(first) || failed(second))
    return failure();
  auto [a, b] = choosePair(planned.plan, *first, *second);
  if (a->getBlock() != b->getBlock())
    return fail(describe(at) + " and " + describe(with) +
                " stand in different blocks; nothing moves across blocks");
  std::optional<FusionExplainer> explainer(std::in_place, planned.plan, module,
                                           planned.resolved.options);
  FusionExplanation explanation = explainer->explain(a, b);
  explainer.reset();
  bool inOrder = !b->isBeforeInBlock(a);
  printExplanation(explanation, planned.resolved.options,
                   describe(inOrder ? at : with), describe(inOrder ? with : at),
                   llvm::outs());
  return options.force ? force(module, options, planned.plan, a, b) : success();
}

/// Writes the plan of the whole module.
static LogicalResult writeReport(ModuleOp module, const Options &options) {
  auto emitFileError = [&]() {
    return emitError(
        FileLineColLoc::get(module.getContext(), options.report, 0, 0));
  };
  Planned planned;
  if (failed(checkReportFile(options.report, emitFileError)) ||
      failed(prepare(module, options)) ||
      failed(planModel(module, options, planned)))
    return failure();
  return writeReportFile(
      makeExplainedReport(planned.plan, module, planned.resolved.options,
                          options.path, options.plan.costModel),
      options.report, emitFileError);
}

static LogicalResult run(const Options &options, MLIRContext *context) {
  Source source;
  SourceMgrDiagnosticHandler handler(source.buffers, context);
  bool pair = !options.at.empty() || !options.with.empty() || options.force;
  if (pair != options.report.empty() ||
      (pair && (options.at.empty() || options.with.empty())))
    return fail("expected --at and --and, or --report alone");
  if (failed(readSource(options.path, context, source)))
    return failure();
  if (!options.report.empty())
    return writeReport(*source.module, options);
  std::string message;
  FailureOr<Identity> at = resolve(options.at, source, message);
  if (failed(at))
    return fail("--at: " + message);
  FailureOr<Identity> with = resolve(options.with, source, message);
  if (failed(with))
    return fail("--and: " + message);
  if (*at == *with)
    return fail("expected two operators, but --at and --and are both " +
                describe(*at));
  return explainPair(*source.module, options, *at, *with);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Options options;
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Says why two operators of a model share a kernel or do not: both prices "
      "term by term, what decided, and what would have to change.\n");
  DialectRegistry registry;
  fuse::registerAllDialects(registry);
  fuse::registerAllExtensions(registry);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  return failed(run(options, &context));
}
