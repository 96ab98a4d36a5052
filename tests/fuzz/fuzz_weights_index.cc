// The index of a folder of weights, as a hub has it: what it names are files beside it, each once.
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "workload/weights_folder.h"

extern "C" int fuzz_weights_index(const uint8_t* data, size_t size) {
  using namespace assay;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto names = read_weights_index(text, "an index");
  if (!names) {
    if (names.error().message.empty()) abort();
    return 0;
  }
  if (names->empty()) abort();
  if (std::set(names->begin(), names->end()).size() != names->size()) abort();
  for (const std::string& name : *names)
    if (!name.ends_with(".safetensors") || name.contains('\0') || name.contains('/')) abort();
  return 0;
}
