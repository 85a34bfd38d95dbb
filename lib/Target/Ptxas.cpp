// Runs `ptxas` on PTX text and reads the resources it prints.
#include "fuse-mlir/Target/Ptxas.h"
#include "fuse-mlir/Target/CudaToolkit.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
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

/// Runs `program` with its output in a file; the text, or nothing and why.
static std::optional<std::string>
runProgram(StringRef program, ArrayRef<StringRef> args, std::string &message) {
  SmallString<128> log;
  if (llvm::sys::fs::createTemporaryFile("fuse", "log", log)) {
    message = "cannot make temporary files";
    return std::nullopt;
  }
  llvm::scope_exit removeLog([&] { llvm::sys::fs::remove(log); });
  std::optional<StringRef> redirects[] = {std::nullopt, log.str(), log.str()};
  int code = llvm::sys::ExecuteAndWait(program, args, std::nullopt, redirects,
                                       /*SecondsToWait=*/0, /*MemoryLimit=*/0,
                                       &message);
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> text =
      llvm::MemoryBuffer::getFile(log);
  if (code != 0) {
    if (text)
      message += (*text)->getBuffer().trim().str();
    return std::nullopt;
  }
  if (!text) {
    message = "cannot read what ptxas printed";
    return std::nullopt;
  }
  return (*text)->getBuffer().str();
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

FailureOr<SmallVector<KernelResources>>
Ptxas::assemble(StringRef ptx, StringRef chip, std::string &message) const {
  SmallString<128> input, output;
  int fd = -1;
  llvm::scope_exit removeFiles([&] {
    for (StringRef file : {input.str(), output.str()})
      if (!file.empty())
        llvm::sys::fs::remove(file);
  });
  if (llvm::sys::fs::createTemporaryFile("fuse", "ptx", fd, input) ||
      llvm::sys::fs::createTemporaryFile("fuse", "cubin", output)) {
    message = "cannot make temporary files";
    return failure();
  }
  {
    llvm::raw_fd_ostream stream(fd, /*shouldClose=*/true);
    stream << ptx;
  }
  std::string arch = ("-arch=" + chip).str();
  std::optional<std::string> text = runProgram(
      program, {program, arch, "-v", "-o", output.str(), input.str()}, message);
  if (!text)
    return failure();
  SmallVector<KernelResources> kernels = parse(*text);
  addCodeSizes(output, kernels);
  return kernels;
}
