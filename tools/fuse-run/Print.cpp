// One line a kernel, the decisions that mattered most, and the totals.
#include "Print.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::run;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static std::string orDash(std::optional<int64_t> value) {
  return value ? std::to_string(*value) : "-";
}

/// Three significant digits and a decimal prefix.
static std::string withPrefix(double value, StringRef unit) {
  static constexpr StringRef prefixes[] = {"", "k", "M", "G", "T"};
  size_t index = 0;
  while (value >= 999.5 && index + 1 < std::size(prefixes)) {
    value /= 1000.0;
    ++index;
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  int digits = index == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  os << llvm::format("%.*f", digits, value) << " " << prefixes[index] << unit;
  return text;
}

static std::string bytesText(std::optional<int64_t> bytes) {
  return bytes ? withPrefix(double(*bytes), "B") : "-";
}

static std::string timeText(std::optional<int64_t> nanoseconds) {
  if (!nanoseconds)
    return "-";
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("%.2f us", double(*nanoseconds) / 1000.0);
  return text;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static std::string launchText(const CompileResult &result, StringRef kernel) {
  for (const LaunchInfo &launch : result.launches)
    if (launch.kernel == kernel)
      return (launch.grid ? Twine(*launch.grid) : Twine("?")).str() + " x " +
             (launch.block ? Twine(*launch.block) : Twine("?")).str();
  return "-";
}

/// "matmul + generic + generic", from the identities of the operators.
static std::string opsText(const GroupRow &row) {
  llvm::MapVector<StringRef, int64_t> names;
  for (StringRef identity : row.ops) {
    StringRef name = identity.split(':').second.split(':').second;
    name = name.split(':').first;
    name.consume_front("linalg.");
    ++names[name];
  }
  std::string text;
  for (auto [name, count] : names) {
    text += text.empty() ? "" : " + ";
    text += name.str();
    if (count > 1)
      text += " x" + std::to_string(count);
  }
  return text.empty() ? "-" : text;
}

static void printKernels(const CompileResult &result, raw_ostream &os) {
  size_t width = 6;
  for (const GroupRow &row : result.report.groups)
    width = std::max(width, std::min<size_t>(row.name.size(), 40));
  static constexpr const char *layout =
      "{0} {1,-9} {2,13} {3,5} {4,6} {5,7} {6,9} {7,9} {8,11} {9,11} {10,11} "
      "{11,11} {12,10}  {13}\n";
  auto pad = [&](StringRef name) {
    std::string text = name.str();
    if (text.size() < width)
      text.append(width - text.size(), ' ');
    return text;
  };
  os << llvm::formatv(layout, pad("kernel"), "path", "grid x block", "regs",
                      "spill", "shared", "read", "written", "sectors", "unique",
                      "l2", "dram", "predicted", "operators");
  for (const GroupRow &row : result.report.groups) {
    std::optional<int64_t> requested, unique, l2, dram;
    if (row.countedSectors) {
      requested = row.countedSectors->requested;
      unique = row.countedSectors->unique;
      l2 = row.countedSectors->l2;
      dram = row.countedSectors->dram;
    }
    StringRef path = row.path ? stringifyKernelPath(*row.path) : "split";
    os << llvm::formatv(layout, pad(row.name), path,
                        launchText(result, row.name), orDash(row.registers),
                        orDash(row.spillBytes), orDash(row.sharedBytes),
                        bytesText(row.bytesRead), bytesText(row.bytesWritten),
                        orDash(requested), orDash(unique), orDash(l2),
                        orDash(dram), timeText(row.predictedNs), opsText(row));
  }
  os << "\n";
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

/// Whether the row tells of a change of groups that have formed.
static bool isImprovement(const DecisionRow &row) {
  for (unsigned i = 0; i < kNumDecisionKinds; ++i)
    if (stringifyDecisionKind(DecisionKind(i)) == row.kind)
      return isImprovement(DecisionKind(i));
  return false;
}

/// What fusing saves, in nanoseconds.
static int64_t gain(const DecisionRow &row) {
  return row.costFusedNs && row.costUnfusedNs
             ? *row.costUnfusedNs - *row.costFusedNs
             : 0;
}

static std::string decisionText(const DecisionRow &row) {
  auto shorten = [](StringRef identity) {
    // function:ordinal:op-name:location -> op-name #ordinal
    auto [function, rest] = identity.split(':');
    auto [ordinal, more] = rest.split(':');
    if (more.empty())
      return identity.str();
    return (more.split(':').first + " #" + ordinal).str();
  };
  std::string text = shorten(row.producer) + " -> " + shorten(row.consumer);
  bool improves = isImprovement(row);
  if (row.costFusedNs && row.costUnfusedNs)
    text += (improves ? ": after " : ": fused ") + timeText(row.costFusedNs) +
            (improves ? ", before " : ", apart ") +
            timeText(row.costUnfusedNs) +
            (row.accepted && gain(row) < 0 ? ", for another fusion" : "");
  else if (!row.reason.empty())
    text += ": " + row.reason;
  if (!row.rule.empty())
    text += " [" + row.rule + "]";
  return text;
}

/// What became of a candidate.
enum class Outcome { Fused, Regrouped, Superseded, NotProfitable, Illegal };

static Outcome getOutcome(const DecisionRow &row) {
  if (row.accepted)
    return isImprovement(row) ? Outcome::Regrouped : Outcome::Fused;
  if (!row.rule.empty())
    return Outcome::Illegal;
  // It would have paid, but another fusion of the same operators paid more.
  return gain(row) > 0 ? Outcome::Superseded : Outcome::NotProfitable;
}

static StringRef outcomeText(Outcome outcome) {
  switch (outcome) {
  case Outcome::Fused:
    return "  fused           ";
  case Outcome::Regrouped:
    return "  regrouped       ";
  case Outcome::Superseded:
    return "  another better  ";
  case Outcome::NotProfitable:
    return "  not profitable  ";
  case Outcome::Illegal:
    return "  not legal       ";
  }
  return "";
}

/// The decisions of one outcome with the largest difference of prices.
static void printLargest(const PlanReport &report, Outcome outcome,
                         raw_ostream &os) {
  SmallVector<const DecisionRow *> rows;
  for (const DecisionRow &row : report.decisions)
    if (getOutcome(row) == outcome)
      rows.push_back(&row);
  // Equal gains stay in the order of the decisions.
  llvm::sort(rows, [&](const DecisionRow *a, const DecisionRow *b) {
    if (gain(*a) == gain(*b))
      return a < b;
    return outcome == Outcome::NotProfitable ? gain(*a) < gain(*b)
                                             : gain(*a) > gain(*b);
  });
  static constexpr size_t shown = 3;
  for (const DecisionRow *row : ArrayRef(rows).take_front(shown))
    os << outcomeText(outcome) << decisionText(*row) << "\n";
  if (rows.size() > shown)
    os << "                  and " << rows.size() - shown << " more\n";
}

static void printDecisions(const PlanReport &report,
                           const PrintOptions &options, raw_ostream &os) {
  int64_t accepted = 0;
  llvm::MapVector<StringRef, int64_t> causes;
  for (const DecisionRow &row : report.decisions) {
    Outcome outcome = getOutcome(row);
    if (row.accepted)
      ++accepted;
    else if (outcome == Outcome::Superseded)
      ++causes["another fusion saved more"];
    else if (outcome == Outcome::NotProfitable)
      ++causes["not profitable"];
    else
      ++causes[row.rule];
  }
  os << "decisions       " << accepted << " accepted, "
     << report.decisions.size() - accepted << " rejected";
  std::string why;
  for (auto [cause, count] : causes)
    why += (Twine(why.empty() ? "" : ", ") + Twine(count) + " " + cause).str();
  if (!why.empty())
    os << " (" << why << ")";
  os << "\n";
  if (options.allDecisions) {
    for (const DecisionRow &row : report.decisions)
      os << outcomeText(getOutcome(row)) << decisionText(row) << "\n";
    return;
  }
  for (Outcome outcome :
       {Outcome::Fused, Outcome::Regrouped, Outcome::Superseded,
        Outcome::NotProfitable, Outcome::Illegal})
    printLargest(report, outcome, os);
}

//===----------------------------------------------------------------------===//
// Totals
//===----------------------------------------------------------------------===//

/// Says so if equal kernels share functions.
static void printEntries(const PlanReport &report, raw_ostream &os) {
  llvm::StringSet<> entries;
  for (const GroupRow &row : report.groups)
    entries.insert(row.entry);
  if (entries.size() < report.groups.size())
    os << "compiled        " << entries.size()
       << " kernels, to which the others are equal\n";
}

static void printTotals(const CompileResult &result, raw_ostream &os) {
  const PlanReport &report = result.report;
  os << "kernels         " << report.kernelsUnfused << " -> " << report.kernels
     << "\n";
  printEntries(report, os);
  os << "intermediates   " << report.intermediatesUnfused << " -> "
     << report.intermediates << "\nbytes           " << report.bytesUnfused
     << " -> " << report.bytes << " (" << bytesText(report.bytesUnfused)
     << " -> " << bytesText(report.bytes) << ", compulsory "
     << bytesText(report.compulsoryBytes) << ")\nflops           "
     << StringRef(withPrefix(double(report.flops), "")).rtrim();
  if (report.bytes && report.bytesUnfused)
    os << llvm::format(", per byte %.2f -> %.2f",
                       double(report.flops) / double(report.bytesUnfused),
                       double(report.flops) / double(report.bytes));
  int64_t predicted = 0;
  bool known = !report.groups.empty();
  for (const GroupRow &row : report.groups) {
    known &= row.predictedNs.has_value();
    predicted += row.predictedNs.value_or(0);
  }
  if (known)
    os << "\npredicted       " << timeText(predicted) << " on "
       << report.device;
  os << "\nplanning        " << llvm::format("%.3f s", report.secondsPlanning)
     << "\n";
  if (!result.whyNotAssembled.empty())
    os << "assembled       no: " << result.whyNotAssembled
       << ", so registers and spills are unknown\n";
}

static void printVerdict(const Verdict &verdict, raw_ostream &os) {
  os << "verified        ";
  if (!verdict.notRun.empty()) {
    os << "not run: " << verdict.notRun << "\n";
    return;
  }
  os << (verdict.verified ? "yes" : "NO")
     << llvm::format(", max error %.3g", verdict.maxError) << " ("
     << verdict.backend << ")\n";
  for (const std::string &line : verdict.details)
    os << "  " << line << "\n";
}

void fuse::run::printSummary(const CompileResult &result,
                             const Verdict &verdict,
                             const PrintOptions &options, raw_ostream &os) {
  const PlanReport &report = result.report;
  os << "model           " << report.model << "\ndevice          "
     << report.device << "\nstrategy        " << report.strategy
     << ", cost model " << report.costModel << "\n\n";
  if (options.kernelTable)
    printKernels(result, os);
  printDecisions(report, options, os);
  printTotals(result, os);
  printVerdict(verdict, os);
}
