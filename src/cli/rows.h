// Rows of the table of commands that stand in files of their own.
#pragma once

#include "cli/command.h"

namespace assay {

Command write_row();
Command tune_row();
Command grade_row();
Command serve_row();
Command watch_row();
Command receipt_row();
Command submit_row();

}  // namespace assay
