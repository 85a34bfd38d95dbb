// The command line of fuse-run.
#ifndef FUSE_RUN_OPTIONS_H
#define FUSE_RUN_OPTIONS_H

#include "PlanFlags.h"
#include "Progress.h"

#include "llvm/Support/CommandLine.h"

namespace mlir::fuse::run {

/// The command line. A local of main: nothing is registered globally.
struct Options {
  llvm::cl::OptionCategory category{"fuse-run"};
  llvm::cl::opt<std::string> path{llvm::cl::Positional,
                                  llvm::cl::desc("model.mlir"),
                                  llvm::cl::cat(category)};
  llvm::cl::opt<std::string> device{
      "device", llvm::cl::init("h200"),
      llvm::cl::desc("Device to plan for (default: h200)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> chip{
      "chip", llvm::cl::desc("Chip to generate for (default: the device's)"),
      llvm::cl::cat(category)};
  PlanFlags plan{category};
  llvm::cl::list<std::string> also{
      "also", llvm::cl::CommaSeparated, llvm::cl::value_desc("strategy,..."),
      llvm::cl::desc(
          "Strategies whose plans run and are compared, too, each plan "
          "once"),
      llvm::cl::cat(category)};
  llvm::cl::opt<unsigned> optLevel{
      "opt-level", llvm::cl::init(3), llvm::cl::value_desc("0..3"),
      llvm::cl::desc("How much LLVM optimizes the kernels (default: 3)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<unsigned> alsoOptLevel{
      "also-opt-level", llvm::cl::init(3), llvm::cl::value_desc("0..3"),
      llvm::cl::desc("The same for the kernels of --also (default: 3)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> verifyEach{
      "verify-each", llvm::cl::init(true),
      llvm::cl::desc("Verify the program after each pass, not only after each "
                     "pipeline (default: yes)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> profile{
      "profile", llvm::cl::value_desc("file"),
      llvm::cl::desc(
          "Add the times of the kernels to a table for the cost model "
          "profile (docs/CostModel.md); made if it is not there"),
      llvm::cl::cat(category)};
  llvm::cl::opt<uint64_t> sampleBlocks{
      "sample-blocks", llvm::cl::init(0), llvm::cl::value_desc("blocks"),
      llvm::cl::desc(
          "Run about so many blocks of each kernel, for its counters; "
          "results are then incomplete and not compared (default: 0, "
          "all)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<uint64_t> seed{
      "seed", llvm::cl::init(0),
      llvm::cl::desc("Seed of the inputs (default: 0)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> report{
      "report", llvm::cl::desc("Write a report as JSON (docs/Report.md)"),
      llvm::cl::value_desc("file"), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> ptx{
      "ptx", llvm::cl::desc("Write the PTX text of the kernels"),
      llvm::cl::value_desc("file"), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> inputs{
      "inputs",
      llvm::cl::desc(
          "How to draw the inputs (default: NAME.json beside the model)"),
      llvm::cl::value_desc("file"), llvm::cl::cat(category)};
  llvm::cl::list<std::string> sizes{
      "size",
      llvm::cl::desc(
          "Sizes of dynamic dimensions, by the names of the side file or "
          "as ARGUMENT.DIMENSION. Given again, the compiled program runs "
          "again (default: the side file's)"),
      llvm::cl::value_desc("name=N,..."), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> entry{
      "entry",
      llvm::cl::desc("Function to run (default: main, or the only one)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> noRun{"no-run", llvm::cl::desc("Plan and compile only"),
                            llvm::cl::cat(category)};
  llvm::cl::opt<bool> kernelTable{
      "kernel-table", llvm::cl::init(true),
      llvm::cl::desc("Print one line a kernel (default: yes)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> caches{
      "caches",
      llvm::cl::desc(
          "Simulate L1 and L2, to count the sectors that reach L2 and "
          "DRAM (default: with --report)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> decisions{
      "decisions", llvm::cl::desc("Print every decision, not a summary"),
      llvm::cl::cat(category)};
  llvm::cl::opt<ProgressMode> progress{
      "progress", llvm::cl::desc("Progress on stderr"),
      llvm::cl::values(
          clEnumValN(ProgressMode::Auto, "auto", "if it takes long"),
          clEnumValN(ProgressMode::Always, "always", "every step"),
          clEnumValN(ProgressMode::Never, "never", "none")),
      llvm::cl::init(ProgressMode::Auto), llvm::cl::cat(category)};
  llvm::cl::opt<bool> referenceOnly{
      "reference-only",
      llvm::cl::desc("Run only the unfused reference and print its results"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> assemble{
      "assemble", llvm::cl::init(true),
      llvm::cl::desc(
          "Let ptxas, where it is there, assemble the kernels (default: "
          "yes)"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> serve{
      "serve",
      llvm::cl::desc(
          "Start once and run many models: read lines 'LOG ARGUMENT...' "
          "from the standard input, run each in a process of its own that "
          "writes to the file LOG, and print 'exit CODE' or 'signal "
          "NUMBER'"),
      llvm::cl::cat(category)};
};

} // namespace mlir::fuse::run

#endif // FUSE_RUN_OPTIONS_H
