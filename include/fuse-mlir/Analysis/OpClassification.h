// The class of an operator, with the reason for it.
#ifndef FUSE_MLIR_ANALYSIS_OPCLASSIFICATION_H
#define FUSE_MLIR_ANALYSIS_OPCLASSIFICATION_H

#include "fuse-mlir/IR/FuseDialect.h"

#include "mlir/IR/Operation.h"

namespace mlir {
class DialectRegistry;

namespace fuse {

/// The class of `op`. `reason` receives one phrase that names the map, the
/// iterator or the effect that decided. In this order:
/// 1. the attribute `fuse.class`, if the operator carries one;
/// 2. `FusableOpInterface`, if it has an implementation;
/// 3. the indexing maps, iterators and body, if there are any;
/// 4. `opaque`, but for constants and scalar code of the host (`injective`).
OpClass classify(Operation *op, std::string &reason);
OpClass classify(Operation *op);

/// Of two classes the one that tells more about the way in which a kernel of
/// both runs: the class of the two together.
OpClass joinClasses(OpClass a, OpClass b);

/// The class of operators that share a kernel: that which tells most about how
/// it runs (contraction, scan, reduction, broadcast, injective, movement).
/// Opaque if one is.
OpClass classifyTogether(ArrayRef<Operation *> ops);

/// Step 3 of `classify` alone: by indexing maps, iterators and body. Nothing
/// for operators without maps. For implementations of the interface.
std::optional<OpClass> classifyByMaps(Operation *op, std::string &reason);

/// Adds the implementations of `FusableOpInterface` for operators of upstream's
/// dialects.
void registerFusableOpExternalModels(DialectRegistry &registry);

} // namespace fuse
} // namespace mlir

#endif // FUSE_MLIR_ANALYSIS_OPCLASSIFICATION_H
