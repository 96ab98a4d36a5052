#pragma once

#include <cstdlib>
#include <string>

#include "base/places.h"
#include "fakes/temporary_folder.h"

namespace assay {

// A user whose folder of settings is empty, as long as a test takes.
class UserFolder {
 public:
  UserFolder() : before_(environment_variable("XDG_CONFIG_HOME")) {
    ::setenv("XDG_CONFIG_HOME", folder_.path().c_str(), 1);
  }
  UserFolder(const UserFolder&) = delete;
  UserFolder& operator=(const UserFolder&) = delete;
  ~UserFolder() {
    if (before_.empty())
      ::unsetenv("XDG_CONFIG_HOME");
    else
      ::setenv("XDG_CONFIG_HOME", before_.c_str(), 1);
  }

  std::string path() const { return find_config_folder(); }

 private:
  TemporaryFolder folder_;
  std::string before_;
};

}  // namespace assay
