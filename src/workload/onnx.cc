#include "workload/onnx.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/json.h"
#include "base/units.h"
#include "workload/choices.h"
#include "workload/file_names.h"
#include "workload/onnx_source.h"

namespace assay {
namespace {

constexpr std::string_view kOnnxEnding = ".onnx";
constexpr const char* kOnnxNext =
    "sizes of named dimensions stand between brackets: FILE.onnx[batch=1,seq=128]";
// What the worker knows such a source by; the sizes follow, and a line break.
constexpr std::string_view kOnnxMark = "# assay: an ONNX file, ";
// A process that computes in double holds several times as much.
constexpr size_t kMostOnnxBytes = size_t{1} << 30;

Result<std::vector<Choice>> sizes_of(const std::string& given, const std::string& file) {
  Grammar grammar(given, kOnnxNext);
  const Piece rest = Piece{grammar.whole(), 0}.from(file.size());
  ASSAY_ASSIGN(const NameAndArguments split, split_brackets(grammar, rest));
  // Which dimensions there are, the worker knows.
  return read_choices(grammar, split.arguments,
                      [](const Piece&, const std::string&) { return Status(); });
}

}  // namespace

std::optional<std::string> onnx_file_of(std::string_view given) {
  if (given.ends_with(kOnnxEnding)) return std::string(given);
  const size_t at = given.rfind(std::string(kOnnxEnding) + "[");
  if (at == std::string_view::npos) return std::nullopt;
  return std::string(given.substr(0, at + kOnnxEnding.size()));
}

Result<std::vector<Workload>> onnx_workloads(const std::string& given, const Workload& plain) {
  ASSAY_ASSIGN(const auto choices, sizes_of(given, *onnx_file_of(given)));
  std::error_code unknown;
  const auto bytes = std::filesystem::file_size(plain.path, unknown);
  if (!unknown && bytes > kMostOnnxBytes)
    return error(Code::invalid_input,
                 fmt::format("'{}' has {}", *onnx_file_of(given), format_bytes(bytes)),
                 fmt::format("a graph in ONNX is taken up to {}", format_bytes(kMostOnnxBytes)));
  std::vector<Workload> found;
  for_each_choice(choices, [&](const auto& numbers) {
    Workload workload = plain;
    workload.path += in_brackets(numbers);
    if (!numbers.empty()) workload.shared_name = workload.name;
    workload.name += in_name(numbers);
    workload.precision = Precision::f32;  // its types are written in it
    found.push_back(std::move(workload));
  });
  return found;
}

Result<LoadedWorkload> load_onnx(const Disk& disk, const std::string& path) {
  const std::string file = *onnx_file_of(path);
  ASSAY_ASSIGN(const auto choices, sizes_of(path, file));
  ASSAY_ASSIGN(const std::string content, disk.read(file));
  Json sizes = Json::object();
  for (const Choice& choice : choices) sizes[choice.first] = choice.second.front();
  LoadedWorkload loaded{fmt::format("{}{}\n", kOnnxMark, dump_json(sizes)) + content};
  loaded.shown =
      fmt::format("# {}: a graph in ONNX, of {}.\n", last_name(file), format_bytes(content.size()));
  return loaded;
}

}  // namespace assay
