// Finds operators by ordinal, by place and by name.
#include "Query.h"

#include "fuse-mlir/IR/FuseDialect.h"
#include "fuse-mlir/Planner/Planner.h"
#include "fuse-mlir/Transforms/Functions.h"
#include "fuse-mlir/Transforms/MarkerTags.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::explain;

LogicalResult explain::readSource(StringRef path, MLIRContext *context,
                                  Source &source) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(path, &message);
  if (!buffer)
    return emitError(FileLineColLoc::get(context, path, 0, 0)) << message;
  bool binary = isBytecode(buffer->getMemBufferRef());
  source.buffers.AddNewSourceBuffer(std::move(buffer), SMLoc());
  if (binary) {
    source.module = parseSourceFile<ModuleOp>(source.buffers, context);
    return success(bool(source.module));
  }
  Block block;
  if (failed(
          parseAsmSourceFile(source.buffers, &block, context, &source.state)))
    return failure();
  // As the parser's own entry points do: one module, or what is in it.
  if (llvm::hasSingleElement(block) && isa<ModuleOp>(block.front())) {
    ModuleOp module = cast<ModuleOp>(block.front());
    module->remove();
    source.module = module;
    return success();
  }
  source.module = ModuleOp::create(FileLineColLoc::get(context, path, 0, 0));
  source.module->getBody()->getOperations().splice(
      source.module->getBody()->end(), block.getOperations());
  return verify(*source.module);
}

namespace {
/// An operator of the input that a query may mean.
struct Entry {
  Identity identity;
  unsigned line = 0, column = 0;
};

/// All operators outside of the bodies of others, in order.
class Directory {
public:
  explicit Directory(const Source &source);

  std::vector<Entry> entries;

  /// The entry of `op` or of the operator whose body it stands in.
  const Entry *find(Operation *op) const;

private:
  llvm::DenseMap<Operation *, size_t> numbers;
};
} // namespace

Directory::Directory(const Source &source) {
  for (FunctionOpInterface function : collectFunctions(*source.module)) {
    int64_t ordinal = -1;
    function->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op == function)
        return;
      ++ordinal;
      if (isInStructuredBody(op))
        return;
      numbers[op] = entries.size();
      Entry &entry = entries.emplace_back();
      entry.identity.function = function.getName().str();
      entry.identity.ordinal = ordinal;
      if (auto own =
              op->getAttrOfType<IntegerAttr>(FuseDialect::kOrdinalAttrName))
        entry.identity.ordinal = own.getInt();
      entry.identity.name = op->getName().getStringRef().str();
      if (const auto *definition = source.state.getOpDef(op))
        std::tie(entry.line, entry.column) =
            source.buffers.getLineAndColumn(definition->loc.Start);
    });
  }
}

const Entry *Directory::find(Operation *op) const {
  for (; op; op = op->getParentOp())
    if (auto it = numbers.find(op); it != numbers.end())
      return &entries[it->second];
  return nullptr;
}

static std::string describe(const Entry &entry) {
  std::string text = entry.identity.function + ":" +
                     std::to_string(entry.identity.ordinal) + " (" +
                     entry.identity.name;
  if (entry.line != 0)
    text += " at " + std::to_string(entry.line) + ":" +
            std::to_string(entry.column);
  return text + ")";
}

/// The one entry that fits; else what is wrong.
static FailureOr<Identity>
pickOne(StringRef text, ArrayRef<const Entry *> found, std::string &message) {
  if (found.size() == 1)
    return found.front()->identity;
  message = "'" + text.str() + "' is ambiguous; it may be ";
  llvm::raw_string_ostream os(message);
  llvm::interleave(
      found, os, [&](const Entry *entry) { os << describe(*entry); }, " or ");
  os << ": put 'FUNCTION:' before it, or take an ordinal";
  return failure();
}

//===----------------------------------------------------------------------===//
// Forms of a query
//===----------------------------------------------------------------------===//

static FailureOr<Identity> findOrdinal(StringRef text, StringRef function,
                                       int64_t ordinal,
                                       const Directory &directory,
                                       std::string &message) {
  SmallVector<const Entry *> found;
  const Entry *closest = nullptr;
  for (const Entry &entry : directory.entries) {
    if (!function.empty() && entry.identity.function != function)
      continue;
    if (entry.identity.ordinal == ordinal)
      found.push_back(&entry);
    auto distance = [&](const Entry *e) {
      return std::abs(e->identity.ordinal - ordinal);
    };
    if (!closest || distance(&entry) < distance(closest))
      closest = &entry;
  }
  if (!found.empty())
    return pickOne(text, found, message);
  message = "no operator has ordinal '" + text.str() + "'";
  if (closest)
    message += "; the closest is " + describe(*closest);
  return failure();
}

static FailureOr<Identity> findPlace(StringRef text, unsigned line,
                                     unsigned column,
                                     const Directory &directory,
                                     std::string &message) {
  SmallVector<const Entry *> found;
  const Entry *closest = nullptr;
  for (const Entry &entry : directory.entries) {
    if (entry.line == 0)
      continue;
    auto distance = [&](const Entry *e) {
      return std::abs(int64_t(e->line) - int64_t(line));
    };
    if (!closest || distance(&entry) < distance(closest))
      closest = &entry;
    if (entry.line == line && (column == 0 || entry.column <= column))
      found.push_back(&entry);
  }
  // The last one that starts at or before the column.
  if (column != 0 && found.size() > 1)
    found = {*llvm::max_element(found, [](const Entry *a, const Entry *b) {
      return a->column < b->column;
    })};
  if (!found.empty())
    return pickOne(text, found, message);
  message = "no operator stands at '" + text.str() + "'";
  if (closest)
    message += "; the closest is " + describe(*closest);
  return failure();
}

static FailureOr<Identity> findName(StringRef text, StringRef function,
                                    StringRef name, const Source &source,
                                    const Directory &directory,
                                    std::string &message) {
  SmallVector<const Entry *> found;
  std::vector<std::pair<unsigned, std::string>> similar;
  for (const AsmParserState::OperationDefinition &definition :
       source.state.getOpDefs())
    for (const auto &group : definition.resultGroups) {
      SMRange range = group.definition.loc;
      StringRef known(range.Start.getPointer(),
                      range.End.getPointer() - range.Start.getPointer());
      const Entry *entry = directory.find(definition.op);
      if (!entry || (!function.empty() && entry->identity.function != function))
        continue;
      if (known == name && !llvm::is_contained(found, entry))
        found.push_back(entry);
      similar.emplace_back(known.edit_distance(name), known.str());
    }
  if (!found.empty())
    return pickOne(text, found, message);
  message = "no operator has a result '" + text.str() + "'";
  llvm::sort(similar);
  similar.erase(llvm::unique(similar), similar.end());
  if (similar.size() > 3)
    similar.resize(3);
  if (!similar.empty()) {
    llvm::raw_string_ostream os(message);
    os << "; similar are ";
    llvm::interleaveComma(
        similar, os, [&](auto &entry) { os << "'" << entry.second << "'"; });
  }
  return failure();
}

FailureOr<Identity> explain::resolve(StringRef text, const Source &source,
                                     std::string &message) {
  Directory directory(source);
  auto [head, tail] = text.split(':');
  unsigned line, column = 0;
  int64_t ordinal;
  if (!text.contains(':') && !text.getAsInteger(10, ordinal))
    return findOrdinal(text, "", ordinal, directory, message);
  if (text.contains(':') && !head.getAsInteger(10, line) &&
      (tail.empty() || !tail.getAsInteger(10, column)))
    return findPlace(text, line, column, directory, message);
  if (!text.contains(':'))
    tail = head, head = "";
  if (tail.starts_with("%"))
    return findName(text, head, tail.take_until([](char c) {
      return c == '#' || c == ':';
    }),
                    source, directory, message);
  // Also the whole identity as in a report: FUNCTION:ORDINAL:NAME:PLACE.
  if (!head.empty() && !tail.split(':').first.getAsInteger(10, ordinal))
    return findOrdinal(text, head, ordinal, directory, message);
  message = "expected '[FUNCTION:]ORDINAL', 'LINE:[COLUMN]' or "
            "'[FUNCTION:]%name', but got '" +
            text.str() + "'";
  return failure();
}
