// The dialect as a library: slots that registries live in, and attributes
// built from C++.
#include "fuse-mlir/IR/FuseDialect.h"

#include "mlir/IR/MLIRContext.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

struct Counter {
  int value = 0;
};

struct Other {
  int value = 7;
};

/// A slot is made on first use, is found again, and is not shared between
/// types or contexts.
TEST(DialectTest, SlotsBelongToTypeAndContext) {
  MLIRContext first, second;
  FuseDialect *dialect = first.getOrLoadDialect<FuseDialect>();
  dialect->getSlot<Counter>().value = 3;
  EXPECT_EQ(dialect->getSlot<Counter>().value, 3);
  EXPECT_EQ(dialect->getSlot<Other>().value, 7);
  FuseDialect *another = second.getOrLoadDialect<FuseDialect>();
  EXPECT_EQ(another->getSlot<Counter>().value, 0);
}

/// The class attribute keeps the class and its reason.
TEST(DialectTest, ClassAttribute) {
  MLIRContext context;
  context.getOrLoadDialect<FuseDialect>();
  ClassAttr attr = ClassAttr::get(&context, OpClass::Reduction, "iterator 1");
  EXPECT_EQ(attr.getValue(), OpClass::Reduction);
  EXPECT_EQ(attr.getReason(), "iterator 1");
}

} // namespace
