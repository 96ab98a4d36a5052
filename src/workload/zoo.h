// Models that come with assay, and a user's own: models/NAME.py, a problem's file whose whole
// numbers at its top are what can be chosen (`SEQ = 32`: seq), and models/NAME.toml beside it with
// its title, the packages it needs, authors who do not take it, and sizes, each of which gives
// other numbers. The file as it is has the size "tiny".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/disk.h"
#include "base/status.h"

namespace assay {

inline constexpr std::string_view kSmallestModel = "tiny";

using ModelNumbers = std::vector<std::pair<std::string, int64_t>>;  // in the order of the file

struct ModelSize {
  std::string name;
  ModelNumbers numbers{};                  // all of them
  std::optional<uint64_t> weight_bytes{};  // of parameters and buffers, where that is known
  // That one call in double takes, its weights included: where these are of a few bits, far more
  // than twice as much.
  std::optional<uint64_t> double_bytes{};
};

struct ZooModel {
  std::string key{}, path{}, title{};
  std::vector<std::string> needs{};   // packages of Python, by the names that are imported
  std::vector<std::string> not_by{};  // authors who are known not to take it, at any size
  std::vector<ModelSize> sizes{};     // from the smallest
  // Why its files cannot be taken; nothing but its key is known of it then. A user's file that is
  // wrong must not hide the other models.
  std::optional<Error> wrong{};
};

// By their keys. A user's own, in `models` of the configuration folder, takes the place of one that
// comes with assay.
Result<std::vector<ZooModel>> read_zoo(const Disk& disk);
// The one of this key, without a look at the others. Nothing where there is none.
Result<std::optional<ZooModel>> find_model(const Disk& disk, const std::string& key);

// The file's text with other numbers at its top.
std::string with_numbers(std::string_view python, const ModelNumbers& numbers);

}  // namespace assay
