#include "author/gpu_code.h"

#include <algorithm>
#include <initializer_list>
#include <string>

namespace assay {
namespace {

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

}  // namespace

GpuCode gpu_code_of(CandidateKind kind, std::string_view code) {
  switch (kind) {
    case CandidateKind::cuda_source:
      return {.cuda = true};
    case CandidateKind::hip_source:
      return {.hip = true};
    case CandidateKind::module:
      // torch.utils.cpp_extension's word for the sources that it has a device's compiler for.
      return {.triton = has_any(code, {"import triton", "from triton"}),
              .cuda = has_any(code, {"cuda_sources", "with_cuda", ".cu\"", ".cu'"})};
    case CandidateKind::artifact:
    case CandidateKind::c_source:
    case CandidateKind::cc_source:
    case CandidateKind::library:
      break;
  }
  return {};
}

bool names_narrow_types(std::string_view code) {
  std::string small(code);
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return std::tolower(c); });
  return has_any(small, {"bfloat16", "bf16", "float8", "fp8"});
}

}  // namespace assay
