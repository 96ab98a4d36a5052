#include "author/author.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

#include "base/words.h"
#include "target/availability.h"
#include "target/host_cpu.h"

namespace assay {
namespace {

constexpr AuthorTitle kTitles[] = {
    {"eager", "the problem's own Model, as torch runs it"},
    {"iree", "the IREE compiler, from the exported program"},
    {"file:PATH", "a file or a folder of files: ModelNew in Python, or assay_kernel in C or C++"},
};
constexpr std::string_view kFilePrefix = "file:";
constexpr std::string_view kNumberMark = "__s";

struct Suffix {
  std::string_view suffix;
  CandidateKind kind;
};
constexpr Suffix kSuffixes[] = {{".py", CandidateKind::module},
                                {".c", CandidateKind::source},
                                {".cc", CandidateKind::source},
                                {".cpp", CandidateKind::source},
                                {".so", CandidateKind::library}};

struct Named {
  std::string stem;
  Candidate candidate;
};

// What a file's name says of a candidate. Nothing when it is none.
std::optional<Named> read_name(const std::string& path) {
  std::filesystem::path file(path);
  std::string name = file.filename().string();
  if (name.starts_with("_") || name.starts_with(".")) return std::nullopt;
  for (const Suffix& each : kSuffixes) {
    if (file.extension() != each.suffix) continue;
    std::string stem = file.stem().string();
    int number = 1;
    if (size_t mark = stem.rfind(kNumberMark); mark != std::string::npos) {
      const char* begin = stem.data() + mark + kNumberMark.size();
      const char* end = stem.data() + stem.size();
      int written = 0;
      auto [last, failed] = std::from_chars(begin, end, written);
      if (failed == std::errc() && last == end && written >= 1 && written <= 1'000'000) {
        number = written;
        stem.resize(mark);
      }
    }
    return Named{stem, {each.kind, number, path}};
  }
  return std::nullopt;
}

// Where the author's files for a level are.
std::string folder_for(const Disk& disk, const Author& author, const std::string& level) {
  std::string of_level = join_path(author.path, level);
  return !level.empty() && disk.is_directory(of_level) ? of_level : author.path;
}

Result<std::vector<Named>> named_files(const Disk& disk, const Author& author,
                                       const std::string& level) {
  std::vector<Named> named;
  std::string folder = folder_for(disk, author, level);
  ASSAY_ASSIGN(auto entries, disk.list(folder));
  for (const DirectoryEntry& entry : entries)
    if (!entry.is_directory)
      if (auto file = read_name(join_path(folder, entry.name))) named.push_back(std::move(*file));
  return named;
}

}  // namespace

std::span<const AuthorTitle> author_titles() { return kTitles; }

Result<Author> find_author(const Disk& disk, const std::string& written) {
  if (written == "eager") return Author{AuthorKind::eager, written, written, ""};
  if (written == "iree") return Author{AuthorKind::iree, written, written, ""};
  if (!written.starts_with(kFilePrefix)) {
    std::vector<std::string> known;
    for (const AuthorTitle& each : kTitles) known.emplace_back(each.name);
    return error(
        Code::not_found, "there is no author '" + written + "'" + suggestion(written, known),
        disk.exists(written) ? "for a file or a folder of candidates write --by file:" + written
                             : "candidates of your own are a file or a folder: --by file:PATH");
  }
  std::string given = written.substr(kFilePrefix.size());
  if (given.empty() || !disk.exists(given))
    return error(Code::not_found, fmt::format("--by {}: there is no '{}'", written, given),
                 "file: takes a file, or a folder of files named as the problems are");
  std::filesystem::path path = absolute_path(given);
  if (!path.has_filename()) path = path.parent_path();
  if (!disk.is_directory(path.string()) && !read_name(path.string()))
    return error(
        Code::invalid_input, fmt::format("--by {}: '{}' is no candidate's file", written, given),
        "a candidate is a .py with a ModelNew, or a .c, .cc, .cpp or .so with assay_kernel");
  return Author{AuthorKind::file, path.filename().string(), written, path.string()};
}

bool serves(const Author& author, const Target& target, const Machine& machine) {
  if (author.kind == AuthorKind::iree) return !target.flags.empty();
  // What torch or a native compiler makes, it makes for the machine it is on.
  return compiles_for_host(target) && can_run(target, machine).ready;
}

Result<std::vector<Candidate>> candidates(const Disk& disk, const Author& author,
                                          const std::string& level, const std::string& problem,
                                          bool lone) {
  if (author.kind == AuthorKind::iree) return std::vector<Candidate>{{}};
  if (author.kind == AuthorKind::eager)
    return std::vector<Candidate>{{CandidateKind::module, 1, ""}};
  std::vector<Named> named;
  if (!disk.is_directory(author.path)) {
    if (auto file = read_name(author.path)) {
      file->candidate.number = author.number;
      if (lone) file->stem = problem;
      named.push_back(std::move(*file));
    }
  } else {
    ASSAY_ASSIGN(named, named_files(disk, author, level));
  }
  std::vector<Candidate> found;
  for (Named& each : named)
    if (each.stem == problem) found.push_back(std::move(each.candidate));
  std::ranges::sort(found, {}, [](const Candidate& c) { return std::pair(c.number, c.path); });
  for (size_t i = 1; i < found.size(); ++i)
    if (found[i].number == found[i - 1].number)
      return error(Code::invalid_input,
                   fmt::format("'{}' and '{}' are both candidate {} for '{}'", found[i - 1].path,
                               found[i].path, found[i].number, problem),
                   "give each a number of its own: NAME__s2, NAME__s3 and so on");
  return found;
}

Result<std::vector<std::string>> candidate_files(const Disk& disk, const Author& author,
                                                 const std::string& level) {
  std::vector<std::string> paths;
  if (author.kind != AuthorKind::file || !disk.is_directory(author.path)) return paths;
  ASSAY_ASSIGN(auto named, named_files(disk, author, level));
  for (const Named& each : named) paths.push_back(each.candidate.path);
  return paths;
}

}  // namespace assay
