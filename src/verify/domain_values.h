// Values that keep to an input's domain.
#pragma once

#include <optional>

#include "model/domain.h"
#include "verify/draws.h"

namespace assay {

// What the call that makes a tensor leaves no doubt about: indices of randint, and a mask that is
// one value throughout, as a tokenizer makes it. All else is free.
Domain domain_of(const TensorSpec& spec, const Draw& draw);

// Whether a tensor is a mask that is one value throughout: of bool, or of whole numbers that are 1
// everywhere.
bool is_still_mask(const TensorSpec& spec, const Draw& draw);

// How the judge draws an input of this domain itself, where the file's own way is of no use: what a
// graph is, each family draws anew; indices, all but the problem's own.
Draw draw_of(const Domain& domain);

// Turns an eighth of a mask at random, where `turned` says so, and one element at least, but for
// the first of each row that is shown: under a causal mask the first place sees itself, and nothing
// else. A row that shows nothing has its first element shown, and what is not 0 is 1.
void keep_mask(const TensorSpec& spec, const Domain& mask, const RandomStream* turned,
               std::byte* tensor);

// Other edges. `earlier`: those at the margins are as this stream drew them, where an edge may come
// twice.
void fill_graph(const TensorSpec& spec, const Domain& graph, const RandomStream* earlier,
                const RandomStream& stream, std::byte* tensor);

// Makes of what a file has drawn values of the domain: a mask as keep_mask() has it, and other
// edges, since the shape of a graph as a file draws it may be another one each time.
void keep_domain(const TensorSpec& spec, const Domain& domain, const RandomStream& stream,
                 std::byte* tensor);

// Whether all values are of the domain. What is free or constant may be anything.
bool holds(const TensorSpec& spec, const Domain& domain, const std::byte* tensor);

}  // namespace assay
