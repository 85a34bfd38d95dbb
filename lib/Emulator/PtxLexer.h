//===- PtxLexer.h - Tokens of PTX text ----------------------------*- C++ -*-=//
//
// Splits PTX into tokens. A dot starts a modifier token (".global",
// ".L1::evict_last") so that opcodes and directives come apart by themselves.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_LIB_EMULATOR_PTXLEXER_H
#define FUSE_LIB_EMULATOR_PTXLEXER_H

#include "Ptx.h"

namespace mlir::fuse::emu {

struct Token {
  enum Kind : uint8_t {
    End,
    Ident,
    Dot,
    Int,
    F32,
    F64,
    Decimal,
    String,
    Punct
  };
  Kind kind = End;
  char punct = 0;
  unsigned line = 1;
  std::string_view text; ///< Without the leading dot of Dot, without quotes.
  uint64_t bits = 0;
  double decimal = 0;
};

class PtxLexer {
public:
  explicit PtxLexer(std::string_view text) : text(text) { advance(); }

  const Token &peek() const { return current; }
  Token next() {
    Token token = current;
    advance();
    return token;
  }
  bool isPunct(char c) const {
    return current.kind == Token::Punct && current.punct == c;
  }
  bool accept(char c) {
    if (!isPunct(c))
      return false;
    advance();
    return true;
  }
  void expect(char c);
  /// The rest of the current line; tokens of it that were read are included
  /// from the current one on.
  std::string_view restOfLine();
  /// Skips a balanced "{ ... }" whose contents need not be PTX.
  void skipBraces();

private:
  void advance();
  void skipSpace();
  void lexNumber();
  void lexDecimal();
  bool startsFraction() const;
  std::string_view text;
  size_t pos = 0, tokenStart = 0;
  unsigned line = 1;
  Token current;
};

} // namespace mlir::fuse::emu

#endif // FUSE_LIB_EMULATOR_PTXLEXER_H
