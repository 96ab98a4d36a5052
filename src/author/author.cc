#include "author/author.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>

#include "author/file_name.h"
#include "author/gpu_code.h"
#include "base/words.h"
#include "target/availability.h"
#include "target/host_cpu.h"

namespace assay {
namespace {

constexpr AuthorTitle kTitles[] = {
    {"eager", "the problem's own Model, as torch runs it"},
    {"inductor", "torch.compile, of the problem's own Model"},
    {"iree", "the IREE compiler, from the exported program"},
    {"file:PATH",
     "a file or a folder of files: ModelNew in Python, or assay_kernel in C or C++; or answers "
     "with "
     "such code in them"},
};
constexpr std::string_view kFilePrefix = "file:";

// "answers.jsonl#3", where there is no file of that very name: which candidate. 0: none is named.
int take_number(const Disk& disk, std::string& path) {
  size_t mark = path.rfind('#');
  if (mark == std::string::npos || disk.exists(path)) return 0;
  int number = 0;
  const char *begin = path.data() + mark + 1, *end = path.data() + path.size();
  auto [last, failed] = std::from_chars(begin, end, number);
  if (failed != std::errc() || last != end || number < 1) return 0;
  path.resize(mark);
  return number;
}

}  // namespace

std::span<const AuthorTitle> author_titles() { return kTitles; }

Result<Author> find_author(const Disk& disk, const std::string& written, std::string_view option) {
  if (written == "eager") return Author{AuthorKind::eager, written, written, ""};
  if (written == "inductor") return Author{AuthorKind::inductor, written, written, ""};
  if (written == "iree") return Author{AuthorKind::iree, written, written, ""};
  if (!written.starts_with(kFilePrefix)) {
    std::vector<std::string> known;
    for (const AuthorTitle& each : kTitles) known.emplace_back(each.name);
    return error(
        Code::not_found, "there is no author '" + written + "'" + suggestion(written, known),
        disk.exists(written)
            ? fmt::format("for a file or a folder of candidates write {} file:{}", option, written)
            : fmt::format("candidates of your own are a file or a folder: {} file:PATH", option));
  }
  std::string given = written.substr(kFilePrefix.size());
  const int number = take_number(disk, given);
  if (given.empty())
    return error(Code::invalid_input, fmt::format("{} {} names no file", option, written),
                 "file:PATH takes a file, or a folder of files named as the problems are");
  if (!disk.exists(given))
    return error(Code::not_found, fmt::format("{} {}: there is no '{}'", option, written, given),
                 "file: takes a file, or a folder of files named as the problems are");
  std::filesystem::path path = absolute_path(given);
  if (!path.has_filename()) path = path.parent_path();
  if (!disk.is_directory(path.string()) && !read_file_name(path.string()))
    return error(Code::invalid_input,
                 fmt::format("{} {}: '{}' is no candidate's file", option, written, given),
                 "a candidate is code, or an answer with code in it: " + known_endings());
  Author author{AuthorKind::file, path.filename().string(), written, path.string()};
  if (number > 0) author.only = number;
  return author;
}

std::optional<Candidate> own_model_of(const Author& author) {
  if (author.kind == AuthorKind::eager)
    return Candidate{.kind = CandidateKind::module, .own_model = OwnModel::eager};
  if (author.kind == AuthorKind::inductor)
    return Candidate{.kind = CandidateKind::module, .own_model = OwnModel::inductor};
  return std::nullopt;
}

bool serves(const Author& author, const Target& target, const Machine& machine) {
  if (author.kind == AuthorKind::iree) return !target.flags.empty();
  if (author.kind == AuthorKind::file && target.gpu) return true;
  // What torch or a native compiler makes, it makes for the machine it is on.
  return compiles_for_host(target) && can_run(target, machine).ready;
}

bool is_for(const Candidate& candidate, const Target& target, const Disk& disk) {
  if (candidate.kind == CandidateKind::artifact || !candidate.why_none.empty()) return true;
  if (!target.gpu) return !is_gpu_source(candidate.kind);
  if (candidate.path.empty()) return false;
  auto code = candidate.code ? Result<std::string>(*candidate.code) : disk.read(candidate.path);
  return !code || gpu_code_of(candidate.kind, *code).is_for(target.gpu->kind);
}

}  // namespace assay
