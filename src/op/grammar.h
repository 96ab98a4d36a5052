// Pieces of a text that is typed, so that what is wrong with it is said with its place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "op/operation.h"

namespace assay {

struct Piece {
  std::string_view text;
  size_t at = 0;  // in the whole

  // What stands between those characters that no parentheses hold.
  std::vector<Piece> split(char by) const;
  Piece from(size_t begin) const { return {text.substr(begin), at + begin}; }
};

class Grammar {
 public:
  // `next` is what to do about anything that is wrong.
  Grammar(std::string_view whole, std::string next) : whole_(whole), next_(std::move(next)) {}

  std::string_view whole() const { return whole_; }
  // From here on it is about something of which more is known.
  void go_on(std::string next) { next_ = std::move(next); }
  std::unexpected<Error> wrong(const Piece& piece, const std::string& what) const;

 private:
  std::string_view whole_;
  std::string next_;
};

// A name, and what stands in the brackets behind it; "" where there are none.
struct NameAndArguments {
  Piece name, arguments;
};
// Of the text from `rest` on, which ends with the brackets.
Result<NameAndArguments> split_brackets(const Grammar& grammar, const Piece& rest);

// Calls with each combination of one place below each of these counts, the last place changing
// fastest.
template <class Take>
void for_each_combination(const std::vector<size_t>& counts, Take take) {
  std::vector<size_t> places(counts.size(), 0);
  for (const size_t count : counts)
    if (count == 0) return;
  while (true) {
    take(std::as_const(places));
    size_t i = counts.size();
    while (i > 0 && ++places[i - 1] == counts[i - 1]) places[--i] = 0;
    if (i == 0) return;
  }
}

// "64", "2^10", "64:128:16", "2^6:2^10": each size, the end of a range included.
Result<std::vector<int64_t>> read_sizes(const Grammar& grammar, const OpKey& key,
                                        const Piece& piece);

}  // namespace assay
