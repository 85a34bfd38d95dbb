// Reports as JSON, as tables and as files.
#include "fuse-mlir/Planner/Report.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::fuse;

/// A number, or `null` if it is unknown.
template <typename T>
static llvm::json::Value orNull(std::optional<T> value) {
  if (!value)
    return nullptr;
  return *value;
}

static llvm::json::Value toJSON(const std::optional<SectorCount> &sectors) {
  if (!sectors)
    return nullptr;
  return llvm::json::Object{{"requested", sectors->requested},
                            {"unique", sectors->unique},
                            {"l2", orNull(sectors->l2)},
                            {"dram", orNull(sectors->dram)}};
}

static llvm::json::Value toJSON(ArrayRef<TileShape> tiles) {
  llvm::json::Array rows;
  for (const TileShape &tile : tiles)
    rows.push_back(llvm::json::Object{{"rows", tile.rows},
                                      {"columns", tile.columns},
                                      {"depth", tile.depth},
                                      {"row_warps", tile.rowWarps},
                                      {"column_warps", tile.columnWarps},
                                      {"stages", tile.stages},
                                      {"parts", tile.parts},
                                      {"unit", stringifyTileUnit(tile.unit)}});
  return rows;
}

llvm::json::Object GroupRow::toJSON() const {
  return llvm::json::Object{
      {"name", name},
      {"entry", entry.empty() ? llvm::json::Value(nullptr) : entry},
      {"ops", llvm::json::Array(ops)},
      {"class", stringifyOpClass(opClass)},
      {"path", path ? llvm::json::Value(stringifyKernelPath(*path)) : nullptr},
      {"tiles", ::toJSON(tiles)},
      {"bytes_read", orNull(bytesRead)},
      {"bytes_written", orNull(bytesWritten)},
      {"flops", orNull(flops)},
      {"predicted_ns", orNull(predictedNs)},
      {"predicted_ns_range",
       predictedRange
           ? llvm::json::Array{predictedRange->low, predictedRange->high}
           : llvm::json::Value(nullptr)},
      {"registers_predicted", orNull(registersPredicted)},
      {"registers", orNull(registers)},
      {"spill_bytes", orNull(spillBytes)},
      {"shared_bytes", orNull(sharedBytes)},
      {"predicted_sectors", ::toJSON(predictedSectors)},
      {"counted_sectors", ::toJSON(countedSectors)},
      {"kernels", kernels},
      {"bytes_emitted", orNull(bytesEmitted)},
      {"data_dependent", dataDependent}};
}

llvm::json::Object DecisionRow::toJSON() const {
  return llvm::json::Object{{"kind", kind},
                            {"producer", producer},
                            {"consumer", consumer},
                            {"accepted", accepted},
                            {"reason", reason},
                            {"rule", rule},
                            {"cost_fused_ns", orNull(costFusedNs)},
                            {"cost_unfused_ns", orNull(costUnfusedNs)},
                            {"bytes_saved", orNull(bytesSaved)}};
}

GroupRow *PlanReport::findGroup(StringRef name) {
  for (GroupRow &row : groups)
    if (row.name == name)
      return &row;
  return nullptr;
}

llvm::json::Value PlanReport::toJSON() const {
  llvm::json::Array groupRows, decisionRows;
  for (const GroupRow &row : groups)
    groupRows.push_back(row.toJSON());
  for (const DecisionRow &row : decisions)
    decisionRows.push_back(row.toJSON());
  // Flops per byte; unknown without bytes.
  auto intensity = [&](int64_t moved) -> llvm::json::Value {
    if (moved == 0)
      return nullptr;
    return double(flops) / double(moved);
  };
  return llvm::json::Object{{"model", model},
                            {"device", device},
                            {"strategy", strategy},
                            {"cost_model", costModel},
                            {"kernels_unfused", kernelsUnfused},
                            {"kernels", kernels},
                            {"bytes_unfused", bytesUnfused},
                            {"bytes", bytes},
                            {"compulsory_bytes", compulsoryBytes},
                            {"intermediates_unfused", intermediatesUnfused},
                            {"intermediates", intermediates},
                            {"peak_bytes", orNull(peakBytes)},
                            {"flops", flops},
                            {"flops_per_byte_unfused", intensity(bytesUnfused)},
                            {"flops_per_byte", intensity(bytes)},
                            {"seconds_planning", secondsPlanning},
                            {"optimal_bound_ns", orNull(optimalBoundNs)},
                            {"optimal_gap", orNull(optimalGap)},
                            {"optimal_work", orNull(optimalWork)},
                            {"max_error", orNull(maxError)},
                            {"verified", orNull(verified)},
                            {"groups", std::move(groupRows)},
                            {"decisions", std::move(decisionRows)}};
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

static std::string orDash(std::optional<int64_t> value) {
  return value ? std::to_string(*value) : "-";
}

static void printDecisions(const PlanReport &report, raw_ostream &os) {
  os << "decisions\n";
  os << llvm::formatv("{0,-18} {1,-9} {2,-22} {3,9} {4,11}  {5}\n", "kind",
                      "accepted", "rule", "fused ns", "unfused ns",
                      "producer -> consumer: reason");
  for (const DecisionRow &row : report.decisions)
    os << llvm::formatv(
        "{0,-18} {1,-9} {2,-22} {3,9} {4,11}  {5} -> {6}: {7}\n", row.kind,
        row.accepted ? "yes" : "no", row.rule.empty() ? "-" : row.rule,
        orDash(row.costFusedNs), orDash(row.costUnfusedNs), row.producer,
        row.consumer, row.reason);
}

/// The price; where sizes are unknown, the least and the most it may be.
static std::string printPrice(const GroupRow &row) {
  if (!row.predictedRange)
    return orDash(row.predictedNs);
  return llvm::formatv("{0}..{1}", row.predictedRange->low,
                       row.predictedRange->high);
}

void fuse::printReport(const PlanReport &report, raw_ostream &os,
                       bool withDecisions) {
  os << "groups\n";
  os << llvm::formatv("{0,-28} {1,-11} {2,-9} {3,4} {4,12} {5,12} {6,14} "
                      "{7,10} {8,4}\n",
                      "name", "class", "path", "ops", "bytes read",
                      "bytes written", "flops", "ns", "regs");
  for (const GroupRow &row : report.groups)
    os << llvm::formatv("{0,-28} {1,-11} {2,-9} {3,4} {4,12} {5,13} {6,14} "
                        "{7,10} {8,4}\n",
                        row.name, stringifyOpClass(row.opClass),
                        row.path ? stringifyKernelPath(*row.path) : "split",
                        row.ops.size(), orDash(row.bytesRead),
                        orDash(row.bytesWritten), orDash(row.flops),
                        printPrice(row), orDash(row.registersPredicted));
  os << "kernels " << report.kernelsUnfused << " -> " << report.kernels
     << ", intermediates " << report.intermediatesUnfused << " -> "
     << report.intermediates << ", bytes " << report.bytesUnfused << " -> "
     << report.bytes << " (compulsory " << report.compulsoryBytes << ")\n";
  if (withDecisions)
    printDecisions(report, os);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// A new file beside `path`; its name is put in `temporary`.
static std::error_code createBeside(StringRef path, int &fd,
                                    SmallVectorImpl<char> &temporary) {
  return llvm::sys::fs::createUniqueFile(path + ".tmp-%%%%%%%%", fd, temporary);
}

/// Whether `path` is there and is no regular file but, say, a device or a pipe:
/// it is written to as it is, never replaced.
static bool isSpecialFile(StringRef path) {
  llvm::sys::fs::file_status status;
  return !llvm::sys::fs::status(path, status) &&
         status.type() != llvm::sys::fs::file_type::regular_file;
}

LogicalResult
fuse::checkReportFile(StringRef path,
                      function_ref<InFlightDiagnostic()> emitError) {
  if (path == "-")
    return success();
  if (llvm::sys::fs::is_directory(path))
    return emitError() << "cannot write report '" << path
                       << "': it is a directory";
  if (isSpecialFile(path)) {
    std::error_code error =
        llvm::sys::fs::access(path, llvm::sys::fs::AccessMode::Write);
    return error ? LogicalResult(emitError() << "cannot write report '" << path
                                             << "': " << error.message())
                 : success();
  }
  int fd;
  SmallString<128> temporary;
  if (std::error_code error = createBeside(path, fd, temporary))
    return emitError() << "cannot write report '" << path
                       << "': " << error.message();
  llvm::raw_fd_ostream(fd, /*shouldClose=*/true).flush();
  (void)llvm::sys::fs::remove(temporary);
  return success();
}

LogicalResult
fuse::writeReportFile(const llvm::json::Value &value, StringRef path,
                      function_ref<InFlightDiagnostic()> emitError) {
  return writeReportText(llvm::formatv("{0:2}\n", value).str(), path,
                         emitError);
}

LogicalResult
fuse::writeReportText(StringRef text, StringRef path,
                      function_ref<InFlightDiagnostic()> emitError) {
  if (path == "-") {
    llvm::outs() << text;
    return success();
  }
  int fd;
  SmallString<128> temporary;
  bool replaces = !isSpecialFile(path);
  std::error_code error = replaces
                              ? createBeside(path, fd, temporary)
                              : llvm::sys::fs::openFileForWrite(
                                    path, fd, llvm::sys::fs::CD_OpenExisting);
  if (!error) {
    llvm::raw_fd_ostream os(fd, /*shouldClose=*/true);
    os << text;
    os.close();
    error = os.error();
    os.clear_error();
    if (!error && replaces)
      error = llvm::sys::fs::rename(temporary, path);
    if (error && replaces)
      (void)llvm::sys::fs::remove(temporary);
  }
  if (error)
    return emitError() << "cannot write report '" << path
                       << "': " << error.message();
  return success();
}
