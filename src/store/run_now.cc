#include "store/run_now.h"

namespace assay {
namespace {

constexpr size_t kMostOfNow = 1 << 20;

}  // namespace

Json to_json(const RunNow& now) {
  Json under_way = Json::array();
  for (const RunNow::At& each : now.under_way)
    under_way.push_back({{"what", each.what},
                         {"stage", to_word(kStageWords, each.stage)},
                         {"since_s", each.since_s}});
  return {{"begun_s", now.begun_s}, {"changed_s", now.changed_s},
          {"planned", now.planned}, {"at_most", now.at_most},
          {"reused", now.reused},   {"finished", now.finished},
          {"waits", now.waits},     {"under_way", std::move(under_way)}};
}

Result<RunNow> run_now_from_json(const Json& json) {
  JsonReader reader(json, "what the run is doing");
  RunNow now;
  now.begun_s = reader.integer("begun_s");
  now.changed_s = reader.integer("changed_s");
  for (const auto& [field, count] : {std::pair("planned", &now.planned),
                                     {"at_most", &now.at_most},
                                     {"reused", &now.reused},
                                     {"finished", &now.finished}}) {
    const int64_t number = reader.integer(field);
    if (number < 0) reader.fail(std::string("'") + field + "' is negative");
    *count = static_cast<size_t>(number);
  }
  now.waits = reader.boolean("waits");
  const Json& list = reader.value("under_way");
  ASSAY_TRY(reader.status());
  if (!list.is_array())
    return error(Code::corrupt, "'under_way' of what the run is doing is no list");
  for (const Json& each : list) {
    JsonReader item(each, "what is under way");
    RunNow::At at{item.text("what"), item.word<Stage>("stage", kStageWords),
                  item.integer("since_s")};
    ASSAY_TRY(item.status());
    now.under_way.push_back(std::move(at));
  }
  return now;
}

Status write_now(Disk& disk, const std::string& folder, const RunNow& now) {
  return disk.write(join_path(folder, kNowFile), dump_json(to_json(now)));
}

std::optional<RunNow> read_now(const Disk& disk, const std::string& folder) {
  auto text = disk.read_inside(folder, kNowFile, kMostOfNow);
  if (!text) return std::nullopt;
  auto json = parse_json(*text, kNowFile);
  if (!json) return std::nullopt;
  auto now = run_now_from_json(*json);
  return now ? std::optional(*std::move(now)) : std::nullopt;
}

namespace {

// So many more, if each takes as long as those that have been finished.
std::optional<int64_t> seconds_of(size_t more, const RunNow& now, int64_t at_s) {
  if (now.finished == 0 || at_s < now.begun_s) return std::nullopt;
  const double each = static_cast<double>(at_s - now.begun_s) / static_cast<double>(now.finished);
  return static_cast<int64_t>(each * static_cast<double>(more));
}

}  // namespace

std::optional<int64_t> seconds_left(const RunNow& now, int64_t at_s) {
  const size_t done = now.reused + now.finished;
  if (done > now.planned) return std::nullopt;
  return seconds_of(now.planned - done, now, at_s);
}

std::optional<int64_t> seconds_left_at_most(const RunNow& now, size_t attempts, int64_t at_s) {
  if (attempts > now.at_most) return std::nullopt;
  return seconds_of(now.at_most - attempts, now, at_s);
}

}  // namespace assay
