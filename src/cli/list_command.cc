#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "author/author.h"
#include "base/words.h"
#include "cli/check_workloads.h"
#include "cli/command.h"
#include "cli/list_targets.h"
#include "cli/output.h"
#include "cli/selection.h"
#include "cli/tools.h"
#include "engine/suite.h"
#include "judge/judge.h"

namespace assay {
namespace {

Status list_authors(const std::string& name, Output& output) {
  for (const AuthorTitle& author : author_titles())
    if (name.empty() || author.name == name)
      output.write(fmt::format("{:<12} {}\n", author.name, author.title));
  if (name.empty()) return {};
  auto known = find_author(system_disk(), name);
  return known ? Status{} : std::unexpected(known.error());
}

// Each with what becomes of who breaks it.
Status list_rules(const std::string& name, Output& output) {
  std::vector<std::string> known;
  for (const RuleTitle& rule : rule_titles()) {
    known.emplace_back(rule.name);
    if (!name.empty() && rule.name != name) continue;
    output.write(fmt::format("{:<18} {:<7} {:<10} {}\n", rule.name,
                             to_word(kStageWords, rule.stage), to_word(kEffectWords, rule.effect),
                             rule.meaning));
  }
  if (name.empty() || std::ranges::find(known, name) != known.end()) return {};
  return error(Code::not_found, "there is no rule '" + name + "'" + suggestion(name, known));
}

// Every operation; one by name, with what each of its keys can be.
Status list_ops(const std::string& name, Output& output) {
  if (!name.empty()) ASSAY_TRY(find_operation(name));
  for (const Operation& operation : operations()) {
    if (!name.empty() && operation.name != name) continue;
    output.write(fmt::format("{:<12} {}\n", operation.name, operation.title));
    if (name.empty()) continue;
    for (const OpKey& key : operation.keys) {
      std::string values =
          key.words.empty() ? "a number" : fmt::format("{}", fmt::join(key.words, "|"));
      output.write(fmt::format("  {:<10} {}: {}; without it {}\n", key.name, key.title, values,
                               key.otherwise));
    }
  }
  return {};
}

Result<std::vector<Workload>> named_workloads(const Places& places, const std::string& name,
                                              const Selection& selection) {
  const Disk& disk = system_disk();
  std::vector<std::string> paths;
  if (name.empty()) {
    ASSAY_ASSIGN(auto suites, disk.list(places.suites));
    for (const DirectoryEntry& suite : suites)
      if (suite.is_directory) paths.push_back(join_path(places.suites, suite.name));
  } else {
    paths.push_back(suite_path(disk, places, name));
    ASSAY_ASSIGN(paths, expand_globs(disk, paths));
  }
  ASSAY_ASSIGN(auto workloads, find_named_workloads(disk, places, paths));
  return select_workloads(std::move(workloads), selection);
}

void list_workloads(const std::vector<Workload>& workloads, Output& output) {
  for (const Workload& workload : workloads) {
    std::string level = workload.level.empty() ? "" : workload.level + "/";
    output.write(fmt::format("{}/{}{}  {}\n", workload.suite, level, workload.name, workload.path));
  }
}

// What is for --check alone.
Status refuse_without_check(const Arguments& arguments, const std::string& kind) {
  if (arguments.given("--check") && kind != "workloads")
    return error(Code::invalid_input, "--check looks at workloads, not at " + kind,
                 "assay list workloads PATH --check");
  if (arguments.given("--check")) return {};
  for (const char* option : kCheckOptions)
    if (arguments.given(option))
      return error(Code::invalid_input, std::string(option) + " says nothing without --check",
                   "assay list workloads PATH --check");
  return {};
}

}  // namespace

Result<int> list_command(const Arguments& arguments, Output& output) {
  const std::string& kind = arguments.positional("KIND").front();
  const auto& names = arguments.positional("NAME");
  std::string name = names.empty() ? "" : names.front();
  ASSAY_ASSIGN(Selection selection, parse_selection(arguments));
  ASSAY_TRY(refuse_without_check(arguments, kind));
  ASSAY_ASSIGN(Places places, find_places());
  Status listed;
  if (kind == "targets") {
    listed = name.empty() ? list_targets(places, output) : show_target(places, name, output);
  } else if (kind == "authors") {
    listed = list_authors(name, output);
  } else if (kind == "ops") {
    listed = list_ops(name, output);
  } else if (kind == "rules") {
    listed = list_rules(name, output);
  } else if (kind == "workloads") {
    ASSAY_ASSIGN(auto workloads, named_workloads(places, name, selection));
    if (arguments.given("--check")) return check_workloads(places, workloads, arguments, output);
    list_workloads(workloads, output);
  } else {
    std::vector<std::string> known{"workloads", "ops", "authors", "targets", "rules"};
    return error(Code::invalid_input, "there are no '" + kind + "'" + suggestion(kind, known));
  }
  ASSAY_TRY(listed);
  return 0;
}

}  // namespace assay
