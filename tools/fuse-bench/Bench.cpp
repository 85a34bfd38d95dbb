// Rows as lines and as JSON, and the list of suites.
#include "Bench.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace mlir::fuse::bench;

ArrayRef<Suite> fuse::bench::getSuites() {
  static const Suite suites[] = {
      {"accuracy",
       "sectors and registers of kernels, predicted beside counted and "
       "assembled",
       runAccuracy},
      {"contractions",
       "instructions, traffic and conflicts of matrix products and "
       "convolutions",
       runContractions},
      {"emulator", "time and memory of the PTX emulator, and its samples",
       runEmulator},
      {"kernels",
       "traffic and instructions of each shape of kernel; with folders, beside "
       "kernels of others",
       runKernels},
      {"planning", "time and memory of planning, by family and size",
       runPlanning},
      {"models", "kernels and bytes of plans beside other compilers' figures",
       runModels},
      {"policies",
       "kernels by the policies of other compilers beside their own figures",
       runPolicies},
      {"regressions",
       "time by counted events of plans by price, of others, and of the "
       "policies of other compilers",
       runRegressions},
      {"optimality", "greedy plans beside exact ones", runOptimality},
  };
  return suites;
}

std::optional<bool> Row::isOk() const {
  if (!goal || pending)
    return std::nullopt;
  return value && *value <= *goal;
}

template <typename T>
static llvm::json::Value orNull(std::optional<T> value) {
  if (!value)
    return nullptr;
  return *value;
}

llvm::json::Object Row::toJSON() const {
  llvm::json::Object object = more;
  object["name"] = name;
  object["value"] = orNull(value);
  object["unit"] = unit;
  object["goal"] = orNull(goal);
  object["ok"] = orNull(isOk());
  if (!note.empty())
    object["note"] = note;
  return object;
}

bool Settings::wants(StringRef name) const {
  return filter.empty() || llvm::Regex(filter).match(name);
}

void Results::add(Row row) {
  auto number = [](std::optional<double> value) {
    return value ? llvm::formatv("{0:F3}", *value).str() : std::string("-");
  };
  std::optional<bool> ok = row.isOk();
  StringRef verdict = ok            ? (*ok ? "ok" : "missed")
                      : row.pending ? "pending"
                                    : "";
  std::string line = llvm::formatv(
      "{0,-44} {1,14} {2,-10} {3,10} {4,-7} {5}", row.name, number(row.value),
      row.unit, row.goal ? number(row.goal) : "", verdict, row.note);
  llvm::outs() << StringRef(line).rtrim() << "\n";
  llvm::outs().flush();
  rows.push_back(std::move(row));
}

llvm::json::Value Results::toJSON() const {
  llvm::json::Array array;
  for (const Row &row : rows)
    array.push_back(row.toJSON());
  return llvm::json::Object{{"suite", suite}, {"rows", std::move(array)}};
}

void fuse::bench::reportError(const Twine &message) {
  llvm::WithColor::error(llvm::errs(), "fuse-bench") << message << "\n";
}

FailureOr<std::vector<GraphFile>>
fuse::bench::findGraphs(const Settings &settings,
                        ArrayRef<StringRef> defaults) {
  std::vector<std::string> folders = settings.folders;
  if (folders.empty())
    for (StringRef folder : defaults)
      folders.push_back((Twine(FUSE_SOURCE_DIR "/test/") + folder).str());
  std::vector<GraphFile> graphs;
  for (const std::string &folder : folders) {
    std::error_code error;
    for (llvm::sys::fs::directory_iterator it(folder, error), end;
         it != end && !error; it.increment(error)) {
      StringRef path = it->path();
      std::string name = llvm::sys::path::stem(path).str();
      if (llvm::sys::path::extension(path) == ".mlir" && settings.wants(name))
        graphs.push_back({name, path.str()});
    }
    if (error) {
      reportError("cannot read folder '" + folder + "': " + error.message());
      return failure();
    }
  }
  llvm::sort(graphs, [](const GraphFile &a, const GraphFile &b) {
    return std::tie(a.name, a.path) < std::tie(b.name, b.path);
  });
  return graphs;
}
