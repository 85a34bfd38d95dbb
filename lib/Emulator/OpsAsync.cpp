//===- OpsAsync.cpp - cp.async and asynchronous stores --------------------===//
//
// Asynchronous copies are done at once: every program that waits as it must
// sees the same. Bulk copies are in OpsBulk.cpp, barriers in OpsMbarrier.cpp.
//
//===----------------------------------------------------------------------===//
#include "Async.h"
#include "Atomic.h"
#include "Checker.h"

#include <algorithm>

using namespace mlir::fuse::emu;

namespace {
constexpr RawType u32{RawType::Unsigned, 32, 1};
constexpr RawType b64{RawType::Bits, 64, 1};

void addOffset(Warp &w, const Inst &i, uint32_t mask) {
  uint64_t offset = uint64_t(i.imm);
  map1<uint64_t, uint64_t>(w, i, mask,
                           [offset](uint64_t a) { return a + offset; });
}

//===-- cp.async -----------------------------------------------------------=//

// a destination, b source (offset imm), c slot of the source size or of the
// predicate that ignores the source (flags 1), or 0; size bytes per lane.
void copyAsync(Warp &w, const Inst &i, uint32_t mask) {
  alignas(64) uint64_t to[32], from[32];
  const uint64_t *a = w.reg<uint64_t>(i.a), *b = w.reg<uint64_t>(i.b);
  uint32_t ignored = i.flags ? *w.reg<uint32_t>(i.c) : 0;
  uint32_t reading = 0, partial = 0;
  for (unsigned l = 0; l < 32; ++l) {
    to[l] = a[l];
    from[l] = b[l] + uint64_t(i.imm);
    uint32_t bytes = i.flags ? ((ignored >> l) & 1 ? 0 : i.size)
                     : i.c   ? w.reg<uint32_t>(i.c)[l]
                             : i.size;
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
  bool bypass = d.takeOneOf({"ca", "cg"}) == 1;
  if (d.takeOneOf({"shared", "shared::cta"}) < 0 || !d.take("global"))
    d.fail("unsupported form of 'cp.async'");
  bool hint = d.take("L2::cache_hint");
  d.takeOneOf({"L2::64B", "L2::128B", "L2::256B"});
  d.expectOperands(3 + hint, 4 + hint);
  int64_t bytes = d.literal(2);
  if (bytes != 16 && (bypass || (bytes != 4 && bytes != 8)))
    d.fail("unsupported size of 'cp.async'");
  bool hasExtra = d.numOperands() == 4u + hint;
  bool ignores = hasExtra && d.regBits(d.operand(3)) == 1;
  int32_t extra = !hasExtra ? 0
                  : ignores ? d.pred(d.operand(3))
                            : d.src(3, u32);
  if (hint)
    d.src(d.numOperands() - 1, b64);
  int32_t to = fullAddress(d, d.operand(0));
  Decoder::Address from = d.address(d.operand(1));
  Inst &inst = d.emit(copyAsync, InstClass::AsyncCopy);
  inst.a = to;
  inst.b = from.base;
  inst.imm = from.offset;
  inst.c = extra;
  inst.flags = ignores;
  inst.size = uint8_t(bytes);
  inst.pastL1 = bypass;
}

void decodeCp(Decoder &d) {
  if (d.take("reduce"))
    return decodeReduceBulk(d);
  if (!d.take("async"))
    d.fail("unsupported form of 'cp'");
  if (d.take("bulk"))
    return decodeBulkCopy(d);
  if (d.take("mbarrier"))
    return decodeCopyArrive(d);
  if (d.take("commit_group")) {
    d.expectOperands(0, 0);
    d.emit(commitGroup, InstClass::AsyncCopy);
    return;
  }
  int wait = d.takeOneOf({"wait_group", "wait_all"});
  if (wait < 0)
    return decodeCopy(d);
  d.expectOperands(wait == 0, wait == 0);
  int64_t left = wait == 0 ? d.literal(0) : 0;
  if (left < 0)
    d.fail("expected a number of groups");
  Inst &inst = d.emit(waitGroup, InstClass::AsyncCopy);
  inst.x = uint32_t(left);
  inst.flags = wait == 1;
}

//===-- st.async, red.async ------------------------------------------------=//

// a address, b slot of the barrier's address or 0 (then a release store to
// global memory); x..: slots of the values; n of `size` bytes.
void storeAsync(Warp &w, const Inst &i, uint32_t mask) {
  const uint64_t *a = w.reg<uint64_t>(i.a);
  const int32_t *slots = &w.program->operands[i.x];
  unsigned bytes = i.size * i.n;
  alignas(64) uint64_t generic[32];
  for (unsigned l = 0; l < 32; ++l)
    generic[l] = i.space == Space::Shared && !(a[l] & windowMask)
                     ? a[l] | sharedWindow
                     : a[l];
  Resolved r;
  resolve(w, i, mask, generic, Space::None, bytes, AccessKind::Store, r);
  forLanes(mask, [&](unsigned l) {
    for (unsigned k = 0; k < i.n; ++k) {
      uint64_t value = i.size == 8 ? w.reg<uint64_t>(slots[k])[l]
                                   : w.reg<uint32_t>(slots[k])[l];
      memcpy(r.ptr[l] + k * i.size, &value, i.size);
    }
    if (i.b)
      completeTx(w, i, l, w.reg<uint64_t>(i.b)[l], bytes);
  });
}

// a address, b barrier, c value; n, flags and size as for the atomics.
void reduceAsync(Warp &w, const Inst &i, uint32_t mask) {
  const uint64_t *a = w.reg<uint64_t>(i.a);
  AtomicUpdate u;
  u.op = AtomicOp(i.n);
  u.type = {RawType::Kind(i.flags), uint8_t(i.size * 8), 1};
  forLanes(mask, [&](unsigned l) {
    alignas(64) uint64_t at[32];
    std::fill_n(at, 32,
                i.space == Space::Shared && !(a[l] & windowMask)
                    ? a[l] | sharedWindow
                    : a[l]);
    Resolved r;
    resolve(w, i, 1u << l, at, Space::None, i.size, AccessKind::Atomic, r);
    uint64_t value =
        i.size == 8 ? w.reg<uint64_t>(i.c)[l] : w.reg<uint32_t>(i.c)[l];
    updateCell(u, r.ptr[l], value, 0);
    if (i.b)
      completeTx(w, i, l, w.reg<uint64_t>(i.b)[l], i.size);
  });
}

/// The forms to global memory (sm_100): ".mmio.release.SCOPE.global".
bool takeGlobalForm(Decoder &d) {
  bool mmio = d.take("mmio");
  if (!d.take("release")) {
    if (mmio)
      d.fail("expected '.release'");
    return false;
  }
  if (d.takeOneOf({"gpu", "sys"}) < 0)
    d.fail("expected a scope");
  d.take("global");
  return true;
}
} // namespace

int32_t mlir::fuse::emu::fullAddress(Decoder &d, const RawOperand &operand) {
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

void mlir::fuse::emu::decodeStoreAsync(Decoder &d) {
  bool global = takeGlobalForm(d);
  if (!global) {
    d.take("weak");
    if (!d.take("shared::cluster") &&
        std::count(d.modsLeft().begin(), d.modsLeft().end(), "global"))
      d.fail("expected '.release' before '.global'");
    if (!d.take("mbarrier::complete_tx::bytes"))
      d.fail("unsupported form of 'st.async'");
  }
  int vector = global ? -1 : d.takeOneOf({"v2", "v4"});
  unsigned n = vector < 0 ? 1 : 2u << vector;
  RawType type = d.takeType();
  bool narrow = global && (type.bits == 8 || type.bits == 16);
  if ((type.bits != 32 && type.bits != 64 && !narrow) || type.packed != 1)
    d.fail("unsupported type of 'st.async'");
  if (n * type.bits > 128)
    d.fail("access is wider than 16 bytes");
  d.expectOperands(global ? 2 : 3, global ? 2 : 3);
  const RawOperand &data = d.operand(1);
  std::vector<RawOperand> parts =
      data.kind == RawOperand::Vector ? data.elements : std::vector{data};
  if (parts.size() != n)
    d.fail("expected a vector of " + std::to_string(n) + " elements");
  int32_t to = fullAddress(d, d.operand(0)),
          barrier = global ? 0 : fullAddress(d, d.operand(2));
  std::vector<int32_t> slots;
  for (const RawOperand &part : parts)
    slots.push_back(d.src(part, type));
  uint32_t list = d.listStart();
  for (int32_t slot : slots)
    d.listAdd(slot);
  Inst &inst = d.emit(storeAsync,
                      global ? InstClass::GlobalStore : InstClass::SharedStore);
  inst.a = to;
  inst.b = barrier;
  inst.x = list;
  inst.n = uint8_t(n);
  inst.size = uint8_t(type.bits / 8);
  inst.space = global ? Space::Global : Space::Shared;
  inst.strong = global;
}

void mlir::fuse::emu::decodeReduceAsync(Decoder &d) {
  bool global = takeGlobalForm(d);
  if (!global) {
    if (!d.take("relaxed") || !d.take("cluster"))
      d.fail("expected '.relaxed.cluster'");
    d.take("shared::cluster");
    if (!d.take("mbarrier::complete_tx::bytes"))
      d.fail("unsupported form of 'red.async'");
  }
  AtomicUpdate u = takeAtomic(d, false);
  if (u.type.isFloat() || u.op == AtomicOp::Exch || u.op == AtomicOp::Cas ||
      (global && u.op != AtomicOp::Add))
    d.fail("unsupported operation of 'red.async'");
  d.expectOperands(global ? 2 : 3, global ? 2 : 3);
  int32_t to = fullAddress(d, d.operand(0)), value = d.src(1, u.type),
          barrier = global ? 0 : fullAddress(d, d.operand(2));
  Inst &inst = d.emit(reduceAsync, InstClass::Atomic);
  inst.a = to;
  inst.b = barrier;
  inst.c = value;
  inst.n = uint8_t(u.op);
  inst.flags = uint8_t(u.type.kind);
  inst.size = uint8_t(u.bytes());
  inst.space = global ? Space::Global : Space::Shared;
  inst.strong = true;
}

void mlir::fuse::emu::addAsyncOps(DecodeTable &table) {
  table["cp"] = decodeCp;
  addMbarrierOps(table);
}
