#pragma once

namespace assay {

// The version in the file VERSION.
extern const char* const kVersionText;

}  // namespace assay
