// Prints the shells' scripts, and answers them. A script asks `assay completion words -- WORD...`
// with the words typed so far. An answer has a line per proposal, "word<TAB>description", and the
// line ":files" where the shell's own files fit as well.
#include "base/escape.h"
#include "base/rows.h"
#include "base/words.h"
#include "cli/command.h"
#include "cli/completion.h"
#include "cli/output.h"

namespace assay {
namespace {

constexpr std::string_view kBash = R"(# assay's words in bash: source <(assay completion bash)
_assay() {
  local line current=${COMP_WORDS[COMP_CWORD]}
  [[ $current == '=' ]] && current=
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      compopt -o filenames
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$current" || :)
    else
      COMPREPLY+=("${line%%$'\t'*}")
    fi
  done < <("${COMP_WORDS[0]}" completion words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _assay assay
)";

constexpr std::string_view kZsh = R"(#compdef assay
# assay's words in zsh: source <(assay completion zsh)
_assay() {
  local line files
  local -a proposals
  for line in "${(@f)$("${words[1]}" completion words -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == :files ]]; then
      files=1
    elif [[ -n $line ]]; then
      proposals+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    fi
  done
  (( ${#proposals} )) && _describe assay proposals
  [[ -n $files ]] && _files
}
if [[ ${funcstack[1]} == _assay ]]; then _assay "$@"; else compdef _assay assay; fi
)";

constexpr std::string_view kFish = R"(# assay's words in fish: assay completion fish | source
function __assay_words
    set -l words (commandline -opc)
    set -l token (commandline -ct)
    for line in ($words[1] completion words -- $words[2..-1] "$token" 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path "$token"
        else
            echo $line
        end
    end
end
complete -c assay -f -a '(__assay_words)'
)";

struct Shell {
  std::string_view name, script;
};
constexpr Shell kShells[] = {{"bash", kBash}, {"zsh", kZsh}, {"fish", kFish}};

void answer(const std::vector<std::string>& typed, Output& output) {
  Proposals proposals = complete(typed);
  for (const Proposal& proposal : proposals.words) {
    // A name that breaks the line could not be completed anyway.
    if (printable(proposal.word, false) != proposal.word) continue;
    output.write(proposal.word + "\t" + printable(proposal.description, false) + "\n");
  }
  if (proposals.files) output.write(":files\n");
}

}  // namespace

std::vector<std::string> shell_words() { return names_of(kShells); }

Result<int> completion_command(const Arguments& arguments, Output& output) {
  const std::string& shell = arguments.positional("SHELL").front();
  const auto& typed = arguments.positional("WORD...");
  if (shell == "words") {
    answer(typed, output);
    return 0;
  }
  if (!typed.empty())
    return error(Code::invalid_input, "only `assay completion words` takes words");
  const Shell* known = find_row(kShells, shell);
  if (!known)
    return error(Code::invalid_input,
                 "there is no completion for '" + shell + "'" + suggestion(shell, shell_words()));
  output.write(known->script);
  return 0;
}

}  // namespace assay
