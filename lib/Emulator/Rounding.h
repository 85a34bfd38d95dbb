//===- Rounding.h - Arithmetic in the directed roundings ----------*- C++ -*-=//
//
// One operation at a time under the host's rounding mode: slow, and only for
// the .rz, .rm and .rp forms. Its .cpp is compiled with -frounding-math.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_LIB_EMULATOR_ROUNDING_H
#define FUSE_LIB_EMULATOR_ROUNDING_H

#include "Half.h"

namespace mlir::fuse::emu {

enum class RoundedOp : uint8_t { Add, Sub, Mul, Fma, Div, Sqrt, Rcp };

float roundedFloat(RoundedOp op, Round mode, float a, float b, float c);
double roundedDouble(RoundedOp op, Round mode, double a, double b, double c);
float roundedDoubleToFloat(Round mode, double value);
float roundedIntToFloat(Round mode, int64_t value, bool isUnsigned);
double roundedIntToDouble(Round mode, int64_t value, bool isUnsigned);

} // namespace mlir::fuse::emu

#endif // FUSE_LIB_EMULATOR_ROUNDING_H
