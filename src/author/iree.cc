// The IREE compiler, from the exported program.
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

}  // namespace assay
