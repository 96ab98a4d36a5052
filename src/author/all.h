// The types of authors there are.
#pragma once

#include "author/author.h"

namespace assay {

AuthorType eager_author();
AuthorType inductor_author();
AuthorType xla_author();
AuthorType onnxruntime_author();
AuthorType iree_author();
AuthorType iree_stablehlo_author();
AuthorType iree_torch_mlir_author();
AuthorType configured_iree_author();
AuthorType file_author();
AuthorType reference_author();

// What torch or a native compiler makes, it makes for the machine it is on.
bool serves_this_machine(const Target& target, const Machine& machine);
// Or for its card.
bool serves_where_torch_runs(const Target& target, const Machine& machine);
// The same, and what is compiled for a GPU.
bool serves_gpus_too(const Target& target, const Machine& machine);

}  // namespace assay
