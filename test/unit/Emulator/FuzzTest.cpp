//===- FuzzTest.cpp - A short run of the fuzzer ---------------------------===//
//
// The libFuzzer target of test/Emulator/fuzz with its seeds, driven by a fixed
// sequence of mutations, so that every check has some; long runs are on demand
// with sanitizers.
//
//===----------------------------------------------------------------------===//
#include "EmulatorTest.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

using namespace fuse_test;

namespace {
std::vector<std::string> seeds() {
  std::vector<std::filesystem::path> paths;
  for (const char *folder : {"fuzz/seeds", "Inputs"})
    for (const auto &entry : std::filesystem::directory_iterator(
             FUSE_TEST_SOURCE_DIR "/../../Emulator/" + std::string(folder)))
      if (entry.path().extension() == ".ptx")
        paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const auto &path : paths) {
    std::ifstream in(path);
    texts.emplace_back(std::istreambuf_iterator<char>(in),
                       std::istreambuf_iterator<char>());
  }
  return texts;
}

void run(const std::string &text) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(text.data()),
                         text.size());
}

/// The start and length of a line, or of a word within one.
std::pair<size_t, size_t> piece(const std::string &text, Random &random) {
  size_t at = random.next() % text.size();
  bool line = random.next() % 2;
  const char *ends = line ? "\n" : " ,.;{}[]\n";
  size_t start = text.find_last_of(ends, at),
         end = text.find_first_of(ends, at);
  start = start == std::string::npos ? 0 : start + 1;
  end = std::min(end, text.size());
  return {start, end > start ? end - start : 0};
}

/// One change: bytes flipped, or a line or word removed, repeated, or taken
/// from another seed.
void mutate(std::string &text, const std::vector<std::string> &all,
            Random &random) {
  if (text.empty())
    return;
  auto [start, length] = piece(text, random);
  switch (random.next() % 5) {
  case 0:
    text[random.next() % text.size()] = char(random.next());
    return;
  case 1:
    text.erase(start, length);
    return;
  case 2:
    text.insert(start, text.substr(start, length));
    return;
  case 3: {
    const std::string &other = all[random.next() % all.size()];
    auto [from, count] = piece(other, random);
    text.replace(start, length, other.substr(from, count));
    return;
  }
  default:
    static const char *const numbers[] = {"0",  "-1",         "4294967295",
                                          "65", "0x80000000", "1e300"};
    text.replace(start, length, numbers[random.next() % 6]);
  }
}

TEST(Fuzz, SeedsRun) {
  std::vector<std::string> all = seeds();
  EXPECT_GT(all.size(), 20u);
  for (const std::string &text : all) {
    EXPECT_EQ(loadError(text), "");
    run(text);
  }
}

TEST(Fuzz, MutationsEndWithAResultOrAnError) {
  std::vector<std::string> all = seeds();
  Random random(2024);
  for (unsigned k = 0; k < 10000; ++k) {
    std::string text = all[k % all.size()];
    for (uint64_t changes = 1 + random.next() % 4; changes; --changes)
      mutate(text, all, random);
    run(text);
  }
}
} // namespace
