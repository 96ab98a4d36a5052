// `assay phases`: what IREE's compiler made of an attempt's program, step by step. Its own tool is
// asked here and now, so it works for whatever was exported, also for what does not compile.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "base/escape.h"
#include "base/text.h"
#include "base/words.h"
#include "cli/add_target.h"
#include "cli/command.h"
#include "cli/find_attempt.h"
#include "cli/find_compiler.h"
#include "cli/open_run.h"
#include "cli/output.h"
#include "compile/diagnostics.h"
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

// As a compile of an attempt has by default; programs that take longer were ended there, too.
constexpr int64_t kTimeoutNs = 300'000'000'000;

// An attempt's program, and how it is compiled.
struct Subject {
  std::string folder{};  // the attempt's, with its program
  std::vector<std::string> flags{};
  IreeCompiler compiler{};

  std::string mlir() const { return join_path(folder, kMlirName); }
};

std::vector<std::string> command_of(const Subject& subject, const std::string& program) {
  std::vector<std::string> command{subject.compiler.tool, program};
  const std::vector<std::string> flags = flags_in_folder(subject.flags, subject.folder);
  command.insert(command.end(), flags.begin(), flags.end());
  return command;
}

Result<Subject> subject_of(RunStore& store, const Attempt& attempt) {
  Subject subject{.folder = store.result_folder(attempt.id)};
  if (!system_disk().exists(subject.mlir()))
    return error(Code::not_found,
                 fmt::format("{} has no {}: it was not exported", attempt.id, kMlirName),
                 "phases are what IREE's compiler goes through, of attempts by iree");
  ASSAY_ASSIGN(Places places, find_places());
  ASSAY_ASSIGN(subject.compiler, find_compiler(this_machine(), places, attempt.origin.iree));
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

Result<Compiled> compile(const Subject& subject, const std::string& scratch) {
  std::vector<std::string> command = command_of(subject, subject.mlir());
  command.push_back("--dump-compilation-phases-to=" + scratch);
  command.insert(command.end(), {"-o", join_path(scratch, kArtifactName)});
  auto before = FileClock::now();
  ASSAY_ASSIGN(ProgramResult ran, this_machine().run(command, "", kTimeoutNs));
  Compiled compiled{.complaint = complaint_of(ran)};
  std::vector<std::pair<Phase, FileClock::time_point>> found;
  ASSAY_ASSIGN(auto entries, system_disk().list(scratch));
  for (const DirectoryEntry& entry : entries) {
    Phase phase;
    if (!read_phase_name(entry.name, phase)) continue;
    const std::string path = join_path(scratch, entry.name);
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
                    const std::string& asked, const std::string& scratch, Output& output) {
  size_t at = 0;
  // Where the compiler stops before its first phase is over, it is that one that is asked for.
  if (!phases.empty()) {
    ASSAY_ASSIGN(at, place_of(phases, asked, "--passes"));
  }
  const std::string name = phases.empty() ? asked : phases[at].name;
  const std::string before = join_path(scratch, "before.mlir");
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
  command.insert(command.end(), {"-o", join_path(scratch, "after.mlir")});
  ASSAY_ASSIGN(ProgramResult ran, this_machine().run(command, "", kTimeoutNs));
  const std::string diffs = passes_in_diffs(text, read_pass_dumps(ran.errors));
  if (diffs.empty()) output.write(fmt::format("no pass of {} changes it\n", name));
  write_diff(diffs, output);
  if (std::string complaint = complaint_of(ran); !complaint.empty())
    output.write(stops_in_words(complaint));
  return {};
}

// What it takes to see the same without assay.
Status write_bundle(const Attempt& attempt, const Subject& subject, const std::string& folder,
                    Output& output) {
  Disk& disk = system_disk();
  if (disk.exists(folder))
    return error(Code::invalid_input, "--bundle " + folder + ": it is there already",
                 "name a folder that is not there");
  ASSAY_TRY(disk.make_directories(folder));
  for (const std::string_view name : {kMlirName, kTuningLibraryName}) {
    const std::string path = join_path(subject.folder, name);
    if (!disk.exists(path)) continue;
    ASSAY_ASSIGN(const std::string text, disk.read(path));
    ASSAY_TRY(disk.write(join_path(folder, name), text));
  }
  std::string script =
      "#!/bin/sh\n"
      "# Compiles kernel.mlir as assay did. iree-compile has to be on PATH.\n"
      "cd \"$(dirname \"$0\")\"\nexec iree-compile kernel.mlir";
  for (const std::string& flag : subject.flags) script += " " + shell_quote(flag);
  ASSAY_TRY(disk.write(join_path(folder, "compile.sh"), script + " -o artifact.vmfb \"$@\"\n"));
  std::string about =
      fmt::format("attempt         {}\nIREE            {}\n", attempt.id, subject.compiler.version);
  if (const StageRecord* deciding = attempt.deciding_stage())
    about += fmt::format("it ended with   {}: {}\n", to_word(kStageWords, deciding->stage),
                         deciding->error);
  ASSAY_TRY(disk.write(join_path(folder, "about.txt"), printable(utf8(about), true)));
  output.write(fmt::format("written: {}\ntry it:  sh {}\n", folder,
                           shell_quote(join_path(folder, "compile.sh"))));
  return {};
}

Status show_phases(const Arguments& arguments, const Subject& subject, const std::string& scratch,
                   Output& output) {
  ASSAY_ASSIGN(Compiled compiled, compile(subject, scratch));
  if (arguments.given("--print")) {
    ASSAY_ASSIGN(size_t at, place_of(compiled.phases, arguments.text("--print"), "--print"));
    output.write(printable(utf8(compiled.phases[at].text), true));
  } else if (arguments.given("--diff")) {
    ASSAY_TRY(write_difference(compiled.phases, arguments.text("--diff"), output));
  } else if (arguments.given("--passes")) {
    ASSAY_TRY(write_passes(subject, compiled.phases, arguments.text("--passes"), scratch, output));
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
  ASSAY_ASSIGN(Subject subject, subject_of(store, attempt));
  if (arguments.given("--bundle")) {
    ASSAY_TRY(write_bundle(attempt, subject, arguments.text("--bundle"), output));
    return 0;
  }
  ASSAY_ASSIGN(const std::string scratch, make_scratch_folder());
  const Status shown = show_phases(arguments, subject, scratch, output);
  ASSAY_TRY(system_disk().remove_all(scratch));
  ASSAY_TRY(shown);
  return 0;
}

}  // namespace assay
