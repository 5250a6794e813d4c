#!/usr/bin/env bash
# Doubletake in a container, beside the engine of the machine. launch.js says why there are two containers, and how the second one comes up.
set -euo pipefail

program=/opt/doubletake

# The second container has its program in a volume.
if [ -n "${DOUBLETAKE_PLACE:-}" ]; then
  export TMPDIR=$DOUBLETAKE_PLACE/tmp XDG_CACHE_HOME=$DOUBLETAKE_PLACE/cache HOME=$DOUBLETAKE_PLACE/home
  exec "$DOUBLETAKE_PLACE/program/lab/doubletake" "$@"
fi

# What only prints needs no engine.
case ${1:-} in
  '' | help | --help | -h | --version) exec "$program/lab/doubletake" "$@" ;;
  *) exec node /opt/launch.js "$@" ;;
esac
