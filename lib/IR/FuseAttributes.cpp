// Attributes of the fuse dialect: parsing, printing and checks.
#include "fuse-mlir/IR/FuseDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fuse;

#include "fuse-mlir/IR/FuseEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "fuse-mlir/IR/FuseAttributes.cpp.inc"

void FuseDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "fuse-mlir/IR/FuseAttributes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// ScheduleAttr
//===----------------------------------------------------------------------===//

ScheduleAttr ScheduleAttr::get(MLIRContext *context,
                               ArrayRef<ScheduleAttr> parts) {
  int64_t rows = 0, grid = 0;
  for (ScheduleAttr part : parts) {
    rows += part.getRows() * part.getColumns();
    grid += part.getGrid();
  }
  return get(context, KernelPath::Packed, rows, /*columns=*/1, grid,
             parts.front().getThreads(), /*positions=*/1, /*vector=*/1,
             Residency::None, AffineMap::get(4, 0, context), parts, TileAttr());
}

/// `keyword = value`, after a comma.
template <typename T>
static ParseResult parseEntry(AsmParser &parser, StringRef keyword, T &value) {
  if (parser.parseComma() || parser.parseKeyword(keyword) ||
      parser.parseEqual())
    return failure();
  FailureOr<T> parsed = FieldParser<T>::parse(parser);
  if (failed(parsed))
    return failure();
  value = *parsed;
  return success();
}

/// `, tile = #fuse.tile<…>`, or nothing.
static ParseResult parseTile(AsmParser &parser, TileAttr &tile) {
  if (failed(parser.parseOptionalComma()))
    return success();
  return failure(parser.parseKeyword("tile") || parser.parseEqual() ||
                 parser.parseAttribute(tile));
}

/// What follows `packed`: all but the parts is their sum.
static Attribute parsePacked(AsmParser &parser, SMLoc start) {
  int64_t grid = 0, threads = 0;
  SmallVector<ScheduleAttr> parts;
  if (parseEntry(parser, "grid", grid) ||
      parseEntry(parser, "threads", threads) || parser.parseComma() ||
      parser.parseKeyword("parts") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square,
          [&] { return parser.parseAttribute(parts.emplace_back()); }) ||
      parser.parseGreater())
    return {};
  int64_t rows = 0;
  for (ScheduleAttr part : parts)
    rows += part.getRows() * part.getColumns();
  return ScheduleAttr::getChecked(
      [&] { return parser.emitError(start); }, parser.getContext(),
      KernelPath::Packed, rows, /*columns=*/1, grid, threads, /*positions=*/1,
      /*vector=*/1, Residency::None, AffineMap::get(4, 0, parser.getContext()),
      parts, TileAttr());
}

Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  SMLoc start = parser.getCurrentLocation();
  if (parser.parseLess())
    return {};
  FailureOr<KernelPath> path = FieldParser<KernelPath>::parse(parser);
  if (failed(path))
    return {};
  if (*path == KernelPath::Packed)
    return parsePacked(parser, start);
  int64_t rows = 0, columns = 0, grid = 0, threads = 0, positions = 0;
  int64_t vector = 0;
  Residency residency = Residency::None;
  AffineMap layout;
  TileAttr tile;
  if (parseEntry(parser, "rows", rows) ||
      parseEntry(parser, "columns", columns) ||
      parseEntry(parser, "grid", grid) ||
      parseEntry(parser, "threads", threads) ||
      parseEntry(parser, "positions", positions) ||
      parseEntry(parser, "vector", vector) ||
      parseEntry(parser, "residency", residency) || parser.parseComma() ||
      parser.parseKeyword("layout") || parser.parseEqual() ||
      parser.parseAffineMap(layout) || parseTile(parser, tile) ||
      parser.parseGreater())
    return {};
  return ScheduleAttr::getChecked([&] { return parser.emitError(start); },
                                  parser.getContext(), *path, rows, columns,
                                  grid, threads, positions, vector, residency,
                                  layout, ArrayRef<ScheduleAttr>(), tile);
}

void ScheduleAttr::print(AsmPrinter &printer) const {
  printer << "<" << stringifyKernelPath(getPath());
  if (getPath() == KernelPath::Packed) {
    printer << ", grid = " << getGrid() << ", threads = " << getThreads()
            << ", parts = [";
    llvm::interleaveComma(getParts(), printer);
    printer << "]>";
    return;
  }
  printer << ", rows = " << getRows() << ", columns = " << getColumns()
          << ", grid = " << getGrid() << ", threads = " << getThreads()
          << ", positions = " << getPositions() << ", vector = " << getVector()
          << ", residency = " << stringifyResidency(getResidency())
          << ", layout = " << getLayout();
  if (getTile())
    printer << ", tile = " << getTile();
  printer << ">";
}

/// Rules schedule_c3 to schedule_c5.
static LogicalResult verifyParts(function_ref<InFlightDiagnostic()> emitError,
                                 KernelPath path, int64_t grid, int64_t threads,
                                 ArrayRef<ScheduleAttr> parts) {
  bool packed = path == KernelPath::Packed;
  if (packed ? parts.size() < 2 : !parts.empty())
    return emitError() << "expected "
                       << (packed ? "at least two parts" : "no parts")
                       << " on path '" << stringifyKernelPath(path)
                       << "', but got " << parts.size() << " (schedule_c3)";
  int64_t blocks = 0;
  for (ScheduleAttr part : parts) {
    if (part.getPath() == KernelPath::Packed)
      return emitError() << "expected parts that are not packed themselves "
                            "(schedule_c3)";
    if (part.getThreads() != threads)
      return emitError() << "expected parts of " << threads
                         << " threads, but got " << part.getThreads()
                         << " (schedule_c5)";
    blocks += part.getGrid();
  }
  if (packed && blocks != grid)
    return emitError() << "expected a grid of " << blocks
                       << " blocks, the sum of the parts, but got " << grid
                       << " (schedule_c4)";
  return success();
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   KernelPath path, int64_t rows,
                                   int64_t columns, int64_t grid,
                                   int64_t threads, int64_t positions,
                                   int64_t vector, Residency residency,
                                   AffineMap layout,
                                   ArrayRef<ScheduleAttr> parts,
                                   TileAttr tile) {
  if (rows < 0 || columns < 0 || grid < 1 || threads < 1 || positions < 1 ||
      vector < 1)
    return emitError() << "expected positive sizes in a schedule (schedule_c1)";
  if (threads > 1024)
    return emitError() << "expected at most 1024 threads, but got " << threads
                       << " (schedule_c1)";
  bool isSpace = path == KernelPath::Row || path == KernelPath::Column ||
                 path == KernelPath::Mixed || path == KernelPath::Attention ||
                 path == KernelPath::Tile;
  unsigned results = isSpace ? 2 : path == KernelPath::Packed ? 0 : 1;
  if (path == KernelPath::Box)
    results = std::max(2u, layout.getNumResults());
  if (layout.getNumDims() != 4 || layout.getNumSymbols() != 0 ||
      layout.getNumResults() != results)
    return emitError() << "expected a layout of 4 dimensions and " << results
                       << " result(s), but got " << AffineMapAttr::get(layout)
                       << " (schedule_c2)";
  if (path != KernelPath::Attention && (path == KernelPath::Tile) != bool(tile))
    return emitError() << "expected " << (tile ? "no tile" : "a tile")
                       << " on path '" << stringifyKernelPath(path)
                       << "' (schedule_c6)";
  if (tile && threads != 32 * tile.getWarps())
    return emitError() << "expected the " << 32 * tile.getWarps()
                       << " threads of the tile's warps, but got " << threads
                       << " (schedule_c6)";
  return verifyParts(emitError, path, grid, threads, parts);
}

//===----------------------------------------------------------------------===//
// TileAttr
//===----------------------------------------------------------------------===//

LogicalResult TileAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t rows, int64_t columns, int64_t depth,
                               int64_t rowWarps, int64_t columnWarps,
                               int64_t stages, int64_t group, int64_t parts,
                               TileUnit unit,
                               bool) {
  auto isPower = [](int64_t size) {
    return size > 0 && llvm::isPowerOf2_64(size);
  };
  for (int64_t size : {rows, columns, rowWarps, columnWarps})
    if (!isPower(size))
      return emitError() << "expected powers of two in a tile, but got " << size
                         << " (tile_c1)";
  if (stages < 1 || group < 1 || parts < 1)
    return emitError()
           << "expected positive stages, groups and parts in a tile (tile_c1)";
  if (depth < 16 || depth % 16 != 0)
    return emitError() << "expected a multiple of 16 steps in a tile, but got "
                       << depth << " (tile_c3)";
  int64_t width = unit == TileUnit::Fma ? 32 : 16;
  if (rows / rowWarps < 16 || columns / columnWarps < width)
    return emitError() << "expected at least 16 x " << width
                       << " results of a warp, but got " << rows / rowWarps
                       << " x " << columns / columnWarps << " (tile_c2)";
  return success();
}
