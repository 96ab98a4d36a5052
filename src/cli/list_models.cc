#include "cli/list_models.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "author/author.h"
#include "base/escape.h"
#include "base/units.h"
#include "base/words.h"
#include "run/python.h"
#include "workload/zoo.h"

namespace assay {
namespace {

// Of the packages that a model imports, those that the interpreter in use does not have.
std::vector<std::string> missing_of(const ZooModel& model, const PythonDescription& python) {
  std::vector<std::string> missing;
  for (const std::string& package : model.needs)
    if (std::ranges::none_of(python.reads, [&](const std::string& folder) {
          return system_disk().is_directory(join_path(folder, package));
        }))
      missing.push_back(package);
  return missing;
}

std::string memory_of(const ModelSize& size) {
  return size.weight_bytes ? format_bytes(*size.weight_bytes) : "-";
}

// In the words of the command line: "batch=1,seq=32".
std::string numbers_in_words(const ModelNumbers& numbers) {
  std::vector<std::string> words;
  for (const auto& [key, value] : numbers) words.push_back(fmt::format("{}={}", key, value));
  return fmt::format("{}", fmt::join(words, ","));
}

void show_model(const ZooModel& model, Output& output) {
  output.write(fmt::format("{}  {}\n  file   {}\n", model.key, model.title, model.path));
  for (const ModelSize& size : model.sizes)
    output.write(fmt::format("  {:<6} weights of {}; {}\n", size.name, memory_of(size),
                             numbers_in_words(size.numbers)));
  const ModelNumbers& numbers = model.sizes.front().numbers;
  if (!numbers.empty())
    output.write(fmt::format("to choose\n  assay run 'model:{}[{}={}]@{}' --by eager,iree\n",
                             model.key, numbers.front().first, numbers.front().second + 1,
                             model.sizes.front().name));
}

// Who can take them on this machine, as far as packages go.
void write_authors(const PythonDescription& python, Output& output) {
  std::vector<std::string_view> here;
  std::map<std::string_view, std::vector<std::string_view>> lacking;  // packages, by the author
  for (const AuthorPackage& package : author_packages())
    if (!(python.*package.version))
      for (const std::string_view author : authors_with_package(package.name))
        lacking[author].push_back(package.name);
  for (const AuthorType& type : author_types())
    if (type.own && !type.is_of_tests && !type.name.contains('@') && !lacking.contains(type.name))
      here.push_back(type.name);
  output.write(fmt::format("by\n  {}\n", fmt::join(here, ", ")));
  for (const auto& [author, packages] : lacking)
    output.write(fmt::format("  {} needs {}\n", author, fmt::join(packages, " and ")));
}

}  // namespace

Result<int> list_models(const Places& places, const std::string& name, const Arguments&,
                        Output& output) {
  ASSAY_ASSIGN(const auto zoo, read_zoo(system_disk()));
  if (!name.empty()) {
    auto model = std::ranges::find(zoo, name, &ZooModel::key);
    std::vector<std::string> known;
    for (const ZooModel& each : zoo) known.push_back(each.key);
    if (model == zoo.end())
      return error(Code::not_found, "there is no model '" + name + "'" + suggestion(name, known));
    show_model(*model, output);
    return 0;
  }
  std::vector<std::string> sizes;
  for (const ZooModel& model : zoo)
    for (const ModelSize& size : model.sizes)
      if (std::ranges::find(sizes, size.name) == sizes.end()) sizes.push_back(size.name);
  ASSAY_ASSIGN(const std::string python, find_python(places));
  ASSAY_ASSIGN(const PythonDescription description, describe_python(python, places));
  std::string head = fmt::format("{:<16}", "weights of");
  for (const std::string& size : sizes) head += fmt::format(" {:<9}", size);
  output.write(head + "\n");
  std::vector<std::string> missing;
  for (const ZooModel& model : zoo) {
    std::string line = fmt::format("{:<16}", model.key);
    for (const std::string& name_of_size : sizes) {
      auto size = std::ranges::find(model.sizes, name_of_size, &ModelSize::name);
      line += fmt::format(" {:<9}", size == model.sizes.end() ? "" : memory_of(*size));
    }
    line += " " + model.title;
    for (const std::string& package : missing_of(model, description)) {
      line += "; needs " + package;
      if (std::ranges::find(missing, package) == missing.end()) missing.push_back(package);
    }
    output.write(line + "\n");
  }
  write_authors(description, output);
  if (!missing.empty())
    output.write(fmt::format("to have them all\n  {} -m pip install {}\n", shell_quote(python),
                             fmt::join(missing, " ")));
  return 0;
}

Proposals propose_zoo() {
  Proposals proposals;
  if (auto zoo = read_zoo(system_disk()))
    for (const ZooModel& model : *zoo) proposals.words.push_back({model.key, model.title});
  return proposals;
}

}  // namespace assay
