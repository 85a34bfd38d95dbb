//===- DecodeProgram.cpp - Decoding one kernel ----------------------------===//
//
// Lays out parameters and frames, decodes the entry and every function it
// reaches, and patches branch targets once all positions are known.
//
//===----------------------------------------------------------------------===//
#include "Decoder.h"

#include <algorithm>

using namespace mlir::fuse::emu;

static const DecodeTable &decodeTable() {
  static const DecodeTable table = [] {
    DecodeTable result;
    addIntegerOps(result);
    addProductOps(result);
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
    addCallOps(result);
    addTensorOps(result);
    addAsyncOps(result);
    addTensorMapOps(result);
    addVideoOps(result);
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
    callee.vars[index] = {Space::Param, top, true, true, false};
    top += var.size;
    if (top > 32764)
      throw PtxError(var.line, "kernel parameters exceed 32764 bytes");
  }
  info.paramBytes = uint32_t(top);
}

/// Global and constant variables that a function declares.
void Decoder::placeModuleVariables(Callee &callee) {
  for (size_t i = 0; i < callee.fn->vars.size(); ++i) {
    const RawVar &var = callee.fn->vars[i];
    if (var.space != Space::Global && var.space != Space::Const)
      continue;
    auto it = module.globals.find(callee.fn->name + "." + var.name);
    if (it != module.globals.end())
      callee.vars[i] = {Space::Global, it->second.address, false, true, false};
  }
}

static bool isInFrame(const RawVar &var) {
  return var.space == Space::Param || var.space == Space::Local;
}

/// One frame for the function in the whole program.
void Decoder::layoutFrame(Callee &callee) {
  placeModuleVariables(callee);
  for (size_t i = 0; i < callee.fn->vars.size(); ++i) {
    const RawVar &var = callee.fn->vars[i];
    Symbol &sym = callee.vars[i];
    if (sym.known || !isInFrame(var))
      continue;
    localTop = alignTo(localTop, var.align);
    sym = {Space::Local, localTop, false, true, false};
    localTop += std::max<uint64_t>(var.size, 1);
    if (localTop > (512 << 10))
      throw PtxError(var.line, "local memory exceeds 512 KiB per thread");
  }
}

/// A frame on the stack: results and parameters first, so that a caller finds
/// them without knowing the function.
void Decoder::layoutStackFrame(Callee &callee) {
  useStack();
  placeModuleVariables(callee);
  callee.stack = int32_t(program.stackFunctions.size());
  program.stackFunctions.emplace_back();
  StackFunction &function = program.stackFunctions.back();
  function.name = callee.fn->name;
  uint64_t top = 0;
  auto place = [&](size_t index) {
    const RawVar &var = callee.fn->vars[index];
    top = alignTo(top, var.align);
    callee.vars[index] = {Space::Local, top, false, true, true};
    program.frameAlign = std::max(program.frameAlign, uint32_t(var.align));
    top += std::max<uint64_t>(var.size, 1);
    if (top > stackBytes)
      throw PtxError(var.line, "frame of '" + callee.fn->name +
                                   "' exceeds the stack of " +
                                   std::to_string(stackBytes) + " bytes");
  };
  for (const auto *list : {&callee.fn->results, &callee.fn->params})
    for (int index : *list) {
      place(size_t(index));
      function.signature.push_back(uint32_t(callee.vars[index].value));
      function.signature.push_back(uint32_t(callee.fn->vars[index].size));
    }
  for (size_t i = 0; i < callee.fn->vars.size(); ++i)
    if (!callee.vars[i].known && isInFrame(callee.fn->vars[i]))
      place(i);
  // Even an empty frame takes room: endless recursion must end.
  function.frameBytes = uint32_t(std::max<uint64_t>(top, 16));
}

size_t Decoder::calleeIndex(const RawFunction &fn) {
  for (size_t i = 0; i < callees.size(); ++i)
    if (callees[i]->fn == &fn)
      return i;
  auto callee = std::make_unique<Callee>();
  callee->fn = &fn;
  callee->vars.resize(fn.vars.size());
  callee->slots.assign(fn.regs.size(), -1);
  onStack.count(&fn) ? layoutStackFrame(*callee) : layoutFrame(*callee);
  callees.push_back(std::move(callee));
  return callees.size() - 1;
}

//===-- Functions whose frames are on the stack ----------------------------=//

namespace {
/// What a function calls and which addresses it takes.
struct FunctionUse {
  std::vector<const RawFunction *> calls;
  std::vector<const RawFunction *> addresses;
  bool indirect = false, alloca = false;
};
} // namespace

static void addAddress(const RawModule &raw, const RawOperand &operand,
                       FunctionUse &use) {
  for (const RawOperand &part : operand.elements)
    addAddress(raw, part, use);
  if (operand.kind != RawOperand::Symbol || operand.var >= 0)
    return;
  if (const RawFunction *fn = findFunction(raw, operand.name))
    use.addresses.push_back(fn);
}

static FunctionUse usesOf(const RawModule &raw, const RawFunction &fn) {
  FunctionUse use;
  for (const RawInst &inst : fn.body) {
    use.alloca |= inst.opcode == "alloca";
    if (inst.opcode == "bra" || inst.opcode == "brx")
      continue; // Their symbols are labels.
    if (inst.opcode != "call") {
      for (const RawOperand &operand : inst.operands)
        addAddress(raw, operand, use);
      continue;
    }
    for (const RawOperand &operand : inst.operands) {
      if (operand.kind == RawOperand::Vector)
        continue;
      use.indirect |= operand.kind == RawOperand::Reg;
      if (const RawFunction *callee = findFunction(raw, operand.name))
        use.calls.push_back(callee);
      break;
    }
  }
  return use;
}

/// Recursive functions, those that calls through registers may reach, and
/// those that use alloca.
Decoder::Decoder(const RawModule &raw, ModuleImpl &module)
    : raw(raw), module(module) {
  std::map<const RawFunction *, FunctionUse> uses;
  auto take = [&](const RawFunction *fn) {
    if (fn->hasBody && !fn->isEntry)
      addressTaken.insert(fn);
  };
  auto takeRelocs = [&](const std::vector<RawVar> &vars) {
    for (const RawVar &var : vars)
      for (const RawVar::Reloc &reloc : var.relocs)
        if (const RawFunction *fn = findFunction(raw, reloc.name))
          take(fn);
  };
  takeRelocs(raw.vars);
  for (const RawFunction &fn : raw.functions) {
    uses[&fn] = usesOf(raw, fn);
    takeRelocs(fn.vars);
    for (const RawFunction *taken : uses[&fn].addresses)
      take(taken);
  }
  onStack = addressTaken;
  auto calledBy = [&](const FunctionUse &use) {
    std::vector<const RawFunction *> list = use.calls;
    if (use.indirect)
      list.insert(list.end(), addressTaken.begin(), addressTaken.end());
    return list;
  };
  for (auto &[start, use] : uses) {
    std::set<const RawFunction *> reached;
    std::vector<const RawFunction *> work = calledBy(use);
    while (!work.empty()) {
      const RawFunction *fn = work.back();
      work.pop_back();
      if (!reached.insert(fn).second)
        continue;
      std::vector<const RawFunction *> next = calledBy(uses.at(fn));
      work.insert(work.end(), next.begin(), next.end());
    }
    if (!start->isEntry && (use.alloca || reached.count(start)))
      onStack.insert(start);
  }
}

void Decoder::reachIndirectTargets() {
  for (const RawFunction *fn : addressTaken)
    calleeIndex(*fn);
}

void Decoder::useStack() {
  if (program.stackPointer)
    return;
  program.framePointer = temp(64);
  program.stackPointer = temp(64);
}

/// Once all registers have slots and all functions positions.
void Decoder::finishStack() {
  program.stackFunctionOf.assign(raw.functions.size(), -1);
  for (const auto &callee : callees) {
    if (callee->stack < 0)
      continue;
    StackFunction &function = program.stackFunctions[callee->stack];
    function.start = callee->start;
    for (size_t reg = 0; reg < callee->slots.size(); ++reg)
      if (callee->slots[reg] >= 0 && !callee->fn->regs[reg].special)
        function.saved.push_back(
            {callee->slots[reg], callee->fn->regs[reg].type.totalBits()});
    program.stackFunctionOf[callee->fn - raw.functions.data()] = callee->stack;
  }
}

/// "%r.b0" and "-%r" are for the video instructions only.
void Decoder::refuseVideoSyntax(const RawOperand &operand) const {
  if (!operand.selection.empty())
    fail("unexpected '." + operand.selection + "' after '" + operand.name +
         "'");
  if (operand.minus)
    fail("unexpected '-' before '" + operand.name + "'");
  for (const RawOperand &part : operand.elements)
    refuseVideoSyntax(part);
}

/// "d|p" is the result of a few instructions only.
void Decoder::refuseSecond(const RawOperand &operand, bool isFirst) const {
  static const std::set<std::string_view> two = {"elect", "lop3", "match",
                                                 "setp", "shfl"};
  if (operand.reg2 >= 0 && !(isFirst && two.count(current->opcode)))
    fail("unexpected '|' in an operand of '" + current->opcode + "'");
  for (const RawOperand &part : operand.elements)
    refuseSecond(part, false);
}

void Decoder::failUnknown() const {
  static const std::pair<const char *, const char *> families[] = {
      {"tcgen05", "tensor memory (tcgen05)"},
      {"tex", "textures"},
      {"tld4", "textures"},
      {"txq", "textures"},
      {"istypep", "textures"},
      {"suld", "surfaces"},
      {"sust", "surfaces"},
      {"sured", "surfaces"},
      {"suq", "surfaces"},
      {"multimem", "memory of several devices (multimem)"}};
  for (auto &[opcode, what] : families)
    if (current->opcode == opcode)
      failUnsupported(std::string(what) + ", instruction '" + opcode + "'");
  fail("unknown instruction '" + current->opcode + "'");
}

void Decoder::decodeInst(const RawInst &inst) {
  current = &inst;
  mods = inst.mods;
  touched = 0;
  auto it = decodeTable().find(inst.opcode);
  if (it == decodeTable().end())
    failUnknown();
  bool isVideo = inst.opcode[0] == 'v' && inst.opcode != "vote";
  for (const RawOperand &operand : inst.operands) {
    refuseSecond(operand, &operand == inst.operands.data());
    if (!isVideo)
      refuseVideoSyntax(operand);
  }
  checkRules();
  it->second(*this);
  if (!mods.empty())
    fail("unsupported modifier '." + mods.front() + "' of '" + inst.opcode +
         "'");
  for (size_t k = 0; k < inst.operands.size() && k < 64; ++k)
    if (!((touched >> k) & 1))
      fail("unexpected operand " + std::to_string(k + 1) + " of '" +
           inst.opcode + "'");
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
  if (program.stackPointer) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      uint64_t start = program.localBytes;
      memcpy(&program.image[program.stackPointer + 8 * lane], &start, 8);
    }
    program.localBytes += stackBytes;
  }
  program.sharedBytes = uint32_t(sharedTop);
  program.sharedAlign =
      std::max<uint32_t>(program.sharedAlign, uint32_t(dynamicAlign));
}

void Decoder::nameRegisters() {
  for (const auto &callee : callees) {
    RegisterGroup &group = program.registerGroups.emplace_back();
    group.start = callee->start;
    for (size_t reg = 0; reg < callee->slots.size(); ++reg)
      if (callee->slots[reg] >= 0)
        group.names.push_back({callee->fn->regs[reg].name, callee->slots[reg],
                               callee->fn->regs[reg].type});
  }
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
  layoutFrame(*callee);
  callees.push_back(std::move(callee));
  for (size_t i = 0; i < callees.size(); ++i)
    decodeBody(i);
  nameRegisters();
  patch();
  finishStack();
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
  program.loadRunBytes = longestLoadRun(entry);
  program.blockBounds = findBlockBounds(raw, entry);
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
