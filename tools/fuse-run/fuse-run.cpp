// Compiles a model with fusion, runs it, and compares it with the same model
// lowered without fusion on the CPU.
#include "Compare.h"
#include "Compile.h"
#include "Counters.h"
#include "Execute.h"
#include "Model.h"
#include "Options.h"
#include "Print.h"
#include "Progress.h"
#include "Serve.h"
#include "Tolerance.h"

#include "fuse-mlir/CostModel/Device.h"
#include "fuse-mlir/InitAll.h"
#include "fuse-mlir/Target/PtxModule.h"
#include "fuse-mlir/Transforms/Functions.h"
#include "fuse-mlir/Transforms/WidenSums.h"

#include "mlir/Debug/Counter.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/InterleavedRange.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::run;
namespace cl = llvm::cl;

namespace {
/// Exit codes.
enum : int { kFine = 0, kError = 1, kMismatch = 2 };
} // namespace

static int optionError(StringRef option, const Twine &expected, StringRef got) {
  llvm::WithColor::error(llvm::errs(), "fuse-run")
      << "--" << option << ": expected " << expected << ", but got '" << got
      << "'\n";
  return kError;
}

/// The device that was asked for; nothing, with a diagnostic, if the file of
/// one is wrong, and without one if there is no such name.
static std::optional<DeviceInfo> findDevice(const Options &options,
                                            MLIRContext *context) {
  if (!isDeviceFile(options.device))
    return lookupDevice(options.device);
  FailureOr<DeviceInfo> device = readDeviceFile(options.device, context);
  return succeeded(device) ? std::optional(*device) : std::nullopt;
}

/// Checks what can be checked before any work.
static int checkOptions(const Options &options, MLIRContext *context) {
  if (!parsePlanStrategy(options.plan.strategy))
    return optionError("strategy", listPlanStrategies(), options.plan.strategy);
  for (const std::string &strategy : options.also)
    if (!parsePlanStrategy(strategy))
      return optionError("also", listPlanStrategies(), strategy);
  for (const cl::opt<unsigned> *level :
       {&options.optLevel, &options.alsoOptLevel})
    if (*level > 3)
      return optionError(level->ArgStr, "0 to 3",
                         std::to_string(level->getValue()));
  if (!options.also.empty() && (options.noRun || options.sampleBlocks))
    return optionError("also", "a run of all blocks",
                       options.noRun ? "--no-run" : "--sample-blocks");
  if (!llvm::is_contained({"", "source", "f32"}, options.plan.halfSums))
    return optionError("half-sums", "source or f32", options.plan.halfSums);
  if (!findDevice(options, context)) {
    if (isDeviceFile(options.device))
      return kError;
    return optionError("device",
                       "a file or one of " + llvm::join(getDeviceNames(), ", "),
                       options.device);
  }
  for (const std::string &file :
       {options.report.getValue(), options.ptx.getValue()})
    if (!file.empty() && failed(checkReportFile(file, [&]() {
          return emitError(FileLineColLoc::get(context, file, 0, 0));
        })))
      return kError;
  return kFine;
}

/// Runs the compiled module with the sizes of `binding`, and the reference
/// unless its results are there. Only the first run is counted.
static LogicalResult runBoth(ModuleOp compiled, const Model &source,
                             const SizeBinding &binding, const Options &options,
                             CompileResult &result, ProfileTable &profile,
                             std::optional<std::vector<HostTensor>> &expected,
                             Verdict &verdict) {
  Model model = bindSizes(source, binding);
  bool isFirst = &binding == &source.bindings.front();
  const std::vector<HostTensor> inputs = drawInputs(model, options.seed);
  std::vector<HostTensor> got;
  reportProgress("running the kernels");
  Counters counters(result.launches.size());
  DeviceInfo device = *findDevice(options, compiled.getContext());
  if (!options.profile.empty() ||
      (options.caches.getNumOccurrences() ? options.caches
                                          : !options.report.empty()))
    Counters::simulateCaches(device, result.report);
  ExecuteOptions execution;
  PlanReport uncounted;
  execution.beforeUnload = [&]() {
    counters.collect(isFirst ? result.report : uncounted);
    if (isFirst)
      Counters::addTimes(result.report, device, profile);
  };
  if (failed(runOnCopies(compiled, model, inputs, got, execution,
                         /*mayWriteInputs=*/false)))
    return failure();
  if (!counters.getError().empty())
    return compiled.emitError("running the kernels failed: ")
           << counters.getError();
  if (counters.getLeaks() != 0)
    return compiled.emitError("the compiled program leaves ")
           << counters.getLeaks() << " device allocations behind";
  verdict.backend = Counters::getBackend();
  if (!expected &&
      failed(runReference(*source.module, model, inputs, expected.emplace())))
    return failure();
  reportProgress("comparing");
  compareAll(got, *expected,
             source.bindings.size() > 1 ? toString(binding) + ": " : "",
             getTolerances(source), verdict);
  result.report.maxError = verdict.maxError;
  result.report.verified = verdict.verified;
  return success();
}

/// Different elements of an input whose results are not looked at.
static constexpr int64_t kDistinct = 1 << 20;

/// Runs a sample of the blocks of each kernel, on inputs that repeat, and
/// counts what they do. There is nothing to compare.
static LogicalResult runSample(ModuleOp compiled, const Model &source,
                               const Options &options, CompileResult &result,
                               ProfileTable &profile) {
  Model model = bindSizes(source, source.bindings.front());
  std::vector<HostTensor> results;
  std::vector<HostTensor> inputs = drawInputs(model, options.seed, kDistinct);
  reportProgress("running the kernels");
  Counters counters(result.launches.size());
  DeviceInfo device = *findDevice(options, compiled.getContext());
  Counters::simulateCaches(device, result.report);
  Counters::sampleBlocks(options.sampleBlocks, options.seed);
  ExecuteOptions execution;
  execution.wantsResults = false;
  execution.beforeUnload = [&]() {
    counters.collect(result.report);
    Counters::addTimes(result.report, device, profile);
  };
  if (failed(execute(compiled, model, inputs, results, execution)))
    return failure();
  if (!counters.getError().empty())
    return compiled.emitError("running the kernels failed: ")
           << counters.getError();
  return success();
}

/// Prints what the reference computes: shape, first elements, largest.
static int printReference(const Model &source, const SizeBinding &binding,
                          uint64_t seed) {
  Model model = bindSizes(source, binding);
  std::vector<HostTensor> results;
  if (failed(runReference(*source.module, model, drawInputs(model, seed),
                          results)))
    return kError;
  clearProgress();
  if (source.bindings.size() > 1)
    llvm::outs() << toString(binding) << "\n";
  for (auto [index, tensor] : llvm::enumerate(results)) {
    llvm::outs() << "result " << index << ": "
                 << llvm::interleaved_array(tensor.shape) << " "
                 << tensor.elementType << ", largest "
                 << llvm::format("%.6g", getLargestMagnitude(tensor)) << ":";
    for (int64_t i = 0; i < std::min<int64_t>(8, tensor.getNumElements()); ++i)
      llvm::outs() << " " << tensor.getAsString(i);
    llvm::outs() << "\n";
  }
  return kFine;
}

/// Why the model is not executed; empty if it can be.
static std::string whyNotRun(const Options &options, Model &model) {
  if (options.noRun)
    return "--no-run";
  if (options.sampleBlocks)
    return "--sample-blocks: only some blocks ran";
  FunctionOpInterface entry = model.getEntry();
  if (!entry || entry.isExternal())
    return "";
  Operation *call = findExternalCall(model);
  if (!call)
    return "";
  std::string name;
  if (SymbolRefAttr callee = dyn_cast_if_present<SymbolRefAttr>(
          cast<CallOpInterface>(call).getCallableForCallee()))
    name = callee.getLeafReference().str();
  return "the model calls the external function '" + name + "'";
}

/// The table that times are added to: an empty one if the file is not there.
static FailureOr<ProfileTable> readProfile(const Options &options,
                                           ModuleOp module) {
  ProfileTable empty;
  empty.device = findDevice(options, module.getContext())->name;
  if (options.profile.empty() || !llvm::sys::fs::exists(options.profile))
    return empty;
  FailureOr<ProfileTable> table =
      ProfileTable::read(options.profile, [&]() { return module.emitError(); });
  if (succeeded(table) && table->device != empty.device)
    return module.emitError("profile '")
           << options.profile << "' is of device '" << table->device
           << "', but the kernels run on '" << empty.device << "'";
  return table;
}

/// All kernels of a program are in one PTX module.
static LogicalResult writePtx(ModuleOp compiled, StringRef path) {
  std::string text;
  for (const PtxModule &ptx : collectPtxModules(compiled))
    text += ptx.text;
  return writeReportText(text, path, [&]() {
    return emitError(FileLineColLoc::get(compiled.getContext(), path, 0, 0));
  });
}

/// For the compiled program and the reference alike.
static void setHalfSums(ModuleOp module, StringRef halfSums) {
  if (halfSums.empty())
    return;
  for (FunctionOpInterface function : collectFunctions(module))
    function->setAttr(kHalfSumsAttrName,
                      StringAttr::get(module.getContext(), halfSums));
}

/// `main`, or the only function with a body if there is no `main`.
static std::string chooseEntry(ModuleOp module) {
  SmallVector<StringRef> names;
  for (auto function : module.getOps<FunctionOpInterface>())
    if (!function.isExternal())
      names.push_back(SymbolTable::getSymbolName(function).getValue());
  return names.size() == 1 ? names.front().str() : "main";
}

/// What the reference computes, for each binding of the sizes.
using References = std::vector<std::optional<std::vector<HostTensor>>>;

/// The program, printed: decided ones with equal texts compile to equal code.
static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os);
  return text;
}

/// How many kernels there are of each way to generate code.
static llvm::json::Object countPaths(const PlanReport &report) {
  llvm::json::Object counts;
  for (const GroupRow &row : report.groups) {
    llvm::json::Value &count =
        counts[row.path ? stringifyKernelPath(*row.path) : "other"];
    count = count.getAsInteger().value_or(0) + 1;
  }
  return counts;
}

/// Decides on the `prepared` program by the further strategies, compiles the
/// plans that are not yet in `plans` (texts of plans, and whose they are), runs
/// and compares them, and gives a row of the report for each strategy. What
/// differs is added to `verdict`.
static FailureOr<llvm::json::Array>
runFurther(const Options &options, const Model &model, ModuleOp prepared,
           CompileOptions compiling, llvm::StringMap<std::string> plans,
           References &references, Verdict &verdict) {
  llvm::json::Array rows;
  compiling.assemble = false;
  compiling.optLevel = options.alsoOptLevel;
  for (const std::string &strategy : options.also) {
    compiling.plan.strategy = strategy;
    OwningOpRef<ModuleOp> compiled = prepared.clone();
    CompileResult result;
    if (failed(decide(*compiled, compiling, result)))
      return failure();
    auto [same, isNew] = plans.try_emplace(print(*compiled), strategy);
    if (!isNew) {
      rows.push_back(llvm::json::Object{{"strategy", strategy},
                                        {"same_as", same->second}});
      continue;
    }
    Verdict own;
    own.verified = true;
    if (failed(lower(*compiled, compiling, result)))
      return failure();
    ProfileTable uncounted;
    for (auto [binding, expected] : llvm::zip_equal(model.bindings, references))
      if (failed(runBoth(*compiled, model, binding, options, result, uncounted,
                         expected, own)))
        return failure();
    verdict.verified &= own.verified;
    verdict.maxError = std::max(verdict.maxError, own.maxError);
    for (const std::string &detail : own.details)
      verdict.details.push_back(strategy + ": " + detail);
    rows.push_back(
        llvm::json::Object{{"strategy", strategy},
                           {"same_as", nullptr},
                           {"kernels_unfused", result.report.kernelsUnfused},
                           {"kernels", result.report.kernels},
                           {"groups", int64_t(result.report.groups.size())},
                           {"paths", countPaths(result.report)},
                           {"max_error", own.maxError},
                           {"verified", own.verified}});
  }
  return rows;
}

static CompileOptions getCompileOptions(const Options &options) {
  CompileOptions result;
  result.device = options.device;
  result.chip = options.chip;
  result.fpOrder = options.plan.fpOrder;
  result.plan = options.plan.getRequest();
  result.assemble = options.assemble;
  result.optLevel = options.optLevel;
  result.verifyEach = options.verifyEach;
  return result;
}

/// Runs the reference alone, at all sizes, unless it cannot run.
static int printReferences(const Options &options, Model &model,
                           StringRef notRun) {
  if (!notRun.empty()) {
    llvm::WithColor::error(llvm::errs(), "fuse-run") << notRun << "\n";
    return kError;
  }
  for (const SizeBinding &binding : model.bindings)
    if (int code = printReference(model, binding, options.seed))
      return code;
  return kFine;
}

/// Writes the report and the table of times, if they are wanted.
static LogicalResult writeFiles(const Options &options, Model &model,
                                llvm::json::Object report,
                                const ProfileTable &profile) {
  auto write = [&](llvm::json::Value value, const std::string &path) {
    return path.empty() ? success()
                        : writeReportFile(std::move(value), path, [&]() {
                            return emitError(FileLineColLoc::get(
                                model.module->getContext(), path, 0, 0));
                          });
  };
  return success(succeeded(write(std::move(report), options.report)) &&
                 succeeded(write(profile.toJSON(), options.profile)));
}

static int runModel(const Options &options, Model &model) {
  Verdict verdict;
  verdict.notRun = whyNotRun(options, model);
  SmallVector<std::string> sizes(options.sizes.begin(), options.sizes.end());
  bool execution = verdict.notRun.empty();
  bool samples = options.sampleBlocks && !options.noRun;
  if ((execution || samples) &&
      (failed(readSignature(model, model.entry)) ||
       failed(readDrawFile(model, options.inputs)) ||
       failed(readBindings(model, sizes)) || failed(checkMemory(model)) ||
       failed(checkRecursion(model))))
    return kError;
  if (options.referenceOnly)
    return printReferences(options, model, verdict.notRun);
  FailureOr<ProfileTable> profile = readProfile(options, *model.module);
  if (failed(profile))
    return kError;
  CompileOptions compileOptions = getCompileOptions(options);
  OwningOpRef<ModuleOp> compiled = model.module.get().clone(), prepared;
  llvm::StringMap<std::string> plans;
  CompileResult result;
  if (failed(prepare(*compiled, compileOptions)))
    return kError;
  if (!options.also.empty())
    prepared = compiled->clone();
  if (failed(decide(*compiled, compileOptions, result)))
    return kError;
  if (!options.also.empty())
    plans[print(*compiled)] = options.plan.strategy;
  if (failed(lower(*compiled, compileOptions, result)))
    return kError;
  if (!options.ptx.empty() && failed(writePtx(*compiled, options.ptx)))
    return kError;
  result.report.model = options.path;
  verdict.verified = execution;
  References references(model.bindings.size());
  for (auto [binding, expected] : llvm::zip_equal(model.bindings, references))
    if (execution && failed(runBoth(*compiled, model, binding, options, result,
                                    *profile, expected, verdict)))
      return kError;
  FailureOr<llvm::json::Array> further = llvm::json::Array();
  if (execution && !options.also.empty())
    further = runFurther(options, model, *prepared, compileOptions, plans,
                         references, verdict);
  if (failed(further))
    return kError;
  if (samples && failed(runSample(*compiled, model, options, result, *profile)))
    return kError;
  clearProgress();
  PrintOptions printing;
  printing.kernelTable = options.kernelTable;
  printing.allDecisions = options.decisions;
  raw_ostream &os = options.report == "-" ? llvm::errs() : llvm::outs();
  printSummary(result, verdict, printing, os);
  llvm::json::Object report = *result.report.toJSON().getAsObject();
  if (!options.also.empty())
    report["also"] = std::move(*further);
  if (failed(writeFiles(options, model, std::move(report), *profile)))
    return kError;
  return execution && !verdict.verified ? kMismatch : kFine;
}

/// Parses the command line into `options`, which hold defaults; ends the
/// program if it is wrong.
static void parseOptions(ArrayRef<const char *> arguments, Options &options) {
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(
      int(arguments.size()), arguments.data(),
      "Compiles a model with fusion, runs its kernels, and compares the "
      "results with the unfused model on the CPU.\n\n"
      "Exit code: 0 fine, 1 an error, 2 a result differs.\n");
}

static int runCommand(const Options &options, MLIRContext &context) {
  if (options.path.empty()) {
    llvm::WithColor::error(llvm::errs(), "fuse-run")
        << "expected a model, but got none; see --help\n";
    return kError;
  }
  setProgressMode(options.progress);
  if (tracing::DebugCounter::isActivated())
    context.registerActionHandler(tracing::DebugCounter());
  llvm::SourceMgr sourceMgr;
  SourceMgrDiagnosticHandler handler(sourceMgr, &context);
  Model model;
  if (int code = checkOptions(options, &context))
    return code;
  if (failed(loadModel(options.path, &context, sourceMgr, model)))
    return kError;
  setHalfSums(*model.module, options.plan.halfSums);
  model.entry = options.entry;
  if (model.entry.empty())
    model.entry = chooseEntry(*model.module);
  return runModel(options, model);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Options options;
  tracing::DebugCounter::registerCLOptions();
  parseOptions(ArrayRef(argv, argc), options);
  mlir::registerAllPasses();
  fuse::registerPasses();
  fuse::registerPipelines();
  DialectRegistry registry;
  fuse::registerAllDialects(registry);
  fuse::registerAllExtensions(registry);
  registerAllToLLVMIRTranslations(registry);
  // Copies of a process have no threads but their own.
  MLIRContext context(registry, options.serve
                                    ? MLIRContext::Threading::DISABLED
                                    : MLIRContext::Threading::ENABLED);
  context.printOpOnDiagnostic(false);
  if (!options.serve)
    return runCommand(options, context);
  setProgressMode(ProgressMode::Never);
  if (failed(warmUp(context)))
    return kError;
  return serve(argv[0], [&](ArrayRef<const char *> arguments) {
    cl::ResetAllOptionOccurrences();
    parseOptions(arguments, options);
    return runCommand(options, context);
  });
}
