// Loads a kernel with its arguments and launches it on the emulator.
#include "KernelPeers.h"

#include "fuse-mlir/Emulator/Emulator.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cstring>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::bench;

FailureOr<std::vector<std::string>>
fuse::bench::listPeers(StringRef folder, const Settings &settings) {
  std::error_code error;
  std::vector<std::string> kernels;
  for (llvm::sys::fs::directory_iterator it(folder, error), end;
       it != end && !error; it.increment(error))
    if (settings.wants(llvm::sys::path::filename(it->path())) &&
        llvm::sys::fs::exists(it->path() + "/case.json"))
      kernels.push_back(it->path());
  if (error) {
    reportError("cannot read folder '" + folder + "': " + error.message());
    return failure();
  }
  llvm::sort(kernels);
  return kernels;
}

namespace {
class Peer {
public:
  Peer(StringRef folder, std::string &why) : folder(folder), why(why) {}

  FailureOr<std::optional<PeerKernel>> run();
  LogicalResult readCase();
  FailureOr<emu::LaunchStats>
  launch(ArrayRef<std::pair<StringRef, int64_t>> values);
  llvm::json::Object takeDescription() { return std::move(description); }

private:
  LogicalResult refuse(const Twine &message) {
    why = (folder + ": " + message).str();
    return failure();
  }
  FailureOr<std::unique_ptr<llvm::MemoryBuffer>> read(StringRef name);
  std::optional<KernelGraph> findGraph() const;
  LogicalResult addArgument(const llvm::json::Object &argument,
                            const emu::ParamInfo &place);
  static emu::Dim3 getDim(const llvm::json::Object &object, StringRef key);

  StringRef folder;
  std::string &why;
  llvm::json::Object description;
  emu::DeviceMemory memory;
  std::vector<char> params;
};
} // namespace

FailureOr<std::unique_ptr<llvm::MemoryBuffer>> Peer::read(StringRef name) {
  SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file =
      llvm::MemoryBuffer::getFile(path);
  if (!file)
    return refuse("cannot read '" + name + "': " + file.getError().message());
  return std::move(*file);
}

LogicalResult Peer::readCase() {
  FailureOr<std::unique_ptr<llvm::MemoryBuffer>> text = read("case.json");
  if (failed(text))
    return failure();
  llvm::Expected<llvm::json::Value> value =
      llvm::json::parse((*text)->getBuffer());
  if (!value)
    return refuse("case.json: " + llvm::toString(value.takeError()));
  const llvm::json::Object *object = value->getAsObject();
  if (!object || !object->getString("kernel") || !object->getArray("args"))
    return refuse("case.json: expected an object with 'kernel' and 'args'");
  description = *object;
  return success();
}

/// What our own kernels call the same work; by name, type and shape of the
/// first buffer.
std::optional<KernelGraph> Peer::findGraph() const {
  KernelGraph graph;
  graph.kind = description.getString("kernel")->str();
  if (!llvm::is_contained(getKernelKinds(), graph.kind))
    return std::nullopt;
  for (const llvm::json::Value &value : *description.getArray("args")) {
    const llvm::json::Object *argument = value.getAsObject();
    const llvm::json::Array *shape =
        argument ? argument->getArray("shape") : nullptr;
    if (!shape || shape->empty())
      continue;
    graph.element = argument->getString("type").value_or("").str();
    graph.columns = shape->back().getAsInteger().value_or(0);
    graph.rows = 1;
    for (const llvm::json::Value &size :
         ArrayRef<llvm::json::Value>(&*shape->begin(), shape->size() - 1))
      graph.rows *= size.getAsInteger().value_or(0);
    break;
  }
  if (graph.getElements() <= 0 ||
      (graph.element != "f32" && graph.element != "bf16"))
    return std::nullopt;
  return graph;
}

emu::Dim3 Peer::getDim(const llvm::json::Object &object, StringRef key) {
  emu::Dim3 dim;
  uint32_t *axes[] = {&dim.x, &dim.y, &dim.z};
  if (const llvm::json::Array *sizes = object.getArray(key))
    for (auto [axis, size] : llvm::zip(axes, *sizes))
      *axis = uint32_t(size.getAsInteger().value_or(1));
  return dim;
}

LogicalResult Peer::addArgument(const llvm::json::Object &argument,
                                const emu::ParamInfo &place) {
  auto write = [&](const void *value, size_t size) {
    std::memcpy(params.data() + place.offset, value,
                std::min<size_t>(size, place.size));
    return success();
  };
  if (std::optional<StringRef> file = argument.getString("buffer")) {
    FailureOr<std::unique_ptr<llvm::MemoryBuffer>> contents = read(*file);
    if (failed(contents))
      return failure();
    size_t size = (*contents)->getBufferSize();
    void *buffer = memory.allocate(std::max<size_t>(size, 1));
    if (!buffer)
      return refuse("no memory for '" + *file + "'");
    std::memcpy(buffer, (*contents)->getBufferStart(), size);
    uint64_t address = reinterpret_cast<uint64_t>(buffer);
    return write(&address, sizeof(address));
  }
  StringRef type = argument.getString("type").value_or("");
  double number = argument.getNumber("value").value_or(0);
  if (type == "f32") {
    float value = float(number);
    return write(&value, sizeof(value));
  }
  if (type == "f64")
    return write(&number, sizeof(number));
  int64_t value = int64_t(number);
  return write(&value, sizeof(value));
}

FailureOr<emu::LaunchStats>
Peer::launch(ArrayRef<std::pair<StringRef, int64_t>> values) {
  FailureOr<std::unique_ptr<llvm::MemoryBuffer>> ptx = read("kernel.ptx");
  if (failed(ptx))
    return failure();
  std::string error;
  StringRef text = (*ptx)->getBuffer();
  std::unique_ptr<emu::Module> module = emu::Module::load(
      std::string_view(text.data(), text.size()), memory, error, "kernel.ptx");
  if (!module)
    return refuse(error);
  std::string name = description.getString("kernel")->str();
  const emu::KernelInfo *kernel = module->lookup(name);
  const llvm::json::Array &arguments = *description.getArray("args");
  if (!kernel || kernel->params.size() != arguments.size())
    return refuse("expected an entry '" + name + "' with " +
                  Twine(arguments.size()) + " parameters");
  params.assign(kernel->paramBytes, 0);
  for (auto [value, place] : llvm::zip(arguments, kernel->params)) {
    if (!value.getAsObject())
      return refuse("case.json: expected objects");
    llvm::json::Object argument = *value.getAsObject();
    for (auto [name, number] : values)
      if (argument.getString("name") == name)
        argument["value"] = number;
    if (failed(addArgument(argument, place)))
      return failure();
  }
  emu::Caches caches{emu::DeviceShape()};
  emu::LaunchOptions options;
  options.caches = &caches;
  emu::LaunchStats stats;
  uint32_t shared =
      uint32_t(description.getInteger("dynamic_shared_bytes").value_or(0));
  if (!emu::launch(*module, name, getDim(description, "grid"),
                   getDim(description, "block"), shared, params.data(), options,
                   stats, error))
    return refuse(error);
  return stats;
}

FailureOr<std::optional<PeerKernel>> Peer::run() {
  if (failed(readCase()))
    return failure();
  std::optional<KernelGraph> graph = findGraph();
  if (!graph)
    return std::optional<PeerKernel>();
  FailureOr<emu::LaunchStats> launched = launch({});
  if (failed(launched))
    return failure();
  const emu::LaunchStats &stats = *launched;
  PeerKernel result;
  result.name = llvm::sys::path::filename(folder).str();
  result.graph = *graph;
  result.threadInstructions = stats.threadInstructions;
  result.sectors = stats.caches.l2Reads + stats.caches.l2Writes;
  result.conflicts =
      stats.sharedLoad.bankConflicts + stats.sharedStore.bankConflicts;
  return std::optional<PeerKernel>(result);
}

FailureOr<std::optional<PeerKernel>> fuse::bench::runPeer(StringRef folder,
                                                          std::string &why) {
  return Peer(folder, why).run();
}

FailureOr<llvm::json::Object> fuse::bench::readPeerCase(StringRef folder,
                                                        std::string &why) {
  Peer peer(folder, why);
  if (failed(peer.readCase()))
    return failure();
  return peer.takeDescription();
}

FailureOr<emu::LaunchStats>
fuse::bench::launchPeer(StringRef folder,
                        ArrayRef<std::pair<StringRef, int64_t>> values,
                        std::string &why) {
  Peer peer(folder, why);
  if (failed(peer.readCase()))
    return failure();
  return peer.launch(values);
}
