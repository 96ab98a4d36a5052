#include "cli/list_models.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "author/author.h"
#include "base/escape.h"
#include "base/units.h"
#include "base/words.h"
#include "cli/option_values.h"
#include "cli/shared_options.h"
#include "run/python.h"
#include "session/missing_module.h"
#include "workload/zoo.h"

namespace assay {
namespace {

// Whether `import NAME` finds it there: a folder, or one file in Python or of machine code.
bool has_module(const std::string& folder, const std::string& module) {
  const std::string place = join_path(folder, module);
  if (system_disk().is_directory(place) || system_disk().exists(place + ".py")) return true;
  const auto entries = system_disk().list(folder);
  return entries && std::ranges::any_of(*entries, [&](const DirectoryEntry& entry) {
           return entry.is_file && entry.name.starts_with(module + ".") &&
                  entry.name.ends_with(".so");
         });
}

// Of what a model imports, the packages that the interpreter in use does not have, as pip calls
// them.
std::vector<std::string> missing_of(const ZooModel& model, const PythonDescription& python) {
  std::vector<std::string> missing;
  for (const std::string& module : model.needs)
    if (std::ranges::none_of(python.reads,
                             [&](const std::string& folder) { return has_module(folder, module); }))
      missing.emplace_back(package_of(module));
  return missing;
}

// Whether what is right cannot be computed at this size, with what a process may take without
// --memory: it holds the weights as they are, once for itself and once to share them, and once more
// in double, which is at least as much.
Result<bool> is_too_large(const ModelSize& size) {
  ASSAY_ASSIGN(const uint64_t may_take, parse_memory_bytes(std::string(kMemory.fallback)));
  if (!size.weight_bytes) return false;
  const uint64_t in_double = size.double_bytes.value_or(*size.weight_bytes);
  return in_double > may_take || *size.weight_bytes > (may_take - in_double) / 2;
}

Result<std::string> memory_of(const ModelSize& size) {
  if (!size.weight_bytes) return "-";
  ASSAY_ASSIGN(const bool marked, is_too_large(size));
  return format_bytes(*size.weight_bytes) + (marked ? "*" : "");
}

// Who can take models on this machine, as far as packages of authors go.
struct AuthorsHere {
  std::vector<std::string_view> all{}, compiling{};
  std::map<std::string_view, std::vector<std::string_view>> lacking{};  // packages, by the author
};

AuthorsHere authors_here(const PythonDescription& python) {
  AuthorsHere here;
  for (const AuthorPackage& package : author_packages())
    if (!(python.*package.version))
      for (const std::string_view author : authors_with_package(package.name))
        here.lacking[author].push_back(package.name);
  for (const AuthorType& type : author_types()) {
    if (!type.own || type.is_of_tests || type.name.contains('@')) continue;
    if (here.lacking.contains(type.name)) continue;
    here.all.push_back(type.name);
    if (type.compiles()) here.compiling.push_back(type.name);
  }
  return here;
}

void write_lacking(const AuthorsHere& here, Output& output) {
  for (const auto& [author, packages] : here.lacking)
    output.write(fmt::format("  {} needs {}\n", author, fmt::join(packages, " and ")));
}

// In the words of the command line: "batch=1,seq=32".
std::string numbers_in_words(const ModelNumbers& numbers) {
  std::vector<std::string> words;
  for (const auto& [key, value] : numbers) words.push_back(fmt::format("{}={}", key, value));
  return fmt::format("{}", fmt::join(words, ","));
}

// Without those who are known not to take it.
std::string who_takes(const std::vector<std::string_view>& authors, const ZooModel& model,
                      std::string_view between = ", ") {
  std::vector<std::string_view> named;
  for (const std::string_view each : authors)
    if (std::ranges::find(model.not_by, each) == model.not_by.end()) named.push_back(each);
  return named.empty() ? "nobody here" : fmt::format("{}", fmt::join(named, between));
}

// Who can take it at this size.
Result<std::string> authors_of(const ZooModel& model, const ModelSize& size,
                               const AuthorsHere& here) {
  ASSAY_ASSIGN(const bool is_compiled_only, is_too_large(size));
  if (!is_compiled_only) return who_takes(here.all, model);
  return fmt::format("{}, which compile it: exact results take more than --memory {}",
                     who_takes(here.compiling, model), kMemory.fallback);
}

Status show_model(const ZooModel& model, const PythonDescription& python, Output& output) {
  output.write(fmt::format("{}  {}\n  file   {}\n", model.key, model.title, model.path));
  const std::vector<std::string> missing = missing_of(model, python);
  const AuthorsHere here = authors_here(python);
  for (const ModelSize& size : model.sizes) {
    ASSAY_ASSIGN(const std::string by, authors_of(model, size, here));
    output.write(fmt::format(
        "  {:<6} weights of {}; {}\n         by {}\n", size.name,
        size.weight_bytes ? format_bytes(*size.weight_bytes) : "-", numbers_in_words(size.numbers),
        missing.empty() ? by : fmt::format("nobody here: needs {}", fmt::join(missing, " and "))));
  }
  if (!model.not_by.empty())
    output.write(fmt::format("  not taken by {}\n", fmt::join(model.not_by, ", ")));
  write_lacking(here, output);
  const ModelNumbers& numbers = model.sizes.front().numbers;
  if (!numbers.empty())
    output.write(fmt::format("to choose\n  assay run 'model:{}[{}={}]@{}' --by {}\n", model.key,
                             numbers.front().first, numbers.front().second + 1,
                             model.sizes.front().name, who_takes({"eager", "iree"}, model, ",")));
  return {};
}

// Who can take what the table has.
void write_authors(const AuthorsHere& here, bool any_marked, Output& output) {
  output.write(fmt::format("by\n  {}\n", fmt::join(here.all, ", ")));
  write_lacking(here, output);
  if (any_marked)
    output.write(fmt::format(
        "  * by {} alone, with --until compile: exact results take more than --memory {}\n",
        fmt::join(here.compiling, ", "), kMemory.fallback));
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
    if (model->wrong) return std::unexpected(*model->wrong);
    ASSAY_ASSIGN(const std::string python, find_python(places));
    ASSAY_ASSIGN(const PythonDescription description, describe_python(python, places));
    ASSAY_TRY(show_model(*model, description, output));
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
  bool any_marked = false;
  for (const ZooModel& model : zoo) {
    if (model.wrong) {
      output.write(fmt::format("{:<16} broken: {}\n", model.key, model.wrong->describe()));
      continue;
    }
    std::string line = fmt::format("{:<16}", model.key);
    for (const std::string& name_of_size : sizes) {
      auto size = std::ranges::find(model.sizes, name_of_size, &ModelSize::name);
      std::string cell;
      if (size != model.sizes.end()) {
        ASSAY_ASSIGN(cell, memory_of(*size));
      }
      any_marked = any_marked || cell.ends_with('*');
      line += fmt::format(" {:<9}", cell);
    }
    line += " " + model.title;
    if (!model.not_by.empty()) line += fmt::format("; not by {}", fmt::join(model.not_by, ", "));
    for (const std::string& package : missing_of(model, description)) {
      line += "; nobody here: needs " + package;
      if (std::ranges::find(missing, package) == missing.end()) missing.push_back(package);
    }
    output.write(line + "\n");
  }
  write_authors(authors_here(description), any_marked, output);
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
