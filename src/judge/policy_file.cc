#include "judge/policy_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/toml_reader.h"
#include "judge/judge.h"

namespace assay {
namespace {

constexpr int kMostTrials = 1000;

int whole_number(TomlReader& table, const char* key, int most) {
  const double value = table.number(key, true).value_or(0);
  const int number = value <= most ? static_cast<int>(value) : 0;
  if (number < 1 || number != value)
    table.fail(key, fmt::format("'{}' must be a whole number from 1 to {}", key, most), "");
  return number;
}

OtherCheck read_check(TomlReader& table) {
  table.only({"name", "mode", "seed", "trials", "tolerance"});
  OtherCheck check;
  check.name = table.text("name", true);
  check.mode = table.text("mode", true);
  if (std::ranges::find(kModeWords, check.mode) == std::end(kModeWords))
    table.fail("mode", "'" + check.mode + "' is no mode",
               fmt::format("write {}", fmt::join(kModeWords, " or ")));
  check.seed = static_cast<uint32_t>(whole_number(table, "seed", INT32_MAX));
  check.trials = whole_number(table, "trials", kMostTrials);
  if (auto tolerance = table.table("tolerance", true)) {
    tolerance->only(words_of(kPrecisionWords));
    for (const auto& [precision, word] : kPrecisionWords)
      check.tolerance.at(static_cast<size_t>(precision)) =
          tolerance->number(std::string(word).c_str(), true).value_or(0);
  }
  return check;
}

// Of rules that are no matter of right and wrong; of some others whether they are a label.
Severities read_rules(TomlReader& table) {
  std::vector<std::string> known;
  for (const RuleTitle& rule : rule_titles())
    if (rule.may_be_set) known.emplace_back(rule.name);
  table.only(known);
  Severities severities;
  for (const RuleTitle& rule : rule_titles()) {
    const std::string name(rule.name);
    auto effect = rule.may_be_set ? table.word<Effect>(name.c_str(), kEffectWords) : std::nullopt;
    if (!effect) continue;
    severities[name] = *effect;
    // No comparison is undecided for it: it is about what is right.
    if (rule.stage == Stage::verify && *effect == Effect::undecided)
      table.fail(name.c_str(), "'" + name + "' cannot be 'undecided'", "write label or reject");
  }
  return severities;
}

}  // namespace

Result<PolicyFile> read_policy(const Disk& disk, const std::string& path) {
  ASSAY_ASSIGN(std::string text, disk.read(path));
  ASSAY_ASSIGN(toml::table table, parse_toml(path, text, "a policy"));
  TomlReader::Problem problem{
      .path = path,
      .example = "policies/ has examples, and docs/formats.md all that a policy can have"};
  TomlReader reader(problem, table, "a policy");
  reader.only({"title", "check", "rules"});
  reader.text("title", true);
  PolicyFile policy;
  if (auto found = reader.table("check")) policy.check = read_check(*found);
  if (auto found = reader.table("rules")) policy.severities = read_rules(*found);
  ASSAY_TRY(reader.status());
  return policy;
}

}  // namespace assay
