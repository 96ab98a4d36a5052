// Target files, and the quantities on the command line.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/units.h"
#include "target/target.h"

extern "C" int fuzz_target(const uint8_t* data, size_t size) {
  using namespace assay;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  auto target = parse_target_file("fuzz.toml", text);
  if (target && ((target->flags.empty() && target->extends.empty()) || target->title.empty()))
    abort();
  if (!target && target.error().message.empty()) abort();
  if (auto ns = parse_duration_ns(text); ns && *ns <= 0) abort();
  if (auto bytes = parse_bytes(text); bytes && *bytes == 0) abort();
  return 0;
}
