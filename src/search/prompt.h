// What a language model is told: made from templates, data in prompts/.
#pragma once

#include <cstdint>
#include <map>
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

class Renderer;

class Prompts {
 public:
  // Checks that the folder has what the language needs, and that all of it can be rendered.
  // `renderer`: that of another target's, with the same interpreter; null: one of its own.
  static Result<std::unique_ptr<Prompts>> open(const Disk& disk, PromptSetting setting,
                                               std::shared_ptr<Renderer> renderer = nullptr);
  virtual ~Prompts() = default;
  // Called by several threads. A problem's text is never a template; templates are rendered in a
  // child with limits of time and memory.
  virtual Result<Prompt> write(const PromptTask& task) = 0;
  // Ways that differ, in words, for drafts of such a problem: at least one.
  virtual Result<std::vector<std::string>> ideas(const std::string& problem,
                                                 const std::string& source) = 0;
  // The one of these that a draft is to try, from 1: after the last comes the first. "" for 0.
  Result<std::string> idea(int number, const std::string& problem, const std::string& source);
  // Of all templates and settings: another one asks anew.
  virtual const std::string& identity() const = 0;
  // Of what people wrote alone: the templates with --prompt, and the files of --context.
  virtual const std::string& templates_identity() const = 0;
  virtual const std::string& context_identity() const = 0;
};

// Those of each target of a run: what code runs on is told, and differs. One process renders all.
class TargetPrompts {
 public:
  // As Prompts::open() for each; `setting` names no target, and `targets` outlives this.
  static Result<TargetPrompts> open(const Disk& disk, const PromptSetting& setting,
                                    const std::vector<Target>& targets);
  // Of one of these, or of the same at another precision.
  Prompts& of(const Target& target) const { return *by_name_.at(target.name); }
  // Of one target that of its own; else of all of them, in whatever order they are named.
  std::string identity() const;
  // What people wrote is the same for all.
  const std::string& templates_identity() const {
    return by_name_.begin()->second->templates_identity();
  }
  const std::string& context_identity() const {
    return by_name_.begin()->second->context_identity();
  }

 private:
  std::map<std::string, std::unique_ptr<Prompts>> by_name_;
};

}  // namespace assay
