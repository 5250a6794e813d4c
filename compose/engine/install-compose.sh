#!/usr/bin/env bash
# Puts the Compose plug-in of Debian 13 into ~/.docker/cli-plugins: Debian 12 has version 1 alone, which cannot read these files.
# Only that package is taken, checked by apt against Debian's signatures; the machine's own package lists stay as they are.
set -euo pipefail

suite=trixie
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/doubletake/compose
target=${DOCKER_CONFIG:-$HOME/.docker}/cli-plugins/docker-compose

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 2
}

# Where this machine gets Debian from, which may be a mirror of its own.
mirror() {
  # shellcheck disable=SC2016 # these are apt's own placeholders
  apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Created-By: Packages' | awk '$1 == "Debian" { print $2; exit }'
}

apt() {
  apt-get -o Dir::Etc::SourceList="$cache/sources.list" -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$cache/lists" \
    -o Dir::Cache="$cache/apt" -o APT::Sandbox::User=root -o Acquire::Languages=none -qq "$@" >>"$cache/log" 2>&1 </dev/null || {
    tail -n 15 "$cache/log" >&2
    fail "apt-get $1 for Debian's $suite failed; the end of $cache/log is above"
  }
}

printf '  compose: installing the plug-in from Debian (docker-compose of %s) ...\n' "$suite" >&2
[ -f "$keyring" ] || "$here/apt-install.sh" debian-archive-keyring
uri=$(mirror)
[ -n "$uri" ] || fail "apt knows no source of Debian's own packages; see 'apt-get indextargets'"
rm -rf "$cache"
mkdir -p "$cache/lists/partial" "$cache/apt/archives/partial" "$(dirname "$target")"
printf 'deb [signed-by=%s] %s %s main\n' "$keyring" "$uri" "$suite" >"$cache/sources.list"
cd "$cache"
apt update
apt download docker-compose
dpkg-deb --fsys-tarfile docker-compose_*.deb | tar -x -O ./usr/libexec/docker/cli-plugins/docker-compose >"$target.new"
chmod 755 "$target.new"
mv "$target.new" "$target"
rm -rf "$cache"
