// Where the time of one call goes, part by part: the dispatches of what IREE compiled, or the
// operators of what torch runs. One shape for both, so that they can stand side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/words.h"

namespace assay {

enum class PartKind { dispatch, operator_ };
inline constexpr Word<PartKind> kPartKindWords[] = {{PartKind::dispatch, "dispatch"},
                                                    {PartKind::operator_, "operator"}};
constexpr std::string_view plural(PartKind kind) {
  return kind == PartKind::dispatch ? "dispatches" : "operators";
}

// Of what a process says that may be hostile: within a day, so that sums of times stay numbers, and
// so much of a name.
inline constexpr double kMostPartNs = 86'400e9;
inline constexpr size_t kMostPartNameBytes = 200;

struct CallPart {
  double of_call_ns() const { return per_call * median_ns; }
  std::string name;
  double per_call = 1;                            // how often a call has it
  double median_ns = 0, low_ns = 0, high_ns = 0;  // the tenth and the ninetieth percentile
  // Each time. Nothing: not known.
  std::optional<int64_t> flops{}, bytes{};
  // The least that it can take each time on the machine as it was calibrated.
  std::optional<int64_t> bound_ns{};
};

// When one part of one call began, behind the first of them.
struct PartEvent {
  std::string name;
  double begin_ns = 0, ns = 0;
};

// What IREE's own allocator counts in a process that loads the program and calls it once: weights,
// inputs, what is between and results.
struct AllocatorBytes {
  uint64_t device_peak = 0, device_all = 0;  // at one time; all that it was asked for
  uint64_t host_peak = 0, host_all = 0;
};

struct CallParts {
  double parts_ns() const;  // of a call, all of them
  // What a call takes; what its parts take where that is more, as looking costs time.
  double whole_ns() const;
  double outside_ns() const { return whole_ns() - parts_ns(); }  // in no part
  size_t count() const { return parts.size() + left_out; }
  PartKind kind = PartKind::dispatch;
  std::string by;                     // who has timed them
  size_t calls = 0;                   // that were looked at
  double call_ns = 0;                 // of one call, at which nobody looked
  std::vector<CallPart> parts{};      // what takes most of a call first
  size_t left_out = 0;                // of very many, the smallest
  double left_out_ns = 0;             // that these take of a call
  std::vector<PartEvent> one_call{};  // a usual one, in order
  std::optional<AllocatorBytes> allocator{};
};

// What was seen of a part in all calls together.
struct PartSeen {
  std::vector<double> ns{};
  std::optional<int64_t> flops{}, bytes{};
};
CallParts call_parts(PartKind kind, std::string by, size_t calls, double call_ns,
                     const std::map<std::string, PartSeen>& seen);

// docs/formats.md has it. Without the one call.
Json to_json(const CallParts& parts);
// Nothing where a record has something else.
std::optional<CallParts> call_parts_from_json(const Json& json);

// The one call of what a counter says, beside the rest: [[name, begin_ns, ns], ...].
inline constexpr const char* kOneCall = "one_call";
Json with_one_call(const CallParts& parts);
std::vector<PartEvent> one_call_from_json(const Json& json);

// "Of a call's 75 us, 70 us is in 9 dispatches: ..."; "": nothing of it was counted.
std::string parts_in_words(const Json& counted);

}  // namespace assay
