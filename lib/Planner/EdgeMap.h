// Neighbours of a group: few, looked through at every merge, so kept sorted in
// one piece of memory.
#ifndef FUSE_MLIR_LIB_PLANNER_EDGEMAP_H
#define FUSE_MLIR_LIB_PLANNER_EDGEMAP_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/iterator.h"

#include <algorithm>
#include <utility>

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
///
/// A group may be the neighbour of all others (what returns their results): what
/// is taken out of a large map only leaves a gap, which the next change near by
/// fills.
class EdgeMap {
public:
  using Entry = std::pair<unsigned, Edge>;

  /// Passes over gaps.
  template <typename T>
  class Iterator
      : public llvm::iterator_facade_base<Iterator<T>,
                                          std::forward_iterator_tag, T> {
  public:
    Iterator(T *at, T *last) : at(at), last(last) { skip(); }
    T &operator*() const { return *at; }
    using llvm::iterator_facade_base<Iterator<T>, std::forward_iterator_tag,
                                     T>::operator++;
    Iterator &operator++() {
      ++at;
      skip();
      return *this;
    }
    bool operator==(const Iterator &other) const { return at == other.at; }

  private:
    void skip() {
      while (at != last && isGap(*at))
        ++at;
    }
    T *at, *last;
  };
  using iterator = Iterator<Entry>;
  using const_iterator = Iterator<const Entry>;

  iterator begin() { return {entries.begin(), entries.end()}; }
  iterator end() { return {entries.end(), entries.end()}; }
  const_iterator begin() const { return {entries.begin(), entries.end()}; }
  const_iterator end() const { return {entries.end(), entries.end()}; }
  size_t size() const { return entries.size() - gaps; }
  bool empty() const { return size() == 0; }
  void clear() {
    entries.clear();
    gaps = 0;
  }

  iterator find(unsigned neighbour) {
    return {findEntry(neighbour), entries.end()};
  }
  const_iterator find(unsigned neighbour) const {
    return {findEntry(neighbour), entries.end()};
  }
  bool contains(unsigned neighbour) const { return find(neighbour) != end(); }
  /// Adds an edge unless there is one to this neighbour.
  std::pair<iterator, bool> try_emplace(unsigned neighbour, Edge edge) {
    Entry *it = std::lower_bound(entries.begin(), entries.end(), neighbour,
                                 isBefore);
    bool known = it != entries.end() && it->first == neighbour;
    if (known && !isGap(*it))
      return {{it, entries.end()}, false};
    if (known) {
      it->second = edge;
      --gaps;
    } else {
      it = insert(it, {neighbour, edge});
    }
    return {{it, entries.end()}, true};
  }
  /// The same, but of two edges the first one stays.
  void addFirst(unsigned neighbour, Edge edge) {
    auto [it, added] = try_emplace(neighbour, edge);
    if (!added && edge < it->second)
      it->second = edge;
  }
  void erase(unsigned neighbour) {
    Entry *it = findEntry(neighbour);
    if (it == entries.end())
      return;
    if (entries.size() <= kLarge) {
      entries.erase(it);
      return;
    }
    it->second = {kGap, kGap};
    if (++gaps * 2 <= entries.size())
      return;
    llvm::erase_if(entries, isGap);
    gaps = 0;
  }

private:
  static constexpr unsigned kGap = ~0u;
  /// Entries from which on gaps are left.
  static constexpr size_t kLarge = 32;

  static bool isGap(const Entry &entry) { return entry.second.producer == kGap; }
  static bool isBefore(const Entry &entry, unsigned neighbour) {
    return entry.first < neighbour;
  }
  const Entry *findEntry(unsigned neighbour) const {
    const Entry *it = std::lower_bound(entries.begin(), entries.end(),
                                       neighbour, isBefore);
    bool known = it != entries.end() && it->first == neighbour && !isGap(*it);
    return known ? it : entries.end();
  }
  Entry *findEntry(unsigned neighbour) {
    return const_cast<Entry *>(std::as_const(*this).findEntry(neighbour));
  }
  /// Puts `entry` before `at`, into a gap if one is near.
  Entry *insert(Entry *at, Entry entry) {
    if (gaps == 0)
      return entries.insert(at, entry);
    for (size_t far = 0; far < kLarge; ++far) {
      if (size_t(entries.end() - at) > far && isGap(at[far])) {
        std::move_backward(at, at + far, at + far + 1);
        --gaps;
        *at = entry;
        return at;
      }
      if (size_t(at - entries.begin()) > far && isGap(at[-1 - int(far)])) {
        std::move(at - far, at, at - far - 1);
        --gaps;
        *--at = entry;
        return at;
      }
    }
    return entries.insert(at, entry);
  }

  SmallVector<Entry, 4> entries;
  /// How many of them are gaps.
  size_t gaps = 0;
};

} // namespace mlir::fuse::plan

#endif // FUSE_MLIR_LIB_PLANNER_EDGEMAP_H
