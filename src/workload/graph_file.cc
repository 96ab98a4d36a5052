#include "workload/graph_file.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "base/json.h"
#include "base/units.h"
#include "workload/choices.h"
#include "workload/file_names.h"
#include "workload/graph_file_source.h"

namespace assay {
namespace {

struct GraphFormat {
  std::string_view ending;
  std::string_view mark;  // what the worker knows such a source by: sizes follow, and a line break
  std::string_view title;
  std::string_view data_mark;  // the same, where FILE.data beside it has weights; "": none can
  bool has_names = false;      // what it holds is called as in the model that it was made of
};

constexpr std::array kGraphFormats{
    GraphFormat{".onnx", "# assay: an ONNX file, ", "a graph in ONNX",
                "# assay: an ONNX file and its data, "},
    GraphFormat{".pt2", "# assay: an exported program, ", "a program of torch.export", "", true}};

struct NamedGraph {
  std::string file;
  const GraphFormat* format = nullptr;
};

std::optional<NamedGraph> named_graph(std::string_view given) {
  for (const GraphFormat& format : kGraphFormats) {
    if (given.ends_with(format.ending)) return NamedGraph{std::string(given), &format};
    const size_t at = given.rfind(std::string(format.ending) + "[");
    if (at == std::string_view::npos) continue;
    return NamedGraph{std::string(given.substr(0, at + format.ending.size())), &format};
  }
  return std::nullopt;
}

// Weights that torch.onnx.export leaves beside the graph; "": there is no such file.
std::string data_beside(const Disk& disk, const NamedGraph& graph) {
  if (graph.format->data_mark.empty()) return "";
  std::string path = graph.file + ".data";
  return disk.exists(path) && !disk.is_directory(path) ? path : "";
}

Result<std::vector<Choice>> sizes_of(const std::string& given, const NamedGraph& graph) {
  Grammar grammar(given, fmt::format("sizes of named dimensions stand between brackets: "
                                     "FILE{}[batch=1,seq=128]",
                                     graph.format->ending));
  const Piece rest = Piece{grammar.whole(), 0}.from(graph.file.size());
  ASSAY_ASSIGN(const NameAndArguments split, split_brackets(grammar, rest));
  // Which dimensions there are, the worker knows.
  return read_choices(grammar, split.arguments,
                      [](const Piece&, const std::string&) { return Status(); });
}

}  // namespace

std::optional<std::string> graph_file_of(std::string_view given) {
  auto graph = named_graph(given);
  return graph ? std::optional(std::move(graph->file)) : std::nullopt;
}

bool has_names_of_weights(std::string_view given) {
  const auto graph = named_graph(given);
  return graph && graph->format->has_names;
}

Result<std::vector<Workload>> graph_workloads(const Disk& disk, const std::string& given,
                                              const Workload& plain) {
  const NamedGraph graph = *named_graph(given);
  ASSAY_ASSIGN(const auto choices, sizes_of(given, graph));
  std::error_code unknown;
  auto bytes = std::filesystem::file_size(plain.path, unknown);
  if (const std::string data = data_beside(disk, *named_graph(plain.path));
      !unknown && !data.empty())
    bytes += std::filesystem::file_size(data, unknown);
  if (!unknown && bytes > kMostGraphBytes)
    return error(
        Code::invalid_input, fmt::format("'{}' has {}", graph.file, format_bytes(bytes)),
        fmt::format("{} is taken up to {}", graph.format->title, format_bytes(kMostGraphBytes)));
  std::vector<Workload> found;
  for_each_choice(choices, [&](const auto& numbers) {
    Workload workload = plain;
    workload.path += in_brackets(numbers);
    if (!numbers.empty()) workload.shared_name = workload.name;
    workload.name += in_name(numbers);
    workload.precision = Precision::f32;  // its types are written in it
    workload.exports_in_jail = true;
    found.push_back(std::move(workload));
  });
  return found;
}

Result<LoadedWorkload> load_graph(const Disk& disk, const std::string& path) {
  const NamedGraph graph = *named_graph(path);
  ASSAY_ASSIGN(const auto choices, sizes_of(path, graph));
  ASSAY_ASSIGN(const std::string content, disk.read(graph.file));
  Json sizes = Json::object();
  for (const Choice& choice : choices) sizes[choice.first] = choice.second.front();
  std::string_view mark = graph.format->mark;
  std::string head, data;
  if (const std::string beside = data_beside(disk, graph); !beside.empty()) {
    mark = graph.format->data_mark;
    ASSAY_ASSIGN(data, disk.read(beside));
    head = dump_json({{"graph_bytes", content.size()}, {"data", last_name(beside)}}) + "\n";
  }
  LoadedWorkload loaded{fmt::format("{}{}\n{}", mark, dump_json(sizes), head) + content + data};
  loaded.shown = fmt::format("# {}: {}, of {}.\n", last_name(graph.file), graph.format->title,
                             format_bytes(content.size() + data.size()));
  return loaded;
}

}  // namespace assay
