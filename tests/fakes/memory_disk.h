#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/disk.h"
#include "base/hash.h"

namespace assay {

// A disk in memory that remembers what was done to it and can be told to be full.
class MemoryDisk final : public Disk {
 public:
  std::map<std::string, std::string> files;
  mutable std::vector<std::string> reads;  // paths, in order
  std::vector<std::string> writes;
  size_t writes_until_full = SIZE_MAX;

  Result<std::string> read(const std::string& path) const override {
    reads.push_back(path);
    auto found = files.find(path);
    if (found == files.end()) return error(Code::not_found, "there is no file '" + path + "'");
    return found->second;
  }
  Result<std::string> read_inside(const std::string& folder, const std::string& name,
                                  size_t most_bytes) const override {
    ASSAY_ASSIGN(std::string bytes, read(folder + "/" + name));
    return bytes.substr(0, most_bytes);
  }
  Result<Digest> digest(const std::string& path) const override {
    ASSAY_ASSIGN(std::string bytes, read(path));
    return Digest{bytes.size(), sha256(bytes)};
  }
  Result<std::unique_ptr<NewFile>> create(const std::string& path, bool) override {
    return std::make_unique<MemoryFile>(*this, path);
  }
  Status make_directories(const std::string&) override { return {}; }
  Result<std::vector<DirectoryEntry>> list(const std::string& path) const override {
    std::map<std::string, bool> names;
    for (const auto& [file, unused] : files) {
      if (!file.starts_with(path + "/")) continue;
      std::string rest = file.substr(path.size() + 1);
      size_t slash = rest.find('/');
      names[rest.substr(0, slash)] = slash != std::string::npos;
    }
    std::vector<DirectoryEntry> entries;
    for (const auto& [name, folder] : names) entries.push_back({name, folder, !folder});
    return entries;
  }
  bool exists(const std::string& path) const override {
    return files.contains(path) || is_directory(path);
  }
  bool is_directory(const std::string& path) const override {
    return std::ranges::any_of(
        files, [&](const auto& file) { return file.first.starts_with(path + "/"); });
  }
  Status link_or_copy(const std::string& from, const std::string& to) override {
    ASSAY_ASSIGN(std::string bytes, read(from));
    return write(to, bytes);
  }
  Status rename(const std::string& from, const std::string& to) override {
    std::map<std::string, std::string> renamed;
    for (auto& [path, bytes] : files)
      renamed[path == from || path.starts_with(from + "/") ? to + path.substr(from.size()) : path] =
          std::move(bytes);
    files = std::move(renamed);
    return {};
  }
  Status remove_all(const std::string& path) override {
    std::erase_if(files, [&](const auto& file) {
      return file.first == path || file.first.starts_with(path + "/");
    });
    return {};
  }

 private:
  class MemoryFile final : public NewFile {
   public:
    MemoryFile(MemoryDisk& disk, std::string path) : disk_(disk), path_(std::move(path)) {}
    Status append(std::string_view bytes) override {
      if (disk_.writes.size() >= disk_.writes_until_full)
        return error(Code::io, "cannot write '" + path_ + "': No space left on device");
      bytes_ += bytes;
      return {};
    }
    Status commit() override {
      disk_.writes.push_back(path_);
      disk_.files[path_] = bytes_;
      return {};
    }

   private:
    MemoryDisk& disk_;
    std::string path_, bytes_;
  };
};

}  // namespace assay
