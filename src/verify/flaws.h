// What makes a problem prove nothing, as far as its results show it: pure functions over memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/words.h"
#include "model/tensor.h"

namespace assay {

// In the order in which they are told.
enum class FlawKind {
  random,      // forward draws, or gives something else for the same arguments
  non_finite,  // NaN, or mostly infinite
  vanishes,    // zeros and subnormal numbers alone
  cancels,     // what rounding leaves of numbers that cancel
  constant,    // one number, everywhere and always
  same,        // the same values, whatever the seed
  input,       // no result depends on an input
  identity,    // an input as it came
  tolerance,   // one number everywhere is within allclose's tolerances
  slices,      // the same along a dimension: one slice, copied
  weight,      // no result depends on a parameter
};
inline constexpr Word<FlawKind> kFlawWords[] = {
    {FlawKind::random, "random"},       {FlawKind::non_finite, "non-finite"},
    {FlawKind::vanishes, "vanishes"},   {FlawKind::cancels, "cancels"},
    {FlawKind::constant, "constant"},   {FlawKind::same, "same"},
    {FlawKind::input, "input"},         {FlawKind::identity, "identity"},
    {FlawKind::tolerance, "tolerance"}, {FlawKind::slices, "slices"},
    {FlawKind::weight, "weight"},
};

struct Flaw {
  FlawKind kind = FlawKind::constant;
  std::string says;  // "is 0 everywhere, for each of 4 seeds": what follows the result's name
};

// One result of a problem, over several draws of everything. Memory: one copy of the result.
class ResultValues {
 public:
  // Dense. `unit` is the unit roundoff of what the result is computed in: a result of f32 that is
  // computed in f16 is no more exact than that. Not used for whole numbers.
  ResultValues(const TensorSpec& spec, double unit);

  // A draw: as eager has it, dense, and in double where that is known.
  void add(const std::byte* values, const double* exact);

  // Only what says the most: zeros are constant and within tolerance of 0, too.
  std::vector<Flaw> flaws() const;
  // Of values that a kernel of no worth gives: nothing is to be learnt from what they depend on.
  bool says_nothing() const;

 private:
  void add_block(uint64_t first, uint64_t count, const double* values, const double* exact);
  void look_at_slices(const std::byte* values);
  std::optional<Flaw> emptiness() const;
  std::optional<Flaw> constancy() const;
  std::optional<Flaw> tolerance() const;
  std::optional<Flaw> repetition() const;
  std::string for_each_seed() const;

  // One allclose: what one number is within, of all elements so far.
  struct Allclose {
    double tolerance = 0, lowest = 0, highest = 0;
  };

  TensorSpec spec_;
  double unit_ = 0;
  uint64_t draws_ = 0, elements_ = 0;
  uint64_t nan_ = 0, infinite_ = 0, tiny_ = 0, zeros_ = 0;
  double least_ = 0, largest_ = 0;            // of finite elements
  double pivot_ = 0, sum_ = 0, squares_ = 0;  // of distances from the first
  double square_sum_ = 0;
  double moved_ = 0, moved_most_ = 0;  // squares of distances from the first draw
  double error_squares_ = 0, exact_squares_ = 0;
  bool has_exact_ = false;
  std::vector<Allclose> allcloses_;
  std::vector<bool> slices_equal_;  // by dimension
  std::vector<std::byte> first_;    // the first draw
};

// Whether an element differs by more than rounding makes. `unit` as above; with `exact`, arrays of
// double whose own rounding is far below it, and what that type would not show counts as equal.
bool differ(Dtype dtype, uint64_t elements, const std::byte* a, const std::byte* b, double unit,
            bool exact);

// Whether two arrays have the same values, element by element; NaN is equal to NaN.
bool same_values(Dtype dtype, uint64_t elements, const std::byte* a, const std::byte* b);

}  // namespace assay
