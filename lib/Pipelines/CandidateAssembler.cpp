// Candidates to assembled kernels: text of the group, PTX by the pipelines,
// `ptxas`, and the two stores of results.
#include "fuse-mlir/Analysis/MatrixUnits.h"
#include "fuse-mlir/Analysis/ReductionParts.h"
#include "fuse-mlir/InitAll.h"
#include "fuse-mlir/Pipelines/Pipelines.h"
#include "fuse-mlir/Pipelines/PtxasCostModel.h"
#include "fuse-mlir/Target/PtxModule.h"

#include "fuse-mlir/IR/FuseOps.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA1.h"

using namespace mlir;
using namespace mlir::fuse;

//===----------------------------------------------------------------------===//
// Text of a candidate
//===----------------------------------------------------------------------===//

/// Values that the kernel takes from outside, in order of first use. Blocks may
/// stand for themselves, without a region around them. A value that is missed
/// here is more than bad text: the clones become users of it, and its list of
/// uses is not made for several threads.
static SmallVector<Value> collectCaptures(const KernelView &kernel) {
  llvm::SmallPtrSet<Operation *, 16> inside(kernel.ops.begin(),
                                            kernel.ops.end());
  llvm::SetVector<Value> captures;
  for (Operation *op : kernel.ops)
    op->walk([&](Operation *user) {
      for (Value value : user->getOperands()) {
        Operation *around = value.getParentBlock()->getParentOp();
        bool isOfBody = around && op->isAncestor(around);
        if (!isOfBody && !inside.contains(value.getDefiningOp()))
          captures.insert(value);
      }
    });
  return captures.takeVector();
}

/// The device spec that the candidate is planned for; null if there is none.
static Attribute getSystemSpec(Operation *op) {
  for (; op; op = op->getParentOp())
    if (Attribute spec = op->getAttr(DLTIDialect::kTargetSystemDescAttrName))
      return spec;
  return {};
}

/// A program with one function that runs `kernel` as one group; empty if the
/// context has no functions.
static std::string printCandidate(const KernelView &kernel) {
  MLIRContext *context = kernel.ops.front()->getContext();
  if (!context->getLoadedDialect<func::FuncDialect>())
    return "";
  OpBuilder builder(context);
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, loc);
  if (Attribute spec = getSystemSpec(kernel.ops.front()))
    module.get()->setAttr(DLTIDialect::kTargetSystemDescAttrName, spec);
  builder.setInsertionPointToEnd(module->getBody());
  SmallVector<Value> captures = collectCaptures(kernel);
  TypeRange outputs(ValueRange(kernel.outputs));
  func::FuncOp function = func::FuncOp::create(
      builder, loc, "candidate",
      builder.getFunctionType(TypeRange(ValueRange(captures)), outputs));
  if (isOrderStrict(kernel.ops.front()))
    function->setAttr(kFpOrderAttrName,
                      builder.getStringAttr("strict"));
  if (mayRoundToTf32(kernel.ops.front()->getParentOp()))
    function->setAttr(kF32ProductsAttrName,
                      builder.getStringAttr("tf32"));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  IRMapping mapping;
  mapping.map(captures, function.getArguments());
  GroupOp group =
      GroupOp::create(builder, loc, outputs, builder.getStringAttr("candidate"),
                      /*op_class=*/nullptr, /*cost=*/nullptr);
  func::ReturnOp::create(builder, loc, group.getResults());
  builder.createBlock(&group.getBody());
  for (Operation *op : kernel.ops) {
    Operation *copy = builder.clone(*op, mapping);
    copy->removeAttr(FuseDialect::kOrdinalAttrName);
    copy->removeAttr(FuseDialect::kMustFuseAttrName);
    copy->removeAttr(FuseDialect::kNeverFuseAttrName);
  }
  SmallVector<Value> yielded;
  for (Value output : kernel.outputs)
    yielded.push_back(mapping.lookup(output));
  YieldOp::create(builder, loc, yielded);
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, OpPrintingFlags().useLocalScope());
  return text;
}

//===----------------------------------------------------------------------===//
// Compiling and assembling
//===----------------------------------------------------------------------===//

CandidateAssembler::CandidateAssembler(std::string ptxas, std::string cacheDir)
    : cacheDir(std::move(cacheDir)) {
  program = ptxas.empty() ? Ptxas::find() : Ptxas(std::move(ptxas));
  if (program)
    version = program->getVersion();
  if (version.empty())
    program.reset();
}

CandidateAssembler::~CandidateAssembler() = default;

AssembledKernel CandidateAssembler::assemble(const KernelView &kernel) {
  if (!program)
    return {std::nullopt, "there is no ptxas"};
  std::string text = printCandidate(kernel);
  if (text.empty())
    return {std::nullopt, "the func dialect is not loaded"};
  FailureOr<DeviceInfo> device = getAttachedDevice(kernel.ops.front());
  if (failed(device))
    return {std::nullopt, "the device is not known"};
  std::lock_guard<std::mutex> lock(mutex);
  auto [entry, isNew] = known.try_emplace(device->chip + "\n" + text);
  if (isNew)
    entry->second =
        compile(text, kernel.ops.front()->getContext(), device->chip);
  return entry->second;
}

AssembledKernel CandidateAssembler::compile(StringRef text, MLIRContext *source,
                                            StringRef chip) {
  if (!context) {
    DialectRegistry registry;
    source->getDialectRegistry().appendTo(registry);
    registerAllDialects(registry);
    registerAllExtensions(registry);
    context = std::make_unique<MLIRContext>(registry,
                                            MLIRContext::Threading::DISABLED);
  }
  std::string message;
  ScopedDiagnosticHandler handler(context.get(), [&](Diagnostic &diagnostic) {
    if (message.empty() &&
        diagnostic.getSeverity() == DiagnosticSeverity::Error)
      message = diagnostic.str();
    return success();
  });
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(text, context.get());
  if (!module)
    return {std::nullopt, "its text cannot be read back: " + message};
  PassManager pm(context.get(), ModuleOp::getOperationName(),
                 OpPassManager::Nesting::Implicit);
  buildFuseGroupsToGpuPipeline(pm, FuseGroupsToGpuOptions());
  buildFuseKernelsToPtxPipeline(pm, chip, /*features=*/"");
  if (failed(pm.run(*module)))
    return {std::nullopt, "no code could be made of it: " + message};
  SmallVector<PtxModule> binaries = collectPtxModules(*module);
  if (binaries.size() != 1)
    return {std::nullopt, "it becomes several kernels, not one"};
  return assemblePtx(binaries.front().text, chip);
}

//===----------------------------------------------------------------------===//
// The store of files
//===----------------------------------------------------------------------===//

/// The resources in the file `path`; nothing if it is not one of ours.
static std::optional<KernelResources> readResources(StringRef path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file =
      llvm::MemoryBuffer::getFile(path);
  if (!file)
    return std::nullopt;
  llvm::Expected<llvm::json::Value> value =
      llvm::json::parse((*file)->getBuffer());
  if (!value) {
    llvm::consumeError(value.takeError());
    return std::nullopt;
  }
  llvm::json::Path::Root root;
  llvm::json::ObjectMapper map(*value, root);
  KernelResources result;
  if (!map || !map.map("kernel", result.kernel) ||
      !map.map("registers", result.registers) ||
      !map.map("stack_bytes", result.stackBytes) ||
      !map.map("spill_store_bytes", result.spillStoreBytes) ||
      !map.map("spill_load_bytes", result.spillLoadBytes) ||
      !map.map("shared_bytes", result.sharedBytes) ||
      !map.map("code_bytes", result.codeBytes))
    return std::nullopt;
  return result;
}

/// Writes the file at once or not at all. What cannot be kept is assembled
/// again another time.
static void writeResources(const KernelResources &resources, StringRef path) {
  llvm::json::Value value =
      llvm::json::Object{{"kernel", resources.kernel},
                         {"registers", resources.registers},
                         {"stack_bytes", resources.stackBytes},
                         {"spill_store_bytes", resources.spillStoreBytes},
                         {"spill_load_bytes", resources.spillLoadBytes},
                         {"shared_bytes", resources.sharedBytes},
                         {"code_bytes", resources.codeBytes}};
  llvm::consumeError(llvm::writeToOutput(path, [&](raw_ostream &os) {
    os << value << "\n";
    return llvm::Error::success();
  }));
}

AssembledKernel CandidateAssembler::assemblePtx(StringRef ptx, StringRef chip) {
  SmallString<128> path(cacheDir);
  if (!cacheDir.empty()) {
    std::string key = (version + "\n" + chip + "\n" + ptx).str();
    std::array<uint8_t, 20> hash =
        llvm::SHA1::hash(llvm::arrayRefFromStringRef(key));
    llvm::sys::path::append(path,
                            llvm::toHex(hash, /*LowerCase=*/true) + ".json");
    if (std::optional<KernelResources> stored = readResources(path))
      return {stored, ""};
  }
  std::string message;
  FailureOr<SmallVector<KernelResources>> kernels =
      program->assemble(ptx, chip, message);
  if (failed(kernels))
    return {std::nullopt, "ptxas refuses it: " + message};
  if (kernels->size() != 1)
    return {std::nullopt, "it becomes " + std::to_string(kernels->size()) +
                              " kernels, not one"};
  if (!cacheDir.empty())
    writeResources(kernels->front(), path);
  return {kernels->front(), ""};
}
