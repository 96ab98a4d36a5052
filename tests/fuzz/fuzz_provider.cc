// What services of models send, and recordings of it.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "provider/api_error.h"
#include "provider/dialect.h"
#include "provider/http.h"
#include "provider/replay.h"
#include "provider/service.h"

namespace {

void hold_usage(const assay::Usage& usage) {
  const bool parts_fit =
      usage.cached_input + usage.written_input <= usage.input && usage.reasoning <= usage.output;
  const bool are_counts = usage.cached_input >= 0 && usage.written_input >= 0 &&
                          usage.reasoning >= 0 && usage.total() >= 0;
  if (!parts_fit || !are_counts) abort();
}

// It is an answer, an error or neither, and an answer that is not complete says why.
void hold_read(const assay::ReadAnswer& read) {
  if (read.is_error && !read.malformed.empty()) abort();
  if (read.is_error || !read.malformed.empty()) return;
  if (read.answer.end == assay::Answer::End::failed) abort();
  if ((read.answer.end == assay::Answer::End::complete) != read.answer.why.empty()) abort();
  if (read.answer.usage) hold_usage(*read.answer.usage);
}

void hold_error(const assay::ApiError& error, const std::vector<std::string>& parameters) {
  if (error.message.empty() || error.message.size() > 4000 || error.message.contains('\n')) abort();
  bool known = error.parameter.empty();
  for (const std::string& each : parameters) known = known || each == error.parameter;
  if (!known) abort();
  if ((error.kind == assay::ApiError::Kind::unsupported) == error.parameter.empty()) abort();
}

}  // namespace

extern "C" int fuzz_provider(const uint8_t* data, size_t size) {
  using namespace assay;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const Dialect* dialect : {&chat_dialect(), &messages_dialect()})
    hold_read(dialect->read(text));
  const std::vector<std::string> parameters{"max_tokens", "temperature", "output_config"};
  for (const int status : {200, 400, 413, 429, 500})
    hold_error(read_api_error(status, text, parameters), parameters);
  if (auto recording = read_recording(text, "a file"))
    for (const auto& [node, answer] : *recording) {
      if (answer.usage) hold_usage(*answer.usage);
      auto again = read_recorded_line(recorded_line(node, answer), "a line");
      if (!again || again->first != node || again->second.text != answer.text) abort();
    }
  for (const char* name : {"retry-after", "retry-after-ms"}) {
    auto pause = asked_pause_ns({.headers = {{name, std::string(text)}}}, 1'700'000'000);
    if (pause && *pause < 0) abort();
  }
  return 0;
}
