#!/usr/bin/env bash
# The fuzzer: run.sh [SECONDS [SEED [TARGETS]]], each of which may be empty. It starts no container, and has the CPU that nobody else wants.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
# Gets the packages of the lab, where they are not there yet; what was typed is for the fuzzer alone.
env -u DOUBLETAKE_TYPED -u SEED -u ONLY lab/doubletake list >/dev/null
folders=$(lab/ensure-node.sh)
export PATH="$folders$PATH"
exec nice -n 19 node test/fuzz/run.ts --seconds="${1:-}" --seed="${2:-}" --only="${3:-}"
