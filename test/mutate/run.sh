#!/usr/bin/env bash
# Which constants decide: run.sh [RUNS [SEED [SECONDS [ONLY]]]], each of which may be empty. It starts no container, and has the CPU that nobody else wants.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
# Gets the packages of the lab, where they are not there yet; what was typed is for this alone.
env -u DOUBLETAKE_TYPED -u SEED -u RUNS -u ONLY lab/doubletake list >/dev/null
folders=$(lab/ensure-node.sh)
export PATH="$folders$PATH"
exec nice -n 19 node test/mutate/run.ts --runs="${1:-}" --seed="${2:-}" --seconds="${3:-}" --only="${4:-}"
