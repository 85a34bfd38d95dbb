// An explanation as a paragraph and a table.
#ifndef FUSE_EXPLAIN_TEXT_H
#define FUSE_EXPLAIN_TEXT_H

#include "fuse-mlir/Planner/Explain.h"

namespace mlir::fuse::explain {

/// Prints why the two operators share a kernel or do not, what decided and what
/// would have to change, then both prices term by term.
void printExplanation(const FusionExplanation &explanation,
                      const PlanOptions &options, StringRef firstName,
                      StringRef secondName, raw_ostream &os);

/// Prints `text` in lines of at most 80 characters.
void printWrapped(StringRef text, raw_ostream &os);

} // namespace mlir::fuse::explain

#endif // FUSE_EXPLAIN_TEXT_H
