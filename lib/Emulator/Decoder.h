//===- Decoder.h - From parsed PTX to decoded programs ------------*- C++ -*-=//
//
// The decoder turns one entry and the functions it calls into a Program. Each
// instruction family (Ops*.cpp) adds its mnemonics to a table; a modifier that
// no one took is an error, so nothing is ever silently ignored.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_LIB_EMULATOR_DECODER_H
#define FUSE_LIB_EMULATOR_DECODER_H

#include "Machine.h"

#include <set>
#include <unordered_map>

namespace mlir::fuse::emu {

class Decoder;
using DecodeFn = void (*)(Decoder &);
using DecodeTable = std::unordered_map<std::string_view, DecodeFn>;

void addIntegerOps(DecodeTable &table);
void addProductOps(DecodeTable &table);
void addBitOps(DecodeTable &table);
void addFloatOps(DecodeTable &table);
void addHalfOps(DecodeTable &table);
void addConvertOps(DecodeTable &table);
void addCompareOps(DecodeTable &table);
void addMemoryOps(DecodeTable &table);
void addMoveOps(DecodeTable &table);
void addAtomicOps(DecodeTable &table);
void addWarpOps(DecodeTable &table);
void addControlOps(DecodeTable &table);
void addCallOps(DecodeTable &table);
void addTensorOps(DecodeTable &table);
void addAsyncOps(DecodeTable &table);
void addTensorMapOps(DecodeTable &table);
void addVideoOps(DecodeTable &table);

class Decoder {
public:
  Decoder(const RawModule &raw, ModuleImpl &module);
  Program decodeEntry(const RawFunction &entry, KernelInfo &info);

  //===-- For the instruction families -------------------------------------=//
  const RawInst &inst() const { return *current; }
  [[noreturn]] void fail(const std::string &message) const {
    throw PtxError(current->line, message);
  }
  /// For valid PTX; other kernels of the module can still be launched.
  [[noreturn]] void failUnsupported(const std::string &what) const {
    throw UnsupportedPtx(current->line, "unsupported: " + what);
  }
  /// Takes the modifier if present.
  bool take(std::string_view mod);
  /// Takes the first present one of the list; its index, or -1.
  int takeOneOf(std::initializer_list<std::string_view> mods);
  /// Takes the first modifier that starts with `prefix`; empty if none.
  std::string takePrefix(std::string_view prefix);
  /// Takes the next modifier that is a type.
  RawType takeType();
  RawType takeOptionalType();
  /// The next type modifier, left in place.
  RawType peekType() const;
  bool hasMods() const { return !mods.empty(); }
  const std::vector<std::string> &modsLeft() const { return mods; }

  size_t numOperands() const { return current->operands.size(); }
  const RawOperand &operand(size_t index) const;
  void expectOperands(size_t atLeast, size_t atMost) const;
  /// Slot to read operand as a value of `type`.
  int32_t src(size_t index, RawType type) { return src(operand(index), type); }
  int32_t src(const RawOperand &operand, RawType type);
  /// Slot to write; values of a width other than the register's are extended
  /// after the instruction as `type` says.
  int32_t dst(size_t index, RawType type) { return dst(operand(index), type); }
  int32_t dst(const RawOperand &operand, RawType type);
  int32_t pred(const RawOperand &operand);
  int32_t predDst(const RawOperand &operand);
  /// Width in bits of the register, 0 when it is not one.
  unsigned regBits(const RawOperand &operand) const;
  bool isReg(const RawOperand &operand) const {
    return operand.kind == RawOperand::Reg;
  }
  int32_t slotOf(int reg);
  int32_t constant32(uint32_t bits);
  int32_t constant64(uint64_t bits);
  int32_t temp(unsigned bits);
  /// The carry flag, a predicate of its own.
  int32_t carry();
  /// Value of an operand that must be an integer literal.
  int64_t literal(size_t index) const;

  /// The reference is valid until the next emit.
  Inst &emit(Handler fn, InstClass cls);
  /// Starts a list in Program::operands.
  uint32_t listStart() const { return uint32_t(program.operands.size()); }
  void listAdd(int32_t slot) { program.operands.push_back(slot); }

  struct Address {
    int32_t base;   ///< 64-bit slot, or -1 when absolute.
    int64_t offset; ///< To be added to the base.
    Space space;    ///< Implied by the variable, or None.
  };
  Address address(const RawOperand &operand);
  /// Makes the last emitted instruction branch to the label.
  void branchTo(const std::string &label);
  /// Adds the labels of a `.branchtargets` list to Program::targets.
  uint32_t branchTable(const std::string &name, uint8_t &count);

  struct Symbol {
    Space space = Space::None;
    uint64_t value = 0; ///< Offset in its window, or host address.
    bool isKernelParam = false;
    bool known = false;
    bool relative = false; ///< To the frame pointer.
  };
  Symbol symbol(const RawOperand &operand);
  const RawFunction *function(const std::string &name) const;

  /// A function of the program with its (static) frame in local memory.
  struct Callee {
    const RawFunction *fn = nullptr;
    std::vector<Symbol> vars;   ///< By variable.
    std::vector<int32_t> slots; ///< By register; -1 until used.
    std::vector<uint32_t> pcOf; ///< By raw instruction.
    uint32_t start = 0;
    /// Index into Program::stackFunctions, -1 for a frame of its own place.
    int32_t stack = -1;
    uint64_t frameTop = 0; ///< Of a stack frame.
  };
  size_t calleeIndex(const RawFunction &fn);
  const Callee &callee(size_t index) const { return *callees[index]; }
  /// Makes the last emitted instruction call.
  void callTo(size_t index);
  /// Decodes all functions that a call through a register may reach.
  void reachIndirectTargets();
  const RawPrototype *prototype(const std::string &name) const;
  /// Index into Program::stackFunctions, or -1.
  int32_t currentStackFunction() const { return self().stack; }
  /// Makes the program one with a stack.
  void useStack();
  const RawFunction &currentFunction() const { return *self().fn; }

  Program program;
  const RawModule &raw;
  ModuleImpl &module;

private:
  Callee &self() const { return *callees[currentCallee]; }
  void decodeAll(const RawFunction &entry, KernelInfo &info);
  void layoutEntryParams(Callee &callee, KernelInfo &info);
  void layoutFrame(Callee &callee);
  void layoutStackFrame(Callee &callee);
  void placeModuleVariables(Callee &callee);
  void decodeBody(size_t index);
  void decodeInst(const RawInst &raw);
  [[noreturn]] void failUnknown() const;
  /// Types and modifiers that the name alone asks for.
  void checkRules() const;
  void refuseVideoSyntax(const RawOperand &operand) const;
  void refuseSecond(const RawOperand &operand, bool isFirst) const;
  void finishStack();
  void patch();
  void nameRegisters();
  void finishLayout();
  int32_t special(const RawReg &reg);
  int32_t frameAddress(uint64_t offset, unsigned bits);
  Symbol sharedSymbol(const RawVar &var);

  /// Of the module: functions whose frames are on the stack, and among them
  /// those whose address is taken.
  std::set<const RawFunction *> onStack, addressTaken;
  std::vector<std::unique_ptr<Callee>> callees;
  size_t currentCallee = 0;
  const RawInst *current = nullptr;
  mutable uint64_t touched = 0; ///< Operands that were looked at.
  std::vector<std::string> mods;
  /// Width adjustments to be emitted after the current instruction.
  std::vector<Inst> post;
  int32_t fileTop = 0, carrySlot = -1;
  std::unordered_map<uint64_t, int32_t> constants32, constants64;
  std::map<std::string, int32_t> specialSlots;
  std::map<std::string, uint64_t> sharedOffsets;
  uint64_t sharedTop = 0, localTop = 0, dynamicBase = 0, dynamicAlign = 1;
  struct Fixup {
    size_t at; ///< In code, or in targets.
    size_t callee;
    uint32_t raw; ///< Raw instruction; ~0 is the function's start.
    bool inTable;
  };
  std::vector<Fixup> fixups;
};

/// Fills the operand slots of a plain "op d, a, b, c" and emits it.
Inst &emitPlain(Decoder &d, Handler fn, InstClass cls, RawType type,
                unsigned numSources);

/// Bytes that a warp asks global memory for in the longest run of loads none of
/// which is used before its end, in the order of the text.
uint32_t longestLoadRun(const RawFunction &function);

/// Ascending numbers of blocks along x from which on a compare with a constant,
/// in an entry or in what it calls, has another answer.
std::vector<uint64_t> findBlockBounds(const RawModule &module,
                                      const RawFunction &entry);

/// Takes all modifiers that are left, joined by dots.
std::string joinMods(Decoder &d);
/// Takes the state space of a memory access or address; None when generic.
Space takeStateSpace(Decoder &d);
void decodeFloatArithmetic(Decoder &d);
void decodeHalfArithmetic(Decoder &d);

inline bool sameType(RawType a, RawType b) {
  return a.kind == b.kind && a.bits == b.bits && a.packed == b.packed;
}

} // namespace mlir::fuse::emu

#endif // FUSE_LIB_EMULATOR_DECODER_H
