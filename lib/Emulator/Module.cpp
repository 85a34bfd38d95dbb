//===- Module.cpp - Loading PTX modules -----------------------------------===//
//
// Parses, places the module's variables in device memory, and decodes every
// kernel at once: an instruction that is not known is an error of the load, one
// that is known but not executed an error of each launch that needs it.
//
//===----------------------------------------------------------------------===//
#include "Decoder.h"

using namespace mlir::fuse::emu;

ModuleImpl::~ModuleImpl() {
  for (auto &[name, global] : globals)
    if (memory)
      memory->release(reinterpret_cast<void *>(global.address));
}

Module::Module() : impl(std::make_unique<ModuleImpl>()) {}
Module::~Module() = default;

static void splitLines(std::string_view text, std::vector<std::string> &lines) {
  text = text.substr(0, text.find('\0'));
  while (!text.empty()) {
    size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos)
      return;
    text.remove_prefix(end + 1);
  }
}

static void placeVariable(ModuleImpl &module, const RawModule &,
                          const RawVar &var, const std::string &name) {
  if (var.space != Space::Global && var.space != Space::Const)
    return;
  if (var.isExtern && var.size)
    throw PtxError(var.line, "unresolved external variable '" + name + "'");
  // A driver links declarations with definitions; the last one wins here.
  if (module.globals.count(name))
    throw PtxError(var.line, "redefinition of variable '" + name + "'");
  void *memory =
      module.memory->allocate(var.size, name, var.space == Space::Const);
  if (!memory)
    throw PtxError(var.line, "no memory for variable '" + name + "'");
  memset(memory, 0, var.size);
  if (!var.init.empty())
    memcpy(memory, var.init.data(), var.init.size());
  module.globals[name] = {reinterpret_cast<uint64_t>(memory), var.size};
}

static void relocate(ModuleImpl &module, const RawModule &raw,
                     const RawVar &var, const std::string &name) {
  if (var.relocs.empty())
    return;
  auto *memory = reinterpret_cast<uint8_t *>(module.globals[name].address);
  for (const RawVar::Reloc &reloc : var.relocs) {
    auto it = module.globals.find(reloc.name);
    uint64_t address = 0;
    if (it != module.globals.end())
      address = it->second.address + uint64_t(reloc.addend);
    else if (const RawFunction *fn = findFunction(raw, reloc.name))
      address = functionWindow | uint64_t(fn - raw.functions.data());
    else
      throw PtxError(var.line, "unsupported address of '" + reloc.name +
                                   "' in an initialiser");
    if (reloc.byte < 0)
      memcpy(memory + reloc.at, &address, 8);
    else
      memory[reloc.at] = uint8_t(address >> (8 * reloc.byte));
  }
}

static void placeVariables(ModuleImpl &module, const RawModule &raw) {
  auto each = [&](auto visit) {
    for (const RawVar &var : raw.vars)
      if (var.space == Space::Global || var.space == Space::Const)
        visit(module, raw, var, var.name);
    for (const RawFunction &fn : raw.functions)
      for (const RawVar &var : fn.vars)
        if (var.space == Space::Global || var.space == Space::Const)
          visit(module, raw, var, fn.name + "." + var.name);
  };
  each(placeVariable);
  each(relocate);
}

/// "file:line: message", and the line.
static std::string describe(const ModuleImpl &impl, const PtxError &failure) {
  std::string text = impl.fileName + ":" + std::to_string(failure.line) + ": " +
                     failure.what();
  if (!failure.line || failure.line > impl.lines.size())
    return text;
  const std::string &line = impl.lines[failure.line - 1];
  size_t start = line.find_first_not_of(" \t");
  return start == std::string::npos ? text : text + "\n  " + line.substr(start);
}

static void addKernel(ModuleImpl &impl, const RawModule &raw,
                      const RawFunction &fn) {
  KernelInfo info;
  Program program;
  try {
    program = Decoder(raw, impl).decodeEntry(fn, info);
  } catch (const UnsupportedPtx &failure) {
    info.unsupported = describe(impl, failure);
  }
  impl.kernels.push_back(std::move(info));
  impl.programs.push_back(std::move(program));
}

std::unique_ptr<Module> Module::load(std::string_view ptx, DeviceMemory &memory,
                                     std::string &error,
                                     std::string_view fileName) {
  std::unique_ptr<Module> module(new Module());
  ModuleImpl &impl = *module->impl;
  impl.memory = &memory;
  impl.fileName = std::string(fileName);
#if defined(__x86_64__) && defined(__AVX2__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    error = "this build of the emulator needs a CPU with AVX2 and FMA; "
            "FUSE_EMULATOR_ARCH chooses another one";
    return nullptr;
  }
#endif
  try {
    splitLines(ptx, impl.lines);
    RawModule raw = parsePtx(ptx);
    impl.locs = raw.locs;
    impl.files = raw.files;
    placeVariables(impl, raw);
    for (const RawFunction &fn : raw.functions) {
      if (!fn.isEntry || !fn.hasBody)
        continue;
      if (module->lookup(fn.name))
        throw PtxError(fn.line, "redefinition of kernel '" + fn.name + "'");
      addKernel(impl, raw, fn);
    }
    return module;
  } catch (const PtxError &failure) {
    error = describe(impl, failure);
  } catch (const std::exception &failure) {
    error = impl.fileName + ": " + failure.what();
  }
  return nullptr;
}

std::vector<KernelInfo> Module::kernels() const { return impl->kernels; }

const KernelInfo *Module::lookup(std::string_view name) const {
  for (const KernelInfo &info : impl->kernels)
    if (info.name == name)
      return &info;
  return nullptr;
}

uint64_t Module::globalAddress(std::string_view name, uint64_t *size) const {
  auto it = impl->globals.find(name);
  if (it == impl->globals.end())
    return 0;
  if (size)
    *size = it->second.size;
  return it->second.address;
}
