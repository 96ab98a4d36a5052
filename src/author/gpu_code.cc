#include "author/gpu_code.h"

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "base/text.h"
#include "base/words.h"

namespace assay {
namespace {

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

// Whether a line of Python imports it: "import torch, triton", "from triton import language".
bool imports_triton(std::string_view code) {
  for (std::string_view line : lines_of(code)) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.starts_with("from triton")) return true;
    if (line.starts_with("import ") && line.find("triton") != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

std::string gpu_languages() {
  std::vector<std::string> languages{"Triton"};  // in Python: no form of its own
  for (const Form* form : forms())
    if (form->gpu) languages.emplace_back(form->title);
  return one_of(languages);
}

GpuCode gpu_code_of(const Form& form, std::string_view code) {
  if (form.gpu) return {.cuda = form.gpu == GpuKind::cuda, .hip = form.gpu == GpuKind::hip};
  if (!form.is_model()) return {};
  // torch.utils.cpp_extension's word for the sources that it has a device's compiler for.
  return {.triton = imports_triton(code),
          .extension = has_any(code, {"cuda_sources", "with_cuda", ".cu\"", ".cu'"})};
}

}  // namespace assay
