// Progress on stderr.
#include "Progress.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <mutex>

using namespace mlir::fuse::run;
using Clock = std::chrono::steady_clock;

namespace {
struct State {
  std::mutex mutex;
  ProgressMode mode = ProgressMode::Auto;
  Clock::time_point start = Clock::now();
  Clock::time_point last = start;
  bool lineOpen = false;
};
} // namespace

/// Belongs to the program, not to a library.
static State &getState() {
  static State state;
  return state;
}

void mlir::fuse::run::setProgressMode(ProgressMode mode) {
  getState().mode = mode;
}

static void show(State &state, llvm::StringRef text) {
  bool terminal = llvm::errs().is_displayed();
  Clock::time_point now = Clock::now();
  std::chrono::duration<double> total = now - state.start;
  std::chrono::duration<double> since = now - state.last;
  double pause = terminal ? 0.1 : 5.0;
  if (state.mode != ProgressMode::Always &&
      (total.count() < 2.0 || since.count() < pause))
    return;
  state.last = now;
  if (terminal)
    llvm::errs() << "\r\x1b[K";
  llvm::errs() << "fuse-run: " << llvm::format("%5.1f s  ", total.count())
               << text;
  if (!terminal)
    llvm::errs() << "\n";
  state.lineOpen = terminal;
}

void mlir::fuse::run::reportProgress(llvm::StringRef what) {
  State &state = getState();
  std::lock_guard<std::mutex> lock(state.mutex);
  if (state.mode != ProgressMode::Never)
    show(state, what);
}

void mlir::fuse::run::reportProgress(llvm::StringRef what, int64_t done,
                                     int64_t total) {
  std::string text = what.str() + " " + std::to_string(done);
  if (total > 0)
    text += " of " + std::to_string(total);
  reportProgress(text);
}

void mlir::fuse::run::clearProgress() {
  State &state = getState();
  std::lock_guard<std::mutex> lock(state.mutex);
  if (state.lineOpen)
    llvm::errs() << "\r\x1b[K";
  state.lineOpen = false;
}
