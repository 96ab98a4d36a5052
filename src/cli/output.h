#pragma once

#include <cstddef>
#include <string_view>

namespace assay {

// Standard output. A reader that went away (`| head`) is no error: what it no longer wants is
// dropped, and the work goes on.
class Output {
 public:
  void write(std::string_view text);
  // To standard error, beside the output: what a gate found, say.
  void remark(std::string_view lines);
  bool is_terminal() const;
  // How long a line may be: of the terminal, else as COLUMNS says. Of a terminal that does not say,
  // 80; in a pipe or a file without COLUMNS 0, any length.
  size_t columns() const;
  // How many lines a terminal shows; of one that does not say, and of anything else, 24.
  size_t lines() const;
  // False once a write failed for another reason than a closed pipe: the disk is full, say.
  bool healthy() const { return healthy_; }

 private:
  bool closed_ = false;
  bool healthy_ = true;
};

}  // namespace assay
