#!/usr/bin/env bash
# All tests, from whatever machine it finds: gets the tools, then runs linters, unit tests and runs on real containers. With the word
# `swarm`, only those on several engines.
# What failed is told again at the end, and the last line sums up. Exits with 0 when all passed, 1 when a test failed, 2 when the machine is
# not ready.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
results=$(mktemp -d)
bundles=$(mktemp -d)
beside=()
leave() {
  local one
  for one in "${beside[@]}"; do kill -- "-$one" 2>/dev/null || true; done
  rm -rf "$results" "$bundles"
}
trap leave EXIT

# Bounds of each part, in seconds, with room for a machine that is half as fast; the whole is to stay under 20 minutes on two cores,
# from a bare machine.
tools_limit_s=600
static_limit_s=400
beside_limit_s=1200
runs_limit_s=2400

say() { printf '\n== %s\n' "$*" >&2; }

# Debian's names of what the tests use, for commands that are not there.
missing_tools() {
  [ -x /usr/bin/chromium ] || echo chromium
  ls /usr/share/fonts/*/* >/dev/null 2>&1 || echo fonts-dejavu-core
  command -v shellcheck >/dev/null || echo shellcheck
}

get_tools() {
  local tools
  mapfile -t tools < <(missing_tools)
  if [ "${#tools[@]}" -eq 0 ]; then return; fi
  say "getting ${tools[*]} from Debian"
  timeout "$tools_limit_s" compose/engine/apt-install.sh "${tools[@]}"
}

# run_stage NAME LIMIT ATONCE FILE...: runs test files, so many at once; what failed and their totals go to $results/NAME. `behind` goes before it.
behind=()
run_stage() {
  local name=$1 limit_s=$2 at_once=$3
  shift 3
  say "$name"
  # In the foreground, so that Ctrl-C reaches the tests.
  "${behind[@]}" timeout --foreground --kill-after=60 "$limit_s" node --test --test-concurrency="$at_once" \
    --test-reporter=spec --test-reporter-destination=stdout \
    --test-reporter=./test/reporter.ts --test-reporter-destination="$results/$name" "$@" && return
  local status=$?
  printf 'stage %s ended with %s\n' "$name" "$status" | tee -a "$results/$name" >&2
  # A stage that did not get as far as its totals counts as one failure.
  grep -q '^# fail ' "$results/$name" 2>/dev/null || printf '# fail 1\n' >>"$results/$name"
}

# start_beside NICENESS NAME ATONCE FILE...: starts a stage in the background; at 19 it has the CPU that nobody else wants. It has a process
# group of its own, which ends with the script; what it said is told when it has ended.
start_beside() {
  set -m
  behind=(nice -n "$1")
  run_stage "$2" "$beside_limit_s" "$3" "${@:4}" >"$bundles/said-${#beside[@]}" 2>&1 &
  beside+=("$!")
  behind=()
  set +m
}

end_beside() {
  local index
  for index in "${!beside[@]}"; do
    wait "${beside[index]}"
    cat "$bundles/said-$index"
  done
  beside=()
}

# What a test file may do to the process that it runs in: hooks of the whole process, mocks, its environment and folder.
alters_process='^(before|after)(Each)?\(|mock[.(]|globalThis\.|process\.(env|chdir)'

# Rooms whose tests mostly compute, and take the more of it the longer a record is; and what is in one that waits or measures time all the same.
computes='^lab/(capacity|diagnose|stats|wire)/'
takes_time='execa|child_process|node:(timers|net|http)|setTimeout|setInterval|cpuUsage|performance\.'

# bundle NAME DEPTH FILE...: prints what is to be run. Starting a process takes longer than most tests, so the files of a folder that lies so
# deep share one; those that alter their process have it for themselves.
bundle() {
  local folder=$bundles/$1 depth=$2 file room
  shift 2
  mkdir "$folder"
  grep -lE "$alters_process" "$@" || true
  while read -r file; do
    room=$(cut -d/ -f"1-$depth" <<<"$(dirname "$file")")
    printf "await import('%s');\n" "$root/$file" >>"$folder/${room//\//-}.test.mjs"
  done < <(grep -LE "$alters_process" "$@")
  printf '%s\n' "$folder"/*.mjs
}

total() { cat "$results"/* | awk -v name="$1" '/^# / && $2 == name { sum += $3 } END { print sum + 0 }'; }

# What a static test uses that is not there while images are being got.
uses_docker="succeed\('docker'|shipped-models"
# Of these what has containers come and go.
uses_containers="'run', '--rm'"
# What is not at rest then, which a browser takes for a change of the network: it gives up what it asks a server.
uses_server='live-server'

# Browser and linters.
wait_for_tools() {
  wait "$getting_tools" || {
    status=$?
    wait "$getting_images" || true
    exit "$status"
  }
}

# Engine and images.
is_getting_images() { kill -0 "$getting_images" 2>/dev/null; }
wait_for_images() { wait "$getting_images" || exit; }

# Unit tests need none of it but Node and its packages, which the lab gets before it lists what it has. Of the images only those that runs
# of the tests start; the configuration of other balancers is checked where their image is there.
say 'getting ready: browser and linters, Docker, images'
get_tools &
getting_tools=$!
lab/doubletake list >/dev/null
lab/doubletake images 2a 2a-list tokyo &
getting_images=$!
folders=$(lab/ensure-node.sh)
export PATH="$folders$PATH"
# What Node compiles is kept: each of a thousand processes would compile the same modules.
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE-${XDG_CACHE_HOME:-$HOME/.cache}/doubletake/compiled}"
# The tests of the app need its packages on the host, which a machine with ready images may not have yet.
[ -d app/node_modules ] || npm ci --prefix app --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null

# Of these nothing is measured. They bring stacks up, one after the other, and mostly wait for them.
stacks=(test/e2e/{by-hand,engine-socket,hostile,nothing-left,prove,release}.test.ts)
# These bring none up, and mostly compute.
without_stack=(test/e2e/{corpus,hostile-variables,refusals}.test.ts)
# What is asked of these runs holds on a machine that others use too, which makes them INVALID at most.
unjudged=(test/e2e/scenarios.test.ts)
swarm=(test/swarm/*.test.ts)

if [ "${1:-all}" = swarm ]; then
  wait_for_tools
  wait_for_images
  run_stage swarm "$runs_limit_s" 1 "${swarm[@]}"
else
  mapfile -t files < <(find app compose experiments k6 lab release site -name node_modules -prune -o -name '*.test.[jt]s' -print | sort)
  mapfile -t computing < <(printf '%s\n' "${files[@]}" | grep -E "$computes" | xargs grep -LE "$alters_process|$takes_time")
  mapfile -t unit < <(printf '%s\n' "${files[@]}" | grep -vxF -f <(printf '%s\n' "${computing[@]}"))
  mapfile -t unit < <(bundle unit 2 "${unit[@]}")
  # One more than there are cores: some tests wait for what they started.
  run_stage unit "$static_limit_s" "$(($(nproc) + 1))" "${unit[@]}"
  wait_for_tools
  mapfile -t computing < <(bundle computing 3 "${computing[@]}")
  mapfile -t static < <(grep -LE "$uses_docker|$uses_server" test/static/*.test.ts)
  # What would be waited for images is time for these; else they are run beside what makes no load.
  if is_getting_images; then
    run_stage 'unit tests that only compute' "$static_limit_s" "$(nproc)" "${computing[@]}"
    computing=()
  fi
  if is_getting_images; then
    run_stage static "$static_limit_s" "$(nproc)" "${static[@]}"
    static=()
  fi
  wait_for_images
  mapfile -t served < <(grep -lE "$uses_server" test/static/*.test.ts)
  mapfile -t with_docker < <(grep -lE "$uses_docker" test/static/*.test.ts)
  mapfile -t asked < <(grep -LE "$uses_containers" "${with_docker[@]}")
  mapfile -t with_containers < <(grep -lE "$uses_containers" "${with_docker[@]}")
  # The site is built by one process before a browser looks at it.
  start_beside 0 'pages of a server' "$(nproc)" test/site/*.test.ts "${served[@]}"
  mapfile -t asked < <(bundle asked 2 "${asked[@]}")
  run_stage 'what Docker and the lab are asked' "$static_limit_s" 1 "${without_stack[@]}" "${asked[@]}"
  end_beside
  # There is one stack and one machine to measure on.
  mapfile -t measured < <(printf '%s\n' test/e2e/*.test.ts | grep -vxF -f <(printf '%s\n' "${stacks[@]}" "${without_stack[@]}" "${unjudged[@]}"))
  export DOUBLETAKE_TEST_PAGES=$bundles/pages
  run_stage runs "$runs_limit_s" 1 "${measured[@]}"
  start_beside 19 'static, beside what is not judged' "$(nproc)" "${with_containers[@]}" "${static[@]}"
  # Its engines get their images meanwhile; its runs wait for the load of the others to end.
  export DOUBLETAKE_TEST_LOADED=$bundles/loaded
  touch "$DOUBLETAKE_TEST_LOADED"
  start_beside 0 swarm 1 "${swarm[@]}"
  run_stage 'runs that are not judged' "$runs_limit_s" 1 "${unjudged[@]}"
  rm "$DOUBLETAKE_TEST_LOADED"
  start_beside 19 'pages of the runs, unit tests that only compute, and a minute of the fuzzer' "$(nproc)" test/browser/made-pages.test.ts "${computing[@]}" test/{mutate/mutate,fuzz/fuzz}.test.ts
  # On the machine's own engine, which has nothing else to do.
  run_stage 'stacks that are not measured' "$runs_limit_s" 1 "${stacks[@]}"
  end_beside
fi

failed=$(($(total fail) + $(total cancelled)))
if [ "$failed" -gt 0 ]; then
  say 'what failed'
  grep -hv '^# ' "$results"/* >&2
fi
printf '\n%s passed, %s failed, %s skipped, in %s s\n' "$(total pass)" "$failed" "$(total skipped)" "$SECONDS"
[ "$failed" -eq 0 ]
