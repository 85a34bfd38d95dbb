//===- OpsVideo.cpp - The video instructions ------------------------------===//
//
// vadd to vset on selected bytes and halves, and their forms on two halves and
// four bytes. All arithmetic is exact in 64 bits; what is kept is said by the
// types, .sat, the merged position and the second operation.
//
//===----------------------------------------------------------------------===//
#include "Decoder.h"

#include <algorithm>

using namespace mlir::fuse::emu;

namespace {
constexpr RawType b32{RawType::Bits, 32, 1};

enum class Op : uint8_t {
  Add,
  Sub,
  AbsDiff,
  Min,
  Max,
  Shl,
  Shr,
  Mad,
  Set,
  Avrg
};
enum class Second : uint8_t { None, Add, Min, Max, Merge };
enum class Cmp : uint8_t { Eq, Ne, Lt, Le, Gt, Ge };

/// Four source bytes of an operand: 0-3 are those of a, 4-7 those of b.
struct Select {
  uint8_t bytes[4] = {0, 1, 2, 3};
};

struct Video {
  Op op = Op::Add;
  Cmp cmp = Cmp::Eq;
  Second second = Second::None;
  uint8_t lanes = 1; ///< 1, 2 or 4 values in a register.
  bool signedD = false, signedA = false, signedB = false;
  bool sat = false, clamp = false, plusOne = false;
  bool negateProduct = false, negateC = false;
  uint8_t shift = 0;                       ///< Of vmad's result.
  uint8_t sizeA = 4, sizeB = 4, sizeD = 4; ///< Bytes of a scalar's selection.
  Select a, b;
  uint8_t positionD = 0; ///< First byte of a merged scalar.
  uint8_t maskD = 0xf;   ///< Lanes written of a SIMD result.
};

int64_t extend(uint64_t bits, unsigned bytes, bool isSigned) {
  unsigned unused = 64 - 8 * bytes;
  return isSigned ? int64_t(bits << unused) >> unused
                  : int64_t(bits << unused >> unused);
}
int64_t saturate(int64_t value, unsigned bytes, bool isSigned) {
  int64_t high = (int64_t(1) << (8 * bytes - isSigned)) - 1;
  return std::clamp(value, isSigned ? -high - 1 : 0, high);
}

bool compare(Cmp cmp, int64_t x, int64_t y) {
  switch (cmp) {
  case Cmp::Eq:
    return x == y;
  case Cmp::Ne:
    return x != y;
  case Cmp::Lt:
    return x < y;
  case Cmp::Le:
    return x <= y;
  case Cmp::Gt:
    return x > y;
  case Cmp::Ge:
    return x >= y;
  }
  return false;
}

int64_t combine(const Video &v, int64_t x, int64_t y, int64_t c) {
  switch (v.op) {
  case Op::Add:
    return x + y;
  case Op::Sub:
    return x - y;
  case Op::AbsDiff:
    return x < y ? y - x : x - y;
  case Op::Min:
    return std::min(x, y);
  case Op::Max:
    return std::max(x, y);
  case Op::Avrg: {
    int64_t sum = x + y; // Rounded away from zero, as an integer average.
    return (sum + (sum >= 0 ? 1 : 0)) >> 1;
  }
  case Op::Set:
    return compare(v.cmp, x, y);
  case Op::Shl:
  case Op::Shr: {
    uint64_t n = uint64_t(y);
    n = v.clamp ? std::min<uint64_t>(n, 32) : n & 31;
    return v.op == Op::Shl ? int64_t(uint64_t(x) << n) : x >> n;
  }
  case Op::Mad: {
    int64_t product = v.negateProduct ? -(x * y) : x * y;
    int64_t sum = product + (v.negateC ? -c : c) + v.plusOne;
    return sum >> v.shift;
  }
  }
  return 0;
}

/// The result of one lane, truncated or saturated to its type.
int64_t narrow(const Video &v, int64_t value, unsigned bytes) {
  bool isSigned = v.signedD;
  return v.sat ? saturate(value, bytes, isSigned)
               : extend(uint64_t(value), bytes, isSigned);
}

uint32_t scalar(const Video &v, uint32_t a, uint32_t b, uint32_t c) {
  int64_t x = extend(a >> (8 * v.a.bytes[0]), v.sizeA, v.signedA);
  int64_t y = extend(b >> (8 * v.b.bytes[0]), v.sizeB, v.signedB);
  int64_t wideC = extend(c, 4, v.signedD);
  // A merged result saturates to the part that is written.
  unsigned bytes = v.second == Second::Merge ? v.sizeD : 4;
  int64_t r = narrow(v, combine(v, x, y, wideC), bytes);
  switch (v.second) {
  case Second::None:
    return uint32_t(r);
  case Second::Add:
    return uint32_t(r + wideC);
  case Second::Min:
    return uint32_t(std::min(r, wideC));
  case Second::Max:
    return uint32_t(std::max(r, wideC));
  case Second::Merge: {
    uint32_t keep =
        v.sizeD == 4 ? ~0u : ((1u << (8 * v.sizeD)) - 1) << (8 * v.positionD);
    return (c & ~keep) | (uint32_t(r) << (8 * v.positionD) & keep);
  }
  }
  return 0;
}

uint32_t simd(const Video &v, uint32_t a, uint32_t b, uint32_t c) {
  uint64_t both = uint64_t(b) << 32 | a;
  unsigned bytes = 4 / v.lanes;
  auto lane = [&](const Select &select, unsigned k, bool isSigned) {
    uint64_t bits = 0;
    for (unsigned n = 0; n < bytes; ++n)
      bits |= ((both >> (8 * select.bytes[k * bytes + n])) & 0xff) << (8 * n);
    return extend(bits, bytes, isSigned);
  };
  uint32_t result = v.second == Second::Add ? 0 : c;
  int64_t sum = extend(c, 4, v.signedD);
  for (unsigned k = 0; k < v.lanes; ++k) {
    int64_t r = narrow(
        v, combine(v, lane(v.a, k, v.signedA), lane(v.b, k, v.signedB), 0),
        bytes);
    if (!((v.maskD >> k) & 1))
      continue;
    sum += r;
    uint32_t keep = uint32_t((uint64_t(1) << (8 * bytes)) - 1);
    result = (result & ~(keep << (8 * bytes * k))) | (uint32_t(r) & keep)
                                                         << (8 * bytes * k);
  }
  return v.second == Second::Add ? uint32_t(sum) : result;
}

// The form lies in Program::operands from x.
Video formOf(const Warp &w, const Inst &i) {
  Video v;
  memcpy(&v, &w.program->operands[i.x], sizeof v);
  return v;
}
void video(Warp &w, const Inst &i, uint32_t mask) {
  Video v = formOf(w, i);
  map3<uint32_t, uint32_t, uint32_t, uint32_t>(
      w, i, mask, [&v](uint32_t a, uint32_t b, uint32_t c) {
        return v.lanes == 1 ? scalar(v, a, b, c) : simd(v, a, b, c);
      });
}

//===-- Decoding -----------------------------------------------------------=//

/// "b2" or "h1" of a scalar operand: first byte and size.
void takeScalarSelect(Decoder &d, const std::string &text, uint8_t &first,
                      uint8_t &size) {
  if (text.empty())
    return;
  bool byte = text[0] == 'b', half = text[0] == 'h';
  unsigned index = text.size() == 2 ? unsigned(text[1] - '0') : 9;
  if (!(byte && index < 4) && !(half && index < 2))
    d.fail("unknown selection '." + text + "'");
  size = byte ? 1 : 2;
  first = uint8_t(index * size);
}

/// "h10" or "b7654" of a SIMD operand, most significant lane first.
void takeSimdSelect(Decoder &d, const std::string &text, unsigned lanes,
                    unsigned base, Select &select) {
  unsigned bytes = 4 / lanes;
  for (unsigned n = 0; n < 4; ++n)
    select.bytes[n] = uint8_t(base + n);
  if (text.empty())
    return;
  if (text.size() != lanes + 1 || text[0] != (lanes == 2 ? 'h' : 'b'))
    d.fail("unknown selection '." + text + "'");
  for (unsigned k = 0; k < lanes; ++k) {
    unsigned index = unsigned(text[lanes - k] - '0');
    if (index >= 2 * lanes)
      d.fail("unknown selection '." + text + "'");
    for (unsigned n = 0; n < bytes; ++n)
      select.bytes[k * bytes + n] = uint8_t(index * bytes + n);
  }
}

/// "h1" or "b321" of a SIMD result: the lanes that are written.
uint8_t takeSimdMask(Decoder &d, const std::string &text, unsigned lanes) {
  if (text.empty())
    return 0xf;
  uint8_t mask = 0;
  for (size_t k = 1; k < text.size(); ++k) {
    unsigned index = unsigned(text[k] - '0');
    if (index >= lanes)
      d.fail("unknown selection '." + text + "'");
    mask |= uint8_t(1u << index);
  }
  if (text[0] != (lanes == 2 ? 'h' : 'b') || !mask)
    d.fail("unknown selection '." + text + "'");
  return mask;
}

bool takeSigned(Decoder &d) {
  RawType type = d.takeType();
  if (type.bits != 32 || type.packed != 1 ||
      (type.kind != RawType::Signed && type.kind != RawType::Unsigned))
    d.fail("unsupported type of '" + d.inst().opcode + "'");
  return type.kind == RawType::Signed;
}

void takeOperation(Decoder &d, Video &v) {
  v.sat = d.take("sat");
  if (v.op == Op::Set) {
    int cmp = d.takeOneOf({"eq", "ne", "lt", "le", "gt", "ge"});
    if (cmp < 0 || v.sat)
      d.fail("expected a comparison");
    v.cmp = Cmp(cmp);
  }
  if (v.op == Op::Shl || v.op == Op::Shr) {
    int mode = d.takeOneOf({"clamp", "wrap"});
    if (mode < 0)
      d.fail("expected '.clamp' or '.wrap'");
    v.clamp = mode == 0;
  }
  if (v.op == Op::Mad) {
    v.plusOne = d.take("po");
    int shift = d.takeOneOf({"shr7", "shr15"});
    v.shift = shift < 0 ? 0 : shift == 0 ? 7 : 15;
    return;
  }
  int second = v.lanes > 1 ? (d.take("add") ? 0 : -1)
                           : d.takeOneOf({"add", "min", "max"});
  if (second >= 0)
    v.second = Second(second + 1);
}

void takeSelections(Decoder &d, Video &v) {
  const std::string &out = d.operand(0).selection;
  const std::string &a = d.operand(1).selection, &b = d.operand(2).selection;
  if (v.lanes > 1) {
    takeSimdSelect(d, a, v.lanes, 0, v.a);
    takeSimdSelect(d, b, v.lanes, 4, v.b);
    v.maskD = takeSimdMask(d, out, v.lanes);
    return;
  }
  takeScalarSelect(d, a, v.a.bytes[0], v.sizeA);
  takeScalarSelect(d, b, v.b.bytes[0], v.sizeB);
  if (out.empty())
    return;
  if (v.second != Second::None || v.op == Op::Mad)
    d.fail("unexpected selection '." + out + "'");
  takeScalarSelect(d, out, v.positionD, v.sizeD);
  v.second = Second::Merge;
}

void decodeVideo(Decoder &d, Op op, uint8_t lanes) {
  Video v;
  v.op = op;
  v.lanes = lanes;
  if (op == Op::Set) { // vset has no type of the result.
    v.signedA = takeSigned(d);
    v.signedB = takeSigned(d);
  } else {
    v.signedD = takeSigned(d);
    v.signedA = takeSigned(d);
    v.signedB = takeSigned(d);
  }
  takeOperation(d, v);
  bool needsC = lanes > 1 || op == Op::Mad || v.second != Second::None ||
                !d.operand(0).selection.empty();
  d.expectOperands(needsC ? 4 : 3, needsC ? 4 : 3);
  takeSelections(d, v);
  if (op == Op::Mad) {
    v.negateProduct = d.operand(1).minus != d.operand(2).minus;
    v.negateC = d.operand(3).minus;
  }
  int32_t a = d.src(1, b32), b = d.src(2, b32),
          c = needsC ? d.src(3, b32) : d.constant32(0), out = d.dst(0, b32);
  int32_t words[(sizeof v + 3) / 4] = {};
  memcpy(words, &v, sizeof v);
  uint32_t list = d.listStart();
  for (int32_t word : words)
    d.listAdd(word);
  Inst &inst = d.emit(video, InstClass::Integer);
  inst.a = a;
  inst.b = b;
  inst.c = c;
  inst.d = out;
  inst.x = list;
}

template <Op O, uint8_t Lanes>
void decode(Decoder &d) {
  decodeVideo(d, O, Lanes);
}
template <Op O>
void addForms(DecodeTable &table, const char *scalarName, const char *two,
              const char *four) {
  if (scalarName)
    table[scalarName] = decode<O, 1>;
  if (two) {
    table[two] = decode<O, 2>;
    table[four] = decode<O, 4>;
  }
}
} // namespace

void mlir::fuse::emu::addVideoOps(DecodeTable &table) {
  addForms<Op::Add>(table, "vadd", "vadd2", "vadd4");
  addForms<Op::Sub>(table, "vsub", "vsub2", "vsub4");
  addForms<Op::AbsDiff>(table, "vabsdiff", "vabsdiff2", "vabsdiff4");
  addForms<Op::Min>(table, "vmin", "vmin2", "vmin4");
  addForms<Op::Max>(table, "vmax", "vmax2", "vmax4");
  addForms<Op::Shl>(table, "vshl", nullptr, nullptr);
  addForms<Op::Shr>(table, "vshr", nullptr, nullptr);
  addForms<Op::Mad>(table, "vmad", nullptr, nullptr);
  addForms<Op::Set>(table, "vset", "vset2", "vset4");
  addForms<Op::Avrg>(table, nullptr, "vavrg2", "vavrg4");
}
