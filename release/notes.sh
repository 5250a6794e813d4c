#!/usr/bin/env bash
# Prints what CHANGELOG.md says of a version. Fails unless the tag, package.json, CITATION.cff and the changelog name the same one.
# usage: notes.sh v0.2.0
set -euo pipefail

tag=${1:?usage: notes.sh v0.2.0}
version=${tag#v}
cd "$(dirname "${BASH_SOURCE[0]}")/.."
declare -A found=(
  [package.json]=$(node -p 'require("./package.json").version')
  [CITATION.cff]=$(sed -n 's/^version: //p' CITATION.cff)
  [CHANGELOG.md]=$(sed -n 's/^## \[\([0-9][^]]*\)\].*/\1/p' CHANGELOG.md | head -n 1)
)
for file in "${!found[@]}"; do
  [ "${found[$file]}" = "$version" ] || {
    printf 'error: expected %s to name the version %s, as the tag %s does; found %s\n  To do: change the file, or the tag\n' "$file" "$version" "$tag" "${found[$file]:-none}" >&2
    exit 1
  }
done
awk -v head="## [$version]" 'index($0, head) == 1 { on = 1; next } /^## / { on = 0 } on' CHANGELOG.md
