// Reading, with the tool's errors.
#include "JsonFile.h"

#include "Bench.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::fuse::bench;

FailureOr<llvm::json::Object> fuse::bench::readJsonFile(StringRef path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> text =
      llvm::MemoryBuffer::getFile(path);
  if (!text) {
    reportError("cannot read '" + path + "': " + text.getError().message());
    return failure();
  }
  llvm::Expected<llvm::json::Value> file =
      llvm::json::parse((*text)->getBuffer());
  if (!file || !file->getAsObject()) {
    std::string why = file ? std::string("expected an object")
                           : llvm::toString(file.takeError());
    reportError("cannot read '" + path + "': " + why);
    return failure();
  }
  return std::move(*file->getAsObject());
}
