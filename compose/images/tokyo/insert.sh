#!/usr/bin/env bash
# Inserts records into new Tokyo Cabinet files, all files at the same time: one process of the engine's own test program each.
# Prints when the inserts began and ended, in seconds since 1970, and how each process ended.
# usage: insert FILES THREADS INSERTS_PER_THREAD FOLDER RECORD_FOLDER
set -euo pipefail

usage='usage: insert FILES THREADS INSERTS_PER_THREAD FOLDER RECORD_FOLDER'
files=${1:?$usage}
threads=${2:?$usage}
inserts=${3:?$usage}
folder=${4:?$usage}
record=${5:?$usage}

printf 'began %s\n' "$(date +%s.%N)"
writers=()
for ((file = 1; file <= files; file++)); do
  tchmttest write "$folder/store-$file.tch" "$threads" "$inserts" >"$record/insert-$file.log" 2>&1 &
  writers+=("$!")
done
codes=()
for writer in "${writers[@]}"; do
  code=0
  wait "$writer" || code=$?
  codes+=("$code")
done
printf 'ended %s\n' "$(date +%s.%N)"

for ((file = 1; file <= files; file++)); do
  printf 'writer %s %s\n' "$file" "${codes[file - 1]}"
  # A file that cannot be read has no record number in its log; the lab says so.
  tchmgr inform "$folder/store-$file.tch" >"$record/inform-$file.log" 2>&1 || true
done
