//===- FormsTest.cpp - Every form of every instruction --------------------===//
//
// Forms.txt lists them. Each loads; each is one that ptxas accepts, where it is
// there; and each is refused once a modifier or an operand is added or a
// modifier is written twice: nothing is skipped.
//
//===----------------------------------------------------------------------===//
#include "EmulatorTest.h"

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <unistd.h>

using namespace fuse_test;

namespace {
struct Form {
  std::string target, text;
};

/// "a<b|c>d" becomes "abd" and "acd"; "<||%p1>" is nothing or "|%p1".
void expand(const std::string &text, std::vector<std::string> &out) {
  size_t open = text.find('<'), close = text.find('>', open);
  if (open == std::string::npos) {
    out.push_back(text);
    return;
  }
  std::string inner = text.substr(open + 1, close - open - 1);
  std::vector<std::string> choices;
  if (inner.compare(0, 2, "||") == 0) {
    choices = {"", inner.substr(1)};
  } else {
    std::stringstream stream(inner + "|");
    for (std::string choice; std::getline(stream, choice, '|');)
      choices.push_back(choice);
  }
  for (const std::string &choice : choices)
    expand(text.substr(0, open) + choice + text.substr(close + 1), out);
}

const std::vector<Form> &forms() {
  static const std::vector<Form> all = [] {
    std::vector<Form> result;
    std::ifstream in(FUSE_TEST_SOURCE_DIR "/Forms.txt");
    std::string target;
    for (std::string line; std::getline(in, line);) {
      if (line.empty() || line[0] == '#')
        continue;
      if (line.compare(0, 3, "== ") == 0) {
        target = line.substr(3);
        continue;
      }
      std::vector<std::string> texts;
      expand(line, texts);
      for (const std::string &text : texts)
        result.push_back({target, text});
    }
    return result;
  }();
  return all;
}

const char *head = R"(.address_size 64
.global .align 128 .b8 gmem[256];
.const .align 128 .b8 cmem[256];
.visible .entry k()
{
  .reg .b8 %b<10>; .reg .b16 %h<20>; .reg .b32 %r<40>; .reg .b64 %d<40>;
  .reg .b128 %q<8>; .reg .f32 %f<40>; .reg .f64 %g<40>; .reg .pred %p<10>;
  .shared .align 128 .b8 smem[1024]; .shared .align 8 .b8 sbar[64];
  .local .align 16 .b8 lmem[64];
)";
/// The first line of a form in its module.
const std::string atLine = "test.ptx:12: ";

std::string moduleOf(const std::string &target, const std::string &lines) {
  return ".version 9.0\n.target " + target + "\n" + head + lines +
         "L:\n  ret;\n}\n";
}
std::string loadError(const Form &form, const std::string &text) {
  return fuse_test::loadError(moduleOf(form.target, text + "\n"));
}

TEST(Forms, Load) {
  EXPECT_GT(forms().size(), 3000u);
  for (const Form &form : forms())
    EXPECT_EQ(loadError(form, form.text), "") << form.text;
}

/// False when ptxas refuses any of the texts, with what it says.
bool assemble(const std::string &target, const std::vector<Form> &list,
              std::string &messages) {
  std::string path = testing::TempDir() + "fuse-forms-" +
                     std::to_string(getpid()) + "-" + target;
  std::string lines;
  for (const Form &form : list)
    lines += form.text + "\n";
  std::ofstream(path + ".ptx") << moduleOf(target, lines);
  std::string command = "ptxas -O0 -arch=" + target + " -c " + path +
                        ".ptx -o /dev/null > " + path + ".log 2>&1";
  int rc = std::system(command.c_str());
  std::ifstream in(path + ".log");
  for (std::string line; std::getline(in, line);)
    if (line.find("error") != std::string::npos ||
        line.find("fatal") != std::string::npos)
      messages += line + "\n";
  std::remove((path + ".ptx").c_str());
  std::remove((path + ".log").c_str());
  return rc == 0;
}

TEST(Forms, AreThoseOfTheAssembler) {
  if (std::system("ptxas --version > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "no ptxas";
  std::map<std::string, std::vector<Form>> byTarget;
  for (const Form &form : forms())
    byTarget[form.target].push_back(form);
  for (auto &[target, list] : byTarget) {
    std::string messages;
    EXPECT_TRUE(assemble(target, list, messages)) << target << ":\n"
                                                  << messages;
  }
}

/// Where the modifiers of an instruction start and end.
void modifiersOf(const std::string &text, size_t &start, size_t &end) {
  size_t opcode = text[0] == '@' ? text.find(' ') + 1 : 0;
  end = text.find_first_of(" ;", opcode);
  start = std::min(text.find('.', opcode), end);
}

TEST(Forms, UnknownModifiersAreRefused) {
  for (const Form &form : forms()) {
    size_t start, end;
    modifiersOf(form.text, start, end);
    std::string opcode = form.text.substr(0, start),
                mods = form.text.substr(start, end - start),
                rest = form.text.substr(end);
    for (const std::string &changed :
         {opcode + ".bogus" + mods + rest, opcode + mods + ".bogus" + rest}) {
      std::string error = loadError(form, changed);
      EXPECT_NE(error.find(atLine), std::string::npos)
          << changed << ": " << error;
      EXPECT_NE(error.find(changed), std::string::npos) << error;
    }
  }
}

TEST(Forms, RepeatedModifiersAreRefused) {
  // Layouts, types and the two priorities of a policy may be the same.
  auto mayRepeat = [](const std::string &mod) {
    static const char *const types[] = {".row",
                                        ".col",
                                        ".u8",
                                        ".s8",
                                        ".u16",
                                        ".s16",
                                        ".u32",
                                        ".s32",
                                        ".u64",
                                        ".s64",
                                        ".f16",
                                        ".f32",
                                        ".f64",
                                        ".b1",
                                        ".u4",
                                        ".s4",
                                        ".f16x2",
                                        ".bf16",
                                        ".bf16x2",
                                        ".e4m3",
                                        ".e5m2",
                                        ".L2::evict_first",
                                        ".L2::evict_unchanged"};
    for (const char *type : types)
      if (mod == type)
        return true;
    return false;
  };
  for (const Form &form : forms()) {
    size_t start, end;
    modifiersOf(form.text, start, end);
    std::string mods = form.text.substr(start, end - start);
    for (size_t at = 0; at < mods.size();) {
      size_t next = std::min(mods.find('.', at + 1), mods.size());
      std::string mod = mods.substr(at, next - at);
      at = next;
      if (mayRepeat(mod))
        continue;
      std::string changed = form.text;
      changed.insert(end, mod);
      EXPECT_NE(loadError(form, changed), "") << changed;
    }
  }
}

TEST(Forms, UnexpectedOperandsAreRefused) {
  for (const Form &form : forms()) {
    std::string changed = form.text;
    size_t start, end;
    modifiersOf(form.text, start, end);
    bool bare = form.text[end] == ';';
    changed.insert(changed.rfind(';'), bare ? " %r39, %r38" : ", %r39, %r38");
    EXPECT_NE(loadError(form, changed), "") << changed;
  }
}

TEST(Forms, WrongTypesAndMissingModifiersAreRefused) {
  for (const char *text : {"sub.b16 %h1, %h2, %h3;",
                           "clz.u16 %r1, %r2;",
                           "popc.f32 %r1, %d2;",
                           "brev.f32 %r1, %r2;",
                           "mov.b8 %d1, gmem+8;",
                           "bfe.f32 %r1, %r2, 1, 2;",
                           "fma.f32 %f1, %f2, %f3, %f4;",
                           "fma.relu.bf16 %h1, %h2, %h3, %h4;",
                           "mad.f32 %f1, %f2, %f3, %f4;",
                           "rcp.f32 %f1, %f2;",
                           "sqrt.ftz.f32 %f1, %f2;",
                           "div.f64 %g1, %g2, %g3;",
                           "mad.cc.u32 %r1, %r2, %r3, %r4;",
                           "szext.u32 %r1, %r2, %r3;",
                           "shf.l.b32 %r1, %r2, %r3, %r4;",
                           "dp2a.u32.u32 %r1, %r2, %r3, %r4;",
                           "redux.max.NaN.f32 %f1, %f2, %r3;",
                           "match.any.b64 %r1, %d2, %r3;",
                           "match.sync.b32 %r1, %r2, %r3;",
                           "cvta.u64 %d1, %d2;",
                           "cvt.f16.f64 %h1, %g2;",
                           "cvt.u32.f16 %r1, %h2;",
                           "cvt.bf16x2.f32 %r1, %f2, %f3;",
                           "cvt.rni.u32.rp.f16 %r1, %h2;",
                           "setp.ge.b16 %p1, %h2, %h3;",
                           "max.xorsign.f16 %h1, %h2, %h3;",
                           "mbarrier.pending_count %r1, %d1;",
                           "add.s32 %r1|%p1, %r2, %r3;",
                           "lop3.b32 %r1|%p1, %r2, %r3, %r4, 5;",
                           "setp.eq.s32 %p1|%p2, %r1|%p1, %r2;",
                           "match.any.sync.b32 %r1|%p1, %r2, %r3;",
                           "ld.global.v2.b32 {%r1,%r2}|%p1, [%d1];",
                           "mov.b64 {%r1|%p1,%r2}, %d1;"})
    EXPECT_NE(loadError({"sm_100a", ""}, text), "") << text;
}

TEST(Forms, WhatIsNotSupportedIsNamed) {
  struct {
    const char *text, *what;
  } rows[] = {
      {"tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 32;",
       "tensor memory (tcgen05)"},
      {"tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d1, {%f1,%f2}];", "textures"},
      {"suld.b.2d.b32.trap %r1, [%d1, {%r2,%r3}];", "surfaces"},
      {"multimem.ld_reduce.global.add.u32 %r1, [%d1];",
       "memory of several devices"},
      {"mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 "
       "{%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r1,%r2,%r3,%r4}, "
       "{%f5,%f6,%f7,%f8}, %r1, 2;",
       "sparsity selector 2 is not below 2"},
      {"cvt.rs.e4m3x4.f32 %r1, {%f1,%f2,%f3,%f4}, %r4;",
       "expected '.satfinite'"},
      {"cvt.rs.satfinite.e2m1x4.f32 %h1, {%f1,%f2}, %r4;",
       "expected a vector of 4 elements"},
      {"cvt.rs.bf16.f32 %h1, %f2, %r4;", "unsupported types of 'cvt.rs'"},
      {"frobnicate.b32 %r1;", "unknown instruction 'frobnicate'"},
  };
  for (auto &row : rows) {
    std::string error = loadError({"sm_100a", ""}, row.text);
    EXPECT_NE(error.find(row.what), std::string::npos) << error;
    EXPECT_NE(error.find(atLine), std::string::npos) << error;
  }
}
} // namespace
