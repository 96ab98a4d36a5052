// What of a candidate's code is for GPUs, by what stands in it. Nothing of it has run yet: code
// that hides what it is, is taken for none, and said to be.
#pragma once

#include <string>
#include <string_view>

#include "author/candidate.h"
#include "model/gpu.h"

namespace assay {

struct GpuCode {
  bool triton = false;
  bool cuda = false;
  bool hip = false;
  // An extension of torch's with sources for a device: `cuda_sources` is its word for HIP, too.
  bool extension = false;

  bool is_for(GpuKind kind) const {
    return triton || extension || (kind == GpuKind::cuda ? cuda : hip);
  }
};

// "Triton, CUDA or HIP": what it can be written in.
std::string gpu_languages();

GpuCode gpu_code_of(const Form& form, std::string_view code);

}  // namespace assay
