//===- StreamOrder.cpp - Which work of streams is ordered -----------------===//
//
// See StreamOrder.h.
//
//===----------------------------------------------------------------------===//
#include "StreamOrder.h"

#include <algorithm>

using namespace fuse::runtime;
using namespace mlir::fuse::emu;

/// Of a program that never waits: pieces of work, and ranges of all of them
/// (64 MB).
static constexpr size_t maxOpen = 4096, maxRanges = size_t(1) << 22;

static size_t countRanges(const AccessedBytes &bytes) {
  return bytes.read.size() + bytes.written.size();
}

static void join(std::vector<uint64_t> &to, const std::vector<uint64_t> &from) {
  to.resize(std::max(to.size(), from.size()));
  for (size_t k = 0; k < from.size(); ++k)
    to[k] = std::max(to[k], from[k]);
}

static uint64_t at(const std::vector<uint64_t> &clock, size_t stream) {
  return stream < clock.size() ? clock[stream] : 0;
}

StreamOrder::Stream &StreamOrder::get(Handle handle) {
  auto [it, isNew] = streams.try_emplace(handle);
  if (isNew)
    it->second.number = numStreams++;
  return it->second;
}

// Another stream may get the same handle; its work is not forgotten.
void StreamOrder::destroyStream(Handle stream) {
  std::lock_guard<std::mutex> lock(mutex);
  streams.erase(stream);
}
void StreamOrder::destroyEvent(Handle event) {
  std::lock_guard<std::mutex> lock(mutex);
  events.erase(event);
}

void StreamOrder::record(Handle event, Handle stream) {
  std::lock_guard<std::mutex> lock(mutex);
  events[event] = get(stream).clock;
}
void StreamOrder::waitEvent(Handle stream, Handle event) {
  std::lock_guard<std::mutex> lock(mutex);
  join(get(stream).clock, events[event]);
}

void StreamOrder::hostJoins(const Clock &clock) {
  join(host, clock);
  open.erase(std::remove_if(open.begin(), open.end(),
                            [&](const Work &work) {
                              return at(host, work.stream) >= work.time;
                            }),
             open.end());
}
void StreamOrder::hostWaitsForStream(Handle stream) {
  std::lock_guard<std::mutex> lock(mutex);
  hostJoins(get(stream).clock);
}
void StreamOrder::hostWaitsForEvent(Handle event) {
  std::lock_guard<std::mutex> lock(mutex);
  hostJoins(events[event]);
}

/// The first byte in both lists of ascending ranges, or 0.
static uint64_t overlap(const std::vector<ByteRange> &a,
                        const std::vector<ByteRange> &b) {
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    uint64_t begin = std::max(a[i].begin, b[j].begin);
    if (begin < std::min(a[i].end, b[j].end))
      return begin;
    a[i].end < b[j].end ? ++i : ++j;
  }
  return 0;
}

Error StreamOrder::add(Handle handle, const std::string &what,
                       AccessedBytes bytes, const DeviceMemory &memory) {
  std::lock_guard<std::mutex> lock(mutex);
  Stream &stream = get(handle);
  join(stream.clock, host); // What the host has waited for is over.
  stream.clock.resize(std::max(stream.clock.size(), stream.number + 1));
  uint64_t time = ++stream.clock[stream.number];
  Error error;
  for (const Work &other : open) {
    if (at(stream.clock, other.stream) >= other.time)
      continue;
    auto race = [&](uint64_t address, const char *now, const char *before) {
      if (address && error.empty())
        error = "race between streams: " + what + " " + now + " " +
                memory.describe(address) + ", which " + other.what + " " +
                before +
                " on another stream, with no event or synchronisation between "
                "them";
    };
    race(overlap(bytes.written, other.bytes.written), "writes", "writes");
    race(overlap(bytes.written, other.bytes.read), "writes", "reads");
    race(overlap(bytes.read, other.bytes.written), "reads", "writes");
  }
  open.push_back({stream.number, time, what, std::move(bytes)});
  size_t ranges = 0;
  for (const Work &work : open)
    ranges += countRanges(work.bytes);
  while (open.size() > maxOpen || (ranges > maxRanges && open.size() > 1)) {
    ranges -= countRanges(open.front().bytes);
    open.pop_front();
  }
  return error;
}

void StreamOrder::forget(uint64_t begin, uint64_t end) {
  std::lock_guard<std::mutex> lock(mutex);
  auto isIn = [&](const ByteRange &range) {
    return range.begin >= begin && range.begin < end;
  };
  for (Work &work : open)
    for (std::vector<ByteRange> *list : {&work.bytes.read, &work.bytes.written})
      list->erase(std::remove_if(list->begin(), list->end(), isIn),
                  list->end());
}
