//===- OpsMemory.cpp - ld, st, mov and address conversion -----------------===//
//
// Loads and stores are gathers and scatters over the pointers that `resolve`
// has checked; consecutive full-warp accesses are plain copies.
//
//===----------------------------------------------------------------------===//
#include "Async.h"

#include <algorithm>
#include <map>
#include <set>

using namespace mlir::fuse::emu;

namespace {
constexpr RawType b64{RawType::Bits, 64, 1};

//===-- Loads and stores ---------------------------------------------------=//

/// A kernel parameter: one value for all lanes. False when it is out of bounds
/// or misaligned, which the general way reports.
template <typename T>
bool loadParam(Warp &w, const Inst &i, uint32_t mask) {
  uint64_t bytes = sizeof(T) * i.n, at = uint64_t(i.imm);
  if (at + bytes > w.program->paramBytes || at % bytes)
    return false;
  using S = Lane<T>;
  const uint8_t *from = w.block->launch->params + at;
  const int32_t *slots = i.n == 1 ? &i.d : &w.program->operands[i.x];
  for (unsigned k = 0; k < i.n; ++k) {
    T value;
    memcpy(&value, from + k * sizeof(T), sizeof(T));
    alignas(64) S t[32];
    std::fill_n(
        t, 32,
        S(std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>(value)));
    commit(w.reg<S>(slots[k]), t, mask);
  }
  return true;
}

/// flags: 1 for a kernel parameter at a fixed address.
template <typename T>
void load(Warp &w, const Inst &i, uint32_t mask) {
  if (i.flags && loadParam<T>(w, i, mask))
    return;
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
        t[l] = S(
            std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>(value));
      }
    } else {
      for (unsigned l = 0; l < 32; ++l) {
        T value;
        memcpy(&value, r.ptr[l], sizeof(T));
        t[l] = S(
            std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>(value));
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
      t[l] =
          S(std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>(value));
    }
    commit(w.reg<S>(slots[k]), t, mask);
  }
}

template <typename T>
void store(Warp &w, const Inst &i, uint32_t mask) {
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
  case 8:
    return isSigned ? load<int8_t> : load<uint8_t>;
  case 16:
    return isSigned ? load<int16_t> : load<uint16_t>;
  case 32:
    return load<uint32_t>;
  case 64:
    return load<uint64_t>;
  default:
    return nullptr;
  }
}
Handler pickStore(RawType type) {
  switch (type.totalBits()) {
  case 8:
    return store<uint8_t>;
  case 16:
    return store<uint16_t>;
  case 32:
    return store<uint32_t>;
  case 64:
    return store<uint64_t>;
  default:
    return nullptr;
  }
}

void copyAddress(Warp &w, const Inst &i, uint32_t mask) {
  map1<uint64_t, uint64_t>(w, i, mask, [](uint64_t a) { return a; });
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
  case Space::Param:
    return InstClass::ConstLoad;
  default:
    return store ? InstClass::GenericStore : InstClass::GenericLoad;
  }
}

/// Ordering and cache hints do not change what one program reads here: the
/// emulator's memory is sequentially consistent within a host thread. True
/// when the access is strong, part of no race.
bool takeHints(Decoder &d, bool isStore, Space space, bool &cacheHint,
               bool &pastL1) {
  bool strong = d.take("volatile");
  if (!strong && !d.take("weak")) {
    d.take("mmio");
    strong = d.takeOneOf({"relaxed", isStore ? "release" : "acquire"}) >= 0;
    if (strong && d.takeOneOf({"cta", "cluster", "gpu", "sys"}) < 0)
      d.fail("expected a scope after the memory order");
  }
  pastL1 = d.takeOneOf({"cg", isStore ? "cg" : "cv"}) >= 0;
  if (!pastL1)
    isStore ? d.takeOneOf({"wb", "cs", "wt"}) : d.takeOneOf({"ca", "cs", "lu"});
  if (!isStore && d.take("nc") && space != Space::Global)
    d.fail("expected '.global' with '.nc'");
  d.takeOneOf({"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first",
               "L1::evict_last", "L1::no_allocate"});
  d.takeOneOf({"L2::evict_normal", "L2::evict_first", "L2::evict_last"});
  if (!isStore)
    d.takeOneOf({"L2::64B", "L2::128B", "L2::256B"});
  cacheHint = d.take("L2::cache_hint");
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

std::vector<RawOperand> partsOf(const RawOperand &data) {
  return data.kind == RawOperand::Vector ? data.elements : std::vector{data};
}

/// Slots of the data of an access; 128-bit values are two of 64 bits each.
/// `element` becomes the type in which one of them is moved.
std::vector<int32_t> dataSlots(Decoder &d, const RawOperand &data, bool isStore,
                               RawType type, unsigned n, RawType &element) {
  std::vector<RawOperand> parts = partsOf(data);
  if (parts.size() != n)
    d.fail("expected a vector of " + std::to_string(n) + " elements");
  bool wide = type.bits == 128;
  element = wide ? b64 : type;
  std::vector<int32_t> slots;
  for (const RawOperand &part : parts) {
    RawType use = type;
    if (!isStore && type.kind == RawType::Signed && type.bits == 16 &&
        d.regBits(part) == 16) // Not to be sign-extended in its register.
      element.kind = use.kind = RawType::Bits;
    slots.push_back(isStore ? d.src(part, use) : d.dst(part, use));
    if (wide)
      slots.push_back(slots.back() + 256);
  }
  return slots;
}

/// The first `bytes` bytes of an access: its whole elements, and then the low
/// bytes of one more.
void emitAccess(Decoder &d, Handler fn, const Inst &common,
                const std::vector<int32_t> &slots, bool isStore,
                unsigned bytes) {
  uint32_t list = d.listStart();
  for (int32_t slot : slots)
    d.listAdd(slot);
  unsigned size = common.size, whole = bytes / size, rest = bytes % size;
  if (rest == 3 || rest > 4) { // No load of so many bytes.
    whole += rest > 4 || size == 4;
    rest = rest > 4 || size == 4 ? 0 : 4;
  }
  int32_t base = common.b;
  if (whole && rest) { // The first part may overwrite the address.
    Inst &copy = d.emit(copyAddress, InstClass::Move);
    copy.counted = false;
    copy.a = base;
    base = copy.d = d.temp(64);
  }
  auto emitPart = [&](Handler handler, unsigned first, unsigned count,
                      unsigned width) {
    Inst &inst = d.emit(handler, classOf(common.space, isStore));
    inst.space = common.space;
    inst.strong = common.strong;
    inst.pastL1 = common.pastL1;
    inst.flags = common.flags;
    inst.size = uint8_t(width);
    inst.n = uint8_t(count);
    inst.x = list + first;
    inst.b = base;
    inst.imm = common.imm + first * size;
    if (common.used != ~0u)
      inst.used = common.used >> (first * size);
    (isStore ? inst.a : inst.d) = slots[first];
    inst.counted = first == 0;
  };
  if (whole)
    emitPart(fn, 0, whole, size);
  if (rest)
    emitPart(pickLoad({RawType::Bits, uint8_t(8 * rest), 1}), whole, 1, rest);
}

void decodeAccess(Decoder &d, bool isStore) {
  bool cacheHint, pastL1;
  Space space = takeStateSpace(d);
  bool strong = takeHints(d, isStore, space, cacheHint, pastL1);
  unsigned n = takeVector(d);
  RawType type = d.takeType();
  if (type.kind == RawType::Pred)
    d.fail("unsupported type of a memory access");
  d.expectOperands(cacheHint ? 3 : 2, cacheHint ? 3 : 2);
  if (cacheHint)
    d.src(2, b64);
  Decoder::Address address = d.address(d.operand(isStore ? 0 : 1));
  if (space == Space::None || space == Space::Param)
    if (address.space != Space::None)
      space = address.space; // Also .param of a function: local memory.
  if (n * type.totalBits() > 256)
    d.fail("access is wider than 32 bytes");
  RawType element;
  std::vector<int32_t> slots =
      dataSlots(d, d.operand(isStore ? 1 : 0), isStore, type, n, element);
  Handler fn = isStore ? pickStore(element) : pickLoad(element);
  if (!fn)
    d.fail("unsupported type of a memory access");
  Inst common;
  common.space = space;
  common.strong = strong;
  common.pastL1 = pastL1;
  common.flags = !isStore && space == Space::Param && d.operand(1).reg < 0 &&
                 address.space == Space::Param;
  common.size = uint8_t(element.totalBits() / 8);
  if (!isStore)
    common.used = d.inst().usedBytes;
  common.imm = address.offset;
  common.b = address.base;
  unsigned bytes = common.size * unsigned(slots.size());
  emitAccess(d, fn, common, slots, isStore,
             isStore ? bytes : usedBytes(d, bytes));
}

//===-- Hints on caches ----------------------------------------------------=//

void noEffect(Warp &, const Inst &, uint32_t) {}

/// The forms by their modifiers; some name the size of the range.
void decodeCacheHint(Decoder &d) {
  static const std::map<std::string, std::set<std::string>> known = {
      {"prefetch",
       {"L1", "L2", "global.L1", "global.L2", "local.L1", "local.L2",
        "global.L2::evict_last", "global.L2::evict_normal", "tensormap",
        "param.tensormap", "const.tensormap"}},
      {"prefetchu", {"L1"}},
      {"applypriority", {"L2::evict_normal", "global.L2::evict_normal"}},
      {"discard", {"L2", "global.L2"}}};
  const std::string &opcode = d.inst().opcode;
  std::string form = joinMods(d);
  if (!known.at(opcode).count(form))
    d.fail("unknown form '." + form + "' of '" + opcode + "'");
  bool sized = opcode == "applypriority" || opcode == "discard";
  d.expectOperands(sized ? 2 : 1, sized ? 2 : 1);
  d.address(d.operand(0));
  if (sized && d.literal(1) != 128)
    d.fail("expected a size of 128 bytes");
  d.emit(noEffect, InstClass::Special);
}

/// A cache policy is a number of which nothing depends here.
void decodeCreatePolicy(Decoder &d) {
  int kind = d.takeOneOf({"fractional", "range", "cvt"});
  size_t count = 2;
  if (kind == 2) {
    if (!d.take("L2"))
      d.fail("expected '.L2'");
    d.expectOperands(2, 2);
    d.src(1, b64);
  } else if (kind >= 0) {
    if (kind == 1)
      d.take("global");
    std::initializer_list<std::string_view> first = {
        "L2::evict_last", "L2::evict_normal", "L2::evict_first",
        "L2::evict_unchanged"};
    if (d.takeOneOf(first) < 0)
      d.fail("expected a priority of eviction");
    d.takeOneOf({"L2::evict_first", "L2::evict_unchanged"});
    count = kind == 1 ? 4 : d.numOperands();
    d.expectOperands(kind == 1 ? 4 : 1, kind == 1 ? 4 : 2);
    if (kind == 1)
      d.address(d.operand(1));
    for (size_t k = kind == 1 ? 2 : 1; k < count; ++k)
      d.src(k, kind == 1 ? RawType{RawType::Unsigned, 32, 1}
                         : RawType{RawType::Float, 32, 1});
  } else {
    d.fail("unsupported form of 'createpolicy'");
  }
  if (!d.take("b64"))
    d.fail("expected '.b64'");
  int32_t zero = d.constant64(0), out = d.dst(0, b64);
  Inst &inst = d.emit(copyAddress, InstClass::Special);
  inst.a = zero;
  inst.d = out;
}
} // namespace

Space mlir::fuse::emu::takeStateSpace(Decoder &d) {
  if (d.take("global"))
    return Space::Global;
  if (d.take("shared") || d.take("shared::cta"))
    return Space::Shared;
  if (d.take("shared::cluster"))
    return Space::Shared; // The rank is part of the address.
  if (d.take("local"))
    return Space::Local;
  if (d.take("const"))
    return Space::Const;
  if (d.take("param") || d.take("param::entry") || d.take("param::func"))
    return Space::Param;
  return Space::None;
}

void mlir::fuse::emu::addMemoryOps(DecodeTable &table) {
  table["ld"] = [](Decoder &d) { decodeAccess(d, false); };
  table["ldu"] = [](Decoder &d) {
    for (const std::string &mod : d.modsLeft())
      if (mod != "global" && mod[0] != 'v' && !parseType(mod).valid())
        d.fail("unsupported modifier '." + mod + "' of 'ldu'");
    decodeAccess(d, false);
  };
  table["st"] = [](Decoder &d) {
    if (d.take("async"))
      return decodeStoreAsync(d);
    if (d.take("bulk"))
      return decodeStoreBulk(d);
    decodeAccess(d, true);
  };
  for (const char *name : {"prefetch", "prefetchu", "applypriority", "discard"})
    table[name] = decodeCacheHint;
  table["createpolicy"] = decodeCreatePolicy;
}
