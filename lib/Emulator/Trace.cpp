//===- Trace.cpp - What one block does, line by line ----------------------===//
//
// Before an instruction its warp, lanes and text with the values it reads, so
// that the one which fails is complete; after it what it wrote.
//
//===----------------------------------------------------------------------===//
#include "Trace.h"

#include <algorithm>

using namespace mlir::fuse::emu;

/// Lanes whose values are shown.
static constexpr unsigned shownLanes = 4;

static std::string textOf(const Warp &w, const Inst &i) {
  const auto &lines = w.block->launch->module->lines;
  std::string text = i.line - 1 < lines.size() ? lines[i.line - 1] : "";
  size_t start = text.find_first_not_of(" \t");
  return start == std::string::npos ? "" : text.substr(start);
}

/// A pointer into device memory as allocation and offset, else the number.
static std::string wideValue(Warp &w, uint64_t value) {
  for (const Allocation &a : w.block->launch->allocations)
    if (value - a.base < std::max<uint64_t>(a.size, 1))
      return (a.name.empty() ? "#" + std::to_string(a.serial) : a.name) + "+" +
             std::to_string(value - a.base);
  return std::to_string(int64_t(value));
}

static std::string laneValue(Warp &w, const RegisterName &reg, unsigned lane) {
  char text[32];
  if (reg.type.totalBits() == 64) {
    uint64_t bits = w.reg<uint64_t>(reg.slot)[lane];
    if (reg.type.kind != RawType::Float)
      return wideValue(w, bits);
    double value;
    memcpy(&value, &bits, 8);
    snprintf(text, sizeof text, "%g", value);
    return text;
  }
  uint32_t bits = w.reg<uint32_t>(reg.slot)[lane];
  if (reg.type.kind != RawType::Float || reg.type.bits != 32)
    return std::to_string(int32_t(bits));
  float value;
  memcpy(&value, &bits, 4);
  snprintf(text, sizeof text, "%g", double(value));
  return text;
}

/// The values of the first lanes of `mask`; one if all have the same.
static std::string valuesOf(Warp &w, const RegisterName &reg, uint32_t mask) {
  std::string text = reg.name + " =";
  if (reg.type.kind == RawType::Pred) {
    char bits[16];
    snprintf(bits, sizeof bits, " %08x", *w.reg<uint32_t>(reg.slot) & mask);
    return text + bits;
  }
  if (!mask || reg.type.totalBits() > 64)
    return text + " ?";
  std::string first = laneValue(w, reg, __builtin_ctz(mask));
  bool isUniform = true;
  forLanes(mask,
           [&](unsigned l) { isUniform &= laneValue(w, reg, l) == first; });
  if (isUniform)
    return text + " " + first;
  unsigned shown = 0;
  forLanes(mask, [&](unsigned l) {
    if (shown++ < shownLanes)
      text += " " + laneValue(w, reg, l);
  });
  return shown > shownLanes ? text + " .." : text;
}

/// The registers that stand in `text`, each once, in their order.
static std::vector<const RegisterName *>
registersIn(const Warp &w, const Inst &i, const std::string &text) {
  uint32_t pc = uint32_t(&i - w.program->code.data());
  const std::vector<RegisterName> *names = nullptr;
  for (const RegisterGroup &group : w.program->registerGroups)
    if (group.start <= pc)
      names = &group.names;
  std::vector<const RegisterName *> found;
  for (size_t at = text.find('%'); names && at < text.size();
       at = text.find('%', at + 1)) {
    size_t end = at + 1;
    while (end < text.size() && (isalnum(text[end]) || strchr("_$", text[end])))
      ++end;
    std::string_view name = std::string_view(text).substr(at, end - at);
    for (const RegisterName &reg : *names)
      if (reg.name == name &&
          std::find(found.begin(), found.end(), &reg) == found.end())
        found.push_back(&reg);
  }
  return found;
}

/// The registers of the first operand of an instruction that has a result.
static size_t numResults(const Warp &w, const Inst &i,
                         const std::string &text) {
  size_t space =
      text.find_first_of(" \t", text[0] == '@' ? text.find(' ') + 1 : 0);
  std::string_view opcode = std::string_view(text).substr(0, space);
  if (text[0] == '@')
    opcode.remove_prefix(text.find(' ') + 1);
  for (const char *none : {"st.", "red.", "bra", "bar", "call", "cp.", "ret"})
    if (opcode.substr(0, strlen(none)) == none)
      return 0;
  if (space == std::string::npos)
    return 0;
  size_t end = text.find_first_of(",;", space);
  if (size_t brace = text.find('{', space); brace < end)
    end = text.find('}', brace);
  return registersIn(w, i, text.substr(space, end - space)).size();
}

static void append(Warp &w, const char *lead, uint32_t mask,
                   const std::vector<const RegisterName *> &registers) {
  std::string text;
  for (const RegisterName *reg : registers)
    text += (text.empty() ? "" : ", ") + valuesOf(w, *reg, mask);
  if (!text.empty())
    *w.worker->trace += lead + text + "\n";
}

namespace {
/// The registers of a line by their part in it.
struct Parts {
  std::vector<const RegisterName *> results, sources;
  Parts(const Warp &w, const Inst &i) {
    std::string text = textOf(w, i);
    // The guard is in the mask.
    size_t start = text[0] == '@' ? text.find(' ') : 0;
    std::vector<const RegisterName *> all =
        registersIn(w, i, text.substr(std::min(start, text.size())));
    size_t count = std::min(numResults(w, i, text), all.size());
    results.assign(all.begin(), all.begin() + count);
    sources.assign(all.begin() + count, all.end());
  }
};
} // namespace

void mlir::fuse::emu::traceBefore(Warp &w, const Inst &i, uint32_t mask) {
  char head[64];
  snprintf(head, sizeof head, "warp %-2u mask %08x  line %-5u ", w.index, mask,
           i.line);
  *w.worker->trace += head + textOf(w, i) + "\n";
  append(w, "      ", mask, Parts(w, i).sources);
}

void mlir::fuse::emu::traceAfter(Warp &w, const Inst &i, uint32_t mask) {
  append(w, "   -> ", mask, Parts(w, i).results);
}
