#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "verify/reference.h"

namespace assay {

// The inputs that windows are given, with what is right for each. An entry is given to a process
// once at most, so that nothing that it keeps helps it; all launches of a measurement share them,
// since no process of one knows of another.
class Pool {
 public:
  // Keeps entries while they take so much; others are drawn and computed again each time. The
  // reference's memory is the pool's from here on.
  Pool(Reference& reference, const RandomStream& random, uint64_t most_bytes)
      : reference_(reference), random_(random), most_bytes_(most_bytes) {}

  // Of the inputs `ask`, by their number: entries are made when they are asked for first.
  // Nothing: the problem itself has no result for them.
  Step<std::optional<size_t>> entry(const Reference::Ask& ask);
  const Reference::Ask& ask(size_t entry) const { return entries_[entry].ask; }
  std::string name(size_t entry) const { return reference_.draw_name(entries_[entry].ask); }

  // Writes the inputs of an entry to a slot of a candidate's memory, and poison to its outputs.
  Step<void> give(size_t entry, const RoundMemory& memory, size_t slot);
  // Holds what a call has left in the slot against what is right.
  Step<RoundResult> judge(size_t entry, const RoundMemory& memory, size_t slot);

  // What one call takes by the oracle's own clock, in the precision of the problem: a first guess.
  int64_t baseline_ns() const;
  // What each entry takes, and one slot.
  uint64_t entry_bytes() const;

 private:
  struct Entry {
    Reference::Ask ask;
    Reference::Expected expected;
    bool is_kept = false;
    std::vector<std::byte> inputs, inout, exact, baseline;
    std::vector<std::byte> good;  // results that were found to be right: the same need no look
  };
  // Has reference_'s memory hold an entry.
  Step<void> bring(size_t entry);
  Step<bool> compute(Entry& entry);
  Poison poison_of(const Entry& entry) const;

  Reference& reference_;
  const RandomStream& random_;
  uint64_t most_bytes_, bytes_ = 0;
  std::vector<Entry> entries_;
  std::map<std::pair<Family, int>, size_t> places_;  // of entries, by what was asked for
  std::vector<int64_t> baselines_ns_;
  std::optional<size_t> there_;  // what reference_'s memory holds
};

}  // namespace assay
