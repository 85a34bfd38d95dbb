// Distances between uses of tensors, as differences of prefix sums.
#include "fuse-mlir/Planner/Residency.h"

#include "fuse-mlir/CostModel/OpFacts.h"

using namespace mlir;
using namespace mlir::fuse;

/// The tensor `value`, touched by the operator that is added.
L2Residency::Tensor &L2Residency::touch(Value value) {
  auto [it, added] = numbers.try_emplace(value, tensors.size());
  if (added)
    tensors.emplace_back();
  Tensor &tensor = tensors[it->second];
  if (added) {
    // Of unknown size: as if it filled the cache.
    tensor.bytes = cost::getBytes(value.getType()).value_or(l2Bytes);
    before.back() += tensor.bytes;
  }
  tensor.touched.push_back(before.size() - 2);
  return tensor;
}

void L2Residency::add(Operation *op, bool isKernel, ArrayRef<Value> reads) {
  places[op] = before.size() - 1;
  before.push_back(before.back());
  if (!isKernel)
    return;
  for (Value value : reads)
    touch(value);
  for (Value result : op->getResults())
    if (isa<RankedTensorType>(result.getType()))
      touch(result).made = true;
}

unsigned L2Residency::getNumber(Value value) const {
  auto it = numbers.find(value);
  return it == numbers.end() ? kNeverTouched : it->second;
}

SmallVector<bool> L2Residency::find(ArrayRef<unsigned> ops,
                                    ArrayRef<unsigned> inputs,
                                    ArrayRef<unsigned> outputs) const {
  if (ops.empty())
    return {};
  unsigned start = ops.front();
  double operands = 0;
  for (unsigned input : inputs) {
    if (input == kNeverTouched)
      continue;
    const Tensor &tensor = tensors[input];
    operands += tensor.bytes;
    if (tensor.made)
      start = std::max(start, tensor.touched.front() + 1);
  }
  for (unsigned output : outputs)
    if (output != kNeverTouched)
      operands += tensors[output].bytes;
  if (operands > l2Bytes)
    return {};
  auto stays = [&](const Tensor &tensor) {
    const unsigned *at = llvm::lower_bound(tensor.touched, start);
    while (at != tensor.touched.begin()) {
      unsigned last = *--at;
      if (!std::binary_search(ops.begin(), ops.end(), last))
        return before[start] - before[last + 1] + operands <= l2Bytes;
    }
    return false;
  };
  SmallVector<bool> resident;
  for (unsigned input : inputs)
    resident.push_back(input != kNeverTouched && stays(tensors[input]));
  bool any = llvm::is_contained(resident, true);
  return any ? std::move(resident) : SmallVector<bool>();
}

SmallVector<bool> L2Residency::find(ArrayRef<unsigned> ops,
                                    ArrayRef<Value> inputs,
                                    ArrayRef<Value> outputs) const {
  auto toNumbers = [&](ArrayRef<Value> values) {
    return llvm::map_to_vector<8>(
        values, [&](Value value) { return getNumber(value); });
  };
  return find(ops, toNumbers(inputs), toNumbers(outputs));
}

SmallVector<bool> L2Residency::find(ArrayRef<Operation *> ops,
                                    ArrayRef<Value> inputs,
                                    ArrayRef<Value> outputs) const {
  SmallVector<unsigned> known;
  for (Operation *op : ops)
    if (auto it = places.find(op); it != places.end())
      known.push_back(it->second);
  llvm::sort(known);
  return find(ArrayRef<unsigned>(known), inputs, outputs);
}
