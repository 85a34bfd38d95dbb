//===- PtxParser.h - PTX text to syntax tree --------------------*- C++ -*-===//
//
// One pass over the tokens. Scopes ("{ ... }", also inside inline assembly)
// rename registers, variables and labels, so names are resolved while parsing.
// PtxParser.cpp has what stands at the top of a file, PtxBody.cpp what stands
// in a function.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_LIB_EMULATOR_PTXPARSER_H
#define FUSE_LIB_EMULATOR_PTXPARSER_H

#include "PtxLexer.h"

#include <optional>
#include <unordered_map>

namespace mlir::fuse::emu {

class PtxParser {
public:
  explicit PtxParser(std::string_view text) : lexer(text) {}
  RawModule run();

private:
  [[noreturn]] void fail(const std::string &message) {
    throw PtxError(lexer.peek().line, message);
  }
  [[noreturn]] void failAt(const std::string &what) {
    fail("expected " + what + ", but got '" + std::string(lexer.peek().text) +
         "'");
  }
  std::string ident(const char *what) {
    if (lexer.peek().kind != Token::Ident)
      failAt(what);
    return std::string(lexer.next().text);
  }
  uint64_t integer() {
    if (lexer.peek().kind != Token::Int)
      failAt("an integer");
    return lexer.next().bits;
  }

  void parseModuleDirective();
  void parseFile();
  void parseLoc();
  void parseFunction(bool isEntry, bool isExtern);
  void parseParamList(RawFunction &fn, std::vector<int> &list);
  std::vector<RawVar> parseParams();
  RawPrototype parsePrototype();
  void parseAlias();
  void parseFunctionAttributes(RawFunction &fn);
  void parseThreads(unsigned (&dims)[3]);
  std::optional<Space> spaceOf(std::string_view name);
  /// After the state space: "[.align N] .type name[dims] [= init]", one var.
  RawVar parseVar(Space space, bool isExtern);
  void parseVarTail(RawVar &var, unsigned elementBytes, unsigned vector);
  void parseInit(RawVar &var, unsigned elementBytes,
                 const std::vector<uint64_t> &levels, size_t level);
  void putAddress(RawVar &var, unsigned elementBytes, uint64_t mask);
  void putInit(RawVar &var, unsigned elementBytes);

  void parseBody(RawFunction &fn);
  bool parseBodyDirective();
  void parseRegs();
  void parseStatement();
  void parseInstruction(RawInst &inst);
  void parseBodyPragma();
  RawOperand parseOperand();
  RawOperand parseMemory();
  RawOperand parseLiteral(bool negative);
  void parseSymbol(RawOperand &operand);
  void parseSecond(RawOperand &operand);
  int addReg(const std::string &name, RawType type, bool special = false);
  int lookupReg(const std::string &name);
  int lookupVar(const std::string &name);
  int specialReg(std::string name);

  /// Bounds the recursion of this parser on hostile input.
  struct NestingScope {
    explicit NestingScope(PtxParser &parser) : parser(parser) {
      if (++parser.nesting > 64)
        parser.fail("operands are nested too deeply");
    }
    ~NestingScope() { --parser.nesting; }
    PtxParser &parser;
  };

  PtxLexer lexer;
  unsigned nesting = 0;
  RawModule module;
  RawFunction *fn = nullptr;
  struct Scope {
    int id;
    std::unordered_map<std::string, int> regs, vars;
    /// "%r<10>" declares a family; members are made when first seen.
    std::vector<std::tuple<std::string, RawType, uint64_t>> families;
  };
  std::vector<Scope> scopes;
  uint64_t initBytes = 0; ///< That the current initialiser may have.
  uint32_t currentLoc = 0;
  uint32_t nextUsedBytes = ~0u; ///< Of a pragma before an instruction.
};

} // namespace mlir::fuse::emu

#endif // FUSE_LIB_EMULATOR_PTXPARSER_H
