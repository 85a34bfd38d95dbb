// The operators of one block as a graph of groups: who reads whom, an order in
// which groups can run, and merging that keeps both without walking the graph.
#ifndef FUSE_MLIR_LIB_PLANNER_PLANGRAPH_H
#define FUSE_MLIR_LIB_PLANNER_PLANGRAPH_H

#include "EdgeMap.h"
#include "fuse-mlir/Analysis/OpKinds.h"
#include "fuse-mlir/Planner/OpRoles.h"
#include "fuse-mlir/Planner/Planner.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::fuse::plan {

/// What the planner may do with an operator.
enum class Role {
  /// Views, empties, small constants: copied to where they are used.
  Free,
  /// Fills and the like: copied too, but operators of a kernel if the host
  /// needs
  /// the value.
  Generator,
  /// May share a kernel.
  Compute,
  /// A kernel that shares with nobody: `fuse.never_fuse`, a user's group.
  Alone,
  /// Stays on the host: opaque, control flow, boundaries, the terminator.
  Host,
  /// Computes nothing that anybody uses.
  Dead,
};

/// How an operator, or all of a group, lies in one rows × columns space: each
/// of its values has an element for every place or for every row, and what is
/// computed at a place needs the values at that place and its row only. Rows
/// are summed up by reductions. Then the group runs as one kernel, and its
/// shape is plain to see.
struct Alignment {
  bool aligned = false;
  /// Places; rows of them, 0 if nothing tells rows apart.
  int64_t places = 0, rows = 0;
  /// Reductions.
  unsigned roots = 0;

  /// The alignment of both together.
  Alignment with(const Alignment &other) const;
};

struct OpNode {
  Operation *op = nullptr;
  /// Place in the program. The planner looks at it to tell of its decisions,
  /// not to decide.
  unsigned place = 0;
  Role role = Role::Host;
  OpClass opClass = OpClass::Opaque;
  /// Moves elements, or only widens them: best done where they are read.
  bool moves = false;
  /// Operators whose results this one needs, and the reverse; views and
  /// generators are looked through. Sorted, each once.
  SmallVector<unsigned, 4> sources, users;
  /// Tensors read, views looked through; each once, in operand order.
  SmallVector<Value, 4> reads;
  SmallVector<unsigned, 4> readIds;
  /// Operands and what the regions take from outside, in the order of use.
  SmallVector<unsigned, 4> uses;
  /// Number of the first result; the others follow.
  unsigned firstResult = 0, numResults = 0;
  /// See `OpKinds`.
  unsigned kind = 0;
  /// Whether anything is used that is copied, empty tensors apart; and whether
  /// views or what is copied from views are.
  bool usesHelpers = false, usesViews = false;
  /// How the operator fits into a space of rows and columns, and the tensors
  /// that it reads at another place (views looked through).
  Alignment alignment;
  SmallVector<Value, 2> skewed;
};

/// A value that operators of the block use or make.
struct ValueNode {
  Value value;
  /// The operator of the block that makes it; -1 if it comes from outside.
  int def = -1;
  /// The value under the views; itself if it is no view.
  unsigned base = 0;
  /// Operators that read it, views looked through.
  SmallVector<unsigned, 2> users;
};

/// A set of operators that share a kernel, or one operator of the host.
struct Group {
  bool alive = true;
  /// Computing operators (indices), sorted.
  SmallVector<unsigned, 4> ops;
  /// May take part in fusion.
  bool mergeable = false;
  /// Time of the last change of `ops`, outputs or neighbours.
  unsigned version = 0;
  /// Place in the running order.
  unsigned position = 0;
  /// Neighbours, with the first edge between the two.
  EdgeMap predecessors, successors;
  /// Groups that share an input and an iteration space, not connected.
  EdgeMap siblings;

  /// Of all operators; and what they read at another place.
  Alignment alignment;
  SmallVector<Value, 2> skewed;

  // Filled by evaluation:
  bool hasRoots = false, isAttention = false;
  Quantity nanoseconds, bytes;
  int64_t scratchBytes = 0;
};

/// The graph of one block. Operators have the numbers that `getVisitOrder`
/// gives them.
class PlanGraph {
public:
  explicit PlanGraph(Block &block);

  std::vector<OpNode> nodes;
  std::vector<ValueNode> values;
  std::vector<Group> groups;

  /// Index of `op`, which lies directly in the block.
  unsigned getIndex(Operation *op) const { return indices.lookup(op); }
  bool contains(Operation *op) const { return indices.contains(op); }
  /// An operator of the same kind as `op`: the same one for all of a kind.
  Operation *getExample(unsigned op) const {
    return kinds.getExample(nodes[op].kind);
  }
  /// Whether `op` has regions that use values from outside.
  bool captures(unsigned op) const {
    return kindFacts[nodes[op].kind].captures;
  }
  /// Groups that hold `op` (several if it is recomputed).
  ArrayRef<unsigned> getHolders(unsigned op) const { return holders[op]; }
  /// The group that gives `op`'s results to others; -1 if none has to.
  int getHome(unsigned op) const { return homes[op]; }

  /// Whether a way leads from group `from` to group `to` through others.
  bool hasIndirectPath(unsigned from, unsigned to) const;
  /// Whether a way leads from `from` to `to`, through others or not.
  bool hasPath(unsigned from, unsigned to) const;

  /// The alignment of the union of two groups.
  Alignment getAlignment(unsigned a, unsigned b) const;
  /// The same for operators; adds what they read at another place to `skewed`.
  Alignment getAlignment(ArrayRef<unsigned> ops,
                         SmallVectorImpl<Value> &skewed) const;
  /// Whether sharing a read of `value` saves anything: it has several elements,
  /// and they are in memory.
  static bool isWorthSharing(Value value);
  /// Whether two sets of operators read a value that is worth sharing.
  bool shareValues(ArrayRef<unsigned> a, ArrayRef<unsigned> b) const;
  /// Puts the groups into the running order by the length of the longest way
  /// that leads to each. Groups of one length, given one after the other,
  /// need nothing of each other.
  std::vector<SmallVector<unsigned>> layOutByLevel();
  /// `ops` divided into those that values hold together which are computed or
  /// read.
  SmallVector<SmallVector<unsigned, 4>, 1>
  getComponents(ArrayRef<unsigned> ops) const;

  /// Groups on the ways from `from` to `to`, in the running order.
  SmallVector<unsigned> getBetween(unsigned from, unsigned to) const;

  /// Merges two groups between which there is no indirect path. Gives the one
  /// that is left; the other one dies.
  unsigned merge(unsigned first, unsigned second);
  /// Adds the operators of `producer` to each of `consumers`. Unless `keep`,
  /// the producer dies.
  void recompute(unsigned producer, ArrayRef<unsigned> consumers, bool keep);
  /// What `trade` changes, to take it back.
  struct Traded {
    std::vector<std::pair<unsigned, Group>> groups;
    std::vector<std::pair<unsigned, SmallVector<unsigned, 1>>> holders;
    std::vector<std::pair<unsigned, int>> homes;
    /// Of `move`: groups whose operators or outputs may have changed.
    llvm::SmallSetVector<unsigned, 8> affected;
    /// Edges that were taken away or added, and old places in the order.
    struct ChangedEdge {
      Edge groups, ops;
      bool added = false;
    };
    std::vector<ChangedEdge> edges;
    std::vector<std::pair<unsigned, unsigned>> positions;
  };
  /// Operators of `group` that element-wise lead to `op`, itself included,
  /// from reductions and inputs on.
  SmallVector<unsigned, 4> getSlice(unsigned group, unsigned op) const;
  /// Gives each of `consumers` a copy of `slice` of group `from`, and drops
  /// what `from` then need not compute. Edges are added by `settleTrade`.
  Traded trade(unsigned from, ArrayRef<unsigned> slice,
               ArrayRef<unsigned> consumers);
  void undo(Traded &traded);
  /// All groups as they are; `undo` makes them so again.
  Traded save() const;
  void settleTrade(unsigned from, ArrayRef<unsigned> consumers);

  /// Operators of `group` that need `op` (`below`) or that it needs, itself
  /// included.
  SmallVector<unsigned, 4> getCone(unsigned group, unsigned op,
                                   bool below) const;
  /// Takes `ops` from group `from` (those it holds), adds them to group `to`,
  /// and drops what `from` then need not compute. Either may be -1: the
  /// operators are recomputed in `to`, or read from others that hold them. `to`
  /// begins to live if it does not yet. Edges are as before until `reconnect`.
  Traded move(int from, ArrayRef<unsigned> ops, int to);
  /// A group of `regroup`: its operators, sorted, and those whose results it
  /// gives to others.
  struct Regrouped {
    SmallVector<unsigned, 4> ops;
    SmallVector<unsigned> given;
  };
  /// Forms the groups `now` of what the groups `old` hold, all of which are at
  /// home there. Edges are as before until `reconnect`. Nothing, and no change,
  /// if there are no numbers for the groups.
  std::optional<Traded> regroup(ArrayRef<unsigned> old,
                                ArrayRef<Regrouped> now);
  /// Operators that must run before `op` without data between.
  SmallVector<unsigned, 1> getRunsAfter(unsigned op) const {
    return runsAfter.lookup(op);
  }
  /// Puts edges and running order of moved groups right. False if groups would
  /// need each other; then `undo` is due.
  bool reconnect(Traded &traded);
  /// Lets the groups die that a move has left without outputs.
  void settleMove(const Traded &traded);

  /// Lets groups die that nobody needs any more, from the predecessors of
  /// `group` up.
  void dropUnneeded(unsigned group);

  /// Operators and values of a set of operators seen as a kernel of `owners`.
  SmallVector<Value> getOutputs(ArrayRef<unsigned> ops,
                                ArrayRef<unsigned> owners) const;
  SmallVector<unsigned> getOutputIds(ArrayRef<unsigned> ops,
                                     ArrayRef<unsigned> owners) const;
  SmallVector<Value> getInputs(ArrayRef<unsigned> ops) const;
  SmallVector<unsigned, 16> getInputIds(ArrayRef<unsigned> ops) const;
  /// The operators and what is copied into their kernel, in program order.
  SmallVector<Operation *> getMembers(ArrayRef<unsigned> ops) const;
  SmallVector<unsigned, 32> getMemberIds(ArrayRef<unsigned> ops) const;
  /// Writes down all that makes a difference between kernels: the kinds of the
  /// members, how they are connected and which values are outputs. Kernels with
  /// equal keys have equal prices.
  void getKey(ArrayRef<unsigned> ops, ArrayRef<unsigned> outputs,
              SmallVectorImpl<unsigned> &key) const;

  /// A group of `install`: what was a group of its own before is taken as a
  /// whole.
  struct Installed {
    /// Numbers of groups whose operators it holds.
    SmallVector<unsigned> parts;
    /// Operators whose results it gives to others, or that others wait for.
    SmallVector<unsigned> given;
  };
  /// Regroups everything: `before` are the groups as they were before any
  /// fusion, `after` holds all that are to be, in an order in which they can
  /// run. The first that gives an operator is its home.
  void install(const std::vector<Group> &before, ArrayRef<Installed> after);

  /// Union of two sorted sets.
  static SmallVector<unsigned, 4> unite(ArrayRef<unsigned> a,
                                        ArrayRef<unsigned> b);

private:
  /// What all operators of a kind have in common.
  struct KindFacts {
    Role role = Role::Host;
    OpClass opClass = OpClass::Opaque;
    bool moves = false;
    /// Has a class, and may share a kernel if it is one.
    bool mayFuse = false;
    /// Has no effects on memory.
    bool effectFree = true;
    /// See `VisitedOp`.
    bool hasOrder = false, captures = false;
    Alignment alignment;
    /// Operands that are read at another place.
    llvm::SmallBitVector skewed;
  };

  void touch(unsigned group) { groups[group].version = ++clock; }
  void classify(Block &block);
  void addNode(Operation *op, unsigned kind);
  static KindFacts getKindFacts(Operation *op);
  static void alignKind(Operation *op, KindFacts &facts);
  void connect();
  void addOrderEdges();
  void align(OpNode &node) const;
  static void align(OpNode &node, Value captured);
  Alignment alignBoth(const Group &a, const Group &b) const;
  void alignWith(Group &group, const Group &other);
  void alignWith(Group &group, const Group &other, ArrayRef<unsigned> slice);
  bool readsSkewed(const Group &reader, const Group &producer) const;
  void addEdge(unsigned producer, unsigned consumer);
  void addOrder(unsigned first, unsigned second);
  void collectSources(Value value, bool throughGenerators,
                      SmallVectorImpl<unsigned> &sources,
                      SmallVectorImpl<Value> &reads) const;
  unsigned getValueId(Value value);
  void classifyValues();
  bool isNeededOutside(unsigned value, unsigned op,
                       ArrayRef<unsigned> owners) const;
  bool isNeededOutside(unsigned op, ArrayRef<unsigned> owners) const;
  bool isNeeded(unsigned group) const;
  void collectHelpers(ArrayRef<unsigned> ops,
                      SmallVectorImpl<unsigned> &members) const;
  SmallVector<unsigned> reach(unsigned start, unsigned first, unsigned second,
                              bool forward) const;
  void reorder(unsigned first, unsigned second);
  void prune(unsigned group, Traded &traded);
  void saveGroup(unsigned group, Traded &traded) const;
  void saveOp(unsigned op, Traded &traded) const;
  void giveHome(unsigned op, int preferred, Traded &traded);
  void disconnect(unsigned group, Traded &traded);
  bool connect(unsigned group, Traded &traded);
  bool addEdge(Edge between, Edge ops, Traded &traded);
  bool orderBefore(unsigned first, unsigned second, Traded &traded);
  void collectMembers(Value value, ArrayRef<unsigned> ops,
                      const llvm::DenseSet<Value> &viewedTwice,
                      llvm::SmallSetVector<unsigned, 16> &members) const;

  llvm::DenseMap<Operation *, unsigned> indices;
  llvm::DenseMap<Value, unsigned> valueIds;
  OpKinds kinds;
  std::vector<KindFacts> kindFacts;
  /// Kind of each value as one from outside; see `OpKinds::getOutside`.
  std::vector<unsigned> outsideKinds;
  /// Whether each operator is copied into the kernels that use it.
  llvm::BitVector copied;
  /// Whether sharing each value saves anything.
  llvm::BitVector worthSharing;
  /// Marks of a walk over operators, groups or values: those of the last walk
  /// are the ones that hold its number.
  struct Marks {
    std::vector<unsigned> last;
    unsigned walk = 0;
    void start(size_t size) {
      last.resize(size);
      ++walk;
    }
    bool contains(unsigned i) const { return last[i] == walk; }
    bool insert(unsigned i) { return std::exchange(last[i], walk) != walk; }
  };
  mutable Marks opMarks, groupMarks, valueMarks;
  /// Number of each marked value within a key.
  mutable std::vector<unsigned> keyNumbers;
  std::vector<SmallVector<unsigned, 1>> holders;
  std::vector<int> homes;
  /// Operators that must run before or after one without data between.
  llvm::DenseMap<unsigned, SmallVector<unsigned, 1>> runsAfter, runsBefore;
  unsigned clock = 0;
};

} // namespace mlir::fuse::plan

#endif // FUSE_MLIR_LIB_PLANNER_PLANGRAPH_H
