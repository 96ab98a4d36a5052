#include "compile/direct_dispatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/text.h"

namespace assay {
namespace {

using Complaint = std::unexpected<std::string>;

size_t count_of(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

std::vector<std::string_view> split(std::string_view text, char by) {
  std::vector<std::string_view> parts;
  while (!trimmed(text).empty()) {
    const size_t end = std::min(text.find(by), text.size());
    parts.push_back(trimmed(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// One function's text, with the values of its constants.
class Function {
 public:
  explicit Function(std::string_view text) : text_(text) {
    constexpr std::string_view kConstant = " = arith.constant ";
    for (size_t at = text.find(kConstant); at != std::string_view::npos;
         at = text.find(kConstant, at + 1)) {
      const size_t name = text.rfind('%', at);
      int64_t value = 0;
      const char* begin = text.data() + at + kConstant.size();
      if (std::from_chars(begin, text.data() + text.size(), value).ec == std::errc())
        constants_[text.substr(name, at - name)] = value;
    }
  }
  std::string_view text() const { return text_; }
  std::optional<int64_t> constant(std::string_view name) const {
    const auto found = constants_.find(name);
    return found == constants_.end() ? std::nullopt : std::optional(found->second);
  }
  // The one that holds a place of the module's.
  static Function around(std::string_view module, size_t at) {
    constexpr std::string_view kBegin = "\n  util.func ";
    const size_t begin = module.rfind(kBegin, at);
    const size_t end = module.find("\n  }\n", at);
    if (begin == std::string_view::npos || end == std::string_view::npos) return Function("");
    return Function(module.substr(begin, end - begin));
  }

 private:
  std::string_view text_;
  std::map<std::string_view, int64_t> constants_;
};

// "(%buffer : !hal.buffer)[%c0, %c6144]".
struct Binding {
  std::string_view buffer;
  int64_t offset = 0, bytes = 0;
};

std::expected<std::vector<Binding>, std::string> bindings_in(std::string_view list,
                                                             const Function& function) {
  std::vector<Binding> bindings;
  while (!trimmed(list).empty()) {
    const size_t end = list.find(']');
    const std::string_view one = list.substr(0, end);
    const std::string_view range = one.substr(std::min(one.find('[') + 1, one.size()));
    const std::vector<std::string_view> ends = split(range, ',');
    const auto offset = ends.size() == 2 ? function.constant(ends[0]) : std::nullopt;
    const auto bytes = ends.size() == 2 ? function.constant(ends[1]) : std::nullopt;
    if (end == std::string_view::npos || !offset || !bytes)
      return Complaint("a binding's size is known only when it runs");
    bindings.push_back({trimmed(between(one, "(", " :")), *offset, *bytes});
    list.remove_prefix(end + 1);
    if (const std::string_view rest = trimmed(list); rest.starts_with(',')) list = rest.substr(1);
  }
  return bindings;
}

std::expected<std::vector<int64_t>, std::string> numbers_in(std::string_view list,
                                                            const Function& function,
                                                            const char* what) {
  std::vector<int64_t> numbers;
  for (std::string_view name : split(list, ',')) {
    const auto number = function.constant(name);
    if (!number) return Complaint(fmt::format("{} are known only when it runs", what));
    numbers.push_back(*number);
  }
  return numbers;
}

std::vector<std::string_view> returned_by(const Function& function) {
  const std::string_view text = function.text();
  return split(between(text, "util.return ", " :", text.rfind("util.return ")), ',');
}

Function function_at(std::string_view module, std::string_view begin) {
  const size_t at = module.find(begin);
  return at == std::string_view::npos ? Function("") : Function::around(module, at + begin.size());
}

// The function with main's buffers: itself, or what it hands all of its arguments on to and waits
// for, as in what is exported from torch. Empty: there is none.
Function main_of(std::string_view module) {
  const Function main = function_at(module, "\n  util.func public @main(");
  const Function async = function_at(module, "\n  util.func public @main$async(");
  if (async.text().empty()) return main;
  const auto given = split(between(main.text(), "util.call @main$async(", ")"), ',');
  for (size_t n = 0; n < given.size(); ++n)
    if (given[n].starts_with("%arg") && given[n] != fmt::format("%arg{}", n)) return Function("");
  // What it gives back, in this order: %1, or %1#0 and %1#1.
  const size_t call = main.text().find(" = util.call @main$async(");
  if (call == std::string_view::npos) return Function("");
  const size_t begin = main.text().rfind('%', call);
  const std::string_view name = main.text().substr(begin, call - begin);
  const auto returned = returned_by(main);
  for (size_t n = 0; n < returned.size(); ++n)
    if (returned[n] != (returned.size() == 1
                            ? std::string(name)
                            : fmt::format("{}#{}", name.substr(0, name.find(':')), n)))
      return Function("");
  return returned.size() == returned_by(async).size() ? async : Function("");
}

// Whose memory a buffer of the public function is: {"input": 0} or {"output": 0}. null: another.
Json owner_of(std::string_view buffer, std::string_view main) {
  const std::string argument = std::string(buffer) + " = hal.buffer_view.buffer<%arg";
  if (const size_t at = main.find(argument); at != std::string_view::npos) {
    int64_t number = 0;
    const char* begin = main.data() + at + argument.size();
    if (std::from_chars(begin, main.data() + main.size(), number).ec == std::errc())
      return {{"input", number}};
  }
  // The view of it that is returned, and no view of a part.
  const std::string viewed = " = hal.buffer_view.create buffer(" + std::string(buffer) + " : ";
  const size_t at = main.find(viewed);
  if (at == std::string_view::npos || count_of(main, viewed) != 1) return {};
  const size_t begin = main.rfind('%', at);
  const std::string_view view = main.substr(begin, at - begin);
  if (!between(main, viewed, "\n").contains("[%c0, ")) return {};
  const auto returned = split(between(main, "util.return ", " :", main.rfind("util.return ")), ',');
  for (size_t n = 0; n < returned.size(); ++n)
    if (returned[n] == view) return {{"output", n}};
  return {};
}

}  // namespace

std::expected<Json, std::string> direct_dispatch(std::string_view hal) {
  constexpr std::string_view kDispatch = "hal.command_buffer.dispatch<";
  if (const size_t count = count_of(hal, kDispatch); count != 1)
    return Complaint(fmt::format("it has {} dispatches", count));
  for (std::string_view other :
       {"hal.command_buffer.copy_buffer<", "hal.command_buffer.fill_buffer<",
        "hal.command_buffer.update_buffer<", "hal.device.queue.fill<", "hal.device.queue.copy<"})
    if (hal.contains(other)) return Complaint(fmt::format("it does more than call: {}", other));
  const size_t at = hal.find(kDispatch);
  const Function caller = Function::around(hal, at);
  const std::string_view call = between(hal.substr(at), kDispatch, ") flags(");
  const std::string_view target = between(caller.text(), "function(@", ")");
  // "main_dispatch_0::@embedded_elf_x86_64::@main_dispatch_0_matmul".
  const std::string_view executable = target.substr(0, target.find("::@"));
  const std::string_view format = between(target, "::@", "::@");
  const std::string_view name = target.substr(std::min(target.rfind('@') + 1, target.size()));
  if (executable.empty() || !format.starts_with("embedded_elf_"))
    return Complaint("its code is no embedded library for a CPU");
  auto workgroups = numbers_in(between(call, "workgroups([", "]"), caller, "its workgroups");
  if (!workgroups) return Complaint(workgroups.error());
  auto constants = numbers_in(between(call, "constants([", "]"), caller, "its constants");
  if (!constants) return Complaint(constants.error());
  const size_t list = call.find("bindings([");
  if (workgroups->size() != 3 || list == std::string_view::npos)
    return Complaint("its call is none that is known");
  std::string_view listed = call.substr(list + 10);
  listed = listed.substr(0, listed.rfind(']'));
  auto bindings = bindings_in(listed, caller);
  if (!bindings) return Complaint(bindings.error());
  // Recorded once and executed with the buffers of each call, or recorded in each call.
  const Function main = main_of(hal);
  if (main.text().empty()) return Complaint("it has no function main");
  constexpr std::string_view kExecute = "hal.device.queue.execute.indirect<";
  std::vector<Binding> given;
  if (const size_t execute = main.text().find(kExecute); execute != std::string_view::npos) {
    std::string_view table = between(main.text(), "bindings([", ") flags(", execute);
    auto buffers = bindings_in(table.substr(0, table.rfind(']')), main);
    if (!buffers) return Complaint(buffers.error());
    given = std::move(*buffers);
  }
  std::string file = fmt::format("{}_{}.so", executable, format);
  std::ranges::replace(file, '$', '_');  // as the compiler names files
  Json result{{"executable", std::move(file)},
              {"function", name},
              {"workgroups", *workgroups},
              {"constants", *constants},
              {"bindings", Json::array()}};
  for (Binding binding : *bindings) {
    if (const auto slot = caller.constant(binding.buffer)) {
      if (*slot < 0 || static_cast<size_t>(*slot) >= given.size())
        return Complaint("a binding of its call is not given");
      const Binding& buffer = given[static_cast<size_t>(*slot)];
      binding = {buffer.buffer, buffer.offset + binding.offset, binding.bytes};
    }
    Json owner = owner_of(binding.buffer, main.text());
    if (owner.is_null()) return Complaint("it works in memory that is no input and no result");
    owner["offset"] = binding.offset;
    owner["bytes"] = binding.bytes;
    result["bindings"].push_back(std::move(owner));
  }
  // All that is returned, each once, is what the call writes.
  std::set<int64_t> written;
  for (const Json& binding : result["bindings"])
    if (binding.contains("output")) written.insert(binding["output"].get<int64_t>());
  if (written.size() != returned_by(main).size())
    return Complaint("it returns what its call does not write");
  return result;
}

}  // namespace assay
