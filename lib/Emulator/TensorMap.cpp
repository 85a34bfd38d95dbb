//===- TensorMap.cpp - Descriptors of tensor copies -----------------------===//
//
// The 128 bytes are one structure, copied as it is. All zero bytes are a valid
// start for a kernel that fills a map by tensormap.replace.
//
//===----------------------------------------------------------------------===//
#include "fuse-mlir/Emulator/TensorMap.h"

#include "TensorMapLayout.h"

#include <algorithm>
#include <cstring>

using namespace mlir::fuse::emu;

unsigned TensorMap::elementBytes() const {
  switch (element) {
  case U8:
    return 1;
  case U16:
  case F16:
  case BF16:
    return 2;
  case U64:
  case S64:
  case F64:
    return 8;
  default:
    return 4;
  }
}

static std::string text(uint64_t value) { return std::to_string(value); }

static std::string checkTile(const TensorMap &map) {
  for (unsigned k = 0; k < map.rank; ++k)
    if (!map.box[k] || map.box[k] > 256)
      return "box of " + text(map.box[k]) + " elements in dimension " +
             text(k) + " is not within 1 to 256";
  uint32_t inner = map.box[0] * map.elementBytes();
  if (inner % 16)
    return "innermost box of " + text(inner) +
           " bytes is not a multiple of 16 bytes";
  uint32_t width = 16u << map.swizzle;
  if (map.swizzle && inner > width)
    return "innermost box of " + text(inner) +
           " bytes exceeds the swizzle of " + text(width) + " bytes";
  return {};
}

static std::string checkIm2col(const TensorMap &map) {
  if (map.rank < 3)
    return "im2col needs a rank of 3 to 5";
  if (!map.channels || map.channels > 256 || !map.pixels || map.pixels > 1024)
    return "im2col loads " + text(map.channels) + " channels of " +
           text(map.pixels) + " pixels: up to 256 and 1024 are possible";
  if (map.channels * map.elementBytes() % 16)
    return "channels of a pixel are not a multiple of 16 bytes";
  if (map.swizzle && map.channels * map.elementBytes() > (16u << map.swizzle))
    return "channels of a pixel exceed the swizzle";
  return {};
}

std::string TensorMap::check() const {
  if (rank < 1 || rank > 5)
    return "rank " + text(rank) + " is not within 1 to 5";
  if (element > TF32Ftz)
    return "unknown element type " + text(element);
  if (swizzle > Swizzle128)
    return "unknown swizzle mode " + text(swizzle);
  if (!address || address % 16)
    return "address of the tensor is null or not a multiple of 16";
  for (unsigned k = 0; k < rank; ++k) {
    if (!dims[k] || dims[k] > (uint64_t(1) << 32))
      return "size " + text(dims[k]) + " of dimension " + text(k) +
             " is not within 1 to 2^32";
    if (!steps[k] || steps[k] > 8)
      return "element stride " + text(steps[k]) + " is not within 1 to 8";
    if (k && (strides[k - 1] % 16 || strides[k - 1] >= (uint64_t(1) << 40)))
      return "stride of " + text(strides[k - 1]) + " bytes of dimension " +
             text(k) + " is not a multiple of 16 below 2^40";
  }
  return im2col ? checkIm2col(*this) : checkTile(*this);
}

std::string mlir::fuse::emu::encodeTensorMap(const TensorMap &map,
                                             TensorMapBits &bits) {
  if (std::string error = map.check(); !error.empty())
    return error;
  TensorMapLayout layout;
  layout.address = map.address;
  layout.rankLess1 = uint8_t(map.rank - 1);
  layout.element = map.element;
  layout.swizzle = map.swizzle;
  layout.fillNan = map.fillNan;
  layout.im2col = map.im2col;
  for (unsigned k = 0; k < map.rank; ++k) {
    layout.dims[k] = uint32_t(map.dims[k]); // 2^32 becomes 0.
    layout.steps[k] = uint8_t(map.steps[k]);
    layout.box[k] = uint16_t(map.box[k]);
    if (k)
      layout.strides[k - 1] = map.strides[k - 1];
  }
  std::copy_n(map.lower, 3, layout.lower);
  std::copy_n(map.upper, 3, layout.upper);
  layout.channels = uint16_t(map.channels);
  layout.pixels = uint16_t(map.pixels);
  memcpy(bits.data(), &layout, sizeof layout);
  return {};
}

TensorMap mlir::fuse::emu::decodeTensorMap(const uint8_t *bits) {
  TensorMapLayout layout;
  memcpy(&layout, bits, sizeof layout);
  TensorMap map;
  map.address = layout.address;
  map.rank = layout.rankLess1 + 1u;
  map.element = TensorMap::Element(layout.element);
  map.swizzle = TensorMap::Swizzle(layout.swizzle);
  map.fillNan = layout.fillNan;
  map.im2col = layout.im2col;
  for (unsigned k = 0; k < 5; ++k) {
    map.dims[k] = layout.dims[k] ? layout.dims[k] : uint64_t(1) << 32;
    map.steps[k] = layout.steps[k];
    map.box[k] = layout.box[k];
    if (k)
      map.strides[k - 1] = layout.strides[k - 1];
  }
  std::copy_n(layout.lower, 3, map.lower);
  std::copy_n(layout.upper, 3, map.upper);
  map.channels = layout.channels;
  map.pixels = layout.pixels;
  return map;
}

bool mlir::fuse::emu::tensorMapElement(uint32_t cuDataType,
                                       TensorMap::Element &element) {
  using M = TensorMap;
  static const M::Element table[] = {
      M::U8,  M::U16, M::U32,  M::S32,    M::U64,  M::S64,    M::F16,
      M::F32, M::F64, M::BF16, M::F32Ftz, M::TF32, M::TF32Ftz};
  if (cuDataType >= std::size(table))
    return false;
  element = table[cuDataType];
  return true;
}
