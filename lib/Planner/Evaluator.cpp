// Asks the analysis, the constraints and the cost model about kernels.
#include "Evaluator.h"

#include "fuse-mlir/Analysis/OpClassification.h"
#include "fuse-mlir/CostModel/KernelCounts.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

Evaluator::Evaluator(const PlanGraph &graph, const PlanOptions &options)
    : facts(options.traffic), graph(graph), options(options),
      alignedShapes(graph), numbered(graph.nodes.size()) {
  facts.reserve(graph.nodes.size(), graph.values.size());
  // Values have the numbers that they have in the graph.
  for (const ValueNode &node : graph.values)
    facts.getNumber(node.value);
  SmallVector<unsigned> bases;
  for (auto [i, node] : llvm::enumerate(graph.nodes)) {
    Operation *example = graph.getExample(i);
    if (node.role == Role::Host || node.role == Role::Dead ||
        node.op == example)
      continue;
    bases.clear();
    for (unsigned value : node.uses)
      bases.push_back(graph.values[value].base);
    numbered[i] =
        &facts.copy(node.op, example, node.uses, bases, node.firstResult);
  }
  L2Residency places(options.device.l2Bytes);
  places.reserve(graph.nodes.size(), graph.values.size());
  for (const OpNode &node : graph.nodes)
    places.add(node.op, node.role == Role::Compute || node.role == Role::Alone,
               node.reads);
  for (const ValueNode &node : graph.values)
    tensors.push_back(places.getNumber(node.value));
  residency = std::make_shared<L2Residency>(std::move(places));
}

const RuleViolation *Evaluator::intern(RuleViolation violation) {
  std::string text = violation.rule + ":" + violation.message;
  const RuleViolation *&entry = violationsByText[text];
  if (!entry)
    entry = &violations.emplace_back(std::move(violation));
  return entry;
}

Evaluator::Kernel Evaluator::getKernel(ArrayRef<unsigned> ops,
                                       ArrayRef<unsigned> outputs) {
  return getKernel(ops, graph.getInputIds(ops), outputs);
}

Evaluator::Kernel Evaluator::getKernel(ArrayRef<unsigned> ops,
                                       SmallVector<unsigned, 16> inputs,
                                       ArrayRef<unsigned> outputs) {
  Kernel kernel;
  kernel.several = ops.size() > 1;
  for (unsigned member : graph.getMemberIds(ops)) {
    const cost::NumberedOp &own = getNumbered(member);
    kernel.members.push_back(own.op);
    if (!own.facts->countsForNothing())
      kernel.facts.ops.push_back(&own);
  }
  kernel.facts.inputs = std::move(inputs);
  kernel.facts.outputs.append(outputs.begin(), outputs.end());
  for (unsigned input : kernel.facts.inputs)
    kernel.inputs.push_back(graph.values[input].value);
  for (unsigned output : outputs)
    kernel.outputs.push_back(graph.values[output].value);
  return kernel;
}

std::optional<GroupShape> Evaluator::findShape(ArrayRef<unsigned> ops,
                                               const Kernel &kernel,
                                               const Alignment &alignment,
                                               ArrayRef<Value> skewed,
                                               RuleViolation &why) {
  auto components = graph.getComponents(ops);
  std::optional<GroupShape> shape;
  if (components.size() > 1)
    shape = findApart(components, kernel.facts.outputs);
  else if (alignment.aligned)
    shape = alignedShapes.make(ops, kernel.facts.inputs, kernel.facts.outputs,
                               alignment, skewed);
  return shape ? std::move(shape)
               : analyze(kernel.members, kernel.outputs, why);
}

/// The shape of `components`, between which nothing is shared, if each is an
/// aligned kernel.
std::optional<GroupShape>
Evaluator::findApart(ArrayRef<SmallVector<unsigned, 4>> components,
                     ArrayRef<unsigned> outputs) {
  Parts found;
  for (ArrayRef<unsigned> ops : components) {
    SmallVector<Value> skewed;
    Alignment alignment = graph.getAlignment(ops, skewed);
    if (!alignment.aligned)
      return std::nullopt;
    SmallVector<unsigned> own;
    llvm::copy_if(outputs, std::back_inserter(own), [&](unsigned output) {
      return std::binary_search(ops.begin(), ops.end(),
                                unsigned(graph.values[output].def));
    });
    Kernel kernel = getKernel(ops, own);
    std::optional<GroupShape> shape =
        alignedShapes.make(ops, kernel.facts.inputs, own, alignment, skewed);
    if (!shape)
      return std::nullopt;
    found.push_back(makePart(kernel, std::move(*shape)));
  }
  return pack(std::move(found));
}

std::optional<GroupShape> Evaluator::analyze(ArrayRef<Operation *> ops,
                                             ArrayRef<Value> outputs,
                                             RuleViolation &why) {
  FailureOr<GroupShape> found = analyzeGroup(ops, outputs, &why, analyses);
  if (failed(found))
    return std::nullopt;
  return std::move(*found);
}

static std::string tellBudget(StringRef what, int64_t value, int64_t limit) {
  return ("the " + what + " would be " + Twine(value) + ", but the budget is " +
          Twine(limit))
      .str();
}

/// Whether threads cannot take less at once than what the model counts
/// registers for. Rows, tiles and attentions have launches to choose from.
static bool hasSmallestLaunch(const GroupShape *shape) {
  return shape && llvm::is_contained({KernelPath::Pointwise, KernelPath::Box,
                                      KernelPath::Window, KernelPath::Packed},
                                     shape->path);
}

/// The budget that a kernel of several operators exceeds.
static std::optional<RuleViolation> checkBudgets(const PlanOptions &options,
                                                 const KernelView &kernel) {
  const PlanBudgets &budgets = options.budgets;
  const CostModel &model = *options.costModel;
  auto exceeds = [](Quantity value, std::optional<int64_t> limit) {
    return value && limit && *value > *limit;
  };
  std::optional<int64_t> most = budgets.registers;
  if (!most && hasSmallestLaunch(kernel.shape))
    most = options.device.maxRegistersPerThread;
  if (most) {
    Quantity registers = model.registersPerThread(kernel);
    if (exceeds(registers, most))
      return RuleViolation{
          "register-budget",
          tellBudget("registers of a thread", *registers, *most)};
  }
  if (kernel.shape && kernel.shape->path == KernelPath::Packed) {
    Quantity bytes = model.codeBytes(kernel);
    if (exceeds(bytes, budgets.packedCodeBytes))
      return RuleViolation{"code-budget",
                           tellBudget("bytes of code of a packed kernel",
                                      *bytes, budgets.packedCodeBytes)};
  }
  if (budgets.sharedBytes) {
    Quantity bytes = model.sharedBytes(kernel);
    if (exceeds(bytes, budgets.sharedBytes))
      return RuleViolation{"shared-budget",
                           tellBudget("bytes of shared memory of a block",
                                      *bytes, *budgets.sharedBytes)};
  }
  return std::nullopt;
}

/// Whether a reduction is evaluated for each element of a contraction's factor.
static bool nestsReduction(const GroupShape *shape) {
  return shape && (!shape->windows.empty() ||
                   llvm::any_of(shape->parts, [](const KernelPart &part) {
                     return nestsReduction(&part.shape);
                   }));
}

Evaluation Evaluator::judge(const Kernel &kernel, const GroupShape *shape,
                            const RuleViolation &why) {
  Evaluation result;
  GroupView view;
  view.kernel = {kernel.members, kernel.inputs, kernel.outputs,
                 shape,          nullptr,       kernel.residentInputs};
  view.shapeViolation = shape ? nullptr : &why;
  view.device = options.device;
  result.hasRoots = !shape || !shape->roots.empty();
  result.isAttention = shape && shape->path == KernelPath::Attention;
  result.packed = shape && shape->path == KernelPath::Packed;
  for (const GroupConstraint *constraint : options.constraints)
    if (std::optional<RuleViolation> violation = constraint->check(view)) {
      result.violation = intern(std::move(*violation));
      return result;
    }
  // Only a price can tell whether that pays.
  bool isPriced =
      options.strategy != PlanStrategy::Max && !isPolicy(options.strategy);
  if (!isPriced && nestsReduction(shape)) {
    result.violation = intern(
        {"nested-reduction",
         "a window would be evaluated again for elements of a contraction"});
    return result;
  }
  cost::KernelCounts counts =
      cost::countKernel(view.kernel, kernel.facts, facts);
  view.kernel.counts = &counts;
  if (kernel.several)
    if (std::optional<RuleViolation> violation =
            checkBudgets(options, view.kernel)) {
      result.violation = intern(std::move(*violation));
      return result;
    }
  if (counts.launch)
    result.scratchBytes = counts.launch->scratchBytes;
  const CostModel &model = *options.costModel;
  result.nanoseconds = model.estimateNanoseconds(view.kernel, options.device);
  Quantity read = model.bytesRead(view.kernel);
  Quantity written = model.bytesWritten(view.kernel);
  if (read && written)
    result.bytes = *read + *written;
  return result;
}

/// All that makes a difference between prices: the structure of the kernel, and
/// which inputs are in L2.
KernelKey Evaluator::makeKey(ArrayRef<unsigned> ops, ArrayRef<unsigned> inputs,
                             ArrayRef<unsigned> outputs,
                             SmallVector<bool> &residentInputs) const {
  SmallVector<unsigned, 256> key;
  graph.getKey(ops, outputs, key);
  auto toTensors = [&](ArrayRef<unsigned> ids) {
    return llvm::map_to_vector<16>(ids,
                                   [&](unsigned id) { return tensors[id]; });
  };
  residentInputs = residency->find(ops, toTensors(inputs), toTensors(outputs));
  constexpr unsigned kResident = ~2u;
  key.push_back(kResident);
  for (auto [i, resident] : llvm::enumerate(residentInputs))
    if (resident)
      key.push_back(i);
  return KernelKey(key);
}

/// The evaluation of a kernel of `size` operators if there is one; counts the
/// work of looking at it.
const Evaluation *Evaluator::findKnown(const KernelKey &key, size_t size) {
  auto it = known.find(key);
  Known *found = it == known.end() ? nullptr : &evaluations[it->second];
  if (!onlyToTell) {
    bool isNew = !found || std::exchange(found->onlyToTell, false);
    work += int64_t(size) * (isNew ? 1 + kAnalysis : 1);
  }
  return found ? &found->evaluation : nullptr;
}

void Evaluator::keep(const KernelKey &key, const Evaluation &evaluation) {
  if (known.try_emplace(key, evaluations.size()).second)
    evaluations.push_back({evaluation, onlyToTell});
}

Evaluation Evaluator::look(ArrayRef<unsigned> ops, ArrayRef<unsigned> outputs,
                           const Alignment &alignment, ArrayRef<Value> skewed) {
  SmallVector<unsigned, 16> inputs = graph.getInputIds(ops);
  SmallVector<bool> resident;
  KernelKey key = makeKey(ops, inputs, outputs, resident);
  if (const Evaluation *found = findKnown(key, ops.size()))
    return *found;
  Kernel kernel = getKernel(ops, std::move(inputs), outputs);
  kernel.residentInputs = std::move(resident);
  RuleViolation why;
  std::optional<GroupShape> shape =
      findShape(ops, kernel, alignment, skewed, why);
  Evaluation result = judge(kernel, shape ? &*shape : nullptr, why);
  keep(key, result);
  return result;
}

Evaluation Evaluator::evaluateGroup(unsigned index) {
  const Group &group = graph.groups[index];
  return look(group.ops, graph.getOutputIds(group.ops, {index}),
              group.alignment, group.skewed);
}

Evaluation Evaluator::evaluateUnion(unsigned first, unsigned second,
                                    ArrayRef<unsigned> owners) {
  const Group &a = graph.groups[first], &b = graph.groups[second];
  SmallVector<unsigned, 4> ops = PlanGraph::unite(a.ops, b.ops);
  SmallVector<unsigned> outputs = graph.getOutputIds(ops, owners);
  Alignment alignment = graph.getAlignment(first, second);
  if (!alignment.aligned)
    return look(ops, outputs, alignment, {});
  SmallVector<Value> skewed(a.skewed.begin(), a.skewed.end());
  llvm::append_range(skewed, b.skewed);
  return look(ops, outputs, alignment, skewed);
}

//===----------------------------------------------------------------------===//
// Side by side
//===----------------------------------------------------------------------===//

KernelPart Evaluator::makePart(const Kernel &kernel, GroupShape shape) {
  return {llvm::to_vector_of<Operation *>(kernel.members),
          llvm::to_vector_of<Value>(kernel.outputs), std::move(shape)};
}

/// The shape of a kernel of these parts.
GroupShape Evaluator::pack(Parts parts) const {
  llvm::sort(parts, [&](const KernelPart &a, const KernelPart &b) {
    auto getPlace = [&](const KernelPart &part) {
      return graph.getIndex(part.outputs.front().getDefiningOp());
    };
    return getPlace(a) < getPlace(b);
  });
  GroupShape shape;
  shape.path = KernelPath::Packed;
  for (const KernelPart &part : parts) {
    shape.rows += part.shape.rows * part.shape.columns;
    llvm::append_range(shape.roots, part.shape.roots);
  }
  shape.parts = std::move(parts);
  return shape;
}

/// The parts of a group: one unless it is packed; null if it has no shape.
const Evaluator::Parts *Evaluator::getParts(unsigned index) {
  auto [it, added] = parts.try_emplace(index);
  if (!added)
    return it->second.get();
  const Group &group = graph.groups[index];
  Kernel kernel = getKernel(group.ops, graph.getOutputIds(group.ops, {index}));
  RuleViolation why;
  std::optional<GroupShape> shape =
      findShape(group.ops, kernel, group.alignment, group.skewed, why);
  // Parts are spaces; an attention has several. Clusters share no launch.
  if (!shape || shape->path == KernelPath::Attention || shape->joinsRows)
    return nullptr;
  it->second = std::make_unique<Parts>();
  if (shape->path == KernelPath::Packed)
    *it->second = std::move(shape->parts);
  else
    it->second->push_back(makePart(kernel, std::move(*shape)));
  return it->second.get();
}

/// Whether the groups share nothing that would make one part of both.
bool Evaluator::areApart(unsigned first, unsigned second) const {
  SmallVector<unsigned, 4> ops =
      PlanGraph::unite(graph.groups[first].ops, graph.groups[second].ops);
  if (ops.size() !=
      graph.groups[first].ops.size() + graph.groups[second].ops.size())
    return false;
  return !graph.shareValues(graph.groups[first].ops, graph.groups[second].ops);
}

Evaluation Evaluator::evaluatePacked(unsigned first, unsigned second) {
  // What has no parts may have room for rows of others.
  if (!areApart(first, second) || !getParts(first) || !getParts(second))
    return evaluateUnion(first, second, {first, second});
  SmallVector<unsigned, 4> ops =
      PlanGraph::unite(graph.groups[first].ops, graph.groups[second].ops);
  SmallVector<unsigned> outputs = graph.getOutputIds(ops, {first, second});
  SmallVector<unsigned, 16> inputs = graph.getInputIds(ops);
  SmallVector<bool> resident;
  KernelKey key = makeKey(ops, inputs, outputs, resident);
  if (const Evaluation *found = findKnown(key, ops.size()))
    return *found;
  // What the analysis would find: the parts of both.
  Parts both;
  for (unsigned group : {first, second})
    llvm::append_range(both, *getParts(group));
  GroupShape shape = pack(std::move(both));
  Kernel kernel = getKernel(ops, std::move(inputs), outputs);
  kernel.residentInputs = std::move(resident);
  Evaluation result = judge(kernel, &shape, /*why=*/{});
  keep(key, result);
  return result;
}

std::optional<SplitCost> Evaluator::priceApart(ArrayRef<unsigned> ops,
                                               ArrayRef<unsigned> outputs) {
  SmallVector<unsigned, 128> numbers;
  graph.getKey(ops, outputs, numbers);
  KernelKey key(numbers);
  auto it = apart.find(key);
  if (it != apart.end())
    return it->second;
  SmallVector<Value> stored = llvm::map_to_vector(
      outputs, [&](unsigned id) { return graph.values[id].value; });
  std::optional<SplitCost> cost =
      priceSplit(graph.getMembers(ops), stored, options);
  apart.try_emplace(key, cost);
  return cost;
}

void Evaluator::mergeParts(unsigned left, unsigned gone) {
  auto from = parts.find(gone), to = parts.find(left);
  if (from != parts.end() && to != parts.end() && from->second && to->second)
    llvm::append_range(*to->second, *from->second);
  else
    parts.erase(left);
  parts.erase(gone);
}

/// What today's code asks of memory, whatever the price takes for granted.
static void describeSectors(const KernelView &view, const CostModel &model,
                            const DeviceInfo &device, KernelSummary &summary) {
  // An attention that keeps whole rows reads its operands again and again, from
  // where is not counted.
  if (!view.counts->launch ||
      (view.shape->path == KernelPath::Attention && !view.counts->launch->tile))
    return;
  auto toSectors = [](Quantity bytes) -> Quantity {
    if (!bytes)
      return std::nullopt;
    return *bytes / cost::kSectorBytes;
  };
  const cost::KernelTraffic &traffic = view.counts->traffic;
  summary.sectorsRequested = int64_t(traffic.loads + traffic.stores);
  summary.sectorsUnique = int64_t(traffic.uniqueLoads + traffic.uniqueStores);
  // Keys and values of an attention are for one use of each block.
  summary.sectorsL2 = view.shape->path == KernelPath::Attention
                          ? Quantity(traffic.loads + traffic.stores)
                          : toSectors(model.CostModel::l2Bytes(view, device));
  summary.sectorsDram = toSectors(model.CostModel::dramBytes(view, device));
}

OpClass Evaluator::getClass(ArrayRef<unsigned> ops) const {
  OpClass together = OpClass::Movement;
  for (unsigned op : ops) {
    const OpNode &node = graph.nodes[op];
    together =
        joinClasses(together, node.role == Role::Compute ? node.opClass
                                                         : classify(node.op));
  }
  return together;
}

void Evaluator::describe(unsigned index, PlannedGroup &group) {
  std::optional<KernelKey> key;
  if (!group.premade) {
    ArrayRef<unsigned> ops = graph.groups[index].ops;
    key = makeKey(ops, graph.getInputIds(ops), graph.getOutputIds(ops, {index}),
                  group.residentInputs);
    auto it = described.find(*key);
    if (it != described.end()) {
      static_cast<KernelSummary &>(group) = *it->second;
      return;
    }
  }
  if (group.premade)
    group.residentInputs =
        residency->find(ArrayRef<unsigned>(index), group.inputs, group.outputs);
  // Once more: neighbours may need less of the group than when it was priced.
  RuleViolation why;
  std::optional<GroupShape> shape;
  if (group.premade) {
    shape = analyze(group.members, group.outputs, why);
    group.opClass = classifyTogether(group.ops);
  } else {
    const Group &own = graph.groups[index];
    Kernel kernel = getKernel(own.ops, graph.getOutputIds(own.ops, {index}));
    shape = findShape(own.ops, kernel, own.alignment, own.skewed, why);
    group.opClass = getClass(own.ops);
  }
  if (shape) {
    group.path = shape->path;
  }
  KernelView view = group.getView(shape ? &*shape : nullptr);
  cost::KernelCounts counts = cost::countKernel(view, &facts);
  view.counts = &counts;
  group.scratchBytes = counts.launch ? counts.launch->scratchBytes : 0;
  group.dataDependent = counts.dataDependent;
  const CostModel &model = *options.costModel;
  group.bytesRead = model.bytesRead(view);
  group.bytesWritten = model.bytesWritten(view);
  group.flops = model.flops(view);
  group.registers = model.registersPerThread(view);
  group.nanoseconds = model.estimateNanoseconds(view, options.device);
  describeSectors(view, model, options.device, group);
  if (group.bytesRead && group.bytesWritten)
    group.bytesEmitted = *group.bytesRead + *group.bytesWritten;
  // As `fuse-isolate-groups` decides.
  bool split = !shape;
  if (split && group.ops.size() > 1)
    describeSplit(group, options);
  if (key)
    described.try_emplace(*key, std::make_unique<KernelSummary>(group));
}
