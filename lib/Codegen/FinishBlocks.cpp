// Blocks that share rows. Each leaves its partial results in global memory and
// then counts itself; the one that finds all others counted combines them, in
// the order of their numbers. Nobody waits, and which block finishes has no
// influence on the result.
#include "fuse-mlir/Analysis/LaunchShape.h"
#include "fuse-mlir/Analysis/ReductionParts.h"
#include "fuse-mlir/Analysis/StreamedAttention.h"
#include "fuse-mlir/Codegen/KernelCodegen.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::fuse;

int64_t fuse::getParts(ScheduleAttr schedule) {
  if (schedule.getPath() == KernelPath::Tile)
    return schedule.getTile().getParts();
  // All blocks have a share of each column.
  if (schedule.getPath() == KernelPath::Mixed)
    return schedule.getGrid();
  MLIRContext *context = schedule.getContext();
  AffineExpr zero = getAffineConstantExpr(0, context);
  AffineExpr row = schedule.getLayout().getResult(0);
  auto rowOf = [&](int64_t block) {
    return row.replaceDims(
        {getAffineConstantExpr(block, context), zero, zero, zero});
  };
  int64_t parts = 1;
  while (parts < schedule.getGrid() && rowOf(parts) == rowOf(0))
    ++parts;
  return parts;
}

int64_t fuse::getPositionsOfRow(ScheduleAttr schedule) {
  MLIRContext *context = schedule.getContext();
  AffineExpr zero = getAffineConstantExpr(0, context);
  AffineExpr row = schedule.getLayout().getResult(0);
  auto rowOf = [&](int64_t position) {
    return row.replaceDims(
        {zero, zero, getAffineConstantExpr(position, context), zero});
  };
  int64_t positions = 1;
  while (positions < schedule.getPositions() && rowOf(positions) == rowOf(0))
    ++positions;
  return positions;
}

bool fuse::isClustered(ScheduleAttr schedule) {
  bool keepsRow = schedule.getResidency() == Residency::Shared ||
                  schedule.getResidency() == Residency::Registers;
  return schedule.getPath() == KernelPath::Row && keepsRow &&
         getParts(schedule) > 1;
}

bool fuse::mayShareAtRunTime(const GroupShape &shape, ScheduleAttr schedule) {
  if (shape.path == KernelPath::Mixed)
    return true;
  if (shape.path == KernelPath::Column)
    return shape.singlePass;
  bool isKept = schedule.getResidency() == Residency::Registers &&
                isa<AffineConstantExpr>(shape.columnExtent);
  return shape.path == KernelPath::Row && shape.singlePass && !isKept;
}

BlockTeam fuse::getBlockTeam(KernelContext &context, AffineExpr teams) {
  ElementEmitter &emitter = context.emitter;
  OpBuilder &builder = context.builder();
  Location loc = context.loc();
  if (context.shape.sizes.isStatic()) {
    int64_t parts = getParts(context.schedule);
    return {emitter.simplify(context.block.floorDiv(parts)),
            emitter.simplify(context.block % parts), emitter.constant(parts)};
  }
  Type word = builder.getI32Type();
  Value block = emitter.materialize(context.block);
  Value blocks = arith::IndexCastOp::create(
      builder, loc, word,
      gpu::GridDimOp::create(builder, loc, gpu::Dimension::x));
  Value count = arith::IndexCastOp::create(builder, loc, word,
                                           emitter.materializeIndex(teams));
  Value parts = arith::DivUIOp::create(builder, loc, blocks, count);
  Value team = arith::DivUIOp::create(builder, loc, block, parts);
  Value part = arith::RemUIOp::create(builder, loc, block, parts);
  return {emitter.addVariable(team, IndexRange::ofSize(teams)),
          emitter.addVariable(part, IndexRange::ofSize(kMostSharingBlocks)),
          emitter.addVariable(parts, {1, kMostSharingBlocks})};
}

OwnSteps fuse::shareSteps(KernelContext &context, const BlockTeam &team,
                          AffineExpr steps) {
  ElementEmitter &emitter = context.emitter;
  OpBuilder &builder = context.builder();
  Location loc = context.loc();
  Value all = emitter.materializeIndex(steps);
  Value each = arith::CeilDivUIOp::create(builder, loc, all,
                                          emitter.materializeIndex(team.parts));
  Value first = arith::MulIOp::create(builder, loc, each,
                                      emitter.materializeIndex(team.part));
  first = arith::MinUIOp::create(builder, loc, first, all);
  Value rest = arith::SubIOp::create(builder, loc, all, first);
  Value count = arith::MinUIOp::create(builder, loc, each, rest);
  IndexRange range = IndexRange::ofSize(emitter.simplify(steps + 1));
  return {emitter.addVariable(first, range), emitter.addVariable(count, range)};
}

/// Rows of a block of path `column`.
static int64_t getRowsPerBlock(ScheduleAttr schedule) {
  auto at = [&](int64_t value) {
    return getAffineConstantExpr(value, schedule.getContext());
  };
  AffineExpr last = schedule.getLayout().getResult(0).replaceDims(
      {at(0), at(schedule.getThreads() - 1), at(0),
       at(schedule.getVector() - 1)});
  return cast<AffineConstantExpr>(last).getValue() + 1;
}

SmallVector<MemRefType> fuse::getScratchTypes(const GroupShape &shape,
                                              ScheduleAttr schedule) {
  SmallVector<MemRefType> types;
  for (auto [part, own] : llvm::zip(shape.parts, schedule.getParts()))
    llvm::append_range(types, getScratchTypes(part.shape, own));
  bool isMixed = shape.path == KernelPath::Mixed;
  bool shares = isMixed || shape.path == KernelPath::Row ||
                shape.path == KernelPath::Column;
  if (TileAttr tile = schedule.getTile(); tile && tile.getParts() > 1)
    for (const ContractionShape &contraction : shape.contractions) {
      Type type = contraction.op->getResult(0).getType();
      types.push_back(MemRefType::get(
          {schedule.getGrid() * tile.getRows() * tile.getColumns()},
          getElementTypeOrSelf(type)));
    }
  if (sharesRows(shape)) {
    TileAttr tile = schedule.getTile();
    int64_t shares = shape.rows * countRowShares(shape, tile.getColumns(),
                                                 tile.getColumnWarps());
    for (Operation *root : shape.roots)
      if (llvm::none_of(shape.contractions, [&](const ContractionShape &own) {
            return own.op == root;
          }))
        for (Type element : getPartialTypes(root))
          types.push_back(MemRefType::get({shares}, getStoredType(element)));
  }
  if (TileAttr tile = schedule.getTile();
      tile && shape.path == KernelPath::Attention && tile.getParts() > 1)
    if (std::optional<StreamedAttention> attention = matchStreamed(shape))
      types.push_back(MemRefType::get(
          {schedule.getGrid() * std::min(tile.getRows(), shape.queries) *
           attention->countSharedWords(tile.getUnit())},
          Float32Type::get(tile.getContext())));
  // A block leaves results for its rows.
  int64_t blocks = shares ? schedule.getGrid() : 1;
  int64_t results = 1;
  if (!shape.sizes.isStatic()) {
    if (!mayShareAtRunTime(shape, schedule))
      return types;
    blocks = kMostSharingBlocks;
  } else if (blocks == 1 || getParts(schedule) == 1 || isClustered(schedule)) {
    return types;
  }
  if (isMixed)
    results = shape.columns;
  else if (shape.path == KernelPath::Column)
    results = getRowsPerBlock(schedule);
  for (Operation *root : isMixed ? shape.columnRoots : shape.roots)
    for (Type element : getPartialTypes(root))
      types.push_back(
          MemRefType::get({blocks * results}, getStoredType(element)));
  return types;
}

/// The address of counter `team` of the kernel's own counters. They are zero
/// when the program is loaded, and again after each launch.
static Value emitCounter(KernelContext &context, AffineExpr team,
                         int64_t teams) {
  OpBuilder &builder = context.builder();
  Location loc = context.loc();
  gpu::GPUModuleOp module =
      context.function->getParentOfType<gpu::GPUModuleOp>();
  Type word = builder.getI32Type();
  Type array = LLVM::LLVMArrayType::get(word, teams);
  OpBuilder detached(builder.getContext());
  LLVM::GlobalOp counters = LLVM::GlobalOp::create(
      detached, loc, array, /*isConstant=*/false, LLVM::Linkage::Internal,
      (context.function.getName() + "_arrivals").str(), Attribute(),
      /*alignment=*/4, /*addrSpace=*/1);
  detached.createBlock(&counters.getInitializerRegion());
  Value zeros = LLVM::ZeroOp::create(detached, loc, array);
  LLVM::ReturnOp::create(detached, loc, zeros);
  // A name of its own for each part of a packed kernel.
  SymbolTable(module).insert(counters, module.getBody()->begin());
  Value address = LLVM::AddressOfOp::create(builder, loc, counters);
  Value number = context.emitter.materialize(team);
  return LLVM::GEPOp::create(builder, loc, address.getType(), word, address,
                             ValueRange(number));
}

static void emitFence(KernelContext &context) {
  LLVM::FenceOp::create(context.builder(), context.loc(),
                        LLVM::AtomicOrdering::acq_rel, "device");
}

void fuse::emitLastBlock(KernelContext &context, AffineExpr team, int64_t teams,
                         AffineExpr parts, function_ref<void()> finish) {
  OpBuilder &builder = context.builder();
  Location loc = context.loc();
  ElementEmitter &emitter = context.emitter;
  AffineExpr last = emitter.simplify(parts - 1);
  Type flag = builder.getI1Type();
  gpu::BarrierOp::create(builder, loc);
  Value isLast = emitter.emitIf(
      emitter.isWithin(context.thread, 0, 0), flag,
      [&]() -> Value {
        // What this block has written comes before its arrival, and what others
        // have, before what follows: for all threads, by the barriers around.
        emitFence(context);
        Value number = emitter.materialize(last);
        Value arrived = LLVM::AtomicRMWOp::create(
            builder, loc, LLVM::AtomicBinOp::uinc_wrap,
            emitCounter(context, team, teams), number,
            LLVM::AtomicOrdering::monotonic, "device");
        emitFence(context);
        return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                     arrived, number);
      },
      [&]() -> Value {
        return arith::ConstantIntOp::create(builder, loc, flag, 0);
      });
  // A barrier that tells all threads what the first one knows.
  Value barrier = arith::ConstantIntOp::create(builder, loc, 0, 32);
  isLast =
      LLVM::CallIntrinsicOp::create(
          builder, loc, flag,
          builder.getStringAttr("llvm.nvvm.barrier.cta.red.or.aligned.all"),
          ValueRange{barrier, isLast})
          .getResult(0);
  emitter.emitIf({Condition::Runtime, isLast}, finish);
}
