// What counting a kernel writes down about values, kept between counts so that
// none of it is allocated or emptied anew.
#ifndef FUSE_MLIR_LIB_COSTMODEL_COUNTSCRATCH_H
#define FUSE_MLIR_LIB_COSTMODEL_COUNTSCRATCH_H

#include "fuse-mlir/CostModel/OpFacts.h"

#include <utility>
#include <vector>

namespace mlir::fuse::cost {

/// A map from numbers of values that takes no time to empty.
template <typename T>
class ValueMap {
public:
  /// Empties the map; `size` numbers are expected.
  void clear(size_t size) {
    if (slots.size() < size)
      slots.resize(size);
    ++walk;
  }
  T *find(unsigned number) {
    if (number >= slots.size())
      return nullptr;
    auto &[last, value] = slots[number];
    return last == walk ? &value : nullptr;
  }
  T &operator[](unsigned number) {
    if (number >= slots.size())
      slots.resize(number + 1);
    auto &[last, value] = slots[number];
    if (std::exchange(last, walk) != walk)
      value = T();
    return value;
  }

private:
  std::vector<std::pair<unsigned, T>> slots;
  unsigned walk = 0;
};

/// Evaluations per element that consumers ask for: those that read all of a
/// value share, parts and picks of gathers add.
struct Demand {
  bool isOutput = false;
  double whole = 0, parts = 0, gathered = 0;
  double sparse() const { return std::max(whole, parts + gathered); }
  /// The same if a gather needs its whole table.
  double dense() const {
    return std::max({whole, parts, gathered > 0 ? 1.0 : 0.0});
  }
};

/// Elements of an input that are read, the table of a gather counting whole or
/// as far as it is read.
struct Footprint {
  double dense = 0, sparse = 0;
};

/// Where a value is read last, and whether it is alive.
struct Life {
  unsigned lastUse = 0;
  bool isUsed = false, isAlive = false;
};

/// All about a value of a kernel.
struct ValueNotes {
  Demand demand;
  Footprint footprint;
  Life life;
  bool isInput = false;
};

/// The reads of an input by one part of a kernel.
struct InputReads {
  /// Distinct sectors that the parts until now have read.
  double distinct = 0;
  /// The part that the rest is about.
  unsigned part = ~0u;
  /// The first place, and whether there are others.
  AffineExpr first;
  bool several = false;
  bool copied = false;
  double sectors = 0;
  /// Sectors between the first and the last one that some place can be in.
  double span = 0;
};

struct CountScratch {
  ValueMap<ValueNotes> notes;
  ValueMap<InputReads> reads;
  /// Values that reductions need.
  ValueMap<bool> reduced;
};

} // namespace mlir::fuse::cost

#endif // FUSE_MLIR_LIB_COSTMODEL_COUNTSCRATCH_H
