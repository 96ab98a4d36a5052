#include "compile/artifact.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>

#include "base/escape.h"
#include "compile/elf.h"

namespace assay {
namespace {

constexpr std::string_view kLocalHeader("PK\x03\x04", 4);
constexpr std::string_view kDirectoryEntry("PK\x01\x02", 4);
constexpr std::string_view kEnd("PK\x05\x06", 4);
constexpr size_t kLocalBytes = 30, kEntryBytes = 46, kEndBytes = 22;

// More names than this say nothing that the first do not.
constexpr size_t kMaxNames = 8;

template <class T>
T little_endian(std::string_view bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);  // as assay's own machines are
  return value;
}

std::unexpected<Error> damaged(const char* what) {
  return error(Code::corrupt, std::string("the archive is damaged: ") + what);
}

// The bytes of one file: behind its local header, whose name and extra field have their own sizes.
Result<std::string_view> stored_bytes(std::string_view archive, uint32_t offset, uint32_t size) {
  if (offset > archive.size() || archive.size() - offset < kLocalBytes ||
      !archive.substr(offset).starts_with(kLocalHeader))
    return damaged("a file's header is not where the directory says");
  std::string_view header = archive.substr(offset);
  size_t begin =
      kLocalBytes + little_endian<uint16_t>(header, 26) + little_endian<uint16_t>(header, 28);
  if (begin > header.size() || size > header.size() - begin) return damaged("a file is cut");
  return header.substr(begin, size);
}

}  // namespace

Result<std::vector<ArchiveFile>> files_of_archive(std::string_view archive) {
  if (archive.size() < kEndBytes || !archive.substr(archive.size() - kEndBytes).starts_with(kEnd))
    return damaged("it does not end as one");
  std::string_view end = archive.substr(archive.size() - kEndBytes);
  auto count = little_endian<uint16_t>(end, 10);
  size_t at = little_endian<uint32_t>(end, 16);
  std::vector<ArchiveFile> files;
  for (uint16_t i = 0; i < count; ++i) {
    if (at > archive.size() || archive.size() - at < kEntryBytes ||
        !archive.substr(at).starts_with(kDirectoryEntry))
      return damaged("its directory is cut");
    std::string_view entry = archive.substr(at);
    size_t name_bytes = little_endian<uint16_t>(entry, 28);
    size_t entry_bytes = kEntryBytes + name_bytes + little_endian<uint16_t>(entry, 30) +
                         little_endian<uint16_t>(entry, 32);
    if (entry_bytes > entry.size()) return damaged("its directory is cut");
    ArchiveFile file{std::string(entry.substr(kEntryBytes, name_bytes)), {}};
    if (little_endian<uint16_t>(entry, 10) != 0)
      return error(Code::corrupt,
                   "the archive's file " + printable(file.name, false) + " is compressed");
    ASSAY_ASSIGN(file.bytes, stored_bytes(archive, little_endian<uint32_t>(entry, 42),
                                          little_endian<uint32_t>(entry, 24)));
    files.push_back(std::move(file));
    at += entry_bytes;
  }
  return files;
}

std::optional<std::string> link_complaint(std::string_view artifact) {
  if (!artifact.starts_with(kLocalHeader)) return std::nullopt;
  auto files = files_of_archive(artifact);
  if (!files) return files.error().message;
  for (const ArchiveFile& file : *files) {
    if (!file.name.contains("_embedded_elf_") || !file.name.ends_with(".so")) continue;
    std::string name = printable(file.name, false);
    auto undefined = undefined_symbols_of_elf(file.bytes);
    if (!undefined) return name + ": " + undefined.error().message;
    if (undefined->empty()) continue;
    size_t count = undefined->size();
    for (std::string& symbol : *undefined) symbol = printable(symbol, false);
    if (count > kMaxNames) undefined->resize(kMaxNames);
    return fmt::format("{} leaves {} undefined: {}{}", name,
                       count == 1 ? "a symbol" : fmt::format("{} symbols", count),
                       fmt::join(*undefined, ", "), count > kMaxNames ? ", ..." : "");
  }
  return std::nullopt;
}

}  // namespace assay
