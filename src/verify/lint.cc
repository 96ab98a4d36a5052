#include "verify/lint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/units.h"
#include "run/outcome.h"
#include "verify/probe.h"

namespace assay {
namespace {

// Up to here everything is tried at the problem's own size.
constexpr uint64_t kSmallBytes = uint64_t{32} << 20;
// Up to here its results are looked at in its own size in any case: a check is to be quick.
constexpr uint64_t kLargestBytes = uint64_t{512} << 20;
constexpr int kSamples = 4, kLargeSamples = 2;
// Each takes two calls, and the whole state is handed over before each.
constexpr size_t kMostWeights = 256;

// Inputs and parameters that no result depends on, as far as was seen.
struct Ignored {
  std::vector<size_t> inputs, state;
};

class Linting {
 public:
  Linting(const LintJob& job, const VerifyTools& tools, Children& children)
      : job_(job), tools_(tools), children_(children) {}

  Result<Lint> run() {
    int64_t begin_ns = system_clock().now_ns();
    ASSAY_ASSIGN(Seed seed, Seed::secret());
    random_.emplace(seed, "lint");
    lint_.seed = seed.hex();
    lint_.stage.stage = Stage::verify;
    if (Step<void> done = go(); !done) {
      auto& why = done.error().why;
      if (auto* failure = std::get_if<Error>(&why)) return std::unexpected(std::move(*failure));
      lint_.stage = std::move(std::get<StageRecord>(why));
    }
    took(lint_.stage, system_clock().now_ns() - begin_ns);
    std::ranges::stable_sort(lint_.findings, {}, &LintFinding::kind);
    return std::move(lint_);
  }

 private:
  Step<void> go() {
    Limits limits;
    limits.conversation = true;
    limits.messages = 10'000;
    limits.timeout_ns = job_.timeout_ns;
    limits.memory_bytes = job_.memory_bytes;
    limits.jail = oracle_jail(tools_, job_.path);
    ASSAY_ASSIGN(Oracle oracle, Oracle::start(children_, tools_.oracle, limits,
                                              {job_.path, job_.source, job_.mode, job_.precision,
                                               job_.memory_bytes / 4}));
    const ProblemDescription own = oracle.description();
    bool some = !own.mutated_inputs.empty() ||
                std::ranges::any_of(own.outputs, [](const Leaf& leaf) { return !!leaf.tensor; });
    if (!some)
      return std::unexpected(
          Stop(unsupported_stage(Stage::verify, "no tensor is among its results")));
    if (held_bytes(own) <= kSmallBytes) return at_its_own_size(oracle, true);
    ASSAY_ASSIGN(Smaller smaller, oracle.shrink(kShrunkBytes));
    if (smaller.constants.empty()) return without_smaller(oracle, "no constant of its file");
    ASSAY_TRY(oracle.describe_at(smaller.constants));
    auto small = at_small_size(oracle);
    if (!small) {
      if (!std::holds_alternative<StageRecord>(small.error().why))
        return std::unexpected(std::move(small.error()));
      const auto& record = std::get<StageRecord>(small.error().why);
      if (record.failure != FailureClass::exception)
        return std::unexpected(std::move(small.error()));
      ASSAY_TRY(oracle.describe_at(Json::object()));
      return without_smaller(oracle,
                             in_words(smaller.constants) + " does not work, and nothing else");
    }
    return at_full_size(oracle, own, *small, in_words(smaller.constants));
  }

  static std::string in_words(const Json& constants) {
    std::vector<std::string> words;
    for (const auto& [name, value] : constants.items())
      words.push_back(fmt::format("{}={}", name, dump_json(value)));
    return fmt::format("{}", fmt::join(words, ","));
  }

  static uint64_t held_bytes(const ProblemDescription& problem) {
    return problem.input_bytes + problem.state_bytes + problem.output_bytes;
  }

  // Of the oracle and of what is kept here.
  static uint64_t bytes_at_work(const ProblemDescription& problem, bool in_double) {
    return held_bytes(problem) + 2 * problem.output_bytes + problem.forward_bytes +
           (in_double ? problem.double_bytes : 0);
  }

  bool fits(const ProblemDescription& problem, bool in_double) const {
    return bytes_at_work(problem, in_double) <= std::min(job_.memory_bytes, kLargestBytes);
  }

  Step<Probe> probe(Oracle& oracle, const char* size, bool in_double) {
    TensorSpec spec;
    for (auto [precision, dtype] : {std::pair{Precision::f16, Dtype::f16},
                                    {Precision::bf16, Dtype::bf16},
                                    {Precision::f64, Dtype::f64}})
      if (job_.precision == precision) spec.dtype = dtype;
    return Probe::create(oracle, random_->named(size), unit_roundoff(spec.dtype), in_double);
  }

  // All there is to try, at one size.
  Step<void> at_its_own_size(Oracle& oracle, bool in_double) {
    ASSAY_ASSIGN(Probe whole, probe(oracle, kFullSize, in_double));
    ASSAY_TRY(take_samples(whole, in_double ? kSamples : kLargeSamples));
    if (tell_results(whole)) return {};
    Ignored ignored;
    ASSAY_TRY(may_break(look_for_ignored(oracle, whole, everything(oracle), ignored)));
    tell_ignored(oracle, ignored);
    return {};
  }

  Step<void> without_smaller(Oracle& oracle, const std::string& what) {
    const ProblemDescription& problem = oracle.description();
    if (fits(problem, true)) return at_its_own_size(oracle, true);
    if (fits(problem, false)) return at_its_own_size(oracle, false);
    return std::unexpected(Stop(not_judged_stage(
        Stage::verify,
        fmt::format("it takes about {}, which is too much to check, and {} makes it smaller",
                    format_bytes(bytes_at_work(problem, false)), what))));
  }

  // What was learnt at a smaller size, to be seen again at the problem's own.
  struct Small {
    Probe probe;
    ProblemDescription problem;
    Ignored ignored;
  };

  Step<Small> at_small_size(Oracle& oracle) {
    ASSAY_ASSIGN(Probe made, probe(oracle, "small", true));
    Small small{std::move(made), oracle.description(), {}};
    ASSAY_TRY(take_samples(small.probe, kSamples));
    if (small.probe.draws() || all_say_nothing(small.probe)) return small;
    ASSAY_TRY(may_break(look_for_ignored(oracle, small.probe, everything(oracle), small.ignored)));
    return small;
  }

  Step<void> at_full_size(Oracle& oracle, const ProblemDescription& own, Small& small,
                          const std::string& size) {
    ASSAY_TRY(oracle.describe_at(Json::object()));
    // A smaller size may have made up what is found at it, so that takes what it takes.
    bool fits_here = fits(own, false) ||
                     (is_suspicious(small) && bytes_at_work(own, false) <= job_.memory_bytes);
    if (small.probe.draws() || !fits_here) {
      if (!small.probe.draws())
        lint_.weaker.push_back(fmt::format("looked at with {}: at its own size it takes about {}",
                                           size, format_bytes(bytes_at_work(own, false))));
      if (!tell_results(small.probe)) tell_ignored(oracle, small.ignored);
      return {};
    }
    ASSAY_ASSIGN(Probe full, probe(oracle, kFullSize, false));
    ASSAY_TRY(take_samples(full, kLargeSamples));
    cancelled_ = of_kind(small.probe, FlawKind::cancels);
    if (tell_results(full)) return {};
    // A dimension of one element at the smaller size may have hidden what it depends on.
    Ignored ignored;
    bool same_state = small.problem.state.size() == own.state.size();
    if (!same_state) small.ignored.state.clear();
    ASSAY_TRY(may_break(look_for_ignored(oracle, full, small.ignored, ignored)));
    tell_ignored(oracle, ignored);
    return {};
  }

  Step<void> take_samples(Probe& probe, int count) {
    for (int n = 0; n < count && !probe.draws(); ++n) ASSAY_TRY(probe.sample());
    if (!probe.no_double().empty())
      lint_.weaker.push_back("not computed in double: " + probe.no_double());
    return {};
  }

  static Ignored everything(const Oracle& oracle) {
    const ProblemDescription& problem = oracle.description();
    Ignored all;
    for (size_t i = 0; i < problem.inputs.size(); ++i)
      if (problem.inputs[i].tensor) all.inputs.push_back(i);
    for (size_t i = 0; i < problem.state.size(); ++i)
      if (problem.state[i].kind == "parameter" && !problem.state[i].same_as) all.state.push_back(i);
    return all;
  }

  Step<void> look_for_ignored(const Oracle&, Probe& probe, const Ignored& among, Ignored& ignored) {
    for (size_t input : among.inputs) {
      ASSAY_ASSIGN(auto is_ignored, probe.ignores_input(input));
      if (is_ignored.value_or(false)) ignored.inputs.push_back(input);
    }
    for (size_t i = 0; i < std::min(among.state.size(), kMostWeights); ++i) {
      ASSAY_ASSIGN(auto is_ignored, probe.ignores_state(among.state[i]));
      if (is_ignored.value_or(false)) ignored.state.push_back(among.state[i]);
    }
    if (among.state.size() > kMostWeights)
      lint_.weaker.push_back(fmt::format("{} of {} parameters were changed, to see who notices",
                                         kMostWeights, among.state.size()));
    return {};
  }

  // What breaks when its values are changed is no flaw; what was found until then stands.
  Step<void> may_break(Step<void> done) {
    if (done) return {};
    auto* record = std::get_if<StageRecord>(&done.error().why);
    if (record == nullptr) return done;
    lint_.weaker.push_back("it broke when its inputs and parameters were changed one by one: " +
                           record->error);
    return {};
  }

  static bool is_suspicious(const Small& small) {
    return small.probe.differs() || !small.ignored.inputs.empty() ||
           std::ranges::any_of(small.probe.seen(), [](const Probe::Seen& seen) {
             return !seen.values.flaws().empty() || !seen.identical_inputs.empty();
           });
  }

  static bool all_say_nothing(const Probe& probe) {
    return std::ranges::all_of(probe.seen(),
                               [](const auto& seen) { return seen.values.says_nothing(); });
  }

  static std::vector<std::optional<Flaw>> of_kind(const Probe& probe, FlawKind kind) {
    std::vector<std::optional<Flaw>> found;
    for (const Probe::Seen& seen : probe.seen()) {
      auto flaws = seen.values.flaws();
      auto flaw = std::ranges::find(flaws, kind, &Flaw::kind);
      found.push_back(flaw == flaws.end() ? std::nullopt : std::optional(*flaw));
    }
    return found;
  }

  std::vector<Flaw> flaws_of(const Probe& probe, size_t result) const {
    const Probe::Seen& seen = probe.seen()[result];
    std::vector<Flaw> flaws = seen.values.flaws();
    bool is_known = !flaws.empty() && flaws.front().kind < FlawKind::cancels;
    if (!is_known && cancelled_.size() == probe.seen().size() && cancelled_[result])
      return {*cancelled_[result]};
    if (!seen.identical_inputs.empty() && !seen.values.says_nothing())
      flaws.push_back({FlawKind::identity,
                       fmt::format("is input {} as it came", seen.identical_inputs.front())});
    return flaws;
  }

  // True where that is all there is to say.
  bool tell_results(const Probe& probe) {
    if (probe.draws() || probe.differs()) {
      tell(FlawKind::random, true,
           probe.draws() ? "its forward draws random numbers: nobody can compute the same"
                         : "it gives another result for the same arguments, and not by rounding");
      return true;
    }
    // Where another result proves something, the problem does.
    std::vector<std::vector<Flaw>> flaws;
    for (size_t r = 0; r < probe.seen().size(); ++r) flaws.push_back(flaws_of(probe, r));
    auto counts = [](const Flaw& flaw) { return flaw.kind != FlawKind::slices; };
    bool all = std::ranges::all_of(
        flaws, [&](const auto& found) { return std::ranges::any_of(found, counts); });
    bool nothing = true;
    for (size_t r = 0; r < flaws.size(); ++r) {
      for (const Flaw& flaw : flaws[r]) {
        bool alone = flaw.kind == FlawKind::non_finite;
        tell(flaw.kind, alone || (all && counts(flaw)), probe.seen()[r].name + " " + flaw.says);
      }
      nothing = nothing && !flaws[r].empty() && flaws[r].front().kind <= FlawKind::same;
    }
    return nothing;
  }

  void tell_ignored(const Oracle& oracle, const Ignored& ignored) {
    const ProblemDescription& problem = oracle.description();
    for (size_t input : ignored.inputs)
      tell(FlawKind::input, true, fmt::format("no result depends on input {}", input));
    if (ignored.state.empty()) return;
    std::vector<std::string> names;
    for (size_t i : ignored.state)
      if (i < problem.state.size() && names.size() < 4) names.push_back(problem.state[i].name);
    size_t more = ignored.state.size() - names.size();
    tell(FlawKind::weight, false,
         fmt::format("no result depends on {}{}", fmt::join(names, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : ""));
  }

  void tell(FlawKind kind, bool flags, std::string says) {
    lint_.findings.push_back({kind, flags, std::move(says)});
  }

  const LintJob& job_;
  const VerifyTools& tools_;
  Children& children_;
  std::optional<RandomStream> random_;
  std::vector<std::optional<Flaw>> cancelled_;  // by result, seen at a smaller size
  Lint lint_;
};

}  // namespace

bool Lint::is_flagged() const {
  return stage.status == StageStatus::failed || stage.status == StageStatus::unsupported ||
         std::ranges::any_of(findings, &LintFinding::flags);
}

Result<Lint> lint(const LintJob& job, const VerifyTools& tools, Children& children) {
  return Linting(job, tools, children).run();
}

}  // namespace assay
