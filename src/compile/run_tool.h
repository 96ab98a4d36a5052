// Runs another program to its end, in a worker of the compiler image.
#pragma once

#include <sys/resource.h>

#include <string>
#include <vector>

#include "sandbox/capture.h"

namespace assay {

// `arguments` begins with the program's path. What it prints goes to `printed`; its standard output
// to a file instead, where one is named. Returns its wait status, and in `usage` what it used.
int run_tool(const std::vector<std::string>& arguments, Capture& printed, rusage& usage,
             const std::string& output_file = "");

}  // namespace assay
