// The process, its environment and its files.
#include "FuseRun.h"

#include "Bench.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cmath>
#include <unistd.h>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::bench;

FuseRun::~FuseRun() {
  if (!scratch.empty())
    llvm::sys::fs::remove_directories(scratch);
}

std::string FuseRun::at(StringRef name) const {
  SmallString<128> path(scratch);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

LogicalResult FuseRun::start() {
  static int anchor;
  std::string self = llvm::sys::fs::getMainExecutable(nullptr, &anchor);
  SmallString<128> path(llvm::sys::path::parent_path(self));
  llvm::sys::path::append(path, "fuse-run");
  if (!llvm::sys::fs::can_execute(path)) {
    reportError("cannot find '" + path + "'");
    return failure();
  }
  program = path.str().str();
  if (std::error_code error =
          llvm::sys::fs::createUniqueDirectory("fuse-bench", scratch)) {
    reportError("cannot make a folder: " + error.message());
    return failure();
  }
  return success();
}

LogicalResult FuseRun::run(StringRef model, double seconds, std::string &why,
                           ArrayRef<std::string> flags,
                           ArrayRef<StringRef> variables) const {
  for (StringRef name : {"report.json", "runtime.json"})
    llvm::sys::fs::remove(at(name));
  std::string reportFlag = "--report=" + at("report.json");
  std::string counters = "FUSE_RUNTIME_REPORT=" + at("runtime.json");
  SmallVector<StringRef> arguments = {program, model, reportFlag};
  arguments.append(flags.begin(), flags.end());
  SmallVector<StringRef> environment = {counters};
  environment.append(variables.begin(), variables.end());
  for (char **variable = environ; *variable; ++variable)
    environment.push_back(*variable);
  std::string output = at("output.txt");
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(output),
                                          StringRef(output)};
  bool failed = false;
  int code = llvm::sys::ExecuteAndWait(
      program, arguments, ArrayRef<StringRef>(environment), redirects,
      unsigned(std::ceil(seconds)), 0, &why, &failed);
  if (failed || code < 0) {
    why = code == -2 ? "over the limit of time" : why;
    return failure();
  }
  return success();
}

FailureOr<llvm::json::Object> FuseRun::read(StringRef name,
                                            std::string &why) const {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file =
      llvm::MemoryBuffer::getFile(at(name));
  if (file) {
    llvm::Expected<llvm::json::Value> value =
        llvm::json::parse((*file)->getBuffer());
    if (value && value->getAsObject())
      return std::move(*value->getAsObject());
    if (!value)
      llvm::consumeError(value.takeError());
  }
  why = "fuse-run left no '" + name.str() + "'";
  return failure();
}

double fuse::bench::getNumber(const llvm::json::Object *object, StringRef key) {
  return object ? object->getNumber(key).value_or(0) : 0;
}

FailureOr<KernelTotals> FuseRun::readTotals(std::string &why) const {
  FailureOr<llvm::json::Object> report = read("report.json", why);
  if (failed(report))
    return failure();
  KernelTotals totals;
  totals.compulsoryBytes =
      std::max(1.0, getNumber(&*report, "compulsory_bytes"));
  totals.bytes = getNumber(&*report, "bytes");
  totals.kernels = report->getInteger("kernels").value_or(0);
  totals.verified = report->getBoolean("verified").value_or(false);
  const llvm::json::Array *groups = report->getArray("groups");
  for (const llvm::json::Value &value :
       groups ? *groups : llvm::json::Array()) {
    const llvm::json::Object *group = value.getAsObject();
    if (!group)
      continue;
    totals.registers =
        std::max(totals.registers, group->getInteger("registers").value_or(0));
    totals.spills += group->getInteger("spill_bytes").value_or(0);
    totals.paths += (totals.paths.empty() ? "" : "+") +
                    group->getString("path").value_or("split").str();
  }
  return totals;
}

LogicalResult FuseRun::forEachLaunch(
    std::string &why,
    function_ref<void(const llvm::json::Object &launch,
                      const llvm::json::Object &counters)>
        visit) const {
  FailureOr<llvm::json::Object> runtime = read("runtime.json", why);
  if (failed(runtime))
    return failure();
  const llvm::json::Array *launches = runtime->getArray("launches");
  for (const llvm::json::Value &value :
       launches ? *launches : llvm::json::Array()) {
    const llvm::json::Object *launch = value.getAsObject();
    if (const llvm::json::Object *counters =
            launch ? launch->getObject("counters") : nullptr)
      visit(*launch, *counters);
  }
  return success();
}
