// The candidates that wait, the most profitable first. The heap holds what the
// order depends on; the rest of a candidate stays where it is.
#ifndef FUSE_MLIR_LIB_PLANNER_CANDIDATEQUEUE_H
#define FUSE_MLIR_LIB_PLANNER_CANDIDATEQUEUE_H

#include "Evaluator.h"

#include <vector>

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

/// At most one candidate of two groups (of one, to be recomputed) waits: the
/// newest; of two that know the same version of the groups, the one whose turn
/// comes first.
class CandidateQueue {
public:
  bool empty() const { return heap.empty(); }
  /// Whether a candidate of the two groups waits.
  bool contains(unsigned first, unsigned second) const {
    return slots.contains(getPairKey(first, second));
  }

  void push(Candidate candidate) {
    auto [known, added] =
        slots.try_emplace(getPairKey(candidate.first, candidate.second));
    if (added)
      known->second = takeSlot();
    unsigned slot = known->second;
    Entry entry{candidate.gain, candidate.size,
                getRank(candidate.kind, candidate.moves), candidate.edge, slot};
    if (added) {
      candidates[slot] = std::move(candidate);
      heap.push_back(entry);
      rise(heap.size() - 1, entry);
      return;
    }
    unsigned at = places[slot];
    bool isSooner = isLater(heap[at], entry);
    if (!isSooner && candidates[slot].version == candidate.version)
      return;
    candidates[slot] = std::move(candidate);
    if (isSooner)
      rise(at, entry);
    else
      sink(at, entry);
  }

  /// Takes out the candidate whose turn it is.
  Candidate pop() {
    unsigned slot = heap.front().slot;
    Entry last = heap.pop_back_val();
    if (!heap.empty())
      sink(0, last);
    slots.erase(getPairKey(candidates[slot].first, candidates[slot].second));
    free.push_back(slot);
    return candidates[slot];
  }

  /// Takes out the candidate of two groups if one waits.
  void drop(unsigned first, unsigned second) {
    auto known = slots.find(getPairKey(first, second));
    if (known == slots.end())
      return;
    unsigned slot = known->second;
    slots.erase(known);
    free.push_back(slot);
    unsigned at = places[slot];
    Entry last = heap.pop_back_val();
    if (at == heap.size())
      return;
    if (isLater(heap[at], last))
      rise(at, last);
    else
      sink(at, last);
  }

  /// The two groups as one number, whatever their order.
  static uint64_t getPairKey(unsigned a, unsigned b) {
    return uint64_t(std::min(a, b)) << 32 | std::max(a, b);
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
  /// Whether `a` comes after `b`.
  static bool isLater(const Entry &a, const Entry &b) {
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

  unsigned takeSlot() {
    if (free.empty()) {
      candidates.emplace_back();
      places.emplace_back();
      return candidates.size() - 1;
    }
    return free.pop_back_val();
  }
  void put(size_t at, const Entry &entry) {
    heap[at] = entry;
    places[entry.slot] = at;
  }
  /// Puts `entry` at `at` of the heap, or above.
  void rise(size_t at, const Entry &entry) {
    for (; at > 0 && isLater(heap[(at - 1) / kBranches], entry);
         at = (at - 1) / kBranches)
      put(at, heap[(at - 1) / kBranches]);
    put(at, entry);
  }
  /// The same, or below.
  void sink(size_t at, const Entry &entry) {
    while (true) {
      size_t begin = kBranches * at + 1;
      size_t end = std::min<size_t>(begin + kBranches, heap.size());
      size_t first = begin;
      for (size_t i = begin + 1; i < end; ++i)
        if (isLater(heap[first], heap[i]))
          first = i;
      if (begin >= end || !isLater(entry, heap[first]))
        break;
      put(at, heap[first]);
      at = first;
    }
    put(at, entry);
  }

  /// Fewer levels than a binary heap has, and neighbours in memory.
  static constexpr size_t kBranches = 4;
  SmallVector<Entry, 0> heap;
  /// Candidates, where in the heap each one is, and which places are free.
  std::vector<Candidate> candidates;
  std::vector<unsigned> places;
  SmallVector<unsigned, 0> free;
  /// Slot of each pair that waits.
  llvm::DenseMap<uint64_t, unsigned> slots;
};

} // namespace mlir::fuse::plan

#endif // FUSE_MLIR_LIB_PLANNER_CANDIDATEQUEUE_H
