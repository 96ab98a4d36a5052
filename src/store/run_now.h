// What a run is doing at this moment, beside what is in its store: a small file in its folder that
// is replaced as that changes, for who watches. It decides nothing, and may be missing or old.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/disk.h"
#include "base/json.h"
#include "model/words.h"

namespace assay {

inline constexpr const char* kNowFile = ".now.json";  // in the run's folder

// What a child, or a verification with its own, is at.
struct UnderWay {
  std::string what;  // an attempt's id, or the path of a problem
  Stage stage = Stage::export_;
  int64_t since_ns = 0;  // of the process's own clock

  bool operator==(const UnderWay&) const = default;
};

struct RunNow {
  int64_t begun_s = 0;  // of the Unix epoch, as all times here
  int64_t changed_s = 0;
  size_t planned = 0;   // 0: nothing is planned ahead
  size_t at_most = 0;   // attempts in the end, of a search, which may need fewer; 0: nobody knows
  size_t reused = 0;    // of these: they were there
  size_t finished = 0;  // and these are new
  bool waits = false;   // for another assay, which times
  struct At {
    std::string what;
    Stage stage = Stage::export_;
    int64_t since_s = 0;
  };
  std::vector<At> under_way{};
};

Json to_json(const RunNow& now);
Result<RunNow> run_now_from_json(const Json& json);

Status write_now(Disk& disk, const std::string& folder, const RunNow& now);
// Nothing where there is none that can be read.
std::optional<RunNow> read_now(const Disk& disk, const std::string& folder);

// What the rest takes, if it goes on as so far. Nothing where nobody knows.
std::optional<int64_t> seconds_left(const RunNow& now, int64_t at_s);
// The same of a search that comes to as many attempts as it may, and has so many.
std::optional<int64_t> seconds_left_at_most(const RunNow& now, size_t attempts, int64_t at_s);

}  // namespace assay
