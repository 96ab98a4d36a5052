// What the other side says where it does not answer: read from whatever it sent.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace assay {

struct ApiError {
  enum class Kind {
    temporary,    // another try may do better
    permanent,    // it would end the same way
    too_long,     // the prompt does not fit
    refused,      // its filter is against the prompt
    shut_out,     // it does not take the key, whatever is asked
    unsupported,  // it does not take one of the parameters: `parameter`
  };
  Kind kind = Kind::permanent;
  std::string message{};    // one line, not too long, without keys
  std::string parameter{};  // as it was sent
};

// Of an answer with such a status, or of one that holds an error in spite of its status.
// `parameters`: the names of those that were sent and may be left out.
ApiError read_api_error(int status, std::string_view body, std::span<const std::string> parameters);

// One line, as a message shows it: what may be a stranger's text, without keys.
std::string one_line(std::string_view text);

}  // namespace assay
