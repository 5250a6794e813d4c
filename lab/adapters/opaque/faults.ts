/** Known troubles of any container: a process that is killed, a container that stands still or is not there any more. */

import type { ServiceModel } from '../contract.ts';
import { killed, type ProductFault } from '../faults.ts';

/** How often the workers are looked at before one is killed that seems idle: about two seconds. */
const LOOKS = 10_000;

/**
 * Finds the worker processes: children of the first process that are more than one, or the same program as it. What only starts another
 * program (tini, a shell) has one child, which is another. With `kill` as its argument one of them is killed, the first that holds more
 * open files than it did at its quietest: a connection, so that the death costs somebody a request. It is stopped first, and goes on where
 * its answer was sent meanwhile. Without `kill` it only looks for them.
 */
const WORKERS = `
nameOf() { read -r name <"/proc/$1/comm"; echo "$name"; }
childrenOf() {
  for status in /proc/[0-9]*/status; do
    pid=\${status#/proc/}
    while read -r key value; do
      [ "$key" = PPid: ] && [ "$value" = "$1" ] && echo "\${pid%/status}"
    done 2>/dev/null <"$status"
  done
}
what=$1 parent=1
while :; do
  set -- $(childrenOf "$parent")
  [ $# -eq 0 ] && exit 1
  [ $# -gt 1 ] && break
  [ "$(nameOf "$1")" = "$(nameOf "$parent")" ] && break
  parent=$1
done
[ "$what" = kill ] || exit 0
workers=$* look=0
while [ "$look" -lt ${LOOKS} ]; do
  for pid in $workers; do
    set -- "/proc/$pid/fd/"*
    eval "quietest=\\\${quietest_$pid:-$#}"
    if [ "$#" -gt "$quietest" ]; then
      kill -STOP "$pid"
      set -- "/proc/$pid/fd/"*
      [ "$#" -gt "$quietest" ] && kill -KILL "$pid" && exit 0
      kill -CONT "$pid"
    fi
    [ "$#" -lt "$quietest" ] && quietest=$#
    eval "quietest_$pid=$quietest"
  done
  look=$((look + 1))
done
kill -KILL "$pid"`;

/** What a worker held may have been answered already, so that one after the other is killed. */
const KILLS = 10;
const FIRST_AT = 0.2;
const EVERY = 0.05;

/** While nobody is back in its place there is none to be killed; a script that a shell does not understand ends with 2. */
const KILL = ['sh', '-c', `(${WORKERS}\n) || [ $? -eq 1 ]`, 'sh', 'kill'];

export function faults({ replicas }: ServiceModel): ProductFault[] {
	return [
		{
			id: 'worker-killed',
			title: `a worker process killed with SIGKILL, ${KILLS} times from a fifth of the load on`,
			// A program that says nothing of its workers only shows that the connection broke; one may end with its worker.
			expected: ['worker-crashed', 'broke-connection', 'broke-off', 'app-crashed'].map((cause) => ({ cause })),
			least: 1,
			needs: { command: ['sh', '-c', WORKERS, 'sh', 'look'], otherwise: 'it has no worker processes, or no shell to look for them' },
			actions: Array.from({ length: KILLS }, (_, index) => ({
				at: FIRST_AT + index * EVERY,
				action: 'execute' as const,
				command: () => KILL,
			})),
		},
		{
			id: 'paused',
			title: 'its container paused for a fifth of the load',
			expected: ['stood-still', 'upstream-timeout', 'client-gave-up', 'never-read', 'unreachable'].map((cause) => ({ cause })),
			least: 1,
			actions: [
				{ at: 0.4, action: 'pause' },
				{ at: 0.6, action: 'unpause' },
			],
		},
		killed,
		{
			id: 'stopped',
			title: 'one of its containers stopped at 40 % of the load, as for a new version',
			expected: ['app-crashed', 'balancer-down', 'database-down'].map((cause) => ({ cause })),
			least: 0,
			near_misses: [{ ids: ['ended'] }],
			actions: [{ at: 0.4, action: 'stop' }],
			...(replicas > 1 ? {} : { cannot: 'there is no second one like it' }),
		},
	];
}
