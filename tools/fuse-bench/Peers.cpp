// Reads docs/peers.json.
#include "Peers.h"

#include "JsonFile.h"

#include <limits>

using namespace mlir;
using namespace mlir::fuse::bench;

LogicalResult PeerFile::load() {
  FailureOr<llvm::json::Object> object =
      readJsonFile(FUSE_SOURCE_DIR "/docs/peers.json");
  if (failed(object))
    return failure();
  file = std::move(*object);
  return success();
}

std::optional<Peers> PeerFile::find(StringRef name) const {
  const llvm::json::Object *graphs = file.getObject("graphs");
  const llvm::json::Object *graph = graphs ? graphs->getObject(name) : nullptr;
  const llvm::json::Object *columns =
      graph ? graph->getObject("peers") : nullptr;
  if (!columns)
    return std::nullopt;
  Peers peers;
  peers.compulsoryBytes = graph->getNumber("compulsory_mb").value_or(0) * 1e6;
  peers.kernels = peers.bytes = std::numeric_limits<double>::max();
  for (auto &[name, value] : *columns) {
    const llvm::json::Object *figure = value.getAsObject();
    if (!figure)
      continue;
    peers.kernels =
        std::min(peers.kernels, figure->getNumber("kernels").value_or(1e9));
    peers.bytes = std::min(
        peers.bytes, figure->getNumber("bytes_per_compulsory").value_or(1e9));
  }
  peers.columns = *columns;
  return peers;
}
