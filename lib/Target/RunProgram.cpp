// Runs a program with its output in a file.
#include "RunProgram.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace mlir;

std::optional<std::string> fuse::runProgram(StringRef program,
                                            ArrayRef<StringRef> args,
                                            std::string &message) {
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
    message = ("cannot read what '" + program + "' printed").str();
    return std::nullopt;
  }
  return (*text)->getBuffer().str();
}
