// Standard input and output as lines: `assay serve`.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/unique_fd.h"
#include "sandbox/spawner.h"
#include "serve/line_stream.h"

namespace assay {

// Each has a thread, so that the grader waits for neither. What it does not take is not read:
// whoever writes then waits, and no more than a few lines are held here.
class StdioStream final : public LineStream {
 public:
  // Holds up to `lines` of either kind. `spawner` is woken when there is something new.
  static Result<std::unique_ptr<StdioStream>> start(int in, int out, size_t lines,
                                                    Spawner& spawner);
  // What is not written by now is not written, and what is not taken is gone.
  ~StdioStream() override;

  std::optional<Line> take() override;
  Status check() const override;
  bool has_ended() const override;
  void put(const std::string& line) override;
  bool is_clogged() const override;

  // A longer line is no request.
  static constexpr size_t kLineBytes = size_t{16} << 20;

 private:
  StdioStream(int in, int out, size_t lines, Spawner& spawner, UniqueFd stop)
      : in_(in), out_(out), lines_(lines), spawner_(spawner), stop_(std::move(stop)) {}
  void read_lines();
  void write_lines();
  int write_all(std::string_view text) const;
  bool wait_for(int fd, short events) const;
  bool wait_for_more();
  bool add(Line line);

  const int in_, out_;
  const size_t lines_;
  Spawner& spawner_;
  UniqueFd stop_;  // readable once both threads are to end

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Line> requests_;
  std::deque<std::string> said_;
  bool at_end_ = false;  // of what is read
  bool stopping_ = false;
  int write_error_ = 0;  // why nothing can be written any more; 0: it can
  bool writing_ = false;
  std::thread reader_, writer_;
};

}  // namespace assay
