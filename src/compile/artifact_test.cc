#include "compile/artifact.h"

#include <gtest/gtest.h>

#include "compile/compile_job.h"
#include "compile/elf.h"
#include "fakes/fake_artifact.h"

namespace assay {
namespace {

using Names = std::vector<std::string>;

TEST(Elf, UndefinedSymbolsOfBothWordSizes) {
  for (auto* make : {elf32_with_symbols, elf64_with_symbols}) {
    EXPECT_EQ(*undefined_symbols_of_elf(make({"query"}, {})), Names{});
    EXPECT_EQ(*undefined_symbols_of_elf(make({"query"}, {"sqrtf", "__mulsf3"})),
              (Names{"__mulsf3", "sqrtf"}));
  }
}

// Bytes that are cut or changed anywhere never crash, and are never taken for sound where the
// symbols cannot be read.
TEST(Elf, DamageIsSaid) {
  EXPECT_FALSE(undefined_symbols_of_elf(""));
  EXPECT_FALSE(undefined_symbols_of_elf("#!/bin/sh\n and more text"));
  for (auto* make : {elf32_with_symbols, elf64_with_symbols}) {
    std::string whole = make({"query"}, {"sqrtf"});
    for (size_t size = 0; size < whole.size(); ++size)
      EXPECT_FALSE(undefined_symbols_of_elf(whole.substr(0, size))) << size;
    for (size_t at = 0; at < whole.size(); ++at)
      for (char flip : {'\x01', '\x80', '\xff'}) {
        std::string changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ flip);
        (void)undefined_symbols_of_elf(changed);
      }
    std::string big_endian = whole;
    big_endian[EI_DATA] = ELFDATA2MSB;
    EXPECT_FALSE(undefined_symbols_of_elf(big_endian));
  }
  std::string no_tables = elf64_with_symbols({}, {});
  no_tables[offsetof(Elf64_Ehdr, e_shnum)] = 0;
  EXPECT_FALSE(undefined_symbols_of_elf(no_tables));
}

TEST(Archive, FilesAreFoundByTheDirectory) {
  for (bool wide : {true, false}) {
    std::string archive =
        archive_of({{"module.fb", "abc"}, {"x.so", std::string(1000, 'y')}}, wide);
    EXPECT_TRUE(is_whole_module(archive));
    auto files = files_of_archive(archive);
    ASSERT_TRUE(files) << files.error().describe();
    ASSERT_EQ(files->size(), 2u);
    EXPECT_EQ((*files)[0].name, "module.fb");
    EXPECT_EQ((*files)[0].bytes, "abc");
    EXPECT_EQ((*files)[1].name, "x.so");
    EXPECT_EQ((*files)[1].bytes, std::string(1000, 'y'));
    for (size_t size = 0; size < archive.size(); ++size)
      EXPECT_FALSE(files_of_archive(archive.substr(0, size)));
    for (size_t at = 0; at < archive.size(); ++at) {
      std::string changed = archive;
      changed[at] = '\xff';
      (void)files_of_archive(changed);
    }
  }
}

TEST(LinkComplaint, NamesTheSymbolsThatNobodyDefines) {
  EXPECT_EQ(link_complaint("a flat buffer"), std::nullopt);
  EXPECT_EQ(link_complaint(archive_of({{"module.fb", "x"}})), std::nullopt);
  std::string sound = elf32_with_symbols({"query"}, {});
  std::string lacking = elf32_with_symbols({"query"}, {"sqrtf", "__mulsf3"});
  const std::string name = "m_embedded_elf_riscv_32.so";
  EXPECT_EQ(link_complaint(archive_of({{"module.fb", "x"}, {name, sound}})), std::nullopt);
  EXPECT_EQ(link_complaint(archive_of({{"module.fb", "x"}, {name, lacking}})),
            name + " leaves 2 symbols undefined: __mulsf3, sqrtf");
  EXPECT_EQ(link_complaint(archive_of({{name, elf64_with_symbols({}, {"expf"})}})),
            name + " leaves a symbol undefined: expf");
  // The system's loader finds the C library for these.
  EXPECT_EQ(link_complaint(archive_of({{"m_system_elf_x86_64.so", lacking}})), std::nullopt);
  EXPECT_EQ(link_complaint(archive_of({{name, "no ELF file at all"}})),
            name + ": this is no ELF file");
  Names many(100, "f");
  for (size_t i = 0; i < many.size(); ++i) many[i] += std::to_string(i);
  auto complaint = link_complaint(archive_of({{name, elf32_with_symbols({}, many)}}));
  ASSERT_TRUE(complaint);
  EXPECT_TRUE(complaint->contains("100 symbols") && complaint->ends_with(", ...")) << *complaint;
  EXPECT_LT(complaint->size(), 200u);
}

TEST(Module, WholeModulesAreToldFromCutOnes) {
  EXPECT_FALSE(is_whole_module(""));
  EXPECT_FALSE(is_whole_module("garbage that is long enough"));
  EXPECT_FALSE(is_whole_module(std::string("PK\x03\x04", 4) + std::string(100, 'x')));
  EXPECT_TRUE(is_whole_module(std::string("PK\x03\x04", 4) + std::string(100, 'x') +
                              std::string("PK\x05\x06", 4) + std::string(18, '\0')));
}

}  // namespace
}  // namespace assay
