#include "workload/weights_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "base/hash.h"
#include "base/json.h"
#include "base/units.h"
#include "workload/file_names.h"
#include "workload/graph_file.h"

namespace assay {
namespace {

constexpr std::string_view kWeightsFile = "model.safetensors";
constexpr std::string_view kWeightsIndex = "model.safetensors.index.json";
constexpr std::string_view kWeightsEnding = ".safetensors";
constexpr std::string_view kFetchAnew = "fetch the index of the shards anew";
constexpr std::array<std::string_view, 5> kPickleEndings{".bin", ".pt", ".pth", ".ckpt", ".pkl"};

bool is_pickle(const DirectoryEntry& entry) {
  return entry.is_file && std::ranges::any_of(kPickleEndings, [&](std::string_view ending) {
           return entry.name.ends_with(ending);
         });
}

// The largest that hubs have are of 10 MB.
constexpr uint64_t kMostIndexBytes = uint64_t{16} << 20;

Result<std::vector<std::string>> shards(const Disk& disk, const std::string& folder) {
  const std::string path = join_path(folder, kWeightsIndex);
  ASSAY_ASSIGN(const Digest digest, disk.digest(path));  // of any size, and in no memory
  if (digest.bytes > kMostIndexBytes)
    return error(Code::invalid_input,
                 fmt::format("'{}' has {}: an index of weights is taken up to {}", path,
                             format_bytes(digest.bytes), format_bytes(kMostIndexBytes)),
                 std::string(kFetchAnew));
  ASSAY_ASSIGN(const std::string text, disk.read(path));
  ASSAY_ASSIGN(std::vector<std::string> names, read_weights_index(text, path));
  for (const std::string& name : names)
    if (!disk.exists(join_path(folder, name)))
      return error(Code::not_found,
                   fmt::format("'{}' lacks {}, which {} names", folder, name, kWeightsIndex),
                   "fetch the missing files of the weights");
  std::ranges::sort(names);
  return names;
}

Result<std::vector<std::string>> files_of_weights(const Disk& disk, const std::string& folder) {
  if (disk.exists(join_path(folder, kWeightsFile))) return std::vector{std::string(kWeightsFile)};
  if (disk.exists(join_path(folder, kWeightsIndex))) return shards(disk, folder);
  ASSAY_ASSIGN(const auto entries, disk.list(folder));
  if (const auto pickle = std::ranges::find_if(entries, is_pickle); pickle != entries.end())
    return error(Code::invalid_input,
                 fmt::format("'{}' has weights in pickles alone, {}: whoever reads a pickle runs "
                             "what is in it, so assay reads none",
                             folder, pickle->name),
                 "save them again by safetensors.torch.save_file(tensors, 'model.safetensors')");
  return error(Code::not_found,
               fmt::format("'{}' has neither {} nor {}", folder, kWeightsFile, kWeightsIndex),
               "name a folder of weights as hubs have them");
}

}  // namespace

Result<std::vector<std::string>> read_weights_index(std::string_view text,
                                                    const std::string& path) {
  auto bad = [&](const std::string& message) {
    return error(Code::invalid_input, message, std::string(kFetchAnew));
  };
  auto index = parse_json(text, "'" + path + "'");
  if (!index) return bad(index.error().message);
  JsonReader fields(*index, "'" + path + "'");
  const Json& map = fields.value("weight_map");
  if (Status good = fields.status(); !good) return bad(good.error().message);
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const Json& each : map) {
    const std::string name = each.is_string() ? each.get<std::string>() : "";
    // The operating system would take no more of a name than what stands before a zero.
    if (!name.ends_with(kWeightsEnding) || name.contains('/') || name.contains('\0'))
      return error(Code::invalid_input,
                   fmt::format("'{}' names {}, which is no safetensors file beside it", path,
                               dump_json(each)));
    if (seen.insert(name).second) names.push_back(name);
  }
  if (names.empty()) return bad(fmt::format("'{}' names no file: no 'weight_map'", path));
  return names;
}

Result<LoadedWeights> find_weights(const Disk& disk, const std::string& folder) {
  LoadedWeights weights;
  weights.folder = absolute_path(folder);
  if (!disk.exists(weights.folder) || !disk.is_directory(weights.folder))
    return error(Code::not_found, fmt::format("there is no folder '{}' with weights", folder),
                 "name a folder with model.safetensors, as hubs have it");
  ASSAY_ASSIGN(weights.files, files_of_weights(disk, weights.folder));
  std::string digests;
  std::set<std::string> reads{weights.folder};
  for (const std::string& file : weights.files) {
    const std::string path = join_path(weights.folder, file);
    ASSAY_ASSIGN(const Digest digest, disk.digest(path));
    digests += fmt::format("{} {}\n", digest.sha256, file);
    reads.insert(folder_of(absolute_path(path)));
  }
  weights.sha256 = sha256(digests);
  weights.reads.assign(reads.begin(), reads.end());
  return weights;
}

Status load_with(std::vector<Workload>& workloads,
                 const std::shared_ptr<const LoadedWeights>& weights) {
  for (Workload& each : workloads) {
    const bool is_model = !each.precision || has_names_of_weights(each.path);
    if (!is_model || each.has_tests)
      return error(
          Code::invalid_input,
          fmt::format("--load-weights does not apply to {}: it is no model in Python", each.path),
          "name problems with Model or get_model(), programs in .pt2, or model:NAME");
    each.weights = weights;
  }
  return {};
}

}  // namespace assay
