//===- LoadRuns.cpp - Loads that a warp has under way ---------------------===//
//
// A warp waits at the first use of a value that is being loaded. What it asks
// global memory for until then is under way at once; the longest such run of
// the text bounds the throughput of a kernel with few warps (Little's law).
//
//===----------------------------------------------------------------------===//
#include "Decoder.h"

#include <algorithm>
#include <set>

using namespace mlir::fuse::emu;

static bool has(const RawInst &inst, std::string_view mod) {
  return std::find(inst.mods.begin(), inst.mods.end(), mod) != inst.mods.end();
}

/// Calls `visit` with each register of an operand.
template <typename F>
static void forRegisters(const RawOperand &operand, F visit) {
  if (operand.reg >= 0)
    visit(operand.reg);
  if (operand.reg2 >= 0)
    visit(operand.reg2);
  for (const RawOperand &part : operand.elements)
    forRegisters(part, visit);
}

/// Bytes of a lane that a load from global (or generic) memory asks for, 0 for
/// all other instructions.
static unsigned loadedBytes(const RawInst &inst) {
  if (inst.opcode == "cp" && has(inst, "async") && !inst.operands.empty())
    return inst.operands.size() > 2 && inst.operands[2].kind == RawOperand::Int
               ? unsigned(std::min<uint64_t>(inst.operands[2].bits, 16))
               : 0;
  if ((inst.opcode != "ld" && inst.opcode != "ldu") || inst.operands.empty())
    return 0;
  for (const char *space : {"shared", "shared::cta", "shared::cluster", "local",
                            "param", "param::entry", "param::func", "const"})
    if (has(inst, space))
      return 0;
  RawType type;
  for (const std::string &mod : inst.mods)
    if (RawType candidate = parseType(mod); candidate.valid())
      type = candidate;
  const RawOperand &to = inst.operands[0];
  size_t elements = to.kind == RawOperand::Vector ? to.elements.size() : 1;
  return type.totalBits() / 8 * unsigned(elements);
}

uint32_t mlir::fuse::emu::longestLoadRun(const RawFunction &function) {
  std::set<int> pending;
  uint32_t run = 0, longest = 0;
  for (const RawInst &inst : function.body) {
    unsigned bytes = loadedBytes(inst);
    bool waits = inst.opcode == "cp" &&
                 (has(inst, "wait_group") || has(inst, "wait_all"));
    auto use = [&](int reg) { waits |= pending.count(reg) != 0; };
    if (inst.guard >= 0)
      use(inst.guard);
    for (const RawOperand &operand : inst.operands)
      forRegisters(operand, use);
    if (waits) {
      run = 0;
      pending.clear();
    }
    if (!bytes)
      continue;
    run += 32 * bytes;
    longest = std::max(longest, run);
    if (inst.opcode != "cp")
      forRegisters(inst.operands[0], [&](int reg) { pending.insert(reg); });
  }
  return longest;
}
