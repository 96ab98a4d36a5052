// Where what a command renders goes: standard output, or --to.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/output.h"
#include "report/format.h"

namespace assay {

struct Rendered {
  std::string_view format;         // its name
  std::vector<std::string> files;  // what it makes
  std::function<void(ReportSink& sink)> render;
};

// `to` is taken as it is given: the file itself; where it is a folder or ends in "/", and for
// several files, the folder that they go into under their own names. "": standard output, for a
// single file.
Status write_rendered(const Rendered& rendered, const std::string& to, Output& output);

// Behind the rows of a table that is there, which has the same head; one that is not there, or
// empty, is written whole.
Status append_rendered(const Rendered& rendered, const std::string& to);

// --format, of the table of those that can render the thing.
Result<const Format*> parse_format(const std::string& name, std::span<const Format> table,
                                   std::string_view thing);

}  // namespace assay
