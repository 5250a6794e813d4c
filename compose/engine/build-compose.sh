#!/usr/bin/env bash
# Builds the Compose plug-in from its Go module into ~/.docker/cli-plugins.
# `go install` refuses the module (its go.mod has `exclude` lines), so a small module with a `tool` line builds it.
set -euo pipefail

version=v2.40.3 # the last of version 2; version 5 asks for a newer Go than many machines have
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
target=${DOCKER_CONFIG:-$HOME/.docker}/cli-plugins/docker-compose
go=$("$here/ensure-go.sh")

printf '  compose: building %s from its Go module (about 90 s) ...\n' "$version" >&2
mkdir -p "$(dirname "$target")"
cd "$here/module"
# Go names each of some 200 modules that it downloads; only what else it says is worth reading.
"$go" build -trimpath -mod=readonly -ldflags "-s -w -X github.com/docker/compose/v2/internal.Version=$version" \
  -o "$target.new" github.com/docker/compose/v2/cmd 2> >(grep -v '^go: downloading' >&2)
mv "$target.new" "$target"
