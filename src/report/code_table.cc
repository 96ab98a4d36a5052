#include "report/code_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/units.h"
#include "report/evidence.h"
#include "report/ranking.h"

namespace assay {
namespace {

// Nothing is less than 0, but in a record that comes from elsewhere.
std::optional<int64_t> count_at(const Json& object, const char* name) {
  const auto number = number_at(object, name);
  return number && *number >= 0 ? number : std::nullopt;
}

const Json& list(const Json& object, const char* name) {
  static const Json kNone = Json::array();
  if (!object.is_object()) return kNone;
  const auto found = object.find(name);
  return found != object.end() && found->is_array() ? *found : kNone;
}

void take_most(std::optional<int64_t>& most, std::optional<int64_t> value) {
  if (value) most = std::max(most.value_or(0), *value);
}

void take_sum(std::optional<int64_t>& sum, std::optional<int64_t> value) {
  if (value) sum = std::min(INT64_MAX - *value, sum.value_or(0)) + *value;
}

int64_t arithmetic_of(const Json& loop) {
  return count_at(loop, "packed").value_or(0) + count_at(loop, "scalar").value_or(0);
}

// Of one executable, or of all of an artifact.
struct WholeCode {
  std::optional<int64_t> code_bytes{}, registers{}, spilled_bytes{}, shared_bytes{}, matrix{};
  Json loop{};  // that computes most
  std::string failed{};

  void add(const Json& executable) {
    take_sum(code_bytes, count_at(executable, "code_bytes"));
    take_sum(matrix, count_at(executable, "matrix_instructions"));
    for (const Json& function : list(executable, "functions")) add_function(function);
    if (executable.is_object() && executable.contains("loop") &&
        (loop.is_null() || arithmetic_of(executable["loop"]) > arithmetic_of(loop)))
      loop = executable["loop"];
    if (failed.empty()) failed = text_at(executable, "failed");
  }

  void add_function(const Json& function) {
    take_most(registers, count_at(function, "registers"));
    take_most(spilled_bytes, count_at(function, "spilled_bytes"));
    take_most(shared_bytes, count_at(function, "shared_bytes"));
  }
};

std::string bytes_or_dash(std::optional<int64_t> bytes) {
  return bytes ? format_bytes(static_cast<uint64_t>(*bytes)) : "-";
}

std::string count_or_dash(std::optional<int64_t> count) {
  return count ? std::to_string(*count) : "-";
}

// "12 of 20, 256 bits".
std::string loop_in_words(const Json& loop) {
  const auto instructions = count_at(loop, "instructions");
  if (!instructions) return "-";
  const int64_t packed = count_at(loop, "packed").value_or(0);
  std::string words = fmt::format("{} of {}", arithmetic_of(loop), *instructions);
  if (packed == 0) return words + ", no vectors";
  const int64_t bits = count_at(loop, "widest_bits").value_or(0);
  return words + (bits > 0 ? fmt::format(", {} bits", bits) : ", vectors");
}

const StageRecord* compile_stage(const Attempt& attempt) {
  for (const StageRecord& stage : attempt.stages)
    if (stage.stage == Stage::compile && stage.status == StageStatus::ok) return &stage;
  return nullptr;
}

// Columns in which there is nothing but "-", below the head, are left out.
void leave_out_empty(std::vector<Row>& rows) {
  for (size_t column = rows.front().size(); column-- > 0;) {
    const bool any = std::any_of(rows.begin() + 1, rows.end(),
                                 [&](const Row& row) { return row[column] != "-"; });
    if (any) continue;
    for (Row& row : rows) row.erase(row.begin() + static_cast<long>(column));
  }
}

}  // namespace

std::vector<Row> code_rows(const std::vector<Attempt>& attempts) {
  std::vector<Row> rows{{"problem", "author", "code", "registers", "spilled", "shared",
                         "matrix instructions", "inner loop", "not known"}};
  for (const OfProblem& problem : by_problem(attempts))
    for (const Attempt* attempt : problem.attempts) {
      const StageRecord* stage = compile_stage(*attempt);
      const Json evidence = stage ? evidence_of(*stage) : Json();
      WholeCode all;
      for (const Json& each : list(evidence, "code")) all.add(each);
      for (const Json& kernel : list(evidence, "kernels")) all.add_function(kernel);
      // Of kernels in Triton that were compiled before anybody asked what they take, nothing.
      if (list(evidence, "code").empty() && !all.registers) continue;
      // Memory that a launch asks for is none of the function's own.
      take_most(all.shared_bytes, count_at(evidence, "shared_bytes"));
      rows.push_back({(attempt->operation ? attempt->operation->name : problem_in_level(*attempt)) +
                          problem.on_target,
                      attempt->author, bytes_or_dash(all.code_bytes), count_or_dash(all.registers),
                      bytes_or_dash(all.spilled_bytes), bytes_or_dash(all.shared_bytes),
                      count_or_dash(all.matrix), loop_in_words(all.loop),
                      all.failed.empty() ? "-" : all.failed});
    }
  if (rows.size() == 1) return {};
  leave_out_empty(rows);
  return rows;
}

std::string code_in_lines(const Json& evidence) {
  constexpr size_t kMost = 12;
  std::vector<Row> rows{
      {"      executable", "code", "registers", "spilled", "shared", "inner loop", "from"}};
  for (const Json& each : list(evidence, "code")) {
    if (rows.size() > kMost) break;
    WholeCode all;
    all.add(each);
    rows.push_back({"      " + text_at(each, "executable"), bytes_or_dash(all.code_bytes),
                    count_or_dash(all.registers), bytes_or_dash(all.spilled_bytes),
                    bytes_or_dash(all.shared_bytes), loop_in_words(all.loop),
                    all.failed.empty() ? text_at(each, "source") : all.failed});
  }
  if (rows.size() == 1) return "";
  leave_out_empty(rows);
  std::string lines = "    code:\n" + text_table(rows);
  if (const size_t count = list(evidence, "code").size(); count > rows.size() - 1)
    lines += fmt::format("      and {} more\n", count - (rows.size() - 1));
  return lines;
}

}  // namespace assay
