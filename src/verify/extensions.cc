#include "verify/extensions.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "run/outcome.h"
#include "verify/extension_build.h"

namespace assay {
namespace {

// More than anybody has, and what one frame carries descriptors for.
constexpr size_t kMostExtensions = 8;

void add(std::optional<int64_t>& sum, std::optional<int64_t> summand) {
  if (summand) sum = sum.value_or(0) + *summand;
}

void add_costs(StageRecord& all, const StageRecord& one) {
  add(all.wall_ns, one.wall_ns);
  add(all.cpu_ns, one.cpu_ns);
  if (one.peak_bytes) all.peak_bytes = std::max(all.peak_bytes.value_or(0), *one.peak_bytes);
}

}  // namespace

Step<void> Extensions::build(const ExtensionRequest& request) {
  auto stop = [](StageRecord record) { return std::unexpected(Stop(std::move(record))); };
  if (!request.device.empty())
    return stop(unsupported_stage(
        Stage::verify, fmt::format("its extension '{}' is for {}, and it is called on the CPU",
                                   request.name, request.device)));
  if (std::ranges::find(digests_, request.digest) != digests_.end())
    return stop(failed_stage(Stage::verify, FailureClass::protocol,
                             "it asks for an extension that it was given"));
  if (digests_.size() == kMostExtensions)
    return stop(failed_stage(Stage::compile, FailureClass::build,
                             fmt::format("it has more than {} extensions", kMostExtensions)));
  const int64_t begin_ns = system_clock().now_ns();
  ASSAY_ASSIGN(ExtensionBuild made, make_extension(request, tools_, children_, libraries_));
  wall_ns_ += system_clock().now_ns() - begin_ns;
  NativeBuild& build = made.build;
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
  digests_.push_back(request.digest);
  files_.push_back(std::move(build.library));
  return {};
}

std::vector<int> Extensions::descriptors() const {
  std::vector<int> descriptors;
  for (const UniqueFd& file : files_) descriptors.push_back(file.get());
  return descriptors;
}

}  // namespace assay
