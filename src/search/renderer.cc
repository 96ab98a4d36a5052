#include "search/renderer.h"

#include <fmt/format.h>

#include <utility>

#include "base/escape.h"

namespace assay {

Renderer::Renderer(const std::string& python, std::string script)
    : process_({.python = python,
                .script = std::move(script),
                .what = "the process that renders prompts",
                .mend = "install jinja2 into the environment of '" + python + "'"}) {}

Result<std::vector<std::string>> Renderer::render(
    const std::vector<std::string>& names, const std::map<std::string, std::string>& templates,
    const std::map<std::string, std::string>& values) {
  ASSAY_ASSIGN(Json answer,
               ask(Json{{"render", names}, {"templates", templates}, {"values", values}}));
  if (answer.contains("error")) {
    JsonReader fields(answer, "what render.py answered");
    const std::string why = fields.text("error"), at = fields.text("at");
    ASSAY_TRY(fields.status());
    return error(
        Code::invalid_input,
        fmt::format("the template {} cannot be rendered: {}",
                    at.empty() ? names.front() : printable(at, false), printable(why, false)),
        "templates are jinja2's, in a sandbox, over texts: docs/formats.md has their names");
  }
  JsonReader fields(answer, "what render.py answered");
  auto texts = fields.texts("texts");
  if (texts.size() != names.size()) fields.fail("'texts' has another length than was asked for");
  ASSAY_TRY(fields.status());
  return texts;
}

Result<std::vector<size_t>> Renderer::search(const std::vector<std::string>& patterns,
                                             const std::string& text) {
  ASSAY_ASSIGN(Json answer, ask(Json{{"search", patterns}, {"in", text}}));
  JsonReader fields(answer, "what render.py answered");
  if (answer.contains("error")) {
    const std::string why = fields.text("error"), at = fields.text("at");
    ASSAY_TRY(fields.status());
    return error(Code::invalid_input,
                 fmt::format("the pattern '{}' cannot be used: {}", printable(at, false),
                             printable(why, false)),
                 "patterns are regular expressions as Python has them");
  }
  std::vector<size_t> found;
  for (const Json& index : fields.value("found")) {
    if (!index.is_number_unsigned() || index.get<size_t>() >= patterns.size())
      fields.fail("'found' has what is no pattern");
    else
      found.push_back(index.get<size_t>());
  }
  ASSAY_TRY(fields.status());
  return found;
}

Result<Json> Renderer::ask(const Json& request) {
  std::lock_guard lock(one_at_a_time_);
  return process_.ask(request);
}

}  // namespace assay
