//===- OpsBulk.cpp - Bulk copies and reductions ---------------------------===//
//
// One-dimensional cp.async.bulk and cp.reduce.async.bulk between global and
// shared memory of the cluster; the forms with tensor maps are in
// OpsTensorMap.cpp. Data moves at once; barriers complete as on hardware.
//
//===----------------------------------------------------------------------===//
#include "Bulk.h"

#include <algorithm>

using namespace mlir::fuse::emu;

namespace {
constexpr RawType b16{RawType::Bits, 16, 1};
constexpr RawType u32{RawType::Unsigned, 32, 1};
constexpr RawType b64{RawType::Bits, 64, 1};

// a destination, b source, c bytes; x: slot of the mbarrier or 0; target: slot
// of the mask of blocks or of bytes (by flags), or 0.
enum Flag : uint8_t { FromShared = 1, ToGlobal = 2, Multicast = 4, Masked = 8 };

Space spaceOf(uint64_t address, bool shared) {
  return shared ? sharedOrGeneric(address) : Space::None;
}

std::vector<uint8_t> readSource(Warp &w, const Inst &i, unsigned lane) {
  uint64_t from = w.reg<uint64_t>(i.b)[lane];
  uint32_t bytes = w.reg<uint32_t>(i.c)[lane];
  std::vector<uint8_t> data(bytes);
  accessRange(w, i, lane, from, spaceOf(from, i.flags & FromShared), bytes, 16,
              AccessKind::Load, [&](uint32_t at, const uint8_t *p, unsigned n) {
                memcpy(&data[at], p, n);
              });
  return data;
}

void checkAlignment(Warp &w, const Inst &i, unsigned lane) {
  uint64_t bits = w.reg<uint64_t>(i.a)[lane] | w.reg<uint64_t>(i.b)[lane] |
                  w.reg<uint32_t>(i.c)[lane];
  if (bits & 15)
    trap(w, i, lane, "bulk copy is not aligned to 16 bytes");
}

void copyBulk(Warp &w, const Inst &i, uint32_t mask) {
  forLanes(mask, [&](unsigned l) {
    checkAlignment(w, i, l);
    std::vector<uint8_t> data = readSource(w, i, l);
    uint32_t keep =
        i.flags & Masked ? w.reg<uint32_t>(int32_t(i.target))[l] : 0xffff;
    auto deliver = [&](uint64_t to, uint64_t barrier) {
      Space space = spaceOf(to, !(i.flags & ToGlobal));
      accessRange(w, i, l, to, space, uint32_t(data.size()), 16,
                  AccessKind::Store, [&](uint32_t at, uint8_t *p, unsigned n) {
                    for (unsigned k = 0; k < n; ++k)
                      if ((keep >> k) & 1)
                        p[k] = data[at + k];
                  });
      if (i.x)
        completeTx(w, i, l, barrier, uint32_t(data.size()));
    };
    uint64_t to = w.reg<uint64_t>(i.a)[l],
             barrier = i.x ? w.reg<uint64_t>(int32_t(i.x))[l] : 0;
    if (i.flags & Multicast)
      forBlocks(w, i, l, w.reg<uint32_t>(int32_t(i.target))[l],
                [&](uint64_t window) {
                  deliver((to & sharedOffsetMask) | window,
                          (barrier & sharedOffsetMask) | window);
                });
    else
      deliver(to, barrier);
  });
}

// imm: operation, type kind and size of AtomicUpdate, packed.
AtomicUpdate unpackUpdate(int64_t imm) {
  AtomicUpdate u;
  u.op = AtomicOp(imm & 0xff);
  u.type = {RawType::Kind((imm >> 8) & 0xff), uint8_t((imm >> 16) & 0xff), 1};
  return u;
}

void reduceBulk(Warp &w, const Inst &i, uint32_t mask) {
  AtomicUpdate u = unpackUpdate(i.imm);
  forLanes(mask, [&](unsigned l) {
    checkAlignment(w, i, l);
    std::vector<uint8_t> data = readSource(w, i, l);
    uint64_t to = w.reg<uint64_t>(i.a)[l];
    accessRange(w, i, l, to, spaceOf(to, !(i.flags & ToGlobal)),
                uint32_t(data.size()), u.bytes(), AccessKind::Atomic,
                [&](uint32_t at, uint8_t *p, unsigned n) {
                  uint64_t value = 0;
                  memcpy(&value, &data[at], n);
                  updateCell(u, p, value, 0);
                });
    if (i.x)
      completeTx(w, i, l, w.reg<uint64_t>(int32_t(i.x))[l],
                 uint32_t(data.size()));
  });
}

/// st.bulk: zeroes shared memory; b: slot of the size, 64 bits.
void storeBulk(Warp &w, const Inst &i, uint32_t mask) {
  forLanes(mask, [&](unsigned l) {
    uint64_t to = w.reg<uint64_t>(i.a)[l], bytes = w.reg<uint64_t>(i.b)[l];
    if ((to | bytes) & 7 || bytes > (1u << 24))
      trap(w, i, l, "'st.bulk' is not aligned to 8 bytes or exceeds 16 MB");
    accessRange(w, i, l, to, sharedOrGeneric(to), uint32_t(bytes), 8,
                AccessKind::Store,
                [](uint32_t, uint8_t *p, unsigned n) { memset(p, 0, n); });
  });
}

void nothing(Warp &, const Inst &, uint32_t) {}

//===-- Decoding -----------------------------------------------------------=//

/// Destination and source, in this order among the modifiers.
struct Direction {
  bool toGlobal, fromShared, ownBlock;
};
Direction takeDirection(Decoder &d) {
  std::vector<std::string> spaces;
  for (const std::string &mod : d.modsLeft())
    if (mod == "global" || mod == "shared::cta" || mod == "shared::cluster")
      spaces.push_back(mod);
  if (spaces.size() != 2)
    d.fail("expected two state spaces");
  for (const std::string &space : spaces)
    d.take(space);
  Direction direction{spaces[0] == "global", spaces[1] != "global",
                      spaces[0] == "shared::cta"};
  if (spaces[1] == "shared::cluster" ||
      direction.toGlobal != direction.fromShared) {
    bool toCluster = spaces[0] == "shared::cluster" && direction.fromShared;
    if (!toCluster || spaces[1] == "shared::cluster")
      d.fail("unsupported state spaces '." + spaces[0] + "." + spaces[1] + "'");
  }
  return direction;
}

void takeCompletion(Decoder &d, bool toGlobal) {
  if (!d.take(toGlobal ? "bulk_group" : "mbarrier::complete_tx::bytes"))
    d.fail(toGlobal ? "expected '.bulk_group'"
                    : "expected '.mbarrier::complete_tx::bytes'");
}

void decodePrefetch(Decoder &d) {
  if (!d.take("L2") || !d.take("global"))
    d.fail("expected '.L2.global'");
  bool hint = d.take("L2::cache_hint");
  d.expectOperands(2 + hint, 2 + hint);
  fullAddress(d, d.operand(0));
  d.src(1, u32);
  if (hint)
    d.src(2, b64);
  d.emit(nothing, InstClass::AsyncCopy);
}

void decodeGroups(Decoder &d, bool wait) {
  d.expectOperands(wait, wait);
  if (wait) {
    d.take("read");
    if (d.literal(0) < 0)
      d.fail("expected a number of groups");
  }
  d.emit(nothing, InstClass::AsyncCopy);
}

void decodeCopy(Decoder &d) {
  Direction direction = takeDirection(d);
  takeCompletion(d, direction.toGlobal);
  bool multicast = !direction.fromShared && !direction.ownBlock &&
                   d.take("multicast::cluster");
  bool masked = direction.toGlobal && d.take("cp_mask");
  bool hint = d.take("L2::cache_hint");
  unsigned count = 3 + !direction.toGlobal + multicast + masked + hint;
  d.expectOperands(count, count);
  size_t at = 3;
  int32_t to = fullAddress(d, d.operand(0)),
          from = fullAddress(d, d.operand(1));
  int32_t bytes = d.src(2, u32),
          barrier = direction.toGlobal ? 0 : fullAddress(d, d.operand(at++));
  int32_t blocks = multicast ? d.src(at++, b16) : 0;
  if (hint)
    d.src(at++, b64);
  int32_t byteMask = masked ? d.src(at++, b16) : 0;
  Inst &inst = d.emit(copyBulk, InstClass::AsyncCopy);
  inst.pastL1 = true;
  inst.a = to;
  inst.b = from;
  inst.c = bytes;
  inst.x = uint32_t(barrier);
  inst.target = uint32_t(multicast ? blocks : byteMask);
  inst.flags = uint8_t((direction.fromShared ? FromShared : 0) |
                       (direction.toGlobal ? ToGlobal : 0) |
                       (multicast ? Multicast : 0) | (masked ? Masked : 0));
}
} // namespace

void mlir::fuse::emu::decodeBulkCopy(Decoder &d) {
  if (d.take("commit_group"))
    return decodeGroups(d, false);
  if (d.take("wait_group"))
    return decodeGroups(d, true);
  bool prefetch = d.take("prefetch");
  if (d.take("tensor"))
    return decodeTensorCopy(d, prefetch);
  prefetch ? decodePrefetch(d) : decodeCopy(d);
}

void mlir::fuse::emu::decodeReduceBulk(Decoder &d) {
  if (!d.take("async") || !d.take("bulk"))
    d.fail("expected 'cp.reduce.async.bulk'");
  if (d.take("tensor"))
    return decodeTensorReduce(d);
  Direction direction = takeDirection(d);
  if (!direction.fromShared)
    d.fail("expected a source in shared memory");
  takeCompletion(d, direction.toGlobal);
  bool hint = d.take("L2::cache_hint");
  AtomicUpdate u = takeAtomic(d, true);
  if (u.op == AtomicOp::Exch || u.op == AtomicOp::Cas || u.type.packed != 1 ||
      (u.type.isFloat() && !direction.toGlobal))
    d.fail("unsupported operation of 'cp.reduce.async.bulk'");
  unsigned count = 3 + !direction.toGlobal + hint;
  d.expectOperands(count, count);
  int32_t to = fullAddress(d, d.operand(0)),
          from = fullAddress(d, d.operand(1));
  int32_t bytes = d.src(2, u32),
          barrier = direction.toGlobal ? 0 : fullAddress(d, d.operand(3));
  if (hint)
    d.src(count - 1, b64);
  Inst &inst = d.emit(reduceBulk, InstClass::AsyncCopy);
  inst.a = to;
  inst.b = from;
  inst.c = bytes;
  inst.x = uint32_t(barrier);
  inst.imm =
      int64_t(u.op) | int64_t(u.type.kind) << 8 | int64_t(u.type.bits) << 16;
  inst.flags = uint8_t(FromShared | (direction.toGlobal ? ToGlobal : 0));
}

void mlir::fuse::emu::decodeStoreBulk(Decoder &d) {
  d.take("weak");
  d.take("shared::cta");
  d.expectOperands(3, 3);
  int32_t to = fullAddress(d, d.operand(0)), bytes = d.src(1, b64);
  if (d.literal(2) != 0)
    d.fail("'st.bulk' stores zeros only");
  Inst &inst = d.emit(storeBulk, InstClass::SharedStore);
  inst.a = to;
  inst.b = bytes;
}
