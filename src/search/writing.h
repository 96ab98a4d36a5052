// `assay write`: asks models for candidates, has them judged, tells the models what came of it, and
// keeps what is best.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "provider/provider.h"
#include "provider/spend.h"
#include "search/prompt.h"
#include "search/strategy.h"
#include "search/tree.h"
#include "session/request.h"
#include "session/session.h"
#include "store/run_store.h"

namespace assay {

// A model that writes, as one author of the run.
struct Writer {
  ModelName model;
  std::unique_ptr<Provider> provider;
};

struct WriteRequest {
  Request run;  // its workloads, targets, baselines and settings; authors come from the writers
  std::vector<Writer> writers{};
  std::string language = "python";
  const Strategy* strategy = nullptr;
  SearchTerms terms{};
  Json parameters = Json::object();  // of each question
  size_t calls_at_once = 8;
  bool only_answers = false;  // --until answer: nothing is judged
  std::string from{};         // --from: a file that the search starts from, absolute
  SpendLimits spend{};
};

// How one search ended, or stands.
enum class SearchStatus {
  at_work,
  success,     // the goal is reached, and confirmed
  partial,     // one counts, and does not reach it
  failed,      // none counts
  not_judged,  // nothing could be: no answer came, or the problem or the machine is at fault
};
inline constexpr Word<SearchStatus> kSearchStatusWords[] = {
    {SearchStatus::at_work, "at work"},
    {SearchStatus::success, "success"},
    {SearchStatus::partial, "partial"},
    {SearchStatus::failed, "failed"},
    {SearchStatus::not_judged, "not judged"}};

// Of what is in the tree alone.
SearchStatus status_of(const Tree& tree, const SearchTerms& terms);

// One problem that one model writes for.
struct SearchView {
  const Workload& workload;
  const Target& target;
  const std::string& author;
  const std::string& folder;  // its files', absolute
  const Tree& tree;
};

// What a search tells while it goes on; cli/ makes progress of it.
class WriteEvents {
 public:
  virtual ~WriteEvents() = default;
  virtual void asked(const SearchView&, const SearchNode&) {}
  virtual void answered(const SearchView&, const SearchNode&) {}
  // It has a verdict: a first one, or, as `confirmed`, one more.
  virtual void judged(const SearchView&, const SearchNode&, bool /*confirmed*/) {}
  virtual void ended(const SearchView&, SearchStatus, const std::string& /*why*/) {}
};

struct WriteTools {
  const Tools& tools;
  Prompts& prompts;
  const Prices& prices;
  const Machine& machine;
  RunStore& store;
};

// What was written, at the end or when it was interrupted.
struct Written {
  std::vector<SearchStatus> searches;  // in order of problems, targets and writers
  std::string spend_ended;             // not empty: --spend ended it, and how
};

// Ends as run_session() does. The same request goes on with what the store holds: no answer is
// asked for twice.
Result<Written> run_writing(const WriteRequest& request, const WriteTools& tools,
                            WriteEvents& events, World world);

// The first prompt of each search, which nothing is asked by.
struct FirstPrompt {
  std::string problem;
  Prompt prompt;
};
Result<std::vector<FirstPrompt>> first_prompts(const WriteRequest& request, const Disk& disk,
                                               Prompts& prompts);

}  // namespace assay
