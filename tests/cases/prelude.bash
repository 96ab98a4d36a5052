# Read before every cmd. A command that fails ends the case, unless `exits` says that it should.
set -eEuo pipefail
unset BASH_ENV
trap 'echo "cmd:$LINENO: status $?: $BASH_COMMAND" >&2' ERR

# exits STATUS COMMAND...: runs the command, which must end with STATUS.
exits() {
  local wanted=$1 status=0
  shift
  "$@" || status=$?
  if [ "$status" != "$wanted" ]; then
    echo "cmd:${BASH_LINENO[0]}: status $status instead of $wanted: $*" >&2
    exit 99
  fi
}

# skip REASON...: ends the case; this machine cannot do what it needs.
skip() {
  echo "$*" >&2
  exit 77
}

# wait_for COMMAND...: runs it again and again, for up to 30 seconds, until it succeeds.
wait_for() {
  local round
  for round in {1..600}; do
    if "$@" >/dev/null 2>&1; then return 0; fi
    sleep 0.05
  done
  echo "cmd:${BASH_LINENO[0]}: waited in vain: $*" >&2
  exit 99
}

# problem FILE [EXPRESSION]: writes a small problem that passes; its model computes EXPRESSION.
problem() {
  cat >"./$1" <<END
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return ${2:-x + 1}


def get_inputs():
    return [torch.rand(8)]
END
}

# target FILE FLAG...: writes a target with these flags.
target() {
  local file=$1 flag
  shift
  { echo 'title = "A target of a test"' && echo 'flags = ['
    for flag in "$@"; do echo "  \"$flag\","; done
    echo ']'; } >"$file"
}

# held_problem FILE: writes a problem that hangs for as long as there is a file `hold`, and that file.
held_problem() {
  problem "$1"
  cat >>"./$1" <<END


import pathlib
import time

while pathlib.Path(__file__).with_name("hold").exists():
    time.sleep(0.05)
END
  touch hold
}

# nobody_works_in FOLDER: succeeds when no process has its working folder there.
nobody_works_in() {
  ! { readlink /proc/[0-9]*/cwd 2>/dev/null || true; } | grep -q "^$PWD/$1"
}

# in_own_mounts TEST...: goes on with this cmd where it may mount, and what it mounts is its own. TEST is a
# command that must succeed there; without such rights the case is skipped. Call it first.
in_own_mounts() {
  if [ -n "${OWN_MOUNTS-}" ]; then return 0; fi
  local own=(unshare --mount)
  "${own[@]}" true 2>/dev/null || own=(unshare --user --map-root-user --mount)
  "${own[@]}" "$@" 2>/dev/null || skip "not possible here: $*"
  OWN_MOUNTS=yes BASH_ENV=${BASH_SOURCE[0]} exec "${own[@]}" bash "$0"
}
