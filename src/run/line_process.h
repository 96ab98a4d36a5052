// A process of Python of its own that answers requests, a line of JSON each. Nothing of the user's
// environment gets into it.
#pragma once

#include <string>

#include "base/json.h"
#include "base/status.h"
#include "base/unique_fd.h"

namespace assay {

class LineProcess {
 public:
  struct Setting {
    std::string python, script;
    std::string what;  // for messages: "the process that renders prompts"
    std::string mend;  // where it does not come up
  };
  // The process begins with the first request, and again with the next one where it has ended. Its
  // first line is {"ready": true}, or {"error": why}.
  explicit LineProcess(Setting setting);
  LineProcess(const LineProcess&) = delete;
  LineProcess& operator=(const LineProcess&) = delete;
  ~LineProcess();

  Result<Json> ask(const Json& request);

 private:
  Status start();
  void stop();
  Result<std::string> read_line();

  const Setting setting_;
  UniqueFd channel_;
  int pid_ = -1;
  std::string received_;
};

}  // namespace assay
