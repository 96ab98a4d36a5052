#include "compile/compile_job.h"

#include <cstring>
#include <sstream>

#include "base/escape.h"
#include "compile/artifact.h"
#include "run/outcome.h"
#include "run/python.h"
#include "sandbox/memory_file.h"

namespace assay {
namespace {

// Every run of white space becomes one space.
std::string one_line(std::string_view text) {
  std::istringstream words{std::string(text)};
  std::string line;
  for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
  return line;
}

}  // namespace

Result<CompileJob> make_compile_job(std::string_view mlir,
                                    const std::vector<std::vector<std::string>>& flags) {
  CompileJob result;
  ASSAY_ASSIGN(result.mlir, sealed_memory_file("kernel.mlir", mlir));
  result.job.body = Json{{"job", "compile"}, {"targets", Json::array()}};
  result.job.descriptors.push_back(result.mlir.get());
  for (const auto& target_flags : flags) {
    ASSAY_ASSIGN(UniqueFd artifact, empty_memory_file("artifact.vmfb"));
    result.job.descriptors.push_back(artifact.get());
    result.artifacts.push_back(std::move(artifact));
    result.job.body["targets"].push_back({{"flags", target_flags}});
  }
  return result;
}

Result<CompileAnswer> read_compile_answer(const CompileJob& job, const Json& message) {
  JsonReader fields(message, "the compiler's answer");
  CompileAnswer answer;
  int64_t index = fields.integer("index");
  ASSAY_TRY(fields.status());
  if (index < 0 || static_cast<size_t>(index) >= job.artifacts.size())
    return error(Code::corrupt, "the compiler answered for a target that it was not given");
  answer.index = static_cast<size_t>(index);
  if (auto complaint = fields.optional_text("bad_flags")) {
    // The target's file is wrong, or does not fit this compiler: no finding about the workload.
    answer.record.stage = Stage::compile;
    answer.record.status = StageStatus::not_judged;
    answer.record.error =
        "the compiler does not take the target's flags: " + printable(one_line(*complaint), false);
    return answer;
  }
  answer.record = stage_from_answer(Stage::compile, message);
  if (answer.record.status != StageStatus::ok) return answer;
  JsonReader ok(message["ok"], "the compiler's answer");
  int64_t claimed_bytes = ok.integer("bytes");
  ASSAY_ASSIGN(answer.artifact, read_memory_file(job.artifacts[answer.index]));
  if (!ok.status() || static_cast<int64_t>(answer.artifact.size()) != claimed_bytes ||
      !is_whole_module(answer.artifact)) {
    answer.record =
        failed_stage(Stage::compile, FailureClass::codegen,
                     "the compiler reported success and left an artifact that is not whole");
    answer.artifact.clear();
  } else if (auto complaint = link_complaint(answer.artifact)) {
    answer.record = failed_stage(Stage::compile, FailureClass::link, *complaint);
    answer.artifact.clear();
  }
  return answer;
}

bool is_whole_module(std::string_view bytes) {
  // A VM module is a FlatBuffer with the file identifier "IREE", or that wrapped in a ZIP archive.
  // Either way a cut file is seen: the flat buffer's first word is the size of what follows, and an
  // archive ends with its directory's end record.
  constexpr std::string_view kZipEnd("PK\x05\x06", 4);
  constexpr size_t kZipEndBytes = 22;
  if (bytes.starts_with(std::string_view("PK\x03\x04", 4)))
    return bytes.size() > kZipEndBytes &&
           bytes.substr(bytes.size() - kZipEndBytes).starts_with(kZipEnd);
  constexpr size_t kPrefixBytes = 4;
  if (bytes.size() < 2 * kPrefixBytes + 4) return false;
  uint32_t size = 0;
  std::memcpy(&size, bytes.data(), sizeof size);
  return bytes.substr(2 * kPrefixBytes, 4) == "IREE" && bytes.size() >= kPrefixBytes + size;
}

Image compiler_image(const Places& places, const std::string& library_path) {
  return Image{"compile", {places.compiler, library_path}, image_environment()};
}

}  // namespace assay
