// What a language model is told: made from templates, data in prompts/.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/disk.h"
#include "base/status.h"
#include "model/search_node.h"
#include "target/target.h"

namespace assay {

struct PromptSetting {
  std::string folder;    // of templates: assay's own, or --prompts
  std::string file{};    // --prompt: a text that stands in the place of what they say
  std::string language;  // "python", "c", "cpp", "triton", "cuda", "hip"
  const Target* target = nullptr;
  std::string python;                  // the interpreter that renders
  std::vector<std::string> context{};  // --context: files that are shown, absolute
  double goal = 1;                     // --goal: times as fast as the baseline
  std::string against{};               // the baseline's name; "": nothing is timed
};

struct PromptTask {
  SearchStep step = SearchStep::draft;
  std::string problem;      // its name
  std::string source;       // its file
  std::string code{};       // of the parent
  std::string feedback{};   // what is said of the parent's verdict (search/feedback.h)
  std::string hint_text{};  // what --prompts' hints are looked up in: kind and text of the error
  std::string idea{};       // with draft: what this one is to try, where several differ
  int attempt = 1;          // which it is along its branch
};

struct Prompt {
  std::string system, user;
  std::string made_of{};  // the templates' names, for the record
  int64_t tokens = 0;     // about so many: for --dry-run and for what a call may cost at most
};

class Prompts {
 public:
  // Checks that the folder has what the language needs.
  static Result<std::unique_ptr<Prompts>> open(const Disk& disk, PromptSetting setting);
  virtual ~Prompts() = default;
  // Called by several threads. A problem's text is never a template; templates are rendered in a
  // child with limits of time and memory.
  virtual Result<Prompt> write(const PromptTask& task) = 0;
  // Of all templates and settings: another one asks anew.
  virtual const std::string& identity() const = 0;
};

}  // namespace assay
