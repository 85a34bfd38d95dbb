//===- OpsControl.cpp - Branches, barriers, fences ------------------------===//
//
// Instructions that change which lanes run; calls are in OpsCall.cpp.
//
//===----------------------------------------------------------------------===//
#include "Async.h"

#include <algorithm>
#include <set>

using namespace mlir::fuse::emu;

namespace {
constexpr RawType u32{RawType::Unsigned, 32, 1};

//===-- Branches -----------------------------------------------------------=//

void branch(Warp &w, const Inst &i, uint32_t mask) {
  if (mask == w.active) {
    w.pc = i.target;
    return;
  }
  ++w.worker->divergent;
  splitGroup(w, w.active & ~mask, w.pc);
  w.pc = i.target;
}

void branchIndexed(Warp &w, const Inst &i, uint32_t mask) {
  const uint32_t *index = w.reg<uint32_t>(i.a);
  uint32_t left = mask;
  if (mask != w.active)
    splitGroup(w, w.active & ~mask, w.pc);
  bool first = true;
  while (left) {
    unsigned lead = __builtin_ctz(left);
    if (index[lead] >= i.n)
      trap(w, i, lead,
           "branch index " + std::to_string(index[lead]) + " is not below " +
               std::to_string(i.n));
    uint32_t same = 0;
    forLanes(left, [&](unsigned l) {
      same |= uint32_t(index[l] == index[lead]) << l;
    });
    left &= ~same;
    uint32_t pc = w.program->targets[i.x + index[lead]];
    if (!left) {
      w.pc = pc;
      return;
    }
    w.worker->divergent += first;
    first = false;
    splitGroup(w, same, pc);
  }
}

void exitThread(Warp &w, const Inst &, uint32_t mask) { exitLanes(w, mask); }

void trapHere(Warp &w, const Inst &i, uint32_t mask) {
  trap(w, i, __builtin_ctz(mask),
       "'" + std::string(i.flags ? "brkpt" : "trap") + "' was executed");
}

//===-- Barriers and fences ------------------------------------------------=//

// a: slot of the barrier number, b: slot of the count or 0. size: aligned.
template <bool Wait>
void barrier(Warp &w, const Inst &i, uint32_t mask) {
  if (i.size && !aligned(w, i, mask))
    return;
  unsigned lead = __builtin_ctz(mask);
  uint32_t id = w.reg<uint32_t>(i.a)[lead];
  uint32_t count = i.b ? w.reg<uint32_t>(i.b)[lead] : 0;
  if (id > 15)
    trap(w, i, lead,
         "barrier number " + std::to_string(id) + " is not below 16");
  arrive(w, i, mask, id, count, Wait);
}
template <void (*Fn)(Warp &, const Inst &, uint32_t)>
void clusterBarrier(Warp &w, const Inst &i, uint32_t mask) {
  if (!i.size || aligned(w, i, mask))
    Fn(w, i, mask);
}
void barWarp(Warp &w, const Inst &i, uint32_t mask) {
  warpBarrier(w, i, mask, w.reg<uint32_t>(i.a)[__builtin_ctz(mask)]);
}
void fence(Warp &, const Inst &, uint32_t) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
}
void sleepALittle(Warp &w, const Inst &, uint32_t) {
  w.yield = true;
  w.event = true;
}
void nothing(Warp &, const Inst &, uint32_t) {}

//===-- Decoding -----------------------------------------------------------=//

void decodeBra(Decoder &d) {
  d.take("uni");
  d.expectOperands(1, 1);
  d.emit(branch, InstClass::Branch);
  d.branchTo(d.operand(0).name);
}

void decodeBrx(Decoder &d) {
  if (!d.take("idx"))
    d.fail("expected 'brx.idx'");
  d.take("uni");
  d.expectOperands(2, 2);
  int32_t index = d.src(0, u32);
  uint8_t count = 0;
  uint32_t table = d.branchTable(d.operand(1).name, count);
  Inst &inst = d.emit(branchIndexed, InstClass::Branch);
  inst.a = index;
  inst.x = table;
  inst.n = count;
}

void decodeBarRed(Decoder &d, bool aligned) {
  int op = d.takeOneOf({"popc", "and", "or"});
  if (op < 0 || !d.take(op == 0 ? "u32" : "pred"))
    d.fail("expected '.popc.u32', '.and.pred' or '.or.pred'");
  RawType type = op == 0 ? u32 : RawType{RawType::Pred, 1, 1};
  size_t last = d.numOperands() - 1;
  d.expectOperands(3, 4);
  int32_t id = d.src(1, u32), count = last == 3 ? d.src(2, u32) : 0;
  int32_t p = d.pred(d.operand(last));
  int32_t out = d.dst(0, type);
  Inst &inst = d.emit(barrier<true>, InstClass::Barrier);
  inst.a = id;
  inst.b = count;
  inst.c = p;
  inst.d = out;
  inst.size = aligned;
  inst.flags = uint8_t(op + 1);
}

void decodeClusterBarrier(Decoder &d) {
  int kind = d.takeOneOf({"arrive", "wait"});
  if (kind < 0)
    d.fail("expected '.arrive' or '.wait'");
  kind == 0 ? d.takeOneOf({"release", "relaxed"}) : d.take("acquire");
  d.expectOperands(0, 0);
  Inst &inst = d.emit(kind == 0 ? clusterBarrier<arriveCluster>
                                : clusterBarrier<waitCluster>,
                      InstClass::Barrier);
  inst.size = d.take("aligned");
}

void decodeBar(Decoder &d) {
  bool isBar = d.inst().opcode == "bar";
  if (!isBar && d.take("cluster"))
    return decodeClusterBarrier(d);
  if (isBar && d.take("warp")) {
    if (!d.take("sync"))
      d.fail("expected '.sync'");
    d.expectOperands(1, 1);
    int32_t members = d.src(0, u32);
    d.emit(barWarp, InstClass::Barrier).a = members;
    return;
  }
  d.take("cta");
  // "bar" is "barrier.aligned": all lanes of a warp come together.
  bool aligned = isBar || d.take("aligned");
  int kind = d.takeOneOf({"sync", "arrive", "red"});
  if (kind == 2)
    return decodeBarRed(d, aligned);
  if (kind < 0)
    d.fail("unsupported barrier");
  d.expectOperands(kind == 1 ? 2 : 1, 2);
  int32_t id = d.src(0, u32), count = d.numOperands() > 1 ? d.src(1, u32) : 0;
  Inst &inst =
      d.emit(kind == 0 ? barrier<true> : barrier<false>, InstClass::Barrier);
  inst.a = id;
  inst.b = count;
  inst.size = aligned;
}

/// All forms are listed: a fence that is not known may order something else.
void decodeFence(Decoder &d) {
  static const std::set<std::string> known = [] {
    std::set<std::string> forms = {
        "mbarrier_init.release.cluster",
        "acquire.sync_restrict::shared::cluster.cluster",
        "release.sync_restrict::shared::cta.cluster",
        "proxy.alias",
        "proxy.async",
        "proxy.async.global",
        "proxy.async.shared::cta",
        "proxy.async.shared::cluster",
        "proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster",
        "proxy.async::generic.release.sync_restrict::shared::cta.cluster"};
    for (const std::string scope : {"cta", "cluster", "gpu", "sys"}) {
      for (const std::string order :
           {"", "sc.", "acq_rel.", "acquire.", "release.",
            "proxy.tensormap::generic.acquire.",
            "proxy.tensormap::generic.release."})
        forms.insert(order + scope);
    }
    return forms;
  }();
  std::string form = joinMods(d);
  if (!known.count(form))
    d.fail("unknown form '." + form + "' of '" + d.inst().opcode + "'");
  bool ofMap = form.find("tensormap::generic.acquire") != std::string::npos;
  d.expectOperands(ofMap ? 2 : 0, ofMap ? 2 : 0);
  if (ofMap) {
    d.address(d.operand(0));
    if (d.literal(1) != 128)
      d.fail("expected a size of 128 bytes");
  }
  d.emit(fence, InstClass::Fence);
}

void decodeMembar(Decoder &d) {
  std::string form = joinMods(d);
  if (form != "cta" && form != "gl" && form != "sys" &&
      form.compare(0, 6, "proxy.") != 0)
    d.fail("unknown form '." + form + "' of 'membar'");
  d.expectOperands(0, 0);
  d.emit(fence, InstClass::Fence);
}

template <Handler Fn>
void decodeSimple(Decoder &d) {
  d.expectOperands(0, 0);
  d.emit(Fn, InstClass::Branch);
}

//===-- Hints --------------------------------------------------------------=//

void decodeNanosleep(Decoder &d) {
  if (!d.take("u32"))
    d.fail("expected '.u32'");
  d.expectOperands(1, 1);
  d.src(0, u32); // Any time is as good as another.
  d.emit(sleepALittle, InstClass::Special);
}
void decodeSetmaxnreg(Decoder &d) {
  std::string form = joinMods(d);
  if (form != "inc.sync.aligned.u32" && form != "dec.sync.aligned.u32")
    d.fail("unknown form '." + form + "' of 'setmaxnreg'");
  d.expectOperands(1, 1);
  int64_t count = d.literal(0);
  if (count < 24 || count > 256 || count % 8)
    d.fail("expected a multiple of 8 from 24 to 256");
  d.emit(nothing, InstClass::Special);
}
void decodeGriddepcontrol(Decoder &d) {
  std::string form = joinMods(d);
  if (form != "launch_dependents" && form != "wait")
    d.fail("unknown form '." + form + "' of 'griddepcontrol'");
  d.expectOperands(0, 0);
  d.emit(nothing, InstClass::Special);
}
void decodePmevent(Decoder &d) {
  d.take("mask");
  d.expectOperands(1, 1);
  d.literal(0);
  d.emit(nothing, InstClass::Special);
}

//===-- clusterlaunchcontrol -----------------------------------------------=//

// Nothing can be cancelled here, which a request may always answer: the
// response is 16 zero bytes. a: response, b: barrier.
void tryCancel(Warp &w, const Inst &i, uint32_t mask) {
  forLanes(mask, [&](unsigned l) {
    uint64_t to = w.reg<uint64_t>(i.a)[l];
    accessRange(w, i, l, to, sharedOrGeneric(to), 16, 16, AccessKind::Store,
                [](uint32_t, uint8_t *p, unsigned n) { memset(p, 0, n); });
    completeTx(w, i, l, w.reg<uint64_t>(i.b)[l], 16);
  });
}
void isCanceled(Warp &w, const Inst &i, uint32_t mask) {
  const uint64_t *low = w.reg<uint64_t>(i.a);
  uint32_t bits = 0;
  forLanes(mask, [&](unsigned l) { bits |= uint32_t(low[l] & 1) << l; });
  uint32_t &p = *w.reg<uint32_t>(i.d);
  p = (p & ~mask) | bits;
}
void firstBlock(Warp &w, const Inst &i, uint32_t mask) {
  trap(w, i, __builtin_ctz(mask),
       "the first block of a request that was not granted is asked for");
}

void decodeClusterControl(Decoder &d) {
  std::string form = joinMods(d);
  const RawType b128{RawType::Bits, 128, 1};
  for (const char *part : {".shared::cta", ".multicast::cluster::all"})
    if (size_t at = form.find(part); at != std::string::npos)
      form.erase(at, strlen(part));
  if (form == "try_cancel.async.mbarrier::complete_tx::bytes.b128") {
    d.expectOperands(2, 2);
    int32_t to = fullAddress(d, d.operand(0)),
            barrier = fullAddress(d, d.operand(1));
    Inst &inst = d.emit(tryCancel, InstClass::Special);
    inst.a = to;
    inst.b = barrier;
    return;
  }
  d.expectOperands(2, 2);
  if (form == "query_cancel.is_canceled.pred.b128") {
    int32_t response = d.src(1, b128), p = d.predDst(d.operand(0));
    Inst &inst = d.emit(isCanceled, InstClass::Special);
    inst.a = response;
    inst.d = p;
    return;
  }
  bool all = form == "query_cancel.get_first_ctaid.v4.b32.b128";
  if (!all && form != "query_cancel.get_first_ctaid::x.b32.b128" &&
      form != "query_cancel.get_first_ctaid::y.b32.b128" &&
      form != "query_cancel.get_first_ctaid::z.b32.b128")
    d.fail("unknown form '." + form + "' of 'clusterlaunchcontrol'");
  if (d.operand(0).elements.size() != (all ? 4u : 0u))
    d.fail("unexpected number of registers");
  d.src(1, b128);
  d.emit(firstBlock, InstClass::Special);
}
} // namespace

std::string mlir::fuse::emu::joinMods(Decoder &d) {
  std::string joined;
  while (d.hasMods()) {
    std::string mod = d.modsLeft().front();
    joined += (joined.empty() ? "" : ".") + mod;
    d.take(mod);
  }
  return joined;
}

void mlir::fuse::emu::addControlOps(DecodeTable &table) {
  table["bra"] = decodeBra;
  table["brx"] = decodeBrx;
  table["exit"] = decodeSimple<exitThread>;
  table["trap"] = decodeSimple<trapHere>;
  table["brkpt"] = [](Decoder &d) {
    d.expectOperands(0, 0);
    d.emit(trapHere, InstClass::Special).flags = 1;
  };
  table["bar"] = decodeBar;
  table["barrier"] = decodeBar;
  table["membar"] = decodeMembar;
  table["fence"] = decodeFence;
  table["nanosleep"] = decodeNanosleep;
  // Hints on register counts, dependent launches and profilers: no effect.
  table["setmaxnreg"] = decodeSetmaxnreg;
  table["griddepcontrol"] = decodeGriddepcontrol;
  table["pmevent"] = decodePmevent;
  table["clusterlaunchcontrol"] = decodeClusterControl;
}
