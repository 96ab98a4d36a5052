// How fast an attempt is, and against what.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "base/words.h"

namespace assay {

// What is said of an accepted attempt beside that it is right.
enum class Outcome {
  correct,  // it was not timed
  faster,
  equal,
  slower,
  undecided,  // with a reason; never rounded to a win
};
inline constexpr Word<Outcome> kOutcomeWords[] = {
    {Outcome::correct, "correct"}, {Outcome::faster, "faster"},       {Outcome::equal, "equal"},
    {Outcome::slower, "slower"},   {Outcome::undecided, "undecided"},
};

// The clock that times are compared by.
enum class Metric {
  cpu,   // of all processes of the candidate's: what others take of a shared core is no part
  wall,  // where several threads are used
};
inline constexpr Word<Metric> kMetricWords[] = {{Metric::cpu, "cpu"}, {Metric::wall, "wall"}};

// Where inputs are when a window opens.
enum class CacheMode {
  hot,     // the judge has written them last, on the candidate's core where it has one
  cold,    // in none: other memory has been read since
  stream,  // so many calls in one window that inputs and results of all fit into no cache
};
inline constexpr Word<CacheMode> kCacheModeWords[] = {
    {CacheMode::hot, "hot"}, {CacheMode::cold, "cold"}, {CacheMode::stream, "stream"}};

// How candidates are timed, where they are.
struct TimingSettings {
  std::vector<std::string> against;  // authors of baselines, in order; none with `profile`
  bool profile = false;              // one launch, held against nothing
  bool quick = false;                // two launches
  int64_t budget_ns = 0;             // of each attempt
  CacheMode cache = CacheMode::hot;

  // Few windows, since many would cost more than they say.
  bool is_short() const { return quick || profile; }
  bool operator==(const TimingSettings&) const = default;
};

// Of one call, over all windows that count.
struct Times {
  double median_ns = 0, p5_ns = 0, p95_ns = 0;

  bool operator==(const Times&) const = default;
};

// What a program that is timed takes beside the calls that are compared.
struct ProcessCosts {
  int64_t setup_ns = 0;       // wall time from a process's fork until it was ready, the median
  int64_t first_call_ns = 0;  // CPU time of the first call in a process, the median
  // The largest resident set of one of its processes in any launch, with its image and what it maps
  // of inputs and results. Nothing: nobody could say.
  std::optional<uint64_t> peak_bytes;

  bool operator==(const ProcessCosts&) const = default;
};

// Of one baseline: how many times as fast the candidate is.
struct Speedup {
  std::string baseline;  // an author
  double ratio = 0, low = 0, high = 0;
  Outcome outcome = Outcome::undecided;
  std::string reason;  // why it is undecided
  Times cpu, wall;     // the baseline's own
  // Where the candidate is between the baseline and what this machine takes at least: 1/2 as fast
  // as the baseline, 1 at the bound. Nothing without a bound that the baseline is above.
  std::optional<double> sol_score{};
  ProcessCosts process{};  // the baseline's
  // Where it is faster: how often one that is not would come out so. Nothing where too little was
  // measured to say.
  std::optional<double> chance{};

  bool operator==(const Speedup&) const = default;
};

// For people.
constexpr std::string_view in_words(Metric metric) {
  return metric == Metric::cpu ? "CPU time" : "the clock on the wall";
}

// Of what is kept by either clock, that which decides.
template <class T>
const T& by(Metric metric, const T& cpu, const T& wall) {
  return metric == Metric::cpu ? cpu : wall;
}

struct Timing {
  Metric metric = Metric::cpu;
  CacheMode cache = CacheMode::hot;
  int threads = 1;
  bool provisional = false;      // too few launches to rely on
  Times cpu, wall;               // the candidate's
  ProcessCosts process;          // the candidate's
  uint64_t bytes = 0;            // of inputs, parameters and results, each once
  std::optional<int64_t> flops;  // of the definition's products, of one call; nothing: not known
  // What the machine takes at least for these. Nothing: it is not calibrated, or has no peak of
  // that type.
  std::optional<double> bound_ns;
  std::string type_without_peak{};  // of its operations, where that is why there is no bound
  std::vector<std::string> labels;  // rules that decide nothing, and have something to say
  std::vector<Speedup> speedups;    // in the order in which baselines were asked for; the first's
                                    // outcome is the attempt's

  bool operator==(const Timing&) const = default;
};

// Fields of an object that has more of them.
void add(Json& json, const ProcessCosts& process);
ProcessCosts costs_from(JsonReader& fields);

Json to_json(const Timing& timing);
Result<Timing> timing_from_json(const Json& json);

}  // namespace assay
