// `nvdisasm` as an oracle: the machine instructions of a kernel.
#ifndef FUSE_MLIR_TARGET_NVDISASM_H
#define FUSE_MLIR_TARGET_NVDISASM_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace mlir::fuse {

/// One instruction. NOPs are left out.
struct MachineInstruction {
  /// As printed, without the predicate: `FADD R0, R4, R5`.
  std::string text;
  /// The line of the PTX text that it was made for, from 1; 0 if unknown.
  unsigned ptxLine = 0;
  /// Whether a predicate may switch it off, or a branch may not be taken.
  bool isConditional = false;
  /// Where a branch or call goes: an index in the kernel's instructions, or
  /// their number for what is not among them.
  std::optional<size_t> target;
  /// Whether a branch of another instruction goes here.
  bool isTarget = false;

  /// Without modifiers: `FADD`, `LDG`.
  StringRef getOpcode() const;
};

struct MachineKernel {
  std::string name;
  SmallVector<MachineInstruction, 0> instructions;
};

/// An installed `nvdisasm`. It comes with CUDA toolkits and, alone, as the
/// Python package nvidia-cuda-nvdisasm.
class Nvdisasm {
public:
  /// On the PATH, in a CUDA toolkit, or in the folder `beside`; nothing where
  /// there is none: callers then say "not available".
  static std::optional<Nvdisasm> find(StringRef beside = "");

  explicit Nvdisasm(std::string program) : program(std::move(program)) {}

  /// The kernels of the file `cubin`. Lines of the PTX are known if it was
  /// assembled with them (`Ptxas::assembleTo`). On failure `message` is what
  /// the program printed.
  FailureOr<SmallVector<MachineKernel, 0>>
  disassemble(StringRef cubin, std::string &message) const;

  /// Reads what `nvdisasm -gp -c` prints.
  static SmallVector<MachineKernel, 0> parse(StringRef output);

private:
  std::string program;
};

} // namespace mlir::fuse

#endif // FUSE_MLIR_TARGET_NVDISASM_H
