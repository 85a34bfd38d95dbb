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
      of several queries in shared memory.
    - `box`: no reduction; a block takes a box of the outputs' elements, and
      operands whose neighbours in memory lie along another axis than the
      threads pass through shared memory (transposes).
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

def Fuse_ScheduleAttr : AttrDef<Fuse_Dialect, "Schedule"> {
  let mnemonic = "schedule";
  let summary = "how the threads of a kernel share its elements";
  let description = [{
    The layout is an affine map `(block, thread, position, lane) -> (element)`
    (paths `pointwise`, `general` and `window`: a linear element number), to
    `-> (row, column)` (paths `row`, `column`, `mixed` and `attention`; on the
    last, a thread goes on to further columns of its rows), or to an index for
    each axis (path `box`, at least two). A thread visits
    `positions` chunks of `vector` neighbouring lanes each. Elements outside of the space
    are not stored. `rows` × `columns` is the space (`columns` is 1 for `pointwise`,
    `general` and `window`). Blocks that a layout gives parts of the same rows leave partial
    results to the one of them that finishes last.

    On path `packed`, `parts` holds a schedule for each part. Part `i` runs on
    `parts[i].grid` blocks, after those of the parts before it; `rows` is the
    number of places of all parts' spaces, and the other sizes are 1.

    Rules: `schedule_c1` all sizes are positive, and a block has at most 1024
    threads; `schedule_c2` the layout has 4 dimensions and the results of its
    path, none on path `packed`; `schedule_c3` path `packed`, and no other, has
    parts: at least two, none of them packed; `schedule_c4` the grid is the sum
    of the parts' grids; `schedule_c5` all parts have the threads of the whole.

    ```mlir
    #fuse.schedule<row, rows = 1024, columns = 768, grid = 1024, threads = 96,
      positions = 2, vector = 4, residency = registers,
      layout = (b, t, p, e) -> (b, (p * 96 + t) * 4 + e)>
    #fuse.schedule<packed, grid = 12, threads = 128, parts = [
      #fuse.schedule<pointwise, …>, #fuse.schedule<pointwise, …>]>
    ```
  }];
  let parameters = (ins EnumParameter<Fuse_KernelPath>:$path,
    "int64_t":$rows, "int64_t":$columns, "int64_t":$grid, "int64_t":$threads,
    "int64_t":$positions, "int64_t":$vector,
    EnumParameter<Fuse_Residency>:$residency, "::mlir::AffineMap":$layout,
    OptionalArrayRefParameter<"::mlir::fuse::ScheduleAttr">:$parts);
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
    An absent key means unknown.

    ```mlir
    #fuse.cost<{bytes_read = 4096 : i64, predicted_ns = 2100 : i64}>
    ```
  }];
  let parameters = (ins "::mlir::DictionaryAttr":$quantities);
  let assemblyFormat = "`<` $quantities `>`";
}

#endif // FUSE_MLIR_IR_FUSEATTRIBUTES_TD
