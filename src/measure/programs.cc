#include "measure/programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "measure/launch_plan.h"
#include "verify/candidate_file.h"
#include "verify/launch.h"

namespace assay {
namespace {

// For what is no large block (large_memory): malloc keeps what is freed. By itself it gives memory
// back whenever 128 KiB are free at the end of it, and touching it anew is then most of a window.
constexpr std::string_view kKeepsMemory =
    "GLIBC_TUNABLES=glibc.malloc.mmap_threshold=33554432:glibc.malloc.trim_threshold=1073741824";
// Zygotes of Python that launches take turns with: a fork shares its parent's address layout.
constexpr int kZygotes = 6;
constexpr unsigned kForksOfAZygote = 64;

}  // namespace

Step<void> Programs::take() {
  std::vector<const VerifyJob*> jobs{&job_.candidate};
  for (const Baseline& baseline : job_.baselines) jobs.push_back(&baseline.job);
  for (const VerifyJob* job : jobs) {
    Program program{job, {}, nullptr};
    program.extensions = std::make_unique<Extensions>(tools_, children_, libraries_, *job);
    const bool is_baseline = !all_.empty();
    unusable_.push_back(is_baseline ? job_.baselines[all_.size() - 1].unusable : "");
    if (unusable_.back().empty()) {
      auto taken = take_candidate_file(*job, tools_, children_, libraries_);
      const StageRecord* why = taken ? nullptr : std::get_if<StageRecord>(&taken.error().why);
      if (taken)
        program.file = std::move(taken->file);
      else if (is_baseline && why != nullptr)
        unusable_.back() = why->error;
      else
        return std::unexpected(std::move(taken.error()));
    }
    all_.push_back(std::move(program));
  }
  return {};
}

bool Programs::has_rival() const {
  return job_.timing.profile ||
         std::any_of(unusable_.begin() + 1, unusable_.end(), std::mem_fn(&std::string::empty));
}

int Programs::turns() const {
  if (job_.timing.profile) return 1;
  return job_.timing.quick ? LaunchPlan::kQuickLaunches : kZygotes;
}

void Programs::start_images() const {
  for (int launch = 0; launch < turns(); ++launch) {
    const VerifyTools tools = tools_of(launch, {});
    for (size_t side = 0; side < all_.size(); ++side) {
      const VerifyJob& job = *all_[side].job;
      if (takes_part(side)) children_.start_image(runner_image(tools, job.runner()));
    }
  }
}

VerifyTools Programs::tools_of(int launch, const std::vector<int>& cores) const {
  VerifyTools tools = tools_;
  for (const Runner* runner : runners()) {
    auto found = tools.runners.find(runner->name);
    if (found == tools.runners.end()) continue;
    Image& image = found->second;
    if (runner->is_forked) image.forks_until_renewed = kForksOfAZygote;
    if (!runner->is_in_python) continue;
    std::erase_if(image.environment, [](const std::string& each) {
      return each.starts_with("GLIBC_TUNABLES=");  // which poison what is small
    });
    image.environment.emplace_back(kKeepsMemory);
    image.environment.push_back("LD_PRELOAD=" + tools_.large_memory);
    image.environment.push_back(fmt::format("ASSAY_ZYGOTE={}", launch % turns()));
  }
  if (tools.limits.jail) tools.limits.jail->cpus = cores;
  return tools;
}

std::vector<Subject> Programs::subjects(const VerifyTools& tools,
                                        const RandomStream& random) const {
  std::vector<Subject> subjects;
  for (const Program& program : all_)
    subjects.push_back(
        {*program.job, tools, children_, random, program.file.get(), *program.extensions});
  return subjects;
}

Step<std::reference_wrapper<Oracle>> Programs::oracle(const RandomStream& random) {
  if (job_.oracle != nullptr && job_.oracle->is_running()) return *job_.oracle;
  ASSAY_ASSIGN(Oracle started, Launch::start_oracle(subjects(tools_, random).front()));
  return oracle_.emplace(std::move(started));
}

}  // namespace assay
