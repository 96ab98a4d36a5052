#include "verify/other_state.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>

#include "verify/distributions.h"
#include "verify/elements.h"
#include "verify/families.h"
#include "verify/number.h"

namespace assay {
namespace {

// The one value that all elements have. A parameter of one element is learned like any other; a
// buffer of one may be a constant of the formula.
std::optional<double> uniform_value(const StateTensor& each, std::span<const std::byte> values) {
  if (each.kind == "other" || each.same_as || !is_floating(each.tensor.dtype)) return std::nullopt;
  const uint64_t size = bytes_of(each.tensor.dtype), bytes = each.tensor.elements() * size;
  const uint64_t least = each.kind == "parameter" ? 1 : 2;
  if (each.tensor.elements() < least || values.size() != bytes) return std::nullopt;
  if (std::memcmp(values.data(), values.data() + size, bytes - size) != 0) return std::nullopt;
  double value = 0;
  load_block(each.tensor.dtype, values.data(), 1, &value);
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<int64_t> smallest_uniform_state(const ProblemDescription& problem,
                                              const SharedTensors& values) {
  std::optional<int64_t> smallest;
  for (size_t i = 0; i < problem.state.size(); ++i) {
    if (!uniform_value(problem.state[i], values.tensor(i))) continue;
    auto elements = static_cast<int64_t>(problem.state[i].tensor.elements());
    smallest = std::min(smallest.value_or(elements), elements);
  }
  return smallest;
}

void draw_uniform_state(const ProblemDescription& problem, const SharedTensors& values,
                        const RandomStream& random) {
  for (size_t i = 0; i < problem.state.size(); ++i) {
    auto value = uniform_value(problem.state[i], values.tensor(i));
    if (!value) continue;
    RandomStream stream = random.named("other " + problem.state[i].name);
    fill(problem.state[i].tensor, values.tensor(i).data(),
         Floats([&](uint64_t first, std::span<double> numbers) {
           if (*value == 0) {
             normal(stream, first, numbers);
             for (double& number : numbers) number *= 0.5;
             return;
           }
           uniform(stream, first, 24, numbers);
           for (double& number : numbers) number = *value * (0.5 + number);
         }));
  }
}

void draw_whole_state(const ProblemDescription& problem, const SharedTensors& values,
                      const RandomStream& random, int attempt) {
  for (size_t i = 0; i < problem.state.size(); ++i) {
    const StateTensor& each = problem.state[i];
    if (each.kind == "other" || each.same_as || !is_floating(each.tensor.dtype)) continue;
    FamilyFill how{.family = Family::integers, .role = Role::other, .attempt = attempt};
    Draw draw{.kind = DrawKind::randn};
    // Of a drawn tensor it cannot fail.
    (void)fill_family(each.tensor, &draw, how, random.named("state " + each.name),
                      values.tensor(i).data());
  }
}

}  // namespace assay
