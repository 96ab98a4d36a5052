#include "cli/option_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "author/author.h"
#include "base/cores.h"
#include "base/disk.h"
#include "base/units.h"
#include "measure/counter.h"
#include "sandbox/isolation.h"

namespace assay {

Result<std::string> parse_word(const char* option, const Arguments& arguments,
                               const std::vector<std::string>& known) {
  const std::string& written = arguments.text(option);
  if (std::ranges::find(known, written) != known.end()) return written;
  return error(Code::invalid_input,
               fmt::format("{} '{}' is not a word it can be{}", option, written,
                           written.size() > 2 ? did_you_mean(written, known) : ""),
               fmt::format("it takes one of: {}", fmt::join(known, ", ")));
}

Status parse_how_to_judge(const Arguments& arguments, RunSettings& settings) {
  ASSAY_ASSIGN(settings.mode, parse_word("--mode", arguments, mode_words()));
  if (arguments.given("--precision")) {
    ASSAY_ASSIGN(settings.precision, parse_word("--precision", arguments, kPrecisionWords));
  }
  for (const std::string& folder : arguments.list("--include"))
    settings.include.push_back(absolute_path(folder));
  settings.counters = arguments.given("--counters");
  settings.sanitize = arguments.given("--sanitize");
  // A name is that of a bundled one; a path is the same from wherever it is asked for again.
  settings.policy = arguments.text("--policy");
  if (settings.policy.contains('/')) settings.policy = absolute_path(settings.policy);
  ASSAY_ASSIGN(settings.threads, parse_count("--threads", arguments.text("--threads")));
  if (arguments.given("--require-isolation")) {
    ASSAY_ASSIGN(settings.require_isolation,
                 parse_word("--require-isolation", arguments, words_of(kIsolationWords)));
  }
  ASSAY_ASSIGN(settings.timeout_ns, parse_duration("--timeout", arguments.text("--timeout")));
  ASSAY_ASSIGN(settings.memory_bytes, parse_memory_bytes(arguments.text("--memory")));
  return {};
}

Result<std::optional<TimingSettings>> parse_timing(const Arguments& arguments) {
  TimingSettings timing;
  timing.against = arguments.list("--against");
  timing.quick = arguments.given("--quick");
  timing.profile = arguments.given("--profile");
  for (const char* option : {"--against", "--quick", "--require"})
    if (timing.profile && arguments.given(option))
      return error(Code::invalid_input,
                   fmt::format("--profile holds a time against nothing, and {} asks for a "
                               "comparison",
                               option),
                   "leave out one of them");
  const bool is_asked = arguments.given("--against") || timing.quick ||
                        arguments.given("--budget") || arguments.given("--cache");
  if (!is_asked && !timing.profile) return std::optional<TimingSettings>{};
  if (timing.against.empty() && !timing.profile)
    timing.against = {std::string(default_baseline().name)};
  if (arguments.given("--cache")) {
    ASSAY_ASSIGN(timing.cache, parse_word("--cache", arguments, kCacheModeWords));
  }
  const std::string budget = arguments.given("--budget") ? arguments.text("--budget")
                             : timing.is_short()         ? "5s"
                                                         : "60s";
  ASSAY_ASSIGN(timing.budget_ns, parse_duration("--budget", budget));
  return std::optional(std::move(timing));
}

std::string missing_in_words(const RunSettings& settings) {
  if (!settings.counters) return "";
  const std::vector<std::string> missing = missing_counters(this_machine());
  return missing.empty() ? "" : fmt::format("not counted here: {}\n", fmt::join(missing, "; "));
}

Result<std::vector<std::string>> parse_allowed(const Arguments& arguments) {
  std::vector<std::string> labels = arguments.list("--allow");
  for (const std::string& label : labels)
    if (label != "library" && label != "fallback")
      return error(Code::invalid_input,
                   fmt::format("--allow '{}' is no label that can be counted", label),
                   "it is library, fallback or both");
  return labels;
}

Result<int> parse_jobs(const Arguments& arguments) {
  if (arguments.given("--jobs")) return parse_count("--jobs", arguments.text("--jobs"));
  return usable_cores(system_disk());
}

Result<int> parse_count(const char* option, const std::string& text) {
  int count = 0;
  auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (failed != std::errc() || end != text.data() + text.size() || count < 1 || count > 1024)
    return error(Code::invalid_input,
                 fmt::format("{} '{}' is no number from 1 to 1024", option, text));
  return count;
}

Result<int64_t> parse_duration(const char* option, const std::string& text) {
  auto duration_ns = parse_duration_ns(text);
  if (!duration_ns) return while_doing(duration_ns.error(), fmt::format("reading {}", option));
  return *duration_ns;
}

Result<uint64_t> parse_memory_bytes(const std::string& text) {
  constexpr uint64_t kLeast = uint64_t{512} << 20;
  auto bytes = parse_bytes(text);
  if (!bytes) return while_doing(bytes.error(), "reading --memory");
  if (*bytes < kLeast)
    return error(Code::invalid_input, fmt::format("--memory {}: a process needs {} at least", text,
                                                  exact_bytes(kLeast)));
  return *bytes;
}

}  // namespace assay
