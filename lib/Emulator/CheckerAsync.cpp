//===- CheckerAsync.cpp - Copies that must be waited for ------------------===//
//
// The emulator copies at once; what a copy wrote is pending until the program
// has waited for it, by groups or on an mbarrier.
//
//===----------------------------------------------------------------------===//
#include "Checker.h"

using namespace mlir::fuse::emu;

//===-- cp.async -----------------------------------------------------------=//

/// With a `writer`, what was copied counts as written by that warp, now.
void Checker::setPending(const Copy &copy, bool pending, const Warp *writer) {
  for (unsigned k = 0; k < copy.bytes; ++k) {
    SharedByte &b = bytes[copy.at + k];
    b.pending = pending;
    if (!writer)
      continue;
    b.writer = uint16_t(writer->order + 1);
    b.writeClock = clocks[writer->order][writer->order];
  }
}

void Checker::copyStarted(Warp &w, uint32_t mask, const uint64_t *to,
                          unsigned count) {
  bulk.clear(); // It is none.
  forLanes(mask, [&](unsigned l) {
    Copy copy = {byteOf(w, to[l]), count};
    if (copy.at + count > bytes.size())
      return; // Out of bounds, as has been said.
    copies[w.order * 32 + l].groups.back().push_back(copy);
    setPending(copy, true, nullptr);
  });
}

void Checker::commitGroup(Warp &w, uint32_t mask) {
  forLanes(mask,
           [&](unsigned l) { copies[w.order * 32 + l].groups.emplace_back(); });
}

void Checker::waitGroups(Warp &w, uint32_t mask, uint32_t mayStayOpen,
                         bool all) {
  forLanes(mask, [&](unsigned l) {
    auto &groups = copies[w.order * 32 + l].groups;
    // The last one is still being filled: only wait_all waits for it.
    size_t committed = groups.size() - 1;
    size_t done = all                       ? groups.size()
                  : committed > mayStayOpen ? committed - mayStayOpen
                                            : 0;
    for (size_t g = 0; g < done; ++g)
      for (const Copy &copy : groups[g])
        setPending(copy, false, &w);
    groups.erase(groups.begin(), groups.begin() + done);
    if (groups.empty())
      groups.emplace_back();
  });
}

//===-- mbarriers ----------------------------------------------------------=//

void Checker::copiesArriveOn(Warp &w, unsigned lane, const uint64_t *cell,
                             uint32_t phase) {
  Arrival arrival = {phase, {}};
  auto &groups = copies[w.order * 32 + lane].groups;
  for (std::vector<Copy> &group : groups)
    arrival.copies.insert(arrival.copies.end(), group.begin(), group.end());
  groups.assign(1, {});
  arrivals[cell].push_back(std::move(arrival));
}

void Checker::bulkArrivesOn(const uint64_t *cell, uint32_t phase) {
  for (const Copy &copy : bulk)
    setPending(copy, true, nullptr);
  arrivals[cell].push_back({phase, std::move(bulk)});
  bulk.clear();
}

void Checker::waited(Warp &w, const uint64_t *cell, uint32_t phase) {
  acquire(w, reinterpret_cast<uint64_t>(cell));
  auto it = arrivals.find(cell);
  if (it == arrivals.end())
    return;
  std::vector<Arrival> &list = it->second;
  for (size_t k = list.size(); k-- > 0;)
    if (list[k].phase == phase) {
      for (const Copy &copy : list[k].copies)
        setPending(copy, false, nullptr);
      list.erase(list.begin() + k);
    }
}
