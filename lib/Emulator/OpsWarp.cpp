//===- OpsWarp.cpp - Instructions across the lanes of a warp --------------===//
//
// shfl, vote, match, redux, activemask and elect. The .sync forms wait until
// all lanes of their mask are here.
//
//===----------------------------------------------------------------------===//
#include "Decoder.h"
#include "Half.h"

#include <algorithm>

using namespace mlir::fuse::emu;

namespace {
constexpr RawType u32{RawType::Unsigned, 32, 1};
constexpr RawType b32{RawType::Bits, 32, 1};

/// The member mask of the lowest lane; false when the lanes must wait.
bool join(Warp &w, const Inst &i, int32_t slot, uint32_t &mask) {
  unsigned lead = __builtin_ctz(mask);
  uint32_t members = w.reg<uint32_t>(slot)[lead];
  if (!((members >> lead) & 1))
    trap(w, i, lead, "the lane is not in the member mask it gives");
  return converged(w, i, mask, members);
}

void setPred(Warp &w, int32_t slot, uint32_t bits, uint32_t mask) {
  uint32_t &p = *w.reg<uint32_t>(slot);
  p = (p & ~mask) | (bits & mask);
}

// a value, b lane operand, c clamp, x slot of the mask, target slot of the
// predicate. flags: 0 up, 1 down, 2 bfly, 3 idx.
void shfl(Warp &w, const Inst &i, uint32_t mask) {
  if (!join(w, i, int32_t(i.x), mask))
    return;
  const uint32_t *a = w.reg<uint32_t>(i.a), *b = w.reg<uint32_t>(i.b),
                 *c = w.reg<uint32_t>(i.c);
  alignas(64) uint32_t from[32], t[32];
  uint32_t valid = 0;
  for (int l = 0; l < 32; ++l) {
    int bval = int(b[l] & 31), cval = int(c[l] & 31);
    int seg = int(c[l] >> 8) & 31;
    int maxLane = (l & seg) | (cval & ~seg), minLane = l & seg;
    int j = 0;
    bool ok = false;
    switch (i.flags) {
    case 0:
      j = l - bval;
      ok = j >= maxLane;
      break;
    case 1:
      j = l + bval;
      ok = j <= maxLane;
      break;
    case 2:
      j = l ^ bval;
      ok = j <= maxLane;
      break;
    case 3:
      j = minLane | (bval & ~seg);
      ok = j <= maxLane;
      break;
    }
    from[l] = uint32_t(ok ? j : l) & 31;
    valid |= uint32_t(ok) << l;
  }
  for (unsigned l = 0; l < 32; ++l)
    t[l] = a[from[l]];
  commit(w.reg<uint32_t>(i.d), t, mask);
  if (i.target)
    setPred(w, int32_t(i.target), valid, mask);
}

void decodeShfl(Decoder &d) {
  if (!d.take("sync"))
    d.fail("unsupported: 'shfl' without '.sync'");
  int mode = d.takeOneOf({"up", "down", "bfly", "idx"});
  d.takeType();
  d.expectOperands(5, 5);
  if (mode < 0)
    d.fail("expected a mode of 'shfl'");
  int32_t a = d.src(1, b32), b = d.src(2, u32), c = d.src(3, u32),
          members = d.src(4, b32), out = d.dst(0, b32), p = 0;
  if (d.operand(0).reg2 >= 0) {
    RawOperand second = d.operand(0);
    second.kind = RawOperand::Reg;
    second.reg = second.reg2;
    p = d.predDst(second);
  }
  Inst &inst = d.emit(shfl, InstClass::Shuffle);
  inst.a = a;
  inst.b = b;
  inst.c = c;
  inst.d = out;
  inst.x = uint32_t(members);
  inst.target = uint32_t(p);
  inst.flags = uint8_t(mode);
}

// a predicate, b mask slot. flags: 0 all, 1 any, 2 uni, 3 ballot.
void vote(Warp &w, const Inst &i, uint32_t mask) {
  if (!join(w, i, i.b, mask))
    return;
  uint32_t p = *w.reg<uint32_t>(i.a) & mask;
  if (i.flags == 3) {
    uint32_t *d = w.reg<uint32_t>(i.d);
    forLanes(mask, [&](unsigned l) { d[l] = p; });
    return;
  }
  bool result = i.flags == 0   ? p == mask
                : i.flags == 1 ? p != 0
                               : p == 0 || p == mask;
  setPred(w, i.d, result ? ~0u : 0, mask);
}
void decodeVote(Decoder &d) {
  if (!d.take("sync"))
    d.fail("unsupported: 'vote' without '.sync'");
  int mode = d.takeOneOf({"all", "any", "uni", "ballot"});
  RawType type = d.takeType();
  d.expectOperands(3, 3);
  int32_t p = d.pred(d.operand(1)), members = d.src(2, b32);
  int32_t out = d.dst(0, type);
  Inst &inst = d.emit(vote, InstClass::Vote);
  inst.a = p;
  inst.b = members;
  inst.d = out;
  inst.flags = uint8_t(mode);
}

template <typename T>
void match(Warp &w, const Inst &i, uint32_t mask) {
  if (!join(w, i, i.b, mask))
    return;
  const T *a = w.reg<T>(i.a);
  uint32_t *d = w.reg<uint32_t>(i.d);
  if (i.flags) { // all
    bool all = true;
    T value = a[__builtin_ctz(mask)];
    forLanes(mask, [&](unsigned l) { all &= a[l] == value; });
    forLanes(mask, [&](unsigned l) { d[l] = all ? mask : 0; });
    if (i.c)
      setPred(w, i.c, all ? ~0u : 0, mask);
    return;
  }
  uint32_t result[32];
  forLanes(mask, [&](unsigned l) {
    result[l] = 0;
    forLanes(mask,
             [&](unsigned k) { result[l] |= uint32_t(a[k] == a[l]) << k; });
  });
  forLanes(mask, [&](unsigned l) { d[l] = result[l]; });
}
void decodeMatch(Decoder &d) {
  d.take("sync");
  bool all = d.takeOneOf({"any", "all"}) == 1;
  RawType type = d.takeType();
  int32_t a = d.src(1, type), members = d.src(2, b32), out = d.dst(0, b32);
  int32_t p = 0;
  if (d.operand(0).reg2 >= 0) {
    if (!all)
      d.fail("unexpected '|' in an operand of 'match.any'");
    RawOperand second = d.operand(0);
    second.kind = RawOperand::Reg;
    second.reg = second.reg2;
    p = d.predDst(second);
  }
  Inst &inst = d.emit(type.bits == 64 ? match<uint64_t> : match<uint32_t>,
                      InstClass::Vote);
  inst.a = a;
  inst.b = members;
  inst.c = p;
  inst.d = out;
  inst.flags = all;
}

enum Redux : uint8_t { Add, Min, Max, And, Or, Xor };
// flags: operation, 8 signed, 16 float, 32 absolute, 64 NaN.
uint32_t reduce(uint8_t flags, uint32_t x, uint32_t y) {
  uint8_t op = flags & 7;
  if (flags & 16) {
    float a = bitsFloat(x), b = bitsFloat(y);
    if (flags & 32)
      a = std::fabs(a), b = std::fabs(b);
    if (a != a || b != b)
      return (flags & 64) || (a != a && b != b) ? 0x7fffffff
                                                : floatBits(a != a ? b : a);
    if (a == b)
      return floatBits(std::signbit(a) == (op == Max) ? b : a);
    return floatBits((op == Max ? a > b : a < b) ? a : b);
  }
  switch (op) {
  case Add:
    return x + y;
  case And:
    return x & y;
  case Or:
    return x | y;
  case Xor:
    return x ^ y;
  default:
    break;
  }
  bool less = flags & 8 ? int32_t(x) < int32_t(y) : x < y;
  return less == (op == Min) ? x : y;
}
void redux(Warp &w, const Inst &i, uint32_t mask) {
  if (!join(w, i, i.b, mask))
    return;
  const uint32_t *a = w.reg<uint32_t>(i.a);
  unsigned lead = __builtin_ctz(mask);
  uint32_t value = a[lead];
  if (i.flags & 32)
    value &= 0x7fffffff;
  forLanes(mask & ~(1u << lead),
           [&](unsigned l) { value = reduce(i.flags, value, a[l]); });
  uint32_t *d = w.reg<uint32_t>(i.d);
  forLanes(mask, [&](unsigned l) { d[l] = value; });
}
void decodeRedux(Decoder &d) {
  d.take("sync");
  int op = d.takeOneOf({"add", "min", "max", "and", "or", "xor"});
  bool absolute = d.take("abs"), nan = d.take("NaN");
  RawType type = d.takeType();
  d.expectOperands(3, 3);
  int32_t a = d.src(1, type), members = d.src(2, b32), out = d.dst(0, type);
  Inst &inst = d.emit(redux, InstClass::Vote);
  inst.a = a;
  inst.b = members;
  inst.d = out;
  inst.flags =
      uint8_t(op | (type.kind == RawType::Signed ? 8 : 0) |
              (type.isFloat() ? 16 : 0) | (absolute ? 32 : 0) | (nan ? 64 : 0));
}

void activeMask(Warp &w, const Inst &i, uint32_t mask) {
  uint32_t *d = w.reg<uint32_t>(i.d);
  forLanes(mask, [&](unsigned l) { d[l] = mask; });
}

void elect(Warp &w, const Inst &i, uint32_t mask) {
  if (!join(w, i, i.b, mask))
    return;
  uint32_t lead = uint32_t(__builtin_ctz(mask));
  uint32_t *d = w.reg<uint32_t>(i.d);
  forLanes(mask, [&](unsigned l) { d[l] = lead; });
  if (i.c)
    setPred(w, i.c, 1u << lead, mask);
}
void decodeElect(Decoder &d) {
  d.take("sync");
  int32_t members = d.src(1, b32), out = d.dst(0, b32), p = 0;
  if (d.operand(0).reg2 >= 0) {
    RawOperand second = d.operand(0);
    second.kind = RawOperand::Reg;
    second.reg = second.reg2;
    p = d.predDst(second);
  }
  Inst &inst = d.emit(elect, InstClass::Vote);
  inst.b = members;
  inst.c = p;
  inst.d = out;
}
} // namespace

void mlir::fuse::emu::addWarpOps(DecodeTable &table) {
  table["shfl"] = decodeShfl;
  table["vote"] = decodeVote;
  table["match"] = decodeMatch;
  table["redux"] = decodeRedux;
  table["activemask"] = [](Decoder &d) {
    d.takeType();
    int32_t out = d.dst(0, b32);
    d.emit(activeMask, InstClass::Vote).d = out;
  };
  table["elect"] = decodeElect;
}
