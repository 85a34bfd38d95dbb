// `ptxas` as an oracle: what a kernel needs once it is assembled.
#ifndef FUSE_MLIR_TARGET_PTXAS_H
#define FUSE_MLIR_TARGET_PTXAS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <string>

namespace mlir::fuse {

/// What `ptxas` says of one kernel.
struct KernelResources {
  std::string kernel;
  int64_t registers = 0;       // per thread
  int64_t stackBytes = 0;      // per thread, local memory
  int64_t spillStoreBytes = 0; // per thread
  int64_t spillLoadBytes = 0;  // per thread
  int64_t sharedBytes = 0;     // per block, static
  int64_t codeBytes = 0;       // of machine code
};

/// An installed `ptxas`.
class Ptxas {
public:
  /// Gives nothing where there is none: callers then say "not available".
  static std::optional<Ptxas> find();

  explicit Ptxas(std::string program) : program(std::move(program)) {}

  /// Assembles `ptx` for `chip` (`sm_90`) in a temporary file, and gives the
  /// resources of its kernels in their order in the text. On failure `message`
  /// is what `ptxas` printed.
  FailureOr<SmallVector<KernelResources>>
  assemble(StringRef ptx, StringRef chip, std::string &message) const;

  /// Assembles `ptx` for `chip` to the file `cubin`, with the line of the text
  /// for each instruction (see Nvdisasm.h).
  LogicalResult assembleTo(StringRef cubin, StringRef ptx, StringRef chip,
                           std::string &message) const;

  /// What the program says of its version; empty if it cannot be run.
  std::string getVersion() const;

  /// Reads what `ptxas -v` prints: all but the size of the code.
  static SmallVector<KernelResources> parse(StringRef output);

private:
  /// What the program prints; nothing, with `message`, if it fails.
  std::optional<std::string> run(StringRef ptx, StringRef chip, StringRef cubin,
                                 ArrayRef<StringRef> more,
                                 std::string &message) const;

  std::string program;
};

} // namespace mlir::fuse

#endif // FUSE_MLIR_TARGET_PTXAS_H
