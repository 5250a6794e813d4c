/**
 * Reads which ids of requests a user's system has stored, by the command that doubletake.yaml has under `integrity`. Of what the command prints the
 * record gets the ids that the lab itself gave (k6/lib/stored-id.js) and the number of other lines: those are of before the run, or the user's.
 */

import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { storedIdReader } from '../../../k6/lib/stored-id.js';
import { NotReadyError, UnansweredError } from '../../base/errors.ts';
import { RAW } from '../../base/paths.ts';
import { writePrivate } from '../../base/private-file.ts';
import type { StoredIds } from '../../catalog/project-schema.ts';
import { PROJECT_FILE } from '../../catalog/project-schema.ts';
import type { Service } from '../../docker/containers.ts';
import { executeLines } from '../../docker/docker.ts';

type Reading = {
	/** of the load, as `X-Request-Id` had them, as often as they are stored */
	ids: string[];
	/** stored in the warm-up */
	warmup: number;
	/** lines without an id of this run */
	others: number;
	/** lines that it printed */
	last: string[];
	/** why this is not all that is stored, after "because"; null where it is */
	problem: string | null;
};

/** what the manifest says of it */
type Found = {
	service: string;
	/** the ids are all that were stored */
	is_whole: boolean;
	/** of the load, each as often as it is stored */
	ids: number;
	/** lines without an id of this run */
	others: number;
};

/** A table of a million rows is scanned in seconds. */
const READ_LIMIT_MS = 60_000;
/** Seven million ids, more than a load leaves. */
const MOST_BYTES = 256 * 2 ** 20;
const AGAIN_MS = 2000;
/** What is worked off after the answer takes its time, and what was killed comes back: as long as a queue is waited for (run-target.ts). */
const SETTLE_LIMIT_MS = 180_000;
/** A store that was killed comes back within so long, or not at all. */
const FAILING_LIMIT_MS = 30_000;
const TIMES = { againMs: AGAIN_MS, settleMs: SETTLE_LIMIT_MS, failingMs: FAILING_LIMIT_MS };
/** Of what it printed the last lines are shown, and of a line so many letters. */
const [LAST_LINES, SHOWN_MOST] = [3, 200];
/** The engine says so of a container that does not run (https://docs.docker.com/reference/api/engine/, "Create an exec instance"). */
const NOT_RUNNING = 409;

/** @param mark of the run */
async function readStoredIds(stack: Service[], { service, command }: StoredIds, mark: string, ask: typeof executeLines): Promise<Reading> {
	const container = stack.find((one) => one.service === service);
	const reading = {
		ids: [] as string[],
		warmup: 0,
		others: 0,
		last: [] as string[],
		problem: null as string | null,
	};
	if (container === undefined) return { ...reading, problem: `${service} has no container in this run` };
	const idsIn = storedIdReader(mark);
	const onLine = (line: string) => {
		if (line.trim() === '') return;
		reading.last = [...reading.last.slice(1 - LAST_LINES), line];
		const [found, ...further] = idsIn(line);
		if (further.length > 0) reading.problem = 'it printed several ids in a line, of which nobody can tell how often each is stored';
		if (found === undefined) reading.others += 1;
		else if (found.part === 'warmup') reading.warmup += 1;
		else reading.ids.push(found.id);
	};
	try {
		const { exitCode, isCut } = await ask(container.id, command, { limitMs: READ_LIMIT_MS, mostBytes: MOST_BYTES, onLine });
		if (isCut) reading.problem = `it printed more than ${MOST_BYTES / 2 ** 20} MB, which is as much as is read`;
		else if (exitCode !== 0) reading.problem = `it ended with code ${exitCode}`;
	} catch (error) {
		reading.problem = whyNotRun(error);
	}
	return reading;
}

function whyNotRun(error: unknown) {
	if (error instanceof UnansweredError) return `it did not end in ${READ_LIMIT_MS / 1000} s`;
	const isDown = (error as { statusCode?: number }).statusCode === NOT_RUNNING;
	return isDown ? 'the container does not run' : 'the engine did not run it in the container';
}

/**
 * Before the load, so that a command that cannot work costs no run.
 * @returns lines of before it
 * @throws {NotReadyError} with the last lines that it printed
 */
async function checkStoredIds(stack: Service[], how: StoredIds, mark: string, ask: typeof executeLines): Promise<number> {
	const { problem, last, others } = await readStoredIds(stack, how, mark, ask);
	if (problem === null) return others;
	const said = last.length === 0 ? ['(it printed nothing)'] : last.map((line) => line.slice(0, SHOWN_MOST));
	throw new NotReadyError(
		`${PROJECT_FILE}, integrity.command: expected a command that prints in ${how.service} the ids that are stored, before the load too, and ends with 0; found that ${problem}; its last lines:\n${said.map((line) => `    ${line}`).join('\n')}`,
		'try it with docker compose exec, and correct it; where nothing is stored yet it has to print nothing and end with 0.',
	);
}

/**
 * After the load: until two readings have found as much, because what was accepted may be stored later.
 * @returns notes: a sentence for each thing that is not known, or not counted
 */
async function settledStoredIds({
	stack,
	how,
	mark,
	before,
	say,
	signal,
	ask,
	times,
}: {
	stack: Service[];
	how: StoredIds;
	mark: string;
	/** lines that it printed before the load */
	before: number;
	say: (text: string) => void;
	signal: AbortSignal;
	ask: typeof executeLines;
	times: typeof TIMES;
}): Promise<{ ids: string[]; found: Found; notes: string[] }> {
	const began = Date.now();
	let reading = await readStoredIds(stack, how, mark, ask);
	let isSettled = false;
	let isSaid = false;
	const limitMs = () => (reading.problem === null ? times.settleMs : times.failingMs);
	while (!isSettled && !signal.aborted && Date.now() - began < limitMs()) {
		await wait(times.againMs, undefined, { signal }).catch(() => {});
		const now = await readStoredIds(stack, how, mark, ask);
		isSettled = now.problem === null && reading.problem === null && sizeOf(now) === sizeOf(reading);
		if (!isSettled && !isSaid) {
			say(`reading the stored ids until two readings find as many, for ${times.settleMs / 60_000} minutes at most`);
			isSaid = true;
		}
		reading = now;
	}
	const problem =
		reading.problem ?? (isSettled ? emptiness(reading) : 'more of them were still being stored when Doubletake stopped waiting');
	const { ids, others } = reading;
	const found = { service: how.service, is_whole: problem === null, ids: ids.length, others };
	return { ids, found, notes: [...(problem === null ? [] : [unknownBecause(how, problem)]), ...aboutOthers(how, others, before)] };
}

const sizeOf = ({ ids, warmup }: Reading) => ids.length + warmup;

/** A command that looks elsewhere prints none either. */
const emptiness = ({ ids, warmup, others }: Reading): string | null =>
	ids.length + warmup > 0
		? null
		: `it printed ${others === 0 ? 'nothing' : `${linesOf(others)} without an id of this run`}, because nothing was stored or because it looks elsewhere`;

const unknownBecause: (how: StoredIds, problem: string) => string = ({ service }, problem) =>
	`Which accepted requests are stored is not known, because the command of "integrity" in ${service} did not say it all: ${problem}.`;

const UNASKED = 'the load did not come to its end, and it was not asked after that';

const aboutOthers: (how: StoredIds, others: number, before: number) => string[] = ({ service }, others, before) =>
	others === 0
		? []
		: [
				`The command of "integrity" in ${service} printed ${linesOf(others)} without an id of this run, and ${before.toLocaleString('en-US')} before the load; they are not counted.`,
			];

const linesOf = (count: number) => `${count.toLocaleString('en-US')} ${count === 1 ? 'line' : 'lines'}`;

/**
 * For a run: looks before its load whether they can be read, and reads them into the record after it.
 * @returns whenDriven: what the manifest says of it when the load
 * has ended; notes: a sentence for each thing that is known by then
 * @throws {NotReadyError} when they cannot be read
 */
export async function openStoredIds({
	how,
	rawFolder,
	ask = executeLines,
	times = TIMES,
	...asked
}: {
	stack: Service[];
	/** undefined: nobody asks for them */
	how: StoredIds | undefined;
	mark: string;
	rawFolder: string;
	say: (text: string) => void;
	signal: AbortSignal;
	ask?: typeof executeLines;
	times?: typeof TIMES;
}): Promise<{ whenDriven: () => Promise<{ stored_ids?: Found }>; notes: string[] }> {
	if (how === undefined) return { whenDriven: async () => ({}), notes: [] };
	const notes = [unknownBecause(how, UNASKED)];
	const before = await checkStoredIds(asked.stack, how, asked.mark, ask);
	const whenDriven = async () => {
		const settled = await settledStoredIds({ ...asked, how, before, ask, times });
		await writePrivate(join(rawFolder, RAW.documentIds), settled.ids.map((id) => `${id}\n`).join(''));
		notes.splice(0, notes.length, ...settled.notes);
		return { stored_ids: settled.found };
	};
	return { whenDriven, notes };
}
