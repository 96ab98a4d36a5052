// Small files of the formats that the compiler writes.
#pragma once

#include <elf.h>

#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay {

template <class T>
std::string bytes_of(const T& value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class Header, class Section, class Symbol>
std::string elf_with_symbols(unsigned char word_size, const std::vector<std::string>& defined,
                             const std::vector<std::string>& undefined) {
  std::string names(1, '\0'), symbols = bytes_of(Symbol{});
  auto add = [&](const std::string& name, unsigned short section) {
    Symbol symbol{};
    symbol.st_name = static_cast<Elf32_Word>(names.size());
    symbol.st_shndx = section;
    names += name + '\0';
    symbols += bytes_of(symbol);
  };
  for (const std::string& name : defined) add(name, 1);
  for (const std::string& name : undefined) add(name, SHN_UNDEF);
  const auto text_at = static_cast<Elf32_Off>(sizeof(Header) + symbols.size());
  const auto text_bytes = static_cast<Elf32_Word>(names.size());
  Section table{}, text{};
  table.sh_type = SHT_DYNSYM;
  table.sh_offset = sizeof(Header);
  table.sh_size = static_cast<Elf32_Word>(symbols.size());
  table.sh_link = 1;
  text.sh_type = SHT_STRTAB;
  text.sh_offset = text_at;
  text.sh_size = text_bytes;
  Header header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = word_size;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_shoff = text_at + text_bytes;
  header.e_shentsize = sizeof(Section);
  header.e_shnum = 2;
  return bytes_of(header) + symbols + names + bytes_of(table) + bytes_of(text);
}

inline std::string elf32_with_symbols(const std::vector<std::string>& defined,
                                      const std::vector<std::string>& undefined) {
  return elf_with_symbols<Elf32_Ehdr, Elf32_Shdr, Elf32_Sym>(ELFCLASS32, defined, undefined);
}

inline std::string elf64_with_symbols(const std::vector<std::string>& defined,
                                      const std::vector<std::string>& undefined) {
  return elf_with_symbols<Elf64_Ehdr, Elf64_Shdr, Elf64_Sym>(ELFCLASS64, defined, undefined);
}

// A ZIP archive of these files, stored as they are; with numbers of 64 bits, as the compiler writes
// them, or of 32.
inline std::string archive_of(const std::vector<std::pair<std::string, std::string>>& files,
                              bool wide = true) {
  auto u16 = [](size_t value) { return bytes_of(static_cast<uint16_t>(value)); };
  auto u32 = [](size_t value) { return bytes_of(static_cast<uint32_t>(value)); };
  auto u64 = [](size_t value) { return bytes_of(static_cast<uint64_t>(value)); };
  auto number = [&](size_t value) { return u32(wide ? 0xffffffff : value); };
  std::string archive, directory;
  for (const auto& [name, bytes] : files) {
    std::string extra = !wide ? ""
                              : u16(0x5455) + u16(1) + "x" + u16(1) + u16(24) + u64(bytes.size()) +
                                    u64(bytes.size()) + u64(archive.size());
    // Version, flags, method, time, date, checksum, two sizes, and the size of the name.
    std::string common = u16(45) + u16(0) + u16(0) + u32(0) + u32(0) + number(bytes.size()) +
                         number(bytes.size()) + u16(name.size());
    directory += std::string("PK\x01\x02", 4) + u16(45) + common + u16(extra.size()) + u16(0) +
                 u16(0) + u16(0) + u32(0) + number(archive.size()) + name + extra;
    archive += std::string("PK\x03\x04", 4) + common + u16(0) + name + bytes;
  }
  size_t directory_at = archive.size(), end_at = archive.size() + directory.size();
  archive += directory;
  if (wide)
    archive += std::string("PK\x06\x06", 4) + u64(44) + u16(45) + u16(45) + u32(0) + u32(0) +
               u64(files.size()) + u64(files.size()) + u64(directory.size()) + u64(directory_at) +
               std::string("PK\x06\x07", 4) + u32(0) + u64(end_at) + u32(1);
  return archive + std::string("PK\x05\x06", 4) + u16(0) + u16(0) + u16(files.size()) +
         u16(files.size()) + u32(directory.size()) + number(directory_at) + u16(0);
}

}  // namespace assay
