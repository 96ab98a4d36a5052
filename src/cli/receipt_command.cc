// `assay receipt`: what was said of attempts, signed; and whether it is unchanged.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/escape.h"
#include "base/places.h"
#include "cli/command.h"
#include "cli/find_attempt.h"
#include "cli/open_run.h"
#include "cli/output.h"
#include "cli/rows.h"
#include "cli/shared_options.h"
#include "cli/write_rendered.h"
#include "report/receipt.h"
#include "report/windows.h"
#include "setup/verify_tools.h"

namespace assay {
namespace {

Result<std::string> key_path(const Arguments& arguments) {
  if (arguments.given("--key")) return arguments.text("--key");
  const std::string folder = find_config_folder();
  if (folder.empty())
    return error(Code::unavailable, "there is no home folder to keep a key in",
                 "name its file with --key");
  return join_path(folder, "receipt.key");
}

// Nobody else may read it, not for a moment.
Result<int> make_key(const Arguments& arguments, Output& output) {
  ASSAY_ASSIGN(const std::string path, key_path(arguments));
  ASSAY_ASSIGN(const SigningKey key, SigningKey::make());
  const std::string folder = std::filesystem::path(path).parent_path().string();
  if (!folder.empty()) ASSAY_TRY(system_disk().make_directories(folder));
  UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file && errno == EEXIST)
    return error(Code::refused, "there is a key in '" + path + "' already",
                 "receipts that it has signed need it; name another file with --key");
  if (!file) return errno_error("make " + path);
  if (!write_all(file.get(), key.pem()) || ::fsync(file.get()) != 0) {
    auto problem = errno_error("write " + path);
    ::unlink(path.c_str());
    return problem;
  }
  output.write(fmt::format("{}\nprivate key: {}\n", key.public_key(), path));
  return 0;
}

Result<SigningKey> read_key(const Arguments& arguments) {
  ASSAY_ASSIGN(const std::string path, key_path(arguments));
  auto pem = system_disk().read(path);
  if (pem) return SigningKey::from_pem(*pem, "'" + path + "'");
  return error(pem.error().code, "no key to sign with: " + pem.error().message,
               "`assay receipt --new-key` makes one");
}

Result<int> write_receipts(const Arguments& arguments, Output& output) {
  ASSAY_ASSIGN(const SigningKey key, read_key(arguments));
  ASSAY_ASSIGN(RunStore store, open_run(arguments.positional("RUN").front()));
  std::vector<Attempt> attempts;
  const bool is_one = !arguments.positional("ATTEMPT").empty();
  if (is_one) {
    ASSAY_ASSIGN(Attempt attempt, find_attempt(store, arguments.positional("ATTEMPT").front()));
    attempts.push_back(std::move(attempt));
  } else {
    if (arguments.text("--to").empty())
      return error(Code::invalid_input, "the receipts of a run are several files",
                   "name a folder for them with --to, or one ATTEMPT");
    ASSAY_ASSIGN(attempts, store.attempts(true));
  }
  std::vector<std::string> files, texts;
  for (const Attempt& attempt : attempts) {
    ASSAY_ASSIGN(const auto windows, store.windows(attempt.id));
    const std::string lines = windows.empty() ? "" : windows_table(attempt, windows);
    texts.push_back(to_text(sign_receipt(receipt_of(attempt, store.record(), lines), key)));
    files.push_back(is_one ? "receipt.json" : attempt.id + ".receipt.json");
  }
  ASSAY_TRY(write_rendered({"receipt", files,
                            [&](ReportSink& sink) {
                              for (size_t i = 0; i < files.size(); ++i) {
                                sink.begin_file(files[i]);
                                sink.write(texts[i]);
                              }
                            }},
                           arguments.text("--to"), output));
  return 0;
}

std::string text_of(const Json& says, const char* field) {
  const auto found = says.find(field);
  return found != says.end() && found->is_string() ? found->get<std::string>() : "";
}

// The command that replays an attempt, as if it were typed.
Status replay_into(const std::string& folder, const std::string& run, const std::string& id,
                   Output& output) {
  const char* const words[] = {"run",     "--again", run.c_str(),   id.c_str(),
                               "--quiet", "--out",   folder.c_str()};
  ASSAY_ASSIGN(const ParsedLine line, parse_command_line(words));
  ASSAY_TRY(line.command->run(line.arguments, output));
  return {};
}

// 0: the same verdict, 1: another one, 2: it could not be judged here.
Result<int> replay(const Json& says, const std::string& run, Output& output) {
  const std::string id = text_of(says, "attempt");
  {
    ASSAY_ASSIGN(RunStore store, open_run(run));
    ASSAY_ASSIGN(const auto there, store.find(id));
    if (!there)
      return error(
          Code::not_found, fmt::format("'{}' has no {}", run, printable(id, false)),
          "name the run that the receipt is of, or one with the same problem and candidate");
  }
  ASSAY_ASSIGN(const std::string folder, make_scratch_folder());
  auto remove = [&] { return system_disk().remove_all(folder); };
  auto judge = [&]() -> Result<Attempt> {
    ASSAY_TRY(replay_into(join_path(folder, "replay"), run, id, output));
    ASSAY_ASSIGN(RunStore store,
                 RunStore::open_to_read(system_disk(), join_path(folder, "replay")));
    ASSAY_ASSIGN(auto now, store.find(id));
    if (now) return *std::move(now);
    return error(Code::not_found, "the replay has stored nothing", "run it again");
  };
  auto now = judge();
  ASSAY_TRY(remove());
  if (!now) return std::unexpected(now.error());
  for (const auto& [field, hash] : {std::pair("problem_sha256", now->origin.problem_sha256),
                                    {"candidate_sha256", now->origin.candidate_sha256}})
    if (text_of(says, field) != hash)
      return error(Code::refused,
                   fmt::format("'{}' was replayed with another {} than the receipt is of", id,
                               field[0] == 'p' ? "problem" : "candidate"),
                   "the files of then are needed, byte for byte");
  const std::string before = verdict_of_receipt(says), after = verdict_of_receipt(*now);
  if (now->verdict == Verdict::not_judged) {
    output.write(fmt::format("replayed: not judged here: {}\n", printable(after, false)));
    return 2;
  }
  if (before != after) {
    output.write(fmt::format("replayed: another verdict: {}, and it was {}\n",
                             printable(after, false), printable(before, false)));
    return 1;
  }
  output.write("replayed: same verdict\n");
  return 0;
}

Result<int> verify_receipt(const Arguments& arguments, Output& output) {
  if (arguments.positional("ATTEMPT").empty())
    return error(Code::invalid_input, "it does not say which receipt to verify",
                 "assay receipt verify FILE");
  const std::string& path = arguments.positional("ATTEMPT").front();
  ASSAY_ASSIGN(const std::string text, system_disk().read(path));
  auto receipt = read_receipt(text, "'" + path + "'");
  if (!receipt && receipt.error().code == Code::corrupt) {
    output.write(receipt.error().message + "\n");
    return 1;
  }
  ASSAY_TRY(receipt);
  const Json& says = receipt->says;
  output.write(fmt::format("unchanged since signed by {}\n{}: {}\n", receipt->key,
                           printable(text_of(says, "attempt"), false),
                           printable(verdict_of_receipt(says), false)));
  if (!arguments.given("--replay")) return 0;
  return replay(says, arguments.text("--replay"), output);
}

Status refuse_options_but(const Arguments& arguments, std::vector<std::string_view> allowed,
                          std::string_view what) {
  for (const Option& option : find_command("receipt")->options)
    if (arguments.typed(option.name) && std::ranges::find(allowed, option.name) == allowed.end())
      return error(Code::invalid_input, fmt::format("{} is not for {}", option.name, what),
                   "`assay receipt --help` says what it is for");
  return {};
}

}  // namespace

Command receipt_row() {
  return {
      "receipt",
      "sign what was said of an attempt, and see whether a receipt is unchanged",
      "Writes a receipt of an attempt, or of all of a run: hashes of the problem, the candidate, "
      "its "
      "windows and its whole record, the seed, versions, settings and the verdict, signed with "
      "your "
      "key (Ed25519).\n\n"
      "`assay receipt verify FILE` says by which key a receipt was signed, and that nothing was "
      "changed since. That is all that a signature says: who has the key can sign anything. "
      "Whether "
      "the verdict holds, --replay shows, which judges the attempt once more.",
      {{"RUN", "a run's folder; or `verify`", false},
       {"ATTEMPT", "an attempt's id, or a unique part of it; with `verify` the receipt's file",
        false}},
      in_groups(
          {{"What",
            {{"--new-key", "", "", "make a key, where there is none, and print its public half"},
             {"--replay", "RUN", "",
              "with verify: judge the attempt once more, from this run, as `assay run --again` "
              "does"}}},
           {"Where",
            {{"--key", "FILE", "",
              "the private key; without it receipt.key in the folder of assay's settings"},
             kTo}}}),
      {"it is written, or unchanged; with --replay the verdict is the same",
       "the receipt was changed; with --replay the verdict is another",
       "with --replay: it could not be judged here"},
      {{"assay receipt --new-key", "once"},
       {"assay receipt runs/problems softmax --to softmax.receipt.json", "of one attempt"},
       {"assay receipt verify softmax.receipt.json --replay runs/problems",
        "whether it is unchanged, and whether its verdict comes again"}},
      receipt_command};
}

Result<int> receipt_command(const Arguments& arguments, Output& output) {
  const std::vector<std::string>& first = arguments.positional("RUN");
  if (arguments.given("--new-key")) {
    ASSAY_TRY(refuse_options_but(arguments, {"--new-key", "--key"}, "--new-key"));
    if (!first.empty())
      return error(Code::invalid_input, "--new-key takes no run", "make the key first");
    return make_key(arguments, output);
  }
  if (first.empty())
    return error(
        Code::invalid_input, "it does not say what to do",
        "assay receipt RUN ATTEMPT, assay receipt verify FILE, or assay receipt --new-key");
  if (first.front() == "verify") {
    ASSAY_TRY(refuse_options_but(arguments, {"--replay"}, "verify"));
    return verify_receipt(arguments, output);
  }
  ASSAY_TRY(refuse_options_but(arguments, {"--key", "--to"}, "writing receipts"));
  return write_receipts(arguments, output);
}

}  // namespace assay
