//===- OpsDriver.cpp - Functions the driver provides --------------------===//
//
// printf, failing assertions, malloc and free of the device.
//
//===----------------------------------------------------------------------===//
#include "Call.h"
#include "Findings.h"

using namespace mlir::fuse::emu;

namespace {
template <typename T>
T frameValue(Warp &w, unsigned lane, FramePlace place) {
  T value;
  memcpy(&value, frameMemory(w, lane, place), sizeof value);
  return value;
}

std::string deviceString(Warp &w, const Inst &i, unsigned lane,
                         uint64_t address) {
  std::string text;
  for (; text.size() < 4096; ++address) {
    char c = char(*resolveLane(w, i, lane, address, Space::None, 1, false));
    if (!c)
      break;
    text += c;
  }
  return text;
}

/// One conversion of a format string; `buffer` advances over its value.
std::string formatOne(Warp &w, const Inst &i, unsigned lane, std::string spec,
                      uint64_t &buffer) {
  char kind = spec.back();
  bool isString = kind == 's', isFloat = strchr("fFeEgGaA", kind);
  bool isLong = isString || isFloat || kind == 'p' ||
                spec.find('l') != std::string::npos ||
                spec.find('z') != std::string::npos ||
                spec.find('j') != std::string::npos;
  uint64_t size = isLong ? 8 : 4;
  buffer = (buffer + size - 1) & ~(size - 1);
  uint64_t bits = 0;
  memcpy(&bits, resolveLane(w, i, lane, buffer, Space::None, size, false),
         size);
  buffer += size;
  char text[512];
  if (isString) {
    std::string value = deviceString(w, i, lane, bits);
    snprintf(text, sizeof text, spec.c_str(), value.c_str());
  } else if (isFloat) {
    double value;
    memcpy(&value, &bits, 8);
    snprintf(text, sizeof text, spec.c_str(), value);
  } else if (isLong) {
    snprintf(text, sizeof text, spec.c_str(), (unsigned long long)bits);
  } else {
    snprintf(text, sizeof text, spec.c_str(), unsigned(bits));
  }
  return text;
}

std::string formatAll(Warp &w, const Inst &i, unsigned lane,
                      const std::string &format, uint64_t buffer) {
  std::string out;
  for (size_t p = 0; p < format.size(); ++p) {
    if (format[p] != '%') {
      out += format[p];
      continue;
    }
    size_t end = p + 1;
    while (end < format.size() && strchr("-+ #0123456789.hlzjt", format[end]))
      ++end;
    if (end >= format.size())
      break;
    std::string spec = format.substr(p, end - p + 1);
    if (format[end] == '%')
      out += '%';
    else if (strchr("diouxXcsfFeEgGaAp", format[end]) && spec.size() < 32)
      out += formatOne(w, i, lane, spec, buffer);
    else
      out += spec;
    p = end;
  }
  return out;
}

// operands x..: places of the format pointer, of the argument pointer and, if
// flags, of the result.
void vprintf(Warp &w, const Inst &i, uint32_t mask) {
  auto &printed = w.worker->printed;
  uint64_t block = w.block->linear;
  if (printed.empty() || printed.back().first != block)
    printed.push_back({block, ""});
  forLanes(mask, [&](unsigned l) {
    uint64_t format = frameValue<uint64_t>(w, l, placeAt(w, i, 0));
    uint64_t args = frameValue<uint64_t>(w, l, placeAt(w, i, 1));
    printed.back().second +=
        formatAll(w, i, l, deviceString(w, i, l, format), args);
    uint32_t result = 0;
    if (i.flags)
      writeFrame(w, l, frameMemory(w, l, placeAt(w, i, 2)), &result, 4);
  });
}

// operands x..: places of message, file, line, function.
void assertFail(Warp &w, const Inst &i, uint32_t mask) {
  unsigned lane = __builtin_ctz(mask);
  auto string = [&](unsigned index) {
    return deviceString(w, i, lane,
                        frameValue<uint64_t>(w, lane, placeAt(w, i, index)));
  };
  std::string message = string(0), file = string(1);
  uint32_t line = frameValue<uint32_t>(w, lane, placeAt(w, i, 2));
  trap(w, i, lane,
       "assertion failed: " + message + " (" + file + ":" +
           std::to_string(line) + ", in " + string(3) + ")");
}

// operands x..: places of the size and of the result.
void deviceMalloc(Warp &w, const Inst &i, uint32_t mask) {
  DeviceHeap &heap = *w.block->launch->module->heap;
  forLanes(mask, [&](unsigned l) {
    uint64_t size = frameValue<uint64_t>(w, l, placeAt(w, i, 0));
    uint64_t address = heap.allocate(size);
    writeFrame(w, l, frameMemory(w, l, placeAt(w, i, 1)), &address, 8);
  });
}

// operands x..: place of the address, which may be null.
void deviceFree(Warp &w, const Inst &i, uint32_t mask) {
  DeviceHeap &heap = *w.block->launch->module->heap;
  forLanes(mask, [&](unsigned l) {
    uint64_t address = frameValue<uint64_t>(w, l, placeAt(w, i, 0));
    if (address && !heap.release(address, w.block->launch->findings))
      report(w, i, l, FindingKind::UseAfterFree,
             "free of what malloc did not return or was freed before: " +
                 w.block->launch->module->memory->describe(address));
  });
}
} // namespace

void mlir::fuse::emu::decodeDriverCall(Decoder &d, const std::string &name,
                                       const std::vector<RawOperand> &results,
                                       const std::vector<RawOperand> &args) {
  uint32_t list = d.listStart();
  for (const RawOperand &arg : args)
    addPlace(d, framePlace(d, arg));
  if (name == "vprintf" && args.size() == 2) {
    if (!results.empty())
      addPlace(d, framePlace(d, results[0]));
    Inst &inst = d.emit(vprintf, InstClass::Special);
    inst.x = list;
    inst.flags = !results.empty();
    return;
  }
  if (name == "__assertfail" && args.size() >= 4) {
    d.emit(assertFail, InstClass::Special).x = list;
    return;
  }
  bool isMalloc = name == "malloc" && results.size() == 1;
  if (args.size() == 1 && (isMalloc || name == "free")) {
    if (isMalloc)
      addPlace(d, framePlace(d, results[0]));
    if (!d.module.heap)
      d.module.heap = std::make_unique<DeviceHeap>(*d.module.memory);
    d.emit(isMalloc ? deviceMalloc : deviceFree, InstClass::Special).x = list;
    return;
  }
  d.failUnsupported("call of '" + name + "', which has no body");
}
