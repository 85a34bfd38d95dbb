//===- PtxBody.cpp - The bodies of PTX functions --------------------------===//
//
// Registers, labels, instructions and their operands.
//
//===----------------------------------------------------------------------===//
#include "PtxParser.h"

#include <cstdlib>

using namespace mlir::fuse::emu;

void PtxParser::parseBody(RawFunction &function) {
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

/// "used_bytes_mask" says which bytes the next instruction loads; the others
/// may lie beyond the allocation.
void PtxParser::parseBodyPragma() {
  constexpr std::string_view usedBytes = "used_bytes_mask ";
  while (!lexer.accept(';') && lexer.peek().kind != Token::End) {
    std::string_view text = lexer.next().text;
    if (text.substr(0, usedBytes.size()) == usedBytes)
      nextUsedBytes = uint32_t(strtoul(
          std::string(text.substr(usedBytes.size())).c_str(), nullptr, 0));
  }
}

bool PtxParser::parseBodyDirective() {
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

int PtxParser::addReg(const std::string &name, RawType type, bool special) {
  fn->regs.push_back({name, type, special});
  return int(fn->regs.size()) - 1;
}

void PtxParser::parseRegs() {
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

int PtxParser::lookupReg(const std::string &name) {
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

int PtxParser::lookupVar(const std::string &name) {
  for (size_t i = scopes.size(); i-- > 0;) {
    auto it = scopes[i].vars.find(name);
    if (it != scopes[i].vars.end())
      return it->second;
  }
  return -1;
}

int PtxParser::specialReg(std::string name) {
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

RawOperand PtxParser::parseLiteral(bool negative) {
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

void PtxParser::parseSymbol(RawOperand &operand) {
  operand.var = lookupVar(operand.name);
  while (lexer.isPunct('+') || lexer.isPunct('-')) {
    bool negative = lexer.next().punct == '-';
    bool again = lexer.accept('-');
    int64_t value = int64_t(integer());
    operand.offset += negative != again ? -value : value;
  }
}

RawOperand PtxParser::parseMemory() {
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

/// "|%p" after a register or a vector.
void PtxParser::parseSecond(RawOperand &operand) {
  if (!lexer.accept('|'))
    return;
  RawOperand second = parseOperand();
  if (second.kind == RawOperand::Reg)
    operand.reg2 = second.reg;
  else if (second.kind != RawOperand::Sink)
    fail("expected a register after '|'");
}

RawOperand PtxParser::parseOperand() {
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
    parseSecond(operand);
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
  parseSecond(operand);
  return operand;
}

void PtxParser::parseInstruction(RawInst &inst) {
  inst.opcode = ident("an instruction");
  while (lexer.peek().kind == Token::Dot)
    inst.mods.emplace_back(lexer.next().text);
  while (!lexer.accept(';')) {
    inst.operands.push_back(parseOperand());
    if (!lexer.accept(',') && !lexer.isPunct(';'))
      failAt("',' or ';'");
  }
}

void PtxParser::parseStatement() {
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
