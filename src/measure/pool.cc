#include "measure/pool.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "run/outcome.h"

namespace assay {
namespace {

std::vector<std::byte> copy(std::span<const std::byte> memory) {
  return {memory.begin(), memory.end()};
}

void put(std::span<const std::byte> bytes, std::span<std::byte> place) {
  std::memcpy(place.data(), bytes.data(), std::min(bytes.size(), place.size()));
}

}  // namespace

Step<bool> Pool::compute(Entry& entry) {
  there_.reset();
  ASSAY_ASSIGN(entry.expected, reference_.expect(entry.ask));
  return entry.expected.is_to_be_judged();
}

Step<std::optional<size_t>> Pool::entry(const Reference::Ask& ask) {
  const std::pair wanted(ask.family, ask.number);
  if (auto found = places_.find(wanted); found != places_.end()) return found->second;
  Entry entry;
  entry.ask = ask;
  ASSAY_ASSIGN(bool has_result, compute(entry));
  if (!has_result) return std::optional<size_t>{};
  if (ask.family == Family::own) baselines_ns_.push_back(entry.expected.computed.baseline_ns);
  const RoundMemory& memory = reference_.memory();
  // What is computed in chunks is never there as a whole.
  if (!reference_.chunks() && bytes_ + entry_bytes() <= most_bytes_) {
    entry.inputs = copy(memory.inputs.all());
    entry.inout = copy(memory.inout.all());
    entry.exact = copy(memory.reference.all());
    entry.baseline = copy(memory.baseline.all());
    entry.is_kept = true;
    bytes_ += entry_bytes();
  }
  entries_.push_back(std::move(entry));
  places_[wanted] = entries_.size() - 1;
  there_ = entries_.size() - 1;
  return there_;
}

Step<void> Pool::bring(size_t entry) {
  if (there_ == entry) return {};
  Entry& wanted = entries_[entry];
  if (!wanted.is_kept) {
    ASSAY_TRY(compute(wanted));
  } else {
    const RoundMemory& memory = reference_.memory();
    put(wanted.inputs, memory.inputs.all());
    put(wanted.inout, memory.inout.all());
    put(wanted.exact, memory.reference.all());
    put(wanted.baseline, memory.baseline.all());
  }
  there_ = entry;
  return {};
}

// Its own for each entry: what one window leaves is no poison to the next.
Poison Pool::poison_of(const Entry& entry) const {
  return Poison(random_.named("poison").named(reference_.draw_name(entry.ask)));
}

Step<void> Pool::give(size_t entry, const RoundMemory& memory, size_t slot) {
  const Entry& given = entries_[entry];
  if (!given.is_kept) ASSAY_TRY(bring(entry));
  const RoundMemory& here = reference_.memory();
  const Poison poison = poison_of(given);
  for (size_t i = 0; i < memory.outputs.count(); ++i)
    poison.fill(memory.outputs.specs()[i].dtype, memory.outputs.tensor(i, slot));
  put(given.is_kept ? given.inout : copy(here.inout.all()), memory.inout.all(slot));
  put(given.is_kept ? given.inputs : copy(here.inputs.all()), memory.inputs.all(slot));
  return {};
}

Step<RoundResult> Pool::judge(size_t entry, const RoundMemory& memory, size_t slot) {
  std::vector<std::byte>& good = entries_[entry].good;
  auto is_good = [&] {
    const auto results = memory.outputs.all(slot), changed = memory.inout.all(slot);
    return good.size() == results.size() + changed.size() &&
           std::memcmp(good.data(), results.data(), results.size()) == 0 &&
           std::memcmp(good.data() + results.size(), changed.data(), changed.size()) == 0;
  };
  if (is_good()) return RoundResult{};
  ASSAY_TRY(bring(entry));
  const RoundMemory& here = reference_.memory();
  put(memory.outputs.all(slot), here.outputs.all());
  put(memory.inout.all(slot), here.inout.all());
  Entry& judged = entries_[entry];
  auto result = reference_.judge(judged.expected, poison_of(judged),
                                 random_.named("judge").named(reference_.draw_name(judged.ask)));
  // What it left of inputs that it may change is in their place now.
  if (judged.expected.is_spent || here.inout.count() > 0) there_.reset();
  if (result && result->complaints.empty() && judged.is_kept) {
    good = copy(memory.outputs.all(slot));
    const auto changed = memory.inout.all(slot);
    good.insert(good.end(), changed.begin(), changed.end());
  }
  return result;
}

int64_t Pool::baseline_ns() const {
  std::vector<int64_t> sorted = baselines_ns_;
  if (sorted.empty()) return 0;
  std::ranges::sort(sorted);
  return sorted[sorted.size() / 2];
}

uint64_t Pool::entry_bytes() const {
  const RoundMemory& memory = reference_.memory();
  return memory.inputs.slot_bytes() + 2 * memory.inout.slot_bytes() + memory.outputs.slot_bytes() +
         memory.reference.slot_bytes() + memory.baseline.slot_bytes();
}

}  // namespace assay
