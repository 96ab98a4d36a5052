// A provider of nobody's: it says what it was asked, backwards.
#include "provider/provider.h"

#include "base/rows.h"

namespace assay {
namespace {

class Mirror final : public Provider {
 public:
  Answer ask(const Question& question, const std::atomic<bool>&) override {
    return {.end = Answer::End::complete,
            .text = {question.prompt.rbegin(), question.prompt.rend()}};
  }
  Result<std::string> check() override { return "polished"; }
};

Result<std::string> set_up(const Disk&) { return "a wall to hang it on"; }

Result<std::unique_ptr<Provider>> hang(const Disk&, const std::string&, const ReadRecording&) {
  return std::make_unique<Mirror>();
}

const AddedRow<ProviderType> kMirror({.name = "mirror",
                                      .title = "says it backwards",
                                      .behind = "WALL",
                                      .setup = set_up,
                                      .open = hang,
                                      .is_service = true});

}  // namespace
}  // namespace assay
