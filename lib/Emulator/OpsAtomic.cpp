//===- OpsAtomic.cpp - atom and red ---------------------------------------===//
//
// Lanes update memory one after the other by host atomics, because other
// blocks run on other host threads. The order among lanes is by lane; among
// blocks it is the host's, as on hardware.
//
//===----------------------------------------------------------------------===//
#include "Access.h"
#include "Decoder.h"
#include "Half.h"

#include <algorithm>

using namespace mlir::fuse::emu;

namespace {
enum class Op : uint8_t { And, Or, Xor, Exch, Add, Inc, Dec, Min, Max, Cas };

template <typename T>
T minMaxFloat(T a, T b, bool max) {
  if (a != a)
    return b;
  if (b != b)
    return a;
  if (a == b)
    return std::signbit(a) == max ? b : a;
  return (max ? a > b : a < b) ? a : b;
}

template <typename T>
T combineInt(Op op, T old, T b, T c) {
  using U = std::make_unsigned_t<T>;
  switch (op) {
  case Op::And:
    return old & b;
  case Op::Or:
    return old | b;
  case Op::Xor:
    return old ^ b;
  case Op::Exch:
    return b;
  case Op::Add:
    return T(U(old) + U(b));
  case Op::Inc:
    return U(old) >= U(b) ? T(0) : T(U(old) + 1);
  case Op::Dec:
    return old == 0 || U(old) > U(b) ? b : T(U(old) - 1);
  case Op::Min:
    return std::min(old, b);
  case Op::Max:
    return std::max(old, b);
  case Op::Cas:
    return old == b ? c : old;
  }
  return old;
}

uint32_t combineHalf(Op op, RawType::Kind kind, uint32_t x, uint32_t y) {
  bool isHalf = kind == RawType::Float;
  float a = isHalf ? halfToFloat(x) : bfloatToFloat(x);
  float b = isHalf ? halfToFloat(y) : bfloatToFloat(y);
  float r = op == Op::Add ? a + b : minMaxFloat(a, b, op == Op::Max);
  return isHalf ? floatToHalf(r) : floatToBFloat(r);
}

/// New value of memory; `flags`: the type kind, with 0x40 for packed and 0x80
/// for global memory, whose f32 adds flush subnormals.
uint64_t combine(const Inst &i, uint64_t old, uint64_t b, uint64_t c) {
  Op op = Op(i.n);
  auto kind = RawType::Kind(i.flags & 0x3f);
  bool isFloat = kind >= RawType::Float;
  bool bitwise = op <= Op::Exch || op == Op::Cas;
  if (i.size == 8) {
    if (isFloat && !bitwise) {
      double x = bitsDouble(old), y = bitsDouble(b);
      return doubleBits(op == Op::Add ? x + y
                                      : minMaxFloat(x, y, op == Op::Max));
    }
    return kind == RawType::Signed
               ? uint64_t(combineInt<int64_t>(op, int64_t(old), int64_t(b),
                                              int64_t(c)))
               : combineInt<uint64_t>(op, old, b, c);
  }
  if (i.size == 2) {
    if (isFloat && !bitwise)
      return combineHalf(op, kind, uint32_t(old), uint32_t(b));
    return uint16_t(combineInt<uint32_t>(op, uint32_t(old),
                                         uint32_t(b & 0xffff), uint32_t(c)));
  }
  uint32_t x = uint32_t(old), y = uint32_t(b);
  if (isFloat && !bitwise) {
    if (i.flags & 0x40)
      return combineHalf(op, kind, x & 0xffff, y & 0xffff) |
             combineHalf(op, kind, x >> 16, y >> 16) << 16;
    float u = bitsFloat(x), v = bitsFloat(y);
    bool flush = (i.flags & 0x80) && op == Op::Add;
    if (flush)
      u = flushFloat(u), v = flushFloat(v);
    float r = op == Op::Add ? u + v : minMaxFloat(u, v, op == Op::Max);
    if (r != r)
      return 0x7fffffff;
    return floatBits(flush ? flushFloat(r) : r);
  }
  return kind == RawType::Signed ? uint32_t(combineInt<int32_t>(
                                       op, int32_t(x), int32_t(y), int32_t(c)))
                                 : combineInt<uint32_t>(op, x, y, uint32_t(c));
}

template <typename T>
uint64_t update(const Inst &i, uint8_t *p, uint64_t b, uint64_t c) {
  T *cell = reinterpret_cast<T *>(p);
  T old = __atomic_load_n(cell, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(cell, &old, T(combine(i, old, b, c)),
                                      false, __ATOMIC_SEQ_CST,
                                      __ATOMIC_RELAXED)) {
  }
  return old;
}

uint64_t readSlot(Warp &w, int32_t slot, unsigned lane, unsigned size) {
  return size == 8 ? w.reg<uint64_t>(slot)[lane] : w.reg<uint32_t>(slot)[lane];
}

// d: result or 0. Vector forms have `target` elements listed from x: values,
// then results.
void atomic(Warp &w, const Inst &i, uint32_t mask) {
  alignas(64) uint64_t a[32];
  laneAddresses(w, i, i.a, a);
  Resolved r;
  unsigned count = i.target;
  resolve(w, i, mask, a, i.space, i.size * count, AccessKind::Atomic, r);
  const int32_t *list = count > 1 ? &w.program->operands[i.x] : nullptr;
  forLanes(mask, [&](unsigned l) {
    for (unsigned k = 0; k < count; ++k) {
      uint64_t b = readSlot(w, list ? list[k] : i.b, l, i.size);
      uint64_t c = i.c ? readSlot(w, i.c, l, i.size) : 0;
      uint8_t *p = r.ptr[l] + k * i.size;
      uint64_t old = i.size == 8   ? update<uint64_t>(i, p, b, c)
                     : i.size == 4 ? update<uint32_t>(i, p, b, c)
                                   : update<uint16_t>(i, p, b, c);
      int32_t out = list ? (i.d ? list[count + k] : 0) : i.d;
      if (!out)
        continue;
      if (i.size == 8)
        w.reg<uint64_t>(out)[l] = old;
      else
        w.reg<uint32_t>(out)[l] = uint32_t(old);
    }
  });
}

Space takeSpace(Decoder &d) {
  if (d.take("global"))
    return Space::Global;
  if (d.take("shared") || d.take("shared::cta") || d.take("shared::cluster"))
    return Space::Shared;
  return Space::None;
}

void decodeAtomic(Decoder &d, bool hasResult) {
  Space space = takeSpace(d);
  for (const char *mod : {"relaxed", "acquire", "release", "acq_rel", "cta",
                          "cluster", "gpu", "sys", "noftz"})
    d.take(mod);
  bool hint = d.take("L2::cache_hint");
  int op = d.takeOneOf(
      {"and", "or", "xor", "exch", "add", "inc", "dec", "min", "max", "cas"});
  int vector = d.takeOneOf({"v2", "v4", "v8"});
  RawType type = d.takeType();
  if (op < 0)
    d.fail("unsupported operation of '" + d.inst().opcode + "'");
  unsigned bits = type.totalBits(), count = vector < 0 ? 1 : 2u << vector;
  if (bits != 16 && bits != 32 && bits != 64)
    d.fail("unsupported type of '" + d.inst().opcode + "'");
  unsigned first = hasResult ? 1 : 0;
  bool isCas = Op(op) == Op::Cas;
  d.expectOperands(first + 2 + isCas, first + 2 + isCas + hint);
  Decoder::Address address = d.address(d.operand(first));
  auto partsOf = [&](const RawOperand &o) {
    return o.kind == RawOperand::Vector ? o.elements
                                        : std::vector<RawOperand>{o};
  };
  std::vector<int32_t> values, results;
  for (const RawOperand &part : partsOf(d.operand(first + 1)))
    values.push_back(d.src(part, type));
  int32_t c = isCas ? d.src(first + 2, type) : 0;
  if (hasResult)
    for (const RawOperand &part : partsOf(d.operand(0)))
      results.push_back(d.dst(part, type));
  if (values.size() != count || (hasResult && results.size() != count))
    d.fail("expected a vector of " + std::to_string(count) + " elements");
  uint32_t list = d.listStart();
  for (int32_t slot : values)
    d.listAdd(slot);
  for (int32_t slot : results)
    d.listAdd(slot);
  Inst &inst = d.emit(atomic, InstClass::Atomic);
  inst.a = address.base;
  inst.imm = address.offset;
  inst.b = values[0];
  inst.c = c;
  inst.d = hasResult ? results[0] : 0;
  inst.x = list;
  inst.target = count;
  inst.space = address.space != Space::None ? address.space : space;
  inst.strong = true;
  inst.size = uint8_t(bits / 8);
  inst.n = uint8_t(op);
  inst.flags = uint8_t(type.kind | (type.packed == 2 ? 0x40 : 0) |
                       (space == Space::Global ? 0x80 : 0));
}
} // namespace

void mlir::fuse::emu::addAtomicOps(DecodeTable &table) {
  table["atom"] = [](Decoder &d) { decodeAtomic(d, true); };
  table["red"] = [](Decoder &d) {
    // red.async works on mbarriers of other blocks.
    if (d.take("async"))
      d.fail("unsupported instruction 'red.async'");
    decodeAtomic(d, false);
  };
}
