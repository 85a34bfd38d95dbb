// Runs one suite of benchmarks: a table on stdout, and the same as JSON.
#include "Bench.h"

#include "fuse-mlir/Planner/Report.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::bench;
namespace cl = llvm::cl;

namespace {
/// The command line. A local of main: nothing is registered globally.
struct Options {
  cl::OptionCategory category{"fuse-bench"};
  cl::opt<std::string> suite{cl::Positional, cl::Required, cl::desc("SUITE"),
                             cl::cat(category)};
  cl::list<std::string> folders{cl::Positional, cl::desc("[FOLDER...]"),
                                cl::cat(category)};
  cl::opt<std::string> json{"json", cl::desc("Write the rows as JSON"),
                            cl::value_desc("file"), cl::cat(category)};
  cl::opt<std::string> filter{
      "filter", cl::desc("Measure what this regular expression is found in"),
      cl::value_desc("regex"), cl::cat(category)};
  cl::opt<double> limit{
      "limit", cl::init(20),
      cl::desc("CPU seconds that one measurement may take (default: 20)"),
      cl::value_desc("seconds"), cl::cat(category)};
};
} // namespace

/// The suite that is asked for; an error that lists the suites if there is
/// none.
static const Suite *findSuite(StringRef name) {
  std::string known;
  for (const Suite &suite : getSuites()) {
    if (suite.name == name)
      return &suite;
    known += (known.empty() ? "" : ", ") + suite.name.str();
  }
  reportError("unknown suite '" + name + "'; known are " + known);
  return nullptr;
}

static bool checkOptions(const Options &options) {
  std::string why;
  if (!options.filter.empty() && !llvm::Regex(options.filter).isValid(why)) {
    reportError("--filter: expected a regular expression, but got '" +
                options.filter + "': " + why);
    return false;
  }
  if (!(options.limit > 0 && options.limit < 1e6)) {
    reportError("--limit: expected seconds above 0, but got '" +
                std::to_string(options.limit) + "'");
    return false;
  }
  return true;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  std::string overview =
      "Measures planning and kernels. A row has a name, a value, its unit and, "
      "where there is one, a goal: the largest value that is good enough.\n\n"
      "Suites:\n";
  for (const Suite &suite : getSuites())
    overview += ("  " + suite.name + ": " + suite.summary + "\n").str();
  overview += "\nExit code: 0 measured, whatever the figures; 1 an error.\n";
  Options options;
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(argc, argv, overview);
  const Suite *suite = findSuite(options.suite);
  if (!suite || !checkOptions(options))
    return 1;
  // For the diagnostics of writing only: measurements have their own.
  MLIRContext context(MLIRContext::Threading::DISABLED);
  auto emitFileError = [&]() {
    return emitError(FileLineColLoc::get(&context, options.json, 0, 0));
  };
  if (!options.json.empty() &&
      failed(checkReportFile(options.json, emitFileError)))
    return 1;
  Settings settings;
  settings.folders = options.folders;
  settings.filter = options.filter;
  settings.limit = options.limit;
  Results results(suite->name);
  if (failed(suite->run(settings, results)))
    return 1;
  if (results.size() == 0) {
    reportError("nothing to measure");
    return 1;
  }
  if (!options.json.empty() &&
      failed(writeReportFile(results.toJSON(), options.json, emitFileError)))
    return 1;
  return 0;
}
