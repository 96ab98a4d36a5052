#include "setup/emulated_runner.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <filesystem>

#include "base/hash.h"
#include "compile/tool_output.h"
#include "target/availability.h"

namespace assay {
namespace {

std::string source_of(const Places& places) {
  return join_path(places.emulated, "native_runner.cc");
}

// All but the file that is written. Its own speed is nothing that anybody asks for: without
// optimisation it is made in half the time.
std::vector<std::string> words_for(const std::string& compiler, const Places& places) {
  return {compiler,
          "-std=c++23",
          "-DFMT_HEADER_ONLY",
          "-ffunction-sections",
          "-fdata-sections",
          "-I" + places.emulated,
          source_of(places),
          "-Wl,--gc-sections",
          "-ldl"};
}

// The digest of the whole file, which is written behind it.
std::string digest_path(const std::string& path) { return path + ".sha256"; }

// Whoever a jail runs as has to be able to run it.
constexpr auto kMode = std::filesystem::perms(0555);

bool is_whole(const Disk& disk, const std::string& path) {
  std::error_code failed;
  const auto mode = std::filesystem::status(path, failed).permissions();
  if (failed || (mode & kMode) != kMode) return false;
  const auto digest = disk.digest(path);
  const auto known = disk.read(digest_path(path));
  return digest && known && digest->sha256 == *known;
}

// Of it, and of what was killed while it made one.
Status remove_what_is_left(Disk& disk, const std::string& folder, const std::string& name) {
  ASSAY_ASSIGN(const auto entries, disk.list(folder));
  for (const DirectoryEntry& entry : entries)
    if (entry.name.starts_with(name)) ASSAY_TRY(disk.remove_all(join_path(folder, entry.name)));
  return {};
}

}  // namespace

Result<std::string> emulated_runner_path(const Machine& machine, const Places& places,
                                         const PlayedCpu& cpu, const std::string& folder) {
  const std::string compiler = machine.find_program(std::string(cpu.compiler));
  if (compiler.empty())
    return error(Code::unavailable, fmt::format("there is no {}", cpu.compiler),
                 install_command(std::string(cpu.package)));
  auto source = machine.disk().digest(source_of(places));
  if (!source)
    return error(Code::unavailable, source.error().message,
                 "install assay again: its files are not all there");
  // What is found may be a cache's name for any compiler.
  ASSAY_ASSIGN(const std::string version, output_of(machine, {compiler, "--version"}));
  std::string all = source->sha256 + version;
  for (const std::string& word : words_for("", Places{})) all += word + "\n";
  return join_path(folder, fmt::format("{}-{}", cpu.architecture, sha256(all).substr(0, 16)));
}

Status make_emulated_runner(Disk& disk, const Machine& machine, const Places& places,
                            const PlayedCpu& cpu, const std::string& path,
                            const std::function<void()>& tell) {
  if (is_whole(disk, path)) return {};
  const std::string folder = path.substr(0, path.rfind('/'));
  ASSAY_TRY(disk.make_directories(folder));
  const std::string lock_path = join_path(folder, ".lock");
  const UniqueFd lock = lock_named(lock_path, O_RDWR | O_CREAT | O_CLOEXEC, LOCK_EX);
  if (!lock) return errno_error("lock '" + lock_path + "'");
  if (is_whole(disk, path)) return {};
  tell();
  ASSAY_TRY(remove_what_is_left(disk, folder, path.substr(folder.size() + 1)));
  const std::string compiler = machine.find_program(std::string(cpu.compiler));
  if (Status made = write_by(disk, machine, words_for(compiler, places), path); !made) {
    Error why = made.error();
    if (why.next.empty() && why.code != Code::interrupted)
      why.next = "it takes GCC 12 or newer: " + install_command(std::string(cpu.package));
    return while_doing(std::move(why),
                       fmt::format("making the native runner for {}", cpu.architecture));
  }
  std::error_code failed;
  std::filesystem::permissions(path, kMode, failed);
  if (failed) return error(Code::io, "cannot make '" + path + "' a program: " + failed.message());
  ASSAY_ASSIGN(const Digest digest, disk.digest(path));
  return disk.write(digest_path(path), digest.sha256);
}

}  // namespace assay
