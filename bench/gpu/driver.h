// The CUDA driver, found when the program runs, and NVML where it is there.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <initializer_list>
#include <string>

namespace assay::gpu {

// The names are cuda.h's macros: a call's newest version is meant.
#define ASSAY_GPU_CALLS(X)          \
  X(cuInit)                         \
  X(cuDriverGetVersion)             \
  X(cuGetErrorName)                 \
  X(cuDeviceGet)                    \
  X(cuDeviceGetName)                \
  X(cuDeviceGetAttribute)           \
  X(cuDevicePrimaryCtxRetain)       \
  X(cuDevicePrimaryCtxSetFlags)     \
  X(cuCtxCreate)                    \
  X(cuCtxSetCurrent)                \
  X(cuCtxSynchronize)               \
  X(cuCtxSetLimit)                  \
  X(cuCtxGetLimit)                  \
  X(cuCtxResetPersistingL2Cache)    \
  X(cuCtxGetStreamPriorityRange)    \
  X(cuModuleLoadData)               \
  X(cuModuleGetFunction)            \
  X(cuFuncSetAttribute)             \
  X(cuLaunchKernel)                 \
  X(cuLaunchHostFunc)               \
  X(cuMemAlloc)                     \
  X(cuMemFree)                      \
  X(cuMemGetInfo)                   \
  X(cuMemHostAlloc)                 \
  X(cuMemFreeHost)                  \
  X(cuMemHostRegister)              \
  X(cuMemHostGetDevicePointer)      \
  X(cuMemcpyHtoD)                   \
  X(cuMemcpyDtoH)                   \
  X(cuMemcpyDtoHAsync)              \
  X(cuMemcpyHtoDAsync)              \
  X(cuMemcpy2DAsync)                \
  X(cuMemcpyDtoDAsync)              \
  X(cuMemsetD32)                    \
  X(cuMemsetD32Async)               \
  X(cuMemGetAllocationGranularity)  \
  X(cuMemCreate)                    \
  X(cuMemRelease)                   \
  X(cuMemAddressReserve)            \
  X(cuMemAddressFree)               \
  X(cuMemMap)                       \
  X(cuMemUnmap)                     \
  X(cuMemSetAccess)                 \
  X(cuMemExportToShareableHandle)   \
  X(cuMemImportFromShareableHandle) \
  X(cuStreamCreate)                 \
  X(cuStreamCreateWithPriority)     \
  X(cuStreamSynchronize)            \
  X(cuStreamQuery)                  \
  X(cuStreamSetAttribute)           \
  X(cuStreamWaitValue32)            \
  X(cuStreamWriteValue32)           \
  X(cuStreamBeginCapture)           \
  X(cuStreamEndCapture)             \
  X(cuGraphInstantiateWithFlags)    \
  X(cuGraphUpload)                  \
  X(cuGraphLaunch)                  \
  X(cuEventCreate)                  \
  X(cuEventRecord)                  \
  X(cuEventQuery)                   \
  X(cuEventSynchronize)             \
  X(cuEventElapsedTime)

struct Driver {
#define ASSAY_GPU_MEMBER(name) decltype(&::name) name = nullptr;
  ASSAY_GPU_CALLS(ASSAY_GPU_MEMBER)
#undef ASSAY_GPU_MEMBER
};

// Opens the library and does not call it. Ends the program where there is none.
const Driver& driver();

// "CUDA_ERROR_OUT_OF_MEMORY"; "ok" of none.
std::string name_of(CUresult result);
// Ends the program where that failed: an experiment that can't go on says so.
void check(CUresult result, const char* what);

// One module of kernels.cubin in the current context. All its functions are loaded at once.
class Kernels {
 public:
  void load(const std::string& cubin);
  CUfunction operator[](const char* name) const;

 private:
  CUmodule module_ = nullptr;
};

// A grid of this many blocks of 256 threads, unless it says otherwise.
struct Shape {
  unsigned blocks = 1;
  unsigned threads = 256;
  unsigned shared_bytes = 0;
};

template <class... Arguments>
CUresult launch(CUfunction function, Shape shape, CUstream stream, Arguments... arguments) {
  void* addresses[] = {static_cast<void*>(&arguments)..., nullptr};
  return driver().cuLaunchKernel(function, shape.blocks, 1, 1, shape.threads, 1, 1,
                                 shape.shared_bytes, stream, addresses, nullptr);
}

// The card's own figures; -1 where NVML does not say.
struct CardReading {
  int64_t sm_mhz = -1;
  int64_t memory_mhz = -1;
  int64_t throttle_reasons = -1;
  int64_t temperature_c = -1;
  int64_t power_mw = -1;
};
CardReading read_card();

// The first card, in a context of this process whose waits spin.
CUdevice open_card();

}  // namespace assay::gpu
