// The search for groups: candidates of every kind in one queue, the most
// profitable first.
#ifndef FUSE_MLIR_LIB_PLANNER_SEARCH_H
#define FUSE_MLIR_LIB_PLANNER_SEARCH_H

#include "CandidateQueue.h"
#include "MemoryBudget.h"

#include <array>
#include <set>

namespace mlir::fuse::plan {

/// Unknown if one of the two is.
inline Quantity add(Quantity a, Quantity b) {
  return a && b ? Quantity(*a + *b) : std::nullopt;
}
inline Quantity subtract(Quantity a, Quantity b) {
  return a && b ? Quantity(*a - *b) : std::nullopt;
}

/// What it would bring to compute a group again in its consumers.
struct Recomputation {
  SmallVector<unsigned, 4> consumers;
  SmallVector<Evaluation, 4> evaluations;
  /// The producer is kept: others need it.
  bool keep = false;
  int64_t gain = 0, fused = 0, unfused = 0;
  Quantity bytesSaved = 0;
};

/// One candidate in the decision log; see `Decision`.
struct LogRow {
  DecisionKind kind = DecisionKind::ProducerConsumer;
  bool accepted = false;
  Edge edge;
  const RuleViolation *violation = nullptr;
  Quantity fusedNs, unfusedNs, bytesSaved;
};

class Search {
public:
  Search(PlanGraph &graph, const PlanOptions &options);

  /// Merges what `fuse.must_fuse` asks for. An illegal one is an error.
  LogicalResult mergeMusts();
  void run();

  /// Decisions in the order of the operators.
  std::vector<Decision> takeDecisions();
  Evaluator &getEvaluator() { return evaluator; }
  /// What the strategy `optimal` knows about the plan; nothing for others.
  const std::optional<Optimality> &getOptimality() const { return optimality; }

  // For policies (Policy.h), which decide on order and acceptance: what they
  // ask for happens if it is legal and within the budgets, whatever it costs.
  const PlanGraph &getGraph() const { return graph; }
  /// Merges two groups. Gives the group of both.
  std::optional<unsigned> mergeIfLegal(DecisionKind kind, unsigned first,
                                       unsigned second);
  /// Merges groups that are legal together, or none of them.
  std::optional<unsigned> mergeIfLegal(ArrayRef<unsigned> owners);
  /// Computes a group in all of its consumers, and no more by itself.
  bool recomputeIfLegal(unsigned producer);
  /// Nanoseconds that computing a group in all of its consumers saves; nothing
  /// if that is not legal.
  Quantity getGainInConsumers(unsigned producer);
  /// Logs that the policy does not join two groups.
  void refuse(DecisionKind kind, unsigned first, unsigned second,
              StringRef why);
  /// Iterations of an operator; for contractions the elements of the result,
  /// negated.
  double getSpace(unsigned op);

private:
  /// Merged groups up to this size are looked at whenever they change, and wait
  /// by the most they may save. Larger ones are not: a look costs more.
  static constexpr unsigned kSmallSize = 64;
  /// A refused merge of large groups is looked at again when they have grown by
  /// one part in so many.
  static constexpr unsigned kGrowth = 8;

  static uint64_t getPairKey(unsigned a, unsigned b) {
    return CandidateQueue::getPairKey(a, b);
  }

  /// A change of groups that have formed; see `PlanGraph::move`.
  struct Step {
    DecisionKind kind = DecisionKind::Move;
    int from = -1, to = -1;
    SmallVector<unsigned, 4> ops;
    Edge edge;
  };
  /// A step that has been made, with the prices of the groups that it changes.
  struct Trial {
    PlanGraph::Traded change;
    /// As they are now, for each of `change.groups`.
    std::vector<Evaluation> evaluations;
    int64_t before = 0, after = 0, bytesBefore = 0, bytesAfter = 0;
    const RuleViolation *violation = nullptr;
    /// A group to merge with what is left of the one that operators moved from.
    std::optional<unsigned> partner;
    Evaluation both;
    int64_t nextGain = 0, nextBytesSaved = 0;

    /// Nanoseconds of attentions that are taken apart.
    int64_t getPartedAttention() const;
    /// With the merge that follows: nanoseconds, then bytes.
    std::pair<int64_t, int64_t> getGain() const {
      return {before - after + nextGain,
              bytesBefore - bytesAfter + nextBytesSaved};
    }
  };

  void mergeAttentions();
  void addEpilogue(SmallVectorImpl<unsigned> &ops) const;
  void mergeAttention(ArrayRef<unsigned> ops);
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
  int64_t getMostGain(Quantity apart) const;
  int64_t getMostGain(const Group &producer) const;
  std::optional<unsigned> getLeastSize(const Group &producer) const;
  const RuleViolation *evaluate(Candidate &candidate);
  bool isPutOff(const Candidate &candidate) const;
  bool price(Candidate &candidate);
  bool mayRecompute(const Group &group) const;
  bool priceRecompute(Candidate &candidate);
  std::optional<Recomputation> priceRecompute(unsigned producer);
  const RuleViolation *checkClasses(const Candidate &candidate);
  const RuleViolation *checkOrder(const Candidate &candidate) const;
  const RuleViolation *getFixedRule(const OpNode &node);
  void setPrice(unsigned group, const Evaluation &evaluation);
  unsigned getVersion(const Candidate &candidate) const;
  Edge toProgramOrder(Edge edge) const;
  const RuleViolation *askHandler(const Candidate &candidate);
  const RuleViolation *checkMemory(const GroupChange &change);
  const RuleViolation *checkMemory(const Candidate &merge);
  std::optional<unsigned> merge(const Candidate &candidate);
  unsigned mergeSet(ArrayRef<unsigned> owners, const Evaluation &merged);
  Candidate makeCandidate(DecisionKind kind, unsigned first,
                          unsigned second) const;
  void dropWaiting(unsigned gone);
  void accept(const Candidate &candidate);
  void drain();
  void packSiblings();
  void packIndependent();
  void packNeighbours(SmallVector<unsigned> &groups);
  bool tryPack(unsigned &first, unsigned second);
  bool isPackable(const Group &group) const;
  bool packPairs();
  void runGreedy();
  void mergeRest();
  void runOptimal();
  int64_t getTotal();
  void noteGroups();
  Candidate getDecision(ArrayRef<unsigned> ops) const;
  bool askForGroups(const std::vector<Group> &before);
  bool tradeStoredValues();
  bool tryTrade(unsigned from, unsigned op);
  std::optional<SmallVector<unsigned>> getTradePartners(unsigned from,
                                                        unsigned op) const;
  struct Window;
  bool improve();
  bool improveWindows();
  bool improveFrom(unsigned group);
  SmallVector<unsigned> getNear(unsigned group) const;
  SmallVector<unsigned> getSharers(unsigned group) const;
  std::unique_ptr<Window> openWindow(ArrayRef<unsigned> groups);
  bool improveWindow(ArrayRef<unsigned> groups);
  bool takeWindow(const Window &window,
                  ArrayRef<PlanGraph::Regrouped> regrouped);
  Edge getEdge(const Window &window,
               ArrayRef<PlanGraph::Regrouped> regrouped) const;
  bool improveGroup(unsigned index);
  bool isOpen(unsigned group) const;
  bool isSpent() const;
  void setWorkLimit();
  void findRunning();
  SmallVector<unsigned> getTargets(unsigned group,
                                   ArrayRef<unsigned> ops) const;
  void addMoves(unsigned group, ArrayRef<unsigned> ops, Edge cut,
                std::vector<Step> &steps) const;
  void addReloads(unsigned group, std::vector<Step> &steps) const;
  void addCopies(unsigned group, unsigned op, std::vector<Step> &steps) const;
  std::vector<Step> findSteps(unsigned group) const;
  Edge getEdge(const Step &step) const;
  const RuleViolation *checkStep(const Step &step);
  std::optional<Trial> tryStep(const Step &step);
  bool priceTrial(Trial &trial);
  bool isCheaper(const Trial &trial) const;
  Evaluation evaluateBoth(unsigned first, unsigned second);
  void findNext(const Step &step, Trial &trial);
  void takeBack(Trial &trial);
  void priceAround(unsigned index);
  bool takeStep(const Step &step);
  bool takeNext(const Step &step, const Trial &trial);
  std::optional<Recomputation> recompute(const Candidate &candidate);
  void acceptRecompute(const Candidate &candidate);
  void refuseFixed(Edge edge);
  void settle(LogRow &row);
  const RuleViolation *takeBetween(Candidate &candidate, Quantity &unfused);
  LogicalResult mergeMust(Operation *first, Operation *second);
  void note(const Candidate &candidate, bool accepted,
            const RuleViolation *violation, Quantity fused = std::nullopt,
            Quantity unfused = std::nullopt,
            Quantity bytesSaved = std::nullopt);

  PlanGraph &graph;
  const PlanOptions &options;
  Evaluator evaluator;
  MemoryBudget memory;
  CandidateQueue queue;
  /// Operators of two groups together when their merge was last refused.
  llvm::DenseMap<uint64_t, unsigned> refusedSize;
  /// No kernel costs less.
  int64_t leastNs;
  /// Whether kernels may be put side by side: done last, when all that shares
  /// data is together. Until then such candidates are put off.
  bool packing = false;
  std::vector<Candidate> putOff;
  // Of `improve`: the groups that may change, in the running order; what a step
  // may cost if the merge that follows pays for it; and where the work ends.
  std::vector<unsigned> running;
  int64_t slack = 0, workLimit = 0, trialWork = 0;
  /// What was looked at in vain, as keys of kernels; see `improveWindow`.
  std::set<SmallVector<unsigned>> seenWindows;
  /// Whether the user's handler is asked.
  bool asks = true;
  /// Groups of `fuse.boundary`.
  SmallVector<unsigned> boundaries;
  /// Rules that need no further words.
  const RuleViolation *cycleRule, *boundaryRule;
  std::optional<Optimality> optimality;
  std::vector<LogRow> log;
  /// Rows of the log by operators, for each kind.
  std::array<llvm::DenseMap<uint64_t, unsigned>, kNumDecisionKinds> rows;
  /// What was last said about two groups.
  llvm::DenseMap<uint64_t, LogRow> last;
};

} // namespace mlir::fuse::plan

#endif // FUSE_MLIR_LIB_PLANNER_SEARCH_H
