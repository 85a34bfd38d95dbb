// Policy of PyTorch's Inductor: element-wise operators are computed where they
// are read (torch/_inductor/ir.py), then rounds over all pairs that share a
// buffer, by shared bytes (torch/_inductor/scheduler.py).
#include "Policy.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

// torch/_inductor/config.py.
/// Reads and operators of a value with several readers beyond which it is
/// stored (`realize_reads_threshold`, `realize_opcount_threshold`), and reads
/// of any value (`realize_acc_reads_threshold`).
static constexpr size_t kReads = 4, kOps = 30, kAllReads = 8;
/// Parts of a concat that is computed where it is read
/// (`max_pointwise_cat_inputs`).
static constexpr unsigned kConcatParts = 8;
/// `max_fusion_size`, `score_fusion_memory_threshold` in bytes, and the rounds
/// of `Scheduler.fuse_nodes`.
static constexpr size_t kMaxOps = 64;
static constexpr double kMinBytes = 10;
static constexpr int kRounds = 10;
/// Pairs are made with so many of the next readers of a buffer
/// (`max_fusion_buffer_group_pairwise_attempts`); nodes further apart than
/// that are no siblings (`are_long_distant_nodes`).
static constexpr size_t kPairs = 64;

namespace {
class InductorPolicy : public Policy {
public:
  explicit InductorPolicy(Search &search) : Policy(search) {}
  void run() override;

private:
  struct Pair {
    unsigned first, second;
    bool vertical;
    double bytes;
    unsigned distance;
  };

  std::optional<StringRef>
  getReasonToStore(unsigned group,
                   const std::optional<SmallVector<unsigned>> &consumers);
  std::optional<unsigned> inlineInReaders(unsigned group);
  double getSharedBytes(unsigned a, unsigned b) const;
  bool haveEqualSizes(unsigned a, unsigned b);
  const char *getObstacle(const Pair &pair);
  std::vector<Pair> findPairs();
  bool fuseOnce();
};
} // namespace

/// Why a value is stored rather than computed where it is read.
std::optional<StringRef> InductorPolicy::getReasonToStore(
    unsigned group, const std::optional<SmallVector<unsigned>> &consumers) {
  if (!consumers)
    return "inductor: the value is a result";
  const Group &own = getGroup(group);
  size_t reads = graph.getInputIds(own.ops).size();
  if (auto concat = dyn_cast<tensor::ConcatOp>(graph.nodes[own.ops.back()].op);
      concat && concat.getInputs().size() > kConcatParts)
    return "inductor: a concat of more than 8 parts is stored part by part";
  if (llvm::any_of(*consumers, [&](unsigned i) { return contracts(i); }))
    return "inductor: operands of library calls are stored";
  if (reads > kAllReads || own.ops.size() > kOps)
    return "inductor: more than 8 reads or 30 operators are stored";
  if (consumers->size() > 1 && reads > kReads)
    return "inductor: a value of more than 4 reads is not computed twice";
  return std::nullopt;
}

/// Computes a value where it is read. Gives the kernel of both if that was at
/// one place.
std::optional<unsigned> InductorPolicy::inlineInReaders(unsigned group) {
  std::optional<SmallVector<unsigned>> consumers = getOnlyConsumers(group);
  if (std::optional<StringRef> why = getReasonToStore(group, consumers)) {
    for (auto &[next, edge] : getGroup(group).successors)
      if (isLive(next))
        search.refuse(DecisionKind::ProducerConsumer, group, next, *why);
    return std::nullopt;
  }
  if (consumers->size() == 1)
    return search.mergeIfLegal(DecisionKind::ProducerConsumer, group,
                               consumers->front());
  search.recomputeIfLegal(group);
  return std::nullopt;
}

/// Bytes of the buffers that both touch.
double InductorPolicy::getSharedBytes(unsigned a, unsigned b) const {
  auto touched = [&](unsigned group) {
    llvm::SmallSetVector<Value, 16> values;
    for (Value value : graph.getInputs(getGroup(group).ops))
      values.insert(value);
    for (Value value : graph.getOutputs(getGroup(group).ops, {group}))
      values.insert(value);
    return values;
  };
  llvm::SmallSetVector<Value, 16> first = touched(a);
  double bytes = 0;
  for (Value value : touched(b))
    if (first.contains(value))
      bytes += cost::getBytes(value.getType()).value_or(0);
  return bytes;
}

/// Whether the two run through the same numbers of rows and columns, or one
/// through the rows of the other (`SIMDScheduling.can_fuse`).
bool InductorPolicy::haveEqualSizes(unsigned a, unsigned b) {
  // Rows and places; equal without a reduction.
  auto getSizes = [&](unsigned group) {
    double places = getSpace(group), rows = places;
    for (unsigned op : getGroup(group).ops) {
      if (graph.nodes[op].opClass != OpClass::Reduction)
        continue;
      places = search.getSpace(op);
      rows = cost::getElements(graph.nodes[op].op->getResult(0).getType())
                 .value_or(0);
    }
    return std::pair(rows, places);
  };
  auto [rowsA, placesA] = getSizes(a);
  auto [rowsB, placesB] = getSizes(b);
  if (reduces(a) && reduces(b))
    return rowsA == rowsB && placesA == placesB;
  if (reduces(a))
    return placesB == rowsA || placesB == placesA;
  return placesA == rowsB || placesA == placesB;
}

/// What `Scheduler.can_fuse` says against a pair; null if nothing.
const char *InductorPolicy::getObstacle(const Pair &pair) {
  if (contracts(pair.first) || contracts(pair.second))
    return "inductor: a library call is a kernel of its own";
  if (getGroup(pair.first).ops.size() + getGroup(pair.second).ops.size() >
      kMaxOps)
    return "inductor: more than 64 operators";
  if (pair.bytes < kMinBytes)
    return "inductor: fewer than 10 bytes in common";
  if (!pair.vertical && pair.distance > kPairs)
    return "inductor: too far apart in the program";
  if (!(pair.vertical ? haveEqualSizes(pair.first, pair.second)
                      : isAligned(pair.first, pair.second)))
    return "inductor: sizes or indices differ";
  return nullptr;
}

std::vector<InductorPolicy::Pair> InductorPolicy::findPairs() {
  SmallVector<unsigned> groups = getGroups();
  llvm::MapVector<Value, SmallVector<unsigned>> touching;
  llvm::DenseMap<unsigned, unsigned> places;
  for (auto [place, group] : llvm::enumerate(groups)) {
    places[group] = unsigned(place);
    for (Value value : graph.getOutputs(getGroup(group).ops, {group}))
      touching[value].push_back(group);
    for (Value value : graph.getInputs(getGroup(group).ops))
      if (PlanGraph::isWorthSharing(value))
        touching[value].push_back(group);
  }
  llvm::DenseSet<std::pair<unsigned, unsigned>> seen;
  std::vector<Pair> pairs;
  for (auto &[value, nodes] : touching)
    for (size_t i = 0; i < nodes.size(); ++i)
      for (size_t j = i + 1; j < std::min(nodes.size(), i + 1 + kPairs); ++j) {
        unsigned a = nodes[i], b = nodes[j];
        if (!seen.insert({a, b}).second)
          continue;
        pairs.push_back({a, b, getGroup(a).successors.contains(b),
                         getSharedBytes(a, b), places[b] - places[a]});
      }
  // By shared bytes, then by distance.
  llvm::sort(pairs, [](const Pair &a, const Pair &b) {
    return std::tuple(-a.bytes, a.distance, a.first, a.second) <
           std::tuple(-b.bytes, b.distance, b.first, b.second);
  });
  return pairs;
}

bool InductorPolicy::fuseOnce() {
  bool changed = false;
  llvm::DenseMap<unsigned, unsigned> now;
  auto find = [&](unsigned group) {
    for (auto it = now.find(group); it != now.end(); it = now.find(group))
      group = it->second;
    return group;
  };
  for (Pair pair : findPairs()) {
    unsigned a = pair.first = find(pair.first);
    unsigned b = pair.second = find(pair.second);
    if (a == b || !isLive(a) || !isLive(b))
      continue;
    pair.vertical = getGroup(a).successors.contains(b) ||
                    getGroup(b).successors.contains(a);
    DecisionKind kind =
        pair.vertical ? DecisionKind::ProducerConsumer : DecisionKind::Sibling;
    if (const char *obstacle = getObstacle(pair)) {
      search.refuse(kind, a, b, obstacle);
      continue;
    }
    if (std::optional<unsigned> left = search.mergeIfLegal(kind, a, b)) {
      now[*left == a ? b : a] = *left;
      changed = true;
    }
  }
  return changed;
}

void InductorPolicy::run() {
  foldOperands();
  for (unsigned group : getGroups())
    for (std::optional<unsigned> current = group;
         current && isLive(*current) && isPointwise(*current);)
      current = inlineInReaders(*current);
  for (int round = 0; round < kRounds && fuseOnce(); ++round)
    ;
}

std::unique_ptr<Policy> plan::makeInductorPolicy(Search &search) {
  return std::make_unique<InductorPolicy>(search);
}
