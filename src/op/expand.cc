#include "op/expand.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>

#include "base/glob.h"
#include "base/rows.h"
#include "base/words.h"
#include "op/grammar.h"
#include "op/shapes.h"

namespace assay {
namespace {

using Value = OpArguments::Value;

// What the text gives to one key, or to several at once: "m=64|97", "(m,n)=(64,97)|(128,31)".
struct Argument {
  std::vector<Piece> keys;
  std::vector<Piece> choices;
  bool is_tuple = false;
};

// The same for one operation: each choice has a value for each key.
struct Axis {
  std::vector<const OpKey*> keys;
  std::vector<std::vector<Value>> choices;
};

// An operation, and the values of those keys that were given.
struct GivenRow {
  const Operation* operation = nullptr;
  OpArguments given;
};

bool is_in_parentheses(const Piece& piece) {
  return piece.text.size() >= 2 && piece.text.front() == '(' && piece.text.back() == ')';
}

std::vector<Piece> inside_parentheses(const Piece& piece) {
  return Piece{piece.text.substr(1, piece.text.size() - 2), piece.at + 1}.split(',');
}

// Of a key that nobody gave a value.
Value usual_value(const Operation& operation, const OpKey& key, const OpArguments& given) {
  if (!key.words.empty()) return std::string(key.otherwise);
  const OpKey* other = find_row(operation.keys, key.otherwise);
  if (!other) return std::stoll(std::string(key.otherwise));
  const Value* value = given.find(other->name);
  return value ? *value : usual_value(operation, *other, given);
}

OpWorkload completed(const GivenRow& row) {
  OpWorkload workload{row.operation, {}};
  for (const OpKey& key : row.operation->keys) {
    const Value* value = row.given.find(key.name);
    workload.arguments.set(key.name, value ? *value : usual_value(*row.operation, key, row.given));
  }
  return workload;
}

// In a number that does not overflow, whatever the sizes are.
double bytes_in_all(const std::vector<TensorSpec>& tensors) {
  double all = 0;
  for (const TensorSpec& each : tensors) {
    auto bytes = static_cast<double>(bytes_of(each.dtype));
    for (const int64_t size : each.shape) bytes *= static_cast<double>(size);
    all += bytes;
  }
  return all;
}

// That counting its bytes and its work cannot overflow.
Status check_size(const OpWorkload& workload) {
  constexpr double kMost = 0x1p60;
  // Neither is more than a few times all numbers together, which is known at once. But many of
  // these are no sizes: groups, strides, dilations.
  double product = 1;
  for (const auto& [key, value] : workload.arguments.all())
    if (const auto* number = std::get_if<int64_t>(&value); number && *number > 0)
      product *= static_cast<double>(*number);
  if (product <= kMost) return {};
  const OpProgram program = workload.operation->make(workload.arguments);
  const double bytes = bytes_in_all(program.inputs) + bytes_in_all(program.outputs);
  if (bytes > kMost)
    return error(Code::invalid_input,
                 fmt::format("its tensors come to {:.1g} bytes, which nothing holds", bytes),
                 "give smaller sizes");
  if (program.flops > kMost)
    return error(
        Code::invalid_input,
        fmt::format("its sizes come to {:.1g} operations, which nothing computes", program.flops),
        "give smaller ones");
  return {};
}

// That it has a program.
Status check(const OpWorkload& workload) {
  const Operation& operation = *workload.operation;
  if (operation.check) ASSAY_TRY(operation.check(workload.arguments));
  ASSAY_TRY(check_size(workload));
  const auto dynamic = dynamic_sizes(operation, workload.arguments);
  return dynamic ? Status{} : std::unexpected(dynamic.error());
}

std::unexpected<Error> refuse(const LeftOut& left_out) {
  return while_doing(left_out.why, "making " + left_out.what);
}

class Expansion {
 public:
  Expansion(std::string_view whole, const ReadShapes& read)
      : grammar_(whole, "assay list ops shows the operations"), read_(read) {}

  // `unnamed`: the operation of a text that names none, "op:[m=64]".
  Result<std::vector<GivenRow>> rows(const Operation* unnamed = nullptr) {
    const Piece rest = Piece{grammar_.whole(), 0}.from(kOpPrefix.size());
    // Its operation first: it is the first thing that may be wrong.
    ASSAY_TRY(find_operations(Piece{rest.text.substr(0, rest.text.find('[')), rest.at}, unnamed));
    ASSAY_ASSIGN(const NameAndArguments split, split_brackets(grammar_, rest));
    if (!split.arguments.text.empty())
      for (const Piece& argument : split.arguments.split(',')) ASSAY_TRY(read_argument(argument));
    std::vector<GivenRow> all;
    if (shapes_) {
      for (const GivenRow& row : *shapes_) ASSAY_TRY(combine(row, all));
    } else {
      for (const Operation* each : operations_) ASSAY_TRY(combine({each, {}}, all));
    }
    return all;
  }

  // Lines of the file.
  std::vector<LeftOut> take_left_out() { return std::move(left_out_); }

 private:
  // By a name, which may be a pattern.
  Status find_operations(const Piece& named, const Operation* unnamed) {
    const std::string name(named.text);
    if (unnamed && name.empty()) {
      operations_ = {unnamed};
    } else if (is_glob(name)) {
      for (const Operation& each : operations())
        if (matches_glob(name, std::string(each.name))) operations_.push_back(&each);
      if (operations_.empty())
        return grammar_.wrong(named, fmt::format("no operation matches '{}'", name));
    } else {
      auto found = find_operation(name);
      if (!found) return grammar_.wrong(named, found.error().message);
      operations_ = {*found};
    }
    if (operations_.size() == 1)
      grammar_.go_on(
          fmt::format("assay list ops {} shows what it takes", operations_.front()->name));
    return {};
  }

  Status read_argument(const Piece& piece) {
    const size_t equals = piece.text.find('=');
    const Piece keys{piece.text.substr(0, equals), piece.at};
    const bool is_shapes = keys.text == "file" || keys.text == "set";
    Argument argument;
    argument.is_tuple = is_in_parentheses(keys);
    argument.keys = argument.is_tuple ? inside_parentheses(keys) : std::vector{keys};
    if (!is_shapes)
      for (const Piece& key : argument.keys) ASSAY_TRY(is_taken(key));
    if (equals == std::string_view::npos)
      return grammar_.wrong(piece, fmt::format("'{0}' has no value; write {0}=...", keys.text));
    const Piece value = piece.from(equals + 1);
    if (is_shapes) return read_shapes(value, keys.text == "set");
    for (const Piece& key : argument.keys)
      if (!keys_.insert(key.text).second)
        return grammar_.wrong(argument.is_tuple ? key : piece,
                              fmt::format("'{0}' is given twice; write {0}=A|B", key.text));
    argument.choices = value.split('|');
    arguments_.push_back(std::move(argument));
    return {};
  }

  Status is_taken(const Piece& key) const {
    std::vector<std::string_view> known;
    for (const Operation* each : operations_)
      for (const OpKey& own : each->keys) {
        if (own.name == key.text) return {};
        known.push_back(own.name);
      }
    if (operations_.size() > 1)
      return grammar_.wrong(key, fmt::format("none of these operations takes '{}'", key.text));
    return grammar_.wrong(key, fmt::format("{} takes no '{}', but {}", operations_.front()->name,
                                           key.text, fmt::join(known, ", ")));
  }

  // The rows of a file that are of these operations.
  Status read_shapes(const Piece& name, bool is_set) {
    if (shapes_)
      return grammar_.wrong(name, "a second file or set; give each an 'op:...' of its own");
    if (!read_) return grammar_.wrong(name, "a file of shapes cannot name another");
    auto text = read_(std::string(name.text), is_set);
    if (!text) return while_doing(text.error(), fmt::format("reading '{}'", grammar_.whole()));
    ASSAY_ASSIGN(const auto lines, read_shape_lines(std::string(name.text), *text));
    shapes_.emplace();
    for (const ShapeLine& line : lines) {
      if (!line.refused.empty()) {
        left_out_.push_back({fmt::format("line {} of {}", line.number, name.text),
                             {Code::invalid_input, line.refused, "name a file with others", {}}});
        continue;
      }
      const std::string where = fmt::format("reading line {} of {}", line.number, name.text);
      const bool is_unnamed = line.text.starts_with("op:[");
      if (is_unnamed && operations_.size() > 1)
        return while_doing(
            error(Code::invalid_input, "it does not say of which operation it is",
                  "give the file a column 'op', or name one operation: op:matmul[file=...]")
                .error(),
            where);
      const ReadShapes none;
      auto rows = Expansion(line.text, none).rows(is_unnamed ? operations_.front() : nullptr);
      if (!rows) return while_doing(rows.error(), where);
      for (GivenRow& row : *rows)
        if (std::ranges::find(operations_, row.operation) != operations_.end())
          shapes_->push_back(std::move(row));
      ASSAY_TRY(not_too_many(shapes_->size()));
    }
    if (shapes_->empty() && left_out_.empty())
      return grammar_.wrong(name, fmt::format("'{}' has no row of such an operation", name.text));
    return {};
  }

  // All that one choice stands for: a range is several.
  Result<std::vector<Value>> read_values(const Operation& operation, const OpKey& key,
                                         const Piece& piece) const {
    if (key.words.empty()) {
      ASSAY_ASSIGN(const auto sizes, read_sizes(grammar_, key, piece));
      return std::vector<Value>(sizes.begin(), sizes.end());
    }
    if (std::ranges::find(key.words, piece.text) == key.words.end()) {
      const std::string whose = operations_.size() > 1 ? fmt::format(" of {}", operation.name) : "";
      return grammar_.wrong(piece, fmt::format("'{}' is no value of {}{}; it can be {}", piece.text,
                                               key.name, whose, fmt::join(key.words, ", ")));
    }
    return std::vector<Value>{std::string(piece.text)};
  }

  Status add_choice(const Operation& operation, const Argument& argument, const Piece& choice,
                    Axis& axis) const {
    if (!argument.is_tuple) {
      ASSAY_ASSIGN(const auto values, read_values(operation, *axis.keys.front(), choice));
      for (const Value& value : values) axis.choices.push_back({value});
      return {};
    }
    const std::vector<Piece> parts =
        is_in_parentheses(choice) ? inside_parentheses(choice) : std::vector<Piece>{};
    if (parts.size() != axis.keys.size())
      return grammar_.wrong(choice,
                            fmt::format("'{}' is not as many values in parentheses as there "
                                        "are keys, {}",
                                        choice.text, axis.keys.size()));
    std::vector<Value>& together = axis.choices.emplace_back();
    for (size_t i = 0; i < parts.size(); ++i) {
      ASSAY_ASSIGN(const auto values, read_values(operation, *axis.keys[i], parts[i]));
      if (values.size() != 1)
        return grammar_.wrong(parts[i], "one of several values in parentheses is no range");
      together.push_back(values.front());
    }
    return {};
  }

  // In the order of the operation's keys; without keys that only others take.
  Result<const std::vector<Axis>*> axes_of(const Operation& operation) {
    auto [place, is_new] = axes_.try_emplace(&operation);
    if (!is_new) return &place->second;
    std::vector<Axis>& axes = place->second;
    for (const Argument& argument : arguments_) {
      Axis axis;
      for (const Piece& key : argument.keys)
        if (const OpKey* own = find_row(operation.keys, key.text)) axis.keys.push_back(own);
      if (axis.keys.empty()) continue;
      if (axis.keys.size() != argument.keys.size())
        return grammar_.wrong(argument.keys.front(),
                              fmt::format("{} takes some of these keys alone", operation.name));
      for (const Piece& choice : argument.choices)
        ASSAY_TRY(add_choice(operation, argument, choice, axis));
      std::set<std::vector<Value>> seen;
      std::erase_if(axis.choices, [&](const auto& each) { return !seen.insert(each).second; });
      axes.push_back(std::move(axis));
    }
    std::ranges::stable_sort(axes, {}, [](const Axis& axis) { return axis.keys.front(); });
    return &axes;
  }

  // A row, with what the text says beside it: that is meant for all rows.
  Status combine(const GivenRow& start, std::vector<GivenRow>& all) {
    ASSAY_ASSIGN(const std::vector<Axis>* axes, axes_of(*start.operation));
    size_t count = 1;
    std::vector<size_t> counts;
    for (const Axis& axis : *axes) {
      counts.push_back(axis.choices.size());
      count *= axis.choices.size();
      ASSAY_TRY(not_too_many(all.size() + count));
    }
    for_each_combination(counts, [&](const std::vector<size_t>& places) {
      GivenRow& row = all.emplace_back(start);
      for (size_t i = 0; i < axes->size(); ++i) {
        const Axis& axis = (*axes)[i];
        for (size_t k = 0; k < axis.keys.size(); ++k)
          row.given.set(axis.keys[k]->name, axis.choices[places[i]][k]);
      }
    });
    return {};
  }

  Status not_too_many(size_t count) const {
    if (count <= kMostOpWorkloads) return {};
    return grammar_.wrong({"", 0},
                          fmt::format("it stands for more than {} workloads", kMostOpWorkloads));
  }

  Grammar grammar_;
  const ReadShapes& read_;
  std::vector<const Operation*> operations_;
  std::vector<Argument> arguments_;
  std::set<std::string_view> keys_;  // that arguments_ has
  std::optional<std::vector<GivenRow>> shapes_;
  std::vector<LeftOut> left_out_;
  std::map<const Operation*, std::vector<Axis>> axes_;
};

}  // namespace

std::string OpWorkload::name() const {
  std::string text(operation->name);
  for (const OpKey& key : operation->keys) {
    const Value& value = *arguments.find(key.name);
    if (key.is_quiet && value == usual_value(*operation, key, arguments)) continue;
    text += "_";
    if (key.words.empty() || key.is_quiet) text += key.name;
    // Names become paths: "f16*f16->f32" is f16_f16_f32.
    for (const char c : text_of(value))
      if (c != '>') text += c == '*' || c == '-' ? '_' : c;
  }
  return text;
}

std::string OpWorkload::spelled() const {
  std::vector<std::string> parts;
  for (const OpKey& key : operation->keys) {
    const Value& value = *arguments.find(key.name);
    if (!key.is_quiet || value != usual_value(*operation, key, arguments))
      parts.push_back(fmt::format("{}={}", key.name, text_of(value)));
  }
  return fmt::format("{}{}[{}]", kOpPrefix, operation->name, fmt::join(parts, ","));
}

std::string OpWorkload::classic_name() const {
  if (!operation->classic_name) return "";
  const Value* adds = arguments.find("accumulate");
  const bool had_it =
      arguments.word(kDynamicKey) == kNoDynamicSize && (!adds || *adds == Value(std::string("no")));
  return had_it ? operation->classic_name(arguments) : "";
}

Result<OpSweep> sweep_op(std::string_view text, const ReadShapes& read) {
  if (!text.starts_with(kOpPrefix))
    return error(Code::invalid_input, fmt::format("'{}' does not begin with 'op:'", text));
  Expansion expansion(text, read);
  ASSAY_ASSIGN(const std::vector<GivenRow> rows, expansion.rows());
  OpSweep sweep{.workloads = {}, .left_out = expansion.take_left_out()};
  std::unordered_set<std::string> seen;
  for (const GivenRow& row : rows) {
    OpWorkload workload = completed(row);
    std::string spelled = workload.spelled();
    if (!seen.insert(spelled).second) continue;
    if (const Status good = check(workload); !good)
      sweep.left_out.push_back({std::move(spelled), good.error()});
    else
      sweep.workloads.push_back(std::move(workload));
  }
  if (sweep.workloads.empty()) return refuse(sweep.left_out.front());
  return sweep;
}

Result<std::vector<OpWorkload>> expand_op(std::string_view text, const ReadShapes& read) {
  ASSAY_ASSIGN(OpSweep sweep, sweep_op(text, read));
  if (!sweep.left_out.empty()) return refuse(sweep.left_out.front());
  return std::move(sweep.workloads);
}

}  // namespace assay
