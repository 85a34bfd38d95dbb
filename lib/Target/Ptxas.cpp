// Runs `ptxas` on PTX text and reads the resources it prints.
#include "fuse-mlir/Target/Ptxas.h"
#include "RunProgram.h"
#include "fuse-mlir/Target/CudaToolkit.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::fuse;

std::optional<Ptxas> Ptxas::find() {
  if (std::optional<std::string> program = findPtxas())
    return Ptxas(*program);
  return std::nullopt;
}

/// The number that stands before `unit` in `line`, 0 if there is none.
static int64_t numberBefore(StringRef line, StringRef unit) {
  size_t end = line.find(unit);
  if (end == StringRef::npos)
    return 0;
  StringRef head = line.take_front(end).rtrim();
  size_t begin = head.find_last_not_of("0123456789");
  int64_t number = 0;
  head.drop_front(begin == StringRef::npos ? 0 : begin + 1)
      .getAsInteger(10, number);
  return number;
}

SmallVector<KernelResources> Ptxas::parse(StringRef output) {
  SmallVector<KernelResources> kernels;
  for (StringRef line : llvm::split(output, '\n')) {
    if (line.contains("Compiling entry function '")) {
      kernels.emplace_back();
      kernels.back().kernel = line.split('\'').second.split('\'').first.str();
    }
    if (kernels.empty())
      continue;
    KernelResources &kernel = kernels.back();
    if (line.contains("bytes stack frame")) {
      kernel.stackBytes = numberBefore(line, " bytes stack frame");
      kernel.spillStoreBytes = numberBefore(line, " bytes spill stores");
      kernel.spillLoadBytes = numberBefore(line, " bytes spill loads");
    } else if (line.contains("Used ")) {
      kernel.registers = numberBefore(line, " registers");
      kernel.sharedBytes = numberBefore(line, " bytes smem");
    }
  }
  return kernels;
}

/// Reads the sizes of the kernels' code from the cubin, an ELF file with one
/// section for each.
static void addCodeSizes(StringRef cubin,
                         MutableArrayRef<KernelResources> kernels) {
  llvm::Expected<llvm::object::OwningBinary<llvm::object::ObjectFile>> file =
      llvm::object::ObjectFile::createObjectFile(cubin);
  if (!file) {
    llvm::consumeError(file.takeError());
    return;
  }
  for (const llvm::object::SectionRef &section :
       file->getBinary()->sections()) {
    llvm::Expected<StringRef> name = section.getName();
    if (!name) {
      llvm::consumeError(name.takeError());
      continue;
    }
    StringRef kernel = *name;
    if (!kernel.consume_front(".text."))
      continue;
    for (KernelResources &resources : kernels)
      if (resources.kernel == kernel)
        resources.codeBytes = int64_t(section.getSize());
  }
}

std::string Ptxas::getVersion() const {
  std::string message;
  return runProgram(program, {program, "--version"}, message).value_or("");
}

std::optional<std::string> Ptxas::run(StringRef ptx, StringRef chip,
                                      StringRef cubin, ArrayRef<StringRef> more,
                                      std::string &message) const {
  SmallString<128> input;
  int fd = -1;
  if (llvm::sys::fs::createTemporaryFile("fuse", "ptx", fd, input)) {
    message = "cannot make temporary files";
    return std::nullopt;
  }
  llvm::scope_exit removeInput([&] { llvm::sys::fs::remove(input); });
  {
    llvm::raw_fd_ostream stream(fd, /*shouldClose=*/true);
    stream << ptx;
  }
  std::string arch = ("-arch=" + chip).str();
  SmallVector<StringRef> args = {program, arch, "-v", "-o", cubin, input.str()};
  args.append(more.begin(), more.end());
  return runProgram(program, args, message);
}

FailureOr<SmallVector<KernelResources>>
Ptxas::assemble(StringRef ptx, StringRef chip, std::string &message) const {
  SmallString<128> output;
  if (llvm::sys::fs::createTemporaryFile("fuse", "cubin", output)) {
    message = "cannot make temporary files";
    return failure();
  }
  llvm::scope_exit removeOutput([&] { llvm::sys::fs::remove(output); });
  std::optional<std::string> text = run(ptx, chip, output, {}, message);
  if (!text)
    return failure();
  SmallVector<KernelResources> kernels = parse(*text);
  addCodeSizes(output, kernels);
  return kernels;
}

LogicalResult Ptxas::assembleTo(StringRef cubin, StringRef ptx, StringRef chip,
                                std::string &message) const {
  return success(run(ptx, chip, cubin, {"-lineinfo"}, message).has_value());
}
