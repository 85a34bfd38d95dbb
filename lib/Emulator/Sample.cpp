//===- Sample.cpp - Which blocks stand for the others ---------------------===//
//
// See Sample.h.
//
//===----------------------------------------------------------------------===//
#include "Sample.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <set>

using namespace mlir::fuse::emu;

/// Bounds that count, from the first on: each may cost two waves.
static constexpr size_t kMaxBounds = 16;

static bool parseNumber(std::string_view text, uint64_t &number) {
  const char *end = text.data() + text.size();
  auto [stop, failure] = std::from_chars(text.data(), end, number);
  return failure == std::errc() && stop == end;
}

bool mlir::fuse::emu::parseSample(std::string_view text, uint64_t &blocks,
                                  uint64_t &seed) {
  size_t colon = text.find(':');
  seed = 0;
  return parseNumber(text.substr(0, colon), blocks) && blocks &&
         (colon == text.npos || parseNumber(text.substr(colon + 1), seed));
}

namespace {
/// splitmix64: the same sample on every machine.
uint64_t nextRandom(uint64_t &state) {
  uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

struct Waves {
  Dim3 grid;
  uint64_t resident, total, count;
  std::vector<uint64_t> bounds; ///< Inside of the grid, which has one axis.
  Stratum::Run run(uint64_t wave) const {
    uint64_t first = wave * resident;
    return {first, std::min(resident, total - first)};
  }
  /// 0: no block of the wave is at the upper end of y or z; 1: some are; 2:
  /// all are.
  unsigned edge(uint64_t wave) const {
    Stratum::Run blocks = run(wave);
    auto isEdge = [&](uint64_t row) {
      return (grid.y > 1 && row % grid.y == grid.y - 1) ||
             (grid.z > 1 && row / grid.y == grid.z - 1);
    };
    bool some = false, all = true;
    uint64_t last = (blocks.first + blocks.count - 1) / grid.x;
    for (uint64_t row = blocks.first / grid.x; row <= last; ++row) {
      some |= isEdge(row);
      all &= isEdge(row);
    }
    return all ? 2 : some;
  }
  /// Waves of equal kinds stand for each other: those at the same edge, and
  /// those between the same bounds. A wave with a bound inside is alone.
  std::pair<size_t, unsigned> kind(uint64_t wave) const {
    Stratum::Run blocks = run(wave);
    size_t part = std::upper_bound(bounds.begin(), bounds.end(), blocks.first) -
                  bounds.begin();
    bool hasBound =
        part < bounds.size() && bounds[part] < blocks.first + blocks.count;
    return {2 * part + hasBound, edge(wave)};
  }
};
} // namespace

/// Successive waves of `members`, from a place that is drawn: at least as many
/// as together are whole rows of the grid, so that what rows share is met as
/// often as in the whole, and as many more as are wanted.
static Stratum draw(const Waves &waves, const std::vector<uint64_t> &members,
                    uint64_t wanted, uint64_t &state) {
  uint64_t period = waves.grid.x / std::gcd(waves.grid.x, waves.resident);
  uint64_t count = std::clamp<uint64_t>(wanted, 1, members.size());
  if (period <= members.size())
    count = std::max(count / period, uint64_t(1)) * period;
  uint64_t start = nextRandom(state) % (members.size() - count + 1);
  Stratum stratum;
  for (uint64_t k = start; k < start + count; ++k)
    stratum.runs.push_back(waves.run(members[k]));
  stratum.represented = members.size() * waves.resident;
  return stratum;
}

/// Lets the wave before a stratum warm up what they share, where it does not
/// run anyway. The last wave, which stands for itself only, has none.
static void addWarmUps(const Waves &waves, std::vector<Stratum> &strata) {
  std::set<uint64_t> drawn;
  for (const Stratum &stratum : strata)
    for (const Stratum::Run &run : stratum.runs)
      drawn.insert(run.first / waves.resident);
  for (Stratum &stratum : strata)
    if (uint64_t wave = stratum.runs.front().first / waves.resident;
        wave + 1 < waves.count && wave && !drawn.count(wave - 1))
      stratum.warmUp = waves.run(wave - 1);
}

std::vector<Stratum>
mlir::fuse::emu::chooseClusters(Dim3 grid, uint64_t resident, uint64_t wanted,
                                uint64_t seed,
                                const std::vector<uint64_t> &bounds) {
  Waves waves = {grid,
                 resident,
                 grid.count(),
                 (grid.count() + resident - 1) / resident,
                 {}};
  Stratum everything;
  everything.represented = waves.total;
  for (uint64_t wave = 0; wave < waves.count; ++wave)
    everything.runs.push_back(waves.run(wave));
  // The first and the last wave, and one of each kind between them.
  if (!wanted || wanted >= waves.total || waves.count <= 3)
    return {everything};
  if (grid.y * grid.z == 1)
    for (uint64_t bound : bounds)
      if (bound < waves.total && waves.bounds.size() < kMaxBounds)
        waves.bounds.push_back(bound);
  std::map<std::pair<size_t, unsigned>, std::vector<uint64_t>> members;
  for (uint64_t wave = 1; wave + 1 < waves.count; ++wave)
    members[waves.kind(wave)].push_back(wave);
  std::vector<Stratum> strata = {{{waves.run(0)}, waves.run(0).count, {}}};
  uint64_t between = waves.count - 2;
  uint64_t budget = std::max<uint64_t>(2, (wanted + resident - 1) / resident);
  for (const auto &[kind, waveNumbers] : members) {
    uint64_t share = (budget - 2) * waveNumbers.size() / between;
    strata.push_back(draw(waves, waveNumbers, share, seed));
  }
  Stratum::Run last = waves.run(waves.count - 1);
  strata.push_back({{last}, last.count, {}});
  std::sort(strata.begin(), strata.end(),
            [](const Stratum &a, const Stratum &b) {
              return a.runs.front().first < b.runs.front().first;
            });
  addWarmUps(waves, strata);
  return strata;
}
