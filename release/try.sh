#!/usr/bin/env bash
# Tries what a release consists of on this machine's engine: the checksums hold, and the package and the image each measure examples/shop from a
# clean container. Prints the folders of the two reports.
# usage: try.sh FOLDER IMAGE MACHINE   FOLDER: as build.sh leaves it; MACHINE: an image of a machine without Doubletake (image/build.sh)
set -euo pipefail

usage='usage: try.sh FOLDER IMAGE MACHINE'
folder=$(readlink -f "${1:?$usage}")
image=${2:?$usage}
machine=${3:?$usage}
shop=$(readlink -f "$(dirname "${BASH_SOURCE[0]}")/../examples/shop")
socket=/var/run/docker.sock
limit_s=600

(cd "$folder" && sha256sum --check --quiet SHA256SUMS)

# Where no registry can be reached, images of this machine are named by variables.
given=()
for name in NODE_IMAGE NGINX_IMAGE K6_IMAGE CAPTURE_IMAGE IMAGES BUSY; do [ -z "${!name:-}" ] || given+=(--env "$name"); done

# measure NAME ARGUMENT...: a copy of the shop, from a container that has its folder under the same path.
measure() {
  local name=$1 place
  shift
  place=$(mktemp -d)
  cp -r "$shop/." "$place"
  chmod 755 "$place"
  timeout "$limit_s" docker run --rm --volume "$socket:$socket" --volume "$place:$place" --workdir "$place" "${given[@]}" "$@" >&2
  ls -d "$place"/reports/*/*/report.html >/dev/null || {
    printf 'error: expected a report of the %s below %s; found none\n' "$name" "$place" >&2
    exit 1
  }
  dirname "$place"/reports/*/2*/report.html
}

measure image "$image" run
# The engine has to find on the machine what the package mounts into containers.
install="npm install --prefix . --ignore-scripts --no-audit --no-fund --loglevel=error /release/$(cd "$folder" && ls -- *.tgz)"
# It trusts whom this machine trusts.
trusted=/etc/ssl/certs/ca-certificates.crt
[ ! -f "$trusted" ] || given+=(--volume "$trusted:$trusted:ro" --env "NODE_EXTRA_CA_CERTS=$trusted")
measure package --network host --pid host --volume "$folder:/release:ro" --entrypoint sh "$machine" -c \
  "export HOME=\$PWD/home TMPDIR=\$PWD/tmp && mkdir home tmp && $install && node_modules/.bin/doubletake run"
