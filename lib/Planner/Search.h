// The search for groups: candidates of every kind in one queue, the most
// profitable first.
#ifndef FUSE_MLIR_LIB_PLANNER_SEARCH_H
#define FUSE_MLIR_LIB_PLANNER_SEARCH_H

#include "PlanGraph.h"
#include "fuse-mlir/CostModel/OpFacts.h"

#include <queue>
#include <tuple>

namespace mlir::fuse::plan {

/// A set of operators looked at as one kernel.
struct Evaluation {
  /// Set if the kernel is not legal.
  std::optional<RuleViolation> violation;
  std::optional<GroupShape> shape;
  Quantity nanoseconds, bytes;
};

struct Candidate {
  DecisionKind kind = DecisionKind::ProducerConsumer;
  unsigned first = 0, second = 0;
  Edge edge;
  /// Versions of what was evaluated.
  unsigned version = 0;
  /// The producer only moves elements: such candidates go first, so that index
  /// arithmetic ends at its consumer and leaves the producer's space alone.
  bool moves = false;
  /// Nanoseconds saved; 1 where the model has a verdict instead.
  int64_t gain = 0;
  /// Operators of the merged group: small merges go first among equals, which
  /// keeps the work near-linear.
  unsigned size = 0;
  /// Of the merged group; null for a guess that is evaluated when it is due.
  std::shared_ptr<Evaluation> evaluation;
  /// Recompute: consumers, and whether the producer is kept.
  SmallVector<unsigned, 4> consumers;
  SmallVector<std::shared_ptr<Evaluation>, 4> consumerEvaluations;
  bool keep = false;
};

class Search {
public:
  Search(PlanGraph &graph, const PlanOptions &options);

  /// Merges what `fuse.must_fuse` asks for. An illegal one is an error.
  LogicalResult mergeMusts();
  void run();

  /// Legality and price of `ops`, merged from the groups `owners`. With
  /// `alignedElements` they are known to be element-wise at one place.
  Evaluation
  evaluate(ArrayRef<unsigned> ops, ArrayRef<unsigned> owners,
           std::optional<int64_t> alignedElements = std::nullopt) const;
  /// Decisions in the order of the operators.
  std::vector<Decision> takeDecisions();

private:
  struct Later {
    bool operator()(const Candidate &a, const Candidate &b) const;
  };

  bool allows(DecisionKind kind) const;
  bool onlyMoves(unsigned group) const;
  std::optional<bool> getVerdict() const;
  void findCandidates();
  void findSiblings();
  void linkSiblings(ArrayRef<unsigned> groups);
  void pushPair(DecisionKind kind, unsigned first, unsigned second, Edge edge,
                int64_t guess);
  void pushRecompute(unsigned producer);
  void pushNeighbours(unsigned group, int64_t guess);
  bool price(Candidate &candidate);
  bool priceRecompute(Candidate &candidate);
  std::optional<RuleViolation> checkClasses(const Candidate &candidate) const;
  std::optional<RuleViolation> checkOrder(const Candidate &candidate) const;
  unsigned getVersion(const Candidate &candidate) const;
  void accept(const Candidate &candidate);
  void drain();
  bool tradeStoredValues();
  bool tryTrade(unsigned from, unsigned op);
  std::optional<SmallVector<unsigned>> getTradePartners(unsigned from,
                                                        unsigned op) const;
  void acceptRecompute(const Candidate &candidate);
  void refuseFixed(Edge edge);
  void settle(Decision &row, unsigned producer, unsigned consumer);
  std::optional<RuleViolation> takeBetween(Candidate &candidate);
  LogicalResult mergeMust(Operation *first, Operation *second);
  void note(const Candidate &candidate, bool accepted,
            std::optional<RuleViolation> violation, Quantity fused,
            Quantity unfused, Quantity bytesSaved);

  PlanGraph &graph;
  const PlanOptions &options;
  /// Of the operators of this block.
  mutable cost::OpFactsCache facts;
  std::priority_queue<Candidate, std::vector<Candidate>, Later> queue;
  llvm::BitVector recomputePending;
  bool hasBoundaries = false;
  std::map<std::tuple<unsigned, unsigned, int>, Decision> log;
  /// What was last said about two groups.
  std::map<std::pair<unsigned, unsigned>, Decision> last;
};

} // namespace mlir::fuse::plan

#endif // FUSE_MLIR_LIB_PLANNER_SEARCH_H
