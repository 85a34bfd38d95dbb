//===- OpsWmma.cpp - wmma.load, wmma.store, wmma.mma ----------------------===//
//
// The layout of these fragments is not specified; here element e of a lane is
// number (lane * elements + e) of the matrix, counted along k for a and b and
// along rows for c and d. f16 inputs have more registers than that needs: the
// others repeat the first ones, as on hardware.
//
//===----------------------------------------------------------------------===//
#include "Access.h"
#include "Tensor.h"

using namespace mlir::fuse::emu;

namespace {
constexpr RawType u32{RawType::Unsigned, 32, 1};

unsigned perReg(El e) { return bitsOf(e) == 64 ? 1 : 32 / bitsOf(e); }

/// A fragment: which matrix, and how many registers of a lane it fills.
struct Fragment {
  uint16_t outer = 0, inner = 0; ///< Counted along `inner`.
  El type = El::F16;
  uint8_t regs = 0;
  bool innerContiguous = true; ///< In memory.
  unsigned elements() const { return outer * inner / 32u; }
  unsigned index(unsigned lane, unsigned e) const {
    return lane * elements() + e % elements();
  }
};
constexpr unsigned fragmentWords = (sizeof(Fragment) + 3) / 4;

/// `which` is 'a', 'b' or 'c'; d is like c.
Fragment fragmentOf(const Product &p, char which) {
  Fragment f;
  f.outer = which == 'b' ? p.n : p.m;
  f.inner = which == 'c' ? p.n : p.k;
  f.type = which == 'a' ? p.a : which == 'b' ? p.b : p.c;
  unsigned needed = f.elements() / perReg(f.type);
  f.regs = uint8_t(f.type == El::F16 && which != 'c' ? 8 : needed);
  return f;
}

uint64_t readReg(Warp &w, int32_t slot, unsigned lane, El e) {
  return e == El::F64 ? w.reg<uint64_t>(slot)[lane]
                      : w.reg<uint32_t>(slot)[lane];
}
void writeReg(Warp &w, int32_t slot, unsigned lane, El e, uint64_t bits) {
  if (e == El::F64)
    w.reg<uint64_t>(slot)[lane] = bits;
  else
    w.reg<uint32_t>(slot)[lane] = uint32_t(bits);
}

//===-- Memory -------------------------------------------------------------=//

/// Address of the element in bits, relative to the matrix.
uint64_t bitOffset(const Fragment &f, unsigned index, uint64_t stride) {
  uint64_t outer = index / f.inner, inner = index % f.inner;
  uint64_t at =
      f.innerContiguous ? outer * stride + inner : inner * stride + outer;
  return at * bitsOf(f.type);
}

// Operands from x: Fragment, then the slots. a: address, b: slot of the stride
// or 0, imm: offset. One access for each element, for each register of the
// types below one byte.
template <bool Store>
void access(Warp &w, const Inst &i, uint32_t mask) {
  if (!converged(w, i, mask, fullMask))
    return;
  Fragment f;
  memcpy(&f, &w.program->operands[i.x], sizeof f);
  const int32_t *slots = &w.program->operands[i.x + fragmentWords];
  bool small = bitsOf(f.type) < 8;
  unsigned step = small ? perReg(f.type) : 1;
  unsigned bytes = small ? 4 : bitsOf(f.type) / 8;
  unsigned bits = small ? 32 : bitsOf(f.type);
  if (!Store)
    for (unsigned r = 0; r < f.regs; ++r)
      if (f.type != El::F64)
        memset(w.reg<uint32_t>(slots[r]), 0, 128);
  unsigned total = Store ? f.elements() : f.regs * perReg(f.type);
  for (unsigned e = 0; e < total; e += step) {
    alignas(64) uint64_t at[32];
    for (unsigned l = 0; l < 32; ++l) {
      uint64_t stride = i.b ? w.reg<uint32_t>(i.b)[l]
                            : (f.innerContiguous ? f.inner : f.outer);
      at[l] = w.reg<uint64_t>(i.a)[l] + uint64_t(i.imm) +
              bitOffset(f, f.index(l, e), stride) / 8;
    }
    Resolved r;
    resolve(w, i, fullMask, at, i.space, bytes,
            Store ? AccessKind::Store : AccessKind::Load, r);
    int32_t slot = slots[e / perReg(f.type)];
    unsigned shift = small ? 0 : e % perReg(f.type) * bits;
    for (unsigned l = 0; l < 32; ++l) {
      uint64_t old = readReg(w, slot, l, f.type), value = 0;
      if (Store) {
        value = old >> shift;
        memcpy(r.ptr[l], &value, bytes);
        continue;
      }
      memcpy(&value, r.ptr[l], bytes);
      writeReg(w, slot, l, f.type,
               f.type == El::F64 ? value : old | value << shift);
    }
  }
}

//===-- The product --------------------------------------------------------=//

void readFragment(Warp &w, const Fragment &f, const int32_t *slots, bool isB,
                  double *matrix) {
  unsigned per = perReg(f.type);
  for (unsigned e = 0; e < f.elements(); ++e)
    for (unsigned l = 0; l < 32; ++l) {
      unsigned index = f.index(l, e), outer = index / f.inner,
               inner = index % f.inner;
      matrix[isB ? inner * f.outer + outer : index] =
          element(f.type, readReg(w, slots[e / per], l, f.type), e % per);
    }
}

// Operands from x: Product, then the slots of d, a, b, c.
void product(Warp &w, const Inst &i, uint32_t mask) {
  if (!converged(w, i, mask, fullMask))
    return;
  Product p = productOf(w, i);
  Fragment a = fragmentOf(p, 'a'), b = fragmentOf(p, 'b'),
           c = fragmentOf(p, 'c'), d = c;
  d.type = p.d;
  d.regs = uint8_t(d.elements() / perReg(d.type));
  const int32_t *slots = &w.program->operands[i.x + productWords];
  std::vector<double> x(p.m * p.k), y(p.k * p.n), z(p.m * p.n);
  readFragment(w, a, slots + d.regs, false, x.data());
  readFragment(w, b, slots + d.regs + a.regs, true, y.data());
  readFragment(w, c, slots + d.regs + a.regs + b.regs, false, z.data());
  multiply(p, x.data(), y.data(), z.data());
  unsigned per = perReg(d.type);
  for (unsigned r = 0; r < d.regs; ++r)
    for (unsigned l = 0; l < 32; ++l) {
      uint64_t bits = 0;
      for (unsigned e = 0; e < per; ++e)
        bits |= narrowElement(p.d, p.satfinite, z[d.index(l, r * per + e)])
                << (16 * e);
      writeReg(w, slots[r], l, d.type, bits);
    }
}

//===-- Decoding -----------------------------------------------------------=//

bool knownShape(const Product &p) {
  auto is = [&](unsigned m, unsigned n, unsigned k) {
    return p.m == m && p.n == n && p.k == k;
  };
  switch (p.a) {
  case El::F16:
  case El::BF16:
  case El::S8:
  case El::U8:
    return is(16, 16, 16) || is(8, 32, 16) || is(32, 8, 16);
  case El::TF32:
    return is(16, 16, 8);
  case El::F64:
    return is(8, 8, 4);
  case El::S4:
  case El::U4:
    return is(8, 8, 32);
  case El::B1:
    return is(8, 8, 128);
  default:
    return false;
  }
}

/// For c and d, the inputs that have such sums in this shape.
El inputOf(Decoder &d, const Product &p, El sum) {
  Product trial = p;
  static const std::pair<El, El> candidates[] = {
      {El::F16, El::F16}, {El::F32, El::F16}, {El::F32, El::TF32},
      {El::S32, El::S8},  {El::S32, El::S4},  {El::S32, El::B1},
      {El::F64, El::F64}};
  for (auto [type, input] : candidates) {
    trial.a = input;
    if (type == sum && knownShape(trial))
      return input;
  }
  d.fail("unsupported shape or type of 'wmma'");
}

void addSlots(Decoder &d, size_t index, const Fragment &f, bool isResult,
              std::vector<int32_t> &slots) {
  const RawOperand &o = d.operand(index);
  std::vector<RawOperand> parts =
      o.kind == RawOperand::Vector ? o.elements : std::vector{o};
  if (parts.size() != f.regs)
    d.fail("expected " + std::to_string(f.regs) + " registers in operand " +
           std::to_string(index + 1));
  for (const RawOperand &part : parts)
    slots.push_back(isResult ? d.dst(part, registerType(f.type))
                             : d.src(part, registerType(f.type)));
}

void decodeAccess(Decoder &d, bool isStore) {
  int which = isStore ? (d.take("d") ? 2 : -1) : d.takeOneOf({"a", "b", "c"});
  if (which < 0)
    d.fail("expected the matrix of 'wmma'");
  takeAligned(d);
  bool isCol = takeLayout(d);
  Product p;
  if (!takeShape(d, p))
    d.fail("expected a shape of 'wmma'");
  Space space = d.take("global")                              ? Space::Global
                : d.takeOneOf({"shared", "shared::cta"}) >= 0 ? Space::Shared
                                                              : Space::None;
  if (d.modsLeft().size() != 1)
    d.fail("expected one type of 'wmma'");
  std::string name = d.modsLeft().front();
  El type = elementOf(d, name);
  d.take(name);
  p.a = p.b = p.c = p.d = type;
  if (which == 2)
    p.a = inputOf(d, p, type);
  if (!knownShape(p))
    d.fail("unsupported shape or type of 'wmma'");
  Fragment f = fragmentOf(p, "abc"[which]);
  f.innerContiguous = which == 1 ? isCol : !isCol;
  if (bitsOf(type) < 8 && !f.innerContiguous)
    d.fail("expected '.row' for a and '.col' for b");
  d.expectOperands(2, 3);
  const RawOperand &memory = d.operand(isStore ? 0 : 1);
  Decoder::Address address = d.address(memory);
  int32_t stride = d.numOperands() == 3 ? d.src(2, u32) : 0;
  std::vector<int32_t> slots;
  addSlots(d, isStore ? 1 : 0, f, !isStore, slots);
  int32_t words[fragmentWords] = {};
  memcpy(words, &f, sizeof f);
  uint32_t list = d.listStart();
  for (int32_t word : words)
    d.listAdd(word);
  for (int32_t slot : slots)
    d.listAdd(slot);
  if (address.space != Space::None)
    space = address.space;
  bool shared = space == Space::Shared;
  Inst &inst = d.emit(
      isStore ? access<true> : access<false>,
      isStore  ? (shared ? InstClass::SharedStore : InstClass::GlobalStore)
      : shared ? InstClass::SharedLoad
               : InstClass::GlobalLoad);
  inst.a = address.base;
  inst.imm = address.offset;
  inst.b = stride;
  inst.x = list;
  inst.space = space;
}

void decodeProduct(Decoder &d) {
  Product p;
  takeBitOperation(d, p);
  takeAligned(d);
  bool colA = takeLayout(d), colB = takeLayout(d);
  int mode = d.takeOneOf({"rn", "rz", "rm", "rp"});
  if (!takeShape(d, p))
    d.fail("expected a shape of 'wmma'");
  p.satfinite = d.take("satfinite");
  if (d.modsLeft().size() == 2) { // f16 inputs are not written.
    std::vector<std::string> names = d.modsLeft();
    p.d = elementOf(d, names[0]);
    p.c = elementOf(d, names[1]);
    d.take(names[0]);
    d.take(names[1]);
    checkElements(d, p);
  } else {
    takeElements(d, p, true);
    if (p.a == El::F16 || p.a != p.b)
      d.fail("unsupported types of 'wmma'");
  }
  if (!knownShape(p) || (mode >= 0 && p.a != El::F64))
    d.fail("unsupported shape or rounding of 'wmma'");
  if (bitsOf(p.a) < 8 && (colA || !colB))
    d.fail("expected '.row.col'");
  p.mode = Round(std::max(mode, 0));
  d.expectOperands(4, 4);
  Fragment out = fragmentOf(p, 'c');
  out.type = p.d;
  out.regs = uint8_t(out.elements() / perReg(p.d));
  std::vector<int32_t> slots;
  addSlots(d, 0, out, true, slots);
  addSlots(d, 1, fragmentOf(p, 'a'), false, slots);
  addSlots(d, 2, fragmentOf(p, 'b'), false, slots);
  addSlots(d, 3, fragmentOf(p, 'c'), false, slots);
  emitProduct(d, product, p, slots);
}
} // namespace

void mlir::fuse::emu::addWmmaOps(DecodeTable &table) {
  table["wmma"] = [](Decoder &d) {
    int kind = d.takeOneOf({"load", "store", "mma"});
    if (kind < 0)
      d.fail("unsupported form of 'wmma'");
    kind == 2 ? decodeProduct(d) : decodeAccess(d, kind == 1);
  };
}
