//===- Convert.h - One conversion of a value ----------------------*- C++ -*-=//
//
// The general conversion goes through int64 or double, both exact for all
// narrower types.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_LIB_EMULATOR_CONVERT_H
#define FUSE_LIB_EMULATOR_CONVERT_H

#include "Machine.h"
#include "Rounding.h"

namespace mlir::fuse::emu {

/// The types of numbers.
enum class Num : uint8_t {
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  BF16,
  F32,
  F64,
  TF32,
  E4M3,
  E5M2,
  E2M3,
  E3M2,
  E2M1,
  UE8M0
};

/// Packed into Inst::imm.
struct Conversion {
  Num from = Num::U32, to = Num::U32;
  Round round = Round::Nearest;
  bool toIntegral = false, ftz = false, sat = false, relu = false,
       satfinite = false;
  uint8_t regBits = 32; ///< Of the destination.
};
static_assert(sizeof(Conversion) <= 16);

inline bool isFloat(Num n) { return n >= Num::F16; }
inline bool isSigned(Num n) { return n >= Num::S8 && n <= Num::S64; }
unsigned bitsOf(Num n);

/// The bits of a value of type `c.from` in type `c.to`.
uint64_t convert(uint64_t bits, const Conversion &c);

class Decoder;
/// The rest of a cvt with '.rs'.
void decodeStochasticCvt(Decoder &d);

} // namespace mlir::fuse::emu

#endif // FUSE_LIB_EMULATOR_CONVERT_H
