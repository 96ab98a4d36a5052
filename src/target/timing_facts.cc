#include "target/timing_facts.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "base/cores.h"
#include "target/machine.h"

namespace assay {
namespace {

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  auto [next, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || next == text.data()) return std::nullopt;
  return number;
}

template <class Number>
std::optional<Number> number_in_file(const Disk& disk, const std::string& path) {
  auto text = setting_in(disk, path);
  return text ? number_in<Number>(*text) : std::nullopt;
}

std::optional<bool> switch_in(const Disk& disk, const std::string& path, const char* on,
                              const char* off) {
  auto text = setting_in(disk, path);
  if (!text || (*text != on && *text != off)) return std::nullopt;
  return *text == on;
}

std::optional<bool> boost(const Disk& disk) {
  if (auto found = switch_in(disk, join_path(kCpusFolder, "intel_pstate/no_turbo"), "0", "1"))
    return found;
  return switch_in(disk, join_path(kCpusFolder, "cpufreq/boost"), "1", "0");
}

std::optional<int64_t> throttles(const Disk& disk, const std::string& core) {
  auto of_core = number_in_file<int64_t>(disk, core + "/thermal_throttle/core_throttle_count");
  auto of_package =
      number_in_file<int64_t>(disk, core + "/thermal_throttle/package_throttle_count");
  if (!of_core && !of_package) return std::nullopt;
  return of_core.value_or(0) + of_package.value_or(0);
}

std::optional<bool> is_isolated(const Disk& disk, int core) {
  auto text = disk.read(join_path(kCpusFolder, "isolated"));
  if (!text) return std::nullopt;
  const std::vector<int> isolated = parse_core_list(*text);
  return std::ranges::find(isolated, core) != isolated.end();
}

// "some avg10=1.50 avg60=..."
std::optional<double> pressure_percent(const Disk& disk) {
  auto text = setting_in(disk, "/proc/pressure/cpu");
  constexpr std::string_view kBefore = "some avg10=";
  if (!text || !text->starts_with(kBefore)) return std::nullopt;
  return number_in<double>(std::string_view(*text).substr(kBefore.size()));
}

// "cpu  user nice system idle iowait irq softirq steal guest guest_nice", in ticks; guests are
// counted as users, too.
std::optional<double> steal_percent(const Disk& disk) {
  auto text = setting_in(disk, "/proc/stat");
  if (!text || !text->starts_with("cpu ")) return std::nullopt;
  std::istringstream fields(text->substr(4));
  constexpr int kSteal = 7, kCounted = 8;
  double all = 0, steal = 0, ticks = 0;
  int count = 0;
  for (; count < kCounted && fields >> ticks; ++count) {
    all += ticks;
    if (count == kSteal) steal = ticks;
  }
  if (count < kCounted || all <= 0) return std::nullopt;
  return 100 * steal / all;
}

// x86 says so among a CPU's features, Xen in a file of its own.
std::optional<bool> is_virtual(const Disk& disk) {
  if (disk.exists("/sys/hypervisor/type")) return true;
  const std::vector<std::string> features = cpu_features(disk);
  auto has = [&](const char* feature) {
    return std::ranges::find(features, feature) != features.end();
  };
  if (has("hypervisor")) return true;
  return has("fpu") ? std::optional(false) : std::nullopt;  // a feature of x86 alone
}

// Tried, and taken back.
bool may_be_real_time() {
  sched_param before{}, first{};
  const int policy = ::sched_getscheduler(0);
  if (policy < 0 || ::sched_getparam(0, &before) != 0) return false;
  first.sched_priority = ::sched_get_priority_min(SCHED_FIFO);
  if (::sched_setscheduler(0, SCHED_FIFO, &first) != 0) return false;
  return ::sched_setscheduler(0, policy, &before) == 0;
}

}  // namespace

std::optional<std::string> setting_in(const Disk& disk, const std::string& path) {
  auto text = disk.read(path);
  if (!text) return std::nullopt;
  std::string line = text->substr(0, text->find('\n'));
  const size_t open = line.find('['), close = line.find(']');
  if (open < close && close != std::string::npos) line = line.substr(open + 1, close - open - 1);
  return line.empty() ? std::nullopt : std::optional(line);
}

TimingFacts timing_facts(const Disk& disk, int core) {
  const std::string folder = fmt::format("{}/cpu{}", kCpusFolder, core);
  TimingFacts facts;
  facts.core = core;
  facts.governor = setting_in(disk, folder + "/cpufreq/scaling_governor");
  facts.boost = boost(disk);
  facts.smt = switch_in(disk, join_path(kCpusFolder, "smt/active"), "1", "0");
  facts.siblings =
      parse_core_list(setting_in(disk, folder + "/topology/thread_siblings_list").value_or(""));
  std::erase(facts.siblings, core);
  facts.huge_pages = setting_in(disk, "/sys/kernel/mm/transparent_hugepage/enabled");
  facts.clock_source =
      setting_in(disk, "/sys/devices/system/clocksource/clocksource0/current_clocksource");
  facts.throttles = throttles(disk, folder);
  facts.is_isolated = is_isolated(disk, core);
  facts.load = number_in_file<double>(disk, "/proc/loadavg");
  facts.pressure_percent = pressure_percent(disk);
  facts.steal_percent = steal_percent(disk);
  facts.is_virtual = is_virtual(disk);
  return facts;
}

TimingFacts timing_facts_of_this_machine() {
  const std::vector<int> cores = cores_of_this_thread();
  TimingFacts facts = timing_facts(system_disk(), cores.empty() ? 0 : cores.back());
  facts.real_time = may_be_real_time();
  return facts;
}

Json to_json(const TimingFacts& facts) {
  auto text = [](const std::optional<std::string>& value) { return value ? Json(*value) : Json(); };
  auto word = [](const std::optional<bool>& value, const char* yes, const char* no) {
    return value ? Json(*value ? yes : no) : Json();
  };
  return {{"governor", text(facts.governor)},
          {"boost", word(facts.boost, "on", "off")},
          {"SMT", word(facts.smt, "on", "off")},
          {"huge pages", text(facts.huge_pages)},
          {"clock source", text(facts.clock_source)},
          {"virtual machine", word(facts.is_virtual, "yes", "no")}};
}

}  // namespace assay
