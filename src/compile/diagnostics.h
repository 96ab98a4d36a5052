#pragma once

#include <string>
#include <string_view>

#include "model/words.h"

namespace assay {

// The first line of a compiler's diagnostics that says what is wrong, without its location; ""
// when there is none. Later lines repeat it from further away, or print the program.
std::string first_error_line(std::string_view diagnostics);
// The same of compilers of C and C++, and of what links for them, with its location as that of an
// exception in Python: "expected ';' before '}' token (kernel.c:5:10)".
std::string first_error_with_place(std::string_view diagnostics);

// True when the compiler or its linker says that a disk is full.
bool says_disk_is_full(std::string_view printed);

// Which part of the compiler gave up: the front end did not take the program (import), the linker
// failed (link), else code generation.
FailureClass classify_diagnostics(std::string_view diagnostics);

}  // namespace assay
