#include "compile/elf.h"

#include <elf.h>

#include <cstring>
#include <optional>
#include <set>

namespace assay {
namespace {

struct Elf32 {
  using Header = Elf32_Ehdr;
  using Section = Elf32_Shdr;
  using Symbol = Elf32_Sym;
};
struct Elf64 {
  using Header = Elf64_Ehdr;
  using Section = Elf64_Shdr;
  using Symbol = Elf64_Sym;
};

std::unexpected<Error> damaged_elf(const char* what) {
  return error(Code::corrupt, std::string("the ELF file is damaged: ") + what);
}

// The bytes from `offset` on; nothing when they are not all there. Never overflows.
std::optional<std::string_view> part(std::string_view bytes, uint64_t offset, uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) return std::nullopt;
  return bytes.substr(offset, size);
}

template <class T>
std::optional<T> read_at(std::string_view bytes, uint64_t offset) {
  if (!part(bytes, offset, sizeof(T))) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

template <class Elf>
Result<std::vector<typename Elf::Section>> read_sections(std::string_view bytes) {
  using Section = typename Elf::Section;
  auto header = read_at<typename Elf::Header>(bytes, 0);
  if (!header) return damaged_elf("its header is cut");
  std::vector<Section> sections;
  for (uint64_t i = 0; i < header->e_shnum; ++i) {
    // Widths of 16 bits times a count of 16 bits do not overflow; the offset may be any.
    auto at = part(bytes, header->e_shoff, i * header->e_shentsize + sizeof(Section));
    if (!at || header->e_shentsize < sizeof(Section))
      return damaged_elf("its section table is cut");
    sections.push_back(*read_at<Section>(*at, i * header->e_shentsize));
  }
  return sections;
}

template <class Elf>
Result<std::vector<std::string>> undefined_symbols(std::string_view bytes) {
  using Symbol = typename Elf::Symbol;
  ASSAY_ASSIGN(auto sections, read_sections<Elf>(bytes));
  std::set<std::string> names;
  bool has_table = false;
  for (const auto& section : sections) {
    if (section.sh_type != SHT_DYNSYM && section.sh_type != SHT_SYMTAB) continue;
    has_table = true;
    auto symbols = part(bytes, section.sh_offset, section.sh_size);
    if (!symbols || section.sh_link >= sections.size()) return damaged_elf("a symbol table is cut");
    const auto& text = sections[section.sh_link];
    auto strings = part(bytes, text.sh_offset, text.sh_size);
    if (!strings) return damaged_elf("the names of its symbols are cut");
    for (uint64_t at = 0; at + sizeof(Symbol) <= symbols->size(); at += sizeof(Symbol)) {
      auto symbol = *read_at<Symbol>(*symbols, at);
      if (symbol.st_shndx != SHN_UNDEF || symbol.st_name == 0) continue;
      size_t end = strings->find('\0', symbol.st_name);
      if (end == std::string_view::npos) return damaged_elf("a symbol's name is cut");
      names.emplace(strings->substr(symbol.st_name, end - symbol.st_name));
    }
  }
  if (!has_table) return damaged_elf("it has no symbol table");
  return std::vector<std::string>(names.begin(), names.end());
}

// A note's head, its owner's name and what it says, each on a multiple of four bytes.
std::string_view find_note(std::string_view notes, std::string_view owner, uint32_t kind) {
  auto padded = [](uint64_t size) { return (size + 3) / 4 * 4; };
  for (uint64_t at = 0; auto head = read_at<Elf64_Nhdr>(notes, at);) {
    const uint64_t name_at = at + sizeof *head, text_at = name_at + padded(head->n_namesz);
    auto name = part(notes, name_at, head->n_namesz), text = part(notes, text_at, head->n_descsz);
    if (!name || !text) break;
    if (head->n_type == kind && name->substr(0, name->find('\0')) == owner) return *text;
    at = text_at + padded(head->n_descsz);
  }
  return {};
}

template <class Elf>
Result<ElfFacts> read_facts(std::string_view bytes) {
  constexpr uint32_t kAmdgpuMetadata = 32;  // NT_AMDGPU_METADATA, of LLVM's AMDGPU backend
  ASSAY_ASSIGN(auto sections, read_sections<Elf>(bytes));
  ElfFacts facts{.machine = read_at<typename Elf::Header>(bytes, 0)->e_machine};
  for (const auto& section : sections) {
    if ((section.sh_flags & SHF_EXECINSTR) != 0) facts.code_bytes += section.sh_size;
    if (section.sh_type != SHT_NOTE) continue;
    auto notes = part(bytes, section.sh_offset, section.sh_size);
    if (!notes) return damaged_elf("its notes are cut");
    if (auto found = find_note(*notes, "AMDGPU", kAmdgpuMetadata); !found.empty())
      facts.amdgpu_metadata = found;
  }
  return facts;
}

// One of the two readers of one thing, for files of either word size.
template <class Read32, class Read64>
auto read_elf(std::string_view bytes, Read32 read32, Read64 read64) -> decltype(read64(bytes)) {
  if (bytes.size() < EI_NIDENT || !bytes.starts_with(std::string_view(ELFMAG, SELFMAG)))
    return error(Code::corrupt, "this is no ELF file");
  if (bytes[EI_DATA] != ELFDATA2LSB) return error(Code::corrupt, "the ELF file is big-endian");
  if (bytes[EI_CLASS] == ELFCLASS32) return read32(bytes);
  if (bytes[EI_CLASS] == ELFCLASS64) return read64(bytes);
  return damaged_elf("it is of no class");
}

}  // namespace

Result<std::vector<std::string>> undefined_symbols_of_elf(std::string_view bytes) {
  return read_elf(bytes, undefined_symbols<Elf32>, undefined_symbols<Elf64>);
}

Result<ElfFacts> facts_of_elf(std::string_view bytes) {
  return read_elf(bytes, read_facts<Elf32>, read_facts<Elf64>);
}

}  // namespace assay
