/**
 * Ends calls of programs whose lab was ended by force. A plug-in of Compose that hangs would go on without end, because only the lab knew its
 * bound. While the lab has calls under way, a shell beside it knows their process groups from a pipe; the pipe ends with the lab, however
 * that ends. Should the shell be gone too, the next run ends what is left: each call has in its environment whose it is.
 */

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import type { Socket } from 'node:net';
import { readIfThere } from '../base/bounded-file.ts';
import { pidSpace, processOf } from './processes.ts';

/** From the request to end until a group is ended. */
const GRACE_S = 2;
/**
 * Each line is all that is under way, as `group:seconds`: how long it may go on after the lab. Groups that are gone are not waited for. Signals
 * that are meant for the lab do not end it.
 */
const GUARD = `
trap '' INT TERM HUP
calls=
while read -r line; do calls=$line; done
for call in $calls; do
  (
    group=\${call%:*}
    left=\${call#*:}
    while [ "$left" -gt 0 ] && kill -0 "-$group"; do sleep 1; left=$((left - 1)); done
    kill -TERM "-$group" || exit 0
    left=${GRACE_S}
    while [ "$left" -gt 0 ] && kill -0 "-$group"; do sleep 1; left=$((left - 1)); done
    kill -KILL "-$group"
  ) &
done
wait
`;

/** By their process groups, how many seconds each may go on after the lab. */
const guarded: Map<number, number> = new Map();
let guard: ChildProcess | null = null;

/**
 * @param group process group of a call that begins
 * @param afterS seconds that it may go on when the lab is gone
 */
export function guardCall(group: number, afterS: number) {
	guarded.set(group, afterS);
	tellGuard();
}

/** @param group of a call that has ended */
export function releaseCall(group: number) {
	if (guarded.delete(group)) tellGuard();
}

/** Before a call begins: to start the shell takes longer than to tell it. */
export function openGuard() {
	guard ??= startGuard();
}

function tellGuard() {
	openGuard();
	guard?.stdin?.write(`${[...guarded].map(([group, afterS]) => `${group}:${afterS}`).join(' ')}\n`);
}

/** It ends with this process, and keeps it from nothing. */
function startGuard() {
	const child = spawn('/bin/sh', ['-c', GUARD], { detached: true, stdio: ['pipe', 'ignore', 'ignore'], env: {} });
	// Where there is no such shell, the next run does it.
	child.on('error', () => {});
	child.stdin?.on('error', () => {});
	child.unref();
	(child.stdin as Socket).unref();
	return child;
}

/** In the environment of a call. */
const MARK = 'DOUBLETAKE_CALL_OF';

/** Whose a call is: this process. */
export function markOfCall(): Record<string, string> {
	mark ??= `${pidSpace()} ${process.pid} ${processOf(process.pid)?.started ?? ''}`;
	return { [MARK]: mark };
}

let mark: string | null = null;

/** Ends the calls of labs of this machine that are gone. It finds none where the system has no /proc, nor those of other users. */
export function endOrphanedCalls(say: (text: string) => void) {
	for (const pid of processesHere()) {
		const owner = ownerOf(pid);
		if (owner === null || !isGone(owner)) continue;
		const program = readIfThere(`/proc/${pid}/comm`)?.trim() ?? 'a program';
		try {
			process.kill(pid, 'SIGKILL');
			say(`ended what a killed run had started: process ${pid} (${JSON.stringify(program)})`);
		} catch {
			// It has just ended.
		}
	}
}

function processesHere(): number[] {
	try {
		return readdirSync('/proc')
			.filter((name) => /^\d+$/.test(name))
			.map(Number);
	} catch {
		return [];
	}
}

type Owner = { pid: number; started: string };

/**
 * The process whose call it is.
 * @returns null for what is no call, or one of another space
 */
function ownerOf(pid: number): Owner | null {
	const entry = readIfThere(`/proc/${pid}/environ`)
		?.split('\0')
		.find((one) => one.startsWith(`${MARK}=`));
	const [, space, owner, started] = /=(.*) (\d+) (\d+)$/.exec(entry ?? '') ?? [];
	return space === undefined || space !== pidSpace() || pid === process.pid ? null : { pid: Number(owner), started };
}

function isGone({ pid, started }: Owner) {
	const found = processOf(pid);
	return found === null || found.isDead || found.started !== started;
}
