#include "verify/domain_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "verify/distributions.h"
#include "verify/elements.h"
#include "verify/margins.h"

namespace assay {
namespace {

constexpr uint64_t kTurned = 8;  // one in so many of a mask

uint64_t row_of(const TensorSpec& spec) {
  return spec.shape.empty() ? 1 : static_cast<uint64_t>(spec.shape.back());
}

// Calls visit(flat index, value) for each element in turn.
template <class Visit>
void each_value(const TensorSpec& spec, const std::byte* tensor, Visit visit) {
  std::array<double, kBlockElements> values;
  for (uint64_t first = 0; first < spec.elements(); first += kBlockElements) {
    const uint64_t count = std::min(kBlockElements, spec.elements() - first);
    load(spec, tensor, first, {values.data(), count});
    for (uint64_t i = 0; i < count; ++i) visit(first + i, values[i]);
  }
}

// The place of the first shown element of each row; of one that has none, of its first.
std::vector<uint64_t> first_shown(const TensorSpec& spec, int64_t shown, const std::byte* tensor) {
  const uint64_t row = row_of(spec);
  constexpr uint64_t kNone = ~uint64_t{0};
  std::vector<uint64_t> first(spec.elements() / row, kNone);
  each_value(spec, tensor, [&](uint64_t i, double value) {
    if ((value != 0) == (shown != 0) && first[i / row] == kNone) first[i / row] = i;
  });
  for (uint64_t n = 0; n < first.size(); ++n)
    if (first[n] == kNone) first[n] = n * row;
  return first;
}

// One that is turned where chance turns none, as it may of a few dozen; nothing: it does, or there
// is none but those that stay.
std::optional<uint64_t> one_to_turn(const TensorSpec& spec, const std::vector<uint64_t>& first,
                                    const RandomStream& turned) {
  const uint64_t row = row_of(spec), total = spec.elements();
  if (row < 2) return std::nullopt;
  std::array<int64_t, kBlockElements> picks;
  for (uint64_t begin = 0; begin < total; begin += kBlockElements) {
    const uint64_t count = std::min(kBlockElements, total - begin);
    integers(turned, begin, 0, kTurned, {picks.data(), count});
    for (uint64_t i = 0; i < count; ++i)
      if (picks[i] == 0 && begin + i != first[(begin + i) / row]) return std::nullopt;
  }
  const RandomStream one = turned.named("one");
  const uint64_t stays = first[one.below(0, first.size())];
  return stays / row * row + (stays % row + 1 + one.below(1, row - 1)) % row;
}

using Edge = std::pair<int64_t, int64_t>;

// The n-th pair of nodes of pairs_of().
Edge pair_at(const Domain& graph, int64_t n) {
  if (!graph.undirected && graph.self_loops) return {n / graph.nodes, n % graph.nodes};
  if (!graph.undirected) {
    const int64_t from = n / (graph.nodes - 1), to = n % (graph.nodes - 1);
    return {from, to + (to >= from ? 1 : 0)};
  }
  // Those of node 1, of 2... each with the nodes below it. The root is off by little.
  auto before = [](int64_t node) { return node * (node - 1) / 2; };
  auto node = static_cast<int64_t>((1 + std::sqrt(1 + 8 * static_cast<double>(n))) / 2);
  while (before(node) > n) --node;
  while (before(node + 1) <= n) ++node;
  return {node, n - before(node)};
}

// Floyd's: each set of so many is as likely as any other.
std::vector<Edge> distinct_edges(const Domain& graph, uint64_t count, const RandomStream& stream) {
  std::unordered_set<uint64_t> chosen;
  std::vector<Edge> edges;
  edges.reserve(count);
  const auto all = static_cast<uint64_t>(pairs_of(graph));
  for (uint64_t last = all - count; last < all; ++last) {
    uint64_t pick = stream.below(edges.size(), last + 1);
    if (!chosen.insert(pick).second) chosen.insert(pick = last);
    edges.push_back(pair_at(graph, static_cast<int64_t>(pick)));
  }
  return edges;
}

std::vector<Edge> any_edges(const Domain& graph, uint64_t count, const RandomStream& stream) {
  const auto nodes = static_cast<uint64_t>(graph.nodes);
  std::vector<int64_t> from(count), to(count);
  integers(stream.named("from"), 0, 0, nodes, from);
  integers(stream.named("to"), 0, 0, graph.self_loops ? nodes : nodes - 1, to);
  std::vector<Edge> edges(count);
  for (uint64_t i = 0; i < count; ++i)
    edges[i] = {from[i], to[i] + (!graph.self_loops && to[i] >= from[i] ? 1 : 0)};
  return edges;
}

bool holds_mask(const TensorSpec& spec, const Domain& mask, const std::byte* tensor) {
  const uint64_t row = row_of(spec);
  const auto shown = static_cast<double>(mask.shown);
  bool is_mask = true;
  std::vector<bool> shows(spec.elements() / row);
  each_value(spec, tensor, [&](uint64_t i, double value) {
    is_mask = is_mask && (value == 0 || value == 1);
    if (value == shown) shows[i / row] = true;
  });
  return is_mask && std::ranges::all_of(shows, [](bool one) { return one; });
}

bool holds_graph(const TensorSpec& spec, const Domain& graph, const std::byte* tensor) {
  const auto count = static_cast<uint64_t>(spec.shape[1]);
  std::vector<int64_t> ends(2 * count);
  each_value(spec, tensor, [&](uint64_t i, double value) { ends[i] = std::llround(value); });
  std::set<Edge> seen;
  for (uint64_t i = 0; i < count; ++i) {
    const Edge edge{ends[i], ends[count + i]};
    if (std::min(edge.first, edge.second) < 0 || std::max(edge.first, edge.second) >= graph.nodes)
      return false;
    if (!graph.self_loops && edge.first == edge.second) return false;
    if (!graph.duplicates && !seen.insert(edge).second) return false;
    const uint64_t other = (i + count / 2) % count;
    if (graph.undirected && edge != Edge{ends[count + other], ends[other]}) return false;
  }
  return true;
}

}  // namespace

bool is_still_mask(const TensorSpec& spec, const Draw& draw) {
  if (spec.dtype == Dtype::boolean) return is_one_value(draw.kind);
  bool is_plain = draw.scale == 1 && draw.shift == 0;
  return !is_floating(spec.dtype) && draw.kind == DrawKind::ones && is_plain;
}

Domain domain_of(const TensorSpec& spec, const Draw& draw) {
  const bool is_plain = draw.scale == 1 && draw.shift == 0;
  if (draw.kind == DrawKind::randint && is_plain && draw.int_low >= 0) {
    Domain index{.kind = DomainKind::index, .below = draw.int_high};
    if (check(spec, index)) return index;
  }
  // What is one element wide has no rows of which some may be hidden: a flag, perhaps.
  if (!is_still_mask(spec, draw) || row_of(spec) < 2) return {};
  const double base = draw.kind == DrawKind::full ? draw.value : draw.kind == DrawKind::ones;
  return {.kind = DomainKind::mask, .shown = base * draw.scale + draw.shift != 0 ? 1 : 0};
}

Draw draw_of(const Domain& domain) {
  return {.kind = DrawKind::randint,
          .int_low = 0,
          .int_high = domain.kind == DomainKind::graph ? domain.nodes : domain.below};
}

void keep_mask(const TensorSpec& spec, const Domain& mask, const RandomStream* turned,
               std::byte* tensor) {
  if (spec.elements() == 0) return;
  const uint64_t row = row_of(spec);
  const std::vector<uint64_t> first = first_shown(spec, mask.shown, tensor);
  const auto one = turned ? one_to_turn(spec, first, *turned) : std::nullopt;
  fill(spec, tensor, Floats([&](uint64_t begin, std::span<double> values) {
         std::vector<int64_t> picks(values.size(), 1);
         if (turned != nullptr) integers(*turned, begin, 0, kTurned, picks);
         load(spec, tensor, begin, values);
         for (size_t i = 0; i < values.size(); ++i) {
           const bool was = values[i] != 0;
           values[i] = was != (picks[i] == 0 || begin + i == one) ? 1 : 0;
           if (begin + i == first[(begin + i) / row]) values[i] = static_cast<double>(mask.shown);
         }
       }));
}

void fill_graph(const TensorSpec& spec, const Domain& graph, const RandomStream* earlier,
                const RandomStream& stream, std::byte* tensor) {
  const auto columns = static_cast<uint64_t>(spec.shape[1]);
  if (columns == 0) return;
  const uint64_t count = graph.undirected ? columns / 2 : columns;
  std::vector<Edge> edges =
      graph.duplicates ? any_edges(graph, count, stream) : distinct_edges(graph, count, stream);
  if (earlier != nullptr && graph.duplicates) {
    const std::vector<Edge> before = any_edges(graph, count, *earlier);
    const uint64_t margin = margin_of(static_cast<int64_t>(count));
    for (uint64_t i = 0; i < count; ++i)
      if (i < margin || i >= count - margin) edges[i] = before[i];
  }
  fill(spec, tensor, Integers([&](uint64_t begin, std::span<int64_t> values) {
         for (size_t i = 0; i < values.size(); ++i) {
           const uint64_t column = (begin + i) % columns;
           const bool is_turned = column >= count, is_from = begin + i < columns;
           const Edge& edge = edges[column % count];
           values[i] = is_from != is_turned ? edge.first : edge.second;
         }
       }));
}

void keep_domain(const TensorSpec& spec, const Domain& domain, const RandomStream& stream,
                 std::byte* tensor) {
  if (domain.kind == DomainKind::mask) keep_mask(spec, domain, nullptr, tensor);
  if (domain.kind == DomainKind::graph) fill_graph(spec, domain, nullptr, stream, tensor);
}

bool holds(const TensorSpec& spec, const Domain& domain, const std::byte* tensor) {
  if (!check(spec, domain)) return false;
  if (spec.elements() == 0) return true;
  if (domain.kind == DomainKind::mask) return holds_mask(spec, domain, tensor);
  if (domain.kind == DomainKind::graph) return holds_graph(spec, domain, tensor);
  if (domain.kind != DomainKind::index) return true;
  bool is_index = true;
  const auto below = static_cast<double>(domain.below);
  each_value(spec, tensor, [&](uint64_t, double value) {
    is_index = is_index && value >= 0 && value < below && value == std::floor(value);
  });
  return is_index;
}

}  // namespace assay
