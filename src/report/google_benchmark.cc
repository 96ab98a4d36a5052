// google-benchmark's JSON, for what reads that: an aggregate of each kind for every attempt, and an
// error for each that has no time.
#include <fmt/format.h>

#include "report/format.h"
#include "report/profile.h"

namespace assay {
namespace {

// What all entries of an attempt have in common. Where wall and CPU time differ, it was timed by
// one of them: both fields have that.
Json entry_of(const Attempt& attempt, std::string_view aggregate) {
  Json entry{{"name", attempt.id}, {"run_name", attempt.id}};
  if (aggregate.empty()) {
    entry["run_type"] = "iteration";
  } else {
    entry["name"] = attempt.id + "_" + std::string(aggregate);
    entry["run_type"] = "aggregate";
    entry["aggregate_name"] = aggregate;
    entry["aggregate_unit"] = "time";
  }
  entry["repetitions"] = attempt.profile ? attempt.profile->windows : 0;
  entry["threads"] = attempt.profile ? attempt.profile->threads : 1;
  return entry;
}

Json timed(Json entry, const Profile& profile, double ns) {
  entry["iterations"] = profile.calls;
  entry["real_time"] = ns;
  entry["cpu_time"] = ns;
  entry["time_unit"] = "ns";
  entry["bytes_per_second"] = 1e9 * static_cast<double>(profile.bytes) / ns;
  if (profile.flops.value_or(0) > 0)
    entry["FLOPS"] = 1e9 * static_cast<double>(*profile.flops) / ns;
  return entry;
}

}  // namespace

void render_google_benchmark(const ReportInput& input, ReportSink& sink) {
  auto about = [&](const char* name) {
    return input.run.machine.is_object() ? input.run.machine.value(name, Json()) : Json();
  };
  Json context{{"date", input.run.created},       {"host_name", about("host")},
               {"executable", "assay"},           {"num_cpus", about("cores")},
               {"library_build_type", "release"}, {"assay_version", input.run.assay_version}};
  for (const auto& [name, value] : input.tags) context[name] = value;
  sink.write(fmt::format("{{\n  \"context\": {},\n  \"benchmarks\": [", dump_json(context)));
  bool is_first = true;
  auto write = [&](const Json& entry) {
    sink.write((is_first ? "\n    " : ",\n    ") + dump_json(entry));
    is_first = false;
  };
  for (const Attempt& attempt : input.attempts) {
    if (const auto& profile = attempt.profile) {
      write(timed(entry_of(attempt, "median"), *profile, profile->median_ns));
      write(timed(entry_of(attempt, "low"), *profile, profile->low_ns));
      write(timed(entry_of(attempt, "high"), *profile, profile->high_ns));
      write(timed(entry_of(attempt, "min"), *profile, profile->min_ns));
      continue;
    }
    Json entry = entry_of(attempt, "");
    entry["error_occurred"] = true;
    entry["error_message"] = verdict_in_words(attempt);
    write(entry);
  }
  sink.write("\n  ]\n}\n");
}

}  // namespace assay
