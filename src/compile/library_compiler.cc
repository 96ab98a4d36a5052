#include <algorithm>
#include <mutex>
#include <optional>

#include "compile/compiler.h"
#include "compile/diagnostics.h"
#include "compile/iree_api.h"
#include "model/attempt.h"

namespace assay {
namespace {

// One compile. Owns a session and all that belongs to it.
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

  Json run(const CompileTask& task, ResultFile& result) {
    if (auto problem = set_flags(task.flags)) return bad_flags(*problem);
    // Counts are a convenience: a compiler that has none of these flags compiles all the same.
    (void)set_flags({std::begin(kStatisticsFlags), std::end(kStatisticsFlags)});
    if (!task.threads && api_.session_borrow_context && api_.context_enable_multithreading)
      api_.context_enable_multithreading(api_.session_borrow_context(session_), false);
    invocation_ = api_.invocation_create(session_);
    api_.enable_callback_diagnostics(invocation_, 0, &Compilation::collect, this);
    std::string phases(kPhasesFolder);
    if (task.dumps_phases()) api_.dump_phases_to(invocation_, phases.c_str());
    if (auto problem = taken(api_.source_wrap_buffer(session_, kProgramName, task.program.data(),
                                                     task.program.size() + 1, true, &source_)))
      return failed_compile(FailureClass::import, "", *problem);
    if (!api_.parse_source(invocation_, source_))
      return failed_compile(FailureClass::import, diagnostics_,
                            "the compiler cannot parse the program");
    if (!api_.run_pipeline(invocation_, IreeApi::kPipelineStandard))
      return failed_compile(classify_diagnostics(diagnostics_), diagnostics_,
                            "the compiler failed without a reason");
    void* bytes = nullptr;
    uint64_t size = 0;
    auto problem = taken(api_.output_open_membuffer(&output_));
    if (!problem) problem = taken(api_.output_vm_bytecode(invocation_, output_));
    if (!problem) problem = taken(api_.output_map_memory(output_, &bytes, &size));
    if (problem) return failed_compile(FailureClass::codegen, diagnostics_, *problem);
    if (!result.add(std::string(kArtifactName), {static_cast<const char*>(bytes), size}))
      return cannot_hand_over("the artifact");
    return {{"ok", Json::object()}};
  }

 private:
  static void collect(int severity, const char* message, size_t size, void* user) {
    auto* self = static_cast<Compilation*>(user);
    std::lock_guard lock(self->mutex_);  // "may be invoked from any thread"
    bool is_error = severity == IreeApi::kErrorSeverity;
    // Notes can print the whole program: half of the room is for errors.
    size_t room = is_error ? kKeptDiagnosticsBytes : kKeptDiagnosticsBytes / 2;
    if (self->diagnostics_.size() >= room) return;
    if (is_error) self->diagnostics_ += "error: ";
    self->diagnostics_.append(message, std::min(size, room));
    self->diagnostics_ += '\n';
  }

  // What the compiler has against them, if anything.
  std::optional<std::string> set_flags(const std::vector<std::string>& flags) {
    std::vector<const char*> arguments;
    for (const std::string& flag : flags) arguments.push_back(flag.c_str());
    return taken(
        api_.session_set_flags(session_, static_cast<int>(arguments.size()), arguments.data()));
  }

  // The message of an error, which is destroyed.
  std::optional<std::string> taken(IreeError* problem) {
    if (!problem) return std::nullopt;
    std::string message = api_.error_message(problem);
    api_.error_destroy(problem);
    return message;
  }

  const IreeApi& api_;
  IreeSession* session_;
  IreeInvocation* invocation_ = nullptr;
  IreeSource* source_ = nullptr;
  IreeOutput* output_ = nullptr;
  std::mutex mutex_;
  std::string diagnostics_;
};

class LibraryCompiler final : public Compiler {
 public:
  explicit LibraryCompiler(const IreeApi& api) : api_(api) {}
  Json compile(const CompileTask& task, ResultFile& result) override {
    return Compilation(api_).run(task, result);
  }

 private:
  IreeApi api_;
};

}  // namespace

Result<std::unique_ptr<Compiler>> library_compiler(const std::string& library_path) {
  ASSAY_ASSIGN(IreeApi api, IreeApi::load(library_path));
  api.global_initialize();
  return std::make_unique<LibraryCompiler>(api);
}

}  // namespace assay
