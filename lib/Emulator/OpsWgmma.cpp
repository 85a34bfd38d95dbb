//===- OpsWgmma.cpp - wgmma of sm_90a -------------------------------------===//
//
// Each of the four warps computes its 16 rows at once when it issues: operands
// must not change until the wait, so a correct program cannot tell. Matrices
// in shared memory are found through descriptors, with their swizzles.
//
//===----------------------------------------------------------------------===//
#include "Tensor.h"

using namespace mlir::fuse::emu;

namespace {
constexpr RawType b32{RawType::Bits, 32, 1};
constexpr RawType b64{RawType::Bits, 64, 1};

/// A matrix in shared memory: bytes of element (mn, k).
struct Descriptor {
  uint64_t start, leading, stride;
  unsigned swizzle; ///< Bytes of a swizzled row: 0, 32, 64 or 128.
  bool mnMajor;
  unsigned bytes; ///< Of an element.

  Descriptor(uint64_t bits, bool mnMajor, unsigned bytes)
      : start((bits & 0x3fff) << 4), leading(((bits >> 16) & 0x3fff) << 4),
        stride(((bits >> 32) & 0x3fff) << 4), mnMajor(mnMajor), bytes(bytes) {
    static const unsigned widths[4] = {0, 128, 64, 32};
    swizzle = widths[bits >> 62];
  }

  uint64_t at(unsigned mn, unsigned k) const {
    unsigned per = 16 / bytes; // Elements of a 16-byte row.
    uint64_t address = start;
    if (!swizzle) {
      address += mnMajor ? (mn % per) * bytes + (mn / per) * stride +
                               (k % 8) * 16 + (k / 8) * leading
                         : (mn % 8) * 16 + (mn / 8) * stride +
                               (k % per) * bytes + (k / per) * leading;
      return address;
    }
    unsigned row = swizzle / bytes; // Elements of a swizzled row.
    address += mnMajor ? (mn % row) * bytes + (mn / row) * leading +
                             (k % 8) * swizzle + (k / 8) * stride
                       : (mn % 8) * swizzle + (mn / 8) * stride + k * bytes;
    uint64_t chunks = swizzle / 16 - 1; // 7, 3 or 1.
    return address ^ (((address >> 7) & chunks) << 4);
  }
};

struct Info {
  unsigned n, k, numA;
  El a, b, d;
  bool scaleA, scaleB, transA, transB, aInRegs, satfinite;
};
Info infoOf(const Inst &i) {
  uint64_t bits = uint64_t(i.imm);
  Info info;
  info.n = bits & 0x1ff;
  info.k = (bits >> 9) & 0x3f;
  info.a = El((bits >> 16) & 15);
  info.b = El((bits >> 20) & 15);
  info.d = El((bits >> 24) & 15);
  info.numA = (bits >> 28) & 15;
  info.scaleA = (bits >> 32) & 1;
  info.scaleB = (bits >> 33) & 1;
  info.transA = (bits >> 34) & 1;
  info.transB = (bits >> 35) & 1;
  info.aInRegs = (bits >> 36) & 1;
  info.satfinite = (bits >> 37) & 1;
  return info;
}

double loadElement(Warp &w, const Inst &i, const Descriptor &d, El type,
                   unsigned mn, unsigned k) {
  uint64_t address = d.at(mn, k);
  if (address + d.bytes > w.block->launch->sharedBytes)
    trap(w, i, 0,
         "out-of-bounds matrix element at shared address " +
             std::to_string(address));
  uint64_t bits = 0;
  memcpy(&bits, w.block->shared + address, d.bytes);
  return element(type, bits, 0);
}

void readA(Warp &w, const Inst &i, const Info &info, const int32_t *slots,
           double *a) {
  if (!info.aInRegs) {
    Descriptor d(w.reg<uint64_t>(slots[0])[0], info.transA, bitsOf(info.a) / 8);
    for (unsigned m = 0; m < 16; ++m)
      for (unsigned k = 0; k < info.k; ++k)
        a[m * info.k + k] =
            loadElement(w, i, d, info.a, 16 * (w.index % 4) + m, k);
    return;
  }
  unsigned per = 32 / bitsOf(info.a);
  for (unsigned r = 0; r < 4; ++r)
    for (unsigned l = 0; l < 32; ++l)
      for (unsigned e = 0; e < per; ++e)
        a[(l / 4 + 8 * (r % 2)) * info.k + (r / 2) * 4 * per + (l % 4) * per +
          e] = element(info.a, w.reg<uint32_t>(slots[r])[l], e);
}

// operands x: d registers, a (one descriptor or 4 registers), b descriptor.
// c: slot of the predicate that keeps d.
void wgmma(Warp &w, const Inst &i, uint32_t mask) {
  if (!converged(w, i, mask, fullMask))
    return;
  Info info = infoOf(i);
  unsigned per = info.d == El::F16 ? 2 : 1, numD = info.n / 2 / per;
  const int32_t *slots = &w.program->operands[i.x];
  std::vector<double> a(16 * info.k), b(info.k * info.n), c(16 * info.n);
  readA(w, i, info, slots + numD, a.data());
  Descriptor d(w.reg<uint64_t>(slots[numD + info.numA])[0], info.transB,
               bitsOf(info.b) / 8);
  double sign = info.scaleA != info.scaleB ? -1 : 1;
  for (unsigned k = 0; k < info.k; ++k)
    for (unsigned n = 0; n < info.n; ++n)
      b[k * info.n + n] = sign * loadElement(w, i, d, info.b, n, k);
  bool keep = *w.reg<uint32_t>(i.c) & 1;
  auto each = [&](auto visit) {
    for (unsigned e = 0; e < numD * per; ++e)
      for (unsigned l = 0; l < 32; ++l)
        visit(e, l,
              (l / 4 + 8 * (e / 2 % 2)) * info.n + 8 * (e / 4) + 2 * (l % 4) +
                  e % 2);
  };
  if (keep)
    each([&](unsigned e, unsigned l, unsigned at) {
      c[at] = element(info.d, w.reg<uint32_t>(slots[e / per])[l], e % per);
    });
  for (unsigned m = 0; m < 16; ++m)
    for (unsigned k = 0; k < info.k; ++k)
      for (unsigned n = 0; n < info.n; ++n)
        c[m * info.n + n] += a[m * info.k + k] * b[k * info.n + n];
  each([&](unsigned e, unsigned l, unsigned at) {
    uint32_t bits = uint32_t(narrowElement(info.d, info.satfinite, c[at]));
    uint32_t &reg = w.reg<uint32_t>(slots[e / per])[l];
    if (per == 1)
      reg = bits;
    else
      reg = e % 2 ? (reg & 0xffff) | bits << 16 : (reg & 0xffff0000) | bits;
  });
}

void nothing(Warp &, const Inst &, uint32_t) {}

void decodeMmaAsync(Decoder &d) {
  Shape shape;
  bool satfinite = d.take("satfinite");
  if (!takeShape(d, shape) || shape.m != 64 || shape.n > 256 || shape.n % 8)
    d.fail("unsupported shape of 'wgmma'");
  std::vector<std::string> names = d.modsLeft();
  if (names.size() != 3)
    d.fail("expected three types of 'wgmma'");
  El types[3];
  for (unsigned t = 0; t < 3; ++t) {
    types[t] = elementOf(d, names[t]);
    d.take(names[t]);
  }
  if (shape.k * bitsOf(types[1]) != 256)
    d.fail("unsupported shape of 'wgmma'");
  unsigned per = types[0] == El::F16 ? 2 : 1, numD = shape.n / 2 / per;
  const RawOperand &out = d.operand(0), &a = d.operand(1);
  bool aInRegs = a.kind == RawOperand::Vector;
  if (out.elements.size() != numD || (aInRegs && a.elements.size() != 4))
    d.fail("unexpected number of registers");
  std::vector<int32_t> slots;
  for (const RawOperand &part : out.elements)
    slots.push_back(d.dst(part, b32));
  if (aInRegs)
    for (const RawOperand &part : a.elements)
      slots.push_back(d.src(part, b32));
  else
    slots.push_back(d.src(a, b64));
  slots.push_back(d.src(2, b64));
  const RawOperand &scale = d.operand(3);
  int32_t keep = d.pred(scale);
  auto literalAt = [&](size_t index, int64_t fallback) {
    return index < d.numOperands() ? d.literal(index) : fallback;
  };
  bool negA = literalAt(4, 1) < 0, negB = literalAt(5, 1) < 0;
  bool transA = !aInRegs && literalAt(6, 0),
       transB = literalAt(aInRegs ? 6 : 7, 0);
  uint32_t list = d.listStart();
  for (int32_t slot : slots)
    d.listAdd(slot);
  Inst &inst = d.emit(wgmma, InstClass::Tensor);
  inst.c = keep;
  inst.x = list;
  inst.imm = int64_t(
      uint64_t(shape.n) | uint64_t(shape.k) << 9 | uint64_t(types[1]) << 16 |
      uint64_t(types[2]) << 20 | uint64_t(types[0]) << 24 |
      uint64_t(aInRegs ? 4 : 1) << 28 | uint64_t(negA) << 32 |
      uint64_t(negB) << 33 | uint64_t(transA) << 34 | uint64_t(transB) << 35 |
      uint64_t(aInRegs) << 36 | uint64_t(satfinite) << 37);
  inst.unit = FlopUnit::Tensor;
  inst.flops = 2 * 16 * shape.n * shape.k; // Of one of the four warps.
}

void decodeWgmma(Decoder &d) {
  d.take("sync");
  d.take("aligned");
  if (d.take("mma_async"))
    return decodeMmaAsync(d);
  if (d.take("fence") || d.take("commit_group") || d.take("wait_group")) {
    d.emit(nothing, InstClass::Fence);
    return;
  }
  d.fail("unsupported form of 'wgmma'");
}
} // namespace

void mlir::fuse::emu::addWgmmaOps(DecodeTable &table) {
  table["wgmma"] = decodeWgmma;
}
