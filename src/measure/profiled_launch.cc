#include "measure/profiled_launch.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "base/escape.h"
#include "base/gzip.h"
#include "base/text.h"
#include "measure/counted_launch.h"

namespace assay {
namespace {

constexpr uint64_t kMostReportBytes = uint64_t{8} << 20;
// What of it is text, with what the candidate itself has printed.
constexpr uint64_t kMostPrintedBytes = uint64_t{32} << 20;
constexpr unsigned kMoreProcesses = 128;  // a profiler's own, and their threads
constexpr size_t kMostReasonBytes = 300;
constexpr std::string_view kMark = "\n==== report ====\n", kTooLarge = "too large\n",
                           kNoReport = "none\n";

// What a runner is given comes through descriptor 3, which a profiler may close before it starts
// the command. So that goes through the profiler as its input. What is left of it comes as text
// behind all that was printed: there is no other way out of the jail. Its errors come in clear, for
// it may have left nothing else.
constexpr const char* kProfilerScript = R"sh(
folder=$PWD/report
mkdir "$folder"
pattern=$1
shift
left=$#
while [ "$left" -gt 0 ]; do
  case $1 in @report*) word=$folder${1#@report} ;; *) word=$1 ;; esac
  shift
  set -- "$@" "$word"
  left=$((left - 1))
done
"$@" <&3
status=$?
grep -ahs '^==ERROR==' "$folder"/* | head -n 5 | head -c 2000
set -- "$folder"/$pattern
echo
echo '==== report ===='
if [ ! -f "$1" ]; then
  echo none
elif [ "$(wc -c <"$1")" -gt MOST ]; then
  echo too large
else
  base64 -w 0 "$1"
fi
exit "$status"
)sh";
constexpr const char* kHandOver = R"sh(exec "$@" 3<&0 </dev/null)sh";

std::string profiler_script() {
  std::string text = kProfilerScript;
  constexpr std::string_view kMostMark = "MOST";
  return text.replace(text.find(kMostMark), kMostMark.size(), std::to_string(kMostReportBytes));
}

// What the launcher becomes; of a zygote in Python, the role that does one job itself.
std::vector<std::string> program_of(const Image& runner) {
  if (runner.name == "launch") return {runner.argv.begin() + 1, runner.argv.end()};
  // Without the packages behind its role: it imports what it needs, once.
  const auto role = std::ranges::find(runner.argv, runner.name);
  std::vector<std::string> program(runner.argv.begin(), role);
  program.push_back(runner.name + "_alone");
  return program;
}

// The folder below /opt that it is installed in, links resolved: it looks around itself.
std::vector<std::string> reads_of(const Profiler& profiler) {
  std::vector<std::string> paths = profiler.reads;
  paths.push_back(profiler.program);
  std::error_code failed;
  const std::filesystem::path program = std::filesystem::canonical(profiler.program, failed);
  if (failed) return paths;
  std::filesystem::path folder = program.parent_path();
  if (folder.filename() == "bin") folder = folder.parent_path();
  // Of the system's folders a jail shows what it may; any other may have all that a user has.
  if (folder.string().starts_with("/opt/")) paths.push_back(folder.string());
  return paths;
}

VerifyTools tools_with(const CountedCandidate& candidate, const Profiler& profiler) {
  VerifyTools tools = candidate.tools;
  const Runner& runner = candidate.job.runner();
  const std::string launcher = tools.native_compiler.argv.front();
  Image& image = tools.runners.at(runner.name);
  image = image_in_profiler(image, launcher, profiler);
  Limits& limits = candidate.job.on_card ? tools.card_limits : tools.limits;
  limits.output_bytes = kMostPrintedBytes;
  limits.kept_output_bytes = kMostPrintedBytes / 2;
  limits.messages = 2;  // that it is ready, and that it has ended by itself
  if (!limits.jail) return tools;
  for (std::string& path : reads_of(profiler)) limits.jail->read_only.push_back(std::move(path));
  limits.jail->has_loopback = profiler.connects;
  limits.jail->processes += kMoreProcesses;
  return tools;
}

// What was printed last, before the mark.
std::string last_line(std::string_view printed) {
  std::string_view last;
  for (std::string_view line : lines_of(printed.substr(0, printed.rfind(kMark))))
    if (!trimmed(line).empty()) last = trimmed(line);
  return printable(utf8(last.substr(0, kMostReasonBytes)), false);
}

std::string reason_in(std::string_view printed, const Profiler& profiler,
                      const std::string& otherwise) {
  std::string why = profiler.complaint ? profiler.complaint(printed) : "";
  if (!why.empty()) return why;
  const std::string last = last_line(printed);
  return last.empty() ? otherwise : otherwise + ": " + last;
}

}  // namespace

Image image_in_profiler(const Image& runner, const std::string& launcher,
                        const Profiler& profiler) {
  Image image{"launch", {launcher, "/bin/sh", "-c", profiler_script(), "sh", profiler.report}, {}};
  image.environment = runner.environment;
  image.argv.push_back(profiler.program);
  image.argv.insert(image.argv.end(), profiler.options.begin(), profiler.options.end());
  image.argv.insert(image.argv.end(), {"/bin/sh", "-c", kHandOver, "sh"});
  for (std::string& word : program_of(runner)) image.argv.push_back(std::move(word));
  return image;
}

Result<std::string> report_in(std::string_view printed, const Profiler& profiler) {
  const std::string name = std::filesystem::path(profiler.program).filename().string();
  const size_t mark = printed.rfind(kMark);
  if (mark == std::string_view::npos)
    return error(Code::unavailable,
                 reason_in(printed, profiler, name + " was ended before it had written"));
  const std::string_view report = printed.substr(mark + kMark.size());
  if (report == kNoReport)
    return error(Code::unavailable, reason_in(printed, profiler, name + " has left no report"));
  if (report == kTooLarge)
    return error(Code::unavailable, fmt::format("the report of {} has more than {} MiB", name,
                                                kMostReportBytes >> 20));
  auto bytes = bytes_of_base64(report);
  if (!bytes) return error(Code::corrupt, "the report of " + name + " is cut short");
  return *std::move(bytes);
}

Result<std::string> profile_calls(const CountedCandidate& candidate, const Profiler& profiler) {
  const VerifyTools tools = tools_with(candidate, profiler);
  const CountedCandidate counted{candidate.job, tools, candidate.children, candidate.libraries};
  std::string printed;
  auto called = in_counted_launch(counted, "counters", {.seed = 1, .profiled = true},
                                  [&](Launch& launch) -> Step<Json> {
                                    ASSAY_ASSIGN(printed, launch.profile(profiler.calls));
                                    return Json(nullptr);
                                  });
  if (called) return report_in(printed, profiler);
  auto finding = finding_of(std::move(called.error()));
  if (!finding) return std::unexpected(std::move(finding).error());
  return error(Code::unavailable, reason_in(finding->detail, profiler, finding->error));
}

}  // namespace assay
