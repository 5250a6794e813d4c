/**
 * Runs a program that is load and system in one, inside the container of the service that it belongs to, and keeps what
 * it says of itself. The counterpart of load.ts for scenarios whose driver is a program.
 */

import { join } from 'node:path';
import type { Shape } from '../../k6/lib/shapes.js';
import type { Program } from '../adapters/contract.ts';
import { programReader } from '../adapters/registry.ts';
import { RunFailedError } from '../base/errors.ts';
import { RAW } from '../base/paths.ts';
import { readPrivate, writePrivate } from '../base/private-file.ts';
import type { LoadStatus, Progress } from '../base/progress.ts';
import type { Service } from '../docker/containers.ts';
import { containerById, execute } from '../docker/docker.ts';

/** inserts: in all */
type Work = { files: number; threads: number; insertsPerThread: number; inserts: number };

const PROGRAM = 'tchmttest';
const DATA_FOLDER = '/data';
const RECORD_FOLDER = '/raw';
/** 4,000,000 inserts take 5 to 25 s on two cores; the rest is for a small quota and a slow disk. */
const PROGRAM_LIMIT_S = 600;
const REPORT_EVERY_MS = 2000;
const LAST_LINES = 15;

/** @throws {RunFailedError} when the program is not there, does not end in time or does not end well */
export async function runProgram({
	services,
	variables,
	shape,
	rawFolder,
	writtenFolder,
	progress,
	signal,
	onBegan,
}: {
	services: Service[];
	/** THREADS and FILES */
	variables: Record<string, string>;
	shape: Shape;
	/** of the run */
	rawFolder: string;
	/** that the program writes into */
	writtenFolder: string;
	progress: Progress;
	signal: AbortSignal;
	/** with the moment, seconds since 1970 */
	onBegan: (began: number) => void;
}) {
	const store = services.find(({ tier }) => tier === 'database');
	if (!store)
		throw new RunFailedError(
			`Expected a store with the program ${PROGRAM} to be up; found ${services.map(({ name }) => name).join(', ') || 'none'}.\n` +
				"  To do: see that the architecture's Compose file has it.",
		);
	const work = workOf(shape.inserts ?? 0, variables);
	const logs = writerFiles(work).map((_, index) => join(writtenFolder, `insert-${index + 1}.log`));
	let began = null as number | null;
	const reporting = setInterval(async () => {
		if (began !== null) progress.load(await statusOf({ logs, work, shape, began }));
	}, REPORT_EVERY_MS);
	const command = ['insert', work.files, work.threads, work.insertsPerThread, DATA_FOLDER, RECORD_FOLDER].map(String);
	let output: string;
	try {
		output = await executeBounded(store.id, command, signal, (text) => {
			if (began !== null) return;
			began = programReader.span(text).began_s;
			if (began !== null) onBegan(began);
		});
	} finally {
		clearInterval(reporting);
	}
	const program = await readProgram(output, work, writtenFolder);
	await writePrivate(join(rawFolder, RAW.program), `${JSON.stringify(program, null, 1)}\n`);
	for (const [index, { file, exit_code: code }] of program.writers.entries()) {
		if (code !== 0) throw new RunFailedError(await explainFailedWriter(file, code, logs[index]));
	}
}

/** The inserts split evenly over files and threads; where they do not divide, all writers make the same rounded number. */
export function workOf(inserts: number, { FILES, THREADS }: Record<string, string>): Work {
	const files = Number(FILES);
	const threads = Number(THREADS);
	const insertsPerThread = Math.max(1, Math.round(inserts / (files * threads)));
	return { files, threads, insertsPerThread, inserts: insertsPerThread * files * threads };
}

const writerFiles = ({ files }: Work) => Array.from({ length: files }, (_, index) => `store-${index + 1}.tch`);

/** Ends the container, and with it the program, when the signal aborts or the time is over. */
async function executeBounded(id: string, command: string[], signal: AbortSignal, onOutput: (text: string) => void): Promise<string> {
	signal.throwIfAborted();
	const limit = AbortSignal.timeout(PROGRAM_LIMIT_S * 1000);
	const stop = AbortSignal.any([signal, limit]);
	const stopped: Promise<null> = new Promise((resolve) => stop.addEventListener('abort', () => resolve(null), { once: true }));
	const executed = execute(id, command, { limitMs: null, onOutput }).catch((error) => {
		throw new RunFailedError(
			`Expected the store's container to run ${PROGRAM}; found that the engine refuses: ${error.message}\n` +
				'  To do: see whether the container has ended (raw/final-states.json says so), and why.',
		);
	});
	const output = await Promise.race([executed, stopped]);
	if (output !== null) return output;
	await containerById(id)
		.kill()
		.catch(() => {});
	signal.throwIfAborted();
	throw new RunFailedError(
		`Expected ${PROGRAM} to end within ${PROGRAM_LIMIT_S} s; found it still running.\n` +
			'  To do: use BUDGET=none, or look at the disk that Docker keeps its volumes on.',
	);
}

async function statusOf({ logs, work, shape, began }: { logs: string[]; work: Work; shape: Shape; began: number }): Promise<LoadStatus> {
	const texts = logs.map(textOf);
	const done = texts.reduce((sum, text) => sum + programReader.writer(text).done, 0) / texts.length;
	const elapsedS = Date.now() / 1000 - began;
	const rps = (done * work.inserts) / elapsedS;
	return {
		stage: `inserting, ${Math.round(done * 100)} % done`,
		users: null,
		rps,
		nowS: elapsedS,
		// Of all of it: the program says how much is done, and not when.
		ofS: [0, elapsedS],
		p95Ms: null,
		failureRate: null,
		leftS: done > 0 ? (elapsedS * (1 - done)) / done : (shape.expected_s ?? 0) - elapsedS,
	};
}

/** @param output of insert.sh */
async function readProgram(output: string, work: Work, writtenFolder: string): Promise<Program> {
	const { began_s, ended_s, exitCodes } = programReader.span(output);
	const files = writerFiles(work);
	if (began_s === null || ended_s === null || exitCodes.length !== files.length)
		throw new RunFailedError(
			`Expected ${PROGRAM} to begin, end and tell how, for ${files.length} files; found:\n${lastOf(output) || '(nothing)'}\n` +
				'  To do: see whether the container ended before it (raw/final-states.json says so), then fix the error above.',
		);
	const text = (name: string) => textOf(join(writtenFolder, name));
	const writers = files.map(async (file, index) => ({
		file,
		threads: work.threads,
		inserts: work.threads * work.insertsPerThread,
		seconds: programReader.writer(text(`insert-${index + 1}.log`)).seconds,
		stored: programReader.stored(text(`inform-${index + 1}.log`)),
		exit_code: exitCodes[index],
	}));
	return { program: PROGRAM, began_s, ended_s, writers: await Promise.all(writers) };
}

async function explainFailedWriter(file: string, code: number, log: string): Promise<string> {
	const text = textOf(log);
	return (
		`Expected every insert into ${file} to succeed; found that ${PROGRAM} ended with exit code ${code}. Its last lines:\n` +
		`${lastOf(text) || '(it wrote nothing)'}\n  To do: fix the error above; often the disk is full.`
	);
}

/** Of a file that may not be there. */
const textOf = (path: string) => String(readPrivate(path) ?? '');

const lastOf = (text: string) => text.trim().split('\n').slice(-LAST_LINES).join('\n');
