#pragma once

#include <string>
#include <string_view>

namespace assay {

// One component of an attempt's id, safe as a file name and in a shell: letters, digits and
// `._-+=,@` stay; everything else, a leading dot, and an empty name are percent-escaped. What gets
// longer than 200 bytes is cut, and told apart by a hash.
std::string escape_component(std::string_view name);

// Text from a stranger made safe to show on a terminal: control characters (also the ones that move
// the cursor or change colours) become visible escapes; line breaks stay when `keep_lines`.
std::string printable(std::string_view text, bool keep_lines);

// The text as UTF-8: each byte that is no part of a character becomes U+FFFD. File names and what
// strangers print may hold any bytes; files that we write may not.
std::string utf8(std::string_view text);

// For a copy-and-paste command: quoted only where a shell needs it. What printable() or utf8()
// would change is spelled in $'...', as bash and zsh have it.
std::string shell_quote(std::string_view word);

}  // namespace assay
