// What differs between services that are asked over HTTP: where, and how questions and answers are
// written. Retries, and what is left out, are the same for all (service.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "provider/provider.h"

namespace assay {

// The body of an answer, read. Anything may stand in it.
struct ReadAnswer {
  Answer answer{};          // end, text, why, usage and model
  std::string malformed{};  // why it is no answer; "": it is one
  bool is_error = false;    // it holds an error in the place of an answer
  // With that: what it cost all the same stands in `answer`, or it has begun to answer, and nobody
  // says what that cost.
  bool has_begun = false;
};

struct SentParameter {
  std::string name;  // as the service calls it
  Json value;
};

struct Dialect {
  std::string_view ask_path;     // behind the base of the address
  std::string_view models_path;  // lists models, and costs nothing
  // Parameters that a question has where it does not say otherwise.
  Json (*defaults)() = nullptr;
  // What a parameter is called there. Several names: the next is tried where one is not taken.
  // When none is taken, it is left out.
  std::vector<std::string> (*names)(const std::string& parameter) = nullptr;
  std::string_view indispensable{};  // a parameter that is never left out
  Json (*write)(const std::string& model, const Question& question,
                const std::vector<SentParameter>& parameters) = nullptr;
  ReadAnswer (*read)(std::string_view body) = nullptr;
};

const Dialect& chat_dialect();      // OpenAI's chat completions
const Dialect& messages_dialect();  // Anthropic's messages

// The field of an object; null where it is absent, or there is no object.
const Json& field_of(const Json& object, const char* name);
// Whether an error stands there, and not what some servers write for none: null, false, "", 0, {}.
bool is_error(const Json& error);
// "" where it is no text.
std::string text_field(const Json& object, const char* name);
// All texts of a list of blocks, one after the other; a text by itself, too.
std::string text_of_blocks(const Json& content);

}  // namespace assay
