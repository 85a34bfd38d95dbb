//===- DecoderSymbols.cpp - Names and targets in decoded programs -------===//
//
// Symbols to addresses, labels and functions to places in the code; how
// instructions are added.
//
//===----------------------------------------------------------------------===//
#include "Decoder.h"

#include <algorithm>

using namespace mlir::fuse::emu;

/// A 32-bit address wraps before it is widened.
static void addAndExtend(Warp &w, const Inst &i, uint32_t mask) {
  uint32_t offset = uint32_t(i.imm);
  map1<uint64_t, uint32_t>(
      w, i, mask, [offset](uint32_t a) { return uint64_t(a + offset); });
}

//===-- Symbols and addresses ----------------------------------------------=//

const RawFunction *Decoder::function(const std::string &name) const {
  return findFunction(raw, name);
}

Decoder::Symbol Decoder::sharedSymbol(const RawVar &var) {
  Symbol sym;
  sym.known = true;
  sym.space = Space::Shared;
  if (var.isExtern || var.size == 0) {
    // Dynamic shared memory follows the static part; its start is only known
    // once everything has been decoded, hence the second pass.
    dynamicAlign = std::max(dynamicAlign, var.align);
    sym.value = dynamicBase;
    return sym;
  }
  // The address identifies a variable of a function, the name one of a module.
  std::string key = var.name + "@" + std::to_string(uintptr_t(&var));
  auto it = sharedOffsets.find(key);
  if (it == sharedOffsets.end()) {
    program.sharedAlign = std::max(program.sharedAlign, uint32_t(var.align));
    uint64_t offset = alignTo(sharedTop, var.align);
    sharedTop = offset + var.size;
    it = sharedOffsets.emplace(key, offset).first;
    program.sharedVariables.push_back({var.name, offset, var.size});
  }
  sym.value = it->second;
  return sym;
}

Decoder::Symbol Decoder::symbol(const RawOperand &operand) {
  Symbol sym;
  if (operand.var >= 0) {
    const RawVar &var = self().fn->vars[operand.var];
    sym = var.space == Space::Shared ? sharedSymbol(var)
                                     : self().vars[operand.var];
  } else if (auto it = module.globals.find(operand.name);
             it != module.globals.end()) {
    sym.known = true;
    sym.space = Space::Global;
    sym.value = it->second.address;
  } else {
    for (const RawVar &var : raw.vars)
      if (var.name == operand.name && var.space == Space::Shared)
        sym = sharedSymbol(var);
  }
  if (!sym.known) {
    const RawFunction *fn = function(operand.name);
    if (!fn)
      fail("unknown symbol '" + operand.name + "'");
    if (!fn->hasBody || fn->isEntry)
      failUnsupported("address of '" + operand.name +
                      "', which is not a device function with a body");
    sym.known = true;
    sym.value = functionWindow | uint64_t(fn - raw.functions.data());
  }
  sym.value += operand.offset;
  return sym;
}

Decoder::Address Decoder::address(const RawOperand &operand) {
  if (operand.kind != RawOperand::Memory)
    fail("expected an address in brackets");
  if (operand.reg >= 0) {
    RawOperand base = operand;
    base.kind = RawOperand::Reg;
    unsigned bits = regBits(base);
    int32_t slot = slotOf(operand.reg);
    if (bits == 32) { // A 32-bit address of shared or local memory.
      int32_t wide = temp(64);
      Inst &micro = emit(addAndExtend, InstClass::Move);
      micro.counted = false;
      micro.a = slot;
      micro.d = wide;
      micro.imm = operand.offset;
      return {wide, 0, Space::None};
    } else if (bits != 64) {
      fail("expected a 32-bit or 64-bit address register");
    }
    return {slot, operand.offset, Space::None};
  }
  if (operand.name.empty())
    return {constant64(0), operand.offset, Space::None};
  Symbol sym = symbol(operand);
  if (sym.relative)
    return {program.framePointer, int64_t(sym.value), sym.space};
  // Folded into the literal, so that the handler sees one base and an offset.
  return {constant64(0), int64_t(sym.value),
          sym.isKernelParam ? Space::Param : sym.space};
}

//===-- Emission -----------------------------------------------------------=//

Inst &Decoder::emit(Handler handler, InstClass cls) {
  Inst inst;
  inst.fn = handler;
  inst.cls = cls;
  inst.line = current->line;
  inst.loc = current->loc;
  if (current->guard >= 0) {
    inst.pred = slotOf(current->guard);
    inst.predNegated = current->guardNegated;
  }
  program.code.push_back(inst);
  return program.code.back();
}

Inst &mlir::fuse::emu::emitPlain(Decoder &d, Handler fn, InstClass cls,
                                 RawType type, unsigned numSources) {
  d.expectOperands(numSources + 1, numSources + 1);
  int32_t slots[3] = {0, 0, 0};
  for (unsigned i = 0; i < numSources; ++i)
    slots[i] = d.src(i + 1, type);
  int32_t out = d.dst(0, type);
  Inst &inst = d.emit(fn, cls);
  inst.d = out;
  inst.a = slots[0];
  inst.b = slots[1];
  inst.c = slots[2];
  return inst;
}

static std::pair<const std::string *, uint32_t>
resolveLabel(const RawFunction &fn, int scope, const std::string &name) {
  for (; scope >= 0; scope = fn.scopeParent[scope]) {
    auto it = fn.labels.find({scope, name});
    if (it != fn.labels.end())
      return {&it->first.second, it->second};
  }
  return {nullptr, 0};
}

void Decoder::branchTo(const std::string &label) {
  auto [found, rawIndex] = resolveLabel(*self().fn, current->scope, label);
  if (!found)
    fail("unknown label '" + label + "'");
  fixups.push_back({program.code.size() - 1, currentCallee, rawIndex, false});
}

uint32_t Decoder::branchTable(const std::string &name, uint8_t &count) {
  uint32_t start = uint32_t(program.targets.size());
  const RawFunction &fn = *self().fn;
  for (int scope = current->scope; scope >= 0; scope = fn.scopeParent[scope]) {
    auto it = fn.branchTables.find({scope, name});
    if (it == fn.branchTables.end())
      continue;
    if (it->second.size() > 255)
      failUnsupported("more than 255 branch targets");
    count = uint8_t(it->second.size());
    for (const std::string &label : it->second) {
      auto [found, rawIndex] = resolveLabel(fn, scope, label);
      if (!found)
        fail("unknown label '" + label + "'");
      fixups.push_back({program.targets.size(), currentCallee, rawIndex, true});
      program.targets.push_back(0);
    }
    return start;
  }
  fail("unknown list of branch targets '" + name + "'");
}

const RawPrototype *Decoder::prototype(const std::string &name) const {
  const RawFunction &fn = *self().fn;
  for (int scope = current->scope; scope >= 0; scope = fn.scopeParent[scope]) {
    auto it = fn.prototypes.find({scope, name});
    if (it != fn.prototypes.end())
      return &it->second;
  }
  return nullptr;
}

void Decoder::callTo(size_t index) {
  fixups.push_back({program.code.size() - 1, index, ~0u, false});
}
