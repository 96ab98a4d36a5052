#include "model/domain.h"

#include <fmt/format.h>

namespace assay {
namespace {

// So that the number of pairs is one of 64 bits, and what is drawn far from where these overflow.
constexpr int64_t kMostNodes = int64_t{1} << 31;
constexpr int64_t kMostBelow = int64_t{1} << 62;

// How many values from 0 on a type of whole numbers has.
uint64_t values_from_zero(Dtype dtype) {
  return uint64_t{1} << (8 * bytes_of(dtype) - (dtype == Dtype::u8 ? 0 : 1));
}

Status does_not_fit(const TensorSpec& spec, const Domain& domain, const std::string& why) {
  return error(Code::corrupt, fmt::format("a tensor of {} can't be of the domain '{}': {}",
                                          to_word(kDtypeWords, spec.dtype),
                                          to_word(kDomainWords, domain.kind), why));
}

Status check_graph(const TensorSpec& spec, const Domain& graph) {
  if (spec.dtype != Dtype::i64 && spec.dtype != Dtype::i32)
    return does_not_fit(spec, graph, "edges are i64 or i32");
  if (spec.shape.size() != 2 || spec.shape[0] != 2)
    return does_not_fit(spec, graph, "edges have the shape [2, n]");
  const int64_t edges = spec.shape[1], turned = graph.undirected ? 2 : 1;
  if (edges % turned != 0)
    return does_not_fit(spec, graph, "it is undirected, and its edges are not even in number");
  if (edges > 0 && !graph.self_loops && graph.nodes < 2)
    return does_not_fit(spec, graph, "one node has no edges but self-loops");
  if (!graph.duplicates && edges / turned > pairs_of(graph))
    return does_not_fit(spec, graph, "it has fewer pairs of nodes than edges");
  return {};
}

}  // namespace

Result<Domain> domain_from_json(const Json& json) {
  JsonReader fields(json, "the domain of an input");
  Domain domain;
  domain.kind = fields.word<DomainKind>("domain", kDomainWords);
  if (domain.kind == DomainKind::index) {
    domain.below = fields.integer("below");
    if (domain.below < 1 || domain.below > kMostBelow) fields.fail("'below' is not 1 to 2^62");
  }
  if (domain.kind == DomainKind::mask) {
    domain.shown = fields.optional_integer("shown").value_or(1);
    if (domain.shown != 0 && domain.shown != 1) fields.fail("'shown' is neither 0 nor 1");
  }
  if (domain.kind == DomainKind::graph) {
    domain.nodes = fields.integer("nodes");
    if (domain.nodes < 1 || domain.nodes > kMostNodes) fields.fail("'nodes' is not 1 to 2^31");
    domain.undirected = fields.has("undirected") && fields.boolean("undirected");
    domain.self_loops = !fields.has("self_loops") || fields.boolean("self_loops");
    domain.duplicates = !fields.has("duplicates") || fields.boolean("duplicates");
  }
  ASSAY_TRY(fields.status());
  return domain;
}

Json to_json(const Domain& domain) {
  Json json{{"domain", to_word(kDomainWords, domain.kind)}};
  if (domain.kind == DomainKind::index) json["below"] = domain.below;
  if (domain.kind == DomainKind::mask) json["shown"] = domain.shown;
  if (domain.kind == DomainKind::graph) {
    json["nodes"] = domain.nodes;
    json["undirected"] = domain.undirected;
    json["self_loops"] = domain.self_loops;
    json["duplicates"] = domain.duplicates;
  }
  return json;
}

Status check(const TensorSpec& spec, const Domain& domain) {
  if (domain.kind == DomainKind::graph) return check_graph(spec, domain);
  if (domain.kind != DomainKind::index) return {};
  if (is_floating(spec.dtype) || spec.dtype == Dtype::boolean)
    return does_not_fit(spec, domain, "indices are whole numbers");
  if (static_cast<uint64_t>(domain.below) > values_from_zero(spec.dtype))
    return does_not_fit(spec, domain, fmt::format("it holds none up to {}", domain.below - 1));
  return {};
}

int64_t pairs_of(const Domain& graph) {
  const int64_t nodes = graph.nodes;
  if (graph.undirected) return nodes * (nodes - 1) / 2;
  return graph.self_loops ? nodes * nodes : nodes * (nodes - 1);
}

}  // namespace assay
