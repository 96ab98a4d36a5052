#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"

namespace assay {

// What one target's compile leaves: files, one after the other in one memory file that assay reads
// (compile_job.h). Lives in a worker of the compiler image.
class ResultFile {
 public:
  explicit ResultFile(int fd) : fd_(fd) {}

  // Appends a file. False, with errno set, when it cannot be written.
  bool add(const std::string& name, std::string_view bytes);
  // The same with the bytes of the file at `path`.
  bool add_from(const std::string& name, const std::string& path);
  // Forgets everything: a compile is tried again.
  void clear();

  // The bytes of the first file again; nothing where they cannot be read.
  std::optional<std::string> first() const;

  // [{"name", "bytes"}, ...] in order.
  const Json& list() const { return list_; }

 private:
  int fd_;
  Json list_ = Json::array();
};

}  // namespace assay
