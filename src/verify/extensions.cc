#include "verify/extensions.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "run/outcome.h"
#include "sandbox/memory_file.h"
#include "verify/extension_build.h"
#include "verify/gpu_build.h"
#include "verify/no_device.h"

namespace assay {
namespace {

// More than anybody has, and what one frame carries descriptors for.
constexpr size_t kMostExtensions = 8;

void add(std::optional<int64_t>& sum, std::optional<int64_t> summand) {
  if (summand) sum = sum.value_or(0) + *summand;
}

void add_costs(StageRecord& all, const StageRecord& one) {
  if (!all.began_us) all.began_us = one.began_us;
  add(all.wall_ns, one.wall_ns);
  add(all.cpu_ns, one.cpu_ns);
  if (one.peak_bytes) all.peak_bytes = std::max(all.peak_bytes.value_or(0), *one.peak_bytes);
}

}  // namespace

// Of one for a device that is none of ours.
StageRecord Extensions::for_another_device(const ExtensionRequest& request) const {
  std::string what = fmt::format("its extension '{}' is for {}", request.name, request.device);
  if (gpu_) {
    if (gpu_->kind == GpuKind::hip)
      what = fmt::format(
          "its extension '{}' has code for a device, and extensions are not compiled "
          "for AMD: write it in Triton, or as a kernel in HIP in a file NAME.hip",
          request.name);
    else
      what += ", and it is compiled for " + gpu_->architecture;
    return blamed_on(Fault::candidate, unsupported_stage(Stage::compile, what));
  }
  if (!from_word(kGpuKindWords, request.device))
    return blamed_on(Fault::assay, unsupported_stage(Stage::verify, what));
  StageRecord record = failed_stage(Stage::verify, FailureClass::build, what);
  record.evidence[kNotHere] = true;
  return record;
}

// For the host, or for the GPU.
Step<ExtensionBuild> Extensions::make(const ExtensionRequest& request) {
  if (request.device.empty()) {
    ASSAY_ASSIGN(ExtensionBuild made, make_extension(request, tools_, children_, libraries_));
    return made;
  }
  ExtensionBuild made;
  ASSAY_ASSIGN(made.build, make_for_gpu(*gpu_, request, tools_, children_, libraries_));
  return made;
}

Step<void> Extensions::keep(const ExtensionRequest& request, UniqueFd library) {
  if (request.device.empty() || is_loaded_) {
    digests_.push_back(request.digest);
    files_.push_back(std::move(library));
    return {};
  }
  ASSAY_ASSIGN(std::string bytes, read_memory_file(library));
  stand_ins_.push_back(request.digest);
  gpu_libraries_.push_back(
      {fmt::format("{}/{}.so", kKernelsFolder, request.name), std::move(bytes)});
  return {};
}

Step<void> Extensions::build(const ExtensionRequest& request) {
  auto stop = [](StageRecord record) { return std::unexpected(Stop(std::move(record))); };
  const bool is_for_gpu = gpu_ && request.device == to_word(kGpuKindWords, gpu_->kind);
  if (!request.device.empty() && !is_for_gpu) return stop(for_another_device(request));
  const bool is_known = std::ranges::find(digests_, request.digest) != digests_.end() ||
                        std::ranges::find(stand_ins_, request.digest) != stand_ins_.end();
  if (is_known || (is_for_gpu && !request.has_sources()))
    return stop(failed_stage(Stage::verify, FailureClass::protocol,
                             is_known ? "it asks for an extension that it was given"
                                      : "it asks for an extension and does not say of what"));
  if (digests_.size() + stand_ins_.size() == kMostExtensions)
    return stop(failed_stage(Stage::compile, FailureClass::build,
                             fmt::format("it has more than {} extensions", kMostExtensions)));
  const int64_t begin_ns = system_clock().now_ns();
  ASSAY_ASSIGN(ExtensionBuild made, make(request));
  wall_ns_ += system_clock().now_ns() - begin_ns;
  NativeBuild& build = made.build;
  if (gpu_ && build.record.failure == FailureClass::build)
    if (std::string missing = missing_of_toolkit(build.record.detail); !missing.empty())
      return stop(not_judged_stage(
          Stage::compile, fmt::format("its extension '{}': what it is built with is not whole on "
                                      "this machine: {}",
                                      request.name, missing)));
  if (build.record.status != StageStatus::ok) {
    build.record.error = fmt::format("its extension '{}': {}", request.name, build.record.error);
    return stop(std::move(build.record));
  }
  Json evidence = std::move(build.record.evidence);
  evidence["name"] = request.name;
  evidence["reused"] = build.record.reused;
  evidence["precompiled"] = made.precompiled;
  if (made.header_made) evidence["header_wall_ns"] = made.header_made->wall_ns.value_or(0);
  if (!builds_) {
    builds_ = std::move(build.record);
    builds_->evidence = {{"extensions", Json::array()}};
  } else {
    add_costs(*builds_, build.record);
    builds_->reused = builds_->reused && build.record.reused;
  }
  builds_->evidence["extensions"].push_back(std::move(evidence));
  return keep(request, std::move(build.library));
}

std::vector<int> Extensions::descriptors() const {
  std::vector<int> descriptors;
  for (const UniqueFd& file : files_) descriptors.push_back(file.get());
  return descriptors;
}

}  // namespace assay
