// Chooses the tiles of contractions that share a launch.
#include "TileChoice.h"

using namespace mlir;
using namespace mlir::fuse;

double fuse::getWaves(int64_t blocks, int64_t threads) {
  double waves = double(blocks) / double(Rates::kMultiprocessors);
  if (waves <= 1 || waves > 4)
    return std::max(waves, 1.0);
  double warps = double(threads / kWarp);
  return std::ceil(std::ceil(waves) * warps / 4) * 4 / warps;
}

const TileChoice &fuse::takeBest(ArrayRef<TileChoice> choices,
                                 int64_t mostElements) {
  const TileChoice *best = nullptr;
  for (const TileChoice &choice : choices)
    if (choice.getElements() <= mostElements &&
        (!best || choice.replaces(*best)))
      best = &choice;
  return best ? *best : choices.back();
}

namespace {
/// Tiles of contractions side by side, and their time in clocks.
struct TileChoices {
  SmallVector<LaunchShape> launches;
  double time = 0;
};
} // namespace

/// The time of blocks of several kinds: no multiprocessor gets fewer of those
/// that take as long or longer than there are for each.
static double
shareBlocks(MutableArrayRef<std::tuple<double, int64_t, int64_t>> kinds) {
  llvm::sort(kinds, std::greater<>());
  int64_t blocks = 0;
  double time = 0, sum = 0;
  for (auto [work, number, threads] : kinds) {
    blocks += number;
    sum += work * double(number);
    time = std::max(time, getWaves(blocks, threads) * work);
  }
  return std::max(time, sum / double(Rates::kMultiprocessors));
}

/// Tiles of all parts with up to `mostElements` sums.
static TileChoices chooseTogether(ArrayRef<SmallVector<TileChoice>> parts,
                                  int64_t mostElements) {
  TileChoices all;
  SmallVector<std::tuple<double, int64_t, int64_t>> kinds;
  for (ArrayRef<TileChoice> part : parts) {
    const TileChoice &choice = takeBest(part, mostElements);
    kinds.emplace_back(choice.block.work, choice.launch.grid,
                       choice.launch.threads);
    all.time = std::max(all.time, choice.block.latency + choice.block.exchange);
    all.launches.push_back(choice.launch);
  }
  all.time = std::max(all.time, shareBlocks(kinds));
  return all;
}

/// Tiles that are best alone may leave the last wave half empty together, where
/// smaller ones do not.
static TileChoices chooseTogether(ArrayRef<KernelPart> parts) {
  auto ranked = llvm::map_to_vector(
      parts, [](const KernelPart &part) { return rankTiles(part.shape); });
  std::optional<TileChoices> best;
  for (int64_t most : {128 * 128, 128 * 64, 64 * 64, 32 * 64, 32 * 32}) {
    TileChoices choices = chooseTogether(ranked, most);
    if (!best || choices.time < best->time)
      best = std::move(choices);
  }
  return *best;
}

SmallVector<LaunchShape> fuse::chooseTiles(ArrayRef<KernelPart> parts) {
  for (const KernelPart &part : parts)
    if (getGivenTile(part.shape))
      return llvm::map_to_vector(
          parts, [](const KernelPart &each) { return chooseTile(each.shape); });
  return chooseTogether(parts).launches;
}

std::optional<double> fuse::getTileClocks(const GroupShape &shape) {
  if (getGivenTile(shape))
    return std::nullopt;
  return takeBest(rankTiles(shape)).time;
}

double fuse::getClocksTogether(ArrayRef<KernelPart> parts) {
  return chooseTogether(parts).time;
}
