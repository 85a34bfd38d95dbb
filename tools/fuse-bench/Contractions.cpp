// Suite `contractions`: what matrix products, convolutions and attentions issue
// and move for each product, by the emulator's counters while a sample of the blocks runs.
// With folders, kernels of another compiler for matrix units beside ours on the
// same tile.
#include "Bench.h"
#include "ContractionGraphs.h"
#include "FuseRun.h"
#include "KernelPeers.h"

#include "fuse-mlir/Target/Ptxas.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::bench;

/// Percent of the passes of shared memory that may be conflicts.
static constexpr double kGoalConflicts = 2;
/// Registers beside those of another compiler's kernel.
static constexpr double kGoalRegisters = 1.1;

namespace {
/// Accesses of warps.
struct Accesses {
  double bytes = 0, requests = 0;

  /// Bytes of a lane in one access, on average.
  double getWidth() const { return requests > 0 ? bytes / 32 / requests : 0; }
};

/// What one launch did; counters are scaled to all its blocks.
struct Figures : KernelTotals {
  int64_t grid = 0, threads = 0;
  double instructions = 0, tensorProducts = 0, threadProducts = 0;
  double conflicts = 0, passes = 0, l2Sectors = 0;
  /// Of global memory; copies to shared memory are loads.
  Accesses loads, stores;
};

class ContractionsRun {
public:
  ContractionsRun(const Settings &settings, Results &results)
      : settings(settings), results(results) {}
  LogicalResult start();
  void measure(const ContractionGraph &graph);
  LogicalResult measurePeers(StringRef folder);

private:
  FailureOr<Figures> run(const ContractionGraph &graph, StringRef chip,
                         std::string &why);
  LogicalResult measurePeer(StringRef folder);
  LogicalResult addCounters(Figures &figures, std::string &why);

  const Settings &settings;
  Results &results;
  FuseRun fuseRun;
};
} // namespace

static LogicalResult write(const std::string &path, StringRef text) {
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  if (error) {
    reportError("cannot write '" + path + "': " + error.message());
    return failure();
  }
  file << text;
  return success();
}

/// Whole waves of blocks run, so the waves are made small.
LogicalResult ContractionsRun::start() {
  if (failed(fuseRun.start()))
    return failure();
  return write(fuseRun.at("device.json"),
               R"({"device": "part", "like": "h200", "sm_count": 2})");
}

LogicalResult ContractionsRun::addCounters(Figures &figures, std::string &why) {
  return fuseRun.forEachLaunch(why, [&](const llvm::json::Object &launch,
                                        const llvm::json::Object &counters) {
    auto first = [&](StringRef key) {
      const llvm::json::Array *sizes = launch.getArray(key);
      return sizes && !sizes->empty() ? (*sizes)[0].getAsInteger().value_or(0)
                                      : 0;
    };
    figures.grid = first("grid");
    figures.threads = first("block");
    const llvm::json::Object *classes = counters.getObject("by_class");
    auto inClass = [&](StringRef name, StringRef key) {
      return getNumber(classes ? classes->getObject(name) : nullptr, key);
    };
    figures.instructions += getNumber(&counters, "warp_instructions");
    figures.tensorProducts += inClass("tensor", "warp");
    for (StringRef kind : {"fp32", "fp64", "fp16"})
      figures.threadProducts += inClass(kind, "warp");
    for (StringRef kind : {"shared_load", "shared_store"}) {
      const llvm::json::Object *shared = counters.getObject(kind);
      figures.conflicts += getNumber(shared, "bank_conflicts");
      figures.passes += getNumber(shared, "wavefronts");
    }
    const llvm::json::Object *caches = counters.getObject("caches");
    figures.l2Sectors += getNumber(caches, "l2_reads") +
                         getNumber(caches, "l2_writes") +
                         getNumber(caches, "l2_atomics");
    const llvm::json::Object *global = counters.getObject("counted_sectors");
    auto addAccesses = [&](StringRef kind, Accesses &accesses) {
      const llvm::json::Object *own = global ? global->getObject(kind) : nullptr;
      accesses.bytes += getNumber(own, "bytes");
      accesses.requests += getNumber(own, "requests");
    };
    addAccesses("load", figures.loads);
    addAccesses("store", figures.stores);
  });
}

FailureOr<Figures> ContractionsRun::run(const ContractionGraph &graph,
                                        StringRef chip, std::string &why) {
  if (failed(write(fuseRun.at("model.mlir"), graph.text))) {
    why = "the model was not written";
    return failure();
  }
  std::string flags[] = {"--strategy=max",
                         graph.isUneven ? "--sample-blocks=1000000"
                                        : "--sample-blocks=1",
                         "--device=" + fuseRun.at("device.json"),
                         ("--chip=" + chip).str()};
  if (failed(
          fuseRun.run(fuseRun.at("model.mlir"), settings.limit, why, flags)))
    return failure();
  FailureOr<KernelTotals> totals = fuseRun.readTotals(why);
  if (failed(totals))
    return failure();
  Figures figures;
  static_cast<KernelTotals &>(figures) = *totals;
  if (failed(addCounters(figures, why)))
    return failure();
  return figures;
}

void ContractionsRun::measure(const ContractionGraph &graph) {
  Row instructions, conflicts;
  instructions.name = graph.name + "/instructions";
  conflicts.name = graph.name + "/conflicts";
  conflicts.unit = "%";
  conflicts.goal = kGoalConflicts;
  std::string why;
  FailureOr<Figures> figures = run(graph, "sm_90", why);
  if (failed(figures)) {
    instructions.note = conflicts.note = why;
    results.add(std::move(instructions));
    return results.add(std::move(conflicts));
  }
  bool onMatrixUnits = figures->tensorProducts > 0;
  double products = onMatrixUnits ? figures->tensorProducts
                                  : figures->threadProducts;
  instructions.unit = onMatrixUnits ? "per mma" : "per fp op";
  if (products > 0)
    instructions.value = figures->instructions / products;
  double least = graph.leastProducts;
  double compulsory = figures->compulsoryBytes / 32;
  double l2 = figures->l2Sectors / compulsory;
  instructions.note =
      llvm::formatv("{0}, {1} kernel(s), {2} x {3}, {4} registers, {5} B "
                    "spilled, L2 {6:F2}, {7:F1} B a load, {8:F1} B a store",
                    figures->paths, figures->kernels, figures->grid,
                    figures->threads, figures->registers, figures->spills, l2,
                    figures->loads.getWidth(), figures->stores.getWidth())
          .str();
  if (onMatrixUnits) {
    instructions.note +=
        llvm::formatv(", mma {0:F2} of the least", products / least).str();
    instructions.more["mma_per_ideal"] = products / least;
  }
  instructions.more["path"] = figures->paths;
  instructions.more["kernels"] = figures->kernels;
  instructions.more["registers"] = figures->registers;
  instructions.more["spill_bytes"] = figures->spills;
  instructions.more["l2_per_compulsory"] = l2;
  instructions.more["load_bytes"] = figures->loads.getWidth();
  instructions.more["store_bytes"] = figures->stores.getWidth();
  if (figures->passes > 0)
    conflicts.value = 100 * figures->conflicts / figures->passes;
  else
    conflicts.value = 0;
  results.add(std::move(instructions));
  results.add(std::move(conflicts));
}

//===----------------------------------------------------------------------===//
// Kernels of another compiler
//===----------------------------------------------------------------------===//

namespace {
/// A product of matrices for matrix units, as another compiler launches it.
struct PeerMatmul {
  int64_t rows = 0, columns = 0, depth = 0;
  std::string element, tile;
};
} // namespace

/// Sizes and tile of a `case.json`, whose first two buffers are the factors and
/// whose grid has a block for each tile; nothing if it is something else.
static std::optional<PeerMatmul> findMatmul(const llvm::json::Object &peer) {
  if (peer.getString("kernel") != StringRef("matmul_silu"))
    return std::nullopt;
  const llvm::json::Array *arguments = peer.getArray("args");
  const llvm::json::Array *grid = peer.getArray("grid");
  const llvm::json::Array *block = peer.getArray("block");
  if (!arguments || arguments->size() < 3 || !grid || grid->size() < 2 ||
      !block || block->empty())
    return std::nullopt;
  auto size = [&](unsigned argument, unsigned dim) -> int64_t {
    const llvm::json::Object *buffer = (*arguments)[argument].getAsObject();
    const llvm::json::Array *shape = buffer ? buffer->getArray("shape") : nullptr;
    return shape && dim < shape->size() ? (*shape)[dim].getAsInteger().value_or(0)
                                        : 0;
  };
  PeerMatmul matmul;
  matmul.rows = size(0, 0);
  matmul.depth = size(0, 1);
  matmul.columns = size(1, 1);
  matmul.element =
      (*arguments)[0].getAsObject()->getString("type").value_or("").str();
  int64_t down = (*grid)[0].getAsInteger().value_or(0);
  int64_t across = (*grid)[1].getAsInteger().value_or(0);
  int64_t warps = (*block)[0].getAsInteger().value_or(0) / 32;
  if (matmul.rows <= 0 || matmul.columns <= 0 || down <= 0 || across <= 0 ||
      warps <= 0)
    return std::nullopt;
  int64_t rows = matmul.rows / down, columns = matmul.columns / across;
  // It keeps two stages of half-precision factors.
  int64_t depth = peer.getInteger("dynamic_shared_bytes").value_or(0) /
                  (2 * 2 * (rows + columns));
  matmul.tile =
      llvm::formatv("#fuse.tile<rows = {0}, columns = {1}, depth = {2}, "
                    "row_warps = 2, column_warps = {3}, stages = 3, group = 1, "
                    "parts = 1, unit = mma, async = true>",
                    rows, columns, depth, warps / 2)
          .str();
  return matmul;
}

/// The kernel of `folder`; empty if it cannot be read.
static std::string readPtx(StringRef folder) {
  SmallString<128> path(folder);
  llvm::sys::path::append(path, "kernel.ptx");
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> text =
      llvm::MemoryBuffer::getFile(path);
  return text ? (*text)->getBuffer().str() : std::string();
}

static std::optional<int64_t> countRegisters(StringRef ptx) {
  std::optional<Ptxas> ptxas = Ptxas::find();
  std::string message;
  if (!ptxas)
    return std::nullopt;
  FailureOr<SmallVector<KernelResources>> resources =
      ptxas->assemble(ptx, "sm_80", message);
  if (failed(resources) || resources->empty())
    return std::nullopt;
  return resources->front().registers;
}

/// What the loop along the sums issues for each product, ours and the peer's:
/// what half the depth takes less.
LogicalResult ContractionsRun::measurePeer(StringRef folder) {
  std::string why;
  FailureOr<llvm::json::Object> description = readPeerCase(folder, why);
  if (failed(description)) {
    reportError(why);
    return failure();
  }
  std::optional<PeerMatmul> peer = findMatmul(*description);
  std::string ptx = readPtx(folder);
  // Products of other sizes (wgmma) do not compare.
  if (!peer || !StringRef(ptx).contains("mma.sync"))
    return success();
  double issued[2], products[2], peerIssued[2], peerProducts[2];
  int64_t registers = 0;
  std::string name;
  for (int half : {0, 1}) {
    int64_t depth = half ? peer->depth / 2 : peer->depth;
    FailureOr<emu::LaunchStats> stats = launchPeer(folder, {{"K", depth}}, why);
    ContractionGraph graph = makeMatmul(peer->rows, peer->columns, depth,
                                        peer->element, peer->tile);
    FailureOr<Figures> own = failure();
    if (succeeded(stats))
      own = run(graph, "sm_80", why);
    if (failed(own)) {
      reportError(folder + ": " + why);
      return failure();
    }
    peerIssued[half] = double(stats->warpInstructions);
    peerProducts[half] =
        double(stats->byClass[unsigned(emu::InstClass::Tensor)].warp);
    issued[half] = own->instructions;
    products[half] = own->tensorProducts;
    registers = std::max(registers, own->registers);
    if (!half)
      name = graph.name;
  }
  Row loop, used;
  loop.name = name + "/loop";
  loop.unit = "per mma";
  if (products[0] > products[1])
    loop.value = (issued[0] - issued[1]) / (products[0] - products[1]);
  if (peerProducts[0] > peerProducts[1])
    loop.goal =
        (peerIssued[0] - peerIssued[1]) / (peerProducts[0] - peerProducts[1]);
  loop.note = llvm::sys::path::filename(folder).str();
  used.name = name + "/registers";
  used.unit = "registers";
  used.value = double(registers);
  if (std::optional<int64_t> most = countRegisters(ptx))
    used.goal = kGoalRegisters * double(*most);
  results.add(std::move(loop));
  results.add(std::move(used));
  return success();
}

LogicalResult ContractionsRun::measurePeers(StringRef folder) {
  FailureOr<std::vector<std::string>> kernels = listPeers(folder, settings);
  if (failed(kernels))
    return failure();
  for (const std::string &kernel : *kernels)
    if (failed(measurePeer(kernel)))
      return failure();
  return success();
}

LogicalResult fuse::bench::runContractions(const Settings &settings,
                                           Results &results) {
  ContractionsRun run(settings, results);
  if (failed(run.start()))
    return failure();
  for (const std::string &folder : settings.folders)
    if (failed(run.measurePeers(folder)))
      return failure();
  if (!settings.folders.empty())
    return success();
  for (const ContractionGraph &graph : getContractionGraphs())
    if (settings.wants(graph.name))
      run.measure(graph);
  return success();
}
