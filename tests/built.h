// Where this build lies. Constants of one source, tests/built.cc: as macros of all tests, their
// paths would make every object another one in every clone, and ccache would have none of them.
#pragma once

namespace assay::built {

extern const char* const kAssay;
extern const char* const kExtended;  // assay, with the rows of tests/extension/
extern const char* const kLaunch;
extern const char* const kNativeRunner;
extern const char* const kFakeImage;
extern const char* const kFakePython;
extern const char* const kFakeCompiler;
extern const char* const kFakeOracle;
extern const char* const kFakeRunner;
extern const char* const kFakeCardRunner;
extern const char* const kFakeCardKernel;  // a library
extern const char* const kSimulatedCuda;   // and: tests/simulated_cuda/
extern const char* const kEscapeRunner;
extern const char* const kEscapes;       // the folder of the attacks' programs
extern const char* const kSourceFolder;  // the repository's

}  // namespace assay::built
