#include "verify/likeness.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>
#include <utility>

#include "verify/elements.h"
#include "verify/number.h"

namespace assay {
namespace {

constexpr int64_t kLeastOfRow = 16;
constexpr uint64_t kFew = 5;

// Sums of squares of two results, and of what they are apart.
struct Angle {
  double apart = 0, squares = 0, exact_squares = 0;

  void add(const double* values, const double* exact, uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) {
      apart += (values[i] - exact[i]) * (values[i] - exact[i]);
      squares += values[i] * values[i];
      exact_squares += exact[i] * exact[i];
    }
  }
  // By |x - y|^2 = a^2 + b^2 - 2 a b cos, since sums of products are rounded by more than what
  // results of f32 are apart.
  double cosine() const {
    const double a = std::sqrt(squares), b = std::sqrt(exact_squares);
    if (a == 0 || b == 0) return std::numeric_limits<double>::quiet_NaN();
    const double less = (apart - (a - b) * (a - b)) / (2 * a * b);  // than 1
    return less < 0 ? 1 : 1 - less;
  }
};

uint64_t largest_of(const std::vector<double>& row) {
  return static_cast<uint64_t>(std::ranges::max_element(row) - row.begin());
}

// Whether it says more: it is another, and worse, or else it nearly was another.
bool is_closer(const Choice& a, const Choice& b) {
  if (a.less != b.less) return a.less > b.less;
  return a.margin != b.margin ? a.margin < b.margin : a.row < b.row;
}

void keep_choice(const Choice& choice, std::vector<Choice>& closest) {
  if (closest.size() == kMostChoices && !is_closer(choice, closest.back())) return;
  closest.insert(std::ranges::upper_bound(closest, choice, is_closer), choice);
  if (closest.size() > kMostChoices) closest.pop_back();
}

double next_of(const std::vector<double>& row, uint64_t largest) {
  double next = -std::numeric_limits<double>::infinity();
  for (uint64_t i = 0; i < row.size(); ++i)
    if (i != largest) next = std::max(next, row[i]);
  return next;
}

void add_row(const std::vector<double>& candidate, const std::vector<double>& baseline,
             const std::vector<double>& exact, Choices& choices) {
  Choice choice{.row = choices.rows,
                .exact = largest_of(exact),
                .candidate = largest_of(candidate),
                .baseline = largest_of(baseline)};
  const double most = exact[choice.exact], chosen = exact[choice.candidate];
  choice.margin = most - next_of(exact, choice.exact);
  choice.less = most - chosen;
  ++choices.rows;
  // Two that are equal are as good as each other.
  choices.same += chosen == most ? 1 : 0;
  choices.baseline_same += exact[choice.baseline] == most ? 1 : 0;
  choices.widest_margin = std::max(choices.widest_margin, choice.less);
  keep_choice(choice, choices.closest);
  const auto larger = std::ranges::count_if(exact, [&](double each) { return each > chosen; });
  choices.in_five += static_cast<uint64_t>(larger) < kFew ? 1 : 0;
}

// Its place in each dimension.
Json position_of(uint64_t row, const std::vector<int64_t>& shape) {
  Json position = Json::array();
  for (const int64_t size : shape | std::views::reverse) {
    const auto count = static_cast<uint64_t>(std::max<int64_t>(size, 1));
    position.insert(position.begin(), row % count);
    row /= count;
  }
  return position;
}

}  // namespace

std::optional<Likeness> likeness(const Values& values, const std::vector<int64_t>& shape) {
  const int64_t last = shape.empty() ? 0 : shape.back();
  const bool has_choices = shape.size() >= 2 && last >= kLeastOfRow;
  // In rows where there are any, else in pieces of a usual size.
  const uint64_t piece = has_choices ? static_cast<uint64_t>(last) : kBlockElements;
  Angle candidate_angle, baseline_angle;
  Choices choices;
  std::vector<double> candidate, baseline, exact;
  for (uint64_t first = 0; first < values.elements; first += piece) {
    const uint64_t count = std::min(piece, values.elements - first);
    for (auto* each : {&candidate, &baseline, &exact}) each->resize(count);
    const uint64_t at = first * bytes_of(values.dtype);
    load_block(values.dtype, values.candidate + at, count, candidate.data());
    load_block(values.dtype, values.baseline + at, count, baseline.data());
    load_block(values.exact_dtype, values.exact + first * bytes_of(values.exact_dtype), count,
               exact.data());
    candidate_angle.add(candidate.data(), exact.data(), count);
    baseline_angle.add(baseline.data(), exact.data(), count);
    if (has_choices) add_row(candidate, baseline, exact, choices);
  }
  Likeness found{candidate_angle.cosine(), baseline_angle.cosine()};
  if (!std::isfinite(found.cosine) || !std::isfinite(found.baseline_cosine)) return std::nullopt;
  if (has_choices) {
    found.choices = std::move(choices);
    found.shape.assign(shape.begin(), shape.end() - 1);
  }
  return found;
}

Json to_json(const Likeness& likeness) {
  Json json{{"cosine", likeness.cosine}, {"baseline_cosine", likeness.baseline_cosine}};
  const auto& choices = likeness.choices;
  if (!choices) return json;
  Json closest = Json::array();
  for (const Choice& each : choices->closest)
    closest.push_back({{"position", position_of(each.row, likeness.shape)},
                       {"exact", each.exact},
                       {"candidate", each.candidate},
                       {"baseline", each.baseline},
                       {"margin", each.margin},
                       {"less", each.less}});
  json["choices"] = {{"rows", choices->rows},
                     {"same", choices->same},
                     {"baseline_same", choices->baseline_same},
                     {"in_five", choices->in_five},
                     {"widest_margin", choices->widest_margin},
                     {"closest", std::move(closest)}};
  return json;
}

}  // namespace assay
