// The image "oracle", for one small problem: y = 2 x + w, by rows. The problem's source is the name
// of what is wrong with it, or with the oracle.
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/unique_fd.h"
#include "sandbox/fork_server.h"
#include "sandbox/memory_file.h"
#include "sandbox/wire.h"

namespace {

using namespace assay;

constexpr int64_t kRows = 4, kColumns = 8, kCount = kRows * kColumns;
constexpr float kLoaded = 3;  // what w has where it is loaded
const Json kMatrix{{"dtype", "f32"}, {"shape", {kRows, kColumns}}};
const Json kRow{{"dtype", "f32"}, {"shape", {kColumns}}};

void answer(const Json& message) { wire::send(wire::kChannelFd, wire::frame(dump_json(message))); }

template <class T>
T* map(int fd, const Json& offset, bool writable = true) {
  struct stat info{};
  fstat(fd, &info);
  void* data = mmap(nullptr, static_cast<size_t>(info.st_size),
                    PROT_READ | (writable ? PROT_WRITE : 0), MAP_SHARED, fd, 0);
  return reinterpret_cast<T*>(static_cast<std::byte*>(data) + offset.get<uint64_t>());
}

// As a large problem is told, at its own size; what it computes is as small as ever.
Json described(const std::string& source, bool full) {
  Json state = kRow;
  state["name"] = "w";
  state["kind"] = "parameter";
  Json json{{"inputs", {kMatrix}},
            {"outputs", {kMatrix}},
            {"state", {state}},
            {"draws", {{{"draw", "rand"}}}},
            {"init_tensors", Json::array()},
            {"mutated_inputs", Json::array()},
            {"input_tree", {{"list", {{{"leaf", 0}}}}}},
            {"init_tree", {{"list", Json::array()}}},
            {"scalars", Json::array()},
            {"mixes", false},
            {"bytes",
             {{"inputs", 4 * kCount},
              {"state", 4 * kColumns},
              {"outputs", 4 * kCount},
              {"forward", 4 * kCount},
              {"double", 20 * kCount}}}};
  if (source == "has 65 results") json["outputs"] = Json(65, kMatrix);
  if (source == "names a changed input that there is not") json["mutated_inputs"] = {1};
  if (source == "has a tensor of nine dimensions") json["inputs"][0]["shape"] = Json(9, 1);
  if (source == "has a tensor larger than memory") {
    json["inputs"][0]["shape"] = {int64_t{1} << 40, int64_t{1} << 40};
  }
  if (source == "does not say how inputs are drawn") json["draws"] = Json::array();
  if (source == "does not say what inputs may be") json["domains"] = Json::array();
  if (source == "has an input of another domain") {
    json["domains"] = {{{"domain", "graph"}, {"nodes", 3}}};
  }
  if (source == "has sizes in words") json["bytes"]["inputs"] = "many";
  if (source == "is large" && full) json["bytes"]["inputs"] = 64 << 20;
  if (source == "is larger than memory") json["bytes"]["double"] = int64_t{1} << 50;
  return json;
}

// Of half of all inputs.
bool is_even(const float* x) {
  int bits = 0;
  for (int64_t i = 0; i < kCount; ++i) bits += std::popcount(std::bit_cast<uint32_t>(x[i]));
  return bits % 2 == 0;
}

Json compute(const std::string& source, const Json& request, const std::vector<int>& fds,
             const std::vector<float>& w) {
  const float* x = map<float>(fds[0], request["inputs"][0]["offset"], false);
  const Json& place = request["outputs"][0];
  auto* exact = map<double>(fds[2], place["reference_offset"]);
  auto* baseline = map<float>(fds[3], place["offset"]);
  for (int64_t i = 0; i < kCount; ++i) {
    exact[i] = 2 * double{x[i]} + w[static_cast<size_t>(i % kColumns)];
    baseline[i] = static_cast<float>(exact[i]);
  }
  if (source == "is exact by luck" && !is_even(x)) {
    float& largest = *std::max_element(baseline, baseline + kCount);
    largest *= 1 + 8 * 0x1p-23F;
  }
  bool odd = source == "raises for what is not finite" &&
             !std::all_of(exact, exact + kCount, [](double value) { return std::isfinite(value); });
  if (odd || source == "raises")
    return {{"final", false}, {"failed", {{"class", "exception"}, {"error", "ValueError: no"}}}};
  if (source == "dies while it computes") _exit(3);
  if (source == "hangs while it computes")
    while (true) pause();
  if (source == "says something else") return {{"drawn", Json::object()}};
  if (source == "says that it is well") return {{"ok", Json::object()}};
  Json said{{"baseline_ns", 1000}, {"draws", source == "draws in forward"}};
  if (source == "takes long") said["baseline_ns"] = 20'000'000;  // one call fills a window
  if (source == "has no times") said["baseline_ns"] = "soon";
  if (source == "is not wholly in double") said["narrow"] = {"aten.fft"};
  bool is_rounded = source == "divides" || source == "is exact by luck";
  bool whole = request["integers"] == true && !is_rounded;
  said["integers"] = whole;
  if (!whole) said["not_integers"] = "a division";
  return {{"computed", said}};
}

void work() {
  std::string source;
  std::vector<float> w(kColumns);
  while (auto job = wire::receive_job(wire::kChannelFd)) {
    Json request = Json::parse(job->body);
    std::string what = request["do"];
    if (what == "describe") {
      if (!job->descriptors.empty())
        source = *read_memory_file(UniqueFd(::dup(job->descriptors[0])));
      answer(
          {{"described", described(source, request.value("constants", Json::object()).empty())}});
    } else if (what == "shrink") {
      answer({{"shrunk", {{"constants", {{"ROWS", kRows}}}, {"bytes", 16 * kCount}}}});
    } else if (what == "chunks") {
      answer({{"chunks", {{"why", "it is small"}}}});
    } else if (what == "build") {
      auto* state = map<float>(job->descriptors[0], request["state"][0]["offset"]);
      for (size_t i = 0; i < w.size(); ++i)
        state[i] = w[i] =
            request.value("loaded", false)
                ? kLoaded
                : static_cast<float>((request["seed"].get<uint32_t>() >> i) % 16) / 16;
      answer({{"built", {{"ns", 1}}}});
    } else if (what == "load") {
      auto* state = map<float>(job->descriptors[0], request["state"][0]["offset"]);
      std::copy_n(state, kColumns, w.begin());
      answer({{"loaded", Json::object()}});
    } else if (what == "compute") {
      answer(compute(source, request, job->descriptors, w));
    }
    for (int fd : job->descriptors) ::close(fd);
  }
}

}  // namespace

int main() {
  assay::sandbox::serve_forks(wire::kChannelFd, "oracle", {});
  work();
}
