// The problem's own model, run by torch.
#include "author/all.h"

namespace assay {
namespace {

Candidate own_model(OwnModel how) { return {.form = &python_form(), .own_model = how}; }

}  // namespace

AuthorType eager_author() {
  return {.name = "eager",
          .title = "the problem's own Model, as torch runs it",
          .own = own_model(OwnModel::as_it_is),
          .serves = serves_this_machine,
          .is_default_baseline = true};
}

AuthorType inductor_author() {
  return {.name = "inductor",
          .title = "torch.compile, of the problem's own Model",
          .own = own_model(OwnModel::compiled),
          .serves = serves_this_machine};
}

}  // namespace assay
