// Which values an input may have: what a problem's file says of it, or what the call that makes it
// leaves no doubt about.
#pragma once

#include "model/tensor.h"

namespace assay {

enum class DomainKind {
  free,      // any values; whole numbers keep the range they are drawn from
  index,     // whole numbers from 0 to below `below`
  mask,      // 0 and 1, with at least one `shown` in each row
  graph,     // edges: [2, n], a fixed count of pairs of nodes below `nodes`
  constant,  // what the file makes of it under one seed, and nothing else
};
inline constexpr Word<DomainKind> kDomainWords[] = {
    {DomainKind::free, "free"},   {DomainKind::index, "index"},       {DomainKind::mask, "mask"},
    {DomainKind::graph, "graph"}, {DomainKind::constant, "constant"},
};

struct Domain {
  DomainKind kind = DomainKind::free;
  int64_t below = 0;        // index
  int64_t shown = 1;        // mask: 1, or 0 where 1 says what is hidden
  int64_t nodes = 0;        // graph
  bool undirected = false;  // graph: the second half has the first's edges, turned round
  bool self_loops = true;   // graph: there may be
  bool duplicates = true;   // graph: an edge may come twice

  bool operator==(const Domain&) const = default;
};

// {"domain": "graph", "nodes": 34, "undirected": true}. From a hostile process, too.
Result<Domain> domain_from_json(const Json& json);
Json to_json(const Domain& domain);

// Whether a tensor can have such values at all.
Status check(const TensorSpec& spec, const Domain& domain);

// How many pairs of nodes a graph has, of which each may come once. An edge and the same turned
// round are one pair where it is undirected; then there are no self-loops, which would come twice.
int64_t pairs_of(const Domain& graph);

}  // namespace assay
