//===- OpsTensorMap.cpp - Copies described by tensor maps -----------------===//
//
// cp.async.bulk.tensor and its reductions: a tile (or im2col column) is a list
// of rows of consecutive elements; each row is read or written in global
// memory within the tensor's bounds and lies in shared memory with the map's
// swizzle.
//
//===----------------------------------------------------------------------===//
#include "Bulk.h"
#include "Half.h"
#include "TensorMapLayout.h"
#include "fuse-mlir/Emulator/TensorMap.h"

#include <algorithm>

using namespace mlir::fuse::emu;

namespace {
constexpr RawType b16{RawType::Bits, 16, 1};
constexpr RawType b32{RawType::Bits, 32, 1};
constexpr RawType b64{RawType::Bits, 64, 1};

enum class Mode : uint8_t { Tile, Rows4, Im2col };
enum Flag : uint8_t { Store = 1, Reduce = 2, Multicast = 4 };

// Inst: x lists shared address, barrier or 0, map, mask of blocks or 0, then
// `n` coordinates and two im2col offsets; imm: Mode; target: AtomicOp.
struct Copy {
  Warp &w;
  const Inst &i;
  unsigned lane;
  TensorMap map;
  uint64_t shared = 0, barrier = 0;
  uint32_t blocks = 0;
  int64_t coords[5] = {};
  int64_t offsets[3] = {};

  Copy(Warp &w, const Inst &i, unsigned lane);
  uint32_t rowElements() const {
    return map.im2col ? map.channels : map.box[0];
  }
  uint32_t rowBytes() const { return rowElements() * map.elementBytes(); }
  void run();

private:
  void forRows();
  void tileRows();
  void fourRows();
  void columnRows();
  void row(const int64_t (&at)[5]);
  bool inBounds(const int64_t (&at)[5], uint64_t &address, uint32_t &skipped,
                uint32_t &bytes) const;
  void load(uint64_t address, uint32_t skipped, uint32_t bytes);
  void fill();
  void convert();
  void toShared(uint64_t window);
  void fromShared();
  void toGlobal(uint64_t address, uint32_t skipped, uint32_t bytes);
  template <typename F>
  void forChunks(uint64_t base, AccessKind kind, F visit);

  uint32_t rowIndex = 0;
  std::vector<uint8_t> data;
};

Copy::Copy(Warp &w, const Inst &i, unsigned lane) : w(w), i(i), lane(lane) {
  const int32_t *slots = &w.program->operands[i.x];
  shared = w.reg<uint64_t>(slots[0])[lane];
  barrier = slots[1] ? w.reg<uint64_t>(slots[1])[lane] : 0;
  uint64_t address = w.reg<uint64_t>(slots[2])[lane];
  blocks = slots[3] ? w.reg<uint32_t>(slots[3])[lane] : 0;
  for (unsigned k = 0; k < i.n; ++k)
    coords[k] = w.reg<int32_t>(slots[4 + k])[lane];
  for (unsigned k = 0; k < 3; ++k)
    if (slots[4 + i.n + k])
      offsets[k] = w.reg<uint32_t>(slots[4 + i.n + k])[lane] & 0xffff;
  if (address % 64)
    trap(w, i, lane, "tensor map is not aligned to 64 bytes");
  map = decodeTensorMap(
      resolveLane(w, i, lane, address, Space::None, tensorMapBytes, false));
  std::string problem = map.check();
  Mode mode = Mode(i.imm);
  unsigned rank = mode == Mode::Rows4 ? 2 : i.n;
  if (problem.empty() && map.rank != rank)
    problem = "its rank is " + std::to_string(map.rank) + ", not " +
              std::to_string(rank);
  if (problem.empty() && map.im2col != (mode == Mode::Im2col))
    problem = map.im2col ? "it is one of im2col" : "it is not one of im2col";
  if (!problem.empty())
    trap(w, i, lane, "invalid tensor map: " + problem);
  if (shared & 127)
    trap(w, i, lane,
         "shared memory of a tensor copy is not aligned to 128 bytes");
}

/// Where a row lies in global memory: the part within the tensor. False when
/// all of it is outside.
bool Copy::inBounds(const int64_t (&at)[5], uint64_t &address,
                    uint32_t &skipped, uint32_t &bytes) const {
  int64_t first = std::max<int64_t>(0, -at[0]);
  int64_t last = std::min<int64_t>(rowElements(), int64_t(map.dims[0]) - at[0]);
  if (first >= last)
    return false;
  unsigned size = map.elementBytes();
  address = map.address + uint64_t(at[0] + first) * size;
  for (unsigned k = 1; k < map.rank; ++k) {
    if (at[k] < 0 || at[k] >= int64_t(map.dims[k]))
      return false;
    address += uint64_t(at[k]) * map.strides[k - 1];
  }
  skipped = uint32_t(first) * size;
  bytes = uint32_t(last - first) * size;
  return true;
}

/// The largest unit of access that address and size allow.
unsigned unitOf(uint64_t address, uint32_t bytes) {
  uint64_t bits = address | bytes | 16;
  return unsigned(bits & (~bits + 1));
}

void Copy::fill() {
  std::fill(data.begin(), data.end(), 0);
  if (!map.fillNan)
    return;
  for (size_t k = 0; k < data.size(); ++k)
    data[k] = k % map.elementBytes() + 1 == map.elementBytes() ? 0x7f : 0xff;
}

/// The types that change values on the way.
void Copy::convert() {
  bool flushes =
      map.element == TensorMap::F32Ftz || map.element == TensorMap::TF32Ftz;
  bool rounds =
      map.element == TensorMap::TF32 || map.element == TensorMap::TF32Ftz;
  if (!flushes && !rounds)
    return;
  for (size_t k = 0; k + 4 <= data.size(); k += 4) {
    uint32_t bits;
    memcpy(&bits, &data[k], 4);
    float value = bitsFloat(bits);
    if (flushes)
      value = flushFloat(value);
    bits = floatBits(value);
    if (rounds && value == value)
      bits = Narrow<8, 10>::round(value, Round::Nearest) << 13;
    memcpy(&data[k], &bits, 4);
  }
}

void Copy::load(uint64_t address, uint32_t skipped, uint32_t bytes) {
  accessRange(w, i, lane, address, Space::Global, bytes, unitOf(address, bytes),
              AccessKind::Load, [&](uint32_t at, const uint8_t *p, unsigned n) {
                memcpy(&data[skipped + at], p, n);
              });
  convert();
}

/// The 16-byte chunks of this row in the shared memory at `base`.
template <typename F>
void Copy::forChunks(uint64_t base, AccessKind kind, F visit) {
  uint32_t pitch = map.swizzle ? 16u << map.swizzle : rowBytes();
  uint64_t pattern = (1u << map.swizzle) - 1;
  uint64_t start = base + uint64_t(rowIndex) * pitch;
  for (uint32_t at = 0; at < rowBytes(); at += 512) {
    unsigned count = std::min(32u, (rowBytes() - at) / 16);
    alignas(64) uint64_t a[32];
    for (unsigned l = 0; l < 32; ++l) {
      uint64_t linear = start + at + 16 * (l < count ? l : 0);
      a[l] = linear ^ (((linear >> 7) & pattern) << 4);
      resolveLane(w, i, lane, a[l], sharedOrGeneric(a[l]), 16,
                  kind != AccessKind::Load);
    }
    Resolved r;
    resolve(w, i, count == 32 ? fullMask : (1u << count) - 1, a,
            sharedOrGeneric(a[0]), 16, kind, r);
    for (unsigned l = 0; l < count; ++l)
      visit(at + 16 * l, r.ptr[l]);
  }
}

void Copy::toShared(uint64_t window) {
  uint64_t base =
      i.flags & Multicast ? (shared & sharedOffsetMask) | window : shared;
  forChunks(base, AccessKind::Store,
            [&](uint32_t at, uint8_t *p) { memcpy(p, &data[at], 16); });
}
void Copy::fromShared() {
  forChunks(shared, AccessKind::Load,
            [&](uint32_t at, const uint8_t *p) { memcpy(&data[at], p, 16); });
}

RawType updateType(TensorMap::Element element, AtomicOp op) {
  bool bitwise =
      op == AtomicOp::And || op == AtomicOp::Or || op == AtomicOp::Xor;
  using T = RawType;
  switch (element) {
  case TensorMap::F16:
    return {T::Float, 16, 1};
  case TensorMap::BF16:
    return {T::BFloat, 16, 1};
  case TensorMap::F32:
  case TensorMap::F32Ftz:
    return {T::Float, 32, 1};
  case TensorMap::F64:
    return {T::Float, 64, 1};
  case TensorMap::U32:
    return {bitwise ? T::Bits : T::Unsigned, 32, 1};
  case TensorMap::S32:
    return {bitwise ? T::Bits : T::Signed, 32, 1};
  case TensorMap::U64:
    return {bitwise ? T::Bits : T::Unsigned, 64, 1};
  case TensorMap::S64:
    return {bitwise ? T::Bits : T::Signed, 64, 1};
  default:
    return {};
  }
}

void Copy::toGlobal(uint64_t address, uint32_t skipped, uint32_t bytes) {
  if (!(i.flags & Reduce)) {
    accessRange(w, i, lane, address, Space::Global, bytes,
                unitOf(address, bytes), AccessKind::Store,
                [&](uint32_t at, uint8_t *p, unsigned n) {
                  memcpy(p, &data[skipped + at], n);
                });
    return;
  }
  AtomicUpdate u;
  u.op = AtomicOp(i.target);
  u.type = updateType(map.element, u.op);
  bool wrong =
      u.type.isFloat()
          ? u.op != AtomicOp::Add && (u.op < AtomicOp::Min || u.type.bits != 16)
          : !u.type.valid();
  if (wrong)
    trap(w, i, lane, "the element type has no such reduction");
  accessRange(w, i, lane, address, Space::Global, bytes, u.bytes(),
              AccessKind::Atomic, [&](uint32_t at, uint8_t *p, unsigned n) {
                uint64_t value = 0;
                memcpy(&value, &data[skipped + at], n);
                updateCell(u, p, value, 0);
              });
}

void Copy::row(const int64_t (&at)[5]) {
  uint64_t address = 0;
  uint32_t skipped = 0, bytes = 0;
  bool inside = inBounds(at, address, skipped, bytes);
  if (i.flags & Store) {
    if (inside) {
      fromShared();
      toGlobal(address, skipped, bytes);
    }
  } else {
    fill();
    if (inside)
      load(address, skipped, bytes);
    if (i.flags & Multicast)
      forBlocks(w, i, lane, blocks, [&](uint64_t window) { toShared(window); });
    else
      toShared(0);
  }
  ++rowIndex;
}

void Copy::tileRows() {
  uint32_t counts[5] = {1, 1, 1, 1, 1};
  uint64_t rows = 1;
  for (unsigned k = 1; k < map.rank; ++k)
    rows *= counts[k] = (map.box[k] + map.steps[k] - 1) / map.steps[k];
  for (uint64_t r = 0; r < rows; ++r) {
    int64_t at[5] = {coords[0], 0, 0, 0, 0};
    uint64_t rest = r;
    for (unsigned k = 1; k < map.rank; ++k) {
      at[k] = coords[k] + int64_t(rest % counts[k]) * map.steps[k];
      rest /= counts[k];
    }
    row(at);
  }
}

/// tile::gather4 and tile::scatter4: a column and four rows.
void Copy::fourRows() {
  for (unsigned k = 1; k < 5; ++k)
    row({coords[0], coords[k], 0, 0, 0});
}

/// Base pixels in the order W, H, D, N from the given one on, each within the
/// box that the corners span; the offsets are those of the filter.
void Copy::columnRows() {
  unsigned spatial = map.rank - 2;
  int64_t base[5];
  std::copy_n(coords, 5, base);
  for (uint32_t pixel = 0; pixel < map.pixels; ++pixel) {
    int64_t at[5] = {base[0], 0, 0, 0, 0};
    for (unsigned k = 0; k < spatial; ++k)
      at[k + 1] = base[k + 1] + offsets[k];
    at[map.rank - 1] = base[map.rank - 1];
    row(at);
    unsigned k = 0;
    for (; k < spatial; ++k) {
      base[k + 1] += map.steps[k + 1];
      if (base[k + 1] <= int64_t(map.dims[k + 1]) - 1 + map.upper[k])
        break;
      base[k + 1] = map.lower[k];
    }
    if (k == spatial)
      ++base[map.rank - 1];
  }
}

void Copy::run() {
  data.resize(rowBytes());
  Mode mode = Mode(i.imm);
  mode == Mode::Tile    ? tileRows()
  : mode == Mode::Rows4 ? fourRows()
                        : columnRows();
  if (!w.program->operands[i.x + 1]) // Groups, not barriers, complete it.
    return;
  uint32_t total = rowIndex * rowBytes();
  if (i.flags & Multicast)
    forBlocks(w, i, lane, blocks, [&](uint64_t window) {
      completeTx(w, i, lane, (barrier & sharedOffsetMask) | window, total);
    });
  else
    completeTx(w, i, lane, barrier, total);
}

void copyTensor(Warp &w, const Inst &i, uint32_t mask) {
  forLanes(mask, [&](unsigned l) { Copy(w, i, l).run(); });
}
void nothing(Warp &, const Inst &, uint32_t) {}

//===-- Decoding -----------------------------------------------------------=//

struct Form {
  unsigned rank = 0;
  Mode mode = Mode::Tile;
  bool offsets = false; ///< im2col with offsets of the filter.
};

Form takeForm(Decoder &d, bool isLoad) {
  Form form;
  int rank = d.takeOneOf({"1d", "2d", "3d", "4d", "5d"});
  if (rank < 0)
    d.fail("expected a dimension, '.1d' to '.5d'");
  form.rank = unsigned(rank) + 1;
  if (d.take(isLoad ? "tile::gather4" : "tile::scatter4")) {
    form.mode = Mode::Rows4;
    if (form.rank != 2)
      d.fail("expected '.2d' with four rows");
  } else if (d.take(isLoad ? "im2col" : "im2col_no_offs")) {
    form.mode = Mode::Im2col;
    form.offsets = isLoad;
    if (form.rank < 3)
      d.fail("expected '.3d' to '.5d' with im2col");
  } else if (d.takeOneOf({"im2col::w", "im2col::w::128"}) >= 0) {
    d.failUnsupported("mode 'im2col::w' of a tensor copy");
  } else {
    d.take("tile");
  }
  return form;
}

/// "[map, {c0, c1}]": slots of the map and the coordinates.
void addMap(Decoder &d, const RawOperand &operand, const Form &form,
            std::vector<int32_t> &slots) {
  if (operand.kind != RawOperand::Memory || operand.elements.size() != 1 ||
      operand.elements[0].kind != RawOperand::Vector)
    d.fail("expected a tensor map with coordinates");
  const auto &coords = operand.elements[0].elements;
  unsigned want = form.mode == Mode::Rows4 ? 5 : form.rank;
  if (coords.size() != want)
    d.fail("expected " + std::to_string(want) + " coordinates");
  RawOperand address = operand;
  address.elements.clear();
  slots[2] = mapAddress(d, address);
  for (const RawOperand &coord : coords)
    slots.push_back(d.src(coord, b32));
}

void addOffsets(Decoder &d, const RawOperand *operand, const Form &form,
                std::vector<int32_t> &slots) {
  size_t end = slots.size() + 3;
  if (operand) {
    if (operand->kind != RawOperand::Vector ||
        operand->elements.size() != form.rank - 2)
      d.fail("expected " + std::to_string(form.rank - 2) + " im2col offsets");
    for (const RawOperand &part : operand->elements)
      slots.push_back(d.src(part, b16));
  }
  slots.resize(end, 0);
}

void emitCopy(Decoder &d, const Form &form, const std::vector<int32_t> &slots,
              uint8_t flags, AtomicOp op) {
  uint32_t list = d.listStart();
  for (int32_t slot : slots)
    d.listAdd(slot);
  Inst &inst = d.emit(copyTensor, InstClass::AsyncCopy);
  inst.pastL1 = true;
  inst.x = list;
  inst.n = uint8_t(form.mode == Mode::Rows4 ? 5 : form.rank);
  inst.imm = int64_t(form.mode);
  inst.flags = flags;
  inst.target = uint32_t(op);
}

void decodeLoad(Decoder &d, bool prefetch) {
  if (prefetch && !d.take("L2"))
    d.fail("expected '.L2'");
  Form form = takeForm(d, true);
  if (!prefetch && d.takeOneOf({"shared::cluster", "shared::cta"}) < 0)
    d.fail("expected a destination in shared memory");
  if (!d.take("global"))
    d.fail("expected a source in global memory");
  bool multicast = false;
  if (!prefetch) {
    if (!d.take("mbarrier::complete_tx::bytes"))
      d.fail("expected '.mbarrier::complete_tx::bytes'");
    multicast = d.take("multicast::cluster");
    d.takeOneOf({"cta_group::1", "cta_group::2"});
  }
  bool hint = d.take("L2::cache_hint");
  size_t at = prefetch ? 0 : 1,
         count = at + 1 + !prefetch + form.offsets + multicast + hint;
  d.expectOperands(count, count);
  std::vector<int32_t> slots(4, 0);
  if (!prefetch)
    slots[0] = fullAddress(d, d.operand(0));
  addMap(d, d.operand(at++), form, slots);
  if (!prefetch)
    slots[1] = fullAddress(d, d.operand(at++));
  addOffsets(d, form.offsets ? &d.operand(at++) : nullptr, form, slots);
  if (multicast)
    slots[3] = d.src(at++, b16);
  if (hint)
    d.src(at++, b64);
  if (prefetch) {
    d.emit(nothing, InstClass::AsyncCopy);
    return;
  }
  emitCopy(d, form, slots, multicast ? Multicast : 0, AtomicOp::Exch);
}

void decodeStoreTensor(Decoder &d, bool reduce) {
  Form form = takeForm(d, false);
  if (!d.take("global") || !d.take("shared::cta"))
    d.fail("expected '.global.shared::cta'");
  if (!d.take("bulk_group"))
    d.fail("expected '.bulk_group'");
  bool hint = d.take("L2::cache_hint");
  AtomicOp op = AtomicOp::Exch; // Not used by copies.
  if (reduce) {
    static const AtomicOp ops[] = {AtomicOp::Add, AtomicOp::Min, AtomicOp::Max,
                                   AtomicOp::Inc, AtomicOp::Dec, AtomicOp::And,
                                   AtomicOp::Or,  AtomicOp::Xor};
    int index =
        d.takeOneOf({"add", "min", "max", "inc", "dec", "and", "or", "xor"});
    if (index < 0)
      d.fail("expected an operation of the reduction");
    op = ops[index];
  }
  d.expectOperands(2 + hint, 2 + hint);
  std::vector<int32_t> slots(4, 0);
  addMap(d, d.operand(0), form, slots);
  slots[0] = fullAddress(d, d.operand(1));
  addOffsets(d, nullptr, form, slots);
  if (hint)
    d.src(2, b64);
  emitCopy(d, form, slots, uint8_t(Store | (reduce ? Reduce : 0)), op);
}
} // namespace

int32_t mlir::fuse::emu::mapAddress(Decoder &d, const RawOperand &operand) {
  Decoder::Address address = d.address(operand);
  if (address.space == Space::Param)
    return d.constant64(uint64_t(address.offset) | paramWindow);
  return fullAddress(d, operand);
}

void mlir::fuse::emu::decodeTensorCopy(Decoder &d, bool prefetch) {
  const auto &mods = d.modsLeft();
  auto first = std::find_if(mods.begin(), mods.end(), [](const auto &mod) {
    return mod == "global" || mod.compare(0, 6, "shared") == 0;
  });
  bool isStore = !prefetch && first != mods.end() && *first == "global";
  isStore ? decodeStoreTensor(d, false) : decodeLoad(d, prefetch);
}

void mlir::fuse::emu::decodeTensorReduce(Decoder &d) {
  decodeStoreTensor(d, true);
}
