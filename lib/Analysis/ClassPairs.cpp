// The class-pair table, see the header.
#include "fuse-mlir/Analysis/ClassPairs.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr unsigned kNumClasses = 7;

namespace {
// Short names, so that a row of the table is a line.
constexpr PairCondition no = PairCondition::Never;
constexpr PairCondition yes = PairCondition::Always;
constexpr PairCondition pay = PairCondition::Priced;
constexpr PairCondition row = PairCondition::RowLocal;
constexpr PairCondition rows = PairCondition::EqualRows;
constexpr PairCondition own = PairCondition::OwnElement;
constexpr PairCondition space = PairCondition::EqualSpace;
constexpr PairCondition par = PairCondition::EqualParallel;
constexpr PairCondition win = PairCondition::ShortWindow;
} // namespace

/// By role, producer, consumer.
static constexpr PairCondition
    kTable[kNumFusionRoles][kNumClasses][kNumClasses] = {
        // Prologue: a reduction evaluated for each read would be nested in the
        // consumer's loops, so reductions and contractions are none, but
        // short windows (depthwise convolutions are contractions, too).
        // clang-format off
        // inject broadc reduct contra moveme scan opaque   producer
        {{yes,   pay,   yes,   pay,   yes,   no,  no},  // injective
         {yes,   pay,   yes,   pay,   yes,   no,  no},  // broadcast
         {no,    no,    no,    win,   no,    no,  no},  // reduction
         {no,    no,    no,    win,   no,    no,  no},  // contraction
         {yes,   pay,   yes,   pay,   yes,   no,  no},  // movement
         {no,    no,    no,    no,    no,    no,  no},  // scan
         {no,    no,    no,    no,    no,    no,  no}}, // opaque
        // Epilogue.
        {{yes,   own,   own,   no,    own,   no,  no},  // injective
         {yes,   own,   own,   no,    own,   no,  no},  // broadcast
         {row,   row,   rows,  rows,  row,   no,  no},  // reduction
         {own,   own,   rows,  rows,  own,   no,  no},  // contraction
         {yes,   own,   own,   no,    own,   no,  no},  // movement
         {no,    no,    no,    no,    no,    no,  no},  // scan
         {no,    no,    no,    no,    no,    no,  no}}, // opaque
        // Sibling: symmetric.
        {{space, space, space, par,   space, no,  no},  // injective
         {space, space, space, par,   space, no,  no},  // broadcast
         {space, space, rows,  par,   space, no,  no},  // reduction
         {par,   par,   par,   par,   par,   no,  no},  // contraction
         {space, space, space, par,   space, no,  no},  // movement
         {no,    no,    no,    no,    no,    no,  no},  // scan
         {no,    no,    no,    no,    no,    no,  no}}, // opaque
        // Recompute: what is cheap per element only.
        {{pay,   pay,   pay,   pay,   pay,   no,  no},  // injective
         {pay,   pay,   pay,   pay,   pay,   no,  no},  // broadcast
         {no,    no,    no,    no,    no,    no,  no},  // reduction
         {no,    no,    no,    no,    no,    no,  no},  // contraction
         {pay,   pay,   pay,   pay,   pay,   no,  no},  // movement
         {no,    no,    no,    no,    no,    no,  no},  // scan
         {no,    no,    no,    no,    no,    no,  no}}, // opaque
        // clang-format on
};

static constexpr llvm::StringLiteral kRoles[kNumFusionRoles][2] = {
    {"prologue", "the producer's elements are computed where the consumer "
                 "reads them and are not stored"},
    {"epilogue", "the consumer is computed where the producer's elements are "
                 "made; these may be stored as well"},
    {"sibling", "neither operator needs the other"},
    {"recompute", "the producer is computed in the consumer's kernel and "
                  "elsewhere, too"},
};

static constexpr llvm::StringLiteral kConditions[kNumPairConditions][2] = {
    {"never", "the two never share a kernel in this role"},
    {"always", "nothing beyond the rules for all groups (no cycle, no boundary "
               "between, effects in order)"},
    {"priced", "elements may be computed more than once; the price decides"},
    {"row-local", "a reduction's value is used in its own row only"},
    {"equal-rows", "both sum over the columns of one rows × columns space, or "
                   "the producer is the consumer's initial value"},
    {"own-element", "each element of the producer is used by the thread that "
                    "owns it, or its elements are also the consumer's loops"},
    {"equal-space", "equal numbers of elements, or of rows and columns, and an "
                    "input in common"},
    {"equal-parallel", "equal parallel loops: one element of each per thread"},
    {"short-window",
     "the producer slides a window of at most 25 elements; it "
     "is evaluated for each element of a factor's tile, and the "
     "price decides"},
};

PairCondition fuse::getPairCondition(OpClass producer, OpClass consumer,
                                     FusionRole role) {
  return kTable[unsigned(role)][unsigned(producer)][unsigned(consumer)];
}

llvm::StringLiteral fuse::stringifyFusionRole(FusionRole role) {
  return kRoles[unsigned(role)][0];
}

llvm::StringLiteral fuse::describeFusionRole(FusionRole role) {
  return kRoles[unsigned(role)][1];
}

llvm::StringLiteral fuse::stringifyPairCondition(PairCondition condition) {
  return kConditions[unsigned(condition)][0];
}

llvm::StringLiteral fuse::describePairCondition(PairCondition condition) {
  return kConditions[unsigned(condition)][1];
}

void fuse::printClassPairs(llvm::raw_ostream &os) {
  os << "# Which classes may share a kernel\n\n"
     << "Printed by `fuse-opt --fuse-print-class-pairs` from the table in\n"
     << "`lib/Analysis/ClassPairs.cpp`; do not edit. A row is the producer's "
        "class, a column\nthe consumer's.\n\n"
     << "| condition | meaning |\n|---|---|\n";
  for (const llvm::StringLiteral(&condition)[2] : kConditions)
    os << "| `" << condition[0] << "` | " << condition[1] << " |\n";
  for (unsigned role = 0; role < kNumFusionRoles; ++role) {
    os << "\n## " << kRoles[role][0] << "\n\n" << kRoles[role][1] << ".\n\n|";
    for (unsigned i = 0; i < kNumClasses; ++i)
      os << " | " << stringifyOpClass(OpClass(i));
    os << " |\n|---";
    for (unsigned i = 0; i < kNumClasses; ++i)
      os << "|---";
    os << "|\n";
    for (unsigned p = 0; p < kNumClasses; ++p) {
      os << "| **" << stringifyOpClass(OpClass(p)) << "**";
      for (unsigned c = 0; c < kNumClasses; ++c)
        os << " | "
           << (kTable[role][p][c] == PairCondition::Never
                   ? llvm::StringRef("–")
                   : stringifyPairCondition(kTable[role][p][c]));
      os << " |\n";
    }
  }
}
