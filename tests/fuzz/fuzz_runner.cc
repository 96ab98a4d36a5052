// What a runner may say, which a candidate owns: its first message, the control page, what was seen
// of a call, and how long its parts took. What is taken over of either is bounded, and nothing that
// a terminal obeys. What it asks for is compiled in a folder that no name of its files leads out
// of.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include "measure/operator_times.h"
#include "model/device.h"
#include "run/candidate_process.h"
#include "verify/watched.h"

namespace {

bool is_plain(std::string_view text) {
  return std::ranges::none_of(text, [](char each) {
    auto byte = static_cast<unsigned char>(each);
    return (byte < 0x20 && each != '\n' && each != '\t') || byte == 0x7f;
  });
}

}  // namespace

extern "C" int fuzz_runner(const uint8_t* data, size_t size) {
  using namespace assay;
  alignas(ControlPage) static std::byte memory[ControlPage::kBytes];
  std::memset(memory, 0, sizeof memory);
  if (size > 0) std::memcpy(memory, data, std::min(size, sizeof memory));
  Window window = read_page(*reinterpret_cast<const ControlPage*>(memory));
  if (window.reported.size() > ControlPage::kMaxOutputs || !is_plain(window.text)) abort();
  if (window.kind == Window::Kind::raised && window.text.empty()) abort();

  if (auto watched = read_watched({reinterpret_cast<const char*>(data), size}))
    for (const Watched::Operation& each : watched->operations)
      if (each.calls < 1 || !is_plain(each.name)) abort();

  if (auto parts = read_operator_times({reinterpret_cast<const char*>(data), size})) {
    if (!std::isfinite(parts->parts_ns()) || parts->outside_ns() < 0) abort();
    if (!call_parts_from_json(to_json(*parts)) && parts->parts_ns() > 0) abort();
    (void)parts_in_words(to_json(*parts));
  }

  auto message = parse_json({reinterpret_cast<const char*>(data), size}, "a message");
  if (!message) return 0;
  for (const Device& device :
       {Device{}, Device{"gpu", 1, StreamOrder::queued, MemoryKind::device}}) {
    auto said = read_ready(*message, device);
    if (auto* finding = std::get_if<StageRecord>(&said)) {
      if (finding->status == StageStatus::ok || !stage_from_json(to_json(*finding))) abort();
      continue;
    }
    if (auto* wanted = std::get_if<ExtensionRequest>(&said)) {
      for (const NamedText& file : wanted->files)
        if (file.name.empty() || file.name[0] == '.' || file.name.contains('/')) abort();
      if (wanted->device.empty() && wanted->sources.empty()) abort();
      if (!is_plain(wanted->name) || !is_plain(wanted->device)) abort();
      continue;
    }
    const Json& facts = std::get<Json>(said);
    if (facts["device"] != to_json(device) || facts.size() > 3) abort();
    for (const auto& [name, value] : facts.items())
      if (value.is_string() && !is_plain(value.get_ref<const std::string&>())) abort();
  }
  return 0;
}
