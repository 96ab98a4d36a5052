#include "compile/configuration.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <expected>

#include "base/text.h"
#include "compile/tuning_spec.h"
#include "model/attempt.h"

namespace assay {
namespace {

std::optional<int64_t> number_in(std::string_view text) {
  int64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

using Knobs = std::vector<std::pair<std::string, std::string>>;

const std::string* value_of(const Knobs& knobs, std::string_view name) {
  auto found = std::ranges::find(knobs, name, &Knobs::value_type::first);
  return found == knobs.end() ? nullptr : &found->second;
}

// "vm*vn": a product of knobs and numbers; nothing where one is neither, or it is no 64-bit number.
std::optional<int64_t> product_in(std::string_view text, const Knobs& knobs) {
  int64_t product = 1;
  while (true) {
    const size_t end = std::min(text.find('*'), text.size());
    const std::string_view factor = trimmed(text.substr(0, end));
    const std::string* value = value_of(knobs, factor);
    const auto number = number_in(value ? std::string_view(*value) : factor);
    if (!number) return std::nullopt;
    if (__builtin_mul_overflow(product, *number, &product)) return std::nullopt;
    if (end == text.size()) return product;
    text.remove_prefix(end + 1);
  }
}

constexpr std::string_view kAtMost = " <= ", kDivides = " divides ";

// Nothing: it is no condition over these knobs.
std::optional<bool> holds(std::string_view condition, const Knobs& knobs) {
  for (std::string_view sign : {kAtMost, kDivides}) {
    const size_t at = condition.find(sign);
    if (at == std::string_view::npos) continue;
    const auto left = product_in(condition.substr(0, at), knobs);
    const auto right = product_in(condition.substr(at + sign.size()), knobs);
    if (!left || !right) return std::nullopt;
    return sign == kAtMost ? *left <= *right : *left != 0 && *right % *left == 0;
  }
  return std::nullopt;
}

// A name by itself becomes its value, and {name} within other text. What was put in stays as it
// is, whatever it holds.
void fill_in(std::string& text, const Knobs& knobs) {
  if (const std::string* value = value_of(knobs, text)) {
    text = *value;
    return;
  }
  for (size_t at = text.find('{'); at != std::string::npos; at = text.find('{', at)) {
    const size_t end = std::min(text.find('}', at), text.size());
    const std::string* value = value_of(knobs, text.substr(at + 1, end - at - 1));
    if (value && end < text.size()) {
      text.replace(at, end + 1 - at, *value);
      at += value->size();
    } else {
      ++at;
    }
  }
}

Configuration with_values(Configuration configuration, const Knobs& knobs) {
  for (LoweringPart& part : configuration.lowering)
    for (std::string& value : part.values) fill_in(value, knobs);
  for (std::string& each : configuration.workgroup_size) fill_in(each, knobs);
  for (std::string* each :
       {&configuration.subgroup_size, &configuration.stages, &configuration.pipeline})
    fill_in(*each, knobs);
  for (std::string& flag : configuration.flags) fill_in(flag, knobs);
  for (const auto& [name, value] : knobs) configuration.name += fmt::format("_{}{}", name, value);
  configuration.knobs = knobs;
  return configuration;
}

// More than any loop has: what a file says beyond that is for the compiler to refuse.
constexpr int64_t kMostTile = int64_t{1} << 31;

std::optional<int64_t> size_at(const Configuration& configuration, std::string_view key,
                               size_t loop) {
  const LoweringPart* part = configuration.find(key);
  if (!part || loop >= part->values.size()) return std::nullopt;
  const auto size = number_in(part->values[loop]);
  return size && *size > 0 && *size <= kMostTile ? size : std::nullopt;
}

// The 16 of "NV_MMA_SYNC_F32_16x8x16_F16": of how many steps of a sum one instruction takes care.
int64_t steps_of_instruction(const Configuration& configuration) {
  const LoweringPart* kind = configuration.find("mma_kind");
  if (!kind || kind->values.empty()) return 1;
  const std::string& name = kind->values.front();
  const size_t last = name.rfind('x');
  if (last == std::string::npos) return 1;
  const size_t end = name.find('_', last);
  const auto steps = number_in(std::string_view(name).substr(last + 1, end - last - 1));
  return steps && *steps > 0 && *steps <= kMostTile ? *steps : 1;
}

struct LoopTile {
  std::string_view loop;
  int64_t size = 0, tile = 0;
};
// Or why it is not for an operation.
using Tiles = std::expected<std::vector<LoopTile>, std::string>;

std::vector<LoopTile> tiles_of(const Configuration& configuration, const ProductSizes& sizes) {
  std::vector<LoopTile> tiles;
  auto add = [&](std::string_view loop, int64_t size, std::optional<int64_t> tile, int64_t unit) {
    if (tile) tiles.push_back({loop, size, *tile * unit});
  };
  const bool is_gpu = configuration.find("workgroup") != nullptr;
  const std::string_view outer = is_gpu ? "workgroup" : "distribution";
  add("m", sizes.m, size_at(configuration, outer, 0), 1);
  add("n", sizes.n, size_at(configuration, outer, 1), 1);
  add("k", sizes.k, size_at(configuration, is_gpu ? "reduction" : "vector_reduction", 2),
      steps_of_instruction(configuration));
  return tiles;
}

int64_t bits_of(std::string_view type) {
  const size_t digits = type.find_first_of("0123456789");
  return digits == std::string_view::npos ? 32 : number_in(type.substr(digits)).value_or(32);
}

// What the tiles of both operands take of a workgroup's memory at least. IREE keeps them once,
// whatever the stages.
std::string why_too_large(const Configuration& configuration, const Target& target,
                          const std::vector<LoopTile>& tiles, std::string_view type) {
  if (!target.gpu || !configuration.find("promote_operands") || tiles.size() != 3) return "";
  const double numbers =
      static_cast<double>(tiles[0].tile + tiles[1].tile) * static_cast<double>(tiles[2].tile);
  const double bytes = numbers * static_cast<double>(bits_of(type)) / 8;
  if (bytes <= static_cast<double>(target.gpu->shared_bytes)) return "";
  return fmt::format("its tiles take {:.0f} bytes of shared memory, and {} has {}", bytes,
                     target.name, target.gpu->shared_bytes);
}

std::string of_known_sizes(const OperationFacts& operation) {
  return has_dynamic_sizes(operation) ? " whose sizes are all known" : "";
}

Tiles tiles_on_product(const Configuration& configuration,
                       const std::optional<OperationFacts>& operation) {
  const auto own = product_sizes_in(configuration.sizes);
  if (!operation && !own) return std::vector<LoopTile>{};
  const auto sizes = operation ? product_sizes(*operation) : own;
  if (!sizes)
    return std::unexpected(
        fmt::format("{} is no product{}", operation->kind, of_known_sizes(*operation)));
  if (own && *own != *sizes)
    return std::unexpected("it is for a product of " + configuration.sizes);
  return tiles_of(configuration, *sizes);
}

Tiles tiles_on_convolution(const Configuration& configuration,
                           const std::optional<OperationFacts>& operation) {
  const auto own = convolution_sizes_in(configuration.sizes);
  if (!operation && !own)
    return std::unexpected(
        "it is for op:conv2d, op:conv2d_bias, and one of a program by its sizes");
  const auto sizes = operation ? convolution_sizes(*operation) : own;
  if (own && sizes && own->loops != sizes->loops)
    return std::unexpected("it is for a convolution of " + configuration.sizes);
  if (!sizes)
    return std::unexpected(fmt::format("{} is no convolution over two dimensions in one group{}",
                                       operation->kind, of_known_sizes(*operation)));
  std::vector<LoopTile> tiles;
  for (size_t i = 0; i < kConvolutionLoops.size(); ++i) {
    const int64_t size = sizes->loops[i];
    // That over images comes back.
    if (size == 1 && i != 0)
      return std::unexpected(fmt::format("{}=1, and IREE drops such a loop", kConvolutionLoops[i]));
    const auto outer = size_at(configuration, "distribution", i);
    if (outer) tiles.push_back({kConvolutionLoops[i], size, *outer});
    for (const char* level : {"vector_common_parallel", "vector_reduction"})
      if (const auto tile = size_at(configuration, level, i))
        tiles.push_back({kConvolutionLoops[i], outer.value_or(size), *tile});
  }
  return tiles;
}

}  // namespace

const LoweringPart* Configuration::find(std::string_view key) const {
  auto found = std::ranges::find(lowering, key, &LoweringPart::key);
  return found == lowering.end() ? nullptr : &*found;
}

std::string Configuration::family() const {
  std::string family = name;
  for (const auto& [knob, value] : knobs)
    family.resize(family.size() - std::min(family.size(), 1 + knob.size() + value.size()));
  return family;
}

size_t ConfigurationEntry::combinations() const {
  size_t count = 1;
  for (const auto& [name, values] : knobs)
    if (__builtin_mul_overflow(count, values.size(), &count)) return SIZE_MAX;
  return count;
}

std::vector<Configuration> ConfigurationEntry::all() const {
  std::vector<Configuration> result;
  Knobs values;
  for (const auto& [name, list] : knobs) values.emplace_back(name, list.front());
  std::vector<size_t> at(knobs.size());
  while (true) {
    const bool is_allowed = std::ranges::all_of(
        require, [&](const std::string& each) { return holds(each, values).value_or(false); });
    if (is_allowed) result.push_back(with_values(made_of, values));
    // The last one is the fastest to change.
    size_t knob = knobs.size();
    while (knob > 0 && ++at[knob - 1] == knobs[knob - 1].second.size()) at[--knob] = 0;
    if (knob == 0) return result;
    for (size_t i = 0; i < knobs.size(); ++i) values[i].second = knobs[i].second[at[i]];
  }
}

std::string stands_in(const Configuration& configuration) {
  return fmt::format("{}; {} stands in for {}", configuration.instead_of.why, configuration.name,
                     configuration.instead_of.name);
}

std::string backend_of(const Target& target) {
  std::string device;
  for (const std::string& flag : target.flags) {
    const std::string_view name = flag_name(flag);
    const std::string value = flag.substr(std::min(name.size() + 1, flag.size()));
    if (name == "--iree-hal-local-target-device-backends") return value;
    if (name == "--iree-hal-target-device" || name == "--iree-hal-target-backends") device = value;
  }
  return device == "local" ? "llvm-cpu" : device;
}

std::string why_not_on(const Configuration& configuration, const Target& target) {
  if (!configuration.backend.empty() && configuration.backend != backend_of(target))
    return fmt::format("it is for {}", configuration.backend);
  if (const std::string& name = configuration.tuned_for.target;
      !name.empty() && name != target.name)
    return fmt::format("it is for {}", name);
  if (const auto& known = configuration.architectures;
      !known.empty() &&
      (!target.gpu || std::ranges::find(known, target.gpu->architecture) == known.end()))
    return fmt::format("it is for {}", known.front());
  return "";
}

std::string why_not(const Configuration& configuration, const Target& target,
                    const std::optional<OperationFacts>& operation) {
  if (std::string why = why_not_on(configuration, target); !why.empty()) return why;
  if (configuration.operation.empty()) return "";
  const Tiles tiles = configuration.operation == kConvolution
                          ? tiles_on_convolution(configuration, operation)
                          : tiles_on_product(configuration, operation);
  if (!tiles) return tiles.error();
  const std::string type = operation ? operand_type(*operation) : configuration.types.front();
  if (const auto& types = configuration.types;
      !types.empty() && std::ranges::find(types, type) == types.end())
    return fmt::format("it is for {}, not for {}", types.front(), type);
  if (configuration.divides)
    for (const LoopTile& each : *tiles)
      if (each.size % each.tile != 0)
        return fmt::format("{}={} is no multiple of its tile, {}", each.loop, each.size, each.tile);
  return why_too_large(configuration, target, *tiles, type);
}

Configuration for_sizes(Configuration configuration, std::string sizes) {
  configuration.name = sizes + "_" + configuration.name;
  configuration.sizes = std::move(sizes);
  return configuration;
}

Configuration together(std::vector<Configuration> parts) {
  Configuration made;
  for (const Configuration& each : parts) {
    made.name += (made.name.empty() ? "" : "+") + each.name;
    // These are for all of the program.
    for (const std::string& flag : each.flags)
      if (std::ranges::find(made.flags, flag) == made.flags.end()) made.flags.push_back(flag);
  }
  const Configuration& first = parts.front();
  made.from = first.from;
  made.tuned_for = first.tuned_for;
  made.parts = std::move(parts);
  return made;
}

Target configured(const Target& target, const Configuration& configuration,
                  const std::optional<OperationFacts>& operation) {
  Target made = target;
  made.tuning.emplace();
  made.tuning->configuration = configuration.name;
  made.tuning->flags = configuration.flags;
  made.tuning->compiler = configuration.tuned_for.compiler;
  if (!configuration.flags.empty()) made.versioned_flags.push_back({{}, {}, configuration.flags});
  if (configuration.lowering.empty() && configuration.parts.empty()) return made;
  const std::vector<TuningPart> parts = tuning_parts(configuration, operation);
  made.tuning->library = tuning_spec(configuration.name, parts);
  for (const TuningPart& part : parts) {
    auto& lowerings = made.tuning->lowerings.emplace_back();
    for (const LoopOrder order : part.orders())
      lowerings.push_back(lowering_config(part.configuration, order));
  }
  const bool is_cpu = backend_of(target) == "llvm-cpu";
  made.versioned_flags.push_back(
      {{},
       {},
       {fmt::format("--iree-{}={}",
                    is_cpu ? "codegen-tuning-spec-path" : "preprocessing-transform-spec-filename",
                    kTuningLibraryName)}});
  return made;
}

}  // namespace assay
