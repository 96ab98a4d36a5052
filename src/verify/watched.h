// What a Python candidate leaves to torch, and which errors it hides, by what its own process says
// of one call. It decides nothing, for a candidate can say what it likes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace assay {

struct Watched {
  // As many as its process tells.
  static constexpr size_t kMostOperations = 24, kMostHidden = 8;
  struct Operation {
    std::string name;  // "addmm" of aten
    int64_t calls = 0;
  };
  struct HiddenError {
    std::string name;  // "ImportError"
    int64_t line = 0;  // of the candidate's file, that it was seen at last
  };
  std::vector<Operation> operations;  // that compute something
  std::vector<HiddenError> hidden;    // raised in its code, while it was made or called

  // "library": torch computes something of it. "fallback": that, and something else failed before.
  std::vector<std::string> labels() const;
};

// The text of a window that was watched. Nothing: it is none.
std::optional<Watched> read_watched(const std::string& text);

Json to_json(const Watched& watched);

}  // namespace assay
