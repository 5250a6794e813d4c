#!/usr/bin/env bash
# Makes sure that a Docker Engine answers and that Compose is there.
# On Debian as root both are installed and started; anywhere else a missing piece is an error that names the way out.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/doubletake
log=$cache/dockerd.log
engine_wait_s=60
mkdir -p "$cache"

say() { printf '  engine: %s\n' "$*" >&2; }
fail() {
  printf 'error: %s\n' "$*" >&2
  exit 2
}

engine_answers() { timeout 10 docker version --format '{{.Server.Version}}' >/dev/null 2>&1; }
compose_answers() { timeout 10 docker compose version --short >/dev/null 2>&1; }
bare_debian_root() { [ "$(id -u)" = 0 ] && [ -z "${DOCKER_HOST:-}" ] && grep -q '^ID=debian' /etc/os-release 2>/dev/null; }

install_engine() {
  command -v dockerd >/dev/null && return
  say 'installing the Docker Engine from Debian (docker.io) ...'
  "$here/apt-install.sh" docker.io iptables ca-certificates || exit
}

# An engine that was killed leaves its pid file and socket; they would stop the next start.
remove_stale_engine_files() {
  pgrep -x dockerd >/dev/null && return
  pkill -x containerd 2>/dev/null || true
  rm -f /var/run/docker.pid /var/run/docker.sock /var/run/docker/containerd/containerd.pid
}

start_engine() {
  if [ -d /run/systemd/system ]; then
    say 'starting the engine (systemctl start docker) ...'
    systemctl start docker || fail 'systemctl start docker failed; see journalctl -u docker'
  else
    remove_stale_engine_files
    say "starting the engine (dockerd; its log is $log) ..."
    setsid nohup dockerd >>"$log" 2>&1 </dev/null &
  fi
  for _ in $(seq "$engine_wait_s"); do
    engine_answers && return
    sleep 1
  done
  tail -n 15 "$log" >&2 || true
  fail "the Docker Engine did not answer within $engine_wait_s s; the end of $log is above"
}

if ! engine_answers; then
  if ! bare_debian_root; then
    fail "no Docker Engine answers (tried 'docker version').
  Expected: a running Docker Engine 20.10 or newer that this user may talk to.
  To do: start Docker Desktop, or 'sudo systemctl start docker', or add yourself to the group docker; then run this again.
  On Debian as root the lab installs the engine by itself."
  fi
  install_engine
  start_engine
fi

if ! compose_answers; then
  bare_debian_root || fail "no Docker Compose answers (tried 'docker compose version').
  Expected: the Compose plug-in 2.20 or newer.
  To do: install it (https://docs.docker.com/compose/install/). On Debian as root the lab installs it by itself."
  "$here/install-compose.sh"
fi
