//===- Tensor.h - Elements of matrix fragments --------------------*- C++ -*-=//
//
// Element types of mma.sync, wmma and wgmma, how they lie in registers, and
// the product itself.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_LIB_EMULATOR_TENSOR_H
#define FUSE_LIB_EMULATOR_TENSOR_H

#include "Decoder.h"
#include "Rounding.h"

namespace mlir::fuse::emu {

enum class El : uint8_t {
  F16,
  BF16,
  TF32,
  F64,
  S8,
  U8,
  S4,
  U4,
  E4M3,
  E5M2,
  F32,
  S32,
  B1
};

inline bool isInteger(El e) {
  return e == El::S8 || e == El::U8 || e == El::S4 || e == El::U4 ||
         e == El::B1;
}

inline unsigned bitsOf(El e) {
  switch (e) {
  case El::F16:
  case El::BF16:
    return 16;
  case El::S8:
  case El::U8:
  case El::E4M3:
  case El::E5M2:
    return 8;
  case El::S4:
  case El::U4:
    return 4;
  case El::B1:
    return 1;
  case El::F64:
    return 64;
  default:
    return 32;
  }
}

/// Element `index` of a register.
inline double element(El e, uint64_t reg, unsigned index) {
  unsigned bits = bitsOf(e);
  uint64_t raw =
      bits == 64 ? reg : (reg >> (index * bits)) & ((uint64_t(1) << bits) - 1);
  switch (e) {
  case El::F16:
    return halfToFloat(uint32_t(raw));
  case El::BF16:
    return bfloatToFloat(uint32_t(raw));
  case El::TF32:
    return bitsFloat(uint32_t(raw) & 0xffffe000);
  case El::F64:
    return bitsDouble(raw);
  case El::S8:
    return int8_t(raw);
  case El::U8:
    return uint8_t(raw);
  case El::S4:
    return int8_t(raw << 4) >> 4;
  case El::U4:
  case El::B1:
    return double(raw);
  case El::E4M3:
    return e4m3ToFloat(uint32_t(raw));
  case El::E5M2:
    return e5m2ToFloat(uint32_t(raw));
  case El::F32:
    return bitsFloat(uint32_t(raw));
  case El::S32:
    return int32_t(raw);
  }
  return 0;
}

/// A result rounded once to the type of the accumulator.
inline uint64_t narrowElement(El type, bool satfinite, double value) {
  switch (type) {
  case El::F64:
    return doubleBits(value);
  case El::F16:
    return value != value ? 0x7fff : HalfFormat::round(value, Round::Nearest);
  case El::S32: {
    int64_t exact = int64_t(value);
    if (satfinite)
      exact = exact < INT32_MIN   ? INT32_MIN
              : exact > INT32_MAX ? INT32_MAX
                                  : exact;
    return uint32_t(exact);
  }
  default: {
    float r = float(value);
    return r != r ? 0x7fffffff : floatBits(r);
  }
  }
}

/// The type spelled `name`; fails on others.
El elementOf(Decoder &d, const std::string &name);

/// The 32- or 64-bit type of a register that holds such elements.
RawType registerType(El e);

enum class BitOp : uint8_t { None, Xor, And };
enum class Sparsity : uint8_t { None, Any, Ordered };

/// d = a * b + c.
struct Product {
  uint16_t m = 0, n = 0, k = 0;
  El d = El::F32, a = El::F16, b = El::F16, c = El::F32;
  BitOp bitOp = BitOp::None;   ///< Of .b1; the sums are of set bits.
  Round mode = Round::Nearest; ///< Of .f64.
  bool satfinite = false;
  Sparsity sparse =
      Sparsity::None; ///< Of a: k / 2 elements of a row are stored.
};
/// It lies in Program::operands, before the slots.
constexpr unsigned productWords = (sizeof(Product) + 3) / 4;
Product productOf(const Warp &w, const Inst &i);
Inst &emitProduct(Decoder &d, Handler fn, const Product &p,
                  const std::vector<int32_t> &slots);
/// Row-major m x k, k x n and m x n.
void multiply(const Product &p, const double *a, const double *b, double *c);

/// Whether PTX has mma.sp of that shape.
bool knownSparseShape(const Product &p);
/// Legal sparsity selectors are below it.
unsigned numSelectors(const Product &p);
/// From the stored half of a to all of it, row-major m x k. `metadata` has the
/// register of each lane. Traps on metadata that has no meaning.
void expandSparse(Warp &w, const Inst &i, const Product &p,
                  const uint32_t *metadata, unsigned selector,
                  const double *stored, double *a);

/// Takes ".sync.aligned".
void takeAligned(Decoder &d);
/// Takes a modifier like "m16n8k16".
bool takeShape(Decoder &d, Product &p);
/// Takes the next ".row" or ".col"; true for the latter.
bool takeLayout(Decoder &d);
/// Takes ".xor.popc" or ".and.popc" if present.
void takeBitOperation(Decoder &d, Product &p);
/// Takes the types of d, a, b and, if there, c: all modifiers that are left.
void takeElements(Decoder &d, Product &p, bool withC);
/// Fails on combinations of types that PTX does not have.
void checkElements(Decoder &d, const Product &p);

void addWgmmaOps(DecodeTable &table);
void addWmmaOps(DecodeTable &table);
void addMatrixOps(DecodeTable &table);

} // namespace mlir::fuse::emu

#endif // FUSE_LIB_EMULATOR_TENSOR_H
