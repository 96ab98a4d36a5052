#include "measure/kernel_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/escape.h"
#include "base/units.h"

namespace assay {
namespace {

constexpr size_t kMostKernels = 16;
// Of so many kernels something is said, as far as each has this share of the time.
constexpr size_t kMostSaid = 3;
constexpr double kLeastShare = 0.1;
// What is as busy as this is what a kernel waits for; and what is less than that stands idle.
constexpr double kBusyPercent = 60, kIdlePercent = 30;

bool is_counted(double number) { return number >= 0 && number <= kMostFact; }

std::optional<double> fact_of(const Json& kernel, const char* name) {
  const auto found = kernel.find(name);
  if (found == kernel.end() || !found->is_number()) return std::nullopt;
  const auto number = found->get<double>();
  return is_counted(number) ? std::optional(number) : std::nullopt;
}

std::string join(const std::vector<std::string>& parts) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text;
}

std::string busy_in_words(const Json& kernel, const CardWords& words) {
  std::vector<std::string> parts;
  const auto memory = fact_of(kernel, kMemoryPercent), bytes = fact_of(kernel, kMovedBytes);
  const std::string moved = bytes ? format_bytes(static_cast<uint64_t>(*bytes)) + " a launch" : "";
  if (memory)
    parts.push_back(fmt::format("the card's memory {:.0f} %{}", *memory,
                                bytes ? fmt::format(" ({})", moved) : ""));
  if (const auto busy = fact_of(kernel, kProcessorsPercent))
    parts.push_back(fmt::format("the {} {:.0f} %", words.processors, *busy));
  if (const auto busy = fact_of(kernel, kMatrixPercent))
    parts.push_back(fmt::format("the {} {:.0f} %", words.matrix, *busy));
  std::string text;
  if (!parts.empty()) text += fmt::format(" It keeps {} busy.", join(parts));
  if (bytes && !memory) text += fmt::format(" It moves {} to and from the card's memory.", moved);
  if (const auto hits = fact_of(kernel, kCacheHitPercent))
    text += fmt::format(" {:.0f} % of its accesses to the L2 cache find what they ask for.", *hits);
  return text;
}

std::string room_in_words(const Json& kernel, const CardWords& words) {
  std::string text;
  std::vector<std::string> parts;
  if (const auto registers = fact_of(kernel, kRegisters))
    parts.push_back(fmt::format("{:.0f} registers a thread", *registers));
  if (const auto shared = fact_of(kernel, kSharedBytes))
    parts.push_back(fmt::format("{} of {} a block", format_bytes(static_cast<uint64_t>(*shared)),
                                words.shared));
  if (!parts.empty()) text += fmt::format(" It takes {}.", join(parts));
  if (const auto occupancy = fact_of(kernel, kOccupancyPercent))
    text += fmt::format(" {:.0f} % of the places for {} are taken (achieved occupancy).",
                        *occupancy, words.places);
  if (fact_of(kernel, kSpills).value_or(0) > 0)
    text += " It spills registers to memory, or has arrays there that are indexed by variables.";
  if (const auto scratch = fact_of(kernel, kScratchBytes); scratch.value_or(0) > 0)
    text += fmt::format(
        " Each thread has {} of scratch memory: it spills registers, or has arrays "
        "there that are indexed by variables.",
        format_bytes(static_cast<uint64_t>(*scratch)));
  const auto conflicts = fact_of(kernel, kBankConflicts),
             instructions = fact_of(kernel, kVectorInstructions);
  if (conflicts && instructions && *conflicts > *instructions / 10)
    text += fmt::format(" Its accesses to {} meet in the same banks.", words.shared);
  return text;
}

// What of all that decides how fast it is.
std::string bound_in_words(const Json& kernel, const CardWords& words) {
  const auto memory = fact_of(kernel, kMemoryPercent), busy = fact_of(kernel, kProcessorsPercent);
  if (!memory || !busy) return "";
  if (*memory >= kBusyPercent && *memory >= *busy)
    return " Memory is what it waits for: move fewer bytes.";
  if (*busy >= kBusyPercent)
    return fmt::format(" The {} are what it waits for: do less work, or on other units.",
                       words.processors);
  if (*memory < kIdlePercent && *busy < kIdlePercent)
    return " Neither has much to do: there is too little work at a time, or each step waits for "
           "the one before.";
  return "";
}

}  // namespace

void KernelCounts::add_launch(double ns, const std::map<std::string, double>& facts) {
  if (!is_counted(ns)) ns = 0;
  least_ns_ = launches_ == 0 ? ns : std::min(least_ns_, ns);
  most_ns_ = std::max(most_ns_, ns);
  ++launches_;
  total_ns_ += ns;
  squares_ += ns * ns;
  for (const auto& [name, number] : facts) {
    if (!is_counted(number)) continue;
    Sum& sum = facts_[name];
    sum.sum += number;
    ++sum.count;
  }
}

Json KernelCounts::in_json(const std::string& name) const {
  const auto count = static_cast<double>(std::max<size_t>(launches_, 1));
  const double mean_ns = total_ns_ / count;
  const double variance = std::max(0.0, squares_ / count - mean_ns * mean_ns);
  Json json{{"name", printable(utf8(name.substr(0, kMostKernelNameBytes)), false)},
            {"launches", launches_},
            {"total_ns", total_ns_},
            {"least_ns", least_ns_},
            {"most_ns", most_ns_},
            {"deviation_ns", std::sqrt(variance)}};
  for (const auto& [fact, sum] : facts_) json[fact] = sum.sum / static_cast<double>(sum.count);
  return json;
}

Json counted_kernels(const CountedKernels& kernels) {
  if (kernels.empty()) return nullptr;
  double total_ns = 0;
  std::vector<const CountedKernels::value_type*> sorted;
  for (const auto& each : kernels) {
    sorted.push_back(&each);
    total_ns += each.second.total_ns();
  }
  std::ranges::stable_sort(sorted, std::ranges::greater{},
                           [](const auto* each) { return each->second.total_ns(); });
  Json list = Json::array();
  for (const auto* each : sorted) {
    if (list.size() == kMostKernels) break;
    Json kernel = each->second.in_json(each->first);
    kernel["share"] = total_ns > 0 ? each->second.total_ns() / total_ns : 0;
    list.push_back(std::move(kernel));
  }
  Json counted{{"kernels", std::move(list)}};
  if (sorted.size() > kMostKernels) counted["left_out"] = sorted.size() - kMostKernels;
  return counted;
}

std::string kernels_in_words(const Json& counted, const CardWords& words) {
  const auto kernels = counted.find("kernels");
  if (kernels == counted.end() || !kernels->is_array()) return "";
  std::string text;
  size_t said = 0;
  for (const Json& kernel : *kernels) {
    if (!kernel.is_object() || said == kMostSaid) continue;
    const auto share = fact_of(kernel, "share"), launches = fact_of(kernel, "launches"),
               total_ns = fact_of(kernel, "total_ns");
    const auto name = kernel.find("name");
    if (!share || !launches || !total_ns || *launches < 1 || name == kernel.end() ||
        !name->is_string() || (said > 0 && *share < kLeastShare))
      continue;
    const auto mean_ns = static_cast<int64_t>(*total_ns / *launches);
    text += fmt::format("{}{} takes {:.0f} % of the time on the card, in {:.0f} {} of {}.",
                        text.empty() ? "" : " ", name->get<std::string>(), 100 * *share, *launches,
                        *launches == 1 ? "launch" : "launches", format_duration(mean_ns));
    text +=
        busy_in_words(kernel, words) + room_in_words(kernel, words) + bound_in_words(kernel, words);
    ++said;
  }
  return text;
}

}  // namespace assay
