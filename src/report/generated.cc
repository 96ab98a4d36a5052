// The folder that IREE's dispatch profiler generated: generated/linalg/KIND/OPERATION/ with the
// program, and what it was compiled to for each target. manifest.json says of each
// file how it is made again; there it was a pickle.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/disk.h"
#include "base/escape.h"
#include "op/expand.h"
#include "report/format.h"
#include "report/run_reader.h"

namespace assay {
namespace {

constexpr std::string_view kManifest = "generated/linalg/manifest.json";

// One file of the folder, and the attempt that it is of.
struct GeneratedFile {
  std::string name;    // "generated/linalg/matmul/matmul_4x5x6_f32t_f32t_f32t/....mlir"
  std::string source;  // in the run's folder
  const Attempt* attempt = nullptr;
  std::string operation;
};

bool has_file(const Attempt& attempt, std::string_view name) {
  return std::ranges::any_of(attempt.artifacts,
                             [&](const ArtifactRecord& each) { return each.name == name; });
}

// The profiler's name, unless another workload has that, too: it knew no slices.
class OperationNames {
 public:
  std::string name_of(const OpWorkload& workload) {
    const std::string classic = workload.classic_name();
    if (classic.empty()) return workload.name();
    const auto [owner, is_new] = owners_.try_emplace(classic, workload.spelled());
    return owner->second == workload.spelled() ? classic : workload.name();
  }

 private:
  std::map<std::string, std::string> owners_;
};

// "_tile_config_128x128_32x5_tensorcore_mmasync" of iree@tile_config_..., as the profiler's names
// end; nothing of the compiler's own choice.
std::string made_by(std::string_view author) {
  constexpr std::string_view kCompiler = "iree", kBefore = "iree@";
  if (author == kCompiler) return "";
  if (author.starts_with(kBefore)) author.remove_prefix(kBefore.size());
  return "_" + escape_component(std::string(author));
}

std::vector<GeneratedFile> files_of(const ReportInput& input) {
  std::vector<GeneratedFile> files;
  std::set<std::string> written;
  OperationNames names;
  for (const Attempt& attempt : input.attempts) {
    if (!attempt.path.starts_with(kOpPrefix) || !has_file(attempt, kMlirName)) continue;
    const auto workloads = expand_op(attempt.path);
    if (!workloads) continue;  // another assay's
    const OpWorkload& workload = workloads->front();
    const std::string operation = names.name_of(workload);
    const std::string folder =
        fmt::format("generated/linalg/{}/{}/", workload.operation->name, operation);
    auto add = [&](const std::string& name, std::string_view artifact) {
      if (written.insert(name).second)
        files.push_back({name,
                         join_path(join_path(input.folder, attempt.id), std::string(artifact)),
                         &attempt, operation});
    };
    add(folder + operation + ".mlir", kMlirName);
    if (has_file(attempt, kArtifactName))
      add(fmt::format("{}{}{}_{}.vmfb", folder, operation, made_by(attempt.author),
                      escape_component(attempt.target)),
          kArtifactName);
  }
  return files;
}

}  // namespace

std::vector<std::string> generated_files(const ReportInput& input) {
  std::vector<std::string> names{std::string(kManifest)};
  for (const GeneratedFile& file : files_of(input)) names.push_back(file.name);
  return names;
}

void render_generated(const ReportInput& input, ReportSink& sink) {
  const std::vector<GeneratedFile> files = files_of(input);
  sink.begin_file(std::string(kManifest));
  Json listed = Json::array();
  for (const GeneratedFile& file : files)
    listed.push_back({{"file", file.name},
                      {"operation", file.operation},
                      {"arguments", file.attempt->path},
                      {"target", file.attempt->target},
                      {"author", file.attempt->author},
                      {"id", file.attempt->id}});
  sink.write(dump_json({{"files", listed}}, 1) + "\n");
  for (const GeneratedFile& file : files) {
    const auto bytes = input.reader ? input.reader->text(file.source) : std::nullopt;
    if (!bytes)
      return sink.fail(error(Code::not_found, fmt::format("'{}' is no longer there", file.source),
                             "run it again: the same command writes what is missing")
                           .error());
    sink.begin_file(file.name);
    sink.write(*bytes);
  }
}

}  // namespace assay
