//===- OpsMatrix.cpp - ldmatrix, stmatrix, movmatrix ----------------------===//
//
// Matrices of 8x8 16-bit elements between shared memory and the fragments of
// mma: eight lanes give the addresses of the rows of one matrix.
//
//===----------------------------------------------------------------------===//
#include "Access.h"
#include "Tensor.h"

using namespace mlir::fuse::emu;

namespace {
constexpr RawType b32{RawType::Bits, 32, 1};

/// The 16-bit element of an 8x8 matrix that half `h` of a lane holds.
void matrixAt(unsigned l, unsigned h, bool trans, unsigned &row,
              unsigned &col) {
  row = l / 4;
  col = 2 * (l % 4) + h;
  if (trans)
    std::swap(row, col);
}

/// The rows of `n` matrices: lane 8 * m + r has the address of row r of matrix
/// m. False while lanes of the warp are missing.
bool resolveRows(Warp &w, const Inst &i, uint32_t &mask, AccessKind kind,
                 Resolved &r) {
  if (!converged(w, i, mask, fullMask))
    return false;
  alignas(64) uint64_t a[32];
  laneAddresses(w, i, i.b, a);
  uint32_t rows = i.n == 4 ? fullMask : (1u << (8 * i.n)) - 1;
  resolve(w, i, rows & mask, a, Space::Shared, 16, kind, r);
  return true;
}

// n matrices, flags: trans.
void ldmatrix(Warp &w, const Inst &i, uint32_t mask) {
  Resolved r;
  if (!resolveRows(w, i, mask, AccessKind::Load, r))
    return;
  const int32_t *slots = &w.program->operands[i.x];
  for (unsigned m = 0; m < i.n; ++m) {
    uint32_t *d = w.reg<uint32_t>(slots[m]);
    alignas(64) uint32_t t[32];
    for (unsigned l = 0; l < 32; ++l) {
      t[l] = 0;
      for (unsigned h = 0; h < 2; ++h) {
        unsigned row, col;
        matrixAt(l, h, i.flags, row, col);
        uint16_t value;
        memcpy(&value, r.ptr[8 * m + row] + 2 * col, 2);
        t[l] |= uint32_t(value) << (16 * h);
      }
    }
    commit(d, t, mask);
  }
}
void stmatrix(Warp &w, const Inst &i, uint32_t mask) {
  Resolved r;
  if (!resolveRows(w, i, mask, AccessKind::Store, r))
    return;
  const int32_t *slots = &w.program->operands[i.x];
  for (unsigned m = 0; m < i.n; ++m) {
    const uint32_t *s = w.reg<uint32_t>(slots[m]);
    for (unsigned l = 0; l < 32; ++l)
      for (unsigned h = 0; h < 2; ++h) {
        unsigned row, col;
        matrixAt(l, h, i.flags, row, col);
        uint16_t value = uint16_t(s[l] >> (16 * h));
        memcpy(r.ptr[8 * m + row] + 2 * col, &value, 2);
      }
  }
}
void movmatrix(Warp &w, const Inst &i, uint32_t mask) {
  if (!converged(w, i, mask, fullMask))
    return;
  const uint32_t *a = w.reg<uint32_t>(i.a);
  alignas(64) uint32_t t[32];
  for (unsigned l = 0; l < 32; ++l) {
    t[l] = 0;
    for (unsigned h = 0; h < 2; ++h) {
      unsigned row = 2 * (l % 4) + h, col = l / 4;
      uint32_t source = a[row * 4 + col / 2] >> (16 * (col % 2));
      t[l] |= (source & 0xffff) << (16 * h);
    }
  }
  commit(w.reg<uint32_t>(i.d), t, mask);
}

void decodeMatrix(Decoder &d, bool isStore) {
  takeAligned(d);
  if (!d.take("m8n8"))
    d.fail("unsupported shape of a matrix access");
  int count = d.takeOneOf({"x1", "x2", "x4"});
  bool trans = d.take("trans");
  d.takeOneOf({"shared", "shared::cta"});
  if (!d.take("b16") || count < 0)
    d.fail("unsupported form of a matrix access");
  d.expectOperands(2, 2);
  unsigned n = 1u << count;
  const RawOperand &data = d.operand(isStore ? 1 : 0);
  Decoder::Address address = d.address(d.operand(isStore ? 0 : 1));
  std::vector<RawOperand> parts =
      data.kind == RawOperand::Vector ? data.elements : std::vector{data};
  if (parts.size() != n)
    d.fail("expected " + std::to_string(n) + " registers");
  std::vector<int32_t> slots;
  for (const RawOperand &part : parts)
    slots.push_back(isStore ? d.src(part, b32) : d.dst(part, b32));
  uint32_t list = d.listStart();
  for (int32_t slot : slots)
    d.listAdd(slot);
  Inst &inst = d.emit(isStore ? stmatrix : ldmatrix,
                      isStore ? InstClass::SharedStore : InstClass::SharedLoad);
  inst.b = address.base;
  inst.imm = address.offset;
  inst.x = list;
  inst.n = uint8_t(n);
  inst.flags = trans;
}
} // namespace

void mlir::fuse::emu::addMatrixOps(DecodeTable &table) {
  table["ldmatrix"] = [](Decoder &d) { decodeMatrix(d, false); };
  table["stmatrix"] = [](Decoder &d) { decodeMatrix(d, true); };
  table["movmatrix"] = [](Decoder &d) {
    takeAligned(d);
    if (!d.take("m8n8") || !d.take("trans") || !d.take("b16"))
      d.fail("unsupported form of 'movmatrix'");
    emitPlain(d, movmatrix, InstClass::Shuffle, b32, 1);
  };
}
