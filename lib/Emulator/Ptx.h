//===- Ptx.h - Parsed PTX text ------------------------------------*- C++ -*-=//
//
// The syntax tree of one PTX file: names are resolved to registers and
// variables here, because PTX scopes are syntactic; meaning is given to
// instructions later, by the decoder.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_LIB_EMULATOR_PTX_H
#define FUSE_LIB_EMULATOR_PTX_H

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace mlir::fuse::emu {

/// Any defect of the PTX text; the line is 1-based.
struct PtxError : std::runtime_error {
  PtxError(unsigned line, const std::string &message)
      : std::runtime_error(message), line(line) {}
  unsigned line;
};

/// Valid PTX that the emulator does not execute: it costs only the kernels that
/// reach it.
struct UnsupportedPtx : PtxError {
  using PtxError::PtxError;
};

enum class Space : uint8_t { None, Reg, Param, Local, Shared, Global, Const };

struct RawType {
  enum Kind : uint8_t {
    Pred,
    Bits,
    Unsigned,
    Signed,
    Float,
    BFloat,
    TFloat,
    Float8,
    Float6, ///< In 8 bits each.
    Float4,
    Scale8,
    Other
  };
  Kind kind = Other;
  uint8_t bits = 0;   ///< Width of one element.
  uint8_t packed = 1; ///< 2 for f16x2 and friends.
  bool valid() const { return kind != Other; }
  unsigned totalBits() const { return unsigned(bits) * packed; }
  bool isFloat() const { return kind >= Float && kind != Other; }
};

/// Parses "f16x2", "b32", ... ; an invalid type when it is none.
RawType parseType(std::string_view name);

struct RawOperand {
  enum Kind : uint8_t {
    Reg,
    Int,
    F32,
    F64,
    Decimal,
    Symbol,
    Memory,
    Vector,
    Sink
  };
  Kind kind = Sink;
  bool negated = false;  ///< "!%p"
  bool paren = false;    ///< A Vector written with parentheses.
  bool minus = false;    ///< "-%r", of vmad.
  std::string selection; ///< "%r.h1": bytes or halves of video instructions.
  int reg = -1;          ///< Register, or base register of Memory.
  int reg2 = -1;         ///< Second register of "%p|%q".
  int var = -1;          ///< Resolved variable of Symbol and Memory.
  uint64_t bits = 0;     ///< Value of a literal.
  double decimal = 0;
  int64_t offset = 0;               ///< Of Symbol and Memory.
  std::string name;                 ///< Of Symbol and Memory.
  std::vector<RawOperand> elements; ///< Of Vector; further parts of Memory.
};

struct RawInst {
  unsigned line = 0;
  int scope = 0;
  int guard = -1;
  bool guardNegated = false;
  uint32_t loc = 0; ///< Index into RawModule::locs.
  /// The bytes of a load that matter, from `.pragma "used_bytes_mask"`.
  uint32_t usedBytes = ~0u;
  std::string opcode;
  std::vector<std::string> mods;
  std::vector<RawOperand> operands;
};

struct RawReg {
  std::string name;
  RawType type;
  bool special = false;
};

struct RawVar {
  struct Reloc {
    uint64_t at = 0;
    std::string name;
    int64_t addend = 0;
    int byte = -1; ///< Of the address; -1 for all eight.
  };
  std::string name;
  Space space = Space::None;
  RawType type;
  uint64_t align = 0, size = 0;
  bool isExtern = false;
  unsigned line = 0;
  std::vector<uint8_t> init;
  std::vector<Reloc> relocs;
};

/// What a `.callprototype` says about the functions of an indirect call.
struct RawPrototype {
  std::vector<RawVar> params, results;
};

struct RawFunction {
  std::string name;
  bool isEntry = false, hasBody = false;
  unsigned line = 0;
  std::vector<int> params, results; ///< Indices into vars, or registers.
  std::vector<RawReg> regs;
  std::vector<RawVar> vars;
  std::vector<RawInst> body;
  /// (scope, name) -> index of the instruction that follows the label.
  std::map<std::pair<int, std::string>, uint32_t> labels;
  std::map<std::pair<int, std::string>, std::vector<std::string>> branchTables;
  std::map<std::pair<int, std::string>, RawPrototype> prototypes;
  std::vector<int> scopeParent;
  unsigned maxThreads[3] = {0, 0, 0}, reqThreads[3] = {0, 0, 0},
           reqCluster[3] = {0, 0, 0};
};

struct SourceLoc {
  uint32_t file = 0, line = 0, column = 0;
};

struct RawModule {
  std::string version, target;
  std::vector<RawVar> vars;
  std::vector<RawFunction> functions;
  std::map<std::string, std::string> aliases; ///< Of functions.
  std::vector<SourceLoc> locs{SourceLoc()};
  std::map<uint32_t, std::string> files;
};

/// The definition of a function, or its declaration when there is none; null
/// when the name is not one of a function.
const RawFunction *findFunction(const RawModule &module,
                                const std::string &name);

/// Throws PtxError.
RawModule parsePtx(std::string_view text);

} // namespace mlir::fuse::emu

#endif // FUSE_LIB_EMULATOR_PTX_H
