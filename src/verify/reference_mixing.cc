// What products and convolutions may have made of NaN and infinity.
#include <algorithm>

#include "verify/mixing.h"
#include "verify/reference.h"

namespace assay {
namespace {

using Spread = Oracle::Computation::Spread;
constexpr Spread kSpreads[] = {Spread::picks, Spread::kinds, Spread::places};

bool is_picked(const JudgedResult& judged) {
  return judged.leaf && (judged.leaf->picks || judged.leaf->from_picks);
}

// Of one result, or of a part of it.
uint64_t take_mixed(Spread how, const JudgedResult& judged, const Values& values, double largest,
                    const std::byte* of_spread, std::byte* exact, std::byte* baseline) {
  if (how == Spread::picks)
    return is_picked(judged) ? take_over_picks(values, largest, of_spread, exact) : 0;
  if (!is_floating(values.dtype)) return 0;
  return how == Spread::kinds ? take_over_kinds(values, of_spread, exact, baseline)
                              : take_over_places(values, of_spread, exact, baseline);
}

bool may_be_other(const JudgedResult& judged, const Figures& figures) {
  return figures.dropped > 0 || figures.spread > 0 || (is_picked(judged) && figures.unequal > 0);
}

}  // namespace

// True where there are such elements: then it has to be judged once more.
Step<bool> Reference::find_mixed(const Ask& ask, const std::vector<JudgedResult>& judged,
                                 Round& round) const {
  uint64_t taken = 0;
  for (const Spread how : kSpreads) {
    if (how == Spread::picks && std::ranges::none_of(judged, is_picked)) continue;
    ASSAY_ASSIGN(RoundMemory near, moved_inputs(ask, 0, 0));
    ASSAY_TRY(compute(near, false, nullptr, how));
    for (size_t i = 0; i < judged.size(); ++i) {
      OutputFigures& output = round.outputs[i];
      const uint64_t here = take_mixed(
          how, judged[i], output.values, output.figures.exact_max, near.reference.tensor(i).data(),
          memory_->reference.tensor(i).data(), memory_->baseline.tensor(i).data());
      output.mixed += here;
      taken += here;
    }
  }
  return taken > 0;
}

// The same for a chunk that has been computed, before it is compared.
Step<void> Reference::take_mixed_chunk(const Chunk& chunk, const std::vector<JudgedResult>& judged,
                                       const std::vector<Values>& pieces, Round& round) const {
  std::vector<Figures> figures;
  bool are_some = false;
  for (size_t i = 0; i < judged.size(); ++i) {
    figures.push_back(compare(pieces[i]));
    are_some |= may_be_other(judged[i], figures.back());
  }
  if (!are_some) return {};
  const std::span<std::byte> reference = memory_->reference.all();
  const std::vector<std::byte> exact(reference.begin(), reference.end());
  std::vector<std::vector<std::byte>> spreads;
  for (const Spread how : kSpreads) {
    ASSAY_TRY(compute(*memory_, false, &chunk, how));
    spreads.emplace_back(reference.begin(), reference.end());
  }
  std::ranges::copy(exact, reference.begin());
  for (size_t n = 0; n < spreads.size(); ++n)
    for (size_t i = 0; i < judged.size(); ++i) {
      std::byte* place = memory_->reference.tensor(i).data();
      const std::byte* of_spread = spreads[n].data() + (place - reference.data());
      round.outputs[i].mixed += take_mixed(kSpreads[n], judged[i], pieces[i], figures[i].exact_max,
                                           of_spread, place, memory_->baseline.tensor(i).data());
    }
  return {};
}

}  // namespace assay
