// The IREE compiler, from the exported program: a route to that for each.
#include "author/all.h"

namespace assay {
namespace {

bool has_flags(const Target& target, const Machine&) { return !target.flags.empty(); }

}  // namespace

AuthorType iree_author() {
  return {.name = "iree",
          .title = "the IREE compiler, from the exported program",
          .own = Candidate{.form = &artifact_form()},
          .serves = has_flags,
          .is_default = true};
}

AuthorType iree_stablehlo_author() {
  return {.name = "iree-stablehlo",
          .title = "the IREE compiler, from StableHLO that torchax and JAX make",
          .own = Candidate{.form = &artifact_form(), .route = Route::stablehlo},
          .serves = has_flags};
}

}  // namespace assay
