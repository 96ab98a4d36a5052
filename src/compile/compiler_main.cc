// The compiler image: loads the compiler once, then forks a worker per job. The compiler can end
// its process on bad input; only the worker dies of it. compile_job.h has the protocol.
#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <expected>
#include <filesystem>
#include <new>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/disk.h"
#include "base/json.h"
#include "base/unique_fd.h"
#include "compile/compile_job.h"
#include "compile/compiler.h"
#include "compile/direct_dispatch.h"
#include "compile/dispatch_programs.h"
#include "compile/tuning_spec.h"
#include "model/attempt.h"
#include "sandbox/capture.h"
#include "sandbox/fork_server.h"
#include "sandbox/wire.h"

namespace assay {
namespace {

constexpr int kChannel = wire::kChannelFd;
// A worker that cannot do its job for a reason that is not the job's.
constexpr int kBrokenExit = 1;

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "assay-compiler: %s\n", why.c_str());
  ::_exit(kBrokenExit);
}

// CPU time of this process and of the linkers it ran, so far.
int64_t cpu_ns() {
  int64_t total = 0;
  for (int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    ::getrusage(static_cast<__rusage_who>(who), &usage);
    for (const timeval& t : {usage.ru_utime, usage.ru_stime})
      total += int64_t{t.tv_sec} * 1'000'000'000 + t.tv_usec * 1'000;
  }
  return total;
}

struct Spent {
  int64_t wall_ns = 0, cpu_ns = 0;
};
Spent spent() { return {now_ns(), cpu_ns()}; }

// So that a target's peak is its own: what the one before it has freed goes back to the system, and
// the kernel measures anew. Where it can't, the peak is that of all targets so far.
void measure_peak_anew() {
  ::malloc_trim(0);
  constexpr std::string_view kResetPeak = "5";
  UniqueFd file(::open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC));
  if (file) (void)write_all(file.get(), kResetPeak);
}

// Of this process. What it ran is not asked for: a linker's peak counts that of its parent.
int64_t peak_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return int64_t{usage.ru_maxrss} * 1024;
}

// `started_cpu_ns` is what cpu_ns() was when the target's turn came; `counting` is what it took to
// look at the code, which is not the compiler's.
void answer(size_t index, size_t targets, Json message, int64_t started_cpu_ns,
            const Spent& counting) {
  if (auto failed = message.find("failed"); failed != message.end()) {
    Capture detail;
    detail.add(failed->at("detail").get<std::string>());
    failed->at("detail") = detail.text();
  }
  message["index"] = index;
  message["cpu_ns"] = cpu_ns() - started_cpu_ns - counting.cpu_ns;
  message["counting_ns"] = counting.wall_ns;
  if (!message.contains("peak_bytes")) message["peak_bytes"] = peak_bytes();
  if (index + 1 == targets) message["final"] = true;
  if (!wire::send(kChannel, wire::frame(dump_json(message)))) ::_exit(0);
}

// Out of memory is said before the heap is needed to say it: the frame is made ready beforehand.
std::string out_of_memory_frame;

void prepare_for_out_of_memory(size_t index) {
  Json message{{"index", index},
               {"final", true},
               {"failed", {{"class", "out_of_memory"}, {"error", "ran into its memory limit"}}}};
  out_of_memory_frame = wire::frame(dump_json(message));
  std::set_new_handler([] {
    (void)wire::send(kChannel, out_of_memory_frame);
    ::_exit(0);
  });
}

std::string read_program(int fd) {
  struct stat info{};
  if (::fstat(fd, &info) != 0) give_up("cannot read the program");
  std::string text(static_cast<size_t>(info.st_size), '\0');
  size_t filled = 0;
  while (filled < text.size()) {
    ssize_t count =
        ::pread(fd, text.data() + filled, text.size() - filled, static_cast<off_t>(filled));
    if (count <= 0) give_up("cannot read the program");
    filled += static_cast<size_t>(count);
  }
  return text;
}

// The compiler's own counts; without them the fields are left out.
void add_statistics(Json& ok) {
  auto text = system_disk().read(kStatisticsName);
  if (!text) return;
  auto statistics = parse_json(*text, "the statistics");
  if (!statistics) return;
  JsonReader all(*statistics, "the statistics");
  JsonReader aggregate(all.value("stream-aggregate"), "the statistics");
  JsonReader execution(aggregate.value("execution"), "the statistics");
  if (auto count = execution.optional_integer("dispatch-count")) ok["dispatches"] = *count;
  if (auto bytes = execution.optional_integer("transient-memory-size"))
    ok["transient_bytes"] = *bytes;
}

// Puts the dumped phases into the result, in the order of their numbers.
bool add_phases(ResultFile& result) {
  auto entries = system_disk().list(std::string(kPhasesFolder));
  if (!entries) return false;
  auto number = [](const DirectoryEntry& entry) {
    return std::atoi(entry.name.c_str() + entry.name.find('.') + 1);
  };
  std::ranges::stable_sort(*entries, {}, number);
  return std::ranges::all_of(*entries, [&](const DirectoryEntry& entry) {
    return result.add_from(entry.name, join_path(kPhasesFolder, entry.name));
  });
}

// The dump of one phase.
std::expected<std::string, std::string> phase(const std::string& name) {
  auto entries = system_disk().list(std::string(kPhasesFolder));
  if (!entries) return std::unexpected("the compiler has left no phases");
  for (const DirectoryEntry& entry : *entries) {
    if (!entry.name.ends_with("." + name + ".mlir")) continue;
    auto text = system_disk().read(join_path(kPhasesFolder, entry.name));
    if (!text) return std::unexpected(text.error().message);
    return std::move(*text);
  }
  return std::unexpected("the compiler has left no phase " + name);
}

// What the program's one call is, or why it is none.
Json find_dispatch() {
  auto text = phase("hal");
  if (!text) return text.error();
  auto dispatch = direct_dispatch(*text);
  return dispatch ? std::move(*dispatch) : Json(dispatch.error());
}

// How operations are lowered; a program may have very many.
Json find_lowerings() {
  constexpr size_t kMost = 64;
  auto text = phase("executable-configurations");
  if (!text) return Json::array();
  auto found = lowerings_in(*text);
  if (found.size() > kMost) found.resize(kMost);
  return found;
}

// Where the compiler is told to look for its library.
bool put_library(const std::string& text) {
  const std::string name(kTuningLibraryName);
  std::error_code ignored;
  std::filesystem::remove(name, ignored);
  return text.empty() || system_disk().write(name, text).has_value();
}

// What the code takes of a machine, and moves. Costs time that is not the compiler's.
void count_code(const CodeTools& tools, const ResultFile& result, Json& ok, Spent& counting) {
  const Spent begin = spent();
  const auto artifact = result.first();
  ok["code"] = artifact ? code_facts(*artifact, tools)
                        : Json::array({{{"failed", "the artifact cannot be read again"}}});
  if (auto text = phase("flow")) ok["dispatch_bytes"] = dispatch_bytes(*text);
  const Spent end = spent();
  counting = {end.wall_ns - begin.wall_ns, end.cpu_ns - begin.cpu_ns};
}

Json compile_once(Compiler& compiler, const CompileTask& task, ResultFile& result,
                  Spent& counting) {
  std::error_code ignored;
  std::filesystem::remove_all(kPhasesFolder, ignored);
  std::filesystem::remove(kStatisticsName, ignored);
  result.clear();
  Json outcome = compiler.compile(task, result);
  if (!outcome.contains("ok")) return outcome;
  add_statistics(outcome["ok"]);
  if (task.phases && !add_phases(result)) return cannot_hand_over("the phases");
  if (task.dispatch) outcome["ok"]["dispatch"] = find_dispatch();
  if (task.lowerings) {
    outcome["ok"]["lowerings"] = find_lowerings();
    if (auto targets = phase("executable-targets"))
      if (const auto bytes = shared_bytes_in(*targets)) outcome["ok"]["shared_bytes"] = *bytes;
  }
  if (task.code) {
    // Of the compiler alone, what looks at its code is another's.
    if (!outcome.contains("peak_bytes")) outcome["peak_bytes"] = peak_bytes();
    count_code(*task.code, result, outcome["ok"], counting);
  }
  outcome["ok"]["files"] = result.list();
  return outcome;
}

// True when other flags may mend the failure, and the target does not set them itself.
bool mends(const Json& retry, const Json& outcome, const std::vector<std::string>& flags) {
  auto failed = outcome.find("failed");
  if (failed == outcome.end() || !retry.is_object()) return false;
  std::string flag = retry.at("flags").at(0);
  std::string name = flag.substr(0, flag.find('='));
  return failed->at("detail").get<std::string>().contains(retry.at("when").get<std::string>()) &&
         std::ranges::none_of(flags, [&](const std::string& f) { return f.starts_with(name); });
}

[[noreturn]] void work(Compiler& compiler) {
  auto job = wire::receive_job(kChannel);
  if (!job) ::_exit(0);  // assay is gone
  auto body = parse_json(job->body, "the job");
  if (!body) give_up(body.error().describe());
  JsonReader fields(*body, "the job");
  const Json& targets = fields.value("targets");
  if (fields.text("job") != "compile" || !targets.is_array() ||
      job->descriptors.size() != targets.size() + 1)
    give_up("this image has no such job");
  prepare_for_out_of_memory(0);
  std::string program = read_program(job->descriptors[0]);
  CompileTask task;
  task.program = program;
  task.phases = fields.boolean("phases");
  task.dispatch = fields.has("dispatch") && fields.boolean("dispatch");
  task.threads = fields.boolean("threads");
  if (fields.has("code")) task.code = code_tools_from_json(fields.value("code"));
  for (size_t i = 0; i < targets.size(); ++i) {
    prepare_for_out_of_memory(i);
    measure_peak_anew();
    int64_t started = cpu_ns();
    task.flags = targets[i].at("flags").get<std::vector<std::string>>();
    const std::string library = targets[i].value("library", "");
    task.lowerings = targets[i].value("lowerings", false);
    ResultFile result(job->descriptors[i + 1]);
    Spent counting;
    Json outcome = put_library(library) ? compile_once(compiler, task, result, counting)
                                        : cannot_hand_over("the library to the compiler");
    if (mends(fields.value("retry"), outcome, task.flags)) {
      for (const Json& flag : fields.value("retry").at("flags")) task.flags.push_back(flag);
      Json again = compile_once(compiler, task, result, counting);
      if (again.contains("ok")) again["ok"]["retried"] = true;
      outcome = std::move(again);
    }
    (void)!::write(STDERR_FILENO, &kTargetEnd, 1);
    answer(i, targets.size(), std::move(outcome), started, counting);
  }
  std::fflush(nullptr);
  ::_exit(0);
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  std::string kind = argc == 3 ? argv[1] : "";
  if (kind != "library" && kind != "tool") {
    std::fprintf(stderr, "assay-compiler is started by assay: `library PATH` or `tool PATH`\n");
    return 2;
  }
  std::unique_ptr<assay::Compiler> compiler;
  if (kind == "library") {
    auto loaded = assay::library_compiler(argv[2]);
    if (!loaded) {
      std::fprintf(stderr, "%s\n", loaded.error().describe().c_str());
      return 1;
    }
    compiler = std::move(*loaded);
  } else {
    compiler = assay::tool_compiler(argv[2]);
  }
  assay::sandbox::serve_forks(assay::wire::kChannelFd, "compile", {});
  assay::work(*compiler);
}
