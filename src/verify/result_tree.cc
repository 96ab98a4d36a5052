#include "verify/result_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "base/json.h"

namespace assay {
namespace {

constexpr ElementType kTypes[] = {{"float32", ElementType::Kind::floating, 4},
                                  {"float64", ElementType::Kind::floating, 8},
                                  {"float16", ElementType::Kind::floating, 2},
                                  {"bfloat16", ElementType::Kind::narrow, 2},
                                  {"complex64", ElementType::Kind::complex, 8},
                                  {"complex128", ElementType::Kind::complex, 16},
                                  {"int8", ElementType::Kind::whole, 1},
                                  {"int16", ElementType::Kind::whole, 2},
                                  {"int32", ElementType::Kind::whole, 4},
                                  {"int64", ElementType::Kind::whole, 8},
                                  {"uint8", ElementType::Kind::whole, 1},
                                  {"uint16", ElementType::Kind::whole, 2},
                                  {"uint32", ElementType::Kind::whole, 4},
                                  {"uint64", ElementType::Kind::whole, 8},
                                  {"bool", ElementType::Kind::boolean, 1},
                                  {"float8_e4m3fn", ElementType::Kind::narrow, 1},
                                  {"float8_e5m2", ElementType::Kind::narrow, 1},
                                  {"float8_e4m3fnuz", ElementType::Kind::narrow, 1},
                                  {"float8_e5m2fnuz", ElementType::Kind::narrow, 1}};

constexpr size_t kMostNodes = 200'000;
constexpr size_t kMostRank = 64;
constexpr size_t kMostTextBytes = size_t{64} << 10;

std::unexpected<Error> no_result_tree(const std::string& what) {
  return error(Code::corrupt, "what the tests left is not as a worker writes it: " + what);
}

class Reader {
 public:
  explicit Reader(std::string_view blob) : blob_(blob) {}

  Result<ResultNode> node(const Json& json) {
    if (++nodes_ > kMostNodes) return no_result_tree("it has too many parts");
    if (!json.is_object() || json.empty()) return no_result_tree("a part is no object");
    ResultNode node;
    const std::string& word = json.begin().key();
    const Json& value = json.begin().value();
    if (word == "tensor") return tensor(json);
    if (word == "none") return node;
    if (word == "bool" && value.is_boolean()) {
      node.kind = ResultNode::Kind::boolean;
      node.boolean = value.get<bool>();
      return node;
    }
    if (word == "float" && value.is_string()) {
      node.kind = ResultNode::Kind::number;
      ASSAY_ASSIGN(node.number, number(value.get_ref<const std::string&>()));
      return node;
    }
    for (auto [name, kind] :
         {std::pair{"int", ResultNode::Kind::whole}, std::pair{"text", ResultNode::Kind::text},
          std::pair{"other", ResultNode::Kind::other}}) {
      if (word != name || !value.is_string()) continue;
      node.kind = kind;
      node.text = value.get<std::string>().substr(0, kMostTextBytes);
      return node;
    }
    for (auto [name, kind] :
         {std::pair{"list", ResultNode::Kind::list}, std::pair{"tuple", ResultNode::Kind::tuple}}) {
      if (word != name || !value.is_array()) continue;
      node.kind = kind;
      for (const Json& part : value) {
        ASSAY_ASSIGN(ResultNode read, this->node(part));
        node.parts.push_back(std::move(read));
      }
      return node;
    }
    if (word != "dict" || !value.is_array()) return no_result_tree("a part of no known kind");
    node.kind = ResultNode::Kind::dict;
    for (const Json& part : value) {
      if (!part.is_array() || part.size() != 2 || !part[0].is_string())
        return no_result_tree("a part of a dict without its key");
      ASSAY_ASSIGN(ResultNode read, this->node(part[1]));
      read.key = part[0].get<std::string>();
      node.parts.push_back(std::move(read));
    }
    return node;
  }

 private:
  // As Python's float.hex() writes it.
  static Result<double> number(const std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || end != text.c_str() + text.size())
      return no_result_tree("a number that is none");
    return value;
  }

  Result<ResultNode> tensor(const Json& json) const {
    ResultNode node;
    node.kind = ResultNode::Kind::tensor;
    JsonReader fields(json, "a tensor");
    node.type = element_type(fields.text("tensor"));
    const Json& shape = fields.value("shape");
    const int64_t at = fields.integer("at"), bytes = fields.integer("bytes");
    ASSAY_TRY(fields.status());
    if (node.type == nullptr) return no_result_tree("a tensor of an unknown type");
    if (!shape.is_array() || shape.size() > kMostRank)
      return no_result_tree("a tensor without a shape");
    uint64_t count = 1;
    for (const Json& size : shape) {
      if (!size.is_number_integer() || size.get<int64_t>() < 0)
        return no_result_tree("a tensor's shape is none");
      node.shape.push_back(size.get<int64_t>());
      const auto factor = static_cast<uint64_t>(node.shape.back());
      if (factor != 0 && count > (blob_.size() + 1) / factor + 1)
        return no_result_tree("a tensor that is larger than all there is");
      count *= factor;
    }
    if (at < 0 || bytes < 0 || static_cast<uint64_t>(bytes) != count * node.type->bytes ||
        static_cast<uint64_t>(at) > blob_.size() ||
        static_cast<uint64_t>(bytes) > blob_.size() - static_cast<uint64_t>(at))
      return no_result_tree("a tensor's bytes are not there");
    node.bytes = blob_.substr(static_cast<size_t>(at), static_cast<size_t>(bytes));
    return node;
  }

  std::string_view blob_;
  size_t nodes_ = 0;
};

std::string_view kind_in_words(const ResultNode& node) {
  switch (node.kind) {
    case ResultNode::Kind::none:
      return "None";
    case ResultNode::Kind::boolean:
      return "a bool";
    case ResultNode::Kind::whole:
      return "an int";
    case ResultNode::Kind::number:
      return "a float";
    case ResultNode::Kind::text:
      return "a text";
    case ResultNode::Kind::other:
      return "an object";
    case ResultNode::Kind::tensor:
      return "a tensor";
    case ResultNode::Kind::list:
      return "a list";
    case ResultNode::Kind::tuple:
      return "a tuple";
    case ResultNode::Kind::dict:
      return "a dict";
  }
  return "";
}

std::string shape_in_words(const std::vector<int64_t>& shape) {
  std::string words = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    words += fmt::format("{}{}", i > 0 ? ", " : "", shape[i]);
  return words + "]";
}

// A candidate may have as many keys as it likes.
std::map<std::string_view, const ResultNode*> by_key(const ResultNode& node) {
  std::map<std::string_view, const ResultNode*> parts;
  for (const ResultNode& part : node.parts) parts.try_emplace(part.key, &part);
  return parts;
}

class Comparing {
 public:
  explicit Comparing(const CompareElements& elements) : elements_(elements) {}

  std::optional<ResultDifference> nodes(const ResultNode& expected, const ResultNode& found,
                                        const std::string& where, bool is_nested) const {
    auto differs = [&](Differs how, std::string why) {
      return ResultDifference{.how = how, .where = where, .why = std::move(why)};
    };
    if (expected.kind != found.kind)
      return differs(Differs::type, fmt::format("it is {}, and the suite's is {}",
                                                kind_in_words(found), kind_in_words(expected)));
    switch (expected.kind) {
      case ResultNode::Kind::none:
        return std::nullopt;
      case ResultNode::Kind::boolean:
        if (expected.boolean == found.boolean) return std::nullopt;
        return differs(Differs::value, fmt::format("it is {}, and the suite's is {}", found.boolean,
                                                   expected.boolean));
      case ResultNode::Kind::whole:
      case ResultNode::Kind::text:
        if (expected.text == found.text) return std::nullopt;
        return differs(Differs::value, fmt::format("it is {:.60}, and the suite's is {:.60}",
                                                   found.text, expected.text));
      case ResultNode::Kind::other: {
        ResultDifference opaque = differs(
            Differs::type, fmt::format("what it is cannot be compared: {:.100}", expected.text));
        opaque.is_opaque = true;
        return opaque;
      }
      case ResultNode::Kind::number:
        return at(elements_(expected, found, is_nested), where);
      case ResultNode::Kind::tensor:
        return tensors(expected, found, where, is_nested);
      case ResultNode::Kind::list:
      case ResultNode::Kind::tuple:
        return lists(expected, found, where);
      case ResultNode::Kind::dict:
        return dicts(expected, found, where);
    }
    return std::nullopt;
  }

 private:
  std::optional<ResultDifference> tensors(const ResultNode& expected, const ResultNode& found,
                                          const std::string& where, bool is_nested) const {
    if (expected.shape != found.shape)
      return ResultDifference{
          .how = Differs::shape,
          .where = where,
          .why = fmt::format("its shape is {}, and the suite's is {}", shape_in_words(found.shape),
                             shape_in_words(expected.shape))};
    if (expected.type != found.type)
      return ResultDifference{.how = Differs::type,
                              .where = where,
                              .why = fmt::format("its elements are {}, and the suite's are {}",
                                                 found.type->name, expected.type->name)};
    return at(elements_(expected, found, is_nested), where);
  }

  static std::optional<ResultDifference> at(std::optional<ResultDifference> difference,
                                            const std::string& where) {
    if (difference) difference->where = where + difference->where;
    return difference;
  }

  std::optional<ResultDifference> lists(const ResultNode& expected, const ResultNode& found,
                                        const std::string& where) const {
    if (expected.parts.size() != found.parts.size())
      return ResultDifference{.how = Differs::parts,
                              .where = where,
                              .why = fmt::format("it has {} parts, and the suite's has {}",
                                                 found.parts.size(), expected.parts.size())};
    for (size_t i = 0; i < expected.parts.size(); ++i)
      if (auto difference =
              nodes(expected.parts[i], found.parts[i], fmt::format("{}[{}]", where, i), true))
        return difference;
    return std::nullopt;
  }

  std::optional<ResultDifference> dicts(const ResultNode& expected, const ResultNode& found,
                                        const std::string& where) const {
    const auto expected_parts = by_key(expected), found_parts = by_key(found);
    for (const ResultNode& part : found.parts)
      if (!expected_parts.contains(part.key))
        return ResultDifference{
            .how = Differs::parts,
            .where = where,
            .why = fmt::format("it has '{:.60}', and the suite's has not", part.key)};
    for (const ResultNode& part : expected.parts) {
      auto other = found_parts.find(part.key);
      if (other == found_parts.end())
        return ResultDifference{.how = Differs::parts,
                                .where = where,
                                .why = fmt::format("it lacks '{:.60}'", part.key)};
      if (auto difference =
              nodes(part, *other->second, fmt::format("{}['{:.60}']", where, part.key), true))
        return difference;
    }
    return std::nullopt;
  }

  const CompareElements& elements_;
};

void count(const ResultNode& node, ResultCount& counted) {
  switch (node.kind) {
    case ResultNode::Kind::tensor: {
      if (node.type->kind == ElementType::Kind::narrow) counted.narrow = true;
      const uint64_t elements = node.bytes.size() / node.type->bytes;
      counted.values += elements;
      if (elements > 0) ++counted.tensors;
      break;
    }
    case ResultNode::Kind::number:
      ++counted.numbers;
      ++counted.values;
      break;
    case ResultNode::Kind::whole:
      ++counted.values;
      break;
    case ResultNode::Kind::boolean:
      ++counted.flags;
      break;
    default:
      break;
  }
  for (const ResultNode& part : node.parts) count(part, counted);
}

}  // namespace

const ElementType* element_type(std::string_view name) {
  auto type = std::ranges::find(kTypes, name, &ElementType::name);
  return type == std::end(kTypes) ? nullptr : &*type;
}

Result<ResultTree> read_result_tree(std::string written) {
  ResultTree tree{std::make_shared<const std::string>(std::move(written)), {}};
  const std::string_view all = *tree.written;
  const size_t end = all.find('\n');
  if (end == std::string_view::npos) return no_result_tree("it has no first line");
  auto json = parse_json(all.substr(0, end), "what the tests left");
  if (!json) return no_result_tree(json.error().message);
  Reader reader(all.substr(end + 1));
  ASSAY_ASSIGN(tree.root, reader.node(*json));
  return tree;
}

ResultCount count_of(const ResultNode& node) {
  ResultCount counted;
  count(node, counted);
  return counted;
}

std::optional<ResultDifference> compare_trees(const ResultNode& expected, const ResultNode& found,
                                              const CompareElements& elements) {
  return Comparing(elements).nodes(expected, found, "", false);
}

std::map<std::string, ResultDifference> parts_that_differ(const ResultNode& expected,
                                                          const ResultNode& found,
                                                          const CompareElements& elements) {
  std::map<std::string, ResultDifference> differ;
  const auto expected_parts = by_key(expected), found_parts = by_key(found);
  const auto lacks = [&](std::string_view key, std::string_view why) {
    differ.try_emplace(std::string(key), ResultDifference{.how = Differs::parts,
                                                          .where = fmt::format("['{:.60}']", key),
                                                          .why = std::string(why)});
  };
  for (const auto& [key, part] : expected_parts) {
    const auto other = found_parts.find(key);
    if (other == found_parts.end()) {
      lacks(key, "it is lacking");
    } else if (auto difference = Comparing(elements).nodes(*part, *other->second,
                                                           fmt::format("['{:.60}']", key), true)) {
      differ.try_emplace(std::string(key), std::move(*difference));
    }
  }
  for (const auto& [key, part] : found_parts)
    if (!expected_parts.contains(key)) lacks(key, "the suite's own code leaves none");
  return differ;
}

}  // namespace assay
