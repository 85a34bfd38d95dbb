//===- PtxParser.cpp - The top level of PTX -------------------------------===//
//
// Directives, variables with their values, and the heads of functions.
//
//===----------------------------------------------------------------------===//
#include "PtxParser.h"

#include <cstring>

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
        {"e4m3x4", {T::Float8, 8, 4}},   {"e5m2x4", {T::Float8, 8, 4}},
        {"e2m3x4", {T::Float6, 8, 4}},   {"e3m2x4", {T::Float6, 8, 4}},
        {"e2m1x4", {T::Float4, 4, 4}},   {"s2", {T::Signed, 2, 1}},
        {"u2", {T::Unsigned, 2, 1}},     {"b1", {T::Bits, 1, 1}},
    };
    return map;
  }();
  auto it = types.find(name);
  return it == types.end() ? RawType() : it->second;
}

RawModule PtxParser::run() {
  while (lexer.peek().kind != Token::End)
    parseModuleDirective();
  if (module.version.empty())
    throw PtxError(1, "expected a '.version' directive");
  return std::move(module);
}

std::optional<Space> PtxParser::spaceOf(std::string_view name) {
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

void PtxParser::parseFile() {
  uint64_t index = integer();
  if (lexer.peek().kind != Token::String)
    failAt("a file name");
  module.files[index] = std::string(lexer.next().text);
  while (lexer.accept(',')) // Time stamp and size.
    integer();
}

void PtxParser::parseLoc() {
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

void PtxParser::parseModuleDirective() {
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

RawVar PtxParser::parseVar(Space space, bool isExtern) {
  RawVar var;
  var.space = space;
  var.isExtern = isExtern;
  var.line = lexer.peek().line;
  unsigned vector = 1;
  bool isOpaque = false;
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
    } else if (name == "texref" || name == "samplerref" || name == "surfref") {
      isOpaque = true;
      var.type = {RawType::Bits, 64, 1};
    } else if (RawType type = parseType(name); type.valid())
      var.type = type;
    else
      fail("unknown type or attribute '." + name + "'");
  }
  if (!var.type.valid())
    fail("expected a type");
  var.name = ident("a variable name");
  unsigned elementBytes = std::max(1u, var.type.totalBits() / 8);
  if (!var.align)
    var.align = elementBytes * vector;
  if (var.align > 4096 || (var.align & (var.align - 1)))
    fail("expected a power of two up to 4096 as alignment");
  if (!isOpaque) {
    parseVarTail(var, elementBytes, vector);
    return var;
  }
  var.size = elementBytes; // Of a texture only its name can be used.
  if (lexer.accept('='))
    lexer.skipBraces();
  return var;
}

void PtxParser::parseThreads(unsigned (&dims)[3]) {
  for (unsigned i = 0; i < 3; ++i) {
    dims[i] = unsigned(integer());
    if (!lexer.accept(','))
      break;
  }
  for (unsigned &dim : dims)
    dim = dim ? dim : 1;
}

void PtxParser::parseFunctionAttributes(RawFunction &function) {
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
void PtxParser::parseAlias() {
  std::string name = ident("a function name");
  lexer.expect(',');
  module.aliases[name] = ident("a function name");
  lexer.expect(';');
}

std::vector<RawVar> PtxParser::parseParams() {
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

void PtxParser::parseParamList(RawFunction &function, std::vector<int> &list) {
  for (RawVar &var : parseParams()) {
    scopes.back().vars[var.name] = int(function.vars.size());
    list.push_back(int(function.vars.size()));
    function.vars.push_back(std::move(var));
  }
}

/// After ".callprototype": "(.param .b32 _) _ (.param .b64 _, ...) .noreturn;"
RawPrototype PtxParser::parsePrototype() {
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

void PtxParser::parseFunction(bool isEntry, bool isExtern) {
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
  return PtxParser(text).run();
}
