// Quantities of contractions with tiles, against numbers worked out by hand.
#include "QuantityTest.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
// The text of a product of a batch of `b` matrices of f32.
static std::string makeBatchMatmul(int64_t b, int64_t m, int64_t n, int64_t k,
                                   StringRef name) {
  auto type = [&](int64_t rows, int64_t columns) {
    return "tensor<" + std::to_string(b) + "x" + std::to_string(rows) + "x" +
           std::to_string(columns) + "xf32>";
  };
  std::string x = type(m, k), y = type(k, n), z = type(m, n);
  return "  %" + name.str() + " = linalg.batch_matmul ins(%x" + name.str() +
         ", %y" + name.str() + " : " + x + ", " + y + ") outs(%z" + name.str() +
         " : " + z + ") -> " + z + "\n";
}

static std::string makeArguments(int64_t b, int64_t m, int64_t n, int64_t k,
                                 StringRef name) {
  std::string batch = "tensor<" + std::to_string(b) + "x", one = name.str(),
              rows = std::to_string(m), columns = std::to_string(n),
              depth = std::to_string(k);
  return "%x" + one + ": " + batch + rows + "x" + depth + "xf32>, %y" + one +
         ": " + batch + depth + "x" + columns + "xf32>, %z" + one + ": " +
         batch + rows + "x" + columns + "xf32>";
}

// Each block reads what its tile needs once: the left factor once for each
// tile across, the right one once for each tile down, of its own batch.
TEST_F(QuantityTest, FactorsAreReadOncePerTile) {
  KernelView kernel = parseKernel(
      "func.func @f(" + makeArguments(6, 256, 192, 64, "a") +
      ") -> tensor<6x256x192xf32> {\n" + makeBatchMatmul(6, 256, 192, 64, "a") +
      "  return %a : tensor<6x256x192xf32>\n}");
  ASSERT_EQ(shape.path, KernelPath::Tile);
  const TileShape tile = *cost::countKernel(kernel).launch->tile;
  int64_t across = llvm::divideCeil(192, tile.columns);
  int64_t down = llvm::divideCeil(256, tile.rows);
  int64_t left = 6 * 256 * 64 * across, right = 6 * 64 * 192 * down;
  int64_t results = 6 * 256 * 192; // read as initial values, and written
  EXPECT_EQ(model.l1Bytes(kernel), 4 * (left + right + 2 * results));
}

// Two products of one left factor, added: it is read once for both. Of
// different left factors each is read.
TEST_F(QuantityTest, SharedFactorsAreReadOnce) {
  auto countLefts = [&](StringRef second) {
    std::string text = R"(
      func.func @f(%x: tensor<256x64xf32>, %w: tensor<256x64xf32>,
          %y: tensor<64x192xf32>, %v: tensor<64x192xf32>)
          -> tensor<256x192xf32> {
        %z = arith.constant 0.0 : f32
        %e = tensor.empty() : tensor<256x192xf32>
        %i = linalg.fill ins(%z : f32) outs(%e : tensor<256x192xf32>)
          -> tensor<256x192xf32>
        %a = linalg.matmul ins(%x, %y : tensor<256x64xf32>, tensor<64x192xf32>)
          outs(%i : tensor<256x192xf32>) -> tensor<256x192xf32>
        %b = linalg.matmul ins($, %v : tensor<256x64xf32>, tensor<64x192xf32>)
          outs(%i : tensor<256x192xf32>) -> tensor<256x192xf32>
        %c = linalg.add ins(%a, %b : tensor<256x192xf32>, tensor<256x192xf32>)
          outs(%e : tensor<256x192xf32>) -> tensor<256x192xf32>
        return %c : tensor<256x192xf32>
      })";
    KernelView kernel =
        parseKernel(text.replace(text.find('$'), 1, second.str()));
    EXPECT_EQ(shape.path, KernelPath::Tile);
    const TileShape tile = *cost::countKernel(kernel).launch->tile;
    int64_t left = 4 * 256 * 64 * llvm::divideCeil(192, tile.columns);
    int64_t right = 4 * 64 * 192 * llvm::divideCeil(256, tile.rows);
    int64_t stored = 4 * 256 * 192;
    return double(*model.l1Bytes(kernel) - 2 * right - stored) / double(left);
  };
  EXPECT_EQ(countLefts("%x"), 1);
  EXPECT_EQ(countLefts("%w"), 2);
}

// Matrix units multiply what suits them.
TEST_F(QuantityTest, TilesOnMatrixUnits) {
  KernelView kernel = parseKernel(
      "func.func @f(%x: tensor<256x256xf16>, %y: tensor<256x256xf16>, %z: "
      "tensor<256x256xf32>) -> tensor<256x256xf32> {\n"
      "  %a = linalg.matmul ins(%x, %y : tensor<256x256xf16>, "
      "tensor<256x256xf16>) outs(%z : tensor<256x256xf32>) -> "
      "tensor<256x256xf32>\n  return %a : tensor<256x256xf32>\n}");
  EXPECT_EQ(model.tensorFlops(kernel), int64_t(2) * 256 * 256 * 256);
}

// Integers are multiplied on units of their own only where no matrix unit does
// it: those of 8 bits are none of `integerSlots`, of 32 bits each product is.
TEST_F(QuantityTest, UnitsOfIntegerProducts) {
  auto parse = [&](StringRef type, StringRef casts) {
    std::string factor = "tensor<256x256x" + type.str() + ">";
    return parseKernel("func.func @f(%x: " + factor + ", %y: " + factor + R"(,
          %z: tensor<256x256xi32>) -> tensor<256x256xi32> {
        %a = linalg.generic {indexing_maps = [
            affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>,
            affine_map<(i, j, k) -> (i, j)>],
            iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%x, %y : )" +
                       factor + ", " + factor + R"()
          outs(%z : tensor<256x256xi32>) {
        ^bb0(%l: )" + type.str() +
                       ", %r: " + type.str() + R"(, %o: i32):
          )" + casts.str() +
                       R"(
          %s = arith.addi %o, %p : i32
          linalg.yield %s : i32
        } -> tensor<256x256xi32>
        return %a : tensor<256x256xi32>
      })");
  };
  constexpr int64_t kProducts = int64_t(256) * 256 * 256;
  KernelView words = parse("i32", "%p = arith.muli %l, %r : i32");
  ASSERT_EQ(shape.path, KernelPath::Tile);
  EXPECT_EQ(model.integerSlots(words), kProducts);
  KernelView bytes = parse("i8", R"(%v = arith.extsi %l : i8 to i32
          %w = arith.extsi %r : i8 to i32
          %p = arith.muli %v, %w : i32)");
  EXPECT_EQ(model.integerSlots(bytes), 0);
  EXPECT_EQ(model.tensorFlops(bytes), kProducts);
}

// A convolution written as a loop nest is priced as the operator of that name.
TEST_F(QuantityTest, GenericConvolutionsAreContractions) {
  std::string types = R"(tensor<1x64x34x34xf16>, tensor<64x64x3x3xf16>)
            outs(%z : tensor<1x64x32x32xf32>))";
  auto price = [&](StringRef op) {
    KernelView kernel = parseKernel(R"(
      func.func @f(%x: tensor<1x64x34x34xf16>, %w: tensor<64x64x3x3xf16>,
          %z: tensor<1x64x32x32xf32>) -> tensor<1x64x32x32xf32> {
        %a = )" + op.str() + R"( -> tensor<1x64x32x32xf32>
        return %a : tensor<1x64x32x32xf32>
      })");
    return model.estimateNanoseconds(kernel, device);
  };
  Quantity named = price("linalg.conv_2d_nchw_fchw ins(%x, %w : " + types);
  Quantity generic = price(R"(linalg.generic {indexing_maps = [
      affine_map<(n, f, y, x, c, i, j) -> (n, c, y + i, x + j)>,
      affine_map<(n, f, y, x, c, i, j) -> (f, c, i, j)>,
      affine_map<(n, f, y, x, c, i, j) -> (n, f, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel",
                        "reduction", "reduction", "reduction"]}
      ins(%x, %w : )" + types +
                           R"( {
    ^bb0(%l: f16, %r: f16, %o: f32):
      %v = arith.extf %l : f16 to f32
      %u = arith.extf %r : f16 to f32
      %p = arith.mulf %v, %u : f32
      %s = arith.addf %o, %p : f32
      linalg.yield %s : f32
    })");
  EXPECT_EQ(generic, named);
}

// Parts of one launch do what they would do alone, and none of them is faster
// beside another than by itself.
TEST_F(QuantityTest, PackedTilesDoWhatTheyDoAlone) {
  std::string head = "func.func @f(" + makeArguments(1, 128, 128, 512, "a"),
              result = "tensor<1x128x128xf32>",
              product = makeBatchMatmul(1, 128, 128, 512, "a");
  KernelView alone = parseKernel(head + ") -> " + result + " {\n" + product +
                                 "  return %a : " + result + "\n}");
  Quantity slots = model.instructions(alone);
  Quantity price = model.estimateNanoseconds(alone, device);
  parseKernel(head + ", " + makeArguments(1, 128, 128, 512, "b") + ") -> (" +
              result + ", " + result + ") {\n" + product +
              makeBatchMatmul(1, 128, 128, 512, "b") +
              "  return %a, %b : " + result + ", " + result + "\n}");
  outputs.assign({ops[0]->getResult(0), ops[1]->getResult(0)});
  shape = *analyzeGroup(ops, outputs);
  ASSERT_EQ(shape.path, KernelPath::Packed);
  KernelView both{ops, inputs, outputs, &shape};
  EXPECT_EQ(*model.instructions(both), 2 * *slots);
  Quantity packed = model.estimateNanoseconds(both, device);
  EXPECT_GE(*packed, *price);
  EXPECT_LT(*packed, 2 * *price);
}

// A tile of 64 x 64 results and a sum of 64 steps: in each of them a lane reads
// 16 bytes for each four of its eight rows and four columns, which is four
// wavefronts for a warp. What is copied there is written once.
TEST_F(QuantityTest, WavefrontsOfATile) {
  KernelView kernel = parseKernel(R"(
    func.func @f(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>)
        -> tensor<64x64xf32> {
      %z = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<64x64xf32>
      %i = linalg.fill ins(%z : f32) outs(%e : tensor<64x64xf32>)
        -> tensor<64x64xf32>
      %a = linalg.matmul {fuse.tile = #fuse.tile<rows = 64, columns = 64,
          depth = 32, row_warps = 2, column_warps = 2, stages = 2, group = 1,
          parts = 1, unit = fma, async = true>}
        ins(%x, %y : tensor<64x64xf32>, tensor<64x64xf32>)
        outs(%i : tensor<64x64xf32>) -> tensor<64x64xf32>
      return %a : tensor<64x64xf32>
    })");
  ASSERT_EQ(shape.path, KernelPath::Tile);
  int64_t read = 64 * 4 * (2 + 1) * 4, written = 2 * 64 * 64 * 4 / 128;
  EXPECT_EQ(model.sharedWavefronts(kernel), read + written);
  // Elsewhere they are too few to count.
  EXPECT_EQ(model.sharedWavefronts(makeCopy("(i, j)", "tensor<64x1024xf32>")),
            0);
}

// Contractions of one tile that have a factor in common load its rows once, as
// they are there once: a warp reads its 32 rows by eight wavefronts in a step.
TEST_F(QuantityTest, CommonFactorIsLoadedOnce) {
  auto countWavefronts = [&](StringRef second) {
    std::string text = R"(
      #tile = #fuse.tile<rows = 64, columns = 64, depth = 32, row_warps = 2,
          column_warps = 2, stages = 2, group = 1, parts = 1, unit = fma,
          async = true>
      func.func @f(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>,
          %y: tensor<64x64xf32>, %v: tensor<64x64xf32>)
          -> tensor<64x64xf32> {
        %z = arith.constant 0.0 : f32
        %e = tensor.empty() : tensor<64x64xf32>
        %i = linalg.fill ins(%z : f32) outs(%e : tensor<64x64xf32>)
          -> tensor<64x64xf32>
        %a = linalg.matmul {fuse.tile = #tile}
          ins(%x, %y : tensor<64x64xf32>, tensor<64x64xf32>)
          outs(%i : tensor<64x64xf32>) -> tensor<64x64xf32>
        %b = linalg.matmul {fuse.tile = #tile}
          ins($, %v : tensor<64x64xf32>, tensor<64x64xf32>)
          outs(%i : tensor<64x64xf32>) -> tensor<64x64xf32>
        %c = linalg.add ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>)
          outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
        return %c : tensor<64x64xf32>
      })";
    KernelView kernel =
        parseKernel(text.replace(text.find('$'), 1, second.str()));
    EXPECT_EQ(shape.path, KernelPath::Tile);
    return *model.sharedWavefronts(kernel);
  };
  constexpr int64_t kRead = 64 * 4 * 8, kWritten = 64 * 64 * 4 / 128;
  EXPECT_EQ(countWavefronts("%w") - countWavefronts("%x"), kRead + kWritten);
}

// Three blocks of two warps keep a multiprocessor's quarters busy for as long
// as four do.
TEST_F(QuantityTest, WarpsAreDealtToQuarters) {
  auto getIssue = [&](int64_t blocks) {
    std::string rows = std::to_string(64 * 132 * blocks);
    std::string x = "tensor<" + rows + "x64xf32>";
    KernelView kernel = parseKernel(
        "func.func @f(%x: " + x + ", %y: tensor<64x64xf32>, %z: " + x +
        ") -> " + x +
        " {\n  %a = linalg.matmul {fuse.tile = #fuse.tile<rows = 64, columns = "
        "64, depth = 32, row_warps = 2, column_warps = 1, stages = 2, group = "
        "1, parts = 1, unit = fma, async = true>} ins(%x, %y : " +
        x + ", tensor<64x64xf32>) outs(%z : " + x + ") -> " + x +
        "\n  return %a : " + x + "\n}");
    return model.explain(kernel, device).findTerm("issue")->value;
  };
  EXPECT_DOUBLE_EQ(getIssue(3), getIssue(4));
  EXPECT_DOUBLE_EQ(2 * getIssue(1), getIssue(4));
}
} // namespace
