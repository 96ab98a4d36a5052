// What calls in Python leave in the memory of their own process: the judge reads it there, while
// that stands still.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "run/control_page.h"
#include "run/shared_tensors.h"
#include "sandbox/spawner.h"

namespace assay {

class ResultsInPlace {
 public:
  // The page outlives it.
  ResultsInPlace(ProcessMemory memory, const ControlPage& page)
      : memory_(std::move(memory)), page_(&page) {}

  // After a window of so many calls that finished: copies what they have returned to `outputs`, as
  // far as it can be read; what cannot stays as it is. Of those that are to be `overwritten`, what
  // `outputs` held goes to the process's memory in exchange, as a caller may write there: all of
  // it, or of a large result its beginning, again and again. Returns why these cannot be left where
  // they are; nothing: they are a caller's own.
  std::optional<std::string> exchange(const SharedTensors& outputs, uint32_t calls,
                                      const std::vector<bool>& overwritten) const;

 private:
  // Of the results of so many calls, where the runner says that one is, and its place in `outputs`.
  struct Left {
    uint64_t address;
    std::span<std::byte> place;
    size_t output;
    uint32_t slot;
  };
  std::vector<Left> left(const SharedTensors& outputs, uint32_t calls) const;
  // Nearly all of it is in pages that somebody has touched: others are made by whoever reads them.
  bool is_there(const Left& result) const;
  // Those of one call and those of another.
  static bool overlap(std::vector<Left> all);

  ProcessMemory memory_;
  const ControlPage* page_;
};

}  // namespace assay
