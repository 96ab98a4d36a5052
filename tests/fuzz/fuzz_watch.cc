// What a browser, or who pretends to be one, says of itself; and the file of what a run is doing.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "store/run_now.h"
#include "watch/access.h"

extern "C" int fuzz_watch(const uint8_t* data, size_t size) {
  using namespace assay;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string half(text.substr(0, size / 2)), rest(text.substr(size / 2));
  if (const auto name = host_name(text); name && (name->empty() || name->size() > text.size()))
    abort();
  if (const auto seen = parse_seen(text); seen && parse_seen(to_text(*seen)) != seen) abort();
  const PageAccess access{
      .host = "0.0.0.0", .machine_name = "box", .token = "0123456789abcdef0123456789abcdef"};
  const Asked asked{.method = "GET",
                    .host = half,
                    .origin = rest,
                    .cookie = rest,
                    .authorization = rest,
                    .token = half};
  const bool names_token = text.find(access.token) != std::string_view::npos;
  if (!refusal(access, asked) && !names_token) abort();
  if (const auto json = parse_json(text, "what the run is doing"))
    if (const auto now = run_now_from_json(*json)) {
      const auto again = run_now_from_json(to_json(*now));
      if (!again || to_json(*again) != to_json(*now)) abort();
      (void)seconds_left(*now, now->changed_s);
    }
  return 0;
}
