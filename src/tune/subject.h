// One operation on one target that is tuned: what is known of it so far.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "author/author.h"
#include "base/json.h"
#include "measure/interval.h"
#include "model/attempt.h"
#include "session/lane.h"
#include "session/own_targets.h"
#include "tune/hot_operations.h"
#include "tune/tuning.h"

namespace assay {

// What is known of a point of the space.
struct Tried {
  std::string code{};          // the hash of its artifact; "": it does not compile
  std::optional<double> ns{};  // where it is right, and was timed
  std::string why_none{};
  std::vector<double> again_ns{};  // in turn with the other finalists
  bool is_over = false;            // nothing more is to come
  bool is_known = true;            // else nobody could judge it, and another command may
  bool not_taken_up = false;       // the compiler has chosen as ever in its place

  // In turn with the others, where it was; else in its own launch. Of one that was timed.
  double settled_ns() const { return again_ns.empty() ? *ns : median(again_ns); }
};

// A line of the log.
struct TuneLine {
  std::string step;               // "look", "compile", "try", "again", "judge", "end"
  std::optional<size_t> point{};  // none: the compiler's own choice
  std::string code{};
  std::optional<double> ns{};
  std::string why_none{};
  bool not_taken_up = false;
  std::optional<Speedup> judged{};
  bool is_broken = false;  // of "judge": it was rejected, or failed
  int64_t spend_ns = 0;    // of "end": what the search had; 0: it has to go on
  int64_t spent_ns = 0;    // until then on this subject and space, by all commands together
  bool is_known = true;    // else it is of this command alone, and not in the log
  std::optional<std::vector<HotOperation>> hot{};  // of "look"
};

struct TuneSubject {
  const Workload* workload = nullptr;
  const Target* target = nullptr;  // at the workload's own precision
  ConfiguredWorkload configured{};
  std::string identity{};  // of all that its times depend on
  bool runs_here = true;   // else its code is looked at, and nothing is timed
  // A whole program's: configurations of its operations, until it is known which take its time.
  std::vector<Configuration> of_any_sizes{};
  std::optional<std::vector<HotOperation>> hot{};
  std::vector<Configuration> points{};
  std::vector<std::string> contents{};     // of each point, a hash of all that it says
  std::string space{};                     // a hash of these: another space is searched anew
  std::map<std::string, size_t> places{};  // of the points, by name
  std::unique_ptr<Searcher> searcher{};
  std::map<size_t, Tried> tried{};             // by point
  std::map<std::string, size_t> first_with{};  // a code's hash -> the point that had it first
  std::string default_code{};                  // the compiler's own
  std::vector<double> default_ns{}, default_again_ns{};
  bool default_is_known = false;                     // its times, or that it has none
  std::shared_ptr<const Attempt> default_attempt{};  // accepted
  std::optional<TuneLine> judged{}, ended{};         // the last of them, unless more is known since
  std::list<Target> kept{};                          // targets with configurations
  std::set<std::string> left_out{};                  // families of points that are not for it
  std::set<size_t> refuted{};  // points that were judged, and are not faster or not right
  // Of the finals at hand: whether any have begun, and whoever was judged in them.
  bool has_rounds = false;
  std::set<size_t> judged_in_finals{};
  std::string not_judged{};  // why not, of the last that could not be
  int64_t spent_ns = 0;      // as the last line has it
  int64_t ended_ns = 0;      // the same when its last search ended; 0: none has

  // One that comes twice counts once. Fails where two that differ have one name.
  Status set_points(std::vector<Configuration> all);
  // What became known, now or before.
  Status take(const TuneLine& line);
  // What takes the time of a whole program is to be found out first.
  bool is_to_be_looked_at() const { return runs_here && !of_any_sizes.empty() && !hot; }
  // Of a whole program the best for each of its operations, as one point, which it adds to the
  // others. Nothing: none is faster for two of them, or that was tried.
  std::optional<size_t> best_together();
  // Of parts that are points, "A+B" is one, too.
  void add_together(const std::string& name);
  // Of those that were compiled together, the ones with code that nobody had before. That of one
  // that was never timed is timed with the first that comes now.
  std::vector<size_t> to_be_timed(const std::vector<size_t>& batch);
  // The author of a point; of none, the compiler's own choice.
  Author author_of(std::optional<size_t> point) const;
  // The fastest of different code, the best first, by settled_ns() or each in its own launch.
  std::vector<size_t> fastest(size_t count, bool in_own_launch = false) const;
  double median_default_ns() const;
  // Goes on with finals that were interrupted: so many rounds of these they have had, of `most`.
  int go_on_with_finals(const std::vector<size_t>& finalists, int most);
  // Adds the families of which the compiler has taken up none so far, and says which are new.
  std::vector<std::string> leave_out_families();
  // The points of other families, by their places.
  std::vector<size_t> points_left() const;
  // The point that was judged to be faster than the compiler's own choice.
  std::optional<size_t> winner() const;
  // It looks faster, and what it lacks is launches.
  bool seems_faster() const;
  // Why there is no winner, of what was judged.
  std::string nothing_beats() const;
  TuneResult result() const;

 private:
  void forget_rounds(size_t but);
  // The space of a whole program whose hottest operations these are.
  Status set_hot(std::vector<HotOperation> operations);
  // What was judged last; null: nothing was.
  const Speedup* last_judged() const;
};

// All that is asked for, with their spaces. `settings`: times are made by these; `retyped_targets`
// holds targets at the precision of a workload's own.
Result<std::vector<TuneSubject>> make_subjects(const TuneRequest& request, const Disk& disk,
                                               const RunSettings& settings, const Tools& tools,
                                               std::list<Target>& retyped_targets);

// Of what is right, and was to be timed.
std::string why_not_timed(const Attempt& attempt);

Json to_json(const TuneLine& line, const TuneSubject& subject);
// Nothing: it is another subject's, of another compiler or machine, of a configuration that says
// something else now, or the end of a search of another space.
std::optional<TuneLine> line_from_json(const Json& json, TuneSubject& subject);

}  // namespace assay
