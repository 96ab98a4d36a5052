#include "serve/mcp.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "base/escape.h"
#include "base/units.h"
#include "base/version.h"
#include "serve/mcp_tool.h"
#include "serve/mcp_words.h"
#include "serve/problem_book.h"
#include "serve/rpc_message.h"

namespace assay {
namespace {

// Revisions that are spoken, the newest first: who asks for another is offered that one. Lists of
// messages, which one of them had, are refused: nobody sends them.
constexpr std::string_view kRevisions[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
// Calls that may wait for their turn; beyond that they are refused.
constexpr size_t kMostWaitingCalls = 64;
constexpr int64_t kTellEveryNs = 2'000'000'000;

std::string instructions(bool is_timed) {
  return fmt::format(
      "assay judges kernels. `list` has the ids of problems, `get` a problem. `check` says whether "
      "a candidate is right, {}`feedback` what the last verdict means. Only `submit` counts: it is "
      "judged anew{}. `budget` says what is left.",
      is_timed ? "`time` also about how fast it is, " : "",
      is_timed ? ", and faster means faster as one of all submissions" : "");
}

// A call that judges.
struct JudgingCall {
  Json id;
  Json progress_token;  // null: nobody asks
  ToBeJudged judged{};
  int64_t asked_ns = 0;
  int64_t told_ns = 0;  // when its progress was told last
};

class McpServing final : public Feed, public Sink {
 public:
  McpServing(const McpSettings& settings, const World& world, LineStream& stream)
      : limits_(settings.limits),
        baselines_(settings.grade.baselines),
        clock_(world.clock),
        stream_(stream),
        begun_ns_(clock_.now_ns()),
        book_(settings, world.disk) {}

  Status load() { return book_.load(); }

  // -- Feed

  // Here and not in next(): what needs no judging is answered while others are judged.
  Status take_in() override {
    ASSAY_TRY(stream_.check());
    while (!stream_.is_clogged()) {
      auto line = stream_.take();
      if (!line) break;
      auto message = read_rpc_message(line->text, line->where);
      if (!message)
        stream_.put(rpc_error(message.error()));
      else if (message->kind == RpcMessage::Kind::request)
        answer(*message);
      else if (message->method == "notifications/cancelled")
        cancel(message->params);
    }
    tell_progress();
    return {};
  }

  Result<std::optional<Lane>> next() override {
    if (waiting_.empty()) return std::optional<Lane>{};
    const std::string id = std::to_string(++judged_);
    JudgingCall& call = at_work_.emplace(id, std::move(waiting_.front())).first->second;
    waiting_.pop_front();
    Served served = book_.begin(call.judged, id);
    return std::optional(served_lane(std::move(served), baselines_));
  }

  bool has_ended() const override { return waiting_.empty() && stream_.has_ended(); }
  size_t to_come() const override { return waiting_.size(); }

  std::vector<std::string> take_unwanted() override { return std::exchange(unwanted_, {}); }

  // -- Sink

  Status take(Finished& finished) override {
    const auto call = at_work_.extract(finished.attempt.id);
    if (call.empty()) return {};  // it was cancelled, and over
    say(call.mapped().id, book_.take(call.mapped().judged, finished.attempt));
    return {};
  }
  bool keeps() const override { return false; }

 private:
  // -- Messages

  void say(const Json& id, const ToolAnswer& answer) {
    stream_.put(rpc_result(id, to_json(answer)));
  }

  void answer(const RpcMessage& message) {
    const std::string& method = message.method;
    if (method == "initialize") {
      stream_.put(rpc_result(message.id, initialized(message.params)));
    } else if (method == "ping") {
      stream_.put(rpc_result(message.id, Json::object()));
    } else if (method == "tools/list") {
      Json list = Json::array();
      for (const McpTool& tool : mcp_tools())
        if (is_offered(tool)) list.push_back(to_json(tool));
      stream_.put(rpc_result(message.id, {{"tools", std::move(list)}}));
    } else if (method == "tools/call") {
      call(message);
    } else {
      stream_.put(
          rpc_error({message.id, RpcErrorCode::unknown_method,
                     fmt::format("there is no method '{}' here",
                                 printable(std::string_view(method).substr(0, 80), false))}));
    }
  }

  Json initialized(const Json& params) const {
    const auto asked = params.find("protocolVersion");
    std::string_view revision = kRevisions[0];
    for (std::string_view each : kRevisions)
      if (asked != params.end() && *asked == each) revision = each;
    return {{"protocolVersion", revision},
            {"capabilities", {{"tools", Json::object()}}},
            {"serverInfo", {{"name", "assay"}, {"version", kVersionText}}},
            {"instructions", instructions(book_.is_timed())}};
  }

  bool is_offered(const McpTool& tool) const {
    return tool.does != McpTool::Does::time || book_.is_timed();
  }

  void call(const RpcMessage& message) {
    const auto name = message.params.find("name");
    const McpTool* tool = name != message.params.end() && name->is_string()
                              ? mcp_tool_named(name->get<std::string>())
                              : nullptr;
    if (!tool || !is_offered(*tool)) {
      stream_.put(rpc_error(
          {message.id, RpcErrorCode::wrong_params, "'name' names no tool; tools/list has them"}));
      return;
    }
    static const Json nothing = Json::object();
    const auto given = message.params.find("arguments");
    const bool has_some = given != message.params.end() && !given->is_null();
    const Json& arguments = has_some ? *given : nothing;
    auto read = read_tool_arguments(*tool, arguments);
    if (!read) return say(message.id, refused_call(read.error().message));
    std::optional<size_t> problem;
    if (!read->problem.empty() || tool->problem == McpTool::Takes::yes) {
      auto found = book_.find(read->problem);
      if (!found) return say(message.id, refused_call(found.error().message));
      problem = *found;
    }
    if (!tool->judges()) return say(message.id, look(*tool, *read, problem));
    if (std::string why = refusal(); !why.empty()) return say(message.id, refused_call(why));
    ++calls_;
    const int64_t now_ns = clock_.now_ns();
    waiting_.push_back({.id = message.id,
                        .progress_token = message.progress_token(),
                        .judged = {.tool = tool,
                                   .problem = *problem,
                                   .language = read->language,
                                   .candidate = std::move(read->candidate)},
                        .asked_ns = now_ns,
                        .told_ns = now_ns});
  }

  // Nothing is said of it any more. One that is at work ends; a submission that was begun is one.
  void cancel(const Json& params) {
    const auto id = params.find("requestId");
    if (id == params.end() || id->is_null()) return;
    const auto before = waiting_.size();
    std::erase_if(waiting_, [&](const JudgingCall& each) { return each.id == *id; });
    calls_ -= static_cast<int64_t>(before - waiting_.size());
    std::erase_if(at_work_, [&](const auto& each) {
      if (each.second.id != *id) return false;
      unwanted_.push_back(each.first);
      return true;
    });
  }

  void tell_progress() {
    const int64_t now_ns = clock_.now_ns();
    auto tell = [&](JudgingCall& call, const std::string& how) {
      if (call.progress_token.is_null() || now_ns - call.told_ns < kTellEveryNs) return;
      call.told_ns = now_ns;
      stream_.put(rpc_notification("notifications/progress",
                                   {{"progressToken", call.progress_token},
                                    {"progress", static_cast<double>(now_ns - call.asked_ns) / 1e9},
                                    {"message", how}}));
    };
    for (auto& [unused, call] : at_work_) tell(call, "it is being judged");
    size_t before = at_work_.size();
    for (JudgingCall& call : waiting_) tell(call, fmt::format("{} before it", before++));
  }

  // -- What needs no judging

  // Why nothing further is judged now; "": it is.
  std::string refusal() const {
    if (limits_.calls && calls_ >= *limits_.calls) return "the budget is spent: no call is left";
    if (limits_.wall_ns && spent_ns() >= *limits_.wall_ns)
      return "the budget is spent: no time is left";
    if (waiting_.size() >= kMostWaitingCalls)
      return fmt::format("{} calls wait already: wait for their answers", waiting_.size());
    return "";
  }

  int64_t spent_ns() const { return clock_.now_ns() - begun_ns_; }

  ToolAnswer look(const McpTool& tool, const ToolArguments& arguments,
                  std::optional<size_t> problem) {
    switch (tool.does) {
      case McpTool::Does::list:
        return book_.list();
      case McpTool::Does::get:
        return book_.get(*problem, arguments.language);
      case McpTool::Does::feedback:
        return book_.feedback(problem);
      case McpTool::Does::best:
        return book_.best(problem);
      case McpTool::Does::budget:
        return budget();
      case McpTool::Does::check:
      case McpTool::Does::time:
      case McpTool::Does::submit:
        break;
    }
    return refused_call("it judges");  // not reached: these wait for their turn
  }

  ToolAnswer budget() const {
    std::string text = format_count(static_cast<size_t>(calls_), "call");
    text += " made, " + format_count(static_cast<size_t>(book_.submissions()), "submission");
    Json fields{{"calls_made", calls_},
                {"submissions", book_.submissions()},
                {"calls_left", nullptr},
                {"seconds_left", nullptr}};
    if (limits_.calls) {
      fields["calls_left"] = *limits_.calls - calls_;
      text += fmt::format("; {} left",
                          format_count(static_cast<size_t>(*limits_.calls - calls_), "call"));
    }
    if (limits_.wall_ns) {
      const int64_t left_ns = std::max<int64_t>(0, *limits_.wall_ns - spent_ns());
      fields["seconds_left"] = static_cast<double>(left_ns) / 1e9;
      text += fmt::format("; {} left", format_duration(left_ns));
    }
    if (!limits_.calls && !limits_.wall_ns) text += "; there is no limit";
    return {.text = std::move(text), .fields = std::move(fields)};
  }

  const CallLimits limits_;
  const std::vector<Author>& baselines_;
  const Clock& clock_;
  LineStream& stream_;
  const int64_t begun_ns_;
  ProblemBook book_;
  std::deque<JudgingCall> waiting_;
  std::map<std::string, JudgingCall> at_work_;  // by the attempt's id
  std::vector<std::string> unwanted_;           // cancelled at work
  size_t judged_ = 0;
  int64_t calls_ = 0;  // that judge, and were not cancelled while they waited
};

}  // namespace

Status serve_mcp(const McpSettings& settings, World world, LineStream& stream) {
  McpServing serving(settings, world, stream);
  ASSAY_TRY(serving.load());
  return serve(settings.grade, world, serving, serving);
}

}  // namespace assay
