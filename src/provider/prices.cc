#include "provider/prices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

#include "base/places.h"
#include "base/text.h"

namespace assay {
namespace {

constexpr const char* kInput = "input_cost_per_token";
constexpr const char* kOutput = "output_cost_per_token";
constexpr const char* kCached = "cache_read_input_token_cost";
constexpr const char* kWritten = "cache_creation_input_token_cost";
constexpr double kMostUsd = 1000;  // of one token: more is a mistake

bool are_digits(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c); });
}

// "2026-01-31" or "20260131".
bool is_date(std::string_view text) {
  if (text.size() == 8) return are_digits(text);
  return text.size() == 10 && text[4] == '-' && text[7] == '-' && are_digits(text.substr(0, 4)) &&
         are_digits(text.substr(5, 2)) && are_digits(text.substr(8));
}

// One model has many names: a router writes its maker before it, "anthropic/claude-opus-5-5", and
// ":free" behind it; a maker the date of a snapshot.
std::string plain_name(std::string_view name) {
  name = name.substr(name.find_last_of('/') + 1);
  for (const size_t digits : {size_t{8}, size_t{10}})
    if (name.size() > digits + 1 && name[name.size() - digits - 1] == '-' &&
        is_date(name.substr(name.size() - digits)))
      name = name.substr(0, name.size() - digits - 1);
  return lower_case(name);
}

std::optional<double> price(const Json& prices, const char* name) {
  auto found = prices.find(name);
  if (found == prices.end() || !found->is_number()) return std::nullopt;
  const auto value = found->get<double>();
  if (!(value >= 0 && value <= kMostUsd)) return std::nullopt;
  return value;
}

// The same for calls that send more: "input_cost_per_token_above_200k_tokens". All of such a call
// costs that, its answer too.
std::string name_above(const char* name, int64_t thousands) {
  return fmt::format("{}_above_{}k_tokens", name, thousands);
}

// The bounds of a row, in thousands of tokens.
std::set<int64_t> bounds_of(const Json& prices) {
  std::set<int64_t> bounds;
  for (const auto& [name, value] : prices.items()) {
    constexpr std::string_view kBefore = "_above_", kAfter = "k_tokens";
    const size_t begin = name.rfind(kBefore);
    if (begin == std::string::npos || !name.ends_with(kAfter)) continue;
    const std::string digits =
        name.substr(begin + kBefore.size(), name.size() - kAfter.size() - begin - kBefore.size());
    if (are_digits(digits) && digits.size() < 10) bounds.insert(std::stoll(digits));
  }
  return bounds;
}

// What holds of a call that sends so many tokens: the price of the highest bound that it is above.
std::optional<double> price_of_call(const Json& prices, const char* name, int64_t sent_tokens) {
  std::optional<double> holds = price(prices, name);
  for (const int64_t thousands : bounds_of(prices))
    if (sent_tokens > thousands * 1000)
      if (auto above = price(prices, name_above(name, thousands).c_str())) holds = above;
  return holds;
}

// Of a model that something is said of. Others are left out: such files list more than models of
// language.
bool has_price(const Json& row) {
  return row.is_object() && price(row, kInput) && price(row, kOutput);
}

// Of a row without one: which of its prices is none; "": it has none.
std::string_view wrong_price(const Json& row) {
  for (const char* name : {kInput, kOutput})
    if (row.is_object() && row.contains(name) && !price(row, name)) return name;
  return "";
}

}  // namespace

Result<Prices> Prices::load(const Disk& disk, const std::string& shipped) {
  Prices prices;
  auto add = [&](const std::string& path) -> Status {
    ASSAY_ASSIGN(const std::string text, disk.read(path));
    ASSAY_ASSIGN(const Json json, parse_json(text, path));
    if (!json.is_object())
      return error(Code::invalid_input, path + " is no object of models",
                   "docs/formats.md shows such a file");
    for (const auto& [name, row] : json.items()) {
      if (has_price(row))
        prices.rows_.push_back({name, row, path});
      else if (const std::string_view wrong = wrong_price(row); !wrong.empty())
        prices.wrong_.emplace(name, fmt::format("{} in {} is no price", wrong, path));
    }
    return {};
  };
  const std::string folder = find_config_folder();
  const std::string users = folder.empty() ? "" : join_path(folder, "prices.json");
  if (!users.empty() && disk.exists(users)) ASSAY_TRY(add(users));
  ASSAY_ASSIGN(const auto files, disk.list(shipped));
  std::string newest;
  for (const DirectoryEntry& file : files)
    if (file.name.ends_with(".json") && is_date(file.name.substr(0, file.name.size() - 5)))
      newest = std::max(newest, file.name);
  if (newest.empty())
    return error(Code::corrupt, fmt::format("there are no prices of models in '{}'", shipped),
                 "install assay again");
  prices.date_ = newest.substr(0, newest.size() - 5);
  ASSAY_TRY(add(join_path(shipped, newest)));
  return prices;
}

const Prices::Row* Prices::find(const std::string& model) const {
  for (const Row& row : rows_)
    if (row.name == model) return &row;
  const std::string plain = plain_name(model);
  for (const Row& row : rows_)
    if (plain_name(row.name) == plain) return &row;
  return nullptr;
}

std::string Prices::why_none(const std::string& model) const {
  for (const auto& [name, why] : wrong_)
    if (plain_name(name) == plain_name(model)) return why;
  return "";
}

std::optional<double> Prices::cost(const std::string& model, const Usage& usage) const {
  const Row* row = find(model);
  if (!row) return std::nullopt;
  auto of = [&](const char* name) { return price_of_call(row->prices, name, usage.input); };
  const double input = of(kInput).value_or(0);
  const double output = of(kOutput).value_or(0);
  const double cached = of(kCached).value_or(input);
  const double written = of(kWritten).value_or(input);
  const int64_t fresh = usage.input - usage.cached_input - usage.written_input;
  return static_cast<double>(fresh) * input + static_cast<double>(usage.cached_input) * cached +
         static_cast<double>(usage.written_input) * written +
         static_cast<double>(usage.output) * output;
}

Json Prices::snapshot(const std::string& model) const {
  const Row* row = find(model);
  Json snapshot{{"date", date_}, {"file", nullptr}, {"model", nullptr}, {"prices", nullptr}};
  if (!row) return snapshot;
  snapshot["file"] = row->file;
  snapshot["model"] = row->name;
  Json& prices = snapshot["prices"];
  for (const char* name : {kInput, kOutput, kCached, kWritten}) {
    std::vector<std::string> keys = {name};
    for (const int64_t thousands : bounds_of(row->prices))
      keys.push_back(name_above(name, thousands));
    for (const std::string& key : keys)
      if (auto value = price(row->prices, key.c_str())) prices[key] = *value;
  }
  return snapshot;
}

}  // namespace assay
