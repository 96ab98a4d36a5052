#include "compile/instruction_mix.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <tuple>
#include <vector>

#include "base/text.h"

namespace assay {
namespace {

struct Instruction {
  uint64_t address = 0;
  std::string_view name, operands;
  std::optional<uint64_t> target{};  // of a jump
};

bool begins_with_one(std::string_view name, std::initializer_list<std::string_view> beginnings) {
  return std::ranges::any_of(beginnings,
                             [&](std::string_view each) { return name.starts_with(each); });
}

// "1139", or "0x1139" as LLVM has it.
std::optional<uint64_t> hexadecimal(std::string_view text) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  uint64_t value = 0;
  const char *begin = text.data(), *last = begin + text.size();
  auto [end, failed] = std::from_chars(begin, last, value, 16);
  if (failed != std::errc() || end != last) return std::nullopt;
  return value;
}

// "    1139:\tvmovups (%rdi,%rax,4),%ymm0"; LLVM's has spaces before the tab. Nothing: it is no
// instruction.
std::optional<Instruction> read_instruction(std::string_view line) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto address = hexadecimal(trimmed(line.substr(0, colon)));
  const size_t tab = line.find_first_not_of(' ', colon + 1);
  if (!address || tab == std::string_view::npos || line[tab] != '\t') return std::nullopt;
  std::string_view rest = trimmed(line.substr(tab));
  // What stands before an instruction, as a word of its own.
  for (std::string_view prefix : {"notrack ", "bnd ", "lock ", "rep ", "repz "})
    if (rest.starts_with(prefix)) rest = trimmed(rest.substr(prefix.size()));
  const size_t end = std::min(rest.find_first_of(" \t"), rest.size());
  Instruction instruction{.address = *address, .name = rest.substr(0, end), .operands = {}};
  std::string_view operands = trimmed(rest.substr(end));
  instruction.operands = trimmed(operands.substr(0, operands.find("# ")));
  return instruction;
}

// Where a jump leads, which is the last operand: "1120 <f+0x10>" of "b.ne 1120 <f+0x10>" and of
// "bltu a0,a1,1120 <f+0x10>".
std::optional<uint64_t> last_address(std::string_view operands) {
  operands = trimmed(operands.substr(0, operands.find('<')));
  const size_t comma = operands.rfind(',');
  return hexadecimal(
      trimmed(comma == std::string_view::npos ? operands : operands.substr(comma + 1)));
}

void add_call(std::string_view operands, InstructionMix& mix) {
  const size_t begin = operands.find('<');
  if (++mix.calls == 1 && begin != std::string_view::npos)
    mix.called = operands.substr(begin + 1, operands.find_first_of("@>+", begin) - begin - 1);
}

void add_arithmetic(bool is_packed, bool is_fused, bool is_division, InstructionMix& mix) {
  ++(is_packed ? mix.packed : mix.scalar);
  mix.fused += is_fused ? 1 : 0;
  mix.divisions += is_division ? 1 : 0;
}

// --- x86 ---

bool jumps_on_x86(std::string_view name) { return name.starts_with('j'); }

// "vfmadd231ps" is packed, "addsd" is not.
bool is_arithmetic(std::string_view name, bool& is_packed) {
  if (name.starts_with('v')) name.remove_prefix(1);
  const bool is_one = begins_with_one(name, {"add", "sub", "mul", "div", "max", "min", "fm", "fnm",
                                             "sqrt", "rsqrt", "rcp", "dp", "hadd", "round"});
  if (!is_one || name.size() < 4) return false;
  const std::string_view type = name.substr(name.size() - 2);
  is_packed = type == "ps" || type == "pd" || type == "ph";
  return is_packed || type == "ss" || type == "sd" || type == "sh";
}

int bits_of(std::string_view operands) {
  if (operands.contains("%zmm")) return 512;
  if (operands.contains("%ymm")) return 256;
  return operands.contains("%xmm") ? 128 : 0;
}

void add_of_x86(const Instruction& instruction, InstructionMix& mix) {
  const std::string_view name = instruction.name, operands = instruction.operands;
  bool is_packed = false;
  if (is_arithmetic(name, is_packed)) {
    add_arithmetic(is_packed, name.contains("fm") || name.contains("fnm"),
                   name.contains("div") || name.contains("sqrt"), mix);
    if (is_packed) mix.widest_bits = std::max(mix.widest_bits, bits_of(operands));
  }
  mix.gathers += name.contains("gather") ? 1 : 0;
  if (name.starts_with("call")) add_call(operands, mix);
  // What is named like that takes an address, or does nothing.
  if (begins_with_one(name, {"lea", "nop", "prefetch", "j", "call"})) return;
  const size_t memory = operands.rfind('(');
  if (memory == std::string_view::npos) return;
  // In AT&T's order the last operand is what is written.
  // Behind the bracket may stand "{1to16}".
  const size_t bracket = operands.find(')', memory);
  const bool is_last =
      bracket == std::string_view::npos || operands.find(',', bracket) == std::string_view::npos;
  const bool only_reads = begins_with_one(name, {"cmp", "test", "vucomis", "ucomis"});
  ++(is_last && !only_reads ? mix.stores : mix.loads);
}

// --- Arm ---

bool jumps_on_arm(std::string_view name) {
  return name == "b" || begins_with_one(name, {"b.", "cbz", "cbnz", "tbz", "tbnz"});
}

// "v0.4s" has vectors of four, and "z0.s" of as many as the machine has.
int arm_bits_of(std::string_view operands) {
  for (std::string_view full : {".4s", ".2d", ".8h", ".16b"})
    if (operands.contains(full)) return 128;
  for (std::string_view half : {".2s", ".4h", ".8b"})
    if (operands.contains(half)) return 64;
  return 0;
}

void add_of_arm(const Instruction& instruction, InstructionMix& mix) {
  const std::string_view name = instruction.name, operands = instruction.operands;
  // Products of whole numbers and of bf16, too, which compute in vectors alone.
  if (begins_with_one(name,
                      {"fadd",   "fsub",   "fmul",  "fnmul", "fdiv",  "fml",   "fmadd", "fmsub",
                       "fnmadd", "fnmsub", "fmax",  "fmin",  "fsqrt", "frec",  "frsq",  "fabd",
                       "sdot",   "udot",   "usdot", "smmla", "ummla", "bfdot", "bfmmla"})) {
    const int bits = arm_bits_of(operands);
    const bool is_packed = bits > 0 || operands.starts_with('z');
    add_arithmetic(is_packed, begins_with_one(name, {"fml", "fmadd", "fmsub", "fnmadd", "fnmsub"}),
                   begins_with_one(name, {"fdiv", "fsqrt"}), mix);
    mix.widest_bits = std::max(mix.widest_bits, bits);
  }
  if (name == "bl" || name == "blr") add_call(operands, mix);
  if (name.starts_with("ld")) ++mix.loads;
  if (name.starts_with("st")) ++mix.stores;
}

// --- RISC-V ---

bool jumps_on_riscv(std::string_view name) {
  return name == "j" || begins_with_one(name, {"beq", "bne", "blt", "bge", "blez", "bgt", "ble"});
}

void add_of_riscv(const Instruction& instruction, InstructionMix& mix) {
  const std::string_view name = instruction.name;
  const bool is_division = name.contains("div") || name.contains("sqrt");
  if (begins_with_one(name, {"vfadd",  "vfsub",   "vfrsub",  "vfmul",   "vfdiv",  "vfrdiv",
                             "vfmacc", "vfnmacc", "vfmsac",  "vfnmsac", "vfmadd", "vfnmadd",
                             "vfmsub", "vfnmsub", "vfwmacc", "vfwmul",  "vfwadd", "vfmax",
                             "vfmin",  "vfsqrt",  "vfred",   "vwmacc",  "vwmul"}))
    add_arithmetic(true, name.contains("mac") || name.contains("msac") || name.contains("madd"),
                   is_division, mix);
  else if (begins_with_one(name, {"fadd.", "fsub.", "fmul.", "fdiv.", "fsqrt.", "fmax.", "fmin.",
                                  "fmadd.", "fmsub.", "fnmadd.", "fnmsub."}))
    add_arithmetic(false, begins_with_one(name, {"fmadd", "fmsub", "fnm"}), is_division, mix);
  if (name == "jal" || name == "jalr" || name == "call") add_call(instruction.operands, mix);
  if (begins_with_one(name, {"vlux", "vlox"})) ++mix.gathers;
  const bool is_of_memory = instruction.operands.contains('(') && !name.starts_with("jalr");
  if (!is_of_memory) return;
  const std::string_view kind =
      name.starts_with('v') || name.starts_with('f') || name.starts_with("c.")
          ? name.substr(name.starts_with("c.") ? 2 : 1)
          : name;
  if (kind.starts_with('l')) ++mix.loads;
  if (kind.starts_with('s')) ++mix.stores;
}

// --- any ---

struct IsaWords {
  bool (*jumps)(std::string_view name);
  void (*add)(const Instruction& instruction, InstructionMix& mix);
};

IsaWords words_of(Isa isa) {
  switch (isa) {
    case Isa::aarch64:
      return {jumps_on_arm, add_of_arm};
    case Isa::riscv:
      return {jumps_on_riscv, add_of_riscv};
    case Isa::x86_64:
      break;
  }
  return {jumps_on_x86, add_of_x86};
}

void add(const Instruction& instruction, const IsaWords& words, InstructionMix& mix) {
  ++mix.instructions;
  mix.branches += words.jumps(instruction.name) ? 1 : 0;
  words.add(instruction, mix);
}

struct Loop {
  size_t first = 0, last = 0;  // instructions
};

// Of a function: those in which no other lies. Each jump back ends a loop, and they come by their
// ends: one has another in it where an earlier one begins no sooner.
std::vector<Loop> innermost_loops(const std::vector<Instruction>& code) {
  std::vector<Loop> innermost;
  std::optional<size_t> latest;  // of where loops begin so far
  for (size_t i = 0; i < code.size(); ++i) {
    if (!code[i].target || *code[i].target > code[i].address ||
        *code[i].target < code.front().address)
      continue;
    const auto found = std::ranges::lower_bound(code, *code[i].target, {}, &Instruction::address);
    const auto first = static_cast<size_t>(found - code.begin());
    if (!latest || first > *latest) innermost.push_back({first, i});
    latest = std::max(latest.value_or(0), first);
  }
  return innermost;
}

// What computes more: on full vectors before on single numbers.
std::tuple<size_t, size_t> work_of(const InstructionMix& mix) {
  const size_t lanes = static_cast<size_t>(std::max(mix.widest_bits, 32)) / 32;
  return {mix.packed * lanes + mix.scalar, mix.instructions};
}

void take_loops(const std::string& function, const std::vector<Instruction>& code,
                const IsaWords& words, std::optional<InstructionMix>& best) {
  for (const Loop& loop : innermost_loops(code)) {
    InstructionMix mix{.function = function};
    for (size_t i = loop.first; i <= loop.last; ++i) add(code[i], words, mix);
    if (mix.packed + mix.scalar == 0) continue;
    if (!best || work_of(mix) > work_of(*best)) best = std::move(mix);
  }
}

}  // namespace

std::optional<InstructionMix> inner_loop(std::string_view disassembly, Isa isa) {
  const IsaWords words = words_of(isa);
  std::optional<InstructionMix> best;
  std::vector<Instruction> code;
  std::string function;
  for (const std::string_view line : lines_of(disassembly)) {
    if (line.ends_with(">:")) {
      take_loops(function, code, words, best);
      code.clear();
      const size_t begin = line.find('<');
      function = begin == std::string_view::npos
                     ? ""
                     : std::string(line.substr(begin + 1, line.size() - begin - 3));
    } else if (auto instruction = read_instruction(line)) {
      if (words.jumps(instruction->name)) instruction->target = last_address(instruction->operands);
      code.push_back(*instruction);
    }
  }
  take_loops(function, code, words, best);
  return best;
}

Json to_json(const InstructionMix& mix) {
  return {{"function", mix.function},     {"instructions", mix.instructions},
          {"packed", mix.packed},         {"scalar", mix.scalar},
          {"fused", mix.fused},           {"divisions", mix.divisions},
          {"loads", mix.loads},           {"stores", mix.stores},
          {"gathers", mix.gathers},       {"calls", mix.calls},
          {"branches", mix.branches},     {"widest_bits", mix.widest_bits},
          {"called", or_null(mix.called)}};
}

std::string mix_in_words(const Json& mix) {
  auto count = [&](const char* name) {
    auto found = mix.find(name);
    return found != mix.end() && found->is_number_integer() ? found->get<int64_t>() : 0;
  };
  const int64_t packed = count("packed"), scalar = count("scalar");
  std::string text = fmt::format("Its inner loop has {} instructions: ", count("instructions"));
  if (packed > 0)
    text += fmt::format(
        "{} of floating-point arithmetic on vectors{}", packed,
        count("widest_bits") > 0 ? fmt::format(" of {} bits", count("widest_bits")) : "");
  if (packed > 0 && scalar > 0) text += ", ";
  if (scalar > 0) text += fmt::format("{} on single numbers", scalar);
  text += fmt::format(", {} loads and {} stores.", count("loads"), count("stores"));
  if (packed == 0) text += " It is not vectorised.";
  if (count("gathers") > 0)
    text += " It gathers elements one by one: their order in memory is not that of the loop.";
  if (count("divisions") > 0)
    text += fmt::format(" {} of these are divisions or roots, which take many times as long.",
                        count("divisions"));
  if (count("calls") > 0)
    text += fmt::format(" It calls {}.", mix.contains("called") && mix["called"].is_string()
                                             ? mix["called"].get<std::string>()
                                             : "a function");
  return text;
}

}  // namespace assay
