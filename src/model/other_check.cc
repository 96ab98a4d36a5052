#include "model/other_check.h"

namespace assay {

Json to_json(const OtherCheck& check) {
  return {{"version", kOtherCheckVersion},
          {"name", check.name},
          {"mode", check.mode},
          {"seed", check.seed},
          {"trials", check.trials},
          {"tolerance", check.tolerance}};
}

}  // namespace assay
