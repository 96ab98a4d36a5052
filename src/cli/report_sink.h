// Where the command line puts reports.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/disk.h"
#include "cli/output.h"
#include "report/format.h"
#include "store/run_store.h"

namespace assay {

// Standard output.
class OutputSink final : public ReportSink {
 public:
  explicit OutputSink(Output& output) : output_(output) {}

 private:
  void open(const std::string&) override {}
  void take(std::string_view piece) override { output_.write(piece); }

  Output& output_;
};

// The disk: `to` is a folder for files under their own names, or the path of a single file.
class DiskSink final : public ReportSink {
 public:
  DiskSink(Disk& disk, std::string to) : disk_(disk), to_(std::move(to)) {}

 private:
  void open(const std::string& name) override;
  void take(std::string_view piece) override;
  // Puts the last file in place, if nothing went wrong.
  void close() override;

  Disk& disk_;
  std::string to_;
  std::unique_ptr<NewFile> file_;
};

// ReportInput::not_here of these attempts.
Result<std::map<std::string, std::string>> targets_not_here(const std::vector<Attempt>& attempts);

// The script of IREE's own commands into a run's folder.
Status write_commands(RunStore& store);

// Renders a run into its folder, as report.md, report.json and whatever else the table of formats
// has there. Returns its attempts.
Result<std::vector<Attempt>> write_reports(RunStore& store);

}  // namespace assay
