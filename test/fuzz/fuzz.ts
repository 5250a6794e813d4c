/**
 * Feeds the lab's own code what strangers, full disks and kills leave: records, Compose files, doubletake.yaml, OpenAPI, logs and captures, each
 * changed by a seed. Whatever is no refusal in words is found, and so is what takes too long; of a damaged record, what is told otherwise without a
 * doubt or known better, too.
 */

import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { TARGETS } from './targets.ts';

type Found = {
	target: string;
	/** of the input: with the seed it is made again */
	number: number;
	message: string;
	/** in the lab's code */
	place: string;
	stack: string;
	input: string;
};

/** Of the CPU: an input takes some milliseconds, and a record with its pages some hundred. */
const INPUT_LIMIT_MS = 10_000;
/** That nothing is waited for without end, on however busy a machine. */
const WAIT_LIMIT_MS = 300_000;
const LOOK_MS = 100;
/** Of what it reads at first: frozen records. */
const OPEN_LIMIT_MS = 300_000;
const WITHOUT_END = Number.MAX_SAFE_INTEGER;

/** @returns found: of each place the first */
export async function fuzz({
	seconds,
	seed,
	only = TARGETS.map(({ name }) => name),
	number = null,
	say = () => {},
}: {
	/** for all targets together, one after the other */
	seconds: number;
	seed: string;
	/** names of targets; all unless given */
	only?: string[];
	/** this input alone */
	number?: number | null;
	say?: (text: string) => void;
}): Promise<{ found: Found[]; tried: Record<string, number> }> {
	const scratch = await mkdtemp(join(os.tmpdir(), 'doubletake-fuzz-'));
	const found: Map<string, Found> = new Map();
	const tried: Record<string, number> = {};
	try {
		for (const name of only) {
			const folder = join(scratch, name);
			await mkdir(folder);
			const take = (one: Found) => {
				const key = `${name} ${one.place || one.message}`;
				if (found.has(key)) return;
				found.set(key, one);
				say(textOf(one, seed));
			};
			const until = number === null ? (seconds * 1000) / only.length : INPUT_LIMIT_MS;
			tried[name] = await fuzzOne(
				{ name, seed, forMs: until, from: number ?? 0, to: number === null ? WITHOUT_END : number + 1, scratch: folder },
				take,
			);
			say(`${name}: ${tried[name]} inputs`);
		}
	} finally {
		await rm(scratch, { recursive: true, force: true });
	}
	return { found: [...found.values()], tried };
}

type Job = { name: string; seed: string; forMs: number; from: number; to: number; scratch: string };

/** @returns how many inputs it tried */
async function fuzzOne({ forMs, ...job }: Job, take: (found: Found) => void): Promise<number> {
	let { from } = job;
	let left = forMs;
	while (left > 0 && from < job.to) {
		const { last, tookMs } = await runWorker({ ...job, from }, left, take);
		left -= tookMs;
		from = last + 1;
	}
	return from - job.from;
}

/** Until the time is over, all are tried, or one does not end. */
async function runWorker(job: Omit<Job, 'forMs'>, forMs: number, take: (found: Found) => void) {
	const at = new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT);
	const now = new BigInt64Array(at);
	now[0] = BigInt(job.from) - 1n;
	const worker = new Worker(new URL('worker.ts', import.meta.url), {
		workerData: { ...job, at },
		resourceLimits: { maxOldGenerationSizeMb: 1500 },
	});
	const state: { ended: boolean; error: Error | null } = { ended: false, error: null };
	worker.on('message', (one) => take({ target: job.name, ...one }));
	worker.on('error', (error) => {
		state.error = error;
	});
	worker.on('exit', () => {
		state.ended = true;
	});
	const opened = Date.now();
	let began = 0;
	let tried = { number: -1n, cpu: process.cpuUsage() };
	const stuck = () => {
		if (now[1] === 0n) return Date.now() - opened > OPEN_LIMIT_MS;
		if (now[0] !== tried.number) tried = { number: now[0], cpu: process.cpuUsage() };
		const { user, system } = process.cpuUsage(tried.cpu);
		return (user + system) / 1000 > INPUT_LIMIT_MS || Date.now() - Number(now[1]) > WAIT_LIMIT_MS;
	};
	while (!state.ended && (began === 0 || Date.now() - began < forMs) && !stuck()) {
		await wait(LOOK_MS);
		// What it reads at first is no time of its inputs.
		if (began === 0 && now[1] !== 0n) began = Date.now();
	}
	const last = Number(now[0]);
	const isStuck = !state.ended && stuck();
	await worker.terminate();
	if (now[1] === 0n) throw state.error ?? new Error(`${job.name}: expected the target to open in ${OPEN_LIMIT_MS / 1000} s; it did not.`);
	const message = isStuck ? `takes more than ${INPUT_LIMIT_MS / 1000} s of a core` : state.error?.message;
	if (message !== undefined) take({ target: job.name, number: last, message, place: message, stack: state.error?.stack ?? '', input: '' });
	return { last, tookMs: Date.now() - began };
}

const textOf = ({ target, number, message, stack, input }: Found, seed: string) =>
	`FOUND in ${target}: ${message}\n${stack}\n  input: ${JSON.stringify(input)}\n  again: node test/fuzz/run.ts --seed=${seed} --only=${target} --number=${number}\n`;
