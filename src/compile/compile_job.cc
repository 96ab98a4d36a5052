#include "compile/compile_job.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <sstream>

#include "base/escape.h"
#include "compile/artifact.h"
#include "compile/diagnostics.h"
#include "run/outcome.h"
#include "run/python.h"
#include "sandbox/memory_file.h"

namespace assay {
namespace {

// Some programs need a larger stack on the CPU than the compiler allows by default. The runtime's
// worker stacks are 128 KiB, so code that was compiled with a larger limit is marked.
constexpr struct {
  const char* when = "stack allocation limit";
  const char* flag = "--iree-llvmcpu-stack-allocation-limit=262144";
  const char* reason = "stack_allocation_limit";
} kStackRetry;

// Every run of white space becomes one space.
std::string one_line(std::string_view text) {
  std::istringstream words{std::string(text)};
  std::string line;
  for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
  return line;
}

// What was printed for one target. Nothing, where so much was printed that marks were left out.
std::string printed_for(std::string_view printed, size_t index) {
  for (size_t i = 0; i < index; ++i) {
    size_t end = printed.find(kTargetEnd);
    if (end == std::string_view::npos) return "";
    printed.remove_prefix(end + 1);
  }
  size_t end = printed.find(kTargetEnd);
  return end == std::string_view::npos ? "" : std::string(printed.substr(0, end));
}

// A name that the compiler gave a phase becomes part of a path.
bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() < 200 && name.front() != '.' &&
         std::ranges::all_of(
             name,
             [](unsigned char c) { return std::isalnum(c) || c == '.' || c == '-' || c == '_'; });
}

// Cuts a target's memory file into the files that the answer announces.
std::optional<std::vector<CompiledFile>> split(std::string_view bytes, const Json& announced) {
  std::vector<CompiledFile> files;
  if (!announced.is_array() || announced.empty()) return std::nullopt;
  for (const Json& each : announced) {
    JsonReader fields(each, "a file");
    std::string name = fields.text("name");
    int64_t size = fields.integer("bytes");
    if (!fields.status() || size < 0 || static_cast<uint64_t>(size) > bytes.size())
      return std::nullopt;
    bool is_artifact = files.empty();
    if (is_artifact ? name != kArtifactName : !is_plain_name(name)) return std::nullopt;
    files.push_back({is_artifact ? name : std::string(kPhasesFolder) + "/" + name,
                     std::string(bytes.substr(0, static_cast<size_t>(size)))});
    bytes.remove_prefix(static_cast<size_t>(size));
  }
  if (!bytes.empty() || !is_whole_module(files.front().bytes)) return std::nullopt;
  return files;
}

// A library that matches nothing is no error of the compiler's: it goes on with its own choice.
std::optional<std::string> why_not_taken_up(const Tuning& tuning, const Json& shown) {
  auto is_taken_up = [&](const std::vector<std::string>& one_of) {
    return std::ranges::any_of(shown, [&](const Json& each) {
      return each.is_string() && std::ranges::find(one_of, each.get<std::string>()) != one_of.end();
    });
  };
  if (std::ranges::all_of(tuning.lowerings, is_taken_up)) return std::nullopt;
  std::string taken;
  for (const Json& each : shown)
    if (each.is_string() && taken.size() < each.get<std::string>().size())
      taken = each.get<std::string>();
  return printable("the compiler has not taken up the configuration " + tuning.configuration +
                       (taken.empty() ? ": it says of no operation how it is lowered"
                                      : ": it has " + taken.substr(0, 300)),
                   false);
}

}  // namespace

Result<CompileJob> make_compile_job(std::string_view mlir, std::vector<CompileWith> with,
                                    CompileOptions options) {
  CompileJob result;
  ASSAY_ASSIGN(result.mlir, sealed_memory_file("kernel.mlir", mlir));
  result.job.body =
      Json{{"job", "compile"},
           {"phases", options.phases},
           {"dispatch", options.dispatch},
           {"threads", options.threads},
           {"retry", {{"when", kStackRetry.when}, {"flags", Json::array({kStackRetry.flag})}}},
           {"targets", Json::array()}};
  if (options.code) result.job.body["code"] = to_json(*options.code);
  result.job.descriptors.push_back(result.mlir.get());
  for (const CompileWith& each : with) {
    ASSAY_ASSIGN(UniqueFd file, empty_memory_file("compiled"));
    result.job.descriptors.push_back(file.get());
    result.results.push_back(std::move(file));
    Json target{{"flags", each.flags}};
    if (each.tuning) {
      target["library"] = each.tuning->library;
      target["lowerings"] = true;
    }
    result.job.body["targets"].push_back(std::move(target));
  }
  result.with = std::move(with);
  result.threads = options.threads;
  return result;
}

Result<CompileAnswer> read_compile_answer(CompileJob& job, const Json& message,
                                          std::string_view printed) {
  JsonReader fields(message, "the compiler's answer");
  CompileAnswer answer;
  int64_t index = fields.integer("index");
  ASSAY_TRY(fields.status());
  if (index < 0 || static_cast<size_t>(index) >= job.results.size())
    return error(Code::corrupt, "the compiler answered for a target that it was not given");
  answer.index = static_cast<size_t>(index);
  job.printed += printed;
  if (auto reason = fields.optional_text("not_judged")) {
    // The target's flags, or this machine: no finding about the workload.
    answer.record = not_judged_stage(Stage::compile, printable(one_line(*reason), false));
    return answer;
  }
  answer.record = stage_from_answer(Stage::compile, message);
  if (answer.record.status != StageStatus::ok) {
    std::string for_target = printed_for(job.printed, answer.index);
    if (says_disk_is_full(for_target)) {
      std::string detail = std::move(answer.record.detail);
      answer.record = not_judged_stage(Stage::compile, kDiskIsFull);
      answer.record.detail = std::move(detail);
    }
    add_printed(answer.record, for_target);
    std::string line = first_error_line(for_target);
    // A linker names the compiler's temporary object first.
    if (size_t object = line.find(".o: "); object != std::string::npos) line.erase(0, object + 4);
    bool from_linker = answer.record.failure == FailureClass::link && !line.empty();
    if (from_linker) answer.record.error = printable(line.substr(0, 500), false);
    return answer;
  }
  JsonReader ok(message["ok"], "the compiler's answer");
  ASSAY_ASSIGN(std::string bytes, read_memory_file(job.results[answer.index]));
  auto files = split(bytes, ok.value("files"));
  if (!files) {
    answer.record =
        failed_stage(Stage::compile, FailureClass::codegen,
                     "the compiler reported success and left an artifact that is not whole");
    return answer;
  }
  if (auto complaint = link_complaint(files->front().bytes)) {
    answer.record = failed_stage(Stage::compile, FailureClass::link, *complaint);
    return answer;
  }
  bool retried = ok.has("retried") && ok.boolean("retried");
  const CompileWith& with = job.with[answer.index];
  if (with.tuning) {
    if (auto complaint = why_not_taken_up(*with.tuning, ok.value("lowerings"))) {
      answer.record = failed_stage(Stage::compile, FailureClass::codegen, *complaint);
      answer.record.evidence = Json{{"lowerings", ok.value("lowerings")}};
      return answer;
    }
  }
  Json flags = with.flags;
  if (retried) flags.push_back(kStackRetry.flag);
  answer.record.evidence = Json{{"flags", std::move(flags)},
                                {"artifact_bytes", files->front().bytes.size()},
                                {"threads", job.threads},
                                {"dispatches", nullptr},
                                {"transient_bytes", nullptr}};
  if (ok.has("dispatch")) answer.record.evidence["dispatch"] = ok.value("dispatch");
  for (const char* each : {"code", "dispatch_bytes"})
    if (ok.has(each)) answer.record.evidence[each] = ok.value(each);
  if (with.tuning) {
    answer.record.evidence["configuration"] = with.tuning->configuration;
    answer.record.evidence["lowerings"] = ok.value("lowerings");
    if (auto shared = ok.optional_integer("shared_bytes"); shared && *shared >= 0)
      answer.record.evidence["shared_bytes"] = *shared;
  }
  if (retried) answer.record.evidence["retried"] = kStackRetry.reason;
  for (const char* count : {"dispatches", "transient_bytes"})
    if (auto value = ok.optional_integer(count); value && *value >= 0)
      answer.record.evidence[count] = *value;
  answer.files = std::move(*files);
  return answer;
}

StageRecord read_compile_end(const Ending& ending, bool fresh) {
  Ending of_target = ending;
  if (size_t mark = ending.output.rfind(kTargetEnd); mark != std::string::npos)
    of_target.output.erase(0, mark + 1);
  StageRecord record = says_disk_is_full(of_target.output)
                           ? not_judged_stage(Stage::compile, kDiskIsFull)
                           : stage_from_ending(Stage::compile, of_target);
  add_costs(record, of_target);
  if (!fresh) {
    record.cpu_ns.reset();
    record.peak_bytes.reset();
  }
  return record;
}

Image compiler_image(const Places& places, CompilerKind kind, const std::string& path) {
  std::string word(to_word(kCompilerKindWords, kind));
  return Image{"compile", {places.compiler, word, path}, image_environment()};
}

}  // namespace assay
