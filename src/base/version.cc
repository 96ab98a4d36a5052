#include "base/version.h"

namespace assay {

const char* const kVersionText = ASSAY_VERSION;

}  // namespace assay
