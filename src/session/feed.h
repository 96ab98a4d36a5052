// Where a session's work comes from, and where what came of it goes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "model/attempt.h"
#include "session/lane.h"
#include "session/traced.h"
#include "verify/lint.h"

namespace assay {

// All of it is called by the session's own thread. One whose work comes from elsewhere wakes the
// spawner (Spawner::wake()) when there is some.
class Feed {
 public:
  virtual ~Feed() = default;
  // The next lane; nothing: none is there, now. Called only when one could be begun.
  virtual Result<std::optional<Lane>> next() = 0;
  // No further one will come, whatever is learned. Asked once next() had nothing.
  virtual bool has_ended() const = 0;
  // An attempt of one of its lanes is over, and in the sink. It may lead to others.
  virtual Status learn(const Attempt&) { return {}; }
  // Lanes that are certain to come: so many have no share yet in what the machine has.
  virtual size_t to_come() const { return 0; }
  // On each turn of the session: takes in what has come from elsewhere. Fails once the work is for
  // nobody any more; then the session ends with that.
  virtual Status take_in() { return {}; }
  // Attempts, by their ids, that nobody wants any more, since it was last asked; each alone in its
  // lane. What is under way of them ends. They come to the sink only where they were over already.
  virtual std::vector<std::string> take_unwanted() { return {}; }
};

// An attempt that is over, with its verdict.
struct Finished {
  Attempt attempt{};
  std::optional<Lint> look{};  // of a lane that is one
  Traced traced{};             // where the settings ask for it
};

class Sink {
 public:
  virtual ~Sink() = default;
  // It may change the attempt where it cannot keep all of it.
  virtual Status take(Finished& finished) = 0;
  // Whether attempts are kept, with their files and what they were made of.
  virtual bool keeps() const = 0;
};

}  // namespace assay
