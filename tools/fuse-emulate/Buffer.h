//===- Buffer.h - Arguments of fuse-emulate -----------------------*- C++ -*-=//
//
// Parses "--arg" values and reads and writes their data, as raw little-endian
// bytes or as NumPy's .npy.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_TOOLS_FUSE_EMULATE_BUFFER_H
#define FUSE_TOOLS_FUSE_EMULATE_BUFFER_H

#include <cstdint>
#include <string>
#include <vector>

struct Argument {
  std::string type; ///< "f32", ...
  unsigned bits = 0;
  bool isBuffer = false;
  bool isUninitialised = false; ///< For the checker; the bytes are zeros.
  std::vector<uint64_t> shape;
  /// Passed as a tensor map of its contents: box (outermost first, as the
  /// shape), swizzle in bytes, fill with NaN.
  bool isMap = false;
  std::vector<uint64_t> box;
  unsigned swizzle = 0;
  bool fillNan = false;
  std::vector<uint8_t> bytes; ///< Contents, or the scalar's value.
};

/// Parses "i32=5", "f32[4x8]=range", "map[box=2x8]=f32[4x8]=range", ... False
/// with the reason in `error`.
bool parseArgument(const std::string &text, Argument &arg, std::string &error);

/// The 128 bytes of the tensor map of an argument that lies at `address`.
bool encodeMap(const Argument &arg, uint64_t address,
               std::vector<uint8_t> &bytes, std::string &error);

/// The bytes of a file; false with the reason in `error` if it cannot be read.
bool readFile(const std::string &path, std::vector<uint8_t> &data,
              std::string &error);

/// Writes .npy when the name ends so, else raw bytes. Nothing is left behind
/// on failure.
bool writeBuffer(const Argument &arg, const std::string &path,
                 std::string &error);

#endif // FUSE_TOOLS_FUSE_EMULATE_BUFFER_H
