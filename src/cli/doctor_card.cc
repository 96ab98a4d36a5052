#include "cli/doctor_card.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "base/units.h"
#include "run/cuda/card.h"

namespace assay {
namespace {

std::string in_mhz(std::optional<int64_t> mhz) {
  return mhz ? fmt::format("{} MHz", *mhz) : "unknown";
}

// What holds its clocks back at this moment.
std::string held_back_by(uint64_t reasons) {
  static constexpr std::pair<uint64_t, std::string_view> kWords[] = {
      {cuda::kHeldBackByPower, "its limit of power"},
      {cuda::kHeldBackBySlowdown, "a slowdown of the hardware"},
      {cuda::kHeldBackByHeat, "heat"},
      {cuda::kHeldBackByBrake, "a brake of the power supply"}};
  std::string words;
  for (const auto& [bits, word] : kWords)
    if ((reasons & bits) != 0) words += fmt::format("{}{}", words.empty() ? "" : ", ", word);
  return words;
}

void check_clocks(Doctor& doctor) {
  const cuda::CardReading reading = cuda::read_card();
  if (!reading.processor_mhz) {
    doctor.note("card: clocks", "its management library, libnvidia-ml.so.1, does not say");
    return;
  }
  std::string now =
      fmt::format("{}, memory {}", in_mhz(reading.processor_mhz), in_mhz(reading.memory_mhz));
  if (reading.temperature_c) now += fmt::format(", {} C", *reading.temperature_c);
  if (reading.power_mw) now += fmt::format(", {} W", *reading.power_mw / 1000);
  const std::string why = held_back_by(reading.held_back_by.value_or(0));
  if (why.empty())
    doctor.good("card: clocks", now);
  else
    doctor.note("card: clocks",
                fmt::format("{}; held back by {}: what is timed now scatters", now, why));
}

void check_state(Doctor& doctor) {
  const cuda::CardState state = cuda::state_of_card();
  if (state.others.value_or(0) > 0)
    doctor.note("card: others", fmt::format("{} compute on it, and take turns with what is timed",
                                            format_count(*state.others, "process")));
  if (state.is_divided.value_or(false))
    doctor.note("card: MIG", "on: it is divided, and only whole cards have been tried");
  if (state.corrects_errors) doctor.good("card: ECC", *state.corrects_errors ? "on" : "off");
  if (state.power_limit_mw)
    doctor.good("card: power", fmt::format("{} W at most", *state.power_limit_mw / 1000));
}

}  // namespace

void check_card(Doctor& doctor) {
  const Result<cuda::Card> card = cuda::find_card();
  if (!card) {
    doctor.note("card", card.error().message + "; needed to run what is for cuda");
    return;
  }
  const std::string driver = cuda::state_of_card().driver;
  doctor.good("card", fmt::format("{} ({}, {}, CUDA {}{}{})", card->name, card->gpu.architecture,
                                  format_bytes(card->memory_bytes), card->driver,
                                  driver.empty() ? "" : ", driver ", driver));
  check_clocks(doctor);
  check_state(doctor);
}

}  // namespace assay
