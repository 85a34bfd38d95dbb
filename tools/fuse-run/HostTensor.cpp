// Storage, decoding, seeded values and comparison of host tensors.
#include "HostTensor.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <unistd.h>

using namespace mlir;
using namespace mlir::fuse::run;

unsigned fuse::run::getElementBytes(Type type) {
  if (isa<IndexType>(type))
    return 8;
  if (!isa<IntegerType, FloatType>(type))
    return 0;
  unsigned bits = type.getIntOrFloatBitWidth();
  if (bits > 64)
    return 0;
  return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

std::optional<int64_t> fuse::run::countBytes(ArrayRef<int64_t> shape,
                                             Type elementType) {
  std::optional<int64_t> bytes = getElementBytes(elementType);
  bool isEmpty = llvm::is_contained(shape, 0);
  for (int64_t size : shape) {
    if (ShapedType::isDynamic(size))
      continue;
    if (size < 0)
      return std::nullopt;
    if (bytes && !isEmpty)
      bytes = llvm::checkedMul(*bytes, size);
  }
  return isEmpty ? 0 : bytes;
}

int64_t fuse::run::getMemoryBytes() {
  return int64_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

HostTensor::HostTensor(ArrayRef<int64_t> shape, Type elementType, bool isScalar)
    : shape(shape), elementType(elementType), isScalar(isScalar) {
  data.resize(getNumElements() * getElementBytes(elementType));
}

int64_t HostTensor::getNumElements() const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

static uint64_t readBits(const uint8_t *from, unsigned bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, from, bytes);
  return bits;
}

double HostTensor::getFloat(int64_t index) const {
  if (!isFloat())
    return static_cast<double>(getInt(index));
  unsigned bytes = getElementBytes(elementType);
  const uint8_t *from = data.data() + index * bytes;
  if (elementType.isF32()) {
    float value;
    std::memcpy(&value, from, sizeof(value));
    return value;
  }
  if (elementType.isF64()) {
    double value;
    std::memcpy(&value, from, sizeof(value));
    return value;
  }
  FloatType type = cast<FloatType>(elementType);
  llvm::APInt bits(type.getWidth(), readBits(from, bytes), /*isSigned=*/false,
                   /*implicitTrunc=*/true);
  llvm::APFloat value(type.getFloatSemantics(), bits);
  bool losesInfo;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

int64_t HostTensor::getInt(int64_t index) const {
  unsigned bytes = getElementBytes(elementType);
  uint64_t bits = readBits(data.data() + index * bytes, bytes);
  if (isa<IndexType>(elementType))
    return static_cast<int64_t>(bits);
  unsigned width = elementType.getIntOrFloatBitWidth();
  if (width == 1)
    return bits & 1;
  return static_cast<int64_t>(bits << (64 - width)) >> (64 - width);
}

void HostTensor::setFloat(int64_t index, double value) {
  unsigned bytes = getElementBytes(elementType);
  uint8_t *to = data.data() + index * bytes;
  if (elementType.isF32()) {
    float narrow = static_cast<float>(value);
    std::memcpy(to, &narrow, sizeof(narrow));
    return;
  }
  if (elementType.isF64()) {
    std::memcpy(to, &value, sizeof(value));
    return;
  }
  llvm::APFloat wide(value);
  bool losesInfo;
  wide.convert(cast<FloatType>(elementType).getFloatSemantics(),
               llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  uint64_t bits = wide.bitcastToAPInt().getZExtValue();
  std::memcpy(to, &bits, bytes);
}

void HostTensor::setInt(int64_t index, int64_t value) {
  unsigned bytes = getElementBytes(elementType);
  std::memcpy(data.data() + index * bytes, &value, bytes);
}

std::string HostTensor::getAsString(int64_t index) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (isFloat())
    os << llvm::format("%.9g", getFloat(index));
  else
    os << getInt(index);
  return text;
}

std::string HostTensor::getCoordinates(int64_t index) const {
  SmallVector<int64_t> coordinates(shape.size());
  for (int64_t dim = static_cast<int64_t>(shape.size()) - 1; dim >= 0; --dim) {
    coordinates[dim] = index % shape[dim];
    index /= shape[dim];
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(coordinates, os);
  os << ']';
  return text;
}

//===----------------------------------------------------------------------===//
// Seeded values
//===----------------------------------------------------------------------===//

DrawSpec fuse::run::getDefaultDraw(Type elementType) {
  DrawSpec spec;
  if (!isa<FloatType>(elementType)) {
    spec.kind = DrawSpec::Kind::Ints;
    spec.lo = 0;
    spec.hi = 2;
  }
  return spec;
}

/// The finalizer of splitmix64: every bit of the result depends on every bit
/// of the argument.
static uint64_t mix(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ull;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

static double drawOne(const DrawSpec &spec, uint64_t random, bool isFirst) {
  // 53 bits, so that the conversion is exact.
  double unit = static_cast<double>(random >> 11) * 0x1p-53;
  switch (spec.kind) {
  case DrawSpec::Kind::Uniform:
    return spec.lo + unit * (spec.hi - spec.lo);
  case DrawSpec::Kind::Ints:
    return spec.lo + std::floor(unit * (spec.hi - spec.lo));
  case DrawSpec::Kind::Choice:
    if (isFirst && spec.first)
      return *spec.first;
    return spec.values[static_cast<size_t>(
        unit * static_cast<double>(spec.values.size()))];
  }
  return 0.0;
}

void fuse::run::drawValues(HostTensor &tensor, const DrawSpec &spec,
                           uint64_t seed, uint64_t stream) {
  const uint64_t step = 0x9e3779b97f4a7c15ull;
  uint64_t state = mix(mix(seed + step) + (stream + 1) * step);
  int64_t last = tensor.shape.empty() ? 1 : tensor.shape.back();
  for (int64_t i = 0, e = tensor.getNumElements(); i < e; ++i) {
    state += step;
    double value = drawOne(spec, mix(state), i % last == 0);
    if (tensor.isFloat())
      tensor.setFloat(i, value);
    else
      tensor.setInt(i, static_cast<int64_t>(value));
  }
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

double fuse::run::getTolerance(Type elementType, bool mayRoundToTf32) {
  FloatType type = dyn_cast<FloatType>(elementType);
  if (!type)
    return 0.0;
  // f64 and f32: room for another order of summation. Narrower types: four
  // units in the last place of the largest value, since a difference of the
  // last bit before a rounding shows as one after it.
  if (type.getWidth() >= 64)
    return 1e-10;
  // Factors in tf32 have as many digits as those in f16.
  constexpr double kTf32 = 0x1p-8;
  if (type.getWidth() == 32)
    return mayRoundToTf32 ? kTf32 : 1e-4;
  double units = type.getWidth() <= 8 ? 1.0 : 4.0;
  return std::ldexp(units, 1 - static_cast<int>(type.getFPMantissaWidth()));
}

double fuse::run::getLargestMagnitude(const HostTensor &tensor) {
  double largest = 0.0;
  for (int64_t i = 0, e = tensor.getNumElements(); i < e; ++i) {
    double value = std::fabs(tensor.getFloat(i));
    if (std::isfinite(value) && value > largest)
      largest = value;
  }
  return largest;
}

static double getError(double got, double expected, double scale) {
  if (got == expected || (std::isnan(got) && std::isnan(expected)))
    return 0.0;
  if (!std::isfinite(got) || !std::isfinite(expected) || scale == 0.0)
    return std::numeric_limits<double>::infinity();
  return std::fabs(got - expected) / scale;
}

Comparison fuse::run::compareTensors(const HostTensor &got,
                                     const HostTensor &expected, double scale,
                                     double tolerance) {
  Comparison result;
  result.tolerance = tolerance;
  result.scale = scale;
  for (int64_t i = 0, e = expected.getNumElements(); i < e; ++i) {
    double error;
    if (expected.isFloat())
      error = getError(got.getFloat(i), expected.getFloat(i), scale);
    else
      error = got.getInt(i) == expected.getInt(i)
                  ? 0.0
                  : std::numeric_limits<double>::infinity();
    result.maxError = std::max(result.maxError, error);
    if (error <= result.tolerance)
      continue;
    ++result.mismatches;
    if (result.examples.size() < 8)
      result.examples.push_back(i);
  }
  return result;
}
