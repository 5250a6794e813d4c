#!/usr/bin/env bash
# Tries what a release consists of on this machine's engine: the checksums hold, and the package and the image each measure examples/shop from a
# clean container, for 10 s. Prints the folders of the two reports.
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

# measure NAME FOLDER ARGUMENT...: a copy of the shop in FOLDER, from a container that has FOLDER under the same path: the engine has to find on the
# machine what is mounted into containers.
measure() {
  local name=$1 place=$2
  shift 2
  cp -r "$shop" "$place/shop"
  # A quarter of its load shows that it is measured.
  sed -i "s/'20s'/'5s'/; s/'40s'/'10s'/" "$place/shop/load.js"
  chmod 755 "$place" "$place/shop"
  timeout "$limit_s" docker run --rm --volume "$socket:$socket" --volume "$place:$place" --workdir "$place/shop" "${given[@]}" "$@" >&2
  ls -d "$place"/shop/reports/*/2*/report.html >/dev/null || {
    printf 'error: expected a report of the %s below %s; found none\n' "$name" "$place/shop" >&2
    exit 1
  }
  dirname "$place"/shop/reports/*/2*/report.html
}

measure image "$(mktemp -d)" "$image" run
# It trusts whom this machine trusts.
trusted=/etc/ssl/certs/ca-certificates.crt
[ ! -f "$trusted" ] || given+=(--volume "$trusted:$trusted:ro" --env "NODE_EXTRA_CA_CERTS=$trusted")
place=$(mktemp -d)
mkdir "$place/home" "$place/tmp"
install="npm install --prefix $place/program --ignore-scripts --no-audit --no-fund --loglevel=error /release/$(cd "$folder" && ls -- *.tgz)"
measure package "$place" --network host --pid host --volume "$folder:/release:ro" --env "HOME=$place/home" --env "TMPDIR=$place/tmp" \
  --entrypoint sh "$machine" -c "$install && $place/program/node_modules/.bin/doubletake run"
