// Operations of the fuse dialect.
#ifndef FUSE_MLIR_IR_FUSEOPS_TD
#define FUSE_MLIR_IR_FUSEOPS_TD

include "fuse-mlir/IR/FuseAttributes.td"
include "fuse-mlir/IR/FuseDialect.td"
include "fuse-mlir/IR/FuseInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Fuse_Op<string mnemonic, list<Trait> traits = []>
    : Op<Fuse_Dialect, mnemonic, traits>;

def Fuse_TensorOrMemRef : AnyTypeOf<[AnyRankedTensor, AnyMemRef]>;

def GroupOp : Fuse_Op<"group", [
    SingleBlockImplicitTerminator<"YieldOp">, RecursiveMemoryEffects,
    RecursivelySpeculatable, NoRegionArguments]> {
  let summary = "operators that share one kernel";
  let description = [{
    Written by the planner, or by a user who groups by hand. The region may use
    values from above. The results are the values that other operators need.

    Rules: `group_c1` the region is not empty; `group_c2` types of results and
    of `fuse.yield`'s operands agree; `group_c3` a group is not nested in
    another group or kernel; `group_c4` a yielded value is defined inside the
    group.

    ```mlir
    %r = fuse.group -> (tensor<8xf32>) {
      %0 = math.exp %x : tensor<8xf32>
      fuse.yield %0 : tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$group_name,
                       OptionalAttr<Fuse_ClassAttr>:$op_class,
                       OptionalAttr<Fuse_CostAttr>:$cost);
  let results = (outs Variadic<AnyType>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    ($group_name^)? (`->` `(` type($outputs)^ `)`)? attr-dict-with-keyword
    $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def KernelOp : Fuse_Op<"kernel", [
    IsolatedFromAbove, AttrSizedOperandSegments,
    SingleBlockImplicitTerminator<"YieldOp">, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<DestinationStyleOpInterface,
                              ["getDpsInitsMutable"]>]> {
  let summary = "a group made self-contained";
  let description = [{
    Isolated from above; operands are explicit and in destination-passing
    style: result `i` is what the body yields as value `i`, stored into
    `outs` operand `i`. The block has one argument for each operand of `ins`
    (tensors or scalars), then one for each operand of `outs`.

    A result that is yielded as `tensor.insert_slice` into the block argument of
    its own destination is an *update*: the kernel stores what it inserts, and the
    rest of the destination stays as it is. Bodies use these arguments for nothing
    else.

    Rules: `kernel_c1` block arguments have the types of the operands, in
    order; `kernel_c2` as many results as `outs`, of the same types;
    `kernel_c3` `fuse.yield` agrees with the results; `kernel_c4` every `outs`
    operand is a ranked tensor.

    ```mlir
    %r = fuse.kernel "exp" ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>)
        -> (tensor<8xf32>) {
    ^bb0(%a: tensor<8xf32>, %o: tensor<8xf32>):
      %0 = math.exp %a : tensor<8xf32>
      fuse.yield %0 : tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$kernel_name,
                       Variadic<AnyType>:$inputs,
                       Variadic<AnyRankedTensor>:$outs,
                       OptionalAttr<Fuse_ClassAttr>:$op_class,
                       OptionalAttr<Fuse_CostAttr>:$cost,
                       OptionalAttr<Fuse_ScheduleAttr>:$schedule);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $kernel_name (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    (`outs` `(` $outs^ `:` type($outs) `)`)?
    (`->` `(` type($outputs)^ `)`)? attr-dict-with-keyword $body
  }];
  let extraClassDeclaration = [{
    /// The block argument that stands for operand `operand`.
    ::mlir::BlockArgument getArgFor(::mlir::OpOperand &operand) {
      return getBody().getArgument(operand.getOperandNumber());
    }
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def LaunchOp : Fuse_Op<"launch", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<DestinationStyleOpInterface,
                              ["getDpsInitsMutable"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "launches a device function on tensors";
  let description = [{
    The host side of a `fuse.kernel` whose body has become the `gpu.func`
    `kernel`. The function's arguments are `ins`, then `outs`, with tensors as
    memrefs of identity layout, those of dynamic shape as memrefs of rank 0 (the
    first element). Bufferization turns it into `gpu.launch_func`, which does
    not happen where the grid is 0.

    Of the destinations whose numbers the attribute `fuse.updates` lists the function
    writes a part only; the rest of such a result is what the destination was before.

    Rules: `launch_c1` as many results as `outs`, of the same types;
    `launch_c2` grid and block sizes are positive where constant; `launch_c3`
    `fuse.updates` lists numbers of `outs`.

    ```mlir
    %r = fuse.launch @kernels::@exp grid(%g) block(%t)
        ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> (tensor<8xf32>)
    ```
  }];
  let arguments = (ins SymbolRefAttr:$kernel, Index:$grid, Index:$block,
                       Optional<I32>:$dynamic_shared_bytes,
                       Variadic<AnyType>:$inputs,
                       Variadic<Fuse_TensorOrMemRef>:$outs);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let assemblyFormat = [{
    $kernel `grid` `(` $grid `)` `block` `(` $block `)`
    (`shared` `(` $dynamic_shared_bytes^ `)`)?
    (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    (`outs` `(` $outs^ `:` type($outs) `)`)?
    (`->` `(` type($outputs)^ `)`)? attr-dict
  }];
  let hasVerifier = 1;
}

def BoundaryOp : Fuse_Op<"boundary", [
    Pure, SameOperandsAndResultType]> {
  let summary = "a value that no fusion crosses";
  let description = [{
    Gives its operand. The operators that make the operand and those that use
    the result never share a kernel.

    ```mlir
    %y = fuse.boundary %x : tensor<8xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def YieldOp : Fuse_Op<"yield", [
    Pure, Terminator, ReturnLike,
    ParentOneOf<["GroupOp", "KernelOp"]>]> {
  let summary = "the results of a group or kernel";
  let description = [{
    ```mlir
    fuse.yield %0 : tensor<8xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), "/*nothing*/">];
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

#endif // FUSE_MLIR_IR_FUSEOPS_TD
