// Where a candidate runs, whose memory its tensors are in, and when what it was given is done.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/words.h"

namespace assay {

// Whose memory it is. The numbers are those of include/assay/kernel.h.
enum class MemoryKind { host = 0, device = 1 };
inline constexpr Word<MemoryKind> kMemoryKindWords[] = {{MemoryKind::host, "host"},
                                                        {MemoryKind::device, "device"}};

// When the work of a call is done.
enum class StreamOrder {
  synchronous,  // when the call returns
  queued,       // the call hands it to a stream, which does it later, in the order of handing over
};
inline constexpr Word<StreamOrder> kStreamOrderWords[] = {{StreamOrder::synchronous, "synchronous"},
                                                          {StreamOrder::queued, "queued"}};

// An NVIDIA card, by its driver.
inline constexpr std::string_view kCudaDevice = "cuda";
// An AMD card, by ROCm. No runner serves one yet.
inline constexpr std::string_view kHipDevice = "hip";
// One that IREE's runtime calls by its driver of this name. Its runner copies what a call is given
// to the device, and what that leaves back, so tensors are in the host's memory.
inline constexpr std::string_view kVulkanDevice = "vulkan";

struct Device {
  std::string kind = "cpu";
  int index = 0;  // which of those of its kind
  StreamOrder stream = StreamOrder::synchronous;
  MemoryKind memory = MemoryKind::host;  // of the tensors that a candidate is called with

  bool operator==(const Device&) const = default;
};

// {"kind": "cpu", "index": 0, "stream": "synchronous", "memory": "host"}
Json to_json(const Device& device);
// From a hostile process, too: nothing where it is none.
Result<Device> device_from_json(const Json& json);
std::string in_words(const Device& device);  // "cpu:0, synchronous, host memory"

}  // namespace assay
