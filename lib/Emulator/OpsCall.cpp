//===- OpsCall.cpp - Calls and the stack ----------------------------------===//
//
// A call keeps one return address per lane and depth; arguments travel through
// the frames in local memory. Most functions have one frame for the whole
// program. Those that may be active more than once (recursion), are called
// through registers or use alloca have frames on a stack, and a call saves the
// registers of the function it enters.
//
//===----------------------------------------------------------------------===//
#include "Call.h"
#include "Checker.h"

#include <algorithm>

using namespace mlir::fuse::emu;

namespace {
constexpr RawType b64{RawType::Bits, 64, 1};

//===-- Functions with one frame -------------------------------------------=//

void call(Warp &w, const Inst &i, uint32_t mask) {
  if (w.returns.size() <= w.depth)
    w.returns.resize(w.depth + 1);
  auto &to = w.returns[w.depth];
  forLanes(mask, [&](unsigned l) { to[l] = w.pc; });
  if (mask != w.active)
    splitGroup(w, w.active & ~mask, w.pc);
  w.pc = i.target;
  ++w.depth;
  w.event = true;
}

void ret(Warp &w, const Inst &, uint32_t mask) {
  if (w.depth == 0)
    return exitLanes(w, mask);
  const auto &to = w.returns[w.depth - 1];
  uint32_t left = mask, rest = w.active & ~mask;
  if (rest)
    splitGroup(w, rest, w.pc);
  --w.depth;
  while (left) {
    uint32_t pc = to[__builtin_ctz(left)], same = 0;
    forLanes(left, [&](unsigned l) { same |= uint32_t(to[l] == pc) << l; });
    left &= ~same;
    if (!left)
      w.pc = pc;
    else
      splitGroup(w, same, pc);
  }
  w.event = true;
}

/// Copies `size` bytes between frames; operands x..: source, destination.
void copyFrame(Warp &w, const Inst &i, uint32_t mask) {
  forLanes(mask, [&](unsigned l) {
    writeFrame(w, l, frameMemory(w, l, placeAt(w, i, 1)),
               frameMemory(w, l, placeAt(w, i, 0)), i.target);
  });
}

//===-- Functions on the stack ---------------------------------------------=//

template <typename T>
void push(std::vector<uint8_t> &stack, const T *value) {
  const auto *bytes = reinterpret_cast<const uint8_t *>(value);
  stack.insert(stack.end(), bytes, bytes + sizeof(T));
}
template <typename T>
void pop(std::vector<uint8_t> &stack, T *value) {
  memcpy(value, &stack[stack.size() - sizeof(T)], sizeof(T));
  stack.resize(stack.size() - sizeof(T));
}

/// Saves a register of the lane, or restores it.
template <bool Save>
void moveSaved(Warp &w, unsigned lane, int32_t slot, uint32_t bits) {
  std::vector<uint8_t> &stack = w.saved[lane];
  auto one = [&](auto *value) {
    Save ? push(stack, value) : pop(stack, value);
  };
  if (bits == 1) {
    uint32_t &mask = *w.reg<uint32_t>(slot);
    uint8_t bit = (mask >> lane) & 1;
    one(&bit);
    mask = (mask & ~(1u << lane)) | uint32_t(bit) << lane;
  } else if (bits <= 32) {
    one(w.reg<uint32_t>(slot) + lane);
  } else if (bits <= 64) {
    one(w.reg<uint64_t>(slot) + lane);
  } else {
    // Two adjacent slots; popped in the other order than pushed.
    one(w.reg<uint64_t>(slot + (Save ? 0 : 256)) + lane);
    one(w.reg<uint64_t>(slot + (Save ? 256 : 0)) + lane);
  }
}

void enterFrame(Warp &w, const Inst &i, uint32_t mask,
                const StackFunction &function, const StackCall &call) {
  const Program &program = *w.program;
  forLanes(mask, [&](unsigned l) {
    uint64_t &frame = w.reg<uint64_t>(program.framePointer)[l];
    uint64_t &top = w.reg<uint64_t>(program.stackPointer)[l];
    uint64_t base = alignTo(top, program.frameAlign);
    uint64_t end = base + function.frameBytes;
    if (end > program.localBytes)
      trap(w, i, l,
           "stack overflow: the call of '" + function.name + "' at depth " +
               std::to_string(w.depth + 1) + " exceeds the " +
               std::to_string(stackBytes) + " bytes of a thread");
    uint8_t *memory = w.local + size_t(l) * program.localBytes;
    memset(memory + base, 0, function.frameBytes);
    for (const StackCall::Argument &argument : call.arguments)
      writeFrame(w, l, memory + base + argument.to,
                 frameMemory(w, l, argument.from), argument.bytes);
    for (auto [slot, bits] : function.saved)
      moveSaved<true>(w, l, slot, bits);
    push(w.saved[l], &frame);
    push(w.saved[l], &top);
    frame = base;
    top = end;
  });
}

// x: index into Program::stackCalls.
void callStack(Warp &w, const Inst &i, uint32_t mask) {
  const StackCall &site = w.program->stackCalls[i.x];
  enterFrame(w, i, mask, w.program->stackFunctions[site.function], site);
  call(w, i, mask);
}

/// The function a value names; traps when it is none, or one of another type.
const StackFunction &targetOf(Warp &w, const Inst &i, unsigned lane,
                              uint64_t value, const StackCall &site) {
  const Program &program = *w.program;
  uint64_t index = value & ~windowMask;
  if ((value & windowMask) != functionWindow ||
      index >= program.stackFunctionOf.size() ||
      program.stackFunctionOf[index] < 0)
    trap(w, i, lane, "call of an address that is not a function's");
  const StackFunction &function =
      program.stackFunctions[program.stackFunctionOf[index]];
  if (function.signature != site.signature)
    trap(w, i, lane,
         "call of '" + function.name +
             "', whose parameters are not those of the prototype");
  return function;
}

// a: slot of the function's address.
void callIndirect(Warp &w, const Inst &i, uint32_t mask) {
  const StackCall &site = w.program->stackCalls[i.x];
  const uint64_t *targets = w.reg<uint64_t>(i.a);
  if (mask != w.active)
    splitGroup(w, w.active & ~mask, w.pc);
  if (w.returns.size() <= w.depth)
    w.returns.resize(w.depth + 1);
  auto &to = w.returns[w.depth];
  forLanes(mask, [&](unsigned l) { to[l] = w.pc; });
  std::vector<std::pair<uint32_t, uint32_t>> groups; ///< Lanes and start.
  for (uint32_t left = mask; left;) {
    unsigned lead = __builtin_ctz(left);
    const StackFunction &function = targetOf(w, i, lead, targets[lead], site);
    uint32_t same = 0;
    forLanes(left, [&](unsigned l) {
      same |= uint32_t(targets[l] == targets[lead]) << l;
    });
    left &= ~same;
    enterFrame(w, i, same, function, site);
    groups.push_back({same, function.start});
  }
  ++w.depth;
  w.worker->divergent += groups.size() > 1;
  for (size_t k = 1; k < groups.size(); ++k)
    splitGroup(w, groups[k].first, groups[k].second);
  w.pc = groups[0].second;
  w.event = true;
}

// x: index into Program::stackFunctions.
void retStack(Warp &w, const Inst &i, uint32_t mask) {
  const Program &program = *w.program;
  const StackFunction &function = program.stackFunctions[i.x];
  forLanes(mask, [&](unsigned l) {
    pop(w.saved[l], &w.reg<uint64_t>(program.stackPointer)[l]);
    pop(w.saved[l], &w.reg<uint64_t>(program.framePointer)[l]);
    for (size_t k = function.saved.size(); k-- > 0;)
      moveSaved<false>(w, l, function.saved[k].first, function.saved[k].second);
  });
  ret(w, i, mask);
}

/// After the return of a function on the stack: `size` bytes at `imm` of the
/// frame it had, to the place of operand x.
void copyResult(Warp &w, const Inst &i, uint32_t mask) {
  const Program &program = *w.program;
  const uint64_t *top = w.reg<uint64_t>(program.stackPointer);
  forLanes(mask, [&](unsigned l) {
    uint64_t base = alignTo(top[l], program.frameAlign);
    writeFrame(w, l, frameMemory(w, l, placeAt(w, i, 0)),
               w.local + size_t(l) * program.localBytes + base +
                   uint64_t(i.imm),
               i.target);
  });
}

// d: address, b: slot of the size (64 bits), imm: alignment.
template <typename T>
void allocate(Warp &w, const Inst &i, uint32_t mask) {
  uint64_t *top = w.reg<uint64_t>(w.program->stackPointer);
  forLanes(mask, [&](unsigned l) {
    uint64_t base = alignTo(top[l], uint64_t(i.imm));
    uint64_t bytes = w.reg<T>(i.b)[l];
    if (bytes > w.program->localBytes || base + bytes > w.program->localBytes)
      trap(w, i, l,
           "stack overflow: alloca of " + std::to_string(bytes) +
               " bytes exceeds the " + std::to_string(stackBytes) +
               " bytes of a thread");
    w.reg<T>(i.d)[l] = T(base);
    top[l] = base + bytes;
  });
}
template <typename T>
void savePointer(Warp &w, const Inst &i, uint32_t mask) {
  map1<T, uint64_t>(w, i, mask, [](uint64_t a) { return T(a); });
}
template <typename T>
void restorePointer(Warp &w, const Inst &i, uint32_t mask) {
  const T *a = w.reg<T>(i.a);
  forLanes(mask, [&](unsigned l) {
    if (a[l] > w.program->localBytes)
      trap(w, i, l, "'stackrestore' of a value that 'stacksave' did not give");
    w.reg<uint64_t>(i.d)[l] = a[l];
  });
}

//===-- Decoding -----------------------------------------------------------=//

void emitCopy(Decoder &d, FramePlace from, FramePlace to, uint64_t size) {
  uint32_t list = d.listStart();
  addPlace(d, from);
  addPlace(d, to);
  Inst &inst = d.emit(copyFrame, InstClass::Move);
  inst.x = list;
  inst.target = uint32_t(size);
  inst.counted = false;
}

struct Actuals {
  std::vector<RawOperand> results, args;
};

/// A call of a function with one frame.
void emitPlainCall(Decoder &d, const RawFunction &fn, size_t index,
                   const Actuals &actuals) {
  auto inside = [&](int formal) {
    return FramePlace{uint32_t(d.callee(index).vars[formal].value), false};
  };
  for (size_t k = 0; k < actuals.args.size(); ++k)
    emitCopy(d, framePlace(d, actuals.args[k]), inside(fn.params[k]),
             fn.vars[fn.params[k]].size);
  d.emit(call, InstClass::Branch);
  d.callTo(index);
  for (size_t k = 0; k < actuals.results.size(); ++k)
    emitCopy(d, inside(fn.results[k]), framePlace(d, actuals.results[k]),
             fn.vars[fn.results[k]].size);
}

/// A call of a function on the stack: `layout` is its signature.
void emitStackCall(Decoder &d, const std::vector<uint32_t> &layout,
                   int32_t function, size_t callee, int32_t address,
                   const Actuals &actuals) {
  StackCall site;
  site.function = function;
  site.signature = layout;
  size_t results = actuals.results.size();
  for (size_t k = 0; k < actuals.args.size(); ++k) {
    size_t at = 2 * (results + k);
    site.arguments.push_back(
        {framePlace(d, actuals.args[k]), layout[at], layout[at + 1]});
  }
  Inst &inst =
      d.emit(function < 0 ? callIndirect : callStack, InstClass::Branch);
  inst.x = uint32_t(d.program.stackCalls.size());
  inst.a = address;
  d.program.stackCalls.push_back(std::move(site));
  if (function >= 0)
    d.callTo(callee);
  for (size_t k = 0; k < results; ++k) {
    uint32_t list = d.listStart();
    addPlace(d, framePlace(d, actuals.results[k]));
    Inst &copy = d.emit(copyResult, InstClass::Move);
    copy.x = list;
    copy.imm = layout[2 * k];
    copy.target = layout[2 * k + 1];
    copy.counted = false;
  }
}

/// Offsets and sizes of results and parameters, as layoutStackFrame does it.
std::vector<uint32_t> layoutOf(const RawPrototype &prototype) {
  std::vector<uint32_t> layout;
  uint64_t top = 0;
  for (const auto *list : {&prototype.results, &prototype.params})
    for (const RawVar &var : *list) {
      top = alignTo(top, var.align);
      layout.push_back(uint32_t(top));
      layout.push_back(uint32_t(var.size));
      top += std::max<uint64_t>(var.size, 1);
    }
  return layout;
}

void checkCount(Decoder &d, const Actuals &actuals, size_t results,
                size_t params, const std::string &what) {
  if (actuals.args.size() != params || actuals.results.size() != results)
    d.fail("call of '" + what + "' with a wrong number of arguments");
}

void decodeIndirect(Decoder &d, const RawOperand &target, size_t at,
                    const Actuals &actuals) {
  if (at >= d.numOperands() || d.operand(at).kind != RawOperand::Symbol)
    d.fail("expected the prototype of a call through a register");
  const RawPrototype *prototype = d.prototype(d.operand(at).name);
  if (!prototype)
    d.fail("unknown prototype '" + d.operand(at).name + "'");
  checkCount(d, actuals, prototype->results.size(), prototype->params.size(),
             d.operand(at).name);
  d.useStack();
  d.reachIndirectTargets();
  int32_t address = d.src(target, b64);
  emitStackCall(d, layoutOf(*prototype), -1, 0, address, actuals);
}

void decodeCall(Decoder &d) {
  d.take("uni");
  Actuals actuals;
  size_t at = 0;
  if (d.operand(0).kind == RawOperand::Vector)
    actuals.results = d.operand(at++).elements;
  const RawOperand &target = d.operand(at++);
  if (at < d.numOperands() && d.operand(at).kind == RawOperand::Vector)
    actuals.args = d.operand(at++).elements;
  if (target.kind == RawOperand::Reg)
    return decodeIndirect(d, target, at, actuals);
  const RawFunction *fn = d.function(target.name);
  if (!fn || !fn->hasBody)
    return decodeDriverCall(d, target.name, actuals.results, actuals.args);
  checkCount(d, actuals, fn->results.size(), fn->params.size(), target.name);
  size_t index = d.calleeIndex(*fn);
  int32_t stack = d.callee(index).stack;
  if (stack < 0)
    return emitPlainCall(d, *fn, index, actuals);
  std::vector<uint32_t> layout = d.program.stackFunctions[stack].signature;
  emitStackCall(d, layout, stack, index, 0, actuals);
}

void decodeRet(Decoder &d) {
  d.take("uni");
  d.expectOperands(0, 0);
  int32_t stack = d.currentStackFunction();
  Inst &inst = d.emit(stack < 0 ? ret : retStack, InstClass::Branch);
  inst.x = uint32_t(stack);
}

void decodeAlloca(Decoder &d) {
  RawType type = d.takeType();
  if (type.kind != RawType::Unsigned || type.bits < 32)
    d.fail("expected '.u32' or '.u64'");
  d.expectOperands(2, 3);
  int64_t align = d.numOperands() == 3 ? d.literal(2) : 8;
  if (align < 1 || align > 512 || (align & (align - 1)))
    d.fail("expected a power of two up to 512 as alignment");
  d.useStack();
  int32_t bytes = d.src(1, type), out = d.dst(0, type);
  Inst &inst = d.emit(type.bits == 64 ? allocate<uint64_t> : allocate<uint32_t>,
                      InstClass::Special);
  inst.b = bytes;
  inst.d = out;
  inst.imm = align;
}

void decodeStackPointer(Decoder &d, bool save) {
  RawType type = d.takeType();
  if (type.kind != RawType::Unsigned || type.bits < 32)
    d.fail("expected '.u32' or '.u64'");
  d.expectOperands(1, 1);
  d.useStack();
  bool wide = type.bits == 64;
  int32_t slot = save ? d.dst(0, type) : d.src(0, type);
  Handler fn =
      save ? (wide ? savePointer<uint64_t> : savePointer<uint32_t>)
           : (wide ? restorePointer<uint64_t> : restorePointer<uint32_t>);
  Inst &inst = d.emit(fn, InstClass::Special);
  inst.a = save ? d.program.stackPointer : slot;
  inst.d = save ? slot : d.program.stackPointer;
}
} // namespace

uint8_t *mlir::fuse::emu::frameMemory(Warp &w, unsigned lane,
                                      FramePlace place) {
  uint64_t base =
      place.relative ? w.reg<uint64_t>(w.program->framePointer)[lane] : 0;
  return w.local + size_t(lane) * w.program->localBytes + base + place.offset;
}

void mlir::fuse::emu::writeFrame(Warp &w, unsigned lane, uint8_t *to,
                                 const void *from, uint64_t bytes) {
  memmove(to, from, bytes);
  const uint8_t *start = w.local + size_t(lane) * w.program->localBytes;
  if (w.worker->checker)
    w.worker->checker->localWritten(w, lane, uint64_t(to - start), bytes);
}

FramePlace mlir::fuse::emu::placeAt(Warp &w, const Inst &i, unsigned index) {
  uint32_t packed = uint32_t(w.program->operands[i.x + index]);
  return {packed & 0x7fffffff, packed >> 31 != 0};
}

FramePlace mlir::fuse::emu::framePlace(Decoder &d, const RawOperand &operand) {
  if (operand.kind != RawOperand::Symbol)
    d.fail("expected a '.param' variable as argument");
  Decoder::Symbol sym = d.symbol(operand);
  if (sym.space != Space::Local)
    d.fail("expected a '.param' variable as argument");
  return {uint32_t(sym.value), sym.relative};
}
void mlir::fuse::emu::addPlace(Decoder &d, FramePlace place) {
  d.listAdd(int32_t(place.offset | (place.relative ? 1u << 31 : 0)));
}

void mlir::fuse::emu::addCallOps(DecodeTable &table) {
  table["call"] = decodeCall;
  table["ret"] = decodeRet;
  table["alloca"] = decodeAlloca;
  table["stacksave"] = [](Decoder &d) { decodeStackPointer(d, true); };
  table["stackrestore"] = [](Decoder &d) { decodeStackPointer(d, false); };
}
