//===- OpsControl.cpp - Branches, calls, barriers, fences -----------------===//
//
// Instructions that change which lanes run. A call keeps one return address
// per lane and depth; arguments travel through the frames in local memory.
//
//===----------------------------------------------------------------------===//
#include "Access.h"
#include "Decoder.h"

#include <algorithm>

using namespace mlir::fuse::emu;

namespace {
constexpr RawType u32{RawType::Unsigned, 32, 1};

//===-- Branches -----------------------------------------------------------=//

void branch(Warp &w, const Inst &i, uint32_t mask) {
  if (mask == w.active) {
    w.pc = i.target;
    return;
  }
  ++w.worker->divergent;
  splitGroup(w, w.active & ~mask, w.pc);
  w.pc = i.target;
}

void branchIndexed(Warp &w, const Inst &i, uint32_t mask) {
  const uint32_t *index = w.reg<uint32_t>(i.a);
  uint32_t left = mask;
  if (mask != w.active)
    splitGroup(w, w.active & ~mask, w.pc);
  bool first = true;
  while (left) {
    unsigned lead = __builtin_ctz(left);
    if (index[lead] >= i.n)
      trap(w, i, lead,
           "branch index " + std::to_string(index[lead]) + " is not below " +
               std::to_string(i.n));
    uint32_t same = 0;
    forLanes(left, [&](unsigned l) {
      same |= uint32_t(index[l] == index[lead]) << l;
    });
    left &= ~same;
    uint32_t pc = w.program->targets[i.x + index[lead]];
    if (!left) {
      w.pc = pc;
      return;
    }
    w.worker->divergent += first;
    first = false;
    splitGroup(w, same, pc);
  }
}

void exitThread(Warp &w, const Inst &, uint32_t mask) { exitLanes(w, mask); }

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

void trapHere(Warp &w, const Inst &i, uint32_t mask) {
  trap(w, i, __builtin_ctz(mask),
       "'" + std::string(i.flags ? "brkpt" : "trap") + "' was executed");
}

/// Copies `x` bytes of the frame from `imm` to `target`.
void copyFrame(Warp &w, const Inst &i, uint32_t mask) {
  forLanes(mask, [&](unsigned l) {
    uint8_t *frame = w.local + size_t(l) * w.program->localBytes;
    memmove(frame + i.target, frame + i.imm, i.x);
  });
}

//===-- Functions the driver provides --------------------------------------=//

template <typename T>
T frameValue(Warp &w, unsigned lane, uint64_t offset) {
  T value;
  memcpy(&value, w.local + size_t(lane) * w.program->localBytes + offset,
         sizeof value);
  return value;
}

std::string deviceString(Warp &w, const Inst &i, unsigned lane,
                         uint64_t address) {
  std::string text;
  for (; text.size() < 4096; ++address) {
    char c = char(*resolveLane(w, i, lane, address, Space::None, 1, false));
    if (!c)
      break;
    text += c;
  }
  return text;
}

/// One conversion of a format string; `buffer` advances over its value.
std::string formatOne(Warp &w, const Inst &i, unsigned lane, std::string spec,
                      uint64_t &buffer) {
  char kind = spec.back();
  bool isString = kind == 's', isFloat = strchr("fFeEgGaA", kind);
  bool isLong = isString || isFloat || kind == 'p' ||
                spec.find('l') != std::string::npos ||
                spec.find('z') != std::string::npos ||
                spec.find('j') != std::string::npos;
  uint64_t size = isLong ? 8 : 4;
  buffer = (buffer + size - 1) & ~(size - 1);
  uint64_t bits = 0;
  memcpy(&bits, resolveLane(w, i, lane, buffer, Space::None, size, false),
         size);
  buffer += size;
  char text[512];
  if (isString) {
    std::string value = deviceString(w, i, lane, bits);
    snprintf(text, sizeof text, spec.c_str(), value.c_str());
  } else if (isFloat) {
    double value;
    memcpy(&value, &bits, 8);
    snprintf(text, sizeof text, spec.c_str(), value);
  } else if (isLong) {
    snprintf(text, sizeof text, spec.c_str(), (unsigned long long)bits);
  } else {
    snprintf(text, sizeof text, spec.c_str(), unsigned(bits));
  }
  return text;
}

std::string formatAll(Warp &w, const Inst &i, unsigned lane,
                      const std::string &format, uint64_t buffer) {
  std::string out;
  for (size_t p = 0; p < format.size(); ++p) {
    if (format[p] != '%') {
      out += format[p];
      continue;
    }
    size_t end = p + 1;
    while (end < format.size() && strchr("-+ #0123456789.hlzjt", format[end]))
      ++end;
    if (end >= format.size())
      break;
    std::string spec = format.substr(p, end - p + 1);
    if (format[end] == '%')
      out += '%';
    else if (strchr("diouxXcsfFeEgGaAp", format[end]) && spec.size() < 32)
      out += formatOne(w, i, lane, spec, buffer);
    else
      out += spec;
    p = end;
  }
  return out;
}

// target: offset of the format pointer, imm: of the argument pointer,
// x: of the result.
void vprintf(Warp &w, const Inst &i, uint32_t mask) {
  auto &printed = w.worker->printed;
  uint64_t block = w.block->linear;
  if (printed.empty() || printed.back().first != block)
    printed.push_back({block, ""});
  forLanes(mask, [&](unsigned l) {
    uint64_t format = frameValue<uint64_t>(w, l, i.target);
    uint64_t args = frameValue<uint64_t>(w, l, uint64_t(i.imm));
    printed.back().second +=
        formatAll(w, i, l, deviceString(w, i, l, format), args);
    uint32_t result = 0;
    if (i.x != ~0u)
      memcpy(w.local + size_t(l) * w.program->localBytes + i.x, &result, 4);
  });
}

// operands x..: offsets of message, file, line, function.
void assertFail(Warp &w, const Inst &i, uint32_t mask) {
  unsigned lane = __builtin_ctz(mask);
  const int32_t *at = &w.program->operands[i.x];
  std::string message =
      deviceString(w, i, lane, frameValue<uint64_t>(w, lane, at[0]));
  std::string file =
      deviceString(w, i, lane, frameValue<uint64_t>(w, lane, at[1]));
  uint32_t line = frameValue<uint32_t>(w, lane, at[2]);
  std::string function =
      deviceString(w, i, lane, frameValue<uint64_t>(w, lane, at[3]));
  trap(w, i, lane,
       "assertion failed: " + message + " (" + file + ":" +
           std::to_string(line) + ", in " + function + ")");
}

//===-- Barriers and fences ------------------------------------------------=//

// a: slot of the barrier number, b: slot of the count or 0. size: aligned.
template <bool Wait>
void barrier(Warp &w, const Inst &i, uint32_t mask) {
  unsigned lead = __builtin_ctz(mask);
  uint32_t id = w.reg<uint32_t>(i.a)[lead];
  uint32_t count = i.b ? w.reg<uint32_t>(i.b)[lead] : 0;
  if (id > 15)
    trap(w, i, lead,
         "barrier number " + std::to_string(id) + " is not below 16");
  arrive(w, i, mask, id, count, Wait);
}
void barWarp(Warp &w, const Inst &i, uint32_t mask) {
  warpBarrier(w, i, mask, w.reg<uint32_t>(i.a)[__builtin_ctz(mask)]);
}
void fence(Warp &, const Inst &, uint32_t) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
}
void sleepALittle(Warp &w, const Inst &, uint32_t) {
  w.yield = true;
  w.event = true;
}
void nothing(Warp &, const Inst &, uint32_t) {}

//===-- Decoding -----------------------------------------------------------=//

void decodeBra(Decoder &d) {
  d.take("uni");
  d.expectOperands(1, 1);
  d.emit(branch, InstClass::Branch);
  d.branchTo(d.operand(0).name);
}

void decodeBrx(Decoder &d) {
  if (!d.take("idx"))
    d.fail("expected 'brx.idx'");
  d.take("uni");
  d.expectOperands(2, 2);
  int32_t index = d.src(0, u32);
  uint8_t count = 0;
  uint32_t table = d.branchTable(d.operand(1).name, count);
  Inst &inst = d.emit(branchIndexed, InstClass::Branch);
  inst.a = index;
  inst.x = table;
  inst.n = count;
}

uint64_t frameOffset(Decoder &d, const RawOperand &operand) {
  if (operand.kind != RawOperand::Symbol)
    d.fail("expected a '.param' variable as argument");
  Decoder::Symbol sym = d.symbol(operand);
  if (sym.space != Space::Local)
    d.fail("expected a '.param' variable as argument");
  return sym.value;
}

void decodeDriverCall(Decoder &d, const std::string &name,
                      const std::vector<RawOperand> &results,
                      const std::vector<RawOperand> &args) {
  std::vector<uint64_t> at;
  for (const RawOperand &arg : args)
    at.push_back(frameOffset(d, arg));
  if (name == "vprintf" && at.size() == 2) {
    uint64_t result =
        results.empty() ? ~uint64_t(0) : frameOffset(d, results[0]);
    Inst &inst = d.emit(vprintf, InstClass::Special);
    inst.target = uint32_t(at[0]);
    inst.imm = int64_t(at[1]);
    inst.x = uint32_t(result);
    return;
  }
  if (name == "__assertfail" && at.size() >= 4) {
    uint32_t list = d.listStart();
    for (uint64_t offset : at)
      d.listAdd(int32_t(offset));
    d.emit(assertFail, InstClass::Special).x = list;
    return;
  }
  d.fail("unsupported: call of '" + name + "', which has no body");
}

void emitCopy(Decoder &d, uint64_t from, uint64_t to, uint64_t size) {
  Inst &inst = d.emit(copyFrame, InstClass::Move);
  inst.imm = int64_t(from);
  inst.target = uint32_t(to);
  inst.x = uint32_t(size);
  inst.counted = false;
}

void decodeCall(Decoder &d) {
  d.take("uni");
  std::vector<RawOperand> results, args;
  size_t at = 0;
  if (d.operand(0).kind == RawOperand::Vector)
    results = d.operand(at++).elements;
  const RawOperand &target = d.operand(at++);
  if (target.kind != RawOperand::Symbol)
    d.fail("unsupported: call through a register");
  if (at < d.numOperands() && d.operand(at).kind == RawOperand::Vector)
    args = d.operand(at++).elements;
  const RawFunction *fn = d.function(target.name);
  if (!fn || !fn->hasBody)
    return decodeDriverCall(d, target.name, results, args);
  if (args.size() != fn->params.size() || results.size() != fn->results.size())
    d.fail("call of '" + target.name + "' with a wrong number of arguments");
  size_t index = d.calleeIndex(*fn);
  auto copies = [&](const std::vector<RawOperand> &actual,
                    const std::vector<int> &formal, bool in) {
    for (size_t k = 0; k < actual.size(); ++k) {
      uint64_t outside = frameOffset(d, actual[k]);
      uint64_t inside = d.callee(index).vars[formal[k]].value;
      uint64_t size = fn->vars[formal[k]].size;
      in ? emitCopy(d, outside, inside, size)
         : emitCopy(d, inside, outside, size);
    }
  };
  copies(args, fn->params, true);
  d.emit(call, InstClass::Branch);
  d.callTo(index);
  copies(results, fn->results, false);
}

void decodeBarRed(Decoder &d, bool aligned) {
  int op = d.takeOneOf({"popc", "and", "or"});
  RawType type = d.takeType();
  size_t last = d.numOperands() - 1;
  d.expectOperands(3, 4);
  int32_t id = d.src(1, u32), count = last == 3 ? d.src(2, u32) : 0;
  int32_t p = d.pred(d.operand(last));
  int32_t out = d.dst(0, type);
  Inst &inst = d.emit(barrier<true>, InstClass::Barrier);
  inst.a = id;
  inst.b = count;
  inst.c = p;
  inst.d = out;
  inst.size = aligned;
  inst.flags = uint8_t(op + 1);
}

void decodeBar(Decoder &d) {
  d.take("cta");
  if (d.take("cluster")) {
    int kind = d.takeOneOf({"arrive", "wait"});
    if (kind < 0)
      d.fail("expected '.arrive' or '.wait'");
    kind == 0 ? d.takeOneOf({"release", "relaxed"}) : d.take("acquire");
    Inst &inst =
        d.emit(kind == 0 ? arriveCluster : waitCluster, InstClass::Barrier);
    inst.size = d.take("aligned");
    return;
  }
  // "bar" is "barrier.aligned": all lanes of a warp come together.
  bool aligned = d.take("aligned") || d.inst().opcode == "bar";
  if (d.take("warp")) {
    d.take("sync");
    int32_t members = d.src(0, u32);
    d.emit(barWarp, InstClass::Barrier).a = members;
    return;
  }
  int kind = d.takeOneOf({"sync", "arrive", "red"});
  aligned |= d.take("aligned");
  if (kind == 2)
    return decodeBarRed(d, aligned);
  if (kind < 0)
    d.fail("unsupported barrier");
  d.expectOperands(1, 2);
  int32_t id = d.src(0, u32), count = d.numOperands() > 1 ? d.src(1, u32) : 0;
  Inst &inst =
      d.emit(kind == 0 ? barrier<true> : barrier<false>, InstClass::Barrier);
  inst.a = id;
  inst.b = count;
  inst.size = aligned;
}

void decodeFence(Decoder &d) {
  while (d.hasMods()) { // Orders more than any of the forms asks for.
    std::string mod = d.modsLeft().front();
    static const std::initializer_list<std::string_view> known = {
        "cta",
        "gl",
        "sys",
        "gpu",
        "cluster",
        "sc",
        "acq_rel",
        "acquire",
        "release",
        "proxy",
        "alias",
        "async",
        "async::generic",
        "generic",
        "tensormap::generic",
        "mbarrier_init",
        "global",
        "shared::cta",
        "shared::cluster",
        "async::global",
        "async::shared::cta",
        "async::shared::cluster",
        "sync_restrict::shared::cta",
        "sync_restrict::shared::cluster",
        "aligned"};
    if (std::find(known.begin(), known.end(), mod) == known.end())
      d.fail("unknown modifier '." + mod + "' of a fence");
    d.take(mod);
  }
  d.emit(fence, InstClass::Fence);
}

template <Handler Fn>
void decodeSimple(Decoder &d) {
  d.take("uni");
  d.emit(Fn, InstClass::Branch);
}
void decodeIgnored(Decoder &d) {
  while (d.hasMods())
    d.take(std::string(d.modsLeft().front()));
  d.emit(nothing, InstClass::Special);
}
} // namespace

void mlir::fuse::emu::addControlOps(DecodeTable &table) {
  table["bra"] = decodeBra;
  table["brx"] = decodeBrx;
  table["call"] = decodeCall;
  table["ret"] = decodeSimple<ret>;
  table["exit"] = decodeSimple<exitThread>;
  table["trap"] = decodeSimple<trapHere>;
  table["brkpt"] = [](Decoder &d) {
    d.emit(trapHere, InstClass::Special).flags = 1;
  };
  table["bar"] = decodeBar;
  table["barrier"] = decodeBar;
  table["membar"] = decodeFence;
  table["fence"] = decodeFence;
  table["nanosleep"] = [](Decoder &d) {
    d.takeType();
    d.emit(sleepALittle, InstClass::Special);
  };
  // Hints on register counts and on dependent launches; no effect here.
  table["setmaxnreg"] = decodeIgnored;
  table["griddepcontrol"] = decodeIgnored;
  table["pmevent"] = decodeIgnored;
}
