// How IREE is told to lower an operation, in the place of its own choice: tiles, a pipeline, flags.
// Data: the files in configs/ (docs/formats.md). With knobs one entry stands for many.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/disk.h"
#include "base/status.h"
#include "model/operation_facts.h"
#include "target/target.h"

namespace assay {

// One attribute of a lowering: sizes by the operation's loops, or a word.
struct LoweringPart {
  std::string key;  // "distribution", "workgroup", "mma_kind"
  bool is_list = true;
  std::vector<std::string> values{};  // numbers; of an entry with knobs also their names
};

// What a configuration was tuned for. "": for all. A problem of a file is named by its name and a
// hash of what it holds, so that it is found wherever it lies.
struct TunedFor {
  std::string workload{}, content{}, target{}, compiler{}, precision{}, cpu{};
};

// A name that users of another tool have, and that nothing has here.
struct InsteadOf {
  std::string name{}, why{};  // "IREE has no tf32 on NVIDIA's Tensor Cores"
};

// What tiles are known for: products of matrices, with a batch or without, and convolutions over
// two dimensions.
inline constexpr std::string_view kProduct = "product", kConvolution = "convolution";

struct Configuration {
  std::string name;                          // part of an author's: iree@NAME
  std::string backend{};                     // of the targets that it is for; "": of all
  std::vector<std::string> architectures{};  // of GPUs; none: all
  std::string operation{};                   // kProduct or kConvolution; "": all, by flags alone
  // Of a program's products the one of these sizes alone: "64x32x128", with a batch before them; or
  // of its convolutions. "": all.
  std::string sizes{};
  std::vector<std::string> types{};  // of the operands; none, of flags alone: all
  bool divides = false;              // its tiles have to divide the sizes
  std::string pipeline{};
  std::vector<LoweringPart> lowering{};
  std::vector<std::string> workgroup_size{};
  std::string subgroup_size{}, stages{};
  std::vector<std::string> flags{};
  // Which of a space's points it is: its knobs with their values, by name.
  std::vector<std::pair<std::string, std::string>> knobs{};
  std::string from{};      // the file, of one that does not come with assay
  InsteadOf instead_of{};  // what it stands in for; without a name: nothing
  TunedFor tuned_for{};

  // Each for one operation of a program; then it says nothing itself. None: it is one.
  std::vector<Configuration> parts{};

  const LoweringPart* find(std::string_view key) const;
  // "tiles" of "tiles_dm8_vn16": what a space's points of one entry have in common.
  std::string family() const;
};

// An entry of a file: one configuration, or with knobs all their combinations that it allows.
struct ConfigurationEntry {
  Configuration made_of;  // with the knobs' names where their values will be
  std::vector<std::pair<std::string, std::vector<std::string>>> knobs{};
  std::vector<std::string> require{};  // "vm <= dm", "vm divides dm", of products with *

  // Those that `require` leaves, of so many: SIZE_MAX where they cannot be counted.
  std::vector<Configuration> all() const;
  size_t combinations() const;
};

struct ConfigurationSet {
  std::string name;  // the file's stem
  std::string path;
  std::string title;
  bool is_space = false;  // too many to run all of them: what `assay tune` searches
  std::vector<ConfigurationEntry> entries{};
};

// Of all knobs of a set, before `require` leaves some out: each of them is made when it is read.
inline constexpr size_t kMostCombinations = 100'000;

Result<ConfigurationSet> parse_configurations(const std::string& path, std::string_view text);

// Those that come with assay, by name. `folder`: theirs.
Result<std::vector<ConfigurationSet>> shipped_configurations(const Disk& disk,
                                                             const std::string& folder);
// One of these by name, or a file's.
Result<ConfigurationSet> find_configurations(const Disk& disk, const std::string& folder,
                                             const std::string& name_or_path);

// "IREE has no tf32 on NVIDIA's Tensor Cores; NAME stands in for OTHER", of one that does.
std::string stands_in(const Configuration& configuration);

// IREE's name of what compiles for a target: "llvm-cpu", "cuda", "vulkan".
std::string backend_of(const Target& target);

// Why the configuration is not for a target, whatever is compiled for that; "": it is.
std::string why_not_on(const Configuration& configuration, const Target& target);
// Why the configuration is not for an operation on a target; "": it is, or what it is for shows
// only when it is compiled, since nothing is known of the operation.
std::string why_not(const Configuration& configuration, const Target& target,
                    const std::optional<OperationFacts>& operation);

// The target with all that the configuration says to the compiler. `operation`: the library
// matches it alone; nothing: all that is like it.
Target configured(const Target& target, const Configuration& configuration,
                  const std::optional<OperationFacts>& operation);

// The same, for the operation of a program that has these sizes alone: "64x32x128_NAME".
Configuration for_sizes(Configuration configuration, std::string sizes);
// Each for another one, as one: "64x32x128_NAME+8x8x8_NAME".
Configuration together(std::vector<Configuration> parts);

// In TOML, as parse_configurations() reads it: one entry.
std::string to_toml(const Configuration& configuration);

}  // namespace assay
