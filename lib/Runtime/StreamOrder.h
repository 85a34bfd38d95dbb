//===- StreamOrder.h - Which work of streams is ordered -----------*- C++ -*-=//
//
// The emulator does all work at once, one of the orders that streams allow.
// Vector clocks over the streams, joined by events and by the host's waits,
// say what a GPU might have done in another order; two accesses of a byte that
// nothing orders, one a write, are a race.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_LIB_RUNTIME_STREAMORDER_H
#define FUSE_LIB_RUNTIME_STREAMORDER_H

#include "Backend.h"
#include "fuse-mlir/Emulator/Emulator.h"

#include <deque>
#include <map>
#include <mutex>
#include <vector>

namespace fuse::runtime {

/// Thread-safe. The null stream is one of its own: the streams of MLIR's
/// wrapper do not wait for it.
class StreamOrder {
public:
  void destroyStream(Handle stream);
  void destroyEvent(Handle event);
  void record(Handle event, Handle stream);
  void waitEvent(Handle stream, Handle event);
  void hostWaitsForStream(Handle stream);
  void hostWaitsForEvent(Handle event);

  /// The next work of a stream; `what` names it. The race it is part of, if
  /// any; `memory` describes addresses.
  Error add(Handle stream, const std::string &what,
            mlir::fuse::emu::AccessedBytes bytes,
            const mlir::fuse::emu::DeviceMemory &memory);
  /// The range is not the same memory any more.
  void forget(uint64_t begin, uint64_t end);

private:
  using Clock = std::vector<uint64_t>; ///< By number of the stream.
  struct Stream {
    size_t number;
    Clock clock;
  };
  struct Work {
    size_t stream;
    uint64_t time;
    std::string what;
    mlir::fuse::emu::AccessedBytes bytes;
  };
  Stream &get(Handle stream);
  void hostJoins(const Clock &clock);

  std::mutex mutex;
  std::map<Handle, Stream> streams;
  std::map<Handle, Clock> events;
  Clock host;
  size_t numStreams = 0;
  /// What the host has not waited for; the oldest goes when there is too much.
  std::deque<Work> open;
};

} // namespace fuse::runtime

#endif // FUSE_LIB_RUNTIME_STREAMORDER_H
