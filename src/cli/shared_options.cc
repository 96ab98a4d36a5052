#include "cli/shared_options.h"

#include "base/words.h"
#include "model/words.h"

namespace assay {

namespace {

const Option kPolicy{"--policy", "POLICY", "",
                     "say beside each verdict what another check would say: kernelbench, or "
                     "the path of a policy's file"};
const Option kInclude{"--include", "FOLDER,...", "",
                      "folders that candidates in C, C++, CUDA and HIP find headers in"};
const Option kCounters{"--counters", "", "",
                       "look at compiled code, and count what is accepted, by ptxas, objdump, perf "
                       "and the like: it decides nothing, and is told to models"};
const Option kSanitize{"--sanitize", "", "",
                       "run kernels in C and C++ also with AddressSanitizer and "
                       "ThreadSanitizer, and reject what they find"};
const Option kThreads{"--threads", "N", "1", "what a candidate may use"};
const Option kRequireIsolation{
    "--require-isolation", "LEVEL", "",
    "run candidates in no weaker jail than L1 (landlock and a filter of system calls), L2 "
    "(namespaces, too) or L3 (control groups and a user of its own, too); `assay doctor` shows "
    "this machine's"};
const Option kTrust{"--trust", "", "", "run candidates even where there is no jail for them"};

}  // namespace

const Option kFilter{"--filter", "GLOB,...", "",
                     "only what matches one of these: a name, or the end of a path, whole. * "
                     "stands for any characters, / included, ? for one, [ab] for one of a set"};
const Option kSkip{"--skip", "GLOB,...", "", "leave out what matches one of these"};
const Option kIds{"--ids", "N,...", "", "only problems that KernelBench numbers so: 19, or 1-40"};
const Option kSample{"--sample", "N", "",
                     "only N problems of what is left, of all levels and operations about alike; "
                     "the same ones each time"};
const Option kLimit{"--limit", "N", "", "only the first N problems of what is left"};
const Option kMode{"--mode", "MODE", "eval",
                   "what the model is put into before export: " + one_of(mode_words())};
const Option kPrecision{
    "--precision", "TYPE", "",
    one_of(words_of(kPrecisionWords)) + ", for model and inputs; without it each target's own"};
const Option kTimeout{"--timeout", "TIME", "5m", "what each stage of an attempt may take"};
const Option kMemory{"--memory", "SIZE", "8G",
                     "what each process at work may take, beyond what it starts with"};
const Option kQuickly{
    "--quick", "", "",
    "time with two launches, seconds: enough for large differences alone, and provisional"};
const Option kBudget{
    "--budget", "TIME", "",
    "what timing one attempt may take, once its first processes are ready; without it 60s, with "
    "--quick 5s"};
const Option kCache{"--cache", "STATE", "",
                    "where inputs are when a window opens: hot (in caches), cold (in none) or "
                    "stream (windows that no cache holds); without it hot"};
const Option kRequire{
    "--require", "SPEED", "",
    "exit with 1 where an attempt is not as fast: faster, or a ratio that the whole interval has "
    "to "
    "reach, 1.05x; against the first baseline. What is undecided or provisional is not enough"};
const Option kTo{"--to", "PATH", "",
                 "the file to write, or the folder: one that is there, that ends in /, or that is "
                 "for several files"};

const Option kAllow{
    "--allow", "LABEL,...", "",
    "count what is labelled library or fallback: whose results torch computes in part"};

const Option kWatch{
    "--watch", "", "",
    "show it in a browser while it goes on, and say where: as `assay watch --port 0`"};

const Option kQuiet{"--quiet", "", "", "print nothing but errors"};
const Option kJson{"--json", "", "", "print events as JSON, one per line"};

const OptionGroup kVerifying{
    "Verifying", {kPolicy, kInclude, kSanitize, kCounters, kThreads, kRequireIsolation, kTrust}};

}  // namespace assay
