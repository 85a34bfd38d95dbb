// Tables of measured kernels: reading, writing, and looking between them.
#include "fuse-mlir/CostModel/Profile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

/// Kernels that a price is the mean of.
static constexpr size_t kNeighbours = 4;
/// The nearest kernel may be so far away in each figure.
static constexpr double kReach = 8;

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// Reads a row; the key that is missing or wrong if there is one.
static std::optional<StringRef> readRow(const llvm::json::Value &value,
                                        ProfiledKernel &kernel) {
  const llvm::json::Object *row = value.getAsObject();
  if (!row)
    return "kernels";
  kernel.name = row->getString("name").value_or("").str();
  std::optional<KernelPath> path =
      symbolizeKernelPath(row->getString("path").value_or(""));
  if (!path)
    return "path";
  kernel.path = *path;
  std::pair<StringRef, int64_t *> numbers[] = {
      {"bytes_read", &kernel.bytesRead},
      {"bytes_written", &kernel.bytesWritten},
      {"flops", &kernel.flops}};
  for (auto [key, number] : numbers) {
    std::optional<int64_t> read = row->getInteger(key);
    if (!read || *read < 0)
      return key;
    *number = *read;
  }
  std::optional<double> time = row->getNumber("nanoseconds");
  if (!time || !(*time > 0) || *time > 1e15)
    return "nanoseconds";
  kernel.nanoseconds = *time;
  return std::nullopt;
}

FailureOr<ProfileTable>
ProfileTable::read(StringRef path,
                   function_ref<InFlightDiagnostic()> emitError) {
  auto fail = [&]() {
    return emitError() << "cannot use profile '" << path << "': ";
  };
  // Devices such as /dev/full have no end.
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(path, status) &&
      status.type() == llvm::sys::fs::file_type::character_file)
    return fail() << "it is a device";
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> text =
      llvm::MemoryBuffer::getFile(path);
  if (!text)
    return fail() << text.getError().message();
  llvm::Expected<llvm::json::Value> value =
      llvm::json::parse((*text)->getBuffer());
  if (!value)
    return fail() << llvm::toString(value.takeError());
  const llvm::json::Object *object = value->getAsObject();
  const llvm::json::Array *rows =
      object ? object->getArray("kernels") : nullptr;
  std::optional<StringRef> device =
      object ? object->getString("device") : std::nullopt;
  if (!rows || !device)
    return fail() << "expected an object with 'device' and 'kernels'";
  ProfileTable table;
  table.device = device->str();
  for (auto [index, row] : llvm::enumerate(*rows))
    if (std::optional<StringRef> key =
            readRow(row, table.kernels.emplace_back()))
      return fail() << "kernel " << index << " has no valid '" << *key << "'";
  return table;
}

llvm::json::Value ProfileTable::toJSON() const {
  llvm::json::Array rows;
  for (const ProfiledKernel &kernel : kernels)
    rows.push_back(
        llvm::json::Object{{"name", kernel.name},
                           {"path", stringifyKernelPath(kernel.path)},
                           {"bytes_read", kernel.bytesRead},
                           {"bytes_written", kernel.bytesWritten},
                           {"flops", kernel.flops},
                           {"nanoseconds", kernel.nanoseconds}});
  return llvm::json::Object{{"device", device}, {"kernels", std::move(rows)}};
}

//===----------------------------------------------------------------------===//
// Prices
//===----------------------------------------------------------------------===//

using Figures = std::array<double, 3>;

static Figures getFigures(const ProfiledKernel &kernel) {
  return {std::log1p(double(kernel.bytesRead)),
          std::log1p(double(kernel.bytesWritten)),
          std::log1p(double(kernel.flops))};
}

namespace {
/// A measured kernel, seen from the one that is asked for.
struct Neighbour {
  /// Squared distance, and that of the figure that differs most.
  double distance = 0, farthest = 0;
  double logTime = 0;
};
} // namespace

std::optional<double>
ProfileTable::estimate(const ProfiledKernel &kernel) const {
  Figures asked = getFigures(kernel), least, most;
  least.fill(std::numeric_limits<double>::max());
  most.fill(0);
  std::vector<Neighbour> neighbours;
  for (const ProfiledKernel &known : kernels) {
    if (known.path != kernel.path)
      continue;
    Figures figures = getFigures(known);
    Neighbour &neighbour = neighbours.emplace_back();
    neighbour.logTime = std::log(known.nanoseconds);
    for (size_t i = 0; i < figures.size(); ++i) {
      double difference = std::abs(figures[i] - asked[i]);
      neighbour.distance += difference * difference;
      neighbour.farthest = std::max(neighbour.farthest, difference);
      least[i] = std::min(least[i], figures[i]);
      most[i] = std::max(most[i], figures[i]);
    }
  }
  for (size_t i = 0; i < asked.size(); ++i)
    if (neighbours.empty() || asked[i] < least[i] || asked[i] > most[i])
      return std::nullopt;
  // By time, too, so that the order of the table does not matter.
  llvm::sort(neighbours, [](const Neighbour &a, const Neighbour &b) {
    return std::pair(a.distance, a.logTime) < std::pair(b.distance, b.logTime);
  });
  if (neighbours.front().farthest > std::log(kReach))
    return std::nullopt;
  double sum = 0, weights = 0;
  bool exact = neighbours.front().distance == 0;
  for (auto [index, neighbour] : llvm::enumerate(neighbours)) {
    if (exact ? neighbour.distance != 0 : index == kNeighbours)
      break;
    double weight = exact ? 1 : 1 / (neighbour.distance * neighbour.distance);
    sum += weight * neighbour.logTime;
    weights += weight;
  }
  return std::exp(sum / weights);
}

Quantity ProfileCostModel::estimateNanoseconds(const KernelView &kernel,
                                               const DeviceInfo &device) const {
  Quantity read = bytesRead(kernel), written = bytesWritten(kernel),
           arithmetic = flops(kernel);
  if (!kernel.shape || table.device != device.name || !read || !written ||
      !arithmetic)
    return std::nullopt;
  ProfiledKernel asked;
  asked.path = kernel.shape->path;
  asked.bytesRead = *read;
  asked.bytesWritten = *written;
  asked.flops = *arithmetic;
  std::optional<double> time = table.estimate(asked);
  return time ? Quantity(std::llround(*time)) : std::nullopt;
}
