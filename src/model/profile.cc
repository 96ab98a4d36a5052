#include "model/profile.h"

namespace assay {

Json to_json(const Profile& profile) {
  Json json{{"provisional", true},
            {"metric", to_word(kMetricWords, profile.metric)},
            {"cache", to_word(kCacheModeWords, profile.cache)},
            {"threads", profile.threads},
            {"runner", profile.runner},
            {"not_direct", or_null(profile.not_direct)},
            {"check", profile.check ? Json{{"runner", profile.check->runner},
                                           {"median_ns", profile.check->median_ns},
                                           {"agrees", profile.check->agrees}}
                                    : Json(nullptr)},
            {"windows", profile.windows},
            {"calls", profile.calls},
            {"median_ns", profile.median_ns},
            {"low_ns", profile.low_ns},
            {"high_ns", profile.high_ns},
            {"min_ns", profile.min_ns},
            {"window_ns", profile.window_ns}};
  add(json, profile.process);
  json.update({{"bytes", profile.bytes},
               {"flops", or_null(profile.flops)},
               {"bound_ns", or_null(profile.bound_ns)},
               {"type_without_peak", or_null(profile.type_without_peak)},
               {"code_bytes", or_null(profile.code_bytes)}});
  return json;
}

Result<Profile> profile_from_json(const Json& json) {
  JsonReader fields(json, "a profile");
  Profile profile;
  if (!fields.boolean("provisional")) fields.fail("'provisional' is not true");
  profile.metric = fields.word<Metric>("metric", kMetricWords);
  profile.cache = fields.word<CacheMode>("cache", kCacheModeWords);
  profile.threads = static_cast<int>(fields.integer("threads"));
  profile.runner = fields.text("runner");
  profile.not_direct = fields.optional_text("not_direct").value_or("");
  profile.windows = static_cast<int>(fields.integer("windows"));
  profile.calls = static_cast<int>(fields.integer("calls"));
  profile.median_ns = fields.number("median_ns");
  profile.low_ns = fields.number("low_ns");
  profile.high_ns = fields.number("high_ns");
  profile.min_ns = fields.number("min_ns");
  profile.window_ns = fields.number("window_ns");
  profile.process = costs_from(fields);
  const int64_t bytes = fields.integer("bytes");
  if (bytes < 0) fields.fail("'bytes' is no size");
  profile.bytes = static_cast<uint64_t>(bytes);
  profile.flops = fields.optional_integer("flops");
  if (fields.has("check")) {
    JsonReader check(fields.value("check"), "a profile's check");
    profile.check = {check.text("runner"), check.number("median_ns"), check.boolean("agrees")};
    ASSAY_TRY(check.status());
  }
  if (fields.has("bound_ns")) profile.bound_ns = fields.number("bound_ns");
  profile.type_without_peak = fields.optional_text("type_without_peak").value_or("");
  if (const auto code_bytes = fields.optional_integer("code_bytes")) {
    if (*code_bytes < 0) fields.fail("'code_bytes' is no size");
    profile.code_bytes = static_cast<uint64_t>(*code_bytes);
  }
  ASSAY_TRY(fields.status());
  const bool is_ordered = 0 < profile.min_ns && profile.min_ns <= profile.low_ns &&
                          profile.low_ns <= profile.median_ns &&
                          profile.median_ns <= profile.high_ns;
  if (!is_ordered) return error(Code::corrupt, "a profile does not lie in its interval");
  return profile;
}

}  // namespace assay
