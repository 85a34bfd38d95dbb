//===- Findings.cpp - What the checkers found in a launch -----------------===//
//
// See Findings.h.
//
//===----------------------------------------------------------------------===//
#include "Findings.h"

#include <algorithm>

using namespace mlir::fuse::emu;

const char *mlir::fuse::emu::findingName(FindingKind kind) {
  static const char *const names[] = {
      "out-of-bounds", "use-after-free", "misaligned",    "wrong-space",
      "shared-race",   "global-race",    "uninitialised", "divergent-barrier",
      "async",         "error"};
  return names[unsigned(kind)];
}

void Findings::add(FindingKind kind, uint32_t line, uint64_t cluster,
                   const std::string &text) {
  std::lock_guard<std::mutex> lock(mutex);
  Entry &entry = entries[{kind, line}];
  if (!entry.finding.text.empty() && entry.cluster <= cluster)
    return;
  entry.cluster = cluster;
  entry.sequence = count++;
  entry.finding = {kind, line, text};
}

std::vector<Finding> Findings::sorted(uint64_t last) const {
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<const Entry *> order;
  for (auto &[key, entry] : entries)
    if (entry.cluster <= last) // Whether later ones ran is up to the host.
      order.push_back(&entry);
  std::sort(order.begin(), order.end(), [](const Entry *a, const Entry *b) {
    return std::pair(a->cluster, a->sequence) <
           std::pair(b->cluster, b->sequence);
  });
  std::vector<Finding> result;
  for (const Entry *entry : order)
    result.push_back(entry->finding);
  return result;
}

static std::string tuple(const Dim3 &d) {
  return "(" + std::to_string(d.x) + "," + std::to_string(d.y) + "," +
         std::to_string(d.z) + ")";
}

std::string mlir::fuse::emu::locate(const Warp &w, const Inst &i, unsigned lane,
                                    const std::string &what) {
  const Launch &launch = *w.block->launch;
  uint32_t linear = w.index * 32 + lane;
  Dim3 thread{linear % launch.block.x, linear / launch.block.x % launch.block.y,
              linear / launch.block.x / launch.block.y};
  std::string message = what + "\n  in kernel '" + w.program->name +
                        "', block " + tuple(w.block->id) + ", thread " +
                        tuple(thread);
  const ModuleImpl &module = *launch.module;
  if (i.line && i.line - 1 < module.lines.size()) {
    std::string text = module.lines[i.line - 1];
    size_t start = text.find_first_not_of(" \t");
    message += "\n  at " + module.fileName + ":" + std::to_string(i.line) +
               ": " + (start == std::string::npos ? text : text.substr(start));
  }
  const SourceLoc &loc = module.locs[i.loc];
  if (loc.line) {
    auto file = module.files.find(loc.file);
    message += "\n  from " +
               (file == module.files.end() ? "file " + std::to_string(loc.file)
                                           : file->second) +
               ":" + std::to_string(loc.line) + ":" +
               std::to_string(loc.column);
  }
  return message;
}

void mlir::fuse::emu::trap(Warp &w, const Inst &i, unsigned lane,
                           const std::string &what) {
  throw Trap{locate(w, i, lane, what), i.line};
}

void mlir::fuse::emu::report(Warp &w, const Inst &i, unsigned lane,
                             FindingKind kind, const std::string &what) {
  Launch &launch = *w.block->launch;
  if (!launch.options->checks)
    trap(w, i, lane, what);
  launch.findings->add(kind, i.line, w.worker->clusterNumber,
                       locate(w, i, lane, what));
}

std::string mlir::fuse::emu::describeShared(const Program &program,
                                            uint64_t offset) {
  for (const SharedVariable &variable : program.sharedVariables)
    if (offset - variable.offset < variable.size)
      return "'" + variable.name + "' + " +
             std::to_string(offset - variable.offset);
  return "offset " + std::to_string(offset);
}
