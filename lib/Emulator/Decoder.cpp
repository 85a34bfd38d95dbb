//===- Decoder.cpp - From parsed PTX to decoded programs ------------------===//
//
// What all instruction families share: modifiers, and operands to slots of the
// register file. Names are resolved in DecoderSymbols.cpp.
//
//===----------------------------------------------------------------------===//
#include "Decoder.h"

#include <algorithm>

using namespace mlir::fuse::emu;

//===-- Modifiers ----------------------------------------------------------=//

bool Decoder::take(std::string_view mod) {
  auto it = std::find(mods.begin(), mods.end(), mod);
  if (it == mods.end())
    return false;
  mods.erase(it);
  return true;
}

int Decoder::takeOneOf(std::initializer_list<std::string_view> list) {
  int index = 0;
  for (std::string_view mod : list) {
    if (take(mod))
      return index;
    ++index;
  }
  return -1;
}

std::string Decoder::takePrefix(std::string_view prefix) {
  for (size_t i = 0; i < mods.size(); ++i) {
    if (mods[i].compare(0, prefix.size(), prefix) != 0)
      continue;
    std::string found = mods[i];
    mods.erase(mods.begin() + i);
    return found;
  }
  return {};
}

RawType Decoder::takeOptionalType() {
  for (size_t i = 0; i < mods.size(); ++i) {
    RawType type = parseType(mods[i]);
    if (!type.valid())
      continue;
    mods.erase(mods.begin() + i);
    return type;
  }
  return {};
}

RawType Decoder::peekType() const {
  for (const std::string &mod : mods)
    if (RawType type = parseType(mod); type.valid())
      return type;
  return {};
}

RawType Decoder::takeType() {
  RawType type = takeOptionalType();
  if (!type.valid())
    fail("expected a type modifier");
  return type;
}

//===-- Operands -----------------------------------------------------------=//

const RawOperand &Decoder::operand(size_t index) const {
  if (index >= current->operands.size())
    fail("expected at least " + std::to_string(index + 1) + " operands");
  touched |= uint64_t(1) << std::min<size_t>(index, 63);
  return current->operands[index];
}

void Decoder::expectOperands(size_t atLeast, size_t atMost) const {
  size_t count = current->operands.size();
  if (count < atLeast || count > atMost)
    fail("expected " + std::to_string(atLeast) + " operands, but got " +
         std::to_string(count));
}

static unsigned slotBytes(unsigned bits) {
  return bits == 1 ? 4 : bits <= 32 ? 128 : bits <= 64 ? 256 : 512;
}

int32_t Decoder::temp(unsigned bits) {
  unsigned bytes = slotBytes(bits);
  if (bytes > 4) // Lane arrays start on a cache line.
    fileTop = int32_t(alignTo(fileTop, 64));
  int32_t offset = fileTop;
  fileTop += bytes;
  if (fileTop > (64 << 20))
    fail("the function has too many registers");
  return offset;
}

int32_t Decoder::constant32(uint32_t bits) {
  auto [it, isNew] = constants32.try_emplace(bits, 0);
  if (isNew)
    it->second = temp(32);
  return it->second;
}

int32_t Decoder::constant64(uint64_t bits) {
  auto [it, isNew] = constants64.try_emplace(bits, 0);
  if (isNew)
    it->second = temp(64);
  return it->second;
}

int32_t Decoder::carry() {
  if (carrySlot < 0)
    carrySlot = temp(1);
  return carrySlot;
}

unsigned Decoder::regBits(const RawOperand &operand) const {
  if (operand.kind != RawOperand::Reg)
    return 0;
  return self().fn->regs[operand.reg].type.totalBits();
}

/// Registers of the driver and of profilers; they read as zero.
static bool isZeroRegister(const std::string &name) {
  unsigned index;
  int end = 0;
  bool env = sscanf(name.c_str(), "%%envreg%2u%n", &index, &end) == 1 &&
             index < 32 && size_t(end) == name.size();
  bool counter = sscanf(name.c_str(), "%%pm%1u%n", &index, &end) == 1 &&
                 index < 8 &&
                 (size_t(end) == name.size() || name.substr(end) == "_64");
  return env || counter || name == "%current_graph_exec" ||
         name == "%reserved_smem_offset_begin" ||
         name == "%reserved_smem_offset_end" ||
         name == "%reserved_smem_offset_cap" ||
         name == "%reserved_smem_offset_0" || name == "%reserved_smem_offset_1";
}

int32_t Decoder::special(const RawReg &reg) {
  static const char *const known[] = {"%tid.x",
                                      "%tid.y",
                                      "%tid.z",
                                      "%ntid.x",
                                      "%ntid.y",
                                      "%ntid.z",
                                      "%ctaid.x",
                                      "%ctaid.y",
                                      "%ctaid.z",
                                      "%nctaid.x",
                                      "%nctaid.y",
                                      "%nctaid.z",
                                      "%laneid",
                                      "%warpid",
                                      "%nwarpid",
                                      "%smid",
                                      "%nsmid",
                                      "%gridid",
                                      "%lanemask_eq",
                                      "%lanemask_le",
                                      "%lanemask_lt",
                                      "%lanemask_ge",
                                      "%lanemask_gt",
                                      "%dynamic_smem_size",
                                      "%total_smem_size",
                                      "%aggr_smem_size",
                                      "%clusterid.x",
                                      "%clusterid.y",
                                      "%clusterid.z",
                                      "%nclusterid.x",
                                      "%nclusterid.y",
                                      "%nclusterid.z",
                                      "%cluster_ctaid.x",
                                      "%cluster_ctaid.y",
                                      "%cluster_ctaid.z",
                                      "%cluster_nctaid.x",
                                      "%cluster_nctaid.y",
                                      "%cluster_nctaid.z",
                                      "%cluster_ctarank",
                                      "%cluster_nctarank",
                                      "%is_explicit_cluster",
                                      "%clock",
                                      "%clock_hi",
                                      "%clock64",
                                      "%globaltimer",
                                      "%globaltimer_lo",
                                      "%globaltimer_hi"};
  bool isKnown = std::any_of(std::begin(known), std::end(known),
                             [&](const char *k) { return reg.name == k; });
  if (!isKnown && !isZeroRegister(reg.name))
    fail("unknown register '" + reg.name + "'");
  if (reg.name.compare(0, 6, "%clock") == 0 ||
      reg.name.compare(0, 12, "%globaltimer") == 0)
    fail("expected 'mov' to read '" + reg.name + "'");
  auto [it, isNew] = specialSlots.try_emplace(reg.name, 0);
  if (isNew) {
    it->second = temp(reg.type.totalBits());
    program.specials.push_back({it->second, reg.name});
  }
  return it->second;
}

int32_t Decoder::slotOf(int reg) {
  const RawReg &info = self().fn->regs[reg];
  if (info.special)
    return special(info);
  int32_t &slot = self().slots[reg];
  if (slot < 0)
    slot = temp(info.type.totalBits());
  return slot;
}

/// The bits of a literal as a value of `type`.
static uint64_t literalBits(const RawOperand &operand, RawType type,
                            bool &bad) {
  bad = false;
  bool asDouble = type.totalBits() == 64;
  switch (operand.kind) {
  case RawOperand::Int:
    if (type.kind == RawType::Float && type.bits >= 32 && type.packed == 1) {
      double value = double(int64_t(operand.bits));
      float narrow = float(value);
      uint64_t bits = 0;
      asDouble ? memcpy(&bits, &value, 8) : memcpy(&bits, &narrow, 4);
      return bits;
    }
    return operand.bits;
  case RawOperand::F32: {
    float narrow;
    memcpy(&narrow, &operand.bits, 4);
    if (!asDouble || !type.isFloat())
      return operand.bits;
    double value = narrow;
    uint64_t bits;
    memcpy(&bits, &value, 8);
    return bits;
  }
  case RawOperand::F64:
  case RawOperand::Decimal: {
    double value = operand.decimal;
    uint64_t bits = operand.bits;
    if (operand.kind == RawOperand::F64)
      memcpy(&value, &bits, 8);
    else
      memcpy(&bits, &value, 8);
    if (asDouble)
      return bits;
    float narrow = float(value);
    bits = 0;
    memcpy(&bits, &narrow, 4);
    return bits;
  }
  default:
    bad = true;
    return 0;
  }
}

namespace {
void truncate64(Warp &w, const Inst &i, uint32_t mask) {
  map1<uint32_t, uint64_t>(w, i, mask, [](uint64_t a) { return uint32_t(a); });
}
void extend32to64(Warp &w, const Inst &i, uint32_t mask) {
  map1<uint64_t, uint32_t>(w, i, mask, [](uint32_t a) { return uint64_t(a); });
}
void extendSigned32to64(Warp &w, const Inst &i, uint32_t mask) {
  map1<uint64_t, uint32_t>(
      w, i, mask, [](uint32_t a) { return uint64_t(int64_t(int32_t(a))); });
}
template <typename T>
void addToFrame(Warp &w, const Inst &i, uint32_t mask) {
  uint64_t offset = uint64_t(i.imm);
  map1<T, uint64_t>(w, i, mask, [offset](uint64_t a) { return T(a + offset); });
}
void keepLow16(Warp &w, const Inst &i, uint32_t mask) {
  map1<uint32_t, uint32_t>(w, i, mask, [](uint32_t a) { return a & 0xffff; });
}
} // namespace

/// Address of a variable of a frame on the stack.
int32_t Decoder::frameAddress(uint64_t offset, unsigned bits) {
  int32_t slot = temp(bits);
  Inst &micro = emit(bits > 32 ? addToFrame<uint64_t> : addToFrame<uint32_t>,
                     InstClass::Move);
  micro.counted = false;
  micro.a = program.framePointer;
  micro.imm = int64_t(offset);
  micro.d = slot;
  return slot;
}

int32_t Decoder::src(const RawOperand &operand, RawType type) {
  if (type.kind == RawType::Pred)
    return pred(operand);
  unsigned want = type.totalBits();
  if (operand.kind == RawOperand::Sink)
    fail("'_' cannot be read");
  if (operand.kind == RawOperand::Symbol) {
    Symbol sym = symbol(operand);
    if (sym.relative)
      return frameAddress(sym.value, want);
    return want > 32 ? constant64(sym.value) : constant32(uint32_t(sym.value));
  }
  if (operand.kind != RawOperand::Reg) {
    bool bad;
    uint64_t bits = literalBits(operand, type, bad);
    if (bad)
      fail("expected a register or a literal");
    if (want > 32)
      return constant64(bits);
    return constant32(want == 32 ? uint32_t(bits)
                                 : uint32_t(bits & ((1u << want) - 1)));
  }
  unsigned have = regBits(operand);
  if (have == 1)
    fail("unexpected predicate '" + operand.name + "'");
  int32_t slot = slotOf(operand.reg);
  if (slotBytes(have) == slotBytes(want))
    return slot;
  if (have < want || have > 64)
    fail("register '" + operand.name + "' is too " +
         (have < want ? "narrow" : "wide"));
  int32_t narrow = temp(32);
  Inst &micro = emit(truncate64, InstClass::Move);
  micro.counted = false;
  micro.a = slot;
  micro.d = narrow;
  return narrow;
}

int32_t Decoder::dst(const RawOperand &operand, RawType type) {
  if (type.kind == RawType::Pred)
    return predDst(operand);
  unsigned bits = type.totalBits();
  if (operand.kind == RawOperand::Sink)
    return temp(bits);
  if (operand.kind != RawOperand::Reg)
    fail("expected a register");
  if (self().fn->regs[operand.reg].special)
    fail("register '" + operand.name + "' cannot be written");
  unsigned have = regBits(operand);
  int32_t slot = slotOf(operand.reg);
  if (have == 1 || have < std::min(bits, have == 16 ? 16u : bits))
    fail("register '" + operand.name + "' is too narrow");
  if (slotBytes(have) == slotBytes(bits)) {
    if (have == 16 && bits < 16 && type.kind == RawType::Signed) {
      Inst fix; // A sign-extended byte must not leave the 16 bits.
      fix.fn = keepLow16;
      fix.a = fix.d = slot;
      post.push_back(fix);
    }
    return slot;
  }
  if (slotBytes(have) != 256)
    fail("register '" + operand.name + "' is too wide");
  Inst fix;
  fix.fn = type.kind == RawType::Signed ? extendSigned32to64 : extend32to64;
  fix.a = temp(32);
  fix.d = slot;
  post.push_back(fix);
  return fix.a;
}

static void invertPred(Warp &w, const Inst &i, uint32_t mask) {
  uint32_t &d = *w.reg<uint32_t>(i.d);
  d = (d & ~mask) | (~*w.reg<uint32_t>(i.a) & mask);
}

int32_t Decoder::pred(const RawOperand &operand) {
  if (operand.kind == RawOperand::Int) { // "mov.pred %p, -1"
    int32_t slot = temp(1);
    program.specials.push_back({slot, operand.bits ? "true" : "false"});
    return slot;
  }
  if (operand.kind != RawOperand::Reg || regBits(operand) != 1)
    fail("expected a predicate");
  int32_t slot = slotOf(operand.reg);
  if (!operand.negated)
    return slot;
  int32_t inverted = temp(1);
  Inst &micro = emit(invertPred, InstClass::Predicate);
  micro.counted = false;
  micro.a = slot;
  micro.d = inverted;
  return inverted;
}

int32_t Decoder::predDst(const RawOperand &operand) {
  if (operand.kind == RawOperand::Sink)
    return temp(1);
  if (operand.kind != RawOperand::Reg || regBits(operand) != 1)
    fail("expected a predicate");
  return slotOf(operand.reg);
}

int64_t Decoder::literal(size_t index) const {
  if (operand(index).kind != RawOperand::Int)
    fail("expected an integer literal as operand " + std::to_string(index + 1));
  return int64_t(operand(index).bits);
}
