// The plug point for prices: what one kernel costs on a device, in quantities
// and in nanoseconds. A user's model derives from `CostModel` (or from one of
// the models here), overrides what it knows better and is added to the
// registry.
#ifndef FUSE_MLIR_COSTMODEL_COSTMODEL_H
#define FUSE_MLIR_COSTMODEL_COSTMODEL_H

#include "fuse-mlir/Analysis/GroupShape.h"
#include "fuse-mlir/CostModel/CostBreakdown.h"
#include "fuse-mlir/CostModel/Device.h"
#include "fuse-mlir/IR/FuseDialect.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>

namespace mlir::fuse {

/// A quantity that a model may not know. Unknown is stated, never guessed.
using Quantity = std::optional<int64_t>;

namespace cost {
struct KernelCounts;
} // namespace cost

/// One candidate kernel as a model sees it. Nothing is owned; all refer to IR
/// that does not change while a model looks at it.
struct KernelView {
  /// Operators in program order, views and constants included.
  ArrayRef<Operation *> ops;
  /// Values from outside, each once. A view of a value and the value itself
  /// are one entry (the value).
  ArrayRef<Value> inputs;
  /// Values that are used outside.
  ArrayRef<Value> outputs;
  /// How the kernel runs; null if no generator of ours would take it.
  const GroupShape *shape = nullptr;
  /// Counts of this very view, if whoever made it has them already; they only
  /// save time.
  const cost::KernelCounts *counts = nullptr;
  /// For each input whether it still sits in L2 when the kernel starts; empty
  /// if none does. Said by the planner, a property of the edge from its
  /// producer.
  ArrayRef<bool> residentInputs = {};
};

/// Threads of a kernel and what limits them.
struct Occupancy {
  int64_t blocks = 1;
  int64_t threadsPerBlock = 32;
  /// Resident blocks of one multiprocessor.
  int64_t residentBlocks = 1;

  /// Multiprocessors that have a block: few blocks leave some idle.
  double getActiveSMs(const DeviceInfo &device) const;
  /// Resident warps of an active multiprocessor, on average.
  double getWarpsPerSM(const DeviceInfo &device) const;
  /// Blocks ÷ blocks that are resident on the whole device at once.
  double getWaves(const DeviceInfo &device) const;
  /// Waves rounded up ÷ waves: the part of the last one that is empty, 1 up to
  /// one wave.
  double getTail(const DeviceInfo &device) const;
  /// Most blocks that one multiprocessor gets ÷ blocks that it gets on average,
  /// if the next block goes where one has ended: what bounds a kernel that
  /// waits for arithmetic. 1 up to a block for each multiprocessor.
  double getImbalance(const DeviceInfo &device) const;
};

/// Prices kernels. Implementations are const, thread-safe and deterministic:
/// equal views give equal numbers in every run.
///
/// The quantities have defaults that count the view (docs/CostModel.md has the
/// formula, unit and source of each); `estimateNanoseconds` has none.
class CostModel {
public:
  virtual ~CostModel();

  /// Bytes of global memory that must be read: each input once, a slice only as
  /// far as it is read, the table of a gather whole.
  virtual Quantity bytesRead(const KernelView &kernel) const;
  /// Bytes of global memory that must be written: each output once.
  virtual Quantity bytesWritten(const KernelView &kernel) const;
  /// Bytes read and written when a gather takes the rows that it needs only:
  /// what time is made of.
  virtual Quantity bytesMoved(const KernelView &kernel) const;
  /// Arithmetic operations, each counted once per element of its operator; a
  /// multiply-add counts two.
  virtual Quantity flops(const KernelView &kernel) const;
  /// Arithmetic operations beyond `flops` that the kernel does because it
  /// evaluates an element more than once.
  virtual Quantity recomputedFlops(const KernelView &kernel) const;
  /// Instructions (lanes, not warps) of all threads together, weighted by what
  /// an operation takes (docs/CostModel.md, table of weights).
  virtual Quantity instructions(const KernelView &kernel) const;
  /// Of these, slots of special-function units, of f64 units and of integer
  /// units; all threads together.
  virtual Quantity specialSlots(const KernelView &kernel) const;
  virtual Quantity f64Slots(const KernelView &kernel) const;
  virtual Quantity integerSlots(const KernelView &kernel) const;
  /// Arithmetic operations of matrix units.
  virtual Quantity tensorFlops(const KernelView &kernel) const;
  /// Times that contractions with tiles write or read 128 bytes of shared
  /// memory; those of other kernels are too few to matter.
  virtual Quantity sharedWavefronts(const KernelView &kernel) const;

  /// Bytes of the 32-byte sectors that warps ask L1 for: each access of a warp
  /// by itself, so that strided, transposed and repeated reads count in full.
  virtual Quantity l1Bytes(const KernelView &kernel) const;
  /// Of `l1Bytes`, what goes on to L2: all of it, or each sector once per block
  /// where L1 keeps what a block touches. Tiles of contractions are read once
  /// per tile.
  virtual Quantity l2Bytes(const KernelView &kernel,
                           const DeviceInfo &device) const;
  /// Bytes between L2 and DRAM: `bytesMoved` and `partialSectorBytes` without
  /// `residentBytes`.
  virtual Quantity dramBytes(const KernelView &kernel,
                             const DeviceInfo &device) const;
  /// Bytes beyond `bytesMoved` of sectors that are used in part.
  virtual Quantity partialSectorBytes(const KernelView &kernel) const;
  /// Bytes of `l1Bytes` that were asked for before: beyond one use of each
  /// sector.
  virtual Quantity rereadBytes(const KernelView &kernel) const;
  /// Bytes of inputs that earlier kernels left in L2.
  virtual Quantity residentBytes(const KernelView &kernel,
                                 const DeviceInfo &device) const;

  /// Estimated registers of one thread, before any limit.
  virtual Quantity registersPerThread(const KernelView &kernel) const;
  /// Bytes that a thread stores and loads because its values do not fit into
  /// the registers of the device.
  virtual Quantity spilledBytesPerThread(const KernelView &kernel,
                                         const DeviceInfo &device) const;
  /// Shared memory of one block, in bytes.
  virtual Quantity sharedBytes(const KernelView &kernel) const;
  /// Size of the machine code, in bytes.
  virtual Quantity codeBytes(const KernelView &kernel) const;
  /// Launches: 1 for a kernel.
  virtual Quantity launches(const KernelView &kernel) const;
  /// Grid, block and residency on `device`.
  virtual std::optional<Occupancy> occupancy(const KernelView &kernel,
                                             const DeviceInfo &device) const;
  /// Megabytes (10^6 bytes) per second that the kernel's reads reach: what DRAM
  /// gives, or what its warps have in flight per latency.
  virtual Quantity achievableMBPerSecond(const KernelView &kernel,
                                         const DeviceInfo &device) const;

  /// Time of the kernel in nanoseconds, launch included. Unknown if the model
  /// cannot tell; the planner then does not fuse.
  virtual Quantity estimateNanoseconds(const KernelView &kernel,
                                       const DeviceInfo &device) const = 0;

  /// What `estimateNanoseconds` gives at least for any kernel. The search
  /// prices candidates when their turn comes, as if they saved the most until
  /// then: a good value saves it work, one that is too large has it take
  /// candidates in another order.
  virtual int64_t leastNanoseconds(const DeviceInfo &device) const { return 0; }

  /// The same price taken apart. By default the quantities above and no terms.
  virtual CostBreakdown explain(const KernelView &kernel,
                                const DeviceInfo &device) const;

  /// A model that prices nothing but has an opinion: true fuses whatever is
  /// legal, false nothing. Without a value prices are compared.
  virtual std::optional<bool> getVerdict() const { return std::nullopt; }
};

/// What the models of this project assume.
struct ModelAssumptions {
  /// Kernels are launched by a CUDA graph.
  bool graph = true;
};

/// The complete model of this project; see docs/CostModel.md.
class AnalyticCostModel : public CostModel {
public:
  explicit AnalyticCostModel(ModelAssumptions assumptions = {})
      : assumptions(assumptions) {}
  const ModelAssumptions &getAssumptions() const { return assumptions; }

  Quantity estimateNanoseconds(const KernelView &kernel,
                               const DeviceInfo &device) const override;
  int64_t leastNanoseconds(const DeviceInfo &device) const override;
  CostBreakdown explain(const KernelView &kernel,
                        const DeviceInfo &device) const override;

private:
  ModelAssumptions assumptions;
};

/// Bytes over achievable bandwidth, plus launches.
class TrafficCostModel : public CostModel {
public:
  explicit TrafficCostModel(ModelAssumptions assumptions = {})
      : assumptions(assumptions) {}
  Quantity estimateNanoseconds(const KernelView &kernel,
                               const DeviceInfo &device) const override;
  int64_t leastNanoseconds(const DeviceInfo &device) const override;
  CostBreakdown explain(const KernelView &kernel,
                        const DeviceInfo &device) const override;

private:
  ModelAssumptions assumptions;
};

/// Analytic prices, but every legal candidate is fused (`always`) or none
/// (`never`).
class VerdictCostModel : public AnalyticCostModel {
public:
  explicit VerdictCostModel(bool verdict) : verdict(verdict) {}
  std::optional<bool> getVerdict() const override { return verdict; }

private:
  bool verdict;
};

/// Settings of a model: the `key=value` pairs after its name.
using CostModelOptions = llvm::StringMap<std::string>;

/// Makes a model. Emits an error through `emitError` and gives null if an
/// option is unknown or has a bad value.
using CostModelFactory = std::function<std::unique_ptr<CostModel>(
    const CostModelOptions &options,
    function_ref<InFlightDiagnostic()> emitError)>;

/// The models by name. One per context, in the fuse dialect's slot; a user adds
/// models through `DialectRegistry::addExtension` on the fuse dialect, or loads
/// them (fuse-mlir/CostModel/Plugin.h). Thread-safe.
class CostModelRegistry {
public:
  /// Asks for a registry without models.
  struct Empty {};
  explicit CostModelRegistry(Empty) {}
  /// A registry with the models of this project.
  CostModelRegistry();

  /// Adds a model. False, and no change, if the name is taken.
  bool add(StringRef name, CostModelFactory factory);
  /// Adds all models of `other`, which come from `origin`; once only. Gives the
  /// names that are taken: if there are any, nothing is added.
  SmallVector<StringRef> addAll(const CostModelRegistry &other,
                                StringRef origin);
  /// The factory of `name`; null if there is none.
  const CostModelFactory *lookup(StringRef name) const;
  /// All names, sorted.
  SmallVector<StringRef> names() const;

  /// The model that `spec` asks for: `NAME` or `NAME{key=value …}`. An unknown
  /// name is an error that lists the known ones.
  std::unique_ptr<CostModel>
  parse(StringRef spec, function_ref<InFlightDiagnostic()> emitError) const;

private:
  mutable std::mutex mutex;
  llvm::StringMap<CostModelFactory> factories;
  /// Files whose models have been added.
  llvm::StringSet<> origins;
};

} // namespace mlir::fuse

#endif // FUSE_MLIR_COSTMODEL_COSTMODEL_H
