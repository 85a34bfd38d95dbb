// Groups whose outputs fall into several spaces. The outputs are divided into
// parts, each of which is a kernel of one space; a part holds all that its
// outputs need, so that nothing flows between parts. What only computes
// elements may stand in several parts, a reduction stands in one.
#include "LaunchChoice.h"
#include "SpaceAnalysis.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/IntEqClasses.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// Outputs (by number) and the operators (by position) that they need.
struct Portion {
  SmallVector<unsigned> outputs;
  llvm::BitVector ops;
  GroupShape shape;

  int64_t getPlaces() const { return shape.rows * shape.columns; }
};

class Packer {
public:
  Packer(ArrayRef<Operation *> ops, ArrayRef<Value> outputs,
         AnalysisCache &cache);

  bool isConnected();
  FailureOr<GroupShape> run(const RuleViolation &whole, RuleViolation *why);
  FailureOr<GroupShape> runApart(const GroupShape &shape);

private:
  void findSources();
  llvm::IntEqClasses connect();
  Portion slice(ArrayRef<unsigned> numbers) const;
  SmallVector<Operation *> getOps(const Portion &portion) const;
  SmallVector<Value> getOutputs(const Portion &portion) const;
  LogicalResult analyze(Portion &portion, RuleViolation &why) const;
  LogicalResult split(const Portion &connected, bool isRefused,
                      RuleViolation &why);
  bool sharesRoots(const Portion &portion) const;
  std::vector<Portion> splitByRoots(const Portion &connected) const;
  std::optional<double> getClocks(std::vector<Portion> &portions) const;
  std::vector<Portion> splitContractions(const Portion &whole) const;
  void join(std::vector<Portion> &portions) const;
  FailureOr<GroupShape> makeShape(RuleViolation &why);

  AnalysisCache &cache;
  ArrayRef<Operation *> ops;
  ArrayRef<Value> outputs;
  llvm::DenseMap<Operation *, unsigned> positions;
  /// Of each operator: operators whose results it takes; values from outside.
  SmallVector<SmallVector<unsigned, 4>> sources;
  SmallVector<SmallVector<Value, 4>> inputs;
  std::vector<Portion> parts;
};
} // namespace

void fuse::forEachSource(Operation *op, function_ref<void(Value)> use) {
  op->walk([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      if (!op->isAncestor(operand.getParentBlock()->getParentOp()))
        use(operand);
  });
}

Packer::Packer(ArrayRef<Operation *> ops, ArrayRef<Value> outputs,
               AnalysisCache &cache)
    : cache(cache), ops(ops), outputs(outputs), sources(ops.size()),
      inputs(ops.size()) {
  for (auto [i, op] : llvm::enumerate(ops))
    positions[op] = i;
  findSources();
}

/// What each operator, its regions included, takes.
void Packer::findSources() {
  for (unsigned i = 0; i < ops.size(); ++i)
    forEachSource(ops[i], [&](Value source) {
      auto it = positions.find(source.getDefiningOp());
      if (it != positions.end())
        sources[i].push_back(it->second);
      else
        inputs[i].push_back(source);
    });
}

/// Whether sharing `value` saves anything: a tensor of several elements that is
/// stored or computed.
static bool binds(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || (type.hasStaticShape() && type.getNumElements() <= 1))
    return false;
  Operation *def = value.getDefiningOp();
  return !def || !(isa<tensor::EmptyOp, tensor::SplatOp, linalg::FillOp>(def) ||
                   def->hasTrait<OpTrait::ConstantLike>());
}

/// Classes of operators that share operators or inputs.
llvm::IntEqClasses Packer::connect() {
  llvm::IntEqClasses classes(ops.size());
  llvm::DenseMap<Value, unsigned> readers;
  for (unsigned i = 0; i < ops.size(); ++i) {
    for (unsigned source : sources[i])
      if (llvm::any_of(ops[source]->getResults(), binds))
        classes.join(i, source);
    for (Value input : inputs[i])
      if (binds(input))
        classes.join(i, readers.try_emplace(input, i).first->second);
  }
  classes.compress();
  return classes;
}

bool Packer::isConnected() {
  llvm::IntEqClasses classes = connect();
  return llvm::all_equal(llvm::map_range(outputs, [&](Value output) {
    return classes[positions.lookup(output.getDefiningOp())];
  }));
}

Portion Packer::slice(ArrayRef<unsigned> numbers) const {
  Portion portion;
  portion.outputs.assign(numbers.begin(), numbers.end());
  portion.ops.resize(ops.size());
  SmallVector<unsigned> stack;
  for (unsigned number : numbers)
    stack.push_back(positions.lookup(outputs[number].getDefiningOp()));
  while (!stack.empty()) {
    unsigned at = stack.pop_back_val();
    if (portion.ops.test(at))
      continue;
    portion.ops.set(at);
    llvm::append_range(stack, sources[at]);
  }
  return portion;
}

SmallVector<Operation *> Packer::getOps(const Portion &portion) const {
  SmallVector<Operation *> members;
  for (unsigned at : portion.ops.set_bits())
    members.push_back(ops[at]);
  return members;
}

SmallVector<Value> Packer::getOutputs(const Portion &portion) const {
  return llvm::map_to_vector(portion.outputs,
                             [&](unsigned number) { return outputs[number]; });
}

LogicalResult Packer::analyze(Portion &portion, RuleViolation &why) const {
  FailureOr<GroupShape> shape =
      analyzeSpace(getOps(portion), getOutputs(portion),
                   cache.getSizes(getOps(portion)), &why, cache);
  if (failed(shape))
    return failure();
  if (shape->joinsRows) {
    why = {"row-mismatch", "blocks of a cluster have a launch of their own"};
    return failure();
  }
  portion.shape = std::move(*shape);
  return success();
}

/// Outputs that need a common reduction stay together; each of the others is a
/// portion of its own.
std::vector<Portion> Packer::splitByRoots(const Portion &connected) const {
  std::vector<Portion> single;
  for (unsigned number : connected.outputs)
    single.push_back(slice(number));
  llvm::IntEqClasses classes(single.size());
  SmallVector<int> owner(ops.size(), -1);
  for (auto [i, portion] : llvm::enumerate(single))
    for (unsigned at : portion.ops.set_bits())
      if (cache.isRootOp(ops[at])) {
        if (owner[at] >= 0)
          classes.join(i, owner[at]);
        owner[at] = i;
      }
  classes.compress();
  SmallVector<SmallVector<unsigned>> numbers(classes.getNumClasses());
  for (auto [i, portion] : llvm::enumerate(single))
    numbers[classes[i]].push_back(portion.outputs.front());
  std::vector<Portion> portions;
  for (ArrayRef<unsigned> together : numbers)
    portions.push_back(slice(together));
  return portions;
}

/// The time of `portions` of path `tile` as parts of a kernel, which are
/// analyzed; nothing if some are none.
std::optional<double> Packer::getClocks(std::vector<Portion> &portions) const {
  std::vector<KernelPart> made;
  RuleViolation why;
  for (Portion &portion : portions) {
    if (failed(analyze(portion, why)) || portion.shape.path != KernelPath::Tile)
      return std::nullopt;
    made.push_back({getOps(portion), getOutputs(portion), portion.shape});
  }
  return getClocksTogether(made);
}

/// Contractions that share a factor read it once in one space, but each has a
/// smaller tile there: portions of one or more of them, if these run faster
/// than `whole`, whose shape is known. None otherwise. Two of a few may stay
/// together.
std::vector<Portion> Packer::splitContractions(const Portion &whole) const {
  constexpr size_t kMost = 4;
  if (whole.shape.contractions.size() < 2 || whole.outputs.size() < 2)
    return {};
  std::vector<Portion> apart = splitByRoots(whole);
  std::optional<double> time = getTileClocks(whole.shape);
  if (apart.size() < 2 || !time)
    return {};
  std::vector<Portion> best;
  auto consider = [&](std::vector<Portion> portions) {
    std::optional<double> own = getClocks(portions);
    if (own && *own < *time) {
      time = own;
      best = std::move(portions);
    }
    return own.has_value();
  };
  if (!consider(apart) || apart.size() < 3 || apart.size() > kMost)
    return best;
  for (size_t i = 0; i < apart.size(); ++i)
    for (size_t j = i + 1; j < apart.size(); ++j) {
      std::vector<Portion> portions = apart;
      SmallVector<unsigned> both(apart[i].outputs);
      llvm::append_range(both, apart[j].outputs);
      llvm::sort(both);
      portions[i] = slice(both);
      portions.erase(portions.begin() + j);
      consider(std::move(portions));
    }
  return best;
}

/// Whether the outputs would be parts if they did not need the same reduction.
bool Packer::sharesRoots(const Portion &portion) const {
  constexpr size_t kMost = 16;
  RuleViolation why;
  return portion.outputs.size() > 1 && portion.outputs.size() <= kMost &&
         llvm::all_of(portion.outputs, [&](unsigned number) {
           Portion single = slice(number);
           return succeeded(analyze(single, why));
         });
}

/// Puts portions of equally many places together where they make one space:
/// their threads then share what they read.
void Packer::join(std::vector<Portion> &portions) const {
  constexpr size_t kMost = 16;
  llvm::MapVector<int64_t, std::vector<Portion>> bySize;
  for (Portion &portion : portions)
    bySize[portion.getPlaces()].push_back(std::move(portion));
  portions.clear();
  for (auto &[places, equal] : bySize) {
    std::vector<Portion> joined;
    for (Portion &portion : equal) {
      RuleViolation why;
      auto home = equal.size() > kMost
                      ? joined.end()
                      : llvm::find_if(joined, [&](Portion &other) {
                          SmallVector<unsigned> numbers(other.outputs);
                          llvm::append_range(numbers, portion.outputs);
                          llvm::sort(numbers);
                          Portion both = slice(numbers);
                          if (failed(analyze(both, why)))
                            return false;
                          other = std::move(both);
                          return true;
                        });
      if (home == joined.end())
        joined.push_back(std::move(portion));
    }
    llvm::move(joined, std::back_inserter(portions));
  }
}

/// Parts of outputs that hang together; `isRefused` if they are known to be no
/// space, for the reason `why`.
LogicalResult Packer::split(const Portion &connected, bool isRefused,
                            RuleViolation &why) {
  Portion whole = connected;
  if (!isRefused && succeeded(analyze(whole, why))) {
    std::vector<Portion> apart = splitContractions(whole);
    if (apart.empty())
      parts.push_back(std::move(whole));
    llvm::move(apart, std::back_inserter(parts));
    return success();
  }
  std::vector<Portion> portions;
  for (Portion &portion : splitByRoots(connected)) {
    // Known to fail if it is all of it.
    bool known = portion.outputs.size() == connected.outputs.size();
    if (!known && succeeded(analyze(portion, why))) {
      portions.push_back(std::move(portion));
      continue;
    }
    if (sharesRoots(portion))
      why = {"shared-reduction",
             "outputs of different spaces need the same reduction"};
    return failure();
  }
  join(portions);
  llvm::move(portions, std::back_inserter(parts));
  return success();
}

FailureOr<GroupShape> Packer::makeShape(RuleViolation &why) {
  llvm::sort(parts, [](const Portion &a, const Portion &b) {
    return a.outputs.front() < b.outputs.front();
  });
  size_t copies = 0;
  for (const Portion &part : parts)
    copies += part.ops.count();
  if (copies > 8 * ops.size()) {
    why = {"recompute-limit", "elements would be computed in too many parts"};
    return failure();
  }
  if (parts.size() == 1)
    return std::move(parts.front().shape);
  GroupShape shape;
  shape.path = KernelPath::Packed;
  // Types within may know less of the sizes than these do.
  shape.sizes = cache.getSizes(ops);
  for (Portion &part : parts) {
    shape.rows += part.getPlaces();
    llvm::append_range(shape.roots, part.shape.roots);
    shape.parts.push_back(
        {getOps(part), getOutputs(part), std::move(part.shape)});
  }
  return shape;
}

FailureOr<GroupShape> Packer::run(const RuleViolation &whole,
                                  RuleViolation *why) {
  RuleViolation violation = whole;
  auto refuse = [&]() -> FailureOr<GroupShape> {
    if (why)
      *why = violation;
    return failure();
  };
  llvm::IntEqClasses classes = connect();
  llvm::MapVector<unsigned, SmallVector<unsigned>> components;
  for (auto [number, output] : llvm::enumerate(outputs))
    components[classes[positions.lookup(output.getDefiningOp())]].push_back(
        number);
  for (auto &[name, numbers] : components) {
    Portion connected = slice(numbers);
    // That is why parts are looked for.
    bool isWhole = components.size() == 1 && connected.ops.all();
    if (failed(split(connected, isWhole, violation)))
      return refuse();
  }
  FailureOr<GroupShape> shape = makeShape(violation);
  return succeeded(shape) ? std::move(shape) : refuse();
}

FailureOr<GroupShape> Packer::runApart(const GroupShape &shape) {
  Portion whole =
      slice(llvm::to_vector(llvm::seq<unsigned>(0, outputs.size())));
  whole.shape = shape;
  parts = splitContractions(whole);
  if (parts.empty())
    return failure();
  RuleViolation why;
  return makeShape(why);
}

bool fuse::isConnected(ArrayRef<Operation *> ops, ArrayRef<Value> outputs,
                       AnalysisCache &cache) {
  return outputs.size() < 2 || Packer(ops, outputs, cache).isConnected();
}

FailureOr<GroupShape> fuse::analyzeParts(ArrayRef<Operation *> ops,
                                         ArrayRef<Value> outputs,
                                         const RuleViolation &whole,
                                         RuleViolation *why,
                                         AnalysisCache &cache) {
  return Packer(ops, outputs, cache).run(whole, why);
}

FailureOr<GroupShape> fuse::analyzeContractionsApart(ArrayRef<Operation *> ops,
                                                     ArrayRef<Value> outputs,
                                                     const GroupShape &shape,
                                                     AnalysisCache &cache) {
  return Packer(ops, outputs, cache).runApart(shape);
}
