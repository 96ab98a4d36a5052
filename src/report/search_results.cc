#include "report/search_results.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "report/estimators.h"

namespace assay {
namespace {

// The parts of "tour/level1/local/softmax/gpt-5.5".
SearchResult named_by(const std::string& tree) {
  std::vector<std::string> parts(5);
  size_t begin = 0;
  for (std::string& part : parts) {
    const size_t end = std::min(tree.find('/', begin), tree.size());
    part = tree.substr(begin, end - begin);
    begin = std::min(end + 1, tree.size());
  }
  SearchResult result;
  result.level = parts[1] == "_" ? parts[0] : parts[0] + "/" + parts[1];
  result.target = parts[2];
  result.problem = parts[3];
  result.author = parts[4];
  return result;
}

void add_spent(const SearchResult& result, Spent& spent) {
  for (const SearchNode& node : result.tree->nodes()) {
    if (!node.answer || node.is_start()) continue;
    const Usage usage = node.answer->usage.value_or(Usage{});
    spent.input += usage.input;
    spent.output += usage.output;
    spent.all_said &= node.answer->usage || has_not_come(*node.answer);
  }
}

void add_spent(const CallRecord& call, Spent& spent) {
  spent.tokens += call.counted_tokens();
  spent.unanswered += call.is_settled ? 0 : 1;
  spent.usd += call.counted_usd().value_or(0);
  // One without tokens cost nothing: a program of the user's own, or a recording.
  if (!call.counted_usd() && call.counted_tokens() > 0) spent.is_usd_known = false;
}

size_t& count_of(SearchStatus status, SearchScore& score) {
  switch (status) {
    case SearchStatus::success:
      return score.success;
    case SearchStatus::compiled:
      return score.compiled;
    case SearchStatus::partial:
      return score.partial;
    case SearchStatus::failed:
      return score.failed;
    case SearchStatus::at_work:
      return score.at_work;
    default:
      return score.not_judged;
  }
}

// Of the model: what the search starts from is none.
size_t answers_of(const Tree& tree) {
  return static_cast<size_t>(std::ranges::count_if(
      tree.nodes(), [](const SearchNode& node) { return node.answer && !node.is_start(); }));
}

// The first kernel of the model's that counts; null: none does.
const SearchNode* first_right(const Tree& tree, const SearchTerms& terms) {
  for (const SearchNode& node : tree.nodes())
    if (!node.is_start() && node.known() && counts(*node.known(), terms)) return &node;
  return nullptr;
}

// Null: it was not judged, or what stood in the way is not the answer's own doing.
const NodeVerdict* verdict_on_answer(const SearchNode& node) {
  const NodeVerdict* known = node.known();
  const bool came = node.answer && !has_not_come(*node.answer);
  return known && came && known->is_judged() && !known->says_nothing() ? known : nullptr;
}

void add_answers(const Tree& tree, const SearchTerms& terms, SearchScore& score) {
  for (const SearchNode& node : tree.nodes()) {
    if (!node.known() || node.is_start()) continue;
    const std::string& kind = node.known()->feedback_kind;
    const std::string& why = kind.empty() ? node.known()->reason : kind;
    const NodeVerdict* verdict = verdict_on_answer(node);
    if (!verdict) {
      ++score.without_verdict[why];
      continue;
    }
    const bool is_right = counts(*verdict, terms);
    SearchScore::Rate& rate = score.by_attempt[node.attempt];
    ++rate.answers;
    rate.right += is_right ? 1 : 0;
    if (!is_right) ++score.failures[why];
  }
}

void add_result(const SearchResult& result, const SearchTerms& terms, SearchScore& score) {
  ++score.problems;
  ++count_of(result.status, score);
  add_answers(*result.tree, terms, score);
  add_spent(result, score.spent);
  if (const SearchNode* first = first_right(*result.tree, terms))
    ++(is_first_answer(*result.tree, *first) ? score.right_at_once : score.right_by_repair);
  if (!result.best || result.best->known()->verdict != Verdict::accepted) return;
  const NodeVerdict& known = *result.best->known();
  score.faster += known.outcome == Outcome::faster ? 1 : 0;
  for (FastShare& share : score.fast) {
    // At 0 the times do not matter.
    share.by_estimate += share.threshold == 0 || known.ratio > share.threshold ? 1 : 0;
    share.by_low += share.threshold == 0 || known.low > share.threshold ? 1 : 0;
  }
}

// Over problems, the mean of each one's chance.
void set_pass_at(const std::vector<const SearchResult*>& results, const SearchTerms& terms,
                 SearchScore& score) {
  std::vector<SearchScore::Rate> rates;
  for (const SearchResult* result : results) {
    SearchScore::Rate rate;
    for (const SearchNode& node : result->tree->nodes()) {
      const NodeVerdict* verdict = verdict_on_answer(node);
      if (!is_first_answer(*result->tree, node) || !verdict) continue;
      ++rate.answers;
      rate.right += counts(*verdict, terms) ? 1 : 0;
    }
    rates.push_back(rate);
  }
  for (size_t k : {size_t{1}, size_t{3}, size_t{5}, size_t{10}}) {
    if (std::ranges::none_of(rates, [&](const auto& rate) { return rate.answers >= k; })) break;
    SearchScore::PassRate of{.k = k};
    for (const SearchScore::Rate& rate : rates) {
      // An outage left it fewer, and says nothing of k; once one is right nobody asks for more.
      if (rate.answers < k && rate.right == 0) continue;
      ++of.problems;
      of.chance += pass_at(k, rate.answers, rate.right);
    }
    of.chance /= static_cast<double>(of.problems);
    score.pass_at.push_back(of);
  }
}

SearchScore score_of(const std::vector<const SearchResult*>& results, const SearchRecord& record) {
  SearchScore score;
  for (size_t i = 0; i < kFastThresholds.size(); ++i) score.fast[i].threshold = kFastThresholds[i];
  for (const SearchResult* result : results) {
    add_result(*result, record.terms, score);
    for (const CallRecord& call : record.calls)
      if (call.problem == result->tree->problem()) add_spent(call, score.spent);
  }
  for (FastShare& share : score.fast) {
    share.by_estimate /= static_cast<double>(score.problems);
    share.by_low /= static_cast<double>(score.problems);
  }
  set_pass_at(results, record.terms, score);
  return score;
}

Json or_null_each(const Spent& spent, size_t count, bool of_money) {
  if (count == 0) return nullptr;
  if (of_money) return spent.is_usd_known ? Json(spent.usd / static_cast<double>(count)) : Json();
  return spent.are_tokens_known() ? Json(spent.tokens / static_cast<int64_t>(count)) : Json();
}

Json to_json(const SearchScore& score, bool is_timed) {
  Json fast = Json::array(), attempts = Json::array(), pass = Json::object(),
       pass_of = Json::object();
  for (const FastShare& share : score.fast)
    if (is_timed || share.threshold == 0)
      fast.push_back({{"threshold", share.threshold},
                      {"by_estimate", share.by_estimate},
                      {"by_low", share.by_low}});
  for (const auto& [attempt, rate] : score.by_attempt)
    attempts.push_back({{"attempt", attempt}, {"answers", rate.answers}, {"right", rate.right}});
  for (const SearchScore::PassRate& each : score.pass_at) {
    const std::string name = fmt::format("pass@{}", each.k);
    pass[name] = each.chance;
    pass_of[name] = each.problems;
  }
  return {{"level", or_null(score.level)},
          {"target", or_null(score.target)},
          {"author", or_null(score.author)},
          {"problems", score.problems},
          {"success", score.success},
          {"compiled", score.compiled},
          {"partial", score.partial},
          {"failed", score.failed},
          {"not_judged", score.not_judged},
          {"at_work", score.at_work},
          {"right_at_once", score.right_at_once},
          {"right_by_repair", score.right_by_repair},
          {"faster", score.faster},
          {"fast", std::move(fast)},
          {"by_attempt", std::move(attempts)},
          {"pass_at", std::move(pass)},
          {"pass_at_problems", std::move(pass_of)},
          {"failures", score.failures},
          {"without_verdict", score.without_verdict},
          {"tokens", score.spent.tokens},
          {"cost_usd", score.spent.is_usd_known ? Json(score.spent.usd) : Json(nullptr)},
          {"tokens_per_speedup", or_null_each(score.spent, score.faster, false)},
          {"usd_per_speedup", or_null_each(score.spent, score.faster, true)}};
}

std::string speed_of(const SearchResult& result) {
  if (!result.best) return "-";
  const NodeVerdict& known = *result.best->known();
  if (known.verdict == Verdict::compiled) return known.reached;
  if (!known.outcome) return "right";
  return fmt::format("{:.3g}x ({:.3g} to {:.3g})", known.ratio, known.low, known.high);
}

// What the status `compiled` says, and what it does not.
std::string only_compiled_in_words(const std::vector<SearchResult>& results) {
  std::set<std::string> targets;
  for (const SearchResult& result : results)
    if (result.status == SearchStatus::compiled) targets.insert(result.target);
  if (targets.empty()) return "";
  return fmt::format(
      "{} cannot run here: a kernel that compiles, in Triton one that its interpreter finds right, "
      "is all that was asked for, and nothing is known of its speed\n",
      fmt::join(targets, ", "));
}

std::string in_percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

std::string spent_in_words(const SearchScore& score) {
  const Spent& spent = score.spent;
  if (spent.tokens == 0) return "";
  std::string text =
      fmt::format("{}{} tokens", spent.are_tokens_known() ? "" : "at most ", spent.tokens);
  if (spent.is_usd_known) text += fmt::format(", {:.2f} usd", spent.usd);
  auto each = [&](size_t count, const char* what) {
    if (count == 0 || !spent.are_tokens_known()) return;
    const auto divisor = static_cast<double>(count);
    text += spent.is_usd_known ? fmt::format("; {:.2f} usd for each {}", spent.usd / divisor, what)
                               : fmt::format("; {} tokens for each {}",
                                             spent.tokens / static_cast<int64_t>(count), what);
  };
  each(score.success, "that reached the goal");
  each(score.faster, "accepted speed-up");
  return text + "\n";
}

std::string score_in_words(const SearchScore& score, bool is_timed) {
  std::string text =
      fmt::format("{} success, {} partial, {} failed", score.success, score.partial, score.failed);
  if (score.compiled > 0) text += fmt::format(", {} compiled", score.compiled);
  if (score.at_work > 0) text += fmt::format(", {} at work", score.at_work);
  if (score.not_judged > 0) text += fmt::format(", {} not judged", score.not_judged);
  if (score.right_at_once + score.right_by_repair > 0)
    text +=
        fmt::format("; right at once {}, by repair {}", score.right_at_once, score.right_by_repair);
  text += "\n";
  std::vector<std::string> parts;
  for (const auto& [attempt, rate] : score.by_attempt)
    parts.push_back(fmt::format("{}: {} of {}", attempt, rate.right, rate.answers));
  if (!parts.empty()) text += fmt::format("right by attempt  {}\n", fmt::join(parts, ", "));
  parts.clear();
  for (const SearchScore::PassRate& each : score.pass_at)
    parts.push_back(fmt::format("pass@{} {}{}", each.k, in_percent(each.chance),
                                each.problems < score.pass_at.front().problems
                                    ? fmt::format(" of {} problems", each.problems)
                                    : ""));
  if (!parts.empty()) text += fmt::format("of first answers  {}\n", fmt::join(parts, ", "));
  parts.clear();
  for (const FastShare& share : score.fast)
    parts.push_back(fmt::format("{}: {}", share.threshold, in_percent(share.by_estimate)));
  if (is_timed) text += fmt::format("fast_p            {}\n", fmt::join(parts, ", "));
  for (const auto& [title, kinds] : {std::pair("failed by         ", &score.failures),
                                     std::pair("without verdict   ", &score.without_verdict)}) {
    parts.clear();
    for (const auto& [kind, count] : *kinds) parts.push_back(fmt::format("{} {}", kind, count));
    if (!parts.empty()) text += fmt::format("{}{}\n", title, fmt::join(parts, ", "));
  }
  return text + spent_in_words(score);
}

}  // namespace

std::vector<SearchResult> search_results(const SearchRecord& record) {
  std::vector<SearchResult> results;
  for (const Tree& tree : record.trees) {
    SearchResult result = named_by(tree.problem());
    result.status = status_in(record, tree);
    result.tree = &tree;
    const SearchNode* found = best(tree, record.terms);
    if (found && counts(*found->known(), record.terms)) result.best = found;
    for (const SearchNode& node : tree.nodes())
      result.attempts = std::max(result.attempts, node.attempt);
    results.push_back(std::move(result));
  }
  return results;
}

std::vector<SearchScore> search_scores(const SearchRecord& record) {
  const std::vector<SearchResult> results = search_results(record);
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<const SearchResult*>>
      groups;
  std::vector<const SearchResult*> all;
  for (const SearchResult& result : results) {
    groups[{result.level, result.target, result.author}].push_back(&result);
    all.push_back(&result);
  }
  std::vector<SearchScore> scores;
  for (const auto& [group, members] : groups) {
    scores.push_back(score_of(members, record));
    std::tie(scores.back().level, scores.back().target, scores.back().author) = group;
  }
  if (scores.size() > 1) scores.push_back(score_of(all, record));
  return scores;
}

Json search_summary_json(const SearchRecord& record) {
  Json tasks = Json::array(), suites = Json::array();
  for (const SearchResult& result : search_results(record)) {
    const NodeVerdict* known = result.best ? result.best->known() : nullptr;
    const bool is_timed = known && known->outcome;
    tasks.push_back({{"problem", result.problem},
                     {"status", to_word(kSearchStatusWords, result.status)},
                     {"best_speedup", is_timed ? Json(known->ratio) : Json(0.0)},
                     {"best_attempt", result.best ? Json(result.best->attempt) : Json(nullptr)},
                     {"total_attempts", result.attempts},
                     {"best_speedup_low", is_timed ? Json(known->low) : Json(nullptr)},
                     {"best_node", result.best ? Json(result.best->number) : Json(nullptr)},
                     {"answers", answers_of(*result.tree)},
                     {"tree", result.tree->problem()}});
  }
  Spent spent;
  for (const SearchResult& result : search_results(record)) add_spent(result, spent);
  for (const CallRecord& call : record.calls) add_spent(call, spent);
  for (const SearchScore& score : search_scores(record))
    suites.push_back(to_json(score, record.terms.is_timed));
  return {{"tasks", std::move(tasks)},
          {"schema", 1},
          {"suites", std::move(suites)},
          {"tokens",
           {{"input", spent.input},
            {"output", spent.output},
            {"all", spent.tokens},
            {"are_known", spent.are_tokens_known()}}},
          {"cost_usd", spent.is_usd_known ? Json(spent.usd) : Json(nullptr)},
          {"calls_without_an_answer", spent.unanswered},
          {"asked", record.asked}};
}

std::string search_summary_in_words(const SearchRecord& record) {
  const std::vector<SearchResult> results = search_results(record);
  size_t widest = 7;
  for (const SearchResult& result : results) widest = std::max(widest, result.problem.size());
  std::string text = fmt::format("{:<{}}  {:<10}  {:<26}  attempts  answers\n", "problem", widest,
                                 "status", "best");
  for (const SearchResult& result : results)
    text += fmt::format("{:<{}}  {:<10}  {:<26}  {:>8}  {:>7}\n", result.problem, widest,
                        to_word(kSearchStatusWords, result.status), speed_of(result),
                        result.attempts, answers_of(*result.tree));
  const std::vector<SearchScore> scores = search_scores(record);
  for (const SearchScore& score : scores) {
    if (scores.size() > 1)
      text += score.level.empty()
                  ? "\nall\n"
                  : fmt::format("\n{} on {}, by {}\n", score.level, score.target, score.author);
    text += score_in_words(score, record.terms.is_timed);
  }
  return text + only_compiled_in_words(results);
}

}  // namespace assay
