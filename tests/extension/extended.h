// Runs assay_extended: assay, with another row in each of its tables.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "base/escape.h"
#include "built.h"

namespace assay {

struct Said {
  int status = -1;
  std::string text;  // both outputs
};

inline Said extended(const std::vector<std::string>& words) {
  std::string line = shell_quote(built::kExtended);
  for (const std::string& word : words) line += " " + shell_quote(word);
  Said said;
  FILE* pipe = popen((line + " 2>&1").c_str(), "r");
  if (!pipe) return said;
  std::array<char, 4096> piece{};
  while (size_t size = fread(piece.data(), 1, piece.size(), pipe))
    said.text.append(piece.data(), size);
  const int status = pclose(pipe);
  said.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return said;
}

}  // namespace assay
