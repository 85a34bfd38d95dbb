// Basic blocks of machine code and how often they run.
#include "MachineCounts.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::bench;

namespace {
/// Instructions `begin` to `end`, which run one after the other.
struct BasicBlock {
  size_t begin = 0, end = 0;
  SmallVector<size_t, 2> successors;
  /// Of the innermost loop, as a number of `loops`; their number without one.
  size_t loop = 0;
};

/// Blocks from the target of a branch backwards to the branch.
struct Loop {
  size_t first = 0, last = 0;
};

class Counter {
public:
  Counter(const MachineKernel &kernel, StringRef ptx, const LineCounts &lines)
      : code(kernel.instructions), counts(lines) {
    ptx.split(texts, '\n');
  }
  double count();

private:
  void findBlocks();
  void findLoops();
  void countAnchors();
  llvm::BitVector findReached(size_t from) const;
  size_t getBlock(size_t instruction) const;
  StringRef getPtx(size_t instruction) const;
  bool isAnchor(size_t instruction) const;
  bool isWideDivision(size_t instruction) const {
    StringRef ptx = getPtx(instruction);
    return (ptx.starts_with("div.") || ptx.starts_with("rem.")) &&
           ptx.ends_with("64") && !ptx.ends_with("f64");
  }
  double getCount(size_t instruction) const {
    return counts.lookup(code[instruction].ptxLine);
  }
  double getExecutions(const BasicBlock &block) const;
  double getSubroutineLength(const MachineInstruction &call) const;

  ArrayRef<MachineInstruction> code;
  const LineCounts &counts;
  SmallVector<StringRef> texts;
  std::vector<BasicBlock> blocks;
  std::vector<Loop> loops;
  /// Anchors of a line in each loop; the most that one loop has of it; the most
  /// that a loop has of any line.
  std::map<std::pair<size_t, unsigned>, unsigned> anchors;
  llvm::DenseMap<unsigned, unsigned> mostOfLine;
  std::vector<unsigned> copies;
};
} // namespace

/// The operation of PTX on the line of `instruction`: `add.rn.f32`.
StringRef Counter::getPtx(size_t instruction) const {
  unsigned line = code[instruction].ptxLine;
  if (line == 0 || line > texts.size())
    return "";
  StringRef text = texts[line - 1].trim();
  if (text.starts_with("@"))
    text = text.split(' ').second.ltrim();
  return text.take_until([](char c) { return c == ' ' || c == '\t'; });
}

/// Whether an instruction is the one that its line of PTX becomes.
bool Counter::isAnchor(size_t instruction) const {
  static constexpr std::pair<StringLiteral, StringLiteral> pairs[] = {
      {"ld.global", "LDG"},   {"st.global", "STG"}, {"ld.shared", "LDS"},
      {"st.shared", "STS"},   {"shfl", "SHFL"},     {"bar", "BAR"},
      {"add", "FADD"},        {"sub", "FADD"},      {"mul", "FMUL"},
      {"fma.rn", "FFMA"},     {"max", "FMNMX"},     {"min", "FMNMX"},
      {"ex2.approx", "MUFU"}, {"rsqrt", "MUFU"},    {"lg2", "MUFU"},
      {"rcp.approx", "MUFU"}, {"setp", "FSETP"},    {"div.rn", "FCHK"},
      {"selp", "FSEL"},       {"atom", "ATOMG"}};
  StringRef ptx = getPtx(instruction);
  StringRef opcode = code[instruction].getOpcode();
  return counts.contains(code[instruction].ptxLine) &&
         llvm::any_of(pairs, [&](const auto &pair) {
           return ptx.starts_with(pair.first) && opcode == pair.second;
         });
}

static bool endsBlock(const MachineInstruction &instruction) {
  return llvm::is_contained({"BRA", "EXIT", "RET", "BRX"},
                            instruction.getOpcode());
}

void Counter::findBlocks() {
  for (size_t i = 0; i < code.size(); ++i) {
    if (i > 0 && !code[i].isTarget && !endsBlock(code[i - 1]))
      continue;
    if (!blocks.empty())
      blocks.back().end = i;
    blocks.push_back({i, code.size(), {}, 0});
  }
  for (auto [index, block] : llvm::enumerate(blocks)) {
    const MachineInstruction &last = code[block.end - 1];
    if (last.getOpcode() == "BRA" && last.target && *last.target < code.size())
      block.successors.push_back(getBlock(*last.target));
    if ((!endsBlock(last) || last.isConditional) && index + 1 < blocks.size())
      block.successors.push_back(index + 1);
  }
}

size_t Counter::getBlock(size_t instruction) const {
  auto after = llvm::partition_point(blocks, [&](const BasicBlock &block) {
    return block.begin <= instruction;
  });
  return size_t(after - blocks.begin()) - 1;
}

void Counter::findLoops() {
  for (auto [index, block] : llvm::enumerate(blocks))
    for (size_t next : block.successors)
      if (next <= index)
        loops.push_back({next, index});
  for (auto [index, block] : llvm::enumerate(blocks)) {
    block.loop = loops.size();
    size_t least = blocks.size() + 1;
    for (auto [number, loop] : llvm::enumerate(loops)) {
      size_t size = loop.last - loop.first;
      if (loop.first <= index && index <= loop.last && size < least) {
        least = size;
        block.loop = number;
      }
    }
  }
}

void Counter::countAnchors() {
  copies.assign(loops.size() + 1, 1);
  for (const BasicBlock &block : blocks)
    for (size_t i = block.begin; i < block.end; ++i) {
      if (!isAnchor(i))
        continue;
      unsigned line = code[i].ptxLine;
      unsigned count = ++anchors[{block.loop, line}];
      mostOfLine[line] = std::max(mostOfLine[line], count);
      copies[block.loop] = std::max(copies[block.loop], count);
    }
}

/// The blocks that are run after `from`, subroutines left out.
llvm::BitVector Counter::findReached(size_t from) const {
  llvm::BitVector reached(unsigned(blocks.size()));
  SmallVector<size_t> pending = {from};
  while (!pending.empty()) {
    size_t block = pending.pop_back_val();
    if (reached[unsigned(block)])
      continue;
    reached.set(unsigned(block));
    llvm::append_range(pending, blocks[block].successors);
  }
  return reached;
}

static double getMedian(SmallVectorImpl<double> &values) {
  if (values.empty())
    return 0;
  llvm::sort(values);
  return values[values.size() / 2];
}

double Counter::getExecutions(const BasicBlock &block) const {
  SmallVector<double> byAnchors, byLines;
  for (size_t i = block.begin; i < block.end; ++i) {
    if (code[i].getOpcode() == "CALL" && !isWideDivision(i))
      return 0;
    unsigned line = code[i].ptxLine;
    if (isAnchor(i)) {
      // What is left of an unrolled loop runs seldom.
      unsigned here = anchors.at({block.loop, line});
      byAnchors.push_back(here < mostOfLine.lookup(line) ? 0
                                                         : getCount(i) / here);
    } else if (counts.contains(line)) {
      byLines.push_back(getCount(i));
    }
  }
  return byAnchors.empty() ? getMedian(byLines) / copies[block.loop]
                           : getMedian(byAnchors);
}

/// Instructions of the subroutine that `call` goes to: all of them, once.
double Counter::getSubroutineLength(const MachineInstruction &call) const {
  if (call.getOpcode() != "CALL" || !call.target || *call.target >= code.size())
    return 0;
  double length = 0;
  llvm::BitVector reached = findReached(getBlock(*call.target));
  for (unsigned block : reached.set_bits())
    length += double(blocks[block].end - blocks[block].begin);
  return length;
}

double Counter::count() {
  if (code.empty())
    return 0;
  findBlocks();
  findLoops();
  countAnchors();
  double total = 0;
  llvm::BitVector reached = findReached(0);
  for (unsigned index : reached.set_bits()) {
    const BasicBlock &block = blocks[index];
    double length = double(block.end - block.begin);
    for (size_t i = block.begin; i < block.end; ++i)
      length += getSubroutineLength(code[i]);
    total += length * getExecutions(block);
  }
  return total;
}

double fuse::bench::countMachineInstructions(const MachineKernel &kernel,
                                             StringRef ptx,
                                             const LineCounts &lines) {
  return Counter(kernel, ptx, lines).count();
}
