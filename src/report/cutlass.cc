// The CSV of CUTLASS's profiler. Its arguments are those of all operations of the run, in the order
// in which they come first.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/dispatch_row.h"
#include "report/format.h"
#include "report/profile.h"
#include "report/table.h"

namespace assay {
namespace {

// What CUTLASS says of a verification; `is_supported`: somebody could try it.
std::string disposition(const Attempt& attempt) {
  switch (attempt.verdict) {
    case Verdict::accepted:
      return "passed";
    case Verdict::rejected:
      return "incorrect";
    case Verdict::failed:
      return "failed";
    case Verdict::unsupported:
      return "not_supported";
    case Verdict::exported:
    case Verdict::compiled:
      return "not_verified";
    case Verdict::not_judged:
      break;
  }
  return "not_run";
}

// Whether it could be run, whatever came of it.
std::string status(const Attempt& attempt) {
  return attempt.verdict == Verdict::failed ? "error_internal" : "success";
}

std::string shortest(std::optional<double> value) {
  return value ? fmt::format("{:.6g}", *value) : "";
}

}  // namespace

void render_cutlass(const ReportInput& input, ReportSink& sink) {
  std::vector<DispatchRow> rows;
  std::vector<std::string> arguments;
  for (const Attempt& attempt : input.attempts) {
    rows.push_back(dispatch_row(attempt));
    for (const auto& [name, value] : rows.back().arguments)
      if (std::ranges::find(arguments, name) == arguments.end()) arguments.push_back(name);
  }
  std::string head;
  for (const auto& [name, value] : input.tags) head += csv_field(name) + ",";
  head += "Problem,Provider,OperationKind,Operation,Disposition,Status,";
  for (const std::string& name : arguments) head += csv_field(name) + ",";
  sink.write(head + "Bytes,Flops,Flops/Byte,Runtime,GB/s,GFLOPs\r\n");
  std::map<std::string, size_t> problems;  // by operation
  for (size_t i = 0; i < rows.size(); ++i) {
    const DispatchRow& row = rows[i];
    const Attempt& attempt = input.attempts[i];
    const size_t problem = problems.try_emplace(row.operation, problems.size() + 1).first->second;
    for (const auto& [name, value] : input.tags) sink.write(csv_field(value) + ",");
    sink.write(fmt::format("{},{},{},{},{},{},", problem, csv_field(row.provider),
                           csv_field(row.kind), csv_field(row.operation + "_" + row.configuration),
                           disposition(attempt), status(attempt)));
    for (const std::string& name : arguments) sink.write(csv_field(row.argument(name)) + ",");
    sink.write(fmt::format("{},{},{},{},{},{}\r\n", row.bytes ? std::to_string(*row.bytes) : "",
                           row.flops ? std::to_string(*row.flops) : "",
                           shortest(intensity_of(attempt)), shortest(row.runtime_ms),
                           shortest(row.gb_per_s), shortest(row.gflop_per_s)));
  }
}

}  // namespace assay
