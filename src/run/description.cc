#include "run/description.h"

#include <algorithm>

namespace assay {
namespace {

// What the worker keeps to itself (python/assay_worker/signature.py, trail.py), in bytes of UTF-8.
constexpr size_t kMaxTensors = 1024;
constexpr size_t kMaxDimensions = 64;
constexpr size_t kMaxPasses = 64;
constexpr size_t kMaxWords = 64;
constexpr size_t kMaxTextBytes = 512;

bool is_list(const Json& value, size_t most) { return value.is_array() && value.size() <= most; }

bool is_word(const Json& value) {
  return value.is_string() && value.get_ref<const std::string&>().size() <= kMaxTextBytes;
}

bool is_count(const Json& value) {
  return value.is_number_integer() && (value.is_number_unsigned() || value.get<int64_t>() >= 0);
}

bool all(const Json& list, size_t most, bool (*is_one)(const Json&)) {
  return is_list(list, most) && std::ranges::all_of(list, is_one);
}

bool is_shape(const Json& value) { return all(value, kMaxDimensions, is_count); }
bool is_words(const Json& value) { return all(value, kMaxWords, is_word); }

struct Field {
  const char* name;
  bool (*is_sound)(const Json&);
};

constexpr Field kTensor[] = {{"shape", is_shape}, {"dtype", is_word}};
constexpr Field kScalar[] = {{"scalar", is_word}, {"value", is_word}};
constexpr Field kState[] = {{"name", is_word}, {"shape", is_shape}, {"dtype", is_word}};
constexpr Field kPass[] = {{"name", is_word}, {"changed", is_words}};
constexpr Field kHubFile[] = {{"name", is_word}, {"sha256", is_word}};
constexpr const char* kHubFiles = "hub_files";
constexpr Field kParameters[] = {{"count", is_count}, {"bytes", is_count}};

template <size_t N>
std::optional<Json> read_object(const Json& value, const Field (&fields)[N]) {
  if (!value.is_object()) return std::nullopt;
  Json result = Json::object();
  for (const Field& field : fields) {
    auto found = value.find(field.name);
    if (found == value.end() || !field.is_sound(*found)) return std::nullopt;
    result[field.name] = *found;
  }
  return result;
}

std::optional<Json> read_argument(const Json& value) {
  auto tensor = read_object(value, kTensor);
  return tensor ? tensor : read_object(value, kScalar);
}

std::optional<Json> read_state(const Json& value) { return read_object(value, kState); }
std::optional<Json> read_pass(const Json& value) { return read_object(value, kPass); }
std::optional<Json> read_hub_file(const Json& value) { return read_object(value, kHubFile); }
std::optional<Json> read_word(const Json& value) {
  return is_word(value) ? std::optional(value) : std::nullopt;
}
std::optional<Json> read_place(const Json& value) {
  return is_count(value) && value.get<uint64_t>() < kMaxTensors ? std::optional(value)
                                                                : std::nullopt;
}

struct List {
  const char* name;
  size_t most;
  bool may_be_absent;
  std::optional<Json> (*read)(const Json&);
};

constexpr List kHubFileList = {kHubFiles, kMaxWords, true, read_hub_file};
constexpr List kLists[] = {{"inputs", kMaxTensors, false, read_argument},
                           {"outputs", kMaxTensors, false, read_argument},
                           {"state", kMaxTensors, true, read_state},
                           {"mutated_inputs", kMaxTensors, true, read_place},
                           {"passes", kMaxPasses, true, read_pass},
                           {"fallbacks", kMaxWords, true, read_word},
                           kHubFileList};

std::optional<Json> read_list(const Json& values, const List& list) {
  if (!is_list(values, list.most)) return std::nullopt;
  Json items = Json::array();
  for (const Json& each : values) {
    auto item = list.read(each);
    if (!item) return std::nullopt;
    items.push_back(std::move(*item));
  }
  return items;
}

}  // namespace

std::optional<Json> read_description(const Json& ok) {
  if (!ok.is_object()) return std::nullopt;
  Json result = Json::object();
  for (const List& list : kLists) {
    result[list.name] = Json::array();
    auto found = ok.find(list.name);
    if (found == ok.end() && list.may_be_absent) continue;
    auto items = found == ok.end() ? std::nullopt : read_list(*found, list);
    if (!items) return std::nullopt;
    result[list.name] = std::move(*items);
  }
  if (result[kHubFiles].empty()) result.erase(kHubFiles);  // hardly any export has them
  auto parameters = ok.find("parameters");
  result["parameters"] = nullptr;
  if (parameters != ok.end() && !parameters->is_null()) {
    auto counts = read_object(*parameters, kParameters);
    if (!counts) return std::nullopt;
    result["parameters"] = std::move(*counts);
  }
  return result;
}

Json read_hub_files(const Json& answer) {
  if (!answer.is_object() || !answer.contains(kHubFiles)) return nullptr;
  auto files = read_list(answer[kHubFiles], kHubFileList);
  return files && !files->empty() ? std::move(*files) : Json();
}

}  // namespace assay
