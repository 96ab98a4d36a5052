// What a language model is told: made from templates, data in prompts/.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/disk.h"
#include "base/places.h"
#include "base/status.h"
#include "model/search_node.h"
#include "target/target.h"

namespace assay {

struct PromptSetting {
  Places places{};       // of assay's own templates, what renders them, and assay/kernel.h
  std::string folder{};  // --prompts: the user's, over assay's own; "": none
  std::string file{};    // --prompt: a text that stands in the place of the system's
  std::string language;  // "python", "c", "cpp", "triton", "cuda", "hip"
  const Target* target = nullptr;
  std::string python;                  // the interpreter that renders
  std::vector<std::string> context{};  // --context: files that are shown, absolute
  std::vector<std::string> include{};  // --include: folders of headers, absolute
  int threads = 1;                     // that a kernel may use
  std::string cache_folder{};          // where a calibration may lie; "": nowhere
  double goal = 1;                     // --goal: times as fast as the baseline
  std::string against{};               // the baseline's name; "": nothing is timed
  bool allow_library = false;          // --allow library: torch may compute the result
};

struct PromptTask {
  SearchStep step = SearchStep::draft;
  std::string problem;      // its name
  std::string source;       // its file
  std::string code{};       // of the parent
  std::string feedback{};   // what is said of the parent's verdict (search/feedback.h)
  std::string hint_text{};  // what hints are looked up in: for_hints of that feedback
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
  // Checks that the folder has what the language needs, and that all of it can be rendered.
  static Result<std::unique_ptr<Prompts>> open(const Disk& disk, PromptSetting setting);
  virtual ~Prompts() = default;
  // Called by several threads. A problem's text is never a template; templates are rendered in a
  // child with limits of time and memory.
  virtual Result<Prompt> write(const PromptTask& task) = 0;
  // Ways that differ, in words, for drafts of such a problem: at least one.
  virtual Result<std::vector<std::string>> ideas(const std::string& problem,
                                                 const std::string& source) = 0;
  // Of all templates and settings: another one asks anew.
  virtual const std::string& identity() const = 0;
};

}  // namespace assay
