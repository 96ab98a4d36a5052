#include "op/miopen.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <sstream>
#include <vector>

namespace assay {
namespace {

// What the driver calls a type, and the layouts.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kCommands{
    {{"conv", "f32"}, {"convfp16", "f16"}, {"convbfp16", "bf16"}}};

// An option by its letter and its name, the key of ours that it gives, and what the driver takes
// without it.
struct Option {
  std::string_view letter, name, key, otherwise;
};
constexpr std::array<Option, 24> kOptions{{
    {"-n", "--batchsize", "n", "100"},
    {"-c", "--in_channels", "c", "3"},
    {"-k", "--out_channels", "f", "32"},
    {"-!", "--in_d", "d", "32"},
    {"-H", "--in_h", "h", "32"},
    {"-W", "--in_w", "w", "32"},
    {"-@", "--fil_d", "kd", "3"},
    {"-y", "--fil_h", "kh", "3"},
    {"-x", "--fil_w", "kw", "3"},
    {"-#", "--conv_stride_d", "sd", "1"},
    {"-u", "--conv_stride_h", "sh", "1"},
    {"-v", "--conv_stride_w", "sw", "1"},
    {"-$", "--pad_d", "pd", "0"},
    {"-p", "--pad_h", "ph", "0"},
    {"-q", "--pad_w", "pw", "0"},
    {"-^", "--dilation_d", "dd", "1"},
    {"-l", "--dilation_h", "dh", "1"},
    {"-j", "--dilation_w", "dw", "1"},
    {"-g", "--group_count", "groups", "1"},
    {"-_", "--spatial_dim", "dimensions", "2"},
    {"-I", "--in_layout", "layout", "NCHW"},
    {"-F", "--forw", "direction", "1"},
    {"-m", "--mode", "mode", "conv"},
    {"-z", "--pad_mode", "padding", "default"},
}};

bool is_of_depth(std::string_view key) { return key == "d" || (key.size() == 2 && key[1] == 'd'); }

// What says which operation it is, and is no argument of ours.
bool is_setting(std::string_view key) {
  for (const char* each : {"dimensions", "layout", "direction", "mode", "padding"})
    if (key == each) return true;
  return false;
}

MiopenCall refused(std::string why) { return {.refused = std::move(why)}; }

constexpr std::string_view kNext = "write op:NAME[...], or MIOpenDriver conv -n 1 -c 64 ...";

}  // namespace

Result<MiopenCall> read_miopen_line(std::string_view line) {
  std::istringstream stream{std::string(line)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  auto driver = std::ranges::find_if(
      words, [](const std::string& word) { return word.ends_with("MIOpenDriver"); });
  if (driver == words.end() || driver + 1 == words.end())
    return error(Code::invalid_input, fmt::format("'{}' is no operation", line),
                 std::string(kNext));
  const std::string& command = driver[1];
  const auto type =
      std::ranges::find(kCommands, command, [](const auto& each) { return each.first; });
  if (type == kCommands.end())
    return refused(fmt::format(
        "assay knows no '{}' of MIOpenDriver, but conv, convfp16 and convbfp16", command));
  std::map<std::string_view, std::string> given;
  for (auto word = driver + 2; word != words.end(); ++word) {
    const auto option = std::ranges::find_if(
        kOptions, [&](const Option& each) { return *word == each.letter || *word == each.name; });
    if (option == kOptions.end()) continue;
    if (word + 1 == words.end())
      return error(Code::invalid_input, fmt::format("'{}' has no value", *word),
                   std::string(kNext));
    given[option->key] = *++word;
  }
  auto value = [&](std::string_view key) {
    if (const auto found = given.find(key); found != given.end()) return found->second;
    return std::string(
        std::ranges::find(kOptions, key, [](const Option& each) { return each.key; })->otherwise);
  };
  // 0 is all directions, forward among them.
  if (value("direction") != "1" && value("direction") != "0")
    return refused(fmt::format("-F {} is no convolution forward", value("direction")));
  if (value("mode") != "conv" || value("padding") != "default")
    return refused(
        fmt::format("-m {} -z {}: assay makes neither transposed convolutions nor "
                    "padding by a mode; -p and -q say how much there is",
                    value("mode"), value("padding")));
  const bool is_deep = value("dimensions") == "3";
  if (!is_deep && value("dimensions") != "2")
    return refused(fmt::format("it has {} dimensions, and 2 and 3 are taken", value("dimensions")));
  const bool last = value("layout").ends_with('C');
  std::vector<std::string> arguments;
  for (const Option& each : kOptions) {
    if (is_setting(each.key)) continue;
    if (is_deep || !is_of_depth(each.key))
      arguments.push_back(fmt::format("{}={}", each.key, value(each.key)));
  }
  const std::string_view layout =
      is_deep ? (last ? "ndhwc_dhwcf" : "ncdhw_fcdhw") : (last ? "nhwc_hwcf" : "nchw_fchw");
  return MiopenCall{.operation = fmt::format("op:conv{}d[{},dtype={},layout={}]", is_deep ? 3 : 2,
                                             fmt::join(arguments, ","), type->second, layout)};
}

}  // namespace assay
