// The dialect and the classification of its operator.
#include "tiny/Tiny.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

#include "tiny/TinyDialect.cpp.inc"

#define GET_OP_CLASSES
#include "tiny/TinyOps.cpp.inc"

void tiny::TinyDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "tiny/TinyOps.cpp.inc"
      >();
}

fuse::OpClass tiny::SquareOp::getFusionClass(std::string &reason) {
  reason = "a square needs its own element only";
  return fuse::OpClass::Injective;
}

void tiny::registerDialect(DialectRegistry &registry) {
  registry.insert<TinyDialect>();
}
