// The operators of a function for brute force and for checks of plans: kernels
// are described and priced without the planner's help.
#ifndef FUSE_MLIR_TEST_UNIT_PLANNER_FUNCTIONGRAPH_H
#define FUSE_MLIR_TEST_UNIT_PLANNER_FUNCTIONGRAPH_H

#include "BruteForce.h"

#include "fuse-mlir/Planner/OpRoles.h"
#include "fuse-mlir/Planner/PlanRequest.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <map>

namespace mlir::fuse::programs {
using brute::Mask;

class FunctionGraph : public brute::Graph {
public:
  /// `residency` says what is in L2: that follows from the program alone.
  FunctionGraph(func::FuncOp function, const ResolvedPlanOptions &resolved,
                const L2Residency &residency)
      : options(resolved.options), residency(residency) {
    for (Operation &op : function.getBody().front().without_terminator())
      if (!isFreeOp(&op) && !isGeneratorOp(&op)) {
        index[&op] = ops.size();
        ops.push_back(&op);
      }
    for (Value value :
         function.getBody().front().getTerminator()->getOperands())
      wanted |= 1u << index[value.getDefiningOp()];
    for (Operation *op : ops)
      if (isa<func::CallOp>(op))
        wanted |= 1u << index[op];
  }

  unsigned getCount() const override { return ops.size(); }
  Operation *getOp(unsigned item) const { return ops[item]; }
  /// The operators as a set; likewise those that make values.
  Mask getMask(ArrayRef<Operation *> list) const {
    Mask mask = 0;
    for (Operation *op : list)
      mask |= 1u << index.lookup(op);
    return mask;
  }
  Mask getMask(ArrayRef<Value> list) const {
    return getMask(llvm::map_to_vector(
        list, [](Value value) { return value.getDefiningOp(); }));
  }
  /// Items that read results of `group` and are not in it.
  Mask getReaders(Mask group) const {
    Mask readers = 0;
    for (unsigned i = 0; i < ops.size(); ++i)
      if (!(group >> i & 1) && (getInputs(1u << i) & group))
        readers |= 1u << i;
    return readers;
  }
  Mask getWanted() const override { return wanted; }
  bool runsOnce(unsigned item) const override {
    return isRootOp(ops[item]) || isa<func::CallOp>(ops[item]);
  }
  Mask getInputs(Mask group) const override {
    Mask inputs = 0;
    for (unsigned i = 0; i < ops.size(); ++i)
      if (group >> i & 1)
        for (Value operand : ops[i]->getOperands()) {
          auto it = index.find(operand.getDefiningOp());
          if (it != index.end())
            inputs |= 1u << it->second;
        }
    return inputs & ~group;
  }
  std::optional<int64_t> getPrice(Mask group, Mask given) const override {
    auto [it, added] = prices.try_emplace({group, given});
    if (added)
      it->second = look(group, given).price;
    return it->second;
  }
  /// Whether a group that stores `given` may be a kernel, whatever it costs.
  bool isLegal(Mask group, Mask given) const {
    return look(group, given).legal;
  }

private:
  struct Look {
    bool legal = false;
    Quantity price;
  };

  Look look(Mask group, Mask given) const {
    llvm::SmallSetVector<Operation *, 16> members;
    llvm::SmallSetVector<Value, 8> inputs;
    SmallVector<Value> outputs;
    SmallVector<Operation *> computing;
    for (unsigned i = 0; i < ops.size(); ++i) {
      if (!(group >> i & 1))
        continue;
      computing.push_back(ops[i]);
      if (isa<func::CallOp>(ops[i])) {
        if (llvm::popcount(group) > 1)
          return {};
        return {true, 0}; // The host's.
      }
      for (Value operand : ops[i]->getOperands())
        addOperand(operand, group, members, inputs);
      members.insert(ops[i]);
      if (given >> i & 1)
        outputs.push_back(ops[i]->getResult(0));
    }
    SmallVector<Operation *> sorted = llvm::to_vector(members);
    llvm::sort(sorted, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    RuleViolation violation;
    FailureOr<GroupShape> shape = analyzeGroup(sorted, outputs, &violation);
    GroupView view;
    view.kernel.ops = sorted;
    view.kernel.inputs = inputs.getArrayRef();
    view.kernel.outputs = outputs;
    view.kernel.shape = succeeded(shape) ? &*shape : nullptr;
    SmallVector<bool> resident =
        residency.find(computing, inputs.getArrayRef(), outputs);
    view.kernel.residentInputs = resident;
    view.shapeViolation = succeeded(shape) ? nullptr : &violation;
    view.device = options.device;
    for (const GroupConstraint *constraint : options.constraints)
      if (constraint->check(view))
        return {};
    return {true, options.costModel->estimateNanoseconds(view.kernel,
                                                         options.device)};
  }
  void addOperand(Value operand, Mask group,
                  llvm::SmallSetVector<Operation *, 16> &members,
                  llvm::SmallSetVector<Value, 8> &inputs) const {
    Operation *def = operand.getDefiningOp();
    if (def && (isFreeOp(def) || isGeneratorOp(def))) {
      for (Value inner : def->getOperands())
        addOperand(inner, group, members, inputs);
      members.insert(def);
      return;
    }
    auto it = index.find(def);
    if (it == index.end() || !(group >> it->second & 1))
      inputs.insert(operand);
  }

  const PlanOptions &options;
  const L2Residency &residency;
  std::vector<Operation *> ops;
  llvm::DenseMap<Operation *, unsigned> index;
  Mask wanted = 0;
  mutable std::map<std::pair<Mask, Mask>, std::optional<int64_t>> prices;
};
} // namespace mlir::fuse::programs

#endif // FUSE_MLIR_TEST_UNIT_PLANNER_FUNCTIONGRAPH_H
