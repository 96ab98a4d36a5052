#include "model/search_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace assay {
namespace {

constexpr int kMostAttempts = 4096;  // more than any search makes: reports count up to the last

// What nobody could go by who reads the tree; "": there is nothing.
std::string flaw_of(const SearchNode& node, const Tree& tree) {
  auto comes_before = [&](int parent) { return parent >= 1 && parent < node.number; };
  if (!std::ranges::all_of(node.parents, comes_before)) return "it goes on from none before it";
  if (node.step != SearchStep::draft && node.parents.empty()) return "it goes on from none";
  if (node.attempt < 0 || node.attempt > kMostAttempts) return "no search makes such an attempt";
  if (node.confirmed && !node.verdict) return "it is judged once more, and was not judged";
  for (const auto* verdict : {&node.verdict, &node.confirmed})
    if (*verdict && ((*verdict)->same_as < 0 || (*verdict)->same_as > tree.last()))
      return "its code is that of one that is not there";
  return "";
}

std::unexpected<Error> damaged(const SearchNode& node, const std::string& how) {
  return error(Code::corrupt, fmt::format("node {} of {}: {}", node.number, node.problem, how),
               "the run's file is damaged, or somebody has written into it");
}

// The parts of "tour/level1/local/softmax/gpt-5.5": what stands before the problem, the problem,
// and what stands behind it.
struct IdParts {
  std::string before, problem, behind;
};
IdParts parts_of(const std::string& id) {
  size_t begin = 0;
  for (int part = 0; part < 3 && begin < id.size(); ++part)
    begin = std::min(id.find('/', begin), id.size() - 1) + 1;
  const size_t end = std::min(id.find('/', begin), id.size());
  return {id.substr(0, begin), id.substr(begin, end - begin), id.substr(end)};
}

}  // namespace

Json to_json(const SearchPlaces& places) {
  Json json = Json::object();
  for (const auto& [id, place] : places)
    json[id] = {{"flat", place.is_flat}, {"problem_sha256", place.problem_sha256}};
  return json;
}

SearchPlaces search_places_from_json(const Json& json) {
  SearchPlaces places;
  if (!json.is_object()) return places;
  for (const auto& [id, place] : json.items())
    places[id] = {field_or(place, "flat", false), field_or(place, "problem_sha256", std::string())};
  return places;
}

std::string folder_of_search(const SearchPlaces& places, const std::string& id) {
  auto place = places.find(id);
  return place != places.end() && place->second.is_flat ? parts_of(id).problem : id;
}

bool have_one_place(std::span<const std::string> ids) {
  return std::ranges::all_of(ids, [&](const std::string& id) {
    const IdParts first = parts_of(ids.front()), its = parts_of(id);
    return its.before == first.before && its.behind == first.behind;
  });
}

SearchStatus status_in(const SearchRecord& record, const Tree& tree) {
  if (record.is_at_work && !record.ended.contains(tree.problem())) return SearchStatus::at_work;
  return status_of(tree, record.terms);
}

int64_t wall_ns_at(const SearchRecord& record, int64_t at_s) {
  constexpr int64_t kSecond = 1'000'000'000;
  if (!record.is_at_work || record.kept_s == 0) return record.wall_ns;
  return record.wall_ns + std::max(at_s - record.kept_s, int64_t{0}) * kSecond;
}

Result<std::vector<Tree>> trees_of(std::vector<SearchNode> nodes) {
  std::vector<Tree> trees;
  for (SearchNode& node : nodes) {
    if (trees.empty() || trees.back().problem() != node.problem) trees.emplace_back(node.problem);
    if (node.number != trees.back().last() + 1) return damaged(node, "one before it is missing");
    trees.back().add(std::move(node));
  }
  for (const Tree& tree : trees)
    for (const SearchNode& node : tree.nodes())
      if (const std::string flaw = flaw_of(node, tree); !flaw.empty()) return damaged(node, flaw);
  return trees;
}

}  // namespace assay
