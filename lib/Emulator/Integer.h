//===- Integer.h - What the integer instructions share ------------*- C++ -*-=//
//
// Choosing a handler by type, and addition with carry.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_LIB_EMULATOR_INTEGER_H
#define FUSE_LIB_EMULATOR_INTEGER_H

#include "Decoder.h"

namespace mlir::fuse::emu {

template <typename T>
using U = std::make_unsigned_t<T>;
template <typename T>
constexpr unsigned width = sizeof(T) * 8;
template <template <typename> typename Op>
Handler pick(RawType type) {
  bool isSigned = type.kind == RawType::Signed;
  switch (type.packed == 1 ? type.bits : 0) {
  case 16:
    return isSigned ? Op<int16_t>::run : Op<uint16_t>::run;
  case 32:
    return isSigned ? Op<int32_t>::run : Op<uint32_t>::run;
  case 64:
    return isSigned ? Op<int64_t>::run : Op<uint64_t>::run;
  default:
    return nullptr;
  }
}

template <template <typename> typename Op>
void plain(Decoder &d) {
  RawType type = d.takeType();
  Handler fn = pick<Op>(type);
  if (!fn)
    d.fail("unsupported type of '" + d.inst().opcode + "'");
  emitPlain(d, fn, InstClass::Integer, type, Op<uint32_t>::sources);
}

// flags: 1 carry in, 2 carry out, 4 subtract. x: slot of the carry.
template <typename T>
struct Carry {
  static void run(Warp &w, const Inst &i, uint32_t mask) {
    const T *a = w.reg<T>(i.a), *b = w.reg<T>(i.b);
    T *out = w.reg<T>(i.d);
    uint32_t &flag = *w.reg<uint32_t>(int32_t(i.x));
    forLanes(mask, [&](unsigned l) {
      bool subtract = i.flags & 4;
      // Subtraction adds the complement, so that the flag after it is set when
      // there was no borrow: code of nvcc reads it by addc.
      unsigned __int128 in =
          (i.flags & 1) ? ((flag >> l) & 1) ^ (subtract ? 1 : 0) : 0;
      unsigned __int128 sum = subtract ? (unsigned __int128)a[l] - b[l] - in
                                       : (unsigned __int128)a[l] + b[l] + in;
      out[l] = T(sum);
      if (i.flags & 2) {
        uint32_t bit = (uint32_t(sum >> width<T>) & 1) ^ (subtract ? 1 : 0);
        flag = (flag & ~(1u << l)) | bit << l;
      }
    });
  }
};

} // namespace mlir::fuse::emu

#endif // FUSE_LIB_EMULATOR_INTEGER_H
