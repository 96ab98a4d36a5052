#include "session/cached_libraries.h"

#include <utility>

#include "base/hash.h"
#include "sandbox/memory_file.h"

namespace assay {
namespace {

constexpr size_t kMostHeaders = 4;
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

SharedFolders CachedLibraries::headers() const {
  const std::string identity =
      sha256(tools_.verify.native_identity + tools_.python_environment + tools_.host_cpu);
  return {disk_, join_path(cache_.folder(), "headers"), identity.substr(0, 16), kMostHeaders};
}

FolderInUse CachedLibraries::find_header(const NativeJob& job) {
  return headers().find(key(job).hash().substr(0, 16));
}

Result<FolderInUse> CachedLibraries::keep_header(const NativeJob& job,
                                                 const UniqueFd& precompiled) {
  ASSAY_ASSIGN(MappedFile bytes, MappedFile::map(precompiled));
  return headers().add(key(job).hash().substr(0, 16), [&](const std::string& folder) -> Status {
    ASSAY_TRY(disk_.make_directories(join_path(folder, "torch")));
    ASSAY_TRY(disk_.write(join_path(folder, kPrecompiled), bytes.bytes(), true));
    return disk_.write(join_path(folder, kHeader), job.files.front().text, true);
  });
}

}  // namespace assay
