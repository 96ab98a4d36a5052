#include "compile/code_facts.h"

#include <elf.h>
#include <fmt/format.h>
#include <sys/wait.h>

#include <charconv>
#include <filesystem>

#include "base/disk.h"
#include "base/escape.h"
#include "base/text.h"
#include "base/words.h"
#include "compile/artifact.h"
#include "compile/diagnostics.h"
#include "compile/elf.h"
#include "compile/run_tool.h"

namespace assay {
namespace {

constexpr size_t kMostExecutables = 64;
constexpr size_t kMostFunctions = 64;
constexpr size_t kMostDisassemblyBytes = size_t{32} << 20;
constexpr size_t kMostPrintedBytes = size_t{512} << 10;  // of a tool's, at either end
constexpr Word<Isa> kIsaWords[] = {
    {Isa::x86_64, "x86_64"}, {Isa::aarch64, "aarch64"}, {Isa::riscv, "riscv"}};

// The whole number that stands right before `what`: 32 of "Used 32 registers".
std::optional<int64_t> number_before(std::string_view line, std::string_view what) {
  const size_t end = line.find(what);
  if (end == std::string_view::npos) return std::nullopt;
  size_t begin = end;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  int64_t number = 0;
  const auto [stop, failed] = std::from_chars(line.data() + begin, line.data() + end, number);
  if (failed != std::errc() || begin == end) return std::nullopt;
  return number;
}

std::optional<int64_t> number_of(const Json& fields, const char* name) {
  const auto found = fields.find(name);
  if (found == fields.end() || !found->is_number_integer()) return std::nullopt;
  const auto number = found->get<int64_t>();
  return number < 0 ? std::nullopt : std::optional(number);
}

Json to_json(const CodeFacts& facts) {
  Json json{{"function", printable(utf8(facts.function), false)}};
  auto add = [&](const char* name, const std::optional<int64_t>& number) {
    if (number) json[name] = *number;
  };
  add("registers", facts.registers);
  add("scalar_registers", facts.scalar_registers);
  add("spilled_bytes", facts.spilled_bytes);
  add("shared_bytes", facts.shared_bytes);
  return json;
}

Json to_json(const std::vector<CodeFacts>& functions) {
  Json all = Json::array();
  for (const CodeFacts& each : functions)
    if (all.size() < kMostFunctions) all.push_back(to_json(each));
  return all;
}

// What a tool prints; its standard output goes to a file instead, where one is named. Fails with
// what it complains of.
Result<std::string> run_and_read(const std::vector<std::string>& arguments,
                                 const std::string& output_file = "") {
  Capture printed(kMostPrintedBytes);
  rusage usage{};
  const int status = run_tool(arguments, printed, usage, output_file);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return printed.text();
  const std::string line = first_error_line(printed.text());
  const std::string program = std::filesystem::path(arguments.front()).filename().string();
  return error(Code::unavailable, line.empty() ? program + " failed without a reason"
                                               : printable(utf8(line.substr(0, 500)), false));
}

// What multiplies matrices in one instruction: wmma, mma and wgmma.
int64_t matrix_instructions_of(std::string_view ptx) {
  int64_t count = 0;
  for (const std::string_view line : lines_of(ptx)) {
    const std::string_view statement = trimmed(line);
    if (statement.starts_with("mma.") || statement.starts_with("wmma.mma") ||
        statement.starts_with("wgmma.mma"))
      ++count;
  }
  return count;
}

// Assembles it, as the driver will.
Status add_assembled(std::string_view ptx, const CodeTools& tools, Json& facts) {
  if (tools.ptxas.empty())
    return error(Code::unavailable, "there is no ptxas, which comes with CUDA and with Triton");
  const std::string source = "code.ptx", binary = "code.cubin";
  const std::string architecture(trimmed(between(ptx, "\n.target ", "\n")));
  ASSAY_TRY(system_disk().write(source, ptx));
  ASSAY_ASSIGN(const std::string printed,
               run_and_read({tools.ptxas, "-v", "-arch", architecture, source, "-o", binary}));
  facts["functions"] = to_json(facts_of_ptxas(printed));
  ASSAY_ASSIGN(const std::string assembled, system_disk().read(binary));
  ASSAY_ASSIGN(const ElfFacts elf, facts_of_elf(assembled));
  facts["code_bytes"] = elf.code_bytes;
  return {};
}

std::optional<Isa> isa_of(uint16_t machine) {
  if (machine == EM_X86_64) return Isa::x86_64;
  if (machine == EM_AARCH64) return Isa::aarch64;
  if (machine == EM_RISCV) return Isa::riscv;
  return std::nullopt;
}

Status add_inner_loop(std::string_view library, Isa isa, const CodeTools& tools, Json& facts) {
  const auto objdump = tools.objdump.find(isa);
  if (objdump == tools.objdump.end())
    return error(Code::unavailable,
                 fmt::format("there is no objdump that reads {}", to_word(kIsaWords, isa)));
  const std::string file = "code.so", listing = "code.txt";
  ASSAY_TRY(system_disk().write(file, library));
  ASSAY_TRY(run_and_read({objdump->second, "-d", "--no-show-raw-insn", file}, listing));
  // Of a larger one the beginning: it must not cost the compile its memory.
  ASSAY_ASSIGN(const std::string text,
               system_disk().read_inside(".", listing, kMostDisassemblyBytes));
  facts["source"] = "objdump";
  if (const auto mix = inner_loop(text, isa)) facts["loop"] = to_json(*mix);
  return {};
}

Status add_object(std::string_view bytes, const CodeTools& tools, Json& facts) {
  ASSAY_ASSIGN(const ElfFacts elf, facts_of_elf(bytes));
  facts["code_bytes"] = elf.code_bytes;
  if (!elf.amdgpu_metadata.empty()) {
    facts["source"] = "metadata";
    ASSAY_ASSIGN(const auto functions, facts_of_amdgpu(elf.amdgpu_metadata));
    facts["functions"] = to_json(functions);
  } else if (const auto isa = isa_of(elf.machine)) {
    return add_inner_loop(bytes, *isa, tools, facts);
  }
  return {};
}

// Of a file of the artifact: an ELF file, or a FlatBuffer with one or with PTX in it. Null:
// neither.
Json facts_of_file(std::string_view bytes, const CodeTools& tools) {
  constexpr std::string_view kPtxBegins = "\n.version ";
  Json facts;
  Status looked;
  if (const size_t elf = bytes.find(std::string_view(ELFMAG, SELFMAG));
      elf != std::string_view::npos) {
    facts["source"] = "elf";
    looked = add_object(bytes.substr(elf), tools, facts);
  } else if (const size_t begin = bytes.find(kPtxBegins); begin != std::string_view::npos) {
    bytes.remove_prefix(begin);
    const std::string_view ptx = bytes.substr(0, bytes.find('\0'));
    facts = {{"source", "ptxas"}, {"matrix_instructions", matrix_instructions_of(ptx)}};
    looked = add_assembled(ptx, tools, facts);
  }
  if (!looked) facts["failed"] = looked.error().message;
  return facts;
}

}  // namespace

Json to_json(const CodeTools& tools) {
  Json json{{"ptxas", tools.ptxas}, {"objdump", Json::object()}};
  for (const auto& [isa, path] : tools.objdump)
    json["objdump"][std::string(to_word(kIsaWords, isa))] = path;
  return json;
}

CodeTools code_tools_from_json(const Json& json) {
  CodeTools tools;
  if (!json.is_object()) return tools;
  if (const auto ptxas = json.find("ptxas"); ptxas != json.end() && ptxas->is_string())
    tools.ptxas = ptxas->get<std::string>();
  const auto objdump = json.find("objdump");
  if (objdump == json.end() || !objdump->is_object()) return tools;
  for (const auto& [word, path] : objdump->items())
    if (const auto isa = from_word(kIsaWords, word); isa && path.is_string())
      tools.objdump[*isa] = path.get<std::string>();
  return tools;
}

std::vector<CodeFacts> facts_of_ptxas(std::string_view printed) {
  std::vector<CodeFacts> functions;
  for (const std::string_view line : lines_of(printed)) {
    if (line.contains("Compiling entry function '"))
      functions.push_back({std::string(between(line, "entry function '", "'"))});
    if (functions.empty()) continue;
    CodeFacts& facts = functions.back();
    if (const auto bytes = number_before(line, " bytes spill stores")) facts.spilled_bytes = bytes;
    if (const auto count = number_before(line, " registers")) facts.registers = count;
    if (const auto bytes = number_before(line, " bytes smem")) facts.shared_bytes = bytes;
  }
  return functions;
}

Result<std::vector<CodeFacts>> facts_of_amdgpu(std::string_view metadata) {
  // A note is padded with zeros behind what it says.
  const Json all = Json::from_msgpack(metadata.begin(), metadata.end(), false, false);
  if (!all.is_object() || !all.contains("amdhsa.kernels") || !all["amdhsa.kernels"].is_array())
    return error(Code::corrupt, "the code object does not say which functions it has");
  constexpr int64_t kBytesOfRegister = 4;  // of one lane
  std::vector<CodeFacts> functions;
  for (const Json& kernel : all["amdhsa.kernels"]) {
    if (!kernel.is_object() || !kernel.contains(".name") || !kernel[".name"].is_string())
      return error(Code::corrupt, "the code object has a function without a name");
    CodeFacts facts{.function = kernel[".name"].get<std::string>(),
                    .registers = number_of(kernel, ".vgpr_count"),
                    .scalar_registers = number_of(kernel, ".sgpr_count"),
                    .shared_bytes = number_of(kernel, ".group_segment_fixed_size")};
    if (const auto spilled = number_of(kernel, ".vgpr_spill_count");
        spilled && *spilled < INT64_MAX / kBytesOfRegister)
      facts.spilled_bytes = *spilled * kBytesOfRegister;
    functions.push_back(std::move(facts));
  }
  return functions;
}

std::optional<uint64_t> code_bytes_of(std::string_view artifact) {
  constexpr std::string_view kElf(ELFMAG, SELFMAG), kModule = "module.fb";
  const auto files = files_of_archive(artifact);
  if (!files) return std::nullopt;  // a module without code of its own
  std::optional<uint64_t> all;
  for (const ArchiveFile& file : *files) {
    // The module has constants, and no code; a FlatBuffer may have a file of code in it.
    if (file.name == kModule || !(file.name.ends_with(".so") || file.name.ends_with(".fb")))
      continue;
    const size_t begin = file.bytes.find(kElf);
    if (begin == std::string_view::npos) continue;
    if (const auto elf = facts_of_elf(file.bytes.substr(begin)))
      all = all.value_or(0) + elf->code_bytes;
  }
  return all;
}

Json code_facts(std::string_view artifact, const CodeTools& tools) {
  Json all = Json::array();
  const auto files = files_of_archive(artifact);
  if (!files) return all;  // a module without code of its own
  for (const ArchiveFile& file : *files) {
    if (all.size() == kMostExecutables) break;
    Json facts = facts_of_file(file.bytes, tools);
    if (facts.is_null()) continue;
    const std::string_view name = file.name;
    facts["executable"] = printable(utf8(std::string(name.substr(0, name.rfind('.')))), false);
    all.push_back(std::move(facts));
  }
  return all;
}

}  // namespace assay
