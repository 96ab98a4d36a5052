#include "model/device.h"

#include <fmt/format.h>

#include <limits>

namespace assay {

Json to_json(const Device& device) {
  return {{"kind", device.kind},
          {"index", device.index},
          {"stream", to_word(kStreamOrderWords, device.stream)},
          {"memory", to_word(kMemoryKindWords, device.memory)}};
}

Result<Device> device_from_json(const Json& json) {
  JsonReader fields(json, "a device");
  Device device;
  device.kind = fields.text("kind");
  int64_t index = fields.integer("index");
  if (index < 0 || index > std::numeric_limits<int>::max()) fields.fail("'index' is no place");
  device.stream = fields.word<StreamOrder>("stream", kStreamOrderWords);
  device.memory = fields.word<MemoryKind>("memory", kMemoryKindWords);
  ASSAY_TRY(fields.status());
  device.index = static_cast<int>(index);
  return device;
}

std::string in_words(const Device& device) {
  return fmt::format("{}:{}, {}, {} memory", device.kind, device.index,
                     to_word(kStreamOrderWords, device.stream),
                     to_word(kMemoryKindWords, device.memory));
}

}  // namespace assay
