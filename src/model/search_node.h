// One answer that was asked of a language model, and what came of it: a node of the tree that a
// search grows for each of its problems.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "base/words.h"
#include "model/answer.h"
#include "model/timing.h"
#include "model/words.h"

namespace assay {

// What an answer is to do with those before it.
enum class SearchStep {
  draft,     // begin
  repair,    // mend what does not build, or is wrong
  optimise,  // make what is right faster
};
inline constexpr Word<SearchStep> kSearchStepWords[] = {{SearchStep::draft, "draft"},
                                                        {SearchStep::repair, "repair"},
                                                        {SearchStep::optimise, "optimise"}};

struct NodeAnswer {
  AnswerEnd end = AnswerEnd::complete;
  std::string text{};            // as it came
  std::string why{};             // one line, of what is not complete
  std::string model{};           // that answered, as it named itself
  std::string left_out{};        // parameters that it does not take, and went without
  std::optional<Usage> usage{};  // nothing: nobody said
  std::optional<double> cost_usd{};
  std::string code_hash{};  // of its code's tokens: equal where that says the same; "": it has none
  int calls = 0;            // with retries
  int64_t wall_ns = 0;
  std::string finished{};  // UTC

  bool operator==(const NodeAnswer&) const = default;
};
// The other side's failure, or an end that came first: nothing came that could be judged.
bool has_not_come(const NodeAnswer& answer);

// What a verdict says to a search. The whole record is the attempt's.
struct NodeVerdict {
  std::string attempt{};  // its id; "": it was not judged, as what it answers cannot be
  Verdict verdict = Verdict::not_judged;
  std::string reason{};              // of the attempt (model/attempt.h), or why it was not judged
  std::optional<Outcome> outcome{};  // where it was timed
  double ratio = 0, low = 0, high = 0;  // against the first baseline, where it was timed
  double time_ns = 0;                   // of one call, where it was timed
  std::optional<double> of_bound{};     // that share of the best that this machine can do
  std::vector<std::string> labels{};    // of its timing and its verification
  std::optional<Fault> fault{};  // whose doing it is that it did not pass, where it was judged
  std::string reached{};         // of the attempt: "compiled", "smoke", "correct", "timed"
  // It is compiled, the target cannot run here, and nothing was left out that can be seen here.
  bool is_final = false;
  int same_as = 0;  // the node whose code this is; 0: none
  int order = 0;    // of all verdicts in its tree, from 1, with those of what was judged once more
  std::string feedback_kind{}, feedback{};
  std::string for_hints{};  // of the feedback: what hints are looked up in

  // It did not pass for a reason that is not the answer's own, which it says nothing of.
  bool says_nothing() const { return fault && *fault != Fault::candidate; }
  // Also of what it asks for and cannot have here: that is its own doing.
  bool is_judged() const { return verdict != Verdict::not_judged || fault == Fault::candidate; }
  bool operator==(const NodeVerdict&) const = default;
};

struct SearchNode {
  std::string problem;  // <suite>/<level>/<target>/<problem>
  int number = 0;       // within it, from 1, in the order in which they were asked
  // Asked:
  SearchStep step = SearchStep::draft;
  std::vector<int> parents{};
  int attempt = 1;      // along its branch, from 1; 0: what the search starts from
  int sample = 1;       // of those that were asked alike, from 1
  std::string model{};  // as the command line names it
  std::string idea{};   // that it is to try
  std::string system{}, prompt{};
  std::string made_of{};  // templates
  // The prompt was too long for the model, and is asked once more: "without the code of answer 2".
  std::string shortened{};
  // Then, one after the other:
  std::optional<NodeAnswer> answer{};
  std::optional<NodeVerdict> verdict{};
  std::optional<NodeVerdict> confirmed{};  // judged once more, on launches of its own
  // Of a verdict that was forgotten: the next one takes its place. 0: there was none.
  int order_before = 0;

  // What the search starts from: no model answered with it.
  bool is_start() const { return attempt == 0; }
  // As before it was answered.
  void forget_answer() {
    answer.reset();
    verdict.reset();
    confirmed.reset();
  }
  // As before it was judged, or judged once more, where this machine stood in the way of that.
  void forget_fault_of_machine();
  // The same of what is right and was not to be timed then.
  void forget_what_was_not_timed();
  bool is_confirmed() const { return confirmed && !confirmed->says_nothing(); }
  // What is known of it last. The first verdict stands where it could not be judged once more.
  const NodeVerdict* known() const {
    return is_confirmed() ? &*confirmed : verdict ? &*verdict : nullptr;
  }

  bool operator==(const SearchNode&) const = default;
};

// What was asked, without what came of it.
Json asked_to_json(const SearchNode& node);
Result<SearchNode> node_from_json(const std::string& problem, int number, const Json& asked);
Json to_json(const NodeAnswer& answer);
Result<NodeAnswer> node_answer_from_json(const Json& json);
Json to_json(const NodeVerdict& verdict);
Result<NodeVerdict> node_verdict_from_json(const Json& json);

}  // namespace assay
