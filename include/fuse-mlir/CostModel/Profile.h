// The cost model `profile`: times of kernels that were measured, and between
// them. What lies outside of the table is unknown, not guessed.
#ifndef FUSE_MLIR_COSTMODEL_PROFILE_H
#define FUSE_MLIR_COSTMODEL_PROFILE_H

#include "fuse-mlir/CostModel/CostModel.h"

#include "llvm/Support/JSON.h"

#include <array>
#include <string>
#include <vector>

namespace mlir::fuse {

/// A kernel that was measured: how it runs, what it has to do, and what it
/// took.
struct ProfiledKernel {
  std::string name;
  KernelPath path = KernelPath::Pointwise;
  /// As `CostModel` counts them.
  int64_t bytesRead = 0, bytesWritten = 0, flops = 0;
  double nanoseconds = 0;
};

/// Measured kernels of one device; docs/CostModel.md has the file's keys.
class ProfileTable {
public:
  std::string device;
  std::vector<ProfiledKernel> kernels;

  /// Reads a file. Emits an error that names the file if it is no table.
  static FailureOr<ProfileTable>
  read(StringRef path, function_ref<InFlightDiagnostic()> emitError);
  llvm::json::Value toJSON() const;

  /// The time of a kernel like `kernel` (`name` and `nanoseconds` are not
  /// looked at): that of the ones with equal figures, else a mean of the
  /// logarithms of the four nearest on the same path, weighted by 1 ÷ distance⁴
  /// where distance is that of the logarithms of bytes read, bytes written and
  /// flops. Unknown if a figure is outside of those of the path, or if each
  /// kernel is more than a factor of 8 away in some figure.
  std::optional<double> estimate(const ProfiledKernel &kernel) const;
};

/// Prices kernels by a table. Without one every price is unknown, like that of
/// another device's kernel and of what no generator of ours would take.
class ProfileCostModel : public CostModel {
public:
  explicit ProfileCostModel(ProfileTable table) : table(std::move(table)) {}

  Quantity estimateNanoseconds(const KernelView &kernel,
                               const DeviceInfo &device) const override;

private:
  ProfileTable table;
};

} // namespace mlir::fuse

#endif // FUSE_MLIR_COSTMODEL_PROFILE_H
