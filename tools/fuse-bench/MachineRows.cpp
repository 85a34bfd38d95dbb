// Runs a graph, assembles its kernels, takes them apart and counts.
#include "MachineRows.h"
#include "MachineCounts.h"

#include "fuse-mlir/Target/Ptxas.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::bench;

/// Blocks of each kernel that run; all of small grids.
static constexpr StringLiteral kSample = "--sample-blocks=64";
static constexpr StringLiteral kChip = "sm_90a";

namespace {
struct Machine {
  double instructions = 0;
  KernelTotals totals;
};

class MachineRun {
public:
  MachineRun(const FuseRun &fuseRun, const Settings &settings, std::string &why)
      : fuseRun(fuseRun), settings(settings), why(why) {}

  /// Finds the tools; false, with a reason, where one is missing.
  bool start();
  FailureOr<Machine> measure(StringRef text);

private:
  FailureOr<SmallVector<MachineKernel, 0>> takeApart(StringRef ptx);
  std::string findError() const;

  const FuseRun &fuseRun;
  const Settings &settings;
  std::string &why;
  std::optional<Ptxas> ptxas;
  std::optional<Nvdisasm> nvdisasm;
};
} // namespace

bool MachineRun::start() {
  static int anchor;
  std::string self = llvm::sys::fs::getMainExecutable(nullptr, &anchor);
  ptxas = Ptxas::find();
  nvdisasm = Nvdisasm::find(llvm::sys::path::parent_path(self));
  if (!ptxas)
    why = "not counted: no ptxas";
  else if (!nvdisasm)
    why = "not counted: no nvdisasm";
  return ptxas && nvdisasm;
}

FailureOr<SmallVector<MachineKernel, 0>> MachineRun::takeApart(StringRef ptx) {
  std::string cubin = fuseRun.at("kernels.cubin");
  if (failed(ptxas->assembleTo(cubin, ptx, kChip, why)))
    return failure();
  return nvdisasm->disassemble(cubin, why);
}

/// The error that fuse-run printed.
std::string MachineRun::findError() const {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> output =
      llvm::MemoryBuffer::getFile(fuseRun.at("output.txt"));
  StringRef text = output ? (*output)->getBuffer() : "";
  StringRef error = text.split("error: ").second.split('\n').first;
  return error.empty() ? "fuse-run left no kernels" : error.str();
}

/// Threads of a warp stay together, so an idle one costs as much.
static LineCounts readLines(const llvm::json::Object &counters) {
  LineCounts lines;
  if (const llvm::json::Array *array = counters.getArray("lines"))
    for (const llvm::json::Value &value : *array)
      if (const llvm::json::Object *line = value.getAsObject())
        lines[unsigned(getNumber(line, "line"))] = 32 * getNumber(line, "warp");
  return lines;
}

FailureOr<Machine> MachineRun::measure(StringRef text) {
  std::error_code error;
  llvm::raw_fd_ostream file(fuseRun.at("model.mlir"), error);
  file << text;
  file.close();
  std::string ptxFile = fuseRun.at("kernels.ptx");
  if (failed(fuseRun.run(fuseRun.at("model.mlir"), settings.limit, why,
                         {kSample.str(), "--ptx=" + ptxFile},
                         {"FUSE_RUNTIME_LINES=1"})))
    return failure();
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> ptx =
      llvm::MemoryBuffer::getFile(ptxFile);
  FailureOr<KernelTotals> totals = fuseRun.readTotals(why);
  if (!ptx || failed(totals)) {
    why = findError();
    return failure();
  }
  FailureOr<SmallVector<MachineKernel, 0>> kernels =
      takeApart((*ptx)->getBuffer());
  if (failed(kernels))
    return failure();
  Machine machine;
  machine.totals = *totals;
  LogicalResult counted =
      fuseRun.forEachLaunch(why, [&](const llvm::json::Object &launch,
                                     const llvm::json::Object &counters) {
        StringRef name = launch.getString("name").value_or("");
        for (const MachineKernel &kernel : *kernels)
          if (kernel.name == name)
            machine.instructions += countMachineInstructions(
                kernel, (*ptx)->getBuffer(), readLines(counters));
      });
  if (failed(counted) || machine.instructions == 0) {
    why = why.empty() ? "no launch was counted" : why;
    return failure();
  }
  return machine;
}

void fuse::bench::addMachineRow(const FuseRun &fuseRun,
                                const KernelGraph &graph,
                                const Settings &settings, Results &results) {
  Row row;
  row.name = graph.getName() + "/sass";
  row.unit = "per elem";
  row.goal = graph.bestPeer;
  MachineRun run(fuseRun, settings, row.note);
  std::optional<std::string> text = writeKernelGraph(graph);
  if (!text || !run.start()) {
    // Nothing can be said without the tools: no goal is missed.
    row.pending = true;
    results.add(std::move(row));
    return;
  }
  FailureOr<Machine> fast = run.measure(allowApproximations(*text));
  FailureOr<Machine> exact =
      succeeded(fast) ? run.measure(*text) : FailureOr<Machine>(failure());
  if (succeeded(exact)) {
    double elements = double(graph.getElements());
    row.value = fast->instructions / elements;
    row.more["exact"] = exact->instructions / elements;
    row.more["kernels"] = fast->totals.kernels;
    row.more["registers"] = fast->totals.registers;
    row.more["path"] = fast->totals.paths;
    row.note =
        llvm::formatv("{0}, {1} registers; exact {2:F3}", fast->totals.paths,
                      fast->totals.registers, exact->instructions / elements)
            .str();
  }
  results.add(std::move(row));
}
