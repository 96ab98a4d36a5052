#include "verify/other_state.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/hash.h"
#include "verify/distributions.h"
#include "verify/elements.h"
#include "verify/families.h"
#include "verify/number.h"

namespace assay {
namespace {

// A parameter of one element is learned like any other; a buffer of one may be a constant of the
// formula.
bool is_uniform(const StateTensor& each, std::span<const std::byte> values) {
  if (each.kind == "other" || each.same_as || !is_floating(each.tensor.dtype)) return false;
  const uint64_t size = bytes_of(each.tensor.dtype), bytes = each.tensor.elements() * size;
  const uint64_t least = each.kind == "parameter" ? 1 : 2;
  if (each.tensor.elements() < least || values.size() != bytes) return false;
  if (std::memcmp(values.data(), values.data() + size, bytes - size) != 0) return false;
  double value = 0;
  load_block(each.tensor.dtype, values.data(), 1, &value);
  return std::isfinite(value);
}

// Larger ones are drawn, or would take too long to look at.
constexpr uint64_t kMostDigestedBytes = uint64_t{16} << 20;

std::string digest_of(const StateTensor& each, std::span<const std::byte> values) {
  bool is_parameter = each.kind == "parameter" && !each.same_as && is_floating(each.tensor.dtype);
  if (!is_parameter || values.empty() || values.size() > kMostDigestedBytes) return "";
  return sha256({reinterpret_cast<const char*>(values.data()), values.size()});
}

// Of a learned scale of 1e-6, half and double are as little to be seen.
double other_value(double value, double uniform) {
  constexpr double kLeast = 0.1;
  if (std::fabs(value) < kLeast) value = std::copysign(1, value);
  return value * (0.5 + uniform);
}

}  // namespace

FixedState::FixedState(const ProblemDescription& problem, const SharedTensors& values) {
  for (size_t i = 0; i < problem.state.size(); ++i) {
    fixed_.push_back(is_uniform(problem.state[i], values.tensor(i)));
    digests_.push_back(fixed_.back() ? "" : digest_of(problem.state[i], values.tensor(i)));
  }
}

void FixedState::compare(const ProblemDescription& problem, const SharedTensors& values) {
  for (size_t i = 0; i < digests_.size() && i < problem.state.size(); ++i) {
    if (digests_[i].empty()) continue;
    fixed_[i] = digest_of(problem.state[i], values.tensor(i)) == digests_[i];
    digests_[i].clear();
  }
}

bool FixedState::any() const {
  return std::ranges::any_of(fixed_, [](bool fixed) { return fixed; });
}

void FixedState::draw(const ProblemDescription& problem, const SharedTensors& values,
                      const RandomStream& random) const {
  for (size_t i = 0; i < fixed_.size() && i < problem.state.size(); ++i) {
    if (!fixed_[i]) continue;
    const TensorSpec& spec = problem.state[i].tensor;
    RandomStream stream = random.named("other " + problem.state[i].name);
    RandomStream normals = stream.named("of zeros");
    std::byte* tensor = values.tensor(i).data();
    fill(spec, tensor, Floats([&](uint64_t first, std::span<double> numbers) {
           std::vector<double> uniforms(numbers.size()), drawn(numbers.size());
           load(spec, tensor, first, numbers);
           uniform(stream, first, 24, uniforms);
           normal(normals, first, drawn);
           for (size_t n = 0; n < numbers.size(); ++n)
             numbers[n] = numbers[n] == 0 ? 0.5 * drawn[n] : other_value(numbers[n], uniforms[n]);
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
