// Passes that plan: normalize, classify, form groups, isolate, schedule.
#ifndef FUSE_MLIR_TRANSFORMS_PASSES_TD
#define FUSE_MLIR_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def NormalizeOpsPass : Pass<"fuse-normalize-ops"> {
  let summary = "bring a tensor program to the form that planning starts from";
  let description = [{
    First pass of every pipeline. Afterwards a function on tensors holds
    structured `linalg` operators, `tensor` movement, constants, scalar host
    code and control flow:

    - TOSA is lowered by upstream's `tosa-to-*` passes; of `tosa.scatter` each
      row of the result looks for the update that hits it. A branch that
      broadcasts a dimension if its size is 1 when the program runs is folded
      where that is the size it is broadcast to.
    - Complex numbers in bodies become their two parts
      (`convert-complex-to-standard`).
    - Element-wise `arith` and `math` on tensors, `tensor.generate` and splats
      become structured; `linalg.softmax` (NaN is handed on by its maximum),
      Winograd transforms, `linalg.pack` and `linalg.unpack` are taken apart.
    - A result of `linalg.generic` without uses is dropped, with what only it
      needs (the argmax in a softmax):

      ```mlir
      %m:2 = linalg.generic … outs(%v, %i : …) {
        %gt = arith.cmpf ogt, %in, %best : f32
        %w = arith.select %gt, %j, %where : i64
        %x = arith.maximumf %in, %best : f32
        linalg.yield %x, %w : f32, i64
      }                                     // %m#1 is not used
      // becomes
      %m = linalg.generic … outs(%v : …) {
        %x = arith.maximumf %in, %best : f32
        linalg.yield %x : f32
      }
      ```

    - Unit dimensions of generics and pads are folded into views; operators with
      a loop of no round give their inits; `tensor.gather` becomes a generic.
    - A generic whose results do not share their loops (a running sum beside its
      total), one that neither writes nor reads parts of an init, or one with a
      pure body that no thread can run (vectors) becomes loops of the host; a
      parallel loop that no result has is a reduction, a reduction that all have
      is parallel; results of one reduction in different orders are brought into
      that of the first, and transposed.
    - A call of an external function that says (`opaque.op`, `opaque.attrs`,
      `opaque.body`) that it is a `tm_tensor.scatter` of whole slices, replacing
      or adding, becomes a reduction over the updates: each element takes those
      that hit it, in their order, so that duplicates behave as in the source
      and no atomics are needed. That is a comparison for each pair of an update
      and an element; beyond 2^24 the call stays. If update `k` is known to hit
      row `k floordiv n` of a dimension, and its size times `n` updates there are
      (the label of each row), an element is compared with the `n` updates of its
      row only; up to four need no reduction.
    - Contractions whose factors are widened by operators of their own (as
      exporters write f16 products with f32 sums) read the narrow values, through
      whatever moves elements in between, and widen them in their bodies; not if
      one of these operators is marked.
    - A concatenation with single elements (an extra logit of each row of a
      softmax, a sink) of which reductions read all, and slices the rest, is
      split: reductions begin with the elements, in front of the others, and
      element-wise operators in between work on either:

      ```mlir
      %c = tensor.concat dim(1) %x, %s : (tensor<8x64xf32>, tensor<8x1xf32>) …
      %m = linalg.reduce {arith.maximumf} ins(%c : …) outs(%lowest : …) dimensions = [1]
      // becomes, with %t = max(%lowest, %s)
      %m = linalg.reduce {arith.maximumf} ins(%x : …) outs(%t : …) dimensions = [1]
      ```

      Not where sums are strict, or one of these operators is marked.
    - A contraction that only two slices along one dimension are read of, which
      do not overlap and meet in an element-wise operator (gate and up projection
      by one weight), is one for each, of slices of the factor. Element-wise
      operators and views in between are taken in slices, too:

      ```mlir
      %y = linalg.matmul ins(%x, %w : tensor<8x64xf32>, tensor<64x96xf32>) …
      %a = tensor.extract_slice %y[0, 0] [8, 48] [1, 1] …
      // becomes
      %v = tensor.extract_slice %w[0, 0] [64, 48] [1, 1] …
      %a = linalg.matmul ins(%x, %v : tensor<8x64xf32>, tensor<64x48xf32>) …
      ```

    - Static `tensor.reshape` becomes views; canonicalization and CSE run, but
      not across the edge of a `fuse.group` in the input.

    Every operator gets `fuse.ordinal`, its pre-order number in the input,
    unless it has one; `fuse.must_fuse`, `fuse.never_fuse` and `fuse.class`
    move to the operators that replace the marked one (`fuse.class` only if
    there is one). Locations stay those of the input. With `fp-order`, functions
    on tensors get `fuse.fp_order`, which planner and code generator obey; with
    `half-sums`, `fuse.half_sums`. Where that is `"f32"`, contractions and other
    sums with results of f16 or bf16 become sums of f32 and a conversion.

    Refuses, with an error at the operator: element types other than f8E4M3FN,
    f8E5M2, f16, bf16, f32, f64, i1, i8, i16, i32, i64 and index; tensors without rank or with an
    encoding; TOSA operators without a lowering, `tensor.scatter`. Functions
    without tensors are left alone. Runs on a function, or on each function
    below the operation it is given.

    Linear in the number of operators, but for upstream's greedy driver.
  }];
  let options = [
    Option<"foldUnitDims", "fold-unit-dims", "bool", /*default=*/"true",
           "Fold dimensions of size 1 into views">,
    Option<"fpOrder", "fp-order", "std::string", /*default=*/"",
           "Order of floating-point reductions, as `fuse.fp_order` of the "
           "functions: fixed or strict (default: as the program says)">,
    Option<"halfSums", "half-sums", "std::string", /*default=*/"",
           "Sums of f16 and bf16, as `fuse.half_sums` of the functions: source "
           "or f32 (default: as the program says)">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::fuse::FuseDialect",
    "::mlir::index::IndexDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"];
}

def PrintGroupShapesPass : Pass<"fuse-print-group-shapes"> {
  let summary = "print how each group would run as one kernel";
  let description = [{
    For each `fuse.group` and `fuse.kernel`: the path, the rows × columns
    space, the loops of each reduction and the element of each output that a
    thread owns; of a packed one the same for each part; or the rule by which
    the group is refused. Nothing is changed. Linear in the number of elements
    accesses of the group.
  }];
}

def SelectSchedulesPass : Pass<"fuse-select-schedules"> {
  let summary = "decide how the threads of each kernel share its elements";
  let description = [{
    Writes `#fuse.schedule` on each `fuse.kernel` that has none: the path (see
    `fuse-print-group-shapes`), the rows × columns space, grid and block size,
    and the layout that says which thread owns which element. A schedule given
    by the user is left alone.

    - `pointwise`: chunks of 16 bytes of the smallest element type, two per
      thread if there is work for all multiprocessors.
    - `general`: one element per thread.
    - `packed`: each part as if it were alone, but all with the threads of the
      largest.
    - `row`: a row belongs to part of a warp, a warp, or a block, by its
      length. It stays in registers up to 32 words per thread (32768 f32);
      beyond, it is read once into dynamic shared memory (up to 158 KB), or
      else its positions are visited by a loop and read again. Rows that do
      not start at a sector of 32 bytes get a layout shifted by the
      misalignment, so that no sector is asked for twice; if they are short
      (up to 128 elements), a block stages several as one contiguous range in
      shared memory and a thread takes up to 40 elements.

    - `tile`: a tile of the results for each block, chosen from a small table by
      the time that all blocks take, and the units that multiply, by the types
      of the factors and the chip.

    Where sizes are known at run time only, `rows`, `columns` and `grid` are
    those at assumed sizes; host code computes the real ones. A row of unknown
    length belongs to a block that loops over it, `positions` chunks at a time.

    Linear in the size of the body.
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"",
           "Chip that kernels will be compiled for, such as sm_90 (default: "
           "that of the device)">
  ];
}

def AttachDevicePass : Pass<"fuse-attach-device"> {
  let summary = "say which device the program is planned for";
  let description = [{
    Writes the facts about a device as a DLTI target device spec under the id
    `"GPU"` of `dlti.target_system_spec`, with the `fuse.*` keys that
    docs/CostModel.md lists. Planning, scheduling and the choice of the chip
    read nothing else; without a device they take the H200.

    The device is one of the built-in table (`name`) or described by a JSON file
    (`file`, which then decides):

    ```json
    {"device": "my-gpu", "like": "h100", "sm_count": 66, "dram_gb_per_s": 1000}
    ```

    The same device again changes nothing; another one than is attached is an
    error, and so is an unknown name. A wrong key, type or value of a file is an
    error at its line and column.
  }];
  let options = [
    Option<"deviceName", "name", "std::string", /*default=*/"\"h200\"",
           "device: a100 (the 80 GB one), a100-40, a100-80, b200, h100 (the SXM "
           "one), h100-pcie, h100-sxm, h200, l4, rtx4090 or t4">,
    Option<"file", "file", "std::string", /*default=*/"",
           "JSON file that describes the device">
  ];
  let dependentDialects = ["::mlir::DLTIDialect"];
}

// What both passes that plan understand; `copyPlanOptions` passes it on.
defvar planOptions = [
  Option<"mode", "mode", "std::string", /*default=*/"\"all\"",
         "candidates: all, producer-consumer or sibling">,
  Option<"strategy", "strategy", "std::string", /*default=*/"\"greedy\"",
         "search: greedy, optimal, max, none, policy-xla, policy-tvm, "
         "policy-inductor, policy-nvfuser or policy-iree (docs/Policies.md)">,
  Option<"optimalLimit", "optimal-limit", "int64_t", /*default=*/"100000",
         "strategy optimal: groups and states that it looks at in a block "
         "before it stops and keeps the best plan it knows">,
  Option<"costModel", "cost-model", "std::string", /*default=*/"\"analytic\"",
         "model that prices kernels: NAME or NAME{key=value}">,
  Option<"costModelPlugin", "cost-model-plugin", "std::string",
         /*default=*/"",
         "shared library that brings cost models (docs/CostModel.md)">,
  ListOption<"constraints", "constraints", "std::string",
             "names of the group constraints in force (default: all)">,
  Option<"maxRegisters", "max-registers", "uint64_t", /*default=*/"0",
         "predicted registers of a thread that a fused kernel may have "
         "(default: 0, no limit)">,
  Option<"maxSharedBytes", "max-shared-bytes", "uint64_t", /*default=*/"0",
         "shared memory of a block that a fused kernel may have, in bytes "
         "(default: 0, no limit)">,
  Option<"maxPeakBytes", "max-peak-bytes", "uint64_t", /*default=*/"0",
         "device memory of the program at its peak beyond which no fusion may "
         "raise it, in bytes (default: 0, no limit)">
];

def FormGroupsPass : Pass<"fuse-form-groups"> {
  let summary = "decide which operators share a kernel and wrap them";
  let description = [{
    Every operator that a kernel can compute ends in a `fuse.group`, alone or
    with others. Candidates are producer and consumer (through views), a
    producer recomputed in all its consumers, and siblings that share an input
    and an iteration space. A candidate is taken if it is legal and the cost
    model says that it saves time (`strategy=greedy`), if it is legal (`max`),
    or never (`none`). After that `greedy` improves the groups that have formed:
    operators move to another group, become one of their own, are computed by
    each reader or read from one that stores them, as long as the sum of prices
    falls, for at most four rounds and a limited work that is linear in the
    number of operators; and what up to three groups that lie near each other
    hold is grouped anew by the exact search (`regroup`), within the same limit
    once more. `optimal` starts from the greedy plan and searches for
    the least sum of prices that any legal plan has, recomputation included. Its
    cost grows exponentially with the width of the graph: after `optimal-limit`
    steps it keeps the best plan it knows, and the remark `OptimalStopped` and
    the report's `optimal_gap` say how far above the optimum that is at most.
    With a model that has a verdict instead of prices it is the greedy plan. The
    strategies `policy-…` follow the published rules of another compiler over the
    same legality and prices (docs/Policies.md); a refusal has rule `policy`.

    ```mlir
    // Before:
    %0 = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %1 = linalg.abs ins(%0 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    // After:
    %1 = fuse.group "main_0_exp" -> (tensor<8xf32>) { … fuse.yield %b : tensor<8xf32> }
    ```

    Legality has rules with ids: `cycle`, `boundary`, `never-fuse`, `opaque`,
    `user-group`, `class-pair` (docs/ClassPairs.md), and what the group
    constraints refuse (for this project's
    code generator `no-output`, `unsupported-op`,
    `output-domain`, `row-mismatch`, `nested-reduction`, `shared-reduction`,
    `recompute-limit`, `kernel-parameters`), and budgets that are given
    (`register-budget`, `shared-budget`, `peak-memory`). Groups made by hand stay as they are. Operators with
    equal `fuse.must_fuse` share a kernel; if they cannot, that is an error with
    the rule's id.

    Each candidate is a remark (docs/Remarks.md) and a row of the report.
    Nothing moves across blocks; effects of the host stay in order. Runs after
    `fuse-classify-ops`, before `fuse-isolate-groups`. Near-linear: a merge
    costs the size of the merged group, and small merges go first.
  }];
  let options = !listconcat(planOptions, [
    Option<"report", "report", "std::string", /*default=*/"",
           "file for the report as JSON; - is standard output">,
    Option<"modelName", "model", "std::string", /*default=*/"",
           "name of the model in the report (default: the file's)">
  ]);
  let dependentDialects = ["::mlir::func::FuncDialect",
    "::mlir::fuse::FuseDialect"];
}

def PrintGroupsPass : Pass<"fuse-print-groups"> {
  let summary = "print the groups, their prices and the decisions";
  let description = [{
    Plans as `fuse-form-groups` would, changes nothing, and prints tables to
    standard output: a row for each kernel with its class, path, bytes, flops,
    predicted time and registers, the totals, and with `decisions=true` a row
    for each candidate with both prices or the rule that refused it. After
    `fuse-form-groups` it shows the groups as they stand.
  }];
  let options = !listconcat(planOptions, [
    Option<"decisions", "decisions", "bool", /*default=*/"true",
           "print the table of decisions, too">
  ]);
  let dependentDialects = ["::mlir::func::FuncDialect",
    "::mlir::fuse::FuseDialect"];
}

def IsolateGroupsPass : Pass<"fuse-isolate-groups"> {
  let summary = "make each group a kernel that stands for itself";
  let description = [{
    Turns each `fuse.group` into a `fuse.kernel`. Tensors and scalars that the
    group captures become `ins`; splats, constants of at most 64 bytes,
    `tensor.empty` and fills are copied into the body; each result gets a
    `tensor.empty` of its type as `outs`. Larger constants stay on the host.

    ```mlir
    %r = fuse.group "exp" -> (tensor<8xf32>) {
      %0 = linalg.exp ins(%x : …) outs(%e : …) -> tensor<8xf32>
      fuse.yield %0 : tensor<8xf32>
    }
    // becomes
    %d = tensor.empty() : tensor<8xf32>
    %r = fuse.kernel "exp" ins(%x : …) outs(%d : …) -> (tensor<8xf32>) {
    ^bb0(%a: tensor<8xf32>, %o: tensor<8xf32>):
      %e = tensor.empty() : tensor<8xf32>
      %0 = linalg.exp ins(%a : …) outs(%e : …) -> tensor<8xf32>
      fuse.yield %0 : tensor<8xf32>
    }
    ```

    A group that the code generator cannot take as one kernel (see
    `fuse-print-group-shapes`), because one of its stages would be evaluated
    again for elements of another, is split into kernels that it can: its inside
    is planned with strategy `greedy` and model `analytic`; the remark
    `GroupSplit` says why. Operators in it that no kernel can compute move to the
    host. Operators on tensors outside of groups become
    kernels of their own; views, `tensor.empty`, `tensor.dim`, element accesses,
    calls and control flow stay. `fuse.boundary` disappears: it has done its
    work.

    Kernels keep the group's name, else they are called after the function, the
    ordinal and the kind of their last reduction (or last operator). Runs after
    `fuse-form-groups`, with no canonicalization in between. Dynamic sizes of
    results are worked out from the kernel's inputs; where that fails, it is an
    error. Linear, but for the groups it splits: the cost of planning them.
  }];
  let options = [
    Option<"split", "split", "bool", /*default=*/"true",
           "Split groups that the code generator cannot take as one kernel">,
    Option<"standalone", "standalone", "bool", /*default=*/"true",
           "Make kernels of operators outside of groups, too">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect", "::mlir::fuse::FuseDialect",
    "::mlir::tensor::TensorDialect"];
}

def InlineGroupsPass : Pass<"fuse-inline-groups"> {
  let summary = "dissolve groups, kernels and boundaries";
  let description = [{
    The way back: the body of each `fuse.group` and `fuse.kernel` takes its
    place, a `fuse.boundary` gives its operand. For comparing a plan with the
    unfused program, and for lowering a program with groups by other means.
    Markers stay (see `fuse-strip-markers`). Linear.

    ```mlir
    %r = fuse.group -> (tensor<8xf32>) {
      %0 = math.exp %x : tensor<8xf32>
      fuse.yield %0 : tensor<8xf32>
    }
    // becomes
    %r = math.exp %x : tensor<8xf32>
    ```
  }];
}

def OutlineGroupsPass : Pass<"fuse-outline-groups"> {
  let summary = "make each group a private function";
  let description = [{
    For users who bring their own code generator: each `fuse.group` and
    `fuse.kernel` becomes a call of a private function in destination-passing
    style. Its arguments are the kernel's `ins`, then its `outs`; each result is
    put into its destination by `bufferization.materialize_in_destination`. The
    function carries the class, the schedule and the predicted quantities as
    `fuse.class`, `fuse.schedule` and `fuse.cost`, as far as they are there.

    ```mlir
    %r = fuse.kernel "exp" ins(%x : …) outs(%d : …) -> (tensor<8xf32>)
        attributes {op_class = #fuse.class<injective, "…">} {…}
    // becomes
    func.func private @exp(%a: tensor<8xf32>, %o: tensor<8xf32>)
        -> tensor<8xf32> attributes {fuse.class = #fuse.class<injective, "…">} {
      %e = tensor.empty() : tensor<8xf32>
      %0 = linalg.exp ins(%a : …) outs(%e : …) -> tensor<8xf32>
      %1 = bufferization.materialize_in_destination %0 in %o : …
      return %1 : tensor<8xf32>
    }
    %r = call @exp(%x, %d) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    ```

    Groups are taken as they are: what this project's code generator could not
    make one kernel of stays one function. Operators outside of groups are left
    alone. Runs after `fuse-form-groups`, or after `fuse-select-schedules` for
    functions with a schedule. Runs on an operation with a symbol table. Linear.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
    "::mlir::bufferization::BufferizationDialect", "::mlir::func::FuncDialect",
    "::mlir::fuse::FuseDialect", "::mlir::tensor::TensorDialect"];
}

def MarkUpdatesPass : Pass<"fuse-mark-updates"> {
  let summary = "find insertions that may overwrite their destination";
  let description = [{
    Marks each `tensor.insert_slice` with `fuse.in_place` whose destination is
    the only copy of a tensor that the host hands from one place to the next, and
    is not used afterwards: the variable of an `scf.for` or `scf.while` that the
    result becomes again (through other insertions, branches and inner loops), the
    result of a loop, a branch or a call, or an argument that the caller leaves to
    the function (`bufferization.writable = true`).

    ```mlir
    %r = scf.for … iter_args(%cache = %init) -> tensor<1024x64xf32> {
      %row = …
      // now marked: only the row will be written, nothing is copied
      %next = tensor.insert_slice %row into %cache[%i, 0] [1, 64] [1, 1] …
      scf.yield %next : tensor<1024x64xf32>
    }
    ```

    The planner takes a marked insertion for a part of the host program: what is
    inserted is a kernel's result, and `fuse-fold-updates` has the kernel store it
    where it belongs. Other insertions are operators like all others, which copy
    what they do not change: where the destination is computed for this purpose,
    or an argument that the caller keeps, that is one kernel.

    What is inserted as it stands (an argument, a constant, something from outside of
    the loop), or taken from the destination itself, is copied by a `linalg.copy`
    first, which is an operator to the planner like all others.

    A mark is a promise about speed only. Bufferization decides what may be
    overwritten, and copies the destination where a mark is wrong.

    Refuses steps that are not constant, and insertions that the user has marked.
    Runs after `fuse-normalize-ops`. Linear in the number of uses.
  }];
}

def FoldUpdatesPass : Pass<"fuse-fold-updates"> {
  let summary = "let kernels write what is inserted where it belongs";
  let description = [{
    Matches `tensor.insert_slice` with `fuse.in_place`. Its destination becomes that
    of the kernel which makes what is inserted:

    ```mlir
    %k = fuse.kernel "exp" ins(%x : …) outs(%e : tensor<1x64xf32>) …
    %r = tensor.insert_slice %k into %cache[%i, 0] [1, 64] [1, 1] {fuse.in_place} …
    // becomes
    %r = fuse.kernel "exp" ins(%x, %i : …) outs(%cache : tensor<1024x64xf32>) … {
    ^bb0(%a: …, %at: index, %o: tensor<1024x64xf32>):
      %0 = math.exp %a : tensor<1x64xf32>
      %1 = tensor.insert_slice %0 into %o[%at, 0] [1, 64] [1, 1] …
      fuse.yield %1 : tensor<1024x64xf32>
    }
    ```

    What no kernel makes, or one that also reads the destination or whose result
    others need, is inserted by a kernel of its own. Runs after
    `fuse-isolate-groups`. Linear in the number of uses.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect",
                           "::mlir::fuse::FuseDialect"];
}

def ClassifyOpsPass : Pass<"fuse-classify-ops"> {
  let summary = "write the class of each operator and the reason for it";
  let description = [{
    Attaches `fuse.class = #fuse.class<CLASS, "REASON">` to each operator of a
    function that stands outside of the bodies of others: injective, broadcast,
    reduction, contraction, movement, scan or opaque. The reason names the map,
    the iterator or the effect that decided:

    ```mlir
    linalg.generic {…} attrs = {
      fuse.class = #fuse.class<reduction, "iterator 1 is a reduction">} …
    ```

    In this order: an attribute `fuse.class` that is there already; an
    implementation of `FusableOpInterface` (upstream's `tensor` operators have
    external models, other dialects bring their own); indexing maps, iterators
    and body of any operator with maps; else opaque. An effect in a body makes
    its operator opaque, but for `cf.assert`, which is a check on the device.
    Constants and scalar code of the host are injective, calls and control flow
    opaque.

    Each operator is an analysis remark `OpClass`. Runs after
    `fuse-normalize-ops`, before `fuse-form-groups`. Linear.
  }];
  let options = [
    Option<"print", "print", "bool", /*default=*/"false",
           "Print a line for each operator to standard output">
  ];
  let dependentDialects = ["::mlir::fuse::FuseDialect"];
}

def PrintClassPairsPass : Pass<"fuse-print-class-pairs"> {
  let summary = "print which classes of operators may share a kernel";
  let description = [{
    Prints the table that the planner uses to standard output, as Markdown:
    docs/ClassPairs.md is this output. Nothing is changed, and what the pass
    runs on does not matter.
  }];
}

def CheckCostModelsPass : Pass<"fuse-check-cost-models"> {
  let summary = "check that cost models keep their contract";
  let description = [{
    Asks each registered cost model about kernels of several kinds and sizes, in
    a row and from several threads at once, and reports what docs/CostModel.md
    ("The contract") forbids as an error at the operation: another answer to the
    same question (`deterministic`, `thread-safe`), a negative number
    (`non-negative`), an explanation with another price (`consistent`), and for
    the models that promise it a lower price for more bytes (`monotone`). Models
    that keep it get a line on standard output. The program itself is neither
    looked at nor changed; its device is the one that is priced for.

    For those who write a model: `checkCostModel` in
    fuse-mlir/CostModel/Contract.h is the same as a function.
  }];
  let options = [
    Option<"costModel", "cost-model", "std::string", /*default=*/"",
           "the only model to check: NAME or NAME{key=value} (default: all)">,
    Option<"costModelPlugin", "cost-model-plugin", "std::string",
           /*default=*/"",
           "shared library that brings cost models (docs/CostModel.md)">,
    ListOption<"monotone", "monotone", "std::string",
               "models that promise not to cost less for more bytes "
               "(default: analytic, traffic)">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::fuse::FuseDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"];
}

#endif // FUSE_MLIR_TRANSFORMS_PASSES_TD
