//===- IntegerTest.cpp - Integer instructions against the host ------------===//
//
// Each row is an instruction and the function it must compute; operands are
// corner cases and random values.
//
//===----------------------------------------------------------------------===//
#include "EmulatorTest.h"

#include <algorithm>
#include <functional>

using namespace fuse_test;

namespace {
using Fn3 = std::function<uint64_t(uint64_t, uint64_t, uint64_t)>;
struct Row {
  const char *inst, *kinds;
  Fn3 expected;
};

unsigned widthOf(char kind) {
  return kind == 'h' ? 16 : kind == 'd' ? 64 : kind == 'p' ? 1 : 32;
}

void check(const Row &row) {
  std::string kinds = row.kinds;
  std::vector<Bits> operands;
  for (unsigned i = 1; i < kinds.size(); ++i)
    operands.push_back(intOperands(widthOf(kinds[i]), 3 + i));
  Bits got = runInst(row.inst, kinds, operands);
  unsigned width = widthOf(kinds[0]);
  uint64_t mask = width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
  for (size_t k = 0; k < got.size(); ++k) {
    uint64_t x[3] = {0, 0, 0};
    for (unsigned i = 0; i < operands.size() && i < 3; ++i)
      x[i] = operands[i][k];
    uint64_t want = row.expected(x[0], x[1], x[2]) & mask;
    ASSERT_EQ(got[k], want) << row.inst << " on " << std::hex << x[0] << ", "
                            << x[1] << ", " << x[2];
  }
}

#define S32(x) int32_t(uint32_t(x))
#define S16(x) int16_t(uint16_t(x))
#define S64(x) int64_t(x)
#define FN [](uint64_t a, uint64_t b, uint64_t c)->uint64_t
#define UNUSED (void)a, (void)b, (void)c

TEST(Integer, AddSubMul) {
  const Row rows[] = {{"add.s32 %r, %a, %b;", "www", FN{UNUSED;
  return a + b;
}
} // namespace
, {"sub.s32 %r, %a, %b;", "www", FN{UNUSED;
return a - b;
}
}
, {"add.s64 %rd, %ad, %bd;", "ddd", FN{UNUSED;
return a + b;
}
}
, {"sub.u64 %rd, %ad, %bd;", "ddd", FN{UNUSED;
return a - b;
}
}
, {"add.s16 %rh, %ah, %bh;", "hhh", FN{UNUSED;
return a + b;
}
}
, {"mul.lo.s32 %r, %a, %b;", "www", FN{UNUSED;
return a * b;
}
}
, {"mul.lo.s64 %rd, %ad, %bd;", "ddd", FN{UNUSED;
return a * b;
}
}
, {"mul.lo.u16 %rh, %ah, %bh;", "hhh", FN{UNUSED;
return a * b;
}
}
, {"mul.hi.u32 %r, %a, %b;", "www", FN{UNUSED;
return (a * b) >> 32;
}
}
, {"mul.hi.s32 %r, %a, %b;", "www", FN{UNUSED;
return uint64_t((int64_t(S32(a)) * S32(b)) >> 32);
}
}
, {"mul.hi.u64 %rd, %ad, %bd;", "ddd", FN{UNUSED;
return uint64_t(((unsigned __int128)a * b) >> 64);
}
}
, {"mul.hi.s64 %rd, %ad, %bd;", "ddd", FN{UNUSED;
return uint64_t(((__int128)S64(a) * S64(b)) >> 64);
}
}
, {"mul.wide.s32 %rd, %a, %b;", "dww", FN{UNUSED;
return uint64_t(int64_t(S32(a)) * S32(b));
}
}
, {"mul.wide.u32 %rd, %a, %b;", "dww", FN{UNUSED;
return a * b;
}
}
, {"mul.wide.s16 %r, %ah, %bh;", "whh", FN{UNUSED;
return uint32_t(int32_t(S16(a)) * S16(b));
}
}
, {"mul.wide.u16 %r, %ah, %bh;", "whh", FN{UNUSED;
return a * b;
}
}
, {"mad.lo.s32 %r, %a, %b, %c;", "wwww", FN{return a * b + c;
}
}
, {"mad.hi.u32 %r, %a, %b, %c;", "wwww", FN{return ((a * b) >> 32) + c;
}
}
, {"mad.wide.s32 %rd, %a, %b, %cd;", "dwwd",
   FN{return uint64_t(int64_t(S32(a)) * S32(b)) + c;
}
}
, {"mad.wide.u16 %r, %ah, %bh, %c;", "whhw", FN{return a * b + c;
}
}
, {"mul24.lo.u32 %r, %a, %b;", "www", FN{UNUSED;
return (a & 0xffffff) * (b & 0xffffff);
}
}
, {"add.sat.s32 %r, %a, %b;", "www", FN{UNUSED;
return uint32_t(
    std::clamp<int64_t>(int64_t(S32(a)) + S32(b), INT32_MIN, INT32_MAX));
}
}
, {"sad.s32 %r, %a, %b, %c;", "wwww",
   FN{return c + uint64_t(std::abs(int64_t(S32(a)) - S32(b)));
}
}
,
}
;
for (const Row &row : rows)
  check(row);
}

TEST(Integer, DivRem) {
  auto safe = [](auto a, auto b, bool rem) -> uint64_t {
    using T = decltype(a);
    if (b == 0)
      return rem ? uint64_t(a) : ~uint64_t(0);
    if (std::is_signed_v<T> && b == T(-1))
      return rem ? 0 : uint64_t(0) - uint64_t(a);
    return uint64_t(rem ? a % b : a / b);
  };
  const Row rows[] = {
      {"div.s32 %r, %a, %b;", "www",
       [&](uint64_t a, uint64_t b, uint64_t) {
         return safe(S32(a), S32(b), false);
       }},
      {"rem.s32 %r, %a, %b;", "www",
       [&](uint64_t a, uint64_t b, uint64_t) {
         return safe(S32(a), S32(b), true);
       }},
      {"div.u32 %r, %a, %b;", "www",
       [&](uint64_t a, uint64_t b, uint64_t) {
         return safe(uint32_t(a), uint32_t(b), false);
       }},
      {"rem.u64 %rd, %ad, %bd;", "ddd",
       [&](uint64_t a, uint64_t b, uint64_t) { return safe(a, b, true); }},
      {"div.s64 %rd, %ad, %bd;", "ddd",
       [&](uint64_t a, uint64_t b, uint64_t) {
         return safe(S64(a), S64(b), false);
       }},
      {"rem.s16 %rh, %ah, %bh;", "hhh",
       [&](uint64_t a, uint64_t b, uint64_t) {
         return safe(S16(a), S16(b), true);
       }},
  };
  for (const Row &row : rows)
    check(row);
}

TEST(Integer, MinMaxSign) {
  const Row rows[] = {{"min.s32 %r, %a, %b;", "www", FN{UNUSED;
  return uint32_t(std::min(S32(a), S32(b)));
}
}
, {"max.u32 %r, %a, %b;", "www", FN{UNUSED;
return std::max(a, b);
}
}
, {"max.s64 %rd, %ad, %bd;", "ddd", FN{UNUSED;
return uint64_t(std::max(S64(a), S64(b)));
}
}
, {"min.s16 %rh, %ah, %bh;", "hhh", FN{UNUSED;
return uint16_t(std::min(S16(a), S16(b)));
}
}
, {"max.s16x2 %r, %a, %b;", "www", FN{UNUSED;
uint64_t lo = uint16_t(std::max(S16(a), S16(b)));
return lo | uint64_t(uint16_t(std::max(S16(a >> 16), S16(b >> 16)))) << 16;
}
}
, {"neg.s32 %r, %a;", "ww", FN{UNUSED;
return 0 - a;
}
}
, {"abs.s32 %r, %a;", "ww", FN{UNUSED;
return uint64_t(std::abs(int64_t(S32(a))));
}
}
, {"abs.s64 %rd, %ad;", "dd", FN{UNUSED;
return S64(a) < 0 ? 0 - a : a;
}
}
,
}
;
for (const Row &row : rows)
  check(row);
}

TEST(Integer, LogicAndShifts) {
  const Row rows[] = {{"and.b32 %r, %a, %b;", "www", FN{UNUSED;
  return a & b;
}
}
, {"or.b64 %rd, %ad, %bd;", "ddd", FN{UNUSED;
return a | b;
}
}
, {"xor.b16 %rh, %ah, %bh;", "hhh", FN{UNUSED;
return a ^ b;
}
}
, {"not.b32 %r, %a;", "ww", FN{UNUSED;
return ~a;
}
}
, {"not.b16 %rh, %ah;", "hh", FN{UNUSED;
return ~a;
}
}
, {"cnot.b32 %r, %a;", "ww", FN{UNUSED;
return a == 0;
}
}
, {"and.pred %rp, %ap, %bp;", "ppp", FN{UNUSED;
return a & b;
}
}
, {"xor.pred %rp, %ap, %bp;", "ppp", FN{UNUSED;
return a ^ b;
}
}
, {"not.pred %rp, %ap;", "pp", FN{UNUSED;
return a ^ 1;
}
}
, {"shl.b32 %r, %a, %b;", "www", FN{UNUSED;
return b > 31 ? 0 : a << b;
}
}
, {"shl.b64 %rd, %ad, %b;", "ddw", FN{UNUSED;
return b > 63 ? 0 : a << b;
}
}
, {"shr.u32 %r, %a, %b;", "www", FN{UNUSED;
return b > 31 ? 0 : a >> b;
}
}
, {"shr.s32 %r, %a, %b;", "www", FN{UNUSED;
return uint32_t(S32(a) >> std::min<uint64_t>(b, 31));
}
}
, {"shr.s16 %rh, %ah, %b;", "hhw", FN{UNUSED;
return uint16_t(S16(a) >> std::min<uint64_t>(b, 15));
}
}
, {"shr.s64 %rd, %ad, %b;", "ddw", FN{UNUSED;
return uint64_t(S64(a) >> std::min<uint64_t>(b, 63));
}
}
, {"shf.l.wrap.b32 %r, %a, %b, %c;", "wwww",
   FN{return ((b << 32 | a) << (c & 31)) >> 32;
}
}
, {"shf.r.wrap.b32 %r, %a, %b, %c;", "wwww",
   FN{return (b << 32 | a) >> (c & 31);
}
}
, {"shf.r.clamp.b32 %r, %a, %b, %c;", "wwww",
   FN{return (b << 32 | a) >> std::min<uint64_t>(c, 32);
}
}
, {"lop3.b32 %r, %a, %b, %c, 0x96;", "wwww", FN{return a ^ b ^ c;
}
}
, {"lop3.b32 %r, %a, %b, %c, 0xe8;", "wwww",
   FN{return (a & b) | (a & c) | (b & c);
}
}
,
}
;
for (const Row &row : rows)
  check(row);
}

uint64_t referenceBfe(uint64_t a, uint64_t pos, uint64_t len, unsigned width,
                      bool isSigned) {
  pos &= 0xff;
  len &= 0xff;
  uint64_t sign = 0, d = 0;
  if (isSigned && len)
    sign = (a >> std::min<uint64_t>(pos + len - 1, width - 1)) & 1;
  for (unsigned i = 0; i < width; ++i) {
    uint64_t bit = i < len && pos + i < width ? (a >> (pos + i)) & 1 : sign;
    d |= bit << i;
  }
  return d;
}
uint64_t referenceBfi(uint64_t a, uint64_t b, uint64_t pos, uint64_t len,
                      unsigned width) {
  uint64_t d = b;
  for (unsigned i = 0; i < (len & 0xff) && (pos & 0xff) + i < width; ++i) {
    uint64_t at = uint64_t(1) << ((pos & 0xff) + i);
    d = (a >> i) & 1 ? d | at : d & ~at;
  }
  return d;
}

TEST(Integer, BitFields) {
  const Row rows[] = {{"bfe.u32 %r, %a, %b, %c;", "wwww",
                       FN{return referenceBfe(a, b, c, 32, false);
}
}
, {"bfe.s32 %r, %a, %b, %c;", "wwww", FN{return referenceBfe(a, b, c, 32, true);
}
}
, {"bfe.u64 %rd, %ad, %b, %c;", "ddww",
   FN{return referenceBfe(a, b, c, 64, false);
}
}
, {"bfe.s64 %rd, %ad, %b, %c;", "ddww",
   FN{return referenceBfe(a, b, c, 64, true);
}
}
, {"bfi.b32 %r, %a, %b, %c, 5;", "wwww", FN{return referenceBfi(a, b, c, 5, 32);
}
}
, {"bfi.b64 %rd, %ad, %bd, %c, 40;", "dddw",
   FN{return referenceBfi(a, b, c, 40, 64);
}
}
, {"popc.b32 %r, %a;", "ww", FN{UNUSED;
return uint64_t(__builtin_popcountll(a));
}
}
, {"popc.b64 %r, %ad;", "wd", FN{UNUSED;
return uint64_t(__builtin_popcountll(a));
}
}
, {"clz.b32 %r, %a;", "ww", FN{UNUSED;
return uint64_t(a ? __builtin_clz(uint32_t(a)) : 32);
}
}
, {"clz.b64 %r, %ad;", "wd", FN{UNUSED;
return uint64_t(a ? __builtin_clzll(a) : 64);
}
}
, {"bfind.u32 %r, %a;", "ww", FN{UNUSED;
return uint64_t(a ? 31 - __builtin_clz(uint32_t(a)) : -1);
}
}
, {"bfind.s32 %r, %a;", "ww", FN{UNUSED;
uint32_t v = S32(a) < 0 ? ~uint32_t(a) : uint32_t(a);
return uint64_t(v ? 31 - __builtin_clz(v) : -1);
}
}
, {"bfind.shiftamt.u32 %r, %a;", "ww", FN{UNUSED;
return uint64_t(a ? __builtin_clz(uint32_t(a)) : -1);
}
}
, {"brev.b32 %r, %a;", "ww", FN{UNUSED;
uint64_t r = 0;
for (unsigned i = 0; i < 32; ++i)
  r |= ((a >> i) & 1) << (31 - i);
return r;
}
}
, {"szext.clamp.s32 %r, %a, %b;", "www", FN{UNUSED;
return b == 0 ? 0 : b > 31 ? a : uint64_t(int64_t(a << (64 - b)) >> (64 - b));
}
}
, {"bmsk.clamp.b32 %r, %a, %b;", "www", FN{UNUSED;
uint64_t r = 0;
for (uint64_t i = 0; i < 32; ++i)
  if (i >= a && i - a < b)
    r |= uint64_t(1) << i;
return r;
}
}
,
}
;
for (const Row &row : rows)
  check(row);
}

TEST(Integer, BytesAndDots) {
  const Row rows[] = {{"prmt.b32 %r, %a, %b, %c;", "wwww",
                       FN{uint64_t both = b << 32 | a, r = 0;
  for (unsigned k = 0; k < 4; ++k) {
    uint64_t sel = (c >> (4 * k)) & 15;
    uint64_t byte = (both >> (8 * (sel & 7))) & 255;
    if (sel & 8)
      byte = byte & 128 ? 255 : 0;
    r |= byte << (8 * k);
  }
  return r;
}
}
, {"dp4a.s32.s32 %r, %a, %b, %c;", "wwww", FN{int64_t sum = S32(c);
for (unsigned k = 0; k < 4; ++k)
  sum += int8_t(a >> (8 * k)) * int8_t(b >> (8 * k));
return uint64_t(sum);
}
}
, {"dp4a.u32.s32 %r, %a, %b, %c;", "wwww", FN{int64_t sum = S32(c);
for (unsigned k = 0; k < 4; ++k)
  sum += int(uint8_t(a >> (8 * k))) * int8_t(b >> (8 * k));
return uint64_t(sum);
}
}
, {"dp2a.hi.s32.u32 %r, %a, %b, %c;", "wwww", FN{int64_t sum = S32(c);
for (unsigned k = 0; k < 2; ++k)
  sum += int64_t(S16(a >> (16 * k))) * uint8_t(b >> (8 * (k + 2)));
return uint64_t(sum);
}
}
,
}
;
for (const Row &row : rows)
  check(row);
}

TEST(Integer, CompareAndSelect) {
  const Row rows[] = {{"setp.lt.s32 %rp, %a, %b;", "pww", FN{UNUSED;
  return S32(a) < S32(b);
}
}
, {"setp.lo.u32 %rp, %a, %b;", "pww", FN{UNUSED;
return a < b;
}
}
, {"setp.ge.u64 %rp, %ad, %bd;", "pdd", FN{UNUSED;
return a >= b;
}
}
, {"setp.ne.s16 %rp, %ah, %bh;", "phh", FN{UNUSED;
return a != b;
}
}
, {"setp.gt.and.s32 %rp, %a, %b, %cp;", "pwwp", FN{return S32(a) > S32(b) && c;
}
}
, {"setp.eq.xor.b32 %rp, %a, %b, !%cp;", "pwwp", FN{return (a == b) != (c == 0);
}
}
, {"set.lt.u32.s32 %r, %a, %b;", "www", FN{UNUSED;
return S32(a) < S32(b) ? ~0u : 0;
}
}
, {"set.lt.f32.s32 %r, %a, %b;", "www", FN{UNUSED;
return S32(a) < S32(b) ? 0x3f800000 : 0;
}
}
, {"selp.b64 %rd, %ad, %bd, %cp;", "dddp", FN{return c ? a : b;
}
}
, {"selp.b16 %rh, %ah, 7, !%bp;", "hhp", FN{UNUSED;
return b ? 7 : a;
}
}
, {"slct.s32.s32 %r, %a, %b, %c;", "wwww", FN{return S32(c) >= 0 ? a : b;
}
}
,
}
;
for (const Row &row : rows)
  check(row);
}

TEST(Integer, Carry) {
  const Row rows[] = {{"add.cc.u32 %r, %a, %b; addc.u32 %r, %c, 0;", "wwww",
                       FN{return c + ((a + b) >> 32);
}
}
, {"sub.cc.u32 %r, %a, %b; subc.u32 %r, %c, 0;", "wwww", FN{return c - (a < b);
}
}
, {"mad.lo.cc.u32 %r, %a, %b, %c; addc.u32 %r, 0, 0;", "wwww",
   FN{return (uint64_t(uint32_t(a * b)) + c) >> 32;
}
}
, {"add.cc.u64 %rd, %ad, %bd; addc.u64 %rd, %cd, 5;", "dddd",
   FN{return c + 5 + (a + b < a);
}
}
,
}
;
for (const Row &row : rows)
  check(row);
}

TEST(Integer, ConvertBetweenIntegers) {
  const Row rows[] = {{"cvt.s64.s32 %rd, %a;", "dw", FN{UNUSED;
  return uint64_t(int64_t(S32(a)));
}
}
, {"cvt.u64.u32 %rd, %a;", "dw", FN{UNUSED;
return a;
}
}
, {"cvt.u32.u64 %r, %ad;", "wd", FN{UNUSED;
return a;
}
}
, {"cvt.s32.s8 %r, %a;", "ww", FN{UNUSED;
return uint64_t(int64_t(int8_t(a)));
}
}
, {"cvt.s16.s8 %rh, %ah;", "hh", FN{UNUSED;
return uint16_t(int8_t(a));
}
}
, {"cvt.u16.u32 %rh, %a;", "hw", FN{UNUSED;
return a;
}
}
, {"cvt.s32.s16 %r, %ah;", "wh", FN{UNUSED;
return uint64_t(int64_t(S16(a)));
}
}
, {"cvt.s64.s8 %rd, %ad;", "dd", FN{UNUSED;
return uint64_t(int64_t(int8_t(a)));
}
}
, {"cvt.sat.s8.s32 %r, %a;", "ww", FN{UNUSED;
return uint64_t(int64_t(std::clamp(S32(a), -128, 127)));
}
}
, {"cvt.sat.u8.s32 %r, %a;", "ww", FN{UNUSED;
return uint64_t(std::clamp(S32(a), 0, 255));
}
}
, {"cvt.sat.s32.u32 %r, %a;", "ww", FN{UNUSED;
return std::min<uint64_t>(a, INT32_MAX);
}
}
, {"cvt.sat.u16.s64 %rh, %ad;", "hd", FN{UNUSED;
return uint64_t(std::clamp<int64_t>(S64(a), 0, 65535));
}
}
,
}
;
for (const Row &row : rows)
  check(row);
}

TEST(Integer, MoveAndPack) {
  const Row rows[] = {{"mov.b32 %r, {%ah, %bh};", "whh", FN{UNUSED;
  return a | b << 16;
}
}
, {"mov.b64 %rd, {%a, %b};", "dww", FN{UNUSED;
return a | b << 32;
}
}
, {"mov.b32 {%rh, _}, %a;", "hw", FN{UNUSED;
return a;
}
}
, {"mov.b32 {_, %rh}, %a;", "hw", FN{UNUSED;
return a >> 16;
}
}
, {"mov.b64 {_, %r}, %ad;", "wd", FN{UNUSED;
return a >> 32;
}
}
, {"mov.b64 %rd, {%ah, %bh, %ch, %ah};", "dhhh",
   FN{return a | b << 16 | c << 32 | a << 48;
}
}
,
}
;
for (const Row &row : rows)
  check(row);
}
} // namespace
