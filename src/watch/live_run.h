// A run that is looked at while it goes on: read again as it changes, and told to any number of
// readers as server-sent events, to each what is new to it. docs/formats.md describes these.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "model/attempt.h"
#include "model/run_record.h"
#include "watch/access.h"

namespace assay {

class LiveRun {
 public:
  // `server`: a number that tells this one from those before it, of which a reader may know.
  LiveRun(std::string folder, uint64_t server) : folder_(std::move(folder)), server_(server) {}

  // Reads the run, if it has changed. Of one thread; what cannot be read is told, and tried again.
  void look();
  // How long the next look should wait: one in twenty parts of its time are spent with reading.
  std::chrono::milliseconds pause() const;

  // Blocks until there is something that is new to who has seen this, or for that long, or until
  // end(). The events as text, and `seen` is what their reader has seen by then; "": nothing is
  // new.
  std::string next(Seen& seen, std::chrono::milliseconds most);
  // Of readers who are to wait no longer.
  void end();
  bool has_ended() const;

  // All that is known of an attempt, as JSON. Nothing: there is none of that id.
  Result<std::optional<std::string>> details(const std::string& id) const;

 private:
  struct Fresh;  // what a look found
  Result<Fresh> read();
  void take(Fresh fresh);
  bool has_lost_some(const std::vector<Attempt>& attempts) const;
  std::string events_since(uint64_t version) const;

  const std::string folder_;
  const uint64_t server_;
  std::string mark_;     // of the folder, as it was read last
  int64_t look_ns_ = 0;  // the last one took so long

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool has_ended_ = false;
  uint64_t version_ = 0;
  uint64_t whole_version_ = 1;  // who has seen less knows of attempts that are gone, or of none
  uint64_t head_version_ = 0;   // in which the head changed last
  uint64_t state_version_ = 0;  // and the state
  Json head_, state_;
  RunSettings settings_;
  std::vector<Attempt> attempts_;                   // in the order in which they came
  std::vector<uint64_t> versions_;                  // in which each of them changed last
  std::unordered_map<std::string, size_t> places_;  // of ids
  // What was made for one reader fits others.
  mutable std::unordered_map<uint64_t, std::shared_ptr<const std::string>> made_;
};

}  // namespace assay
