// The cost models by name, and the `NAME{key=value}` form of pass options.
#include "fuse-mlir/CostModel/Profile.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// A factory for a model without options.
template <typename Model, typename... Args>
static CostModelFactory makeFactory(StringRef name, Args... args) {
  return [=](const CostModelOptions &options,
             function_ref<InFlightDiagnostic()> emitError)
             -> std::unique_ptr<CostModel> {
    if (!options.empty()) {
      emitError() << "unknown option '" << options.begin()->first()
                  << "' of cost model '" << name << "'; it has none";
      return nullptr;
    }
    return std::make_unique<Model>(args...);
  };
}

/// A factory for a model with the option `graph`.
template <typename Model>
static CostModelFactory makeAssumingFactory(StringRef name) {
  return [=](const CostModelOptions &options,
             function_ref<InFlightDiagnostic()> emitError)
             -> std::unique_ptr<CostModel> {
    ModelAssumptions assumptions;
    for (const auto &option : options) {
      StringRef key = option.first(), value = option.second;
      if (key != "graph") {
        emitError() << "unknown option '" << key << "' of cost model '" << name
                    << "'; known is 'graph'";
        return nullptr;
      }
      if (value != "true" && value != "false") {
        emitError() << "expected option 'graph' of cost model '" << name
                    << "' to be 'true' or 'false', but got '" << value << "'";
        return nullptr;
      }
      assumptions.graph = value == "true";
    }
    return std::make_unique<Model>(assumptions);
  };
}

/// The model `profile`, with the file that the option `table` names.
static std::unique_ptr<CostModel>
makeProfile(const CostModelOptions &options,
            function_ref<InFlightDiagnostic()> emitError) {
  ProfileTable table;
  for (const auto &option : options) {
    if (option.first() != "table") {
      emitError() << "unknown option '" << option.first()
                  << "' of cost model 'profile'; known is 'table'";
      return nullptr;
    }
    FailureOr<ProfileTable> read = ProfileTable::read(option.second, emitError);
    if (failed(read))
      return nullptr;
    table = std::move(*read);
  }
  return std::make_unique<ProfileCostModel>(std::move(table));
}

CostModelRegistry::CostModelRegistry() {
  add("analytic", makeAssumingFactory<AnalyticCostModel>("analytic"));
  add("traffic", makeAssumingFactory<TrafficCostModel>("traffic"));
  add("profile", makeProfile);
  add("always", makeFactory<VerdictCostModel>("always", true));
  add("never", makeFactory<VerdictCostModel>("never", false));
}

bool CostModelRegistry::add(StringRef name, CostModelFactory factory) {
  std::lock_guard<std::mutex> lock(mutex);
  return factories.try_emplace(name, std::move(factory)).second;
}

SmallVector<StringRef> CostModelRegistry::addAll(const CostModelRegistry &other,
                                                 StringRef origin) {
  SmallVector<StringRef> added = other.names(), taken;
  std::lock_guard<std::mutex> lock(mutex);
  if (origins.contains(origin))
    return taken;
  llvm::copy_if(added, std::back_inserter(taken),
                [&](StringRef name) { return factories.contains(name); });
  if (!taken.empty())
    return taken;
  for (StringRef name : added)
    factories[name] = *other.lookup(name);
  origins.insert(origin);
  return taken;
}

const CostModelFactory *CostModelRegistry::lookup(StringRef name) const {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = factories.find(name);
  return it == factories.end() ? nullptr : &it->second;
}

SmallVector<StringRef> CostModelRegistry::names() const {
  std::lock_guard<std::mutex> lock(mutex);
  SmallVector<StringRef> sorted(factories.keys());
  llvm::sort(sorted);
  return sorted;
}

/// Splits `key=value key=value` (blanks or commas between) into `options`.
static LogicalResult
parseOptions(StringRef text, CostModelOptions &options,
             function_ref<InFlightDiagnostic()> emitError) {
  SmallVector<StringRef> pairs;
  llvm::SplitString(text, pairs, " ,");
  for (StringRef pair : pairs) {
    auto [key, value] = pair.split('=');
    if (key.empty() || value.empty())
      return emitError() << "expected 'key=value' in the options of a cost "
                            "model, but got '"
                         << pair << "'";
    if (!options.try_emplace(key, value.str()).second)
      return emitError() << "option '" << key
                         << "' of a cost model is given twice";
  }
  return success();
}

std::unique_ptr<CostModel>
CostModelRegistry::parse(StringRef spec,
                         function_ref<InFlightDiagnostic()> emitError) const {
  spec = spec.trim();
  StringRef name = spec.take_until([](char c) { return c == '{'; });
  StringRef rest = spec.drop_front(name.size());
  name = name.trim();
  const CostModelFactory *factory = lookup(name);
  if (!factory) {
    InFlightDiagnostic diag = emitError();
    diag << "unknown cost model '" << name << "'; known are ";
    llvm::interleaveComma(
        names(), diag, [&](StringRef known) { diag << "'" << known << "'"; });
    return nullptr;
  }
  CostModelOptions options;
  if (!rest.empty()) {
    if (!rest.consume_front("{") || !rest.consume_back("}")) {
      emitError() << "expected '{key=value}' after cost model '" << name
                  << "', but got '" << rest << "'";
      return nullptr;
    }
    if (failed(parseOptions(rest, options, emitError)))
      return nullptr;
  }
  return (*factory)(options, emitError);
}
