// Files that are complete or as they were before.
#ifndef FUSE_MLIR_EMULATOR_OUTPUTFILE_H
#define FUSE_MLIR_EMULATOR_OUTPUTFILE_H

#include <cstddef>
#include <string>

namespace mlir::fuse::emu {

/// Writes `size` bytes to the file `path`, through a temporary file beside it.
/// What is there and no regular file, such as a device or a pipe, is written to
/// as it is. Returns false, and leaves no file behind, if that fails.
bool writeOutputFile(const std::string &path, const void *data, size_t size);

} // namespace mlir::fuse::emu

#endif // FUSE_MLIR_EMULATOR_OUTPUTFILE_H
