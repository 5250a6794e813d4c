#!/usr/bin/env bash
# Makes sure that a Docker Engine answers and that Compose is there.
# On Debian as root both are installed and started, unless BOOTSTRAP=0; anywhere else a missing piece is an error that names the way out.
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
# Where somebody has chosen another engine, that one is meant, and none is started here in its place. The client reads the name so too.
chosen_context() {
  local name=${DOCKER_CONTEXT:-} config=${DOCKER_CONFIG:-$HOME/.docker}/config.json
  if [ -z "$name" ] && [ -f "$config" ]; then
    name=$(sed -n 's/.*"currentContext"[[:space:]]*:[[:space:]]*"\([^"]*\)".*/\1/p' "$config" | head -n 1)
  fi
  [ "$name" = default ] || printf '%s' "$name"
}
bare_debian_root() {
  [ "${BOOTSTRAP:-1}" != 0 ] && [ "$(id -u)" = 0 ] && [ -z "${DOCKER_HOST:-}" ] && [ -z "$context" ] && grep -q '^ID=debian' /etc/os-release 2>/dev/null
}

install_engine() {
  command -v dockerd >/dev/null && return
  say 'installing the Docker Engine from Debian: docker.io, iptables, ca-certificates (BOOTSTRAP=0 installs nothing) ...'
  "$here/apt-install.sh" docker.io iptables ca-certificates || exit
}

# runs_as FILE PROGRAM: whether the process whose number is in the file is that program.
runs_as() { [ "$(cat "/proc/$(cat "$1" 2>/dev/null)/comm" 2>/dev/null)" = "$2" ]; }

# An engine that was killed leaves its pid file, its socket and its own containerd; they would stop the next start.
remove_stale_engine_files() {
  local pid_file=/var/run/docker.pid containerd_pid_file=/var/run/docker/containerd/containerd.pid
  runs_as "$pid_file" dockerd && return
  if runs_as "$containerd_pid_file" containerd; then kill "$(cat "$containerd_pid_file")"; fi
  rm -f "$pid_file" /var/run/docker.sock "$containerd_pid_file"
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

context=$(chosen_context)
if ! engine_answers; then
  if ! bare_debian_root; then
    fail "no Docker Engine answers (tried 'docker version'${DOCKER_HOST:+ with DOCKER_HOST=$DOCKER_HOST}${context:+ in the context $context}).
  Expected: a running Docker Engine 20.10 or newer that this user may talk to.
  To do: ${DOCKER_HOST:+correct DOCKER_HOST, or unset it; else }${context:+start the engine of that context, or choose the one of this machine (docker context use default${DOCKER_CONTEXT:+, unset DOCKER_CONTEXT}); else }start Docker Desktop, or 'sudo systemctl start docker', or add yourself to the group docker; then run this again.
  On Debian as root Doubletake installs and starts the engine by itself, unless BOOTSTRAP=0."
  fi
  install_engine
  start_engine
fi

if ! compose_answers; then
  bare_debian_root || fail "no Docker Compose answers (tried 'docker compose version').
  Expected: the Compose plug-in 2.24.6 or newer.
  To do: install it (https://docs.docker.com/compose/install/). On Debian as root Doubletake installs it by itself, unless BOOTSTRAP=0."
  "$here/install-compose.sh"
fi
