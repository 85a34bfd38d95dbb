//===- TensorMap.h - Descriptors of tensor copies -----------------*- C++ -*-=//
//
// What the driver's cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col do for
// the emulator: a description becomes 128 opaque bytes, which kernels take as
// a parameter, or find in global memory, for cp.async.bulk.tensor. The layout
// of the bytes is the emulator's own (docs/Emulator.md): `tensormap.replace`
// changes it, nothing else may look into it.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_MLIR_EMULATOR_TENSORMAP_H
#define FUSE_MLIR_EMULATOR_TENSORMAP_H

#include <array>
#include <cstdint>
#include <string>

namespace mlir::fuse::emu {

constexpr unsigned tensorMapBytes = 128;
using TensorMapBits = std::array<uint8_t, tensorMapBytes>;

struct TensorMap {
  /// Numbered as `tensormap.replace.elemtype` does.
  enum Element : uint8_t {
    U8,
    U16,
    U32,
    S32,
    U64,
    S64,
    F16,
    F32,
    F32Ftz,
    F64,
    BF16,
    TF32,
    TF32Ftz
  };
  enum Swizzle : uint8_t { NoSwizzle, Swizzle32, Swizzle64, Swizzle128 };

  uint64_t address = 0; ///< Of the tensor; a multiple of 16.
  unsigned rank = 0;    ///< 1 to 5; 3 to 5 for im2col.
  Element element = U8;
  Swizzle swizzle = NoSwizzle;
  bool fillNan = false;     ///< Out-of-bounds floats are NaN instead of 0.
  uint64_t dims[5] = {};    ///< Elements, innermost first; 1 to 2^32.
  uint64_t strides[4] = {}; ///< Bytes, of dimensions 1 and up.
  uint32_t box[5] = {};     ///< Elements of a tile, 1 to 256.
  uint32_t steps[5] = {1, 1, 1, 1, 1}; ///< Element strides, 1 to 8.

  bool im2col = false; ///< Then `box` is not used, but:
  /// Corners of the box of base pixels, relative to the image's; W, H, D.
  int16_t lower[3] = {}, upper[3] = {};
  uint32_t channels = 0; ///< Channels of a pixel that are loaded, 1 to 256.
  uint32_t pixels = 0;   ///< Pixels of a column, 1 to 1024.

  unsigned elementBytes() const;
  /// Empty, or the first rule of the driver's that the description breaks.
  std::string check() const;
};

/// Error text, empty on success; `bits` is then a map for `map`.
std::string encodeTensorMap(const TensorMap &map, TensorMapBits &bits);
/// Whatever the bytes hold; to be checked before use.
TensorMap decodeTensorMap(const uint8_t *bits);

/// An element type of the driver's CUtensorMapDataType; false when unknown.
bool tensorMapElement(uint32_t cuDataType, TensorMap::Element &element);

} // namespace mlir::fuse::emu

#endif // FUSE_MLIR_EMULATOR_TENSORMAP_H
