// `assay serve`: requests, or an agent's calls, by standard input and output.
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <string_view>

#include "base/units.h"
#include "cli/command.h"
#include "cli/find_work.h"
#include "cli/grade_settings.h"
#include "cli/option_values.h"
#include "serve/grade.h"
#include "serve/mcp.h"
#include "serve/stdio_stream.h"
#include "session/workplace.h"
#include "setup/tools.h"
#include "setup/verify_tools.h"

namespace assay {
namespace {

// What says which problems there are, and what may be asked of them: a request says it itself.
constexpr const char* kOfMcpAlone[] = {"--filter", "--skip",  "--ids",  "--sample",
                                       "--limit",  "--allow", "--spend"};

Status check_front_end(const Arguments& arguments) {
  if (arguments.given("--stdio") == arguments.given("--mcp"))
    return error(Code::invalid_input,
                 arguments.given("--mcp") ? "--stdio and --mcp are two ways of being asked"
                                          : "it does not say where requests come from",
                 "assay serve --stdio reads them from standard input, and assay serve --mcp "
                 "PATH... is called by an agent");
  auto of_mcp_alone = [](const std::string& name) {
    return error(Code::invalid_input, fmt::format("'{}' goes with --mcp alone", name),
                 "a request to --stdio names its problem");
  };
  const auto& paths = arguments.positional("PATH...");
  if (arguments.given("--stdio") && !paths.empty()) return of_mcp_alone(paths.front());
  for (const char* name : kOfMcpAlone)
    if (arguments.given("--stdio") && arguments.given(name)) return of_mcp_alone(name);
  if (arguments.given("--mcp") && arguments.given("--quick"))
    return error(Code::invalid_input, "--quick does not go with --mcp",
                 "`time` is always quick, and `submit` never is");
  return {};
}

// "200-calls,2h".
Result<CallLimits> parse_call_limits(const std::string& given) {
  constexpr std::string_view kCalls = "-calls";
  CallLimits limits;
  std::string_view text = given;
  while (true) {
    const std::string_view part = text.substr(0, text.find(','));
    auto wrong = [&](std::string_view what) {
      return error(Code::invalid_input, fmt::format("--spend: '{}' is {}", part, what),
                   "write for example 200-calls,2h");
    };
    if (part.ends_with(kCalls)) {
      int64_t count = 0;
      const std::string number(part.substr(0, part.size() - kCalls.size()));
      const char* last = number.data() + number.size();
      const auto [end, failed] = std::from_chars(number.data(), last, count);
      if (failed != std::errc() || end != last || count < 1) return wrong("no number of calls");
      if (limits.calls) return wrong("a second limit of its kind");
      limits.calls = count;
    } else {
      // A number alone could be either.
      const auto ns = parse_duration_ns(part);
      if (!ns || part.find_first_not_of("0123456789.") == std::string_view::npos)
        return wrong("neither a number of calls nor a time");
      if (limits.wall_ns) return wrong("a second limit of its kind");
      limits.wall_ns = *ns;
    }
    if (part.size() == text.size()) return limits;
    text.remove_prefix(part.size() + 1);
  }
}

Result<McpSettings> parse_mcp_settings(const Arguments& arguments, const Places& places,
                                       GradeSettings grade) {
  if (grade.targets.size() != 1)
    return error(
        Code::invalid_input,
        fmt::format("--on names {} targets, and an agent writes for one", grade.targets.size()));
  McpSettings settings{.grade = std::move(grade)};
  ASSAY_ASSIGN(settings.allowed, parse_allowed(arguments));
  ASSAY_ASSIGN(FoundProblems problems, find_problems(arguments, places, ""));
  ASSAY_TRY(refuse_without_model(problems.workloads, "serve"));
  settings.problems = std::move(problems.workloads);
  ASSAY_ASSIGN(std::string python, find_python(places));
  settings.prompts.places = places;
  settings.prompts.python = python;
  settings.prompts.threads = settings.grade.run.threads;
  settings.prompts.include = settings.grade.run.include;
  if (auto cache = find_cache_folder()) settings.prompts.cache_folder = *cache;
  if (arguments.given("--spend")) {
    ASSAY_ASSIGN(settings.limits, parse_call_limits(arguments.text("--spend")));
  }
  return settings;
}

}  // namespace

Result<int> serve_command(const Arguments& arguments, Output&) {
  ASSAY_TRY(check_front_end(arguments));
  ASSAY_ASSIGN(Places places, find_places());
  ASSAY_ASSIGN(GradeSettings grade_settings, parse_grade_settings(arguments, places));
  McpSettings settings{.grade = std::move(grade_settings)};
  const bool is_mcp = arguments.given("--mcp");
  if (is_mcp) {
    ASSAY_ASSIGN(settings, parse_mcp_settings(arguments, places, std::move(settings.grade)));
  }
  const GradeSettings& judging = settings.grade;
  ASSAY_ASSIGN(auto place, Workplace::create(judging.tools, CachedLibraries::Use::headers));
  ASSAY_ASSIGN(std::string scratch, make_scratch_folder());
  ASSAY_TRY(place->have_children_in(scratch));
  ASSAY_ASSIGN(auto stream,
               StdioStream::start(STDIN_FILENO, STDOUT_FILENO, 2 * judging.jobs, place->spawner()));
  Events nobody;
  const World world = place->world(nobody);
  ASSAY_TRY(is_mcp ? serve_mcp(settings, world, *stream) : grade(judging, world, *stream));
  return 0;
}

}  // namespace assay
