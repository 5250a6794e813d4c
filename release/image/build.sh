#!/usr/bin/env bash
# Builds the image of Doubletake from a package of it, and TAG-machine, which has all but Doubletake.
# usage: build.sh PACKAGE TAG [BASE]   PACKAGE: as "npm pack" leaves it; BASE: an image with Node on Debian (NODE_IMAGE, or the registry's)
set -euo pipefail

package=$(readlink -f "${1:?usage: build.sh PACKAGE TAG [BASE]}")
tag=${2:?usage: build.sh PACKAGE TAG [BASE]}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
base=${3:-${NODE_IMAGE:-$(awk -F'"' '$1 ~ /^node:/ { print $2 }' "$here/../../compose/images.yaml")}}
context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT

# On this machine, where npm has its user's settings: a company's own certificate authority is unknown inside a build.
mkdir "$context/doubletake"
tar -x -z -f "$package" -C "$context/doubletake" --strip-components 1
(cd "$context/doubletake" && npm ci --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error >&2)
mkdir -p "$context/compose" "$context/npm"
npm=$("$here/../../lab/pinned-package.sh" npm "$context")
tar -x -z -f "$npm" -C "$context/npm" --strip-components 1 && rm "$npm"
cp -r "$here/../../compose/engine" "$context/compose/"
cp "$here/Dockerfile" "$here/entrypoint.sh" "$here/launch.js" "$context/"
docker build --quiet --build-arg "BASE=$base" --target machine --tag "$tag-machine" "$context" >&2
docker build --quiet --build-arg "BASE=$base" --tag "$tag" "$context"
