// Records: what reads as an attempt is sound, and survives being written and read again.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "model/attempt.h"
#include "model/run_record.h"

extern "C" int fuzz_attempt(const uint8_t* data, size_t size) {
  using namespace assay;
  auto json = parse_json({reinterpret_cast<const char*>(data), size}, "a record");
  if (!json) return 0;
  if (auto attempt = attempt_from_json(*json)) {
    if (!check(*attempt)) abort();
    auto again = attempt_from_json(to_json(*attempt));
    if (!again || !(*again == *attempt)) abort();
  }
  if (auto run = run_from_json(*json)) {
    auto again = run_from_json(to_json(*run));
    if (!again || !(*again == *run)) abort();
  }
  return 0;
}
