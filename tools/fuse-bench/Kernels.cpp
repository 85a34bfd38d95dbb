// Suite `kernels`: what each shape of kernel moves and executes, by the
// emulator's counters and `ptxas`. Each graph goes through `fuse-run` in a
// process of its own, which also compares its results with the reference.
#include "Bench.h"
#include "FuseRun.h"
#include "KernelGraphs.h"
#include "KernelPeers.h"
#include "MachineRows.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Program.h"

#include <cmath>
#include <unistd.h>

using namespace mlir;
using namespace mlir::fuse::bench;

namespace {
/// What the kernels of one graph did, all launches together.
struct Figures : KernelTotals {
  /// Sectors of 32 bytes between L1 and L2, and those that DRAM reads or gets.
  double l2Sectors = 0, dramSectors = 0;
  /// Sectors that warps ask for of operands as large as the space, as a ratio
  /// to their size.
  double requested = 0;
  double instructions = 0, conflicts = 0, barriers = 0;
};

class KernelsRun {
public:
  KernelsRun(const Settings &settings, Results &results)
      : settings(settings), results(results) {}

  LogicalResult start() { return fuseRun.start(); }
  LogicalResult measure(const KernelGraph &graph, const PeerKernel *peer);
  LogicalResult measurePeers(StringRef folder);
  void measureMachine(const KernelGraph &graph) {
    addMachineRow(fuseRun, graph, settings, results);
  }

private:
  FailureOr<Figures> run(const KernelGraph &graph, std::string &why);
  LogicalResult addCounters(Figures &figures, double largeBytes,
                            std::string &why);
  void addRows(const KernelGraph &graph, const Figures &figures,
               const PeerKernel *peer);

  const Settings &settings;
  Results &results;
  FuseRun fuseRun;
};
} // namespace

/// Operands of less than `largeBytes` bytes, such as a scale for each column,
/// are read by each row and come from L2; what is to be seen is that the others
/// move once.
static void addRequests(const llvm::json::Object &counters, double largeBytes,
                        Figures &figures) {
  const llvm::json::Array *allocations = counters.getArray("allocations");
  double requested = 0, sectors = 0;
  for (const llvm::json::Value &value :
       allocations ? *allocations : llvm::json::Array()) {
    const llvm::json::Object *allocation = value.getAsObject();
    double size = allocation ? allocation->getNumber("size").value_or(0) : 0;
    if (size < largeBytes)
      continue;
    sectors += std::ceil(size / 32);
    for (StringRef direction : {"load", "store"})
      if (const llvm::json::Object *traffic = allocation->getObject(direction))
        requested += traffic->getNumber("requested").value_or(0);
  }
  if (sectors > 0)
    figures.requested += requested / sectors;
}

LogicalResult KernelsRun::addCounters(Figures &figures, double largeBytes,
                                      std::string &why) {
  return fuseRun.forEachLaunch(why, [&](const llvm::json::Object &,
                                        const llvm::json::Object &counters) {
    const llvm::json::Object *caches = counters.getObject("caches");
    figures.l2Sectors += getNumber(caches, "l2_reads") +
                         getNumber(caches, "l2_writes") +
                         getNumber(caches, "l2_atomics");
    addRequests(counters, largeBytes, figures);
    figures.dramSectors += getNumber(caches, "dram_reads") +
                           getNumber(caches, "dram_writes") +
                           getNumber(caches, "l2_dirty");
    figures.instructions += getNumber(&counters, "thread_instructions");
    figures.barriers += getNumber(&counters, "barriers") /
                        std::max(1.0, getNumber(&counters, "warps"));
    for (StringRef kind : {"shared_load", "shared_store"})
      figures.conflicts += getNumber(counters.getObject(kind), "bank_conflicts");
  });
}

FailureOr<Figures> KernelsRun::run(const KernelGraph &graph, std::string &why) {
  std::optional<std::string> text = writeKernelGraph(graph);
  if (!text) {
    why = "unknown kind '" + graph.kind + "'";
    return failure();
  }
  std::error_code error;
  llvm::raw_fd_ostream file(fuseRun.at("model.mlir"), error);
  file << *text;
  file.close();
  if (failed(fuseRun.run(fuseRun.at("model.mlir"), settings.limit, why)))
    return failure();
  FailureOr<KernelTotals> totals = fuseRun.readTotals(why);
  if (failed(totals))
    return failure();
  Figures figures;
  static_cast<KernelTotals &>(figures) = *totals;
  if (failed(addCounters(
          figures, graph.getElements() * (graph.element == "bf16" ? 2.0 : 4.0),
          why)))
    return failure();
  return figures;
}

void KernelsRun::addRows(const KernelGraph &graph, const Figures &figures,
                         const PeerKernel *peer) {
  double compulsory = figures.compulsoryBytes / 32;
  double elements = double(graph.getElements());
  Row sectors, instructions;
  sectors.name = graph.getName() + "/sectors";
  sectors.unit = "ratio";
  sectors.value = figures.requested;
  sectors.goal = graph.goal;
  sectors.note =
      llvm::formatv("{0}, {1} kernel(s), {2} registers, {3} B spilled, {4} "
                    "conflicts, {5} barriers, L2 {6:F3}, dram {7:F3}{8}",
                    figures.paths, figures.kernels, figures.registers,
                    figures.spills, figures.conflicts, figures.barriers,
                    figures.l2Sectors / compulsory,
                    figures.dramSectors / compulsory,
                    figures.verified ? "" : ", NOT VERIFIED")
          .str();
  sectors.more["path"] = figures.paths;
  sectors.more["kernels"] = figures.kernels;
  sectors.more["registers"] = figures.registers;
  sectors.more["spill_bytes"] = figures.spills;
  sectors.more["bank_conflicts"] = figures.conflicts;
  sectors.more["barriers_per_warp"] = figures.barriers;
  sectors.more["bytes_per_compulsory"] =
      figures.bytes / figures.compulsoryBytes;
  sectors.more["l2_per_compulsory"] = figures.l2Sectors / compulsory;
  sectors.more["dram_per_compulsory"] = figures.dramSectors / compulsory;
  sectors.more["verified"] = figures.verified;
  instructions.name = graph.getName() + "/instructions";
  instructions.unit = "per elem";
  instructions.value = figures.instructions / elements;
  if (peer) {
    instructions.goal = double(peer->threadInstructions) / elements;
    instructions.note =
        llvm::formatv("{0}: sectors {1:F3}, {2} conflicts", peer->name,
                      double(peer->sectors) / compulsory, peer->conflicts)
            .str();
    instructions.more["peer"] = peer->name;
  } else {
    results.add(std::move(sectors));
  }
  results.add(std::move(instructions));
}

LogicalResult KernelsRun::measure(const KernelGraph &graph,
                                  const PeerKernel *peer) {
  std::string why;
  FailureOr<Figures> figures = run(graph, why);
  if (succeeded(figures)) {
    addRows(graph, *figures, peer);
    return success();
  }
  Row row;
  row.name = graph.getName() + "/sectors";
  row.unit = "ratio";
  row.goal = graph.goal;
  row.note = why;
  results.add(std::move(row));
  return success();
}

/// A row for each kernel of `folder` that does what a graph of ours does: ours
/// beside it.
LogicalResult KernelsRun::measurePeers(StringRef folder) {
  FailureOr<std::vector<std::string>> kernels = listPeers(folder, settings);
  if (failed(kernels))
    return failure();
  for (const std::string &kernel : *kernels) {
    std::string why;
    FailureOr<std::optional<PeerKernel>> peer = runPeer(kernel, why);
    if (failed(peer)) {
      reportError(why);
      return failure();
    }
    if (*peer && failed(measure((*peer)->graph, &**peer)))
      return failure();
  }
  return success();
}

LogicalResult fuse::bench::runKernels(const Settings &settings,
                                      Results &results) {
  KernelsRun run(settings, results);
  if (failed(run.start()))
    return failure();
  for (const std::string &folder : settings.folders)
    if (failed(run.measurePeers(folder)))
      return failure();
  if (!settings.folders.empty())
    return success();
  for (const KernelGraph &graph : getKernelGraphs())
    if (settings.wants(graph.getName()) && failed(run.measure(graph, nullptr)))
      return failure();
  for (const KernelGraph &graph : getMachineGraphs())
    if (settings.wants(graph.getName() + "/sass"))
      run.measureMachine(graph);
  return success();
}
