#include "serve/mcp_tool.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "author/form.h"
#include "base/escape.h"
#include "base/rows.h"

namespace assay {
namespace {

using Takes = McpTool::Takes;

constexpr McpTool kTools[] = {
    {.does = McpTool::Does::list,
     .name = "list",
     .title = "List problems",
     .description = "The ids of all problems. Every other tool names a problem by its id."},
    {.does = McpTool::Does::get,
     .name = "get",
     .title = "Get a problem",
     .description = "A problem: its source, PyTorch, and what candidates are judged for. With a "
                    "language also what is to be known of kernels in it: how they are called and "
                    "built, what right means, an example.",
     .problem = Takes::yes,
     .language = Takes::maybe},
    {.does = McpTool::Does::check,
     .name = "check",
     .title = "Check a kernel",
     .description = "Verifies a candidate on many kinds of inputs from a new secret seed: whether "
                    "it is right. Says nothing of its speed.",
     .problem = Takes::yes,
     .language = Takes::yes,
     .code = Takes::yes},
    {.does = McpTool::Does::time,
     .name = "time",
     .title = "Time a kernel",
     .description = "Verifies a candidate and takes a quick look at its speed. That is "
                    "provisional: it counts for nothing, and the best of many calls is luck.",
     .problem = Takes::yes,
     .language = Takes::yes,
     .code = Takes::yes},
    {.does = McpTool::Does::submit,
     .name = "submit",
     .title = "Submit a kernel",
     .description = "Judges a candidate for the record: verified and timed in new processes, on "
                    "inputs from a new secret seed. Only submissions count. One is faster where "
                    "it is that even as one of all submissions so far, so submit what is worth it.",
     .problem = Takes::yes,
     .language = Takes::yes,
     .code = Takes::yes},
    {.does = McpTool::Does::feedback,
     .name = "feedback",
     .title = "Explain the last verdict",
     .description = "What the last verdict means, in words: the error with its lines, where "
                    "results are wrong and by how much, or what limits the speed.",
     .problem = Takes::maybe},
    {.does = McpTool::Does::best,
     .name = "best",
     .title = "The best submission",
     .description = "The best submission of a problem with its code, or of each problem without.",
     .problem = Takes::maybe},
    {.does = McpTool::Does::budget,
     .name = "budget",
     .title = "What is left",
     .description = "How many calls of check, time and submit, and how much time, are left."},
};

std::vector<std::string_view> languages_of_code() {
  std::vector<std::string_view> languages;
  for (const Form* form : forms())
    if (!form->languages.empty()) languages.push_back(form->languages.front());
  return languages;
}

// What a client wrote may be as long as a line.
constexpr size_t kMostNameBytes = 1000;
std::string shown(std::string_view text) { return printable(text.substr(0, 80), false); }

struct Argument {
  const char* name;
  Takes McpTool::* takes;
  std::string_view description;
};
constexpr Argument kArguments[] = {
    {"problem", &McpTool::problem, "a problem's id, as `list` has it"},
    {"language", &McpTool::language, "of the code"},
    {"code", &McpTool::code,
     "the whole source of one file: a class ModelNew in Python, a function assay_kernel in other "
     "languages"}};

std::vector<const char*> arguments_of(const McpTool& tool) {
  std::vector<const char*> names;
  for (const Argument& each : kArguments)
    if (tool.*each.takes != Takes::no) names.push_back(each.name);
  return names;
}

}  // namespace

std::span<const McpTool> mcp_tools() { return kTools; }

const McpTool* mcp_tool_named(std::string_view name) { return find_row(mcp_tools(), name); }

Json to_json(const McpTool& tool) {
  Json properties = Json::object(), required = Json::array();
  for (const Argument& each : kArguments) {
    if (tool.*each.takes == Takes::no) continue;
    Json& property =
        properties[each.name] = {{"type", "string"}, {"description", each.description}};
    if (each.takes == &McpTool::language) property["enum"] = languages_of_code();
    if (tool.*each.takes == Takes::yes) required.push_back(each.name);
  }
  Json schema{
      {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = std::move(required);
  return {{"name", tool.name},
          {"title", tool.title},
          {"description", tool.description},
          {"inputSchema", std::move(schema)},
          {"annotations", {{"readOnlyHint", !tool.judges()}, {"openWorldHint", false}}}};
}

Result<ToolArguments> read_tool_arguments(const McpTool& tool, const Json& arguments) {
  JsonReader fields(arguments, std::string(tool.name));
  if (!arguments.is_object()) fields.fail("'arguments' is no object");
  const std::vector<const char*> known = arguments_of(tool);
  for (const auto& [name, value] : arguments.items())
    if (std::ranges::find(known, name) == known.end())
      fields.fail(
          known.empty()
              ? fmt::format("it takes no arguments, and is given '{}'", shown(name))
              : fmt::format("it takes no '{}'; it takes {}", shown(name), fmt::join(known, ", ")));
  auto text = [&](Takes takes, const char* name) {
    if (takes == Takes::yes) return fields.text(name);
    return takes == Takes::maybe ? fields.optional_text(name).value_or("") : "";
  };
  ToolArguments read;
  read.problem = text(tool.problem, "problem");
  read.language = text(tool.language, "language");
  if (read.problem.size() > kMostNameBytes) fields.fail("'problem' is no id: it is too long");
  const Form* form = form_of_language(read.language);
  if (!form && !read.language.empty())
    fields.fail(
        fmt::format("'language' is '{}', and can be {}", shown(read.language), known_languages()));
  if (tool.judges()) {
    if (form)
      read.candidate.form = form;
    else
      fields.fail("'language' is empty, and can be " + known_languages());
    std::string code = text(tool.code, "code");
    if (code.size() > kMostCodeBytes)
      fields.fail(fmt::format("'code' has {} bytes, and may have {}", code.size(), kMostCodeBytes));
    read.candidate.code = std::make_shared<const std::string>(std::move(code));
  }
  ASSAY_TRY(fields.status());
  return read;
}

}  // namespace assay
