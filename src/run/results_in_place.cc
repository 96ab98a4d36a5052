#include "run/results_in_place.h"

#include <unistd.h>

#include <algorithm>
#include <tuple>

namespace assay {
namespace {

// Of a larger result, what is written there is so much of what `outputs` held. Whole elements.
constexpr uint64_t kPatternBytes = uint64_t{1} << 20;
// Of a result, pages that nobody has touched: more than that gains something.
constexpr uint64_t kUntouchedBytes = uint64_t{64} << 10;
constexpr uint64_t kUntouchedPart = 16;

// A page's word in /proc/PID/pagemap (Documentation/admin-guide/mm/pagemap.rst of Linux).
constexpr uint64_t kIsPresent = uint64_t{1} << 63, kIsSwapped = uint64_t{1} << 62;

// Why results cannot be left where they are.
constexpr const char* kOverlap = "results of one call lie where those of another do";
constexpr const char* kKept = "they lie in memory that the model keeps";
constexpr const char* kUntouched = "they lie in memory that is not there until somebody reads it";
constexpr const char* kReadOnly = "they lie in memory that cannot be written to";

// Whether all of it went.
template <class Move>
bool moves(Move move, int fd, auto* bytes, uint64_t count, uint64_t address) {
  for (uint64_t done = 0; done < count;) {
    const ssize_t moved = move(fd, bytes + done, count - done, static_cast<off_t>(address + done));
    if (moved <= 0) return false;
    done += static_cast<uint64_t>(moved);
  }
  return true;
}

}  // namespace

std::vector<ResultsInPlace::Left> ResultsInPlace::left(const SharedTensors& outputs,
                                                       uint32_t calls) const {
  std::vector<Left> all;
  size_t next = 0;
  for (uint32_t slot = 0; slot < calls; ++slot)
    for (size_t i = 0; i < outputs.count() && next < ControlPage::kMaxAddresses; ++i) {
      const uint64_t address = read_once(page_->addresses[next++]);
      if (address != 0) all.push_back({address, outputs.tensor(i, slot), i, slot});
    }
  return all;
}

bool ResultsInPlace::is_there(const Left& result) const {
  const uint64_t most = std::max(kUntouchedBytes, result.place.size() / kUntouchedPart);
  if (!memory_.pages || result.place.size() <= most) return true;
  const auto page_bytes = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  const uint64_t first = result.address / page_bytes;
  // An address may be anything: nothing is added to it.
  const uint64_t count =
      (result.address % page_bytes + result.place.size() + page_bytes - 1) / page_bytes;
  std::vector<uint64_t> pages(count);
  // An address that is none has no pages: nothing can be read there either.
  if (!moves(::pread, memory_.pages.get(), reinterpret_cast<char*>(pages.data()),
             count * sizeof(uint64_t), first * sizeof(uint64_t)))
    return true;
  const auto untouched = std::ranges::count_if(
      pages, [](uint64_t page) { return !(page & (kIsPresent | kIsSwapped)); });
  return static_cast<uint64_t>(untouched) * page_bytes <= most;
}

bool ResultsInPlace::overlap(std::vector<Left> all) {
  std::ranges::sort(all, {}, &Left::address);
  uint64_t end = 0;
  uint32_t slot = 0;  // of what ends there, the furthest so far
  for (const Left& each : all) {
    const uint64_t its_end = each.address + each.place.size();
    if (each.address < end && !each.place.empty() && each.slot != slot) return true;
    if (its_end > end) std::tie(end, slot) = std::pair(its_end, each.slot);
  }
  return false;
}

std::optional<std::string> ResultsInPlace::exchange(const SharedTensors& outputs, uint32_t calls,
                                                    const std::vector<bool>& overwritten) const {
  std::vector<Left> all = left(outputs, calls);
  std::optional<std::string> why;
  if (std::ranges::find(all, ControlPage::kPutBack, &Left::address) != all.end()) why = kKept;

  struct Given {
    uint64_t address, bytes;
    std::vector<std::byte> pattern;
  };
  std::vector<Given> given;  // only once all is read: two results may lie in one place
  for (const Left& each : all) {
    const std::span<std::byte> place = each.place;
    if (overwritten[each.output] && !place.empty()) {
      if (!is_there(each)) why = kUntouched;
      const auto pattern = place.first(std::min<size_t>(place.size(), kPatternBytes));
      given.push_back({each.address, place.size(), {pattern.begin(), pattern.end()}});
    }
    moves(::pread, memory_.bytes.get(), place.data(), place.size(), each.address);
  }
  for (const Given& each : given)
    for (uint64_t at = 0; at < each.bytes; at += each.pattern.size())
      if (!moves(::pwrite, memory_.bytes.get(), each.pattern.data(),
                 std::min<uint64_t>(each.pattern.size(), each.bytes - at), each.address + at)) {
        why = why.value_or(kReadOnly);
        break;
      }

  std::erase_if(all, [&](const Left& each) { return !overwritten[each.output]; });
  if (overlap(std::move(all))) return kOverlap;
  return why;
}

}  // namespace assay
