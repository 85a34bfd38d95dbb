// Files that are complete or as they were before, see the header.
#include "fuse-mlir/Emulator/OutputFile.h"

#include <cstdio>
#include <sys/stat.h>

using namespace mlir::fuse;

static bool writeTo(const std::string &path, const void *data, size_t size) {
  FILE *file = fopen(path.c_str(), "wb");
  if (!file)
    return false;
  bool ok = fwrite(data, 1, size, file) == size;
  return fclose(file) == 0 && ok;
}

bool emu::writeOutputFile(const std::string &path, const void *data,
                          size_t size) {
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    return writeTo(path, data, size);
  std::string temporary = path + ".tmp";
  if (writeTo(temporary, data, size) &&
      rename(temporary.c_str(), path.c_str()) == 0)
    return true;
  remove(temporary.c_str());
  return false;
}
