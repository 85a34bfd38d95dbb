//===- Buffer.cpp - Arguments of fuse-emulate -----------------------------===//
//
// See Buffer.h.
//
//===----------------------------------------------------------------------===//
#include "Buffer.h"

#include "fuse-mlir/Emulator/OutputFile.h"
#include "fuse-mlir/Emulator/TensorMap.h"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {
struct TypeInfo {
  const char *name;
  unsigned bits;
  char kind;         ///< i, u, f or b (bf16).
  const char *numpy; ///< Null when NumPy has no such type.
};
const TypeInfo types[] = {
    {"i8", 8, 'i', "|i1"},   {"i16", 16, 'i', "<i2"}, {"i32", 32, 'i', "<i4"},
    {"i64", 64, 'i', "<i8"}, {"u8", 8, 'u', "|u1"},   {"u16", 16, 'u', "<u2"},
    {"u32", 32, 'u', "<u4"}, {"u64", 64, 'u', "<u8"}, {"f16", 16, 'f', "<f2"},
    {"f32", 32, 'f', "<f4"}, {"f64", 64, 'f', "<f8"}, {"bf16", 16, 'b', "<u2"},
};

const TypeInfo *lookup(const std::string &name) {
  for (const TypeInfo &type : types)
    if (name == type.name)
      return &type;
  return nullptr;
}

/// Round to nearest even; enough for test data.
uint64_t encode(const TypeInfo &type, double value) {
  uint64_t bits = 0;
  if (type.kind == 'i')
    return uint64_t(int64_t(value));
  if (type.kind == 'u')
    return uint64_t(value);
  if (type.bits == 64) {
    memcpy(&bits, &value, 8);
    return bits;
  }
  float single = float(value);
  uint32_t word;
  memcpy(&word, &single, 4);
  if (type.bits == 32)
    return word;
  if (type.kind == 'b')
    return value != value ? 0x7fff : (word + 0x7fff + ((word >> 16) & 1)) >> 16;
  uint32_t sign = (word >> 16) & 0x8000;
  double magnitude = std::fabs(double(single));
  if (magnitude != magnitude)
    return 0x7fff;
  if (magnitude >= 65520.0)
    return sign | 0x7c00;
  int exponent = magnitude > 0 ? std::ilogb(magnitude) : -15;
  if (exponent < -14) // Subnormal: units of 2^-24; a carry is the normal.
    return sign | uint32_t(std::nearbyint(std::ldexp(magnitude, 24)));
  uint32_t mantissa =
      uint32_t(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  return sign | (uint32_t(exponent + 14) * 1024 + mantissa);
}

void put(std::vector<uint8_t> &bytes, size_t index, unsigned bits,
         uint64_t value) {
  memcpy(&bytes[index * (bits / 8)], &value, bits / 8);
}

/// splitmix64: the same data on every machine.
uint64_t nextRandom(uint64_t &state) {
  uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// Drops the header of a .npy file after checking its element type.
bool stripNpy(const TypeInfo &type, std::vector<uint8_t> &data,
              std::string &error) {
  if (data.size() < 10 || memcmp(data.data(), "\x93NUMPY", 6) != 0)
    return true;
  size_t length = data[8] | size_t(data[9]) << 8, start = 10;
  if (data[6] >= 2 && data.size() >= 12) {
    length |= size_t(data[10]) << 16 | size_t(data[11]) << 24;
    start = 12;
  }
  if (start + length > data.size()) {
    error = "truncated .npy header";
    return false;
  }
  std::string header(data.begin() + start, data.begin() + start + length);
  if (header.find("'fortran_order': True") != std::string::npos) {
    error = "expected a .npy file in C order";
    return false;
  }
  std::string descr = "'" + std::string(type.numpy) + "'";
  if (header.find(descr) == std::string::npos) {
    error = "expected a .npy file of type " + descr;
    return false;
  }
  data.erase(data.begin(), data.begin() + start + length);
  return true;
}

bool parseShape(const std::string &text, Argument &arg, std::string &error) {
  size_t pos = 0;
  uint64_t total = 1;
  while (pos <= text.size()) {
    char *end;
    uint64_t extent = strtoull(text.c_str() + pos, &end, 10);
    size_t next = size_t(end - text.c_str());
    if (next == pos || (next < text.size() && text[next] != 'x') ||
        (extent && total > (uint64_t(1) << 34) / extent)) {
      error = "invalid shape '[" + text + "]'";
      return false;
    }
    arg.shape.push_back(extent);
    total *= extent;
    pos = next + 1;
  }
  return true;
}

uint64_t elements(const Argument &arg) {
  uint64_t total = 1;
  for (uint64_t extent : arg.shape)
    total *= extent;
  return total;
}

bool fill(const TypeInfo &type, const std::string &value, Argument &arg,
          std::string &error) {
  uint64_t count = elements(arg);
  arg.bytes.assign(count * (type.bits / 8), 0);
  arg.isUninitialised = value == "uninit";
  if (value == "zeros" || value == "uninit")
    return true;
  if (value == "range") {
    for (uint64_t i = 0; i < count; ++i)
      put(arg.bytes, i, type.bits, encode(type, double(i)));
    return true;
  }
  if (value.compare(0, 7, "random:") == 0) {
    uint64_t state = strtoull(value.c_str() + 7, nullptr, 10);
    bool isFloat = type.kind == 'f' || type.kind == 'b';
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t r = nextRandom(state);
      double unit = double(r >> 11) * 0x1p-53; // [0, 1)
      put(arg.bytes, i, type.bits,
          isFloat ? encode(type, 2 * unit - 1) : r >> 33);
    }
    return true;
  }
  if (value.compare(0, 1, "@") == 0) {
    std::vector<uint8_t> data;
    if (!readFile(value.substr(1), data, error) || !stripNpy(type, data, error))
      return false;
    if (data.size() != arg.bytes.size()) {
      error = "'" + value.substr(1) + "' has " + std::to_string(data.size()) +
              " bytes, but the buffer has " + std::to_string(arg.bytes.size());
      return false;
    }
    arg.bytes = std::move(data);
    return true;
  }
  error = "expected range, zeros, uninit, random:SEED or @FILE, but got '" +
          value + "'";
  return false;
}

bool parseScalar(const TypeInfo &type, const std::string &value, Argument &arg,
                 std::string &error) {
  char *end = nullptr;
  uint64_t bits;
  if (type.kind == 'i' || type.kind == 'u')
    bits = value[0] == '-' ? uint64_t(strtoll(value.c_str(), &end, 0))
                           : strtoull(value.c_str(), &end, 0);
  else
    bits = encode(type, strtod(value.c_str(), &end));
  if (value.empty() || *end) {
    error = "expected a number, but got '" + value + "'";
    return false;
  }
  arg.bytes.assign(type.bits / 8, 0);
  put(arg.bytes, 0, type.bits, bits);
  return true;
}
} // namespace

/// "box=16x64,swizzle=128,nan".
static bool parseMapOptions(const std::string &text, Argument &arg,
                            std::string &error) {
  for (size_t at = 0; at <= text.size();) {
    size_t end = std::min(text.find(',', at), text.size());
    std::string option = text.substr(at, end - at);
    at = end + 1;
    if (option.compare(0, 4, "box=") == 0) {
      Argument box;
      if (!parseShape(option.substr(4), box, error))
        return false;
      arg.box = box.shape;
    } else if (option == "swizzle=32" || option == "swizzle=64" ||
               option == "swizzle=128") {
      arg.swizzle = unsigned(strtoul(option.c_str() + 8, nullptr, 10));
    } else if (option == "nan") {
      arg.fillNan = true;
    } else {
      error = "unknown option '" + option +
              "' of a tensor map, expected box=SHAPE, swizzle=32|64|128 or nan";
      return false;
    }
  }
  return true;
}

static bool parseMap(const std::string &text, Argument &arg,
                     std::string &error) {
  size_t close = text.find("]=");
  if (close == std::string::npos) {
    error = "expected map[box=SHAPE]=TYPE[SHAPE]=INIT, but got '" + text + "'";
    return false;
  }
  Argument options;
  if (!parseArgument(text.substr(close + 2), arg, error) ||
      !parseMapOptions(text.substr(4, close - 4), options, error))
    return false;
  if (!arg.isBuffer || options.box.size() != arg.shape.size()) {
    error = "expected a buffer and a box of its rank in '" + text + "'";
    return false;
  }
  arg.isMap = true;
  arg.box = options.box;
  arg.swizzle = options.swizzle;
  arg.fillNan = options.fillNan;
  return true;
}

bool encodeMap(const Argument &arg, uint64_t address,
               std::vector<uint8_t> &bytes, std::string &error) {
  using mlir::fuse::emu::TensorMap;
  static const std::pair<const char *, TensorMap::Element> elements[] = {
      {"i8", TensorMap::U8},   {"u8", TensorMap::U8},
      {"i16", TensorMap::U16}, {"u16", TensorMap::U16},
      {"i32", TensorMap::S32}, {"u32", TensorMap::U32},
      {"i64", TensorMap::S64}, {"u64", TensorMap::U64},
      {"f16", TensorMap::F16}, {"bf16", TensorMap::BF16},
      {"f32", TensorMap::F32}, {"f64", TensorMap::F64}};
  TensorMap map;
  map.address = address;
  map.rank = unsigned(arg.shape.size());
  for (auto &[name, element] : elements)
    if (arg.type == name)
      map.element = element;
  map.fillNan = arg.fillNan;
  map.swizzle = arg.swizzle == 0    ? TensorMap::NoSwizzle
                : arg.swizzle == 32 ? TensorMap::Swizzle32
                : arg.swizzle == 64 ? TensorMap::Swizzle64
                                    : TensorMap::Swizzle128;
  uint64_t stride = arg.bits / 8;
  for (unsigned k = 0; k < map.rank && k < 5; ++k) {
    map.dims[k] = arg.shape[map.rank - 1 - k];
    map.box[k] = uint32_t(arg.box[map.rank - 1 - k]);
    if (k)
      map.strides[k - 1] = stride;
    stride *= map.dims[k];
  }
  mlir::fuse::emu::TensorMapBits bits;
  error = encodeTensorMap(map, bits);
  bytes.assign(bits.begin(), bits.end());
  return error.empty();
}

bool parseArgument(const std::string &text, Argument &arg, std::string &error) {
  if (text.compare(0, 4, "map[") == 0)
    return parseMap(text, arg, error);
  if (text.compare(0, 6, "value:") == 0) {
    if (!parseArgument(text.substr(6), arg, error))
      return false;
    arg.isBuffer = false; // Its bytes are the parameter's.
    return true;
  }
  size_t equals = text.find('=');
  if (equals == std::string::npos) {
    error = "expected TYPE=VALUE or TYPE[SHAPE]=VALUE, but got '" + text + "'";
    return false;
  }
  std::string left = text.substr(0, equals), value = text.substr(equals + 1);
  size_t bracket = left.find('[');
  const TypeInfo *type = lookup(left.substr(0, bracket));
  if (!type) {
    error = "unknown type '" + left.substr(0, bracket) +
            "', expected one of i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 "
            "f64";
    return false;
  }
  arg = Argument();
  arg.type = type->name;
  arg.bits = type->bits;
  if (bracket == std::string::npos)
    return parseScalar(*type, value, arg, error);
  arg.isBuffer = true;
  if (left.back() != ']') {
    error = "expected ']' in '" + left + "'";
    return false;
  }
  return parseShape(left.substr(bracket + 1, left.size() - bracket - 2), arg,
                    error) &&
         fill(*type, value, arg, error);
}

bool readFile(const std::string &path, std::vector<uint8_t> &data,
              std::string &error) {
  FILE *file = fopen(path.c_str(), "rb");
  if (!file) {
    error = "cannot open '" + path + "'";
    return false;
  }
  uint8_t chunk[65536];
  while (size_t got = fread(chunk, 1, sizeof chunk, file))
    data.insert(data.end(), chunk, chunk + got);
  bool ok = !ferror(file);
  fclose(file);
  if (!ok)
    error = "cannot read '" + path + "': " + strerror(errno);
  return ok;
}

bool writeBuffer(const Argument &arg, const std::string &path,
                 std::string &error) {
  std::vector<uint8_t> data;
  if (path.size() > 4 && path.substr(path.size() - 4) == ".npy") {
    std::string header = "{'descr': '" + std::string(lookup(arg.type)->numpy) +
                         "', 'fortran_order': False, 'shape': (";
    for (uint64_t extent : arg.shape)
      header += std::to_string(extent) + ", ";
    header += "), }";
    while ((10 + header.size() + 1) % 64)
      header += ' ';
    header += '\n';
    const char magic[] = "\x93NUMPY\x01";
    data.insert(data.end(), magic, magic + 7);
    data.push_back(0);
    data.push_back(uint8_t(header.size()));
    data.push_back(uint8_t(header.size() >> 8));
    data.insert(data.end(), header.begin(), header.end());
  }
  data.insert(data.end(), arg.bytes.begin(), arg.bytes.end());
  bool ok = mlir::fuse::emu::writeOutputFile(path, data.data(), data.size());
  if (!ok)
    error = "cannot write '" + path + "'";
  return ok;
}
