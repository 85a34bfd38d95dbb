// Reads a model file and the side file that says how to draw its inputs.
#include "Model.h"

#include "fuse-mlir/Transforms/ScatterCalls.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::fuse::run;

FunctionOpInterface Model::getEntry() const {
  return dyn_cast_or_null<FunctionOpInterface>(
      SymbolTable::lookupSymbolIn(module.get(), entry));
}

LogicalResult fuse::run::loadModel(StringRef path, MLIRContext *context,
                                   llvm::SourceMgr &sourceMgr, Model &model) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(path, &message);
  if (!buffer)
    return emitError(FileLineColLoc::get(context, path, 0, 0)) << message;
  model.path = path.str();
  sourceMgr.AddNewSourceBuffer(std::move(buffer), SMLoc());
  model.module = parseSourceFile<ModuleOp>(sourceMgr, context);
  return success(static_cast<bool>(model.module));
}

static LogicalResult readPort(Type type, Location loc, StringRef what,
                              unsigned index, Port &port) {
  port.name = (what + " " + Twine(index)).str();
  if (ShapedType shaped = dyn_cast<ShapedType>(type)) {
    if (!isa<RankedTensorType, MemRefType>(type))
      return emitError(loc)
             << "unsupported type " << type << " of " << what << " " << index;
    MemRefType memref = dyn_cast<MemRefType>(type);
    if (memref && !memref.getLayout().isIdentity())
      return emitError(loc) << "expected an identity layout, but got " << type
                            << " as " << what << " " << index;
    port.isBuffer = static_cast<bool>(memref);
    port.shape = SmallVector<int64_t>(shaped.getShape());
    for (int64_t dim = 0; dim < shaped.getRank(); ++dim)
      port.sizeNames.push_back(shaped.isDynamicDim(dim)
                                   ? (Twine(index) + "." + Twine(dim)).str()
                                   : std::string());
    port.elementType = shaped.getElementType();
  } else {
    port.elementType = type;
    port.isScalar = true;
  }
  if (getElementBytes(port.elementType) == 0)
    return emitError(loc) << "unsupported type " << type << " of " << what
                          << " " << index;
  port.draw = getDefaultDraw(port.elementType);
  return success();
}

LogicalResult fuse::run::readSignature(Model &model, StringRef entry) {
  model.entry = entry.str();
  FunctionOpInterface function = model.getEntry();
  if (!function || function.isExternal())
    return emitError(FileLineColLoc::get(model.module->getContext(), model.path,
                                         0, 0))
           << "expected a function '" << entry << "' with a body, but "
           << (function ? "it is only declared" : "there is none");
  for (BlockArgument arg : function.getArguments()) {
    Port &port = model.inputs.emplace_back();
    if (failed(readPort(arg.getType(), arg.getLoc(), "argument",
                        arg.getArgNumber(), port)))
      return failure();
    BoolAttr writable = function.getArgAttrOfType<BoolAttr>(
        arg.getArgNumber(), "bufferization.writable");
    port.isLeft = writable && writable.getValue();
  }
  for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
    if (failed(readPort(type, function.getLoc(), "result", index,
                        model.results.emplace_back())))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Side file
//===----------------------------------------------------------------------===//

static LogicalResult readDraw(const llvm::json::Object &object,
                              llvm::function_ref<InFlightDiagnostic()> error,
                              DrawSpec &draw) {
  std::optional<StringRef> kind = object.getString("kind");
  if (!kind)
    return success();
  if (*kind == "choice") {
    draw.kind = DrawSpec::Kind::Choice;
    if (const llvm::json::Array *values = object.getArray("values"))
      for (const llvm::json::Value &value : *values)
        if (std::optional<double> number = value.getAsNumber())
          draw.values.push_back(*number);
    if (draw.values.empty())
      return error() << "expected a list of numbers 'values'";
    draw.first = object.getNumber("first");
    return success();
  }
  if (*kind != "uniform" && *kind != "ints")
    return error() << "expected kind 'uniform', 'ints' or 'choice', but got '"
                   << *kind << "'";
  draw.kind = *kind == "ints" ? DrawSpec::Kind::Ints : DrawSpec::Kind::Uniform;
  std::optional<double> lo = object.getNumber("lo");
  std::optional<double> hi = object.getNumber("hi");
  if (!lo || !hi || *lo > *hi)
    return error() << "expected numbers 'lo' and 'hi' with lo <= hi";
  draw.lo = *lo;
  draw.hi = *hi;
  return success();
}

static LogicalResult readInput(const llvm::json::Object &object,
                               Location fileLoc, size_t position,
                               Model &model) {
  int64_t index = object.getInteger("index").value_or(position);
  auto error = [&]() -> InFlightDiagnostic {
    return emitError(fileLoc) << "input " << index << ": ";
  };
  if (index < 0 || index >= static_cast<int64_t>(model.inputs.size()))
    return error() << "the function has " << model.inputs.size()
                   << " arguments";
  Port &port = model.inputs[index];
  if (std::optional<StringRef> name = object.getString("name"))
    port.name = name->str();
  if (const llvm::json::Array *sizes = object.getArray("shape")) {
    SmallVector<int64_t> shape;
    for (const llvm::json::Value &size : *sizes)
      shape.push_back(size.getAsInteger().value_or(ShapedType::kDynamic));
    if (shape != port.shape)
      return error() << "its shape differs from the function's argument";
    for (auto [name, size] : llvm::zip(port.sizeNames, *sizes))
      if (std::optional<StringRef> given = size.getAsString())
        name = given->str();
  }
  return readDraw(object, error, port.draw);
}

/// The list `sizes` of objects with a size for each name.
static LogicalResult readSizes(const llvm::json::Object &dynamic,
                               Location fileLoc, Model &model) {
  const llvm::json::Array *all = dynamic.getArray("sizes");
  if (!all)
    return success();
  for (const llvm::json::Value &value : *all) {
    const llvm::json::Object *sizes = value.getAsObject();
    SizeBinding &binding = model.bindings.emplace_back();
    if (sizes)
      for (auto &[name, size] : *sizes)
        if (std::optional<int64_t> number = size.getAsInteger();
            number && *number >= 0)
          binding[name.str()] = *number;
    if (!sizes || binding.size() != sizes->size())
      return emitError(fileLoc) << "expected 'sizes' to hold objects of whole "
                                   "numbers that are at least 0";
  }
  return success();
}

LogicalResult fuse::run::readDrawFile(Model &model, StringRef path) {
  SmallString<256> file(path);
  if (path.empty()) {
    file = model.path;
    llvm::sys::path::replace_extension(file, "json");
    if (!llvm::sys::fs::exists(file) || StringRef(file) == model.path)
      return success();
  }
  Location loc = FileLineColLoc::get(model.module->getContext(), file, 0, 0);
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(file, &message);
  if (!buffer)
    return emitError(loc) << message;
  llvm::Expected<llvm::json::Value> root =
      llvm::json::parse(buffer->getBuffer());
  if (!root)
    return emitError(loc) << llvm::toString(root.takeError());
  const llvm::json::Object *object = root->getAsObject();
  const llvm::json::Array *inputs =
      object ? object->getArray("inputs") : nullptr;
  if (!inputs)
    return emitError(loc) << "expected an object with a list 'inputs'";
  for (auto [position, value] : llvm::enumerate(*inputs)) {
    const llvm::json::Object *input = value.getAsObject();
    if (!input)
      return emitError(loc) << "expected 'inputs' to hold objects";
    if (failed(readInput(*input, loc, position, model)))
      return failure();
  }
  if (const llvm::json::Object *dynamic = object->getObject("dynamic"))
    return readSizes(*dynamic, loc, model);
  return success();
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

bool Model::hasDynamicSizes() const {
  return llvm::any_of(inputs, [](const Port &port) {
    return llvm::is_contained(port.shape, ShapedType::kDynamic);
  });
}

/// Whether `name` is that of a size, or of an argument that is a number.
static bool isBindable(const Model &model, StringRef name) {
  return llvm::any_of(model.inputs, [&](const Port &port) {
    return llvm::is_contained(port.sizeNames, name) ||
           (port.isScalar && !isa<FloatType>(port.elementType) &&
            port.name == name);
  });
}

LogicalResult fuse::run::readBindings(Model &model,
                                      ArrayRef<std::string> texts) {
  Location loc =
      FileLineColLoc::get(model.module->getContext(), model.path, 0, 0);
  if (!texts.empty())
    model.bindings.clear();
  for (StringRef text : texts) {
    SizeBinding &binding = model.bindings.emplace_back();
    for (StringRef entry : llvm::split(text, ',')) {
      auto [name, number] = entry.split('=');
      int64_t size = 0;
      if (name.empty() || number.getAsInteger(10, size) || size < 0)
        return emitError(loc) << "expected --size=NAME=SIZE,… with sizes of at "
                                 "least 0, but got '"
                              << text << "'";
      if (!isBindable(model, name))
        return emitError(loc) << "expected --size=NAME=SIZE,… with names of "
                                 "dynamic sizes, but got '"
                              << name << "'";
      if (!binding.try_emplace(name.str(), size).second)
        return emitError(loc) << "expected --size=NAME=SIZE,… with each name "
                                 "once, but got '"
                              << text << "'";
    }
  }
  if (model.bindings.empty())
    model.bindings.emplace_back();
  for (const SizeBinding &binding : model.bindings)
    for (const Port &port : model.inputs)
      for (StringRef name : port.sizeNames)
        if (!name.empty() && !binding.count(name.str()))
          return emitError(loc)
                 << "expected a size '" << name << "' of '" << port.name
                 << "': give --size=" << name << "=SIZE";
  return success();
}

Model fuse::run::bindSizes(const Model &model, const SizeBinding &binding) {
  Model bound;
  bound.path = model.path;
  bound.entry = model.entry;
  bound.inputs = model.inputs;
  bound.results = model.results;
  for (Port &port : bound.inputs) {
    for (auto [size, name] : llvm::zip(port.shape, port.sizeNames))
      if (!name.empty())
        size = binding.at(name);
    auto value = binding.find(port.name);
    if (port.isScalar && !isa<FloatType>(port.elementType) &&
        value != binding.end()) {
      port.draw.kind = DrawSpec::Kind::Choice;
      port.draw.values = {double(value->second)};
      port.draw.first = std::nullopt;
    }
  }
  return bound;
}

/// The bytes of the tensors of `ports` and of `bytes` more; none if they cannot
/// be counted.
static std::optional<int64_t> addBytes(std::optional<int64_t> bytes,
                                       ArrayRef<Port> ports) {
  for (const Port &port : ports) {
    std::optional<int64_t> own = countBytes(port.shape, port.elementType);
    bytes = bytes && own ? llvm::checkedAdd(*bytes, *own) : std::nullopt;
  }
  return bytes;
}

LogicalResult fuse::run::checkMemory(const Model &model) {
  int64_t memory = getMemoryBytes();
  for (const SizeBinding &binding : model.bindings) {
    Model bound = bindSizes(model, binding);
    std::optional<int64_t> bytes =
        addBytes(addBytes(0, bound.inputs), bound.results);
    if (bytes && *bytes <= memory)
      continue;
    return emitError(FileLineColLoc::get(model.module.get().getContext(),
                                         model.path, 0, 0))
           << "expected arguments and results that fit into the " << memory
           << " bytes of memory, but they have "
           << (bytes ? std::to_string(*bytes) : "more than 2^63");
  }
  return success();
}

std::string fuse::run::toString(const SizeBinding &binding) {
  std::string text;
  for (auto &[name, size] : binding)
    text += (text.empty() ? "" : " ") + name + "=" + std::to_string(size);
  return text;
}

//===----------------------------------------------------------------------===//
// Calls and inputs
//===----------------------------------------------------------------------===//

Operation *fuse::run::findExternalCall(Model &model) {
  SymbolTableCollection tables;
  llvm::DenseSet<Operation *> seen;
  SmallVector<Operation *> work = {model.getEntry().getOperation()};
  while (!work.empty()) {
    Operation *function = work.pop_back_val();
    if (!seen.insert(function).second)
      continue;
    Operation *external = nullptr;
    function->walk([&](CallOpInterface call) {
      FunctionOpInterface callee = dyn_cast_or_null<FunctionOpInterface>(
          call.resolveCallableInTable(&tables));
      if (!callee)
        return WalkResult::advance();
      if (matchScatterCall(call))
        return WalkResult::advance();
      if (callee.isExternal()) {
        external = call;
        return WalkResult::interrupt();
      }
      work.push_back(callee);
      return WalkResult::advance();
    });
    if (external)
      return external;
  }
  return nullptr;
}

LogicalResult fuse::run::checkRecursion(Model &model) {
  SymbolTableCollection tables;
  llvm::DenseSet<Operation *> seen;
  // Calls of the first block run whenever the function does; depth first along
  // them, a function that is on the way again calls itself without end.
  llvm::SetVector<Operation *> way;
  std::function<LogicalResult(FunctionOpInterface)> follow =
      [&](FunctionOpInterface function) -> LogicalResult {
    if (function.isExternal() || seen.contains(function))
      return success();
    if (!way.insert(function))
      return function.emitError("expected a function that returns, but '")
             << function.getName() << "' calls itself in any case";
    for (Operation &op : function.getFunctionBody().front()) {
      CallOpInterface call = dyn_cast<CallOpInterface>(op);
      if (!call)
        continue;
      FunctionOpInterface callee = dyn_cast_or_null<FunctionOpInterface>(
          call.resolveCallableInTable(&tables));
      if (callee && failed(follow(callee)))
        return failure();
    }
    way.pop_back();
    seen.insert(function);
    return success();
  };
  return follow(model.getEntry());
}

std::vector<HostTensor> fuse::run::drawInputs(const Model &model, uint64_t seed,
                                              int64_t distinct) {
  std::vector<HostTensor> inputs;
  for (auto [index, port] : llvm::enumerate(model.inputs)) {
    HostTensor &tensor =
        inputs.emplace_back(port.shape, port.elementType, port.isScalar);
    if (distinct == 0 || tensor.getNumElements() <= distinct) {
      drawValues(tensor, port.draw, seed, index);
      continue;
    }
    HostTensor part(distinct, port.elementType, /*isScalar=*/false);
    drawValues(part, port.draw, seed, index);
    for (size_t at = 0; at < tensor.data.size(); at += part.data.size())
      std::copy_n(part.data.begin(),
                  std::min(part.data.size(), tensor.data.size() - at),
                  tensor.data.begin() + at);
  }
  return inputs;
}
