// Runs `nvdisasm` on a cubin and reads the instructions it prints.
#include "fuse-mlir/Target/Nvdisasm.h"
#include "RunProgram.h"
#include "fuse-mlir/Target/CudaToolkit.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::fuse;

StringRef MachineInstruction::getOpcode() const {
  return StringRef(text).take_until(
      [](char c) { return c == '.' || c == ' '; });
}

std::optional<Nvdisasm> Nvdisasm::find(StringRef beside) {
  if (std::optional<std::string> program = findNvdisasm())
    return Nvdisasm(*program);
  SmallString<128> path(beside);
  llvm::sys::path::append(path, "nvdisasm");
  if (!beside.empty() && llvm::sys::fs::can_execute(path))
    return Nvdisasm(path.str().str());
  return std::nullopt;
}

namespace {
/// Reads the output line by line.
class Reader {
public:
  void addLine(StringRef line);
  SmallVector<MachineKernel, 0> take() {
    finishKernel();
    return std::move(kernels);
  }

private:
  void addInstruction(StringRef text);
  void finishKernel();

  SmallVector<MachineKernel, 0> kernels;
  /// Of the present kernel: where labels are, and which label an instruction
  /// goes to.
  llvm::StringMap<size_t> labels;
  SmallVector<std::pair<size_t, std::string>> branches;
  unsigned ptxLine = 0;
};
} // namespace

void Reader::finishKernel() {
  if (kernels.empty())
    return;
  MutableArrayRef<MachineInstruction> code = kernels.back().instructions;
  for (const auto &[from, label] : branches) {
    auto known = labels.find(label);
    size_t target = known == labels.end() ? code.size() : known->second;
    code[from].target = target;
    if (target < code.size())
      code[target].isTarget = true;
  }
  labels.clear();
  branches.clear();
  ptxLine = 0;
}

/// `@!P0 BRA `(.L_x_1)`: predicate, text, and the label between `( and ). A
/// branch that has more operands depends on them.
void Reader::addInstruction(StringRef text) {
  MachineInstruction instruction;
  text = text.trim();
  if (text.starts_with("@")) {
    instruction.isConditional = true;
    text = text.split(' ').second.ltrim();
  }
  instruction.text = text.str();
  instruction.ptxLine = ptxLine;
  SmallVectorImpl<MachineInstruction> &code = kernels.back().instructions;
  StringRef opcode = instruction.getOpcode();
  if (opcode == "NOP")
    return;
  auto [head, label] = text.split("`(");
  if (!label.empty() && (opcode == "BRA" || opcode == "CALL")) {
    branches.emplace_back(code.size(), label.split(')').first.str());
    if (opcode == "BRA" && !head.split(' ').second.trim().empty())
      instruction.isConditional = true;
  }
  code.push_back(std::move(instruction));
}

void Reader::addLine(StringRef line) {
  line = line.trim();
  if (line.consume_front(".text.") && line.consume_back(":")) {
    finishKernel();
    kernels.push_back({line.str(), {}});
  } else if (line.starts_with("//##")) {
    // //## File ".nv_debug_ptx_txt", line 16
    unsigned number = 0;
    StringRef rest = line.split(", line ").second;
    if (line.contains("ptx") && !rest.consumeInteger(10, number))
      ptxLine = number;
  } else if (kernels.empty()) {
    return;
  } else if (line.consume_front("/*")) {
    // /*0010*/  S2R R5, SR_TID.X ;
    auto [offset, text] = line.split("*/");
    if (offset.size() >= 4 && llvm::all_of(offset, llvm::isHexDigit) &&
        text.contains(';'))
      addInstruction(text.split(';').first);
  } else if (line.consume_back(":") && !line.starts_with(".section")) {
    labels[line] = kernels.back().instructions.size();
  }
}

SmallVector<MachineKernel, 0> Nvdisasm::parse(StringRef output) {
  Reader reader;
  for (StringRef line : llvm::split(output, '\n'))
    reader.addLine(line);
  return reader.take();
}

FailureOr<SmallVector<MachineKernel, 0>>
Nvdisasm::disassemble(StringRef cubin, std::string &message) const {
  std::optional<std::string> text =
      runProgram(program, {program, "-gp", "-c", cubin}, message);
  if (!text)
    return failure();
  return parse(*text);
}
