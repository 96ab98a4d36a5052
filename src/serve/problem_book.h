// The problems that one client has kernels judged for, what was submitted, and what is said of
// both.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/disk.h"
#include "model/search_tree.h"
#include "search/prompt.h"
#include "serve/mcp.h"
#include "serve/mcp_tool.h"
#include "serve/mcp_words.h"
#include "serve/served.h"
#include "serve/submissions.h"
#include "workload/source.h"

namespace assay {

// What a call has judged.
struct ToBeJudged {
  const McpTool* tool = nullptr;
  size_t problem = 0;  // its place in the book
  std::string language{};
  Candidate candidate{};
  int submission = 0;  // its number, once it is begun and is one
};

class ProblemBook {
 public:
  // The settings and the disk must outlive it.
  ProblemBook(const McpSettings& settings, const Disk& disk);

  // Reads all problems, once: what they are does not change any more.
  Status load();

  bool is_timed() const { return timing_.has_value(); }
  int submissions() const { return submissions_.begun(); }
  // Fails where there is no problem of this id.
  Result<size_t> find(const std::string& id) const;

  // It is begun, as the attempt of this id.
  Served begin(ToBeJudged& judged, std::string id);
  // What became of it: noted, and said.
  ToolAnswer take(const ToBeJudged& judged, Attempt& attempt);

  ToolAnswer list() const;
  // With a language: what is to be known of kernels in it, as `assay write` tells a model.
  ToolAnswer get(size_t problem, const std::string& language);
  // On the last verdict, of this problem or of any.
  ToolAnswer feedback(std::optional<size_t> problem) const;
  // Of this problem with its code, or of each.
  ToolAnswer best(std::optional<size_t> problem) const;

 private:
  struct Problem {
    std::string id;
    Workload workload;
    LoadedWorkload loaded;
    std::string feedback{};  // on the last verdict; "": there is none yet
  };

  Result<std::string> prompt_for(const Problem& problem, const std::string& language);
  Precision precision_of(const Problem& problem) const;
  std::string words_of_submission(int number, const NodeVerdict& verdict) const;

  const McpSettings& settings_;
  const Disk& disk_;
  const Target& target_;
  std::optional<TimingSettings> timing_;  // of submissions
  SearchTerms terms_;                     // what counts
  std::vector<Problem> problems_;
  std::map<std::string, std::unique_ptr<Prompts>> prompts_;  // by language, as they are asked for
  std::optional<size_t> last_judged_;
  Submissions submissions_;
};

}  // namespace assay
