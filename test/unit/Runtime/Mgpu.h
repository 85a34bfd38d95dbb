//===- Mgpu.h - The runtime's entry points as code calls them -----*- C++ -*-=//
//
// Declarations as MLIR 22's gpu-to-llvm emits them, independent of ours.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_TEST_UNIT_RUNTIME_MGPU_H
#define FUSE_TEST_UNIT_RUNTIME_MGPU_H

#include "fuse-mlir/Runtime/Runtime.h"

#include <string>

extern "C" {
void *mgpuModuleLoad(void *, size_t);
void *mgpuModuleLoadJIT(void *, int);
void mgpuModuleUnload(void *);
void *mgpuModuleGetFunction(void *, const char *);
void mgpuLaunchKernel(void *, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t,
                      intptr_t, int32_t, void *, void **, void **, size_t);
void mgpuLaunchClusterKernel(void *, intptr_t, intptr_t, intptr_t, intptr_t,
                             intptr_t, intptr_t, intptr_t, intptr_t, intptr_t,
                             int32_t, void *, void **, void **);
void *mgpuStreamCreate();
void mgpuStreamDestroy(void *);
void mgpuStreamSynchronize(void *);
void mgpuStreamWaitEvent(void *, void *);
void *mgpuEventCreate();
void mgpuEventDestroy(void *);
void mgpuEventSynchronize(void *);
void mgpuEventRecord(void *, void *);
void *mgpuMemAlloc(uint64_t, void *, bool);
void mgpuMemFree(void *, void *);
void mgpuMemcpy(void *, void *, size_t, void *);
void mgpuMemset32(void *, unsigned, size_t, void *);
void mgpuMemset16(void *, unsigned short, size_t, void *);
void mgpuMemHostRegister(void *, uint64_t);
void mgpuMemHostUnregister(void *);
void mgpuMemHostRegisterMemRef(int64_t, void *, int64_t);
void mgpuMemHostUnregisterMemRef(int64_t, void *, int64_t);
void mgpuTensorMapEncodeTiled(void *, uint32_t, uint32_t, void *,
                              const uint64_t *, const uint64_t *,
                              const uint32_t *, const uint32_t *, uint32_t,
                              uint32_t, uint32_t, uint32_t);
void *mgpuTensorMapEncodeTiledMemref(int64_t, void *, uint32_t, uint32_t,
                                     uint32_t, uint32_t, uint32_t,
                                     const int64_t *);
void mgpuSetDefaultDevice(int32_t);
}

/// out[i] = in[i] + add, one thread an element, no check of the range.
inline const char *addKernel() {
  return R"(.version 8.3
.target sm_80
.address_size 64
.visible .entry addTo(.param .u64 out, .param .u64 in, .param .u32 add)
{
  .reg .b32 %r<6>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [in];
  ld.param.u32 %r1, [add];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.u32 %r2, %r2, %r3, %r4;
  mul.wide.u32 %rd3, %r2, 4;
  add.s64 %rd4, %rd2, %rd3;
  ld.global.u32 %r5, [%rd4];
  add.s32 %r5, %r5, %r1;
  add.s64 %rd5, %rd1, %rd3;
  st.global.u32 [%rd5], %r5;
  ret;
}
)";
}

/// The errors reported since the last call of `take`.
class Errors {
public:
  Errors() {
    fuseRuntimeSetErrorHandler(
        [](const char *message, void *self) {
          static_cast<Errors *>(self)->text += message;
        },
        this);
  }
  ~Errors() { fuseRuntimeSetErrorHandler(nullptr, nullptr); }
  std::string take() {
    std::string result = text;
    text.clear();
    return result;
  }

private:
  std::string text;
};

#endif // FUSE_TEST_UNIT_RUNTIME_MGPU_H
