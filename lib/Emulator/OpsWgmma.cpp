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
  Product p;
  uint8_t numA;
  bool negate, transA, transB, aInRegs;
};
constexpr unsigned infoWords = (sizeof(Info) + 3) / 4;

double loadElement(Warp &w, const Inst &i, const Descriptor &d, El type,
                   unsigned mn, unsigned k) {
  uint64_t address = d.at(mn, type == El::B1 ? k / 8 : k);
  if (address + d.bytes > w.block->launch->sharedBytes)
    trap(w, i, 0,
         "out-of-bounds matrix element at shared address " +
             std::to_string(address));
  uint64_t bits = 0;
  memcpy(&bits, w.block->shared + address, d.bytes);
  // Bits are stored in bytes of eight.
  return element(type, bits, type == El::B1 ? k % 8 : 0);
}

unsigned bytesOf(El e) { return e == El::B1 ? 1 : bitsOf(e) / 8; }

void readA(Warp &w, const Inst &i, const Info &info, const int32_t *slots,
           double *a) {
  const Product &p = info.p;
  if (!info.aInRegs) {
    Descriptor d(w.reg<uint64_t>(slots[0])[0], info.transA, bytesOf(p.a));
    for (unsigned m = 0; m < 16; ++m)
      for (unsigned k = 0; k < p.k; ++k)
        a[m * p.k + k] = loadElement(w, i, d, p.a, 16 * (w.index % 4) + m, k);
    return;
  }
  unsigned per = 32 / bitsOf(p.a);
  for (unsigned r = 0; r < 4; ++r)
    for (unsigned l = 0; l < 32; ++l)
      for (unsigned e = 0; e < per; ++e)
        a[(l / 4 + 8 * (r % 2)) * p.k + (r / 2) * 4 * per + (l % 4) * per + e] =
            element(p.a, w.reg<uint32_t>(slots[r])[l], e);
}

// operands x: Info, d registers, a (one descriptor or 4 registers), b
// descriptor. c: slot of the predicate that keeps d.
void wgmma(Warp &w, const Inst &i, uint32_t mask) {
  if (!converged(w, i, mask, fullMask))
    return;
  Info info;
  memcpy(&info, &w.program->operands[i.x], sizeof info);
  Product p = info.p;
  unsigned per = p.d == El::F16 ? 2 : 1, numD = p.n / 2 / per;
  const int32_t *slots = &w.program->operands[i.x + infoWords];
  std::vector<double> a(16 * p.k), b(p.k * p.n), c(16 * p.n);
  readA(w, i, info, slots + numD, a.data());
  Descriptor d(w.reg<uint64_t>(slots[numD + info.numA])[0], info.transB,
               bytesOf(p.b));
  double sign = info.negate ? -1 : 1;
  for (unsigned k = 0; k < p.k; ++k)
    for (unsigned n = 0; n < p.n; ++n)
      b[k * p.n + n] = sign * loadElement(w, i, d, p.b, n, k);
  bool keep = *w.reg<uint32_t>(i.c) & 1;
  auto each = [&](auto visit) {
    for (unsigned e = 0; e < numD * per; ++e)
      for (unsigned l = 0; l < 32; ++l)
        visit(e, l,
              (l / 4 + 8 * (e / 2 % 2)) * p.n + 8 * (e / 4) + 2 * (l % 4) +
                  e % 2);
  };
  if (keep)
    each([&](unsigned e, unsigned l, unsigned at) {
      c[at] = element(p.d, w.reg<uint32_t>(slots[e / per])[l], e % per);
    });
  p.m = 16; // Rows of this warp.
  multiply(p, a.data(), b.data(), c.data());
  each([&](unsigned e, unsigned l, unsigned at) {
    uint32_t bits = uint32_t(narrowElement(p.d, p.satfinite, c[at]));
    uint32_t &reg = w.reg<uint32_t>(slots[e / per])[l];
    if (per == 1)
      reg = bits;
    else
      reg = e % 2 ? (reg & 0xffff) | bits << 16 : (reg & 0xffff0000) | bits;
  });
}

void nothing(Warp &, const Inst &, uint32_t) {}

/// The number that the trailing literals must be: scales, then transposes.
void takeLiterals(Decoder &d, Info &info) {
  const Product &p = info.p;
  bool scales = !isInteger(p.a);
  bool transposes = p.a == El::F16 || p.a == El::BF16;
  size_t count =
      4 + (scales ? 2 : 0) + (transposes ? (info.aInRegs ? 1 : 2) : 0);
  d.expectOperands(count, count);
  auto among = [&](size_t index, int64_t low, int64_t high) {
    int64_t value = d.literal(index);
    if (value != low && value != high)
      d.fail("expected " + std::to_string(low) + " or " + std::to_string(high) +
             " as operand " + std::to_string(index + 1));
    return value;
  };
  if (scales)
    info.negate = among(4, -1, 1) != among(5, -1, 1);
  if (!transposes)
    return;
  info.transA = !info.aInRegs && among(6, 0, 1);
  info.transB = among(info.aInRegs ? 6 : 7, 0, 1);
}

void decodeMmaAsync(Decoder &d) {
  Info info = {};
  Product &p = info.p;
  p.satfinite = d.take("satfinite");
  takeBitOperation(d, p);
  if (!takeShape(d, p) || p.m != 64 || p.n < 8 || p.n > 256 || p.n % 8)
    d.fail("unsupported shape of 'wgmma'");
  takeElements(d, p, false);
  if (p.k * bitsOf(p.a) != 256 || p.a == El::S4 || p.a == El::U4 ||
      p.a == El::F64 || p.bitOp == BitOp::Xor)
    d.fail("unsupported shape or type of 'wgmma'");
  bool isInt = isInteger(p.a);
  if (isInt && p.n > 32 && p.n % 16)
    d.fail("unsupported shape of 'wgmma'");
  unsigned per = p.d == El::F16 ? 2 : 1, numD = p.n / 2 / per;
  const RawOperand &out = d.operand(0), &a = d.operand(1);
  info.aInRegs = a.kind == RawOperand::Vector;
  info.numA = info.aInRegs ? 4 : 1;
  if (out.elements.size() != numD || (info.aInRegs && a.elements.size() != 4))
    d.fail("unexpected number of registers");
  takeLiterals(d, info);
  std::vector<int32_t> slots;
  for (const RawOperand &part : out.elements)
    slots.push_back(d.dst(part, b32));
  if (info.aInRegs)
    for (const RawOperand &part : a.elements)
      slots.push_back(d.src(part, b32));
  else
    slots.push_back(d.src(a, b64));
  slots.push_back(d.src(2, b64));
  int32_t keep = d.pred(d.operand(3));
  int32_t words[infoWords] = {};
  memcpy(words, &info, sizeof info);
  uint32_t list = d.listStart();
  for (int32_t word : words)
    d.listAdd(word);
  for (int32_t slot : slots)
    d.listAdd(slot);
  Inst &inst = d.emit(wgmma, InstClass::Tensor);
  inst.c = keep;
  inst.x = list;
  inst.unit = FlopUnit::Tensor;
  inst.flops = 2u * 16 * p.n * p.k; // Of one of the four warps.
}

void decodeWgmma(Decoder &d) {
  bool isFence = d.take("fence"), commits = d.take("commit_group"),
       waits = d.take("wait_group"), product = d.take("mma_async");
  if (isFence + commits + waits + product != 1)
    d.fail("unsupported form of 'wgmma'");
  takeAligned(d);
  if (product)
    return decodeMmaAsync(d);
  d.expectOperands(waits, waits);
  if (waits && d.literal(0) < 0)
    d.fail("expected a number of groups");
  d.emit(nothing, InstClass::Fence);
}
} // namespace

void mlir::fuse::emu::addWgmmaOps(DecodeTable &table) {
  table["wgmma"] = decodeWgmma;
}
