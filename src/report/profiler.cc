// What IREE's dispatch profiler writes: its CSV, column by column, and the block that it prints for
// each dispatch.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "report/dispatch_row.h"
#include "report/format.h"
#include "report/table.h"

namespace assay {
namespace {

constexpr std::array kProfilerColumns{"Provider",
                                      "op_kind",
                                      "Operation",
                                      "bytes",
                                      "flops",
                                      "batch_count",
                                      "m",
                                      "n",
                                      "k",
                                      "lhs",
                                      "rhs",
                                      "result",
                                      "split_k_mode",
                                      "split_k_slices",
                                      "Tile config",
                                      "Core class",
                                      "Instruction class",
                                      "Verification",
                                      "Runtime(ms)",
                                      "GFLOPs"};

// As the profiler has it: three digits after the point, and enough of them where a call is short.
std::string milliseconds(double ms) {
  return ms >= 0.1 ? fmt::format("{:.3f}", ms) : fmt::format("{:.3g}", ms);
}

// `untimed`: what stands for the rate of what has no time. The profiler said that otherwise in its
// file than on the screen.
std::string gflops(const DispatchRow& row, const char* untimed) {
  return row.gflop_per_s ? fmt::format("{:.2f}", *row.gflop_per_s) : row.runtime_ms ? "" : untimed;
}

// "OperationKind.Matmul": the name in the profiler's own code, which is not always made of the
// kind's.
std::string kind_in_words(std::string_view kind) {
  if (kind == "matmul_splitk") return "OperationKind.SplitkMatmul";
  bool is_first = true;
  std::string words = "OperationKind.";
  for (const char c : kind) {
    if (c == '_')
      is_first = true;
    else
      words += std::exchange(is_first, false)
                   ? static_cast<char>(std::toupper(static_cast<unsigned char>(c)))
                   : c;
  }
  return words;
}

// "--m=256 --n=512 ...", in lines of no more than the profiler's.
std::vector<std::string> argument_lines(const DispatchRow& row) {
  constexpr size_t kMostInLine = 80;
  std::vector<std::string> lines{""};
  for (const auto& [name, value] : row.arguments) {
    const std::string argument = fmt::format("--{}={}", name, value);
    if (!lines.back().empty() && lines.back().size() + 1 + argument.size() > kMostInLine)
      lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + argument;
  }
  return lines;
}

}  // namespace

void render_profiler(const ReportInput& input, ReportSink& sink) {
  std::string head;
  for (const auto& [name, value] : input.tags) head += csv_field(name) + ",";
  for (const char* name : kProfilerColumns)
    head += std::string(name) + (name == kProfilerColumns.back() ? "" : ",");
  sink.write(head + "\r\n");
  for (const Attempt& attempt : input.attempts) {
    const DispatchRow row = dispatch_row(attempt);
    for (const auto& [name, value] : input.tags) sink.write(csv_field(value) + ",");
    sink.write(csv_field(row.provider) + "," + csv_field(row.kind) + "," +
               csv_field(row.operation) + "," + (row.bytes ? std::to_string(*row.bytes) : "") +
               "," + (row.flops ? std::to_string(*row.flops) : "") + ",");
    for (const char* name :
         {"batch_count", "m", "n", "k", "lhs", "rhs", "result", "split_k_mode", "split_k_slices"})
      sink.write(csv_field(row.argument(name)) + ",");
    sink.write(fmt::format("{},{},{},{},{},{}\r\n", csv_field(row.tile), csv_field(row.core_class),
                           csv_field(row.instruction_class), row.verification,
                           row.runtime_ms ? milliseconds(*row.runtime_ms) : "",
                           gflops(row, "Not run")));
  }
}

void render_profiler_text(const ReportInput& input, ReportSink& sink) {
  const std::string rule(64, '-');
  auto line = [&](std::string_view name, const std::string& value) {
    sink.write(fmt::format("{:<14}: {}\n", name, terminal_text(value)));
  };
  for (const Attempt& attempt : input.attempts) {
    const DispatchRow row = dispatch_row(attempt);
    sink.write(rule + "\n");
    line("Dispatch", row.operation + "_" + row.configuration);
    line("Provider", row.provider);
    line("OpKind", kind_in_words(row.kind));
    line("Operation", row.operation);
    line("Configuration", row.configuration);
    const std::vector<std::string> arguments = argument_lines(row);
    line("Arguments", arguments.front());
    for (size_t i = 1; i < arguments.size(); ++i)
      sink.write(fmt::format("{:<16}{}\n", "", terminal_text(arguments[i])));
    line("Verification", row.verification);
    constexpr const char* kUntimed = "Not profiled";
    line("Runtime(ms)", row.runtime_ms ? milliseconds(*row.runtime_ms) : kUntimed);
    line("GFLOPs", gflops(row, kUntimed));
  }
  sink.write(rule + "\n");
}

}  // namespace assay
