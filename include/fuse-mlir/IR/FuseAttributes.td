// Attributes: class, cost and schedule of an operator, group or kernel.
#ifndef FUSE_MLIR_IR_FUSEATTRIBUTES_TD
#define FUSE_MLIR_IR_FUSEATTRIBUTES_TD

include "fuse-mlir/IR/FuseDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

//===----------------------------------------------------------------------===//
// Operator class
//===----------------------------------------------------------------------===//

def Fuse_OpClass : I32Enum<"OpClass", "class of an operator", [
    I32EnumCase<"Injective", 0, "injective">,
    I32EnumCase<"Broadcast", 1, "broadcast">,
    I32EnumCase<"Reduction", 2, "reduction">,
    I32EnumCase<"Contraction", 3, "contraction">,
    I32EnumCase<"Movement", 4, "movement">,
    I32EnumCase<"Scan", 5, "scan">,
    I32EnumCase<"Opaque", 6, "opaque">]> {
  let cppNamespace = "::mlir::fuse";
  let description = [{
    - `injective`: each result element depends on one element of each operand,
      at the same place (element-wise).
    - `broadcast`: element-wise, with an operand that is read several times.
    - `reduction`: some loop of the operator is summed up (or max'ed …) away.
    - `contraction`: a sum of products over shared loops (matmul, conv).
    - `movement`: elements are moved, none is computed (reshape, transpose,
      slice, pad, concat, gather).
    - `scan`: a result element depends on earlier result elements.
    - `opaque`: unknown or side-effecting; a barrier.
  }];
}

def Fuse_ClassAttr : AttrDef<Fuse_Dialect, "Class"> {
  let mnemonic = "class";
  let summary = "class of an operator and the reason for it";
  let description = [{
    ```mlir
    #fuse.class<reduction, "iterator 1 is a reduction">
    ```
  }];
  let parameters = (ins EnumParameter<Fuse_OpClass>:$value,
                        StringRefParameter<"why">:$reason);
  let assemblyFormat = "`<` $value `,` $reason `>`";
}

//===----------------------------------------------------------------------===//
// Schedule
//===----------------------------------------------------------------------===//

def Fuse_KernelPath : I32Enum<"KernelPath", "how a kernel is generated", [
    I32EnumCase<"Pointwise", 0, "pointwise">,
    I32EnumCase<"Row", 1, "row">,
    I32EnumCase<"General", 2, "general">,
    I32EnumCase<"Packed", 3, "packed">,
    I32EnumCase<"Column", 4, "column">,
    I32EnumCase<"Mixed", 5, "mixed">,
    I32EnumCase<"Tile", 6, "tile">,
    I32EnumCase<"Attention", 7, "attention">,
    I32EnumCase<"Window", 8, "window">,
    I32EnumCase<"Box", 9, "box">]> {
  let cppNamespace = "::mlir::fuse";
  let description = [{
    - `pointwise`: no reduction; threads take contiguous chunks of the output.
    - `row`: reductions over the columns of a rows × columns space, with all
      that depends on them; a row is owned by one block or part of one.
    - `general`: a thread for each output element, with sequential loops over
      reduction dimensions.
    - `packed`: parts that run side by side, each on a range of blocks of its
      own and on one of the paths above.
    - `column`: the space of `row`, where the rows (not the columns) are
      neighbours in memory: threads lie along the rows, and several share each.
    - `mixed`: as `row`, with reductions over the rows beside those over the
      columns; a block visits several rows and keeps a partial result for each
      column.
    - `window`: a few neighbouring output elements for each thread, with short
      reductions over windows of the input (pooling) that are unrolled.
    - `attention`: contraction, softmax, contraction; a block keeps the scores
      of several queries in shared memory, or, with a tile, those of some keys
      at a time in registers.
    - `box`: no reduction; a block takes a box of the outputs' elements, and
      operands whose neighbours in memory lie along another axis than the
      threads pass through shared memory (transposes).
    - `tile`: contractions of rows × columns results; a block owns a tile of
      them and walks along the sums, whose operands it keeps in shared memory a
      tile at a time.
  }];
}

def Fuse_Residency : I32Enum<"Residency", "where a row is kept", [
    I32EnumCase<"None", 0, "none">,
    I32EnumCase<"Registers", 1, "registers">,
    I32EnumCase<"Shared", 2, "shared">,
    I32EnumCase<"Reread", 3, "reread">]> {
  let cppNamespace = "::mlir::fuse";
  let description = [{
    Where a `row` kernel keeps the row between its first and its last use:
    in registers, staged in shared memory, or nowhere (it is read again).
  }];
}

def Fuse_TileUnit : I32Enum<"TileUnit", "what multiplies in a tile", [
    I32EnumCase<"Fma", 0, "fma">,
    I32EnumCase<"Mma", 1, "mma">]> {
  let cppNamespace = "::mlir::fuse";
  let description = [{
    - `fma`: a thread multiplies and adds element by element.
    - `mma`: a warp multiplies fragments on the matrix units.
  }];
}

def Fuse_TileAttr : AttrDef<Fuse_Dialect, "Tile"> {
  let mnemonic = "tile";
  let summary = "the tile of a contraction that a block owns";
  let description = [{
    A block owns `rows` × `columns` results and walks along the sums in steps of
    `depth`, of which up to `stages` lie in shared memory. Its warps share the
    tile as a grid of `row_warps` × `column_warps`. Blocks follow each other
    down `group` tiles, then to the next column, so that those that run at the
    same time read the same operands. `parts` blocks share the sums of a tile,
    each with its own steps; they leave partial sums to the one of them that
    finishes last. `async` allows copies to shared memory that
    do not pass through registers (sm_80).

    Rules: `tile_c1` all sizes are powers of two, but for `depth`, and `stages`, `group`
    and `parts`, which are positive; `tile_c2` a warp's part of the tile is a multiple of
    16 × 32 results on unit `fma`, of 16 × 16 on unit `mma`; `tile_c3` its steps are a
    multiple of 16.

    As the attribute `fuse.tile` of a contraction it takes the place of the tile
    that would be chosen (docs/Controls.md).

    ```mlir
    #fuse.tile<rows = 128, columns = 128, depth = 32, row_warps = 4,
      column_warps = 2, stages = 2, group = 8, parts = 1, unit = fma,
      async = true>
    ```
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "int64_t":$depth,
    "int64_t":$row_warps, "int64_t":$column_warps, "int64_t":$stages,
    "int64_t":$group, "int64_t":$parts, EnumParameter<Fuse_TileUnit>:$unit, "bool":$async);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getWarps() const { return getRowWarps() * getColumnWarps(); }
  }];
}

def Fuse_ScheduleAttr : AttrDef<Fuse_Dialect, "Schedule"> {
  let mnemonic = "schedule";
  let summary = "how the threads of a kernel share its elements";
  let description = [{
    The layout is an affine map `(block, thread, position, lane) -> (element)`
    (paths `pointwise`, `general` and `window`: a linear element number), to
    `-> (row, column)` (paths `row`, `column`, `mixed`, `tile` and `attention`; on
    the last, a thread goes on to further columns of its rows), or to an index for
    each axis (path `box`, at least two). A thread visits
    `positions` chunks of `vector` neighbouring lanes each. Elements outside of the space
    are not stored. `rows` × `columns` is the space (`columns` is 1 for `pointwise`,
    `general` and `window`). Blocks that a layout gives parts of the same rows leave partial
    results to the one of them that finishes last.

    On path `tile`, the layout follows from `tile`; its rows count those that fill
    up the last tile of each batch. On path `attention` with a tile, a block owns
    `rows` queries and visits `columns` keys at a time; `depth` is the size of a
    head, rounded up, and the warps share the queries.

    On path `packed`, `parts` holds a schedule for each part. Part `i` runs on
    `parts[i].grid` blocks, after those of the parts before it; `rows` is the
    number of places of all parts' spaces, and the other sizes are 1.

    Rules: `schedule_c1` all sizes are positive, and a block has at most 1024
    threads; `schedule_c2` the layout has 4 dimensions and the results of its
    path, none on path `packed`; `schedule_c3` path `packed`, and no other, has
    parts: at least two, none of them packed; `schedule_c4` the grid is the sum
    of the parts' grids; `schedule_c5` all parts have the threads of the whole; `schedule_c6` path
    `tile` has a tile, path `attention` may have one, and no other has; its warps
    are the threads.

    ```mlir
    #fuse.schedule<row, rows = 1024, columns = 768, grid = 1024, threads = 96,
      positions = 2, vector = 4, residency = registers,
      layout = (b, t, p, e) -> (b, (p * 96 + t) * 4 + e)>
    #fuse.schedule<tile, rows = 512, columns = 768, grid = 24, threads = 256,
      positions = 16, vector = 4, residency = none, layout = …,
      tile = #fuse.tile<…>>
    #fuse.schedule<packed, grid = 12, threads = 128, parts = [
      #fuse.schedule<pointwise, …>, #fuse.schedule<pointwise, …>]>
    ```
  }];
  let parameters = (ins EnumParameter<Fuse_KernelPath>:$path,
    "int64_t":$rows, "int64_t":$columns, "int64_t":$grid, "int64_t":$threads,
    "int64_t":$positions, "int64_t":$vector,
    EnumParameter<Fuse_Residency>:$residency, "::mlir::AffineMap":$layout,
    OptionalArrayRefParameter<"::mlir::fuse::ScheduleAttr">:$parts,
    OptionalParameter<"::mlir::fuse::TileAttr">:$tile);
  let builders = [
    AttrBuilder<(ins "::llvm::ArrayRef<::mlir::fuse::ScheduleAttr>":$parts)>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

def Fuse_CostAttr : AttrDef<Fuse_Dialect, "Cost"> {
  let mnemonic = "cost";
  let summary = "predicted quantities of a group";
  let description = [{
    A dictionary of named quantities with the unit in the name
    (`bytes_read`, `bytes_written`, `flops`, `predicted_ns`, `registers`).
    An absent key means unknown. Where sizes are known at run time only,
    `predicted_ns` is the time at assumed sizes, and `predicted_ns_least` and
    `predicted_ns_most` say how far it may be from that (docs/CostModel.md).

    ```mlir
    #fuse.cost<{bytes_read = 4096 : i64, predicted_ns = 2100 : i64}>
    ```
  }];
  let parameters = (ins "::mlir::DictionaryAttr":$quantities);
  let assemblyFormat = "`<` $quantities `>`";
}

#endif // FUSE_MLIR_IR_FUSEATTRIBUTES_TD
