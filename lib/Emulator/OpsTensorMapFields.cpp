//===- OpsTensorMapFields.cpp - Changing tensor maps --------------------===//
//
// tensormap.replace and the copy of a map that makes it visible.
//
//===----------------------------------------------------------------------===//
#include "Bulk.h"
#include "TensorMapLayout.h"
#include "fuse-mlir/Emulator/TensorMap.h"

#include <algorithm>
#include <cstddef>

using namespace mlir::fuse::emu;

namespace {
struct Field {
  const char *name;
  size_t offset;
  uint8_t bytes;   ///< Of one entry.
  uint8_t entries; ///< More than one takes an ordinal.
};
#define FIELD(NAME, MEMBER, BYTES, ENTRIES)                                    \
  {NAME, offsetof(TensorMapLayout, MEMBER), BYTES, ENTRIES}
const Field fields[] = {
    FIELD("global_address", address, 8, 1),
    FIELD("rank", rankLess1, 1, 1),
    FIELD("box_dim", box, 2, 5),
    FIELD("global_dim", dims, 4, 5),
    FIELD("global_stride", strides, 8, 4),
    FIELD("element_stride", steps, 1, 5),
    FIELD("elemtype", element, 1, 1),
    FIELD("interleave_layout", interleave, 1, 1),
    FIELD("swizzle_mode", swizzle, 1, 1),
    FIELD("fill_mode", fillNan, 1, 1),
    FIELD("swizzle_atomicity", atomicity, 1, 1),
};
#undef FIELD

// a address of the map, b value (64 bits if flags); x offset, size bytes.
void replaceField(Warp &w, const Inst &i, uint32_t mask) {
  forLanes(mask, [&](unsigned l) {
    uint64_t address = w.reg<uint64_t>(i.a)[l];
    uint64_t value =
        i.flags ? w.reg<uint64_t>(i.b)[l] : w.reg<uint32_t>(i.b)[l];
    alignas(64) uint64_t at[32];
    std::fill_n(at, 32, address + i.x);
    Resolved r;
    resolve(w, i, 1u << l, at,
            i.space == Space::Shared ? sharedOrGeneric(address) : Space::None,
            i.size, AccessKind::Store, r);
    memcpy(r.ptr[l], &value, i.size);
  });
}

void decodeReplace(Decoder &d) {
  if (!d.take("tile"))
    d.fail("expected '.tile'");
  const Field *field = nullptr;
  for (const Field &candidate : fields)
    if (d.take(candidate.name)) {
      field = &candidate;
      break;
    }
  if (!field)
    d.fail("unknown field of a tensor map");
  bool shared = d.take("shared::cta");
  if (!shared)
    d.take("global");
  if (!d.take("b1024"))
    d.fail("expected '.b1024'");
  RawType type = d.takeType();
  bool wide = field->bytes == 8;
  if (type.kind != RawType::Bits || type.bits != (wide ? 64 : 32))
    d.fail("unexpected type of the field");
  bool indexed = field->entries > 1;
  d.expectOperands(2 + indexed, 2 + indexed);
  int64_t ordinal = indexed ? d.literal(1) : 0;
  if (ordinal < 0 || ordinal >= field->entries)
    d.fail("ordinal " + std::to_string(ordinal) + " is not below " +
           std::to_string(field->entries));
  if (std::string_view(field->name) == "interleave_layout" ||
      std::string_view(field->name) == "swizzle_atomicity")
    if (d.literal(1) != 0)
      d.fail("unsupported value of '" + std::string(field->name) + "'");
  int32_t address = mapAddress(d, d.operand(0)),
          value = d.src(1 + indexed, type);
  Inst &inst = d.emit(replaceField, InstClass::Special);
  inst.a = address;
  inst.b = value;
  inst.x = uint32_t(field->offset + size_t(ordinal) * field->bytes);
  inst.size = field->bytes;
  inst.flags = wide;
  inst.space = shared ? Space::Shared : Space::None;
}

// a destination, b source in shared memory: 128 bytes.
void copyMap(Warp &w, const Inst &i, uint32_t mask) {
  if (!converged(w, i, mask, fullMask))
    return;
  unsigned lane = __builtin_ctz(mask);
  uint64_t to = w.reg<uint64_t>(i.a)[lane], from = w.reg<uint64_t>(i.b)[lane];
  TensorMapBits bits;
  accessRange(w, i, lane, from, sharedOrGeneric(from), tensorMapBytes, 16,
              AccessKind::Load, [&](uint32_t at, const uint8_t *p, unsigned n) {
                memcpy(&bits[at], p, n);
              });
  accessRange(
      w, i, lane, to, Space::None, tensorMapBytes, 16, AccessKind::Store,
      [&](uint32_t at, uint8_t *p, unsigned n) { memcpy(p, &bits[at], n); });
}

void decodeCopyMap(Decoder &d) {
  if (!d.take("global") || !d.take("shared::cta") ||
      !d.take("tensormap::generic") || !d.take("release") ||
      d.takeOneOf({"cta", "cluster", "gpu", "sys"}) < 0 || !d.take("sync") ||
      !d.take("aligned"))
    d.fail("unsupported form of 'tensormap.cp_fenceproxy'");
  d.expectOperands(3, 3);
  if (d.literal(2) != tensorMapBytes)
    d.fail("expected a size of 128 bytes");
  int32_t to = fullAddress(d, d.operand(0)),
          from = fullAddress(d, d.operand(1));
  Inst &inst = d.emit(copyMap, InstClass::Fence);
  inst.a = to;
  inst.b = from;
}
} // namespace

void mlir::fuse::emu::addTensorMapOps(DecodeTable &table) {
  table["tensormap"] = [](Decoder &d) {
    if (d.take("replace"))
      return decodeReplace(d);
    if (d.take("cp_fenceproxy"))
      return decodeCopyMap(d);
    d.fail("unsupported form of 'tensormap'");
  };
}
