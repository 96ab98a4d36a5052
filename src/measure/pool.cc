#include "measure/pool.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <span>
#include <utility>

#include "measure/interval.h"
#include "run/outcome.h"
#include "verify/elements.h"

namespace assay {
namespace {

// Of entries that are made at once.
constexpr uint64_t kBlockBytes = uint64_t{64} << 20;
constexpr int kMostAtOnce = 256;
// Programs whose right results are kept: more are rarely timed against each other. Of large
// results, none: what else could be kept saves more.
constexpr size_t kMostGood = 4;
constexpr uint64_t kLargeBytes = uint64_t{16} << 20;

size_t most_good(const ProblemDescription& problem) {
  return problem.output_bytes < kLargeBytes ? kMostGood : 0;
}

using Bytes = std::span<const std::byte>;

void put(Bytes bytes, std::span<std::byte> place) {
  std::memcpy(place.data(), bytes.data(), std::min(bytes.size(), place.size()));
}

// What a call has left, one behind the other.
std::vector<std::byte> left_in(const RoundMemory& memory, size_t slot) {
  const Bytes results = memory.outputs.all(slot), changed = memory.inout.all(slot);
  std::vector<std::byte> left(results.begin(), results.end());
  left.insert(left.end(), changed.begin(), changed.end());
  return left;
}

bool is_left_in(const RoundMemory& memory, size_t slot, Bytes left) {
  const Bytes results = memory.outputs.all(slot), changed = memory.inout.all(slot);
  return std::ranges::equal(left.first(results.size()), results) &&
         std::ranges::equal(left.subspan(results.size()), changed);
}

// Whether results of two inputs differ in an element by more than its own roundings, and by more
// than the baseline is off there: what is exact alone tells a small element beside large ones, as
// where a mask is -1e9, from what is left when large ones cancel. `exact_a`: null where nothing is
// computed in double.
bool are_apart(const TensorSpec& spec, const std::byte* a, const std::byte* b,
               const TensorSpec& exact, const std::byte* exact_a, const std::byte* exact_b) {
  constexpr double kRoundings = 16;
  const double rounding = kRoundings * unit_roundoff(spec.dtype);
  std::array<double, kBlockElements> x, y, x_exact, y_exact;
  for (uint64_t first = 0; first < spec.elements(); first += kBlockElements) {
    const uint64_t count = std::min(kBlockElements, spec.elements() - first);
    load(spec, a, first, {x.data(), count});
    load(spec, b, first, {y.data(), count});
    if (exact_a != nullptr) {
      load(exact, exact_a, first, {x_exact.data(), count});
      load(exact, exact_b, first, {y_exact.data(), count});
    } else {
      std::copy_n(x.begin(), count, x_exact.begin());
      std::copy_n(y.begin(), count, y_exact.begin());
    }
    for (uint64_t i = 0; i < count; ++i) {
      if (std::isfinite(x[i]) != std::isfinite(y[i])) return true;
      const double apart = std::fabs(x_exact[i] - y_exact[i]);
      const double size = std::max(std::fabs(x_exact[i]), std::fabs(y_exact[i]));
      const double off = std::fabs(x[i] - x_exact[i]) + std::fabs(y[i] - y_exact[i]);
      if (apart > rounding * size && apart > off) return true;
    }
  }
  return false;
}

}  // namespace

// Of all that belongs to them, and of what is kept of results.
uint64_t Pool::bytes_of(const ProblemDescription& problem, uint64_t entries) {
  uint64_t keys = 0;
  for (const Leaf& leaf : problem.outputs)
    if (leaf.picks) keys += leaf.picks->key.span_bytes();
  // What is right is in double, and there is the baseline's result.
  return entries * (problem.input_bytes + keys + (3 + most_good(problem)) * problem.output_bytes);
}

int Pool::room() const {
  // What is computed in chunks is never there as a whole.
  if (reference_.chunks() || bytes_ > most_bytes_) return 0;
  const uint64_t bytes = entry_bytes() + 1;
  const uint64_t fit = (most_bytes_ - bytes_) / bytes;
  const uint64_t at_once = std::max<uint64_t>(kBlockBytes / bytes, 1);
  return static_cast<int>(std::min({fit, at_once, uint64_t{kMostAtOnce}}));
}

bool Pool::is_kept(int number) const {
  const auto found = places_.find({Family::own, number});
  return found != places_.end() && entries_[found->second].memory;
}

int Pool::missing(int first, int end) const {
  int count = 0;
  while (first + count < end && !is_kept(first + count)) ++count;
  return count;
}

void Pool::make_room(int first, int count) {
  if (reference_.chunks()) return;
  uint64_t missing = 0;
  for (int number = first; number < first + count; ++number) missing += is_kept(number) ? 0 : 1;
  const uint64_t needed = missing * entry_bytes();
  if (needed > most_bytes_) return;  // all of it would go for a part of these
  for (size_t i = entries_.size(); i-- > 0 && bytes_ + needed > most_bytes_;) {
    Entry& entry = entries_[i];
    const int number = entry.ask.number;
    const bool is_asked_for =
        entry.ask.family == Family::own && number >= first && number < first + count;
    if (!entry.memory || is_asked_for) continue;
    entry.memory.reset();
    entry.good.clear();
    bytes_ -= entry_bytes();
  }
}

size_t Pool::keep(Entry entry) {
  if (entry.memory) bytes_ += entry_bytes();
  if (entry.ask.family == Family::own) {
    const int64_t ns = entry.expected.computed.baseline_ns;
    if (baselines_ns_.size() < kFirst) baselines_ns_.push_back(static_cast<double>(ns));
    if (ns > 0 && (least_baseline_ns_ == 0 || ns < least_baseline_ns_)) least_baseline_ns_ = ns;
  }
  const auto [place, is_new] =
      places_.try_emplace({entry.ask.family, entry.ask.number}, entries_.size());
  if (is_new) {
    entries_.push_back(std::move(entry));
  } else {
    if (entries_[place->second].memory) bytes_ -= entry_bytes();
    entries_[place->second] = std::move(entry);
  }
  return place->second;
}

Step<RoundMemory> Pool::block(int entries) const {
  const auto slots = static_cast<size_t>(entries);
  return RoundMemory::create(reference_.problem(), 0, nullptr, slots, slots);
}

Step<std::optional<size_t>> Pool::make(const Reference::Ask& ask) {
  Entry entry;
  entry.ask = ask;
  if (const int fit = room(); fit > 0) {
    if (spare_.left == 0) {
      ASSAY_ASSIGN(spare_.block, block(fit));
      spare_.left = static_cast<size_t>(fit);
    }
    entry.memory = spare_.block->slot(--spare_.left);
    reference_.look_at(&*entry.memory);
  } else {
    there_.reset();
    reference_.look_at(nullptr);
  }
  auto expected = reference_.expect(ask);
  reference_.look_at(nullptr);
  if (!expected) return std::unexpected(std::move(expected.error()));
  if (!expected->is_to_be_judged()) return std::optional<size_t>{};
  entry.expected = std::move(*expected);
  const bool has_memory = entry.memory.has_value();
  const size_t place = keep(std::move(entry));
  if (!has_memory) there_ = place;
  return place;
}

Step<int> Pool::make_several(int first, int most) {
  const int count = std::min(most, room());
  std::vector<Reference::Ask> asks;
  for (int n = 0; n < count; ++n) asks.push_back({.family = Family::own, .number = first + n});
  ASSAY_ASSIGN(RoundMemory memory, block(count));
  ASSAY_ASSIGN(auto expected, reference_.expect_several(asks, memory));
  for (size_t slot = 0; slot < asks.size(); ++slot) {
    Entry entry;
    entry.ask = asks[slot];
    entry.expected = std::move(expected[slot]);
    entry.memory = memory.slot(slot);
    keep(std::move(entry));
  }
  return count;
}

Step<int> Pool::make_some(int first, int most) {
  // The first one by one: only what is as it should be is asked for in large numbers.
  const bool is_first = baselines_ns_.size() < kFirst;
  if (!is_first && reference_.may_expect_several() && room() > 1) return make_several(first, most);
  ASSAY_ASSIGN(const auto made, make({.family = Family::own, .number = first}));
  return made ? 1 : 0;
}

Step<std::vector<size_t>> Pool::own(int first, int count) {
  make_room(first, count);
  const int end = first + count;
  for (int number = first; number < end;) {
    // What there is no room for is computed again once it is needed.
    if (is_kept(number) || (room() == 0 && places_.contains({Family::own, number}))) {
      ++number;
      continue;
    }
    ASSAY_ASSIGN(const int made, make_some(number, missing(number, end)));
    if (made == 0)
      return std::unexpected(Stop(not_judged_stage(
          Stage::measure, "the problem has no result for inputs that it draws itself")));
    number += made;
  }
  std::vector<size_t> entries;
  for (int number = first; number < end; ++number)
    entries.push_back(places_.at({Family::own, number}));
  return entries;
}

Step<int> Pool::draw_ahead(int first, int end) {
  while (first < end && is_kept(first)) ++first;
  if (first == end || room() == 0) return first;
  ASSAY_ASSIGN(const int made, make_some(first, missing(first, end)));
  return first + made;
}

Step<std::optional<size_t>> Pool::other(Family family, int number) {
  if (auto found = places_.find({family, number}); found != places_.end()) return found->second;
  return make({.family = family, .number = number});
}

Step<void> Pool::bring(size_t entry) {
  Entry& wanted = entries_[entry];
  const bool is_there = wanted.memory ? !wanted.is_spoilt : there_ == entry;
  reference_.look_at(wanted.memory ? &*wanted.memory : nullptr);
  if (is_there) return {};
  if (!wanted.memory) there_.reset();
  ASSAY_ASSIGN(wanted.expected, reference_.expect(wanted.ask));
  wanted.is_spoilt = false;
  if (!wanted.memory) there_ = entry;
  return {};
}

// Its own for each entry: what one window leaves is no poison to the next.
Poison Pool::poison_of(const Entry& entry) const {
  return Poison(random_.named("poison").named(reference_.draw_name(entry.ask)));
}

Step<void> Pool::give(size_t entry, const RoundMemory& memory, size_t slot) {
  ASSAY_TRY(bring(entry));
  const RoundMemory& here = reference_.memory();
  const Poison poison = poison_of(entries_[entry]);
  for (size_t i = 0; i < memory.outputs.count(); ++i)
    poison.fill(memory.outputs.specs()[i].dtype, memory.outputs.tensor(i, slot));
  put(here.inout.all(), memory.inout.all(slot));
  put(here.inputs.all(), memory.inputs.all(slot));
  return {};
}

Step<RoundResult> Pool::judge(size_t entry, const RoundMemory& memory, size_t slot) {
  Entry& judged = entries_[entry];
  if (std::ranges::any_of(judged.good, [&](Bytes good) { return is_left_in(memory, slot, good); }))
    return RoundResult{};
  if (good_.entry == entry && is_left_in(memory, slot, good_.left)) return RoundResult{};
  ASSAY_TRY(bring(entry));
  const RoundMemory& here = reference_.memory();
  const Bytes given = here.inout.all();
  const std::vector<std::byte> before(given.begin(), given.end());
  put(memory.outputs.all(slot), here.outputs.all());
  put(memory.inout.all(slot), here.inout.all());
  auto result = reference_.judge(judged.expected, poison_of(judged),
                                 random_.named("judge").named(reference_.draw_name(judged.ask)));
  put(before, here.inout.all());
  if (judged.expected.is_spent && !reference_.chunks()) {
    judged.is_spoilt = true;
    there_.reset();
  }
  if (!result || !result->complaints.empty()) return result;
  if (judged.memory && judged.good.size() < most_good(reference_.problem()))
    judged.good.push_back(left_in(memory, slot));
  if (!judged.memory) good_ = {entry, left_in(memory, slot)};
  return result;
}

std::vector<bool> Pool::results_that_differ() const {
  const bool has_exact = reference_.computes_in_double();
  const size_t count = reference_.memory().baseline.count();
  std::vector<bool> differ(count, false);
  const Entry* first = nullptr;
  for (const Entry& entry : entries_) {
    if (entry.ask.family != Family::own || entry.ask.number >= kFirst) continue;
    if (!entry.memory || entry.is_spoilt) return std::vector<bool>(count, true);
    if (!first) first = &entry;
    const RoundMemory &a = *first->memory, &b = *entry.memory;
    for (size_t i = 0; i < count; ++i) {
      auto exact = [&](const RoundMemory& of) {
        return has_exact ? of.reference.tensor(i).data() : nullptr;
      };
      if (are_apart(a.baseline.specs()[i], a.baseline.tensor(i).data(), b.baseline.tensor(i).data(),
                    a.reference.specs()[i], exact(a), exact(b)))
        differ[i] = true;
    }
  }
  return first == nullptr ? std::vector<bool>(count, true) : differ;
}

int64_t Pool::baseline_ns() const {
  return baselines_ns_.empty() ? 0 : static_cast<int64_t>(median(baselines_ns_));
}

}  // namespace assay
