#include "cli/completion.h"

#include <algorithm>

#include "author/author.h"
#include "base/disk.h"
#include "base/places.h"
#include "base/rows.h"
#include "base/words.h"
#include "cli/list_kinds.h"
#include "cli/open_run.h"
#include "provider/provider.h"
#include "report/chart.h"
#include "report/format.h"
#include "report/phases.h"
#include "search/strategy.h"
#include "setup/tools.h"
#include "tune/searcher.h"
#include "workload/source.h"

namespace assay {
namespace {

Proposals files() { return {{}, true}; }

Proposals words(const std::vector<std::string>& list) {
  Proposals proposals;
  for (const std::string& word : list) proposals.words.push_back({word, ""});
  return proposals;
}

// Names of what comes with assay, each a file of a folder; or a file of the user's.
Proposals shipped(std::string Places::* folder) {
  Proposals proposals = files();
  auto places = find_places();
  if (!places) return proposals;
  auto entries = system_disk().list((*places).*folder);
  if (!entries) return proposals;
  for (const DirectoryEntry& entry : *entries)
    if (entry.name.ends_with(".toml"))
      proposals.words.push_back(
          {entry.name.substr(0, entry.name.size() - std::string_view(".toml").size()), ""});
  return proposals;
}

Proposals sets_of_configurations() {
  Proposals proposals = shipped(&Places::configs);
  for (const char* word : {"default", "all"}) proposals.words.push_back({word, ""});
  return proposals;
}

Proposals runs() {
  Proposals proposals = files();
  for (const std::string& run : run_folders("")) proposals.words.push_back({run, "a run"});
  return proposals;
}

Proposals attempts_of(const std::string& run) {
  Proposals proposals;
  auto store = RunStore::open_to_read(system_disk(), run);
  if (!store) return proposals;
  auto known = store->known();
  if (!known) return proposals;
  for (const auto& [id, unused] : *known) proposals.words.push_back({id, ""});
  return proposals;
}

// Of `list targets NAME`: what NAME is depends on the word before.
Proposals names_of_kind(std::span<const std::string> before) {
  const ListKind* kind = before.empty() ? nullptr : find_row(list_kinds(), before.back());
  return kind ? kind->propose() : Proposals{};
}

Proposals command_names() {
  Proposals proposals;
  for (const Command& command : commands())
    proposals.words.push_back({std::string(command.name), std::string(command.summary)});
  proposals.words.push_back({"help", "explain a command"});
  proposals.words.push_back({"--help", "print what there is"});
  proposals.words.push_back({"--version", "print the version"});
  return proposals;
}

Proposals option_names(const Command& command) {
  Proposals proposals;
  for (const Option& option : command.options)
    proposals.words.push_back({std::string(option.name), first_sentence(option.help)});
  proposals.words.push_back({"--help", "explain this command"});
  return proposals;
}

const Option* option_named(const Command& command, std::string_view name) {
  auto found = std::ranges::find(command.options, name, &Option::name);
  return found == command.options.end() ? nullptr : &*found;
}

// Keeps what begins with `typed`. In a list the values before the last comma stay as they are.
Proposals beginning_with(Proposals proposals, std::string typed, bool list) {
  std::string kept;
  if (size_t comma = typed.rfind(','); list && comma != std::string::npos) {
    kept = typed.substr(0, comma + 1);
    typed.erase(0, comma + 1);
  }
  std::erase_if(proposals.words, [&](const Proposal& c) { return !c.word.starts_with(typed); });
  for (Proposal& proposal : proposals.words) proposal.word = kept + proposal.word;
  return proposals;
}

Proposals value_of(const Command& command, const Option& option, const std::string& typed) {
  return beginning_with(values_named(command, option.value, {}).value_or(Proposals{}), typed,
                        option.is_list());
}

Proposals complete_for(const Command& command, std::span<const std::string> before,
                       const std::string& typed) {
  // Which positional: the words before that are neither options nor their values.
  std::vector<std::string> positionals;
  const Option* expects_value = nullptr;
  std::string again;  // the run of which an attempt is replayed
  for (const std::string& word : before) {
    if (expects_value) {
      if (expects_value->name == "--again") again = word;
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
    Proposals proposals = value_of(command, *option, typed.substr(equals + 1));
    for (Proposal& proposal : proposals.words)
      proposal.word = typed.substr(0, equals + 1) + proposal.word;
    return proposals;
  }
  if (typed.starts_with('-')) return beginning_with(option_names(command), typed, false);
  if (!again.empty()) return beginning_with(attempts_of(again), typed, false);
  if (command.positionals.empty()) return {};
  size_t index = std::min(positionals.size(), command.positionals.size() - 1);
  const Positional& positional = command.positionals[index];
  if (index < positionals.size() && !positional.is_list()) return {};  // all are given
  return beginning_with(values_named(command, positional.name, positionals).value_or(Proposals{}),
                        typed, false);
}

}  // namespace

// A place that cannot be found gives no proposals: completion has nobody to tell.
Proposals propose_targets() {
  Proposals proposals = files();
  auto places = find_places();
  if (!places) return proposals;
  TargetCatalog catalog = target_catalog(system_disk(), *places);
  for (const std::string& name : catalog.names()) {
    auto target = catalog.load(name);
    proposals.words.push_back({name, target ? target->title : ""});
  }
  return proposals;
}

Proposals propose_workloads() {
  Proposals proposals = files();
  for (const Source& source : sources()) {
    if (source.is_on_disk) continue;
    if (!source.beginnings)
      proposals.words.push_back({std::string(source.prefix), std::string(source.title)});
    else
      for (const NameBeginning& each : source.beginnings())
        proposals.words.push_back({each.text, std::string(each.title)});
  }
  auto places = find_places();
  if (!places) return proposals;
  auto entries = system_disk().list(places->suites);
  if (!entries) return proposals;
  for (const DirectoryEntry& entry : *entries)
    if (entry.is_directory) proposals.words.push_back({entry.name, "comes with assay"});
  return proposals;
}

Proposals propose_authors() { return propose(author_types()); }

// What a provider's name ends in is for the user to write.
Proposals propose_models() {
  Proposals proposals;
  for (const ProviderType& type : provider_types())
    proposals.words.push_back({std::string(type.name) + ":", std::string(type.title)});
  return proposals;
}

std::optional<Proposals> values_named(const Command& command, std::string_view name,
                                      std::span<const std::string> before) {
  if (name == "TARGET,...") return propose_targets();
  if (name == "AUTHOR,...") return propose_authors();
  if (name == "FORMAT")
    return propose(command.name == "compare" ? comparison_formats() : report_formats());
  if (name == "MODEL,...") return propose_models();
  if (name == "STRATEGY")
    return command.name == "tune" ? propose(searchers()) : propose(strategies());
  if (name == "LANGUAGE") return words(write_languages());
  if (name == "LABEL,...") return words({"library", "fallback"});
  if (name == "STAGE")
    return words(command.name == "write" ? std::vector<std::string>{"answer", "verify"}
                                         : until_words());
  if (name == "LEVEL") return words(words_of(kIsolationWords));
  if (name == "MODE") return words(mode_words());
  if (name == "CHART") return propose(charts());
  if (name == "WHAT") return words(words_of(kEmbedWords));
  if (name == "STATE") return words(words_of(kCacheModeWords));
  if (name == "POLICY") return shipped(&Places::policies);
  if (name == "SET,...") return sets_of_configurations();
  if (name == "TYPE") return words(words_of(kPrecisionWords));
  if (name == "PHASE") return words({std::begin(kUsualPhases), std::end(kUsualPhases)});
  if (name == "SHELL") return words(shell_words());
  if (name == "KIND")
    return words(command.name == "list" ? names_of(list_kinds()) : words_of(kCompilerKindWords));
  if (name == "NAME") return names_of_kind(before);
  if (name == "ATTEMPT") return before.empty() ? Proposals{} : attempts_of(before.front());
  if (name == "PATH...") return propose_workloads();
  if (name == "RUN" || name == "A" || name == "B" || name == "RUN...") return runs();
  if (name == "SPEED") return words({"faster", "1.05x"});
  if (name == "RATIO") return words({"1.0x"});
  for (std::string_view path :
       {"PATH", "FILE", "FILE...", "FOLDER", "FOLDER,...", "DIR", "PROBLEM", "CANDIDATE"})
    if (name == path) return files();
  // Numbers, times and patterns are anybody's guess.
  for (std::string_view free :
       {"N", "N,...", "TIME", "SIZE", "GLOB,...", "FLAG...", "WORD...", "LIMIT", "NAME=VALUE,...",
        "ADDRESS", "PHASE,PHASE", "URL", "K,..."})
    if (name == free) return Proposals{};
  return std::nullopt;
}

Proposals complete(std::span<const std::string> typed_words) {
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
    Proposals proposals = command_names();
    proposals.words.resize(commands().size());
    return beginning_with(std::move(proposals), typed, false);
  }
  const Command* command = find_command(line.front());
  if (!command) return {};
  return complete_for(*command, std::span(line).subspan(1), typed);
}

}  // namespace assay
