/** Which constants of the analysis decide: make mutate RUNS=6 SEED=7 SECONDS=1200 ONLY=records. Prints a table in Markdown. */

import { readdirSync, readFileSync } from 'node:fs';
import os from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { ROOT } from '../../lab/base/paths.ts';
import type { Move } from './constants.ts';
import { constantsOf, moveOf } from './constants.ts';
import { mutate } from './mutate.ts';
import { recordNames } from './records.ts';
import type { Moved, Says } from './report.ts';
import { movedIn, reportOf } from './report.ts';

const { values } = parseArgs({
	options: { runs: { type: 'string' }, seed: { type: 'string' }, seconds: { type: 'string' }, only: { type: 'string' } },
});
const RUNS = 6;
const SECONDS = 3600;
const DIAGNOSE = join(ROOT, 'lab/diagnose');
const MADE = join(DIAGNOSE, 'waiting');
/** Of one process: with moved constants a loop may go on without end. */
const TRY_MOST_MS = 90_000;
const ENDLESS = 'it does not end';
/** Of a process: that two have about as much to do. */
const RECORDS_MOST = 15;
const say = (text: string) => void process.stderr.write(`${text}\n`);

const modules = readdirSync(DIAGNOSE, { recursive: true, encoding: 'utf8' })
	.filter((file) => /\.[jt]s$/.test(file) && !/\.test\.[jt]s$/.test(file) && !file.includes('fixtures'))
	.sort();
const constants = modules.flatMap((file) => constantsOf(file, readFileSync(join(DIAGNOSE, file), 'utf8')));
const records = await recordNames();
const files = readdirSync(MADE).filter((file) => /\.test\.[jt]s$/.test(file));

/** Processes at once. Of what waits the newest goes first: a search that was begun ends before another is, so that what is found in time is whole. */
const free = { places: os.availableParallelism(), waiting: [] as (() => void)[] };

async function inPlace<T>(work: () => Promise<T>): Promise<T> {
	if (free.places === 0) await new Promise((go) => void free.waiting.push(() => go(undefined)));
	else free.places -= 1;
	try {
		return await work();
	} finally {
		const next = free.waiting.pop();
		if (next) next();
		else free.places += 1;
	}
}

function movesOf(vector: Moved[]) {
	const moves: Record<string, Move[]> = {};
	for (const { constant, isUp } of vector) {
		const address = String(pathToFileURL(join(DIAGNOSE, constant.file)));
		moves[address] ??= [];
		moves[address].push(moveOf(constant, isUp));
	}
	return moves;
}

type Said = [target: string, says: Says];

async function worked({ records: asked = [], test }: { records?: string[]; test?: string }, vector: Moved[]): Promise<Said[]> {
	const order = { records: asked, tests: test ? [String(pathToFileURL(join(MADE, test)))] : [], moves: movesOf(vector) };
	const at = (file: string) => fileURLToPath(new URL(file, import.meta.url));
	const reporter = test ? [`--test-reporter=${at('failed-tests.ts')}`] : [];
	const { stdout, stderr, timedOut } = await inPlace(() =>
		execa(process.execPath, [...reporter, at('worker.ts')], {
			...{ input: JSON.stringify(order), reject: false, timeout: TRY_MOST_MS, env: { NODE_NO_WARNINGS: '1' } },
		}),
	);
	if (stderr !== '') say(stderr);
	const said = stdout.split('\n').flatMap((line) => (line.startsWith('[') ? [JSON.parse(line)] : []));
	if (!timedOut) return said;
	const [endless, ...rest] = test ? [test] : asked.slice(said.length);
	return [...said, [endless, { requests: {}, others: [ENDLESS] }], ...(rest.length > 0 ? await worked({ records: rest }, vector) : [])];
}

async function saidBy(vector: Moved[], targets: string[]) {
	const ofRecords = targets.filter((target) => records.includes(target));
	const tests = [...new Set(targets.flatMap((target) => (records.includes(target) ? [] : [target.split(': ')[0]])))];
	const parts = Array.from({ length: Math.ceil(ofRecords.length / RECORDS_MOST) }, (_, at) =>
		ofRecords.slice(at * RECORDS_MOST, (at + 1) * RECORDS_MOST),
	);
	const all = await Promise.all([
		...parts.map((part) => worked({ records: part }, vector)),
		...tests.map((test) => worked({ test }, vector)),
	]);
	return new Map(all.flat());
}

const began = Date.now();
const seed = values.seed || '1';
const runs = Number(values.runs || RUNS);
say(
	`seed ${seed}; ${constants.length} constants in ${modules.length} files of ${relative(ROOT, DIAGNOSE)}; ${records.length} records; ${files.length} files of made tests`,
);
const whole = { records, tests: files, '': [...records, ...files] }[values.only ?? ''];
if (!whole) throw new Error(`ONLY: expected records, tests, or nothing; found ${values.only}. Give one of them.`);
const before = await saidBy([], whole);
say(`before: ${before.size} say something, ${((Date.now() - began) / 1000).toFixed(0)} s`);
const found = await mutate(
	{
		constants,
		targets: whole,
		tryOut: async (vector, targets) => {
			const now = await saidBy(vector, targets);
			// Of a file of tests each that fails is a target of its own.
			const asked = new Set([
				...targets.filter((target) => now.has(target) || before.has(target)),
				...(targets === whole ? now.keys() : []),
			]);
			return new Map(
				[...asked].map((target) => [target, movedIn(before.get(target), now.get(target))] as const).filter(([, said]) => said !== ''),
			);
		},
	},
	{ seed, runs, isOver: () => Date.now() - began > Number(values.seconds || SECONDS) * 1000, say },
);
process.stdout.write(reportOf({ constants, records, ...found }));
