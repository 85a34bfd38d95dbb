// What a plan says about itself: groups, decisions and totals, as plain data
// and as JSON (docs/Report.md). A runner adds what it measured.
#ifndef FUSE_MLIR_PLANNER_REPORT_H
#define FUSE_MLIR_PLANNER_REPORT_H

#include "fuse-mlir/Analysis/LaunchShape.h"
#include "fuse-mlir/CostModel/CostBreakdown.h"
#include "fuse-mlir/IR/FuseDialect.h"

#include "llvm/Support/JSON.h"

#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace mlir::fuse {

/// 32-byte sectors that a kernel's warps ask for, and distinct ones.
struct SectorCount {
  int64_t requested = 0;
  int64_t unique = 0;
  /// Between L1 and L2, and between L2 and DRAM; with simulated caches.
  std::optional<int64_t> l2, dram;
};

/// One kernel. Absent means unknown or not measured, and is `null` in JSON.
struct GroupRow {
  /// Unique in the module; a legal symbol name.
  std::string name;
  /// Identities `function:ordinal:op-name:location`, in program order.
  std::vector<std::string> ops;
  OpClass opClass = OpClass::Injective;
  /// Nothing for a group that is emitted as several kernels.
  std::optional<KernelPath> path;
  /// The tiles of its contractions or of its attention, of a packed kernel
  /// those of the parts that have one, on the planned device.
  SmallVector<TileShape, 1> tiles;
  std::optional<int64_t> bytesRead, bytesWritten, flops;
  std::optional<int64_t> predictedNs, registersPredicted;
  /// Of a kernel of unknown sizes, see `PlannedGroup::range`.
  std::optional<PriceRange> predictedRange;
  std::optional<SectorCount> predictedSectors;
  // What compiling, assembling and running add:
  /// Its function, which equal kernels share; empty before code is generated.
  std::string entry;
  std::optional<int64_t> registers, spillBytes, sharedBytes;
  /// Counted while the kernel ran.
  std::optional<SectorCount> countedSectors;
  /// Kernels that are emitted for it, and the bytes that they read and write.
  int64_t kernels = 1;
  std::optional<int64_t> bytesEmitted;
  /// Some operand is read at places that come from the data: its sectors are
  /// anybody's guess.
  bool dataDependent = false;

  llvm::json::Object toJSON() const;
};

/// One candidate and what became of it.
struct DecisionRow {
  /// See `stringifyDecisionKind`.
  std::string kind;
  /// Identities of the two operators.
  std::string producer, consumer;
  bool accepted = false;
  std::string reason;
  /// Id of the legality rule that refused; empty if none did.
  std::string rule;
  std::optional<int64_t> costFusedNs, costUnfusedNs, bytesSaved;

  llvm::json::Object toJSON() const;
};

/// The whole report of one module.
struct PlanReport {
  std::string model, device, strategy, costModel;
  int64_t kernelsUnfused = 0, kernels = 0;
  int64_t bytesUnfused = 0, bytes = 0, compulsoryBytes = 0;
  /// Tensors that one kernel writes and another reads.
  int64_t intermediatesUnfused = 0, intermediates = 0;
  /// Most device memory at one time.
  std::optional<int64_t> peakBytes;
  int64_t flops = 0;
  double secondsPlanning = 0;
  /// Of the strategy `optimal`: what no plan goes below, how much of that the
  /// plan may be above the optimum (0 if it is the optimum), and the steps.
  std::optional<int64_t> optimalBoundNs, optimalWork;
  std::optional<double> optimalGap;
  // What running adds:
  std::optional<double> maxError;
  std::optional<bool> verified;
  std::vector<GroupRow> groups;
  std::vector<DecisionRow> decisions;

  /// The row of the group `name`; null if there is none.
  GroupRow *findGroup(llvm::StringRef name);

  /// Keys exactly as in docs/Report.md; printed in alphabetical order.
  llvm::json::Value toJSON() const;
};

/// Prints the groups, the totals and (if asked for) the decisions as tables.
void printReport(const PlanReport &report, llvm::raw_ostream &os,
                 bool withDecisions);

/// Writes `value` to `path` through a temporary file beside it, so that the
/// file is either complete or as it was. What is no regular file, such as a
/// device, is written to as it is. `-` is standard output.
LogicalResult writeReportFile(const llvm::json::Value &value,
                              llvm::StringRef path,
                              function_ref<InFlightDiagnostic()> emitError);

/// The same with a text.
LogicalResult writeReportText(llvm::StringRef text, llvm::StringRef path,
                              function_ref<InFlightDiagnostic()> emitError);

/// Checks that a report could be written to `path`, before work is put in.
LogicalResult checkReportFile(llvm::StringRef path,
                              function_ref<InFlightDiagnostic()> emitError);

/// Where `fuse-form-groups` leaves the report of the module it last planned:
/// `dialect.getSlot<LastPlanReport>()`.
struct LastPlanReport {
  /// Held while `report` is written: passes on functions run in parallel.
  std::mutex mutex;
  std::optional<PlanReport> report;
  /// Whether the report is to have rows of groups and decisions, which take
  /// time; else it has totals only, unless the pass writes it to a file.
  bool wantsRows = false;
};

} // namespace mlir::fuse

#endif // FUSE_MLIR_PLANNER_REPORT_H
