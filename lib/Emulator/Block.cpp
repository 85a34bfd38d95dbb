//===- Block.cpp - Blocks before their first instruction ------------------===//
//
// Special registers, and the state of warps and shared memory at the start.
//
//===----------------------------------------------------------------------===//
#include "Checker.h"

#include <algorithm>

using namespace mlir::fuse::emu;

//===-- Special registers --------------------------------------------------=//

static uint32_t component(const Dim3 &d, char axis) {
  return axis == 'x' ? d.x : axis == 'y' ? d.y : d.z;
}

/// Value of a special register that is the same for the block or the warp;
/// those of single lanes are handled by the caller.
static uint64_t uniformSpecial(const std::string &name, const Block &b,
                               uint32_t warp) {
  const Launch &launch = *b.launch;
  auto dim = [&](const Dim3 &d) { return component(d, name.back()); };
  // Blocks are grouped into clusters along each axis.
  auto perCluster = [&] { return dim(launch.cluster); };
  auto is = [&](const char *prefix) {
    return name.compare(0, strlen(prefix), prefix) == 0;
  };
  if (is("%ntid."))
    return dim(launch.block);
  if (is("%ctaid."))
    return dim(b.id);
  if (is("%nctaid."))
    return dim(launch.grid);
  if (is("%clusterid."))
    return dim(b.id) / perCluster();
  if (is("%nclusterid."))
    return dim(launch.grid) / perCluster();
  if (is("%cluster_ctaid."))
    return dim(b.id) % perCluster();
  if (is("%cluster_nctaid."))
    return perCluster();
  if (name == "%cluster_ctarank")
    return b.rank;
  if (name == "%cluster_nctarank")
    return launch.cluster.count();
  if (name == "%nsmid")
    return 1;
  if (name == "%warpid")
    return warp;
  if (name == "%nwarpid")
    return (launch.block.count() + 31) / 32;
  if (name == "%dynamic_smem_size")
    return launch.dynamicShared;
  if (name == "%total_smem_size" || name == "%aggr_smem_size")
    return launch.sharedBytes;
  return 0; // %smid, %gridid
}

static uint32_t laneSpecial(const std::string &name, const Launch &launch,
                            uint32_t warp, unsigned lane, bool &known) {
  known = true;
  uint32_t linear = warp * 32 + lane;
  if (name == "%tid.x")
    return linear % launch.block.x;
  if (name == "%tid.y")
    return linear / launch.block.x % launch.block.y;
  if (name == "%tid.z")
    return linear / launch.block.x / launch.block.y;
  if (name == "%laneid")
    return lane;
  if (name == "%lanemask_eq")
    return 1u << lane;
  if (name == "%lanemask_lt")
    return (1u << lane) - 1;
  if (name == "%lanemask_le")
    return (2u << lane) - 1;
  if (name == "%lanemask_gt")
    return ~((2u << lane) - 1);
  if (name == "%lanemask_ge")
    return ~((1u << lane) - 1);
  known = false;
  return 0;
}

/// Those that differ from block to block; the others are set once a launch.
static bool isOfBlock(const std::string &name) {
  return name.compare(0, 7, "%ctaid.") == 0 ||
         name.compare(0, 8, "%cluster") == 0;
}

static bool isWide(const std::string &name) {
  return name == "%gridid" || name == "%current_graph_exec" ||
         (name.compare(0, 3, "%pm") == 0 && name.size() > 6);
}

/// Sets in the register file of a warp what `slot` has for the whole launch.
static void setOfLaunch(const SpecialSlot &slot, const Block &b, uint32_t warp,
                        uint8_t *regs) {
  auto *narrow = reinterpret_cast<uint32_t *>(regs + slot.offset);
  if (slot.name == "true" || slot.name == "false" ||
      slot.name == "%is_explicit_cluster") {
    bool set = slot.name == "true" ||
               (slot.name != "false" && b.launch->explicitCluster);
    *narrow = set ? ~0u : 0;
    return;
  }
  bool known = false;
  for (unsigned l = 0; l < 32; ++l) {
    uint32_t value = laneSpecial(slot.name, *b.launch, warp, l, known);
    if (!known)
      break;
    narrow[l] = value;
  }
  if (known)
    return;
  uint64_t value = uniformSpecial(slot.name, b, warp);
  if (isWide(slot.name))
    std::fill_n(reinterpret_cast<uint64_t *>(regs + slot.offset), 32, value);
  else
    std::fill_n(narrow, 32, uint32_t(value));
}

void mlir::fuse::emu::prepareImages(Worker &worker) {
  Launch &launch = *worker.launch;
  const Program &program = *launch.program;
  size_t size = program.image.size();
  size_t warps = (launch.block.count() + 31) / 32;
  worker.images.resize(warps * size);
  worker.blockSpecials.clear();
  for (const SpecialSlot &slot : program.specials)
    if (isOfBlock(slot.name))
      worker.blockSpecials.push_back(slot);
  Block block;
  block.launch = &launch;
  for (uint32_t warp = 0; warp < warps; ++warp) {
    uint8_t *image = worker.images.data() + warp * size;
    std::memcpy(image, program.image.data(), size);
    for (const SpecialSlot &slot : program.specials)
      if (!isOfBlock(slot.name))
        setOfLaunch(slot, block, warp, image);
  }
}

static void setOfBlock(Block &b) {
  for (const SpecialSlot &slot : b.warps[0].worker->blockSpecials) {
    uint32_t value = uint32_t(uniformSpecial(slot.name, b, 0));
    for (Warp &w : b.warps)
      std::fill_n(w.reg<uint32_t>(slot.offset), 32, value);
  }
}

//===-- Blocks -------------------------------------------------------------=//

/// The local memory of a resident block lies behind all else, one line for
/// each word of a warp's threads, and is used again by the next wave.
static void setLocalLines(Cluster &cluster, uint64_t linear) {
  const Launch &launch = *cluster.blocks[0].launch;
  uint64_t words = (launch.program->localBytes + 3) / 4;
  uint64_t slot = linear % launch.residentClusters;
  uint64_t warps = cluster.blocks.size() * cluster.blocks[0].warps.size();
  for (Block &b : cluster.blocks)
    for (Warp &w : b.warps)
      w.localLine = (uint64_t(1) << 40) + (slot * warps + w.order) * words;
}

static Dim3 position(uint64_t linear, const Dim3 &extent) {
  return {uint32_t(linear % extent.x), uint32_t(linear / extent.x % extent.y),
          uint32_t(linear / extent.x / extent.y)};
}

/// The cache-aligned start of a vector that was made 64 bytes too long.
static uint8_t *aligned(std::vector<uint8_t> &storage, uintptr_t align) {
  uint8_t *start = storage.data();
  return start + ((0 - reinterpret_cast<uintptr_t>(start)) & (align - 1));
}

size_t mlir::fuse::emu::sharedStride(const Launch &launch) {
  return (size_t(launch.sharedBytes) + 1023) / 1024 * 1024;
}

static void prepareWarp(Worker &worker, Block &b, uint32_t index) {
  const Program &program = *worker.launch->program;
  uint32_t threads = uint32_t(worker.launch->block.count());
  uint32_t warps = (threads + 31) / 32;
  Warp &w = b.warps[index];
  w.groups.clear();
  for (std::vector<uint8_t> &stack : w.saved)
    stack.clear();
  w.block = &b;
  w.worker = &worker;
  w.program = &program;
  w.index = index;
  w.order = b.rank * warps + index;
  w.regs = aligned(worker.fileStorage, 64) + w.order * program.image.size();
  w.local =
      worker.localStorage.data() + size_t(w.order) * 32 * program.localBytes;
  w.lanes = index + 1 < warps || threads % 32 == 0 ? fullMask
                                                   : (1u << threads % 32) - 1;
  w.active = w.lanes;
  w.exited = w.pc = w.depth = w.clusterArrived = 0;
  w.switchPc = ~0u;
  w.event = w.yield = w.rotate = false;
  w.issued = 0;
  size_t size = program.image.size();
  std::memcpy(w.regs, worker.images.data() + index * size, size);
}

static void prepareBlock(Worker &worker, Block &b) {
  Launch &launch = *worker.launch;
  b.launch = &launch;
  b.linear =
      (uint64_t(b.id.z) * launch.grid.y + b.id.y) * launch.grid.x + b.id.x;
  b.shared =
      aligned(worker.sharedStorage, 1024) + b.rank * sharedStride(launch);
  std::memset(b.shared, 0, launch.sharedBytes);
  std::fill(std::begin(b.barriers), std::end(b.barriers), BarrierState());
  b.instructions = 0;
  b.liveThreads = uint32_t(launch.block.count());
  uint32_t warps = (b.liveThreads + 31) / 32;
  b.warps.resize(warps);
  for (uint32_t k = 0; k < warps; ++k)
    prepareWarp(worker, b, k);
  setOfBlock(b);
  worker.warps += warps;
  ++worker.blocks;
}

void mlir::fuse::emu::prepareCluster(Worker &worker, uint64_t linear) {
  Launch &launch = *worker.launch;
  const Dim3 &size = launch.cluster;
  Dim3 at = position(linear, {launch.grid.x / size.x, launch.grid.y / size.y,
                              launch.grid.z / size.z});
  Cluster &cluster = worker.cluster;
  cluster.blocks.resize(size.count());
  cluster.arrived = cluster.phase = 0;
  cluster.liveThreads = uint32_t(launch.block.count() * size.count());
  if (launch.program->localBytes)
    std::fill(worker.localStorage.begin(), worker.localStorage.end(), 0);
  for (uint32_t rank = 0; rank < cluster.blocks.size(); ++rank) {
    Block &b = cluster.blocks[rank];
    Dim3 within = position(rank, size);
    b.cluster = &cluster;
    b.rank = rank;
    b.id = {at.x * size.x + within.x, at.y * size.y + within.y,
            at.z * size.z + within.z};
    prepareBlock(worker, b);
  }
  if (worker.recording) {
    worker.requests.warps.assign(size.count() * cluster.blocks[0].warps.size(),
                                 {});
    setLocalLines(cluster, linear);
  }
  if (worker.checker)
    worker.checker->startCluster(cluster);
}
