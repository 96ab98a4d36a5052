#include "tune/subject.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/hash.h"
#include "base/units.h"
#include "compile/tuning_spec.h"
#include "judge/judge.h"
#include "measure/interval.h"
#include "session/keys.h"
#include "session/plan.h"
#include "workload/source.h"

namespace assay {
namespace {

std::optional<double> optional_number(JsonReader& fields, const char* field) {
  return fields.has(field) ? std::optional(fields.number(field)) : std::nullopt;
}

std::vector<HotOperation> hot_from_json(const Json& json) {
  std::vector<HotOperation> hot;
  for (const Json& each : json)
    if (each.is_array() && each.size() == 2 && each[0].is_string() && each[1].is_string())
      hot.push_back({each[0].get<std::string>(), each[1].get<std::string>()});
  return hot;
}

// Long enough to tell one configuration from another.
std::string short_hash(const std::string& text) {
  constexpr size_t kDigits = 16;
  return sha256(text).substr(0, kDigits);
}

}  // namespace

Status TuneSubject::set_points(std::vector<Configuration> all) {
  std::string all_contents;
  for (Configuration& point : all) {
    std::string content = short_hash(to_toml(point));
    const auto [place, is_new] = places.emplace(point.name, points.size());
    if (!is_new && contents[place->second] == content) continue;
    if (!is_new)
      return error(
          Code::invalid_input,
          fmt::format("--configs: two different configurations are named '{}'", point.name),
          "give one of them another name in its file");
    all_contents += content;
    points.push_back(std::move(point));
    contents.push_back(std::move(content));
  }
  space = short_hash(all_contents);
  return {};
}

Author TuneSubject::author_of(std::optional<size_t> point) const {
  if (point) return author_of_configuration(points[*point]);
  return {.type = &default_author(),
          .name = std::string(default_author().name),
          .reference = std::string(default_author().name)};
}

std::vector<size_t> TuneSubject::fastest(size_t count, bool in_own_launch) const {
  std::vector<std::pair<double, size_t>> timed;
  for (const auto& [point, known] : tried)
    if (known.ns && known.code != default_code && first_with.at(known.code) == point)
      timed.emplace_back(in_own_launch ? *known.ns : known.settled_ns(), point);
  std::ranges::sort(timed);
  std::vector<size_t> best;
  for (const auto& [ns, point] : timed)
    if (best.size() < count) best.push_back(point);
  return best;
}

std::vector<size_t> TuneSubject::to_be_timed(const std::vector<size_t>& batch) {
  std::vector<size_t> found;
  for (const size_t point : batch) {
    const Tried& known = tried[point];
    if (known.is_over || known.code == default_code) continue;
    size_t& first = first_with[known.code];
    // One that was compiled before the command was interrupted, or that nobody could judge.
    const bool is_open = !tried[first].is_over || !tried[first].is_known;
    if (is_open && std::ranges::find(batch, first) == batch.end()) first = point;
    if (first == point) found.push_back(point);
  }
  return found;
}

int TuneSubject::go_on_with_finals(const std::vector<size_t>& finalists, int most) {
  // Those of a search that has ended are over.
  size_t rounds = ended ? 0 : std::min(default_again_ns.size(), static_cast<size_t>(most));
  for (const size_t point : finalists) rounds = std::min(rounds, tried.at(point).again_ns.size());
  forget_rounds(rounds);
  if (rounds < static_cast<size_t>(most)) judged_in_finals.clear();
  return static_cast<int>(rounds);
}

void TuneSubject::forget_rounds(size_t but) {
  for (auto& [point, known] : tried) known.again_ns.resize(std::min(known.again_ns.size(), but));
  default_again_ns.resize(std::min(default_again_ns.size(), but));
  has_rounds = but > 0;
}

double TuneSubject::median_default_ns() const {
  const auto& times = default_again_ns.empty() ? default_ns : default_again_ns;
  return times.empty() ? 0 : median(times);
}

Status TuneSubject::set_hot(std::vector<HotOperation> operations) {
  hot = std::move(operations);
  if (hot->empty()) return {};
  constexpr size_t kMostHot = 3;  // each is searched by itself
  std::vector<Configuration> all;
  std::set<std::string> searched;
  for (const HotOperation& operation : *hot) {
    if (searched.size() == kMostHot) break;
    const std::string_view kind = operation_of_sizes(operation.sizes);
    for (const Configuration& each : of_any_sizes) {
      if (each.operation != kind ||
          std::ranges::find(each.types, operation.type) == each.types.end())
        continue;
      Configuration own = for_sizes(each, operation.sizes);
      own.types = {operation.type};
      if (!why_not(own, *target, std::nullopt).empty()) continue;
      all.push_back(std::move(own));
      searched.insert(operation.sizes);
    }
  }
  // What is for no operation stays: flags, for all of the program.
  for (Configuration& each : points)
    if (each.operation.empty()) all.push_back(std::move(each));
  points.clear();
  contents.clear();
  places.clear();
  return set_points(std::move(all));
}

std::optional<size_t> TuneSubject::best_together() {
  if (!hot || default_ns.empty()) return std::nullopt;
  std::vector<Configuration> parts;
  for (const HotOperation& operation : *hot) {
    std::optional<size_t> best;
    for (const auto& [point, known] : tried)
      if (known.ns && points[point].sizes == operation.sizes &&
          *known.ns < median(default_ns) * (1 - kDeadBand) &&
          (!best || *known.ns < *tried.at(*best).ns))
        best = point;
    if (best) parts.push_back(points[*best]);
  }
  if (parts.size() < 2) return std::nullopt;
  const std::string name = together(std::move(parts)).name;
  add_together(name);
  const size_t place = places.at(name);
  const auto known = tried.find(place);
  return known != tried.end() && known->second.is_over ? std::nullopt : std::optional(place);
}

void TuneSubject::add_together(const std::string& name) {
  if (places.contains(name)) return;
  std::vector<Configuration> parts;
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find('+', begin), name.size());
    const auto part = places.find(name.substr(begin, end - begin));
    if (part == places.end()) return;
    parts.push_back(points[part->second]);
    begin = end + 1;
  }
  places.emplace(name, points.size());
  points.push_back(together(std::move(parts)));
  contents.push_back(short_hash(to_toml(points.back())));
}

Status TuneSubject::take(const TuneLine& line) {
  spent_ns = std::max(spent_ns, line.spent_ns);
  if (line.hot) return set_hot(*line.hot);
  if (line.step == "end") {
    ended = line;
    ended_ns = line.spent_ns;
    return {};
  }
  if (line.step == "judge") {
    judged = line;
    judged_in_finals.insert(*line.point);
    if (line.is_broken || (line.judged && (line.judged->outcome == Outcome::equal ||
                                           line.judged->outcome == Outcome::slower)))
      refuted.insert(*line.point);
    else if (line.judged && line.judged->outcome == Outcome::faster)
      refuted.erase(*line.point);
    else if (!line.judged)
      not_judged = line.why_none;
    return {};
  }
  // What was timed in turn is compared with nothing that was tried later.
  if (has_rounds && (ended || line.step != "again")) forget_rounds(0);
  if (line.step == "again") has_rounds = true;
  ended.reset();
  judged.reset();
  judged_in_finals.clear();
  not_judged.clear();
  if (!line.point) {
    if (!line.code.empty()) default_code = line.code;
    if (line.ns && line.step == "again") default_again_ns.push_back(*line.ns);
    if (line.ns && line.step == "try") default_ns.push_back(*line.ns);
    if (line.step == "try" && line.is_known) default_is_known = true;
    return {};
  }
  Tried& known = tried[*line.point];
  if (line.step == "again") {
    if (line.ns) known.again_ns.push_back(*line.ns);
    return {};
  }
  known.code = line.code;
  known.ns = line.ns;
  known.why_none = line.why_none;
  known.not_taken_up = line.not_taken_up;
  known.is_known = line.is_known;
  known.is_over = line.step == "try" || line.code.empty();
  if (line.code.empty()) return {};
  size_t& first = first_with.emplace(line.code, *line.point).first->second;
  // The one that has their time: the other's was not to be had.
  if (line.ns && (!tried.at(first).is_over || !tried.at(first).is_known)) first = *line.point;
  return {};
}

std::vector<std::string> TuneSubject::leave_out_families() {
  constexpr int kEnough = 2;
  std::map<std::string, int> not_taken_up;
  std::set<std::string> taken_up, found;
  for (const auto& [point, known] : tried) {
    const std::string family = points[point].family();
    if (!known.code.empty()) taken_up.insert(family);
    if (known.not_taken_up && ++not_taken_up[family] == kEnough && !left_out.contains(family))
      found.insert(family);
  }
  std::erase_if(found, [&](const std::string& family) { return taken_up.contains(family); });
  left_out.insert(found.begin(), found.end());
  return {found.begin(), found.end()};
}

std::vector<size_t> TuneSubject::points_left() const {
  std::vector<size_t> left;
  for (size_t point = 0; point < points.size(); ++point)
    if (!left_out.contains(points[point].family())) left.push_back(point);
  return left;
}

std::optional<size_t> TuneSubject::winner() const {
  const bool is_faster = judged && judged->judged && judged->judged->outcome == Outcome::faster;
  return is_faster ? judged->point : std::nullopt;
}

const Speedup* TuneSubject::last_judged() const {
  return judged && judged->judged ? &*judged->judged : nullptr;
}

bool TuneSubject::seems_faster() const {
  const Speedup* last = last_judged();
  return last && last->outcome == Outcome::undecided && last->low > 1;
}

std::string TuneSubject::nothing_beats() const {
  const Speedup* last = last_judged();
  if (seems_faster())
    return fmt::format("the fastest seems to be faster, which is undecided ({}): {}", last->reason,
                       last->reason == kOutOfTime
                           ? "--budget and --spend give it more launches"
                           : "the same command with a larger --spend tries again");
  if (!not_judged.empty())
    return "one that is faster in its own launch could not be judged: " + not_judged;
  if (last && last->outcome == Outcome::undecided)
    return fmt::format("whether anything beats the compiler's own choice is undecided ({})",
                       last->reason);
  return "nothing beats the compiler's own choice by more than 1 %";
}

TuneResult TuneSubject::result() const {
  TuneResult result{.workload = workload->path,
                    .known_as = configured.name,
                    .content = configured.content,
                    .target = target->name,
                    .name = workload->name};
  result.space = points_left().size();
  for (const auto& [point, known] : tried) {
    if (!known.is_over) continue;
    if (left_out.contains(points[point].family())) ++result.space;
    ++result.tried;
    if (!known.ns && (runs_here || known.code.empty())) ++result.failed;
    const bool is_new =
        known.code.empty() || (known.code != default_code && first_with.at(known.code) == point);
    if (!is_new) ++result.same;
  }
  for (const size_t point : refuted) result.refuted.push_back(points[point]);
  result.is_judged = not_judged.empty();
  result.default_ns = median_default_ns();
  if (const auto best = fastest(1); !best.empty()) {
    result.best = points[best.front()].name;
    result.best_ns = tried.at(best.front()).settled_ns();
  }
  return result;
}

Result<std::string> spaces_in_words(const TuneRequest& request, const Disk& disk) {
  std::list<Target> retyped_targets;
  ASSAY_ASSIGN(const auto subjects,
               make_subjects(request, disk, request.run.settings, Tools{}, retyped_targets));
  std::string text;
  for (const TuneSubject& each : subjects)
    text += fmt::format("{} on {}: {}\n", each.workload->name, each.target->name,
                        format_count(each.points.size(), "configuration"));
  return text;
}

Result<std::vector<TuneSubject>> make_subjects(const TuneRequest& request, const Disk& disk,
                                               const RunSettings& settings, const Tools& tools,
                                               std::list<Target>& retyped_targets) {
  std::vector<TuneSubject> subjects;
  for (const Workload& workload : request.run.workloads) {
    ASSAY_ASSIGN(const LoadedWorkload loaded, load_workload(disk, workload));
    const ConfiguredWorkload configured = configured_workload(workload, loaded);
    for (const Target& asked : request.run.targets) {
      TuneSubject& subject = subjects.emplace_back();
      subject.workload = &workload;
      subject.target = &retyped(asked, workload.precision, retyped_targets);
      subject.configured = configured;
      const bool is_program = !loaded.operation && workload.truth == Truth::problem;
      std::vector<Configuration> points;
      for (const ConfigurationSet& set : request.spaces)
        for (const ConfigurationEntry& entry : set.entries)
          for (Configuration& each : entry.all()) {
            if (is_program && !each.operation.empty() && why_not_on(each, *subject.target).empty())
              subject.of_any_sizes.push_back(each);
            if (why_not(each, *subject.target, loaded.operation).empty())
              points.push_back(std::move(each));
          }
      ASSAY_TRY(subject.set_points(std::move(points)));
      subject.identity =
          fingerprint({workload.path, hash_of(loaded), subject.target->precision},
                      {&artifact_form(), "", true, {}}, *subject.target, settings, tools);
    }
  }
  return subjects;
}

std::string why_not_timed(const Attempt& attempt) {
  for (const StageRecord& stage : attempt.stages)
    if (!stage.error.empty()) return stage.error;
  return "it was not timed";
}

Json to_json(const TuneLine& line, const TuneSubject& subject) {
  Json json{{"workload", subject.workload->path},
            {"target", subject.target->name},
            {"identity", subject.identity},
            {"step", line.step},
            {"space", subject.space},
            {"configuration", line.point ? Json(subject.points[*line.point].name) : Json()},
            {"content", line.point ? Json(subject.contents[*line.point]) : Json()},
            {"code", line.code},
            {"ns", or_null(line.ns)},
            {"why_none", line.why_none},
            {"not_taken_up", line.not_taken_up},
            {"is_broken", line.is_broken},
            {"spent_ns", line.spent_ns},
            {"spend_ns", line.spend_ns}};
  if (line.hot) {
    json["hot"] = Json::array();
    for (const HotOperation& each : *line.hot) json["hot"].push_back({each.sizes, each.type});
  }
  if (line.judged)
    json["judged"] = {{"baseline", line.judged->baseline},
                      {"ratio", line.judged->ratio},
                      {"low", line.judged->low},
                      {"high", line.judged->high},
                      {"outcome", to_word(kOutcomeWords, line.judged->outcome)},
                      {"reason", line.judged->reason},
                      {"chance", or_null(line.judged->chance)}};
  return json;
}

std::optional<TuneLine> line_from_json(const Json& json, TuneSubject& subject) {
  JsonReader fields(json, "a line of the log");
  if (fields.text("workload") != subject.workload->path ||
      fields.text("target") != subject.target->name || fields.text("identity") != subject.identity)
    return std::nullopt;
  TuneLine line{.step = fields.text("step")};
  if (fields.has("hot")) line.hot = hot_from_json(fields.value("hot"));
  if (auto name = fields.optional_text("configuration")) {
    subject.add_together(*name);
    const auto place = subject.places.find(*name);
    if (place == subject.places.end()) return std::nullopt;  // the space is another one now
    line.point = place->second;
    if (fields.optional_text("content").value_or("") != subject.contents[place->second])
      return std::nullopt;
  }
  const bool is_of_space = fields.optional_text("space").value_or("") == subject.space;
  if (line.step == "end" && !is_of_space) return std::nullopt;
  if (is_of_space) line.spent_ns = fields.integer("spent_ns");
  line.code = fields.optional_text("code").value_or("");
  line.ns = optional_number(fields, "ns");
  line.why_none = fields.optional_text("why_none").value_or("");
  line.not_taken_up = fields.boolean("not_taken_up");
  line.is_broken = fields.has("is_broken") && fields.boolean("is_broken");
  line.spend_ns = fields.integer("spend_ns");
  if (fields.has("judged")) {
    JsonReader judged(fields.value("judged"), "what was judged");
    Speedup& speedup = line.judged.emplace();
    speedup.baseline = judged.text("baseline");
    speedup.ratio = judged.number("ratio");
    speedup.low = judged.number("low");
    speedup.high = judged.number("high");
    speedup.outcome = from_word(kOutcomeWords, judged.text("outcome")).value_or(Outcome::undecided);
    speedup.reason = judged.optional_text("reason").value_or("");
    speedup.chance = optional_number(judged, "chance");
    if (!judged.status()) return std::nullopt;
  }
  if (!fields.status()) return std::nullopt;
  return line;
}

}  // namespace assay
