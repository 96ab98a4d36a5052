// What `assay doctor` says, line by line.
#pragma once

#include <string>

#include "base/status.h"
#include "cli/output.h"

namespace assay {

class Doctor {
 public:
  explicit Doctor(Output& output) : output_(output) {}

  void good(const std::string& what, const std::string& found) { line("ok", what, found); }
  // Not needed today, or only slower or weaker without it.
  void note(const std::string& what, const std::string& found) { line("note", what, found); }
  void bad(const std::string& what, const std::string& problem, const std::string& mend);
  void bad(const std::string& what, const Error& problem) {
    bad(what, problem.message, problem.next);
  }
  bool healthy() const { return healthy_; }

 private:
  void line(const char* state, const std::string& what, const std::string& found);

  Output& output_;
  bool healthy_ = true;
};

}  // namespace assay
