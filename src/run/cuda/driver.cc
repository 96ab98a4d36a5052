#include "run/cuda/driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "run/cuda/opened_once.h"

namespace assay::cuda {
namespace {

struct Opened {
  Driver driver;
  std::string folder;
  std::string why;  // it cannot be used; "": it can
};

// Each with its newest version's name, which the interface keeps for good.
Opened open_driver(const std::string& name) {
  Opened opened;
  void* library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    opened.why = fmt::format("no CUDA driver: {}", ::dlerror());
    return opened;
  }
  auto load = [&](auto& entry, const char* symbol) {
    entry = reinterpret_cast<std::remove_reference_t<decltype(entry)>>(::dlsym(library, symbol));
    if (entry == nullptr && opened.why.empty())
      opened.why = fmt::format("{} has no {}: assay needs driver 525 or newer", name, symbol);
  };
  Driver& driver = opened.driver;
  load(driver.init, "cuInit");
  load(driver.driver_version, "cuDriverGetVersion");
  load(driver.error_name, "cuGetErrorName");
  load(driver.device_count, "cuDeviceGetCount");
  load(driver.device_get, "cuDeviceGet");
  load(driver.device_name, "cuDeviceGetName");
  load(driver.device_bus, "cuDeviceGetPCIBusId");
  load(driver.device_attribute, "cuDeviceGetAttribute");
  load(driver.device_memory, "cuDeviceTotalMem_v2");
  load(driver.retain_context, "cuDevicePrimaryCtxRetain");
  load(driver.set_context, "cuCtxSetCurrent");
  load(driver.memory_info, "cuMemGetInfo_v2");
  load(driver.allocate, "cuMemAlloc_v2");
  load(driver.free, "cuMemFree_v2");
  load(driver.allocate_host, "cuMemHostAlloc");
  load(driver.free_host, "cuMemFreeHost");
  load(driver.granularity, "cuMemGetAllocationGranularity");
  load(driver.create, "cuMemCreate");
  load(driver.release, "cuMemRelease");
  load(driver.reserve, "cuMemAddressReserve");
  load(driver.unreserve, "cuMemAddressFree");
  load(driver.map, "cuMemMap");
  load(driver.unmap, "cuMemUnmap");
  load(driver.set_access, "cuMemSetAccess");
  load(driver.export_handle, "cuMemExportToShareableHandle");
  load(driver.import_handle, "cuMemImportFromShareableHandle");
  load(driver.copy_to_device, "cuMemcpyHtoDAsync_v2");
  load(driver.copy_to_host, "cuMemcpyDtoHAsync_v2");
  load(driver.copy_on_device, "cuMemcpyDtoDAsync_v2");
  load(driver.copy_2d, "cuMemcpy2DAsync_v2");
  load(driver.fill, "cuMemsetD32Async");
  load(driver.stream_create, "cuStreamCreate");
  load(driver.stream_destroy, "cuStreamDestroy_v2");
  load(driver.stream_synchronize, "cuStreamSynchronize");
  load(driver.stream_wait_value, "cuStreamWaitValue32_v2");
  load(driver.stream_write_value, "cuStreamWriteValue32_v2");
  load(driver.event_create, "cuEventCreate");
  load(driver.event_destroy, "cuEventDestroy_v2");
  load(driver.event_record, "cuEventRecord");
  load(driver.event_query, "cuEventQuery");
  load(driver.event_elapsed, "cuEventElapsedTime");
  load(driver.profiler_start, "cuProfilerStart");
  load(driver.profiler_stop, "cuProfilerStop");
  if (!opened.why.empty()) return opened;
  Dl_info info{};
  std::error_code failed;  // no folder then
  if (::dladdr(reinterpret_cast<void*>(driver.init), &info) != 0)
    opened.folder = std::filesystem::canonical(info.dli_fname, failed).parent_path().string();
  if (const Answer code = driver.init(0); code != 0)
    opened.why = fmt::format("the CUDA driver does not start: {}", name_of(driver, code));
  return opened;
}

const Opened& opened() {
  return opened_once(named_library().value_or("libcuda.so.1"), open_driver);
}

}  // namespace

std::optional<std::string> named_library() {
  const char* named = std::getenv("ASSAY_CUDA_DRIVER");
  if (named == nullptr || *named == '\0') return std::nullopt;
  return named;
}

Result<const Driver*> driver() {
  const Opened& known = opened();
  if (!known.why.empty())
    return error(Code::unavailable, known.why, "`nvidia-smi` shows whether it works");
  return &known.driver;
}

std::string driver_folder() { return opened().folder; }

std::string name_of(const Driver& driver, Answer code) {
  const char* name = nullptr;
  if (driver.error_name(code, &name) != 0 || name == nullptr) return fmt::format("error {}", code);
  return name;
}

Status checked(const Driver& driver, Answer code, const char* what) {
  if (code == 0) return {};
  return error(Code::unavailable,
               fmt::format("the GPU: cannot {}: {}", what, name_of(driver, code)),
               "`nvidia-smi` shows what else uses it");
}

}  // namespace assay::cuda
