// A* over sets of needs; see the header.
#include "ExactCover.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <limits>
#include <queue>

using namespace mlir;
using namespace mlir::fuse::plan;
using llvm::BitVector;

namespace {
/// A single result may take one part in so many of the work that is left.
constexpr int64_t kShare = 4;
/// More than any plan costs; prices may be added to it.
constexpr int64_t kInfinite = std::numeric_limits<int64_t>::max() / 4;

/// A set of needs, and how it was reached.
struct State {
  BitVector needs;
  /// Price of the groups that run after.
  int64_t cost = 0;
  int parent = -1;
  /// Items and results of the group that leads here from the parent.
  BitVector items, given;
  bool closed = false;
};

/// Searches from one set of needs. Several share prices and bounds.
class Solver {
public:
  explicit Solver(const ExactProblem &problem);

  ExactSolution run();

private:
  struct Outcome {
    int64_t bound = 0;
    bool complete = false;
    int last = -1;
  };

  void findFloors();
  void findBounds(const BitVector &wanted);
  Outcome search(const BitVector &wanted, int64_t known);
  void expand(int state, int64_t known);
  bool expandAlone(int state, int64_t known);
  void chooseGiven(int state, int64_t known);
  void growGroups(int state, const BitVector &given, int64_t known);
  void reach(int from, const BitVector &items, const BitVector &given,
             int64_t price, int64_t known);
  ExactPrice getPrice(const BitVector &items, const BitVector &given);
  bool isHopeless(const BitVector &items);
  BitVector getInputs(const BitVector &items) const;
  /// Whether something that is still needed afterwards depends on an item of
  /// the group that runs only once.
  bool breaksOnce(const BitVector &items, const BitVector &needsAfter) const;
  BitVector getTogether(unsigned need, const BitVector &needs) const;
  int64_t getBound(const BitVector &needs) const;
  bool isSpent() const {
    return work >= allowed || (problem.stop && problem.stop());
  }

  BitVector noItems() const { return BitVector(problem.items.size()); }
  BitVector noResults() const { return BitVector(problem.results); }
  BitVector getMakers(const BitVector &results) const;

  const ExactProblem &problem;
  /// Of each item: results that it needs, that it makes, and that depend on it.
  std::vector<BitVector> needs, makes, dependents;
  /// The item that makes each result.
  std::vector<unsigned> makers;
  BitVector alone, once;
  /// Least price of a plan that gives a result, or a lower bound of it.
  std::vector<int64_t> singleBounds;
  llvm::DenseMap<std::pair<BitVector, BitVector>, ExactPrice> prices;
  int64_t work = 0, allowed = 0;

  // Of the search at hand:
  std::vector<State> states;
  llvm::DenseMap<BitVector, int> numbers;
  struct Entry {
    int64_t bound, cost;
    int state;
    bool operator<(const Entry &other) const {
      // The queue gives the largest: least bound, then furthest, then first.
      return std::tuple(other.bound, cost, other.state) <
             std::tuple(bound, other.cost, state);
    }
  };
  std::priority_queue<Entry> open;
};
} // namespace

static SmallVector<unsigned> toList(const BitVector &bits) {
  return llvm::to_vector_of<unsigned>(bits.set_bits());
}

Solver::Solver(const ExactProblem &problem) : problem(problem) {
  size_t count = problem.items.size();
  needs.assign(count, noResults());
  makes = dependents = needs;
  makers.resize(problem.results);
  alone = once = noItems();
  singleBounds.assign(problem.results, 0);
  for (auto [i, item] : llvm::enumerate(problem.items)) {
    for (unsigned need : item.needs)
      needs[i].set(need);
    for (unsigned result : item.makes) {
      makes[i].set(result);
      makers[result] = i;
    }
    if (item.alone)
      alone.set(i);
    if (item.alone || item.once)
      once.set(i);
  }
  for (size_t i = count; i-- > 0;) {
    dependents[i] |= makes[i];
    for (unsigned need : problem.items[i].needs)
      dependents[makers[need]] |= dependents[i];
  }
}

BitVector Solver::getMakers(const BitVector &results) const {
  BitVector items = noItems();
  for (unsigned result : results.set_bits())
    items.set(makers[result]);
  return items;
}

/// Results that the items need and do not make.
BitVector Solver::getInputs(const BitVector &items) const {
  BitVector inputs = noResults();
  for (unsigned item : items.set_bits())
    inputs |= needs[item];
  for (unsigned item : items.set_bits())
    inputs.reset(makes[item]);
  return inputs;
}

ExactPrice Solver::getPrice(const BitVector &items, const BitVector &given) {
  ++work;
  auto [it, added] = prices.try_emplace({items, given});
  if (added)
    it->second = problem.price(toList(items), toList(given));
  return it->second;
}

/// Whether no set that holds `items` and producers of theirs is legal; for sets
/// that need no price.
bool Solver::isHopeless(const BitVector &items) {
  ++work;
  return problem.isHopeless && problem.isHopeless(toList(items));
}

int64_t Solver::getBound(const BitVector &needs) const {
  int64_t bound = 0;
  for (unsigned need : needs.set_bits())
    bound = std::max(bound, singleBounds[need]);
  return bound;
}

bool Solver::breaksOnce(const BitVector &items,
                        const BitVector &needsAfter) const {
  for (unsigned item : items.set_bits())
    if (once.test(item) && dependents[item].anyCommon(needsAfter))
      return true;
  return false;
}

/// What a group has to give that gives `need`: of an item that runs only once,
/// all of the `needs` that depend on it.
BitVector Solver::getTogether(unsigned need, const BitVector &needs) const {
  BitVector given = noResults();
  given.set(need);
  SmallVector<unsigned> stack{need};
  while (!stack.empty()) {
    unsigned item = makers[stack.pop_back_val()];
    if (!once.test(item))
      continue;
    BitVector more = dependents[item];
    more &= needs;
    more.reset(given);
    given |= more;
    llvm::append_range(stack, more.set_bits());
  }
  return given;
}

/// Notes the state before a group.
void Solver::reach(int from, const BitVector &items, const BitVector &given,
                   int64_t price, int64_t known) {
  BitVector before = states[from].needs;
  before.reset(given);
  before |= getInputs(items);
  int64_t cost = states[from].cost + price;
  int64_t bound = cost + getBound(before);
  if (bound >= known)
    return;
  auto [it, added] = numbers.try_emplace(before, int(states.size()));
  if (added)
    states.emplace_back().needs = std::move(before);
  State &state = states[it->second];
  if (!added && state.cost <= cost)
    return;
  // The bounds of neighbouring states need not agree: a cheaper way to a state
  // that has been expanded is followed again.
  state.closed = false;
  state.cost = cost;
  state.parent = from;
  state.items = items;
  state.given = given;
  open.push({bound, cost, it->second});
}

/// An item that shares with nobody runs as late as it can: nothing is lost.
bool Solver::expandAlone(int number, int64_t known) {
  BitVector makersOfNeeds = getMakers(states[number].needs);
  for (unsigned item : makersOfNeeds.set_bits()) {
    if (!alone.test(item))
      continue;
    BitVector given = states[number].needs, rest = given;
    given &= makes[item];
    rest.reset(given);
    if (rest.anyCommon(dependents[item]))
      continue;
    BitVector items = noItems();
    items.set(item);
    ExactPrice price = getPrice(items, given);
    if (price.cost)
      reach(number, items, given, *price.cost, known);
    return true;
  }
  return false;
}

/// All groups that give `given`, from the operators themselves up through their
/// producers.
void Solver::growGroups(int number, const BitVector &given, int64_t known) {
  BitVector rest = states[number].needs;
  rest.reset(given);
  int64_t least = states[number].cost + problem.least;
  if (least + getBound(rest) >= known) {
    ++work;
    return;
  }
  llvm::DenseSet<BitVector> seen;
  SmallVector<BitVector> stack{getMakers(given)};
  seen.insert(stack.front());
  while (!stack.empty() && !isSpent()) {
    BitVector items = stack.pop_back_val();
    BitVector inputs = getInputs(items);
    BitVector before = rest;
    before |= inputs;
    if (least + getBound(before) >= known) {
      if (isHopeless(items))
        continue;
    } else {
      ExactPrice price = getPrice(items, given);
      if (price.hopeless)
        continue;
      if (price.cost && !breaksOnce(items, before))
        reach(number, items, given, *price.cost, known);
    }
    BitVector producers = getMakers(inputs);
    for (unsigned producer : producers.set_bits()) {
      // Whoever runs once gives its results to all that are left.
      if (alone.test(producer) ||
          (once.test(producer) && rest.anyCommon(dependents[producer])))
        continue;
      BitVector more = items;
      more.set(producer);
      if (seen.insert(more).second)
        stack.push_back(std::move(more));
    }
  }
}

/// All sets of needs that one group could give.
void Solver::chooseGiven(int number, int64_t known) {
  SmallVector<unsigned> candidates;
  BitVector all = noResults();
  int64_t floor = kInfinite;
  for (unsigned need : states[number].needs.set_bits())
    if (!alone.test(makers[need])) {
      candidates.push_back(need);
      all.set(need);
      floor = std::min(floor, singleBounds[need]);
    }
  // What would be left of them costs too much, whatever it is.
  if (!candidates.empty() &&
      known - states[number].cost - problem.least <= floor) {
    BitVector rest = states[number].needs;
    rest.reset(all);
    if (!breaksOnce(getMakers(all), rest))
      growGroups(number, all, known);
    return;
  }
  // Only sets that break nothing are gone through, each once: it is put
  // together from the first result on that is not there yet.
  std::vector<BitVector> together;
  for (unsigned candidate : candidates)
    together.push_back(getTogether(candidate, states[number].needs));
  SmallVector<std::pair<BitVector, size_t>> stack{{noResults(), 0}};
  while (!stack.empty() && !isSpent()) {
    auto [given, next] = stack.pop_back_val();
    if (given.any())
      growGroups(number, given, known);
    for (size_t i = candidates.size(); i-- > next;) {
      BitVector more = together[i];
      more.reset(given);
      if (more.find_first() != int(candidates[i]) || together[i].test(all))
        continue;
      more |= given;
      stack.emplace_back(std::move(more), i + 1);
    }
  }
}

void Solver::expand(int number, int64_t known) {
  ++work;
  if (!expandAlone(number, known))
    chooseGiven(number, known);
}

/// Least price of providing `wanted`, below `known`.
Solver::Outcome Solver::search(const BitVector &wanted, int64_t known) {
  states.clear();
  numbers.clear();
  open = {};
  states.emplace_back().needs = wanted;
  numbers[wanted] = 0;
  open.push({getBound(wanted), 0, 0});
  Outcome outcome;
  while (!open.empty()) {
    Entry entry = open.top();
    State &state = states[entry.state];
    if (state.closed || entry.cost > state.cost) {
      open.pop();
      continue;
    }
    outcome.bound = std::max(outcome.bound, entry.bound);
    if (state.needs.none()) {
      outcome.complete = true;
      outcome.last = entry.state;
      return outcome;
    }
    if (isSpent())
      return outcome;
    open.pop();
    state.closed = true;
    expand(entry.state, known);
    // A state that was left half-way keeps its bound.
    if (isSpent())
      return outcome;
  }
  // Everything else costs at least what is known.
  outcome.bound = known;
  outcome.complete = true;
  return outcome;
}

/// What each result costs at least: a group, or that of something it needs.
void Solver::findFloors() {
  for (auto [i, item] : llvm::enumerate(problem.items)) {
    int64_t floor = item.alone ? 0 : problem.least;
    for (unsigned need : item.needs)
      floor = std::max(floor, singleBounds[need]);
    for (unsigned result : item.makes)
      singleBounds[result] = floor;
  }
}

/// Prices of single results, with most of the work that is left: few of them
/// are hard, so each may take a good share of it.
void Solver::findBounds(const BitVector &wanted) {
  int64_t until = work + (problem.limit - work) / 4 * 3;
  BitVector reachable = wanted;
  for (size_t i = problem.items.size(); i-- > 0;)
    if (reachable.anyCommon(makes[i]))
      reachable |= needs[i];
  for (const ExactItem &item : problem.items)
    for (unsigned result : item.makes) {
      if (!reachable.test(result))
        continue;
      allowed = work + (until - work) / kShare;
      BitVector single = noResults();
      single.set(result);
      singleBounds[result] =
          std::max(singleBounds[result], search(single, kInfinite).bound);
    }
}

ExactSolution Solver::run() {
  BitVector wanted = noResults();
  for (unsigned result : problem.wanted)
    wanted.set(result);
  findFloors();
  // Small problems need no other bounds, and then nothing is taken for granted.
  allowed = problem.limit / 8;
  Outcome outcome = search(wanted, problem.known);
  ExactSolution solution;
  solution.provenBound = std::min(outcome.bound, problem.known);
  if (!outcome.complete) {
    findBounds(wanted);
    allowed = problem.limit;
    outcome = search(wanted, problem.known);
  }
  solution.bound = std::min(outcome.bound, problem.known);
  solution.complete = outcome.complete;
  solution.work = work;
  for (int at = outcome.last; at > 0; at = states[at].parent)
    solution.groups.push_back(
        {toList(states[at].items), toList(states[at].given)});
  return solution;
}

ExactSolution fuse::plan::solveExactCover(const ExactProblem &problem) {
  return Solver(problem).run();
}
