//===- PtxParser.cpp - PTX text to syntax tree ----------------------------===//
//
// One pass over the tokens. Scopes ("{ ... }", also inside inline assembly)
// rename registers, variables and labels, so names are resolved while parsing.
//
//===----------------------------------------------------------------------===//
#include "PtxLexer.h"

#include <cstdlib>
#include <cstring>
#include <optional>
#include <unordered_map>

using namespace mlir::fuse::emu;

RawType mlir::fuse::emu::parseType(std::string_view name) {
  static const std::unordered_map<std::string_view, RawType> types = [] {
    using T = RawType;
    std::unordered_map<std::string_view, RawType> map = {
        {"pred", {T::Pred, 1, 1}},       {"b8", {T::Bits, 8, 1}},
        {"b16", {T::Bits, 16, 1}},       {"b32", {T::Bits, 32, 1}},
        {"b64", {T::Bits, 64, 1}},       {"b128", {T::Bits, 128, 1}},
        {"u8", {T::Unsigned, 8, 1}},     {"u16", {T::Unsigned, 16, 1}},
        {"u32", {T::Unsigned, 32, 1}},   {"u64", {T::Unsigned, 64, 1}},
        {"s8", {T::Signed, 8, 1}},       {"s16", {T::Signed, 16, 1}},
        {"s32", {T::Signed, 32, 1}},     {"s64", {T::Signed, 64, 1}},
        {"u16x2", {T::Unsigned, 16, 2}}, {"s16x2", {T::Signed, 16, 2}},
        {"f16", {T::Float, 16, 1}},      {"f16x2", {T::Float, 16, 2}},
        {"bf16", {T::BFloat, 16, 1}},    {"bf16x2", {T::BFloat, 16, 2}},
        {"f32", {T::Float, 32, 1}},      {"f32x2", {T::Float, 32, 2}},
        {"f64", {T::Float, 64, 1}},      {"tf32", {T::TFloat, 32, 1}},
        {"e4m3", {T::Float8, 8, 1}},     {"e5m2", {T::Float8, 8, 1}},
        {"e4m3x2", {T::Float8, 8, 2}},   {"e5m2x2", {T::Float8, 8, 2}},
        {"s4", {T::Signed, 4, 1}},       {"u4", {T::Unsigned, 4, 1}},
        {"e2m3x2", {T::Float6, 8, 2}},   {"e3m2x2", {T::Float6, 8, 2}},
        {"e2m1x2", {T::Float4, 4, 2}},   {"ue8m0x2", {T::Scale8, 8, 2}},
        {"s2", {T::Signed, 2, 1}},       {"u2", {T::Unsigned, 2, 1}},
        {"b1", {T::Bits, 1, 1}},
    };
    return map;
  }();
  auto it = types.find(name);
  return it == types.end() ? RawType() : it->second;
}

namespace {
class Parser {
public:
  explicit Parser(std::string_view text) : lexer(text) {}
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
  void parseVarTail(RawVar &var);
  void parseInit(RawVar &var, unsigned elementBytes);
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
  int addReg(const std::string &name, RawType type, bool special = false);
  int lookupReg(const std::string &name);
  int lookupVar(const std::string &name);
  int specialReg(std::string name);

  /// Bounds the recursion of this parser on hostile input.
  struct NestingScope {
    explicit NestingScope(Parser &parser) : parser(parser) {
      if (++parser.nesting > 64)
        parser.fail("operands are nested too deeply");
    }
    ~NestingScope() { --parser.nesting; }
    Parser &parser;
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
  uint32_t currentLoc = 0;
  uint32_t nextUsedBytes = ~0u; ///< Of a pragma before an instruction.
};
} // namespace

RawModule Parser::run() {
  while (lexer.peek().kind != Token::End)
    parseModuleDirective();
  if (module.version.empty())
    throw PtxError(1, "expected a '.version' directive");
  return std::move(module);
}

std::optional<Space> Parser::spaceOf(std::string_view name) {
  if (name == "global")
    return Space::Global;
  if (name == "shared" || name == "shared::cta")
    return Space::Shared;
  if (name == "local")
    return Space::Local;
  if (name == "const")
    return Space::Const;
  if (name == "param")
    return Space::Param;
  return std::nullopt;
}

void Parser::parseFile() {
  uint64_t index = integer();
  if (lexer.peek().kind != Token::String)
    failAt("a file name");
  module.files[index] = std::string(lexer.next().text);
  while (lexer.accept(',')) // Time stamp and size.
    integer();
}

void Parser::parseModuleDirective() {
  if (lexer.accept(';'))
    return;
  bool isExtern = false;
  while (true) {
    if (lexer.peek().kind != Token::Dot)
      failAt("a directive");
    std::string name(lexer.next().text);
    if (name == "visible" || name == "weak" || name == "common")
      continue;
    if (name == "extern") {
      isExtern = true;
      continue;
    }
    if (name == "version" || name == "target") {
      (name == "version" ? module.version : module.target) =
          std::string(lexer.restOfLine());
    } else if (name == "address_size") {
      if (integer() != 64)
        fail("expected 64-bit addresses");
    } else if (name == "file") {
      parseFile();
    } else if (name == "loc") {
      parseLoc();
    } else if (name == "section") {
      while (!lexer.isPunct('{') && lexer.peek().kind != Token::End)
        lexer.next();
      lexer.skipBraces();
    } else if (name == "alias") {
      parseAlias();
    } else if (name == "pragma") {
      while (!lexer.accept(';') && lexer.peek().kind != Token::End)
        lexer.next();
    } else if (name == "entry" || name == "func") {
      parseFunction(name == "entry", isExtern);
    } else if (auto space = spaceOf(name)) {
      do
        module.vars.push_back(parseVar(*space, isExtern));
      while (lexer.accept(','));
      lexer.expect(';');
    } else {
      fail("unknown directive '." + name + "'");
    }
    return;
  }
}

RawVar Parser::parseVar(Space space, bool isExtern) {
  RawVar var;
  var.space = space;
  var.isExtern = isExtern;
  var.line = lexer.peek().line;
  unsigned vector = 1;
  while (lexer.peek().kind == Token::Dot) {
    std::string name(lexer.next().text);
    if (name == "align")
      var.align = integer();
    else if (name == "v2" || name == "v4")
      vector = name[1] - '0';
    else if (name == "attribute") {
      while (!lexer.accept(')') && lexer.peek().kind != Token::End)
        lexer.next();
    } else if (name == "ptr") {
      // ".param .u64 .ptr .global .align 4": facts about the pointee.
      while (lexer.peek().kind == Token::Dot) {
        if (lexer.next().text == "align")
          integer();
      }
    } else if (RawType type = parseType(name); type.valid())
      var.type = type;
    else
      fail("unknown type or attribute '." + name + "'");
  }
  if (!var.type.valid())
    fail("expected a type");
  var.name = ident("a variable name");
  unsigned elementBytes = std::max(1u, var.type.totalBits() / 8) * vector;
  var.size = elementBytes;
  if (!var.align)
    var.align = elementBytes;
  if (var.align > 4096 || (var.align & (var.align - 1)))
    fail("expected a power of two up to 4096 as alignment");
  parseVarTail(var);
  if (lexer.accept('=')) {
    var.init.clear();
    parseInit(var, elementBytes / vector);
    if (var.init.size() > var.size)
      fail("initialiser is larger than '" + var.name + "'");
  }
  return var;
}

void Parser::parseVarTail(RawVar &var) {
  while (lexer.accept('[')) {
    uint64_t count = lexer.isPunct(']') ? 0 : integer();
    lexer.expect(']');
    if (count && var.size > (uint64_t(1) << 30) / count)
      fail("variable '" + var.name + "' is too large");
    var.size *= count;
  }
}

void Parser::parseInit(RawVar &var, unsigned elementBytes) {
  NestingScope scope(*this);
  if (lexer.accept('{')) {
    while (!lexer.accept('}')) {
      parseInit(var, elementBytes);
      if (!lexer.accept(',') && !lexer.isPunct('}'))
        failAt("',' or '}'");
    }
    return;
  }
  putInit(var, elementBytes);
}

void Parser::putInit(RawVar &var, unsigned elementBytes) {
  uint64_t bits = 0;
  if (lexer.peek().kind == Token::Ident) {
    std::string name = ident("a symbol");
    bool generic = name == "generic";
    if (name == "mask") // "mask(sym)" picks bytes of an address.
      fail("unsupported initialiser operator 'mask'");
    if (generic) {
      lexer.expect('(');
      name = ident("a symbol");
      lexer.expect(')');
    }
    int64_t addend = 0;
    if (lexer.accept('+'))
      addend = int64_t(integer());
    var.relocs.push_back({var.init.size(), name, addend});
  } else {
    bool negative = lexer.accept('-');
    RawOperand literal = parseLiteral(negative);
    bits = literal.bits;
    if (literal.kind == RawOperand::Decimal) {
      if (elementBytes == 8) {
        memcpy(&bits, &literal.decimal, 8);
      } else {
        float value = float(literal.decimal);
        bits = 0;
        memcpy(&bits, &value, 4);
      }
    }
  }
  if (var.init.size() + elementBytes > var.size)
    fail("initialiser is larger than '" + var.name + "'");
  for (unsigned i = 0; i < elementBytes; ++i)
    var.init.push_back(i < 8 ? uint8_t(bits >> (8 * i)) : 0);
}

void Parser::parseThreads(unsigned (&dims)[3]) {
  for (unsigned i = 0; i < 3; ++i) {
    dims[i] = unsigned(integer());
    if (!lexer.accept(','))
      break;
  }
  for (unsigned &dim : dims)
    dim = dim ? dim : 1;
}

void Parser::parseFunctionAttributes(RawFunction &function) {
  while (lexer.peek().kind == Token::Dot) {
    std::string name(lexer.next().text);
    if (name == "maxntid")
      parseThreads(function.maxThreads);
    else if (name == "reqntid")
      parseThreads(function.reqThreads);
    else if (name == "reqnctapercluster")
      parseThreads(function.reqCluster);
    else if (name == "minnctapersm" || name == "maxnctapersm" ||
             name == "maxnreg" || name == "maxclusterrank")
      integer();
    else if (name == "noreturn" || name == "explicitcluster" ||
             name == "blocksareclusters" || name == "unique" ||
             name == "unified")
      continue;
    else if (name == "pragma")
      while (!lexer.accept(';') && lexer.peek().kind != Token::End)
        lexer.next();
    else if (name == "attribute")
      while (!lexer.accept(')') && lexer.peek().kind != Token::End)
        lexer.next();
    else
      fail("unknown function attribute '." + name + "'");
  }
}

/// ".alias name, function;"
void Parser::parseAlias() {
  std::string name = ident("a function name");
  lexer.expect(',');
  module.aliases[name] = ident("a function name");
  lexer.expect(';');
}

std::vector<RawVar> Parser::parseParams() {
  std::vector<RawVar> params;
  lexer.expect('(');
  while (!lexer.accept(')')) {
    if (lexer.peek().kind != Token::Dot)
      failAt("'.param'");
    std::string name(lexer.next().text);
    if (name == "reg") {
      fail("unsupported parameter in a register");
    } else if (name != "param") {
      fail("expected '.param', but got '." + name + "'");
    }
    params.push_back(parseVar(Space::Param, false));
    if (!lexer.accept(',') && !lexer.isPunct(')'))
      failAt("',' or ')'");
  }
  return params;
}

void Parser::parseParamList(RawFunction &function, std::vector<int> &list) {
  for (RawVar &var : parseParams()) {
    scopes.back().vars[var.name] = int(function.vars.size());
    list.push_back(int(function.vars.size()));
    function.vars.push_back(std::move(var));
  }
}

/// After ".callprototype": "(.param .b32 _) _ (.param .b64 _, ...) .noreturn;"
RawPrototype Parser::parsePrototype() {
  RawPrototype prototype;
  if (lexer.isPunct('('))
    prototype.results = parseParams();
  if (ident("'_'") != "_")
    fail("expected '_' as the name of a prototype");
  if (lexer.isPunct('('))
    prototype.params = parseParams();
  while (lexer.peek().kind == Token::Dot) {
    std::string name(lexer.next().text);
    if (name == "abi_preserve" || name == "abi_preserve_control")
      integer();
    else if (name != "noreturn")
      fail("unknown attribute '." + name + "' of a prototype");
  }
  lexer.expect(';');
  return prototype;
}

void Parser::parseFunction(bool isEntry, bool isExtern) {
  RawFunction function;
  fn = &function;
  function.isEntry = isEntry;
  function.line = lexer.peek().line;
  function.scopeParent.push_back(-1);
  scopes.clear();
  scopes.push_back({0, {}, {}, {}});
  while (lexer.peek().kind == Token::Dot) // ".attribute(.unified(...))"
    parseFunctionAttributes(function);
  if (lexer.isPunct('('))
    parseParamList(function, function.results);
  function.name = ident("a function name");
  if (lexer.isPunct('('))
    parseParamList(function, function.params);
  parseFunctionAttributes(function);
  if (!lexer.accept(';')) {
    function.hasBody = true;
    parseBody(function);
  }
  (void)isExtern;
  module.functions.push_back(std::move(function));
  fn = nullptr;
}

void Parser::parseBody(RawFunction &function) {
  lexer.expect('{');
  currentLoc = 0;
  size_t depth = 1;
  while (true) {
    if (lexer.peek().kind == Token::End)
      throw PtxError(function.line,
                     "unterminated body of '" + function.name + "'");
    if (lexer.accept('{')) {
      int id = int(function.scopeParent.size());
      function.scopeParent.push_back(scopes.back().id);
      scopes.push_back({id, {}, {}, {}});
      if (++depth > 64)
        fail("scopes are nested too deeply");
    } else if (lexer.accept('}')) {
      if (--depth == 0)
        return;
      scopes.pop_back();
    } else if (lexer.accept(';')) {
      continue;
    } else if (lexer.peek().kind == Token::Dot) {
      parseBodyDirective();
    } else {
      parseStatement();
    }
  }
}

void Parser::parseLoc() {
  SourceLoc loc;
  loc.file = uint32_t(integer());
  loc.line = uint32_t(integer());
  loc.column = uint32_t(integer());
  if (lexer.isPunct(',')) { // ", function_name ..., inlined_at ..."
    lexer.restOfLine();
  }
  currentLoc = uint32_t(module.locs.size());
  module.locs.push_back(loc);
}

/// "used_bytes_mask" says which bytes the next instruction loads; the others
/// may lie beyond the allocation.
void Parser::parseBodyPragma() {
  constexpr std::string_view usedBytes = "used_bytes_mask ";
  while (!lexer.accept(';') && lexer.peek().kind != Token::End) {
    std::string_view text = lexer.next().text;
    if (text.substr(0, usedBytes.size()) == usedBytes)
      nextUsedBytes = uint32_t(strtoul(
          std::string(text.substr(usedBytes.size())).c_str(), nullptr, 0));
  }
}

bool Parser::parseBodyDirective() {
  std::string name(lexer.next().text);
  if (name == "reg") {
    parseRegs();
  } else if (name == "loc") {
    parseLoc();
  } else if (name == "file") {
    parseFile();
  } else if (name == "pragma") {
    parseBodyPragma();
  } else if (auto space = spaceOf(name)) {
    do {
      RawVar var = parseVar(*space, false);
      scopes.back().vars[var.name] = int(fn->vars.size());
      fn->vars.push_back(std::move(var));
    } while (lexer.accept(','));
    lexer.expect(';');
  } else {
    fail("unknown directive '." + name + "'");
  }
  return true;
}

int Parser::addReg(const std::string &name, RawType type, bool special) {
  fn->regs.push_back({name, type, special});
  return int(fn->regs.size()) - 1;
}

void Parser::parseRegs() {
  RawType type;
  while (lexer.peek().kind == Token::Dot) {
    std::string name(lexer.next().text);
    if (name == "v2" || name == "v4")
      fail("unsupported vector register declaration");
    type = parseType(name);
    if (!type.valid())
      fail("unknown register type '." + name + "'");
  }
  do {
    std::string name = ident("a register name");
    if (lexer.accept('<')) {
      uint64_t count = integer();
      lexer.expect('>');
      scopes.back().families.emplace_back(name, type, count);
    } else {
      scopes.back().regs[name] = addReg(name, type);
    }
  } while (lexer.accept(','));
  lexer.expect(';');
}

int Parser::lookupReg(const std::string &name) {
  size_t digits = name.size();
  while (digits > 0 && std::isdigit((unsigned char)name[digits - 1]))
    --digits;
  for (size_t i = scopes.size(); i-- > 0;) {
    Scope &scope = scopes[i];
    auto it = scope.regs.find(name);
    if (it != scope.regs.end())
      return it->second;
    if (digits == name.size())
      continue;
    for (auto &[prefix, type, count] : scope.families) {
      // The prefix may itself end in digits, so compare, do not split.
      if (name.size() <= prefix.size() ||
          name.compare(0, prefix.size(), prefix) != 0 || digits > prefix.size())
        continue;
      std::string tail = name.substr(prefix.size());
      if (tail.size() > 9 || (tail.size() > 1 && tail[0] == '0') ||
          std::strtoull(tail.c_str(), nullptr, 10) >= count)
        continue;
      return scope.regs[name] = addReg(name, type);
    }
  }
  return -1;
}

int Parser::lookupVar(const std::string &name) {
  for (size_t i = scopes.size(); i-- > 0;) {
    auto it = scopes[i].vars.find(name);
    if (it != scopes[i].vars.end())
      return it->second;
  }
  return -1;
}

int Parser::specialReg(std::string name) {
  while (lexer.peek().kind == Token::Dot) // "%tid.x"
    name += "." + std::string(lexer.next().text);
  auto it = scopes.front().regs.find(name);
  if (it != scopes.front().regs.end())
    return it->second;
  RawType type{RawType::Unsigned, 32, 1};
  bool isCounter = name.compare(0, 3, "%pm") == 0 && name.size() > 6;
  if (name == "%clock64" || name == "%globaltimer" || name == "%gridid" ||
      name == "%current_graph_exec" || isCounter)
    type.bits = 64;
  if (name == "%is_explicit_cluster")
    type = {RawType::Pred, 1, 1};
  return scopes.front().regs[name] = addReg(name, type, true);
}

RawOperand Parser::parseLiteral(bool negative) {
  RawOperand operand;
  Token token = lexer.next();
  operand.bits = token.bits;
  switch (token.kind) {
  case Token::Int:
    operand.kind = RawOperand::Int;
    if (negative)
      operand.bits = 0 - operand.bits;
    break;
  case Token::F32:
    operand.kind = RawOperand::F32;
    if (negative)
      operand.bits ^= 0x80000000u;
    break;
  case Token::F64:
    operand.kind = RawOperand::F64;
    if (negative)
      operand.bits ^= uint64_t(1) << 63;
    break;
  case Token::Decimal:
    operand.kind = RawOperand::Decimal;
    operand.decimal = negative ? -token.decimal : token.decimal;
    break;
  default:
    throw PtxError(token.line, "expected an operand, but got '" +
                                   std::string(token.text) + "'");
  }
  return operand;
}

void Parser::parseSymbol(RawOperand &operand) {
  operand.var = lookupVar(operand.name);
  while (lexer.isPunct('+') || lexer.isPunct('-')) {
    bool negative = lexer.next().punct == '-';
    bool again = lexer.accept('-');
    int64_t value = int64_t(integer());
    operand.offset += negative != again ? -value : value;
  }
}

RawOperand Parser::parseMemory() {
  RawOperand operand;
  operand.kind = RawOperand::Memory;
  const Token &token = lexer.peek();
  if (token.kind == Token::Int) {
    operand.offset = int64_t(integer());
  } else {
    operand.name = ident("an address");
    operand.reg = lookupReg(operand.name);
    parseSymbol(operand);
    if (operand.reg >= 0)
      operand.var = -1;
  }
  while (lexer.accept(',')) // Tensor coordinates.
    operand.elements.push_back(parseOperand());
  lexer.expect(']');
  return operand;
}

RawOperand Parser::parseOperand() {
  NestingScope scope(*this);
  RawOperand operand;
  if (lexer.accept('!')) {
    operand = parseOperand();
    operand.negated = !operand.negated;
    return operand;
  }
  if (lexer.accept('['))
    return parseMemory();
  if (lexer.isPunct('{') || lexer.isPunct('(')) {
    operand.kind = RawOperand::Vector;
    operand.paren = lexer.next().punct == '(';
    char close = operand.paren ? ')' : '}';
    while (!lexer.accept(close)) {
      operand.elements.push_back(parseOperand());
      if (!lexer.accept(',') && !lexer.isPunct(close))
        failAt("',' or a closing bracket");
    }
    return operand;
  }
  bool minus = lexer.accept('-');
  if (lexer.peek().kind != Token::Ident)
    return parseLiteral(minus);
  operand.minus = minus;
  operand.name = std::string(lexer.next().text);
  if (operand.name == "_") {
    operand.kind = RawOperand::Sink;
  } else if (operand.name == "WARP_SZ") {
    operand.kind = RawOperand::Int;
    operand.bits = 32;
  } else if (int reg = lookupReg(operand.name); reg >= 0) {
    operand.kind = RawOperand::Reg;
    operand.reg = reg;
    if (lexer.peek().kind == Token::Dot)
      operand.selection = std::string(lexer.next().text);
  } else if (operand.name[0] == '%' && lookupVar(operand.name) < 0) {
    operand.kind = RawOperand::Reg;
    operand.reg = specialReg(operand.name);
  } else {
    operand.kind = RawOperand::Symbol;
    parseSymbol(operand);
  }
  if (lexer.accept('|')) {
    RawOperand second = parseOperand();
    if (second.kind == RawOperand::Reg)
      operand.reg2 = second.reg;
    else if (second.kind != RawOperand::Sink)
      fail("expected a register after '|'");
  }
  return operand;
}

void Parser::parseInstruction(RawInst &inst) {
  inst.opcode = ident("an instruction");
  while (lexer.peek().kind == Token::Dot)
    inst.mods.emplace_back(lexer.next().text);
  while (!lexer.accept(';')) {
    inst.operands.push_back(parseOperand());
    if (!lexer.accept(',') && !lexer.isPunct(';'))
      failAt("',' or ';'");
  }
}

void Parser::parseStatement() {
  RawInst inst;
  inst.line = lexer.peek().line;
  inst.scope = scopes.back().id;
  inst.loc = currentLoc;
  inst.usedBytes = nextUsedBytes;
  nextUsedBytes = ~0u;
  if (lexer.accept('@')) {
    inst.guardNegated = lexer.accept('!');
    std::string name = ident("a predicate");
    inst.guard = lookupReg(name);
    if (inst.guard < 0 || fn->regs[inst.guard].type.kind != RawType::Pred)
      fail("unknown predicate '" + name + "'");
    parseInstruction(inst);
    fn->body.push_back(std::move(inst));
    return;
  }
  if (lexer.peek().kind != Token::Ident)
    failAt("an instruction");
  // "name:" is a label; anything else is an instruction.
  PtxLexer saved = lexer;
  std::string name(lexer.next().text);
  if (lexer.accept(':')) {
    auto key = std::make_pair(inst.scope, name);
    if (lexer.peek().kind == Token::Dot &&
        lexer.peek().text == "branchtargets") {
      lexer.next();
      auto &table = fn->branchTables[key];
      do
        table.push_back(ident("a label"));
      while (lexer.accept(','));
      lexer.expect(';');
      return;
    }
    if (lexer.peek().kind == Token::Dot &&
        lexer.peek().text == "callprototype") {
      lexer.next();
      fn->prototypes[key] = parsePrototype();
      return;
    }
    if (!fn->labels.emplace(key, uint32_t(fn->body.size())).second)
      fail("redefinition of label '" + name + "'");
    return;
  }
  lexer = saved;
  parseInstruction(inst);
  fn->body.push_back(std::move(inst));
}

const RawFunction *mlir::fuse::emu::findFunction(const RawModule &module,
                                                 const std::string &name) {
  auto alias = module.aliases.find(name);
  const std::string &target =
      alias == module.aliases.end() ? name : alias->second;
  const RawFunction *found = nullptr;
  for (const RawFunction &candidate : module.functions)
    if (candidate.name == target && (!found || candidate.hasBody))
      found = &candidate;
  return found;
}

RawModule mlir::fuse::emu::parsePtx(std::string_view text) {
  return Parser(text).run();
}
