//===- OpsTensor.cpp - mma.sync -------------------------------------------===//
//
// All mma.sync shapes of one family share one fragment layout: registers of a
// thread hold consecutive elements of k, rows advance by 8. The products are
// exact, are added to the accumulator in double precision in ascending order
// of k, and the sum is rounded once; hardware rounds somewhere in between.
//
//===----------------------------------------------------------------------===//
#include "Tensor.h"

using namespace mlir::fuse::emu;

namespace {
unsigned perReg(El e) { return bitsOf(e) == 64 ? 1 : 32 / bitsOf(e); }

/// Registers of a thread for an operand of `elements`.
unsigned regsOf(unsigned elements, El e) { return elements / 32 / perReg(e); }

uint64_t readReg(Warp &w, int32_t slot, unsigned lane, El e) {
  return e == El::F64 ? w.reg<uint64_t>(slot)[lane]
                      : w.reg<uint32_t>(slot)[lane];
}

/// Columns of a that are stored.
unsigned storedK(const Product &p) {
  return p.sparse == Sparsity::None ? p.k : p.k / 2u;
}

void readA(Warp &w, const Product &p, const int32_t *slots, double *a) {
  unsigned rows = p.m / 8, per = perReg(p.a), columns = storedK(p);
  for (unsigned r = 0; r < regsOf(p.m * columns, p.a); ++r)
    for (unsigned l = 0; l < 32; ++l) {
      uint64_t reg = readReg(w, slots[r], l, p.a);
      unsigned row = l / 4 + 8 * (r % rows);
      unsigned k = (r / rows) * 4 * per + (l % 4) * per;
      for (unsigned e = 0; e < per; ++e)
        a[row * columns + k + e] = element(p.a, reg, e);
    }
}
void readB(Warp &w, const Product &p, const int32_t *slots, double *b) {
  unsigned per = perReg(p.b);
  for (unsigned r = 0; r < regsOf(p.n * p.k, p.b); ++r)
    for (unsigned l = 0; l < 32; ++l) {
      uint64_t reg = readReg(w, slots[r], l, p.b);
      unsigned k = r * 4 * per + (l % 4) * per;
      for (unsigned e = 0; e < per; ++e)
        b[(k + e) * p.n + l / 4] = element(p.b, reg, e);
    }
}

/// Row and column of an accumulator element of a lane.
struct Place {
  unsigned row, col;
};
Place accumulatorAt(unsigned l, unsigned index) {
  return {l / 4 + 8 * (index / 2), 2 * (l % 4) + index % 2};
}

void readC(Warp &w, const Product &p, const int32_t *slots, double *c) {
  unsigned per = perReg(p.c);
  for (unsigned index = 0; index < p.m * p.n / 32; ++index)
    for (unsigned l = 0; l < 32; ++l) {
      Place at = accumulatorAt(l, index);
      c[at.row * p.n + at.col] =
          element(p.c, readReg(w, slots[index / per], l, p.c), index % per);
    }
}

void writeD(Warp &w, const Product &p, const int32_t *slots, const double *c) {
  unsigned per = perReg(p.d);
  for (unsigned r = 0; r < p.m * p.n / 32 / per; ++r)
    for (unsigned l = 0; l < 32; ++l) {
      uint64_t bits = 0;
      for (unsigned e = 0; e < per; ++e) {
        Place at = accumulatorAt(l, r * per + e);
        bits |= narrowElement(p.d, p.satfinite, c[at.row * p.n + at.col])
                << (16 * e);
      }
      if (p.d == El::F64)
        w.reg<uint64_t>(slots[r])[l] = bits;
      else
        w.reg<uint32_t>(slots[r])[l] = uint32_t(bits);
    }
}

// Operands from x: the Product, then the slots of d, a, b, c and, if sparse, of
// the metadata. flags: the sparsity selector.
void mma(Warp &w, const Inst &i, uint32_t mask) {
  if (!converged(w, i, mask, fullMask))
    return;
  Product p = productOf(w, i);
  const int32_t *slots = &w.program->operands[i.x + productWords];
  unsigned nd = regsOf(p.m * p.n, p.d), na = regsOf(p.m * storedK(p), p.a),
           nb = regsOf(p.n * p.k, p.b), nc = regsOf(p.m * p.n, p.c);
  double a[16 * 256], b[256 * 8], c[16 * 8];
  if (p.sparse == Sparsity::None) {
    readA(w, p, slots + nd, a);
  } else {
    double stored[16 * 64];
    readA(w, p, slots + nd, stored);
    const auto *metadata = w.reg<uint32_t>(slots[nd + na + nb + nc]);
    expandSparse(w, i, p, metadata, i.flags, stored, a);
  }
  readB(w, p, slots + nd + na, b);
  readC(w, p, slots + nd + na + nb, c);
  multiply(p, a, b, c);
  writeD(w, p, slots, c);
}

//===-- m8n8k4 with f16 inputs ---------------------------------------------=//

/// Lanes 4q..4q+3 and 16+4q..16+4q+3 form quad pair q, with a product of its
/// own; `upper` lanes have the rows (or columns) from 4 on.
struct QuadLane {
  unsigned quad, low, upper;
  explicit QuadLane(unsigned l)
      : quad(l % 16 / 4), low(l % 4), upper(l / 16 * 4) {}
};
double quadElement(Warp &w, const int32_t *slots, unsigned l, unsigned index) {
  return element(El::F16, w.reg<uint32_t>(slots[index / 2])[l], index % 2);
}
Place quadAccumulator(El type, unsigned l, unsigned index) {
  QuadLane at(l);
  if (type == El::F16)
    return {at.low + at.upper, index};
  return {(l & 1) + (index & 2) + at.upper,
          (index & 4) + (l & 2) + (index & 1)};
}

// flags: 1 a is by columns, 2 b is by rows.
void mmaQuads(Warp &w, const Inst &i, uint32_t mask) {
  if (!converged(w, i, mask, fullMask))
    return;
  Product p = productOf(w, i);
  const int32_t *slots = &w.program->operands[i.x + productWords];
  unsigned nd = 8 / perReg(p.d);
  double a[4][8 * 4], b[4][4 * 8], c[4][8 * 8];
  for (unsigned l = 0; l < 32; ++l) {
    QuadLane at(l);
    for (unsigned e = 0; e < 4; ++e) {
      unsigned outer = i.flags & 1 ? e + at.upper : at.low + at.upper;
      unsigned k = i.flags & 1 ? at.low : e;
      a[at.quad][outer * 4 + k] = quadElement(w, slots + nd, l, e);
      outer = i.flags & 2 ? e + at.upper : at.low + at.upper;
      k = i.flags & 2 ? at.low : e;
      b[at.quad][k * 8 + outer] = quadElement(w, slots + nd + 2, l, e);
    }
    for (unsigned e = 0; e < 8; ++e) {
      Place place = quadAccumulator(p.c, l, e);
      unsigned per = perReg(p.c);
      c[at.quad][place.row * 8 + place.col] =
          element(p.c, w.reg<uint32_t>(slots[nd + 4 + e / per])[l], e % per);
    }
  }
  for (unsigned quad = 0; quad < 4; ++quad)
    multiply(p, a[quad], b[quad], c[quad]);
  unsigned per = perReg(p.d);
  for (unsigned l = 0; l < 32; ++l)
    for (unsigned r = 0; r < nd; ++r) {
      uint64_t bits = 0;
      for (unsigned e = 0; e < per; ++e) {
        Place place = quadAccumulator(p.d, l, r * per + e);
        double value = c[QuadLane(l).quad][place.row * 8 + place.col];
        bits |= narrowElement(p.d, false, value) << (16 * e);
      }
      w.reg<uint32_t>(slots[r])[l] = uint32_t(bits);
    }
}

//===-- Decoding -----------------------------------------------------------=//

bool knownShape(const Product &p) {
  if (p.n != 8 || (p.m != 16 && p.m != 8))
    return false;
  unsigned chunk = p.a == El::F64 ? 4 : 128 / bitsOf(p.a);
  if (p.m == 8) // Integers and f64 have the smallest k.
    return p.k == chunk && (isInteger(p.a) || p.a == El::F64);
  return p.k == chunk || p.k == 2 * chunk || (p.a == El::F64 && p.k == 16);
}

/// The registers of an operand; one of them may be written without braces.
void addSlots(Decoder &d, size_t index, El type, unsigned count,
              std::vector<int32_t> &slots) {
  const RawOperand &o = d.operand(index);
  std::vector<RawOperand> parts =
      o.kind == RawOperand::Vector ? o.elements : std::vector{o};
  if (parts.size() != count)
    d.fail("expected " + std::to_string(count) + " registers in operand " +
           std::to_string(index + 1));
  RawType use = registerType(type);
  for (const RawOperand &part : parts)
    slots.push_back(index == 0 ? d.dst(part, use) : d.src(part, use));
}

void decodeMma(Decoder &d) {
  Product p;
  if (d.take("sp::ordered_metadata"))
    p.sparse = Sparsity::Ordered;
  else if (d.take("sp"))
    p.sparse = Sparsity::Any;
  for (const std::string &mod : d.modsLeft())
    if (mod.compare(0, 4, "kind") == 0)
      d.failUnsupported("'." + mod + "' of 'mma'");
  takeAligned(d);
  if (!takeShape(d, p))
    d.fail("expected a shape of 'mma'");
  bool colA = takeLayout(d), colB = takeLayout(d);
  p.satfinite = d.take("satfinite");
  takeBitOperation(d, p);
  takeElements(d, p, true);
  bool isSparse = p.sparse != Sparsity::None;
  bool quads = !isSparse && p.m == 8 && p.n == 8 && p.k == 4 && p.a == El::F16;
  if (!quads && (colA || !colB))
    d.fail("expected '.row.col'");
  if (isSparse ? !knownSparseShape(p) : !quads && !knownShape(p))
    d.fail("unsupported shape of 'mma'");
  if (!quads && p.c != p.d)
    d.fail("unsupported types of 'mma'");
  d.expectOperands(isSparse ? 6 : 4, isSparse ? 6 : 4);
  std::vector<int32_t> slots;
  unsigned lanes = quads ? 8 : 32; // That share a product.
  auto regs = [&](unsigned elements, El e) {
    return elements / lanes / perReg(e);
  };
  addSlots(d, 0, p.d, regs(p.m * p.n, p.d), slots);
  addSlots(d, 1, p.a, regs(p.m * storedK(p), p.a), slots);
  addSlots(d, 2, p.b, regs(p.n * p.k, p.b), slots);
  addSlots(d, 3, p.c, regs(p.m * p.n, p.c), slots);
  int64_t selector = 0;
  if (isSparse) {
    slots.push_back(d.src(4, registerType(El::S32)));
    selector = d.literal(5);
    if (selector < 0 || selector >= int64_t(numSelectors(p)))
      d.fail("sparsity selector " + std::to_string(selector) +
             " is not below " + std::to_string(numSelectors(p)));
  }
  Inst &inst = emitProduct(d, quads ? mmaQuads : mma, p, slots);
  inst.flags =
      quads ? uint8_t((colA ? 1 : 0) | (colB ? 0 : 2)) : uint8_t(selector);
  if (quads)
    inst.flops *= 4;
}
} // namespace

//===-- Shared with wmma and wgmma -----------------------------------------=//

El mlir::fuse::emu::elementOf(Decoder &d, const std::string &name) {
  static const std::pair<const char *, El> names[] = {
      {"f16", El::F16},   {"bf16", El::BF16}, {"tf32", El::TF32},
      {"f64", El::F64},   {"s8", El::S8},     {"u8", El::U8},
      {"s4", El::S4},     {"u4", El::U4},     {"e4m3", El::E4M3},
      {"e5m2", El::E5M2}, {"f32", El::F32},   {"s32", El::S32},
      {"b1", El::B1}};
  for (auto &[text, e] : names)
    if (name == text)
      return e;
  d.fail("unsupported type '." + name + "' of '" + d.inst().opcode + "'");
}

RawType mlir::fuse::emu::registerType(El e) {
  return e == El::F64   ? RawType{RawType::Float, 64, 1}
         : e == El::F32 ? RawType{RawType::Float, 32, 1}
                        : RawType{RawType::Bits, 32, 1};
}

void mlir::fuse::emu::takeAligned(Decoder &d) {
  if (!d.take("sync") || !d.take("aligned"))
    d.fail("expected '.sync.aligned'");
}

bool mlir::fuse::emu::takeShape(Decoder &d, Product &p) {
  std::string text;
  for (const std::string &mod : d.modsLeft())
    if (mod.size() > 1 && mod[0] == 'm' && isdigit((unsigned char)mod[1]))
      text = mod;
  unsigned m, n, k;
  int end = 0;
  if (sscanf(text.c_str(), "m%3un%3uk%3u%n", &m, &n, &k, &end) != 3 ||
      size_t(end) != text.size())
    return false;
  d.take(text);
  p.m = uint16_t(m);
  p.n = uint16_t(n);
  p.k = uint16_t(k);
  return true;
}

bool mlir::fuse::emu::takeLayout(Decoder &d) {
  for (const std::string &mod : d.modsLeft())
    if (mod == "row" || mod == "col") {
      bool isCol = mod == "col";
      d.take(mod);
      return isCol;
    }
  d.fail("expected a layout, '.row' or '.col'");
}

void mlir::fuse::emu::takeBitOperation(Decoder &d, Product &p) {
  if (!d.take("popc"))
    return;
  int op = d.takeOneOf({"xor", "and"});
  if (op < 0)
    d.fail("expected '.xor' or '.and' with '.popc'");
  p.bitOp = op == 0 ? BitOp::Xor : BitOp::And;
}

void mlir::fuse::emu::takeElements(Decoder &d, Product &p, bool withC) {
  std::vector<std::string> names = d.modsLeft();
  if (names.size() != (withC ? 4u : 3u))
    d.fail("expected " + std::string(withC ? "four" : "three") + " types of '" +
           d.inst().opcode + "'");
  El *types[4] = {&p.d, &p.a, &p.b, &p.c};
  for (size_t k = 0; k < names.size(); ++k) {
    *types[k] = elementOf(d, names[k]);
    d.take(names[k]);
  }
  if (!withC)
    p.c = p.d;
  checkElements(d, p);
}

void mlir::fuse::emu::checkElements(Decoder &d, const Product &p) {
  auto isF8 = [](El e) { return e == El::E4M3 || e == El::E5M2; };
  bool pair = p.a == p.b || (isF8(p.a) && isF8(p.b)) ||
              (isInteger(p.a) && isInteger(p.b) && p.a != El::B1 &&
               bitsOf(p.a) == bitsOf(p.b));
  auto sum = [&](El e) {
    if (isInteger(p.a))
      return e == El::S32;
    if (p.a == El::F64)
      return e == El::F64;
    return e == El::F32 || (e == El::F16 && (p.a == El::F16 || isF8(p.a)));
  };
  if (!pair || p.a == El::F32 || p.a == El::S32 || !sum(p.d) || !sum(p.c))
    d.fail("unsupported types of '" + d.inst().opcode + "'");
  if ((p.a == El::B1) != (p.bitOp != BitOp::None))
    d.fail(p.a == El::B1 ? "expected '.xor.popc' or '.and.popc'"
                         : "unexpected '.popc'");
  if (p.satfinite && (!isInteger(p.a) || p.a == El::B1))
    d.fail("unsupported modifier '.satfinite'");
}

Inst &mlir::fuse::emu::emitProduct(Decoder &d, Handler fn, const Product &p,
                                   const std::vector<int32_t> &slots) {
  int32_t words[productWords] = {};
  memcpy(words, &p, sizeof p);
  uint32_t list = d.listStart();
  for (int32_t word : words)
    d.listAdd(word);
  for (int32_t slot : slots)
    d.listAdd(slot);
  Inst &inst = d.emit(fn, InstClass::Tensor);
  inst.x = list;
  inst.unit = FlopUnit::Tensor;
  inst.flops = 2u * p.m * p.n * (p.sparse == Sparsity::None ? p.k : p.k / 2u);
  return inst;
}

Product mlir::fuse::emu::productOf(const Warp &w, const Inst &i) {
  Product p;
  memcpy(&p, &w.program->operands[i.x], sizeof p);
  return p;
}

void mlir::fuse::emu::multiply(const Product &p, const double *a,
                               const double *b, double *c) {
  for (unsigned row = 0; row < p.m; ++row)
    for (unsigned k = 0; k < p.k; ++k) {
      double x = a[row * p.k + k];
      double *out = c + row * p.n;
      const double *in = b + k * p.n;
      if (p.d == El::F64 && p.mode != Round::Nearest) {
        for (unsigned col = 0; col < p.n; ++col)
          out[col] =
              roundedDouble(RoundedOp::Fma, p.mode, x, in[col], out[col]);
      } else if (p.d == El::F64) {
        for (unsigned col = 0; col < p.n; ++col)
          out[col] = std::fma(x, in[col], out[col]);
      } else if (p.bitOp == BitOp::Xor) {
        for (unsigned col = 0; col < p.n; ++col)
          out[col] += x != in[col];
      } else {
        for (unsigned col = 0; col < p.n; ++col)
          out[col] += x * in[col];
      }
    }
}

void mlir::fuse::emu::addTensorOps(DecodeTable &table) {
  addWgmmaOps(table);
  addWmmaOps(table);
  addMatrixOps(table);
  table["mma"] = decodeMma;
}
