#include "store/cache.h"

#include <fmt/format.h>

#include "base/hash.h"
#include "base/json.h"

namespace assay {
namespace {

constexpr int kEntrySchema = 1;

Json ingredients_json(const std::map<std::string, std::string>& ingredients) {
  Json json = Json::object();
  for (const auto& [name, value] : ingredients) json[name] = value;
  return json;
}

// Records travel through the attempt's JSON, so that there is one reader and one writer of them.
Json entry_json(const CacheKey& key, const CacheEntry& entry) {
  Json objects = Json::array();
  for (const ArtifactRecord& object : entry.objects)
    objects.push_back({{"name", object.name}, {"sha256", object.sha256}, {"bytes", object.bytes}});
  return Json{{"schema", kEntrySchema},
              {"subject", key.subject},
              {"ingredients", ingredients_json(key.ingredients)},
              {"record", to_json(entry.record)},
              {"objects", objects}};
}

Result<CacheEntry> entry_from_json(const Json& json, const CacheKey& key) {
  JsonReader fields(json, "a cache entry");
  if (fields.integer("schema") != kEntrySchema) fields.fail("it has another schema");
  if (fields.value("ingredients") != ingredients_json(key.ingredients))
    fields.fail("it belongs to another key");
  ASSAY_TRY(fields.status());
  CacheEntry entry;
  ASSAY_ASSIGN(entry.record, stage_from_json(fields.value("record")));
  if (entry.record.status != StageStatus::ok) return error(Code::corrupt, "it is no success");
  ASSAY_ASSIGN(entry.objects, artifacts_from_json(fields.value("objects")));
  return entry;
}

std::unexpected<Error> damaged(const ArtifactRecord& object) {
  return error(Code::corrupt, fmt::format("'{}' in the cache was damaged", object.name));
}

}  // namespace

std::string CacheKey::hash() const { return sha256(dump_json(ingredients_json(ingredients))); }

std::string Cache::entry_path(const std::string& hash) const {
  return join_path(folder_, "entries/" + hash + ".json");
}

std::string Cache::subject_path(const CacheKey& key) const {
  return join_path(folder_, "subjects/" + sha256(key.subject));
}

std::string Cache::object_path(const ArtifactRecord& object) const {
  return join_path(folder_, "objects/" + object.sha256.substr(0, 2) + "/" + object.sha256);
}

Status Cache::prepare() {
  auto trial = [&]() -> Status {
    for (const char* part : {"objects", "entries", "subjects"})
      ASSAY_TRY(disk_.make_directories(join_path(folder_, part)));
    std::string path = join_path(folder_, ".trial");
    ASSAY_TRY(disk_.write(path, ""));
    return disk_.remove_all(path);
  };
  Status usable = trial();
  if (usable) return {};
  Error unusable = usable.error();
  unusable.message = "the cache cannot be used: " + unusable.message;
  unusable.next = "set ASSAY_CACHE to a folder that can be written";
  return std::unexpected(unusable);
}

Cache::Lookup Cache::find(const CacheKey& key) const {
  auto text = disk_.read(entry_path(key.hash()));
  if (!text) return {std::nullopt, reason_for_miss(key)};
  auto json = parse_json(*text, "the cache entry");
  if (!json) return {std::nullopt, "computed again: " + json.error().message};
  auto entry = entry_from_json(*json, key);
  if (!entry) return {std::nullopt, "computed again: " + entry.error().message};
  for (const ArtifactRecord& object : entry->objects) {
    Status whole = check_object(object);
    if (!whole) return {std::nullopt, "computed again: " + whole.error().message};
  }
  remember(key);
  return {std::move(*entry), "reused from the cache: made before from the same ingredients"};
}

void Cache::remember(const CacheKey& key) const {
  std::string hash = key.hash();
  auto last = disk_.read(subject_path(key));
  if (!last || *last != hash) (void)disk_.write(subject_path(key), hash);
}

std::string Cache::reason_for_miss(const CacheKey& key) const {
  auto last_hash = disk_.read(subject_path(key));
  if (!last_hash) return "computed: never made before on this machine";
  auto text = disk_.read(entry_path(*last_hash));
  auto json = text ? parse_json(*text, "the cache entry")
                   : Result<Json>(error(Code::not_found, "it is gone"));
  if (!json) return "computed: the result from before is no longer in the cache";
  JsonReader fields(*json, "the cache entry");
  const Json& before = fields.value("ingredients");
  std::string changed;
  for (const auto& [name, value] : key.ingredients) {
    if (before.is_object() && before.contains(name) && before[name] == value) continue;
    if (!changed.empty()) changed += ", ";
    changed += name;
  }
  return changed.empty() ? "computed: something it depended on before is gone"
                         : "computed: changed since it was made before: " + changed;
}

Status Cache::put(const CacheKey& key, const CacheEntry& entry) {
  std::string hash = key.hash();
  ASSAY_TRY(disk_.write(entry_path(hash), dump_json(entry_json(key, entry), 1)));
  remember(key);
  return {};
}

Result<ArtifactRecord> Cache::put_object(const std::string& name, std::string_view bytes) {
  ArtifactRecord object{name, sha256(bytes), bytes.size()};
  if (check_object(object)) return object;
  std::string path = object_path(object);
  ASSAY_TRY(disk_.make_directories(path.substr(0, path.rfind('/'))));
  ASSAY_TRY(disk_.write(path, bytes, /*read_only=*/true));
  return object;
}

Status Cache::check_object(const ArtifactRecord& object) const {
  ASSAY_ASSIGN(Digest file, disk_.digest(object_path(object)));
  if (file.bytes == object.bytes && file.sha256 == object.sha256) return {};
  return damaged(object);
}

Result<std::string> Cache::read_object(const ArtifactRecord& object) const {
  ASSAY_ASSIGN(std::string bytes, disk_.read(object_path(object)));
  if (bytes.size() != object.bytes || sha256(bytes) != object.sha256) return damaged(object);
  return bytes;
}

}  // namespace assay
