// Start-up takes as long as compiling a small graph. Who runs thousands of
// them, as the fuzzer does, starts once and lets a copy of the process run each
// graph, which may crash without harm to the others.
#include "Serve.h"
#include "Compile.h"
#include "Execute.h"
#include "Reference.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::fuse::run;

/// A contraction, a reduction and a function that comes from a library.
static constexpr llvm::StringLiteral kProgram = R"(
  func.func @main(%a: tensor<32x32xf32>) -> tensor<32xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<32x32xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x32xf32>)
        -> tensor<32x32xf32>
    %m = linalg.matmul ins(%a, %a : tensor<32x32xf32>, tensor<32x32xf32>)
        outs(%f : tensor<32x32xf32>) -> tensor<32x32xf32>
    %x = math.exp %m : tensor<32x32xf32>
    %s = tensor.empty() : tensor<32xf32>
    %g = linalg.fill ins(%zero : f32) outs(%s : tensor<32xf32>)
        -> tensor<32xf32>
    %r = linalg.reduce { arith.addf } ins(%x : tensor<32x32xf32>)
        outs(%g : tensor<32xf32>) dimensions = [1]
    return %r : tensor<32xf32>
  })";

LogicalResult fuse::run::warmUp(MLIRContext &context) {
  Model model;
  model.module = parseSourceString<ModuleOp>(kProgram, &context, "warm-up");
  if (!model.module || failed(readSignature(model, "main")))
    return failure();
  OwningOpRef<ModuleOp> compiled = model.module->clone();
  CompileOptions options;
  options.assemble = false;
  CompileResult result;
  if (failed(compile(*compiled, options, result)) ||
      failed(lowerReference(*model.module)))
    return failure();
  std::vector<HostTensor> inputs = drawInputs(model, /*seed=*/0), results;
  return execute(*model.module, model, inputs, results, ExecuteOptions());
}

static int serveError(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "fuse-run") << message << "\n";
  return 1;
}

/// The copy: takes its files, runs, and leaves without tidying up.
[[noreturn]] static void
runCopy(int log, llvm::ArrayRef<const char *> arguments,
        llvm::function_ref<int(llvm::ArrayRef<const char *>)> run) {
  int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 ||
      dup2(log, STDOUT_FILENO) < 0 || dup2(log, STDERR_FILENO) < 0)
    _exit(1);
  int code = run(arguments);
  llvm::outs().flush();
  llvm::errs().flush();
  _exit(code);
}

/// Runs one line; its exit code is not that of this process.
static int
serveLine(llvm::StringRef line, const char *program,
          llvm::function_ref<int(llvm::ArrayRef<const char *>)> run) {
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  SmallVector<const char *> words;
  llvm::cl::TokenizeGNUCommandLine(line, saver, words);
  if (words.size() < 2)
    return serveError("--serve: expected 'LOG ARGUMENT...', but got '" +
                      line.trim() + "'");
  const char *path = words.front();
  int log = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (log < 0)
    return serveError(llvm::Twine("--serve: cannot write '") + path + "'");
  words.front() = program;
  pid_t copy = fork();
  if (copy == 0)
    runCopy(log, words, run);
  close(log);
  int status = 0;
  if (copy < 0 || waitpid(copy, &status, 0) != copy)
    return serveError("--serve: cannot start a process");
  if (WIFSIGNALED(status))
    llvm::outs() << "signal " << WTERMSIG(status) << "\n";
  else
    llvm::outs() << "exit " << WEXITSTATUS(status) << "\n";
  llvm::outs().flush();
  return 0;
}

int fuse::run::serve(
    const char *program,
    llvm::function_ref<int(llvm::ArrayRef<const char *>)> run) {
  char *line = nullptr;
  size_t size = 0;
  int code = 0;
  ssize_t length;
  while (code == 0 && (length = getline(&line, &size, stdin)) >= 0)
    code = serveLine(llvm::StringRef(line, size_t(length)), program, run);
  std::free(line);
  return code;
}
