// A price taken apart: the terms that a model adds up, and the quantities that
// they rest on. For people and tools (`fuse-explain`); the search never asks.
#ifndef FUSE_MLIR_COSTMODEL_COSTBREAKDOWN_H
#define FUSE_MLIR_COSTMODEL_COSTBREAKDOWN_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlir::fuse {

/// How a term enters a price.
enum class TermRole {
  /// Nanoseconds that run beside the other overlapped terms: the largest counts
  /// whole, the others to a small part.
  Overlapped,
  /// Nanoseconds that are added.
  Added,
  /// A factor without unit on the overlapped terms.
  Factor,
  /// Nanoseconds that the price is at least.
  Floor,
};

/// One term of a price.
struct CostTerm {
  /// Short and stable, such as `memory` (docs/CostModel.md).
  std::string name;
  double value = 0;
  TermRole role = TermRole::Added;
};

/// A quantity that terms rest on.
struct CostFact {
  /// Short and stable, such as `registers`.
  std::string name;
  double value = 0;
  /// What `value` counts, such as `bytes`.
  std::string unit;
};

/// Nanoseconds between which a price lies where sizes are known at run time
/// only.
struct PriceRange {
  int64_t low = 0, high = 0;
};

/// The price of one kernel, term by term, in the order in which the model takes
/// them. A model that does not say how it comes to its price has no terms.
struct CostBreakdown {
  /// What `estimateNanoseconds` says; unknown if it does not know.
  std::optional<int64_t> nanoseconds;
  /// Of a kernel of unknown sizes: the least and the most of what
  /// `nanoseconds` is over the range of sizes that is looked at. Filled in by
  /// the planner.
  std::optional<PriceRange> range;
  std::vector<CostTerm> terms;
  /// Part to which overlapped terms count that are not the largest.
  double overlap = 0.05;
  std::vector<CostFact> facts;
  /// Where the numbers come from, if not from where one would think: whole
  /// sentences without a full stop.
  std::vector<std::string> notes;

  /// The term `name`; null if there is none.
  const CostTerm *findTerm(llvm::StringRef name) const;
  /// The largest overlapped term; null if there is none.
  const CostTerm *getDominant() const;

  /// Nanoseconds that a term brings to the price.
  struct Contribution {
    std::string name;
    double nanoseconds = 0;
  };
  /// What each term brings, factors and overlap worked in, in the order of the
  /// terms. They add up to the price: what a floor adds is the last one.
  std::vector<Contribution> getContributions() const;
};

} // namespace mlir::fuse

#endif // FUSE_MLIR_COSTMODEL_COSTBREAKDOWN_H
