// One page that opens from disk: page/page.html with the run's data in it, compressed, since a page
// without a server can read nothing else.
#include "report/html.h"

#include <fmt/format.h>

#include "base/disk.h"
#include "base/gzip.h"
#include "base/places.h"
#include "report/comparison.h"
#include "report/league.h"

namespace assay {
namespace {

constexpr std::string_view kPlaceOfData = "<!-- assay: data -->";
// Of its content security policy.
constexpr std::string_view kNoConnection = "connect-src 'none'";
constexpr std::string_view kOwnConnection = "connect-src 'self'";
constexpr size_t kMostSourceBytes = 32 << 20;  // before they are compressed
constexpr size_t kMostDetailed = 10'000;       // attempts; a page of more would not open at once

void write_data(ReportSink& sink, const std::string& id, const std::string& json) {
  sink.write(fmt::format("<script type=\"text/plain\" id=\"{}\">", id));
  sink.write(gzip_as_base64(json));
  sink.write("</script>\n");
}

// What lies in blocks of attempts. Returns what was left out, a sentence each.
Result<std::vector<std::string>> write_details(const ReportInput& input, ReportSink& sink) {
  PageDetails details(input, input.embed == Embed::all ? SIZE_MAX : kMostSourceBytes);
  for (size_t begin = 0; begin < input.attempts.size(); begin += kAttemptsInBlock) {
    std::string block = "[";
    const size_t end = std::min(begin + kAttemptsInBlock, input.attempts.size());
    for (size_t i = begin; i < end; ++i) {
      if (i > begin) block += ",";
      ASSAY_TRY(details.append(block, input.attempts[i]));
    }
    write_data(sink, fmt::format("assay-block-{}", begin / kAttemptsInBlock), block + "]");
  }
  std::vector<std::string> notes;
  if (details.without_source() > 0)
    notes.push_back(
        fmt::format("The sources of {} attempts are left out: the page would get too large.",
                    details.without_source()));
  if (details.without_phases() > 0)
    notes.push_back(fmt::format(
        "Of {} attempts is left out what phases of the compiler changed: the page would get too "
        "large.",
        details.without_phases()));
  return notes;
}

Status write_page(const ReportInput& input, ReportSink& sink) {
  ASSAY_ASSIGN(PageFrame frame, page_frame(false));
  sink.write(frame.before);
  Json table = page_table(input);
  std::vector<std::string> notes;
  const bool is_too_much = input.embed == Embed::usual && input.attempts.size() > kMostDetailed;
  if (is_too_much) {
    notes.push_back(
        fmt::format("Details of attempts are left out, as there are more than {}: "
                    "--embed all takes them in.",
                    kMostDetailed));
  } else if (input.embed != Embed::none) {
    ASSAY_ASSIGN(notes, write_details(input, sink));
  } else {
    notes.push_back("Details of attempts are left out: --embed none.");
  }
  table["notes"] = notes;
  write_data(sink, "assay-table", dump_json(table));
  sink.write(frame.after);
  return {};
}

// A page of one thing.
void write_whole(const std::string& id, const Json& data, ReportSink& sink) {
  auto frame = page_frame(false);
  if (!frame) return sink.fail(frame.error());
  sink.write(frame->before);
  write_data(sink, id, dump_json(data));
  sink.write(frame->after);
}

}  // namespace

Result<PageFrame> page_frame(bool connects) {
  ASSAY_ASSIGN(Places places, find_places());
  ASSAY_ASSIGN(std::string page, system_disk().read(places.page + "/page.html"));
  const size_t policy = page.find(kNoConnection);
  const size_t place = page.find(kPlaceOfData);
  if (policy == std::string::npos || place == std::string::npos || place < policy)
    return error(Code::corrupt, places.page + "/page.html has no place for data",
                 "install assay again");
  PageFrame frame{page.substr(0, place), page.substr(place + kPlaceOfData.size())};
  if (connects) frame.before.replace(policy, kNoConnection.size(), kOwnConnection);
  return frame;
}

Json page_error_rates() {
  auto places = find_places();
  if (!places) return nullptr;
  auto text = system_disk().read(places->page + "/error_rates.json");
  if (!text) return nullptr;
  auto rates = parse_json(*text, "error_rates.json");
  return rates ? *std::move(rates) : Json();
}

void render_html(const ReportInput& input, ReportSink& sink) {
  if (Status status = write_page(input, sink); !status) sink.fail(status.error());
}

void render_html_comparison(const Comparison& comparison, ReportSink& sink) {
  write_whole("assay-comparison", comparison_json(comparison), sink);
}

void render_html_league(const League& league, ReportSink& sink) {
  write_whole("assay-standings", league_json(league), sink);
}

}  // namespace assay
