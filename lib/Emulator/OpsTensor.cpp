//===- OpsTensor.cpp - mma.sync and the matrix loads ----------------------===//
//
// All mma.sync shapes of one family share one fragment layout: registers of a
// thread hold consecutive elements of k, rows advance by 8. The products are
// exact, are added to the accumulator in double precision in ascending order
// of k, and the sum is rounded once; hardware rounds somewhere in between.
//
//===----------------------------------------------------------------------===//
#include "Access.h"
#include "Tensor.h"

using namespace mlir::fuse::emu;

namespace {
constexpr RawType b32{RawType::Bits, 32, 1};
constexpr RawType b64{RawType::Bits, 64, 1};

// Unpacked from Inst::imm; the slots of d, a, b, c are listed from x.
struct MmaInfo {
  unsigned m, n, k;
  El a, b, c, d;
  bool satfinite;
  unsigned na, nb, nc, nd; ///< Registers per thread.
};
MmaInfo infoOf(const Inst &i) {
  uint64_t bits = uint64_t(i.imm);
  MmaInfo info;
  info.m = bits & 0xff;
  info.n = (bits >> 8) & 0xff;
  info.k = (bits >> 16) & 0xff;
  info.a = El((bits >> 24) & 15);
  info.b = El((bits >> 28) & 15);
  info.c = El((bits >> 32) & 15);
  info.d = El((bits >> 36) & 15);
  info.satfinite = (bits >> 40) & 1;
  auto regs = [](unsigned elements, El e) {
    unsigned perReg = bitsOf(e) == 64 ? 1 : 32 / bitsOf(e);
    return elements / 32 / perReg;
  };
  info.na = regs(info.m * info.k, info.a);
  info.nb = regs(info.n * info.k, info.b);
  info.nc = regs(info.m * info.n, info.c);
  info.nd = regs(info.m * info.n, info.d);
  return info;
}

uint64_t readReg(Warp &w, int32_t slot, unsigned lane, El e) {
  return e == El::F64 ? w.reg<uint64_t>(slot)[lane]
                      : w.reg<uint32_t>(slot)[lane];
}

void readA(Warp &w, const MmaInfo &info, const int32_t *slots, double *a) {
  unsigned rows = info.m / 8, per = info.a == El::F64 ? 1 : 32 / bitsOf(info.a);
  for (unsigned r = 0; r < info.na; ++r)
    for (unsigned l = 0; l < 32; ++l) {
      uint64_t reg = readReg(w, slots[r], l, info.a);
      unsigned row = l / 4 + 8 * (r % rows);
      unsigned k = (r / rows) * 4 * per + (l % 4) * per;
      for (unsigned e = 0; e < per; ++e)
        a[row * info.k + k + e] = element(info.a, reg, e);
    }
}
void readB(Warp &w, const MmaInfo &info, const int32_t *slots, double *b) {
  unsigned per = info.b == El::F64 ? 1 : 32 / bitsOf(info.b);
  for (unsigned r = 0; r < info.nb; ++r)
    for (unsigned l = 0; l < 32; ++l) {
      uint64_t reg = readReg(w, slots[r], l, info.b);
      unsigned k = r * 4 * per + (l % 4) * per;
      for (unsigned e = 0; e < per; ++e)
        b[(k + e) * info.n + l / 4] = element(info.b, reg, e);
    }
}
/// Row and column of accumulator element `index` of a lane.
void accumulatorAt(unsigned l, unsigned index, unsigned &row, unsigned &col) {
  row = l / 4 + 8 * (index / 2);
  col = 2 * (l % 4) + index % 2;
}
void readC(Warp &w, const MmaInfo &info, const int32_t *slots, double *c) {
  unsigned per = info.c == El::F16 ? 2 : 1;
  for (unsigned index = 0; index < info.nc * per; ++index)
    for (unsigned l = 0; l < 32; ++l) {
      unsigned row, col;
      accumulatorAt(l, index, row, col);
      c[row * info.n + col] = element(
          info.c, readReg(w, slots[index / per], l, info.c), index % per);
    }
}

void writeD(Warp &w, const MmaInfo &info, const int32_t *slots,
            const double *c) {
  unsigned per = info.d == El::F16 ? 2 : 1;
  for (unsigned r = 0; r < info.nd; ++r)
    for (unsigned l = 0; l < 32; ++l) {
      uint64_t bits = 0;
      for (unsigned e = 0; e < per; ++e) {
        unsigned row, col;
        accumulatorAt(l, r * per + e, row, col);
        bits |= narrowElement(info.d, info.satfinite, c[row * info.n + col])
                << (16 * e);
      }
      if (info.d == El::F64)
        w.reg<uint64_t>(slots[r])[l] = bits;
      else
        w.reg<uint32_t>(slots[r])[l] = uint32_t(bits);
    }
}

void mma(Warp &w, const Inst &i, uint32_t mask) {
  if (!converged(w, i, mask, fullMask))
    return;
  MmaInfo info = infoOf(i);
  const int32_t *slots = &w.program->operands[i.x];
  double a[16 * 64], b[64 * 8], c[16 * 8];
  readA(w, info, slots + info.nd, a);
  readB(w, info, slots + info.nd + info.na, b);
  readC(w, info, slots + info.nd + info.na + info.nb, c);
  for (unsigned row = 0; row < info.m; ++row)
    for (unsigned k = 0; k < info.k; ++k) {
      double x = a[row * info.k + k];
      if (info.d == El::F64) {
        for (unsigned col = 0; col < 8; ++col)
          c[row * 8 + col] = std::fma(x, b[k * 8 + col], c[row * 8 + col]);
        continue;
      }
      for (unsigned col = 0; col < 8; ++col)
        c[row * 8 + col] += x * b[k * 8 + col];
    }
  writeD(w, info, slots, c);
}

bool knownShape(const Shape &s, El a) {
  if (s.n != 8 || (s.m != 16 && s.m != 8))
    return false;
  unsigned chunk = a == El::F64 ? 4 : 128 / bitsOf(a);
  if (s.m == 8) // sm_75 integers and f64 have the smallest k only.
    return s.k == chunk && a != El::F16 && a != El::BF16 && a != El::TF32;
  return s.k == chunk || s.k == 2 * chunk || (a == El::F64 && s.k == 16);
}

void decodeMma(Decoder &d) {
  d.take("sync");
  d.take("aligned");
  Shape shape;
  if (!takeShape(d, shape))
    d.fail("expected a shape of 'mma'");
  bool layout = d.take("row");
  layout &= d.take("col");
  if (!layout || d.take("sp"))
    d.fail("unsupported form of 'mma'");
  bool satfinite = d.take("satfinite");
  std::vector<std::string> names = d.modsLeft();
  if (names.size() != 4)
    d.fail("expected four types of 'mma'");
  El types[4]; // d, a, b, c
  for (unsigned k = 0; k < 4; ++k) {
    types[k] = elementOf(d, names[k]);
    d.take(names[k]);
  }
  if (!knownShape(shape, types[1]))
    d.fail("unsupported shape of 'mma'");
  Inst probe;
  probe.imm = int64_t(uint64_t(shape.m) | uint64_t(shape.n) << 8 |
                      uint64_t(shape.k) << 16 | uint64_t(types[1]) << 24 |
                      uint64_t(types[2]) << 28 | uint64_t(types[3]) << 32 |
                      uint64_t(types[0]) << 36 | uint64_t(satfinite) << 40);
  MmaInfo info = infoOf(probe);
  unsigned counts[4] = {info.nd, info.na, info.nb, info.nc};
  d.expectOperands(4, 4);
  std::vector<int32_t> slots;
  for (unsigned k = 0; k < 4; ++k) {
    const RawOperand &o = d.operand(k);
    std::vector<RawOperand> parts =
        o.kind == RawOperand::Vector ? o.elements : std::vector{o};
    if (parts.size() != counts[k])
      d.fail("expected " + std::to_string(counts[k]) +
             " registers in operand " + std::to_string(k + 1));
    El type = types[k];
    RawType use = type == El::F64   ? RawType{RawType::Float, 64, 1}
                  : type == El::F32 ? RawType{RawType::Float, 32, 1}
                                    : b32;
    for (const RawOperand &part : parts)
      slots.push_back(k == 0 ? d.dst(part, use) : d.src(part, use));
  }
  uint32_t list = d.listStart();
  for (int32_t slot : slots)
    d.listAdd(slot);
  Inst &inst = d.emit(mma, InstClass::Tensor);
  inst.imm = probe.imm;
  inst.x = list;
  inst.unit = FlopUnit::Tensor;
  inst.flops = 2 * shape.m * shape.n * shape.k;
}

//===-- ldmatrix, stmatrix, movmatrix --------------------------------------=//

/// The 16-bit element of an 8x8 matrix that half `h` of a lane holds.
void matrixAt(unsigned l, unsigned h, bool trans, unsigned &row,
              unsigned &col) {
  row = l / 4;
  col = 2 * (l % 4) + h;
  if (trans)
    std::swap(row, col);
}

// n matrices, flags: trans.
void ldmatrix(Warp &w, const Inst &i, uint32_t mask) {
  if (!converged(w, i, mask, fullMask))
    return;
  alignas(64) uint64_t a[32];
  laneAddresses(w, i, i.b, a);
  uint32_t rows = i.n == 4 ? fullMask : (1u << (8 * i.n)) - 1;
  Resolved r;
  resolve(w, i, rows & mask, a, Space::Shared, 16, AccessKind::Load, r);
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
  if (!converged(w, i, mask, fullMask))
    return;
  alignas(64) uint64_t a[32];
  laneAddresses(w, i, i.b, a);
  uint32_t rows = i.n == 4 ? fullMask : (1u << (8 * i.n)) - 1;
  Resolved r;
  resolve(w, i, rows & mask, a, Space::Shared, 16, AccessKind::Store, r);
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
  d.take("sync");
  d.take("aligned");
  if (!d.take("m8n8"))
    d.fail("unsupported shape of a matrix access");
  int count = d.takeOneOf({"x1", "x2", "x4"});
  bool trans = d.take("trans");
  bool shared = d.take("shared");
  shared |= d.take("shared::cta");
  if (d.takeType().bits != 16 || count < 0)
    d.fail("unsupported form of a matrix access");
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
  (void)shared;
}
} // namespace

El mlir::fuse::emu::elementOf(Decoder &d, const std::string &name) {
  static const std::pair<const char *, El> names[] = {
      {"f16", El::F16},   {"bf16", El::BF16}, {"tf32", El::TF32},
      {"f64", El::F64},   {"s8", El::S8},     {"u8", El::U8},
      {"s4", El::S4},     {"u4", El::U4},     {"e4m3", El::E4M3},
      {"e5m2", El::E5M2}, {"f32", El::F32},   {"s32", El::S32}};
  for (auto &[text, e] : names)
    if (name == text)
      return e;
  d.fail("unsupported type '." + name + "' of 'mma'");
}

bool mlir::fuse::emu::takeShape(Decoder &d, Shape &shape) {
  std::string text = d.takePrefix("m");
  unsigned m, n, k;
  if (sscanf(text.c_str(), "m%un%uk%u", &m, &n, &k) != 3)
    return false;
  shape = {m, n, k};
  return true;
}

void mlir::fuse::emu::addTensorOps(DecodeTable &table) {
  addWgmmaOps(table);
  table["mma"] = decodeMma;
  table["ldmatrix"] = [](Decoder &d) { decodeMatrix(d, false); };
  table["stmatrix"] = [](Decoder &d) { decodeMatrix(d, true); };
  table["movmatrix"] = [](Decoder &d) {
    for (const char *mod : {"sync", "aligned", "m8n8", "trans"})
      d.take(mod);
    emitPlain(d, movmatrix, InstClass::Shuffle,
              d.takeType().valid() ? b32 : b64, 1);
  };
}
