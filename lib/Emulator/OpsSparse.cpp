//===- OpsSparse.cpp - The sparse operand of mma.sp -----------------------===//
//
// Half of the elements of a row of A are stored; two bits of metadata each (for
// pairs of 4-bit elements) say where they stand in a chunk of four. One, two or
// all lanes of a group of four give the metadata of rows g and g + 8 for group
// number g.
//
//===----------------------------------------------------------------------===//
#include "Tensor.h"

using namespace mlir::fuse::emu;

namespace {
/// Bits of metadata of a row: 16, 32 or 64.
unsigned metadataBits(const Product &p) {
  return bitsOf(p.a) == 32 ? 2 * p.k : bitsOf(p.a) == 4 ? p.k / 2u : p.k;
}
/// Lanes of a group that give metadata.
unsigned metadataLanes(const Product &p) { return metadataBits(p) / 16; }

/// The metadata of a row; `first` is the first lane of its group that gives
/// some. Elements of 16 and 32 bits: halves of a register are rows, lanes are
/// columns. Below: lanes are rows, and then columns.
uint64_t metadataOf(const Product &p, const uint32_t *e, unsigned first,
                    unsigned row) {
  unsigned lanes = metadataLanes(p), upper = row / 8;
  uint64_t bits = 0;
  if (bitsOf(p.a) >= 16) {
    for (unsigned k = 0; k < lanes; ++k)
      bits |= uint64_t((e[first + k] >> (16 * upper)) & 0xffff) << (16 * k);
    return bits;
  }
  for (unsigned k = 0; k < lanes / 2; ++k)
    bits |= uint64_t(e[first + 2 * k + upper]) << (32 * k);
  return bits;
}

/// The column of stored element `index`; one beyond the row if the metadata has
/// no meaning.
unsigned columnOf(const Product &p, uint64_t metadata, unsigned index) {
  if (bitsOf(p.a) == 32) { // One of two, as the two halves of it in a chunk.
    unsigned code = (metadata >> (4 * index)) & 15;
    return code == 14 ? 2 * index + 1 : code == 4 ? 2 * index : p.k;
  }
  unsigned width = bitsOf(p.a) == 4 ? 2 : 1, place = index / width;
  auto at = [&](unsigned k) { return unsigned(metadata >> (2 * k)) & 3; };
  unsigned low = at(place & ~1u), high = at(place | 1);
  if (low == high || (p.sparse == Sparsity::Ordered && low > high))
    return p.k;
  return (place / 2 * 4 + at(place)) * width + index % width;
}
} // namespace

bool mlir::fuse::emu::knownSparseShape(const Product &p) {
  if (p.m != 16 || p.n != 8 || p.a == El::F64 || p.a == El::B1)
    return false;
  unsigned chunk = 128 / bitsOf(p.a);
  bool isF8 = p.a == El::E4M3 || p.a == El::E5M2;
  return p.k == 4 * chunk || (p.k == 2 * chunk && !isF8);
}

unsigned mlir::fuse::emu::numSelectors(const Product &p) {
  return 4 / metadataLanes(p);
}

void mlir::fuse::emu::expandSparse(Warp &w, const Inst &i, const Product &p,
                                   const uint32_t *metadata, unsigned selector,
                                   const double *stored, double *a) {
  std::fill_n(a, p.m * p.k, 0.0);
  unsigned half = p.k / 2u;
  for (unsigned row = 0; row < p.m; ++row) {
    unsigned first = 4 * (row % 8) + selector * metadataLanes(p);
    uint64_t bits = metadataOf(p, metadata, first, row);
    for (unsigned k = 0; k < half; ++k) {
      unsigned column = columnOf(p, bits, k);
      if (column >= p.k)
        trap(w, i, first,
             "metadata of row " + std::to_string(row) +
                 " of the sparse matrix has no meaning for stored element " +
                 std::to_string(k));
      a[row * p.k + column] = stored[row * half + k];
    }
  }
}
