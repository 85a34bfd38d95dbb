// The dialect itself: what it is for and the discardable attributes it owns.
#ifndef FUSE_MLIR_IR_FUSEDIALECT_TD
#define FUSE_MLIR_IR_FUSEDIALECT_TD

include "mlir/IR/DialectBase.td"

def Fuse_Dialect : Dialect {
  let name = "fuse";
  let cppNamespace = "::mlir::fuse";
  let summary = "Which operators share one GPU kernel";
  let description = [{
    The `fuse` dialect holds the decision which operators of a tensor program
    run as one kernel, and the kernels themselves until they are device code:

    - `fuse.group` marks operators that share a kernel. It captures values, so
      that a planner or a user can wrap operators where they stand.
    - `fuse.kernel` is a group made self-contained: isolated from above, with
      explicit operands, in destination-passing style.
    - `fuse.launch` is the host side of a kernel whose body is a `gpu.func`.
    - `fuse.boundary` is a value no fusion crosses.

    Discardable attributes, verified on any operation:

    | attribute | type | meaning |
    |---|---|---|
    | `fuse.class` | `#fuse.class` | class of the operator, and why |
    | `fuse.ordinal` | `i64` | pre-order number of the operator in the input |
    | `fuse.must_fuse` | string | operators of one tag share a kernel |
    | `fuse.never_fuse` | unit | the operator is a kernel of its own |
    | `fuse.f32_products` | `"f32"` or `"tf32"` | whether a contraction, or those of a function or module, may round factors in f32 to tf32 |
    | `fuse.half_sums` | `"source"` or `"f32"` | whether a sum of f16 or bf16, or those of a function or module, may be kept in f32 |
    | `fuse.fp_order` | `"strict"` or `"fixed"` | order of floating-point reductions in a function or module |
    | `fuse.tile` | `#fuse.tile` | tile of a contraction, instead of the one that would be chosen |
    | `fuse.in_place` | unit | a `tensor.insert_slice` that overwrites its destination: nothing needs that afterwards |
    | `fuse.kernel_name` | string | name of the kernel that a `fuse.launch` was made of; the function may have the name of an equal one |
    | `fuse.updates` | `array<i32>` | results of a `fuse.launch` of which the function writes a part only |
    | `fuse.schedule` | `#fuse.schedule` | schedule of an outlined group |
    | `fuse.cost` | `#fuse.cost` | predicted quantities of an outlined group |
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let dependentDialects = [];
  let extraClassDeclaration = [{
    /// Names of the discardable attributes.
    static constexpr ::llvm::StringLiteral kClassAttrName = "fuse.class";
    static constexpr ::llvm::StringLiteral kOrdinalAttrName = "fuse.ordinal";
    static constexpr ::llvm::StringLiteral kMustFuseAttrName =
        "fuse.must_fuse";
    static constexpr ::llvm::StringLiteral kNeverFuseAttrName =
        "fuse.never_fuse";
    static constexpr ::llvm::StringLiteral kTileAttrName = "fuse.tile";
    static constexpr ::llvm::StringLiteral kScheduleAttrName = "fuse.schedule";
    static constexpr ::llvm::StringLiteral kCostAttrName = "fuse.cost";

    /// A value of type `T`, made on first use, that lives as long as the
    /// context. Registries (cost models, group constraints) are kept here, so
    /// that nothing is process-global; extensions fill them while the dialect
    /// loads. Thread-safe; what the value itself allows is its own matter.
    template <typename T> T &getSlot() {
      std::lock_guard<std::mutex> lock(slotMutex);
      auto &slot = slots[::mlir::TypeID::get<T>()];
      if (!slot)
        slot = std::shared_ptr<void>(
            new T(), [](void *p) { delete static_cast<T *>(p); });
      return *static_cast<T *>(slot.get());
    }

  private:
    std::mutex slotMutex;
    ::llvm::DenseMap<::mlir::TypeID, std::shared_ptr<void>> slots;

  public:
    void registerAttributes();
  }];
}

#endif // FUSE_MLIR_IR_FUSEDIALECT_TD
