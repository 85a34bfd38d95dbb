//===- PtxInit.cpp - Sizes and initialisers of variables ------------------===//
//
// As in C: braces for each dimension and for the elements of a vector, of which
// the last may be left out; what is not named is zero.
//
//===----------------------------------------------------------------------===//
#include "PtxParser.h"

#include <bit>

using namespace mlir::fuse::emu;

/// After the name: "[dims] [= init]". `elementBytes` is that of a vector's
/// element.
void PtxParser::parseVarTail(RawVar &var, unsigned elementBytes,
                             unsigned vector) {
  // Bytes of the whole, of a row, ..., of a vector.
  std::vector<uint64_t> levels;
  bool isOpen = false;
  while (lexer.accept('[')) {
    bool isOmitted = lexer.accept(']');
    uint64_t count = isOmitted ? 0 : integer();
    if (!isOmitted)
      lexer.expect(']');
    else if (!levels.empty())
      fail("expected a size: only the first one may be left out");
    isOpen |= isOmitted;
    levels.push_back(count);
  }
  var.size = uint64_t(elementBytes) * vector;
  if (vector > 1)
    levels.push_back(1);
  for (size_t level = levels.size(); level-- > 0;) {
    uint64_t count = levels[level];
    if (count && var.size > (uint64_t(1) << 30) / count)
      fail("variable '" + var.name + "' is too large");
    levels[level] = var.size *= count;
  }
  if (!lexer.accept('='))
    return;
  var.init.clear();
  initBytes = isOpen ? uint64_t(1) << 30 : var.size;
  if (isOpen)
    levels[0] = initBytes;
  if (levels.empty())
    levels.push_back(var.size);
  parseInit(var, elementBytes, levels, 0);
  uint64_t row = levels.size() > 1 ? levels[1] : elementBytes;
  if (isOpen)
    var.size = (var.init.size() + row - 1) / row * row;
}

/// What fills `levels[level]` bytes, or one scalar.
void PtxParser::parseInit(RawVar &var, unsigned elementBytes,
                          const std::vector<uint64_t> &levels, size_t level) {
  NestingScope scope(*this);
  if (!lexer.accept('{'))
    return putInit(var, elementBytes);
  uint64_t start = var.init.size();
  uint64_t end = start + (level < levels.size() ? levels[level] : elementBytes);
  while (!lexer.accept('}')) {
    bool isPart = lexer.isPunct('{');
    parseInit(var, elementBytes, levels, level + 1);
    if (!lexer.accept(',') && !lexer.isPunct('}'))
      failAt("',' or '}'");
    if (isPart && var.init.size() > end)
      fail("initialiser is larger than '" + var.name + "'");
  }
  if (var.init.size() > end)
    fail("initialiser is larger than '" + var.name + "'");
  if (level) // The rest of the whole is zero anyway.
    var.init.resize(end);
}

/// "[mask(] [generic(] symbol [)] [+ offset] [)]": an address, or a byte of it.
void PtxParser::putAddress(RawVar &var, unsigned elementBytes, uint64_t mask) {
  RawVar::Reloc reloc;
  reloc.at = var.init.size();
  reloc.name = ident("a symbol");
  if (reloc.name == "generic" && lexer.accept('(')) {
    reloc.name = ident("a symbol");
    lexer.expect(')');
  }
  while (lexer.isPunct('+') || lexer.isPunct('-')) {
    bool negative = lexer.next().punct == '-';
    int64_t value = int64_t(integer());
    reloc.addend += negative ? -value : value;
  }
  if (!mask && elementBytes != 8)
    fail("expected elements of 64 bits for the address of '" + reloc.name +
         "'");
  if (mask) {
    unsigned shift = unsigned(std::countr_zero(mask));
    if (elementBytes != 1 || shift % 8 || mask >> shift != 0xff)
      fail("expected a mask of one byte, and elements of one");
    reloc.byte = int(shift / 8);
  }
  var.relocs.push_back(std::move(reloc));
}

void PtxParser::putInit(RawVar &var, unsigned elementBytes) {
  uint64_t bits = 0;
  if (lexer.peek().kind == Token::Ident) {
    putAddress(var, elementBytes, 0);
  } else {
    bool negative = lexer.accept('-');
    RawOperand literal = parseLiteral(negative);
    bits = literal.bits;
    if (literal.kind == RawOperand::Int && lexer.accept('(')) {
      putAddress(var, elementBytes, bits);
      lexer.expect(')');
      bits = 0;
    } else if (literal.kind == RawOperand::Decimal) {
      bits = elementBytes == 8
                 ? std::bit_cast<uint64_t>(literal.decimal)
                 : std::bit_cast<uint32_t>(float(literal.decimal));
    }
  }
  if (var.init.size() + elementBytes > initBytes)
    fail("initialiser is larger than '" + var.name + "'");
  for (unsigned i = 0; i < elementBytes; ++i)
    var.init.push_back(i < 8 ? uint8_t(bits >> (8 * i)) : 0);
}
