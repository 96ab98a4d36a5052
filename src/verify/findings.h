// What the rounds of one verification have shown so far, and what is said of it at the end.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "author/candidate.h"
#include "model/attempt.h"
#include "run/outcome.h"
#include "verify/decide.h"
#include "verify/launch.h"

namespace assay {

// Whether a candidate may have been made for the problem's own size and no other: it declines the
// call, raises an exception, or has results of that size. At its own it is told from one that
// never works. Of its first call at a size only: what it does later has to do with values.
bool is_of_another_size(const StageRecord& why);

class Findings {
 public:
  // Whether the candidate's arithmetic takes subnormal numbers as 0, by design; and whether it is
  // emulated: then nothing is said of how long its calls take.
  explicit Findings(bool flushes_denormals, bool is_emulated = false)
      : flushes_denormals_(flushes_denormals), is_emulated_(is_emulated) {}

  // A round came to its end. Complaints that are excused are taken out of `outcome`.
  void add(const Launch::Ask& ask, Launch::Outcome& outcome);
  // The candidate was called for this round, and what it did ends the verification.
  void add_end(const Launch& launch, const Launch::Ask& ask);
  // The same inputs, in two launches.
  void add(const Launch::Outcome& first, const Launch::Outcome& again);
  // A launch has begun, of which this is known (docs/formats.md).
  void add_launch(Json launch) { launches_.push_back(std::move(launch)); }
  // What the candidate does in a call, as it says itself. The last counts: at its own size.
  void add_watched(const Watched& watched);
  // What the candidate has printed in one of its processes. The first that printed something
  // counts, and before it one whose round decides.
  void add_printed(std::string text, bool decides = false) {
    if (decides || printed_.empty()) printed_ = std::move(text);
  }
  // Ends the launch's process, and takes what it has printed.
  Status end(Launch& launch, bool decides = false);
  // The same of one whose call ends all, in its record, too.
  void add_printed(StageRecord& record, std::string text) {
    assay::add_printed(record, text);
    add_printed(std::move(text), true);
  }
  // What the problem takes, with the domain of each (docs/formats.md).
  void set_inputs(Json inputs) { inputs_ = std::move(inputs); }
  // What decides nothing, and what was not tried.
  void add_label(std::string text) { labels_.push_back(std::move(text)); }
  void add_weaker(std::string text) { weaker_.push_back(std::move(text)); }

  int64_t calls() const { return calls_; }
  size_t launches() const { return launches_.size(); }
  // Whether a result of it was compared.
  bool has_judged() const { return !rounds_.empty(); }
  bool is_rejected() const { return decide(rounds_, repeats_, Policy{}).rule.has_value(); }

  // The stage, without its evidence.
  StageRecord conclusion();
  // docs/formats.md, but for what is of the whole attempt. After conclusion(), where there is one.
  Json evidence() const;

 private:
  bool is_own_judged() const;
  std::string why_open() const;
  std::string by_seed_in_words() const;
  // What families say nothing of, or less.
  void add_weaker_inputs();
  void count(const Window& call);
  void add_weaker_once(std::string text);
  void excuse_flushing(Family family, RoundResult& result);

  bool flushes_denormals_, is_emulated_;
  int64_t calls_ = 0, calls_wall_ns_ = 0, calls_cpu_ns_ = 0;
  std::vector<RoundResult> rounds_;
  std::vector<RepeatResult> repeats_;
  std::vector<std::string> labels_, weaker_, narrow_;
  std::string printed_;
  // Inputs that families could not have all numbers of, and these families.
  std::map<size_t, std::vector<Family>> own_inputs_, inputs_within_;
  Json launches_ = Json::array();
  std::optional<Watched> watched_;
  Json ended_in_, inputs_, compiling_;
  Json finding_;
};

}  // namespace assay
