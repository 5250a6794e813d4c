#!/usr/bin/env bash
# Builds the site into site/dist: gets the generator, renders the stored experiments, and puts both together.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
site=$root/site
folders=$("$root/lab/ensure-node.sh")
export PATH="$folders$PATH"

if [ ! "$site/node_modules/.package-lock.json" -nt "$site/package-lock.json" ]; then
  npm ci --prefix "$site" --ignore-scripts --no-audit --no-fund --loglevel=error
fi
"$root/lab/doubletake" examples >/dev/null
node "$site/build.js"
