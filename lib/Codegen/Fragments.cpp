// Loads and products of fragments. `ldmatrix` hands out four blocks of 8 lines of
// 16 bytes: lane l names the line l % 8 of block l / 8.
#include "Fragments.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::fuse;

static int64_t getBytes(Type element) {
  return element.getIntOrFloatBitWidth() / 8;
}

SharedLayout fuse::getFragmentLayout(Type element) {
  SharedLayout layout;
  // Lanes that read an element each use eight lines of four, or four of eight.
  layout.span = getBytes(element) >= 4 ? 2 : 1;
  // `ldmatrix` transposes elements of 16 bits only.
  layout.onlyAlongDepth = getBytes(element) == 1;
  return layout;
}

/// An element for each lane from each block of 8 × 4 elements.
static SmallVector<Value> loadElements(KernelContext &context,
                                       const SharedTile &tile, AffineExpr stage,
                                       AffineExpr outer, AffineExpr depth,
                                       bool isLeft) {
  ElementEmitter &emitter = context.emitter;
  AffineExpr lane = context.thread % 32;
  int64_t halves = getBytes(tile.getElement()) == 8 ? 1 : 2;
  SmallVector<Value> elements;
  for (int64_t block = 0; block < 2 * halves; ++block) {
    int64_t inOuter = isLeft ? block % 2 : block / halves;
    int64_t inDepth = isLeft ? block / 2 : block % halves;
    elements.push_back(emitter.loadFrom(
        tile.getBuffer(),
        tile.locate(stage,
                    emitter.simplify(outer + inOuter * 8 + lane.floorDiv(4)),
                    emitter.simplify(depth + inDepth * 4 + lane % 4))));
  }
  return elements;
}

static SmallVector<Value> loadBlocks(KernelContext &context,
                                     const SharedTile &tile, AffineExpr stage,
                                     AffineExpr outer, AffineExpr depth,
                                     bool isLeft) {
  OpBuilder &builder = context.builder();
  Location loc = context.loc();
  ElementEmitter &emitter = context.emitter;
  bool alongDepth = tile.getLayout().alongDepth;
  AffineExpr lane = context.thread % 32;
  AffineExpr line = lane % 8;
  AffineExpr low = lane.floorDiv(8) % 2, high = lane.floorDiv(16);
  // Blocks follow each other down the left factor's rows first, but along the
  // right factor's depth first. A block's lines lie as those of the tile.
  AffineExpr inOuter = (isLeft ? low : high) * 8;
  AffineExpr inDepth = (isLeft ? high : low) * tile.getChunk();
  (alongDepth ? inOuter : inDepth) = (alongDepth ? inOuter : inDepth) + line;
  AffineExpr place =
      tile.locate(stage, emitter.simplify(outer + inOuter),
                  emitter.simplify(depth + inDepth));
  // The same place among elements of 16 bits.
  int64_t bytes = getBytes(tile.getElement());
  place = emitter.simplify((place * bytes).floorDiv(2));
  VectorType type = VectorType::get({4, 2}, builder.getF16Type());
  Value blocks = nvgpu::LdMatrixOp::create(
      builder, loc, type, tile.getHalves(), emitter.materializeIndex(place),
      /*transpose=*/!alongDepth, /*numTiles=*/4);
  SmallVector<Value> registers;
  for (int64_t block = 0; block < 4; ++block)
    registers.push_back(LLVM::BitcastOp::create(
        builder, loc, builder.getI32Type(),
        vector::ExtractOp::create(builder, loc, blocks, block)));
  return registers;
}

/// The bits of an f32, rounded to tf32.
static Value roundToTf32(KernelContext &context, Value value) {
  OpBuilder &builder = context.builder();
  Type i32 = builder.getI32Type();
  if (value.getType() != i32)
    value = LLVM::BitcastOp::create(builder, context.loc(), i32, value);
  return LLVM::InlineAsmOp::create(
             builder, context.loc(), i32, value, "cvt.rna.tf32.f32 $0, $1;",
             "=r,r", /*has_side_effects=*/false, /*is_align_stack=*/false,
             LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr())
      .getResult(0);
}

SmallVector<Value> fuse::loadFragment(KernelContext &context,
                                      const SharedTile &tile, AffineExpr stage,
                                      AffineExpr outer, AffineExpr depth,
                                      bool isLeft) {
  int64_t bytes = getBytes(tile.getElement());
  bool byElement =
      bytes == 8 || (bytes == 4 && !tile.getLayout().alongDepth);
  SmallVector<Value> registers =
      byElement ? loadElements(context, tile, stage, outer, depth, isLeft)
                : loadBlocks(context, tile, stage, outer, depth, isLeft);
  if (bytes == 4)
    for (Value &value : registers)
      value = roundToTf32(context, value);
  return registers;
}

/// The results of instruction `name`, which adds the product of `left` and `right`
/// to `sums`. `kind` and `sumKind` are the constraints of their registers.
static SmallVector<Value> emitProduct(KernelContext &context, StringRef name,
                                      StringRef kind, StringRef sumKind,
                                      ArrayRef<Value> left,
                                      ArrayRef<Value> right,
                                      ArrayRef<Value> sums) {
  OpBuilder &builder = context.builder();
  Location loc = context.loc();
  unsigned next = 0;
  auto list = [&](size_t count) {
    std::string text;
    for (size_t i = 0; i < count; ++i)
      text += (i == 0 ? "$" : ",$") + std::to_string(next++);
    return "{" + text + "}";
  };
  std::string code = name.str() + " " + list(sums.size());
  for (ArrayRef<Value> part : {left, right, sums})
    code += ", " + list(part.size());
  SmallVector<std::string> constraints(sums.size(), "=" + sumKind.str());
  constraints.append(left.size() + right.size(), kind.str());
  constraints.append(sums.size(), sumKind.str());
  SmallVector<Value> operands(left);
  llvm::append_range(operands, right);
  llvm::append_range(operands, sums);
  Type result = LLVM::LLVMStructType::getLiteral(
      builder.getContext(), SmallVector<Type>(ValueRange(sums).getTypes()));
  Operation *product = LLVM::InlineAsmOp::create(
      builder, loc, result, operands, code + ";",
      llvm::join(constraints, ","), /*has_side_effects=*/false,
      /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr(), ArrayAttr());
  SmallVector<Value> results;
  for (int64_t i = 0; i < int64_t(sums.size()); ++i)
    results.push_back(LLVM::ExtractValueOp::create(
        builder, loc, product->getResult(0), i));
  return results;
}

SmallVector<Value> fuse::multiplyFragments(KernelContext &context,
                                           const MatrixForm &form,
                                           ArrayRef<Value> left,
                                           ArrayRef<Value> right,
                                           ArrayRef<Value> sums) {
  bool isDouble = form.leftType == "f64";
  bool isInteger = sums.front().getType().isInteger();
  StringRef sum = isDouble ? "f64" : isInteger ? "s32" : "f32";
  std::string name =
      ("mma.sync.aligned." +
       Twine(isDouble ? "m8n8k4" : "m16n8k" + Twine(form.depth)) + ".row.col." +
       sum + "." + form.leftType + "." + form.rightType + "." + sum)
          .str();
  if (!isDouble)
    return emitProduct(context, name, "r", isInteger ? "r" : "f", left, right,
                       sums);
  // Eight rows at a time.
  SmallVector<Value> results;
  for (int64_t half = 0; half < 2; ++half)
    llvm::append_range(results,
                       emitProduct(context, name, "d", "d", left.slice(half, 1),
                                   right, sums.slice(2 * half, 2)));
  return results;
}
