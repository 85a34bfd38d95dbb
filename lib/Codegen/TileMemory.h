// Tiles of operands in shared memory, for kernels that multiply: how they lie
// there, and how a block fills them from what the operands are computed from.
// Nothing here depends on what reads them.
#ifndef FUSE_MLIR_LIB_CODEGEN_TILEMEMORY_H
#define FUSE_MLIR_LIB_CODEGEN_TILEMEMORY_H

#include "ShiftedRun.h"

namespace mlir::fuse {

/// How a tile of `outer` × `depth` elements lies in shared memory: as lines
/// along the depth, one for each outer place, or as lines along the outer
/// places, one for each step of depth.
struct SharedLayout {
  int64_t outer = 1, depth = 1;
  bool alongDepth = true;
  /// Lines that follow each other and have their chunks at the same places. The
  /// next ones have them exchanged (xor), so that readers of one chunk of many
  /// lines use different banks; 0 if nothing is exchanged.
  int64_t lineGroup = 1;
  /// Neighbouring chunks of a line that are exchanged together: those that its
  /// readers use at once.
  int64_t span = 1;
  /// Lines have to be along the depth.
  bool onlyAlongDepth = false;
};

/// `stages` tiles in shared memory. A chunk is 16 bytes: what is copied, and
/// what stays together.
class SharedTile {
public:
  SharedTile(KernelContext &context, Type element, SharedLayout layout,
             int64_t stages);

  Value getBuffer() const { return buffer; }
  const SharedLayout &getLayout() const { return layout; }
  Type getElement() const { return element; }
  /// The same memory as elements of 16 bits.
  Value getHalves() const { return halves; }
  /// Elements of a chunk.
  int64_t getChunk() const { return chunk; }
  /// Number in the buffer of an element. The next ones of its chunk follow.
  AffineExpr locate(AffineExpr stage, AffineExpr outer, AffineExpr depth) const;

private:
  ElementEmitter *emitter;
  Type element;
  SharedLayout layout;
  int64_t chunk;
  Value buffer, halves;
};

/// A matrix that a block reads tile by tile: `outer` × `depth` elements of
/// which each can be computed.
struct TileSource {
  Type element;
  /// Where the tile begins that the block owns, and the number of all outer
  /// places and of all steps of depth.
  AffineExpr firstOuter;
  AffineExpr outer, depth;
  /// Steps of depth that belong together (a window's): a tile has whole ones,
  /// and a thread takes all of them at its outer places, so that it knows which
  /// is which.
  int64_t window = 1;
  /// Emits an element; both places exist.
  std::function<Value(AffineExpr outer, AffineExpr depth)> emit;
};

/// Fills tiles of a source, all threads of the block together. Elements of
/// memory that lie as the tile needs them, and zeros around these, are copied by
/// `cp.async` (sm_80) in up to 16 bytes; others pass through registers, and
/// anything may be computed on the way. Places beyond the depth become zero,
/// those beyond the outer end are elements of the last place.
class TileFiller {
public:
  /// The layout's sizes are those of a tile; the direction is chosen.
  /// `mayBeAsync`: the chip has `cp.async`.
  TileFiller(KernelContext &context, TileSource source, SharedLayout layout,
             int64_t stages, bool mayBeAsync);

  const SharedTile &getTile() const { return *tile; }
  bool isAsync() const { return async; }
  /// Tiles along the depth.
  AffineExpr getSteps() const { return steps; }
  /// The tiles begin at this outer place from now on.
  void moveTo(AffineExpr firstOuter) { source.firstOuter = firstOuter; }

  /// Issues the copies of tile `step` into `stage`; the caller groups and
  /// awaits them. Only if `isAsync`.
  void copy(AffineExpr step, AffineExpr stage);
  /// The thread's elements of tile `step`, to be handed to `store`. Only if not
  /// `isAsync`.
  SmallVector<Value> load(AffineExpr step);
  void store(ArrayRef<Value> elements, AffineExpr stage);
  /// 32-bit words that a thread has at once for what `load` gives it, and
  /// operations that are emitted; 0 if `isAsync`.
  int64_t countHeldWords() const;
  int64_t countEmitted() const { return countGroups() * operations; }
  /// `load` and `store` in a loop, as many elements at a time as take up to
  /// `mostWords`. Only if not `isAsync`.
  void fillInTurn(AffineExpr step, AffineExpr stage, int64_t mostWords);

private:
  /// The places of piece `number` of the thread.
  struct Places {
    SmallVector<AffineExpr> outer, depth;
    SmallVector<Condition> exists;
  };
  Places placesOf(AffineExpr number, AffineExpr step);
  int64_t countLoadedWords(const Places &places);
  std::pair<AffineExpr, AffineExpr> inTile(AffineExpr number);
  /// The number in the tile of piece `number` of the thread.
  AffineExpr getPiece(AffineExpr number) {
    return emitter.simplify(context.thread +
                            number * context.schedule.getThreads());
  }
  int64_t countPieces() const { return layout.outer * layout.depth / piece; }
  /// Pieces of a thread that follow each other along the depth.
  int64_t countTogether() const;
  int64_t countOwnPieces() const {
    int64_t together = countTogether();
    return together * llvm::divideCeil(countPieces() / together,
                                       context.schedule.getThreads());
  }
  /// Whether there is a piece `number` of the thread.
  Condition exists(AffineExpr number) {
    int64_t together = countTogether();
    return emitter.isWithin(
        getPiece(emitter.simplify(number.floorDiv(together))), 0,
        countPieces() / together - 1);
  }
  void forEachPiece(function_ref<void(AffineExpr number)> use);
  void forEachTurn(int64_t together,
                   function_ref<void(ArrayRef<AffineExpr> numbers)> use);
  void copyPiece(AffineExpr number, AffineExpr step, AffineExpr stage);
  SmallVector<Value> loadPiece(AffineExpr number, AffineExpr step);
  void storePiece(AffineExpr number, AffineExpr stage,
                  ArrayRef<Value> elements);
  std::optional<ElementSource> findRun(const Places &places);
  int64_t chooseWidth(AffineExpr step);
  bool prefersDepth(AffineExpr step);

  // Pieces of runs in memory (TileRuns.cpp).
  /// The sources of a piece; nothing if they are not known. Places may be
  /// beyond the ends.
  SmallVector<ElementSource> findSources(AffineExpr number, AffineExpr step,
                                         int64_t length);
  SmallVector<ElementSource> findNeighbours(AffineExpr first, AffineExpr extent,
                                            AffineExpr other, int64_t length);
  SmallVector<ShiftedRun> findRuns(AffineExpr number, AffineExpr step,
                                   int64_t length);
  int64_t chooseRunLength(AffineExpr step);
  /// Whether each element of the piece is one of the source's.
  SmallVector<Condition> existsInRuns(AffineExpr number, AffineExpr step);
  /// A run that several runs are parts of: where in it, and which of those of a
  /// unit they are.
  struct Bundle {
    ShiftedRun run;
    SmallVector<int64_t> offsets, parts;
  };
  /// Units are the pieces that a thread takes together.
  int64_t countGroups() const {
    return runLength > 0 ? countUnits() : countOwnPieces();
  }
  int64_t countUnits() const { return countOwnPieces() / countTogether(); }
  Condition existsUnit(int64_t unit);
  SmallVector<Bundle> findBundles(int64_t unit, AffineExpr step);
  SmallVector<Value> loadRuns(int64_t unit, AffineExpr step);
  void storeRuns(int64_t unit, AffineExpr step, AffineExpr stage,
                 ArrayRef<Value> vectors);
  void storeWords(AffineExpr number, AffineExpr step, AffineExpr stage,
                  SmallVector<Value> words);
  void fillRunsInTurn(AffineExpr step, AffineExpr stage, int64_t together);

  KernelContext &context;
  ElementEmitter &emitter;
  TileSource source;
  SharedLayout layout;
  int64_t chunk;
  AffineExpr steps;
  /// Neighbours that a thread handles together: those of an asynchronous copy,
  /// or a chunk.
  int64_t piece;
  bool async = false;
  /// Elements of a piece that are a run in memory, at equal distances but
  /// beginning anywhere; 0 if elements are loaded one by one.
  int64_t runLength = 0;
  /// Operations for a piece that passes through registers, or for a unit of
  /// runs, and values and words that a thread holds of it.
  int64_t operations = 0, heldValues = 0, heldWords = 0;
  /// The step that `load` was for.
  AffineExpr loadedStep;
  /// Neighbouring threads take chunks of different lines, since it is there that
  /// memory has neighbours.
  bool acrossLines = false;
  std::optional<SharedTile> tile;
};

/// 0, 1, … of `count`, whatever that is an expression of.
IndexRange rangeOfCount(AffineExpr count);

/// Ends a group of copies.
Value commitCopies(KernelContext &context);
/// Waits until all but the last `pending` groups are complete for this thread.
void awaitCopies(KernelContext &context, Value token, int64_t pending);

} // namespace mlir::fuse

#endif // FUSE_MLIR_LIB_CODEGEN_TILEMEMORY_H
