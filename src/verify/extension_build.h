// Building an extension: most of the time goes into torch's headers, so those are precompiled once
// for each set of flags.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "run/extension.h"
#include "verify/native_libraries.h"
#include "verify/tools.h"

namespace assay {

struct ExtensionBuild {
  NativeBuild build;
  bool precompiled = false;                // it was built with headers that were
  std::optional<StageRecord> header_made;  // that were made for it, where there were none
};

// What of the flags that an extension is built with (the compiler first) a precompiled header
// depends on; nothing where there is one that no header is made with. `headers` are torch's folders
// of headers: one that is made with others could be of use to nobody else, and would take the place
// of one that is. Of the levels of optimisation only that there is one, but for those that define
// macros of their own. What else is defined is left out: a compiler takes no header that it would
// change.
std::optional<std::vector<std::string>> header_flags(const std::vector<std::string>& compile,
                                                     std::span<const std::string> headers);

// Whether code asks the preprocessor what is there, beside what the compiler alone says
// (_OPENMP, __AVX2__): torch's own header defines more, and what is not defined is no error there,
// but other code.
bool depends_on_what_is_included(const std::vector<NamedText>& files);

// Whether all that GCC complains of is punctuation that it expected: "expected ';' before '}'
// token". No declaration of a header mends that. Where a macro is missing, or a name, it says so
// beside, or expects more than punctuation. `printed` is all that it said.
bool lacks_only_punctuation(std::string_view printed);

// Finds or builds. Blocks.
//
// `torch/extension.h` includes all of torch, C++ modules and optimisers with it, and few extensions
// use those. So it is first built with a header of the same name that has what kernels need:
// tensors, their functions, the bindings to Python. Where it does not compile so, by
// more than punctuation, where its code depends_on_what_is_included(), and where the header cannot
// be precompiled, it is built with torch's own.
Result<ExtensionBuild> make_extension(ExtensionRequest request, const VerifyTools& tools,
                                      Children& children, NativeLibraries& libraries);

}  // namespace assay
