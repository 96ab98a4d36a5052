#include "setup/verify_tools.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>

#include "base/disk.h"
#include "base/escape.h"
#include "base/hash.h"
#include "base/places.h"
#include "base/words.h"
#include "judge/policy_file.h"
#include "run/cuda/driver.h"
#include "sandbox/isolation.h"
#include "setup/emulated_runner.h"
#include "setup/emulators.h"

namespace assay {
namespace {

// What programs of the system need to start, and a compiler to work. Not what else is shared on
// this machine: suites may be, with the problems that candidates are to solve.
constexpr const char* kSystem[] = {"/usr/bin",
                                   "/usr/sbin",
                                   "/usr/lib",
                                   "/usr/lib32",
                                   "/usr/lib64",
                                   "/usr/libexec",
                                   "/usr/include",
                                   "/usr/local/bin",
                                   "/usr/local/lib",
                                   "/usr/local/include",
                                   "/lib",
                                   "/lib64",
                                   "/bin",
                                   "/etc/ld.so.cache",
                                   "/etc/alternatives",
                                   "/sbin",
                                   "/etc/ld.so.conf",
                                   "/etc/ld.so.conf.d"};

// Nothing of the user's: what a candidate finds in its environment is the same everywhere.
std::vector<std::string> candidate_environment(int threads) {
  std::vector<std::string> environment{
      "PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "USER=assay", "HOME=/tmp",
      "PYTHONHASHSEED=0",
      // Threads that wait must not spin: a window ends when they have stopped.
      "OMP_WAIT_POLICY=passive", "GOMP_SPINCOUNT=0", fmt::format("OMP_NUM_THREADS={}", threads),
      "OPENBLAS_NUM_THREADS=1", "MKL_NUM_THREADS=1",
      // Small blocks that are freed and taken again go through malloc's poison, too.
      "GLIBC_TUNABLES=glibc.malloc.tcache_count=0"};
  std::string libraries = environment_variable("LD_LIBRARY_PATH");
  if (!libraries.empty()) environment.push_back("LD_LIBRARY_PATH=" + libraries);
  return environment;
}

JailSpec jail_for(const RunSettings& settings, Isolation level) {
  JailSpec jail;
  jail.level = level;
  for (const char* path : kSystem) jail.read_only.emplace_back(path);
  jail.environment = candidate_environment(settings.threads);
  jail.memory_bytes = settings.memory_bytes;
  jail.file_bytes = jail.disk_bytes;  // files in memory, too, that are on no disk
  jail.may_exec = true;
  jail.processes = 64 + static_cast<unsigned>(settings.threads);
  return jail;
}

// Names and bytes of all files in the folder, and in those below it.
Status add_headers(const Disk& disk, const std::string& folder, int depth, size_t& files,
                   std::string& all) {
  constexpr int kDeepest = 32;
  constexpr size_t kMostFiles = 50'000;
  auto too_large = [&](const std::string& why) {
    return error(Code::invalid_input, fmt::format("--include: '{}' {}", folder, why),
                 "name the folder that holds the headers alone");
  };
  if (depth > kDeepest) return too_large("is a folder in 32 others, or a link back to one");
  ASSAY_ASSIGN(auto entries, disk.list(folder));
  for (const DirectoryEntry& entry : entries) {
    const std::string path = join_path(folder, entry.name);
    if (entry.name.starts_with('.')) continue;  // .git
    if (entry.is_directory) {
      ASSAY_TRY(add_headers(disk, path, depth + 1, files, all));
    } else if (entry.is_file) {
      if (++files > kMostFiles) return too_large("is one of folders with more than 50,000 files");
      ASSAY_ASSIGN(Digest digest, disk.digest(path));
      all += path + '\0' + digest.sha256;
    }
  }
  return {};
}

// Of the headers of --include: what is built with them is built anew where one has changed.
Result<std::string> headers_identity(const Disk& disk, const std::vector<std::string>& folders) {
  std::string all;
  size_t files = 0;
  for (const std::string& folder : folders) {
    if (!disk.is_directory(folder))
      return error(Code::not_found, fmt::format("--include: there is no folder '{}'", folder));
    ASSAY_TRY(add_headers(disk, folder, 0, files, all));
  }
  return all;
}

// Of what turns C and C++ into libraries. A compiler that is missing is found out when it is
// needed.
std::string native_identity(const Disk& disk, const Machine& machine, const Places& places,
                            const std::vector<GpuCompiler>& gpu_compilers, std::string all) {
  std::vector<std::string> paths{machine.find_program("cc"), machine.find_program("c++"),
                                 join_path(places.include, "assay/kernel.h")};
  for (const GpuCompiler& compiler : gpu_compilers) paths.push_back(compiler.program);
  for (const std::string& path : paths) {
    auto digest = disk.digest(path);
    all += digest ? digest->sha256 : "none";
  }
  return sha256(all);
}

// Of a name, the bundled one.
Result<PolicyFile> find_policy(const Disk& disk, const Places& places, const std::string& policy) {
  if (policy.empty()) return PolicyFile{};
  if (policy.contains('/')) return read_policy(disk, policy);
  std::vector<std::string> known;
  if (auto entries = disk.list(places.policies))
    for (const DirectoryEntry& entry : *entries)
      if (entry.name.ends_with(".toml"))
        known.push_back(entry.name.substr(0, entry.name.size() - 5));
  if (std::ranges::find(known, policy) == known.end())
    return error(Code::not_found, "there is no policy '" + policy + "'" + suggestion(policy, known),
                 "for a file of your own write --policy ./" + policy);
  return read_policy(disk, join_path(places.policies, policy + ".toml"));
}

// Where the C compiler has the libraries of its sanitizers.
Result<std::vector<Sanitizer>> find_sanitizers(const Machine& machine) {
  constexpr int64_t kTimeoutNs = 60'000'000'000;
  const std::string compiler = machine.find_program("cc");
  if (compiler.empty())
    return error(Code::unavailable, "--sanitize: there is no C compiler", "apt install gcc g++");
  std::vector<Sanitizer> found;
  for (auto [kind, name] : {std::pair{SanitizerKind::address, "libasan.so"},
                            std::pair{SanitizerKind::thread, "libtsan.so"}}) {
    ASSAY_ASSIGN(ProgramResult said,
                 machine.run({compiler, std::string("-print-file-name=") + name}, "", kTimeoutNs));
    std::string library = said.output.substr(0, said.output.find('\n'));
    if (!library.starts_with('/'))
      return error(Code::unavailable, fmt::format("--sanitize: the C compiler has no {}", name),
                   "it comes with GCC: apt install gcc g++");
    found.push_back({kind, std::move(library)});
  }
  return found;
}

// It takes half a minute of a quiet core, for all candidates to come: no one's limits count.
// Nothing of a candidate's is in it, but for flags out of a list. A precompiled one has half a
// gigabyte.
Limits header_limits(Limits limits) {
  constexpr int64_t kTimeoutNs = 600'000'000'000;
  limits.timeout_ns = std::max(limits.timeout_ns, kTimeoutNs);
  limits.jail->disk_bytes = limits.jail->file_bytes = uint64_t{2} << 30;
  return limits;
}

}  // namespace

Result<PythonDescription> python_with_torch(const Places& places) {
  ASSAY_ASSIGN(std::string python, find_python(places));
  ASSAY_ASSIGN(PythonDescription description, describe_python(python, places));
  if (description.torch) return description;
  return error(Code::unavailable, description.executable + " lacks torch",
               fmt::format("{} -m pip install torch", shell_quote(description.executable)));
}

Result<std::string> make_scratch_folder() {
  const std::string temporary = environment_variable("TMPDIR");
  std::string scratch = join_path(temporary.empty() ? "/tmp" : temporary, "assay-XXXXXX");
  if (!::mkdtemp(scratch.data())) return errno_error("make the folder '" + scratch + "'");
  return scratch;
}

Result<VerifyTools> find_verify_tools(const Disk& disk, const Machine& machine,
                                      const Places& places, const PythonDescription& python,
                                      const RunSettings& settings, bool trust) {
  VerifyTools tools;
  ASSAY_TRY(check_isolation_bound());
  tools.isolation = isolation().highest;
  // To ask for L0 is not to trust.
  Isolation asked = from_word(kIsolationWords, settings.require_isolation).value_or(Isolation::L0);
  Isolation least = trust ? asked : std::max(asked, Isolation::L1);
  if (tools.isolation < least)
    return error(
        Code::unavailable,
        fmt::format("candidates would run in a jail of level {}, and {} is required",
                    to_word(kIsolationWords, tools.isolation), to_word(kIsolationWords, least)),
        fmt::format("`assay doctor` says what would raise it; --until compile runs none{}",
                    asked > Isolation::L0 ? "" : ", and --trust runs them without a jail"));
  tools.include = places.include;
  tools.headers = python.headers;
  tools.large_memory = places.large_memory;
  tools.oracle = python_image(python.executable, places, "oracle");
  // What one chunk took is kept for the next: most of its time would go into touching memory anew.
  tools.oracle.environment.emplace_back(
      "GLIBC_TUNABLES=glibc.malloc.mmap_threshold=33554432:glibc.malloc.trim_threshold=67108864");
  ASSAY_ASSIGN(std::string cache, find_cache_folder());
  const std::string inductor = join_path(cache, "inductor");
  // One thread until the fork; the worker raises its count.
  FoundEmulators emulators;
  if (settings.emulate)
    emulators = find_emulators(machine, places, join_path(cache, kEmulatedFolder));
  tools.emulators = emulator_identities(machine, emulators);
  const RunnerSetting setting{places, python.executable, candidate_environment(1), inductor,
                              std::move(emulators)};
  tools.runners = runner_images(setting);
  tools.native_compiler = launched(setting, {places.native_compiler});

  for (GpuKind kind : {GpuKind::cuda, GpuKind::hip})
    if (auto compiler = find_gpu_compiler(machine, kind))
      tools.gpu_compilers.push_back(std::move(*compiler));
  tools.includes = settings.include;
  ASSAY_ASSIGN(std::string headers, headers_identity(disk, settings.include));
  tools.native_identity =
      native_identity(disk, machine, places, tools.gpu_compilers, std::move(headers));
  tools.triton = python.triton.value_or("");
  if (!python.triton)
    tools.no_triton = fmt::format("Triton is not installed: {} -m pip install --no-deps triton",
                                  shell_quote(python.executable));

  ASSAY_ASSIGN(PolicyFile policy, find_policy(disk, places, settings.policy));
  tools.check = std::move(policy.check);
  if (settings.sanitize) {
    ASSAY_ASSIGN(tools.sanitizers, find_sanitizers(machine));
  }
  JailSpec jail = jail_for(settings, tools.isolation);
  for (const std::string& path : python.reads) jail.read_only.push_back(path);
  for (const std::string& path : {places.python, places.include, places.native_compiler, inductor})
    jail.read_only.push_back(path);
  for (std::string& path : runner_reads(setting)) jail.read_only.push_back(std::move(path));
  jail.read_only.push_back(join_path(places.prefix, "lib/assay"));  // of scripts/pack
  tools.limits.jail = jail;
  for (const GpuCompiler& compiler : tools.gpu_compilers)
    jail.read_only.insert(jail.read_only.end(), compiler.reads.begin(), compiler.reads.end());
  // Where hipcc finds nvcc, too, it would take that.
  jail.environment.emplace_back("HIP_PLATFORM=amd");
  jail.read_only.insert(jail.read_only.end(), tools.includes.begin(), tools.includes.end());
  tools.build_limits.jail = jail;
  tools.build_limits.timeout_ns = settings.timeout_ns;
  tools.header_limits = header_limits(tools.build_limits);
  return tools;
}

void add_card(VerifyTools& tools, const Disk& disk, const cuda::Card& card) {
  tools.card = card;
  tools.card_limits = tools.limits;
  JailSpec& jail = *tools.card_limits.jail;
  for (const std::string& node : {std::string("/dev/nvidiactl"), std::string("/dev/nvidia-uvm"),
                                  std::string("/dev/dxg"), fmt::format("/dev/nvidia{}", card.node)})
    if (disk.exists(node)) jail.devices.push_back(node);
  const std::string driver = cuda::driver_folder();
  jail.read_only.push_back(driver);
  for (const char* variable :
       {"TRITON_CACHE_DIR=/tmp/triton", "TORCHINDUCTOR_CACHE_DIR=/tmp/inductor",
        "TORCHINDUCTOR_COMPILE_THREADS=1", "CUDA_CACHE_DISABLE=1", "CUDA_VISIBLE_DEVICES=0",
        "CUDA_DEVICE_ORDER=PCI_BUS_ID"})
    jail.environment.emplace_back(variable);
  jail.environment.push_back("TRITON_LIBCUDA_PATH=" + driver);
}

Result<JudgeSettings> find_judge_settings(const Disk& disk, const Places& places,
                                          const RunSettings& settings) {
  ASSAY_ASSIGN(PolicyFile policy, find_policy(disk, places, settings.policy));
  JudgeSettings judge{std::move(policy.severities), std::nullopt};
  if (!settings.timing) return judge;
  ASSAY_ASSIGN(std::string folder, find_cache_folder());
  ASSAY_ASSIGN(FoundCalibration found, find_calibration(disk, folder, identity_of_this_machine()));
  judge.calibration = std::move(found.calibration);
  return judge;
}

}  // namespace assay
