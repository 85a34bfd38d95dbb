//===- RepeatedLaunches.cpp - Launches that need not run again ------------===//
//
// See RepeatedLaunches.h.
//
//===----------------------------------------------------------------------===//
#include "RepeatedLaunches.h"

#include <cstring>

using namespace fuse::runtime;
using namespace mlir::fuse::emu;

/// `text` with `by` in place of all `word`s.
static std::string replaceAll(std::string text, std::string_view word,
                              std::string_view by) {
  for (size_t at = text.find(word); at != text.npos;
       at = text.find(word, at + by.size()))
    text.replace(at, word.size(), by);
  return text;
}

/// Labels count from the start of the module: `$L__BB7_2` is `$L_2` here.
static std::string shortenLabels(const std::string &text) {
  constexpr std::string_view label = "$L__BB";
  std::string result;
  size_t done = 0;
  for (size_t at = text.find(label); at != text.npos;
       at = text.find(label, done)) {
    result.append(text, done, at - done) += "$L";
    done = text.find_first_not_of("0123456789", at + label.size());
    done = std::min(done, text.size());
  }
  return result.append(text, done, text.npos);
}

std::string RepeatedLaunches::findCode(std::string_view module,
                                       const std::string &kernel) {
  size_t begin = module.find(".entry " + kernel + "(");
  size_t end = begin == module.npos ? begin : module.find("\n}", begin);
  if (end == module.npos)
    return "";
  std::string code(module.substr(begin, end - begin));
  return shortenLabels(replaceAll(std::move(code), kernel, "k"));
}

std::string RepeatedLaunches::describe(const std::string &code,
                                       const KernelInfo &info,
                                       const LaunchRequest &request,
                                       const std::string &params,
                                       const DeviceMemory &memory) {
  if (code.empty())
    return "";
  std::string text = code;
  auto add = [&](uint64_t number) { text += ' ' + std::to_string(number); };
  for (unsigned dim = 0; dim < 3; ++dim) {
    add(request.grid[dim]);
    add(request.block[dim]);
    add(request.cluster[dim]);
  }
  add(request.dynamicSharedBytes);
  add(info.staticSharedBytes);
  const std::vector<Allocation> allocations = memory.snapshot();
  std::map<uint64_t, size_t> order; // Which parameters share an allocation.
  for (const auto &param : info.params) {
    uint64_t value = 0;
    if (param.size == sizeof value)
      memcpy(&value, &params[param.offset], sizeof value);
    const Allocation *target = nullptr;
    for (const Allocation &allocation : allocations)
      if (value >= allocation.base && value < allocation.end())
        target = &allocation;
    text += target ? " *" : " =";
    if (!target) {
      text.append(params, param.offset, param.size);
      continue;
    }
    add(order.try_emplace(target->base, order.size()).first->second);
    add(target->size);
    add(value - target->base);
  }
  return text;
}

const LaunchStats *RepeatedLaunches::find(const std::string &launch) const {
  auto it = known.find(launch);
  return it == known.end() || it->second.count < 2 ? nullptr : &it->second.last;
}

void RepeatedLaunches::add(const std::string &launch,
                           const LaunchStats &stats) {
  Known &entry = known[launch];
  ++entry.count;
  entry.last = stats;
}
