//===- CudaTest.h - Kernels compiled by nvcc ----------------------*- C++ -*-=//
//
// The fixture of the tests that compile a .cu file to PTX when they run and
// compare its kernels with the host. Skipped where there is no nvcc.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_TEST_UNIT_EMULATOR_CUDATEST_H
#define FUSE_TEST_UNIT_EMULATOR_CUDATEST_H

#include "EmulatorTest.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <unistd.h>

namespace fuse_test {

struct CudaText {
  std::string ptx;
  std::string messages; ///< Of nvcc, when there is no PTX.
};

inline std::string readAndRemove(const std::string &path) {
  std::ifstream in(path);
  std::string text(std::istreambuf_iterator<char>(in), {});
  std::remove(path.c_str());
  return text;
}

/// PTX of a file beside the tests. `flags` are separated by spaces.
inline const CudaText &compileCuda(const std::string &file,
                                   const std::string &arch,
                                   const std::string &flags) {
  static std::map<std::string, CudaText> cache;
  auto [it, isNew] = cache.try_emplace(file + "|" + arch + "|" + flags);
  if (!isNew)
    return it->second;
  const char *nvcc = getenv("NVCC");
  std::string out =
      testing::TempDir() + "fuse-kernels-" + std::to_string(getpid());
  std::string command = std::string(nvcc ? nvcc : "nvcc") +
                        " -ptx -std=c++17 " + flags + " -arch=" + arch +
                        " -o " + out + ".ptx " FUSE_TEST_SOURCE_DIR "/" + file +
                        " > " + out + ".log 2>&1";
  bool ok = std::system(command.c_str()) == 0;
  it->second = {readAndRemove(out + ".ptx"), readAndRemove(out + ".log")};
  if (!ok)
    it->second.ptx.clear();
  return it->second;
}

/// Not there, or too old for the target; anything else is a failure.
inline bool isWithoutNvcc(const CudaText &text) {
  for (const char *reason : {"not found", "No such file", "Permission denied",
                             "gpu-architecture", "Unsupported gpu"})
    if (text.messages.find(reason) != std::string::npos)
      return true;
  return false;
}

/// The parameter is the target: "sm_80", or "sm_80 -O0".
class CudaTest : public testing::TestWithParam<std::string> {
protected:
  /// Products and sums are never contracted, as on the host.
  void setUp(const std::string &file, const std::string &target, bool check) {
    size_t space = target.find(' ');
    std::string arch = target.substr(0, space), flags = "-fmad=false";
    if (space != std::string::npos)
      flags += target.substr(space);
    if (check) {
      checks = CheckAll;
      memory.trackWrites(true);
    }
    const CudaText &text = compileCuda(file, arch, flags);
    if (text.ptx.empty() && isWithoutNvcc(text))
      GTEST_SKIP() << "no nvcc for " << target;
    ASSERT_FALSE(text.ptx.empty()) << text.messages;
    std::string error;
    module = Module::load(text.ptx, memory, error, file);
    ASSERT_TRUE(module) << error;
  }

  template <typename T>
  T *upload(const std::vector<T> &data) {
    void *pointer = memory.allocate(data.size() * sizeof(T));
    memcpy(pointer, data.data(), data.size() * sizeof(T));
    memory.markWritten(pointer, data.size() * sizeof(T));
    return static_cast<T *>(pointer);
  }
  template <typename T>
  T *zeros(size_t count) {
    return upload(std::vector<T>(count, T(0)));
  }

  /// Launches with the arguments laid out as the kernel wants them; the error
  /// text is empty when all went well.
  template <typename... Args>
  std::string tryRun(LaunchStats &stats, const char *kernel, Dim3 grid,
                     Dim3 block, uint32_t shared, Args... args) {
    const KernelInfo *info = module->lookup(kernel);
    if (!info)
      return "no such kernel";
    EXPECT_EQ(info->params.size(), sizeof...(args));
    std::vector<uint8_t> params(info->paramBytes + 8);
    size_t index = 0;
    auto put = [&](const auto &value) {
      const ParamInfo &param = info->params[index++];
      EXPECT_EQ(param.size, sizeof value);
      memcpy(&params[param.offset], &value, sizeof value);
    };
    (put(args), ...);
    std::string error;
    LaunchOptions options;
    options.checks = checks;
    options.cluster = cluster;
    bool ok = launch(*module, kernel, grid, block, shared, params.data(),
                     options, stats, error);
    EXPECT_EQ(ok, error.empty());
    return error;
  }
  template <typename... Args>
  LaunchStats run(const char *kernel, Dim3 grid, Dim3 block, uint32_t shared,
                  Args... args) {
    LaunchStats stats;
    EXPECT_EQ(tryRun(stats, kernel, grid, block, shared, args...), "")
        << kernel;
    return stats;
  }

  std::vector<int> ints(size_t count, uint64_t seed = 1) {
    Random random(seed);
    std::vector<int> data(count);
    for (int &value : data)
      value = int(random.next() >> (32 + random.next() % 20));
    return data;
  }
  template <typename T>
  std::vector<T> reals(size_t count, uint64_t seed = 1, double scale = 4) {
    Random random(seed);
    std::vector<T> data(count);
    for (T &value : data)
      value = T((double(random.next() >> 11) * 0x1p-53 - 0.5) * scale);
    return data;
  }

  DeviceMemory memory;
  std::unique_ptr<Module> module;
  unsigned checks = CheckNone;
  Dim3 cluster{0, 0, 0};
};

} // namespace fuse_test

#endif // FUSE_TEST_UNIT_EMULATOR_CUDATEST_H
