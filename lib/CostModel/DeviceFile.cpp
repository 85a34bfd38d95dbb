// Devices that users describe in JSON files. Errors name the line and column of
// the key in question.
#include "fuse-mlir/CostModel/Device.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr StringLiteral kPrefix = "fuse.";

namespace {
/// One file being read.
class DeviceFile {
public:
  DeviceFile(StringRef path, StringRef text, MLIRContext *context)
      : path(path), text(text), context(context) {}

  FailureOr<DeviceInfo> read();

private:
  InFlightDiagnostic error(StringRef key = "");
  InFlightDiagnostic errorAt(size_t place);
  void findKeys();
  LogicalResult checkKeys();
  LogicalResult readBase(const llvm::json::Object &object, DeviceInfo &device);
  LogicalResult readEntry(StringRef key, const llvm::json::Value &value,
                          DeviceInfo &device);

  StringRef path, text;
  MLIRContext *context;
  /// Keys of the object and their places, in the order of the text.
  std::vector<std::pair<size_t, std::string>> keys;
};
} // namespace

/// An error at the place of `key` in the text, or at the start.
InFlightDiagnostic DeviceFile::error(StringRef key) {
  auto it =
      llvm::find_if(keys, [&](auto &entry) { return entry.second == key; });
  return errorAt(it == keys.end() ? 0 : it->first);
}

InFlightDiagnostic DeviceFile::errorAt(size_t place) {
  StringRef before = text.take_front(place);
  unsigned line = unsigned(before.count('\n')) + 1;
  size_t start = before.rfind('\n');
  unsigned column =
      unsigned(before.size() - (start == StringRef::npos ? 0 : start + 1) + 1);
  return emitError(FileLineColLoc::get(context, path, line, column));
}

/// Finds the keys of a text that is a JSON object: its strings with a colon
/// behind them.
void DeviceFile::findKeys() {
  int depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    depth += text[at] == '{' || text[at] == '[';
    depth -= text[at] == '}' || text[at] == ']';
    if (text[at] != '"')
      continue;
    size_t start = at++;
    for (; text[at] != '"'; ++at)
      at += text[at] == '\\';
    if (depth != 1 || !text.drop_front(at + 1).ltrim().starts_with(":"))
      continue;
    llvm::Expected<llvm::json::Value> key =
        llvm::json::parse(text.slice(start, at + 1));
    if (!key)
      llvm::consumeError(key.takeError());
    else if (std::optional<StringRef> name = key->getAsString())
      keys.emplace_back(start, name->str());
  }
}

/// Each key stands once: of two values none is the right one.
LogicalResult DeviceFile::checkKeys() {
  llvm::StringSet<> seen;
  for (auto &[place, key] : keys)
    if (!seen.insert(key).second)
      return errorAt(place) << "device key '" << key << "' stands twice";
  return success();
}

static InFlightDiagnostic &operator<<(InFlightDiagnostic &diag,
                                      const llvm::json::Value &value) {
  std::string shown;
  llvm::raw_string_ostream(shown) << value;
  return diag << shown;
}

LogicalResult DeviceFile::readBase(const llvm::json::Object &object,
                                   DeviceInfo &device) {
  const llvm::json::Value *like = object.get("like");
  if (!like)
    return success();
  std::optional<StringRef> name = like->getAsString();
  std::optional<DeviceInfo> known = name ? lookupDevice(*name) : std::nullopt;
  if (!known) {
    InFlightDiagnostic diag = error("like");
    diag << "expected device key 'like' to be one of '"
         << llvm::join(getDeviceNames(), "', '") << "', but got " << *like;
    return diag;
  }
  device = *known;
  return success();
}

LogicalResult DeviceFile::readEntry(StringRef key,
                                    const llvm::json::Value &value,
                                    DeviceInfo &device) {
  if (key == "like")
    return success();
  if (key == "device" || key == "chip") {
    std::optional<StringRef> name = value.getAsString();
    if (!name || name->empty()) {
      InFlightDiagnostic diag = error(key);
      diag << "expected device key '" << key << "' to be a string, but got "
           << value;
      return diag;
    }
    (key == "device" ? device.name : device.chip) = name->str();
    return success();
  }
  for (const DeviceKey &known : getDeviceKeys()) {
    if (known.name.drop_front(kPrefix.size()) != key)
      continue;
    std::optional<int64_t> number = value.getAsInteger();
    if (!number || *number < known.least || *number > known.most) {
      InFlightDiagnostic diag = error(key);
      diag << "expected device key '" << key << "' to be an integer from "
           << known.least << " to " << known.most << ", but got " << value;
      return diag;
    }
    device.*known.field = *number;
    return success();
  }
  InFlightDiagnostic diag = error(key);
  diag << "unknown device key '" << key
       << "'; known are 'device', 'like', 'chip'";
  for (const DeviceKey &known : getDeviceKeys())
    diag << ", '" << known.name.drop_front(kPrefix.size()) << "'";
  return diag;
}

FailureOr<DeviceInfo> DeviceFile::read() {
  llvm::Expected<llvm::json::Value> json = llvm::json::parse(text);
  if (!json)
    return error() << "not a device file: " << toString(json.takeError());
  const llvm::json::Object *object = json->getAsObject();
  if (!object)
    return error() << "expected an object that describes a device";
  findKeys();
  DeviceInfo device;
  if (failed(checkKeys()) || failed(readBase(*object, device)))
    return failure();
  std::optional<StringRef> name = object->getString("device");
  if (!name)
    return error() << "expected device key 'device', the device's name";
  // In the order of the text, so that the first wrong key is the one reported.
  for (auto &[place, key] : keys)
    if (failed(readEntry(key, *object->get(key), device)))
      return failure();
  if (std::optional<std::pair<StringRef, std::string>> wrong =
          findContradiction(device)) {
    StringRef key = wrong->first.drop_front(kPrefix.size());
    return error(key) << "expected device key '" << key << "' "
                      << wrong->second;
  }
  return device;
}

bool fuse::isDeviceFile(StringRef device) { return device.ends_with(".json"); }

FailureOr<DeviceInfo> fuse::readDeviceFile(StringRef path,
                                           MLIRContext *context) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(path, &message);
  if (!buffer)
    return emitError(FileLineColLoc::get(context, path, 0, 0)) << message;
  return DeviceFile(path, buffer->getBuffer(), context).read();
}
