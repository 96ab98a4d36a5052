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
constexpr std::string_view kEndOfArchive("PK\x05\x06", 4);
constexpr std::string_view kEnd64("PK\x06\x06", 4);
constexpr std::string_view kEnd64Locator("PK\x06\x07", 4);
constexpr size_t kLocalBytes = 30, kEntryBytes = 46, kEndBytes = 22;
constexpr size_t kEnd64Bytes = 56, kEnd64LocatorBytes = 20;

// In place of a number: it stands in 64 bits elsewhere. The compiler writes all of its own so.
constexpr uint32_t kIsElsewhere = 0xffffffff;
constexpr uint16_t kNumbers64 = 1;  // the extra field that holds them

// More names than this say nothing that the first do not.
constexpr size_t kMaxNames = 8;

template <class T>
T little_endian(std::string_view bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);  // as assay's own machines are
  return value;
}

std::unexpected<Error> damaged_archive(const char* what) {
  return error(Code::corrupt, std::string("the archive is damaged: ") + what);
}

// The bytes from `offset` on, which begin with `mark` and are at least so many.
std::optional<std::string_view> record_at(std::string_view archive, uint64_t offset,
                                          std::string_view mark, size_t bytes) {
  if (offset > archive.size() || archive.size() - offset < bytes) return std::nullopt;
  std::string_view record = archive.substr(offset);
  return record.starts_with(mark) ? std::optional(record) : std::nullopt;
}

// The bytes of one file: behind its local header, whose name and extra field have their own sizes.
Result<std::string_view> stored_bytes(std::string_view archive, uint64_t offset, uint64_t size) {
  auto header = record_at(archive, offset, kLocalHeader, kLocalBytes);
  if (!header) return damaged_archive("a file's header is not where the directory says");
  size_t begin =
      kLocalBytes + little_endian<uint16_t>(*header, 26) + little_endian<uint16_t>(*header, 28);
  if (begin > header->size() || size > header->size() - begin)
    return damaged_archive("a file is cut");
  return header->substr(begin, size);
}

struct Directory {
  uint64_t count = 0, offset = 0;
};

Result<Directory> find_directory(std::string_view archive) {
  auto end = archive.size() < kEndBytes
                 ? std::nullopt
                 : record_at(archive, archive.size() - kEndBytes, kEndOfArchive, kEndBytes);
  if (!end) return damaged_archive("it does not end as one");
  Directory directory{little_endian<uint16_t>(*end, 10), little_endian<uint32_t>(*end, 16)};
  if (directory.offset != kIsElsewhere) return directory;
  constexpr size_t kBefore = kEndBytes + kEnd64LocatorBytes;
  auto locator = archive.size() < kBefore ? std::nullopt
                                          : record_at(archive, archive.size() - kBefore,
                                                      kEnd64Locator, kEnd64LocatorBytes);
  if (!locator) return damaged_archive("its end does not say where its directory is");
  auto end64 = record_at(archive, little_endian<uint64_t>(*locator, 8), kEnd64, kEnd64Bytes);
  if (!end64) return damaged_archive("its end is not where it says");
  return Directory{little_endian<uint64_t>(*end64, 32), little_endian<uint64_t>(*end64, 48)};
}

struct Entry {
  std::string name;
  uint16_t method = 0;
  uint64_t size = 0, offset = 0;
  size_t bytes = 0;  // of the entry itself
};

Result<Entry> read_entry(std::string_view archive, uint64_t at) {
  auto record = record_at(archive, at, kDirectoryEntry, kEntryBytes);
  if (!record) return damaged_archive("its directory is cut");
  size_t name_bytes = little_endian<uint16_t>(*record, 28);
  size_t extra_bytes = little_endian<uint16_t>(*record, 30);
  Entry entry;
  entry.bytes = kEntryBytes + name_bytes + extra_bytes + little_endian<uint16_t>(*record, 32);
  if (entry.bytes > record->size()) return damaged_archive("its directory is cut");
  entry.name = record->substr(kEntryBytes, name_bytes);
  entry.method = little_endian<uint16_t>(*record, 10);
  entry.size = little_endian<uint32_t>(*record, 24);
  entry.offset = little_endian<uint32_t>(*record, 42);
  bool packed_elsewhere = little_endian<uint32_t>(*record, 20) == kIsElsewhere;
  std::string_view extra = record->substr(kEntryBytes + name_bytes, extra_bytes);
  while (extra.size() >= 4) {
    auto kind = little_endian<uint16_t>(extra, 0);
    size_t size = little_endian<uint16_t>(extra, 2);
    if (size > extra.size() - 4) return damaged_archive("its directory is cut");
    std::string_view numbers = extra.substr(4, size);
    extra.remove_prefix(4 + size);
    if (kind != kNumbers64) continue;
    auto take = [&]() -> uint64_t {
      if (numbers.size() < 8) return UINT64_MAX;  // is past the end of any archive
      auto number = little_endian<uint64_t>(numbers, 0);
      numbers.remove_prefix(8);
      return number;
    };
    // Only those that are elsewhere are here, in this order.
    if (entry.size == kIsElsewhere) entry.size = take();
    if (packed_elsewhere) take();
    if (entry.offset == kIsElsewhere) entry.offset = take();
  }
  return entry;
}

}  // namespace

Result<std::vector<ArchiveFile>> files_of_archive(std::string_view archive) {
  ASSAY_ASSIGN(Directory directory, find_directory(archive));
  std::vector<ArchiveFile> files;
  uint64_t at = directory.offset;
  for (uint64_t i = 0; i < directory.count; ++i) {
    ASSAY_ASSIGN(Entry entry, read_entry(archive, at));
    if (entry.method != 0)
      return error(Code::corrupt,
                   "the archive's file " + printable(entry.name, false) + " is compressed");
    ASSAY_ASSIGN(std::string_view bytes, stored_bytes(archive, entry.offset, entry.size));
    files.push_back({std::move(entry.name), bytes});
    at += entry.bytes;
  }
  return files;
}

bool is_whole_module(std::string_view bytes) {
  if (bytes.starts_with(kLocalHeader)) return find_directory(bytes).has_value();
  // The first word is the size of what follows; an identifier is behind the second.
  constexpr size_t kPrefixBytes = 4;
  if (bytes.size() < 2 * kPrefixBytes + 4) return false;
  return bytes.substr(2 * kPrefixBytes, 4) == "IREE" &&
         bytes.size() >= kPrefixBytes + little_endian<uint32_t>(bytes, 0);
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
