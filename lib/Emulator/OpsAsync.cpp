//===- OpsAsync.cpp - cp.async, mbarrier, bulk copies ---------------------===//
//
// Asynchronous copies are done at once: every program that waits as it must
// sees the same. An mbarrier is a 64-bit word in shared memory with a layout
// of our own (programs may not look into it).
//
//===----------------------------------------------------------------------===//
#include "Access.h"
#include "Checker.h"
#include "Decoder.h"

#include <algorithm>

using namespace mlir::fuse::emu;

namespace {
constexpr RawType u32{RawType::Unsigned, 32, 1};
constexpr RawType b64{RawType::Bits, 64, 1};

void nothing(Warp &, const Inst &, uint32_t) {}

//===-- cp.async -----------------------------------------------------------=//

// a destination (offset imm), b source (offset in x), c slot of the source
// size or 0, size bytes per lane.
void copyAsync(Warp &w, const Inst &i, uint32_t mask) {
  alignas(64) uint64_t to[32], from[32];
  const uint64_t *a = w.reg<uint64_t>(i.a), *b = w.reg<uint64_t>(i.b);
  uint32_t reading = 0, partial = 0;
  for (unsigned l = 0; l < 32; ++l) {
    to[l] = a[l] + uint64_t(i.imm);
    from[l] = b[l] + uint64_t(int64_t(int32_t(i.x)));
    uint32_t bytes = i.c ? w.reg<uint32_t>(i.c)[l] : i.size;
    reading |= uint32_t(bytes >= i.size) << l;
    partial |= uint32_t(bytes > 0 && bytes < i.size) << l;
  }
  reading &= mask;
  partial &= mask;
  Resolved target, source;
  resolve(w, i, mask, to, Space::Shared, i.size, AccessKind::Store, target);
  forLanes(mask & ~reading,
           [&](unsigned l) { memset(target.ptr[l], 0, i.size); });
  if (reading) {
    resolve(w, i, reading, from, Space::Global, i.size, AccessKind::Load,
            source);
    forLanes(reading,
             [&](unsigned l) { memcpy(target.ptr[l], source.ptr[l], i.size); });
  }
  forLanes(partial, [&](unsigned l) {
    uint32_t bytes = w.reg<uint32_t>(i.c)[l];
    memcpy(target.ptr[l],
           resolveLane(w, i, l, from[l], Space::Global, bytes, false), bytes);
  });
  if (w.worker->checker)
    w.worker->checker->copyStarted(w, mask, to, i.size);
}

void commitGroup(Warp &w, const Inst &, uint32_t mask) {
  if (w.worker->checker)
    w.worker->checker->commitGroup(w, mask);
}
/// x: groups that may stay open; all have to be done for wait_all.
void waitGroup(Warp &w, const Inst &i, uint32_t mask) {
  if (w.worker->checker)
    w.worker->checker->waitGroups(w, mask, i.x, i.flags);
}

void decodeCopy(Decoder &d) {
  d.takeOneOf({"ca", "cg"});
  if (!d.take("shared") && !d.take("shared::cta"))
    d.fail("unsupported form of 'cp.async'");
  if (!d.take("global"))
    d.fail("unsupported form of 'cp.async'");
  bool hint = d.take("L2::cache_hint");
  d.takePrefix("L2::");
  d.expectOperands(3, 4 + hint);
  Decoder::Address to = d.address(d.operand(0)), from = d.address(d.operand(1));
  int64_t bytes = d.literal(2);
  if (bytes != 4 && bytes != 8 && bytes != 16)
    d.fail("unsupported size of 'cp.async'");
  int32_t sourceSize = 0;
  if (d.numOperands() == 4u + hint) {
    if (d.regBits(d.operand(3)) == 1)
      d.fail("unsupported 'ignore-src' of 'cp.async'");
    sourceSize = d.src(3, u32);
  }
  if (from.offset != int32_t(from.offset))
    d.fail("unsupported absolute source of 'cp.async'");
  Inst &inst = d.emit(copyAsync, InstClass::AsyncCopy);
  inst.a = to.base;
  inst.imm = to.offset;
  inst.b = from.base;
  inst.x = uint32_t(int32_t(from.offset));
  inst.c = sourceSize;
  inst.size = uint8_t(bytes);
}

//===-- mbarrier -----------------------------------------------------------=//

/// Counts are 20 bits, transactions 21 with sign, as the manual allows.
struct MBarrier {
  uint32_t pending = 0, expected = 0;
  int32_t tx = 0;
  uint32_t phase = 0;
  static MBarrier unpack(uint64_t bits) {
    MBarrier b;
    b.pending = bits & 0xfffff;
    b.expected = (bits >> 20) & 0xfffff;
    b.tx = int32_t(uint32_t(bits >> 40) << 9) >> 9;
    b.phase = uint32_t(bits >> 63);
    return b;
  }
  uint64_t pack() const {
    return pending | uint64_t(expected) << 20 |
           uint64_t(uint32_t(tx) & 0x7fffff) << 40 | uint64_t(phase) << 63;
  }
  void settle() {
    if (pending || tx)
      return;
    phase ^= 1;
    pending = expected;
  }
};

uint64_t *cellOf(Warp &w, const Inst &i, unsigned lane, int32_t base,
                 int64_t offset) {
  uint64_t address = w.reg<uint64_t>(base)[lane] + uint64_t(offset);
  Space space = Space::Shared;
  if (address & windowMask)
    space = Space::None;
  if (address & 7)
    trap(w, i, lane, "misaligned mbarrier");
  return reinterpret_cast<uint64_t *>(
      resolveLane(w, i, lane, address, space, 8, true));
}

enum Action : uint8_t {
  Init,
  Inval,
  Arrive,
  ArriveDrop,
  ExpectTx,
  CompleteTx,
  ArriveExpectTx,
  ArriveAsync
};

// a address, b slot of the count or 0, d slot of the state or 0.
void mbarrier(Warp &w, const Inst &i, uint32_t mask) {
  forLanes(mask, [&](unsigned l) {
    uint64_t *cell = cellOf(w, i, l, i.a, i.imm);
    uint32_t count = i.b ? w.reg<uint32_t>(i.b)[l] : 1;
    MBarrier b = MBarrier::unpack(*cell);
    uint64_t before = *cell;
    if (w.worker->checker)
      w.worker->checker->mbarrier(w, i, l, cell, i.flags);
    switch (Action(i.flags)) {
    case Init:
      b = MBarrier();
      b.pending = b.expected = count & 0xfffff;
      break;
    case Inval:
      b = MBarrier();
      break;
    case ExpectTx:
      b.tx += int32_t(count);
      break;
    case CompleteTx:
      b.tx -= int32_t(count);
      break;
    case ArriveExpectTx:
      b.tx += int32_t(count);
      count = 1;
      [[fallthrough]];
    case Arrive:
    case ArriveDrop:
    case ArriveAsync:
      if (i.flags == ArriveAsync && !i.n) // Not .noinc: balanced by itself.
        break;
      if (count > b.pending)
        trap(w, i, l, "more arrivals at an mbarrier than expected");
      b.pending -= count;
      if (i.flags == ArriveDrop)
        b.expected -= std::min(count, b.expected);
      break;
    }
    if (i.flags != Init && i.flags != Inval)
      b.settle();
    *cell = b.pack();
    if (i.d)
      w.reg<uint64_t>(i.d)[l] = before;
  });
}

// flags: 1 parity given. b: slot of state (64) or parity (32).
void testWait(Warp &w, const Inst &i, uint32_t mask) {
  uint32_t bits = 0;
  forLanes(mask, [&](unsigned l) {
    uint64_t *cell = cellOf(w, i, l, i.a, i.imm);
    MBarrier b = MBarrier::unpack(*cell);
    if (w.worker->checker)
      w.worker->checker->acquire(w, reinterpret_cast<uint64_t>(cell));
    uint32_t phase = i.flags ? w.reg<uint32_t>(i.b)[l] & 1
                             : MBarrier::unpack(w.reg<uint64_t>(i.b)[l]).phase;
    bits |= uint32_t(b.phase != phase) << l;
  });
  uint32_t &p = *w.reg<uint32_t>(i.d);
  p = (p & ~mask) | (bits & mask);
  if (bits != mask) { // Another warp has to make progress first.
    w.yield = true;
    w.event = true;
    w.fuel = std::min<uint32_t>(w.fuel, 64);
  }
}
void pendingCount(Warp &w, const Inst &i, uint32_t mask) {
  const uint64_t *a = w.reg<uint64_t>(i.a);
  uint32_t *d = w.reg<uint32_t>(i.d);
  forLanes(mask, [&](unsigned l) { d[l] = MBarrier::unpack(a[l]).pending; });
}

void takeMbarrierMods(Decoder &d) {
  for (const char *mod : {"release", "acquire", "relaxed", "cta", "cluster",
                          "shared", "shared::cta", "shared::cluster", "b64"})
    d.take(mod);
}

void decodeTestWait(Decoder &d) {
  bool parity = d.take("parity");
  takeMbarrierMods(d);
  d.expectOperands(3, 4); // A time hint may follow.
  Decoder::Address address = d.address(d.operand(1));
  int32_t state = d.src(2, parity ? u32 : b64);
  int32_t out = d.predDst(d.operand(0));
  Inst &inst = d.emit(testWait, InstClass::Barrier);
  inst.a = address.base;
  inst.imm = address.offset;
  inst.b = state;
  inst.d = out;
  inst.flags = parity;
}

void decodeMbarrier(Decoder &d) {
  int kind =
      d.takeOneOf({"init", "inval", "arrive", "arrive_drop", "expect_tx",
                   "complete_tx", "test_wait", "try_wait", "pending_count"});
  if (kind == 6 || kind == 7)
    return decodeTestWait(d);
  if (kind == 8) {
    d.take("b64");
    int32_t a = d.src(1, b64), out = d.dst(0, u32);
    Inst &inst = d.emit(pendingCount, InstClass::Barrier);
    inst.a = a;
    inst.d = out;
    return;
  }
  if (kind < 0)
    d.fail("unsupported form of 'mbarrier'");
  Action action = Action(kind);
  if (action == Arrive && d.take("expect_tx"))
    action = ArriveExpectTx;
  d.take("noComplete"); // Fewer side conditions, same effect.
  takeMbarrierMods(d);
  bool hasState = d.operand(0).kind != RawOperand::Memory;
  size_t at = hasState ? 1 : 0;
  Decoder::Address address = d.address(d.operand(at));
  int32_t count = d.numOperands() > at + 1 ? d.src(at + 1, u32) : 0;
  int32_t state = hasState ? d.dst(0, b64) : 0;
  Inst &inst = d.emit(mbarrier, InstClass::Barrier);
  inst.a = address.base;
  inst.imm = address.offset;
  inst.b = count;
  inst.d = state;
  inst.flags = action;
}

//===-- Bulk copies --------------------------------------------------------=//

// a destination, b source, c bytes, x slot of the mbarrier or 0; flags: 1 the
// destination is shared memory. Offsets are folded into micro-additions.
void copyBulk(Warp &w, const Inst &i, uint32_t mask) {
  bool toShared = i.flags & 1;
  forLanes(mask, [&](unsigned l) {
    uint64_t to = w.reg<uint64_t>(i.a)[l], from = w.reg<uint64_t>(i.b)[l];
    uint32_t bytes = w.reg<uint32_t>(i.c)[l];
    if ((to | from | bytes) & 15)
      trap(w, i, l, "bulk copy is not aligned to 16 bytes");
    auto spaceOf = [](uint64_t address, bool shared) {
      return !shared || (address & windowMask) ? Space::None : Space::Shared;
    };
    for (uint32_t at = 0; at < bytes; at += 16) { // Counted by 16 bytes.
      uint64_t lanesTo[32], lanesFrom[32];
      std::fill_n(lanesTo, 32, to + at);
      std::fill_n(lanesFrom, 32, from + at);
      Resolved source, target;
      resolve(w, i, 1u << l, lanesFrom, spaceOf(from, !toShared), 16,
              AccessKind::Load, source);
      resolve(w, i, 1u << l, lanesTo, spaceOf(to, toShared), 16,
              AccessKind::Store, target);
      memcpy(target.ptr[l], source.ptr[l], 16);
    }
    if (!i.x)
      return;
    uint64_t *cell = cellOf(w, i, l, int32_t(i.x), 0);
    MBarrier b = MBarrier::unpack(*cell);
    b.tx -= int32_t(bytes);
    b.settle();
    *cell = b.pack();
  });
}

void addOffset(Warp &w, const Inst &i, uint32_t mask) {
  uint64_t offset = uint64_t(i.imm);
  map1<uint64_t, uint64_t>(w, i, mask,
                           [offset](uint64_t a) { return a + offset; });
}
int32_t fullAddress(Decoder &d, const RawOperand &operand) {
  Decoder::Address address = d.address(operand);
  if (!address.offset)
    return address.base;
  int32_t sum = d.temp(64);
  Inst &inst = d.emit(addOffset, InstClass::Integer);
  inst.a = address.base;
  inst.imm = address.offset;
  inst.d = sum;
  inst.counted = false;
  return sum;
}

void decodeBulk(Decoder &d) {
  if (d.take("commit_group") || d.take("wait_group")) {
    d.take("read");
    d.emit(nothing, InstClass::AsyncCopy);
    return;
  }
  if (d.take("tensor") || d.take("prefetch"))
    d.fail("unsupported form of 'cp.async.bulk'");
  std::vector<std::string> order = d.modsLeft();
  bool toShared = !order.empty() && order[0].compare(0, 6, "shared") == 0;
  for (const char *mod : {"shared::cluster", "shared::cta", "global",
                          "bulk_group", "mbarrier::complete_tx::bytes"})
    d.take(mod);
  d.take("L2::cache_hint");
  d.expectOperands(3, 5);
  int32_t to = fullAddress(d, d.operand(0)),
          from = fullAddress(d, d.operand(1));
  int32_t bytes = d.src(2, u32), barrier = 0;
  if (toShared)
    barrier = fullAddress(d, d.operand(3));
  Inst &inst = d.emit(copyBulk, InstClass::AsyncCopy);
  inst.a = to;
  inst.b = from;
  inst.c = bytes;
  inst.x = uint32_t(barrier);
  inst.flags = toShared;
}

void decodeCp(Decoder &d) {
  if (!d.take("async"))
    d.fail("unsupported form of 'cp'");
  if (d.take("bulk"))
    return decodeBulk(d);
  if (d.take("commit_group")) {
    d.emit(commitGroup, InstClass::AsyncCopy);
    return;
  }
  int wait = d.takeOneOf({"wait_group", "wait_all"});
  if (wait >= 0) {
    Inst &inst = d.emit(waitGroup, InstClass::AsyncCopy);
    inst.x = wait == 0 ? uint32_t(d.literal(0)) : 0;
    inst.flags = wait == 1;
    return;
  }
  if (d.take("mbarrier")) {
    d.take("arrive");
    bool noInc = d.take("noinc");
    takeMbarrierMods(d);
    Decoder::Address address = d.address(d.operand(0));
    Inst &inst = d.emit(mbarrier, InstClass::Barrier);
    inst.a = address.base;
    inst.imm = address.offset;
    inst.flags = ArriveAsync;
    inst.n = noInc;
    return;
  }
  decodeCopy(d);
}
} // namespace

void mlir::fuse::emu::addAsyncOps(DecodeTable &table) {
  table["cp"] = decodeCp;
  table["mbarrier"] = decodeMbarrier;
}
