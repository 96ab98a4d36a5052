// `assay phases`: what IREE's compiler made of an attempt's program, step by step. Its own tool is
// asked here and now, so it works for whatever was exported, also for what does not compile.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>

#include "author/own_compilers.h"
#include "base/escape.h"
#include "base/interruptions.h"
#include "base/text.h"
#include "base/units.h"
#include "base/words.h"
#include "cli/add_target.h"
#include "cli/bundle.h"
#include "cli/command.h"
#include "cli/find_attempt.h"
#include "cli/find_compiler.h"
#include "cli/open_run.h"
#include "cli/output.h"
#include "compile/diagnostics.h"
#include "compile/dispatch_programs.h"
#include "compile/flags.h"
#include "report/diff.h"
#include "report/phases.h"
#include "report/table.h"
#include "setup/tools.h"
#include "setup/verify_tools.h"

namespace assay {
namespace {

namespace files = std::filesystem;
using FileClock = std::chrono::file_clock;

// For programs that were compiled with a shorter --timeout, too: here each phase is written.
constexpr int64_t kLeastTimeoutNs = 300'000'000'000;

// An attempt's program, and how it is compiled.
struct Subject {
  std::string folder{};  // the attempt's, with its program
  std::vector<std::string> flags{};
  IreeCompiler compiler{};
  int64_t timeout_ns = kLeastTimeoutNs;

  std::string mlir() const { return join_path(folder, kMlirName); }
};

// A folder for what the compiler leaves, and interruptions, which wait as long as it is there.
class Scratch {
 public:
  static Result<Scratch> make() {
    Scratch made;
    ASSAY_ASSIGN(made.folder_, make_scratch_folder());
    return made;
  }
  Scratch(Scratch&&) = default;
  ~Scratch() { (void)remove(); }

  const std::string& folder() const { return folder_; }
  std::string file(std::string_view name) const { return join_path(folder_, std::string(name)); }
  // Fails once assay is to end.
  Status status() const { return held_ ? held_->status() : Status{}; }
  // All that is needed of it has been read. What waited may end assay here.
  Status remove() {
    if (!held_) return {};
    const Status removed = system_disk().remove_all(folder_);
    held_.reset();
    return removed;
  }

 private:
  Scratch() = default;

  std::unique_ptr<InterruptionsHeld> held_ = std::make_unique<InterruptionsHeld>();
  std::string folder_;
};

std::vector<std::string> command_of(const Subject& subject, const std::string& program) {
  std::vector<std::string> command{subject.compiler.tool, program};
  const std::vector<std::string> flags = flags_in_folder(subject.flags, subject.folder);
  command.insert(command.end(), flags.begin(), flags.end());
  return command;
}

bool failed_export(const Attempt& attempt) {
  const StageRecord* deciding = attempt.deciding_stage();
  return deciding && deciding->stage == Stage::export_;
}

Result<Subject> subject_of(RunStore& store, const Attempt& attempt) {
  Subject subject{.folder = store.result_folder(attempt.id)};
  subject.timeout_ns = std::max(kLeastTimeoutNs, store.record().settings.timeout_ns);
  if (!system_disk().exists(subject.mlir()))
    return error(Code::not_found,
                 fmt::format("{} has no {}: it was not exported", attempt.id, kMlirName),
                 failed_export(attempt)
                     ? "--bundle DIR writes a script that exports it without assay"
                     : "phases are what IREE's compiler goes through, of attempts by iree");
  ASSAY_ASSIGN(Places places, find_places());
  ASSAY_ASSIGN(const auto own, own_compiler_of(system_disk(), attempt.author));
  ASSAY_ASSIGN(subject.compiler,
               find_compiler(this_machine(), places, own ? own->path : attempt.origin.iree));
  subject.flags = compile_flags_of(attempt);
  if (!subject.flags.empty()) return subject;
  // A compile that crashed, or that nobody asked for, has left none: they are the target's.
  std::vector<Target> targets;
  ASSAY_TRY(add_target(target_catalog(system_disk(), places), attempt.origin.target,
                       store.record().settings, targets));
  ASSAY_ASSIGN(std::string program, system_disk().read(subject.mlir()));
  subject.flags = flags_for(targets.front(), subject.compiler.version, program);
  return subject;
}

// The first error, or how it ended; "": all went well.
std::string complaint_of(const ProgramResult& ran) {
  if (ran.status == 0) return "";
  if (const std::string error = first_error_line(ran.errors); !error.empty())
    return "error: " + error;
  return ran.status > 128 ? fmt::format("it crashed with signal {}", ran.status - 128)
                          : fmt::format("it ended with {}", ran.status);
}

std::string stops_in_words(const std::string& complaint) {
  return fmt::format("the compiler goes no further: {}\n", printable(utf8(complaint), false));
}

struct Compiled {
  std::vector<Phase> phases{};
  std::string complaint;
};

Result<Compiled> compile(const Subject& subject, const Scratch& scratch) {
  std::vector<std::string> command = command_of(subject, subject.mlir());
  command.push_back("--dump-compilation-phases-to=" + scratch.folder());
  command.insert(command.end(), {"-o", scratch.file(kArtifactName)});
  auto before = FileClock::now();
  // What does not end has phases, too.
  const auto ran = this_machine().run(command, "", subject.timeout_ns);
  ASSAY_TRY(scratch.status());
  Compiled compiled{.complaint = ran ? complaint_of(*ran) : ran.error().message};
  std::vector<std::pair<Phase, FileClock::time_point>> found;
  ASSAY_ASSIGN(auto entries, system_disk().list(scratch.folder()));
  for (const DirectoryEntry& entry : entries) {
    Phase phase;
    if (!read_phase_name(entry.name, phase)) continue;
    const std::string path = scratch.file(entry.name);
    ASSAY_ASSIGN(phase.text, system_disk().read(path));
    std::error_code unknown;
    found.emplace_back(std::move(phase), files::last_write_time(path, unknown));
  }
  std::ranges::sort(found, {}, [](const auto& each) { return each.first.number; });
  // Each is written when it is over.
  for (auto& [phase, written] : found) {
    phase.wall_ns = std::chrono::nanoseconds(written - before).count();
    before = written;
    compiled.phases.push_back(std::move(phase));
  }
  return compiled;
}

// By its name or number.
Result<size_t> place_of(const std::vector<Phase>& phases, const std::string& word,
                        std::string_view option) {
  std::vector<std::string> names;
  for (size_t i = 0; i < phases.size(); ++i) {
    if (phases[i].name == word || std::to_string(phases[i].number) == word) return i;
    names.push_back(phases[i].name);
  }
  return error(
      Code::invalid_input,
      fmt::format("{} {}: there is no such phase{}", option, word, did_you_mean(word, names)),
      names.empty() ? "the compiler stops in its first, which is called input"
                    : fmt::format("it has {}", fmt::join(names, ", ")));
}

void write_diff(const std::string& diff, Output& output) {
  const std::string text = printable(utf8(diff), true);
  if (!output.is_terminal() || std::getenv("NO_COLOR")) return output.write(text);
  for (const std::string_view line : lines_of(text)) {
    const char* colour = line.starts_with('+')     ? "\x1b[32m"
                         : line.starts_with('-')   ? "\x1b[31m"
                         : line.starts_with("@@")  ? "\x1b[36m"
                         : line.starts_with("===") ? "\x1b[1m"
                                                   : "";
    output.write(*colour ? fmt::format("{}{}\x1b[0m\n", colour, line) : std::string(line) + "\n");
  }
}

Status write_difference(const std::vector<Phase>& phases, const std::string& asked,
                        Output& output) {
  const size_t comma = asked.find(',');
  if (comma == std::string::npos)
    return error(Code::invalid_input, "--diff '" + asked + "' names one phase",
                 "name two: --diff flow,stream");
  ASSAY_ASSIGN(size_t from, place_of(phases, asked.substr(0, comma), "--diff"));
  ASSAY_ASSIGN(size_t to, place_of(phases, asked.substr(comma + 1), "--diff"));
  const std::string diff = unified_diff(phases[from].text, phases[to].text);
  if (diff.empty())
    output.write(fmt::format("{} changes nothing since {}\n", phases[to].name, phases[from].name));
  write_diff(diff, output);
  return {};
}

// The phase once more, from the program that the one before it left.
Status write_passes(const Subject& subject, const std::vector<Phase>& phases,
                    const std::string& asked, Scratch& scratch, Output& output) {
  size_t at = 0;
  // Where the compiler stops before its first phase is over, it is that one that is asked for.
  if (!phases.empty()) {
    ASSAY_ASSIGN(at, place_of(phases, asked, "--passes"));
  }
  const std::string name = phases.empty() ? asked : phases[at].name;
  const std::string before = scratch.file("before.mlir");
  std::vector<std::string> command;
  std::string text;
  if (at == 0) {
    command = command_of(subject, subject.mlir());
    ASSAY_ASSIGN(text, system_disk().read(subject.mlir()));
  } else {
    text = phases[at - 1].text;
    ASSAY_TRY(system_disk().write(before, text));
    command = command_of(subject, before);
    command.push_back("--compile-from=" + phases[at - 1].name);
  }
  // Whole programs, one after the other, as they are: a pass may be at many functions at once.
  for (const char* flag : {"--mlir-print-ir-after-all", "--mlir-print-ir-after-change",
                           "--mlir-print-ir-module-scope", "--mlir-disable-threading"})
    command.emplace_back(flag);
  command.push_back("--compile-to=" + name);
  command.insert(command.end(), {"-o", scratch.file("after.mlir")});
  // Into a file: each pass that changes something prints the whole program.
  const std::string dumps = scratch.file("passes.txt");
  command.insert(command.begin(), {"/bin/sh", "-c", "exec \"$@\" 2>\"$0\"", dumps});
  auto ran = this_machine().run(command, "", subject.timeout_ns);
  ASSAY_TRY(scratch.status());
  std::ifstream printed(dumps);
  if (!printed) return errno_error("read '" + dumps + "'");
  ASSAY_TRY(scratch.remove());  // it is open: to read it takes as long as it may
  constexpr size_t kMostErrorBytes = 1 << 16;
  std::string errors;  // lines that may say what is wrong
  PassDiffs diffs(text, [&](const std::string& diff) -> Status {
    write_diff(diff, output);
    if (output.healthy()) return {};
    return error(Code::io, "cannot write to standard output");
  });
  for (std::string line; std::getline(printed, line);) {
    if (errors.size() < kMostErrorBytes && line.contains("error: ")) errors += line + "\n";
    ASSAY_TRY(diffs.line(line));
  }
  ASSAY_TRY(diffs.end());
  if (ran) ran->errors = errors;
  if (!diffs.found_any()) output.write(fmt::format("no pass of {} changes it\n", name));
  const std::string complaint = ran ? complaint_of(*ran) : "it does not end";
  if (!complaint.empty()) output.write(stops_in_words(complaint));
  return {};
}

Status write_dispatch(const Phase& phase, const std::string& name, Output& output) {
  const std::string_view found = dispatch_program(phase.text, name);
  if (found.empty()) {
    constexpr size_t kMostNames = 12;
    std::vector<std::string> names = dispatch_names(phase.text);
    for (std::string& each : names) each = printable(utf8(each), false);
    const size_t shown = std::min(names.size(), kMostNames);
    return error(
        Code::invalid_input,
        fmt::format("--dispatch {}: there is no such dispatch after {}{}", printable(name, false),
                    phase.name, did_you_mean(name, names)),
        names.empty()
            ? "the phases from flow to executable-targets have dispatches, if there are any"
            : fmt::format("it has {}{}", fmt::join(std::span(names).first(shown), ", "),
                          shown < names.size() ? ", ..." : ""));
  }
  output.write(printable(utf8(std::string(found)), true));
  return {};
}

// From a phase, or from the start, to another, or to the end.
Status compile_partly(const Subject& subject, const std::vector<Phase>& phases,
                      const Arguments& arguments, Scratch& scratch, Output& output) {
  constexpr const char *kFrom = "--compile-from", *kTo = "--compile-to";
  std::string program = subject.mlir();
  std::vector<std::string> more;
  if (arguments.given(kFrom)) {
    ASSAY_ASSIGN(const size_t at, place_of(phases, arguments.text(kFrom), kFrom));
    program = scratch.file("from.mlir");
    ASSAY_TRY(system_disk().write(program, phases[at].text));
    more.push_back(fmt::format("{}={}", kFrom, phases[at].name));
  }
  if (arguments.given(kTo)) {
    ASSAY_ASSIGN(const size_t at, place_of(phases, arguments.text(kTo), kTo));
    more.push_back(fmt::format("{}={}", kTo, phases[at].name));
  }
  const std::string made = scratch.file("made");
  std::vector<std::string> command = command_of(subject, program);
  command.insert(command.end(), more.begin(), more.end());
  command.insert(command.end(), {"-o", made});
  ASSAY_ASSIGN(const ProgramResult ran, this_machine().run(command, "", subject.timeout_ns));
  if (const std::string complaint = complaint_of(ran); !complaint.empty()) {
    output.write(stops_in_words(complaint));
    return {};
  }
  ASSAY_ASSIGN(const std::string text, system_disk().read(made));
  ASSAY_TRY(scratch.remove());
  output.write(arguments.given(kTo)
                   ? printable(utf8(text), true)
                   : fmt::format("it compiles to the end: {}\n", format_bytes(text.size())));
  return {};
}

Status show_phases(const Arguments& arguments, const Subject& subject, Output& output) {
  ASSAY_ASSIGN(Scratch scratch, Scratch::make());
  ASSAY_ASSIGN(Compiled compiled, compile(subject, scratch));
  const bool is_shown =
      arguments.given("--dispatch") || arguments.given("--print") || arguments.given("--diff");
  if (!is_shown && arguments.given("--passes"))
    return write_passes(subject, compiled.phases, arguments.text("--passes"), scratch, output);
  if (!is_shown && (arguments.given("--compile-from") || arguments.given("--compile-to")))
    return compile_partly(subject, compiled.phases, arguments, scratch, output);
  ASSAY_TRY(scratch.remove());
  if (arguments.given("--dispatch")) {
    const std::string phase = arguments.given("--print") ? arguments.text("--print") : "flow";
    const char* asked = arguments.given("--print") ? "--print" : "--dispatch, whose phase is";
    ASSAY_ASSIGN(size_t at, place_of(compiled.phases, phase, asked));
    ASSAY_TRY(write_dispatch(compiled.phases[at], arguments.text("--dispatch"), output));
  } else if (arguments.given("--print")) {
    ASSAY_ASSIGN(size_t at, place_of(compiled.phases, arguments.text("--print"), "--print"));
    output.write(printable(utf8(compiled.phases[at].text), true));
  } else if (arguments.given("--diff")) {
    ASSAY_TRY(write_difference(compiled.phases, arguments.text("--diff"), output));
  } else {
    std::vector<Row> rows = phase_rows(compiled.phases);
    // The most frequent operations are of use in one line, and of none in a narrow column.
    if (!fits(rows, output.columns()))
      for (Row& row : rows) row.pop_back();
    output.write(text_table(rows, output.columns()));
    if (!compiled.complaint.empty()) output.write(stops_in_words(compiled.complaint));
  }
  return {};
}

}  // namespace

Result<int> phases_command(const Arguments& arguments, Output& output) {
  ASSAY_ASSIGN(RunStore store, open_run(arguments.positional("RUN").front()));
  ASSAY_ASSIGN(Attempt attempt, find_attempt(store, arguments.positional("ATTEMPT").front()));
  if (arguments.given("--bundle") && failed_export(attempt)) {
    ASSAY_TRY(write_export_bundle(store, attempt, arguments.text("--bundle"), output));
    return 0;
  }
  ASSAY_ASSIGN(Subject subject, subject_of(store, attempt));
  if (arguments.given("--bundle")) {
    const Bundle bundle{.run = arguments.positional("RUN").front(),
                        .program_folder = subject.folder,
                        .flags = subject.flags,
                        .compiler = subject.compiler.version};
    ASSAY_TRY(write_bundle(store, attempt, bundle, arguments.text("--bundle"), output));
    return 0;
  }
  ASSAY_TRY(show_phases(arguments, subject, output));
  return 0;
}

}  // namespace assay
