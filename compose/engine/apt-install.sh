#!/usr/bin/env bash
# Installs Debian packages, one caller at a time: the lab gets several things side by side, and apt refuses a second caller.
# usage: apt-install.sh PACKAGE...
set -euo pipefail

cache=${XDG_CACHE_HOME:-$HOME/.cache}/doubletake
log=$cache/apt.log
wait_limit_s=600
lists_fresh_minutes=60 # older package lists name versions that the mirrors may no longer have

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 2
}

if [ "${BOOTSTRAP:-1}" = 0 ] || [ "$(id -u)" != 0 ] || ! grep -q '^ID=debian' /etc/os-release 2>/dev/null; then
  fail "missing here: $*
  To do: install it (these are the names of the Debian packages); Doubletake does so by itself only as root on Debian, and not with BOOTSTRAP=0."
fi

mkdir -p "$cache"
exec 9>"$cache/apt.lock"
flock --timeout "$wait_limit_s" 9 || fail "another installation has held $cache/apt.lock for $wait_limit_s s"

# The lock must not be inherited: a service that a package starts would hold it for ever.
apt() {
  DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout="$wait_limit_s" "$@" >>"$log" 2>&1 9>&- </dev/null || {
    tail -n 15 "$log" >&2
    fail "apt-get $1 failed; the end of $log is above"
  }
}

if [ -z "$(find /var/lib/apt/lists -name '*Release' -mmin "-$lists_fresh_minutes" 2>/dev/null)" ]; then apt update -qq; fi
apt install -y -qq --no-install-recommends "$@"
