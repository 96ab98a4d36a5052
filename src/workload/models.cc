// `model:NAME[KEY=VALUE,...]@SIZE`: whole networks (workload/zoo.h). Their suite is "model", their
// levels are the sizes. NAME may be a pattern.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/glob.h"
#include "base/words.h"
#include "op/grammar.h"
#include "workload/all.h"
#include "workload/choices.h"
#include "workload/zoo.h"

namespace assay {
namespace {

constexpr std::string_view kPrefix = "model:";
constexpr std::string_view kUsualSize = "small";

constexpr const char* kNext = "assay list models shows them, and their sizes";

// What is typed, taken apart.
struct Named {
  Piece pattern;    // of keys of models
  Piece arguments;  // between the brackets; "" where there are none
  Piece size;       // "" where none is named
};

Result<Named> take_apart(const Grammar& grammar) {
  Piece size, rest = Piece{grammar.whole(), 0}.from(kPrefix.size());
  // Behind a '[' that no ']' ends nothing is a size.
  if (const size_t at = rest.text.rfind('@');
      at != std::string_view::npos && rest.text.find(']', at) == std::string_view::npos) {
    size = rest.from(at + 1);
    rest.text = rest.text.substr(0, at);
    if (size.text.empty()) return grammar.wrong(size, "behind the '@' a size is missing");
  }
  ASSAY_ASSIGN(const NameAndArguments split, split_brackets(grammar, rest));
  return Named{split.name, split.arguments, size};
}

// Whether the model has each of the numbers that are chosen.
bool takes(const ZooModel& model, const Piece& arguments) {
  const ModelNumbers& numbers = model.sizes.front().numbers;
  return arguments.text.empty() ||
         std::ranges::all_of(arguments.split(','), [&](const Piece& argument) {
           const std::string_view key = argument.text.substr(0, argument.text.find('='));
           return std::ranges::find(numbers, key, &ModelNumbers::value_type::first) !=
                  numbers.end();
         });
}

// Fails where the model has no such number.
Result<std::vector<Choice>> choices_for(const Grammar& grammar, const Piece& arguments,
                                        const ZooModel& model) {
  const ModelNumbers& numbers = model.sizes.front().numbers;
  return read_choices(
      grammar, arguments, [&](const Piece& argument, const std::string& key) -> Status {
        if (std::ranges::find(numbers, key, &ModelNumbers::value_type::first) != numbers.end())
          return {};
        std::vector<std::string> known;
        for (const auto& [name, value] : numbers) known.push_back(name);
        return grammar.wrong(argument, fmt::format("{} takes no '{}', but {}", model.key, key,
                                                   fmt::join(known, ", ")));
      });
}

Workload workload_of(const ZooModel& model, const ModelSize& size, const ModelNumbers& given) {
  return {.path = fmt::format("{}{}{}@{}", kPrefix, model.key, in_brackets(given), size.name),
          .suite = "model",
          .level = size.name,
          .name = model.key + in_name(given),
          .shared_name = model.key};
}

Result<std::vector<Workload>> expand_model(const Disk& disk, const std::string& given) {
  Grammar grammar(given, kNext);
  ASSAY_ASSIGN(const Named named, take_apart(grammar));
  ASSAY_ASSIGN(const auto zoo, read_zoo(disk));
  const std::string pattern(named.pattern.text);
  std::vector<Workload> found, broken;
  std::vector<std::string> keys;
  bool matched = false, has_sound = false;
  for (const ZooModel& model : zoo) {
    keys.push_back(model.key);
    if (!matches_glob(pattern, model.key)) continue;
    matched = true;
    const std::string_view wanted = named.size.text.empty() ? kUsualSize : named.size.text;
    if (model.wrong) {
      if (!is_glob(pattern)) return std::unexpected(*model.wrong);
      broken.push_back(workload_of(model, {.name = std::string(wanted)}, {}));
      continue;
    }
    has_sound = true;
    auto size = std::ranges::find(model.sizes, wanted, &ModelSize::name);
    // A user's own has often a single one.
    if (size == model.sizes.end() && named.size.text.empty() && model.sizes.size() == 1)
      size = model.sizes.begin();
    // A pattern stands for those that can be what is asked.
    if (is_glob(pattern) && (size == model.sizes.end() || !takes(model, named.arguments))) continue;
    if (size == model.sizes.end()) {
      std::vector<std::string> sizes;
      for (const ModelSize& each : model.sizes) sizes.push_back(each.name);
      return grammar.wrong(named.size, fmt::format("{} has no size '{}', but {}", model.key, wanted,
                                                   fmt::join(sizes, ", ")));
    }
    ASSAY_ASSIGN(auto choices, choices_for(grammar, named.arguments, model));
    for_each_choice(choices, [&](const ModelNumbers& numbers) {
      found.push_back(workload_of(model, *size, numbers));
    });
  }
  if (!matched)
    return grammar.wrong(named.pattern,
                         fmt::format("there is no model '{}'{}", pattern,
                                     is_glob(pattern) ? "" : suggestion(pattern, keys)));
  // Each is one that cannot be judged: load_model() says why. Nobody knows its numbers.
  if ((!found.empty() || !has_sound) && named.arguments.text.empty())
    found.insert(found.end(), broken.begin(), broken.end());
  if (found.empty())
    return grammar.wrong(named.pattern,
                         fmt::format("no model of '{}' has such a size and such numbers", pattern));
  return found;
}

Result<LoadedWorkload> load_model(const Disk& disk, const Workload& workload) {
  Grammar grammar(workload.path, kNext);
  ASSAY_ASSIGN(const Named named, take_apart(grammar));
  ASSAY_ASSIGN(const auto model, find_model(disk, std::string(named.pattern.text)));
  if (!model) return grammar.wrong(named.pattern, "this model is no longer there");
  auto size = std::ranges::find(model->sizes, named.size.text, &ModelSize::name);
  if (size == model->sizes.end())
    return grammar.wrong(named.size, fmt::format("{} has no such size now", model->key));
  ASSAY_ASSIGN(auto choices, choices_for(grammar, named.arguments, *model));
  ModelNumbers numbers = size->numbers;
  for (const auto& [key, values] : choices)
    std::ranges::find(numbers, key, &ModelNumbers::value_type::first)->second = values.front();
  ASSAY_ASSIGN(const std::string python, disk.read(model->path));
  return LoadedWorkload{with_numbers(python, numbers)};
}

std::vector<NameBeginning> beginnings_of_models() {
  std::vector<NameBeginning> beginnings;
  if (auto zoo = read_zoo(system_disk()))
    for (const ZooModel& model : *zoo)
      beginnings.push_back({fmt::format("{}{}", kPrefix, model.key), model.title});
  return beginnings;
}

}  // namespace

Source model_source() {
  return {.prefix = kPrefix,
          .name = "model:NAME[KEY=VALUE,...]@SIZE",
          .title = "a whole network: NAME may be a pattern, and SIZE is small if not named",
          .expand = expand_model,
          .load = load_model,
          .beginnings = beginnings_of_models};
}

}  // namespace assay
