#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "base/escape.h"
#include "search/feedback_parts.h"
#include "verify/decide.h"
#include "verify/families.h"

namespace assay {
namespace {

struct Element {
  std::vector<int64_t> index;
  double got = 0, expected = 0;

  bool is_at_the_start() const {
    return std::ranges::all_of(index, [](int64_t i) { return i == 0; });
  }
  std::string place() const { return fmt::format("[{}]", fmt::join(index, ", ")); }
};

// What the record says of the round that decided, and of the output that showed it.
struct Facts {
  Rule rule = Rule::wrong;
  std::optional<Family> family{};
  std::string size;                // kFullSize, or which smaller one
  std::string name;                // of the output
  std::string why;                 // of the complaint
  uint64_t elements = 0, off = 0;  // beyond torch.testing.assert_close
  double exact_rms = 0, error_rms = 0, error_max = 0, baseline_rms = 0, baseline_max = 0;
  bool is_whole = false;  // whole numbers
  std::optional<Element> first{}, worst{};
  std::vector<Family> passed{};  // in their order

  double relative() const { return exact_rms > 0 ? error_rms / exact_rms : 0; }
  bool most_are_off() const { return off * 2 > elements; }
  bool has_passed(Family of) const { return std::ranges::find(passed, of) != passed.end(); }
};

double number_of(const Json& value) {
  if (value.is_number()) return value.get<double>();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (value == "inf") return kInfinity;
  if (value == "-inf") return -kInfinity;
  return std::numeric_limits<double>::quiet_NaN();
}

double number_in(const Json& object, const char* field) {
  return object.contains(field) ? number_of(object[field]) : 0;
}

uint64_t count_in(const Json& object, const char* field) {
  return object.contains(field) && object[field].is_number_unsigned()
             ? object[field].get<uint64_t>()
             : 0;
}

std::string text_in(const Json& object, const char* field) {
  return object.contains(field) && object[field].is_string() ? object[field].get<std::string>()
                                                             : "";
}

std::optional<Element> element_in(const Json& sample) {
  if (!sample.is_object() || !sample.contains("index") || !sample.contains("candidate") ||
      !sample["index"].is_array())
    return std::nullopt;
  Element element;
  for (const Json& i : sample["index"])
    if (i.is_number_integer()) element.index.push_back(i.get<int64_t>());
  element.got = number_of(sample["candidate"]);
  element.expected = number_in(sample, "exact");
  return element;
}

Facts facts_of(const StageRecord& stage) {
  Facts facts;
  facts.rule = from_word(kRuleWords, stage.rule).value_or(Rule::wrong);
  const Json evidence = evidence_of(stage);
  if (!evidence.is_object()) return facts;
  const Json& ended = evidence.contains("ended_in") ? evidence["ended_in"] : Json();
  const Json round = evidence.contains("decided_by") ? evidence["decided_by"] : ended;
  if (evidence.contains("rounds"))
    for (const Json& each : evidence["rounds"])
      if (each.is_object() && !each.contains("complaints") && !each.contains("excused"))
        if (auto family = from_word(kFamilyWords, text_in(each, "family")))
          facts.passed.push_back(*family);
  if (!round.is_object()) return facts;
  facts.family = from_word(kFamilyWords, text_in(round, "family"));
  facts.size = text_in(round, "size");
  const Json* complaint = nullptr;
  if (round.contains("complaints"))
    for (const Json& each : round["complaints"])
      if (complaint == nullptr && each.is_object() && text_in(each, "rule") == stage.rule)
        complaint = &each;
  if (complaint == nullptr) return facts;
  facts.why = text_in(*complaint, "why");
  facts.name = text_in(*complaint, "name");
  facts.first = element_in(*complaint);
  const size_t which = count_in(*complaint, "output");
  if (!round.contains("outputs") || !round["outputs"].is_array() ||
      which >= round["outputs"].size() || !round["outputs"][which].is_object())
    return facts;
  const Json& output = round["outputs"][which];
  facts.elements = count_in(output, "elements");
  facts.off = count_in(output, "beyond_torch");
  facts.exact_rms = number_in(output, "exact_rms");
  facts.error_rms = number_in(output, "error_rms");
  facts.error_max = number_in(output, "error_max");
  facts.baseline_rms = number_in(output, "baseline_error_rms");
  facts.baseline_max = number_in(output, "baseline_error_max");
  facts.is_whole = output.contains("rms_ratio") && output["rms_ratio"].is_null();
  if (output.contains("worst")) facts.worst = element_in(output["worst"]);
  return facts;
}

struct FamilyInWords {
  Family family;
  std::string_view words;
  std::string_view cause;  // likely, where others passed before
};
constexpr FamilyInWords kFamilies[] = {
    {Family::own, "as get_inputs() draws them",
     "inputs of this kind were right before, in a process with other parameters: use the values of "
     "weights, biases and such that the call is given, at every call"},
    {Family::touched, "as in the call before, but for a few elements of one input",
     "a result of an earlier call is kept, by a part of the inputs or by some of their values"},
    {Family::interior, "as get_inputs() draws them, but equal to earlier ones at the ends",
     "a result of an earlier call is kept, by the address of the inputs or by a few of their "
     "values"},
    {Family::integers, "whole numbers, whose sums are exact in any order",
     "something is computed with fewer bits than float32 has, or is left out"},
    {Family::zeros, "all zero",
     "a constant that stands alone there (a bias, a slope, what is added to a divisor or below a "
     "root) is another, or is left out"},
    {Family::constants, "one value everywhere",
     "a variance or a difference that is 0 does not come out as 0, or what is added to it is left "
     "out"},
    {Family::moderate, "of all magnitudes from 1/64 to 64",
     "something holds for small values alone: a limit, or an approximation of exp, tanh or erf "
     "outside of the range it is good in"},
    {Family::large, "10000 times a normal distribution",
     "exp() without the maximum subtracted, or an approximation outside of its range"},
    {Family::offset, "10000 and a normal distribution",
     "differences cancel: a variance as the mean of squares minus the square of the mean, or a sum "
     "in one long chain"},
    {Family::tiny, "very small, about 1e-10 or 1e-3",
     "the constant that the problem adds to a divisor or below a root is left out, is another, or "
     "stands outside of the root"},
    {Family::denormal, "below the smallest normal number",
     "such numbers are taken for 0, by flags or by instructions that flush them"},
    {Family::spike, "as get_inputs() draws them, with a few of +-30000",
     "exp() without the maximum subtracted, or a large value that is lost or spoils its "
     "neighbours"},
    {Family::nonfinite, "with a few NaN and infinities",
     "NaN or infinity is lost or spread: comparisons with NaN are false, fmaxf() and `x > 0 ? x : "
     "0` drop it, and 0 * infinity is NaN"},
    {Family::ties, "five values, so that many are equal",
     "of equal values another one is taken than torch takes: the first counts"},
};

const FamilyInWords& in_words(Family family) {
  for (const FamilyInWords& each : kFamilies)
    if (each.family == family) return each;
  return kFamilies[0];
}

bool near(double a, double b) { return std::fabs(a - b) <= 2e-3 * std::fabs(b); }

// Two elements that are wrong, at different places.
bool has_two(const Facts& facts) {
  return facts.first && facts.worst && facts.first->index != facts.worst->index &&
         std::isfinite(facts.first->got) && std::isfinite(facts.worst->got) &&
         std::isfinite(facts.first->expected) && std::isfinite(facts.worst->expected);
}

// What it may come from: the first that the evidence speaks for. Each is one sentence.
using Guess = std::optional<std::string> (*)(const Facts&);

std::optional<std::string> guess_unwritten(const Facts& facts) {
  if (facts.rule != Rule::unwritten) return std::nullopt;
  if (facts.why.starts_with(fmt::format("{0} of {0} ", facts.elements)))
    return "nothing is written to this output: another one is written to, or the loop is not "
           "entered";
  return "a loop ends too early: look at what is left behind the last whole tile or vector";
}

std::optional<std::string> guess_race(const Facts& facts) {
  if (facts.rule != Rule::nondeterministic) return std::nullopt;
  return "threads write to the same memory, or memory is read before anybody wrote to it";
}

std::optional<std::string> guess_written_around(const Facts& facts) {
  if (facts.rule != Rule::out_of_bounds) return std::nullopt;
  return "the last tile or vector is stored whole where less is left, or an index is off by one";
}

std::optional<std::string> guess_not_finite(const Facts& facts) {
  if (facts.rule != Rule::non_finite || !facts.first || !facts.family) return std::nullopt;
  if (std::isfinite(facts.first->got) || *facts.family == Family::nonfinite)
    return std::string(in_words(Family::nonfinite).cause);
  switch (*facts.family) {
    case Family::own:
    case Family::touched:
    case Family::interior:
      return "memory is read that nobody has written (an accumulator that does not begin at 0, a "
             "result that is added to what was there), or something is divided by 0";
    case Family::zeros:
    case Family::constants:
    case Family::tiny:
      return "0/0: what the problem adds to a divisor or below a root is left out or added "
             "elsewhere";
    default:
      return "a number overflows on the way: exp() without the maximum subtracted, or a square";
  }
}

std::optional<std::string> guess_indices(const Facts& facts) {
  if (!facts.is_whole) return std::nullopt;
  if (facts.family == Family::zeros || facts.family == Family::constants ||
      facts.family == Family::ties)
    return "of equal values another one is taken than torch takes, where the first counts; or a "
           "mask is not looked at";
  return "whole numbers are exact or wrong: an index that is off by one, another order among "
         "equals, rounding in another direction, or a sum that overflows its type";
}

std::optional<std::string> guess_in_place(const Facts& facts) {
  if (!facts.name.starts_with("input")) return std::nullopt;
  return "the problem changes this input itself, in place: the same has to be left in it";
}

std::optional<std::string> guess_zero(const Facts& facts) {
  if (!has_two(facts) || facts.first->got != 0 || facts.worst->got != 0 ||
      facts.family == Family::denormal)
    return std::nullopt;
  if (std::fabs(facts.worst->expected) < 1e-2 * facts.exact_rms)
    return "small results come out as 0: something is cut off below a limit, or underflows";
  return "0 stands there: nothing is computed for these elements, or it is lost";
}

std::optional<std::string> guess_family(const Facts& facts) {
  if (!facts.family || facts.passed.empty()) return std::nullopt;
  if (*facts.family == Family::own && !facts.has_passed(Family::own)) return std::nullopt;
  return std::string(in_words(*facts.family).cause);
}

std::optional<std::string> guess_garbage(const Facts& facts) {
  if (!facts.first || !(std::fabs(facts.first->got) >
                        1e3 * std::max(facts.exact_rms, std::fabs(facts.first->expected))))
    return std::nullopt;
  return "this is far from anything that the problem computes: memory is read that nobody has "
         "written (an accumulator that does not begin at 0, a result that is added to what was "
         "there), or not all of the result is written";
}

std::optional<std::string> guess_same(const Facts& facts) {
  if (!has_two(facts) || facts.first->got != facts.worst->got || facts.off < 3) return std::nullopt;
  return "the same value stands in different places: it does not depend on what it should";
}

std::optional<std::string> guess_factor(const Facts& facts) {
  if (!has_two(facts) || facts.first->expected == 0 || facts.worst->expected == 0)
    return std::nullopt;
  const double first = facts.first->got / facts.first->expected;
  const double worst = facts.worst->got / facts.worst->expected;
  if (!near(first, worst) || std::fabs(first - 1) < 1e-2) return std::nullopt;
  return fmt::format(
      "results are {:.4g} times what they should be: a factor is left out, or is another (a scale, "
      "the number that a mean is divided by)",
      first);
}

std::optional<std::string> guess_summand(const Facts& facts) {
  if (!has_two(facts)) return std::nullopt;
  const double first = facts.first->got - facts.first->expected;
  const double worst = facts.worst->got - facts.worst->expected;
  if (!near(first, worst) || std::fabs(first) < 1e-2 * facts.exact_rms) return std::nullopt;
  return fmt::format(
      "results are {:+.4g} away from what they should be: a summand is left out or added twice (a "
      "bias, an initial value)",
      first);
}

// Errors of all elements are much alike.
bool is_even(const Facts& facts) { return facts.error_max < 10 * facts.error_rms; }

std::optional<std::string> guess_bits(const Facts& facts) {
  const double relative = facts.relative();
  if (relative <= 0 || relative >= 3e-3 || !is_even(facts)) return std::nullopt;
  const int bits = static_cast<int>(-std::log2(relative));
  return fmt::format(
      "results are good to about {} bits, of 24 that float32 has: {}", bits,
      bits <= 16
          ? "half precision, bfloat16 or TF32 on the way, an approximation that is too rough, "
            "a constant such as eps that is another or stands elsewhere, or a few terms of "
            "long sums that are left out"
          : "differences that cancel (the mean of squares minus the square of the mean), "
            "one long chain of additions, a constant such as eps that stands elsewhere, or "
            "an approximation that is not good enough");
}

// Where elements go wrong at random, so many in a row would hardly be right.
bool begins_somewhere(const Facts& facts) {
  if (!facts.first || facts.elements == 0) return false;
  const double part = static_cast<double>(facts.off) / static_cast<double>(facts.elements);
  auto leading = std::ranges::find_if(facts.first->index, [](int64_t i) { return i != 0; });
  if (leading == facts.first->index.end()) return false;
  // In other dimensions than the last one at least as many elements lie before.
  return std::pow(1 - part, static_cast<double>(*leading)) < 0.02;
}

std::optional<std::string> guess_part(const Facts& facts) {
  if (facts.elements == 0 || facts.off == 0 || !facts.first) return std::nullopt;
  const std::vector<int64_t>& index = facts.first->index;
  if (begins_somewhere(facts)) {
    const bool is_in_row =
        std::all_of(index.begin(), index.end() - 1, [](int64_t i) { return i == 0; });
    if (is_in_row)
      return fmt::format(
          "in the last dimension all is right up to {}: look at what begins there (what is left "
          "behind the last whole tile or vector, the next tile)",
          index.back());
    return fmt::format(
        "all is right before {}: look at what begins there (another tile, row, channel, batch or "
        "head)",
        facts.first->place());
  }
  if (facts.most_are_off()) return std::nullopt;
  if (facts.first->is_at_the_start())
    return "many elements are right, and the first one is not: look at edges and padding, or at "
           "what decides between cases";
  return "some elements here and there are wrong: look at edges, or at what their values decide (a "
         "comparison, a limit, another case)";
}

std::optional<std::string> guess_terms(const Facts& facts) {
  if (!facts.most_are_off() || facts.relative() >= 0.3) return std::nullopt;
  return "every result is somewhat off: terms of a sum are left out or counted twice (the rest of "
         "the summed dimension behind the last whole tile?), or a parameter or a constant is not "
         "used, or is another (bias, eps, n or n - 1)";
}

std::optional<std::string> guess_layout(const Facts& facts) {
  if (!facts.most_are_off() || facts.relative() < 0.9) return std::nullopt;
  return "results have nothing to do with the right ones: strides or layout are taken for others "
         "(transposed? the weight of nn.Linear is [out, in]), another dimension is reduced, or "
         "dimensions come in another order";
}

std::optional<std::string> guess_formula(const Facts& facts) {
  if (!facts.first) return std::nullopt;
  return "the formula is another: compare it with `forward` step by step, with the numbers above";
}

constexpr Guess kGuesses[] = {
    guess_unwritten, guess_race,    guess_written_around, guess_not_finite, guess_indices,
    guess_in_place,  guess_zero,    guess_family,         guess_garbage,    guess_same,
    guess_factor,    guess_summand, guess_bits,           guess_part,       guess_terms,
    guess_layout,    guess_formula};

std::string guess(const Facts& facts) {
  for (Guess each : kGuesses)
    if (auto said = each(facts)) return "Likely: " + *said + ".";
  return "";
}

std::string of_inputs(const Facts& facts) {
  const bool is_first = facts.family == Family::own && facts.passed.empty();
  if (!facts.family || (is_first && !facts.first)) return "";
  std::vector<std::string_view> passed;
  for (Family family : facts.passed) {
    std::string_view word = to_word(kFamilyWords, family);
    if (std::ranges::find(passed, word) == passed.end()) passed.push_back(word);
  }
  return fmt::format(
      "Inputs: {}{}.{}", in_words(*facts.family).words,
      facts.size.empty() || facts.size == kFullSize ? "" : ", of a smaller problem, " + facts.size,
      passed.empty() ? "" : fmt::format(" Right before: {}.", fmt::join(passed, ", ")));
}

std::string of_elements(const Facts& facts) {
  if (!facts.first) return "";
  std::string text =
      fmt::format("The first that is wrong, {} of {}: got {:.7g}, and {:.7g} is right.",
                  facts.first->place(), facts.name, facts.first->got, facts.first->expected);
  if (facts.worst && facts.worst->index != facts.first->index && facts.rule != Rule::non_finite &&
      facts.rule != Rule::unwritten)
    text += fmt::format(" The worst, {}: got {:.7g}, and {:.7g} is right.", facts.worst->place(),
                        facts.worst->got, facts.worst->expected);
  return text;
}

std::string of_error(const Facts& facts) {
  const bool is_numeric = facts.rule == Rule::wrong || facts.rule == Rule::precision;
  if (facts.is_whole || !is_numeric || facts.elements == 0) return "";
  return fmt::format(
      "{} of {} elements are plainly off. The error, root mean square, is {:.3g} where results "
      "have {:.3g}; torch's own error is {:.3g}. The largest is {:.3g}, torch's {:.3g}.",
      facts.off, facts.elements, facts.error_rms, facts.exact_rms, facts.baseline_rms,
      facts.error_max, facts.baseline_max);
}

}  // namespace

std::string words_of_wrong(const StageRecord& stage) {
  const Facts facts = facts_of(stage);
  const auto rule = from_word(kRuleWords, stage.rule);
  std::string error = printable(stage.error, false);
  std::string text = rule ? fmt::format("Wrong ({}): {}.", stage.rule, meaning_of(*rule))
                          : fmt::format("Rejected ({}).", printable(stage.rule, false));
  return text + "\n" +
         as_list(
             {error + ".", of_inputs(facts), of_elements(facts), of_error(facts), guess(facts)});
}

}  // namespace assay
