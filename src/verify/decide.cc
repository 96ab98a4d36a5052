#include "verify/decide.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "run/outcome.h"
#include "verify/evidence.h"
#include "verify/number.h"

namespace assay {
namespace {

// NaN has a sign, which is no matter.
std::string in_words(double value) { return std::isnan(value) ? "nan" : fmt::format("{}", value); }

// Gross errors up to so many times the baseline's are the same kind of cancellation; the rest is
// chance.
constexpr uint64_t kGrossFactor = 32;
constexpr uint64_t kGrossFew = 16;
constexpr uint64_t kGrossPart = 16384;

// Where half precision is looked at closely. On others what its coarse numbers make of a sound
// formula is no matter of bits. `moderate` is of both signs: where all numbers of a problem are
// positive, errors of factors are little beside the sum.
Measure measure_of(Family family, Dtype dtype) {
  const bool is_half = dtype == Dtype::f16 || dtype == Dtype::bf16;
  return is_half && (is_of_own(family) || family == Family::moderate) ? Measure::close
                                                                      : Measure::usual;
}

double half_of_the_bits(Dtype dtype) {  // f16 and bf16 are summed up in f32
  return std::sqrt(std::min(unit_roundoff(dtype), unit_roundoff(Dtype::f32)));
}

// How a whole-number output is judged: where even the baseline misses the exact result (argmax of
// sums that are rounded), so may the candidate, as often. And about as often as equal elements in
// another order make it another. Single ones that jump have been held to their side (jumps.h).
constexpr uint64_t kOrderFactor = 2;
constexpr uint64_t kIndexFactor = 8;

void keep_nearer(const Nearest& found, Nearest& kept) {
  if (found.rms * kept.limits.rms_reduced >= kept.rms * found.limits.rms_reduced) {
    kept.rms = found.rms;
    kept.limits.rms_good = found.limits.rms_good;
    kept.limits.rms_reduced = found.limits.rms_reduced;
  }
  if (found.max * kept.limits.max_most >= kept.max * found.limits.max_most) {
    kept.max = found.max;
    kept.limits.max_most = found.limits.max_most;
  }
}

class Judgement {
 public:
  Judgement(const Round& round, const Policy& policy) : round_(round), policy_(policy) {
    result_.nearest.limits = policy;
    result_.family = round.family;
    result_.size = round.size;
    result_.seed = round.seed;
    result_.evidence = {{"family", to_word(kFamilyWords, round.family)},
                        {"size", round.size},
                        {"seed", round.seed},
                        {"outputs", Json::array()}};
    if (!round.computed_on.empty()) result_.evidence["computed_on"] = round.computed_on;
  }

  RoundResult result() {
    for (size_t i = 0; i < round_.outputs.size(); ++i) {
      output_ = i;
      judge(round_.outputs[i]);
    }
    Json complaints = Json::array();
    for (const Complaint& complaint : result_.complaints) {
      Json json = {{"rule", to_word(kRuleWords, complaint.rule)},
                   {"output", complaint.output},
                   {"name", round_.outputs[complaint.output].name},
                   {"why", complaint.why}};
      if (complaint.at) {
        const auto& shape = round_.outputs[complaint.output].shape;
        json.update(to_json(*complaint.at, shape));
      }
      complaints.push_back(std::move(json));
    }
    if (!complaints.empty())
      result_.evidence["complaints"] = std::move(complaints);
    else if (!result_.open.empty())
      result_.evidence["excused"] = result_.excused = result_.open;
    return std::move(result_);
  }

 private:
  void judge(const OutputFigures& output) {
    const Figures& figures = output.figures;
    const Measure measure = measure_of(round_.family, figures.dtype);
    limits_ = measure == Measure::close ? policy_.close() : policy_;
    Ratios ratio = ratios(figures, output.sensitivity.value_or(Sensitivity{}), measure);
    result_.evidence["outputs"].push_back(to_json(output, ratio, measure));
    result_.compared += figures.compared;
    result_.left_out += figures.left_out;
    result_.beyond_kernelbench += figures.beyond_kernelbench;
    result_.beyond_torch += figures.beyond_torch;
    result_.lacks_nan |= output.unaffected > 0;
    result_.spread |= output.mixed > 0;
    judge_written(output);
    if (!is_floating(figures.dtype)) return judge_whole(output);
    if (output.order_decides) return judge_open(output, ratio);
    judge_finiteness(output);
    if (policy_.by_tolerance) return judge_tolerance(figures);
    note(ratio);
    bool whole = round_.family == Family::integers && round_.integers_proven;
    if (whole && figures.unequal > 0) result_.not_integer_exact = true;
    double rms_most = whole ? limits_.rms_good : limits_.rms_reduced;
    judge_accuracy(output, ratio, rms_most);
    if (measure == Measure::close && result_.complaints.empty()) judge_sides(output);
    if (output.product) judge_exact_part(output, rms_most);
    if (output.bound) judge_bound(output);
    if (is_of_own(round_.family) && result_.complaints.empty()) judge_small(output);
    if (is_of_own(round_.family) && result_.complaints.empty() && is_far_off(figures))
      result_.open = kBaselineFarOff;
  }

  // Where all results are small, the tolerance is as large as they are.
  void judge_tolerance(const Figures& figures) {
    result_.by_tolerance = true;
    if (!is_of_own(round_.family)) return;
    const uint64_t beyond = figures.beyond_kernelbench - figures.beyond_not_finite;
    const bool is_large = figures.candidate_max > policy_.wrong_part * figures.exact_max;
    if (beyond == 0 && (!is_large || is_underflow(figures.candidate_max, figures.dtype))) return;
    complain(Rule::wrong,
             fmt::format("{} of {} elements are beyond KernelBench's tolerance, off by {:.3g} "
                         "where results are {:.3g} at most",
                         beyond, figures.elements, figures.candidate_max, figures.exact_max),
             figures.worst);
  }

  // Of its own inputs a problem's result is what torch makes of them, but for roundings. Where that
  // is another function than the one in double, since it asks for the type, a multiple of its error
  // allows anything, and what is as the exact result is need not be right.
  static bool is_far_off(const Figures& figures) {
    constexpr double kPart = 1.0 / 16;
    return figures.baseline_rms > kPart * figures.exact_rms;
  }

  // Equal elements in another order make most of it another, and it is no other for sure: nobody
  // can say whether it is right.
  void judge_open(const OutputFigures& output, const Ratios& ratio) {
    const Figures& figures = output.figures;
    bool is_as_exact = is_floating(figures.dtype)
                           ? figures.dropped == 0 && figures.spread == 0 &&
                                 ratio.rms <= limits_.rms_reduced && ratio.max <= limits_.max_most
                           : figures.unequal == 0;
    if (is_as_exact) return;
    result_.open = kOtherOrder;
    result_.other_order = true;
  }

  // The figures above are of probes, which may miss a single element.
  void judge_exact_part(const OutputFigures& output, double rms_most) {
    const ProductFigures& product = *output.product;
    if (!product.exact || product.exact->compared == 0) return;
    OutputFigures part;
    part.figures = *product.exact;
    part.shape = output.shape;
    part.sensitivity = product.sensitivity;
    const Measure measure = measure_of(round_.family, part.figures.dtype);
    Ratios ratio = exact_ratios(product, measure);
    note(ratio);
    judge_finiteness(part);
    judge_accuracy(part, ratio, rms_most);
    if (measure == Measure::close && result_.complaints.empty()) judge_sides(part);
  }

  void judge_bound(const OutputFigures& output) {
    const BoundFigures& found = *output.bound;
    if (found.beyond == 0 || is_underflow(found.error_beyond, output.figures.dtype)) return;
    // Instructions that multiply bf16 take subnormal factors for 0: torch uses them, too.
    if (round_.family == Family::denormal && found.beyond <= kIndexFactor * found.baseline_beyond) {
      result_.flushes = true;
      return;
    }
    bool wrong = found.error_beyond > policy_.wrong_part * output.figures.exact_max &&
                 !is_ill_conditioned(round_.family);
    const Sample& first = *found.first_beyond;
    complain(wrong ? Rule::wrong : Rule::precision,
             fmt::format("{} of {} elements are off by more than the roundings of their sums can "
                         "make: {:.3g} at {}, and at most {:.3g}",
                         found.beyond, found.held, std::fabs(first.candidate - first.exact),
                         place(output.shape, first.index), found.bound),
             first);
  }

  // Subnormal numbers have no bits to keep an error relative to: some of their steps are no more
  // than underflow in the middle of a sound formula. Taken as 0 they are off by millions.
  // f16 and bf16 have few: those of f16 are as large as 6e-5, and somebody's numbers. What bf16 has
  // below 1e-38, instructions that multiply it take for 0: that is said.
  bool is_underflow(double error, Dtype dtype) const {
    double steps = dtype == Dtype::f16 ? 4 : dtype == Dtype::bf16 ? 128 : 1024;
    bool is_small = round_.family == Family::denormal || round_.family == Family::tiny;
    return is_small && error <= steps * smallest_step(dtype);
  }

  void judge_written(const OutputFigures& output) {
    if (output.unwritten == 0) return;
    complain(Rule::unwritten,
             fmt::format("{} of {} elements hold what was there before the call, the first at {}",
                         output.unwritten, output.figures.elements,
                         place(output.shape, output.first_unwritten)),
             output.values.exact ? std::optional(sample(output.values, output.first_unwritten))
                                 : std::nullopt);
  }

  void judge_finiteness(const OutputFigures& output) {
    const Figures& figures = output.figures;
    if (figures.dropped > 0)
      complain(Rule::non_finite,
               fmt::format("{} of {} elements are {} where the exact result is {}", figures.dropped,
                           figures.elements, in_words(figures.first_dropped->candidate),
                           in_words(figures.first_dropped->exact)),
               figures.first_dropped);
    if (figures.spread == 0) return;
    complain(Rule::non_finite,
             fmt::format("{} of {} elements are not finite where the exact result is",
                         figures.spread, figures.elements),
             figures.first_spread);
  }

  // A baseline that is exact, by luck or not, counts as more.
  static std::string taken_as(double unit, double of_baseline) {
    return unit > of_baseline ? fmt::format(", taken as {:.3g}", unit) : "";
  }

  // Sums of whole numbers are exact in any order: what misses them must at least be good.
  void judge_accuracy(const OutputFigures& output, const Ratios& ratio, double rms_most) {
    const Figures& figures = output.figures;
    const bool rms_bad = ratio.rms > rms_most, max_bad = ratio.max > limits_.max_most;
    if (is_underflow(figures.candidate_max, figures.dtype)) {
      result_.flushes |= figures.dtype == Dtype::bf16 && (rms_bad || max_bad);
      return;
    }
    if (!rms_bad && !max_bad) {
      result_.reduced |= ratio.rms > limits_.rms_good;
      return;
    }
    if (values_repeat(round_.family) &&
        figures.candidate_max <= half_of_the_bits(figures.dtype) * figures.exact_max) {
      result_.reduced = true;
      return;
    }
    // A relative error near 1 somewhere is no rounding, in whatever precision. What is measured is
    // the result's largest value, not the element's own: sums that cancel have no bits of their
    // own.
    bool wrong = figures.candidate_max > policy_.wrong_part * figures.exact_max &&
                 !is_ill_conditioned(round_.family);
    const double limit = max_bad ? limits_.max_most * ratio.max_unit : rms_most * ratio.rms_unit;
    std::optional<Sample> at;
    if (output.values.exact != nullptr) at = first_beyond(output.values, limit);
    complain(wrong ? Rule::wrong : Rule::precision,
             rms_bad
                 ? fmt::format("its error is {:.3g} times that of the baseline (rms {:.3g}, "
                               "baseline's {:.3g}{}), and at most {:g} times would do",
                               ratio.rms, figures.candidate_rms, figures.baseline_rms,
                               taken_as(ratio.rms_unit, figures.baseline_rms), rms_most)
                 : fmt::format("its largest error is {:.3g} times that of the baseline "
                               "({:.3g}, baseline's {:.3g}{}), and at most {:g} times would do",
                               ratio.max, figures.candidate_max, figures.baseline_max,
                               taken_as(ratio.max_unit, figures.baseline_max), limits_.max_most),
             at ? at : figures.worst);
    result_.complaints.back().sensitivity_may_excuse = !output.sensitivity.has_value();
  }

  void note(const Ratios& ratio) { keep_nearer({ratio.rms, ratio.max, limits_}, result_.nearest); }

  // Who cuts bits off is off by no more than a few roundings, but always to one side. Not looked at
  // where there are few rows: what each of those is divided by may be rounded to a side.
  void judge_sides(const OutputFigures& output) {
    constexpr uint64_t kFewest = 1024, kFewestRows = 16;
    constexpr double kMost = 7.0 / 8, kOfBaseline = 3.0 / 4;
    const Sides &mine = output.figures.candidate_sides, &theirs = output.figures.baseline_sides;
    const uint64_t row = output.shape.empty() ? 1 : static_cast<uint64_t>(output.shape.back());
    const bool are_enough = mine.off >= kFewest && theirs.off >= kFewest &&
                            output.figures.compared >= kFewestRows * row;
    if (!are_enough || mine.most() <= kMost || theirs.most() > kOfBaseline) return;
    complain(
        Rule::precision,
        fmt::format("{:.0f} % of its elements are off to one side, as where bits are cut off; of "
                    "the baseline's {:.0f} %",
                    100 * mine.most(), 100 * theirs.most()),
        output.figures.worst);
  }

  // Elements that are small beside others count for nothing in the figures of the whole.
  void judge_small(const OutputFigures& output) {
    const Figures& figures = output.figures;
    uint64_t cancelled = figures.baseline_gross;
    if (output.sensitivity) cancelled = std::max(cancelled, output.sensitivity->gross);
    if (figures.gross <= kGrossFactor * cancelled + kGrossFew + figures.compared / kGrossPart)
      return;
    std::optional<Sample> at;
    if (output.values.exact != nullptr) at = first_gross(output.values);
    complain(Rule::precision,
             fmt::format("{} of {} elements are off by much of their own size, though not of the "
                         "largest element's; the baseline has {} such",
                         figures.gross, figures.elements, figures.baseline_gross),
             at ? at : figures.worst);
    result_.complaints.back().sensitivity_may_excuse = !output.sensitivity.has_value();
  }

  void judge_whole(const OutputFigures& output) {
    const Figures& figures = output.figures;
    if (output.order_decides) return judge_open(output, {});
    result_.other_order |= output.moved > 0;
    uint64_t moves = output.moved_by_order;
    if (output.picks && output.sensitivity) moves = std::max(moves, output.sensitivity->unequal);
    const uint64_t most = std::max(kIndexFactor * figures.baseline_unequal, kOrderFactor * moves);
    if (figures.unequal <= most) {
      result_.other_order |= output.order_open && figures.unequal > 0;
      return;
    }
    bool rows = output.product && output.product->probed;
    complain(Rule::wrong,
             fmt::format("{} of {} {} are wrong{}", figures.unequal,
                         rows ? static_cast<uint64_t>(output.shape.front()) : figures.elements,
                         rows ? "rows of whole numbers" : "whole numbers",
                         figures.baseline_unequal == 0
                             ? ""
                             : fmt::format("; the baseline has {}", figures.baseline_unequal)),
             figures.first_unequal);
    result_.complaints.back().sensitivity_may_excuse = !output.sensitivity && !output.product;
  }

  void complain(Rule rule, std::string why, std::optional<Sample> at) {
    result_.complaints.push_back(
        {rule, output_, std::move(why), at, false, round_.outputs[output_].figures.candidate_max});
  }

  const Round& round_;
  const Policy& policy_;
  Policy limits_{};  // for the output at hand
  RoundResult result_;
  size_t output_ = 0;
};

const Complaint* strongest(const RoundResult& round) {
  const Complaint* first = nullptr;
  for (const Complaint& complaint : round.complaints)
    if (first == nullptr || complaint.rule < first->rule) first = &complaint;
  return first;
}

}  // namespace

RoundResult judge_round(const Round& round, const Policy& policy) {
  RoundResult result = Judgement(round, policy).result();
  take_labels(result, policy.labels);
  return result;
}

Finding decide(const std::vector<RoundResult>& rounds, const std::vector<RepeatResult>& repeats,
               const Policy& policy) {
  Finding finding;
  const RoundResult* deciding = nullptr;
  const Complaint* worst = nullptr;
  Nearest nearest{.limits = policy};
  uint64_t left_out = 0, beyond_kernelbench = 0, beyond_torch = 0;
  bool not_exact = false, spread = false, other_order = false, flushes = false;
  bool lacks_nan = false, by_tolerance = false;
  uint32_t labelled = 0;
  Json all = Json::array();
  for (const RoundResult& round : rounds) {
    const Complaint* complaint = strongest(round);
    if (complaint != nullptr && (worst == nullptr || complaint->rule < worst->rule)) {
      worst = complaint;
      deciding = &round;
    }
    finding.reduced |= round.reduced;
    labelled |= round.labelled;
    not_exact |= round.not_integer_exact;
    spread |= round.spread;
    lacks_nan |= round.lacks_nan;
    other_order |= round.other_order;
    flushes |= round.flushes;
    by_tolerance |= round.by_tolerance;
    if (round.excused.empty()) keep_nearer(round.nearest, nearest);
    finding.compared += round.compared;
    left_out += round.left_out;
    beyond_kernelbench += round.beyond_kernelbench;
    beyond_torch += round.beyond_torch;
    all.push_back(round.evidence);
  }
  bool bits_differ = false;
  for (const RepeatResult& repeat : repeats) {
    bits_differ |= !repeat.same_bits;
    if (repeat.first_good != repeat.second_good) {
      // Stronger than what its bad half was rejected for: that it is a race is the news.
      finding.rule = Rule::nondeterministic;
      finding.why = "the same input gave a good result in one launch and a bad one in another";
    }
  }
  if (worst != nullptr && (!finding.rule || worst->rule < Rule::non_finite)) {
    finding.rule = worst->rule;
    finding.why =
        fmt::format("{} (inputs: {})", worst->why, to_word(kFamilyWords, deciding->family));
  }
  if (not_exact) finding.labels.emplace_back("not integer-exact");
  if (bits_differ) finding.labels.emplace_back("not bit-reproducible");
  if (spread) finding.labels.emplace_back("spreads non-finite values");
  if (lacks_nan) finding.labels.emplace_back("lacks NaN that decides nothing");
  if (other_order) finding.labels.emplace_back("equal elements in another order");
  if (flushes) finding.labels.emplace_back("flushes denormals");
  if (finding.compared == 0) finding.labels.emplace_back("nothing compared");
  finding.evidence = {{"rms_ratio", by_tolerance ? Json() : json_number(nearest.rms)},
                      {"max_ratio", by_tolerance ? Json() : json_number(nearest.max)},
                      {"accuracy", finding.rule || by_tolerance ? Json()
                                   : finding.reduced            ? "reduced"
                                                                : "good"},
                      {"compared", finding.compared},
                      {"left_out", left_out},
                      {"beyond_kernelbench", beyond_kernelbench},
                      {"beyond_torch", beyond_torch},
                      {"policy", limits_in_json(nearest.limits, by_tolerance)},
                      {"labels", finding.labels}};
  for (const MayBeLabel& each : kMayBeLabels)
    if ((labelled & bit_of(each.rule)) != 0)
      finding.evidence["labelled"].push_back(to_word(kRuleWords, each.rule));
  if (finding.rule) {
    finding.evidence["rule"] = to_word(kRuleWords, *finding.rule);
    finding.evidence["why"] = finding.why;
  }
  if (deciding != nullptr) finding.evidence["decided_by"] = deciding->evidence;
  finding.evidence["rounds"] = std::move(all);
  return finding;
}

}  // namespace assay
