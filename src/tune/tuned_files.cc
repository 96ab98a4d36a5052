#include "tune/tuned_files.h"

#include <fmt/format.h>

#include "base/escape.h"
#include "compile/tuning_spec.h"

namespace assay {
namespace {

// Of a winner, its name among those of other operations and targets.
std::string name_in_file(const TuneResult& result) {
  return escape_component(fmt::format("{}.{}", result.name, result.target));
}

std::string entry_of(const TunedOperation& tuned) {
  const TuneResult& result = tuned.result;
  Configuration configuration = *result.winner;
  std::string text = fmt::format(
      "\n# {}: {:.3g}x ({:.3g} to {:.3g}) as fast as the compiler's own choice\n",
      configuration.name, result.judged->ratio, result.judged->low, result.judged->high);
  configuration.name = name_in_file(result);
  if (tuned.operation && !configuration.types.empty())
    configuration.types = {operand_type(*tuned.operation)};
  return text + to_toml(configuration);
}

// Of this operation alone.
std::string library_of(const TunedOperation& tuned) {
  const Configuration& configuration = *tuned.result.winner;
  std::vector<std::string> types = configuration.types;
  std::optional<ProductSizes> sizes;
  if (tuned.operation) {
    sizes = product_sizes(*tuned.operation);
    types = {operand_type(*tuned.operation)};
  }
  return tuning_spec(configuration, types, sizes);
}

}  // namespace

Status write_tune_log(Disk& disk, const std::string& folder, const std::vector<Json>& lines) {
  std::string text;
  for (const Json& line : lines) text += dump_json(line) + "\n";
  return disk.write(join_path(folder, kTuneLog), text);
}

Status write_tuned(Disk& disk, const std::string& folder,
                   const std::vector<TunedOperation>& results) {
  const std::string file = join_path(folder, kTunedFile),
                    libraries = join_path(folder, kTunedFolder);
  ASSAY_TRY(disk.remove_all(file));
  ASSAY_TRY(disk.remove_all(libraries));
  std::string entries;
  for (const TunedOperation& each : results) {
    if (!each.result.winner) continue;
    entries += entry_of(each);
    if (each.result.winner->lowering.empty()) continue;
    ASSAY_TRY(disk.make_directories(libraries));
    ASSAY_TRY(
        disk.write(join_path(libraries, name_in_file(each.result) + ".mlir"), library_of(each)));
  }
  if (entries.empty()) return {};
  return disk.write(file, "title = \"found by `assay tune`: for `assay run --tuned`\"\n" + entries);
}

}  // namespace assay
