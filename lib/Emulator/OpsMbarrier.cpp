//===- OpsMbarrier.cpp - Barriers in shared memory ------------------------===//
//
// Arrivals, transactions and waits on 64-bit words in the shared memory of
// the own block or, for arrivals and transactions, of any of the cluster.
//
//===----------------------------------------------------------------------===//
#include "Async.h"
#include "Checker.h"

#include <algorithm>

using namespace mlir::fuse::emu;

uint64_t *mlir::fuse::emu::barrierCell(Warp &w, const Inst &i, unsigned lane,
                                       uint64_t address) {
  if (address & 7)
    trap(w, i, lane, "misaligned mbarrier");
  return reinterpret_cast<uint64_t *>(
      resolveLane(w, i, lane, address, sharedOrGeneric(address), 8, true));
}

void mlir::fuse::emu::completeTx(Warp &w, const Inst &i, unsigned lane,
                                 uint64_t address, uint32_t bytes) {
  uint64_t *cell = barrierCell(w, i, lane, address);
  MBarrier b = MBarrier::unpack(*cell);
  if (Checker *checker = w.worker->checker) {
    checker->bulkArrivesOn(cell, b.phase);
    checker->release(w, reinterpret_cast<uint64_t>(cell));
  }
  b.tx -= int32_t(bytes);
  b.settle();
  *cell = b.pack();
}

namespace {
constexpr RawType u32{RawType::Unsigned, 32, 1};
constexpr RawType b64{RawType::Bits, 64, 1};

enum Action : uint8_t {
  Init,
  Inval,
  Arrive,
  ArriveDrop,
  ExpectTx,
  CompleteTx,
  ArriveExpectTx,
  ArriveDropExpectTx,
  ArriveAsync
};

void apply(Warp &w, const Inst &i, unsigned lane, MBarrier &b,
           uint32_t operand) {
  Action action = Action(i.flags);
  bool expects = action == ExpectTx || action == ArriveExpectTx ||
                 action == ArriveDropExpectTx;
  if (expects)
    b.tx += int32_t(operand);
  if (action == CompleteTx)
    b.tx -= int32_t(operand);
  if (action == ExpectTx || action == CompleteTx)
    return b.settle();
  if (action == ArriveAsync && !i.n) // Not .noinc: balanced by itself.
    return;
  uint32_t count = expects ? 1 : operand;
  if (count > b.pending)
    trap(w, i, lane, "more arrivals at an mbarrier than expected");
  b.pending -= count;
  if (action == ArriveDrop || action == ArriveDropExpectTx)
    b.expected -= std::min(count, b.expected);
  b.settle();
}

// a address, b slot of the count or 0, d slot of the state or 0.
void mbarrier(Warp &w, const Inst &i, uint32_t mask) {
  forLanes(mask, [&](unsigned l) {
    uint64_t *cell =
        barrierCell(w, i, l, w.reg<uint64_t>(i.a)[l] + uint64_t(i.imm));
    uint32_t count = i.b ? w.reg<uint32_t>(i.b)[l] : 1;
    if (w.worker->checker)
      w.worker->checker->mbarrier(w, i, l, cell, i.flags);
    uint64_t before = *cell;
    if (w.worker->checker && i.flags == ArriveAsync)
      w.worker->checker->copiesArriveOn(w, l, cell,
                                        MBarrier::unpack(before).phase);
    MBarrier b;
    if (i.flags == Init) {
      if (count == 0 || count > 0xfffff)
        trap(w, i, l, "count of an mbarrier is not within 1 to 2^20-1");
      b.pending = b.expected = count;
    } else if (i.flags != Inval) {
      b = MBarrier::unpack(before);
      apply(w, i, l, b, count);
    }
    *cell = b.pack();
    if (i.d)
      w.reg<uint64_t>(i.d)[l] = before;
  });
}

// flags: 1 parity given. b: slot of state (64) or parity (32).
void testWait(Warp &w, const Inst &i, uint32_t mask) {
  uint32_t bits = 0;
  forLanes(mask, [&](unsigned l) {
    uint64_t *cell =
        barrierCell(w, i, l, w.reg<uint64_t>(i.a)[l] + uint64_t(i.imm));
    MBarrier b = MBarrier::unpack(*cell);
    uint32_t phase = i.flags ? w.reg<uint32_t>(i.b)[l] & 1
                             : MBarrier::unpack(w.reg<uint64_t>(i.b)[l]).phase;
    if (b.phase == phase)
      return;
    bits |= 1u << l;
    if (w.worker->checker)
      w.worker->checker->waited(w, cell, phase);
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

//===-- Decoding -----------------------------------------------------------=//

/// Order, scope and state space; the last must be shared memory or generic.
void takeOrder(Decoder &d, std::string_view order, bool remote) {
  if (d.takeOneOf({order, "relaxed"}) >= 0 &&
      d.takeOneOf({"cta", "cluster"}) < 0)
    d.fail("expected a scope after the memory order");
  if (!remote || !d.take("shared::cluster"))
    d.takeOneOf({"shared", "shared::cta"});
  if (!d.take("b64"))
    d.fail("expected '.b64'");
}

void decodeTestWait(Decoder &d, bool mayHint) {
  bool parity = d.take("parity");
  takeOrder(d, "acquire", false);
  d.expectOperands(3, mayHint ? 4 : 3);
  Decoder::Address address = d.address(d.operand(1));
  int32_t state = d.src(2, parity ? u32 : b64);
  if (d.numOperands() == 4)
    d.src(3, u32); // The longest time to wait: any is allowed.
  int32_t out = d.predDst(d.operand(0));
  Inst &inst = d.emit(testWait, InstClass::Barrier);
  inst.a = address.base;
  inst.imm = address.offset;
  inst.b = state;
  inst.d = out;
  inst.flags = parity;
}

void decodePendingCount(Decoder &d) {
  if (!d.take("b64"))
    d.fail("expected '.b64'");
  d.expectOperands(2, 2);
  int32_t a = d.src(1, b64), out = d.dst(0, u32);
  Inst &inst = d.emit(pendingCount, InstClass::Barrier);
  inst.a = a;
  inst.d = out;
}

Inst &emitAction(Decoder &d, Action action, size_t at, int32_t count,
                 int32_t state) {
  Decoder::Address address = d.address(d.operand(at));
  Inst &inst = d.emit(mbarrier, InstClass::Barrier);
  inst.a = address.base;
  inst.imm = address.offset;
  inst.b = count;
  inst.d = state;
  inst.flags = action;
  return inst;
}

void decodeArrive(Decoder &d, bool drop) {
  bool expects = d.take("expect_tx");
  bool noComplete = !expects && d.take("noComplete");
  takeOrder(d, "release", true);
  bool hasState = d.operand(0).kind != RawOperand::Memory;
  size_t at = hasState ? 1 : 0;
  bool needsCount = expects || noComplete;
  d.expectOperands(at + 1 + needsCount, at + 2);
  int32_t count = d.numOperands() > at + 1 ? d.src(at + 1, u32) : 0;
  int32_t state =
      hasState && d.operand(0).kind != RawOperand::Sink ? d.dst(0, b64) : 0;
  Action action = drop ? (expects ? ArriveDropExpectTx : ArriveDrop)
                       : (expects ? ArriveExpectTx : Arrive);
  emitAction(d, action, at, count, state);
}

void decodeMbarrier(Decoder &d) {
  int kind =
      d.takeOneOf({"init", "inval", "arrive", "arrive_drop", "expect_tx",
                   "complete_tx", "test_wait", "try_wait", "pending_count"});
  switch (kind) {
  case 0:
  case 1:
    d.takeOneOf({"shared", "shared::cta"});
    if (!d.take("b64"))
      d.fail("expected '.b64'");
    d.expectOperands(kind == 0 ? 2 : 1, kind == 0 ? 2 : 1);
    emitAction(d, Action(kind), 0, kind == 0 ? d.src(1, u32) : 0, 0);
    return;
  case 2:
  case 3:
    return decodeArrive(d, kind == 3);
  case 4:
  case 5:
    takeOrder(d, "relaxed", true);
    d.expectOperands(2, 2);
    emitAction(d, kind == 4 ? ExpectTx : CompleteTx, 0, d.src(1, u32), 0);
    return;
  case 6:
  case 7:
    return decodeTestWait(d, kind == 7);
  case 8:
    return decodePendingCount(d);
  default:
    d.fail("unsupported form of 'mbarrier'");
  }
}
} // namespace

void mlir::fuse::emu::decodeCopyArrive(Decoder &d) {
  if (!d.take("arrive"))
    d.fail("expected 'cp.async.mbarrier.arrive'");
  bool noInc = d.take("noinc");
  d.takeOneOf({"shared", "shared::cta"});
  if (!d.take("b64"))
    d.fail("expected '.b64'");
  d.expectOperands(1, 1);
  emitAction(d, ArriveAsync, 0, 0, 0).n = noInc;
}

void mlir::fuse::emu::addMbarrierOps(DecodeTable &table) {
  table["mbarrier"] = decodeMbarrier;
}
