//===- EmulatorBackend.cpp - The runtime without a GPU --------------------===//
//
// Everything happens at once and in order, which is one of the orders that
// streams allow. Copies are checked against the table of allocations.
//
//===----------------------------------------------------------------------===//
#include "RepeatedLaunches.h"
#include "StreamOrder.h"

#include "fuse-mlir/Emulator/Emulator.h"
#include "fuse-mlir/Emulator/TensorMap.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>

using namespace fuse::runtime;
using namespace mlir::fuse::emu;

namespace {
struct LoadedModule {
  std::unique_ptr<Module> module;
  std::string text;
};
struct Function {
  LoadedModule *owner;
  std::string name;
  std::string code = RepeatedLaunches::findCode(owner->text, name);
};

class EmulatorBackend final : public Backend {
public:
  /// Reads the environment; the reason if a value is not legal.
  Error configure();
  const char *name() const override { return "emulator"; }
  Error loadModule(const void *data, size_t size, int, Handle &module) override;
  Error unloadModule(Handle module) override;
  Error getFunction(Handle module, const char *name, Handle &function) override;
  std::string functionName(Handle function) override;
  Error launch(const LaunchRequest &request, LaunchResult &result) override;
  double elapsed(Handle) override { return -1; }

  Error createStream(Handle &stream) override { return create(stream); }
  Error destroyStream(Handle stream) override {
    order.destroyStream(stream);
    return destroy(stream, "stream");
  }
  Error synchronizeStream(Handle stream) override {
    order.hostWaitsForStream(stream);
    return known(stream, "stream");
  }
  Error waitEvent(Handle stream, Handle event) override {
    order.waitEvent(stream, event);
    return bothKnown(stream, event);
  }
  Error createEvent(Handle &event) override { return create(event); }
  Error destroyEvent(Handle event) override {
    order.destroyEvent(event);
    return destroy(event, "event");
  }
  Error synchronizeEvent(Handle event) override {
    order.hostWaitsForEvent(event);
    return known(event, "event");
  }
  Error recordEvent(Handle event, Handle stream) override {
    order.record(event, stream);
    return bothKnown(stream, event);
  }

  Error allocate(uint64_t size, bool hostShared, void *&pointer) override {
    pointer = memory.allocate(size);
    if (!pointer)
      return "out of memory: " + std::to_string(size) + " bytes";
    if (hostShared) // The host stores into it without a call.
      memory.markWritten(pointer, size);
    return {};
  }
  Error release(void *pointer) override;
  Error copy(void *to, const void *from, size_t size, Handle stream) override;
  Error set(void *to, uint32_t value, unsigned bits, size_t count,
            Handle stream) override;
  Error encodeTensorMap(const TensorMapRequest &request, void *map) override;
  Error registerHost(void *pointer, uint64_t size) override {
    return memory.registerHost(pointer, size)
               ? Error()
               : "the range is null or overlaps another one";
  }
  Error unregisterHost(void *pointer) override {
    return memory.unregisterHost(pointer) ? Error() : "not registered";
  }
  Error setDevice(int32_t device) override {
    return device == 0 ? Error()
                       : "no device " + std::to_string(device) +
                             ": the emulator is device 0";
  }
  void setHostThreads(unsigned threads) override { hostThreads = threads; }
  void setCaches(const DeviceShape *shape) override {
    std::lock_guard<std::mutex> lock(mutex);
    caches = shape ? std::make_unique<Caches>(*shape) : nullptr;
  }
  void setRegisters(const std::string &kernel, uint32_t count) override {
    std::lock_guard<std::mutex> lock(mutex);
    registers[kernel] = count;
  }
  void setSampleBlocks(uint64_t blocks, uint64_t seed) override {
    std::lock_guard<std::mutex> lock(mutex);
    sampleBlocks = blocks;
    sampleSeed = seed;
    repeated = {};
  }

private:
  Error create(Handle &handle) {
    std::lock_guard<std::mutex> lock(mutex);
    handle = new char;
    handles.insert(handle);
    return {};
  }
  Error known(Handle handle, const char *what) {
    std::lock_guard<std::mutex> lock(mutex);
    return !handle || handles.count(handle) ? Error()
                                            : std::string("not a live ") + what;
  }
  Error destroy(Handle handle, const char *what) {
    Error error = known(handle, what);
    std::lock_guard<std::mutex> lock(mutex);
    if (error.empty() && handle && handles.erase(handle))
      delete static_cast<char *>(handle);
    return error;
  }
  Error bothKnown(Handle stream, Handle event) {
    Error error = known(stream, "stream");
    return error.empty() ? known(event, "event") : error;
  }
  Error checkRange(const void *pointer, uint64_t size, const char *what);

  /// Bytes of device memory that a copy or memset reads or writes.
  void addDeviceRange(std::vector<ByteRange> &ranges, const void *pointer,
                      size_t size) {
    uint64_t begin = reinterpret_cast<uint64_t>(pointer);
    if (size && memory.deviceAddress(pointer))
      ranges.push_back({begin, begin + size});
  }

  DeviceMemory memory;
  StreamOrder order; ///< Followed with CheckRaces.
  std::mutex mutex;
  std::set<Handle> handles;
  std::set<LoadedModule *> modules;
  std::set<Function *> functions;
  /// One launch at a time: kernels share the caches and order their findings.
  std::mutex launching;
  unsigned hostThreads = 0;
  unsigned checks = CheckNone;
  std::unique_ptr<Caches> caches;
  std::map<std::string, uint32_t> registers; ///< Of a thread, by kernel.
  uint64_t sampleBlocks = 0, sampleSeed = 0;
  RepeatedLaunches repeated; ///< With a sample of blocks.
  bool perLine = false;
};
} // namespace

static std::string valueOf(const char *variable) {
  const char *value = getenv(variable);
  return value ? value : "";
}

Error EmulatorBackend::configure() {
  std::string list = valueOf("FUSE_RUNTIME_CHECK");
  if (!parseChecks(list, checks))
    return "FUSE_RUNTIME_CHECK is '" + list +
           "', expected all, none or some of races,uninit,barriers,async";
  memory.trackWrites(checks & CheckUninit);
  std::string device = valueOf("FUSE_RUNTIME_CACHES");
  if (!device.empty() && device != "0") {
    DeviceShape shape;
    Error error;
    if (device != "1" && !parseDeviceShape(device, shape, error))
      return "FUSE_RUNTIME_CACHES: " + error;
    setCaches(&shape);
  }
  std::string lines = valueOf("FUSE_RUNTIME_LINES");
  perLine = !lines.empty() && lines != "0";
  std::string sample = valueOf("FUSE_RUNTIME_SAMPLE_BLOCKS");
  if (!sample.empty() && !parseSample(sample, sampleBlocks, sampleSeed))
    return "FUSE_RUNTIME_SAMPLE_BLOCKS is '" + sample +
           "', expected a number of blocks, or BLOCKS:SEED";
  return {};
}

Error EmulatorBackend::loadModule(const void *data, size_t size, int,
                                  Handle &module) {
  const char *text = static_cast<const char *>(data);
  uint32_t magic = 0;
  if (!text)
    return "no module data";
  if (size == 0 || size >= 4)
    memcpy(&magic, text, 4);
  if (magic == 0x464c457f)
    return "expected PTX text, but got a cubin: the emulator executes PTX "
           "(use format=isa)";
  if (magic == 0xba55ed50 || magic == 0x466243b1)
    return "expected PTX text, but got a fatbin: the emulator executes PTX "
           "(use format=isa)";
  std::string_view view(text, size ? strnlen(text, size) : strlen(text));
  auto loaded = std::make_unique<LoadedModule>();
  Error error;
  loaded->text = view;
  loaded->module = Module::load(view, memory, error, "<module>");
  if (!loaded->module)
    return error;
  std::lock_guard<std::mutex> lock(mutex);
  module = loaded.get();
  modules.insert(loaded.release());
  return {};
}

Error EmulatorBackend::unloadModule(Handle handle) {
  std::lock_guard<std::mutex> lock(mutex);
  auto *module = static_cast<LoadedModule *>(handle);
  if (!modules.erase(module))
    return handle ? "not a live module" : "";
  for (auto it = functions.begin(); it != functions.end();) {
    Function *function = *it;
    it = function->owner == module ? functions.erase(it) : std::next(it);
    if (function->owner == module)
      delete function;
  }
  delete module;
  return {};
}

Error EmulatorBackend::getFunction(Handle handle, const char *name,
                                   Handle &function) {
  std::lock_guard<std::mutex> lock(mutex);
  auto *module = static_cast<LoadedModule *>(handle);
  if (!modules.count(module))
    return "not a live module";
  if (!module->module->lookup(name))
    return "no kernel '" + std::string(name) + "' in the module";
  for (Function *known : functions)
    if (known->owner == module && known->name == name) {
      function = known;
      return {};
    }
  auto *created = new Function{module, name};
  functions.insert(created);
  function = created;
  return {};
}

std::string EmulatorBackend::functionName(Handle handle) {
  std::lock_guard<std::mutex> lock(mutex);
  auto *function = static_cast<Function *>(handle);
  return functions.count(function) ? function->name : std::string("<null>");
}

Error EmulatorBackend::launch(const LaunchRequest &request,
                              LaunchResult &result) {
  std::lock_guard<std::mutex> one(launching);
  LaunchOptions options;
  Function *function = static_cast<Function *>(request.function);
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!functions.count(function))
      return "not a live kernel";
    options.threads = hostThreads;
    options.checks = checks;
    options.caches = caches.get();
    auto known = registers.find(function->name);
    options.registers = known == registers.end() ? 0 : known->second;
    options.sampleBlocks = sampleBlocks;
    options.sampleSeed = sampleSeed;
    options.perLine = perLine;
  }
  if (request.extra)
    return "'extra' launch parameters are not supported";
  const KernelInfo &info = *function->owner->module->lookup(function->name);
  if (request.numParams && request.numParams != info.params.size())
    return "kernel '" + info.name + "' has " +
           std::to_string(info.params.size()) + " parameters, but got " +
           std::to_string(request.numParams);
  Dim3 grid, block, cluster;
  uint32_t *dims[3][3] = {{&grid.x, &grid.y, &grid.z},
                          {&block.x, &block.y, &block.z},
                          {&cluster.x, &cluster.y, &cluster.z}};
  for (unsigned i = 0; i < 3; ++i) {
    // A value that does not fit becomes 0, which the launch refuses.
    auto fit = [](int64_t v) {
      return v < 0 || v > INT32_MAX ? 0 : uint32_t(v);
    };
    *dims[0][i] = fit(request.grid[i]);
    *dims[1][i] = fit(request.block[i]);
    *dims[2][i] = fit(request.cluster[i]);
  }
  if (!cluster.count())
    return "invalid cluster";
  if (cluster.count() != 1) // Else what the kernel requires.
    options.cluster = cluster;
  std::string params(info.paramBytes, '\0');
  for (size_t i = 0; i < info.params.size(); ++i)
    memcpy(&params[info.params[i].offset], request.params[i],
           info.params[i].size);
  result.hasCounters = true;
  result.staticSharedBytes = info.staticSharedBytes;
  std::string launched;
  if (options.sampleBlocks)
    launched = RepeatedLaunches::describe(function->code, info, request, params,
                                          memory);
  if (const LaunchStats *stats = repeated.find(launched)) {
    result.stats = *stats;
    return {};
  }
  AccessedBytes accessed;
  options.accessed = &accessed;
  auto start = std::chrono::steady_clock::now();
  Error error;
  bool ok = mlir::fuse::emu::launch(
      *function->owner->module, function->name, grid, block,
      request.dynamicSharedBytes, params.data(), options, result.stats, error);
  result.milliseconds = std::chrono::duration<double, std::milli>(
                            std::chrono::steady_clock::now() - start)
                            .count();
  if (ok && !launched.empty())
    repeated.add(launched, result.stats);
  fputs(result.stats.printed.c_str(), stdout);
  if (!ok)
    return error;
  return checks & CheckRaces
             ? order.add(request.stream, "kernel '" + function->name + "'",
                         std::move(accessed), memory)
             : Error();
}

Error EmulatorBackend::release(void *pointer) {
  if (!pointer)
    return {};
  uint64_t base = reinterpret_cast<uint64_t>(pointer);
  for (const Allocation &allocation : memory.snapshot())
    if (allocation.base == base)
      order.forget(base, allocation.end());
  return memory.release(pointer)
             ? Error()
             : "not a live allocation: " + memory.describe(base);
}

Error EmulatorBackend::checkRange(const void *pointer, uint64_t size,
                                  const char *what) {
  uint64_t base = reinterpret_cast<uint64_t>(pointer);
  if (!base && size)
    return std::string(what) + " is null";
  for (const Allocation &allocation : memory.snapshot()) {
    if (base < allocation.base || base >= allocation.end())
      continue;
    if (base + size > allocation.end())
      return std::string(what) + " of " + std::to_string(size) +
             " bytes leaves its allocation: starts at " + memory.describe(base);
  }
  return {};
}

Error EmulatorBackend::copy(void *to, const void *from, size_t size,
                            Handle stream) {
  Error error = checkRange(to, size, "destination");
  if (error.empty())
    error = checkRange(from, size, "source");
  if (!error.empty())
    return error;
  if (checks & CheckRaces) {
    AccessedBytes accessed;
    addDeviceRange(accessed.written, to, size);
    addDeviceRange(accessed.read, from, size);
    error = order.add(stream, "a copy", std::move(accessed), memory);
    if (!error.empty())
      return error;
  }
  memmove(to, from, size);
  memory.markWritten(to, size);
  std::lock_guard<std::mutex> one(launching);
  if (uint64_t target = caches ? memory.deviceAddress(to) : 0) {
    if (memory.deviceAddress(from))
      caches->deviceWrote(target, size);
    else
      caches->hostWrote(target, size);
  }
  return {};
}

Error EmulatorBackend::set(void *to, uint32_t value, unsigned bits,
                           size_t count, Handle stream) {
  Error error = checkRange(to, count * (bits / 8), "destination");
  if (error.empty() && (checks & CheckRaces)) {
    AccessedBytes accessed;
    addDeviceRange(accessed.written, to, count * (bits / 8));
    error = order.add(stream, "a memset", std::move(accessed), memory);
  }
  if (!error.empty())
    return error;
  for (size_t i = 0; i < count; ++i)
    memcpy(static_cast<char *>(to) + i * (bits / 8), &value, bits / 8);
  memory.markWritten(to, count * (bits / 8));
  std::lock_guard<std::mutex> one(launching);
  if (uint64_t target = caches ? memory.deviceAddress(to) : 0)
    caches->deviceWrote(target, count * (bits / 8));
  return {};
}

Error EmulatorBackend::encodeTensorMap(const TensorMapRequest &request,
                                       void *map) {
  TensorMap tensor;
  if (!tensorMapElement(request.dataType, tensor.element))
    return "unknown element type " + std::to_string(request.dataType);
  if (request.rank < 1 || request.rank > 5)
    return "rank " + std::to_string(request.rank) + " is not within 1 to 5";
  if (request.interleave)
    return "unsupported: interleaved tensor maps";
  tensor.address = reinterpret_cast<uint64_t>(request.address);
  tensor.rank = request.rank;
  // check() refuses what is beyond the enumeration.
  tensor.swizzle = TensorMap::Swizzle(std::min(request.swizzle, 255u));
  tensor.fillNan = request.oobFill != 0;
  std::copy_n(request.dims, request.rank, tensor.dims);
  std::copy_n(request.strides, request.rank - 1, tensor.strides);
  std::copy_n(request.box, request.rank, tensor.box);
  std::copy_n(request.steps, request.rank, tensor.steps);
  TensorMapBits bits;
  Error error = mlir::fuse::emu::encodeTensorMap(tensor, bits);
  if (error.empty())
    memcpy(map, bits.data(), bits.size());
  return error;
}

std::unique_ptr<Backend> fuse::runtime::createEmulatorBackend(Error &error) {
  auto backend = std::make_unique<EmulatorBackend>();
  error = backend->configure();
  return error.empty() ? std::move(backend) : nullptr;
}
