// What `assay serve` and `assay grade` judge by, as their options say.
#pragma once

#include "base/places.h"
#include "cli/command.h"
#include "serve/grade.h"

namespace assay {

Result<GradeSettings> parse_grade_settings(const Arguments& arguments, const Places& places);

}  // namespace assay
