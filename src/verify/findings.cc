#include "verify/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "run/outcome.h"
#include "verify/which_families.h"

namespace assay {

bool is_of_another_size(const StageRecord& why) {
  if (why.stage != Stage::verify) return false;
  return why.status == StageStatus::unsupported || why.failure == FailureClass::exception ||
         why.rule == to_word(kRuleWords, Rule::shape);
}

void Findings::count(const Window& call) {
  ++calls_;
  calls_wall_ns_ += call.wall_ns;
  calls_cpu_ns_ += call.used.cpu_ns;
}

void Findings::add_end(const Launch& launch, const Launch::Ask& ask) {
  if (!launch.last_call()) return;
  count(*launch.last_call());
  ended_in_ = {{"family", to_word(kFamilyWords, ask.family)},
               {"size", launch.setting().size},
               {"seed", launch.draw_name(ask)}};
}

Status Findings::end(Launch& launch, bool decides) {
  ASSAY_ASSIGN(std::string printed, launch.end());
  add_printed(std::move(printed), decides);
  return {};
}

void Findings::add(const Launch::Ask& ask, Launch::Outcome& outcome) {
  if (outcome.window) count(*outcome.window);
  if (compiling_.is_null()) compiling_ = std::move(outcome.compiling);
  for (const std::string& operation : outcome.narrow)
    if (std::ranges::find(narrow_, operation) == narrow_.end()) narrow_.push_back(operation);
  for (const std::string& type : outcome.rounds)
    add_weaker_once("its own rounding to " + type +
                    " on the way is no part of the exact result: who leaves it out is accepted");
  auto note = [&](std::map<size_t, std::vector<Family>>& all, const std::vector<size_t>& inputs) {
    for (size_t input : inputs) {
      std::vector<Family>& families = all[input];
      if (std::ranges::find(families, ask.family) == families.end()) families.push_back(ask.family);
    }
  };
  note(own_inputs_, outcome.inputs.own);
  note(inputs_within_, outcome.inputs.within);
  excuse_flushing(ask.family, outcome.result);
  bool is_judged = outcome.skipped.empty() && !outcome.draws;
  if (is_judged && (ask.family != Family::integers || outcome.integers_proven))
    rounds_.push_back(outcome.result);
}

void Findings::add_weaker_inputs() {
  for (const auto& [input, families] : own_inputs_)
    add_weaker_once(
        fmt::format("input {} was as the problem draws it in {}, too: its own code makes nothing "
                    "of other numbers",
                    input, in_words(families)));
  for (const auto& [input, families] : inputs_within_)
    add_weaker_once(fmt::format(
        "input {} was made of numbers in the range that the problem draws from in {}: its own code "
        "makes nothing of others",
        input, in_words(families)));
}

void Findings::add_weaker_once(std::string text) {
  if (std::ranges::find(weaker_, text) == weaker_.end()) weaker_.push_back(std::move(text));
}

void Findings::add(const Launch::Outcome& first, const Launch::Outcome& again) {
  repeats_.push_back({first.digests == again.digests, first.result.complaints.empty(),
                      again.result.complaints.empty()});
}

void Findings::add_watched(const Watched& watched) { watched_ = watched; }

// Runtimes that take subnormal numbers as 0 do so by design. Whatever follows from that,
// and a sign or a comparison may follow, is said and decides nothing.
void Findings::excuse_flushing(Family family, RoundResult& result) {
  if (!flushes_denormals_ || family != Family::denormal) return;
  if (result.complaints.empty()) return;
  result.complaints.clear();
  result.evidence.erase("complaints");
  result.evidence["excused"] = result.excused = "flushes denormals";
  labels_.push_back("flushes denormals");
}

// Whether a round of the problem's own inputs could be judged, at any size.
bool Findings::is_own_judged() const {
  return std::ranges::any_of(rounds_, [](const RoundResult& round) {
    return round.family == Family::own && round.open.empty();
  });
}

std::string Findings::why_open() const {
  bool is_far_off = std::ranges::any_of(
      rounds_, [](const RoundResult& round) { return round.open == kBaselineFarOff; });
  if (is_far_off)
    return "torch's own result is off by a good part of itself, on the problem's own inputs: there "
           "is nothing to hold others to";
  return "what it returns depends on the order of elements that are equal, which torch leaves "
         "open: there is nothing to hold its results to";
}

// Of a candidate that drew its own parameters: they may be others than the problem's.
std::string Findings::by_seed_in_words() const {
  if (launches_.empty() || launches_.back().value("parameters", "") != "by seed") return "";
  return fmt::format(
      "; its parameters are drawn by seed, since {}: with the problem's names and shapes they "
      "would be copied",
      launches_.back().value("why", "they could not be copied"));
}

StageRecord Findings::conclusion() {
  add_weaker_inputs();
  Finding finding = decide(rounds_, repeats_, Policy{});
  finding_ = finding.evidence;
  if (watched_)
    for (const std::string& label : watched_->labels()) labels_.push_back(label);
  for (const std::string& label : finding.labels) labels_.push_back(label);
  if (finding.reduced) labels_.push_back("accuracy: reduced");
  if (finding.rule) {
    StageRecord record =
        rejected_stage(Stage::verify, to_word(kRuleWords, *finding.rule), finding.why);
    record.error += by_seed_in_words();
    assay::add_printed(record, printed_);
    return record;
  }
  if (finding.compared == 0)
    return unsupported_stage(Stage::verify,
                             "nothing could be compared: its results have no elements, or none "
                             "that is finite");
  if (!is_own_judged()) return unsupported_stage(Stage::verify, why_open());
  StageRecord accepted;
  accepted.stage = Stage::verify;
  return accepted;
}

Json Findings::evidence() const {
  Json json = finding_.is_object() ? finding_ : Json::object();
  json["launches"] = launches_;
  json["calls"] = {{"count", calls_},
                   {"wall_ns", is_emulated_ ? Json() : Json(calls_wall_ns_)},
                   {"cpu_ns", !is_emulated_ && calls_cpu_ns_ > 0 ? Json(calls_cpu_ns_) : Json()}};
  if (!compiling_.is_null()) json["compiling"] = compiling_;
  json["labels"] = labels_;
  json["weaker"] = weaker_;
  if (!narrow_.empty()) json["not_in_double"] = narrow_;
  if (!ended_in_.is_null()) json["ended_in"] = ended_in_;
  if (watched_) json["watched"] = to_json(*watched_);
  if (!inputs_.is_null()) json["domains"] = inputs_;
  if (!printed_.empty()) json["printed"] = shortened_print(printed_);
  if (!finding_.is_object()) {
    json["rounds"] = Json::array();
    for (const RoundResult& round : rounds_) json["rounds"].push_back(round.evidence);
  }
  return json;
}

}  // namespace assay
