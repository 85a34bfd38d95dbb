//===- BlockBounds.cpp - Blocks from which on a kernel does other work ----===//
//
// Kernels that pack several operators tell their parts apart by comparing the
// number of the block with constants of the text. A sample of the blocks has
// to have some of each part.
//
//===----------------------------------------------------------------------===//
#include "Decoder.h"

#include <algorithm>
#include <set>

using namespace mlir::fuse::emu;

namespace {
/// Collects the bounds in an entry and in what it calls.
class BoundFinder {
public:
  explicit BoundFinder(const RawModule &module) : module(module) {}
  void visit(const RawFunction &function);
  std::vector<uint64_t> take() const { return {bounds.begin(), bounds.end()}; }

private:
  void addCompare(const RawInst &inst, int64_t constant);

  const RawModule &module;
  std::set<const RawFunction *> visited;
  std::set<uint64_t> bounds;
};
} // namespace

/// A compare with `constant` changes its answer there, behind it, or on both
/// sides.
void BoundFinder::addCompare(const RawInst &inst, int64_t constant) {
  auto isOneOf = [&](std::initializer_list<std::string_view> names) {
    return !inst.mods.empty() &&
           std::find(names.begin(), names.end(), inst.mods[0]) != names.end();
  };
  bool isEquality = isOneOf({"eq", "ne"});
  for (int64_t side : {0, 1})
    if ((isEquality || isOneOf({side ? "gt" : "lt", side ? "le" : "ge",
                                side ? "hi" : "lo", side ? "ls" : "hs"})) &&
        constant + side > 0)
      bounds.insert(uint64_t(constant + side));
}

void BoundFinder::visit(const RawFunction &function) {
  if (!visited.insert(&function).second)
    return;
  // Registers that hold the number of the block plus a constant.
  std::map<int, int64_t> offsets;
  auto lookup = [&](const RawOperand &operand) -> const int64_t * {
    auto it = operand.kind == RawOperand::Reg ? offsets.find(operand.reg)
                                              : offsets.end();
    return it == offsets.end() ? nullptr : &it->second;
  };
  for (size_t reg = 0; reg < function.regs.size(); ++reg)
    if (function.regs[reg].special && function.regs[reg].name == "%ctaid.x")
      offsets[int(reg)] = 0;
  for (const RawInst &inst : function.body) {
    const std::vector<RawOperand> &operands = inst.operands;
    if (inst.opcode == "call")
      for (const RawOperand &operand : operands)
        if (operand.kind == RawOperand::Symbol)
          if (const RawFunction *callee = findFunction(module, operand.name))
            visit(*callee);
    const int64_t *offset = operands.size() > 1 ? lookup(operands[1]) : nullptr;
    if (!offset)
      continue;
    bool hasConstant =
        operands.size() == 3 && operands[2].kind == RawOperand::Int;
    int64_t constant = hasConstant ? int64_t(operands[2].bits) : 0;
    if (inst.opcode == "mov" || inst.opcode == "cvt")
      offsets[operands[0].reg] = *offset;
    else if (inst.opcode == "add" && hasConstant)
      offsets[operands[0].reg] = *offset + constant;
    else if (inst.opcode == "setp" && hasConstant)
      addCompare(inst, constant - *offset);
  }
}

std::vector<uint64_t>
mlir::fuse::emu::findBlockBounds(const RawModule &module,
                                 const RawFunction &entry) {
  BoundFinder finder(module);
  finder.visit(entry);
  return finder.take();
}
