// Each quantity of the cost model alone, against numbers worked out by hand.
#include "QuantityTest.h"

#include "fuse-mlir/Planner/PeakMemory.h"
#include "fuse-mlir/Planner/Residency.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
TEST_F(QuantityTest, ContiguousReadsAskForEachSectorOnce) {
  KernelView kernel = makeCopy("(i, j)", "tensor<64x1024xf32>");
  EXPECT_EQ(model.l1Bytes(kernel), 2 * kTensor);
  EXPECT_EQ(model.l2Bytes(kernel, device), 2 * kTensor);
  EXPECT_EQ(model.dramBytes(kernel, device), 2 * kTensor);
  EXPECT_EQ(model.rereadBytes(kernel), 0);
  EXPECT_EQ(model.partialSectorBytes(kernel), 0);
}

// On its way through shared memory a transpose is read along its rows.
TEST_F(QuantityTest, StagedTransposesAskForEachSectorOnce) {
  KernelView kernel = makeCopy("(j, i)", "tensor<1024x64xf32>");
  EXPECT_EQ(shape.path, KernelPath::Box);
  EXPECT_EQ(model.l1Bytes(kernel), 2 * kTensor);
  EXPECT_EQ(model.rereadBytes(kernel), 0);
}

// Else each lane reads another row: a sector of 32 bytes for four of them. What
// a block has asked for is still in L1.
TEST_F(QuantityTest, TransposedReadsAskForASectorPerElement) {
  KernelView kernel = makeCopy("(j, i)", "tensor<1024x64xf32>");
  shape.path = KernelPath::Pointwise;
  shape.axes.clear();
  EXPECT_EQ(model.l1Bytes(kernel), 8 * kTensor + kTensor);
  EXPECT_EQ(model.rereadBytes(kernel), 7 * kTensor);
  EXPECT_EQ(model.dramBytes(kernel, device), 2 * kTensor);
}

// A row for all rows: asked for by every warp, 4 KB of DRAM.
TEST_F(QuantityTest, BroadcastReadsAreReread) {
  KernelView kernel = makeCopy("(j)", "tensor<1024xf32>");
  EXPECT_EQ(model.l1Bytes(kernel), 2 * kTensor);
  EXPECT_EQ(model.rereadBytes(kernel), kTensor - 4096);
  EXPECT_EQ(model.dramBytes(kernel, device), kTensor + 4096);
}

// What all rows are multiplied with is asked for by each block. From L2 it
// comes once for each multiprocessor, unless blocks touch more than L1 holds.
TEST_F(QuantityTest, SharedVectorComesOncePerMultiprocessor) {
  KernelView kernel = parseKernel(R"(
    func.func @f(%a: tensor<8192x1024xf32>, %b: tensor<1024xf32>)
        -> tensor<8192xf32> {
      %z = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<8192xf32>
      %i = linalg.fill ins(%z : f32) outs(%e : tensor<8192xf32>)
        -> tensor<8192xf32>
      %m = linalg.matvec
        ins(%a, %b : tensor<8192x1024xf32>, tensor<1024xf32>)
        outs(%i : tensor<8192xf32>) -> tensor<8192xf32>
      return %m : tensor<8192xf32>
    })");
  ASSERT_EQ(shape.path, KernelPath::Row);
  constexpr int64_t kMatrix = 8192 * 1024 * 4, kVector = 1024 * 4;
  constexpr int64_t kStored = 8192 * 32; // Each row's result by itself.
  EXPECT_GT(model.l1Bytes(kernel), kMatrix + 132 * kVector + kStored);
  EXPECT_EQ(model.l2Bytes(kernel, device), kMatrix + 132 * kVector + kStored);
  DeviceInfo small = device;
  small.l1BytesPerSM = 8 * 1024;
  EXPECT_EQ(model.l2Bytes(kernel, small), model.l1Bytes(kernel));
}

// Parts side by side read `x` each from L2; from memory it comes once.
TEST_F(QuantityTest, WhatSeveralPartsReadComesOnce) {
  KernelView kernel = parseProducts("64x32");
  ASSERT_EQ(shape.path, KernelPath::Packed);
  constexpr int64_t kSquare = 64 * 64 * 4;
  EXPECT_EQ(model.partialSectorBytes(kernel), 0);
  EXPECT_EQ(model.dramBytes(kernel, device), 4 * kSquare);
  EXPECT_GE(*model.l2Bytes(kernel, device), 5 * kSquare);
}

// A kernel of few blocks has the L2 bandwidth of their multiprocessors.
TEST_F(QuantityTest, FewBlocksHaveTheirShareOfL2) {
  KernelView kernel = makeCopy("(i, j)", "tensor<64x1024xf32>");
  double active = model.occupancy(kernel, device)->getActiveSMs(device);
  ASSERT_LT(active, 132);
  CostBreakdown price = model.explain(kernel, device);
  ASSERT_TRUE(price.findTerm("l2"));
  EXPECT_DOUBLE_EQ(price.findTerm("l2")->value,
                   2 * kTensor * 132 / (5500 * active));
}

// Of the parts of a concatenation a thread holds one at a time.
TEST_F(QuantityTest, PartsOfAConcatenationShareRegisters) {
  auto getRegisters = [&](int parts) {
    std::string arguments, names, types;
    for (int i = 0; i < parts; ++i) {
      std::string comma = i ? ", " : "", number = std::to_string(i);
      arguments += comma + "%a" + number + ": tensor<64x1024xf32>";
      names += comma + "%a" + number;
      types += comma + "tensor<64x1024xf32>";
    }
    std::string type = "tensor<" + std::to_string(64 * parts) + "x1024xf32>";
    return *model.registersPerThread(
        parseKernel("func.func @f(" + arguments + ") -> " + type +
                    " {\n %c = tensor.concat dim(0) " + names + " : (" + types +
                    ") -> " + type + "\n return %c : " + type + "\n}"));
  };
  EXPECT_EQ(getRegisters(2), getRegisters(4));
}

// One element per row: one sector for each of 512 warps of 128 elements.
TEST_F(QuantityTest, ElementOfARowIsOneSectorPerWarp) {
  KernelView kernel = makeCopy("(i)", "tensor<64xf32>");
  EXPECT_EQ(model.l1Bytes(kernel), kTensor + 512 * 32);
}

// One row of many, which all 64 rows read: only its sectors are distinct.
TEST_F(QuantityTest, SliceHasTheSectorsOfItsSpan) {
  KernelView kernel = makeCopy("(7, j)", "tensor<512x1024xf32>");
  EXPECT_EQ(model.l1Bytes(kernel), 2 * kTensor);
  EXPECT_EQ(model.rereadBytes(kernel), kTensor - 4096);
  EXPECT_EQ(model.partialSectorBytes(kernel), 0);
}

// Eight rows of a table of 256 that the data choose: the table must be there as
// a whole, but time is made of what is read of it.
TEST_F(QuantityTest, GathersMoveTheRowsThatTheyNeed) {
  KernelView kernel = parseKernel(R"(
    func.func @f(%t: tensor<256x16xf32>, %i: tensor<8xi64>)
        -> tensor<8x16xf32> {
      %e = tensor.empty() : tensor<8x16xf32>
      %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>,
          affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]}
          ins(%i : tensor<8xi64>) outs(%e : tensor<8x16xf32>) {
      ^bb0(%in: i64, %out: f32):
        %r = arith.index_cast %in : i64 to index
        %c = linalg.index 1 : index
        %v = tensor.extract %t[%r, %c] : tensor<256x16xf32>
        linalg.yield %v : f32
      } -> tensor<8x16xf32>
      return %a : tensor<8x16xf32>
    })");
  EXPECT_EQ(model.bytesRead(kernel), 256 * 16 * 4 + 8 * 8);
  EXPECT_EQ(model.bytesWritten(kernel), 8 * 16 * 4);
  EXPECT_EQ(model.bytesMoved(kernel), 2 * 8 * 16 * 4 + 8 * 8);
}

TEST_F(QuantityTest, ResidentInputsCostNoDram) {
  KernelView kernel = makeCopy("(i, j)", "tensor<64x1024xf32>");
  bool resident[] = {true};
  kernel.residentInputs = resident;
  EXPECT_EQ(model.residentBytes(kernel, device), kTensor);
  EXPECT_EQ(model.dramBytes(kernel, device), kTensor);
  EXPECT_EQ(model.l2Bytes(kernel, device), 2 * kTensor);
}

TEST_F(QuantityTest, SlotsByUnit) {
  KernelView kernel = makeCopy("(i, j)", "tensor<64x1024xf32>",
                               "    %w = arith.extf %in : f32 to f64\n"
                               "    %d = arith.mulf %w, %w : f64\n"
                               "    %n = arith.truncf %d : f64 to f32\n"
                               "    %s = math.exp2 %n : f32\n"
                               "    %i = arith.fptosi %s : f32 to i32\n"
                               "    %k = arith.addi %i, %i : i32\n"
                               "    %r = arith.sitofp %k : i32 to f32\n"
                               "    linalg.yield %r : f32\n");
  constexpr int64_t kElements = 64 * 1024;
  EXPECT_EQ(model.specialSlots(kernel), kElements); // exp2
  EXPECT_EQ(model.f64Slots(kernel), 3 * kElements); // both casts, mulf
  EXPECT_EQ(model.integerSlots(kernel), kElements); // addi
  EXPECT_EQ(model.tensorFlops(kernel), 0);
}

// An element that 64 rows read is computed for each of them: 63 times more than
// if it were stored.
TEST_F(QuantityTest, RecomputedUnderABroadcast) {
  KernelView kernel = parseKernel(R"(
    func.func @f(%v: tensor<1024xf32>, %x: tensor<64x1024xf32>)
        -> tensor<64x1024xf32> {
      %e = tensor.empty() : tensor<1024xf32>
      %d = linalg.add ins(%v, %v : tensor<1024xf32>, tensor<1024xf32>)
        outs(%e : tensor<1024xf32>) -> tensor<1024xf32>
      %o = tensor.empty() : tensor<64x1024xf32>
      %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
          affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]}
          ins(%x, %d : tensor<64x1024xf32>, tensor<1024xf32>)
          outs(%o : tensor<64x1024xf32>) {
      ^bb0(%in: f32, %w: f32, %out: f32):
        %r = arith.mulf %in, %w : f32
        linalg.yield %r : f32
      } -> tensor<64x1024xf32>
      return %a : tensor<64x1024xf32>
    })");
  EXPECT_EQ(model.recomputedFlops(kernel), 63 * 1024);
  EXPECT_EQ(model.flops(kernel), 65 * 1024);
}

// The warps of a row exchange a partial sum each.
TEST_F(QuantityTest, SharedBytesOfAnExchange) {
  KernelView kernel = parseKernel(R"(
    func.func @f(%x: tensor<16x8192xf32>) -> tensor<16xf32> {
      %z = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<16xf32>
      %i = linalg.fill ins(%z : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
      %s = linalg.reduce {arith.addf} ins(%x : tensor<16x8192xf32>)
        outs(%i : tensor<16xf32>) dimensions = [1]
      return %s : tensor<16xf32>
    })");
  ASSERT_EQ(shape.path, KernelPath::Row);
  int64_t warps = cost::getLaunch(kernel).threadsPerRow / 32;
  ASSERT_GT(warps, 3);
  EXPECT_EQ(model.sharedBytes(kernel), 4 * warps);
}

// Sixteen bytes an instruction; code beyond the instruction cache is fetched
// again.
TEST_F(QuantityTest, CodeBesideTheInstructionCache) {
  KernelView kernel = makeCopy("(i, j)", "tensor<64x1024xf32>",
                               "    %s = math.sin %in : f32\n"
                               "    linalg.yield %s : f32\n");
  double statics = cost::countKernel(kernel).staticInstructions;
  EXPECT_GT(statics, 40); // At least the slots of a sine.
  EXPECT_EQ(model.codeBytes(kernel), int64_t(16 * (32 + statics)));
  double fits = model.explain(kernel, device).findTerm("issue")->value;
  device.instructionCacheBytes = *model.codeBytes(kernel) - 1;
  double misses = model.explain(kernel, device).findTerm("issue")->value;
  EXPECT_DOUBLE_EQ(misses, 2 * fits);
}

// A store and a load of four bytes for each register that there is not.
TEST_F(QuantityTest, SpilledRegisters) {
  KernelView kernel = makeCopy("(i, j)", "tensor<64x1024xf32>");
  int64_t registers = *model.registersPerThread(kernel);
  EXPECT_EQ(model.spilledBytesPerThread(kernel, device), 0);
  device.maxRegistersPerThread = registers - 3;
  EXPECT_EQ(model.spilledBytesPerThread(kernel, device), 3 * 8);
}

TEST_F(QuantityTest, OccupancyWavesAndTail) {
  Occupancy grid;
  grid.blocks = 200;
  grid.threadsPerBlock = 256;
  grid.residentBlocks = 1;
  EXPECT_EQ(grid.getActiveSMs(device), 132);
  EXPECT_EQ(grid.getWarpsPerSM(device), 8);
  EXPECT_DOUBLE_EQ(grid.getWaves(device), 200.0 / 132);
  EXPECT_DOUBLE_EQ(grid.getTail(device), 2 / (200.0 / 132));
  grid.blocks = 3;
  EXPECT_EQ(grid.getActiveSMs(device), 3);
  EXPECT_EQ(grid.getTail(device), 1);
  EXPECT_EQ(grid.getImbalance(device), 1);
  // Four or five blocks for each of 132 multiprocessors.
  grid.blocks = 600;
  EXPECT_DOUBLE_EQ(grid.getImbalance(device), 5 / (600.0 / 132));
}

// 128 blocks of 128 threads with 16 bytes under way each, on 128
// multiprocessors, in 650 ns.
TEST_F(QuantityTest, AchievableBandwidthOfAFewWarps) {
  KernelView kernel = makeCopy("(i, j)", "tensor<64x1024xf32>");
  EXPECT_EQ(model.achievableMBPerSecond(kernel, device),
            int64_t(128) * 128 * 16 * 1000 / 650);
}

TEST_F(QuantityTest, LaunchesWithAndWithoutGraph) {
  KernelView kernel = makeCopy("(i, j)", "tensor<64x1024xf32>");
  ModelAssumptions stream;
  stream.graph = false;
  TrafficCostModel graphModel, streamModel(stream);
  EXPECT_EQ(*streamModel.estimateNanoseconds(kernel, device) -
                *graphModel.estimateNanoseconds(kernel, device),
            5000 - 1300);
  EXPECT_EQ(model.launches(kernel), 1);
}

// A chain of two kernels: the argument goes after its last reader, the
// intermediate too, and the result stays.
TEST_F(QuantityTest, PeakMemoryByLifetimes) {
  parseKernel("func.func @f(%x: tensor<100xf32>) -> tensor<10xf32> {\n"
              "  %a = tensor.empty() : tensor<200xf32>\n"
              "  %b = tensor.empty() : tensor<10xf32>\n"
              "  return %b : tensor<10xf32>\n}");
  Value x = inputs.front(), a = ops[0]->getResult(0), b = ops[1]->getResult(0);
  Block &block = *ops.front()->getBlock();
  MemoryStep first{true, {x}, {a}, 0}, second{true, {a}, {b}, 0};
  std::optional<PeakMemory> peak = findPeakMemory({first, second}, {b}, block);
  ASSERT_TRUE(peak);
  EXPECT_EQ(peak->bytes, 4 * (100 + 200));
  EXPECT_EQ(peak->step, 0u);
  // Scratch memory lives with its kernel only.
  second.extraBytes = 1000;
  peak = findPeakMemory({first, second}, {b}, block);
  EXPECT_EQ(peak->bytes, 4 * (200 + 10) + 1000);
  EXPECT_EQ(peak->step, 1u);
  // A later reader keeps the argument.
  second.reads.push_back(x);
  peak = findPeakMemory({first, second}, {b}, block);
  EXPECT_EQ(peak->bytes, 4 * (100 + 200 + 10) + 1000);
  // What only the host uses is not on the device.
  MemoryStep host{false, {x}, {a}, 0};
  EXPECT_EQ(findPeakMemory({host}, {}, block)->bytes, 0);
}

// x -> a -> b and a -> c, 4,000 bytes each: what was touched last, and whether
// it still fits beside what came after it.
TEST_F(QuantityTest, ResidencyByBytesBetween) {
  parseKernel("func.func @f(%x: tensor<1000xf32>) -> tensor<1000xf32> {\n"
              "  %a = tensor.empty() : tensor<1000xf32>\n"
              "  %b = tensor.empty() : tensor<1000xf32>\n"
              "  %c = tensor.empty() : tensor<1000xf32>\n"
              "  return %c : tensor<1000xf32>\n}");
  Value x = inputs.front(), a = ops[0]->getResult(0), b = ops[1]->getResult(0),
        c = ops[2]->getResult(0);
  auto make = [&](int64_t bytes) {
    L2Residency residency(bytes);
    residency.add(ops[0], /*isKernel=*/true, {x});
    residency.add(ops[1], /*isKernel=*/true, {a});
    residency.add(ops[2], /*isKernel=*/true, {a});
    return residency;
  };
  SmallVector<bool> yes = {true};
  L2Residency large = make(12000), small = make(8000);
  // Nobody touched the argument before.
  EXPECT_TRUE(large.find(ArrayRef<unsigned>{0}, {x}, {a}).empty());
  EXPECT_EQ(large.find(ArrayRef<unsigned>{1}, {a}, {b}), yes);
  EXPECT_EQ(small.find(ArrayRef<unsigned>{1}, {a}, {b}), yes);
  // Read by the operator before, so nothing lies between.
  EXPECT_EQ(small.find(ArrayRef<unsigned>{2}, {a}, {c}), yes);
  // One kernel of both has three operands at once.
  EXPECT_EQ(large.find(ArrayRef<unsigned>{1, 2}, {a}, {b, c}), yes);
  EXPECT_TRUE(small.find(ArrayRef<unsigned>{1, 2}, {a}, {b, c}).empty());
  EXPECT_EQ(large.find(ArrayRef<Operation *>{ops[2], ops[1]}, {a}, {b, c}),
            yes);
  // What the host does leaves nothing in the cache.
  L2Residency host(12000);
  host.add(ops[0], /*isKernel=*/false, {x});
  host.add(ops[1], /*isKernel=*/true, {a});
  EXPECT_TRUE(host.find(ArrayRef<unsigned>{1}, {a}, {b}).empty());
}
} // namespace
