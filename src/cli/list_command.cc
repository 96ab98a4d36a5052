#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "author/author.h"
#include "author/own_compilers.h"
#include "base/rows.h"
#include "base/words.h"
#include "cli/check_workloads.h"
#include "cli/command.h"
#include "cli/find_compiler.h"
#include "cli/list_kinds.h"
#include "cli/list_models.h"
#include "cli/list_providers.h"
#include "cli/list_targets.h"
#include "cli/output.h"
#include "cli/selection.h"
#include "compile/configuration.h"
#include "judge/judge.h"
#include "op/operation.h"
#include "provider/provider.h"
#include "report/table.h"
#include "setup/tools.h"
#include "workload/bundled.h"
#include "workload/workload.h"

namespace assay {
namespace {

Result<int> list_authors(const Places&, const std::string& name, const Arguments&, Output& output) {
  for (const AuthorType& author : author_types())
    if (name.empty() || author.name == name)
      output.write(fmt::format("{:<12} {}\n", author.name, author.title));
  if (name.empty()) return 0;
  ASSAY_TRY(find_author(system_disk(), name));
  return 0;
}

// Each with what becomes of who breaks it.
Result<int> list_rules(const Places&, const std::string& name, const Arguments&, Output& output) {
  std::vector<std::string> known;
  for (const RuleTitle& rule : rule_titles()) {
    known.emplace_back(rule.name);
    if (!name.empty() && rule.name != name) continue;
    output.write(fmt::format("{:<18} {:<7} {:<10} {}\n", rule.name,
                             to_word(kStageWords, rule.stage), to_word(kEffectWords, rule.effect),
                             rule.meaning));
  }
  if (name.empty() || std::ranges::find(known, name) != known.end()) return 0;
  return error(Code::not_found, "there is no rule '" + name + "'" + suggestion(name, known));
}

// Every operation; one by name, with what each of its keys can be.
Result<int> list_ops(const Places&, const std::string& name, const Arguments&, Output& output) {
  if (!name.empty()) ASSAY_TRY(find_operation(name));
  for (const Operation& operation : operations()) {
    if (!name.empty() && operation.name != name) continue;
    output.write(fmt::format("{:<14} {}\n", operation.name, operation.title));
    if (name.empty()) continue;
    for (const OpKey& key : operation.keys) {
      std::string values =
          key.words.empty() ? "a number" : fmt::format("{}", fmt::join(key.words, "|"));
      output.write(fmt::format("  {:<12} {}: {}; without it {}{}\n", key.name, key.title, values,
                               find_row(operation.keys, key.otherwise) ? "as " : "",
                               key.otherwise));
    }
  }
  return 0;
}

// "product of f16 for cuda: workgroup [128, 128, 0] ...".
std::string in_words(const Configuration& configuration) {
  std::string words = configuration.operation.empty() ? "any operation" : configuration.operation;
  if (!configuration.types.empty())
    words += fmt::format(" of {}", fmt::join(configuration.types, ", "));
  if (!configuration.backend.empty()) words += " for " + configuration.backend;
  std::string sign = ":";
  for (const LoweringPart& part : configuration.lowering) {
    words += fmt::format("{} {} {}{}{}", sign, part.key, part.is_list ? "[" : "",
                         fmt::join(part.values, ", "), part.is_list ? "]" : "");
    sign = ",";
  }
  for (const std::string& flag : configuration.flags)
    words += std::exchange(sign, ",") + " " + flag;
  return words;
}

// All sets; of one by name its configurations, or what its spaces are made of.
Result<int> list_configs(const Places& places, const std::string& name, const Arguments&,
                         Output& output) {
  std::vector<ConfigurationSet> sets;
  if (name.empty()) {
    ASSAY_ASSIGN(sets, shipped_configurations(system_disk(), places.configs));
  } else {
    ASSAY_ASSIGN(ConfigurationSet one, find_configurations(system_disk(), places.configs, name));
    sets.push_back(std::move(one));
  }
  for (const ConfigurationSet& set : sets) {
    size_t count = 0;
    for (const ConfigurationEntry& entry : set.entries) count += entry.all().size();
    output.write(fmt::format("{:<10} {:>6}  {}\n", set.name, count, set.title));
    if (name.empty()) continue;
    for (const ConfigurationEntry& entry : set.entries) {
      output.write(fmt::format("  {:<42} {}\n", entry.made_of.name, in_words(entry.made_of)));
      for (const auto& [knob, values] : entry.knobs)
        output.write(fmt::format("    {} = {}\n", knob, fmt::join(values, ", ")));
    }
  }
  return 0;
}

// The one that a run uses, and the user's own, each with what says which it is.
Result<int> list_compilers(const Places& places, const std::string& name, const Arguments&,
                           Output& output) {
  ASSAY_ASSIGN(const auto own, own_compilers(system_disk()));
  std::vector<Row> rows;
  auto add = [&](const std::string& author, const Result<IreeCompiler>& found,
                 const std::string& place) {
    rows.push_back({author,
                    found ? (found->version.empty() ? "no version" : found->version) : "not there",
                    found ? place : terminal_text(found.error().message)});
  };
  if (name.empty()) {
    const auto installed = find_compiler(this_machine(), places);
    add("iree", installed, installed ? installed->tool : "");
  }
  for (const OwnCompiler& each : own)
    if (name.empty() || name == each.name)
      add(author_name(each), find_compiler(this_machine(), places, each.path), each.path);
  if (rows.empty())
    return error(Code::not_found, "there is no compiler '" + name + "'",
                 "declare it in " + own_compilers_file() + ": NAME = \"/path/of/iree\"");
  output.write(text_table(rows));
  return 0;
}

Proposals propose_compilers() {
  Proposals proposals;
  if (const auto own = own_compilers(system_disk()))
    for (const OwnCompiler& each : *own) proposals.words.push_back({each.name, each.path});
  return proposals;
}

Proposals propose_configs() {
  Proposals proposals;
  auto places = find_places();
  if (!places) return proposals;
  auto sets = shipped_configurations(system_disk(), places->configs);
  if (!sets) return proposals;
  for (const ConfigurationSet& set : *sets) proposals.words.push_back({set.name, set.title});
  return proposals;
}

Proposals propose_rules() {
  Proposals proposals;
  for (const RuleTitle& rule : rule_titles())
    proposals.words.push_back({std::string(rule.name), std::string(rule.meaning)});
  return proposals;
}

Result<std::vector<Workload>> named_workloads(const Places& places, const std::string& name,
                                              const Selection& selection) {
  const Disk& disk = system_disk();
  std::vector<std::string> paths;
  if (name.empty()) {
    ASSAY_ASSIGN(auto suites, disk.list(places.suites));
    for (const DirectoryEntry& suite : suites)
      if (suite.is_directory)
        paths.push_back(named_suite(disk, join_path(places.suites, suite.name)));
  } else {
    paths.push_back(suite_path(disk, places, name));
    ASSAY_ASSIGN(paths, expand_globs(disk, paths));
  }
  ASSAY_ASSIGN(auto workloads, find_named_workloads(disk, places, paths));
  return select_workloads(std::move(workloads), selection);
}

Result<int> list_workloads(const Places& places, const std::string& name,
                           const Arguments& arguments, Output& output) {
  ASSAY_ASSIGN(Selection selection, parse_selection(arguments));
  ASSAY_ASSIGN(auto workloads, named_workloads(places, name, selection));
  if (arguments.given("--check")) {
    std::erase_if(workloads, [](const Workload& each) {
      return each.has_tests || each.truth != Truth::problem;
    });
    if (workloads.empty())
      return error(Code::invalid_input,
                   fmt::format("--check looks at models, and {} has none", name),
                   "what kernels with tests of their own prove, `assay run triton:PATH --by "
                   "reference` says");
  }
  if (arguments.given("--check")) return check_workloads(places, workloads, arguments, output);
  for (const Workload& workload : workloads)
    output.write(fmt::format("{}  {}\n", workload.selection_path(), workload.path));
  return 0;
}

Result<int> list_or_show_targets(const Places& places, const std::string& name, const Arguments&,
                                 Output& output) {
  ASSAY_TRY(name.empty() ? list_targets(places, output) : show_target(places, name, output));
  return 0;
}

constexpr ListKind kKinds[] = {
    {"workloads", "what to compute: suites that come with assay, and what NAME stands for",
     list_workloads, propose_workloads},
    {"ops", "operations that assay makes itself, and what each of their keys can be", list_ops,
     [] { return propose(operations()); }},
    {"models", "whole networks, the memory of their weights, and what each needs", list_models,
     propose_zoo},
    {"authors", "who makes implementations", list_authors, propose_authors},
    {"targets", "what they can be compiled for, and what of that runs here", list_or_show_targets,
     propose_targets},
    {"configs", "how IREE can be told to lower operations, in sets: for --configs", list_configs,
     propose_configs},
    {"compilers", "IREE's compilers that are authors: the installed one, and your own",
     list_compilers, propose_compilers},
    {"providers", "by whom language models are asked, and what of that is set up here",
     list_providers, [] { return propose(provider_types()); }},
    {"rules", "what a candidate is rejected for, and a comparison undecided", list_rules,
     propose_rules},
};

// What is for workloads alone, and what for their --check alone.
Status refuse_what_says_nothing(const Arguments& arguments, const std::string& kind) {
  if (kind == "providers" && arguments.given("--check")) {
    for (const char* option : kCheckOptions)
      if (arguments.given(option))
        return error(Code::invalid_input,
                     fmt::format("{} is for --check of workloads, not of providers", option),
                     "assay list providers --check");
    return {};
  }
  for (const char* option : {"--filter", "--skip", "--sample", "--limit", "--check"})
    if (arguments.given(option) && kind != "workloads")
      return error(Code::invalid_input,
                   fmt::format("{} looks at workloads, not at {}", option, kind),
                   fmt::format("assay list workloads PATH {}", option));
  if (arguments.given("--check")) return {};
  for (const char* option : kCheckOptions)
    if (arguments.given(option))
      return error(Code::invalid_input, std::string(option) + " says nothing without --check",
                   "assay list workloads PATH --check");
  return {};
}

}  // namespace

std::span<const ListKind> list_kinds() { return kKinds; }

Result<int> list_command(const Arguments& arguments, Output& output) {
  const std::string& word = arguments.positional("KIND").front();
  const ListKind* kind = find_row(list_kinds(), word);
  if (!kind)
    return error(Code::invalid_input,
                 "there are no '" + word + "'" + suggestion(word, names_of(list_kinds())));
  ASSAY_TRY(refuse_what_says_nothing(arguments, word));
  const auto& names = arguments.positional("NAME");
  ASSAY_ASSIGN(Places places, find_places());
  return kind->list(places, names.empty() ? "" : names.front(), arguments, output);
}

}  // namespace assay
