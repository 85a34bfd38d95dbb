//===- Sample.cpp - Which blocks stand for the others ---------------------===//
//
// See Sample.h.
//
//===----------------------------------------------------------------------===//
#include "Sample.h"

#include <algorithm>
#include <charconv>
#include <numeric>

using namespace mlir::fuse::emu;

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
  Stratum::Run run(uint64_t wave) const {
    uint64_t first = wave * resident;
    return {first, std::min(resident, total - first)};
  }
  /// 0: no block of the wave is at the upper end of y or z; 1: some are; 2:
  /// all are.
  unsigned kind(uint64_t wave) const {
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
};
} // namespace

/// Successive waves of `members`, from a place that is drawn: at least as many
/// as together are whole rows of the grid, so that what rows share is met as
/// often as in the whole, and as many more as are wanted. The wave before them
/// warms up what they share with it.
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
  if (members[start] > 1)
    stratum.warmUp = waves.run(members[start] - 1);
  return stratum;
}

std::vector<Stratum> mlir::fuse::emu::chooseClusters(Dim3 grid,
                                                     uint64_t resident,
                                                     uint64_t wanted,
                                                     uint64_t seed) {
  Waves waves = {grid, resident, grid.count(),
                 (grid.count() + resident - 1) / resident};
  Stratum everything;
  everything.represented = waves.total;
  for (uint64_t wave = 0; wave < waves.count; ++wave)
    everything.runs.push_back(waves.run(wave));
  // The first and the last wave, and one of each kind between them.
  if (!wanted || wanted >= waves.total || waves.count <= 3)
    return {everything};
  std::vector<uint64_t> members[3];
  for (uint64_t wave = 1; wave + 1 < waves.count; ++wave)
    members[waves.kind(wave)].push_back(wave);
  std::vector<Stratum> strata = {{{waves.run(0)}, waves.run(0).count, {}}};
  uint64_t between = waves.count - 2;
  uint64_t budget = std::max<uint64_t>(2, (wanted + resident - 1) / resident);
  for (const std::vector<uint64_t> &kind : members) {
    if (kind.empty())
      continue;
    uint64_t share = (budget - 2) * kind.size() / between;
    strata.push_back(draw(waves, kind, share, seed));
  }
  Stratum::Run last = waves.run(waves.count - 1);
  strata.push_back({{last}, last.count, {}});
  return strata;
}
