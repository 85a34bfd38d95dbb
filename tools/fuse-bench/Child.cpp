// Forks, limits, and reads what the child has found out.
#include "Child.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::fuse::bench;

/// Runs `body` and writes its result to `fd`. Does not return.
[[noreturn]] static void
runChild(int fd, double seconds,
         function_ref<FailureOr<llvm::json::Object>()> body) {
  rlim_t limit = rlim_t(std::ceil(std::max(1.0, seconds)));
  // The hard limit ends a process that ignores the soft one's signal.
  struct rlimit limits = {limit, limit + 1};
  setrlimit(RLIMIT_CPU, &limits);
  std::signal(SIGXCPU, SIG_DFL);
  FailureOr<llvm::json::Object> result = body();
  if (succeeded(result)) {
    llvm::raw_fd_ostream os(fd, /*shouldClose=*/true);
    os << llvm::json::Value(std::move(*result));
  }
  _exit(succeeded(result) ? 0 : 1);
}

/// All that comes out of `fd`.
static std::string readAll(int fd) {
  std::string text;
  char buffer[4096];
  for (;;) {
    ssize_t count = read(fd, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return text;
    text.append(buffer, size_t(count));
  }
}

FailureOr<llvm::json::Object>
fuse::bench::runInChild(double seconds,
                        function_ref<FailureOr<llvm::json::Object>()> body,
                        std::string &why) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    why = std::strerror(errno);
    return failure();
  }
  llvm::outs().flush();
  pid_t child = fork();
  if (child < 0) {
    why = std::strerror(errno);
    close(ends[0]);
    close(ends[1]);
    return failure();
  }
  if (child == 0) {
    close(ends[0]);
    runChild(ends[1], seconds, body);
  }
  close(ends[1]);
  std::string text = readAll(ends[0]);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (WIFSIGNALED(status)) {
    bool late = WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL;
    why = late ? "over " + std::to_string(int(std::ceil(seconds))) + " s"
               : std::string("ended by signal ") + strsignal(WTERMSIG(status));
    return failure();
  }
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value || !value->getAsObject()) {
    if (!value)
      llvm::consumeError(value.takeError());
    why = "failed";
    return failure();
  }
  return std::move(*value->getAsObject());
}

double fuse::bench::getCpuSeconds() {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

/// The entry `key` of /proc/self/status, in bytes; 0 where there is none.
static int64_t readStatus(StringRef key) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file =
      llvm::MemoryBuffer::getFileAsStream("/proc/self/status");
  if (!file)
    return 0;
  SmallVector<StringRef> lines;
  (*file)->getBuffer().split(lines, '\n');
  for (StringRef line : lines) {
    int64_t kilobytes = 0;
    if (line.consume_front(key) && line.consume_front(":") &&
        !line.ltrim().consumeInteger(10, kilobytes))
      return kilobytes * 1024;
  }
  return 0;
}

int64_t fuse::bench::getResidentBytes() { return readStatus("VmRSS"); }

int64_t fuse::bench::getPeakBytes() { return readStatus("VmHWM"); }

void fuse::bench::resetPeakBytes() {
  int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    return;
  // 5 sets the peak to what is resident now.
  (void)!write(fd, "5", 1);
  close(fd);
}
