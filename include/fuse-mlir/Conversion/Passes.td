// Passes of the Conversion component.
#ifndef FUSE_MLIR_CONVERSION_PASSES_TD
#define FUSE_MLIR_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def CheckExtractsPass : Pass<"fuse-check-extracts", "ModuleOp"> {
  let summary = "Make host code stop at indices outside of a tensor";
  let description = [{
    Matches `tensor.extract` and `tensor.insert` of host code, not in kernels and
    bodies of operators. In front of one with an index that is not known to be
    within its dimension (a constant, or by ValueBounds) there will be a
    `cf.assert`, which says where the operation is. Otherwise a wrong index from
    data would read any memory. The same goes for the dimensions that `tensor.dim`
    and `memref.dim` ask for; one that can never be there is replaced by 0.

    Runs before bufferization, while sizes are those of tensors. Linear, but for
    what ValueBounds takes.

    Before:

    ```mlir
    %v = tensor.extract %x[%n] : tensor<8xf32>
    ```

    After:

    ```mlir
    %c8 = arith.constant 8 : index
    %0 = arith.cmpi ult, %n, %c8 : index
    cf.assert %0, "model.mlir:5:8: index 0 of 'tensor.extract' is outside of the tensor"
    %v = tensor.extract %x[%n] : tensor<8xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def PruneLaunchesPass : Pass<"fuse-prune-launches", "ModuleOp"> {
  let summary = "Remove what launches pass or do in vain";
  let description = [{
    Matches `fuse.launch` and the `gpu.func` it names, after
    `convert-fuse-to-gpu`:

    - an argument of `ins` that the device function does not use is removed
      from it and from all of its launches, and so is a result without
      elements;
    - a launch without results, or none of whose results is used, is removed,
      and a device function without launches, too.

    What is not passed is not copied to the device either. A kernel parameter
    without elements would not have a bare pointer.

    Linear in the number of operands of launches.
  }];
}

def BufferizeHostPass : Pass<"fuse-bufferize-host", "ModuleOp"> {
  let summary = "Turn the tensors of host code into buffers";
  let description = [{
    Matches the functions that use tensors, after `convert-fuse-to-gpu`; code
    that works on buffers from the start is left alone. Runs one-shot
    bufferization over function boundaries, with identity layouts, and frees
    what the functions allocate:

    - `fuse.launch` keeps its name; its tensors become memrefs of identity
      layout. `ins` are read, `outs` are only written. No operand of `outs`
      shares a buffer with another operand.
    - Arguments of functions are never written. A result is always fresh
      memory that the caller owns and frees with `memref.dealloc`. (With
      `results=out-params`: the caller passes it as a further argument, which
      must not overlap with the other arguments.)
    - Allocations are freed after their last use
      (`memref.dealloc`, or `bufferization.dealloc` where only run time tells;
      run `bufferization-lower-deallocations` and `fuse-hoist-deallocs` next).

    Refuses, with an error that names the operation, tensor computation outside
    of kernels: everything but views, allocation, control flow, calls,
    constants, access to single elements, and operations of class `opaque`.

    ```mlir
    func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
      %e = tensor.empty() : tensor<8xf32>
      %r = fuse.launch @kernels::@exp grid(%c1) block(%c8)
          ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> (tensor<8xf32>)
      return %r : tensor<8xf32>
    }
    // becomes
    func.func @f(%x: memref<8xf32>) -> memref<8xf32> {
      %e = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
      fuse.launch @kernels::@exp grid(%c1) block(%c8)
          ins(%x : memref<8xf32>) outs(%e : memref<8xf32>)
      return %e : memref<8xf32>
    }
    ```

    Complexity: that of one-shot bufferization, near-linear in practice.
  }];
  let options = [
    Option<"results", "results", "std::string", "\"returned\"",
           "How functions give their results: 'returned' or 'out-params' "
           "(default: returned)">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect",
  ];
}

def HoistDeallocsPass : Pass<"fuse-hoist-deallocs"> {
  let summary = "Free buffers right after their last use";
  let description = [{
    Moves each `memref.dealloc` up to just after the last operation of its block
    that uses the buffer or something it is forwarded to (views, selects,
    loops, branches). Allocations and their ends stay in one block; what is
    freed under a condition stays where it is.

    Unlike upstream's `optimize-allocation-liveness` it never moves one down
    (22.1 moves some behind the terminator) and works on any function.

    Runs after `bufferization-lower-deallocations`. Linear in the uses of
    buffers.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def PlaceBuffersPass : Pass<"fuse-place-buffers", "ModuleOp"> {
  let summary = "Decide which buffers live in device memory";
  let description = [{
    Matches the functions that launch kernels, after `fuse-bufferize-host`, and
    gives every buffer that a kernel touches device-accessible memory. Buffers
    that may be the same memory (through views, selects, branches, loops) form
    a class and are placed together.

    `memory=host` (default): arguments and results of functions are host
    memory.

    - Allocations that only kernels use become `gpu.alloc`; those that host
      code touches as well become `gpu.alloc host_shared`; others stay.
    - An argument or constant that a kernel reads is copied to the device once,
      at the entry of the function. The result of a call is moved to the device
      where it is made.
    - A class with a host buffer that is written elsewhere (a function's buffer
      argument, for instance) stays on the host; each launch works on a copy.
    - A result is copied into host memory, which the caller frees.

    `memory=device`: arguments and results are device memory already, so that
    no copies are made but those of constants. Host code that reads or writes
    an element of an argument works on a host copy. Functions without kernels
    that call functions with kernels are treated the same. Arguments must be
    aligned to 16 bytes.

    `fuse.launch` becomes `gpu.launch_func`, copies between contiguous buffers
    become `gpu.memcpy`. All GPU operations are still synchronous;
    `fuse-assign-streams` makes them asynchronous.

    Complexity: linear in the number of uses of buffers.
  }];
  let options = [
    Option<"memory", "memory", "std::string", "\"host\"",
           "Where arguments and results of functions live: 'host' or 'device' "
           "(default: host)">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
  ];
}

def AnnotateKernelsPass : Pass<"fuse-annotate-kernels", "ModuleOp"> {
  let summary = "Mark kernel arguments as aligned, read-only, not aliased";
  let description = [{
    Matches the buffer arguments of `gpu.func` kernels all of whose launches
    are in the module, after `fuse-place-buffers`. Gives them

    - `llvm.align = 16`: launches pass whole allocations or arguments (less for
      a buffer whose size is no multiple of 16 bytes: LLVM reads whole aligned
      chunks),
    - `llvm.readonly` or `llvm.writeonly` where the kernel only loads or only
      stores, and
    - `llvm.noalias` where it is proven that what the kernel writes is reached
      through one argument only: in each launch, the written buffers are
      distinct allocations of the function, or results that the caller passes
      as arguments, different from the buffers of all other operands.

    Read-only arguments without aliases are what lets the back end use the
    non-coherent loads (`ld.global.nc`).
  }];
}

def AssignStreamsPass : Pass<"fuse-assign-streams", "ModuleOp"> {
  let summary = "Run the GPU operations of a function on one stream";
  let description = [{
    Makes the synchronous GPU operations that `fuse-place-buffers` leaves
    asynchronous, as `gpu-to-llvm` wants them.

    `stream=own` (default): each function makes one stream on entry and waits
    for it before it returns. All operations of the function name this stream
    and so run in program order. Before host code touches memory that the
    device uses, the host waits for what is on the stream so far. (The stream
    is made, waited for and destroyed by calls of the runtime, `mgpuStream*`:
    one token names it throughout.)

    `stream=default`: the operations go to the default stream (a null
    pointer), so that the caller's order holds; nothing waits unless host code
    reads what the device wrote.
  }];
  let options = [
    Option<"stream", "stream", "std::string", "\"own\"",
           "The stream: 'own' or 'default' (default: own)">,
  ];
  let dependentDialects = ["::mlir::gpu::GPUDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

def LinkLibdevicePass : Pass<"fuse-link-libdevice", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Find CUDA's libdevice where a kernel needs it";
  let description = [{
    Matches a `gpu.module` in the LLVM dialect that calls functions of CUDA's
    math library (`__nv_*`), and adds `libdevice.10.bc` to the link files of
    its NVVM targets. The file is taken from the toolkit that `CUDA_HOME` or
    `CUDA_PATH` names; if neither is set, it is looked for beside the `nvcc` or
    `ptxas` on the `PATH`, and in `/usr/local/cuda`.

    Where it is not found, an error names the function that needs it. Modules
    that call none are left alone: they need no toolkit.
  }];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect"];
}

def CompileKernelsPass : Pass<"fuse-compile-kernels", "ModuleOp"> {
  let summary = "Compile kernels to PTX";
  let description = [{
    Replaces each `gpu.module` in the LLVM dialect by a `gpu.binary` with an
    object of PTX for each of its NVVM targets, optimized at the target's level
    and linked with the target's files. Needs LLVM's NVPTX back end, but no CUDA
    toolkit and no variable of the environment. (`gpu-module-to-binary` is the
    same for all kinds of targets and objects; it reports an error where
    `CUDA_HOME` names no toolkit, whether one is needed or not.)

    Refuses modules without targets, and targets other than `#nvvm.target`.
  }];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect"];
}

def LowerDeviceMathPass : Pass<"fuse-lower-device-math"> {
  let summary = "Lower the math functions the device has instructions for";
  let description = [{
    Rewrites, in `gpu.func`, the operations of `math` and `arith` that PTX has
    exact instructions for (absolute value, rounding, square root, fused
    multiply-add, minimum and maximum, bit counts) to LLVM's intrinsics.
    `convert-gpu-to-nvvm` would call CUDA's libdevice for them, and so need a
    CUDA toolkit. Runs just before that pass.

    ```mlir
    %0 = math.sqrt %x : f32
    // becomes
    %0 = llvm.intr.sqrt(%x) : (f32) -> f32
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def LowerReshapesPass : Pass<"fuse-lower-reshapes"> {
  let summary = "Lower reshapes that make several sizes of one unknown one";
  let description = [{
    `expand-strided-metadata` computes the sizes of a `memref.expand_shape`
    from those of its source, which is possible for one unknown size of each
    group only, and it stops the compiler where there are more. Here the
    reshapes with more become `memref.reinterpret_cast`, with the sizes that
    they were given and strides by these. All others are left alone. Runs just
    before that pass.

    ```mlir
    %r = memref.expand_shape %x [[0, 1]] output_shape [%a, %b]
        : memref<?xf32> into memref<?x?xf32>
    // becomes
    %r = memref.reinterpret_cast %x to offset: [0], sizes: [%a, %b],
        strides: [%b, 1] : memref<?xf32> to memref<?x?xf32>
    ```

    Linear in the number of operations.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def AttachTargetPass : Pass<"fuse-attach-target", "ModuleOp"> {
  let summary = "Say for which chip the kernels are compiled";
  let description = [{
    Gives each `gpu.module` the target `#nvvm.target` with exact subnormals and
    divisions, no contraction of multiplications and additions, and an
    optimization level: at 0 LLVM takes a quarter of the time, for code that
    the emulator runs half as fast. A module that has targets keeps them.

    The chip is that of the attached device (`fuse-attach-device`) unless
    `chip` names another one. The version of PTX is 8.3, or the first one that
    knows the chip: never LLVM's default, which caps kernel parameters at 4 KB.
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"\"",
           "The chip, such as 'sm_90' (default: that of the device)">,
    Option<"features", "features", "std::string", "\"\"",
           "LLVM target features, such as '+ptx83' (default: by the chip)">,
    Option<"optLevel", "opt-level", "unsigned", "3",
           "How much LLVM optimizes kernels, 0 to 3 (default: 3)">,
  ];
  let dependentDialects = ["::mlir::gpu::GPUDialect",
                           "::mlir::NVVM::NVVMDialect"];
}

def StripMarkersPass : Pass<"fuse-strip-markers"> {
  let summary = "Remove the attributes of the fuse dialect";
  let description = [{
    Removes all discardable attributes of the dialect (`fuse.class`,
    `fuse.ordinal` and the user's markers) from all operations, and the mark
    `bufferize.result` from arguments of functions. The last use of them is
    over, and what reads the compiled module need not know the dialect.
  }];
  let options = [
    Option<"device", "device", "bool", "false",
           "Remove the device that fuse-attach-device attached as well: stock "
           "mlir-runner does not know the dialect of its attribute">,
  ];
}

def CheckHostPass : Pass<"fuse-check-host", "ModuleOp"> {
  let summary = "Check that host code is fully lowered";
  let description = [{
    With `form=llvm`: all operations of the module but GPU binaries and
    launches are in the LLVM dialect; the first that is not is an error. (The
    conversions are partial: each leaves what it does not know, and stock tools
    would stop without a reason.) With `form=mlir` nothing is checked.
  }];
  let options = [
    Option<"form", "form", "std::string", "\"mlir\"",
           "The form of host code: 'mlir' or 'llvm' (default: mlir)">,
  ];
}

#endif // FUSE_MLIR_CONVERSION_PASSES_TD
