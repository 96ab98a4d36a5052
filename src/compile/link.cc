#include "compile/link.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <filesystem>

#include "base/escape.h"
#include "base/hash.h"
#include "compile/tool_output.h"
#include "target/availability.h"

namespace assay {
namespace {

// Position-independent, because executables are; freestanding, because there is no C library;
// hidden and in sections of their own, so that what is not called is left out.
constexpr const char* kSourceFlags[] = {"-O2", "-fPIC", "-ffreestanding", "-fvisibility=hidden",
                                        "-ffunction-sections"};

std::vector<std::string> with(const std::string& program, const std::vector<std::string>& flags) {
  std::vector<std::string> words{program};
  words.insert(words.end(), flags.begin(), flags.end());
  return words;
}

// The text of a program that runs `linker` with its own arguments and `more` after them.
std::string script_text(const Link& link, const std::string& objcopy, const std::string& linker,
                        const std::vector<std::string>& more) {
  std::string text =
      "#!/bin/sh\n# IREE's linker; for the target's CPU, with what its [link] table adds.\nset "
      "-e\n";
  // Constants are computed while compiling, by code for this machine, and IREE links that with the
  // same program: two bytes of an object say which CPU it is for.
  for (const std::string& file : more)
    if (file.ends_with(".o"))
      text += fmt::format(
          "cpu() {{ od -An -tx1 -j18 -N2 \"$1\"; }}\n"
          "for word; do\n  case $word in *.o) [ \"$(cpu \"$word\")\" = \"$(cpu {0})\" ] || "
          "exec {1} \"$@\" ;; esac\ndone\n",
          shell_quote(file), shell_quote(linker));
  if (!link.replace.empty()) {
    // Weak, so that those of the sources win. Only what is global already can be made weak: in two
    // steps. The object is IREE's own temporary file.
    std::string change;
    for (const char* step : {"globalize", "weaken"}) {
      change += change.empty() ? shell_quote(objcopy) : " && " + shell_quote(objcopy);
      for (const std::string& name : link.replace)
        change += fmt::format(" --{}-symbol={}", step, name);
      change += " \"$word\"";
    }
    text += "for word; do\n  case $word in *.o) " + change + " ;; esac\ndone\n";
  }
  text += "exec " + shell_quote(linker) + " \"$@\"";
  for (const std::string& file : more) text += " " + shell_quote(file);
  return text + "\n";
}

// Everything that the linked code depends on, with the script as it would be with no objects in it.
// The runtime's bytes stand for the compiler's version.
Result<std::string> link_identity(const Disk& disk, const Link& link, const std::string& compiler,
                                  const std::string& runtime, const std::string& script) {
  std::string all = fmt::format("{}\n{}\n{}\n{}\n", compiler, fmt::join(link.compiler_flags, " "),
                                fmt::join(kSourceFlags, " "), script);
  for (const std::string& path : link.sources) {
    ASSAY_ASSIGN(std::string text, disk.read(path));
    all += sha256(text) + "\n";
  }
  ASSAY_ASSIGN(std::string library, disk.read(runtime));
  return sha256(all + sha256(library)).substr(0, 16);
}

// Compiles one source into `object`.
Status compile_source(Disk& disk, const Machine& machine, const Link& link,
                      const std::string& compiler, const std::string& source,
                      const std::string& object) {
  std::vector<std::string> words = with(compiler, link.compiler_flags);
  words.insert(words.end(), std::begin(kSourceFlags), std::end(kSourceFlags));
  words.insert(words.end(), {"-c", source});
  return write_by(disk, machine, std::move(words), object);
}

// Writes a program. It appears whole.
Status write_program(Disk& disk, const std::string& path, const std::string& text) {
  std::string temporary = fmt::format("{}.{}", path, ::getpid());
  ASSAY_TRY(disk.write(temporary, text));
  std::error_code failed;
  std::filesystem::permissions(temporary, std::filesystem::perms(0755), failed);
  if (failed)
    return error(Code::io, "cannot make '" + temporary + "' a program: " + failed.message());
  ASSAY_TRY(disk.link_or_copy(temporary, path));
  return disk.remove_all(temporary);
}

// What whoever loads the code has may stay undefined, and nothing else.
Result<std::vector<std::string>> prepare_imports(Disk& disk, const Link& link,
                                                 const std::string& linker,
                                                 const std::string& folder) {
  const std::string names = fmt::format("{}\n", fmt::join(link.imports, "\n"));
  const std::string place = join_path(folder, sha256(names + linker).substr(0, 16));
  const std::string list = join_path(place, "imports"), script = join_path(place, "link");
  if (!disk.exists(script)) {  // written last
    ASSAY_TRY(disk.make_directories(place));
    ASSAY_TRY(disk.write(list, names));
    ASSAY_TRY(write_program(disk, script,
                            fmt::format("#!/bin/sh\nexec {} \"$@\" --allow-undefined-file={}\n",
                                        shell_quote(linker), shell_quote(list))));
  }
  return std::vector<std::string>{"--iree-llvmcpu-wasm-linker-path=" + shell_quote(script)};
}

}  // namespace

Result<std::string> find_iree_linker(const Machine& machine, const std::string& compiler_library) {
  // In a wheel it lies beside the library, in a build or an installation in a folder beside that.
  for (const char* place : {"iree-lld", "../bin/iree-lld", "../tools/iree-lld"}) {
    std::string found = machine.find_program(path_beside(compiler_library, place));
    if (!found.empty()) return found;
  }
  for (const char* name : {"iree-lld", "ld.lld"})
    if (std::string found = machine.find_program(name); !found.empty()) return found;
  return error(Code::unavailable, "there is no iree-lld beside '" + compiler_library + "'",
               "install iree-base-compiler again");
}

Result<std::vector<std::string>> prepare_link(Disk& disk, const Machine& machine,
                                              const Target& target,
                                              const std::string& compiler_library,
                                              const std::string& folder) {
  if (!target.link) return std::vector<std::string>{};
  const Link& link = *target.link;
  if (link.compiler.empty()) {
    ASSAY_ASSIGN(std::string linker, find_iree_linker(machine, compiler_library));
    return prepare_imports(disk, link, linker, folder);
  }
  std::string compiler = machine.find_program(link.compiler);
  if (compiler.empty())
    return error(
        Code::unavailable,
        fmt::format("the target {} needs '{}', which is not installed", target.name, link.compiler),
        install_command(link.package));
  ASSAY_ASSIGN(std::string linker, find_iree_linker(machine, compiler_library));
  auto ask = [&](const char* question) -> Result<std::string> {
    std::vector<std::string> words = with(compiler, link.compiler_flags);
    words.emplace_back(question);
    ASSAY_ASSIGN(std::string answer, output_of(machine, words));
    while (answer.ends_with('\n')) answer.pop_back();
    return answer;
  };
  ASSAY_ASSIGN(std::string runtime, ask("-print-libgcc-file-name"));
  ASSAY_ASSIGN(std::string objcopy, ask("-print-prog-name=objcopy"));
  ASSAY_ASSIGN(std::string identity, link_identity(disk, link, compiler, runtime,
                                                   script_text(link, objcopy, linker, {runtime})));
  std::string place = join_path(folder, identity);
  std::string script = join_path(place, "link");
  if (!disk.exists(script)) {  // written last: then all else is there
    ASSAY_TRY(disk.make_directories(place));
    std::vector<std::string> more;
    for (const std::string& source : link.sources) {
      more.push_back(join_path(place, fmt::format("{}.o", more.size())));
      ASSAY_TRY(compile_source(disk, machine, link, compiler, source, more.back()));
    }
    more.push_back(runtime);
    ASSAY_TRY(write_program(disk, script, script_text(link, objcopy, linker, more)));
  }
  // The compiler gives this to a shell.
  return std::vector<std::string>{"--iree-llvmcpu-embedded-linker-path=" + shell_quote(script)};
}

void prepare_links(Disk& disk, const Machine& machine, std::vector<Target>& targets,
                   const std::string& compiler_library, const std::string& folder) {
  for (Target& target : targets) {
    auto flags = prepare_link(disk, machine, target, compiler_library, folder);
    if (flags) {
      overlay_flags(target.flags, *flags);
    } else {
      const Error& problem = flags.error();
      target.unavailable = problem.message + (problem.next.empty() ? "" : ": " + problem.next);
    }
  }
}

}  // namespace assay
