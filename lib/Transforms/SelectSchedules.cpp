// fuse-select-schedules: grid, block and layout of each kernel, from the shape
// of its group and the sizes of its operands.
#include "fuse-mlir/Transforms/Passes.h"

#include "fuse-mlir/Analysis/GroupShape.h"
#include "fuse-mlir/IR/FuseOps.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_SELECTSCHEDULESPASS
#include "fuse-mlir/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// Numbers that decisions are made from.
constexpr int64_t kAccessBytes = 16;
constexpr int64_t kSectorBytes = 32;
constexpr int64_t kWarp = 32;
constexpr int64_t kMaxThreads = 1024;
/// Words of a row that a thread keeps in registers.
constexpr int64_t kRowWords = 32;
/// Bytes of a row that are kept in shared memory (an sm_80 has 163 KB).
constexpr int64_t kRowSharedBytes = 158 * 1024;
/// Blocks of 256 threads that fill the larger of today's devices once.
constexpr int64_t kFullDevice = 1024;

/// Element sizes of the operands that are as large as the space.
struct Footprint {
  int64_t smallest = 8;
  int64_t largest = 1;
  /// Inputs as large as the space: what may have to be kept.
  int64_t fullInputs = 0;
  int64_t inputBytes = 0;
};

struct Sizes {
  int64_t grid = 1, threads = 1, positions = 1, vector = 1;
  Residency residency = Residency::None;
};
} // namespace

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

static int64_t bytesOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (element.isIndex())
    return 8;
  return std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8);
}

static Footprint getFootprint(KernelOp kernel, const GroupShape &shape) {
  Footprint result;
  int64_t space = shape.rows * shape.columns;
  unsigned inputs = kernel.getInputs().size();
  for (auto [i, type] : llvm::enumerate(kernel.getOperandTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || tensor.getNumElements() < space)
      continue;
    result.smallest = std::min(result.smallest, bytesOf(type));
    result.largest = std::max(result.largest, bytesOf(type));
    if (i < inputs) {
      ++result.fullInputs;
      result.inputBytes += bytesOf(type) * tensor.getNumElements();
    }
  }
  return result;
}

/// Whole warps, as few as hold `items` threads.
static int64_t roundToWarps(int64_t items) {
  return llvm::alignTo(std::max<int64_t>(items, 1), kWarp);
}

static Sizes selectFlat(const GroupShape &shape, const Footprint &footprint) {
  Sizes sizes;
  int64_t elements = std::max<int64_t>(shape.rows, 1);
  if (shape.path == KernelPath::Pointwise) {
    sizes.vector = std::clamp<int64_t>(kAccessBytes / footprint.smallest, 1, 8);
    if (elements >= kFullDevice * 256 * sizes.vector * 2 && sizes.vector < 8)
      sizes.positions = 2;
  }
  int64_t perThread = sizes.vector * sizes.positions;
  sizes.threads = elements >= 132 * 256 * perThread ? 256 : 128;
  sizes.threads =
      std::min(sizes.threads, roundToWarps(ceilDiv(elements, perThread)));
  sizes.grid = ceilDiv(elements, sizes.threads * perThread);
  return sizes;
}

/// Threads of a row and the positions of each, for `chunks` chunks;
/// `inputBytes` is what a row of all inputs takes.
static void splitRow(Sizes &sizes, int64_t rows, int64_t chunks,
                     int64_t maxPositions, int64_t inputBytes, int64_t &group) {
  sizes.residency = Residency::Registers;
  // Up to a warp's registers: no exchange beyond the warp.
  bool manyRows = rows >= 132 * 4;
  if (chunks <= kWarp) {
    group = llvm::PowerOf2Ceil(chunks);
    sizes.positions = 1;
    return;
  }
  if (manyRows && chunks <= kWarp * maxPositions &&
      chunks * sizes.vector <= kWarp * kRowWords) {
    group = kWarp;
    sizes.positions = ceilDiv(chunks, kWarp);
    return;
  }
  // Half of the registers if the row allows it: more rows in flight.
  int64_t wanted = manyRows ? std::max<int64_t>(maxPositions / 2, 1) : 1;
  sizes.positions = std::max(wanted, ceilDiv(chunks, kMaxThreads));
  if (sizes.positions > maxPositions) {
    bool fits = inputBytes <= kRowSharedBytes;
    sizes.residency = fits ? Residency::Shared : Residency::Reread;
    group = fits ? kMaxThreads : kMaxThreads / 2;
    sizes.positions = ceilDiv(chunks, group);
    return;
  }
  group = roundToWarps(ceilDiv(chunks, sizes.positions));
  sizes.positions = ceilDiv(chunks, group);
}

static ScheduleAttr makeSchedule(MLIRContext *context, const GroupShape &shape,
                                 const Sizes &sizes, ArrayRef<AffineExpr> at) {
  return ScheduleAttr::get(context, shape.path, shape.rows, shape.columns,
                           sizes.grid, sizes.threads, sizes.positions,
                           sizes.vector, sizes.residency,
                           AffineMap::get(4, 0, at, context));
}

/// Short rows that do not begin at sectors: a block stages a range of rows in
/// shared memory, and few threads, each with many elements, take a row. False
/// if that does not pay or does not fit.
static bool selectStaged(KernelOp kernel, const GroupShape &shape,
                         const Footprint &footprint, Sizes &sizes,
                         int64_t &group, int64_t &rowsPerBlock) {
  constexpr int64_t kShortest = 8, kLongest = 128, kSharedBytes = 48 * 1024;
  if (shape.columns <= kShortest || shape.columns > kLongest ||
      shape.columns % (kAccessBytes / footprint.smallest) == 0 ||
      shape.rows < kWarp)
    return false;
  int64_t bytesPerRow = 0;
  for (Type type : kernel.getOperandTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      if (tensor.getNumElements() == shape.rows * shape.columns)
        bytesPerRow += bytesOf(tensor) * shape.columns;
  sizes = Sizes();
  sizes.residency = Residency::Shared;
  group = llvm::PowerOf2Ceil(ceilDiv(shape.columns, kRowWords + 8));
  rowsPerBlock = shape.rows >= 132 * 128 ? 128 : kWarp;
  while (rowsPerBlock > kWarp && rowsPerBlock * bytesPerRow > kSharedBytes)
    rowsPerBlock /= 2;
  sizes.positions = ceilDiv(shape.columns, group);
  return rowsPerBlock * bytesPerRow <= kSharedBytes;
}

static ScheduleAttr selectRow(KernelOp kernel, const GroupShape &shape,
                              const Footprint &footprint) {
  MLIRContext *context = kernel.getContext();
  Sizes sizes;
  int64_t rows = std::max<int64_t>(shape.rows, 1);
  int64_t columns = std::max<int64_t>(shape.columns, 1);
  sizes.vector = std::clamp<int64_t>(kAccessBytes / footprint.smallest, 1, 8);
  while (columns % sizes.vector != 0)
    sizes.vector /= 2;
  // Elements by which a row may begin after a sector's start.
  int64_t perSector = kSectorBytes / footprint.smallest;
  int64_t shift = 0;
  bool misaligned = rows > 1 && columns % (kAccessBytes / footprint.smallest);
  if (misaligned && columns > 4 * kWarp) {
    shift = perSector;
    sizes.vector = 1;
  }
  int64_t words = std::max<int64_t>(footprint.largest / 4, 1) *
                  std::max<int64_t>(footprint.fullInputs, 1);
  int64_t maxPositions = std::max<int64_t>(kRowWords / words / sizes.vector, 1);
  int64_t chunks =
      ceilDiv(columns + std::max<int64_t>(shift - 1, 0), sizes.vector);
  int64_t group = 1;
  int64_t rowsPerBlock = 1;
  splitRow(sizes, rows, chunks, maxPositions, footprint.inputBytes / rows,
           group);
  Sizes staged;
  int64_t stagedGroup = 1, stagedRows = 1;
  if (selectStaged(kernel, shape, footprint, staged, stagedGroup, stagedRows)) {
    sizes = staged;
    group = stagedGroup;
    rowsPerBlock = stagedRows;
    shift = 0;
  } else if (group <= kWarp)
    rowsPerBlock = std::max<int64_t>(
        kWarp / group,
        std::min<int64_t>(128 / group, llvm::PowerOf2Ceil(rows)));
  sizes.threads = group * rowsPerBlock;
  sizes.grid = ceilDiv(rows, rowsPerBlock);

  AffineExpr block, thread, position, lane;
  bindDims(context, block, thread, position, lane);
  AffineExpr row = block * rowsPerBlock;
  AffineExpr inRow = thread;
  if (rowsPerBlock > 1) {
    row = row + thread.floorDiv(group);
    inRow = thread % group;
  }
  AffineExpr column = (position * group + inRow) * sizes.vector + lane;
  if (shift)
    column = column - (row * columns) % shift;
  return makeSchedule(context, shape, sizes, {row, column});
}

static ScheduleAttr selectSchedule(KernelOp kernel, const GroupShape &shape) {
  MLIRContext *context = kernel.getContext();
  Footprint footprint = getFootprint(kernel, shape);
  if (shape.path == KernelPath::Row)
    return selectRow(kernel, shape, footprint);
  Sizes sizes = selectFlat(shape, footprint);
  AffineExpr block, thread, position, lane;
  bindDims(context, block, thread, position, lane);
  AffineExpr element =
      ((block * sizes.positions + position) * sizes.threads + thread) *
          sizes.vector +
      lane;
  return makeSchedule(context, shape, sizes, element);
}

static LogicalResult scheduleKernel(KernelOp kernel) {
  if (kernel.getSchedule())
    return success();
  for (Type type : kernel.getOperandTypes())
    if (auto shaped = dyn_cast<ShapedType>(type))
      if (!shaped.hasStaticShape())
        return kernel.emitOpError("dynamic shapes are not supported yet");
  SmallVector<Operation *> ops;
  Block &body = kernel.getBody().front();
  for (Operation &op : body.without_terminator())
    ops.push_back(&op);
  SmallVector<Value> outputs(body.getTerminator()->getOperands());
  RuleViolation why;
  FailureOr<GroupShape> shape = analyzeGroup(ops, outputs, &why);
  if (failed(shape))
    return kernel.emitOpError("cannot be one kernel: ")
           << why.message << " (" << why.rule << ")";
  kernel.setScheduleAttr(selectSchedule(kernel, *shape));
  return success();
}

namespace {
class SelectSchedules
    : public fuse::impl::SelectSchedulesPassBase<SelectSchedules> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](KernelOp kernel) {
      return failed(scheduleKernel(kernel)) ? WalkResult::interrupt()
                                            : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
