// A process of its own that makes texts of templates (python/assay_worker/render.py). Templates may
// be a stranger's: each request has limits of time, memory and output there.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "run/line_process.h"

namespace assay {

class Renderer {
 public:
  // `script`: render.py. The process begins with the first request, and again with the next one
  // where it has ended.
  Renderer(const std::string& python, std::string script);

  // What each of the templates named gives, with these values. They may include one another. Called
  // by several threads.
  Result<std::vector<std::string>> render(const std::vector<std::string>& names,
                                          const std::map<std::string, std::string>& templates,
                                          const std::map<std::string, std::string>& values);
  // Which of these regular expressions, Python's, are found in the text, whatever its case.
  Result<std::vector<size_t>> search(const std::vector<std::string>& patterns,
                                     const std::string& text);

 private:
  Result<Json> ask(const Json& request);

  std::mutex one_at_a_time_;
  LineProcess process_;
};

}  // namespace assay
