// The kinds of values that inputs are given: no single one shows every defect.
#pragma once

#include "verify/domain_values.h"
#include "verify/outliers.h"

namespace assay {

enum class Family {
  own,        // the problem's own distribution
  touched,    // own as before, but for a few elements of one input: finds a cache by part of inputs
  interior,   // own, but equal to an earlier draw at the margins: a sampled cache takes it for that
  integers,   // small whole numbers: every order of a sum gives the same bits
  zeros,      // finds 0/0, and what is left out of a formula
  constants,  // one value everywhere: variance 0, all maxima tied
  moderate,   // N(0, 1) * 2^U(-6, 6): between the families above and below
  large,      // 1e4 N(0, 1), of f16 the leading one 256: exp() overflows without its shift
  offset,     // 1e4 + N(0, 1): differences cancel
  tiny,       // 1e-10 N(0, 1), and 1e-3: what is added to a root or a divisor shows
  denormal,   // below the smallest normal number
  spike,      // own, with a few values of +-3e4 (f16: 1e3), the last element among them
  nonfinite,  // own, with a few NaN, +Inf and -Inf, the last element among them
  ties,       // five values: many equal maxima, equal keys
};
inline constexpr Word<Family> kFamilyWords[] = {
    {Family::own, "own"},
    {Family::touched, "touched"},
    {Family::interior, "interior"},
    {Family::integers, "integers"},
    {Family::zeros, "zeros"},
    {Family::constants, "constants"},
    {Family::moderate, "moderate"},
    {Family::large, "large"},
    {Family::offset, "offset"},
    {Family::tiny, "tiny"},
    {Family::denormal, "denormal"},
    {Family::spike, "spike"},
    {Family::nonfinite, "nonfinite"},
    {Family::ties, "ties"},
};

// The problem's own distribution, whichever of its draws. On others a sound formula may lose what
// is tiny beside the rest: log(1 + exp(x)) of -20 is 0.
constexpr bool is_of_own(Family family) {
  return family == Family::own || family == Family::touched || family == Family::interior;
}

// Families in which a rounding of intermediate results is magnified, or is all there is: a good
// formula is told from a bad one here, and not one function from another.
constexpr bool is_ill_conditioned(Family family) {
  return family == Family::offset || family == Family::denormal;
}

// Families in which values repeat. Rounding errors of equal terms do not cancel: they add up in one
// direction, by an amount that depends on the order alone. One chain of 1001 equal terms is off by
// up to 250 roundings, a tree of them by 2. Which order somebody takes is told by no ratio to
// the baseline's here: fewer bits show in the families whose values differ, and in these as well,
// where they are fewer than half of those that sums are kept in. Nor is it where numbers are tiny:
// who adds them to a bias one by one rounds each time, and who adds their sum once.
constexpr bool values_repeat(Family family) {
  return family == Family::zeros || family == Family::constants || family == Family::ties ||
         family == Family::tiny;
}

// Some families are for one floating-point tensor of a problem, chosen by the caller and not always
// the same. Under `integers` the leading one has numbers of many bits and the others, constants
// among them, -1, 0 and 1, so that products are as small as sums allow. Under `denormal` the others
// are `own`: products of two subnormal numbers are 0. Under `nonfinite`, too: of two tensors with
// NaN one hides what becomes of the other's. Under `zeros`, too: what a mask that is all 0
// leaves of values shows only where these are something.
enum class Role { leading, other };
constexpr bool leads_alone(Family family) {
  return family == Family::denormal || family == Family::zeros || family == Family::nonfinite;
}

struct FamilyFill {
  Family family = Family::own;
  Role role = Role::leading;
  // Of family `integers`: how many products the longest sum has, as far as is known. Sums then most
  // probably stay whole in the tensor's type (in f32, for f16 and bf16). Whether they do, at every
  // step, the run in double must show: with `attempt` 1, 2... the numbers are 16, 256... times
  // smaller.
  uint64_t sum_length = 4096;
  int attempt = 0;
  FiniteChoice finite{};
  Domain domain{};  // of the tensor
  // Of families `interior` and `touched`: the stream of the earlier draw of family `own`.
  const RandomStream* earlier = nullptr;
};

// Fills a tensor. Where `draw` is null the tensor holds values already, from the problem's own
// get_inputs(): families that build on the own distribution change some of them or none.
//
// Every family keeps the tensor's domain: what is below only `free` tensors get. Indices are other
// ones below N, a graph has other edges, a mask is the file's own but for what `ties` turns, and
// what is constant stays as it is.
//
// Tensors of whole numbers and bool, and of floating point with at most 16 values, by randint or
// computed by the problem (whole or infinite ones), are indices, sizes, labels, masks: they keep
// the range they are drawn from (all lowest for `zeros`, all highest for `large`, one value for
// `constants`, three for `ties`), and stay as they are where they were not drawn by randint. But a
// flag that is one value throughout (is_still_mask) is turned in places for `ties`.
Status fill_family(const TensorSpec& spec, const Draw* draw, const FamilyFill& how,
                   const RandomStream& stream, std::byte* tensor);

// The elements that `touched` changes, ascending: so few that whoever looks at some alone most
// probably sees none of them, and none at the margins, which `interior` keeps: whoever looks there
// would take the next round for a new one, too.
std::vector<uint64_t> touched_places(const std::vector<int64_t>& shape, const RandomStream& stream);

// Whether a tensor of floating point holds labels or flags, and keeps its range therefore.
bool holds_labels(const TensorSpec& spec, const Draw* draw, const std::byte* tensor);

// The largest odd number of the leading tensor.
int64_t widest_integer(Dtype dtype, uint64_t sum_length, int attempt);

// Moves each floating-point element by so many steps of its type, up or down at random; by as many
// negative ones the other way. Zeros stay, and numbers of few bits, such as 1, 0.5 or 12, and those
// that come again and again: they are meant as they are, and of which side of a threshold they lie
// there is no doubt. What the exact result moves by with one step is what no computation at this
// precision can be blamed for.
void perturb(const TensorSpec& spec, const RandomStream& stream, std::byte* tensor,
             double steps = 1);

// Whether values are fresh beside earlier ones: at least 1 % of the elements differ, and some in
// each quarter of the tensor. Same spec for both.
bool is_fresh(const TensorSpec& spec, const std::byte* tensor, const std::byte* earlier);

}  // namespace assay
