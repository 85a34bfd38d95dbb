// The candidates that wait, the most profitable first. The heap holds what the
// order depends on; the rest of a candidate stays where it is.
#ifndef FUSE_MLIR_LIB_PLANNER_CANDIDATEQUEUE_H
#define FUSE_MLIR_LIB_PLANNER_CANDIDATEQUEUE_H

#include "Evaluator.h"

#include <queue>

namespace mlir::fuse::plan {

struct Candidate {
  DecisionKind kind = DecisionKind::ProducerConsumer;
  /// The producer only moves elements: such candidates go first, so that index
  /// arithmetic ends at its consumer and leaves the producer's space alone.
  bool moves = false;
  /// `evaluation` and `gain` are prices, not guesses.
  bool priced = false;
  unsigned first = 0, second = 0;
  Edge edge;
  /// Versions of what was evaluated.
  unsigned version = 0;
  /// Operators of the merged group: small merges go first among equals, which
  /// keeps the work near-linear.
  unsigned size = 0;
  /// Nanoseconds saved; 1 where the model has a verdict instead.
  int64_t gain = 0;
  /// Of the merged group.
  Evaluation evaluation;
};

class CandidateQueue {
public:
  bool empty() const { return heap.empty(); }

  void push(Candidate candidate) {
    unsigned slot = candidates.size();
    if (free.empty()) {
      candidates.emplace_back();
    } else {
      slot = free.back();
      free.pop_back();
    }
    heap.push({candidate.gain, candidate.size,
               getRank(candidate.kind, candidate.moves), candidate.edge, slot});
    candidates[slot] = std::move(candidate);
  }

  /// Takes out the candidate whose turn it is.
  Candidate pop() {
    unsigned slot = heap.top().slot;
    heap.pop();
    free.push_back(slot);
    return candidates[slot];
  }

private:
  /// A place in the heap.
  struct Entry {
    int64_t gain;
    unsigned size, rank;
    Edge edge;
    unsigned slot;
  };
  static constexpr unsigned kNoMoves = 1 << 8;
  /// What only moves elements, then along edges, then of the other kinds.
  static unsigned getRank(DecisionKind kind, bool moves) {
    unsigned own =
        kind == DecisionKind::ProducerConsumer ? 0 : 1 + unsigned(kind);
    return (moves ? 0 : kNoMoves) + own;
  }
  struct Later {
    /// Whether `a` comes after `b`.
    bool operator()(const Entry &a, const Entry &b) const {
      if ((a.rank ^ b.rank) & kNoMoves)
        return a.rank > b.rank;
      if (a.gain != b.gain)
        return a.gain < b.gain;
      if (a.size != b.size)
        return a.size > b.size;
      if (a.rank != b.rank)
        return a.rank > b.rank;
      return b.edge < a.edge;
    }
  };

  std::vector<Candidate> candidates;
  /// Places in `candidates` that are not taken.
  std::vector<unsigned> free;
  std::priority_queue<Entry, std::vector<Entry>, Later> heap;
};

} // namespace mlir::fuse::plan

#endif // FUSE_MLIR_LIB_PLANNER_CANDIDATEQUEUE_H
