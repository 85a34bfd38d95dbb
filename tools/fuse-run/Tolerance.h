// How far each result of a model may be from the reference, by its own type and
// by the types that it went through (docs/Report.md, "How results are
// compared").
#ifndef FUSE_RUN_TOLERANCE_H
#define FUSE_RUN_TOLERANCE_H

#include "Model.h"

namespace mlir::fuse::run {

/// One tolerance for each result of the entry, then one for each buffer among
/// its arguments. A result that was rounded to a narrower float type on its way
/// has the tolerance of that type: another last bit before the rounding is
/// another last bit of the narrower type after it.
SmallVector<double> getTolerances(const Model &model);

} // namespace mlir::fuse::run

#endif // FUSE_RUN_TOLERANCE_H
