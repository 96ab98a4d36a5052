#include "serve/grade.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <ranges>
#include <utility>

#include "author/grade_request.h"
#include "base/units.h"
#include "workload/source.h"

namespace assay {
namespace {

// What the source of a problem is called that has no file. No path: its jail shows no folder.
constexpr const char* kUnnamed = "problem.py";
constexpr const char* kUnnamedName = "problem";

// What is said of each, beside its id: fields of an attempt (docs/formats.md).
constexpr const char* kSaid[] = {
    "path",  "target", "precision", "mode",   "verdict",   "outcome", "reason",   "stage", "class",
    "fault", "error",  "reached",   "timing", "isolation", "seed",    "finished", "stages"};

class Grading final : public Feed, public Sink {
 public:
  Grading(const GradeSettings& settings, const World& world, LineStream& stream)
      : settings_(settings), world_(world), stream_(stream) {}

  Result<std::optional<Lane>> next() override {
    while (!stream_.is_clogged() && !waiting_.empty()) {
      Waiting first = std::move(waiting_.front());
      waiting_.pop_front();
      waiting_bytes_ -= first.bytes;
      auto lane = lane_of(first.request, first.where);
      if (lane) return std::optional(std::move(*lane));
      refuse(first.request.id, lane.error());
    }
    return std::optional<Lane>{};
  }
  bool has_ended() const override { return waiting_.empty() && stream_.has_ended(); }

  // Reads ahead, so that what cancels one is seen while many are before it.
  Status take_in() override {
    ASSAY_TRY(stream_.check());
    while (!stream_.is_clogged() && waiting_bytes_ < kMostWaitingBytes) {
      auto line = stream_.take();
      if (!line) break;
      Json id;
      auto request = read_grade_request(line->text, line->where, id);
      if (!request) {
        refuse(id, request.error());
      } else if (request->cancels) {
        cancel(id);
      } else {
        waiting_.push_back({std::move(*request), std::move(line->where), line->text.size()});
        waiting_bytes_ += line->text.size();
      }
    }
    return {};
  }
  std::vector<std::string> take_unwanted() override { return std::exchange(unwanted_, {}); }

  Status take(Finished& finished) override {
    auto asked = ids_.extract(finished.attempt.id);
    if (asked.empty()) return {};  // it was cancelled, and over
    const Json all = to_json(finished.attempt);
    Json line{{"id", std::move(asked.mapped())}};
    for (const char* field : kSaid) line[field] = all[field];
    stream_.judged(finished.attempt);
    stream_.put(dump_json(line));
    return {};
  }
  bool keeps() const override { return false; }

 private:
  // One that was read, and has not begun.
  struct Waiting {
    GradeRequest request;
    std::string where;
    size_t bytes = 0;
  };
  static constexpr size_t kMostWaitingBytes = size_t{64} << 20;

  void refuse(const Json& id, const Error& why) {
    stream_.put(dump_json({{"id", id}, {"invalid", why.message}}));
  }

  // All that came with this id and was not answered. Of what was, nothing is said.
  void cancel(const Json& id) {
    auto say = [&] { stream_.put(dump_json({{"id", id}, {"cancelled", true}})); };
    std::erase_if(waiting_, [&](const Waiting& each) {
      if (each.request.id != id) return false;
      waiting_bytes_ -= each.bytes;
      say();
      return true;
    });
    std::erase_if(ids_, [&](const auto& each) {
      if (each.second != id) return false;
      unwanted_.push_back(each.first);
      say();
      return true;
    });
  }

  // Fails on what is no request.
  Result<Lane> lane_of(GradeRequest& request, const std::string& where) {
    Terms terms{.settings = settings_.run, .seed = request.seed, .are_limits_options = false};
    RunSettings& settings = terms.settings;
    settings.mode = request.mode.value_or(settings.mode);
    ASSAY_TRY(set_limits(request, where, settings));
    Served served;
    ASSAY_TRY(set_problem(request, where, served));
    ASSAY_ASSIGN(const Target* target, target_of(request, where));
    if (const Form& form = *request.candidate.form; target->gpu && form.is_kernel() && !form.gpu)
      return error(Code::invalid_input,
                   fmt::format("{}: its code is {}, which is for a CPU, and the target {} is a GPU",
                               where, form.title, target->name));
    const bool is_run_here = !target->gpu || target->card;
    if (request.time == true && (!settings.timing || !is_run_here))
      return error(Code::invalid_input,
                   where + ": 'time' is true, and " +
                       (!is_run_here ? "code for " + target->name + " is not run here"
                                     : "assay serve was started without --against"));
    if (request.time == false || !is_run_here) settings.timing.reset();
    terms.tools = tools_within(settings_.tools.verify, settings.timeout_ns, settings.memory_bytes);
    ASSAY_ASSIGN(served.precision, precision_of(request, where, served.workload, *target));
    comparisons_ += settings.timing ? settings_.baselines.size() : 0;
    served.id = std::to_string(++requests_);
    served.candidate = std::move(request.candidate);
    served.target = target;
    served.terms = std::move(terms);
    served.comparisons = comparisons_;
    ids_.emplace(served.id, std::move(request.id));
    return served_lane(std::move(served), settings_.baselines);
  }

  Status set_limits(const GradeRequest& request, const std::string& where,
                    RunSettings& settings) const {
    const RunSettings& most = settings_.run;
    settings.timeout_ns = request.timeout_ns.value_or(most.timeout_ns);
    settings.memory_bytes = request.memory_bytes.value_or(most.memory_bytes);
    if (settings.timeout_ns > most.timeout_ns)
      return error(Code::invalid_input, fmt::format("{}: 'timeout_s' is more than --timeout, {}",
                                                    where, format_duration(most.timeout_ns)));
    if (settings.memory_bytes > most.memory_bytes)
      return error(Code::invalid_input, fmt::format("{}: 'memory_bytes' is more than --memory, {}",
                                                    where, most.memory_bytes));
    return {};
  }

  Result<const Target*> target_of(const GradeRequest& request, const std::string& where) const {
    if (!request.target) return &settings_.targets.front();
    auto named = std::ranges::find(settings_.targets, *request.target, &Target::name);
    if (named != settings_.targets.end()) return &*named;
    return error(
        Code::invalid_input,
        fmt::format("{}: 'target' is '{}', and assay serve was started with --on {}", where,
                    *request.target,
                    fmt::join(std::views::transform(settings_.targets, &Target::name), ",")));
  }

  Status set_problem(GradeRequest& request, const std::string& where, Served& served) const {
    if (request.problem_code) {
      served.workload.path = kUnnamed;
      served.workload.name = kUnnamedName;
      served.loaded = LoadedWorkload{std::move(*request.problem_code)};
    } else {
      const std::string& given = request.problem;
      auto refused = [&](const std::string& why) {
        return error(Code::invalid_input, where + ": 'problem': " + why);
      };
      auto found = source_of(given).expand(world_.disk, given);
      if (!found) return refused(found.error().message);
      if (found->size() != 1)
        return refused(
            fmt::format("'{}' is {} problems, and a request is of one", given, found->size()));
      served.workload = std::move(found->front());
      if (served.workload.truth != Truth::problem)
        return refused(fmt::format("nothing says in torch what {} is to compute", given));
      auto loaded = load_workload(world_.disk, served.workload);
      if (!loaded) return refused(loaded.error().message);
      served.loaded = std::move(*loaded);
    }
    return {};
  }

  // A problem that names its own types has these alone.
  Result<Precision> precision_of(const GradeRequest& request, const std::string& where,
                                 const Workload& workload, const Target& target) const {
    const std::optional<Precision> asked =
        request.precision ? request.precision : settings_.run.precision;
    if (!workload.precision) return asked.value_or(target.precision);
    if (!asked) return *workload.precision;
    return error(Code::invalid_input,
                 fmt::format("{}: 'precision' does not apply to {}: it names its own types", where,
                             workload.path));
  }

  const GradeSettings& settings_;
  const World& world_;
  LineStream& stream_;
  size_t requests_ = 0;
  size_t comparisons_ = 0;           // that were asked for so far
  std::map<std::string, Json> ids_;  // what each attempt that is under way is told by
  std::deque<Waiting> waiting_;
  size_t waiting_bytes_ = 0;           // of all their lines
  std::vector<std::string> unwanted_;  // attempts that were cancelled, until the session asks
};

}  // namespace

Status grade(const GradeSettings& settings, World world, LineStream& stream) {
  Grading grading(settings, world, stream);
  return serve(settings, world, grading, grading);
}

}  // namespace assay
