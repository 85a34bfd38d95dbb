// Distances between uses of tensors, as differences of prefix sums.
#include "fuse-mlir/Planner/Residency.h"

#include "fuse-mlir/CostModel/OpFacts.h"

using namespace mlir;
using namespace mlir::fuse;

/// The tensor `value`, touched by the operator that is added.
L2Residency::Tensor &L2Residency::touch(Value value) {
  Tensor &tensor = tensors[value];
  if (tensor.touched.empty()) {
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

SmallVector<bool> L2Residency::find(ArrayRef<unsigned> ops,
                                    ArrayRef<Value> inputs,
                                    ArrayRef<Value> outputs) const {
  if (ops.empty())
    return {};
  unsigned start = ops.front();
  double operands = 0;
  SmallVector<const Tensor *, 8> found;
  for (Value input : inputs) {
    auto it = tensors.find(input);
    const Tensor *tensor = it == tensors.end() ? nullptr : &it->second;
    found.push_back(tensor);
    if (!tensor)
      continue;
    operands += tensor->bytes;
    if (tensor->made)
      start = std::max(start, tensor->touched.front() + 1);
  }
  for (Value output : outputs)
    if (auto it = tensors.find(output); it != tensors.end())
      operands += it->second.bytes;
  SmallVector<bool> resident;
  bool any = false;
  for (const Tensor *tensor : found) {
    bool stays = false;
    if (tensor && operands <= l2Bytes) {
      const unsigned *at = llvm::lower_bound(tensor->touched, start);
      while (at != tensor->touched.begin() && !stays) {
        unsigned last = *--at;
        if (std::binary_search(ops.begin(), ops.end(), last))
          continue;
        stays = before[start] - before[last + 1] + operands <= l2Bytes;
        break;
      }
    }
    resident.push_back(stays);
    any |= stays;
  }
  return any ? std::move(resident) : SmallVector<bool>();
}

SmallVector<bool> L2Residency::find(ArrayRef<Operation *> ops,
                                    ArrayRef<Value> inputs,
                                    ArrayRef<Value> outputs) const {
  SmallVector<unsigned> known;
  for (Operation *op : ops)
    if (auto it = places.find(op); it != places.end())
      known.push_back(it->second);
  llvm::sort(known);
  return find(known, inputs, outputs);
}
