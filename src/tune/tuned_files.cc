#include "tune/tuned_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "base/text.h"
#include "compile/tuning_spec.h"
#include "session/own_targets.h"

namespace assay {
namespace {

constexpr std::string_view kTable = "[[configuration]]";

// Of a winner, its name among those of other operations and targets: a file of that name, and part
// of an author's. Two problems may have one name: then they hold something else.
std::string name_in_file(const TuneResult& result) {
  constexpr size_t kMostOfName = 150, kDigits = 8;
  std::string name = fmt::format("{}_{}", result.name, result.target).substr(0, kMostOfName);
  for (char& c : name) {
    const bool stays = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!stays) c = '_';
  }
  const TunedFor& winners = result.winner->tuned_for;
  const std::string tuned_for =
      fmt::format("{}\n{}\n{}\n{}\n{}\n{}", result.known_as, result.content, result.target,
                  winners.precision, winners.compiler, winners.cpu);
  return name + "_" + sha256(tuned_for).substr(0, kDigits);
}

// An entry for each operation that has one of its own, else one.
std::vector<TunedEntry> entries_of(const TunedOperation& tuned) {
  const TuneResult& result = tuned.result;
  const std::vector<Configuration>& parts = result.winner->parts;
  std::vector<TunedEntry> entries;
  for (size_t i = 0; i < std::max<size_t>(parts.size(), 1); ++i) {
    TunedEntry& entry = entries.emplace_back(parts.empty() ? *result.winner : parts[i]);
    Configuration& configuration = entry.configuration;
    entry.comment = fmt::format(
        "# {}: {:.3g}x ({:.3g} to {:.3g}) as fast as the compiler's own choice{}",
        configuration.name, result.judged->ratio, result.judged->low, result.judged->high,
        parts.empty() ? "" : ", together with the others of this problem");
    configuration.name = name_in_file(result);
    if (i > 0) configuration.name += fmt::format("_{}", i + 1);
    if (tuned.operation && !configuration.types.empty())
      configuration.types = {operand_type(*tuned.operation)};
  }
  return entries;
}

// The line before each entry, in their order.
std::vector<std::string> comments_in(std::string_view text) {
  std::vector<std::string> comments;
  std::string_view before;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    if (line == kTable) comments.emplace_back(before.starts_with('#') ? before : "");
    before = line;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return comments;
}

// Of this operation alone.
std::string library_of(const TunedOperation& tuned) {
  const Configuration& configuration = *tuned.result.winner;
  return tuning_spec(configuration.name, tuning_parts(configuration, tuned.operation));
}

// Whatever they are called, and for whatever they are.
bool lower_alike(const Configuration& a, const Configuration& b) {
  auto are_equal = [](const LoweringPart& one, const LoweringPart& other) {
    return one.key == other.key && one.values == other.values;
  };
  return a.sizes == b.sizes && a.flags == b.flags && a.pipeline == b.pipeline &&
         std::ranges::equal(a.lowering, b.lowering, are_equal) &&
         a.workgroup_size == b.workgroup_size && a.subgroup_size == b.subgroup_size &&
         a.stages == b.stages;
}

// Whether what was refuted is the same as these entries together.
bool are_refuted(const std::vector<Configuration>& entries, const Configuration& refuted) {
  if (refuted.parts.empty()) return entries.size() == 1 && lower_alike(entries.front(), refuted);
  auto is_part = [&](const Configuration& entry) {
    return std::ranges::any_of(refuted.parts,
                               [&](const Configuration& part) { return lower_alike(entry, part); });
  };
  return entries.size() == refuted.parts.size() && std::ranges::all_of(entries, is_part);
}

// What the search that came to this result was about.
bool is_of(const TunedEntry& entry, const TuneResult& result) {
  const TunedFor& before = entry.configuration.tuned_for;
  auto is_for = [](const std::string& all_or, const std::string& this_one) {
    return all_or.empty() || all_or == this_one;  // "" is what an older assay wrote
  };
  const ConfiguredWorkload workload{result.workload, result.known_as, result.content, {}};
  return !before.workload.empty() && is_for_workload(before, workload) &&
         before.target == result.target && is_for(before.precision, result.precision) &&
         is_for(before.compiler, result.compiler) && is_for(before.cpu, result.cpu);
}

}  // namespace

void set_winner(Configuration configuration, TuneResult& result) {
  configuration.tuned_for = {.workload = result.known_as,
                             .content = result.content,
                             .target = result.target,
                             .compiler = result.compiler,
                             .precision = result.precision,
                             .cpu = result.cpu};
  for (Configuration& part : configuration.parts) part.tuned_for = configuration.tuned_for;
  result.winner = std::move(configuration);
}

Result<std::vector<TunedEntry>> read_tuned(const Disk& disk, const std::string& folder) {
  const std::string file = join_path(folder, kTunedFile);
  std::vector<TunedEntry> entries;
  if (!disk.exists(file)) return entries;
  ASSAY_ASSIGN(const std::string text, disk.read(file));
  ASSAY_ASSIGN(const ConfigurationSet set, parse_configurations(file, text));
  const std::vector<std::string> comments = comments_in(text);
  for (size_t i = 0; i < set.entries.size(); ++i)
    for (Configuration& each : set.entries[i].all())
      entries.push_back({std::move(each), i < comments.size() ? comments[i] : ""});
  return entries;
}

Status write_tune_log(Disk& disk, const std::string& folder, const std::vector<Json>& lines) {
  std::string text;
  for (const Json& line : lines) text += dump_json(line) + "\n";
  return disk.write(join_path(folder, kTuneLog), text);
}

Status write_tuned(Disk& disk, const std::string& folder,
                   const std::vector<TunedOperation>& results) {
  const std::string file = join_path(folder, kTunedFile),
                    libraries = join_path(folder, kTunedFolder);
  auto library_at = [&](const std::string& name) { return join_path(libraries, name + ".mlir"); };
  ASSAY_ASSIGN(std::vector<TunedEntry> entries, read_tuned(disk, folder));
  for (const TunedOperation& each : results) {
    const TuneResult& result = each.result;
    // What was found before was judged, and holds until it is judged otherwise.
    std::vector<Configuration> before;
    for (const TunedEntry& entry : entries)
      if (is_of(entry, result)) before.push_back(entry.configuration);
    const bool is_refuted = std::ranges::any_of(
        result.refuted, [&](const Configuration& refuted) { return are_refuted(before, refuted); });
    if (result.winner || is_refuted) {
      for (const Configuration& one : before) ASSAY_TRY(disk.remove_all(library_at(one.name)));
      std::erase_if(entries, [&](const TunedEntry& entry) { return is_of(entry, result); });
    }
    if (!result.winner) continue;
    std::ranges::move(entries_of(each), std::back_inserter(entries));
    if (result.winner->lowering.empty() && result.winner->parts.empty()) continue;
    ASSAY_TRY(disk.make_directories(libraries));
    ASSAY_TRY(disk.write(library_at(name_in_file(result)), library_of(each)));
  }
  if (entries.empty()) {
    ASSAY_TRY(disk.remove_all(file));
    return disk.remove_all(libraries);
  }
  std::string text = "title = \"found by `assay tune`: for `assay run --tuned`\"\n";
  for (const TunedEntry& entry : entries)
    text += fmt::format("\n{}{}{}", entry.comment, entry.comment.empty() ? "" : "\n",
                        to_toml(entry.configuration));
  return disk.write(file, text);
}

}  // namespace assay
