#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace assay {

// A version of IREE as far as flags depend on it: "3.13.0rc20261016" is 3.13.0.
struct Version {
  std::array<int, 3> parts{};

  auto operator<=>(const Version&) const = default;
};

// Up to three numbers with dots between; what follows the last of them is left out. Nothing when
// it begins with no number.
std::optional<Version> parse_version(std::string_view text);

std::string to_text(const Version& version);

}  // namespace assay
