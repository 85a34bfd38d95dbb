//===- OpsAtomic.cpp - atom and red ---------------------------------------===//
//
// Lanes update memory one after the other by host atomics, because other
// blocks run on other host threads. The order among lanes is by lane; among
// blocks it is the host's, as on hardware.
//
//===----------------------------------------------------------------------===//
#include "Async.h"
#include "Atomic.h"
#include "Half.h"

#include <algorithm>
#include <mutex>

using namespace mlir::fuse::emu;

namespace {
constexpr RawType b64{RawType::Bits, 64, 1};
constexpr RawType b128{RawType::Bits, 128, 1};

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
T combineInt(AtomicOp op, T old, T b, T c) {
  using U = std::make_unsigned_t<T>;
  switch (op) {
  case AtomicOp::And:
    return old & b;
  case AtomicOp::Or:
    return old | b;
  case AtomicOp::Xor:
    return old ^ b;
  case AtomicOp::Exch:
    return b;
  case AtomicOp::Add:
    return T(U(old) + U(b));
  case AtomicOp::Inc:
    return U(old) >= U(b) ? T(0) : T(U(old) + 1);
  case AtomicOp::Dec:
    return old == 0 || U(old) > U(b) ? b : T(U(old) - 1);
  case AtomicOp::Min:
    return std::min(old, b);
  case AtomicOp::Max:
    return std::max(old, b);
  case AtomicOp::Cas:
    return old == b ? c : old;
  }
  return old;
}

uint32_t combineHalf(AtomicOp op, RawType::Kind kind, uint32_t x, uint32_t y) {
  bool isHalf = kind == RawType::Float;
  float a = isHalf ? halfToFloat(x) : bfloatToFloat(x);
  float b = isHalf ? halfToFloat(y) : bfloatToFloat(y);
  float r =
      op == AtomicOp::Add ? a + b : minMaxFloat(a, b, op == AtomicOp::Max);
  return isHalf ? floatToHalf(r) : floatToBFloat(r);
}

uint32_t combineF32(const AtomicUpdate &u, uint32_t x, uint32_t y) {
  float a = bitsFloat(x), b = bitsFloat(y);
  bool flush = u.flush && u.op == AtomicOp::Add;
  if (flush)
    a = flushFloat(a), b = flushFloat(b);
  float r =
      u.op == AtomicOp::Add ? a + b : minMaxFloat(a, b, u.op == AtomicOp::Max);
  if (r != r)
    return 0x7fffffff;
  return floatBits(flush ? flushFloat(r) : r);
}

uint64_t combineWide(const AtomicUpdate &u, uint64_t old, uint64_t b,
                     uint64_t c) {
  if (u.type.isFloat()) {
    double x = bitsDouble(old), y = bitsDouble(b);
    return doubleBits(u.op == AtomicOp::Add
                          ? x + y
                          : minMaxFloat(x, y, u.op == AtomicOp::Max));
  }
  return u.type.kind == RawType::Signed
             ? uint64_t(combineInt<int64_t>(u.op, int64_t(old), int64_t(b),
                                            int64_t(c)))
             : combineInt<uint64_t>(u.op, old, b, c);
}

/// New value of memory.
uint64_t combine(const AtomicUpdate &u, uint64_t old, uint64_t b, uint64_t c) {
  bool isFloat = u.type.isFloat();
  uint32_t x = uint32_t(old), y = uint32_t(b);
  switch (u.bytes()) {
  case 8:
    return combineWide(u, old, b, c);
  case 2:
    if (isFloat)
      return combineHalf(u.op, u.type.kind, x, y & 0xffff);
    return uint16_t(combineInt<uint32_t>(u.op, x, y & 0xffff, uint32_t(c)));
  default:
    if (isFloat && u.type.packed == 2)
      return combineHalf(u.op, u.type.kind, x & 0xffff, y & 0xffff) |
             combineHalf(u.op, u.type.kind, x >> 16, y >> 16) << 16;
    if (isFloat)
      return combineF32(u, x, y);
    return u.type.kind == RawType::Signed
               ? uint32_t(combineInt<int32_t>(u.op, int32_t(x), int32_t(y),
                                              int32_t(c)))
               : combineInt<uint32_t>(u.op, x, y, uint32_t(c));
  }
}

template <typename T>
uint64_t update(const AtomicUpdate &u, uint8_t *p, uint64_t b, uint64_t c) {
  T *cell = reinterpret_cast<T *>(p);
  T old = __atomic_load_n(cell, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(cell, &old, T(combine(u, old, b, c)),
                                      false, __ATOMIC_SEQ_CST,
                                      __ATOMIC_RELAXED)) {
  }
  return old;
}

uint64_t readSlot(Warp &w, int32_t slot, unsigned lane, unsigned size) {
  return size == 8 ? w.reg<uint64_t>(slot)[lane] : w.reg<uint32_t>(slot)[lane];
}

AtomicUpdate updateOf(const Inst &i) {
  AtomicUpdate u;
  u.op = AtomicOp(i.n);
  u.type.kind = RawType::Kind(i.flags & 0x3f);
  u.type.packed = i.flags & 0x40 ? 2 : 1;
  u.type.bits = uint8_t(i.size * 8 / u.type.packed);
  u.flush = i.flags & 0x80;
  return u;
}

// d: result or 0. Vector forms have `target` elements listed from x: values,
// then results. flags: the type kind, 0x40 packed, 0x80 global memory.
void atomic(Warp &w, const Inst &i, uint32_t mask) {
  alignas(64) uint64_t a[32];
  laneAddresses(w, i, i.a, a);
  Resolved r;
  unsigned count = i.target;
  resolve(w, i, mask, a, i.space, i.size * count, AccessKind::Atomic, r);
  const int32_t *list = count > 1 ? &w.program->operands[i.x] : nullptr;
  AtomicUpdate u = updateOf(i);
  forLanes(mask, [&](unsigned l) {
    for (unsigned k = 0; k < count; ++k) {
      uint64_t b = readSlot(w, list ? list[k] : i.b, l, i.size);
      uint64_t c = i.c ? readSlot(w, i.c, l, i.size) : 0;
      uint64_t old = updateCell(u, r.ptr[l] + k * i.size, b, c);
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

/// exch and cas of 128 bits: two adjacent 64-bit slots, under one lock because
/// not every host has an instruction for it.
void atomicWide(Warp &w, const Inst &i, uint32_t mask) {
  static std::mutex mutex;
  alignas(64) uint64_t a[32];
  laneAddresses(w, i, i.a, a);
  Resolved r;
  resolve(w, i, mask, a, i.space, 16, AccessKind::Atomic, r);
  std::lock_guard<std::mutex> lock(mutex);
  forLanes(mask, [&](unsigned l) {
    auto read = [&](int32_t slot, unsigned half) {
      return w.reg<uint64_t>(slot + int32_t(256 * half))[l];
    };
    uint64_t old[2];
    memcpy(old, r.ptr[l], 16);
    bool isCas = AtomicOp(i.n) == AtomicOp::Cas;
    bool swap = !isCas || (old[0] == read(i.b, 0) && old[1] == read(i.b, 1));
    int32_t from = isCas ? i.c : i.b;
    uint64_t fresh[2] = {read(from, 0), read(from, 1)};
    if (swap)
      memcpy(r.ptr[l], fresh, 16);
    for (unsigned half = 0; half < 2; ++half)
      w.reg<uint64_t>(i.d + int32_t(256 * half))[l] = old[half];
  });
}

//===-- Decoding -----------------------------------------------------------=//

Space takeSpace(Decoder &d) {
  if (d.take("global"))
    return Space::Global;
  if (d.takeOneOf({"shared", "shared::cta", "shared::cluster"}) >= 0)
    return Space::Shared;
  return Space::None;
}

/// Pairs of operation and type of plain atomics; `wide` adds those that only
/// vectors and asynchronous reductions have.
bool isKnown(AtomicOp op, RawType type, bool wide) {
  unsigned bits = type.totalBits();
  bool isBits = type.kind == RawType::Bits,
       half = type.isFloat() && type.bits == 16;
  bool isInteger =
      type.kind == RawType::Unsigned || type.kind == RawType::Signed;
  switch (op) {
  case AtomicOp::And:
  case AtomicOp::Or:
  case AtomicOp::Xor:
    return isBits && (bits == 32 || bits == 64);
  case AtomicOp::Exch:
    return isBits && (bits == 32 || bits == 64 || bits == 128);
  case AtomicOp::Cas:
    return isBits && (bits == 16 || bits == 32 || bits == 64 || bits == 128);
  case AtomicOp::Inc:
  case AtomicOp::Dec:
    return type.kind == RawType::Unsigned && bits == 32;
  case AtomicOp::Add:
    return half || (type.kind == RawType::Float && type.packed == 1) ||
           (isInteger && type.packed == 1 &&
            (bits == 32 || (bits == 64 && type.kind == RawType::Unsigned)));
  case AtomicOp::Min:
  case AtomicOp::Max:
    return (half && wide) ||
           (isInteger && type.packed == 1 && (bits == 32 || bits == 64));
  }
  return false;
}

std::vector<RawOperand> partsOf(const RawOperand &o) {
  return o.kind == RawOperand::Vector ? o.elements : std::vector{o};
}

/// Order, scope, hint; true when a cache policy follows the operands.
bool takeOrdering(Decoder &d) {
  d.takeOneOf({"relaxed", "acquire", "release", "acq_rel"});
  d.takeOneOf({"cta", "cluster", "gpu", "sys"});
  return d.take("L2::cache_hint");
}

void fillInst(Inst &inst, const AtomicUpdate &u, Decoder::Address address,
              Space space) {
  inst.a = address.base;
  inst.imm = address.offset;
  inst.space = address.space != Space::None ? address.space : space;
  inst.strong = true;
  inst.size = uint8_t(u.bytes());
  inst.n = uint8_t(u.op);
  inst.flags = uint8_t(u.type.kind | (u.type.packed == 2 ? 0x40 : 0) |
                       (inst.space == Space::Global ? 0x80 : 0));
}

void decodeAtomicWide(Decoder &d, const AtomicUpdate &u, Space space) {
  bool isCas = u.op == AtomicOp::Cas;
  Decoder::Address address = d.address(d.operand(1));
  int32_t b = d.src(2, b128), c = isCas ? d.src(3, b128) : 0;
  int32_t out = d.dst(0, b128);
  Inst &inst = d.emit(atomicWide, InstClass::Atomic);
  fillInst(inst, u, address, space);
  inst.b = b;
  inst.c = c;
  inst.d = out;
}

void decodeAtomic(Decoder &d, bool hasResult) {
  Space space = takeSpace(d);
  bool hint = takeOrdering(d);
  int vector = d.takeOneOf({"v2", "v4", "v8"});
  unsigned count = vector < 0 ? 1 : 2u << vector;
  AtomicUpdate u = takeAtomic(d, count > 1);
  unsigned first = hasResult ? 1 : 0;
  bool isCas = u.op == AtomicOp::Cas;
  if (!hasResult && (isCas || u.op == AtomicOp::Exch))
    d.fail("'red' has no '.cas' and '.exch'");
  if (count > 1 && (u.bytes() * count > 16 || !u.type.isFloat()))
    d.fail("unsupported vector of '" + d.inst().opcode + "'");
  d.expectOperands(first + 2 + isCas + hint, first + 2 + isCas + hint);
  if (hint)
    d.src(first + 2 + isCas, b64);
  if (u.bytes() == 16)
    return decodeAtomicWide(d, u, space);
  Decoder::Address address = d.address(d.operand(first));
  std::vector<int32_t> slots;
  std::vector<RawOperand> values = partsOf(d.operand(first + 1)),
                          results = hasResult ? partsOf(d.operand(0)) : values;
  if (values.size() != count || results.size() != count)
    d.fail("expected a vector of " + std::to_string(count) + " elements");
  for (const RawOperand &part : values)
    slots.push_back(d.src(part, u.type));
  int32_t c = isCas ? d.src(first + 2, u.type) : 0;
  bool wanted = hasResult && d.operand(0).kind != RawOperand::Sink;
  for (const RawOperand &part : results)
    slots.push_back(wanted ? d.dst(part, u.type) : 0);
  uint32_t list = d.listStart();
  for (int32_t slot : slots)
    d.listAdd(slot);
  Inst &inst = d.emit(atomic, InstClass::Atomic);
  fillInst(inst, u, address, space);
  inst.b = slots[0];
  inst.c = c;
  inst.d = wanted ? slots[count] : 0;
  inst.x = list;
  inst.target = count;
}
} // namespace

uint64_t mlir::fuse::emu::updateCell(const AtomicUpdate &u, uint8_t *cell,
                                     uint64_t b, uint64_t c) {
  return u.bytes() == 8   ? update<uint64_t>(u, cell, b, c)
         : u.bytes() == 4 ? update<uint32_t>(u, cell, b, c)
                          : update<uint16_t>(u, cell, b, c);
}

AtomicUpdate mlir::fuse::emu::takeAtomic(Decoder &d, bool wide) {
  AtomicUpdate u;
  int op = d.takeOneOf(
      {"and", "or", "xor", "exch", "add", "inc", "dec", "min", "max", "cas"});
  bool noFlush = d.take("noftz");
  u.type = d.takeType();
  if (op < 0)
    d.fail("unsupported operation of '" + d.inst().opcode + "'");
  u.op = AtomicOp(op);
  bool half = u.type.isFloat() && u.type.bits == 16;
  if (!isKnown(u.op, u.type, wide))
    d.fail("unsupported type of '" + d.inst().opcode + "'");
  if (noFlush != (half && (u.op == AtomicOp::Add || noFlush)))
    d.fail(half ? "expected '.noftz'" : "unsupported modifier '.noftz'");
  return u;
}

void mlir::fuse::emu::addAtomicOps(DecodeTable &table) {
  table["atom"] = [](Decoder &d) { decodeAtomic(d, true); };
  table["red"] = [](Decoder &d) {
    d.take("async") ? decodeReduceAsync(d) : decodeAtomic(d, false);
  };
}
