/**
 * Ends a program whose main thread stands still: while one step of it computes, nothing else is done, and no signal is heard. What a stranger wrote
 * may take such a step without end, such as a text that a pattern looks through again from each of its characters.
 */

import { writeSync } from 'node:fs';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

/** The analysis of the longest runs stands still for a tenth of it on a slow machine. */
const STILL_MOST_S = 180;
const BEAT_MS = 1000;
const STDERR = 2;

type Watched = { beats: Int32Array<SharedArrayBuffer>; stillMostS: number };

/** @param stillMostS seconds */
export function endWhereItStandsStill(stillMostS: number = STILL_MOST_S): void {
	const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
	setInterval(() => Atomics.add(beats, 0, 1), BEAT_MS).unref();
	const watched: Watched = { beats, stillMostS };
	new Worker(new URL(import.meta.url), { workerData: watched, execArgv: [] }).unref();
}

/** Of a machine that was asleep the clock of this thread was, too. */
function watch({ beats, stillMostS }: Watched) {
	let [last, seconds] = [-1, 0];
	setInterval(() => {
		const now = Atomics.load(beats, 0);
		seconds = now === last ? seconds + BEAT_MS / 1000 : 0;
		last = now;
		if (seconds <= stillMostS) return;
		writeSync(
			STDERR,
			`error: Expected no step of Doubletake to compute for more than ${stillMostS} s; one did, so the program ended itself.\n  To do: look for a very long line in the files that it read. The next run removes what is left of this one.\n`,
		);
		process.kill(process.pid, 'SIGKILL');
	}, BEAT_MS);
}

if (!isMainThread) watch(workerData);
