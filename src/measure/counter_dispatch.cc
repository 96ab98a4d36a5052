// What IREE's own profiler says of the dispatches of a compiled artifact.
#include <fmt/format.h>

#include <charconv>

#include "base/escape.h"
#include "base/places.h"
#include "measure/counter.h"
#include "measure/dispatch_times.h"
#include "model/tensor.h"
#include "run/python.h"
#include "sandbox/memory_file.h"
#include "target/iree_compiler.h"

namespace assay {
namespace {

constexpr const char* kBenchmark = "iree-benchmark-module";
constexpr const char* kParameters = "iree-create-parameters";
constexpr const char* kProfile = "iree-profile";
constexpr const char* kProfileScript = "profile.sh";
constexpr const char* kProfiled = "candidate.vmfb";
// Between what the benchmark says and what the profile does.
constexpr std::string_view kSeparator = "==== profile of calls: ";
// As often is what runs in a hundredth of a second repeated under the profiler.
constexpr int kProfileRepetitions = 5;

// "": it is not there. The scripts of these names beside the interpreter are not in a jail.
std::string tool(const char* name) {
  auto places = find_places();
  if (!places) return "";
  auto python = find_python(*places);
  return python ? runtime_tool_beside_python(system_disk(), *python, name) : "";
}

std::string tools_missing(const Machine&) {
  for (const char* name : {kBenchmark, kParameters, kProfile})
    if (tool(name).empty())
      return fmt::format("{} is not there: pip install iree-base-runtime", name);
  return "";
}

// IREE fills with patterns of at most four bytes: "8xi64" is written as "8x2xi32=0".
std::string pattern_of(const std::string& type) {
  if (!type.ends_with("64")) return type + "=1";
  return type.substr(0, type.size() - 3) + "2xi32=0";
}

// Ones wherever that can be: times hang on values where these are subnormal, and nowhere else.
std::string script_of(const VerifyJob& job) {
  std::string text = "set -e\nexport TMPDIR=.\n";
  std::string options;
  if (!job.parameters.empty()) {
    text += shell_quote(tool(kParameters)) + " --quiet=true --output=ones.irpa";
    for (const NamedParameter& each : job.parameters)
      text += " " + shell_quote("--splat=" + each.name + "=" + pattern_of(each.type));
    text += " >/dev/null\n";
    options += " --parameters=model=ones.irpa";
  }
  for (const char* list : {"inputs", "state"})
    for (const Json& tensor : job.program.value(list, Json::array()))
      if (const std::string option = ones_for_iree(tensor); !option.empty())
        options += " " + shell_quote(option);
  const std::string benchmark = fmt::format("{} --module={} --function=main --device=local-sync{}",
                                            shell_quote(tool(kBenchmark)), kProfiled, options);
  // Once without the profiler, which costs time of its own, and with it as often as its file may
  // hold events of: a hundred bytes for each dispatch. How often is said to the benchmark: left to
  // itself, it also calls to find out how often, and says nothing of that.
  text += fmt::format("{} --benchmark_min_time=0.2s --benchmark_format=json >\"$2\"\n", benchmark);
  text += R"(calls=20
while read -r key value; do
  case "$key" in '"iterations":') calls=${value%,} ;; esac
done <"$2"
case "$calls" in ''|*[!0-9]*|??????????*) calls=20 ;; esac
calls=$((calls / 20))
[ "$calls" -gt 0 ] || calls=1
)";
  text += fmt::format(
      "{} --benchmark_min_time=\"$calls\"x --benchmark_repetitions={} "
      "--device_profiling_mode=queue-events,host-execution "
      "--device_profiling_output=x.ireeprof >/dev/null\n",
      benchmark, kProfileRepetitions);
  text += fmt::format("echo \"{}$((calls * {}))\" >>\"$2\"\n", kSeparator, kProfileRepetitions);
  text += fmt::format("{} --benchmark_min_time=1x --print_statistics 2>>\"$2\" >/dev/null\n",
                      benchmark);
  // The summary first: what is behind it may be cut off.
  text += fmt::format("{} dispatch --format=jsonl x.ireeprof | head -n 1 >>\"$2\"\n",
                      shell_quote(tool(kProfile)));
  text += fmt::format(
      "{} dispatch --format=jsonl --dispatch_events x.ireeprof | "
      "head -c 67108864 >>\"$2\"\n",
      shell_quote(tool(kProfile)));
  return text;
}

bool is_artifact(const VerifyJob& job) { return job.form->is_artifact() && !job.gpu; }

// In the jail of a build: it runs what a compiler made of a problem that nobody knows.
Result<Json> profile(const CountedCandidate& candidate) {
  const NativeJob job{
      .compile = {"/bin/sh", kProfileScript},
      .files = {{kProfileScript, script_of(candidate.job)}, {kProfiled, candidate.job.candidate}},
      .sources = {kProfiled},
      .link = {}};
  ASSAY_ASSIGN(NativeBuild made, build_native(job, candidate.tools.native_compiler,
                                              candidate.tools.build_limits, candidate.children));
  if (made.record.status != StageStatus::ok)
    return Json{{"failed", made.record.error.empty() ? made.record.detail : made.record.error}};
  ASSAY_ASSIGN(const std::string text, read_memory_file(made.library));
  const size_t middle = text.find(kSeparator);
  if (middle == std::string::npos) return Json(nullptr);
  const std::string_view whole = text;
  const std::string_view events = whole.substr(middle + kSeparator.size());
  size_t calls = 0;
  std::from_chars(events.data(), events.data() + events.size(), calls);
  auto times = read_dispatch_times(read_call_ns(whole.substr(0, middle)), calls, events);
  if (!times) return Json(nullptr);
  times->allocator = read_allocator_bytes(events);
  return with_one_call(*times);
}

}  // namespace

Counter dispatch_counter() {
  return {.name = "iree-profile",
          .title = "how long each dispatch of a compiled artifact takes",
          .missing = tools_missing,
          .serves = is_artifact,
          .count = profile,
          .words = parts_in_words};
}

}  // namespace assay
