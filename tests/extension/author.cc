// Authors, a form and a runner of nobody's. One author hands in files. What the other has for every
// problem is a kernel in C that takes three times its input; the form is built as C is; the runner
// is that of kernels under another name.
#include "author/author.h"

#include "base/rows.h"
#include "run/runner.h"
#include "target/availability.h"

namespace assay {
namespace {

constexpr const char* kThreeTimes = R"(#include <assay/kernel.h>
int assay_kernel(const assay_call* call) {
  const float* x = call->inputs[0].data;
  float* y = call->outputs[0].data;
  int64_t count = 1;
  for (int i = 0; i < call->inputs[0].rank; ++i) count *= call->inputs[0].shape[i];
  for (int64_t i = 0; i < count; ++i) y[i] = 3 * x[i];
  return 0;
}
)";

Image image_of_tripler(const RunnerSetting& setting) {
  return launched(setting, {setting.places.native_runner});
}

std::vector<std::string> program_of_tripler(const RunnerSetting& setting) {
  return {setting.places.native_runner};
}

const Runner& tripler_runner() {
  static const Runner runner{.name = "tripler",
                             .title = "for what triples",
                             .image = image_of_tripler,
                             .reads = program_of_tripler};
  return runner;
}

const Form& tripler_form() {
  static const Form form{.title = "what triples",
                         .holds = Form::Holds::kernel,
                         .runner = tripler_runner,
                         .build = Form::Build::c};
  return form;
}

bool serves_cpu(const Target& target, const Machine& machine) {
  return runs_on_this_cpu(target, machine);
}

AuthorType tripler() {
  Candidate own{.form = &tripler_form(), .path = "tripler.c"};
  own.code = std::make_shared<const std::string>(kThreeTimes);
  return {
      .name = "tripler", .title = "takes everything three times", .own = own, .serves = serves_cpu};
}

// `sheaf:PATH`, a folder of files, or one of them, as of file:PATH.
Result<Author> find_sheaf(const Disk& disk, const std::string& written, const std::string& given,
                          std::string_view) {
  if (!disk.exists(given)) return error(Code::not_found, "'" + written + "' names nothing");
  return Author{.name = "sheaf", .reference = written, .path = absolute_path(given)};
}

AuthorType sheaf() {
  return {
      .name = "sheaf:PATH", .title = "a folder of files", .serves = serves_cpu, .find = find_sheaf};
}

const AddedRow<const Runner*> kRunner(&tripler_runner());
const AddedRow<const Form*> kForm(&tripler_form());
const AddedRow<AuthorType> kAuthor(tripler());
const AddedRow<AuthorType> kFiles(sheaf());

}  // namespace
}  // namespace assay
