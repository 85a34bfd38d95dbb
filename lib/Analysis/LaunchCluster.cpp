// Clusters of blocks that keep a long row in the shared memory of all of them.
#include "LaunchChoice.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

bool fuse::hasClusters(Operation *op) {
  for (; op; op = op->getParentOp()) {
    auto system = op->getAttrOfType<TargetSystemSpecAttr>(
        DLTIDialect::kTargetSystemDescAttrName);
    if (!system)
      continue;
    for (DataLayoutEntryInterface device : system.getEntries()) {
      auto spec = dyn_cast<TargetDeviceSpecInterface>(device.getValue());
      for (DataLayoutEntryInterface entry :
           spec ? spec.getEntries() : ArrayRef<DataLayoutEntryInterface>()) {
        auto key = llvm::dyn_cast_if_present<StringAttr>(entry.getKey());
        auto chip = dyn_cast<StringAttr>(entry.getValue());
        unsigned number = 0;
        if (!key || key != "fuse.chip" || !chip)
          continue;
        StringRef digits = chip.getValue();
        digits.consume_front("sm_");
        if (digits.consumeInteger(10, number))
          return false;
        return number >= 90;
      }
    }
  }
  return true;
}

/// Blocks that keep the memory of a device busy.
static constexpr int64_t kBusy = 128;

void fuse::spreadOverCluster(const GroupShape &shape, int64_t chunks,
                             LaunchShape &launch) {
  // A part of the row that is worth the exchange.
  constexpr int64_t kFewestThreads = 256, kThreads = 512;
  if (launch.shift != 0 || launch.rowsPerBlock != 1 || shape.singlePass ||
      launch.threadsPerRow * launch.positions < 2 * kFewestThreads)
    return;
  int64_t blocks = 1;
  while (blocks < kMostClustered && 2 * blocks * shape.rows <= kBusy &&
         chunks >= 2 * blocks * kFewestThreads)
    blocks *= 2;
  int64_t each = ceilDiv(chunks, blocks);
  int64_t positions = std::min(launch.positions, ceilDiv(each, kThreads));
  int64_t threads = llvm::alignTo(ceilDiv(each, positions), kWarp);
  // Each block has a part of the row.
  if (blocks == 1 || (blocks - 1) * positions * threads >= chunks ||
      !hasClusters(shape.roots.front()))
    return;
  launch.parts = blocks;
  launch.positions = positions;
  launch.threadsPerRow = threads;
}

bool fuse::chooseCluster(const GroupShape &shape, int64_t chunks,
                         int64_t inputBytes, int64_t mostBytes,
                         LaunchShape &launch) {
  // A part of the row that is worth the exchange.
  constexpr int64_t kFewestPositions = 2;
  if (launch.shift != 0 || shape.singlePass ||
      !hasClusters(shape.roots.front()))
    return false;
  int64_t perChunk = ceilDiv(inputBytes, chunks);
  bool found = false;
  for (int64_t blocks = 2; blocks <= kMostClustered; blocks *= 2) {
    int64_t positions = ceilDiv(ceilDiv(chunks, blocks), kMaxThreads);
    int64_t bytes = positions * kMaxThreads * perChunk;
    // Each block has a part of the row.
    bool covers = (blocks - 1) * positions * kMaxThreads < chunks;
    // A row that one block cannot keep is worth it with any number of rows.
    bool isWorthIt =
        (!found && inputBytes > mostBytes) || shape.rows * blocks / 2 < kBusy;
    if (bytes > mostBytes || !covers || positions < kFewestPositions ||
        !isWorthIt)
      continue;
    found = true;
    launch.residency = Residency::Shared;
    launch.threadsPerRow = kMaxThreads;
    launch.positions = positions;
    launch.parts = blocks;
    launch.stagedBytes = bytes;
  }
  return found;
}
