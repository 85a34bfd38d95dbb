//===- fuse-emulate.cpp - Runs one kernel of a PTX file -------------------===//
//
// A command line over the emulator: arguments in, buffers and counters out.
// Nothing is written unless the whole launch has succeeded.
//
//===----------------------------------------------------------------------===//
#include "Buffer.h"
#include "fuse-mlir/Emulator/Emulator.h"

#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>

using namespace mlir::fuse::emu;

static const char usage[] =
    R"(usage: fuse-emulate FILE.ptx --kernel=NAME --grid=X[,Y[,Z]] --block=X[,Y[,Z]]
                    [--arg=...]... [options]

Runs one kernel of a PTX file on the CPU.

  --kernel=NAME        kernel to run; may be left out when the file has one
  --grid=X[,Y[,Z]]     number of blocks
  --block=X[,Y[,Z]]    threads of a block
  --cluster=X[,Y[,Z]]  blocks of a cluster (default: what the kernel requires)
  --shared=BYTES       dynamic shared memory of a block (default 0)
  --arg=TYPE=VALUE     next argument, a scalar: --arg=i32=5000 --arg=f32=0.5
  --arg=TYPE[SHAPE]=INIT
                       next argument, a buffer: --arg=f32[16x1000]=range
                       INIT is range (0, 1, 2, ...), zeros, uninit (zeros that
                       --check=uninit takes for unwritten), random:SEED
                       (floats in [-1,1)), or @FILE (.npy, or raw
                       little-endian of exactly the buffer's size)
                       TYPE is i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64
  --arg=value:TYPE[SHAPE]=INIT
                       next argument, a struct or array passed by value
  --arg=map[box=SHAPE]=TYPE[SHAPE]=INIT
                       next argument, a tensor map (128 bytes) of a buffer, for
                       cp.async.bulk.tensor; shapes have the innermost
                       dimension last; after the box may come swizzle=32, 64 or
                       128 (bytes) and nan (fill with NaN outside):
                       --arg=map[box=16x64,swizzle=128]=f16[128x256]=range
  --out=INDEX:FILE     write argument INDEX (0 is the first) after the run, as
                       .npy if FILE ends so (bf16 as its bits in u2), else raw
  --counters[=FORM]    print the counters, as json (default) or as a table
  --lines              print what each PTX line cost: warp and thread
                       instructions; requests and 32-byte sectors of global
                       memory, with the least sectors that could hold what was
                       asked for; wavefronts of shared memory, with those that
                       bank conflicts cost
  --caches             count also what reaches L2 and DRAM (takes longer)
  --device=LIST        what --caches and --sample-blocks assume, as some of
                       sms=132,l2=52428800,shared=233472,registers=65536,
                       threads=2048,blocks=32 (these are an H200's; the first
                       is a number, the others are of the L2 or of one SM)
  --registers=N        registers of a thread, for the blocks that an SM holds
                       (default: no limit by registers)
  --sample-blocks=N[:SEED]
                       run about N blocks, in whole waves, and scale the
                       counters; buffers then hold the results of those only
  --trace[=BLOCK]      print every warp instruction of block BLOCK (linear
                       number, default 0): its active lanes, the values it
                       reads and, after ->, those it writes (of the first four
                       active lanes, or one if all have the same; addresses as
                       #allocation+offset, predicates as masks)
  --check=LIST         checkers beyond bounds and alignment: all, or some of
                       races,uninit,barriers,async; the launch goes on after
                       a finding where it can, and lists all of them
  --threads=N          host threads (default: one per core)
  --list               print the kernels of the file with their parameters
  --help               this text

Exit code 0 on success; else 1, with the reason on stderr and no output files.
)";

namespace {
struct Options {
  std::string file, kernel;
  Dim3 grid, block, cluster{0, 0, 0};
  bool hasGrid = false, hasBlock = false;
  uint32_t shared = 0;
  std::vector<Argument> args;
  std::vector<std::pair<size_t, std::string>> outs;
  bool counters = false, asTable = false, lines = false, list = false;
  bool caches = false;
  DeviceShape device;
  uint32_t registers = 0;
  uint64_t sampleBlocks = 0, sampleSeed = 0;
  int64_t trace = -1;
  unsigned threads = 0, checks = CheckNone;
};

int fail(const std::string &message) {
  fprintf(stderr, "fuse-emulate: error: %s\n", message.c_str());
  return 1;
}

bool parseDim(const std::string &text, Dim3 &dim) {
  uint32_t values[3] = {1, 1, 1};
  const char *p = text.c_str();
  for (unsigned i = 0; i < 3; ++i) {
    char *end;
    errno = 0;
    unsigned long long value = strtoull(p, &end, 10);
    if (!isdigit(static_cast<unsigned char>(*p)) || errno || value > UINT32_MAX)
      return false;
    values[i] = uint32_t(value);
    p = end;
    if (*p != ',')
      break;
    ++p;
  }
  dim = {values[0], values[1], values[2]};
  return *p == 0;
}

bool startsWith(const std::string &text, const char *prefix,
                std::string &rest) {
  size_t length = strlen(prefix);
  if (text.compare(0, length, prefix) != 0)
    return false;
  rest = text.substr(length);
  return true;
}

/// The whole of `text` as a number.
template <typename T>
bool parseNumber(const std::string &text, T &number) {
  const char *end = text.data() + text.size();
  auto [stop, failure] = std::from_chars(text.data(), end, number);
  return failure == std::errc() && stop == end;
}

/// Options of counting; false when `arg` is none of them.
bool parseCounting(const std::string &arg, Options &options,
                   std::string &error) {
  std::string value;
  if (arg == "--counters" || arg == "--counters=json") {
    options.counters = true;
  } else if (arg == "--counters=table") {
    options.counters = options.asTable = true;
  } else if (arg == "--lines") {
    options.lines = true;
  } else if (arg == "--caches") {
    options.caches = true;
  } else if (startsWith(arg, "--device=", value)) {
    if (!parseDeviceShape(value, options.device, error))
      error = "invalid value of --device: " + error;
  } else if (startsWith(arg, "--registers=", value)) {
    if (!parseNumber(value, options.registers) || options.registers > 255)
      error =
          "invalid value of --registers: '" + value + "', expected 0 to 255";
  } else if (startsWith(arg, "--sample-blocks=", value)) {
    if (!parseSample(value, options.sampleBlocks, options.sampleSeed))
      error = "invalid value of --sample-blocks: '" + value +
              "', expected a number of blocks, or BLOCKS:SEED";
  } else {
    return false;
  }
  return true;
}

/// False with `error` set; an empty error asks for the usage text.
bool parseOption(const std::string &arg, Options &options, std::string &error) {
  std::string value;
  if (parseCounting(arg, options, error))
    return error.empty();
  if (startsWith(arg, "--kernel=", value)) {
    options.kernel = value;
  } else if (startsWith(arg, "--grid=", value)) {
    options.hasGrid = true;
    if (!parseDim(value, options.grid))
      error = "invalid value of --grid: '" + value + "'";
  } else if (startsWith(arg, "--block=", value)) {
    options.hasBlock = true;
    if (!parseDim(value, options.block))
      error = "invalid value of --block: '" + value + "'";
  } else if (startsWith(arg, "--cluster=", value)) {
    if (!parseDim(value, options.cluster) || !options.cluster.count())
      error = "invalid value of --cluster: '" + value + "'";
  } else if (startsWith(arg, "--shared=", value)) {
    if (!parseNumber(value, options.shared))
      error = "invalid value of --shared: '" + value + "'";
  } else if (startsWith(arg, "--threads=", value)) {
    if (!parseNumber(value, options.threads))
      error = "invalid value of --threads: '" + value + "'";
  } else if (startsWith(arg, "--arg=", value)) {
    Argument argument;
    if (parseArgument(value, argument, error))
      options.args.push_back(std::move(argument));
  } else if (startsWith(arg, "--out=", value)) {
    size_t colon = value.find(':'), index = 0;
    if (colon == std::string::npos ||
        !parseNumber(value.substr(0, colon), index))
      error = "invalid value of --out: '" + value + "', expected INDEX:FILE";
    else
      options.outs.push_back({index, value.substr(colon + 1)});
  } else if (startsWith(arg, "--check=", value)) {
    if (!parseChecks(value, options.checks))
      error = "invalid value of --check: '" + value +
              "', expected all, none, races, uninit, barriers or async";
  } else if (arg == "--list") {
    options.list = true;
  } else if (arg == "--trace") {
    options.trace = 0;
  } else if (startsWith(arg, "--trace=", value)) {
    if (!parseNumber(value, options.trace) || options.trace < 0)
      error = "invalid value of --trace: '" + value + "'";
  } else if (!arg.empty() && arg[0] == '-') {
    error = "unknown option '" + arg + "'";
  } else if (options.file.empty()) {
    options.file = arg;
  } else {
    error = "more than one file";
  }
  return error.empty();
}

void listKernels(const Module &module) {
  for (const KernelInfo &info : module.kernels()) {
    printf("%s: %u bytes of static shared memory, %u of local memory\n",
           info.name.c_str(), info.staticSharedBytes, info.localBytes);
    for (const ParamInfo &param : info.params)
      printf("  %s: %u bytes at %u\n", param.name.c_str(), param.size,
             param.offset);
    if (!info.unsupported.empty())
      printf("  not executed: %s\n", info.unsupported.c_str());
  }
}

/// Puts the arguments into device memory and the parameter block.
bool bind(const KernelInfo &info, Options &options, DeviceMemory &memory,
          std::vector<void *> &buffers, std::vector<uint8_t> &params,
          std::string &error) {
  if (options.args.size() != info.params.size()) {
    error = "kernel '" + info.name + "' has " +
            std::to_string(info.params.size()) + " parameters, but got " +
            std::to_string(options.args.size()) + " arguments";
    return false;
  }
  params.assign(info.paramBytes, 0);
  for (size_t i = 0; i < options.args.size(); ++i) {
    const Argument &arg = options.args[i];
    const ParamInfo &param = info.params[i];
    uint64_t address = 0;
    std::vector<uint8_t> map;
    const uint8_t *from = arg.bytes.data();
    size_t size = arg.bytes.size();
    void *buffer = nullptr;
    if (arg.isBuffer) {
      buffer = memory.allocate(arg.bytes.size());
      if (!buffer) {
        error = "no memory for argument " + std::to_string(i);
        return false;
      }
      memcpy(buffer, arg.bytes.data(), arg.bytes.size());
      if (!arg.isUninitialised)
        memory.markWritten(buffer, arg.bytes.size());
      address = reinterpret_cast<uint64_t>(buffer);
      from = reinterpret_cast<const uint8_t *>(&address);
      size = 8;
      if (arg.isMap && !encodeMap(arg, address, map, error)) {
        error = "tensor map of argument " + std::to_string(i) + ": " + error;
        return false;
      }
      if (arg.isMap) {
        from = map.data();
        size = map.size();
      }
    }
    buffers.push_back(buffer);
    if (size != param.size) {
      error = "argument " + std::to_string(i) + " has " + std::to_string(size) +
              " bytes, but parameter '" + param.name + "' has " +
              std::to_string(param.size);
      return false;
    }
    memcpy(&params[param.offset], from, size);
  }
  return true;
}

void printLines(const LaunchStats &stats, const std::string &text) {
  std::vector<std::string> lines;
  size_t start = 0;
  while (start <= text.size()) {
    size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  printf("%6s %10s %12s %9s %9s %9s %10s %9s  text\n", "line", "warp", "thread",
         "requests", "sectors", "ideal", "wavefronts", "conflicts");
  for (const LineCount &c : stats.lines)
    printf("%6u %10llu %12llu %9llu %9llu %9llu %10llu %9llu  %s\n", c.line,
           (unsigned long long)c.warp, (unsigned long long)c.thread,
           (unsigned long long)c.requests, (unsigned long long)c.sectors,
           (unsigned long long)c.idealSectors, (unsigned long long)c.wavefronts,
           (unsigned long long)c.bankConflicts,
           c.line - 1 < lines.size() ? lines[c.line - 1].c_str() : "");
}

LaunchOptions getLaunchOptions(const Options &options, Caches &caches,
                               std::string &trace) {
  LaunchOptions launch;
  launch.threads = options.threads;
  launch.checks = options.checks;
  launch.cluster = options.cluster;
  launch.counters = options.counters || options.lines;
  launch.perLine = options.lines;
  launch.traceBlock = options.trace;
  launch.trace = &trace;
  launch.caches = options.caches ? &caches : nullptr;
  launch.device = options.device;
  launch.registers = options.registers;
  launch.sampleBlocks = options.sampleBlocks;
  launch.sampleSeed = options.sampleSeed;
  return launch;
}

int run(Options &options) {
  std::vector<uint8_t> bytes;
  std::string error;
  if (!readFile(options.file, bytes, error))
    return fail(error);
  std::string text(bytes.begin(), bytes.end());
  DeviceMemory memory;
  memory.trackWrites(options.checks & CheckUninit);
  auto module = Module::load(text, memory, error, options.file);
  if (!module)
    return fail(error);
  if (options.list) {
    listKernels(*module);
    return 0;
  }
  auto kernels = module->kernels();
  if (options.kernel.empty() && kernels.size() == 1)
    options.kernel = kernels[0].name;
  const KernelInfo *info = module->lookup(options.kernel);
  if (!info)
    return fail("no kernel '" + options.kernel + "' in '" + options.file + "'");
  if (!info->unsupported.empty())
    return fail(info->unsupported);
  if (!options.hasGrid || !options.hasBlock)
    return fail("expected --grid and --block");
  for (auto &[index, path] : options.outs)
    if (index >= options.args.size() || !options.args[index].isBuffer)
      return fail("--out=" + std::to_string(index) + ": no such buffer");
  std::vector<void *> buffers;
  std::vector<uint8_t> params;
  if (!bind(*info, options, memory, buffers, params, error))
    return fail(error);
  LaunchStats stats;
  std::string trace;
  Caches caches(options.device);
  if (!launch(*module, options.kernel, options.grid, options.block,
              options.shared, params.data(),
              getLaunchOptions(options, caches, trace), stats, error)) {
    fputs(trace.c_str(), stderr);
    return fail(error);
  }
  fputs(stats.printed.c_str(), stdout);
  fputs(trace.c_str(), stdout);
  for (auto &[index, path] : options.outs) {
    Argument &arg = options.args[index];
    memcpy(arg.bytes.data(), buffers[index], arg.bytes.size());
    if (!writeBuffer(arg, path, error))
      return fail(error);
  }
  if (options.lines)
    printLines(stats, text);
  if (options.counters)
    puts((options.asTable ? statsToTable(stats) : statsToJson(stats)).c_str());
  return 0;
}
} // namespace

int main(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string error;
    if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
      fputs(usage, stdout);
      return 0;
    }
    if (!parseOption(argv[i], options, error))
      return fail(error);
  }
  if (options.file.empty())
    return fail("expected a PTX file; --help explains");
  return run(options);
}
