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

// "64", "2^10", "64:128:16", "2^6:2^10": each size, the end of a range included.
Result<std::vector<int64_t>> read_sizes(const Grammar& grammar, const OpKey& key,
                                        const Piece& piece);

}  // namespace assay
