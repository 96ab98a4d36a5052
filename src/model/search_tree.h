// What was asked for one problem, of one model, and what came of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/search_node.h"

namespace assay {

// What a search is to reach, and how far it may go.
struct SearchTerms {
  std::string strategy = "reflect";
  int attempts = 3;                                    // along a branch
  int samples = 3;                                     // of answers that are asked alike
  int drafts = 4, repairs = 3, width = 2, rounds = 3;  // of `beam`
  double goal = 1;                                     // times as fast as the baseline
  bool is_timed = true;                // without it, what is accepted has reached all there is
  std::vector<std::string> allowed{};  // labels that are no reason not to count

  bool allows(std::string_view label) const;
};

// What the store has beside these: since the run was begun, and of that how long an answer waited
// while nothing was judged. Of all processes that worked on it. When these were kept, in seconds of
// the Unix epoch; and the searches that the process at work has ended, each with why. Of one that
// it was not asked for that is "". And where each search was begun: SearchPlace.
inline constexpr const char *kWallNs = "wall_ns", *kJudgeIdleNs = "judge_idle_ns",
                            *kKeptS = "kept_s", *kEnded = "ended", *kPlaces = "places";

Json to_json(const SearchTerms& terms);
// What is not there, or of another type, is as it would be unsaid.
SearchTerms search_terms_from_json(const Json& json);

class Tree {
 public:
  explicit Tree(std::string problem) : problem_(std::move(problem)) {}

  const std::string& problem() const { return problem_; }
  const std::vector<SearchNode>& nodes() const { return nodes_; }
  const SearchNode& node(int number) const { return nodes_[static_cast<size_t>(number) - 1]; }
  SearchNode& node(int number) { return nodes_[static_cast<size_t>(number) - 1]; }
  // The next one; its number is set.
  SearchNode& add(SearchNode node);
  // Without the nodes behind that one.
  void cut_after(int number);
  // The number of the last one; 0: there is none.
  int last() const { return static_cast<int>(nodes_.size()); }
  // Names it in another run of the same search, whoever answers, and in whichever order answers are
  // judged: problem, step, parents by their places, attempt and sample.
  std::string key(const SearchNode& node) const;
  // How many repairs of its attempt's sample led to it.
  int repairs(const SearchNode& node) const;
  // Nodes without a verdict.
  size_t open() const;
  // The first that no verdict has, of those of what was judged once more either.
  int next_order() const;

 private:
  std::string problem_;
  std::vector<SearchNode> nodes_;
};

// How a search for one problem ended, or stands.
enum class SearchStatus {
  at_work,
  success,     // the goal is reached, and confirmed
  compiled,    // one compiles, which is all that can be known: the target cannot run here
  partial,     // one counts, and does not reach it
  failed,      // none counts
  not_judged,  // nothing could be: no answer came, or the problem or the machine is at fault
};
inline constexpr Word<SearchStatus> kSearchStatusWords[] = {
    {SearchStatus::at_work, "at work"},   {SearchStatus::success, "success"},
    {SearchStatus::compiled, "compiled"}, {SearchStatus::partial, "partial"},
    {SearchStatus::failed, "failed"},     {SearchStatus::not_judged, "not judged"}};

// "_s2_r1" of the files of a node: which sample of its attempt it is, and which repair of that.
std::string file_suffix(const Tree& tree, const SearchNode& node);

// Whether it is one of the model's first answers, of which none knew another: not what the search
// starts from, and not a repair.
bool is_first_answer(const Tree& tree, const SearchNode& node);

// Whether it is right, and its speed its own: of what is labelled as a library's, or as hiding an
// error, not all is. Where the target cannot run here, what compiles is all that there can be.
bool counts(const NodeVerdict& verdict, const SearchTerms& terms);
// Whether it is as fast as is asked for, as far as this verdict says, or else all that can be
// asked for here.
bool reaches(const NodeVerdict& verdict, const SearchTerms& terms);
// Whether nobody has to ask on: it reaches that, and is confirmed where that says anything.
bool has_reached(const SearchNode& node, const SearchTerms& terms);
bool has_reached(const Tree& tree, const SearchTerms& terms);
// Whether nothing much is left to win: what this machine can do at most is near.
bool is_at_the_bound(const NodeVerdict& verdict);
// Whether to be judged once more, on launches of its own, would say anything of it.
bool needs_confirming(const NodeVerdict& verdict, const SearchTerms& terms);
// The first one that did not pass for a reason that is not its own: no other answer would. Null:
// there is none.
const NodeVerdict* stopped_by(const Tree& tree);

// Which of two is better: one that counts before one that does not, and one that was judged once
// more before one that was not, as the best of many quick looks was lucky; then by the lower end of
// the speed-up; then what computed, before what did not, before what did not build.
bool is_better(const SearchNode& a, const SearchNode& b, const SearchTerms& terms);
// Which of two to go on from: all by their first verdicts, so like is held against like.
bool looks_better(const SearchNode& a, const SearchNode& b, const SearchTerms& terms);
// Of what is in the tree alone.
SearchStatus status_of(const Tree& tree, const SearchTerms& terms);

// How many a search judges once more for the sake of a better one: each takes as long as a whole
// verdict. The best of many quick looks was lucky, so one more nearly always looks better than what
// is sure.
inline constexpr int kMostConfirmed = 3;
// The one that looks best of those that have not been judged once more: where that would say
// something, and it looks better than the best that was. 0: there is nothing to confirm.
int worth_confirming(const Tree& tree, const SearchTerms& terms);
// Of the nodes with a verdict. Null: there is none.
const SearchNode* best(const std::vector<const SearchNode*>& nodes, const SearchTerms& terms);
const SearchNode* best(const Tree& tree, const SearchTerms& terms);
// The same by looks_better().
const SearchNode* best_looking(const std::vector<const SearchNode*>& nodes,
                               const SearchTerms& terms);
const SearchNode* best_looking(const Tree& tree, const SearchTerms& terms);

}  // namespace assay
