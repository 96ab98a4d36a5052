#include "workload/arena_task.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "base/json.h"
#include "workload/plain_yaml.h"

namespace assay {
namespace {

// What stands under a name; null where it is no mapping, or has none such.
const Json& under(const Json& mapping, const char* name) {
  static const Json kNothing;
  if (!mapping.is_object()) return kNothing;
  const auto found = mapping.find(name);
  return found == mapping.end() ? kNothing : *found;
}

std::string arena_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : "";
}

// A text, or those of a list.
std::vector<std::string> arena_texts(const Json& value) {
  if (value.is_string()) return {value.get<std::string>()};
  std::vector<std::string> texts;
  if (value.is_array())
    for (const Json& each : value)
      if (each.is_string()) texts.push_back(each.get<std::string>());
  return texts;
}

void read_first_schema(const Json& config, ArenaTask& task) {
  task.sources = arena_texts(under(config, "source_file_path"));
  task.kernels = arena_texts(under(config, "target_kernel_functions"));
  task.checks = arena_texts(under(config, "correctness_command"));
  task.type = arena_text(under(config, "task_type"));
  task.is_triton = task.type.ends_with("triton");
}

// A candidate is what may be edited, and one command does all that is done.
void read_second_schema(const Json& config, ArenaTask& task) {
  const Json& candidate = under(config, "candidate");
  const Json& editable = under(candidate, "editable");
  if (editable.is_array())
    for (const Json& each : editable) {
      const std::string path = arena_text(each.is_object() ? under(each, "path") : each);
      if (!path.empty()) task.sources.push_back(path);
    }
  const Json& entries = under(candidate, "entrypoints");
  if (entries.is_array())
    for (const Json& each : entries)
      if (const std::string name = arena_text(under(each, "symbol")); !name.empty())
        task.kernels.push_back(name);
  const Json& evaluation = under(config, "evaluation");
  task.checks = {fmt::format("{}", fmt::join(arena_texts(under(evaluation, "runner")), " "))};
  const std::string language = arena_text(under(candidate, "language"));
  const std::string before = arena_text(under(candidate, "initial_language"));
  task.type = (before.empty() ? language : before) + "2" + language;
  task.is_triton = language == "triton";
  if (arena_text(under(candidate, "initial_state")) == "unimplemented")
    task.skipped = "its candidate is unimplemented: there is no code to hold answers to";
}

}  // namespace

Result<ArenaTask> read_arena_task(std::string_view text, const std::string& where) {
  ASSAY_ASSIGN(const Json config, read_plain_yaml(text, where));
  ArenaTask task;
  const std::string schema = arena_text(under(config, "schema_version"));
  if (schema == "2") {
    task.schema = 2;
    read_second_schema(config, task);
  } else if (schema.empty() || schema == "1") {
    read_first_schema(config, task);
  } else {
    return error(Code::invalid_input, fmt::format("{}: schema_version is {}", where, schema),
                 "those of AgentKernelArena that are known are 1 and 2");
  }
  if (task.sources.empty())
    return error(Code::invalid_input,
                 fmt::format("{}: it names no {}", where,
                             task.schema == 2 ? "candidate.editable" : "source_file_path"),
                 "a task of AgentKernelArena has a config.yaml that does");
  const Json& platform = under(config, "platform_support");
  if (arena_text(under(platform, "status")) == "skip") {
    const std::string why = arena_text(under(platform, "skip_reason"));
    task.skipped = "its platform_support says skip" + (why.empty() ? "" : ": " + why);
  }
  return task;
}

}  // namespace assay
