//===- TensorMapLayout.h - The bytes of a tensor map --------------*- C++ -*-=//
//
// Documented in docs/Emulator.md; little-endian, unused bytes are zero.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_LIB_EMULATOR_TENSORMAPLAYOUT_H
#define FUSE_LIB_EMULATOR_TENSORMAPLAYOUT_H

#include <cstdint>

namespace mlir::fuse::emu {

struct TensorMapLayout {
  uint64_t address = 0;
  uint8_t rankLess1 = 0, element = 0, interleave = 0, swizzle = 0;
  uint8_t fillNan = 0, atomicity = 0, im2col = 0, unused0 = 0;
  uint32_t dims[5] = {};
  uint32_t unused1 = 0;
  uint64_t strides[4] = {};
  uint16_t box[5] = {};
  uint8_t steps[5] = {};
  uint8_t unused2 = 0;
  int16_t lower[3] = {}, upper[3] = {};
  uint16_t channels = 0, pixels = 0;
  uint64_t unused3[3] = {};
};
static_assert(sizeof(TensorMapLayout) == 128);

} // namespace mlir::fuse::emu

#endif // FUSE_LIB_EMULATOR_TENSORMAPLAYOUT_H
