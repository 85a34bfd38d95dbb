//===- BulkTest.cpp - Bulk copies and tensor maps -------------------------===//
//
// Tiles with every swizzle and with parts outside of the tensor, im2col
// columns, gathered rows, stores and reductions; maps made by the encoder and
// by tensormap.replace; what the encoder refuses.
//
//===----------------------------------------------------------------------===//
#include "EmulatorTest.h"
#include "fuse-mlir/Emulator/TensorMap.h"

#include <functional>
#include <numeric>

using namespace fuse_test;

namespace {
#define EXPECT_CONTAINS(text, part)                                            \
  EXPECT_NE((text).find(part), std::string::npos) << (text)

/// A kernel with parameters map (128 bytes), out, c0 to c4: `copy` fills (or
/// reads) `smem`, whose `bytes` bytes are then written to out.
std::string copyKernel(const std::string &copy, unsigned bytes, bool isLoad) {
  std::string n = std::to_string(bytes);
  return ".version 8.6\n.target sm_100a\n.address_size 64\n"
         ".visible .entry k(.param .align 64 .b8 map[128], .param .u64 out,\n"
         "  .param .b32 p0, .param .b32 p1, .param .b32 p2, .param .b32 p3,\n"
         "  .param .b32 p4)\n{\n"
         "  .shared .align 1024 .b8 smem[" +
         n +
         "];\n  .shared .align 8 .b8 bar[8];\n"
         "  .reg .b32 %r<10>; .reg .b64 %d<10>; .reg .b16 %h<4>;\n"
         "  .reg .pred %p<4>;\n"
         "  ld.param.b64 %d1, [out];\n  mov.b64 %d2, map;\n"
         "  cvta.param.u64 %d2, %d2;\n"
         "  ld.param.b32 %r0, [p0]; ld.param.b32 %r1, [p1];\n"
         "  ld.param.b32 %r2, [p2]; ld.param.b32 %r3, [p3];\n"
         "  ld.param.b32 %r4, [p4];\n" +
         (isLoad ? "  mbarrier.init.shared.b64 [bar], 1;\n"
                   "  mbarrier.arrive.expect_tx.shared.b64 _, [bar], " +
                       n + ";\n" + copy +
                       "\nWAIT:\n  mbarrier.try_wait.parity.shared.b64 %p1, "
                       "[bar], 0;\n  @!%p1 bra WAIT;\n"
                 : std::string()) +
         "  mov.b32 %r5, 0;\nLOOP:\n  cvt.u64.u32 %d3, %r5;\n"
         "  add.s64 %d4, %d1, %d3;\n  mov.b64 %d5, smem;\n"
         "  add.s64 %d5, %d5, %d3;\n" +
         (isLoad ? "  ld.shared.b32 %r6, [%d5];\n  st.global.b32 [%d4], %r6;\n"
                 : "  ld.global.b32 %r6, [%d4];\n  st.shared.b32 [%d5], "
                   "%r6;\n") +
         "  add.u32 %r5, %r5, 4;\n  setp.lt.u32 %p1, %r5, " + n +
         ";\n  @%p1 bra LOOP;\n" + (isLoad ? "" : copy) + "\n  ret;\n}\n";
}

struct CopyRun {
  std::string error;
  std::vector<uint8_t> bytes;
};
/// One thread; `data` is what `out` holds before.
CopyRun runCopy(DeviceMemory &memory, const std::string &text,
                const TensorMapBits &map, const std::vector<int> &coords,
                const std::vector<uint8_t> &data) {
  CopyRun result;
  auto module = Module::load(text, memory, result.error, "copy.ptx");
  if (!module)
    return result;
  Buffer out(memory, data.size());
  memcpy(out.data, data.data(), data.size());
  std::vector<uint8_t> params(128 + 8 + 20);
  memcpy(params.data(), map.data(), 128);
  uint64_t address = out.address();
  memcpy(&params[128], &address, 8);
  memcpy(&params[136], coords.data(), 4 * coords.size());
  LaunchStats stats;
  LaunchOptions options;
  options.maxBlockInstructions = 1 << 20;
  launch(*module, "k", {1, 1, 1}, {1, 1, 1}, 0, params.data(), options, stats,
         result.error);
  result.bytes.assign(out.data, out.data + data.size());
  return result;
}

template <typename T>
std::vector<uint8_t> bytesOf(const std::vector<T> &values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// A tensor of 32-bit integers 1, 2, 3, ... with the given sizes.
struct Tensor {
  Tensor(DeviceMemory &memory, std::vector<uint64_t> dims)
      : count(std::accumulate(dims.begin(), dims.end(), uint64_t(1),
                              std::multiplies<>())),
        buffer(memory, count * 4) {
    for (uint64_t k = 0; k < count; ++k)
      buffer.as<int32_t>()[k] = int32_t(k) + 1;
    map.address = buffer.address();
    map.rank = unsigned(dims.size());
    map.element = TensorMap::S32;
    uint64_t stride = 4;
    for (unsigned k = 0; k < map.rank; ++k) {
      map.dims[k] = dims[k];
      if (k)
        map.strides[k - 1] = stride;
      stride *= dims[k];
    }
  }
  /// 0 outside.
  int32_t at(std::vector<int64_t> index) const {
    uint64_t linear = 0, scale = 1;
    for (unsigned k = 0; k < map.rank; ++k) {
      if (index[k] < 0 || index[k] >= int64_t(map.dims[k]))
        return 0;
      linear += uint64_t(index[k]) * scale;
      scale *= map.dims[k];
    }
    return int32_t(linear) + 1;
  }
  uint64_t count;
  Buffer buffer;
  TensorMap map;
};

TensorMapBits encode(const TensorMap &map) {
  TensorMapBits bits;
  EXPECT_EQ(encodeTensorMap(map, bits), "");
  return bits;
}

/// Byte of a 16-byte chunk in a tile of rows of `pitch` bytes.
uint32_t swizzled(uint32_t at, unsigned mode) {
  return at ^ (((at >> 7) & ((1u << mode) - 1)) << 4);
}

TEST(TensorCopy, TilesWithSwizzleAndBorders) {
  for (unsigned mode = 0; mode < 4; ++mode)
    for (int x : {0, -4, 20, 27})
      for (int y : {0, -3, 8}) {
        DeviceMemory memory;
        Tensor tensor(memory, {28, 10});
        unsigned width = mode ? (16u << mode) / 4 : 12;
        tensor.map.box[0] = width;
        tensor.map.box[1] = 8;
        tensor.map.swizzle = TensorMap::Swizzle(mode);
        unsigned bytes = width * 4 * 8;
        CopyRun run = runCopy(
            memory,
            copyKernel("  cp.async.bulk.tensor.2d.shared::cta.global."
                       "mbarrier::complete_tx::bytes [smem], "
                       "[%d2, {%r0, %r1}], [bar];",
                       bytes, true),
            encode(tensor.map), {x, y, 0, 0, 0}, std::vector<uint8_t>(bytes));
        ASSERT_EQ(run.error, "");
        for (unsigned row = 0; row < 8; ++row)
          for (unsigned col = 0; col < width; ++col) {
            int32_t got;
            memcpy(&got, &run.bytes[swizzled(row * width * 4 + col * 4, mode)],
                   4);
            ASSERT_EQ(got, tensor.at({x + int(col), y + int(row)}))
                << mode << " " << x << "," << y << " " << row << "," << col;
          }
      }
}

TEST(TensorCopy, StridesOfElementsAndThreeDimensions) {
  DeviceMemory memory;
  Tensor tensor(memory, {8, 12, 5});
  uint32_t box[] = {8, 6, 2}, steps[] = {1, 2, 1};
  std::copy_n(box, 3, tensor.map.box);
  std::copy_n(steps, 3, tensor.map.steps);
  unsigned bytes = 8 * 3 * 2 * 4;
  CopyRun run =
      runCopy(memory,
              copyKernel("  cp.async.bulk.tensor.3d.shared::cluster."
                         "global.mbarrier::complete_tx::bytes "
                         "[smem], [%d2, {%r0, %r1, %r2}], [bar];",
                         bytes, true),
              encode(tensor.map), {0, 5, 3, 0, 0}, std::vector<uint8_t>(bytes));
  ASSERT_EQ(run.error, "");
  const auto *got = reinterpret_cast<const int32_t *>(run.bytes.data());
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 8; ++x)
        ASSERT_EQ(*got++, tensor.at({x, 5 + 2 * y, 3 + z}));
}

TEST(TensorCopy, Im2colWalksThePixels) {
  DeviceMemory memory;
  Tensor tensor(memory, {4, 6, 5, 2}); // C, W, H, N.
  tensor.map.im2col = true;
  tensor.map.lower[0] = tensor.map.lower[1] = -1;
  tensor.map.upper[0] = tensor.map.upper[1] = -1;
  tensor.map.channels = 4;
  tensor.map.pixels = 40;
  unsigned bytes = 40 * 16;
  CopyRun run = runCopy(
      memory,
      copyKernel("  mov.b16 %h1, 2; mov.b16 %h2, 1;\n"
                 "  cp.async.bulk.tensor.4d.shared::cluster.global.im2col."
                 "mbarrier::complete_tx::bytes [smem], "
                 "[%d2, {%r0, %r1, %r2, %r3}], [bar], {%h1, %h2};",
                 bytes, true),
      encode(tensor.map), {0, 1, 2, 0, 0}, std::vector<uint8_t>(bytes));
  ASSERT_EQ(run.error, "");
  const auto *got = reinterpret_cast<const int32_t *>(run.bytes.data());
  int w = 1, h = 2, n = 0;
  for (int pixel = 0; pixel < 40; ++pixel) {
    for (int c = 0; c < 4; ++c)
      ASSERT_EQ(*got++, tensor.at({c, w + 2, h + 1, n})) << pixel;
    if (++w > 4) { // Base pixels are -1 to 4, and -1 to 3.
      w = -1;
      if (++h > 3) {
        h = -1;
        ++n;
      }
    }
  }
}

TEST(TensorCopy, GathersFourRows) {
  DeviceMemory memory;
  Tensor tensor(memory, {16, 9});
  tensor.map.box[0] = 8;
  tensor.map.box[1] = 1;
  CopyRun run = runCopy(
      memory,
      copyKernel("  cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4."
                 "mbarrier::complete_tx::bytes [smem], "
                 "[%d2, {%r0, %r1, %r2, %r3, %r4}], [bar];",
                 128, true),
      encode(tensor.map), {4, 7, 0, 12, 3}, std::vector<uint8_t>(128));
  ASSERT_EQ(run.error, "");
  const int rows[] = {7, 0, 12, 3};
  const auto *got = reinterpret_cast<const int32_t *>(run.bytes.data());
  for (int row : rows)
    for (int x = 0; x < 8; ++x)
      ASSERT_EQ(*got++, tensor.at({4 + x, row}));
}

TEST(TensorCopy, StoresAndReducesWithinBounds) {
  std::vector<int32_t> tile(8 * 4);
  std::iota(tile.begin(), tile.end(), 1000);
  for (bool reduce : {false, true}) {
    DeviceMemory memory;
    Tensor tensor(memory, {12, 6});
    tensor.map.box[0] = 8;
    tensor.map.box[1] = 4;
    std::string copy =
        std::string(reduce ? "  cp.reduce.async.bulk.tensor.2d.global."
                             "shared::cta.add.bulk_group"
                           : "  cp.async.bulk.tensor.2d.global."
                             "shared::cta.bulk_group") +
        " [%d2, {%r0, %r1}], [smem];";
    CopyRun run = runCopy(memory, copyKernel(copy, 128, false),
                          encode(tensor.map), {7, -1, 0, 0, 0}, bytesOf(tile));
    ASSERT_EQ(run.error, "");
    for (int y = 0; y < 6; ++y)
      for (int x = 0; x < 12; ++x) {
        int row = y + 1, col = x - 7;
        bool inside = row >= 0 && row < 4 && col >= 0 && col < 8;
        int32_t before = tensor.at({x, y}),
                value = inside ? tile[row * 8 + col] : 0;
        ASSERT_EQ(tensor.buffer.as<int32_t>()[y * 12 + x],
                  inside ? value + (reduce ? before : 0) : before);
      }
  }
}

TEST(TensorCopy, MapsThatKernelsMake) {
  DeviceMemory memory;
  Tensor tensor(memory, {16, 8});
  std::string make = "  .shared .align 128 .b8 made[128];\n"
                     "  mov.b32 %r6, 0;\n";
  for (unsigned at = 0; at < 128; at += 4)
    make += "  st.shared.b32 [made+" + std::to_string(at) + "], 0;\n";
  auto replace = [&](const std::string &field, const std::string &type,
                     const std::string &value) {
    make += "  tensormap.replace.tile." + field + ".shared::cta.b1024." + type +
            " [made], " + value + ";\n";
  };
  make += "  mov.b64 %d6, " + std::to_string(tensor.map.address) + ";\n";
  make += "  mov.b64 %d7, 64;\n";
  replace("global_address", "b64", "%d6");
  replace("rank", "b32", "1");
  replace("global_dim", "b32", "0, 16");
  replace("global_dim", "b32", "1, 8");
  replace("global_stride", "b64", "0, %d7");
  replace("box_dim", "b32", "0, 4");
  replace("box_dim", "b32", "1, 2");
  replace("element_stride", "b32", "0, 1");
  replace("element_stride", "b32", "1, 1");
  replace("elemtype", "b32", "3");
  CopyRun run = runCopy(
      memory,
      copyKernel(make + "  mov.b64 %d8, made;\n  cvta.shared.u64 %d8, %d8;\n"
                        "  cp.async.bulk.tensor.2d.shared::cta.global."
                        "mbarrier::complete_tx::bytes [smem], "
                        "[%d8, {%r0, %r1}], [bar];",
                 32, true),
      TensorMapBits(), {3, 5, 0, 0, 0}, std::vector<uint8_t>(32));
  ASSERT_EQ(run.error, "");
  const auto *got = reinterpret_cast<const int32_t *>(run.bytes.data());
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 4; ++x)
      ASSERT_EQ(*got++, tensor.at({3 + x, 5 + y}));
}

TEST(TensorCopy, MisuseIsLocated) {
  DeviceMemory memory;
  Tensor tensor(memory, {16, 8});
  tensor.map.box[0] = 4;
  tensor.map.box[1] = 2;
  const char *threeD = "  cp.async.bulk.tensor.3d.shared::cta.global."
                       "mbarrier::complete_tx::bytes [smem], "
                       "[%d2, {%r0, %r1, %r2}], [bar];";
  CopyRun run =
      runCopy(memory, copyKernel(threeD, 32, true), encode(tensor.map),
              {0, 0, 0, 0, 0}, std::vector<uint8_t>(32));
  EXPECT_CONTAINS(run.error, "invalid tensor map: its rank is 2, not 3");
  EXPECT_CONTAINS(run.error, "cp.async.bulk.tensor.3d");
  run = runCopy(memory, copyKernel(threeD, 32, true), TensorMapBits(),
                {0, 0, 0, 0, 0}, std::vector<uint8_t>(32));
  EXPECT_CONTAINS(run.error, "invalid tensor map: address of the tensor");
}

TEST(TensorMap, EncoderChecksWhatTheDriverChecks) {
  TensorMapBits bits;
  DeviceMemory memory;
  Tensor tensor(memory, {16, 8});
  tensor.map.box[0] = 16;
  tensor.map.box[1] = 8;
  EXPECT_EQ(encodeTensorMap(tensor.map, bits), "");
  struct {
    std::function<void(TensorMap &)> change;
    const char *error;
  } rows[] = {
      {[](TensorMap &m) { m.rank = 6; }, "rank 6 is not within 1 to 5"},
      {[](TensorMap &m) { m.address += 4; }, "not a multiple of 16"},
      {[](TensorMap &m) { m.strides[0] = 72; }, "stride of 72 bytes"},
      {[](TensorMap &m) { m.box[1] = 257; }, "box of 257 elements"},
      {[](TensorMap &m) { m.box[0] = 3; }, "innermost box of 12 bytes"},
      {[](TensorMap &m) { m.swizzle = TensorMap::Swizzle32; },
       "innermost box of 64 bytes exceeds the swizzle of 32 bytes"},
      {[](TensorMap &m) { m.steps[1] = 9; }, "element stride 9"},
      {[](TensorMap &m) { m.dims[0] = 0; }, "size 0 of dimension 0"},
      {[](TensorMap &m) { m.im2col = true; }, "im2col needs a rank of 3"},
  };
  for (auto &row : rows) {
    TensorMap map = tensor.map;
    row.change(map);
    EXPECT_CONTAINS(encodeTensorMap(map, bits), row.error);
  }
  TensorMap::Element element;
  EXPECT_TRUE(tensorMapElement(9, element));
  EXPECT_EQ(element, TensorMap::BF16);
  EXPECT_FALSE(tensorMapElement(13, element));
}

TEST(BulkCopy, ThereAndBackAndReduce) {
  std::vector<int32_t> data(64);
  std::iota(data.begin(), data.end(), 5);
  DeviceMemory memory;
  CopyRun run = runCopy(
      memory,
      copyKernel("  cp.async.bulk.shared::cta.global.mbarrier::complete_tx::"
                 "bytes [smem], [%d1], 256, [bar];\n"
                 "  cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 "
                 "[%d1], [smem+128], 128;\n"
                 "  cp.async.bulk.commit_group;\n"
                 "  cp.async.bulk.wait_group 0;\n"
                 "  ld.global.b32 %r7, [%d1];\n  st.shared.b32 [smem], %r7;",
                 256, true),
      TensorMapBits(), {0, 0, 0, 0, 0}, bytesOf(data));
  ASSERT_EQ(run.error, "");
  const auto *got = reinterpret_cast<const int32_t *>(run.bytes.data());
  EXPECT_EQ(got[0], 5 + 5 + 32); // As the reduction left it.
  EXPECT_EQ(got[1], 6);
  run = runCopy(memory,
                copyKernel("  cp.async.bulk.shared::cta.global."
                           "mbarrier::complete_tx::bytes [smem], [%d1+8], 16, "
                           "[bar];",
                           16, true),
                TensorMapBits(), {0, 0, 0, 0, 0}, std::vector<uint8_t>(64));
  EXPECT_CONTAINS(run.error, "bulk copy is not aligned to 16 bytes");
}
} // namespace
