// From the body of a scheduled kernel to the body of a device function.
#ifndef FUSE_MLIR_CODEGEN_KERNELCODEGEN_H
#define FUSE_MLIR_CODEGEN_KERNELCODEGEN_H

#include "fuse-mlir/Analysis/GroupShape.h"
#include "fuse-mlir/Codegen/Combiner.h"
#include "fuse-mlir/Codegen/ElementEmitter.h"
#include "fuse-mlir/IR/KernelBody.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <functional>

namespace mlir::fuse {

/// What the generators of the paths share: the function being filled, the
/// emitter, and the block and thread numbers as expressions. Of a packed kernel
/// they see one part.
struct KernelContext {
  KernelOp kernel;
  /// The operators and outputs, those of the part if the kernel is packed.
  ArrayRef<Operation *> ops;
  ArrayRef<Value> outputs;
  ScheduleAttr schedule;
  const GroupShape &shape;
  gpu::GPUFuncOp function;
  ElementEmitter &emitter;
  /// The number of the block, from 0 for each part.
  AffineExpr block, thread;
  /// Dynamic shared memory that the launch has to give.
  int64_t dynamicSharedBytes = 0;
  /// Parts of a packed kernel: whether all shared memory is dynamic, so that
  /// blocks of different parts use the same bytes.
  bool sharesMemory = false;

  /// Global memory for partial results that blocks leave to the last one: one
  /// buffer for each accumulator of the kernel's reductions, in their order.
  SmallVector<Value> scratch = {};

  /// Path `row`, beside the layout: columns begin as far before the row as it
  /// begins after a multiple of so many elements, so that chunks begin at
  /// sectors; 0 for rows that begin there.
  int64_t rowShift = 0;

  /// Where elements of outputs go if this is a stage whose outputs stay on chip;
  /// null if they are results of the kernel.
  std::function<void(unsigned, AffineExpr, AffineExpr, Value)> keepOutput = {};

  OpBuilder &builder() { return emitter.getBuilder(); }
  Location loc() { return kernel.getLoc(); }
  /// The block argument that output `number` is stored to.
  Value outArgument(unsigned number);
  /// Whether operators or outputs of this part use the block argument `input`.
  bool reads(Value input);
  /// Whether the tensor `argument` has an element for each place.
  bool isFull(Value argument);
  /// `exprs` (in row = d0, column = d1) at an element.
  SmallVector<AffineExpr> at(ArrayRef<AffineExpr> exprs, AffineExpr row,
                             AffineExpr column);
  /// The result of the kernel that output `number` is.
  unsigned resultOf(unsigned number);
  /// Number of the element of output `number` at row d0 and column d1.
  AffineExpr numberInOutput(unsigned number);
  /// Number of the element of the destination at which it is stored: the same,
  /// but for updates.
  AffineExpr placeOfOutput(unsigned number, AffineExpr row, AffineExpr column);
  /// Emits the reductions that the loop of another one needs, before it.
  void emitInnerRoots(AffineExpr row);
  /// Emits output `number` at an element.
  Value emitOutput(unsigned number, AffineExpr row, AffineExpr column);
  void storeOutput(unsigned number, AffineExpr row, AffineExpr column,
                   Value element);
};

/// Neighbouring places of a thread along one dimension of the space.
struct Chunk {
  SmallVector<AffineExpr> places;
  SmallVector<Condition> exists;
};

/// The chunk of the `width` places `first(lane)` of `0 .. size - 1`. Places
/// that do not exist are moved to ones that do, so that loads stay in bounds.
Chunk makeChunk(ElementEmitter &emitter, int64_t width, AffineExpr size,
                function_ref<AffineExpr(int64_t lane)> place);
inline Chunk makeChunk(ElementEmitter &emitter, int64_t width, int64_t size,
                       function_ref<AffineExpr(int64_t lane)> place) {
  return makeChunk(emitter, width, emitter.constant(size), place);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// One of the scalars that a thread carries along for reductions of the kernel.
struct Accumulator {
  TypedAttr neutral;

  Type getType() const { return neutral.getType(); }
  /// The type in memory: integers are kept in whole bytes, one, two, four, ….
  Type getStoredType() const;
};

/// The accumulators of some reductions, those of a combiner side by side. A
/// partial result has a value for each of them.
class Accumulators {
public:
  Accumulators() = default;
  /// None, and an error, if a reduction is of no known kind.
  Accumulators(KernelContext &context, ArrayRef<Operation *> roots);

  unsigned size() const { return all.size(); }
  const Accumulator *begin() const { return all.begin(); }
  const Accumulator *end() const { return all.end(); }
  const Accumulator &operator[](unsigned number) const { return all[number]; }

  /// The partial result of no elements.
  SmallVector<Value> emitNeutral(KernelContext &context) const;
  /// Emits what the reductions read at neighbouring places (row, column) of the
  /// space where that is better done together (see `emitTogether`).
  void emitOperands(KernelContext &context,
                    ArrayRef<std::pair<AffineExpr, AffineExpr>> places) const;
  /// Combines the elements at a place of the space into `partial`, whose values
  /// are null at first; nothing if the place does not exist.
  void accumulate(KernelContext &context, AffineExpr row, AffineExpr column,
                  Condition exists, MutableArrayRef<Value> partial) const;
  /// The same for places along a row. One reduction has all of its elements
  /// before the next one starts: what they are computed from, as the states of
  /// a recurrence, need not be kept from one place to the next.
  void accumulate(KernelContext &context, AffineExpr row, const Chunk &columns,
                  MutableArrayRef<Value> partial) const;
  /// Combines `other` into `partial`.
  void combine(KernelContext &context, MutableArrayRef<Value> partial,
               ArrayRef<Value> other) const;
  /// Puts totals together with the initial values at the parallel places of
  /// (row, column), and makes the results known there.
  void remember(KernelContext &context, ArrayRef<Value> totals, AffineExpr row,
                AffineExpr column) const;

private:
  SmallVector<std::unique_ptr<Combiner>> combiners;
  /// Of each combiner, the columns that it takes; null for all.
  SmallVector<AffineExpr> lengths;
  SmallVector<Accumulator> all;
};

/// The reductions over columns by the order they need: each stage's loops use
/// results of earlier stages only.
SmallVector<SmallVector<Operation *>> getStages(KernelContext &context);

Value emitNeutral(KernelContext &context, const Accumulator &accumulator);
/// `value` if `exists`, else the neutral element.
Value selectExisting(KernelContext &context, const Accumulator &accumulator,
                     Condition exists, Value value);

/// Where a shared buffer holds lane `lane` of chunk `chunk`, of `chunks` with
/// `lanes` accumulators each: 16 bytes of one chunk beside those of the next,
/// so that threads with neighbouring chunks use different banks.
AffineExpr getSharedPlace(const Accumulator &accumulator, AffineExpr chunk,
                          int64_t chunks, int64_t lane, int64_t lanes);

/// One element of a buffer of stored accumulators.
Value loadPartial(KernelContext &context, const Accumulator &accumulator,
                  Value buffer, AffineExpr at);
void storePartial(KernelContext &context, const Accumulator &accumulator,
                  Value buffer, AffineExpr at, Value partial);

//===----------------------------------------------------------------------===//
// Blocks that share rows
//===----------------------------------------------------------------------===//

/// The type in memory of a partial result of type `type`.
Type getStoredType(Type type);

/// Blocks that share the rows of a block (path `mixed`: that share the
/// columns); 1 if none does.
int64_t getParts(ScheduleAttr schedule);

/// Positions that a thread has in each row that it visits (path `mixed`).
int64_t getPositionsOfRow(ScheduleAttr schedule);

/// Whether the blocks that share a row are a cluster, which keeps the row in
/// the registers or the shared memory of all of them (path `row`).
bool isClustered(ScheduleAttr schedule);

/// Where sizes are known at run time only: blocks that may share rows at most.
inline constexpr int64_t kMostSharingBlocks = 512;

/// Whether the blocks of a kernel with sizes that are known at run time only may
/// share rows (path `mixed`: columns).
bool mayShareAtRunTime(const GroupShape &shape, ScheduleAttr schedule);

/// Which rows a block works for, with `parts` blocks in all, of which it is
/// number `part`.
struct BlockTeam {
  AffineExpr team, part, parts;
};

/// The team of this block among `teams`, in a kernel that may share rows. Where
/// sizes are known at run time only, so is the number of blocks of a team: the
/// grid is a whole number of these.
BlockTeam getBlockTeam(KernelContext &context, AffineExpr teams);

/// The part of a loop of `steps` steps that this block of `team` takes: `count`
/// steps from `first` on.
struct OwnSteps {
  AffineExpr first, count;
};
OwnSteps shareSteps(KernelContext &context, const BlockTeam &team,
                    AffineExpr steps);

/// The buffers of `KernelContext::scratch`, which follow the outputs among the
/// arguments of the device function. Where sizes are known at run time only: as
/// large as they may be, with equal parts for each of `kMostSharingBlocks`.
SmallVector<MemRefType> getScratchTypes(const GroupShape &shape,
                                        ScheduleAttr schedule);

/// Emits `finish` for the block that arrives here last of the `parts` blocks
/// of team `team`, of `teams`. It sees what the others have written. No block
/// waits for another one.
void emitLastBlock(KernelContext &context, AffineExpr team, int64_t teams,
                   AffineExpr parts, function_ref<void()> finish);

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

/// Paths `pointwise` and `general`: a thread owns elements of a linear space.
void emitFlatKernel(KernelContext &context);

/// Path `row`.
void emitRowKernel(KernelContext &context);

/// Path `box`.
void emitBoxKernel(KernelContext &context);

/// Emits all outputs at the neighbouring elements `places` of a linear space,
/// and stores them. Questions that are common to them (which operand of a
/// concatenation?) are asked once, so that accesses behind them still become
/// vectors.
void emitNeighbours(KernelContext &context, ArrayRef<AffineExpr> places);

/// Whether elements of the kernel's values come from different places, so that
/// it is asked where one comes from.
bool hasGuards(const KernelContext &context);

/// A question that all lanes of `emitLane` answer alike (which operand of a
/// concatenation?), if there is one, and for how many numbers from its
/// expression on the answer is the same.
std::optional<std::pair<Guard, int64_t>>
findCommonGuard(ElementEmitter &emitter, int64_t width,
                function_ref<void(int64_t)> emitLane);

/// Emits what the elements of `tensor` at the indices `lanes` need of
/// concatenations, pads and insertions, and remembers it, where they have such a
/// question in common.
void emitTogether(KernelContext &context, Value tensor,
                  ArrayRef<SmallVector<AffineExpr>> lanes);

/// If the first and the last of `width` neighbours, hence all, answer these
/// questions alike, whatever the answer: for how many numbers from the expression
/// of `first` on it is the same.
std::optional<int64_t> asksTheSame(ElementEmitter &emitter, const Guard &first,
                                   const Guard &last, int64_t width);

/// Path `packed`: `emitPart` fills in the code of each part, in the blocks that
/// belong to it.
void emitPackedKernel(KernelContext &context,
                      function_ref<void(KernelContext &)> emitPart);

/// Path `window`.
void emitWindowKernel(KernelContext &context);

/// Path `column`.
void emitColumnKernel(KernelContext &context);

/// Path `tile`.
void emitTileKernel(KernelContext &context);

/// Path `mixed`.
void emitMixedKernel(KernelContext &context);

/// Path `attention`.
void emitAttentionKernel(KernelContext &context);

/// Staging of short rows: a block's rows are one contiguous range of each
/// operand as large as the space. `stageInputs` copies the range of the inputs
/// to shared memory, by whole sectors whatever the length of a row, and makes
/// room for the outputs that are stored row after row; `unstageOutputs` copies
/// these back.
void stageInputs(KernelContext &context, int64_t rowsPerBlock);
void unstageOutputs(KernelContext &context, int64_t rowsPerBlock);

/// Shared memory of `size` elements, aligned for vector accesses; of its own,
/// or part of the dynamic memory if there is some.
Value addSharedBuffer(KernelContext &context, int64_t size, Type type);

/// The same in dynamic shared memory, which may be larger.
Value addDynamicBuffer(KernelContext &context, int64_t size, Type type);

/// Combines the partial results of the `group` threads (a power of two up to
/// 32, or a multiple of 32 that is the block) that share a row; all get the
/// total. One barrier at most.
SmallVector<Value> combineAcrossThreads(KernelContext &context,
                                        const Accumulators &accumulators,
                                        ArrayRef<Value> partials,
                                        int64_t group);

/// Combines the totals of the `blocks` blocks of a cluster; all threads of all
/// of them get the result. No block may end before all have arrived at a
/// barrier of the cluster once more.
SmallVector<Value> combineAcrossCluster(KernelContext &context,
                                        const Accumulators &accumulators,
                                        ArrayRef<Value> partials,
                                        int64_t blocks);
/// All threads of the cluster wait for each other; what they have written is
/// seen by all.
void emitClusterBarrier(KernelContext &context);
/// What block `block` of the cluster has left at `place` of its own `buffers`, of
/// shared memory, one for each accumulator.
SmallVector<Value> loadPartials(KernelContext &context,
                                const Accumulators &accumulators,
                                ArrayRef<Value> buffers, AffineExpr place,
                                int64_t block);
/// Launches of the function consist of clusters of `blocks` blocks.
void requireCluster(KernelContext &context, int64_t blocks);

/// Fills `function` with the code of `kernel`. The body must be a group that
/// `shape` describes. Gives the bytes of dynamic shared memory it needs.
FailureOr<int64_t> emitKernel(KernelOp kernel, const GroupShape &shape,
                              gpu::GPUFuncOp function);

} // namespace mlir::fuse

#endif // FUSE_MLIR_CODEGEN_KERNELCODEGEN_H
