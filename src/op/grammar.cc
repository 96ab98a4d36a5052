#include "op/grammar.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "op/expand.h"

namespace assay {
namespace {

struct Size {
  int64_t value = 0;
  std::optional<int64_t> base;  // of a power
};

std::optional<int64_t> digits(std::string_view text, int64_t least) {
  int64_t value = 0;
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = failure == std::errc() && end == text.data() + text.size();
  if (!whole || value < least || value > kLargestOpSize) return std::nullopt;
  return value;
}

Result<Size> read_size(const Grammar& grammar, const OpKey& key, const Piece& piece) {
  auto refused = [&] {
    return grammar.wrong(piece,
                         fmt::format("'{}' is no size for {}; write a number from {} to {}, a "
                                     "power as 2^10, or a range as 64:128:16 or 2^6:2^10",
                                     piece.text, key.name, key.least, kLargestOpSize));
  };
  const size_t hat = piece.text.find('^');
  if (hat == std::string_view::npos) {
    auto value = digits(piece.text, key.least);
    if (!value) return refused();
    return Size{*value, std::nullopt};
  }
  auto base = digits(piece.text.substr(0, hat), 2);
  auto exponent = digits(piece.text.substr(hat + 1), 0);
  if (!base || !exponent || *exponent > 31) return refused();
  int64_t value = 1;
  for (int64_t i = 0; i < *exponent; ++i) {
    if (value > kLargestOpSize / *base) return refused();
    value *= *base;
  }
  return Size{value, *base};
}

}  // namespace

std::vector<Piece> Piece::split(char by) const {
  std::vector<Piece> parts;
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && depth > 0) --depth;
    if (text[i] != by || depth > 0) continue;
    parts.push_back({text.substr(begin, i - begin), at + begin});
    begin = i + 1;
  }
  parts.push_back(from(begin));
  return parts;
}

std::unexpected<Error> Grammar::wrong(const Piece& piece, const std::string& what) const {
  return error(Code::invalid_input,
               fmt::format("'{}', character {}: {}", whole_, piece.at + 1, what), next_);
}

Result<NameAndArguments> split_brackets(const Grammar& grammar, const Piece& rest) {
  const size_t bracket = rest.text.find('[');
  NameAndArguments split{{rest.text.substr(0, bracket), rest.at}, {}};
  if (bracket == std::string_view::npos) return split;
  split.arguments = rest.from(bracket + 1);
  const size_t end = split.arguments.text.find(']');
  if (end == std::string_view::npos)
    return grammar.wrong(rest.from(rest.text.size()), "the ']' that ends the arguments is missing");
  if (const Piece behind = split.arguments.from(end + 1); !behind.text.empty())
    return grammar.wrong(
        behind, fmt::format("'{}' stands behind the ']' that ends the arguments", behind.text));
  split.arguments.text.remove_suffix(1);
  return split;
}

Result<std::vector<int64_t>> read_sizes(const Grammar& grammar, const OpKey& key,
                                        const Piece& piece) {
  const std::vector<Piece> parts = piece.split(':');
  if (parts.size() > 3) return grammar.wrong(piece, "a range is FROM:TO or FROM:TO:STEP");
  ASSAY_ASSIGN(const Size from, read_size(grammar, key, parts[0]));
  if (parts.size() == 1) return std::vector{from.value};
  ASSAY_ASSIGN(const Size to, read_size(grammar, key, parts[1]));
  if (to.value < from.value)
    return grammar.wrong(parts[1], fmt::format("the range ends at {}, before it begins at {}",
                                               to.value, from.value));
  if (from.base != to.base)
    return grammar.wrong(piece, "both ends of a range are numbers, or powers of the same number");
  int64_t step = 1;
  if (parts.size() == 3) {
    auto given = digits(parts[2].text, 1);
    if (!given)
      return grammar.wrong(
          parts[2], fmt::format("'{}' is no step; write a whole number above 0", parts[2].text));
    step = *given;
  }
  std::vector<int64_t> values;
  for (int64_t value = from.value; value <= to.value;) {
    if (values.size() >= kMostOpWorkloads)
      return grammar.wrong(piece,
                           fmt::format("it stands for more than {} values", kMostOpWorkloads));
    values.push_back(value);
    if (!from.base) {
      value += step;
      continue;
    }
    for (int64_t i = 0; i < step && value <= to.value; ++i) value *= *from.base;
  }
  return values;
}

}  // namespace assay
