// Demand-driven generation of scalar code for elements of tensors. A kernel's
// tensor program is never executed as such: whoever needs an element asks for
// it by index expressions over base variables (block, thread, loop counters),
// and the emitter walks the producers up to the kernel's arguments.
#ifndef FUSE_MLIR_CODEGEN_ELEMENTEMITTER_H
#define FUSE_MLIR_CODEGEN_ELEMENTEMITTER_H

#include "fuse-mlir/Analysis/IndexExpr.h"
#include "fuse-mlir/Analysis/TensorSizes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::fuse {

/// Whether a condition on indices holds: decided by ranges, or by a run-time
/// value.
struct Condition {
  enum Kind { Never, Always, Runtime };
  Kind kind = Always;
  Value value;
};

/// A question that emitted code asks: `low <= expr && expr <= high`.
struct Guard {
  AffineExpr expr;
  AffineExpr low, high;
};

/// Whether it has to be asked where an element of the result comes from.
bool isGuarded(Operation *op);

/// An element of a tensor that is asked for.
struct ElementRequest {
  Value tensor;
  SmallVector<AffineExpr> index;
};

/// One scalar load or store, remembered so that neighbours become one vector
/// access (see MergeAccesses.cpp).
struct MemoryAccess {
  Operation *op;
  Value buffer;
  /// Number of the element in `buffer`.
  AffineExpr linear;
};

/// Where an element lies in memory as it is. Where one of the guards does not
/// hold it is zero instead, and there need not be such a place.
struct ElementSource {
  Value buffer;
  /// Number of the element in `buffer`.
  AffineExpr linear;
  SmallVector<Guard> guards;
};

class ElementEmitter {
public:
  ElementEmitter(OpBuilder &builder, Location loc);

  OpBuilder &getBuilder() { return builder; }
  MLIRContext *getContext() { return builder.getContext(); }
  const IndexRanges &getRanges() const { return ranges; }

  //===--------------------------------------------------------------------===//
  // Sizes
  //===--------------------------------------------------------------------===//

  /// The sizes of the kernel's tensors; symbol `i` has the value `values[i]`
  /// from now on.
  void bindSizes(const TensorSizes &tensorSizes, ArrayRef<Value> values);
  const TensorSizes &getSizes() const { return sizes; }
  ArrayRef<Value> getSizeValues() const { return sizeValues; }
  /// From now on all numbers of elements, and what they are computed from, fit
  /// 32 bits (or not known to).
  void assumeSmallSizes(bool small) { sizesAreSmall = small; }

  //===--------------------------------------------------------------------===//
  // Index expressions
  //===--------------------------------------------------------------------===//

  /// A base variable that stands for `value` (an integer or index) within
  /// `range`. It can be used until the current scope ends.
  AffineExpr addVariable(Value value, IndexRange range);
  AffineExpr constant(int64_t value);
  AffineExpr simplify(AffineExpr expr) { return simplifyIndex(expr, ranges); }

  /// The value of `expr`: i32 if all its parts are known to fit, else i64.
  Value materialize(AffineExpr expr);
  Value materializeIndex(AffineExpr expr);
  /// `low <= expr && expr <= high`.
  Condition isWithin(AffineExpr expr, AffineExpr low, AffineExpr high);
  Condition isWithin(AffineExpr expr, int64_t low, int64_t high) {
    return isWithin(expr, constant(low), constant(high));
  }
  /// `0 <= expr && expr < size`.
  Condition isBelow(AffineExpr expr, AffineExpr size) {
    return isWithin(expr, constant(0), simplify(size - 1));
  }
  Condition conjunction(Condition a, Condition b);
  /// From now on `guard` is known to hold (or not) for its expression and for
  /// the `width - 1` following numbers.
  void pushKnown(Guard guard, int64_t width, bool holds) {
    known.push_back({guard, width, holds});
  }
  void popKnown() { known.pop_back(); }
  /// The guards that `emit` would ask at run time; nothing stays emitted.
  SmallVector<Guard> collectGuards(function_ref<void()> emit);
  /// The elements of concatenations, pads and insertions that `emit` would ask
  /// for, not those behind others of these, at indices that are known from
  /// today's variables; none if one is at another index. Nothing stays emitted.
  SmallVector<ElementRequest> collectGuarded(function_ref<void()> emit);
  /// The loads that `emit` would do, in order; nothing stays emitted.
  SmallVector<MemoryAccess> collectLoads(function_ref<void()> emit);
  /// Operations that `emit` would emit; nothing stays emitted.
  int64_t countOperations(function_ref<void()> emit);
  /// Where the values of lanes 0 to `count - 1` are loaded from, if all are
  /// elements of memory as they are, or zeros around these (a pad), at places
  /// that are known from today's variables; else nothing. Nothing stays emitted.
  SmallVector<ElementSource>
  findSources(unsigned count, function_ref<Value(unsigned lane)> emit);

  /// `a` xor `b`, both below `size`, a power of two.
  AffineExpr exclusiveOr(AffineExpr a, AffineExpr b, int64_t size);

  /// The smaller of `expr` and `high`, and at least `low`, as an expression
  /// with a range (a new variable unless the range of `expr` decides).
  AffineExpr clamp(AffineExpr expr, int64_t low, int64_t high);
  /// The same for `0 .. size - 1`.
  AffineExpr clampBelow(AffineExpr expr, AffineExpr size);

  //===--------------------------------------------------------------------===//
  // Elements
  //===--------------------------------------------------------------------===//

  /// Whether loops of reductions are unrolled from now on, and a pad is a
  /// choice between its value and the nearest element of the source rather than
  /// a branch: all loads of a window then lie in one block.
  void unrollWindows(bool unrolls) { unrollsWindows = unrolls; }

  /// Binds a kernel argument: tensors to 1-D memrefs, scalars to values.
  void bindArgument(Value argument, Value bound) { bound_[argument] = bound; }
  Value getBound(Value argument) { return bound_.lookup(argument); }

  /// Elements `base .. base + size - 1` of the argument, or of a value that was
  /// computed before, are kept in `buffer` from `offset` (null: its start) on:
  /// loads that provably fall there go there, and all stores have to.
  void stageArgument(Value argument, Value buffer, AffineExpr base,
                     int64_t size, AffineExpr offset = {}) {
    staged[argument] = {buffer, base, size, offset, false};
  }
  /// Nothing is staged from now on.
  void unstageArguments() { staged.clear(); }
  /// The buffer that stores to `argument` went to, if any did.
  Value getStagedBuffer(Value argument) {
    auto it = staged.find(argument);
    return it != staged.end() && it->second.written ? it->second.buffer
                                                    : Value();
  }
  /// Element `linear` of the argument is kept at `at` of `buffer`: loads of it
  /// and stores to it go there.
  void stageElement(Value argument, AffineExpr linear, Value buffer,
                    AffineExpr at) {
    stagedElements[{argument, linear}] = {buffer, at};
  }
  /// No single element is staged from now on.
  void unstageElements() { stagedElements.clear(); }
  /// One element of a one-dimensional buffer.
  Value loadFrom(Value buffer, AffineExpr linear);
  void storeTo(Value buffer, AffineExpr linear, Value element);

  /// The element `index` of `tensor`.
  Value emit(Value tensor, ArrayRef<AffineExpr> index);
  /// A scalar that is computed in the kernel's body beside the tensors.
  Value emitScalar(Value scalar);
  /// Remembers an element that was computed elsewhere (a row's reduction).
  void remember(Value tensor, ArrayRef<AffineExpr> index, Value element);
  /// Number of the destination's element that element `index` of what `op`
  /// inserts becomes. The steps of `op` are constants.
  AffineExpr placeOfInserted(tensor::InsertSliceOp op,
                             ArrayRef<AffineExpr> index);
  /// Stores into the buffer bound to `argument`, or to where it is staged, at
  /// the element numbered `linear`.
  void store(Value argument, AffineExpr linear, Value element);

  /// One iteration of `op` with its reduction loops at `loops`; `accumulators`
  /// are the values of the output block arguments (empty: read from the
  /// operands). Gives what the body yields.
  SmallVector<Value> emitIteration(linalg::LinalgOp op,
                                   ArrayRef<AffineExpr> loops,
                                   ArrayRef<Value> accumulators);
  /// Inputs of one iteration for the value `wanted` of the body only; the body
  /// must not need the accumulators for it.
  Value emitBodyValue(linalg::LinalgOp op, ArrayRef<AffineExpr> loops,
                      Value wanted);
  /// The number of the iteration `loops` of the reduction loops of `op`.
  Value emitIterationNumber(linalg::LinalgOp op, ArrayRef<AffineExpr> loops,
                            Type type);
  /// All results of a reduction at its parallel `loops`; the thread runs the
  /// reduction loops in source order.
  SmallVector<Value> emitInOrder(linalg::LinalgOp op,
                                 ArrayRef<AffineExpr> loops);
  /// The initial values of a reduction at its parallel `loops`.
  SmallVector<Value> emitInits(linalg::LinalgOp op, ArrayRef<AffineExpr> loops);

  //===--------------------------------------------------------------------===//
  // Scopes
  //===--------------------------------------------------------------------===//

  /// What is emitted until `popScope` lies in a region of `anchor`; values are
  /// forgotten at its end.
  void pushScope(Operation *anchor);
  void popScope();
  /// A loop over `0 .. count - 1`; `body` gets the counter as an expression
  /// and the carried values, and gives their next values.
  SmallVector<Value>
  emitLoop(AffineExpr count, ValueRange inits,
           function_ref<SmallVector<Value>(AffineExpr, ValueRange)> body);
  SmallVector<Value>
  emitLoop(int64_t count, ValueRange inits,
           function_ref<SmallVector<Value>(AffineExpr, ValueRange)> body) {
    return emitLoop(constant(count), inits, body);
  }
  /// Runs `then` if `condition` holds, else `otherwise`.
  Value emitIf(Condition condition, Type type, function_ref<Value()> then,
               function_ref<Value()> otherwise);
  SmallVector<Value> emitIf(Condition condition, TypeRange types,
                            function_ref<SmallVector<Value>()> then,
                            function_ref<SmallVector<Value>()> otherwise);
  /// The same without values.
  void emitIf(Condition condition, function_ref<void()> then);
  void emitIf(Condition condition, function_ref<void()> then,
              function_ref<void()> otherwise);

  //===--------------------------------------------------------------------===//
  // Result
  //===--------------------------------------------------------------------===//

  bool hasFailed() const { return failed_; }
  /// Reports once, and gives a stand-in so that emission can go on.
  Value fail(Operation *op, const Twine &message, Type type);
  SmallVectorImpl<MemoryAccess> &getLoads() { return loads; }
  SmallVectorImpl<MemoryAccess> &getStores() { return stores; }

private:
  struct Variable {
    Value value;
    unsigned scope;
  };
  struct Staged {
    Value buffer;
    AffineExpr base;
    int64_t size;
    AffineExpr offset;
    bool written;
  };
  struct KnownGuard {
    Guard guard;
    int64_t width;
    bool holds;
  };
  struct Scope {
    Operation *anchor = nullptr;
    DenseMap<std::pair<Value, AffineExpr>, Value> elements;
    DenseMap<std::pair<AffineExpr, Type>, Value> values;
    DenseMap<std::tuple<AffineExpr, AffineExpr, AffineExpr>, AffineExpr>
        clamped;
    DenseMap<std::pair<AffineExpr, AffineExpr>, AffineExpr> exclusiveOrs;
  };

  // Index expressions.
  void runAndErase(function_ref<void()> emit, function_ref<void()> inspect);
  bool fitsInt32(AffineExpr expr);
  Value materializeAs(AffineExpr expr, Type type);
  Value materializeSaturated(AffineExpr expr);
  Value buildExpr(AffineExpr expr, Type type);
  Value buildDivision(AffineBinaryOpExpr expr, Type type);
  Value castInteger(Value value, Type type);
  Value integer(int64_t value, Type type);
  unsigned scopeOf(AffineExpr expr);
  /// Whether `expr` has no other variables than the first `variables`.
  static bool usesOnly(AffineExpr expr, unsigned variables);

  // Elements.
  AffineExpr linearIndex(Value tensor, ArrayRef<AffineExpr> index);
  Value lookup(Value tensor, AffineExpr linear);
  /// The buffer that holds element `linear` of `argument`; `linear` becomes
  /// the number in that buffer.
  Value locate(Value argument, AffineExpr &linear);
  Value emitResult(OpResult result, ArrayRef<AffineExpr> index);
  Value emitElementwise(Operation *op, OpResult result,
                        ArrayRef<AffineExpr> index);
  Value emitConstant(Operation *op, ElementsAttr elements,
                     ArrayRef<AffineExpr> index);
  Value selectByIndex(AffineExpr linear, ArrayRef<Value> choices, Type type);

  // Linalg.
  Value emitLinalg(linalg::LinalgOp op, unsigned number,
                   ArrayRef<AffineExpr> index);
  SmallVector<AffineExpr> operandIndex(linalg::LinalgOp op, OpOperand &operand,
                                       ArrayRef<AffineExpr> loops);
  void bindInputs(linalg::LinalgOp op, ArrayRef<AffineExpr> loops,
                  function_ref<bool(Value)> needed, IRMapping &mapping);

  // Bodies.
  void emitBlock(Block &block, IRMapping &mapping, ArrayRef<AffineExpr> loops);
  void emitBodyOp(Operation *op, IRMapping &mapping,
                  ArrayRef<AffineExpr> loops);
  void cloneBodyOp(Operation *op, IRMapping &mapping,
                   ArrayRef<AffineExpr> loops);
  bool emitFusedMultiplyAdd(Operation *op, IRMapping &mapping);
  Value mapped(Value value, IRMapping &mapping);
  AffineExpr exprOf(Value value, AffineExpr size);
  void deriveExpr(Operation *op);

  // Movement.
  SmallVector<AffineExpr>
  placeInWhole(OffsetSizeAndStrideOpInterface op,
               const llvm::SmallBitVector &dropped, Value whole,
               ArrayRef<AffineExpr> index);
  Value emitSlice(tensor::ExtractSliceOp op, ArrayRef<AffineExpr> index);
  Value emitInsertSlice(tensor::InsertSliceOp op, ArrayRef<AffineExpr> index);
  Value emitPad(tensor::PadOp op, ArrayRef<AffineExpr> index);
  Value emitConcat(tensor::ConcatOp op, unsigned first, unsigned last,
                   ArrayRef<AffineExpr> starts, ArrayRef<AffineExpr> index);
  Value emitConcat(tensor::ConcatOp op, ArrayRef<AffineExpr> index);
  Value emitGenerate(Region &region, ArrayRef<AffineExpr> index);
  Value emitView(Value source, Value result, ArrayRef<AffineExpr> index);
  AffineExpr exprOf(OpFoldResult value, AffineExpr size);

  OpBuilder &builder;
  Location loc;
  TensorSizes sizes;
  SmallVector<Value> sizeValues;
  IndexRanges ranges;
  SmallVector<Variable> variables;
  SmallVector<Scope> scopes;
  DenseMap<Value, Value> bound_;
  DenseMap<Value, Staged> staged;
  DenseMap<std::pair<Value, AffineExpr>, std::pair<Value, AffineExpr>>
      stagedElements;
  /// Index expressions of emitted integers, where known.
  DenseMap<Value, AffineExpr> exprs;
  SmallVector<MemoryAccess> loads, stores;
  SmallVector<KnownGuard> known;
  SmallVector<Guard> *guardLog = nullptr;
  SmallVector<ElementRequest> *requestLog = nullptr;
  /// While sources are looked for: what pads of zeros ask.
  SmallVector<Guard> *borderLog = nullptr;
  bool unrollsWindows = false;
  bool sizesAreSmall = false;
  bool failed_ = false;
};

/// Replaces neighbouring scalar accesses of one block by vector accesses of up
/// to 16 bytes.
void mergeAccesses(ElementEmitter &emitter);

/// Moves loads from the first `inputs` arguments of the function of `body`,
/// which nobody writes, behind the load before them in their block, as far as a
/// thread has registers for what is under way.
void loadEarly(Region &body, unsigned inputs);

} // namespace mlir::fuse

#endif // FUSE_MLIR_CODEGEN_ELEMENTEMITTER_H
