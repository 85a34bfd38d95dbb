/*===- Runtime.h - What the runtime library knows ------------------*- C
-*-===*\
|*                                                                            *|
|* C interface of libfuse_runtime beside the mgpu* entry points: what was     *|
|* launched, what it cost, what memory is alive. For tools that link or load  *|
|* the library in their own process. All functions are thread-safe.           *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#ifndef FUSE_MLIR_RUNTIME_RUNTIME_H
#define FUSE_MLIR_RUNTIME_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Global-memory traffic. Sectors are 32 bytes; `requestedSectors` sums over
 *  warp instructions, `uniqueSectors` counts each sector of a launch once. */
typedef struct FuseRuntimeTraffic {
  uint64_t requests;
  uint64_t requestedSectors;
  uint64_t uniqueSectors;
  uint64_t bytes;
} FuseRuntimeTraffic;

/** Traffic of one launch to one allocation. */
typedef struct FuseRuntimeAllocationTraffic {
  uint64_t address, sizeBytes;
  uint64_t serial; /**< 1-based number of the allocation in this process. */
  FuseRuntimeTraffic load, store, atomic;
} FuseRuntimeAllocationTraffic;

/** Number of instruction classes; fuseRuntimeClassName names them. */
#define FUSE_RUNTIME_NUM_CLASSES 26

/** Counters of a launch; all zero where `hasCounters` is 0 (CUDA, memset). */
typedef struct FuseRuntimeCounters {
  uint64_t warpInstructions, threadInstructions;
  FuseRuntimeTraffic load, store, atomic;
  uint64_t localLoadSectors, localStoreSectors;
  uint64_t sharedLoadWavefronts, sharedStoreWavefronts, sharedBankConflicts;
  uint64_t branches, divergentBranches, barriers;
  uint64_t flopsFp16, flopsFp32, flopsFp64, flopsSfu, flopsTensor;
  uint64_t warps, sharedAtomicWavefronts;
  uint64_t atomicPasses; /**< Most lanes at one address, by request. */
  uint64_t warpByClass[FUSE_RUNTIME_NUM_CLASSES];
  uint64_t threadByClass[FUSE_RUNTIME_NUM_CLASSES];
  uint64_t sampledBlocks;  /**< Blocks that ran, if not all did, else 0. */
  uint32_t residentBlocks; /**< On one SM; 0 without caches and sampling. */
  int hasCaches;           /**< The rest is zero without. */
  uint64_t l1LoadHits, l2Reads, l2Writes, l2Atomics, l2Hits;
  uint64_t dramReads, dramWrites, l2Dirty;
} FuseRuntimeCounters;

/** What counts as a kernel: launches of code, memsets, and copies from device
 *  to device. */
typedef enum FuseRuntimeLaunchKind {
  FUSE_RUNTIME_KERNEL = 0,
  FUSE_RUNTIME_MEMSET = 1,
  FUSE_RUNTIME_COPY = 2
} FuseRuntimeLaunchKind;

typedef struct FuseRuntimeLaunch {
  FuseRuntimeLaunchKind kind;
  const char *name; /**< Valid until the next reset. */
  uint32_t grid[3], block[3];
  uint32_t staticSharedBytes, dynamicSharedBytes;
  uint64_t bytes;      /**< Of a memset or copy. */
  double milliseconds; /**< Host time on the emulator, events on CUDA. */
  int hasCounters;
  FuseRuntimeCounters counters;
  const FuseRuntimeAllocationTraffic *allocations; /**< Until reset. */
  size_t numAllocations;
} FuseRuntimeLaunch;

typedef struct FuseRuntimeMemory {
  uint64_t liveBytes, peakBytes; /**< Device memory asked for. */
  uint64_t liveAllocations, totalAllocations;
  uint64_t hostToDeviceBytes, deviceToHostBytes;
  uint64_t hostToDeviceCopies, deviceToHostCopies;
} FuseRuntimeMemory;

/** "emulator" or "cuda"; chooses the backend if none has been used yet. */
const char *fuseRuntimeBackend(void);

/** Forgets all launches and copies; the peak starts again at what is live. */
void fuseRuntimeReset(void);

/** Called instead of printing and ending the process. The failed call then
 *  returns null or nothing. A null handler restores the default. */
typedef void (*FuseRuntimeErrorHandler)(const char *message, void *user);
void fuseRuntimeSetErrorHandler(FuseRuntimeErrorHandler handler, void *user);

/** Called when a kernel starts (`finished` 0) and ends (1); of `launch` only
 *  name and sizes are set at the start. */
typedef void (*FuseRuntimeLaunchCallback)(const FuseRuntimeLaunch *launch,
                                          int finished, void *user);
void fuseRuntimeSetLaunchCallback(FuseRuntimeLaunchCallback callback,
                                  void *user);

/** Launches in order since the start or the last reset, of all kinds. */
size_t fuseRuntimeNumLaunches(void);
/** 0 on success, 1 if there is no such launch. */
int fuseRuntimeGetLaunch(size_t index, FuseRuntimeLaunch *launch);

void fuseRuntimeGetMemory(FuseRuntimeMemory *memory);

/** Host threads of the emulator; 0 is one per core. */
void fuseRuntimeSetHostThreads(unsigned threads);

/** The part of a GPU that decides what is resident and what is cached. */
typedef struct FuseRuntimeDevice {
  uint32_t smCount;
  uint64_t l2Bytes, sharedBytesPerSM;
  uint32_t registersPerSM, maxThreadsPerSM, maxBlocksPerSM;
} FuseRuntimeDevice;

/** From now on launches of the emulator pass through the caches of `device`,
 *  which are empty; null turns that off again. No effect on CUDA.
 *  FUSE_RUNTIME_CACHES=1 (an H200) or =sms=108,l2=... does so at the start. */
void fuseRuntimeSetCaches(const FuseRuntimeDevice *device);
/** Registers of a thread of kernel `name`, for occupancy; 0 is unknown. */
void fuseRuntimeSetRegisters(const char *name, uint32_t registers);
/** Launches of the emulator run about `blocks` blocks and scale the counters;
 *  results are then incomplete. 0 runs all. FUSE_RUNTIME_SAMPLE_BLOCKS=N or
 *  =N:SEED does so at the start. */
void fuseRuntimeSetSampleBlocks(uint64_t blocks, uint64_t seed);
/** Stable name of an instruction class; null if there is none. */
const char *fuseRuntimeClassName(unsigned index);

/** Writes the JSON report; 0 on success. FUSE_RUNTIME_REPORT=FILE does so at
 *  exit. */
int fuseRuntimeWriteReport(const char *path);
/** The JSON report, to be released with free(). */
char *fuseRuntimeReportJson(void);

#ifdef __cplusplus
}
#endif

#endif /* FUSE_MLIR_RUNTIME_RUNTIME_H */
