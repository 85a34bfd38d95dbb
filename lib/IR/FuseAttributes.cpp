// Attributes of the fuse dialect: parsing, printing and checks.
#include "fuse-mlir/IR/FuseDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fuse;

static ParseResult parseLayout(AsmParser &parser, AffineMap &layout) {
  return parser.parseAffineMap(layout);
}

static void printLayout(AsmPrinter &printer, AffineMap layout) {
  printer << layout;
}

#include "fuse-mlir/IR/FuseEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "fuse-mlir/IR/FuseAttributes.cpp.inc"

void FuseDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "fuse-mlir/IR/FuseAttributes.cpp.inc"
      >();
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   KernelPath path, int64_t rows,
                                   int64_t columns, int64_t grid,
                                   int64_t threads, int64_t positions,
                                   int64_t vector, Residency residency,
                                   AffineMap layout) {
  // schedule_c1: all sizes are positive; a block has at most 1024 threads.
  if (rows < 0 || columns < 0 || grid < 1 || threads < 1 || positions < 1 ||
      vector < 1)
    return emitError() << "expected positive sizes in a schedule";
  if (threads > 1024)
    return emitError() << "expected at most 1024 threads, but got " << threads;
  // schedule_c2: the layout maps (block, thread, position, lane).
  unsigned results = path == KernelPath::Row ? 2 : 1;
  if (layout.getNumDims() != 4 || layout.getNumSymbols() != 0 ||
      layout.getNumResults() != results)
    return emitError() << "expected a layout of 4 dimensions and " << results
                       << " result(s), but got " << AffineMapAttr::get(layout);
  return success();
}
