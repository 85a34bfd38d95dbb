// Calls JIT-compiled functions through packed pointers: arguments and results
// are memref descriptors (pointer, aligned pointer, offset, sizes, strides).
#include "Execute.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <link.h>
#include <ucontext.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::fuse::run;

//===----------------------------------------------------------------------===//
// Conversions that code for narrow floats calls. The calling conventions put a
// half into the low bits of a float register.
//===----------------------------------------------------------------------===//

static float asRegister(uint64_t bits) {
  uint32_t low = static_cast<uint32_t>(bits);
  float value;
  std::memcpy(&value, &low, sizeof(value));
  return value;
}

static uint64_t narrow(double value, const llvm::fltSemantics &to) {
  llvm::APFloat number(value);
  bool losesInfo;
  number.convert(to, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.bitcastToAPInt().getZExtValue();
}

static float truncDoubleToHalf(double value) {
  return asRegister(narrow(value, llvm::APFloat::IEEEhalf()));
}
static float truncFloatToHalf(float value) { return truncDoubleToHalf(value); }
static float truncDoubleToBFloat(double value) {
  return asRegister(narrow(value, llvm::APFloat::BFloat()));
}
static float truncFloatToBFloat(float value) {
  return truncDoubleToBFloat(value);
}
static float extendHalf(float half) {
  uint32_t bits;
  std::memcpy(&bits, &half, sizeof(bits));
  llvm::APFloat number(llvm::APFloat::IEEEhalf(),
                       llvm::APInt(16, bits & 0xffff));
  bool losesInfo;
  number.convert(llvm::APFloat::IEEEsingle(),
                 llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToFloat();
}

template <typename Format>
static int32_t narrowToByte(double value) {
  return static_cast<int32_t>(narrow(value, Format::get()));
}
template <typename Format>
static double widenByte(int32_t bits) {
  llvm::APFloat number(Format::get(), llvm::APInt(8, bits & 0xff));
  bool losesInfo;
  number.convert(llvm::APFloat::IEEEdouble(),
                 llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}
namespace {
struct E4M3FN {
  static const llvm::fltSemantics &get() {
    return llvm::APFloat::Float8E4M3FN();
  }
};
struct E5M2 {
  static const llvm::fltSemantics &get() { return llvm::APFloat::Float8E5M2(); }
};
} // namespace

template <typename T>
static T power(T base, int exponent) {
  T result = 1;
  for (unsigned left = std::abs(exponent); left; left >>= 1, base *= base)
    if (left & 1)
      result *= base;
  return exponent < 0 ? 1 / result : result;
}

namespace {
/// What upstream's lowering passes for a memref of any rank.
struct UnrankedMemRef {
  int64_t rank;
  const int64_t *words;
};
} // namespace

/// Upstream's lowering calls this for copies between strided memrefs.
static void copyMemRef(int64_t bytes, const UnrankedMemRef *from,
                       const UnrankedMemRef *to) {
  size_t rank = from->rank;
  const int64_t *sizes = from->words + 3;
  const int64_t *fromStrides = sizes + rank, *toStrides = to->words + 3 + rank;
  const char *source =
      reinterpret_cast<const char *>(from->words[1]) + from->words[2] * bytes;
  char *target = reinterpret_cast<char *>(to->words[1]) + to->words[2] * bytes;
  int64_t count = 1;
  for (size_t dim = 0; dim < rank; ++dim)
    count *= sizes[dim];
  SmallVector<int64_t> position(rank, 0);
  for (int64_t i = 0; i < count; ++i) {
    int64_t readAt = 0, writeAt = 0;
    for (size_t dim = 0; dim < rank; ++dim) {
      readAt += position[dim] * fromStrides[dim];
      writeAt += position[dim] * toStrides[dim];
    }
    std::memcpy(target + writeAt * bytes, source + readAt * bytes, bytes);
    for (size_t dim = rank; dim-- > 0;) {
      if (++position[dim] < sizes[dim])
        break;
      position[dim] = 0;
    }
  }
}

/// A failed assertion of the program gives its message to `puts` and aborts. It
/// ends this program with an error, which is no crash.
static int tellAssertion(const char *message) {
  llvm::errs() << "error: the program stopped: " << message << "\n";
  return 0;
}
[[noreturn]] static void stopProgram() { std::_Exit(1); }

namespace {
/// Traps that the program runs into while one of these lives: a division by
/// zero, or endless recursion. They end this program with an error, too. What
/// happens in our own code is a crash as ever, but for a stack that is used up.
/// (Of the C library's code nobody knows who has called it.)
class TrapGuard {
public:
  TrapGuard() {
    ownCode.clear();
    dl_iterate_phdr(addCode, nullptr);
    struct sigaction action = {};
    action.sa_sigaction = handle;
    // LLVM has set up a stack for signals.
    action.sa_flags = SA_ONSTACK | SA_SIGINFO;
    for (auto [signal, old] : llvm::zip(kSignals, before))
      sigaction(signal, &action, &old);
  }
  ~TrapGuard() {
    for (auto [signal, old] : llvm::zip(kSignals, before))
      sigaction(signal, &old, nullptr);
  }
  TrapGuard(const TrapGuard &) = delete;
  TrapGuard &operator=(const TrapGuard &) = delete;

private:
  static constexpr int kSignals[] = {SIGFPE, SIGSEGV, SIGBUS};

  /// Our own code: begins and ends.
  static inline std::vector<std::pair<uintptr_t, uintptr_t>> ownCode;

  static int addCode(dl_phdr_info *object, size_t, void *) {
    // The first one has no name: this program.
    StringRef name(object->dlpi_name);
    if (!name.empty() && !name.contains_insensitive("libfuse"))
      return 0;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
      const auto &segment = object->dlpi_phdr[i];
      if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X))
        continue;
      uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
      ownCode.emplace_back(begin, begin + segment.p_memsz);
    }
    return 0;
  }

  /// Whether the trap is not the program's: not in its code, and not at the end
  /// of the stack.
  static bool isOwn(int signal, const siginfo_t &info, const void *context) {
    const mcontext_t &machine =
        static_cast<const ucontext_t *>(context)->uc_mcontext;
#if defined(__x86_64__)
    uintptr_t code = machine.gregs[REG_RIP], stack = machine.gregs[REG_RSP];
#elif defined(__aarch64__)
    uintptr_t code = machine.pc, stack = machine.sp;
#else
    uintptr_t code = 0, stack = 0;
#endif
    constexpr uintptr_t kNearStack = 1 << 16;
    uintptr_t place = reinterpret_cast<uintptr_t>(info.si_addr);
    if (signal == SIGSEGV && place - stack + kNearStack < 2 * kNearStack)
      return false;
    for (auto [begin, end] : ownCode)
      if (code >= begin && code < end)
        return true;
    return false;
  }

  static void handle(int signal, siginfo_t *info, void *context) {
    if (!isOwn(signal, *info, context))
      stop(signal);
    // Whoever was there before is told once the code runs on.
    struct sigaction crash = {};
    crash.sa_handler = SIG_DFL;
    for (auto [number, old] : llvm::zip(kSignals, before))
      if (number == signal)
        crash = old;
    sigaction(signal, &crash, nullptr);
    raise(signal);
  }

  /// Calls nothing that a signal may not have interrupted.
  [[noreturn]] static void stop(int signal) {
    constexpr llvm::StringLiteral division =
        "error: the program stopped: an integer division by zero, or one "
        "whose result is too large\n";
    constexpr llvm::StringLiteral memory =
        "error: the program stopped: memory that is not there, as in endless "
        "recursion\n";
    llvm::StringRef message = signal == SIGFPE ? division : memory;
    ssize_t written = write(STDERR_FILENO, message.data(), message.size());
    std::_Exit(written < 0 ? 2 : 1);
  }

  static inline struct sigaction before[std::size(kSignals)] = {};
};
} // namespace

static llvm::orc::SymbolMap getSymbols(llvm::orc::MangleAndInterner intern) {
  llvm::orc::SymbolMap symbols;
  auto add = [&](StringRef name, auto *function) {
    symbols[intern(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                             llvm::JITSymbolFlags::Exported};
  };
  add("__truncdfhf2", truncDoubleToHalf);
  add("__truncsfhf2", truncFloatToHalf);
  add("__truncdfbf2", truncDoubleToBFloat);
  add("__truncsfbf2", truncFloatToBFloat);
  add("__extendhfsf2", extendHalf);
  add("__powidf2", power<double>);
  add("__powisf2", power<float>);
  add("__fuse_run_narrow_f8E4M3FN", narrowToByte<E4M3FN>);
  add("__fuse_run_widen_f8E4M3FN", widenByte<E4M3FN>);
  add("__fuse_run_narrow_f8E5M2", narrowToByte<E5M2>);
  add("__fuse_run_widen_f8E5M2", widenByte<E5M2>);
  add("memrefCopy", copyMemRef);
  add("puts", tellAssertion);
  add("abort", stopProgram);
  return symbols;
}

//===----------------------------------------------------------------------===//
// Packed arguments
//===----------------------------------------------------------------------===//

namespace {
/// The words of a memref descriptor: two pointers, offset, sizes, strides.
struct Descriptor {
  std::vector<int64_t> words;

  explicit Descriptor(HostTensor &tensor) {
    int64_t address = reinterpret_cast<int64_t>(tensor.data.data());
    words = {address, address, 0};
    words.insert(words.end(), tensor.shape.begin(), tensor.shape.end());
    std::vector<int64_t> strides(tensor.shape.size(), 1);
    for (size_t i = strides.size(); i > 1; --i)
      strides[i - 2] = strides[i - 1] * tensor.shape[i - 1];
    words.insert(words.end(), strides.begin(), strides.end());
  }
};

/// Where each result lies in the struct that the function returns.
struct ResultLayout {
  SmallVector<size_t> offsets;
  size_t bytes = 0;

  explicit ResultLayout(ArrayRef<Port> results) {
    for (const Port &port : results) {
      size_t size = port.isScalar ? getElementBytes(port.elementType)
                                  : 8 * (3 + 2 * port.shape.size());
      size_t align = port.isScalar ? size : 8;
      bytes = (bytes + align - 1) / align * align;
      offsets.push_back(bytes);
      bytes += size;
    }
  }
};
} // namespace

/// Copies the elements that a returned descriptor shows.
static void gather(const int64_t *words, HostTensor &tensor) {
  size_t rank = tensor.shape.size();
  unsigned bytes = getElementBytes(tensor.elementType);
  const uint8_t *base =
      reinterpret_cast<const uint8_t *>(words[1]) + words[2] * bytes;
  const int64_t *strides = words + 3 + rank;
  SmallVector<int64_t> position(rank, 0);
  for (int64_t i = 0, e = tensor.getNumElements(); i < e; ++i) {
    int64_t offset = 0;
    for (size_t dim = 0; dim < rank; ++dim)
      offset += position[dim] * strides[dim];
    std::memcpy(&tensor.data[i * bytes], base + offset * bytes, bytes);
    for (size_t dim = rank; dim-- > 0;) {
      if (++position[dim] < tensor.shape[dim])
        break;
      position[dim] = 0;
    }
  }
}

/// Frees what the function allocated: not the inputs, not constants (whose
/// allocated pointer is a marker that upstream writes).
static void freeResults(ArrayRef<int64_t> pointers,
                        const std::vector<HostTensor> &inputs) {
  llvm::DenseSet<int64_t> kept = {0, 0xdeadbeef};
  for (const HostTensor &input : inputs)
    kept.insert(reinterpret_cast<int64_t>(input.data.data()));
  for (int64_t pointer : pointers)
    if (kept.insert(pointer).second)
      std::free(reinterpret_cast<void *>(pointer));
}

/// Checks that result `number` can be copied: what sizes it has, the program
/// decides.
static LogicalResult checkResult(ModuleOp module, size_t number,
                                 ArrayRef<int64_t> shape, Type elementType) {
  std::optional<int64_t> bytes = countBytes(shape, elementType);
  if (bytes && *bytes <= getMemoryBytes())
    return success();
  InFlightDiagnostic diag =
      module.emitError("result ")
      << number << " has sizes that "
      << (bytes ? "do not fit into memory: " : "no tensor has: ");
  llvm::interleave(shape, diag, "x");
  return diag;
}

static LogicalResult call(void (*function)(void **), ModuleOp module,
                          const Model &model, std::vector<HostTensor> &inputs,
                          std::vector<HostTensor> &results, bool wantsResults) {
  std::vector<Descriptor> descriptors;
  std::vector<void *> packed;
  descriptors.reserve(inputs.size());
  for (HostTensor &input : inputs) {
    if (input.isScalar) {
      packed.push_back(input.data.data());
      continue;
    }
    for (int64_t &word : descriptors.emplace_back(input).words)
      packed.push_back(&word);
  }
  ResultLayout layout(model.results);
  std::vector<int64_t> returned(layout.bytes / 8 + 1);
  uint8_t *bytes = reinterpret_cast<uint8_t *>(returned.data());
  packed.push_back(bytes);
  {
    TrapGuard guard;
    function(packed.data());
  }

  SmallVector<int64_t> pointers;
  bool fits = true;
  for (auto [number, port, offset] :
       llvm::enumerate(model.results, layout.offsets)) {
    const int64_t *words = reinterpret_cast<const int64_t *>(bytes + offset);
    if (!port.isScalar)
      pointers.push_back(words[0]);
    if (!wantsResults || !fits)
      continue;
    // What the type leaves open is in the descriptor.
    SmallVector<int64_t> shape(port.shape);
    for (auto [dim, size] : llvm::enumerate(shape))
      if (ShapedType::isDynamic(size))
        size = words[3 + dim];
    fits = succeeded(checkResult(module, number, shape, port.elementType));
    if (!fits)
      continue;
    HostTensor &tensor =
        results.emplace_back(shape, port.elementType, port.isScalar);
    if (port.isScalar) {
      std::memcpy(tensor.data.data(), bytes + offset, tensor.data.size());
      continue;
    }
    gather(words, tensor);
  }
  freeResults(pointers, inputs);
  return success(fits);
}

/// Removes what `entry` does not lead to: it may call functions that are
/// nowhere.
static LogicalResult removeUnused(ModuleOp module, StringRef entry) {
  for (LLVM::LLVMFuncOp function : module.getOps<LLVM::LLVMFuncOp>())
    if (function.getName() != entry)
      SymbolTable::setSymbolVisibility(function,
                                       SymbolTable::Visibility::Private);
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  manager.addPass(createSymbolDCEPass());
  return manager.run(module);
}

LogicalResult fuse::run::execute(ModuleOp module, const Model &model,
                                 std::vector<HostTensor> &inputs,
                                 std::vector<HostTensor> &results,
                                 const ExecuteOptions &options) {
  if (failed(removeUnused(module, model.entry)))
    return failure();
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto fail = [&](llvm::Error error) {
    return module.emitError("cannot compile for the host: ")
           << llvm::toString(std::move(error));
  };
  llvm::Expected<llvm::orc::JITTargetMachineBuilder> builder =
      llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return fail(builder.takeError());
  builder->setCodeGenOptLevel(options.optimize ? llvm::CodeGenOptLevel::Default
                                               : llvm::CodeGenOptLevel::None);
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine =
      builder->createTargetMachine();
  if (!machine)
    return fail(machine.takeError());
  std::function<llvm::Error(llvm::Module *)> optimize =
      makeOptimizingTransformer(/*optLevel=*/2, /*sizeLevel=*/0,
                                machine->get());
  ExecutionEngineOptions engineOptions;
  if (options.optimize)
    engineOptions.transformer = optimize;
  engineOptions.enableGDBNotificationListener = false;
  engineOptions.enablePerfNotificationListener = false;
  llvm::Expected<std::unique_ptr<ExecutionEngine>> engine =
      ExecutionEngine::create(module, engineOptions, std::move(*machine));
  if (!engine)
    return fail(engine.takeError());
  (*engine)->registerSymbols(getSymbols);
  llvm::Expected<void (*)(void **)> function =
      (*engine)->lookupPacked(model.entry);
  if (!function)
    return fail(function.takeError());
  (*engine)->initialize();
  LogicalResult called =
      call(*function, module, model, inputs, results, options.wantsResults);
  if (options.beforeUnload)
    options.beforeUnload();
  return called;
}
