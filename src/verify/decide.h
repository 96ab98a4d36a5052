// From the figures of all rounds to what is said about a candidate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "model/attempt.h"
#include "verify/compare.h"
#include "verify/families.h"
#include "verify/likeness.h"
#include "verify/picks.h"

namespace assay {

// What a candidate is rejected for, strongest first: with several, the first is said.
enum class Rule {
  shape,             // of an output, or their number
  dtype,             // of an output
  aliased,           // an output shares memory with an input, which the problem's does not
  out_of_bounds,     // it wrote around a tensor
  input_changed,     // it wrote to an input
  unwritten,         // elements of an output hold what was there before
  non_finite,        // NaN or infinity come and go otherwise than they should
  wrong,             // it computes something else
  precision,         // it computes this, with fewer bits than it was asked to, or unstably
  nondeterministic,  // the same input gives a good result and a bad one
  race,              // two of its threads touch memory without order; only a sanitizer sees that
  unsanitized,       // with a sanitizer it cannot be built or called, and without it can
};
inline constexpr Word<Rule> kRuleWords[] = {
    {Rule::shape, "shape"},
    {Rule::dtype, "dtype"},
    {Rule::aliased, "aliased"},
    {Rule::out_of_bounds, "out-of-bounds"},
    {Rule::input_changed, "input-changed"},
    {Rule::unwritten, "unwritten"},
    {Rule::non_finite, "non-finite"},
    {Rule::wrong, "wrong"},
    {Rule::precision, "precision"},
    {Rule::nondeterministic, "nondeterministic"},
    {Rule::race, "race"},
    {Rule::unsanitized, "unsanitized"},
};

// What a candidate does that breaks it, in one line.
std::string_view meaning_of(Rule rule);

// Rules that a policy of the user's may make labels, with how `accepted` goes on then.
struct MayBeLabel {
  Rule rule;
  std::string_view accepted;
};
inline constexpr MayBeLabel kMayBeLabels[] = {
    {Rule::non_finite, "for finite inputs"},
    {Rule::precision, "at lower precision"},
};
// A set of them.
constexpr uint32_t bit_of(Rule rule) { return 1U << static_cast<uint32_t>(rule); }

// The defaults are the policy `strict`.
struct Policy {
  double rms_good = 8;      // error ratios up to which a result is as good as the baseline's
  double rms_reduced = 16;  // and accepted, as `accuracy: reduced`
  double max_most = 16;     // for the largest error of an element
  // An error of this part of the largest result is no matter of precision any more.
  double wrong_part = 1.0 / 32;
  uint32_t labels = 0;  // rules that decide nothing: bits of kMayBeLabels
  // Nobody knows what error is usual: there is no torch that computes it. Of its own inputs each
  // element is held to KernelBench's tolerance, of others to be finite where the result is.
  bool by_tolerance = false;

  // Of results in half precision, measured closely: a bit less in the factors of a product is off
  // by 2.4 to 4.6 times what torch is, honest sums in four parts by 1.9 at most.
  Policy close() const {
    return {rms_good / 8, rms_reduced / 8, max_most * 3 / 8, wrong_part, labels, by_tolerance};
  }
};

// Where thousands of results are judged, each by itself: of that many some that are as good as
// others are sixteen times as far off as a baseline that was lucky. Fewer bits are farther off:
// TF32 and half precision 70 times or more.
inline constexpr Policy kOfManyResults{.rms_good = 32, .rms_reduced = 64, .max_most = 64};

// What is known of an output that is a matrix product, beside its figures.
struct ProductFigures {
  bool probed = false;  // its figures are of probes: maxima are over rows. Else of a run in double
  // Elements that were worked out exactly where it is probed, whole rows but in f64.
  uint64_t rows = 0;
  std::optional<Figures> exact;
  std::optional<Sensitivity> sensitivity;  // of those
};

// Of an output whose elements are sums: some of them, held to the bound of their roundings
// (sums.h).
struct BoundFigures {
  uint64_t held = 0, beyond = 0;
  uint64_t baseline_beyond = 0;  // of the baseline's; looked at where there are `beyond`
  double part_of_bound = 0;      // the largest error, in bounds
  std::optional<Sample> first_beyond;
  double bound = 0;         // of that one
  double error_beyond = 0;  // the largest error beyond
};

// One output of one window.
struct OutputFigures {
  std::string name;  // "output 0"; or "input 2", of an input that the problem changes
  Figures figures;
  // What they are of, read again for evidence. Of probes nothing is exact, and `exact` null.
  Values values;
  std::vector<int64_t> shape;
  uint64_t unwritten = 0, first_unwritten = 0;  // elements that still hold their poison
  std::optional<Sensitivity> sensitivity;       // where it has been worked out
  uint64_t jumps = 0;  // elements that are held to the other side of a jump (jumps.h)
  // Elements without a NaN that they do not depend on (unaffected.h).
  uint64_t unaffected = 0;
  // Elements that an algorithm for a product or a convolution may have made NaN, or another kind
  // of what is not finite (mixing.h).
  uint64_t mixed = 0;
  std::optional<ProductFigures> product;
  std::optional<BoundFigures> bound{};
  std::optional<Likeness> likeness{};  // of the problem's own inputs
  // Whole numbers that are other indices than the exact ones, and as good: no part of `unequal`.
  uint64_t moved = 0;
  // Made of indices: its sensitivity is also to which of elements comes first that are equal, but
  // for a rounding.
  bool from_picks = false;
  bool order_open = false;      // where they are equal altogether, it may be any
  uint64_t moved_by_order = 0;  // elements that another order makes others
  // So many that it cannot be judged unless it is as the exact result has it.
  bool order_decides = false;
  std::optional<PickKey> picks;  // held to the elements that its indices point to
};

struct Round {
  Family family = Family::own;
  std::string size = kFullSize;  // or which reduced one
  std::string seed;              // that draws the same inputs again
  std::vector<OutputFigures> outputs;
  // Of family `integers`: the run in double found whole numbers at every step.
  bool integers_proven = false;
  std::string computed_on;  // Computed's
};

// What one output of one round shows against the candidate.
struct Complaint {
  Rule rule = Rule::wrong;
  size_t output = 0;
  std::string why;  // one line
  std::optional<Sample> at;
  // Only its error ratio is too large, and it is not known whether inputs that differ by a rounding
  // would not do the same: worth finding out (compare.h, Sensitivity) and judging again.
  bool sensitivity_may_excuse = false;
  double error_max = 0;  // the largest error of an element of that output
};

// Why a round says nothing.
inline constexpr const char* kOtherOrder = "equal elements in another order";
inline constexpr const char* kBaselineFarOff = "torch's own result is far off";

// The error ratios that are nearest to what they are held to, and that.
struct Nearest {
  double rms = 0, max = 0;
  Policy limits{};
};

// Everything that is said against a round; empty: it is good. Kept apart from the finding so that
// outputs need not be kept once their round is judged.
struct RoundResult {
  Family family = Family::own;
  std::string size, seed;
  std::vector<Complaint> complaints;
  uint32_t labelled = 0;                // rules that it breaks, and that are labels here
  bool reduced = false;                 // an error ratio between good and reduced
  bool not_integer_exact = false;       // proven whole, and not computed so, but near enough
  bool spread = false;                  // spread NaN or infinity, as it may
  bool lacks_nan = false;               // lacks NaN that decides nothing, as it may
  std::string excused;                  // why what it shows does not count; "": it does
  bool other_order = false;             // indices differ where equal elements may come in any order
  std::string open;                     // why nobody can say whether it is right; "": somebody can
  bool by_tolerance = false;            // elements were held to a tolerance, and to no error's
  bool flushes = false;                 // bf16 below the smallest normal number is 0, as it may be
  Nearest nearest{};                    // of its outputs
  uint64_t compared = 0, left_out = 0;  // elements
  uint64_t beyond_kernelbench = 0, beyond_torch = 0;
  Json evidence;  // docs/formats.md
};
RoundResult judge_round(const Round& round, const Policy& policy);
// Complaints of rules that are labels become such: the result then says which.
void take_labels(RoundResult& result, uint32_t labels);

// The same inputs in another launch: the complaints of the second, and whether bits differ.
struct RepeatResult {
  bool same_bits = true;
  bool first_good = true, second_good = true;
};

struct Finding {
  std::optional<Rule> rule;         // none: accepted
  std::string why;                  // one line; empty when accepted
  bool reduced = false;             // `accuracy: reduced`
  uint64_t compared = 0;            // elements
  std::vector<std::string> labels;  // "not integer-exact", "not bit-reproducible", ...
  Json evidence;                    // docs/formats.md
};
Finding decide(const std::vector<RoundResult>& rounds, const std::vector<RepeatResult>& repeats,
               const Policy& policy);

// What is said of a candidate that a rule rejects before its numbers are looked at.
StageRecord rejected(Rule rule, std::string why);

}  // namespace assay
