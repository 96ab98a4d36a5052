// Names of files as sources of workloads take them. Inside this folder only.
#pragma once

#include <filesystem>
#include <string>

namespace assay {

inline bool is_hidden(const std::string& name) {
  return name.starts_with('.') || name.starts_with('_');
}

inline std::string last_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

inline std::string folder_of(const std::string& path) {
  return std::filesystem::path(path).parent_path().string();
}

}  // namespace assay
