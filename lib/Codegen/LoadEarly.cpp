// Loads of one block in front of what is computed from the first of them. A
// warp waits at the first use of a value that is on its way, so that loads
// between which values are used wait one after the other, and few warps do not
// keep memory busy. Neither LLVM nor ptxas moves all of them.
#include "fuse-mlir/Codegen/ElementEmitter.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::fuse;

/// Bytes that a thread asks for before it uses any of them: registers for them
/// are not free then.
static constexpr int64_t kMostBytes = 64;

/// Bytes that `op` loads from one of the first `inputs` arguments of its
/// function, which are not written; 0 for all other operations.
static int64_t getInputBytes(Operation &op, unsigned inputs) {
  Value buffer;
  if (memref::LoadOp load = dyn_cast<memref::LoadOp>(op))
    buffer = load.getMemRef();
  else if (vector::LoadOp load = dyn_cast<vector::LoadOp>(op))
    buffer = load.getBase();
  while (buffer)
    if (ViewLikeOpInterface view = buffer.getDefiningOp<ViewLikeOpInterface>())
      buffer = view.getViewSource();
    else
      break;
  BlockArgument argument = dyn_cast_or_null<BlockArgument>(buffer);
  if (!argument || argument.getArgNumber() >= inputs ||
      !isa<gpu::GPUFuncOp>(argument.getOwner()->getParentOp()))
    return 0;
  int64_t elements = 1;
  Type type = op.getResult(0).getType();
  if (VectorType vector = dyn_cast<VectorType>(type))
    elements = vector.getNumElements();
  return elements *
         llvm::divideCeil(
             getElementTypeOrSelf(type).isIndex()
                 ? 64
                 : getElementTypeOrSelf(type).getIntOrFloatBitWidth(),
             8);
}

/// Collects what `op` needs, as far as it lies behind `before`, each operation
/// behind its operands; false if some of it is no arithmetic.
static bool collectNeeded(Operation *op, Operation *before,
                          SetVector<Operation *> &needed) {
  for (Value operand : op->getOperands()) {
    Operation *source = operand.getDefiningOp();
    if (!source || source->getBlock() != before->getBlock() ||
        source->isBeforeInBlock(before) || needed.contains(source))
      continue;
    if (source->getNumRegions() != 0 || !isMemoryEffectFree(source) ||
        !collectNeeded(source, before, needed))
      return false;
    needed.insert(source);
  }
  return true;
}

/// Moves what is taken from the vector that `load` loads behind it: LLVM takes
/// such a vector apart, and loads its elements where they are taken from it.
/// Returns the last of these operations.
static Operation *takeApart(Operation *load) {
  Operation *last = load;
  for (Operation *user : load->getUsers())
    if (isa<vector::ExtractOp>(user) && user->getBlock() == load->getBlock()) {
      user->moveAfter(last);
      last = user;
    }
  return last;
}

/// Moves `load` behind `last` with what it needs; false if that is not
/// possible.
static bool moveBehind(Operation *load, Operation *last) {
  Operation *before = last->getNextNode();
  SetVector<Operation *> needed;
  if (before == load)
    return true;
  if (!collectNeeded(load, last, needed))
    return false;
  needed.insert(load);
  Operation *place = last;
  for (Operation *op : needed) {
    op->moveAfter(place);
    place = op;
  }
  return true;
}

static void loadEarly(Block &block, unsigned inputs) {
  SmallVector<Operation *> ops =
      llvm::map_to_vector(block, [](Operation &op) { return &op; });
  Operation *last = nullptr;
  int64_t bytes = 0;
  for (Operation *op : ops) {
    // What takes long is no place to have values across, nor is the end of what
    // earlier values were for.
    bool isLoad = isa<memref::LoadOp, vector::LoadOp>(op);
    if (op->getNumRegions() != 0 || isa<gpu::ShuffleOp>(op) ||
        (!isLoad && !isMemoryEffectFree(op)))
      last = nullptr;
    int64_t own = getInputBytes(*op, inputs);
    if (own == 0)
      continue;
    bool moves = last && bytes + own <= kMostBytes && moveBehind(op, last);
    bytes = moves ? bytes + own : own;
    last = takeApart(op);
  }
}

void fuse::loadEarly(Region &body, unsigned inputs) {
  body.walk([&](Block *block) { ::loadEarly(*block, inputs); });
}
