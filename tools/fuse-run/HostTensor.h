// Tensors on the host: storage in the layout that MLIR's memrefs use, decoding
// of the element types, seeded values and comparison. No dialect is needed.
#ifndef FUSE_RUN_HOSTTENSOR_H
#define FUSE_RUN_HOSTTENSOR_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlir::fuse::run {

/// The bytes of one element in memory: what LLVM's array stride is for the
/// type, so 1 for i1 and i4. Zero for a type that cannot be held.
unsigned getElementBytes(Type type);

/// The bytes of a tensor of `shape`; none if there is no such tensor, since a
/// size is negative or the bytes are 2^63 or more. Sizes that are not known
/// count as 1.
std::optional<int64_t> countBytes(ArrayRef<int64_t> shape, Type elementType);

/// The bytes of memory of this machine.
int64_t getMemoryBytes();

/// A dense row-major tensor, or a scalar (`isScalar`) with one element.
struct HostTensor {
  SmallVector<int64_t> shape;
  Type elementType;
  bool isScalar = false;
  std::vector<uint8_t> data;

  HostTensor() = default;
  HostTensor(ArrayRef<int64_t> shape, Type elementType, bool isScalar);

  int64_t getNumElements() const;
  bool isFloat() const { return isa<FloatType>(elementType); }

  /// Element `index` in row-major order. Integers are sign-extended, i1 is 0
  /// or 1.
  double getFloat(int64_t index) const;
  int64_t getInt(int64_t index) const;
  void setFloat(int64_t index, double value);
  void setInt(int64_t index, int64_t value);
  std::string getAsString(int64_t index) const;
  /// "[3, 5]" for row-major index `index`.
  std::string getCoordinates(int64_t index) const;
};

/// How to draw the elements of an input.
struct DrawSpec {
  enum class Kind { Uniform, Ints, Choice };
  Kind kind = Kind::Uniform;
  /// Uniform: [lo, hi). Ints: lo to hi - 1.
  double lo = -1.0, hi = 1.0;
  SmallVector<double> values;
  /// Choice: the value at index 0 of the last dimension.
  std::optional<double> first;
};

/// What is drawn without further knowledge: uniform in (-1, 1), integers 0
/// or 1.
DrawSpec getDefaultDraw(Type elementType);

/// Fills `tensor`. An element depends only on (seed, stream, element index),
/// through integer arithmetic and one rounding to the element type, so that
/// every platform draws the same.
void drawValues(HostTensor &tensor, const DrawSpec &spec, uint64_t seed,
                uint64_t stream);

/// The tolerance of a type, relative to the largest magnitude of the result;
/// 0 (exact) for integers. `mayRoundToTf32`: factors in f32 may have been
/// rounded to tf32.
double getTolerance(Type elementType, bool mayRoundToTf32 = false);

/// How one result compares with the reference.
struct Comparison {
  /// Largest |got - expected| divided by the scale; 0 for integers that agree,
  /// infinity where they (or infinities, NaNs) differ.
  double maxError = 0.0;
  double tolerance = 0.0;
  double scale = 0.0;
  int64_t mismatches = 0;
  /// Row-major indices of the first few mismatches.
  SmallVector<int64_t, 8> examples;
  bool ok() const { return mismatches == 0; }
};

/// The largest finite magnitude.
double getLargestMagnitude(const HostTensor &tensor);

/// Compares with a reference of the same shape and type. `scale` is what
/// differences of floats are divided by. NaN equals NaN and an infinity equals
/// the same infinity.
Comparison compareTensors(const HostTensor &got, const HostTensor &expected,
                          double scale, double tolerance);

} // namespace mlir::fuse::run

#endif // FUSE_RUN_HOSTTENSOR_H
