#!/usr/bin/env bash
# Makes what a release consists of, but for the image: the package, the list of what it contains, and the checksums of both. Publishes nothing.
# usage: build.sh FOLDER
set -euo pipefail

folder=${1:?usage: build.sh FOLDER}
mkdir -p "$folder"
folder=$(readlink -f "$folder")
cd "$(dirname "${BASH_SOURCE[0]}")/.."

package=$(npm pack --json --pack-destination "$folder" | node -e 'process.stdout.write(JSON.parse(require("fs").readFileSync(0, "utf8"))[0].filename)')
npm sbom --sbom-format cyclonedx --sbom-type application --omit dev --package-lock-only >"$folder/${package%.tgz}.cdx.json"
cd "$folder"
sha256sum "$package" "${package%.tgz}.cdx.json" >SHA256SUMS
printf '%s\n' "$package" "${package%.tgz}.cdx.json" SHA256SUMS
