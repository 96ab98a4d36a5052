// `assay write`: asks models for candidates, has them judged, tells the models what came of it, and
// keeps what is best.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/search_tree.h"
#include "provider/provider.h"
#include "provider/spend.h"
#include "search/prompt.h"
#include "search/strategy.h"
#include "session/request.h"
#include "session/session.h"
#include "store/run_store.h"

namespace assay {

// What another run of `assay write` holds of one model, to be answered, or told, once more.
struct RecordedRun {
  std::string author, model;  // as there: part of ids, and as its command line named it
  std::string language;       // of --lang there; "": it does not say
  std::map<std::string, SearchNode> nodes;  // by their keys
  std::shared_ptr<RunStore> store;          // its attempts'
};

// A model that writes, as one author of the run.
struct Writer {
  ModelName model;
  std::unique_ptr<Provider> provider;
  std::shared_ptr<const RecordedRun> recorded{};  // of replay:RUN

  // Null: the recording has none.
  const SearchNode* recorded_node(const Tree& tree, const SearchNode& node) const;
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
  // --recorded-verdicts: nothing is judged, and each answer has the verdict that it had then. All
  // writers have recordings.
  bool takes_verdicts = false;
  std::string from{};  // --from: a file that the search starts from, absolute
  SpendLimits spend{};

  bool is_judged() const { return !only_answers && !takes_verdicts; }
  size_t searches() const { return run.workloads.size() * run.targets.size() * writers.size(); }
};

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
  const TargetPrompts& prompts;
  const Prices& prices;
  const Machine& machine;
  RunStore& store;
};

// What was written, at the end or when it was interrupted.
struct Written {
  std::vector<SearchStatus> searches;   // in order of problems, targets and writers
  std::string spend_ended;              // not empty: --spend ended it, and how
  std::vector<std::string> shut_out{};  // why models were asked nothing more
  // A search could not go on, or not to its end, since answers did not come.
  bool lacks_answers = false;
};

// Ends as run_session() does. The same request goes on with what the store holds: no answer is
// asked for twice.
Result<Written> run_writing(const WriteRequest& request, const WriteTools& tools,
                            WriteEvents& events, World world);

// Fails where the run has begun a search that the request is not for: its problem has changed, or
// it starts from another kernel. Writes nothing.
Status same_work(const WriteRequest& request, const Disk& disk, SearchRecord before);

// The first prompt of each search, which nothing is asked by.
struct FirstPrompt {
  std::string problem, target;
  Prompt prompt;
};
Result<std::vector<FirstPrompt>> first_prompts(const WriteRequest& request, const Disk& disk,
                                               const TargetPrompts& prompts);

}  // namespace assay
