#include "measure/counted_launch.h"

#include "verify/candidate_file.h"

namespace assay {

Step<Json> in_counted_launch(const CountedCandidate& candidate, const std::string& stream,
                             const Launch::Setting& setting,
                             const std::function<Step<Json>(Launch& launch)>& use) {
  ASSAY_ASSIGN(const Seed seed, Seed::secret());
  const RandomStream random(seed, stream);
  Extensions extensions(candidate.tools, candidate.children, candidate.libraries, candidate.job);
  ASSAY_ASSIGN(CandidateFile file, take_candidate_file(candidate.job, candidate.tools,
                                                       candidate.children, candidate.libraries));
  const Subject subject{candidate.job, candidate.tools, candidate.children,
                        random,        file.file.get(), extensions};
  ASSAY_ASSIGN(Oracle oracle, Launch::start_oracle(subject));
  const Launch::Context context{subject, oracle};
  ASSAY_ASSIGN(Launch launch, Launch::start(context, setting));
  return use(launch);
}

}  // namespace assay
