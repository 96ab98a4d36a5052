// What the compiler left: archives, and the ELF files in them.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "compile/artifact.h"
#include "compile/elf.h"

extern "C" int fuzz_artifact(const uint8_t* data, size_t size) {
  using namespace assay;
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  auto undefined = undefined_symbols_of_elf(bytes);
  if (undefined)
    for (const auto& name : *undefined)
      if (name.size() >= size) abort();
  if (auto files = files_of_archive(bytes))
    for (const ArchiveFile& file : *files)
      if (file.bytes.size() > size) abort();
  if (auto complaint = link_complaint(bytes); complaint && complaint->empty()) abort();
  return 0;
}
