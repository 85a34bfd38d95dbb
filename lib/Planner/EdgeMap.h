// Neighbours of a group: few, looked through at every merge, so kept sorted in
// one piece of memory.
#ifndef FUSE_MLIR_LIB_PLANNER_EDGEMAP_H
#define FUSE_MLIR_LIB_PLANNER_EDGEMAP_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>

namespace mlir::fuse::plan {

/// Two operators that stand for a candidate in reports.
struct Edge {
  unsigned producer = 0, consumer = 0;
  bool operator<(const Edge &other) const {
    return std::pair(producer, consumer) <
           std::pair(other.producer, other.consumer);
  }
};

/// Edges by the neighbour's number, in its order. Used like a `std::map`, but
/// every change invalidates iterators.
class EdgeMap {
public:
  using Entry = std::pair<unsigned, Edge>;
  using iterator = Entry *;
  using const_iterator = const Entry *;

  iterator begin() { return entries.begin(); }
  iterator end() { return entries.end(); }
  const_iterator begin() const { return entries.begin(); }
  const_iterator end() const { return entries.end(); }
  size_t size() const { return entries.size(); }
  bool empty() const { return entries.empty(); }
  void clear() { entries.clear(); }

  iterator find(unsigned neighbour) {
    iterator it = getPlace(neighbour);
    return it != end() && it->first == neighbour ? it : end();
  }
  const_iterator find(unsigned neighbour) const {
    const_iterator it = std::lower_bound(begin(), end(), neighbour, isBefore);
    return it != end() && it->first == neighbour ? it : end();
  }
  bool contains(unsigned neighbour) const { return find(neighbour) != end(); }
  /// Adds an edge unless there is one to this neighbour.
  std::pair<iterator, bool> try_emplace(unsigned neighbour, Edge edge) {
    iterator it = getPlace(neighbour);
    if (it != end() && it->first == neighbour)
      return {it, false};
    return {entries.insert(it, {neighbour, edge}), true};
  }
  /// The same, but of two edges the first one stays.
  void addFirst(unsigned neighbour, Edge edge) {
    auto [it, added] = try_emplace(neighbour, edge);
    if (!added && edge < it->second)
      it->second = edge;
  }
  void erase(unsigned neighbour) {
    iterator it = find(neighbour);
    if (it != end())
      entries.erase(it);
  }

private:
  static bool isBefore(const Entry &entry, unsigned neighbour) {
    return entry.first < neighbour;
  }
  iterator getPlace(unsigned neighbour) {
    return std::lower_bound(begin(), end(), neighbour, isBefore);
  }

  SmallVector<Entry, 4> entries;
};

} // namespace mlir::fuse::plan

#endif // FUSE_MLIR_LIB_PLANNER_EDGEMAP_H
