// What prices need to know of one operator, independent of the kernel that it
// is in: worked out once for all that are alike, kept while a block is planned.
#ifndef FUSE_MLIR_COSTMODEL_OPFACTS_H
#define FUSE_MLIR_COSTMODEL_OPFACTS_H

#include "fuse-mlir/CostModel/Traffic.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Allocator.h"

#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace mlir::fuse::cost {

/// Work of one iteration of an operator.
struct OpWork {
  /// Product of its loop sizes; elements of the result for other operators.
  double iterations = 0;
  /// Arithmetic operations, a multiply-add counting two.
  double flops = 0;
  /// Instruction slots, special-function slots, f64 slots, integer slots.
  double instructions = 0, special = 0, f64 = 0, integer = 0;
};
OpWork getWork(Operation *op);

/// How an operator reads one of its operands.
struct OperandFacts {
  /// Words of 4 bytes of an element of the value under the views.
  double words = 0;
  bool shaped = false;
  /// No element is read; or each is, once while the operator runs, whatever the
  /// kernel.
  bool isUnread = false, isReadOnce = false;
  double elements = 0;
  int64_t elementBytes = 0;
  /// Unique elements that are read.
  double read = 0;
  /// Iterations over the loops that the element depends on, and over the
  /// others; `read` and 1 if the operator has no loops.
  double used = 0, others = 1;
  /// The same, the loops of a contraction in steps of a tile.
  double otherTiles = 1;
};

/// What operators have in common that differ in nothing but their values.
struct OpFacts {
  /// All sizes are static.
  bool known = true;
  bool free = false, view = false, root = false, contraction = false;
  /// A contraction of f16 or bf16.
  bool matrix = false;
  /// Each element is that of one operand, and no other one is read for it.
  bool picks = false;
  OpWork work;
  SmallVector<OperandFacts, 3> operands;
  /// Words of 4 bytes of an element of each result.
  SmallVector<double, 1> results;
  /// Elements of the tables that the body gathers from.
  SmallVector<std::optional<double>, 1> tables;

  /// An empty tensor or the like: it reads nothing and does nothing.
  bool countsForNothing() const { return known && free && operands.empty(); }
};

/// An operator: the facts about it, and what is its own, the numbers of its
/// values in the cache.
struct NumberedOp {
  Operation *op;
  const OpFacts *facts;
  /// Operands, the same with views looked through, results, then tables.
  const unsigned *numbers;

  ArrayRef<unsigned> getOperands() const {
    return {numbers, facts->operands.size()};
  }
  ArrayRef<unsigned> getBases() const {
    return {getOperands().end(), facts->operands.size()};
  }
  ArrayRef<unsigned> getResults() const {
    return {getBases().end(), facts->results.size()};
  }
  ArrayRef<unsigned> getTables() const {
    return {getResults().end(), facts->tables.size()};
  }
};

/// A value: its size, and bytes of an element as they are stored.
struct ValueFacts {
  bool shaped = false;
  /// It is a view of another value.
  bool view = false;
  /// Unknown if a size is dynamic; 1 for scalars.
  std::optional<double> elements;
  int64_t elementBytes = 0;

  std::optional<double> getBytes() const {
    return elements ? std::optional(*elements * double(elementBytes))
                    : std::nullopt;
  }
};

/// The facts about one kernel, in the order of its view: those about its
/// operators, which may leave out some that count for nothing
/// (`OpFacts::countsForNothing`), and the numbers of its inputs and outputs.
struct KernelFacts {
  SmallVector<const NumberedOp *, 16> ops;
  SmallVector<unsigned, 16> inputs, outputs;
};

struct CountScratch;

/// Facts by operator. Not thread-safe; the IR must not change meanwhile.
class OpFactsCache {
public:
  /// `shared` are accesses that others of the same context have counted; they
  /// only save time.
  explicit OpFactsCache(std::shared_ptr<TrafficCache> shared = nullptr);
  ~OpFactsCache();
  const NumberedOp &get(Operation *op);
  /// Takes the facts about `op` over from `like`, which differs from it in
  /// nothing but the values that it uses. These have numbers: `operands`, the
  /// same with views looked through, and for the results `firstResult` and what
  /// follows it.
  const NumberedOp &copy(Operation *op, Operation *like,
                         ArrayRef<unsigned> operands, ArrayRef<unsigned> bases,
                         unsigned firstResult);
  /// Numbers the values that operators use and make, from 0 on.
  unsigned getNumber(Value value);
  unsigned getNumValues() const { return values.size(); }
  /// Tells how many operators and values there will be.
  void reserve(size_t operators, size_t numValues) {
    ops.reserve(operators);
    numbers.reserve(numValues);
    values.reserve(numValues);
  }
  const ValueFacts &getValue(unsigned number) const { return values[number]; }
  /// Accesses that were counted.
  const std::shared_ptr<TrafficCache> shared;
  TrafficCache &traffic;
  /// What counting a kernel writes down about values; emptied by each count.
  std::unique_ptr<CountScratch> scratch;

private:
  unsigned *makeNumbers(Operation *op, const OpFacts &facts, size_t numTables);

  llvm::DenseMap<Operation *, const NumberedOp *> ops;
  /// What `ops` refers to: facts, one for all that are alike, and, side by side
  /// for neighbours in the program, numbers.
  std::deque<OpFacts> facts;
  llvm::BumpPtrAllocator storage;
  llvm::DenseMap<Value, unsigned> numbers;
  std::vector<ValueFacts> values;
};

/// Lanes of one contraction tile in each direction: an operand that does not
/// depend on a parallel loop is read again once per so many iterations.
inline constexpr int64_t kContractionTile = 128;

/// Number of elements of a static shaped type; nothing otherwise.
std::optional<double> getElements(Type type);
/// Bytes of a value (1 for sub-byte elements, as they are stored).
std::optional<double> getBytes(Type type);
/// Bytes of one element.
int64_t getElementBytes(Type type);

/// The value under `value` when views that cost nothing are looked through.
Value lookThroughViews(Value value);
/// Whether `op` gives another view of the same memory: collapse, expand,
/// static casts and reshapes.
bool isView(Operation *op);
/// Whether `op` needs no kernel and moves no bytes: views, empties, constants,
/// fills.
bool isFree(Operation *op);
/// Whether `op` contracts: products summed over a loop that two operands share.
bool isContraction(Operation *op);

} // namespace mlir::fuse::cost

#endif // FUSE_MLIR_COSTMODEL_OPFACTS_H
