// Follows the results of a function to everything they depend on, through
// regions and calls, and takes the narrowest float type that something is
// rounded to there.
#include "Tolerance.h"

#include "fuse-mlir/Analysis/MatrixUnits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::run;

/// Whether `op` rounds what it gives to the type of its result. Ops with a body
/// leave that to the ops in it.
static bool rounds(Operation *op) {
  if (matchPattern(op, m_Constant()) ||
      isa<arith::ExtFOp, arith::SelectOp, arith::NegFOp, arith::MaximumFOp,
          arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp,
          arith::BitcastOp, math::AbsFOp, math::CopySignOp>(op))
    return false;
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect,
                         tosa::TosaDialect>(op->getDialect()) ||
         isa<linalg::SoftmaxOp>(op);
}

namespace {
/// The ops that a value depends on, each looked at once.
class Origins {
public:
  explicit Origins(bool mayRoundToTf32) : tf32(mayRoundToTf32) {}

  void add(Value value) {
    Operation *op = value.getDefiningOp();
    // The argument of the entry block is exact; of another one, whose
    // predecessors would have to be found, it takes all of the function.
    if (BlockArgument argument = dyn_cast<BlockArgument>(value))
      if (!argument.getOwner()->isEntryBlock())
        op = argument.getOwner()->getParentOp();
    if (op)
      addOp(op);
  }

  void addOp(Operation *op) {
    if (visited.insert(op).second)
      pending.push_back(op);
  }

  /// Follows what was added to its ends.
  double getLoosest() {
    while (!pending.empty())
      pending.pop_back_val()->walk([&](Operation *op) { visit(op); });
    return loosest;
  }

private:
  void visit(Operation *op) {
    if (rounds(op))
      for (Type type : op->getResultTypes())
        loosest =
            std::max(loosest, getTolerance(getElementTypeOrSelf(type), tf32));
    for (Value operand : op->getOperands())
      add(operand);
    if (CallOpInterface call = dyn_cast<CallOpInterface>(op))
      if (Operation *callee = call.resolveCallable())
        addOp(callee);
  }

  bool tf32;
  DenseSet<Operation *> visited;
  SmallVector<Operation *> pending;
  double loosest = 0.0;
};
} // namespace

/// Whether some contraction may round its factors to tf32.
static bool allowsTf32(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        return mayRoundToTf32(op) ? WalkResult::interrupt()
                                  : WalkResult::advance();
      })
      .wasInterrupted();
}

SmallVector<double> fuse::run::getTolerances(const Model &model) {
  FunctionOpInterface entry = model.getEntry();
  bool tf32 = allowsTf32(*model.module);
  auto get = [&](Type type, Origins origins) {
    double own = getTolerance(type, tf32);
    // Integers are compared exactly.
    return own == 0.0 ? own : std::max(own, origins.getLoosest());
  };
  SmallVector<double> tolerances;
  for (auto [index, port] : llvm::enumerate(model.results)) {
    Origins origins(tf32);
    for (Block &block : entry.getFunctionBody())
      if (block.getTerminator()->hasTrait<OpTrait::ReturnLike>())
        origins.add(block.getTerminator()->getOperand(index));
    tolerances.push_back(get(port.elementType, origins));
  }
  for (const Port &port : model.inputs) {
    if (!port.isBuffer)
      continue;
    Origins origins(tf32);
    origins.addOp(entry);
    tolerances.push_back(get(port.elementType, origins));
  }
  return tolerances;
}
