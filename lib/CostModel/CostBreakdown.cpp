// Prices taken apart: look-ups, and what every model can say.
#include "fuse-mlir/CostModel/KernelCounts.h"

using namespace mlir;
using namespace mlir::fuse;

const CostTerm *CostBreakdown::findTerm(StringRef name) const {
  for (const CostTerm &term : terms)
    if (term.name == name)
      return &term;
  return nullptr;
}

const CostTerm *CostBreakdown::getDominant() const {
  const CostTerm *largest = nullptr;
  for (const CostTerm &term : terms)
    if (term.role == TermRole::Overlapped &&
        (!largest || term.value > largest->value))
      largest = &term;
  return largest;
}

std::vector<CostBreakdown::Contribution>
CostBreakdown::getContributions() const {
  double factor = 1, floor = 0;
  for (const CostTerm &term : terms) {
    if (term.role == TermRole::Factor)
      factor *= term.value;
    if (term.role == TermRole::Floor)
      floor = std::max(floor, term.value);
  }
  const CostTerm *dominant = getDominant();
  std::vector<Contribution> result;
  double sum = 0;
  for (const CostTerm &term : terms) {
    if (term.role != TermRole::Overlapped && term.role != TermRole::Added)
      continue;
    double share = 1;
    if (term.role == TermRole::Overlapped)
      share = factor * (&term == dominant ? 1 : overlap);
    result.push_back({term.name, share * term.value});
    sum += share * term.value;
  }
  if (floor > sum)
    result.push_back({"floor", floor - sum});
  return result;
}

CostBreakdown CostModel::explain(const KernelView &view,
                                 const DeviceInfo &device) const {
  cost::CountedView counted(view);
  const KernelView &kernel = counted.get();
  CostBreakdown price;
  price.nanoseconds = estimateNanoseconds(kernel, device);
  auto add = [&](StringRef name, Quantity value, StringRef unit) {
    if (value)
      price.facts.push_back({name.str(), double(*value), unit.str()});
  };
  add("moved", bytesMoved(kernel), "bytes");
  add("dram", dramBytes(kernel, device), "bytes");
  add("l2", l2Bytes(kernel, device), "bytes");
  add("l1", l1Bytes(kernel), "bytes");
  add("reread", rereadBytes(kernel), "bytes");
  add("bandwidth", achievableMBPerSecond(kernel, device), "MB/s");
  add("recomputed", recomputedFlops(kernel), "flops");
  add("registers", registersPerThread(kernel), "per thread");
  add("spilled", spilledBytesPerThread(kernel, device), "bytes per thread");
  add("shared", sharedBytes(kernel), "bytes per block");
  add("wavefronts", sharedWavefronts(kernel), "");
  add("code", codeBytes(kernel), "bytes");
  if (std::optional<Occupancy> grid = occupancy(kernel, device)) {
    add("blocks", grid->blocks, "");
    add("threads", grid->threadsPerBlock, "per block");
    add("resident", grid->residentBlocks, "blocks per multiprocessor");
  }
  return price;
}
