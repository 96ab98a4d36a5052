#include "cli/report_sink.h"

#include <fmt/format.h>

#include <set>

#include "base/places.h"
#include "report/chart.h"
#include "setup/tools.h"
#include "target/availability.h"

namespace assay {

namespace {

constexpr std::string_view kPictureFile = "speedups.svg";

}  // namespace

void DiskSink::open(const std::string& name) {
  close();
  if (!status_) return;
  bool folder = to_.ends_with('/') || disk_.is_directory(to_);
  if (size_t end = name.rfind('/'); folder && end != std::string::npos) {
    status_ = disk_.make_directories(join_path(to_, name.substr(0, end)));
    if (!status_) return;
  }
  auto file = disk_.create(folder ? join_path(to_, name) : to_);
  if (file)
    file_ = std::move(*file);
  else
    status_ = std::unexpected(file.error());
}

void DiskSink::take(std::string_view piece) { status_ = file_->append(piece); }

void DiskSink::close() {
  if (status_ && file_) status_ = file_->commit();
  file_.reset();
}

Result<std::map<std::string, std::string>> targets_not_here(const std::vector<Attempt>& attempts) {
  ASSAY_ASSIGN(const Places places, find_places());
  const Machine& machine = this_machine();
  const TargetCatalog catalog = target_catalog(machine.disk(), places);
  std::set<std::string> names;
  for (const Attempt& attempt : attempts) names.insert(attempt.origin.target);
  std::map<std::string, std::string> not_here;
  for (const std::string& name : names) {
    const auto target = catalog.load(name);
    if (!target) continue;  // its file is no longer there
    const Availability run = can_run(*target, machine);
    if (run.ready) continue;
    not_here[name] = run.missing.empty()
                         ? fmt::format("nothing here runs code for {}", target->name)
                         : fmt::format("this machine lacks {}", run.missing);
  }
  return not_here;
}

Status write_commands(RunStore& store) {
  ASSAY_ASSIGN(auto attempts, store.attempts_as_text());
  ReportInput input{store.folder(), store.record(), std::move(attempts)};
  ASSAY_ASSIGN(input.not_here, targets_not_here(input.attempts));
  DiskSink sink(system_disk(), store.folder() + "/");
  render_commands(input, sink);
  return sink.finish();
}

Result<std::vector<Attempt>> write_reports(RunStore& store) {
  ASSAY_ASSIGN(auto attempts, store.attempts_as_text());
  ReportInput input{store.folder(), store.record(), std::move(attempts)};
  ASSAY_ASSIGN(input.search, store.search().record());
  DiskSink sink(system_disk(), store.folder());
  if (const std::string picture = charts().front().draw(input); !picture.empty()) {
    input.picture_file = kPictureFile;
    sink.begin_file(std::string(kPictureFile));
    sink.write(picture);
  }
  for (const Format& format : report_formats())
    if (format.in_run && (!format.of_searches || input.search.is_there()))
      render_report(format, input, sink);
  ASSAY_TRY(sink.finish());
  return std::move(input.attempts);
}

}  // namespace assay
