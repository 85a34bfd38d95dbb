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

void PtxLexer::lexNumber() {
  size_t start = pos;
  char second = pos + 1 < text.size() ? text[pos + 1] : 0;
  auto digits = [&](size_t from, auto isDigit) {
    size_t end = from;
    while (end < text.size() && isDigit(text[end]))
      ++end;
    return end;
  };
  auto isHex = [](char c) { return std::isxdigit((unsigned char)c) != 0; };
  if (text[pos] == '0' && (second == 'f' || second == 'F' || second == 'd' ||
                           second == 'D')) {
    bool isDouble = second == 'd' || second == 'D';
    size_t end = digits(pos + 2, isHex);
    if (end - pos - 2 != (isDouble ? 16u : 8u))
      throw PtxError(line, "malformed floating-point literal");
    current.kind = isDouble ? Token::F64 : Token::F32;
    current.bits =
        std::strtoull(std::string(text.substr(pos + 2, end - pos - 2)).c_str(),
                      nullptr, 16);
    pos = end;
  } else if (text[pos] == '0' && (second == 'x' || second == 'X')) {
    size_t end = digits(pos + 2, isHex);
    current.kind = Token::Int;
    current.bits =
        std::strtoull(std::string(text.substr(pos + 2, end - pos - 2)).c_str(),
                      nullptr, 16);
    pos = end;
  } else if (text[pos] == '0' && (second == 'b' || second == 'B')) {
    size_t end = digits(pos + 2, [](char c) { return c == '0' || c == '1'; });
    current.kind = Token::Int;
    current.bits =
        std::strtoull(std::string(text.substr(pos + 2, end - pos - 2)).c_str(),
                      nullptr, 2);
    pos = end;
  } else {
    auto isDec = [](char c) { return std::isdigit((unsigned char)c) != 0; };
    size_t end = digits(pos, isDec);
    bool isFloat = false;
    if (end + 1 < text.size() && text[end] == '.' && isDec(text[end + 1])) {
      isFloat = true;
      end = digits(end + 1, isDec);
    }
    if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
      size_t exp = end + 1;
      if (exp < text.size() && (text[exp] == '-' || text[exp] == '+'))
        ++exp;
      size_t expEnd = digits(exp, isDec);
      if (expEnd > exp) {
        isFloat = true;
        end = expEnd;
      }
    }
    std::string spelled(text.substr(pos, end - pos));
    current.kind = isFloat ? Token::Decimal : Token::Int;
    if (isFloat)
      current.decimal = std::strtod(spelled.c_str(), nullptr);
    else // A leading zero means octal, as in C.
      current.bits = std::strtoull(spelled.c_str(), nullptr, 0);
    pos = end;
  }
  if (current.kind == Token::Int && pos < text.size() && text[pos] == 'U')
    ++pos;
  current.text = text.substr(start, pos - start);
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
  } else if (std::isdigit((unsigned char)c)) {
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
