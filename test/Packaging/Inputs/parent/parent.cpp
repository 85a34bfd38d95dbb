// Needs the headers of fuse, generated ones included, and its library.
#include "fuse-mlir/IR/FuseDialect.h"

#include "mlir/IR/MLIRContext.h"

int main() {
  mlir::MLIRContext context;
  return context.getOrLoadDialect<mlir::fuse::FuseDialect>() ? 0 : 1;
}
