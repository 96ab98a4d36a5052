#include "op/expand.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "base/words.h"

namespace assay {
namespace {

std::vector<std::string> names(const std::vector<OpKey>& keys) {
  std::vector<std::string> known;
  for (const OpKey& key : keys) known.emplace_back(key.name);
  return known;
}

// A piece of the text, and where in it: what is wrong is shown with its place.
struct Piece {
  std::string_view text;
  size_t at = 0;

  std::vector<Piece> split(char by) const {
    std::vector<Piece> parts;
    size_t begin = 0;
    while (true) {
      size_t end = std::min(text.find(by, begin), text.size());
      parts.push_back({text.substr(begin, end - begin), at + begin});
      if (end == text.size()) return parts;
      begin = end + 1;
    }
  }
};

class Expansion {
 public:
  explicit Expansion(std::string_view whole) : whole_(whole) {}

  Result<std::vector<OpWorkload>> workloads() {
    ASSAY_ASSIGN(Piece arguments, head());
    ASSAY_TRY(read_arguments(arguments));
    return combined();
  }

 private:
  std::unexpected<Error> wrong(const Piece& piece, const std::string& what) const {
    return error(Code::invalid_input,
                 fmt::format("'{}', character {}: {}", whole_, piece.at + 1, what),
                 operation_ ? fmt::format("assay list ops {} shows what it takes", operation_->name)
                            : "assay list ops shows the operations");
  }

  // The operation's name; what stands between the brackets is left.
  Result<Piece> head() {
    Piece rest{whole_.substr(kOpPrefix.size()), kOpPrefix.size()};
    size_t bracket = rest.text.find('[');
    std::string_view name = rest.text.substr(0, bracket);
    auto operation = find_operation(name);
    if (!operation) return wrong(rest, operation.error().message);
    operation_ = *operation;
    if (bracket == std::string_view::npos) return Piece{};
    Piece inside{rest.text.substr(bracket + 1), rest.at + bracket + 1};
    size_t end = inside.text.find(']');
    if (end == std::string_view::npos)
      return wrong({"", whole_.size()}, "the ']' that ends the arguments is missing");
    if (std::string_view behind = inside.text.substr(end + 1); !behind.empty())
      return wrong({"", inside.at + end + 1},
                   fmt::format("'{}' stands behind the ']' that ends the arguments", behind));
    inside.text.remove_suffix(1);
    return inside;
  }

  Status read_arguments(const Piece& arguments) {
    if (arguments.text.empty()) return {};
    for (const Piece& argument : arguments.split(',')) {
      size_t equals = argument.text.find('=');
      std::string_view name = argument.text.substr(0, equals);
      auto key = std::ranges::find(operation_->keys, name, &OpKey::name);
      if (key == operation_->keys.end())
        return wrong(argument, fmt::format("{} takes no '{}', but {}", operation_->name, name,
                                           fmt::join(names(operation_->keys), ", ")));
      if (equals == std::string_view::npos)
        return wrong(argument, fmt::format("'{0}' has no value; write {0}=...", name));
      if (values_.contains(key->name))
        return wrong(argument, fmt::format("'{}' is given twice; write {}=A|B", name, name));
      Piece value{argument.text.substr(equals + 1), argument.at + equals + 1};
      ASSAY_TRY(read_values(*key, value));
    }
    return {};
  }

  Status read_values(const OpKey& key, const Piece& piece) {
    std::vector<OpArguments::Value>& values = values_[key.name];
    std::set<OpArguments::Value> seen(values.begin(), values.end());
    auto add = [&](OpArguments::Value value) {
      if (seen.insert(value).second) values.push_back(std::move(value));
    };
    for (const Piece& alternative : piece.split('|')) {
      if (key.words.empty()) {
        ASSAY_ASSIGN(auto numbers, range(key, alternative));
        for (int64_t number : numbers) add(number);
        continue;
      }
      if (std::ranges::find(key.words, alternative.text) == key.words.end())
        return wrong(alternative,
                     fmt::format("'{}' is no value of {}; it can be {}", alternative.text, key.name,
                                 fmt::join(key.words, ", ")));
      add(std::string(alternative.text));
    }
    return {};
  }

  struct Number {
    int64_t value = 0;
    std::optional<int64_t> base;  // of a power
  };

  static std::optional<int64_t> digits(std::string_view text) {
    int64_t value = 0;
    auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    bool whole = failure == std::errc() && end == text.data() + text.size();
    if (!whole || value < 1 || value > kLargestOpSize || text.starts_with('+')) return std::nullopt;
    return value;
  }

  Result<Number> number(const OpKey& key, const Piece& piece) const {
    auto refused = [&] {
      return wrong(piece,
                   fmt::format("'{}' is no size for {}; write a number from 1 to {}, a power "
                               "as 2^10, or a range as 64:128:16 or 2^6:2^10",
                               piece.text, key.name, kLargestOpSize));
    };
    size_t hat = piece.text.find('^');
    auto first = digits(piece.text.substr(0, hat));
    if (!first) return refused();
    if (hat == std::string_view::npos) return Number{*first, std::nullopt};
    std::string_view power = piece.text.substr(hat + 1);
    auto exponent = power == "0" ? 0 : digits(power);
    if (!exponent || *first < 2 || *exponent > 31) return refused();
    int64_t value = 1;
    for (int64_t i = 0; i < *exponent; ++i) {
      if (value > kLargestOpSize / *first) return refused();
      value *= *first;
    }
    return Number{value, *first};
  }

  Result<std::vector<int64_t>> range(const OpKey& key, const Piece& piece) const {
    std::vector<Piece> parts = piece.split(':');
    if (parts.size() > 3) return wrong(piece, "a range is FROM:TO or FROM:TO:STEP");
    ASSAY_ASSIGN(Number from, number(key, parts[0]));
    if (parts.size() == 1) return std::vector{from.value};
    ASSAY_ASSIGN(Number to, number(key, parts[1]));
    if (to.value < from.value)
      return wrong(parts[1], fmt::format("the range ends at {}, before it begins at {}", to.value,
                                         from.value));
    if (from.base != to.base)
      return wrong(piece, "both ends of a range are numbers, or powers of the same number");
    int64_t step = 1;
    if (parts.size() == 3) {
      auto given = digits(parts[2].text);
      if (!given)
        return wrong(parts[2],
                     fmt::format("'{}' is no step; write a whole number above 0", parts[2].text));
      step = *given;
    }
    std::vector<int64_t> values;
    for (int64_t value = from.value; value <= to.value;) {
      if (values.size() >= kMostOpWorkloads)
        return wrong(piece, fmt::format("that are more than {} values", kMostOpWorkloads));
      values.push_back(value);
      if (!from.base) {
        value += step;
        continue;
      }
      for (int64_t i = 0; i < step && value <= to.value; ++i) value *= *from.base;
    }
    return values;
  }

  Result<std::vector<OpWorkload>> combined() {
    size_t count = 1;
    for (const OpKey& key : operation_->keys) {
      auto& values = values_[key.name];
      if (values.empty()) {
        if (key.words.empty())
          values.emplace_back(*digits(key.otherwise));
        else
          values.emplace_back(std::string(key.otherwise));
      }
      count *= values.size();
      if (count > kMostOpWorkloads)
        return wrong({whole_, 0}, fmt::format("that are more than {} workloads", kMostOpWorkloads));
    }
    std::vector<OpWorkload> all(count);
    for (size_t i = 0; i < count; ++i) {
      all[i].operation = operation_;
      size_t each = count;
      for (const OpKey& key : operation_->keys) {
        const auto& values = values_[key.name];
        each /= values.size();
        all[i].arguments.set(key.name, values[i / each % values.size()]);
      }
    }
    return all;
  }

  std::string_view whole_;
  const Operation* operation_ = nullptr;
  std::map<std::string_view, std::vector<OpArguments::Value>> values_;
};

std::string text_of(const OpArguments::Value& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) return std::to_string(*number);
  return std::get<std::string>(value);
}

}  // namespace

std::string OpWorkload::name() const {
  std::string text(operation->name);
  for (const auto& [key, value] : arguments.all()) {
    text += "_";
    if (std::holds_alternative<int64_t>(value)) text += key;
    text += text_of(value);
  }
  return text;
}

std::string OpWorkload::spelled() const {
  std::vector<std::string> parts;
  for (const auto& [key, value] : arguments.all()) parts.push_back(key + "=" + text_of(value));
  return fmt::format("{}{}[{}]", kOpPrefix, operation->name, fmt::join(parts, ","));
}

Result<std::vector<OpWorkload>> expand_op(std::string_view text) {
  if (!text.starts_with(kOpPrefix))
    return error(Code::invalid_input, fmt::format("'{}' does not begin with 'op:'", text));
  return Expansion(text).workloads();
}

}  // namespace assay
