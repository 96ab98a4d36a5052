// `file:PATH`: implementations that people, or their programs, have written.
#include <fmt/format.h>

#include <filesystem>

#include "author/all.h"
#include "author/file_name.h"
#include "base/glob.h"

namespace assay {
namespace {

// "mine/v*.py": the files among what it matches. The author is called as their folder is.
Result<Author> find_pattern(const Disk& disk, const std::string& written, const std::string& given,
                            std::string_view option) {
  Author author{.name = {}, .reference = written, .path = absolute_path(given)};
  for (const std::string& path : expand_glob(disk, author.path))
    if (!disk.is_directory(path) && read_file_name(path)) author.files.push_back(path);
  if (author.files.empty())
    return error(Code::not_found,
                 fmt::format("{} {}: '{}' matches no candidate's file", option, written, given),
                 "a candidate is code, or an answer with code in it: " + known_endings());
  author.name = std::filesystem::path(author.path).parent_path().filename().string();
  if (author.name.empty() || is_glob(author.name)) author.name = "files";
  return author;
}

Result<Author> find_file(const Disk& disk, const std::string& written, const std::string& behind,
                         std::string_view option) {
  std::string given = behind;
  if (given.empty())
    return error(Code::invalid_input, fmt::format("{} {} names no file", option, written),
                 "file:PATH takes a file, or a folder of files named as the problems are");
  if (!disk.exists(given) && is_glob(given)) return find_pattern(disk, written, given, option);
  if (!disk.exists(given))
    return error(Code::not_found, fmt::format("{} {}: there is no '{}'", option, written, given),
                 "file: takes a file, or a folder of files named as the problems are");
  std::filesystem::path path = absolute_path(given);
  if (!path.has_filename()) path = path.parent_path();
  if (!disk.is_directory(path.string()) && !read_file_name(path.string()))
    return error(Code::invalid_input,
                 fmt::format("{} {}: '{}' is no candidate's file", option, written, given),
                 "a candidate is code, or an answer with code in it: " + known_endings());
  return Author{.name = path.filename().string(), .reference = written, .path = path.string()};
}

}  // namespace

// What a native compiler makes, it makes for the machine it is on; code for GPUs is compiled for
// them.
bool serves_gpus_too(const Target& target, const Machine& machine) {
  return target.gpu || serves_this_machine(target, machine);
}

Author author_of_code(std::string name) {
  static const AuthorType type = file_author();
  return {.type = &type, .name = std::move(name), .reference = "file:"};
}

AuthorType file_author() {
  return {.name = "file:PATH",
          .title =
              "a file or a folder of files: ModelNew in Python, or assay_kernel in C or C++; or "
              "answers with such code in them",
          .serves = serves_gpus_too,
          .find = find_file};
}

}  // namespace assay
