#include "cli/completion.h"

#include <algorithm>

#include "author/author.h"
#include "base/disk.h"
#include "base/places.h"
#include "cli/open_run.h"
#include "cli/tools.h"
#include "report/comparison.h"
#include "report/format.h"

namespace assay {
namespace {

Candidates files() { return {{}, true}; }

Candidates words(const std::vector<std::string>& list) {
  Candidates candidates;
  for (const std::string& word : list) candidates.words.push_back({word, ""});
  return candidates;
}

// A place that cannot be found gives no candidates: completion has nobody to tell.
Candidates targets() {
  Candidates candidates = files();
  auto places = find_places();
  if (!places) return candidates;
  TargetCatalog catalog = target_catalog(system_disk(), *places);
  for (const std::string& name : catalog.names()) {
    auto target = catalog.load(name);
    candidates.words.push_back({name, target ? target->title : ""});
  }
  return candidates;
}

Candidates suites() {
  Candidates candidates = files();
  auto places = find_places();
  if (!places) return candidates;
  auto entries = system_disk().list(places->suites);
  if (!entries) return candidates;
  for (const DirectoryEntry& entry : *entries)
    if (entry.is_directory) candidates.words.push_back({entry.name, "comes with assay"});
  return candidates;
}

Candidates author_names() {
  Candidates candidates;
  for (const Author& author : authors())
    candidates.words.push_back({std::string(author.name), std::string(author.title)});
  return candidates;
}

Candidates formats(const Command& command) {
  Candidates candidates;
  if (command.name == "compare")
    for (const ComparisonFormat& format : comparison_formats())
      candidates.words.push_back({std::string(format.name), ""});
  else
    for (const ReportFormat& format : report_formats())
      candidates.words.push_back({std::string(format.name), std::string(format.title)});
  return candidates;
}

Candidates runs() {
  Candidates candidates = files();
  for (const std::string& run : run_folders("")) candidates.words.push_back({run, "a run"});
  return candidates;
}

Candidates attempts_of(const std::string& run) {
  Candidates candidates;
  auto store = RunStore::open_to_read(system_disk(), run);
  if (!store) return candidates;
  auto known = store->known();
  if (!known) return candidates;
  for (const auto& [id, unused] : *known) candidates.words.push_back({id, ""});
  return candidates;
}

// Of `list targets NAME`: what NAME is depends on the word before.
Candidates names_of_kind(std::span<const std::string> before) {
  std::string kind = before.empty() ? "" : before.back();
  return kind == "targets" ? targets() : kind == "authors" ? author_names() : suites();
}

// "Up to here. Not this." -> "Up to here"
std::string first_sentence(std::string_view text) {
  return std::string(text.substr(0, std::min(text.find(". "), text.find(';'))));
}

Candidates command_names() {
  Candidates candidates;
  for (const Command& command : commands())
    candidates.words.push_back({std::string(command.name), std::string(command.summary)});
  candidates.words.push_back({"help", "explain a command"});
  candidates.words.push_back({"--help", "print what there is"});
  candidates.words.push_back({"--version", "print the version"});
  return candidates;
}

Candidates option_names(const Command& command) {
  Candidates candidates;
  for (const Option& option : command.options)
    candidates.words.push_back({std::string(option.name), first_sentence(option.help)});
  candidates.words.push_back({"--help", "explain this command"});
  return candidates;
}

const Option* option_named(const Command& command, std::string_view name) {
  auto found = std::ranges::find(command.options, name, &Option::name);
  return found == command.options.end() ? nullptr : &*found;
}

// Keeps what begins with `typed`. In a list the values before the last comma stay as they are.
Candidates beginning_with(Candidates candidates, std::string typed, bool list) {
  std::string kept;
  if (size_t comma = typed.rfind(','); list && comma != std::string::npos) {
    kept = typed.substr(0, comma + 1);
    typed.erase(0, comma + 1);
  }
  std::erase_if(candidates.words, [&](const Candidate& c) { return !c.word.starts_with(typed); });
  for (Candidate& candidate : candidates.words) candidate.word = kept + candidate.word;
  return candidates;
}

Candidates value_of(const Command& command, const Option& option, const std::string& typed) {
  return beginning_with(values_named(command, option.value, {}).value_or(Candidates{}), typed,
                        option.is_list());
}

Candidates complete_for(const Command& command, std::span<const std::string> before,
                        const std::string& typed) {
  // Which positional: the words before that are neither options nor their values.
  std::vector<std::string> positionals;
  const Option* expects_value = nullptr;
  for (const std::string& word : before) {
    if (expects_value) {
      expects_value = nullptr;
    } else if (word.starts_with('-')) {
      const Option* option = option_named(command, word);
      if (option && !option->is_switch()) expects_value = option;
    } else {
      positionals.push_back(word);
    }
  }
  if (expects_value) return value_of(command, *expects_value, typed);
  if (size_t equals = typed.find('='); typed.starts_with("--") && equals != std::string::npos) {
    const Option* option = option_named(command, typed.substr(0, equals));
    if (!option || option->is_switch()) return {};
    Candidates candidates = value_of(command, *option, typed.substr(equals + 1));
    for (Candidate& candidate : candidates.words)
      candidate.word = typed.substr(0, equals + 1) + candidate.word;
    return candidates;
  }
  if (typed.starts_with('-')) return beginning_with(option_names(command), typed, false);
  if (command.positionals.empty()) return {};
  size_t index = std::min(positionals.size(), command.positionals.size() - 1);
  const Positional& positional = command.positionals[index];
  if (index < positionals.size() && !positional.is_list()) return {};  // all are given
  return beginning_with(values_named(command, positional.name, positionals).value_or(Candidates{}),
                        typed, false);
}

}  // namespace

std::optional<Candidates> values_named(const Command& command, std::string_view name,
                                       std::span<const std::string> before) {
  if (name == "TARGET,...") return targets();
  if (name == "AUTHOR,...") return author_names();
  if (name == "FORMAT") return formats(command);
  if (name == "STAGE") return words(until_words());
  if (name == "MODE") return words(mode_words());
  if (name == "TYPE") return words(words_of(kPrecisionWords));
  if (name == "SHELL") return words({"bash", "zsh", "fish"});
  if (name == "KIND")
    return command.name == "list" ? words({"workloads", "authors", "targets"})
                                  : words(words_of(kCompilerKindWords));
  if (name == "NAME") return names_of_kind(before);
  if (name == "ATTEMPT") return before.empty() ? Candidates{} : attempts_of(before.front());
  if (name == "PATH...") return suites();
  if (name == "RUN" || name == "RUN_A" || name == "RUN_B") return runs();
  if (name == "PATH") return files();
  // Numbers, times and patterns are anybody's guess.
  for (std::string_view free : {"N", "TIME", "SIZE", "GLOB,...", "FLAG...", "WORD..."})
    if (name == free) return Candidates{};
  return std::nullopt;
}

Candidates complete(std::span<const std::string> typed_words) {
  // bash makes "=" a word of its own.
  std::vector<std::string> line;
  for (size_t i = 0; i < typed_words.size(); ++i) {
    bool last = i + 1 == typed_words.size();
    if (typed_words[i] != "=")
      line.push_back(typed_words[i]);
    else if (last)
      line.emplace_back();
  }
  if (line.empty()) return command_names();
  std::string typed = line.back();
  line.pop_back();
  if (line.empty()) return beginning_with(command_names(), typed, false);
  if (line.front() == "help") {
    if (line.size() > 1) return {};
    Candidates candidates = command_names();
    candidates.words.resize(commands().size());
    return beginning_with(std::move(candidates), typed, false);
  }
  const Command* command = find_command(line.front());
  if (!command) return {};
  return complete_for(*command, std::span(line).subspan(1), typed);
}

}  // namespace assay
