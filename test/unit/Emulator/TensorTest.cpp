//===- TensorTest.cpp - mma.sync fragment by fragment ---------------------===//
//
// Small integers are exact in every type: each shape and type must give the
// product of the matrices that the PTX manual's fragments describe.
//
//===----------------------------------------------------------------------===//
#include "EmulatorTest.h"

#include <cmath>
#include <functional>

using namespace fuse_test;

namespace {
/// How a number is stored, and how many are in a register.
struct Format {
  const char *name;
  unsigned bits;
  std::function<uint64_t(int)> encode;
  unsigned perReg() const { return bits == 64 ? 1 : 32 / bits; }
};
uint64_t halfBits(int v) {
  _Float16 half = _Float16(v);
  uint16_t bits;
  memcpy(&bits, &half, 2);
  return bits;
}
/// Exact for |v| <= 8.
uint64_t miniBits(int v, int mantissas, int bias) {
  if (v == 0)
    return 0;
  int exponent;
  double m = std::frexp(std::abs(v), &exponent); // [0.5, 1)
  uint64_t code = uint64_t(exponent - 1 + bias) << mantissas |
                  uint64_t((m * 2 - 1) * (1 << mantissas));
  return code | (v < 0 ? 0x80 : 0);
}
const Format f16{"f16", 16, halfBits};
const Format bf16{"bf16", 16, [](int v) { return bitsOf(float(v)) >> 16; }};
const Format tf32{"tf32", 32, [](int v) { return bitsOf(float(v)); }};
const Format f32{"f32", 32, [](int v) { return bitsOf(float(v)); }};
const Format f64{"f64", 64, [](int v) { return bitsOf(double(v)); }};
const Format s8{"s8", 8, [](int v) { return uint64_t(uint8_t(v)); }};
const Format s4{"s4", 4, [](int v) { return uint64_t(v & 15); }};
const Format u4{"u4", 4, [](int v) { return uint64_t(v & 15); }};
const Format b1{"b1", 1, [](int v) { return uint64_t(v & 1); }};
const Format s32{"s32", 32, [](int v) { return uint64_t(uint32_t(v)); }};
const Format e4m3{"e4m3", 8, [](int v) { return miniBits(v, 3, 7); }};
const Format e5m2{"e5m2", 8, [](int v) { return miniBits(v, 2, 15); }};

struct Element {
  unsigned row, col;
};
using Layout = std::function<Element(unsigned lane, unsigned element)>;
using Matrix = std::vector<std::vector<int>>;

/// Registers of all lanes, lane by lane.
Bits pack(const Format &format, const Matrix &matrix, unsigned elements,
          const Layout &layout) {
  Bits regs;
  unsigned per = format.perReg();
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned r = 0; r < elements / per; ++r) {
      uint64_t bits = 0;
      for (unsigned e = 0; e < per; ++e) {
        Element at = layout(lane, r * per + e);
        bits |= format.encode(matrix[at.row][at.col]) << (e * format.bits);
      }
      regs.push_back(bits);
    }
  return regs;
}

/// "{%b0, %b1}" with `count` registers from `first` on.
std::string regList(const Format &f, char name, size_t count) {
  std::string text = "{";
  for (size_t k = 0; k < count; ++k)
    text += (k ? ", %" : "%") + std::string(1, name) +
            (f.bits == 64 ? "d" : "r") + std::to_string(k);
  return text + "}";
}

/// Runs `inst` (up to the operands) on the registers of a, b and c; `tail`
/// comes after them and has the last `inTail` registers of c.
Bits runMma(const std::string &inst, const Format &d, size_t numD,
            const Format &a, const Bits &ra, const Format &b, const Bits &rb,
            const Format &c, const Bits &rc, const std::string &tail = "",
            size_t inTail = 0) {
  DeviceMemory memory;
  std::string body = "  .reg .b64 %p<6>;\n  .reg .b32 %t;\n"
                     "  mov.u32 %t, %tid.x;\n";
  for (char name : {'a', 'b', 'c', 'o'})
    body += "  .reg .b32 %" + std::string(1, name) + "r<16>;\n  .reg .b64 %" +
            name + "d<16>;\n";
  std::vector<Buffer> buffers;
  Bits params;
  struct Part {
    char name;
    const Format *format;
    const Bits *regs;
  } parts[] = {{'a', &a, &ra}, {'b', &b, &rb}, {'c', &c, &rc}};
  auto base = [&](unsigned index, size_t count) {
    std::string p = std::to_string(index);
    body += "  ld.param.u64 %p" + p + ", [q" + p + "];\n  mad.wide.u32 %p" + p +
            ", %t, " + std::to_string(8 * count) + ", %p" + p + ";\n";
  };
  for (unsigned k = 0; k < 3; ++k) {
    size_t count = parts[k].regs->size() / 32;
    buffers.emplace_back(memory, parts[k].regs->size() * 8);
    memcpy(buffers[k].data, parts[k].regs->data(), buffers[k].bytes);
    params.push_back(buffers[k].address());
    base(k, count);
    for (size_t r = 0; r < count; ++r)
      body += std::string("  ld.global.b") +
              (parts[k].format->bits == 64 ? "64 %" : "32 %") + parts[k].name +
              (parts[k].format->bits == 64 ? "d" : "r") + std::to_string(r) +
              ", [%p" + std::to_string(k) + "+" + std::to_string(8 * r) +
              "];\n";
  }
  buffers.emplace_back(memory, numD * 32 * 8);
  params.push_back(buffers[3].address());
  base(3, numD);
  body += "  " + inst + " " + regList(d, 'o', numD) + ", " +
          regList(a, 'a', ra.size() / 32) + ", " +
          regList(b, 'b', rb.size() / 32) + ", " +
          regList(c, 'c', rc.size() / 32 - inTail) + tail + ";\n";
  for (size_t r = 0; r < numD; ++r)
    body += std::string("  st.global.b") +
            (d.bits == 64 ? "64 [%p3+" : "32 [%p3+") + std::to_string(8 * r) +
            "], %o" + (d.bits == 64 ? "d" : "r") + std::to_string(r) + ";\n";
  Outcome run =
      runKernel(memory,
                kernelText(".param .u64 q0, .param .u64 q1, .param .u64 q2, "
                           ".param .u64 q3",
                           body + "  ret;"),
                {1, 1, 1}, {32, 1, 1}, params);
  EXPECT_TRUE(run.ok) << run.error;
  Bits out(numD * 32);
  memcpy(out.data(), buffers[3].data, buffers[3].bytes);
  return out;
}

Matrix randomMatrix(unsigned rows, unsigned cols, int low, int high,
                    uint64_t seed) {
  Random random(seed);
  Matrix m(rows, std::vector<int>(cols));
  for (auto &row : m)
    for (int &v : row)
      v = low + int(random.next() % uint64_t(high - low + 1));
  return m;
}

struct Case {
  unsigned m, n, k;
  const Format &d, &a, &b;
  std::string tail;
};

void check(const Case &t) {
  bool isBits = t.a.bits == 1, isUnsigned = t.a.name[0] == 'u';
  int low = isBits || isUnsigned ? 0 : -4, high = isBits ? 1 : 4;
  Matrix a = randomMatrix(t.m, t.k, low, high, 1),
         b = randomMatrix(t.k, t.n, t.b.name[0] == 'u' || isBits ? 0 : -4,
                          isBits ? 1 : 4, 2),
         c = randomMatrix(t.m, t.n, -20, 20, 3);
  unsigned rows = t.m / 8, perA = t.a.perReg(), perB = t.b.perReg();
  Bits ra = pack(t.a, a, t.m * t.k / 32, [&](unsigned l, unsigned e) {
    unsigned r = e / perA;
    return Element{l / 4 + 8 * (r % rows),
                   (r / rows * 4 + l % 4) * perA + e % perA};
  });
  Bits rb = pack(t.b, b, t.k * t.n / 32, [&](unsigned l, unsigned e) {
    return Element{(e / perB * 4 + l % 4) * perB + e % perB, l / 4};
  });
  auto sums = [](unsigned l, unsigned e) {
    return Element{l / 4 + 8 * (e / 2), 2 * (l % 4) + e % 2};
  };
  unsigned elements = t.m * t.n / 32;
  Bits rc = pack(t.d, c, elements, sums);
  Matrix want = c;
  bool isXor = t.tail.find("xor") != std::string::npos;
  for (unsigned i = 0; i < t.m; ++i)
    for (unsigned j = 0; j < t.n; ++j)
      for (unsigned k = 0; k < t.k; ++k)
        want[i][j] += isXor ? a[i][k] != b[k][j] : a[i][k] * b[k][j];
  std::string inst = "mma.sync.aligned.m" + std::to_string(t.m) + "n" +
                     std::to_string(t.n) + "k" + std::to_string(t.k) +
                     ".row.col." + t.d.name + "." + t.a.name + "." + t.b.name +
                     "." + t.d.name + t.tail;
  Bits got =
      runMma(inst, t.d, elements / t.d.perReg(), t.a, ra, t.b, rb, t.d, rc);
  EXPECT_EQ(got, pack(t.d, want, elements, sums)) << inst;
}

TEST(Mma, EveryShapeAndType) {
  const Case cases[] = {
      {16, 8, 8, f16, f16, f16, ""},
      {16, 8, 16, f32, f16, f16, ""},
      {16, 8, 8, f32, bf16, bf16, ""},
      {16, 8, 16, f32, bf16, bf16, ""},
      {16, 8, 4, f32, tf32, tf32, ""},
      {16, 8, 8, f32, tf32, tf32, ""},
      {8, 8, 4, f64, f64, f64, ""},
      {16, 8, 4, f64, f64, f64, ""},
      {16, 8, 8, f64, f64, f64, ""},
      {16, 8, 16, f64, f64, f64, ""},
      {8, 8, 16, s32, s8, s8, ""},
      {16, 8, 16, s32, s8, s8, ""},
      {16, 8, 32, s32, s8, s8, ""},
      {8, 8, 32, s32, s4, u4, ""},
      {16, 8, 32, s32, u4, s4, ""},
      {16, 8, 64, s32, s4, s4, ""},
      {8, 8, 128, s32, b1, b1, ".xor.popc"},
      {16, 8, 128, s32, b1, b1, ".and.popc"},
      {16, 8, 256, s32, b1, b1, ".xor.popc"},
      {16, 8, 16, f16, e4m3, e5m2, ""},
      {16, 8, 32, f32, e5m2, e4m3, ""},
  };
  for (const Case &t : cases)
    check(t);
}

/// A case of mma.sp: `width` elements stand together, in every chunk of four
/// such two are stored; of tf32 one of two.
struct SparseCase {
  unsigned k;
  const Format &d, &a;
  const char *variant;
  unsigned selector;
};

/// A random matrix with its stored half and the metadata of its rows.
void makeSparse(const SparseCase &t, Matrix &full, Matrix &stored,
                std::vector<uint64_t> &metadata) {
  Random random(t.k + t.selector);
  unsigned width = t.a.bits == 4 ? 2 : 1;
  Matrix values = randomMatrix(16, t.k / 2, 1, 4, 8);
  full.assign(16, std::vector<int>(t.k, 0));
  stored = values;
  metadata.assign(16, 0);
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned k = 0; k < t.k / 2; ++k) {
      if (t.a.bits == 32) {
        unsigned at = random.next() % 2;
        metadata[row] |= uint64_t(at ? 14 : 4) << (4 * k);
        full[row][2 * k + at] = values[row][k];
        continue;
      }
      if (k % (2 * width))
        continue; // The first of a chunk does all.
      unsigned low = random.next() % 3;
      unsigned high = low + 1 + random.next() % (3 - low);
      bool swapped = t.variant[2] == 0 && random.next() % 2;
      unsigned places[] = {swapped ? high : low, swapped ? low : high};
      unsigned chunk = k / (2 * width);
      for (unsigned e = 0; e < 2 * width; ++e) {
        unsigned at = places[e / width];
        full[row][(4 * chunk + at) * width + e % width] = values[row][k + e];
        metadata[row] |= uint64_t(at) << (2 * (2 * chunk + e / width));
      }
    }
}

/// The metadata register of a lane, from the pictures of the manual: of 16 and
/// 32-bit elements, T0 and T1 have columns, halves rows; else T0 and T1 have
/// rows, T2 and T3 the right half.
uint64_t metadataRegister(const SparseCase &t, unsigned lane,
                          const std::vector<uint64_t> &metadata) {
  unsigned bits = t.a.bits == 32 ? 2 * t.k : t.a.bits == 4 ? t.k / 2 : t.k;
  unsigned lanes = bits / 16, at = lane % 4, group = lane / 4;
  if (at / lanes != t.selector)
    return 0xdeadbeef; // Nobody reads it.
  at %= lanes;
  if (t.a.bits >= 16)
    return ((metadata[group] >> (16 * at)) & 0xffff) |
           ((metadata[group + 8] >> (16 * at)) & 0xffff) << 16;
  return (metadata[group + 8 * (at % 2)] >> (32 * (at / 2))) & 0xffffffff;
}

Bits runSparse(const SparseCase &t, const Matrix &stored, const Matrix &b,
               const Matrix &c, const std::vector<uint64_t> &metadata) {
  unsigned per = t.a.perReg();
  Bits ra = pack(t.a, stored, 16 * t.k / 2 / 32, [&](unsigned l, unsigned e) {
    unsigned r = e / per;
    return Element{l / 4 + 8 * (r % 2), (r / 2 * 4 + l % 4) * per + e % per};
  });
  Bits rb = pack(t.a, b, t.k * 8 / 32, [&](unsigned l, unsigned e) {
    return Element{(e / per * 4 + l % 4) * per + e % per, l / 4};
  });
  // The metadata comes as one more register of c.
  Bits rc = pack(t.d, c, 4, [](unsigned l, unsigned e) {
    return Element{l / 4 + 8 * (e / 2), 2 * (l % 4) + e % 2};
  });
  size_t numC = rc.size() / 32;
  Bits all;
  for (unsigned l = 0; l < 32; ++l) {
    all.insert(all.end(), rc.begin() + l * numC, rc.begin() + (l + 1) * numC);
    all.push_back(metadataRegister(t, l, metadata));
  }
  std::string inst = std::string("mma.") + t.variant + ".sync.aligned.m16n8k" +
                     std::to_string(t.k) + ".row.col." + t.d.name + "." +
                     t.a.name + "." + t.a.name + "." + t.d.name;
  return runMma(inst, t.d, 4 / t.d.perReg(), t.a, ra, t.a, rb, t.d, all,
                ", %cr" + std::to_string(numC) + ", " +
                    std::to_string(t.selector),
                /*inTail=*/1);
}

TEST(Mma, SparseShapesAndTypes) {
  const char *any = "sp", *ordered = "sp::ordered_metadata";
  const SparseCase cases[] = {
      {16, f32, f16, any, 0},      {16, f16, f16, ordered, 3},
      {32, f32, f16, ordered, 1},  {16, f32, bf16, ordered, 2},
      {32, f32, bf16, any, 0},     {8, f32, tf32, any, 3},
      {16, f32, tf32, ordered, 1}, {32, s32, s8, any, 1},
      {64, s32, s8, ordered, 0},   {64, s32, s4, ordered, 1},
      {128, s32, s4, any, 0},      {64, f32, e4m3, ordered, 0},
      {64, f32, e5m2, any, 0},
  };
  for (const SparseCase &t : cases) {
    Matrix a, stored, b = randomMatrix(t.k, 8, -4, 4, 2),
                      c = randomMatrix(16, 8, -20, 20, 3), want = c;
    std::vector<uint64_t> metadata;
    makeSparse(t, a, stored, metadata);
    for (unsigned i = 0; i < 16; ++i)
      for (unsigned j = 0; j < 8; ++j)
        for (unsigned k = 0; k < t.k; ++k)
          want[i][j] += a[i][k] * b[k][j];
    Bits got = runSparse(t, stored, b, c, metadata);
    EXPECT_EQ(got, pack(t.d, want, 4,
                        [](unsigned l, unsigned e) {
                          return Element{l / 4 + 8 * (e / 2),
                                         2 * (l % 4) + e % 2};
                        }))
        << t.variant << " m16n8k" << t.k << " " << t.a.name;
  }
}

/// Two elements at one place, or in descending order where it matters.
TEST(Mma, MetadataWithoutMeaningIsAnError) {
  struct {
    const char *variant;
    unsigned code;
    bool ok;
  } rows[] = {{"sp", 0x4444, true},
              {"sp", 0x1111, true},
              {"sp", 0x4454, false},
              {"sp::ordered_metadata", 0x4444, true},
              {"sp::ordered_metadata", 0x4414, false}};
  for (auto &row : rows) {
    std::string body =
        "  .reg .b32 %r<9>;\n  .reg .f32 %f<5>;\n  mov.b32 %r1, " +
        std::to_string(row.code * 0x10001) + ";\n  mma." + row.variant +
        ".sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%f1,%f2,%f3,%f4}, {%r3,%r4}, {%r5,%r6}, "
        "{%f1,%f2,%f3,%f4}, %r1, 0;\n  ret;";
    DeviceMemory memory;
    Outcome run =
        runKernel(memory, kernelText("", body), {1, 1, 1}, {32, 1, 1}, Bits());
    EXPECT_EQ(run.ok, row.ok) << row.variant << row.code << run.error;
    if (!row.ok)
      EXPECT_NE(run.error.find("metadata of row 0 of the sparse matrix"),
                std::string::npos)
          << run.error;
  }
}

/// Lanes 4q to 4q+3 and 16+4q to 16+4q+3 multiply matrices of their own.
TEST(Mma, QuadPairs) {
  for (bool colA : {false, true})
    for (bool colB : {false, true})
      for (bool wide : {false, true}) {
        Matrix a = randomMatrix(32, 4, -4, 4, 4), // By pair: 8 rows each.
            b = randomMatrix(16, 8, -4, 4, 5),    // 4 rows each.
            c = randomMatrix(32, 8, -9, 9, 6);
        auto pair = [](unsigned l) { return l % 16 / 4; };
        auto upper = [](unsigned l) { return l < 16 ? 0u : 4u; };
        Bits ra = pack(f16, a, 4, [&](unsigned l, unsigned e) {
          return colA ? Element{8 * pair(l) + e + upper(l), l % 4}
                      : Element{8 * pair(l) + l % 4 + upper(l), e};
        });
        Bits rb = pack(f16, b, 4, [&](unsigned l, unsigned e) {
          return colB ? Element{4 * pair(l) + e, l % 4 + upper(l)}
                      : Element{4 * pair(l) + l % 4, e + upper(l)};
        });
        const Format &sum = wide ? f32 : f16;
        auto sums = [&](unsigned l, unsigned e) {
          if (!wide)
            return Element{8 * pair(l) + l % 4 + upper(l), e};
          return Element{8 * pair(l) + (l & 1) + (e & 2) + upper(l),
                         (e & 4) + (l & 2) + (e & 1)};
        };
        Matrix want = c;
        for (unsigned i = 0; i < 32; ++i)
          for (unsigned j = 0; j < 8; ++j)
            for (unsigned k = 0; k < 4; ++k)
              want[i][j] += a[i][k] * b[4 * (i / 8) + k][j];
        std::string inst = std::string("mma.sync.aligned.m8n8k4.") +
                           (colA ? "col." : "row.") + (colB ? "col." : "row.") +
                           sum.name + ".f16.f16." + sum.name;
        Bits got = runMma(inst, sum, 8 / sum.perReg(), f16, ra, f16, rb, sum,
                          pack(sum, c, 8, sums));
        EXPECT_EQ(got, pack(sum, want, 8, sums)) << inst;
      }
}

TEST(Mma, IntegersSaturateOrWrap) {
  Matrix a(16, std::vector<int>(32, 100)), b(32, std::vector<int>(8, 100)),
      c(16, std::vector<int>(8, 2147400000));
  auto same = [](unsigned, unsigned) { return Element{0, 0}; };
  Bits ra = pack(s8, a, 16, same), rb = pack(s8, b, 8, same),
       rc = pack(s32, c, 4, same);
  std::string inst = "mma.sync.aligned.m16n8k32.row.col";
  EXPECT_EQ(uint32_t(runMma(inst + ".satfinite.s32.s8.s8.s32", s32, 4, s8, ra,
                            s8, rb, s32, rc)[0]),
            0x7fffffffu);
  EXPECT_EQ(uint32_t(runMma(inst + ".s32.s8.s8.s32", s32, 4, s8, ra, s8, rb,
                            s32, rc)[0]),
            2147400000u + 320000u);
}
} // namespace
