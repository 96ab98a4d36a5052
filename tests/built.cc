#include "built.h"

namespace assay::built {

const char* const kAssay = ASSAY_BINARY;
const char* const kExtended = ASSAY_EXTENDED;
const char* const kLaunch = ASSAY_LAUNCH;
const char* const kNativeRunner = ASSAY_NATIVE_RUNNER;
const char* const kFakeImage = ASSAY_FAKE_IMAGE;
const char* const kFakePython = ASSAY_FAKE_PYTHON;
const char* const kFakeCompiler = ASSAY_FAKE_COMPILER;
const char* const kFakeOracle = ASSAY_FAKE_ORACLE;
const char* const kFakeRunner = ASSAY_FAKE_RUNNER;
const char* const kFakeCardRunner = ASSAY_FAKE_CARD_RUNNER;
const char* const kFakeCardKernel = ASSAY_FAKE_CARD_KERNEL;
const char* const kSimulatedCuda = ASSAY_SIMULATED_CUDA;
const char* const kEscapeRunner = ASSAY_ESCAPE_RUNNER;
const char* const kEscapes = ASSAY_ESCAPES;
const char* const kSourceFolder = ASSAY_SOURCE_FOLDER;

}  // namespace assay::built
