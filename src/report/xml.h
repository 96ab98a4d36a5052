#pragma once

#include <string>

namespace assay {

// Text for an attribute or an element. XML 1.0 has no control characters but three: those become
// visible, and these references, so that a reader gets them back.
std::string xml(const std::string& text);

}  // namespace assay
