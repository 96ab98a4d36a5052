// Of NVML, what assay asks. No figure here could be taken for a card's.
#include <cstdio>
#include <cstring>

#include "process.h"

#define EXPORTED __attribute__((visibility("default")))

namespace {

using Card = void*;
constexpr int kInvalidArgument = 2, kNotSupported = 3, kNotFound = 6, kLost = 15;
// By its own order the first card is another than the driver's first, as behind
// CUDA_VISIBLE_DEVICES.
int the_card, another;
constexpr unsigned kNode = 0, kNodeOfAnother = 7;
int answered(unsigned* value, unsigned is) {
  if (simulated::Process::get().lost != 0) return kLost;
  *value = is;
  return 0;
}

}  // namespace

extern "C" {

EXPORTED int nvmlInit_v2() { return 0; }
EXPORTED int nvmlDeviceGetHandleByIndex_v2(unsigned index, Card* card) {
  *card = &another;
  return index == 0 ? 0 : kInvalidArgument;
}
EXPORTED int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, Card* card) {
  *card = &the_card;
  return std::strcmp(bus, simulated::kBus) == 0 ? 0 : kNotFound;
}
EXPORTED int nvmlDeviceGetClockInfo(Card, int which, unsigned* mhz) {
  return answered(mhz, static_cast<unsigned>(which));  // 1: the processors', 2: the memory's
}
EXPORTED int nvmlDeviceGetCurrentClocksThrottleReasons(Card, unsigned long long* reasons) {
  *reasons = simulated::Process::get().held_back_by;
  return 0;
}
EXPORTED int nvmlDeviceGetTemperature(Card, int, unsigned* celsius) { return answered(celsius, 3); }
EXPORTED int nvmlDeviceGetPowerUsage(Card, unsigned* milliwatt) { return answered(milliwatt, 4); }
EXPORTED int nvmlDeviceGetEnforcedPowerLimit(Card, unsigned* milliwatt) {
  return answered(milliwatt, 5);
}
EXPORTED int nvmlDeviceGetEccMode(Card, int* now, int* then) {
  *now = 1;
  *then = 0;
  return 0;
}
EXPORTED int nvmlDeviceGetMigMode(Card, unsigned*, unsigned*) { return kNotSupported; }
EXPORTED int nvmlDeviceGetComputeRunningProcesses_v3(Card, unsigned* count, void*) {
  *count = 0;
  return 0;
}
EXPORTED int nvmlSystemGetDriverVersion(char* version, unsigned bytes) {
  std::snprintf(version, bytes, "0.simulated");
  return 0;
}
EXPORTED int nvmlDeviceGetMinorNumber(Card card, unsigned* node) {
  return answered(node, card == &the_card ? kNode : kNodeOfAnother);
}

}  // extern "C"
