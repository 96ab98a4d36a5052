#include "report/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <tuple>

#include "base/escape.h"
#include "judge/judge.h"
#include "report/error_words.h"

namespace assay {
namespace {

constexpr size_t kLongest = 200;

// "failed to legalize operation 'X' ..." -> X, looked up where X only wraps another one.
std::string_view operation_without_lowering(std::string_view error) {
  constexpr std::string_view kMark = "failed to legalize operation '";
  size_t mark = error.find(kMark);
  if (mark == std::string_view::npos) return {};
  error.remove_prefix(mark + kMark.size());
  std::string_view operation = error.substr(0, error.find('\''));
  constexpr std::string_view kName = "name = \"";
  size_t name = error.find(kName);
  if (operation != "torch.operator" || name == std::string_view::npos) return operation;
  error.remove_prefix(name + kName.size());
  return error.substr(0, error.find('"'));
}

// "softmax.py": letters and digits behind the last dot.
bool is_file_name(std::string_view name) {
  const size_t dot = name.rfind('.');
  return dot != std::string_view::npos && dot + 1 < name.size() &&
         std::ranges::all_of(name.substr(dot + 1), [](unsigned char c) { return std::isalnum(c); });
}

// Without where in the user's file it was said, which stands at the end: " (softmax.py:12:5)".
std::string_view without_place(std::string_view error) {
  size_t open = error.rfind(" (");
  if (open == std::string_view::npos || !error.ends_with(')')) return error;
  std::string_view place = error.substr(open + 2, error.size() - open - 3);
  const size_t end = place.find_last_not_of("0123456789:");
  if (end == std::string_view::npos || end + 1 == place.size()) return error;
  const bool is_numbered = place[end + 1] == ':' && is_file_name(place.substr(0, end + 1));
  const bool has_words = place.substr(0, end + 1).ends_with(", line ");
  return is_numbered || has_words ? error.substr(0, open) : error;
}

// Of what broke a rule, which says by how much: the rule, and the inputs that showed it.
std::string broken_rule(const StageRecord& stage) {
  const std::vector<RuleTitle> titles = rule_titles();
  auto title = std::ranges::find(titles, stage.rule, &RuleTitle::name);
  if (title == titles.end()) return cause_of(stage.error);
  std::string text(title->meaning);
  const size_t inputs = stage.error.find("(inputs: ");
  if (inputs != std::string::npos)
    text += " " + stage.error.substr(inputs, stage.error.find(')', inputs) + 1 - inputs);
  return text;
}

void shorten(std::string& text) {
  if (text.size() <= kLongest) return;
  size_t cut = kLongest;
  auto continues = [&](size_t at) { return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80; };
  while (cut > 0 && continues(cut)) --cut;
  text.resize(cut);
  text += "...";
}

}  // namespace

std::string cause_of(std::string_view error) {
  std::string_view operation = operation_without_lowering(error);
  // What installs a module is to be typed as it stands.
  const bool is_for_typing = error.starts_with("ModuleNotFoundError: ");
  std::string text = is_for_typing       ? printable(utf8(without_place(error)), false)
                     : operation.empty() ? without_particulars(without_place(error))
                                         : "no lowering for " + without_particulars(operation);
  shorten(text);
  return text.empty() ? "no message" : text;
}

std::vector<Cause> find_causes(const std::vector<Attempt>& attempts) {
  using Key = std::tuple<Stage, StageStatus, int, std::string, std::string>;
  struct Members {
    std::vector<const Attempt*> attempts;
    std::set<std::string_view> problems, targets;
  };
  std::map<Key, Members> groups;
  for (const Attempt& attempt : attempts) {
    const StageRecord* deciding = attempt.deciding_stage();
    if (!deciding) continue;
    int failure = deciding->failure ? static_cast<int>(*deciding->failure) : -1;
    Members& members =
        groups[{deciding->stage, deciding->status, failure, deciding->rule,
                deciding->rule.empty() ? cause_of(deciding->error) : broken_rule(*deciding)}];
    members.attempts.push_back(&attempt);
    members.problems.insert(attempt.path);
    members.targets.insert(attempt.target);
  }
  std::vector<Cause> causes;
  for (auto& [key, members] : groups) {
    const auto& [stage, status, failure, rule, text] = key;
    causes.push_back({stage,
                      status,
                      members.attempts.front()->deciding_stage()->failure,
                      rule,
                      text,
                      std::move(members.attempts),
                      members.problems.size(),
                      {members.targets.begin(), members.targets.end()}});
  }
  std::ranges::stable_sort(causes, [](const Cause& a, const Cause& b) {
    return std::pair(a.problems, a.attempts.size()) > std::pair(b.problems, b.attempts.size());
  });
  return causes;
}

namespace {

std::string where_in_words(Stage stage, StageStatus status,
                           const std::optional<FailureClass>& failure, const std::string& rule) {
  if (failure)
    return fmt::format("{}: {}", to_word(kStageWords, stage),
                       to_word(kFailureClassWords, *failure));
  if (!rule.empty()) return fmt::format("{}: {}", to_word(kStageWords, stage), rule);
  return fmt::format("{}, {}", to_word(kStageWords, stage), to_word(kStageStatusWords, status));
}

}  // namespace

std::string where_in_words(const StageRecord& stage) {
  return where_in_words(stage.stage, stage.status, stage.failure, stage.rule);
}

std::string where_in_words(const Cause& cause) {
  return where_in_words(cause.stage, cause.status, cause.failure, cause.rule);
}

}  // namespace assay
