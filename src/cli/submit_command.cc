// `assay submit`: scores of a run, posted to where the user says, once it is said twice.
#include <fmt/format.h>

#include <atomic>
#include <vector>

#include "base/escape.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/open_run.h"
#include "cli/output.h"
#include "cli/rows.h"
#include "cli/selection.h"
#include "cli/shared_options.h"
#include "provider/http.h"
#include "report/suite_submission.h"

namespace assay {
namespace {

constexpr size_t kLongestTeam = 100;
constexpr int64_t kLongestNs = 60'000'000'000;

Result<std::string> address_of(const Arguments& arguments) {
  const std::string& address = arguments.text("--to");
  if (address.empty())
    return error(Code::invalid_input, "it does not say where to", "name the service: --to URL");
  if (!address.starts_with("https://") && !address.starts_with("http://"))
    return error(Code::invalid_input, fmt::format("--to '{}' is no URL", address),
                 "it begins with https:// or http://");
  return address;
}

Result<std::string> team_of(const Arguments& arguments) {
  const std::string& team = arguments.text("--team");
  if (team.empty() || team.size() > kLongestTeam || printable(team, false) != team)
    return error(Code::invalid_input,
                 fmt::format("--team '{}' is no name of 1 to {} characters", printable(team, false),
                             kLongestTeam),
                 "the service lists the scores under it");
  return team;
}

// In whatever form it is: its first lines.
std::string shortened(const std::string& answer) {
  constexpr size_t kMost = 500;
  return printable(trimmed(std::string_view(answer).substr(0, kMost)), true);
}

Status post(const std::string& address, std::string body, Output& output) {
  ASSAY_TRY(http_is_ready());
  const std::atomic<bool> never = false;
  const HttpAnswer answer = http_call({.url = address,
                                       .headers = {"Content-Type: application/json"},
                                       .body = std::move(body),
                                       .times = {.total_ns = kLongestNs}},
                                      never);
  if (answer.status == 0)
    return error(Code::unavailable, fmt::format("{} does not answer: {}", address, answer.why),
                 answer.sent ? "it may have what was sent: ask there before you send it again"
                             : "nothing has reached it");
  if (answer.status < 200 || answer.status > 299)
    return error(Code::unavailable,
                 fmt::format("{} answers {}: {}", address, answer.status, shortened(answer.body)),
                 "it has not taken the scores");
  output.write(fmt::format("{} answers {}\n{}\n", address, answer.status, shortened(answer.body)));
  return {};
}

}  // namespace

Command submit_row() {
  return {
      "submit",
      "post the scores of a suite of kernels with tests",
      "Shows what it would post of a run of `triton:PATH`: the team's name, and the numbers of "
      "`assay report --format score`, as JSON. With --yes it posts them, and says what the service "
      "answers. They are posted by nothing else, and without any code.\n\n"
      "`data` is what geak-eval posts: the team, and the sum of speed-ups, which is null as long "
      "as nothing is timed.",
      {{"RUN", "a run's folder"}},
      in_groups({{"What",
                  {{"--team", "NAME", "", "the name that the service lists the scores under"},
                   kFilter,
                   kSkip}},
                 {"Where",
                  {{"--to", "URL", "", "the service"}, {"--yes", "", "", "post it, after all"}}}}),
      {"it is shown, or the service has taken it", "", ""},
      {{"assay submit runs/answers --to https://leaderboard.example/submit --team kernels",
        "what would be posted"}},
      submit_command};
}

Result<int> submit_command(const Arguments& arguments, Output& output) {
  ASSAY_ASSIGN(const std::string address, address_of(arguments));
  ASSAY_ASSIGN(const std::string team, team_of(arguments));
  const std::string& folder = arguments.positional("RUN").front();
  ASSAY_ASSIGN(RunStore store, open_run(folder));
  ASSAY_ASSIGN(auto attempts, store.attempts(false));
  ASSAY_TRY(keep_selected(arguments, attempts));
  const Json body = suite_submission(team, store.record().assay_version, attempts);
  if (body["scores"].empty())
    return error(Code::invalid_input,
                 fmt::format("'{}' has no answers to a suite of kernels with tests", folder),
                 "`assay run triton:PATH --by file:RESULTS` makes such a run");
  if (arguments.given("--yes")) {
    ASSAY_TRY(post(address, dump_json(body), output));
    return 0;
  }
  output.write(dump_json(body, 2) + "\n");
  output.remark(fmt::format("nothing was sent; with --yes this goes to {}\n", address));
  return 0;
}

}  // namespace assay
