//===- EmulatorTest.h - Running single instructions ---------------*- C++ -*-=//
//
// Wraps one PTX instruction into a kernel that loads its operands from arrays,
// so that a test is the instruction's text and the expected function.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_TEST_UNIT_EMULATOR_EMULATORTEST_H
#define FUSE_TEST_UNIT_EMULATOR_EMULATORTEST_H

#include "fuse-mlir/Emulator/Emulator.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace fuse_test {

using namespace mlir::fuse::emu;
using Bits = std::vector<uint64_t>;

inline uint32_t bitsOf(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return bits;
}
inline uint64_t bitsOf(double value) {
  uint64_t bits;
  memcpy(&bits, &value, 8);
  return bits;
}
inline float asFloat(uint64_t bits) {
  float value;
  uint32_t narrow = uint32_t(bits);
  memcpy(&value, &narrow, 4);
  return value;
}
inline double asDouble(uint64_t bits) {
  double value;
  memcpy(&value, &bits, 8);
  return value;
}

/// Text of a module with one kernel.
inline std::string kernelText(const std::string &params,
                              const std::string &body,
                              const std::string &globals = "") {
  return ".version 8.3\n.target sm_80\n.address_size 64\n" + globals +
         "\n.visible .entry k(" + params + ")\n{\n" + body + "\n}\n";
}

/// A buffer in device memory.
class Buffer {
public:
  Buffer(DeviceMemory &memory, size_t bytes)
      : bytes(bytes), data(static_cast<uint8_t *>(memory.allocate(bytes))) {
    memset(data, 0, bytes);
  }
  template <typename T>
  T *as() {
    return reinterpret_cast<T *>(data);
  }
  uint64_t address() const { return reinterpret_cast<uint64_t>(data); }
  size_t bytes;
  uint8_t *data;
};

struct Outcome {
  bool ok = false;
  std::string error;
  LaunchStats stats;
};

/// Launches kernel `k` of `text`; parameters are 8 bytes each.
inline Outcome runKernel(DeviceMemory &memory, const std::string &text,
                         Dim3 grid, Dim3 block, const Bits &params,
                         uint32_t shared = 0, LaunchOptions options = {}) {
  Outcome run;
  auto module = Module::load(text, memory, run.error, "test.ptx");
  if (!module)
    return run;
  run.ok = launch(*module, "k", grid, block, shared, params.data(), options,
                  run.stats, run.error);
  return run;
}

/// Why the module, or the first of its kernels that has a reason, is refused;
/// empty when all can be launched.
inline std::string loadError(const std::string &text) {
  DeviceMemory memory;
  std::string error;
  auto module = Module::load(text, memory, error, "test.ptx");
  if (!module)
    return error;
  for (const KernelInfo &info : module->kernels())
    if (!info.unsupported.empty())
      return info.unsupported;
  return "";
}

/// One operand kind: h 16, w 32, d 64 bits, p predicate (as 0 or 1).
inline std::string loadOperand(char kind, char name, unsigned index) {
  std::string reg = std::string("%") + name;
  std::string at = "[%base" + std::to_string(index) + "]";
  switch (kind) {
  case 'h':
    return "  ld.global.b16 " + reg + "h, " + at + ";\n";
  case 'w':
    return "  ld.global.b32 " + reg + ", " + at + ";\n";
  case 'd':
    return "  ld.global.b64 " + reg + "d, " + at + ";\n";
  default:
    return "  ld.global.b32 " + reg + ", " + at + ";\n  setp.ne.b32 " + reg +
           "p, " + reg + ", 0;\n";
  }
}

/// The kernel for `inst`, in which the operands are %a %b %c (with h, d or p
/// appended by kind) and the result %r likewise. `kinds` is one letter for
/// the result, then one for each operand.
inline std::string instText(const std::string &inst, const std::string &kinds) {
  std::string body = "  .reg .b16 %rh, %ah, %bh, %ch, %eh;\n"
                     "  .reg .b32 %r, %a, %b, %c, %e, %t;\n"
                     "  .reg .b64 %rd, %ad, %bd, %cd, %ed, %off;\n"
                     "  .reg .b64 %base<5>;\n"
                     "  .reg .pred %rp, %ap, %bp, %cp, %ep;\n"
                     "  mov.u32 %t, %tid.x;\n"
                     "  mul.wide.u32 %off, %t, 8;\n";
  for (unsigned i = 0; i < 5; ++i) {
    std::string base = "%base" + std::to_string(i);
    body += "  ld.param.u64 " + base + ", [p" + std::to_string(i) + "];\n" +
            "  add.s64 " + base + ", " + base + ", %off;\n";
  }
  for (unsigned i = 1; i < kinds.size(); ++i)
    body += loadOperand(kinds[i], "?abce"[i], i);
  body += "  " + inst + "\n";
  switch (kinds[0]) {
  case 'h':
    body += "  st.global.b16 [%base0], %rh;\n";
    break;
  case 'w':
    body += "  st.global.b32 [%base0], %r;\n";
    break;
  case 'd':
    body += "  st.global.b64 [%base0], %rd;\n";
    break;
  default:
    body += "  selp.b32 %r, 1, 0, %rp;\n  st.global.b32 [%base0], %r;\n";
  }
  body += "  ret;\n";
  return kernelText(".param .u64 p0, .param .u64 p1, .param .u64 p2, "
                    ".param .u64 p3, .param .u64 p4",
                    body);
}

/// Runs `inst` on the operand lists (of one length, up to 1024).
inline Bits runInst(const std::string &inst, const std::string &kinds,
                    const std::vector<Bits> &operands) {
  DeviceMemory memory;
  size_t count = operands.empty() ? 32 : operands[0].size();
  std::vector<Buffer> buffers;
  Bits params;
  for (unsigned i = 0; i < 5; ++i) {
    buffers.emplace_back(memory, count * 8);
    params.push_back(buffers.back().address());
    if (i && i <= operands.size())
      for (size_t k = 0; k < count; ++k)
        buffers[i].as<uint64_t>()[k] = operands[i - 1][k];
  }
  Outcome run = runKernel(memory, instText(inst, kinds), {1, 1, 1},
                          {uint32_t(count), 1, 1}, params);
  EXPECT_TRUE(run.ok) << inst << ": " << run.error;
  Bits result(count);
  for (size_t k = 0; k < count; ++k)
    result[k] = buffers[0].as<uint64_t>()[k];
  return result;
}

/// splitmix64, for operands.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

private:
  uint64_t state;
};

/// 512 patterns of `bits` bits: corners of integers, then random ones with
/// random runs of leading zeros, so that small values occur as well.
inline Bits intOperands(unsigned bits, uint64_t seed) {
  uint64_t mask = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  uint64_t top = uint64_t(1) << (bits - 1);
  Bits result = {0, 1, 2, mask, mask - 1, top, top - 1, top + 1, 3, 31, 32, 33};
  Random random(seed);
  std::rotate(result.begin(), result.begin() + seed % result.size(),
              result.end());
  while (result.size() < 512) {
    uint64_t value = random.next();
    result.push_back((value >> (random.next() % 64)) & mask);
  }
  for (uint64_t &value : result)
    value &= mask;
  return result;
}

/// Floats: corners in all combinations with themselves shifted by `seed`, and
/// random ones with exponents near each other.
inline Bits floatOperands(uint64_t seed) {
  static const uint32_t corners[] = {
      0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
      0x7fc00000, 0xffc00001, 0x7f7fffff, 0xff7fffff, 0x00800000, 0x007fffff,
      0x00000001, 0x80000001, 0x33800000, 0x4b000000, 0x34000001, 0x3effffff};
  Bits result;
  Random random(seed);
  for (unsigned i = 0; i < 400; ++i)
    result.push_back(corners[(i / (seed % 3 == 0   ? 1
                                   : seed % 3 == 1 ? 18
                                                   : 7)) %
                             18]);
  while (result.size() < 1000) {
    uint64_t value = random.next();
    uint32_t exponent = 120 + uint32_t(value >> 40) % 16;
    if (value >> 60 == 0)
      exponent = uint32_t(value >> 32) & 0xff;
    result.push_back((uint32_t(value) & 0x807fffff) | exponent << 23);
  }
  return result;
}

} // namespace fuse_test

#endif // FUSE_TEST_UNIT_EMULATOR_EMULATORTEST_H
