//===- OpsMemory.cpp - ld, st, mov and address conversion -----------------===//
//
// Loads and stores are gathers and scatters over the pointers that `resolve`
// has checked; consecutive full-warp accesses are plain copies.
//
//===----------------------------------------------------------------------===//
#include "Access.h"
#include "Decoder.h"

using namespace mlir::fuse::emu;

namespace {
constexpr RawType b64{RawType::Bits, 64, 1};

//===-- Loads and stores ---------------------------------------------------=//

template <typename T> void load(Warp &w, const Inst &i, uint32_t mask) {
  alignas(64) uint64_t a[32];
  laneAddresses(w, i, i.b, a);
  Resolved r;
  resolve(w, i, mask, a, i.space, sizeof(T) * i.n, AccessKind::Load, r);
  using S = Lane<T>;
  alignas(64) S t[32];
  if (i.n == 1) {
    if (r.contiguous) {
      const uint8_t *p = r.ptr[0];
      for (unsigned l = 0; l < 32; ++l) {
        T value;
        memcpy(&value, p + l * sizeof(T), sizeof(T));
        t[l] = S(std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>(
            value));
      }
    } else {
      for (unsigned l = 0; l < 32; ++l) {
        T value;
        memcpy(&value, r.ptr[l], sizeof(T));
        t[l] = S(std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>(
            value));
      }
    }
    commit(w.reg<S>(i.d), t, mask);
    return;
  }
  const int32_t *slots = &w.program->operands[i.x];
  for (unsigned k = 0; k < i.n; ++k) {
    for (unsigned l = 0; l < 32; ++l) {
      T value;
      memcpy(&value, r.ptr[l] + k * sizeof(T), sizeof(T));
      t[l] = S(std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>(
          value));
    }
    commit(w.reg<S>(slots[k]), t, mask);
  }
}

template <typename T> void store(Warp &w, const Inst &i, uint32_t mask) {
  alignas(64) uint64_t a[32];
  laneAddresses(w, i, i.b, a);
  Resolved r;
  resolve(w, i, mask, a, i.space, sizeof(T) * i.n, AccessKind::Store, r);
  using S = Lane<T>;
  const int32_t *slots = i.n == 1 ? &i.a : &w.program->operands[i.x];
  for (unsigned k = 0; k < i.n; ++k) {
    const S *value = w.reg<S>(slots[k]);
    if (r.contiguous) {
      uint8_t *p = r.ptr[0] + k * sizeof(T);
      unsigned stride = sizeof(T) * i.n;
      for (unsigned l = 0; l < 32; ++l) {
        T narrow = T(value[l]);
        memcpy(p + l * stride, &narrow, sizeof(T));
      }
      continue;
    }
    forLanes(mask, [&](unsigned l) {
      T narrow = T(value[l]);
      memcpy(r.ptr[l] + k * sizeof(T), &narrow, sizeof(T));
    });
  }
}

Handler pickLoad(RawType type) {
  bool isSigned = type.kind == RawType::Signed;
  switch (type.totalBits()) {
  case 8: return isSigned ? load<int8_t> : load<uint8_t>;
  case 16: return isSigned ? load<int16_t> : load<uint16_t>;
  case 32: return load<uint32_t>;
  case 64: return load<uint64_t>;
  default: return nullptr;
  }
}
Handler pickStore(RawType type) {
  switch (type.totalBits()) {
  case 8: return store<uint8_t>;
  case 16: return store<uint16_t>;
  case 32: return store<uint32_t>;
  case 64: return store<uint64_t>;
  default: return nullptr;
  }
}

InstClass classOf(Space space, bool store) {
  switch (space) {
  case Space::Global:
    return store ? InstClass::GlobalStore : InstClass::GlobalLoad;
  case Space::Shared:
    return store ? InstClass::SharedStore : InstClass::SharedLoad;
  case Space::Local:
    return store ? InstClass::LocalStore : InstClass::LocalLoad;
  case Space::Const:
  case Space::Param: return InstClass::ConstLoad;
  default: return store ? InstClass::GenericStore : InstClass::GenericLoad;
  }
}

Space takeSpace(Decoder &d) {
  if (d.take("global"))
    return Space::Global;
  if (d.take("shared") || d.take("shared::cta"))
    return Space::Shared;
  if (d.take("shared::cluster"))
    return Space::Shared; // A cluster of one block; others are refused.
  if (d.take("local"))
    return Space::Local;
  if (d.take("const"))
    return Space::Const;
  if (d.take("param") || d.take("param::entry") || d.take("param::func"))
    return Space::Param;
  return Space::None;
}

/// Ordering and cache hints do not change what one program reads here: the
/// emulator's memory is sequentially consistent within a host thread.
bool takeHints(Decoder &d, bool &cacheHint) {
  bool strong = false;
  for (const char *mod : {"volatile", "relaxed", "acquire", "release", "mmio"})
    strong |= d.take(mod);
  for (const char *mod : {"weak", "cta", "cluster", "gpu", "sys", "ca", "cg",
                          "cs", "lu", "cv", "wb", "wt", "nc", "unified"})
    d.take(mod);
  cacheHint = d.take("L2::cache_hint");
  while (!d.takePrefix("L1::").empty() || !d.takePrefix("L2::").empty()) {
  }
  return strong;
}

unsigned takeVector(Decoder &d) {
  int v = d.takeOneOf({"v2", "v4", "v8"});
  return v < 0 ? 1 : 2u << v;
}

/// The bytes of a load up to the last one that is used: what lies behind may
/// be outside of the allocation.
unsigned usedBytes(Decoder &d, unsigned bytes) {
  unsigned used = bytes;
  while (used > 1 && used <= 32 && !((d.inst().usedBytes >> (used - 1)) & 1))
    --used;
  return used;
}

void decodeAccess(Decoder &d, bool isStore) {
  bool cacheHint;
  Space space = takeSpace(d);
  bool strong = takeHints(d, cacheHint);
  unsigned n = takeVector(d);
  RawType type = d.takeType();
  if (type.kind == RawType::Pred)
    d.fail("unsupported type of a memory access");
  d.expectOperands(2, cacheHint ? 3 : 2);
  const RawOperand &data = d.operand(isStore ? 1 : 0);
  Decoder::Address address = d.address(d.operand(isStore ? 0 : 1));
  if (space == Space::None || space == Space::Param)
    if (address.space != Space::None)
      space = address.space; // Also .param of a function: local memory.
  bool wide = type.bits == 128;
  RawType element = wide ? b64 : type;
  if (n * type.totalBits() > 256)
    d.fail("access is wider than 32 bytes");
  std::vector<RawOperand> parts;
  if (data.kind == RawOperand::Vector)
    parts = data.elements;
  else
    parts.push_back(data);
  if (parts.size() != n)
    d.fail("expected a vector of " + std::to_string(n) + " elements");
  std::vector<int32_t> slots;
  for (const RawOperand &part : parts) {
    RawType use = type;
    if (!isStore && type.kind == RawType::Signed && type.bits == 16 &&
        d.regBits(part) == 16)
      use.kind = RawType::Bits; // Not to be sign-extended in its register.
    int32_t slot = isStore ? d.src(part, use) : d.dst(part, use);
    slots.push_back(slot);
    if (wide)
      slots.push_back(slot + 256);
    if (!isStore)
      element.kind = use.kind == RawType::Bits && !wide ? RawType::Bits
                                                        : element.kind;
  }
  Handler fn = isStore ? pickStore(element) : pickLoad(element);
  if (!fn)
    d.fail("unsupported type of a memory access");
  uint32_t list = d.listStart();
  for (int32_t slot : slots)
    d.listAdd(slot);
  unsigned size = element.totalBits() / 8;
  unsigned bytes = isStore ? size * unsigned(slots.size())
                           : usedBytes(d, size * unsigned(slots.size()));
  auto emitPart = [&](Handler handler, unsigned first, unsigned count,
                      unsigned width) {
    Inst &inst = d.emit(handler, classOf(space, isStore));
    inst.space = space;
    inst.strong = strong;
    inst.size = uint8_t(width);
    inst.n = uint8_t(count);
    inst.x = list + first;
    inst.b = address.base;
    inst.imm = address.offset + first * size;
    (isStore ? inst.a : inst.d) = slots[first];
    inst.counted = first == 0;
  };
  unsigned whole = bytes / size, rest = bytes % size;
  if (rest == 3 || rest > 4) { // No load of so many bytes.
    whole += rest > 4 || size == 4;
    rest = rest > 4 || size == 4 ? 0 : 4;
  }
  if (whole)
    emitPart(fn, 0, whole, size);
  // The used bytes of the last element, which are its low ones.
  if (rest)
    emitPart(pickLoad({RawType::Bits, uint8_t(8 * rest), 1}), whole, 1, rest);
}

/// Prefetches have no effect that can be observed.
void noEffect(Warp &, const Inst &, uint32_t) {}
void decodePrefetch(Decoder &d) {
  takeSpace(d);
  d.take("L1");
  d.take("L2");
  d.take("tensormap");
  bool cacheHint;
  takeHints(d, cacheHint);
  d.emit(noEffect, InstClass::Special);
}

//===-- Moves --------------------------------------------------------------=//

template <typename S> void move(Warp &w, const Inst &i, uint32_t mask) {
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
  uint64_t now = w.block->instructions + w.issued +
                 (sliceInstructions - w.fuel);
  if (i.n == 8) {
    uint64_t *d = w.reg<uint64_t>(i.d);
    forLanes(mask, [&](unsigned l) { d[l] = now; });
    return;
  }
  uint32_t *d = w.reg<uint32_t>(i.d);
  forLanes(mask, [&](unsigned l) { d[l] = uint32_t(now >> (i.flags * 32)); });
}

// d = a | b << size (in bits), with widths of the parts in `size`.
template <typename D> void packTwo(Warp &w, const Inst &i, uint32_t mask) {
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
template <typename A> void unpack(Warp &w, const Inst &i, uint32_t mask) {
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
  Inst &inst = d.emit(bits > 32 ? move<uint64_t> : move<uint32_t>,
                      InstClass::Move);
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
  Handler fn = n != 2 ? packMany
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
void isSpace(Warp &w, const Inst &i, uint32_t mask) {
  const uint64_t *a = w.reg<uint64_t>(i.a);
  uint32_t bits = 0;
  for (unsigned l = 0; l < 32; ++l) {
    uint64_t window = a[l] & windowMask;
    bool is = window == uint64_t(i.imm);
    bits |= uint32_t(is) << l;
  }
  uint32_t &d = *w.reg<uint32_t>(i.d);
  d = (d & ~mask) | (bits & mask);
}

int64_t windowOf(Space space) {
  switch (space) {
  case Space::Shared: return int64_t(sharedWindow);
  case Space::Local: return int64_t(localWindow);
  case Space::Param: return int64_t(paramWindow);
  default: return 0;
  }
}

void decodeCvta(Decoder &d) {
  bool to = d.take("to");
  Space space = takeSpace(d);
  RawType type = d.takeType();
  if (type.bits != 64)
    d.fail("expected a 64-bit address");
  const RawOperand &from = d.operand(1);
  int32_t a = d.src(1, b64), out = d.dst(0, b64);
  // A parameter of a device function lives in its frame, in local memory.
  if (from.kind == RawOperand::Symbol && space == Space::Param)
    space = d.symbol(from).space;
  Inst &inst = d.emit(space == Space::Global || space == Space::Const
                          ? move<uint64_t>
                      : to ? dropWindow
                           : addWindow,
                      InstClass::Integer);
  inst.a = a;
  inst.d = out;
  inst.imm = windowOf(space);
}

void decodeIsspacep(Decoder &d) {
  Space space = takeSpace(d);
  int32_t a = d.src(1, b64), out = d.predDst(d.operand(0));
  Inst &inst = d.emit(isSpace, InstClass::Integer);
  inst.a = a;
  inst.d = out;
  inst.imm = windowOf(space);
}
} // namespace

void mlir::fuse::emu::addMemoryOps(DecodeTable &table) {
  table["ld"] = [](Decoder &d) { decodeAccess(d, false); };
  table["ldu"] = [](Decoder &d) { decodeAccess(d, false); };
  table["st"] = [](Decoder &d) { decodeAccess(d, true); };
  table["prefetch"] = decodePrefetch;
  table["prefetchu"] = decodePrefetch;
  table["applypriority"] = decodePrefetch;
  table["discard"] = decodePrefetch;
  table["mov"] = decodeMov;
  table["cvta"] = decodeCvta;
  table["isspacep"] = decodeIsspacep;
}
