//===- DecodeProgram.cpp - Decoding one kernel ----------------------------===//
//
// Lays out parameters and frames, decodes the entry and every function it
// reaches, and patches branch targets once all positions are known.
//
//===----------------------------------------------------------------------===//
#include "Decoder.h"

#include <algorithm>
#include <functional>

using namespace mlir::fuse::emu;

static uint64_t alignTo(uint64_t value, uint64_t align) {
  return (value + align - 1) / align * align;
}

static const DecodeTable &decodeTable() {
  static const DecodeTable table = [] {
    DecodeTable result;
    addIntegerOps(result);
    addBitOps(result);
    addFloatOps(result);
    addHalfOps(result);
    addConvertOps(result);
    addCompareOps(result);
    addMemoryOps(result);
    addMoveOps(result);
    addAtomicOps(result);
    addWarpOps(result);
    addControlOps(result);
    addTensorOps(result);
    addAsyncOps(result);
    addTensorMapOps(result);
    return result;
  }();
  return table;
}

void Decoder::layoutEntryParams(Callee &callee, KernelInfo &info) {
  info.params.clear();
  uint64_t top = 0;
  for (int index : callee.fn->params) {
    const RawVar &var = callee.fn->vars[index];
    top = alignTo(top, var.align);
    info.params.push_back(
        {var.name, uint32_t(top), uint32_t(var.size), uint32_t(var.align)});
    callee.vars[index] = {Space::Param, top, true, true};
    top += var.size;
    if (top > 32764)
      throw PtxError(var.line, "kernel parameters exceed 32764 bytes");
  }
  info.paramBytes = uint32_t(top);
}

void Decoder::layoutFrame(Callee &callee, bool isEntry) {
  for (size_t i = 0; i < callee.fn->vars.size(); ++i) {
    const RawVar &var = callee.fn->vars[i];
    Symbol &sym = callee.vars[i];
    if (sym.known || var.space == Space::Shared)
      continue;
    if (var.space != Space::Param && var.space != Space::Local) {
      auto it = module.globals.find(callee.fn->name + "." + var.name);
      if (it != module.globals.end())
        sym = {Space::Global, it->second.address, false, true};
      continue;
    }
    localTop = alignTo(localTop, var.align);
    sym = {Space::Local, localTop, false, true};
    localTop += std::max<uint64_t>(var.size, 1);
    if (localTop > (512 << 10))
      throw PtxError(var.line, "local memory exceeds 512 KiB per thread");
  }
  (void)isEntry;
}

size_t Decoder::calleeIndex(const RawFunction &fn) {
  for (size_t i = 0; i < callees.size(); ++i)
    if (callees[i]->fn == &fn)
      return i;
  auto callee = std::make_unique<Callee>();
  callee->fn = &fn;
  callee->vars.resize(fn.vars.size());
  callee->slots.assign(fn.regs.size(), -1);
  layoutFrame(*callee, false);
  callees.push_back(std::move(callee));
  return callees.size() - 1;
}

void Decoder::decodeInst(const RawInst &inst) {
  current = &inst;
  mods = inst.mods;
  auto it = decodeTable().find(inst.opcode);
  if (it == decodeTable().end())
    fail("unknown instruction '" + inst.opcode + "'");
  it->second(*this);
  if (!mods.empty())
    fail("unsupported modifier '." + mods.front() + "' of '" + inst.opcode +
         "'");
  std::vector<Inst> adjust;
  adjust.swap(post);
  for (const Inst &fix : adjust) {
    Inst &micro = emit(fix.fn, InstClass::Move);
    micro.counted = false;
    micro.a = fix.a;
    micro.d = fix.d;
  }
}

void Decoder::decodeBody(size_t index) {
  currentCallee = index;
  const RawFunction &fn = *callees[index]->fn;
  self().start = uint32_t(program.code.size());
  for (const RawInst &inst : fn.body) {
    self().pcOf.push_back(uint32_t(program.code.size()));
    decodeInst(inst);
  }
  self().pcOf.push_back(uint32_t(program.code.size()));
  // Falling off the end returns, so that every path ends.
  RawInst end;
  end.opcode = "ret";
  end.line = fn.body.empty() ? fn.line : fn.body.back().line;
  decodeInst(end);
  program.code.back().counted = false;
  current = nullptr;
}

void Decoder::checkRecursion() const {
  std::vector<int> color(callees.size(), 0);
  std::function<void(size_t)> visit = [&](size_t index) {
    color[index] = 1;
    for (size_t next : callees[index]->calls) {
      if (color[next] == 1)
        throw PtxError(callees[next]->fn->line,
                       "unsupported: recursive function '" +
                           callees[next]->fn->name + "'");
      if (color[next] == 0)
        visit(next);
    }
    color[index] = 2;
  };
  visit(0);
}

void Decoder::patch() {
  for (const Fixup &fixup : fixups) {
    const Callee &callee = *callees[fixup.callee];
    uint32_t pc = fixup.raw == ~0u ? callee.start : callee.pcOf[fixup.raw];
    if (fixup.inTable)
      program.targets[fixup.at] = pc;
    else
      program.code[fixup.at].target = pc;
  }
}

void Decoder::finishLayout() {
  program.image.assign(alignTo(fileTop, 64) + 64, 0);
  for (auto &[bits, offset] : constants32)
    for (unsigned lane = 0; lane < 32; ++lane)
      memcpy(&program.image[offset + 4 * lane], &bits, 4);
  for (auto &[bits, offset] : constants64)
    for (unsigned lane = 0; lane < 32; ++lane)
      memcpy(&program.image[offset + 8 * lane], &bits, 8);
  program.localBytes = uint32_t(alignTo(localTop, 16));
  program.sharedBytes = uint32_t(sharedTop);
  program.sharedAlign =
      std::max<uint32_t>(program.sharedAlign, uint32_t(dynamicAlign));
}

void Decoder::decodeAll(const RawFunction &entry, KernelInfo &info) {
  program = Program();
  program.name = entry.name;
  callees.clear();
  constants32.clear();
  constants64.clear();
  specialSlots.clear();
  sharedOffsets.clear();
  fixups.clear();
  sharedTop = localTop = 0;
  fileTop = 64; // Slot 0 means "none".

  carrySlot = -1;
  auto callee = std::make_unique<Callee>();
  callee->fn = &entry;
  callee->vars.resize(entry.vars.size());
  callee->slots.assign(entry.regs.size(), -1);
  layoutEntryParams(*callee, info);
  layoutFrame(*callee, true);
  callees.push_back(std::move(callee));
  for (size_t i = 0; i < callees.size(); ++i)
    decodeBody(i);
  checkRecursion();
  patch();
  finishLayout();
  program.paramBytes = info.paramBytes;
}

Program Decoder::decodeEntry(const RawFunction &entry, KernelInfo &info) {
  info.name = entry.name;
  decodeAll(entry, info);
  if (uint64_t base = alignTo(sharedTop, dynamicAlign); base != dynamicBase) {
    dynamicBase = base;
    decodeAll(entry, info);
  }
  program.sharedBytes = uint32_t(sharedTop);
  info.staticSharedBytes = program.sharedBytes;
  info.localBytes = program.localBytes;
  info.maxThreads = {entry.maxThreads[0], entry.maxThreads[1],
                     entry.maxThreads[2]};
  info.requiredThreads = {entry.reqThreads[0], entry.reqThreads[1],
                          entry.reqThreads[2]};
  info.requiredCluster = {entry.reqCluster[0], entry.reqCluster[1],
                          entry.reqCluster[2]};
  return std::move(program);
}
