#include "engine/cached_libraries.h"

#include <utility>

#include "base/hash.h"
#include "sandbox/memory_file.h"

namespace assay {
namespace {

constexpr int kPlaces = 4;
constexpr const char* kHeader = "torch/extension.h";
constexpr const char* kPrecompiled = "torch/extension.h.gch";

}  // namespace

CacheKey CachedLibraries::key(const NativeJob& job) const {
  Json files = Json::array();
  for (const NamedText& file : job.files) files.push_back({file.name, sha256(file.text)});
  std::string sources = sha256(dump_json(files));
  CacheKey key;
  key.subject = "library of " + sources;
  key.ingredients = {{"stage", "native"},
                     {"files", sources},
                     {"sources", dump_json(job.sources)},
                     {"compiler's flags", dump_json(job.compile)},
                     {"linker's flags", dump_json(job.link)},
                     {"compiler", tools_.verify.native_identity},
                     {"Python packages", tools_.python_environment},
                     {"host CPU", tools_.host_cpu}};
  return key;
}

std::optional<NativeBuild> CachedLibraries::find(const NativeJob& job, std::string& why_not) {
  if (use_ == Use::headers) return std::nullopt;
  if (use_ == Use::replace) {
    why_not = "computed: asked for with --force";
    return std::nullopt;
  }
  Cache::Lookup found = cache_.find(key(job));
  why_not = found.reason;
  if (!found.entry || found.entry->objects.size() != 1) return std::nullopt;
  auto bytes = cache_.read_object(found.entry->objects[0]);
  if (!bytes) {
    why_not = "computed again: the result from before has just left the cache";
    return std::nullopt;
  }
  auto library = sealed_memory_file("assay-library", *bytes);
  if (!library) {
    why_not = "computed again: " + library.error().message;
    return std::nullopt;
  }
  NativeBuild build{std::move(found.entry->record), std::move(*library)};
  build.record.reused = true;
  build.record.reuse = found.reason;
  return build;
}

Status CachedLibraries::keep(const NativeJob& job, const NativeBuild& build) {
  if (use_ == Use::headers) return {};
  ASSAY_ASSIGN(MappedFile library, MappedFile::map(build.library));
  ASSAY_ASSIGN(ArtifactRecord object, cache_.put_object("library.so", library.bytes()));
  return cache_.put(key(job), {build.record, {std::move(object)}});
}

std::string CachedLibraries::headers_folder() const {
  const std::string identity =
      sha256(tools_.verify.native_identity + tools_.python_environment + tools_.host_cpu);
  return join_path(cache_.folder(), "headers/" + identity.substr(0, 16));
}

std::string CachedLibraries::header_place(const NativeJob& job) const {
  const int place = key(job).hash().back() % kPlaces;
  return join_path(headers_folder(), std::to_string(place));
}

std::string CachedLibraries::header_folder(const NativeJob& job) const {
  return join_path(header_place(job), key(job).hash().substr(0, 16));
}

// The header is written last.
std::string CachedLibraries::find_header(const NativeJob& job) {
  std::string folder = header_folder(job);
  return disk_.exists(join_path(folder, kHeader)) ? folder : "";
}

Result<std::string> CachedLibraries::keep_header(const NativeJob& job,
                                                 const UniqueFd& precompiled) {
  const std::string all = join_path(cache_.folder(), "headers");
  if (auto there = disk_.list(all))
    for (const DirectoryEntry& entry : *there) {
      const std::string other = join_path(all, entry.name);
      if (other != headers_folder()) ASSAY_TRY(disk_.remove_all(other));
    }
  ASSAY_TRY(disk_.remove_all(header_place(job)));
  std::string folder = header_folder(job);
  ASSAY_TRY(disk_.make_directories(join_path(folder, "torch")));
  ASSAY_ASSIGN(MappedFile bytes, MappedFile::map(precompiled));
  ASSAY_TRY(disk_.write(join_path(folder, kPrecompiled), bytes.bytes(), true));
  ASSAY_TRY(disk_.write(join_path(folder, kHeader), job.files.front().text, true));
  return folder;
}

}  // namespace assay
