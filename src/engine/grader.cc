#include "engine/grader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <ranges>
#include <utility>

#include "base/units.h"
#include "engine/judgings.h"
#include "run/outcome.h"

namespace assay {
namespace {

// What the source of a problem is called that has no file. No path: its jail shows no folder.
constexpr const char* kUnnamed = "problem.py";

// What is said of each, beside its id: fields of an attempt (docs/formats.md).
constexpr const char* kSaid[] = {"path",      "target", "precision", "mode",  "verdict", "outcome",
                                 "reason",    "stage",  "class",     "error", "reached", "timing",
                                 "isolation", "seed",   "finished",  "stages"};

// Of one request, what is known before it is judged.
struct Graded {
  Json id;
  Attempt attempt;
  std::unique_ptr<const VerifyTools> tools{};  // within its limits
};

class Grader {
 public:
  Grader(const GradeSettings& settings, GradeWorld world, GradeStream& stream)
      : settings_(settings),
        world_(world),
        stream_(stream),
        judgings_(world.spawner, world.memory, world.clock, world.libraries) {}

  Status run() {
    // Importing torch takes seconds: nobody is to wait for that who comes later.
    world_.spawner.start_image(settings_.tools.verify.oracle);
    world_.spawner.start_image(settings_.tools.verify.python_runner);
    while (true) {
      if (world_.spawner.interrupted()) return interrupted();
      if (Status read = stream_.check(); !read) {
        judgings_.end_all();
        world_.spawner.stop_all();
        return read;
      }
      start_what_may_start();
      if (judgings_.count() == 0 && stream_.has_ended()) return {};
      ASSAY_ASSIGN(Event event, world_.spawner.next(kLookEveryNs));
      if (event.kind == Event::Kind::interrupted) return interrupted();
      for (auto& [graded, judging] : judgings_.take_ended())
        say(std::move(graded), std::move(judging));
      judgings_.serve(0);
      judgings_.switchboard().deliver(event);
    }
  }

 private:
  Status interrupted() {
    judgings_.end_all();
    world_.spawner.stop_all();
    return error(Code::interrupted, "interrupted", "what had no verdict yet is to be sent again");
  }

  void start_what_may_start() {
    while (judgings_.at_work() < settings_.jobs && !stream_.is_clogged() &&
           !judgings_.memory().somebody_waits() && judgings_.quiet().lets_start()) {
      auto line = stream_.take();
      if (!line) return;
      Json id;
      if (Status begun = begin(*line, id); !begun)
        stream_.put(dump_json({{"id", id}, {"invalid", begun.error().message}}));
    }
  }

  // Fails on what is no request.
  Status begin(const GradeStream::Line& line, Json& id) {
    ASSAY_ASSIGN(GradeRequest request, read_grade_request(line.text, line.where, id));
    VerifyJob job;
    ASSAY_TRY(set_limits(request, line.where, job));
    ASSAY_TRY(set_problem(request, line.where, job));
    ASSAY_ASSIGN(const Target* target, target_of(request, line.where));
    job.gpu = target->gpu;
    if (request.time == true && (!settings_.run.timing || job.gpu))
      return error(Code::invalid_input,
                   line.where + ": 'time' is true, and " +
                       (job.gpu ? "code for " + target->name + " is not run here"
                                : "assay serve was started without --against"));
    job.kind = request.candidate.kind;
    job.mode = request.mode.value_or(settings_.run.mode);
    job.precision = request.precision.value_or(target->precision);
    job.threads = settings_.run.threads;
    job.seed = request.seed;
    job.candidate_path = "candidate.py";
    Graded graded{std::move(id), attempt_of(job, target->name)};
    if (!request.candidate.why_none.empty()) {
      Verified none;
      none.stages.push_back(not_loaded(job, "no candidate: " + request.candidate.why_none));
      say(std::move(graded), Judging{std::move(none)});
      return {};
    }
    job.candidate = *request.candidate.code;
    world_.spawner.start_image(runner_image(settings_.tools.verify, job.kind, job.may_compile()));
    JudgingJob judging{std::move(job)};
    judging.judge = settings_.tools.judge;
    if (settings_.run.timing && request.time != false && !judging.verify.gpu) {
      judging.timing = *settings_.run.timing;
      for (const Author& author : settings_.baselines)
        judging.baselines.push_back(
            baseline_for(judging.verify, author.name, *own_model_of(author)));
      comparisons_ += judging.baselines.size();
      judging.comparisons = comparisons_;
    }
    graded.tools = std::make_unique<VerifyTools>(tools_within(
        settings_.tools.verify, judging.verify.timeout_ns, judging.verify.memory_bytes));
    const VerifyTools& tools = *graded.tools;
    judgings_.start(std::move(graded), std::move(judging), tools);
    return {};
  }

  Status set_limits(const GradeRequest& request, const std::string& where, VerifyJob& job) const {
    job.timeout_ns = request.timeout_ns.value_or(settings_.run.timeout_ns);
    job.memory_bytes = request.memory_bytes.value_or(settings_.run.memory_bytes);
    if (job.timeout_ns > settings_.run.timeout_ns)
      return error(Code::invalid_input,
                   fmt::format("{}: 'timeout_s' is more than --timeout, {}", where,
                               format_duration(settings_.run.timeout_ns)));
    if (job.memory_bytes > settings_.run.memory_bytes)
      return error(Code::invalid_input, fmt::format("{}: 'memory_bytes' is more than --memory, {}",
                                                    where, settings_.run.memory_bytes));
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

  Status set_problem(GradeRequest& request, const std::string& where, VerifyJob& job) const {
    if (request.problem_code) {
      job.problem_path = kUnnamed;
      job.problem = std::move(*request.problem_code);
      return {};
    }
    job.problem_path = absolute_path(request.problem_path);
    auto source = world_.disk.read(job.problem_path);
    if (!source)
      return error(Code::invalid_input, where + ": 'problem': " + source.error().message);
    job.problem = std::move(*source);
    return {};
  }

  static Attempt attempt_of(const VerifyJob& job, const std::string& target) {
    Attempt attempt;
    attempt.workload = std::filesystem::path(job.problem_path).stem().string();
    attempt.path = job.problem_path;
    attempt.target = target;
    attempt.precision = job.precision;
    attempt.mode = job.mode;
    return attempt;
  }

  void say(Graded graded, Result<Judging> judging) {
    Attempt& attempt = graded.attempt;
    if (judging) {
      Verified& verified = judging->verified;
      attempt.isolation = verified.isolation;
      attempt.seed = verified.seed;
      attempt.stages = std::move(verified.stages);
      attempt.timing = std::move(judging->timing);
    } else {
      attempt.stages.push_back(not_judged_stage(Stage::verify, judging.error().describe()));
    }
    attempt.verdict = verdict_of(attempt.stages);
    attempt.finished = world_.clock.utc();
    const Json all = to_json(attempt);
    Json line{{"id", std::move(graded.id)}};
    for (const char* field : kSaid) line[field] = all[field];
    stream_.put(dump_json(line));
  }

  const GradeSettings& settings_;
  GradeWorld world_;
  GradeStream& stream_;
  size_t comparisons_ = 0;  // that were asked for so far
  Judgings<Graded> judgings_;
};

}  // namespace

Status grade(const GradeSettings& settings, GradeWorld world, GradeStream& stream) {
  return Grader(settings, world, stream).run();
}

}  // namespace assay
