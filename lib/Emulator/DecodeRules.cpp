//===- DecodeRules.cpp - Types and modifiers an instruction must have -----===//
//
// What can be said of an instruction by its name alone: the types it has and
// the modifiers of which it needs one. The families check what is left.
//
//===----------------------------------------------------------------------===//
#include "Decoder.h"

#include <algorithm>
#include <sstream>

using namespace mlir::fuse::emu;

namespace {
using Names = std::vector<std::string>;

struct Rule {
  Names types;
  std::vector<Names> needed; ///< One of each.
};

Names split(const std::string &text) {
  std::stringstream stream(text);
  Names names;
  for (std::string name; stream >> name;)
    names.push_back(name);
  return names;
}

const char *const roundings = "rn rz rm rp";
const char *const halves = "f16 f16x2 bf16 bf16x2 ";

/// Instructions with the same types, and these.
struct TypeRow {
  const char *opcodes;
  std::string types;
};
const TypeRow typeRows[] = {
    {"abs neg", std::string(halves) + "s16 s32 s64 f32 f64"},
    {"activemask bmsk fns lop3 prmt shf shfl", "b32"},
    {"add", std::string(halves) + "u16 u32 u64 u16x2 s16 s32 s64 s16x2 f32 "
                                  "f32x2 f64"},
    {"addc bfe bfind madc subc", "u32 u64 s32 s64"},
    {"alloca cvta stackrestore stacksave getctarank mapa", "u32 u64"},
    {"and not or xor", "pred b16 b32 b64"},
    {"bar barrier", "pred u32"},
    {"bfi brev clz match popc tensormap", "b32 b64"},
    {"cnot shl", "b16 b32 b64"},
    {"copysign rcp rsqrt sqrt testp", "f32 f64"},
    {"cos lg2 sin", "f32"},
    {"createpolicy mbarrier", "b64"},
    {"cvt",
     "b32 u2 u4 u8 u16 u32 u64 s2 s4 s8 s16 s32 s64 f16 f16x2 bf16 "
     "bf16x2 tf32 f32 f64 e4m3x2 e5m2x2 e2m3x2 e3m2x2 e2m1x2 ue8m0x2 e4m3x4 "
     "e5m2x4 e2m3x4 e3m2x4 e2m1x4"},
    {"div mad", "u16 u32 u64 s16 s32 s64 f32 f64"},
    {"dp2a dp4a mad24 mul24 szext vabsdiff vabsdiff2 vabsdiff4 vadd vadd2 "
     "vadd4 vavrg2 vavrg4 vmad vmax vmax2 vmax4 vmin vmin2 vmin4 vset vset2 "
     "vset4 vshl vshr vsub vsub2 vsub4",
     "u32 s32"},
    {"ex2 tanh", std::string(halves) + "f32"},
    {"fma", std::string(halves) + "f32 f32x2 f64"},
    {"ld ldu st", "b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64"},
    {"max min",
     std::string(halves) + "u16 u32 u64 u16x2 s16 s32 s64 s16x2 f32 f64"},
    {"mov", "pred b16 b32 b64 b128 u16 u32 u64 s16 s32 s64 f32 f64"},
    {"mul sub", std::string(halves) + "u16 u32 u64 s16 s32 s64 f32 f32x2 f64"},
    {"redux", "b32 u32 s32 f32"},
    {"rem sad", "u16 u32 u64 s16 s32 s64"},
    {"selp slct", "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64"},
    {"set setp",
     std::string(halves) + "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64"},
    {"shr", "b16 b32 b64 u16 u32 u64 s16 s32 s64"},
    {"vote", "pred b32"}};

/// Instructions that need one of the modifiers.
const std::pair<const char *, const char *> neededRows[] = {
    {"fma", roundings},
    {"mad", "rn rz rm rp lo hi wide"},
    {"madc", "lo hi"},
    {"rcp", "approx rn rz rm rp"},
    {"sqrt", "approx rn rz rm rp"},
    {"szext", "clamp wrap"},
    {"bmsk", "clamp wrap"},
    {"shf", "clamp wrap"},
    {"shf", "l r"},
    {"dp2a", "lo hi"},
    {"match", "sync"},
    {"match", "any all"},
    {"redux", "sync"},
    {"redux", "add min max and or xor"},
    {"elect", "sync"},
    {"vote", "all any uni ballot"},
    {"cvta", "global shared shared::cta shared::cluster local const param "
             "param::entry"},
    {"isspacep", "global shared shared::cta shared::cluster local const param "
                 "param::entry"}};

const std::unordered_map<std::string, Rule> &rules() {
  static const std::unordered_map<std::string, Rule> table = [] {
    std::unordered_map<std::string, Rule> result;
    for (const TypeRow &row : typeRows)
      for (const std::string &opcode : split(row.opcodes))
        result[opcode].types = split(row.types);
    for (auto &[opcode, names] : neededRows)
      result[opcode].needed.push_back(split(names));
    return result;
  }();
  return table;
}

bool contains(const Names &names, const std::string &name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}
} // namespace

void Decoder::checkRules() const {
  const std::string &opcode = current->opcode;
  auto it = rules().find(opcode);
  if (it == rules().end())
    return;
  const Rule &rule = it->second;
  for (const std::string &mod : mods)
    if (!rule.types.empty() && parseType(mod).valid() &&
        !contains(rule.types, mod))
      fail("unsupported type '." + mod + "' of '" + opcode + "'");
  for (const Names &names : rule.needed) {
    bool has = std::any_of(mods.begin(), mods.end(), [&](const auto &mod) {
      return contains(names, mod);
    });
    if (has)
      continue;
    std::string list;
    for (const std::string &name : names)
      list += (list.empty() ? "'." : ", '.") + name + "'";
    fail("expected " + std::string(names.size() > 1 ? "one of " : "") + list +
         " with '" + opcode + "'");
  }
}
