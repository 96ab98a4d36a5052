// The graphics card that is here: what it is, and what it does at the moment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json.h"
#include "model/gpu.h"

namespace assay::cuda {

struct Card {
  std::string name;    // "NVIDIA H100 80GB HBM3"
  Gpu gpu;             // what code for it is compiled for
  std::string driver;  // the interface's version: "13.0"
  uint64_t memory_bytes = 0;
  uint64_t l2_bytes = 0;
  int node = 0;  // its device node is /dev/nvidia0

  bool operator==(const Card&) const = default;
};

// The first card. Makes no context. Fails where there is none, or no driver.
Result<Card> find_card();
// Of a record: {"name", "architecture", "driver", "memory_bytes", "l2_bytes"}.
Json to_json(const Card& card);

// What a card does at one moment, as its management library says; nothing where that is not here.
struct CardReading {
  std::optional<int64_t> processor_mhz{};
  std::optional<int64_t> memory_mhz{};
  // Why its clocks are held back: a set of bits of NVML's (nvmlClocksEventReasons).
  std::optional<uint64_t> held_back_by{};
  std::optional<int64_t> power_mw{};
  std::optional<int64_t> temperature_c{};
};
CardReading read_card();

// What stays as long as nobody changes it.
struct CardState {
  std::optional<bool> corrects_errors{};  // ECC
  std::optional<bool> is_divided{};       // MIG
  std::optional<int64_t> power_limit_mw{};
  std::optional<int64_t> others{};  // processes that compute on it
  std::string driver;               // "580.159.04"
};
CardState state_of_card();

// Bits of CardReading::held_back_by: of heat, of power, and of the board's own brakes. Idle clocks
// and what a user has set are none of these.
inline constexpr uint64_t kHeldBackByPower = 0x4, kHeldBackBySlowdown = 0x8,
                          kHeldBackByHeat = 0x20 | 0x40, kHeldBackByBrake = 0x80;

}  // namespace assay::cuda
