#include "run/cuda/card.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "run/cuda/driver.h"
#include "run/cuda/opened_once.h"

namespace assay::cuda {
namespace {

Result<int> attribute(const Driver& driver, Attribute attribute, Device device) {
  int value = 0;
  ASSAY_TRY(checked(driver, driver.device_attribute(&value, static_cast<int>(attribute), device),
                    "ask what it is"));
  return value;
}

// Of NVML's interface, what is used here. Every call of it may be missing, or refused.
struct Management {
  using Device = void*;
  struct Utilisation {
    unsigned pid = 0;
    unsigned long long bytes = 0;
    unsigned instance = 0, compute_instance = 0;
  };
  int (*init)() = nullptr;
  int (*device)(unsigned, Device*) = nullptr;
  int (*device_on_bus)(const char*, Device*) = nullptr;
  int (*clock)(Device, int, unsigned*) = nullptr;
  int (*reasons)(Device, unsigned long long*) = nullptr;
  int (*temperature)(Device, int, unsigned*) = nullptr;
  int (*power)(Device, unsigned*) = nullptr;
  int (*power_limit)(Device, unsigned*) = nullptr;
  int (*corrects_errors)(Device, int*, int*) = nullptr;
  int (*is_divided)(Device, unsigned*, unsigned*) = nullptr;
  int (*processes)(Device, unsigned*, Utilisation*) = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*node)(Device, unsigned*) = nullptr;
  Device first = nullptr;
  bool works = false;
};

// The driver's first card, by its place on the bus: NVML knows nothing of CUDA_VISIBLE_DEVICES, nor
// of the order that CUDA_DEVICE_ORDER asks for. Without a driver, its own first.
bool take_first(Management& loaded) {
  Device device = 0;
  char bus[32] = {};
  if (const auto cuda = driver(); cuda && loaded.device_on_bus != nullptr &&
                                  (*cuda)->device_get(&device, 0) == 0 &&
                                  (*cuda)->device_bus(bus, sizeof bus, device) == 0)
    return loaded.device_on_bus(bus, &loaded.first) == 0;
  return loaded.device != nullptr && loaded.device(0, &loaded.first) == 0;
}

Management load_management(const std::string& name) {
  Management loaded;
  void* library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return loaded;
  auto load = [&](auto& entry, const char* symbol) {
    entry = reinterpret_cast<std::remove_reference_t<decltype(entry)>>(::dlsym(library, symbol));
  };
  load(loaded.init, "nvmlInit_v2");
  load(loaded.device, "nvmlDeviceGetHandleByIndex_v2");
  load(loaded.device_on_bus, "nvmlDeviceGetHandleByPciBusId_v2");
  load(loaded.clock, "nvmlDeviceGetClockInfo");
  load(loaded.reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
  load(loaded.temperature, "nvmlDeviceGetTemperature");
  load(loaded.power, "nvmlDeviceGetPowerUsage");
  load(loaded.power_limit, "nvmlDeviceGetEnforcedPowerLimit");
  load(loaded.corrects_errors, "nvmlDeviceGetEccMode");
  load(loaded.is_divided, "nvmlDeviceGetMigMode");
  load(loaded.processes, "nvmlDeviceGetComputeRunningProcesses_v3");
  load(loaded.driver_version, "nvmlSystemGetDriverVersion");
  load(loaded.node, "nvmlDeviceGetMinorNumber");
  loaded.works = loaded.init != nullptr && loaded.init() == 0 && take_first(loaded);
  return loaded;
}

const Management& management() {
  return opened_once(named_library().value_or("libnvidia-ml.so.1"), load_management);
}

// A number that NVML gives by one call; nothing: it does not.
template <class Call, class... Before>
std::optional<int64_t> asked(Call call, Before... before) {
  if (!management().works || call == nullptr) return std::nullopt;
  unsigned value = 0;
  if (call(management().first, before..., &value) != 0) return std::nullopt;
  return value;
}

}  // namespace

Result<Card> find_card() {
  ASSAY_ASSIGN(const Driver* cuda, driver());
  int count = 0;
  ASSAY_TRY(checked(*cuda, cuda->device_count(&count), "count them"));
  if (count == 0)
    return error(Code::unavailable, "there is a CUDA driver, and no GPU",
                 "`nvidia-smi` lists them; CUDA_VISIBLE_DEVICES may hide them");
  Device device = 0;
  ASSAY_TRY(checked(*cuda, cuda->device_get(&device, 0), "find the first"));
  Card card;
  char name[256] = {};
  ASSAY_TRY(checked(*cuda, cuda->device_name(name, sizeof name - 1, device), "ask its name"));
  card.name = name;
  size_t bytes = 0;
  ASSAY_TRY(checked(*cuda, cuda->device_memory(&bytes, device), "ask how much memory it has"));
  card.memory_bytes = bytes;
  int version = 0;
  ASSAY_TRY(checked(*cuda, cuda->driver_version(&version), "ask the driver's version"));
  card.driver = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
  ASSAY_ASSIGN(const int major, attribute(*cuda, Attribute::major, device));
  ASSAY_ASSIGN(const int minor, attribute(*cuda, Attribute::minor, device));
  ASSAY_ASSIGN(const int l2_bytes, attribute(*cuda, Attribute::l2_bytes, device));
  ASSAY_ASSIGN(const int warp_threads, attribute(*cuda, Attribute::warp_threads, device));
  ASSAY_ASSIGN(const int shared_bytes, attribute(*cuda, Attribute::shared_bytes_at_most, device));
  ASSAY_ASSIGN(const int processors, attribute(*cuda, Attribute::processors, device));
  card.node = static_cast<int>(asked(management().node).value_or(0));
  card.l2_bytes = static_cast<uint64_t>(l2_bytes);
  card.gpu = {.kind = GpuKind::cuda,
              .architecture = fmt::format("sm_{}{}", major, minor),
              .warp_threads = warp_threads,
              .shared_bytes = static_cast<uint64_t>(shared_bytes),
              .processors = processors};
  return card;
}

Json to_json(const Card& card) {
  return {{"name", card.name},
          {"architecture", card.gpu.architecture},
          {"driver", card.driver},
          {"memory_bytes", card.memory_bytes},
          {"l2_bytes", card.l2_bytes}};
}

CardReading read_card() {
  constexpr int kProcessorClock = 1, kMemoryClock = 2, kOfTheChip = 0;
  const Management& nvml = management();
  CardReading reading;
  reading.processor_mhz = asked(nvml.clock, kProcessorClock);
  reading.memory_mhz = asked(nvml.clock, kMemoryClock);
  reading.temperature_c = asked(nvml.temperature, kOfTheChip);
  reading.power_mw = asked(nvml.power);
  unsigned long long reasons = 0;
  if (nvml.works && nvml.reasons != nullptr && nvml.reasons(nvml.first, &reasons) == 0)
    reading.held_back_by = reasons;
  return reading;
}

CardState state_of_card() {
  const Management& nvml = management();
  CardState state;
  state.power_limit_mw = asked(nvml.power_limit);
  int now = 0, then = 0;
  if (nvml.works && nvml.corrects_errors != nullptr &&
      nvml.corrects_errors(nvml.first, &now, &then) == 0)
    state.corrects_errors = now != 0;
  unsigned divided = 0, divided_then = 0;
  if (nvml.works && nvml.is_divided != nullptr &&
      nvml.is_divided(nvml.first, &divided, &divided_then) == 0)
    state.is_divided = divided != 0;
  Management::Utilisation processes[64];
  unsigned count = 64;
  if (nvml.works && nvml.processes != nullptr && nvml.processes(nvml.first, &count, processes) == 0)
    state.others = count;
  char version[96] = {};
  if (nvml.works && nvml.driver_version != nullptr &&
      nvml.driver_version(version, sizeof version - 1) == 0)
    state.driver = version;
  return state;
}

}  // namespace assay::cuda
