#include "measure/instruction_mix.h"

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

std::optional<uint64_t> hexadecimal(std::string_view text) {
  uint64_t value = 0;
  auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (failed != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

// "    1139:\tvmovups (%rdi,%rax,4),%ymm0". Nothing: it is no instruction.
std::optional<Instruction> read_instruction(std::string_view line) {
  const size_t colon = line.find(":\t");
  if (colon == std::string_view::npos) return std::nullopt;
  const auto address = hexadecimal(trimmed(line.substr(0, colon)));
  if (!address) return std::nullopt;
  std::string_view rest = trimmed(line.substr(colon + 2));
  // What stands before an instruction, as a word of its own.
  for (std::string_view prefix : {"notrack ", "bnd ", "lock ", "rep ", "repz "})
    if (rest.starts_with(prefix)) rest = trimmed(rest.substr(prefix.size()));
  const size_t end = std::min(rest.find_first_of(" \t"), rest.size());
  Instruction instruction{.address = *address, .name = rest.substr(0, end), .operands = {}};
  std::string_view operands = trimmed(rest.substr(end));
  instruction.operands = trimmed(operands.substr(0, operands.find('#')));
  if (instruction.name.starts_with('j')) instruction.target = hexadecimal(instruction.operands);
  return instruction;
}

// "vfmadd231ps" is packed, "addsd" is not.
bool is_arithmetic(std::string_view name, bool& is_packed) {
  if (name.starts_with('v')) name.remove_prefix(1);
  constexpr std::string_view kArithmetic[] = {"add", "sub", "mul",  "div",  "max",
                                              "min", "fm",  "fnm",  "sqrt", "rsqrt",
                                              "rcp", "dp",  "hadd", "round"};
  const bool is_one = std::ranges::any_of(
      kArithmetic, [&](std::string_view each) { return name.starts_with(each); });
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

void add(const Instruction& instruction, InstructionMix& mix) {
  const std::string_view name = instruction.name, operands = instruction.operands;
  ++mix.instructions;
  bool is_packed = false;
  if (is_arithmetic(name, is_packed)) {
    ++(is_packed ? mix.packed : mix.scalar);
    if (is_packed) mix.widest_bits = std::max(mix.widest_bits, bits_of(operands));
    mix.fused += name.contains("fm") || name.contains("fnm") ? 1 : 0;
    mix.divisions += name.contains("div") || name.contains("sqrt") ? 1 : 0;
  }
  mix.gathers += name.contains("gather") ? 1 : 0;
  mix.branches += name.starts_with('j') ? 1 : 0;
  if (name.starts_with("call")) {
    const size_t begin = operands.find('<');
    if (++mix.calls == 1 && begin != std::string_view::npos)
      mix.called = operands.substr(begin + 1, operands.find_first_of("@>+", begin) - begin - 1);
  }
  // What is named like that takes an address, or does nothing.
  if (name.starts_with("lea") || name.starts_with("nop") || name.starts_with("prefetch") ||
      name.starts_with('j') || name.starts_with("call"))
    return;
  const size_t memory = operands.rfind('(');
  if (memory == std::string_view::npos) return;
  // In AT&T's order the last operand is what is written.
  const bool is_last = operands.find("),", memory) == std::string_view::npos;
  const bool only_reads = name.starts_with("cmp") || name.starts_with("test") ||
                          name.starts_with("vucomis") || name.starts_with("ucomis");
  ++(is_last && !only_reads ? mix.stores : mix.loads);
}

struct Loop {
  size_t first = 0, last = 0;  // instructions
};

// Of a function: those that no other lies in.
std::vector<Loop> innermost_loops(const std::vector<Instruction>& code) {
  std::vector<Loop> loops;
  for (size_t i = 0; i < code.size(); ++i) {
    if (!code[i].target || *code[i].target > code[i].address ||
        *code[i].target < code.front().address)
      continue;
    auto first = std::ranges::lower_bound(code, *code[i].target, {}, &Instruction::address);
    loops.push_back({static_cast<size_t>(first - code.begin()), i});
  }
  std::vector<Loop> innermost;
  for (const Loop& loop : loops)
    if (std::ranges::none_of(loops, [&](const Loop& other) {
          return &other != &loop && other.first >= loop.first && other.last <= loop.last &&
                 (other.first != loop.first || other.last != loop.last);
        }))
      innermost.push_back(loop);
  return innermost;
}

// What computes more: on full vectors before on single numbers.
std::tuple<size_t, size_t> work_of(const InstructionMix& mix) {
  const size_t lanes = static_cast<size_t>(std::max(mix.widest_bits, 32)) / 32;
  return {mix.packed * lanes + mix.scalar, mix.instructions};
}

void take_loops(const std::string& function, const std::vector<Instruction>& code,
                std::optional<InstructionMix>& best) {
  for (const Loop& loop : innermost_loops(code)) {
    InstructionMix mix{.function = function};
    for (size_t i = loop.first; i <= loop.last; ++i) add(code[i], mix);
    if (mix.packed + mix.scalar == 0) continue;
    if (!best || work_of(mix) > work_of(*best)) best = std::move(mix);
  }
}

}  // namespace

std::optional<InstructionMix> inner_loop(std::string_view disassembly) {
  std::optional<InstructionMix> best;
  std::vector<Instruction> code;
  std::string function;
  for (const std::string_view line : lines_of(disassembly)) {
    if (line.ends_with(">:")) {
      take_loops(function, code, best);
      code.clear();
      const size_t begin = line.find('<');
      function = begin == std::string_view::npos
                     ? ""
                     : std::string(line.substr(begin + 1, line.size() - begin - 3));
    } else if (auto instruction = read_instruction(line)) {
      code.push_back(*instruction);
    }
  }
  take_loops(function, code, best);
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
    text += fmt::format("{} of floating-point arithmetic on vectors of {} bits", packed,
                        count("widest_bits"));
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
