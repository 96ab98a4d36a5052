// The problem's own model, run by torch, or compiled in the process that calls it.
#include "author/all.h"

namespace assay {
namespace {

Candidate own_model(OwnModel how) { return {.form = &python_form(), .own_model = how}; }

}  // namespace

AuthorType eager_author() {
  return {.name = "eager",
          .title = "the problem's own Model, as torch runs it",
          .own = own_model(OwnModel::as_it_is),
          .serves = serves_where_torch_runs,
          .is_default_baseline = true};
}

AuthorType inductor_author() {
  return {.name = "inductor",
          .title = "torch.compile, of the problem's own Model",
          .own = own_model(OwnModel::inductor),
          .serves = serves_where_torch_runs};
}

AuthorType xla_author() {
  return {.name = "xla",
          .title = "XLA, by way of torchax and JAX, of the problem's own Model",
          .own = own_model(OwnModel::xla),
          .serves = serves_this_machine,
          .packages = {"jax", "torchax"}};
}

AuthorType onnxruntime_author() {
  return {.name = "onnxruntime",
          .title =
              "ONNX Runtime, of the problem's own Model as torch exports it, or of a file in ONNX "
              "itself",
          .own = own_model(OwnModel::onnxruntime),
          .serves = serves_this_machine,
          .packages = {"onnxruntime", "onnxscript"}};
}

AuthorType reference_author() {
  return {.name = "reference",
          .title = "a suite's own kernel: triton:PATH",
          .own = own_model(OwnModel::as_it_is),
          .serves = serves_gpus_too,
          .is_of_tests = true};
}

}  // namespace assay
