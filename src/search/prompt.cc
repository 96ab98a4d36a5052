#include "search/prompt.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "author/files_beside.h"
#include "base/disk.h"
#include "base/hash.h"
#include "base/text.h"
#include "search/prompt_files.h"
#include "search/renderer.h"
#include "search/sheet.h"
#include "target/calibration.h"
#include "target/machine.h"
#include "target/machine_identity.h"

namespace assay {
namespace {

using PromptValues = std::map<std::string, std::string>;

constexpr size_t kMostContextBytes = 1 << 20;
constexpr size_t kMostHints = 6;
// Code has about as many bytes for each token, and other text more: so it is rather too many.
constexpr size_t kBytesPerToken = 3;
constexpr const char *kSystem = "system.j2", *kUser = "user.j2";

std::string without_end(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

// The marks of a fence that nothing in these texts ends.
std::string bars_around(std::initializer_list<std::string_view> texts) {
  size_t longest = 2;
  for (std::string_view text : texts) {
    size_t run = 0;
    for (char c : text) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
  }
  return std::string(longest + 1, '`');
}

std::string baseline_in_words(const std::string& author) {
  if (author == "eager") return "torch as it runs the problem's own `Model`";
  if (author == "inductor") return "what torch.compile makes of the problem's `Model`";
  if (author == "iree") return "what IREE compiles of the problem's `Model`";
  return author.empty() ? "" : "another kernel, '" + author + "'";
}

bool is_template(const std::string& path) {
  return path.ends_with(".j2") || path.ends_with(".jinja") || path.ends_with(".jinja2");
}

// "`kittens.cuh`, `cutlass/` (45), and 3 more": what --include has, by the names that code includes
// it by; folders with how many headers and folders are in them. Where they lie tells a model
// nothing, and is the user's business.
Result<std::string> headers_in(const Disk& disk, const std::vector<std::string>& folders) {
  constexpr size_t kMostNames = 40;
  std::vector<std::string> files, below;
  for (const std::string& folder : folders) {
    ASSAY_ASSIGN(auto entries, disk.list(folder));
    for (const DirectoryEntry& entry : entries) {
      if (entry.is_file && is_header(entry.name)) files.push_back("`" + entry.name + "`");
      if (!entry.is_directory || entry.name.starts_with('.')) continue;
      // One that may not be read has nothing to include.
      const auto inner =
          disk.list(join_path(folder, entry.name)).value_or(std::vector<DirectoryEntry>());
      const auto headers = std::ranges::count_if(inner, [](const DirectoryEntry& each) {
        return (each.is_directory && !each.name.starts_with('.')) || is_header(each.name);
      });
      if (headers > 0) below.push_back(fmt::format("`{}/` ({})", entry.name, headers));
    }
  }
  files.insert(files.end(), below.begin(), below.end());
  const size_t others = files.size() - std::min(files.size(), kMostNames);
  files.resize(files.size() - others);
  std::string text = fmt::format("{}", fmt::join(files, ", "));
  return others == 0 ? text : fmt::format("{}, and {} more", text, others);
}

std::shared_ptr<Renderer> renderer_for(const PromptSetting& setting) {
  return std::make_shared<Renderer>(setting.python,
                                    join_path(setting.places.python, "assay_worker/render.py"));
}

class TemplatePrompts final : public Prompts {
 public:
  TemplatePrompts(PromptSetting setting, PromptFiles files, std::shared_ptr<Renderer> renderer)
      : setting_(std::move(setting)), files_(std::move(files)), renderer_(std::move(renderer)) {}

  Status prepare(const Disk& disk) {
    ASSAY_TRY(take_given_text(disk));
    ASSAY_TRY(take_settings(disk));
    ASSAY_TRY(take_context(disk));
    // Only kinds that the language and the headers at hand are for.
    std::erase_if(files_.kinds, [&](const PromptKind& kind) { return !is_for_this(disk, kind); });
    if (files_.kinds.empty() || !files_.kinds.back().name.empty() ||
        !files_.kinds.back().in_file.empty())
      return error(
          Code::invalid_input,
          "the last kind of the prompts has a pattern, or none is for " + setting_.language,
          "let the last one have neither `name` nor `in_file`, and notes for all devices");
    ASSAY_TRY(check_patterns());
    ASSAY_TRY(check_templates());
    std::string all = files_.all_text + given_text_;
    for (const auto& [name, value] : fixed_) all += name + '\n' + value + '\n';
    identity_ = sha256(all);
    templates_identity_ = sha256(files_.all_text + given_text_);
    context_identity_ = sha256(fixed_["context"]);
    return {};
  }

  Result<Prompt> write(const PromptTask& task) override {
    ASSAY_ASSIGN(const Choice choice, choose(task.problem, task.source));
    ASSAY_ASSIGN(PromptValues values, values_of(task, choice));
    std::vector<std::string> names{kUser};
    const bool renders_system = choice.system.empty();
    if (renders_system) names.insert(names.begin(), given_name_.empty() ? kSystem : given_name_);
    ASSAY_ASSIGN(std::vector<std::string> texts, render(names, values));
    Prompt prompt;
    prompt.system = without_end(renders_system ? texts.front() : choice.system);
    prompt.user = without_end(texts.back());
    if (!choice.file.empty()) names.insert(names.begin(), choice.file);
    names.push_back(choice.notes->notes);
    prompt.made_of = fmt::format("{}", fmt::join(names, ", "));
    prompt.tokens = static_cast<int64_t>(
        (prompt.system.size() + prompt.user.size() + kBytesPerToken - 1) / kBytesPerToken);
    return prompt;
  }

  Result<std::vector<std::string>> ideas(const std::string& problem,
                                         const std::string& source) override {
    ASSAY_ASSIGN(const Choice choice, choose(problem, source));
    if (choice.notes->ideas.empty()) return std::vector<std::string>{""};
    return choice.notes->ideas;
  }

  const std::string& identity() const override { return identity_; }
  const std::string& templates_identity() const override { return templates_identity_; }
  const std::string& context_identity() const override { return context_identity_; }

 private:
  struct Choice {
    const PromptKind* kind = nullptr;
    const KindNotes* notes = nullptr;
    std::string file{}, system{};  // somebody's text, not a template
  };

  bool is_gpu() const { return setting_.target->gpu.has_value(); }

  // Else an answer is compiled, and no more. A CPU is this one: others are refused.
  bool runs_here() const { return !is_gpu() || setting_.target->card.has_value(); }

  // Somebody's text stands in the place of assay's: then what has to be known stands in the user's.
  bool is_foreign(const Choice& choice) const {
    return !choice.system.empty() || !given_name_.empty();
  }

  Status take_given_text(const Disk& disk) {
    if (setting_.file.empty()) return {};
    ASSAY_ASSIGN(given_text_, disk.read(setting_.file));
    if (given_text_.empty())
      return error(Code::invalid_input, "'" + setting_.file + "' is empty",
                   "write into it what the model is to be told, or leave out --prompt");
    files_.systems.clear();
    if (is_template(setting_.file)) {
      given_name_ = setting_.file;
      files_.templates[given_name_] = given_text_;
    } else {
      files_.systems.push_back({.file = setting_.file, .text = given_text_});
    }
    return {};
  }

  Status take_settings(const Disk& disk) {
    const Target& target = *setting_.target;
    ASSAY_ASSIGN(std::string header,
                 disk.read(join_path(setting_.places.include, "assay/kernel.h")));
    ASSAY_ASSIGN(std::string headers, headers_in(disk, setting_.include));
    const MachineIdentity identity = identity_of_this_machine();
    FoundCalibration found;
    if (!setting_.cache_folder.empty()) {
      ASSAY_ASSIGN(found, find_calibration(disk, setting_.cache_folder, identity));
    }
    fixed_ = {{"language", setting_.language},
              {"title", files_.language.title},
              {"fence", files_.language.fence},
              {"abi", files_.language.abi ? "yes" : ""},
              {"header", without_end(std::move(header))},
              {"example", without_end(files_.language.example)},
              {"example_problem", without_end(files_.example_problem)},
              {"threads", std::to_string(setting_.threads)},
              {"goal", fmt::format("{:g}", setting_.goal)},
              {"against", setting_.against},
              {"allow_library", setting_.allow_library ? "yes" : ""},
              {"against_words", baseline_in_words(setting_.against)},
              {"include", std::move(headers)},
              {"target", target.name},
              {"precision", target.precision == Precision::f32
                                ? ""
                                : std::string(to_word(kPrecisionWords, target.precision))},
              {"gpu", is_gpu() ? std::string(to_word(kGpuKindWords, target.gpu->kind)) : ""},
              {"architecture", is_gpu() ? target.gpu->architecture : ""},
              {"runs", runs_here() ? "yes" : ""},
              {"warp", is_gpu() ? std::to_string(target.gpu->warp_threads) : ""},
              {"shared", is_gpu() ? fmt::format("{} KiB", target.gpu->shared_bytes >> 10) : ""},
              {"sheet",
               target_sheet(target, this_machine(), identity,
                            found.calibration ? &*found.calibration : nullptr, setting_.threads)}};
    return {};
  }

  Status take_context(const Disk& disk) {
    std::string text;
    for (const std::string& path : setting_.context) {
      ASSAY_ASSIGN(std::string file, disk.read(path));
      const std::string bars = bars_around({file});
      text += fmt::format("{}`{}`:\n\n{}\n{}\n{}\n", text.empty() ? "" : "\n",
                          std::filesystem::path(path).filename().string(), bars,
                          without_end(std::move(file)), bars);
      if (text.size() > kMostContextBytes)
        return error(Code::invalid_input,
                     "the files of --context have more than 1 MiB, with '" + path + "'",
                     "name fewer of them, or cut them down to what matters");
    }
    fixed_["context"] = without_end(std::move(text));
    return {};
  }

  bool is_for_this(const Disk& disk, const PromptKind& kind) const {
    if (!(is_gpu() ? kind.gpu : kind.cpu)) return false;
    if (!kind.languages.empty() &&
        std::ranges::find(kind.languages, setting_.language) == kind.languages.end())
      return false;
    return kind.header.empty() || std::ranges::any_of(setting_.include, [&](const auto& folder) {
             return disk.exists(join_path(folder, kind.header));
           });
  }

  Status check_patterns() {
    std::vector<std::string> patterns;
    for (const PromptKind& kind : files_.kinds)
      for (const std::string& pattern : {kind.name, kind.in_file}) patterns.push_back(pattern);
    for (const GivenSystem& system : files_.systems) patterns.push_back(system.name);
    std::erase_if(files_.hints, [&](const PromptHint& hint) {
      return !hint.languages.empty() &&
             std::ranges::find(hint.languages, setting_.language) == hint.languages.end();
    });
    for (const PromptHint& hint : files_.hints)
      if (!hint.or_plain) patterns.push_back(hint.pattern);
    ASSAY_TRY(renderer_->search(patterns, ""));
    // What is no pattern is a piece of text: there both are allowed.
    for (const PromptHint& hint : files_.hints)
      if (hint.or_plain && !renderer_->search({hint.pattern}, ""))
        no_patterns_.insert(hint.pattern);
    return {};
  }

  Status check_templates() {
    std::vector<std::string> names{kUser};
    names.insert(names.begin(), given_name_.empty() ? kSystem : given_name_);
    for (const PromptKind& kind : files_.kinds)
      names.push_back((is_gpu() ? kind.gpu : kind.cpu)->notes);
    for (SearchStep step : {SearchStep::draft, SearchStep::repair, SearchStep::optimise}) {
      PromptTask task{.step = step, .problem = "sample", .source = "a problem"};
      task.code = "some code";
      task.feedback = "what was found";
      task.idea = "an idea";
      const PromptKind& kind = files_.kinds.back();
      ASSAY_ASSIGN(PromptValues values,
                   values_of(task, {.kind = &kind, .notes = &*(is_gpu() ? kind.gpu : kind.cpu)}));
      values["hints"] = "- a hint";
      ASSAY_TRY(render(names, values));
    }
    return {};
  }

  Result<std::vector<std::string>> render(const std::vector<std::string>& names,
                                          const PromptValues& values) {
    auto texts = renderer_->render(names, files_.templates, values);
    if (texts || setting_.folder.empty()) return texts;
    return while_doing(texts.error(), "making a prompt by the templates of '" + setting_.folder +
                                          "' and assay's own");
  }

  // The first whose pattern is found in the name, then in the file; then the one without.
  Result<Choice> choose(const std::string& problem, const std::string& source) {
    std::string key = sha256(problem + '\n' + source);
    {
      std::lock_guard lock(choices_mutex_);
      if (auto known = choices_.find(key); known != choices_.end()) return known->second;
    }
    Choice choice;
    ASSAY_ASSIGN(choice.kind, first_kind(problem, &PromptKind::name));
    if (choice.kind == nullptr) {
      ASSAY_ASSIGN(choice.kind, first_kind(source, &PromptKind::in_file));
    }
    if (choice.kind == nullptr) choice.kind = &files_.kinds.back();
    choice.notes = &*(is_gpu() ? choice.kind->gpu : choice.kind->cpu);
    if (!files_.systems.empty()) {
      std::vector<std::string> patterns;
      for (const GivenSystem& system : files_.systems) patterns.push_back(system.name);
      ASSAY_ASSIGN(auto found, renderer_->search(patterns, problem));
      if (!found.empty()) {
        choice.file = files_.systems[found.front()].file;
        choice.system = files_.systems[found.front()].text;
      }
    }
    std::lock_guard lock(choices_mutex_);
    choices_.emplace(std::move(key), choice);
    return choice;
  }

  Result<const PromptKind*> first_kind(const std::string& text, std::string PromptKind::* pattern) {
    std::vector<const PromptKind*> kinds;
    std::vector<std::string> patterns;
    for (const PromptKind& kind : files_.kinds) {
      if ((kind.*pattern).empty()) continue;
      kinds.push_back(&kind);
      patterns.push_back(kind.*pattern);
    }
    ASSAY_ASSIGN(auto found, renderer_->search(patterns, text));
    return found.empty() ? nullptr : kinds[found.front()];
  }

  // Of a hint of assay's own: the kind, the error in a line, and what the model is told. A whole
  // log has words of everybody's in it, as those of a toolkit's headers.
  static std::string excerpt_of(const PromptTask& task) {
    std::string_view text = task.hint_text;
    const size_t kind = std::min(text.find('\n'), text.size());
    text = text.substr(0, text.find('\n', std::min(kind + 1, text.size())));
    return fmt::format("{}\n{}", text, task.feedback);
  }

  Result<std::string> hints_for(const PromptTask& task) {
    const std::string& text = task.hint_text;
    if (task.step == SearchStep::draft || text.empty() || files_.hints.empty())
      return std::string();
    std::vector<size_t> found;
    const std::string small = lower_case(text), excerpt = excerpt_of(task);
    for (size_t i = 0; i < files_.hints.size(); ++i) {
      const PromptHint& hint = files_.hints[i];
      if (hint.or_plain && small.contains(lower_case(hint.pattern))) {
        found.push_back(i);
      } else if (!no_patterns_.contains(hint.pattern)) {
        auto matched = renderer_->search({hint.pattern}, hint.or_plain ? text : excerpt);
        // One that takes too long is left out from now on, and the others hold.
        if (!matched) no_patterns_.insert(hint.pattern);
        if (matched && !matched->empty()) found.push_back(i);
      }
    }
    std::vector<std::string> lines;
    for (size_t i : found)
      for (const std::string& line : files_.hints[i].say)
        if (lines.size() < kMostHints && std::ranges::find(lines, line) == lines.end())
          lines.push_back(line);
    std::string said;
    for (const std::string& line : lines) said += (said.empty() ? "- " : "\n- ") + line;
    return said;
  }

  Result<PromptValues> values_of(const PromptTask& task, const Choice& choice) {
    PromptValues values = fixed_;
    values["step"] = to_word(kSearchStepWords, task.step);
    values["problem"] = task.problem;
    values["source"] = without_end(task.source);
    values["code"] = without_end(task.code);
    values["feedback"] = without_end(task.feedback);
    values["idea"] = task.idea;
    values["attempt"] = std::to_string(task.attempt);
    values["bars"] = bars_around({task.source, task.code, task.feedback});
    values["kind"] = choice.kind->title;
    values["notes"] = choice.notes->notes;
    values["foreign_system"] = is_foreign(choice) ? "yes" : "";
    ASSAY_ASSIGN(values["hints"], hints_for(task));
    return values;
  }

  const PromptSetting setting_;
  PromptFiles files_;
  const std::shared_ptr<Renderer> renderer_;
  PromptValues fixed_;                 // what is the same in all prompts
  std::string given_text_;             // of --prompt
  std::string given_name_;             // its name, where it is a template
  std::set<std::string> no_patterns_;  // of hints: texts that are no regular expressions
  std::string identity_, templates_identity_, context_identity_;
  std::mutex choices_mutex_;
  std::map<std::string, Choice> choices_;  // by problem
};

}  // namespace

Result<std::string> Prompts::idea(int number, const std::string& problem,
                                  const std::string& source) {
  if (number == 0) return "";
  ASSAY_ASSIGN(const std::vector<std::string> all, ideas(problem, source));
  return all[static_cast<size_t>(number - 1) % all.size()];
}

Result<std::unique_ptr<Prompts>> Prompts::open(const Disk& disk, PromptSetting setting,
                                               std::shared_ptr<Renderer> renderer) {
  ASSAY_ASSIGN(PromptFiles files, read_prompt_files(disk, setting.places.prompts, setting.folder,
                                                    setting.language, setting.target->gpu));
  if (!renderer) renderer = renderer_for(setting);
  auto prompts =
      std::make_unique<TemplatePrompts>(std::move(setting), std::move(files), std::move(renderer));
  ASSAY_TRY(prompts->prepare(disk));
  return prompts;
}

Result<TargetPrompts> TargetPrompts::open(const Disk& disk, const PromptSetting& setting,
                                          const std::vector<Target>& targets) {
  TargetPrompts all;
  const std::shared_ptr<Renderer> renderer = renderer_for(setting);
  for (const Target& target : targets) {
    PromptSetting its = setting;
    its.target = &target;
    ASSAY_ASSIGN(all.by_name_[target.name], Prompts::open(disk, std::move(its), renderer));
  }
  return all;
}

std::string TargetPrompts::identity() const {
  if (by_name_.size() == 1) return by_name_.begin()->second->identity();
  std::string all;
  for (const auto& [name, prompts] : by_name_) all += prompts->identity();
  return sha256(all);
}

}  // namespace assay
