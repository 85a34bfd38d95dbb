//===- OpsMove.cpp - mov and address conversion ---------------------------===//
//
// Copies between registers, packing and unpacking of vectors, and the windows
// of the generic address space.
//
//===----------------------------------------------------------------------===//
#include "Decoder.h"

#include <algorithm>

using namespace mlir::fuse::emu;

namespace {
constexpr RawType b64{RawType::Bits, 64, 1};
constexpr RawType u32{RawType::Unsigned, 32, 1};

//===-- Moves --------------------------------------------------------------=//

template <typename S>
void move(Warp &w, const Inst &i, uint32_t mask) {
  const S *a = w.reg<S>(i.a);
  S *d = w.reg<S>(i.d);
  if (mask == fullMask) {
    memmove(d, a, sizeof(S) * 32);
    return;
  }
  for (unsigned l = 0; l < 32; ++l)
    d[l] = (mask >> l) & 1 ? a[l] : d[l];
}
void movePred(Warp &w, const Inst &i, uint32_t mask) {
  uint32_t &d = *w.reg<uint32_t>(i.d);
  d = (d & ~mask) | (*w.reg<uint32_t>(i.a) & mask);
}
void readClock(Warp &w, const Inst &i, uint32_t mask) {
  uint64_t now =
      w.block->instructions + w.issued + (sliceInstructions - w.fuel);
  if (i.n == 8) {
    uint64_t *d = w.reg<uint64_t>(i.d);
    forLanes(mask, [&](unsigned l) { d[l] = now; });
    return;
  }
  uint32_t *d = w.reg<uint32_t>(i.d);
  forLanes(mask, [&](unsigned l) { d[l] = uint32_t(now >> (i.flags * 32)); });
}

// d = a | b << size (in bits), with widths of the parts in `size`.
template <typename D>
void packTwo(Warp &w, const Inst &i, uint32_t mask) {
  const uint32_t *a = w.reg<uint32_t>(i.a), *b = w.reg<uint32_t>(i.b);
  alignas(64) D t[32];
  unsigned shift = i.size;
  uint32_t keep = shift == 32 ? ~0u : (1u << shift) - 1;
  for (unsigned l = 0; l < 32; ++l)
    t[l] = D(a[l] & keep) | D(b[l] & keep) << shift;
  commit(w.reg<D>(i.d), t, mask);
}
void packMany(Warp &w, const Inst &i, uint32_t mask) {
  const int32_t *slots = &w.program->operands[i.x];
  uint64_t keep = (uint64_t(1) << i.size) - 1;
  alignas(64) uint64_t t[32] = {};
  for (unsigned k = 0; k < i.n; ++k) {
    const uint32_t *a = w.reg<uint32_t>(slots[k]);
    for (unsigned l = 0; l < 32; ++l)
      t[l] |= (a[l] & keep) << (k * i.size);
  }
  if (i.size * i.n == 64) {
    commit(w.reg<uint64_t>(i.d), t, mask);
    return;
  }
  alignas(64) uint32_t narrow[32];
  for (unsigned l = 0; l < 32; ++l)
    narrow[l] = uint32_t(t[l]);
  commit(w.reg<uint32_t>(i.d), narrow, mask);
}
// Part number `flags` of `size` bits.
template <typename A>
void unpack(Warp &w, const Inst &i, uint32_t mask) {
  const A *a = w.reg<A>(i.a);
  alignas(64) uint32_t t[32];
  unsigned shift = unsigned(i.flags) * i.size;
  uint32_t keep = i.size == 32 ? ~0u : (1u << i.size) - 1;
  for (unsigned l = 0; l < 32; ++l)
    t[l] = uint32_t(a[l] >> shift) & keep;
  commit(w.reg<uint32_t>(i.d), t, mask);
}

void emitMove(Decoder &d, int32_t from, int32_t to, unsigned bits,
              bool counted) {
  Inst &inst =
      d.emit(bits > 32 ? move<uint64_t> : move<uint32_t>, InstClass::Move);
  inst.a = from;
  inst.d = to;
  inst.counted = counted;
}

void decodePack(Decoder &d, RawType type) {
  const auto &parts = d.operand(1).elements;
  unsigned n = unsigned(parts.size());
  if (n == 0 || type.bits % n)
    d.fail("unsupported vector move");
  uint8_t bits = uint8_t(type.bits / n);
  RawType element{RawType::Bits, bits, 1};
  std::vector<int32_t> slots;
  for (const RawOperand &part : parts)
    slots.push_back(d.src(part, element));
  int32_t out = d.dst(0, type);
  if (type.bits == 128) {
    if (n != 2)
      d.fail("unsupported vector move");
    emitMove(d, slots[0], out, 64, true);
    emitMove(d, slots[1], out + 256, 64, false);
    return;
  }
  uint32_t list = d.listStart();
  for (int32_t slot : slots)
    d.listAdd(slot);
  Handler fn = n != 2            ? packMany
               : type.bits == 64 ? packTwo<uint64_t>
                                 : packTwo<uint32_t>;
  Inst &inst = d.emit(fn, InstClass::Move);
  inst.a = slots[0];
  inst.b = slots[n > 1];
  inst.d = out;
  inst.size = bits;
  inst.n = uint8_t(n);
  inst.x = list;
}

void decodeUnpack(Decoder &d, RawType type) {
  const auto &parts = d.operand(0).elements;
  unsigned n = unsigned(parts.size());
  if (n == 0 || type.bits % n)
    d.fail("unsupported vector move");
  uint8_t bits = uint8_t(type.bits / n);
  RawType element{RawType::Bits, bits, 1};
  int32_t from = d.src(1, type);
  bool first = true;
  for (unsigned k = 0; k < n; ++k) {
    if (parts[k].kind == RawOperand::Sink)
      continue;
    int32_t out = d.dst(parts[k], element);
    if (type.bits == 128) {
      emitMove(d, from + int32_t(256 * k), out, 64, first);
      first = false;
      continue;
    }
    Inst &inst = d.emit(type.bits == 64 ? unpack<uint64_t> : unpack<uint32_t>,
                        InstClass::Move);
    inst.a = from;
    inst.d = out;
    inst.size = bits;
    inst.flags = uint8_t(k);
    inst.counted = first;
    first = false;
  }
}

bool decodeClock(Decoder &d, RawType type) {
  const RawOperand &from = d.operand(1);
  if (from.kind != RawOperand::Reg)
    return false;
  const std::string &name = d.currentFunction().regs[from.reg].name;
  if (name.compare(0, 6, "%clock") && name.compare(0, 12, "%globaltimer"))
    return false;
  int32_t out = d.dst(0, type);
  Inst &inst = d.emit(readClock, InstClass::Move);
  inst.d = out;
  inst.n = type.bits == 64 ? 8 : 4;
  inst.flags = name.size() > 3 && name.substr(name.size() - 3) == "_hi";
  return true;
}

void decodeMov(Decoder &d) {
  d.expectOperands(2, 2);
  RawType type = d.takeType();
  if (d.operand(1).kind == RawOperand::Vector)
    return decodePack(d, type);
  if (d.operand(0).kind == RawOperand::Vector)
    return decodeUnpack(d, type);
  if (type.kind == RawType::Pred) {
    int32_t a = d.pred(d.operand(1)), out = d.predDst(d.operand(0));
    Inst &inst = d.emit(movePred, InstClass::Predicate);
    inst.a = a;
    inst.d = out;
    return;
  }
  if (decodeClock(d, type))
    return;
  int32_t a = d.src(1, type), out = d.dst(0, type);
  if (type.bits == 128) {
    emitMove(d, a, out, 64, true);
    emitMove(d, a + 256, out + 256, 64, false);
    return;
  }
  emitMove(d, a, out, type.totalBits(), true);
}

//===-- Address conversion -------------------------------------------------=//

void addWindow(Warp &w, const Inst &i, uint32_t mask) {
  uint64_t window = uint64_t(i.imm);
  map1<uint64_t, uint64_t>(w, i, mask,
                           [window](uint64_t a) { return a | window; });
}
void dropWindow(Warp &w, const Inst &i, uint32_t mask) {
  map1<uint64_t, uint64_t>(w, i, mask,
                           [](uint64_t a) { return a & ~windowMask; });
}
/// imm: the window; target: bits of the address that must be zero as well.
void isSpace(Warp &w, const Inst &i, uint32_t mask) {
  const uint64_t *a = w.reg<uint64_t>(i.a);
  uint32_t bits = 0;
  uint64_t which = windowMask | i.target;
  for (unsigned l = 0; l < 32; ++l) {
    bool is = (a[l] & which) == uint64_t(i.imm);
    bits |= uint32_t(is) << l;
  }
  uint32_t &d = *w.reg<uint32_t>(i.d);
  d = (d & ~mask) | (bits & mask);
}

int64_t windowOf(Space space) {
  switch (space) {
  case Space::Shared:
    return int64_t(sharedWindow);
  case Space::Local:
    return int64_t(localWindow);
  case Space::Param:
    return int64_t(paramWindow);
  default:
    return 0;
  }
}

void decodeCvta(Decoder &d) {
  bool to = d.take("to");
  Space space = takeStateSpace(d);
  RawType type = d.takeType();
  if (type.bits != 64)
    d.fail("expected a 64-bit address");
  const RawOperand &from = d.operand(1);
  int32_t a = d.src(1, b64), out = d.dst(0, b64);
  // A parameter of a device function lives in its frame, in local memory.
  if (from.kind == RawOperand::Symbol && space == Space::Param)
    space = d.symbol(from).space;
  Inst &inst =
      d.emit(space == Space::Global || space == Space::Const ? move<uint64_t>
             : to                                            ? dropWindow
                                                             : addWindow,
             InstClass::Integer);
  inst.a = a;
  inst.d = out;
  inst.imm = windowOf(space);
}

//===-- Shared memory of the cluster ---------------------------------------=//

/// The address at the same place in the block of rank b; the own block's
/// addresses have one form only, so that they compare equal.
template <typename T>
void mapToRank(Warp &w, const Inst &i, uint32_t mask) {
  uint64_t own = w.block->rank, ranks = w.block->cluster->blocks.size();
  const uint32_t *b = w.reg<uint32_t>(i.b);
  forLanes(mask, [&](unsigned l) {
    if (b[l] >= ranks)
      trap(w, i, l,
           "block rank " + std::to_string(b[l]) +
               " is not below the cluster's size " + std::to_string(ranks));
  });
  map2<T, T, uint32_t>(w, i, mask, [own](T a, uint32_t rank) {
    uint64_t bits = rank == own ? 0 : uint64_t(rank + 1) << sharedRankShift;
    return T((a & (windowMask | sharedOffsetMask)) | bits);
  });
}
template <typename T>
void rankOf(Warp &w, const Inst &i, uint32_t mask) {
  uint32_t own = w.block->rank;
  map1<uint32_t, T>(w, i, mask, [own](T a) {
    uint32_t rank = uint32_t((a & ~windowMask) >> sharedRankShift);
    return rank ? rank - 1 : own;
  });
}
void decodeMapa(Decoder &d) {
  d.take("shared::cluster");
  RawType type = d.takeType();
  d.expectOperands(3, 3);
  int32_t a = d.src(1, type), rank = d.src(2, u32), out = d.dst(0, type);
  Inst &inst =
      d.emit(type.bits == 64 ? mapToRank<uint64_t> : mapToRank<uint32_t>,
             InstClass::Integer);
  inst.a = a;
  inst.b = rank;
  inst.d = out;
}
void decodeGetctarank(Decoder &d) {
  d.take("shared::cluster");
  RawType type = d.takeType();
  d.expectOperands(2, 2);
  int32_t a = d.src(1, type), out = d.dst(0, u32);
  Inst &inst = d.emit(type.bits == 64 ? rankOf<uint64_t> : rankOf<uint32_t>,
                      InstClass::Integer);
  inst.a = a;
  inst.d = out;
}

void decodeIsspacep(Decoder &d) {
  const auto &mods = d.modsLeft();
  bool cluster = std::count(mods.begin(), mods.end(), "shared::cluster");
  Space space = takeStateSpace(d);
  int32_t a = d.src(1, b64), out = d.predDst(d.operand(0));
  Inst &inst = d.emit(isSpace, InstClass::Integer);
  inst.a = a;
  inst.d = out;
  inst.imm = windowOf(space);
  if (space == Space::Shared && !cluster) // Of the own block only.
    inst.target = uint32_t(~sharedOffsetMask);
}
} // namespace

void mlir::fuse::emu::addMoveOps(DecodeTable &table) {
  table["mov"] = decodeMov;
  table["cvta"] = decodeCvta;
  table["isspacep"] = decodeIsspacep;
  table["mapa"] = decodeMapa;
  table["getctarank"] = decodeGetctarank;
}
