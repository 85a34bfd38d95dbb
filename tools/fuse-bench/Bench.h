// What the benchmark suites share: rows with goals, as a table and as JSON, and
// the graphs to measure. A suite is one file NAME.cpp and one entry in
// `getSuites`.
#ifndef FUSE_MLIR_TOOLS_FUSE_BENCH_BENCH_H
#define FUSE_MLIR_TOOLS_FUSE_BENCH_BENCH_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Regex.h"

#include <optional>
#include <string>
#include <vector>

namespace mlir::fuse::bench {

/// One figure. Without a value it could not be measured; `note` says why.
struct Row {
  std::string name;
  std::optional<double> value;
  std::string unit;
  /// The largest value that is good enough.
  std::optional<double> goal;
  /// Nothing can be said yet: a kernel that the figure needs is to come.
  bool pending = false;
  std::string note;
  /// What else the row has in JSON.
  llvm::json::Object more;

  /// Whether the goal is met; nothing without a goal or while pending. A
  /// figure that could not be measured misses its goal.
  std::optional<bool> isOk() const;
  llvm::json::Object toJSON() const;
};

struct Settings {
  /// Folders of graphs; empty: those of the repository.
  std::vector<std::string> folders;
  /// Names of what is measured; empty: all.
  std::string filter;
  /// CPU seconds that one measurement may take.
  double limit = 20;

  /// Whether the case `name` is asked for.
  bool wants(StringRef name) const;
};

/// Prints rows as they come and keeps them.
class Results {
public:
  explicit Results(StringRef suite) : suite(suite.str()) {}

  /// Prints the row as a line of the table.
  void add(Row row);

  llvm::json::Value toJSON() const;
  size_t size() const { return rows.size(); }

private:
  std::string suite;
  std::vector<Row> rows;
};

/// Reports an error of the tool on stderr.
void reportError(const Twine &message);

/// The `.mlir` files of `folders` that `settings` wants, by name; a folder that
/// cannot be read is an error. Without folders those of the repository's
/// `defaults`, relative to its `test` folder.
struct GraphFile {
  std::string name, path;
};
FailureOr<std::vector<GraphFile>> findGraphs(const Settings &settings,
                                             ArrayRef<StringRef> defaults);

struct Suite {
  StringRef name, summary;
  LogicalResult (*run)(const Settings &settings, Results &results);
};

LogicalResult runAccuracy(const Settings &settings, Results &results);
LogicalResult runContractions(const Settings &settings, Results &results);
LogicalResult runEmulator(const Settings &settings, Results &results);
LogicalResult runKernels(const Settings &settings, Results &results);
LogicalResult runModels(const Settings &settings, Results &results);
LogicalResult runOptimality(const Settings &settings, Results &results);
LogicalResult runPolicies(const Settings &settings, Results &results);
LogicalResult runPlanning(const Settings &settings, Results &results);
LogicalResult runRegressions(const Settings &settings, Results &results);

ArrayRef<Suite> getSuites();

} // namespace mlir::fuse::bench

#endif // FUSE_MLIR_TOOLS_FUSE_BENCH_BENCH_H
