#include "cli/write_rendered.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/rows.h"
#include "base/units.h"
#include "base/words.h"
#include "cli/report_sink.h"
#include "store/run_store.h"

namespace assay {
namespace {

// What is there and no file: a terminal, a pipe. It is written to, and not replaced by a file.
class StreamSink final : public ReportSink {
 public:
  explicit StreamSink(const std::string& path) : path_(path), stream_(path, std::ios::binary) {}

 private:
  void open(const std::string&) override {}
  void take(std::string_view piece) override {
    stream_.write(piece.data(), static_cast<std::streamsize>(piece.size()));
  }
  void close() override {
    stream_.flush();
    if (!stream_ && status_) status_ = error(Code::io, "cannot write '" + path_ + "'");
  }

  std::string path_;
  std::ofstream stream_;
};

// In memory: of a table that rows are added to.
class TextSink final : public ReportSink {
 public:
  std::string text;

 private:
  void open(const std::string&) override {}
  void take(std::string_view piece) override { text += piece; }
};

bool is_stream(const std::string& path) {
  std::error_code failed;
  return std::filesystem::is_other(path, failed);
}

// Behind a link lies what is meant, also where that is not there yet.
Result<std::string> behind_links(const std::string& path) {
  constexpr int kMostLinks = 40;  // as the kernel has it
  std::filesystem::path at(path);
  std::error_code failed;
  for (int n = 0; std::filesystem::is_symlink(at, failed); ++n) {
    if (n == kMostLinks)
      return error(Code::invalid_input,
                   fmt::format("--to '{}' is a link that leads back to itself", path));
    const std::filesystem::path target = std::filesystem::read_symlink(at, failed);
    if (failed) return error(Code::io, fmt::format("cannot read the link '{}'", at.string()));
    at = at.parent_path() / target;
  }
  return absolute_path(at.string());
}

// "classic makes 3 files, iree_compile.log, ...".
std::string files_in_words(const Rendered& rendered) {
  constexpr size_t kMost = 4;
  std::span<const std::string> files(rendered.files);
  return fmt::format("{} makes {} files here, {}{}", rendered.format, files.size(),
                     fmt::join(files.first(std::min(files.size(), kMost)), ", "),
                     files.size() > kMost ? ", ..." : "");
}

// Whether a path is meant for one of the files, and not for a folder of them.
bool looks_like_a_file(const std::string& path, const Rendered& rendered) {
  const std::string ending = std::filesystem::path(path).extension();
  return system_disk().exists(path) ||
         std::ranges::any_of(rendered.files, [&](const std::string& file) {
           return std::filesystem::path(file).extension() == ending;
         });
}

}  // namespace

Status write_rendered(const Rendered& rendered, const std::string& to, Output& output) {
  const bool single = rendered.files.size() == 1;
  constexpr const char* kFolder = "name a folder for them: --to FOLDER/";
  if (to.empty()) {
    if (!single) return error(Code::invalid_input, files_in_words(rendered), kFolder);
    OutputSink sink(output);
    rendered.render(sink);
    return sink.finish();
  }
  Disk& disk = system_disk();
  bool folder = to.ends_with('/') || disk.is_directory(to);
  if (!single && !folder) {
    if (looks_like_a_file(to, rendered))
      return error(Code::invalid_input,
                   fmt::format("--to '{}' is one file: {}", to, files_in_words(rendered)), kFolder);
    folder = true;
  }
  if (!folder && is_stream(to)) {
    StreamSink sink(to);
    rendered.render(sink);
    return sink.finish();
  }
  if (folder) ASSAY_TRY(disk.make_directories(to));
  ASSAY_ASSIGN(const std::string meant, behind_links(to));
  if (!folder && RunStore::is_own_file(disk, meant))
    return error(Code::refused,
                 fmt::format("--to '{}' would destroy the run in '{}'", to,
                             std::filesystem::path(meant).parent_path().string()),
                 "name another file");
  DiskSink sink(disk, meant);
  rendered.render(sink);
  return sink.finish();
}

Status append_rendered(const Rendered& rendered, const std::string& to) {
  Disk& disk = system_disk();
  if (disk.is_directory(to) || to.ends_with('/'))
    return error(Code::invalid_input,
                 fmt::format("--append adds to a file, and '{}' is a folder", to), "name the file");
  ASSAY_ASSIGN(const std::string meant, behind_links(to));
  if (RunStore::is_own_file(disk, meant))
    return error(Code::refused, fmt::format("--to '{}' is a file of a run's own", to),
                 "name another file");
  TextSink sink;
  rendered.render(sink);
  ASSAY_TRY(sink.finish());
  std::string was;
  if (disk.exists(meant)) {
    ASSAY_ASSIGN(was, disk.read(meant));
  }
  std::string_view rows = sink.text;
  if (!was.empty()) {
    const std::string_view head = rows.substr(0, rows.find('\n') + 1);
    if (!was.starts_with(head))
      return error(Code::refused, fmt::format("'{}' has other columns than this report", to),
                   "name another file; --tags are columns, too");
    rows.remove_prefix(head.size());
    if (!was.ends_with('\n')) was += "\r\n";
  }
  return disk.write(meant, was + std::string(rows));
}

Result<const Format*> parse_format(const std::string& name, std::span<const Format> table,
                                   std::string_view thing) {
  if (const Format* format = find_row(table, name)) return format;
  return error(Code::invalid_input, fmt::format("there is no format '{}' of a {}{}", name, thing,
                                                suggestion(name, names_of(table))));
}

}  // namespace assay
