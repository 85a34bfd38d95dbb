//===- PtxLexer.cpp - Tokens of PTX text ----------------------------------===//
//
// Hand-written, because the text is a few token kinds and the emulator must
// not depend on anything. Every position is bounds-checked: input is hostile.
//
//===----------------------------------------------------------------------===//
#include "PtxLexer.h"

#include <cctype>
#include <cstdlib>

using namespace mlir::fuse::emu;

static bool isIdentStart(char c) {
  return std::isalpha((unsigned char)c) || c == '_' || c == '$' || c == '%';
}
static bool isIdentChar(char c) {
  return std::isalnum((unsigned char)c) || c == '_' || c == '$';
}

void PtxLexer::skipSpace() {
  while (pos < text.size()) {
    char c = text[pos];
    if (c == '\n') {
      ++line;
      ++pos;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++pos;
    } else if (text.substr(pos, 2) == "//") {
      pos = std::min(text.find('\n', pos), text.size());
    } else if (text.substr(pos, 2) == "/*") {
      size_t end = text.find("*/", pos + 2);
      if (end == std::string_view::npos)
        throw PtxError(line, "unterminated comment");
      for (size_t i = pos; i < end; ++i)
        line += text[i] == '\n';
      pos = end + 2;
    } else if (c == '\0') {
      pos = text.size(); // A NUL ends the text, as for the driver.
    } else {
      return;
    }
  }
}

/// End of the run of characters from `from` on that satisfy `is`.
template <typename F>
static size_t endOf(std::string_view text, size_t from, F is) {
  while (from < text.size() && is(text[from]))
    ++from;
  return from;
}
static bool isDigit(char c) { return std::isdigit((unsigned char)c) != 0; }

/// End of an exponent at `from`, which is `from` where there is none.
static size_t endOfExponent(std::string_view text, size_t from) {
  if (from >= text.size() || (text[from] != 'e' && text[from] != 'E'))
    return from;
  size_t digits = from + 1;
  if (digits < text.size() && (text[digits] == '-' || text[digits] == '+'))
    ++digits;
  size_t end = endOf(text, digits, isDigit);
  return end > digits ? end : from;
}

/// End of a fraction with its exponent at the point `from`; `from` where what
/// follows the point is a name.
static size_t endOfFraction(std::string_view text, size_t from) {
  size_t digits = endOf(text, from + 1, isDigit);
  size_t end = endOfExponent(text, digits);
  return end < text.size() && isIdentChar(text[end]) ? from : end;
}

/// "12", "012", "1.5", "1.", ".5", "1e-3".
void PtxLexer::lexDecimal() {
  size_t integer = endOf(text, pos, isDigit);
  size_t end = integer;
  if (end < text.size() && text[end] == '.')
    end = endOfFraction(text, end);
  if (end == integer)
    end = endOfExponent(text, end);
  bool isFloat = end != integer;
  std::string spelled(text.substr(pos, end - pos));
  current.kind = isFloat ? Token::Decimal : Token::Int;
  if (isFloat)
    current.decimal = std::strtod(spelled.c_str(), nullptr);
  else // A leading zero means octal, as in C.
    current.bits = std::strtoull(spelled.c_str(), nullptr, 0);
  pos = end;
}

void PtxLexer::lexNumber() {
  size_t start = pos;
  char second = pos + 1 < text.size() ? text[pos + 1] : 0;
  auto lexPrefixed = [&](auto is, int base) {
    size_t end = endOf(text, pos + 2, is);
    std::string digits(text.substr(pos + 2, end - pos - 2));
    current.bits = std::strtoull(digits.c_str(), nullptr, base);
    pos = end;
    return digits.size();
  };
  auto isHex = [](char c) { return std::isxdigit((unsigned char)c) != 0; };
  bool isDouble = second == 'd' || second == 'D';
  current.kind = Token::Int;
  if (text[pos] == '0' && (second == 'f' || second == 'F' || isDouble)) {
    current.kind = isDouble ? Token::F64 : Token::F32;
    if (lexPrefixed(isHex, 16) != (isDouble ? 16u : 8u))
      throw PtxError(line, "malformed floating-point literal");
  } else if (text[pos] == '0' && (second == 'x' || second == 'X')) {
    lexPrefixed(isHex, 16);
  } else if (text[pos] == '0' && (second == 'b' || second == 'B')) {
    lexPrefixed([](char c) { return c == '0' || c == '1'; }, 2);
  } else {
    lexDecimal();
  }
  if (current.kind == Token::Int && pos < text.size() && text[pos] == 'U')
    ++pos;
  current.text = text.substr(start, pos - start);
}

/// A point that begins an operand, not a modifier of what stands before it.
bool PtxLexer::startsFraction() const {
  return text[pos] == '.' && pos + 1 < text.size() && isDigit(text[pos + 1]) &&
         pos != 0 && !isIdentChar(text[pos - 1]) &&
         endOfFraction(text, pos) != pos;
}

void PtxLexer::advance() {
  skipSpace();
  current = Token();
  current.line = line;
  tokenStart = pos;
  if (pos >= text.size())
    return;
  char c = text[pos];
  size_t start = pos;
  if (isIdentStart(c)) {
    ++pos;
    while (pos < text.size() && isIdentChar(text[pos]))
      ++pos;
    current.kind = Token::Ident;
    current.text = text.substr(start, pos - start);
  } else if (isDigit(c) || startsFraction()) {
    lexNumber();
  } else if (c == '.' && pos + 1 < text.size() && isIdentChar(text[pos + 1])) {
    ++pos;
    while (pos < text.size() &&
           (isIdentChar(text[pos]) || text.substr(pos, 2) == "::"))
      pos += isIdentChar(text[pos]) ? 1 : 2;
    current.kind = Token::Dot;
    current.text = text.substr(start + 1, pos - start - 1);
  } else if (c == '"') {
    size_t end = pos + 1;
    while (end < text.size() && text[end] != '"' && text[end] != '\n')
      end += text[end] == '\\' ? 2 : 1;
    if (end >= text.size() || text[end] != '"')
      throw PtxError(line, "unterminated string");
    current.kind = Token::String;
    current.text = text.substr(pos + 1, end - pos - 1);
    pos = end + 1;
  } else {
    current.kind = Token::Punct;
    current.punct = c;
    current.text = text.substr(pos, 1);
    ++pos;
  }
}

void PtxLexer::expect(char c) {
  if (!accept(c))
    throw PtxError(current.line, std::string("expected '") + c +
                                     "', but got '" +
                                     std::string(current.text) + "'");
}

std::string_view PtxLexer::restOfLine() {
  if (current.kind == Token::End)
    return {};
  size_t end = std::min(text.find('\n', tokenStart), text.size());
  std::string_view rest = text.substr(tokenStart, end - tokenStart);
  line = current.line;
  pos = end;
  advance();
  return rest;
}

void PtxLexer::skipBraces() {
  if (!isPunct('{'))
    throw PtxError(current.line, "expected '{'");
  unsigned depth = 0, startLine = current.line;
  while (current.kind != Token::End) {
    if (isPunct('{'))
      ++depth;
    if (isPunct('}') && --depth == 0) {
      advance();
      return;
    }
    advance();
  }
  throw PtxError(startLine, "unterminated '{'");
}
