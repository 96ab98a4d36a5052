// The compiler image: loads libIREECompiler.so once, then forks a worker per job. The compiler can
// end its process on bad input; only the worker dies of it. compile_job.h has the protocol.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "compile/diagnostics.h"
#include "compile/iree_api.h"
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

// `started_cpu_ns` is what cpu_ns() was when the target's turn came.
void answer(size_t index, size_t targets, Json message, int64_t started_cpu_ns) {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  message["index"] = index;
  message["cpu_ns"] = cpu_ns() - started_cpu_ns;
  message["peak_bytes"] = int64_t{usage.ru_maxrss} * 1024;
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

bool write_all(int fd, const void* bytes, uint64_t size) {
  const char* at = static_cast<const char*>(bytes);
  while (size > 0) {
    ssize_t count = ::write(fd, at, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    at += count;
    size -= static_cast<uint64_t>(count);
  }
  return true;
}

// One target's compile. Owns a session and all that belongs to it.
class Compilation {
 public:
  explicit Compilation(const IreeApi& api) : api_(api), session_(api.session_create()) {}
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;
  ~Compilation() {
    if (output_) api_.output_destroy(output_);
    if (invocation_) api_.invocation_destroy(invocation_);
    if (source_) api_.source_destroy(source_);
    api_.session_destroy(session_);
  }

  // The answer for this target. `program` is text that ends with a zero byte counted in its size.
  Json run(const std::vector<std::string>& flags, std::string_view program, int artifact_fd) {
    std::vector<const char*> arguments;
    for (const std::string& flag : flags) arguments.push_back(flag.c_str());
    if (auto problem = taken(
            api_.session_set_flags(session_, static_cast<int>(arguments.size()), arguments.data())))
      return {{"bad_flags", *problem}};
    invocation_ = api_.invocation_create(session_);
    api_.enable_callback_diagnostics(invocation_, 0, &Compilation::collect, this);
    // A fixed name, so that no path gets into the artifact.
    if (auto problem = taken(api_.source_wrap_buffer(session_, "kernel.mlir", program.data(),
                                                     program.size(), true, &source_)))
      return failed(FailureClass::import, *problem);
    if (!api_.parse_source(invocation_, source_))
      return failed(FailureClass::import, "the compiler cannot parse the program");
    if (!api_.run_pipeline(invocation_, IreeApi::kPipelineStandard))
      return failed(classify_diagnostics(diagnostics_), "the compiler failed without a reason");
    void* bytes = nullptr;
    uint64_t size = 0;
    auto problem = taken(api_.output_open_membuffer(&output_));
    if (!problem) problem = taken(api_.output_vm_bytecode(invocation_, output_));
    if (!problem) problem = taken(api_.output_map_memory(output_, &bytes, &size));
    if (problem) return failed(FailureClass::codegen, *problem);
    if (!write_all(artifact_fd, bytes, size))
      return failed(FailureClass::codegen,
                    std::string("cannot hand the artifact over: ") + std::strerror(errno));
    return {{"ok", {{"bytes", size}}}};
  }

 private:
  static void collect(int severity, const char* message, size_t size, void* user) {
    auto* self = static_cast<Compilation*>(user);
    std::lock_guard lock(self->mutex_);  // "may be invoked from any thread"
    constexpr size_t kKeep = 256 * 1024;
    if (self->diagnostics_.size() >= kKeep) return;
    if (severity == IreeApi::kErrorSeverity) self->diagnostics_ += "error: ";
    self->diagnostics_.append(message, std::min(size, kKeep));
    self->diagnostics_ += '\n';
  }

  // The message of an error, which is destroyed.
  std::optional<std::string> taken(IreeError* problem) {
    if (!problem) return std::nullopt;
    std::string message = api_.error_message(problem);
    api_.error_destroy(problem);
    return message;
  }

  Json failed(FailureClass failure_class, const std::string& otherwise) {
    std::string line = first_error_line(diagnostics_);
    return {{"failed",
             {{"class", to_word(kFailureClassWords, failure_class)},
              {"error", line.empty() ? otherwise : line},
              {"detail", diagnostics_.substr(0, 64 * 1024)}}}};
  }

  const IreeApi& api_;
  IreeSession* session_;
  IreeInvocation* invocation_ = nullptr;
  IreeSource* source_ = nullptr;
  IreeOutput* output_ = nullptr;
  std::mutex mutex_;
  std::string diagnostics_;
};

std::string read_program(int fd) {
  struct stat info{};
  if (::fstat(fd, &info) != 0) give_up("cannot read the program");
  std::string text(static_cast<size_t>(info.st_size) + 1, '\0');
  size_t filled = 0;
  while (filled + 1 < text.size()) {
    ssize_t count =
        ::pread(fd, text.data() + filled, text.size() - 1 - filled, static_cast<off_t>(filled));
    if (count <= 0) give_up("cannot read the program");
    filled += static_cast<size_t>(count);
  }
  return text;
}

[[noreturn]] void work(const IreeApi& api) {
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
  for (size_t i = 0; i < targets.size(); ++i) {
    prepare_for_out_of_memory(i);
    int64_t started = cpu_ns();
    Compilation compilation(api);
    Json outcome = compilation.run(targets[i].at("flags").get<std::vector<std::string>>(), program,
                                   job->descriptors[i + 1]);
    answer(i, targets.size(), std::move(outcome), started);
  }
  std::fflush(nullptr);
  ::_exit(0);
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "assay-compiler is started by assay, with the compiler's library\n");
    return 2;
  }
  auto api = assay::IreeApi::load(argv[1]);
  if (!api) {
    std::fprintf(stderr, "%s\n", api.error().describe().c_str());
    return 1;
  }
  api->global_initialize();
  assay::sandbox::serve_forks(assay::wire::kChannelFd, "compile", {});
  assay::work(*api);
}
