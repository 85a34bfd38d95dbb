// The boxes of transposing kernels (path `box`): which axes the element number
// consists of, how large a box a block takes, and where its places are.
#ifndef FUSE_MLIR_ANALYSIS_BOXSHAPE_H
#define FUSE_MLIR_ANALYSIS_BOXSHAPE_H

#include "fuse-mlir/Analysis/GroupShape.h"

namespace mlir::fuse {

/// Gives `shape` (path `Pointwise`) boxes and path `Box` if threads
/// along the outputs' elements would access an operand in pieces smaller than a
/// sector, and going through shared memory mends that.
void chooseBox(GroupShape &shape);

/// Whether elements of `elementBytes` at the row-major numbers `linear` of the
/// first of `places` threads, a sector of them, are neighbours in memory in
/// either direction, or one element. If all accesses are, there is no box.
bool isContiguous(AffineExpr linear, int64_t elementBytes, int64_t places);

/// Places of a box along the axes `order`.
int64_t countBoxItems(const GroupShape &shape, ArrayRef<unsigned> order);

/// The index within the box, along each axis of `shape`, of item `item` of
/// those counted along `order`, the first of it fastest. 0 for other axes.
llvm::SmallVector<AffineExpr>
getBoxIndex(const GroupShape &shape, ArrayRef<unsigned> order, AffineExpr item);
llvm::SmallVector<int64_t> getBoxIndex(const GroupShape &shape,
                                       ArrayRef<unsigned> order, int64_t item);

/// `expr` with the sizes that are assumed in place of size symbols.
AffineExpr takeAssumedSizes(AffineExpr expr, const TensorSizes &sizes);

/// Boxes of the space: the grid, at the assumed sizes.
int64_t countBoxes(const GroupShape &shape);
/// Boxes along each axis, in the symbols of the shape's sizes.
llvm::SmallVector<AffineExpr> getBoxCounts(const GroupShape &shape);

/// The first index of box `block` along each axis, at the assumed sizes.
llvm::SmallVector<AffineExpr> getBoxOrigin(const GroupShape &shape,
                                           AffineExpr block);
llvm::SmallVector<int64_t> getBoxOrigin(const GroupShape &shape, int64_t block);

/// Neighbours along `order`, at most `most`, that a thread takes at once: all
/// of them exist or none does, whatever the sizes are.
int64_t getBoxWidth(const GroupShape &shape, ArrayRef<unsigned> order,
                    int64_t most);

/// Bytes of an element of boxed operand `operand`.
int64_t getElementBytes(const GroupShape &shape, const BoxOperand &operand);

} // namespace mlir::fuse

#endif // FUSE_MLIR_ANALYSIS_BOXSHAPE_H
