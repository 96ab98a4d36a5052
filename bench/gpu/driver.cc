#include "driver.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "report.h"

namespace assay::gpu {
namespace {

Driver load_driver() {
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) die("no CUDA driver here: %s", ::dlerror());
  Driver loaded;
#define ASSAY_GPU_TEXT_(name) #name
#define ASSAY_GPU_TEXT(name) ASSAY_GPU_TEXT_(name)
#define ASSAY_GPU_LOAD(name)                                                                     \
  loaded.name = reinterpret_cast<decltype(loaded.name)>(::dlsym(library, ASSAY_GPU_TEXT(name))); \
  if (!loaded.name) die("the driver has no " ASSAY_GPU_TEXT(name));
  ASSAY_GPU_CALLS(ASSAY_GPU_LOAD)
#undef ASSAY_GPU_LOAD
  return loaded;
}

// Of NVML's interface, what is used here.
struct Nvml {
  using Device = void*;
  int (*init)() = nullptr;
  int (*device)(unsigned, Device*) = nullptr;
  int (*clock)(Device, int, unsigned*) = nullptr;
  int (*reasons)(Device, unsigned long long*) = nullptr;
  int (*temperature)(Device, int, unsigned*) = nullptr;
  int (*power)(Device, unsigned*) = nullptr;
  Device first = nullptr;
  bool works = false;
};

Nvml load_nvml() {
  Nvml nvml;
  void* library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return nvml;
  auto load = [&](auto& member, const char* name) {
    member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(::dlsym(library, name));
    return member != nullptr;
  };
  nvml.works = load(nvml.init, "nvmlInit_v2") &&
               load(nvml.device, "nvmlDeviceGetHandleByIndex_v2") &&
               load(nvml.clock, "nvmlDeviceGetClockInfo") &&
               load(nvml.reasons, "nvmlDeviceGetCurrentClocksThrottleReasons") &&
               load(nvml.temperature, "nvmlDeviceGetTemperature") &&
               load(nvml.power, "nvmlDeviceGetPowerUsage") && nvml.init() == 0 &&
               nvml.device(0, &nvml.first) == 0;
  return nvml;
}

}  // namespace

const Driver& driver() {
  static const Driver loaded = load_driver();
  return loaded;
}

std::string name_of(CUresult result) {
  if (result == CUDA_SUCCESS) return "ok";
  const char* name = nullptr;
  if (driver().cuGetErrorName(result, &name) != CUDA_SUCCESS || !name)
    return "error " + std::to_string(static_cast<int>(result));
  return name;
}

void check(CUresult result, const char* what) {
  if (result != CUDA_SUCCESS) die("%s: %s", what, name_of(result).c_str());
}

void Kernels::load(const std::string& cubin) {
  std::FILE* file = std::fopen(cubin.c_str(), "rb");
  if (!file) die("cannot open %s", cubin.c_str());
  std::string image;
  char block[65536];
  while (size_t got = std::fread(block, 1, sizeof block, file)) image.append(block, got);
  std::fclose(file);
  check(driver().cuModuleLoadData(&module_, image.data()), "load the kernels");
}

CUfunction Kernels::operator[](const char* name) const {
  CUfunction function = nullptr;
  if (CUresult result = driver().cuModuleGetFunction(&function, module_, name);
      result != CUDA_SUCCESS)
    die("no kernel %s: %s", name, name_of(result).c_str());
  return function;
}

CardReading read_card() {
  static const Nvml nvml = load_nvml();
  CardReading reading;
  if (!nvml.works) return reading;
  constexpr int kSm = 1, kMemory = 2, kGpuSensor = 0;
  unsigned value = 0;
  unsigned long long reasons = 0;
  if (nvml.clock(nvml.first, kSm, &value) == 0) reading.sm_mhz = value;
  if (nvml.clock(nvml.first, kMemory, &value) == 0) reading.memory_mhz = value;
  if (nvml.reasons(nvml.first, &reasons) == 0)
    reading.throttle_reasons = static_cast<int64_t>(reasons);
  if (nvml.temperature(nvml.first, kGpuSensor, &value) == 0) reading.temperature_c = value;
  if (nvml.power(nvml.first, &value) == 0) reading.power_mw = value;
  return reading;
}

CUdevice open_card() {
  CUdevice device = 0;
  CUcontext context = nullptr;
  check(driver().cuInit(0), "cuInit");
  check(driver().cuDeviceGet(&device, 0), "find a card");
  check(driver().cuDevicePrimaryCtxSetFlags(device, CU_CTX_SCHED_SPIN), "set context flags");
  check(driver().cuDevicePrimaryCtxRetain(&context, device), "make a context");
  check(driver().cuCtxSetCurrent(context), "enter a context");
  return device;
}

}  // namespace assay::gpu
