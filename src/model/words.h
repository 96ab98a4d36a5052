// The closed lists of words that the store, the JSON and the reports share. docs/formats.md and the
// manual explain them to users; the comments here say who decides.
#pragma once

#include "base/words.h"

namespace assay {

// What is said about an attempt in the end.
enum class Verdict {
  exported,     // reached the end of export, and nothing further was asked for
  compiled,     // reached the end of compile, and nothing further was asked for or possible here
  accepted,     // verified
  rejected,     // it ran and lied, or did what is forbidden; the reason names the rule
  failed,       // it broke: stage and class say where and how
  unsupported,  // assay's exporter declines it, and says why
  not_judged,   // this machine, the network or assay itself stood in the way: says nothing about it
};
inline constexpr Word<Verdict> kVerdictWords[] = {
    {Verdict::exported, "exported"},     {Verdict::compiled, "compiled"},
    {Verdict::accepted, "accepted"},     {Verdict::rejected, "rejected"},
    {Verdict::failed, "failed"},         {Verdict::unsupported, "unsupported"},
    {Verdict::not_judged, "not_judged"},
};

enum class Stage {
  export_,
  compile,
  smoke,  // device code, by an interpreter: it can take away, and proves nothing
  verify,
  measure,
  judge,
  profile,  // in the place of the two before: one launch, held against nothing
};
inline constexpr Word<Stage> kStageWords[] = {
    {Stage::export_, "export"},  {Stage::compile, "compile"}, {Stage::smoke, "smoke"},
    {Stage::verify, "verify"},   {Stage::measure, "measure"}, {Stage::judge, "judge"},
    {Stage::profile, "profile"},
};

// How one stage of an attempt ended.
enum class StageStatus { ok, failed, rejected, unsupported, not_judged };
inline constexpr Word<StageStatus> kStageStatusWords[] = {
    {StageStatus::ok, "ok"},
    {StageStatus::failed, "failed"},
    {StageStatus::rejected, "rejected"},
    {StageStatus::unsupported, "unsupported"},
    {StageStatus::not_judged, "not_judged"},
};

// How it broke. A child may claim load to link, exception and out_of_memory of itself
// (run/outcome.cc); the others are seen by assay from outside, whatever it says.
enum class FailureClass {
  load,       // the problem's file does not load: syntax, import, no Model
  setup,      // Model(...) or get_inputs() raised
  export_,    // torch cannot turn the model into a graph
  import,     // the compiler does not take the exported program
  codegen,    // the compiler cannot lower it to the target
  link,       // the target's code does not link
  build,      // a candidate's extension does not build
  exception,  // code raised while running
  crash,      // ended by a signal, or by exiting before it answered
  timeout,
  out_of_memory,
  output_limit,
  disk_full,
  protocol,  // did not answer as a worker answers
};
inline constexpr Word<FailureClass> kFailureClassWords[] = {
    {FailureClass::load, "load"},
    {FailureClass::setup, "setup"},
    {FailureClass::export_, "export"},
    {FailureClass::import, "import"},
    {FailureClass::codegen, "codegen"},
    {FailureClass::link, "link"},
    {FailureClass::build, "build"},
    {FailureClass::exception, "exception"},
    {FailureClass::crash, "crash"},
    {FailureClass::timeout, "timeout"},
    {FailureClass::out_of_memory, "out_of_memory"},
    {FailureClass::output_limit, "output_limit"},
    {FailureClass::disk_full, "disk_full"},
    {FailureClass::protocol, "protocol"},
};

// Whose doing it is that an attempt is neither compiled nor accepted.
enum class Fault {
  problem,    // its own code breaks, or nothing can be held to it
  candidate,  // what was to be judged: a file, or what IREE makes of the problem
  machine,    // this machine lacks what it takes, or something on it stood in the way
  assay,      // a bug, or what assay does not support
};
inline constexpr Word<Fault> kFaultWords[] = {
    {Fault::problem, "problem"},
    {Fault::candidate, "candidate"},
    {Fault::machine, "machine"},
    {Fault::assay, "assay"},
};

// The size of a problem as it is, where a launch or a round says which; others are in words.
inline constexpr const char* kFullSize = "full";

enum class Precision { f32, f16, bf16, f64 };
inline constexpr Word<Precision> kPrecisionWords[] = {
    {Precision::f32, "f32"},
    {Precision::f16, "f16"},
    {Precision::bf16, "bf16"},
    {Precision::f64, "f64"},
};

// How a model becomes a program for the compiler (python/assay_worker/export.py).
enum class Route {
  torch,       // in the torch dialect, by turbine
  stablehlo,   // in StableHLO, by torchax and JAX
  torch_mlir,  // in StableHLO, by torch-mlir
};
inline constexpr Word<Route> kRouteWords[] = {
    {Route::torch, "torch"}, {Route::stablehlo, "stablehlo"}, {Route::torch_mlir, "torch-mlir"}};

// What a model is put into before it is called.
inline constexpr std::string_view kModeWords[] = {"eval", "train"};

// Which program compiles.
enum class CompilerKind {
  library,  // libIREECompiler.so, loaded once
  tool,     // iree-compile, started for each target
};
inline constexpr Word<CompilerKind> kCompilerKindWords[] = {{CompilerKind::library, "library"},
                                                            {CompilerKind::tool, "tool"}};

}  // namespace assay
