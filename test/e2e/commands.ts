/** Drives the lab as its user does: by make and lab/doubletake, as child processes, always bounded. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { execa } from 'execa';
import { loadStart, shapes } from '../../k6/lib/shapes.js';
import { EXIT } from '../../lab/base/errors.ts';
import { ENV_FILE, RECORD, REPORTS, ROOT } from '../../lab/base/paths.ts';
import { nameOfFolder } from '../../lab/catalog/architectures.ts';
import { isOfLab } from '../../lab/docker/containers.ts';
import { OPTION_NAMES } from '../../lab/options/accepted-options.ts';
import type { Result } from '../../lab/record/types.js';

/** A smoke run takes about 40 s on two cores. */
export const RUN_LIMIT_MS = 180_000;
const ASK_LIMIT_MS = 20_000;
const POLL_MS = 100;
/** From wherever it is called. */
export const LAB = join(ROOT, 'lab/doubletake');

/** What `make test` or the test runner itself put into the environment must not reach the lab that is tested. */
const NOT_INHERITED = new RegExp(`^(MAKE.*|MFLAGS|DOUBLETAKE_TYPED|NODE_TEST_CONTEXT|${OPTION_NAMES.join('|')})$`);

/** The machines that these tests run on are seldom quiet, and the tests are about something else. */
const GIVEN = { BUSY: 'allow' };

function environment(variables: Record<string, string>) {
	return { ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !NOT_INHERITED.test(name))), ...GIVEN, ...variables };
}

/** @param options detached: in a process group of its own */
export function start(
	file: string,
	args: string[],
	{
		variables = {},
		detached = false,
		limitMs = RUN_LIMIT_MS,
		cwd = ROOT,
	}: { variables?: Record<string, string>; detached?: boolean; limitMs?: number; cwd?: string } = {},
) {
	return execa(file, args, {
		cwd,
		env: environment(variables),
		extendEnv: false,
		all: true,
		reject: false,
		stdin: 'ignore',
		timeout: limitMs,
		detached,
	});
}

export type Outcome = { exitCode: number | undefined; output: string; seconds: number };

async function finish(file: string, args: string[], variables?: Record<string, string>, limitMs?: number, cwd?: string): Promise<Outcome> {
	const started = performance.now();
	const { exitCode, all } = await start(file, args, { variables, limitMs, cwd });
	return { exitCode, output: String(all), seconds: (performance.now() - started) / 1000 };
}

/** @param args targets and variables, as typed */
export const make = (...args: string[]) => finish('make', args);

/**
 * That a run, or those of a comparison, were made and judged. A machine that runs tests is no quiet one: all runs of a comparison may be INVALID
 * for that, and are runs all the same.
 * @param outcome of `make run-...`
 * @param wanted exit code of a run, or of a comparison that has runs which count
 */
export function assertRan({ exitCode, output }: Outcome, wanted: number = EXIT.done) {
	assert.ok(exitCode === wanted || /^ {2}every run INVALID: /m.test(output), output);
}

/** What others can do to a run of the tests. */
const TAKEN = /other machines on the same hardware took|other programs used/;

/**
 * Why nothing can be asked of a command that needs a run that counts, made now: others took the machine. A test skips then, with this.
 * @param output of the command
 * @param refusal of the line in which it says so
 * @returns none where the machine was the run's own, so that whatever is wrong is the lab's
 */
export const takenIn = (output: string, refusal: RegExp): string | undefined =>
	output.split('\n').find((line) => refusal.test(line) && TAKEN.test(line));

export const doubletake: (args: string[], variables?: Record<string, string>, limitMs?: number) => Promise<Outcome> = (
	args,
	variables,
	limitMs,
) => finish('lab/doubletake', args, variables, limitMs);

/** In a folder that is not the lab's. */
export const doubletakeIn: (folder: string, args: string[], variables?: Record<string, string>, limitMs?: number) => Promise<Outcome> = (
	folder,
	args,
	variables,
	limitMs,
) => finish(LAB, args, variables, limitMs, folder);

/** As a package that is installed in a folder. */
export const installedIn: (folder: string, args: string[], variables?: Record<string, string>) => Promise<Outcome> = (
	folder,
	args,
	variables,
) => finish(join(folder, 'node_modules', '.bin', 'doubletake'), args, variables, undefined, folder);

/** The same by npx. */
export const npxIn: typeof installedIn = (folder, args, variables) => finish('npx', ['doubletake', ...args], variables, undefined, folder);

/** The images of this machine, for a Compose file that is not the lab's. */
export async function machineImages(): Promise<Record<string, string>> {
	const text = await readFile(ENV_FILE, 'utf8').catch(() => '');
	return Object.fromEntries(text.split('\n').flatMap((line) => (/^(NGINX|NODE)_IMAGE=/.test(line) ? [line.split('=')] : [])));
}

/** @throws {Error} when the child ends before it says so */
export async function saysSo(child: ReturnType<typeof start>, pattern: RegExp) {
	let output = '';
	child.all?.on('data', (piece) => {
		output += piece;
	});
	while (!pattern.test(output)) {
		if (child.exitCode !== null) throw new Error(`it ended before it said ${pattern}:\n${output}`);
		await wait(POLL_MS);
	}
}

/** Said once, when the generators have begun; the load begins a known time after it, and its own figures are told some seconds late. */
const BEGUN = / live: /;
const INTO_LOAD_MS = 1000;

/**
 * Until the second second of a run's load: what is then done to it is done in it, however late it is told of itself.
 * @param shape its name
 */
export async function inLoad(child: ReturnType<typeof start>, shape: string) {
	await saysSo(child, BEGUN);
	await wait(loadStart(shapes[shape]({})) * 1000 + INTO_LOAD_MS);
}

/** The folder of the newest run; its names sort by time. */
export async function newestRun(architecture: string) {
	const runs = (await readdir(join(REPORTS, architecture))).sort();
	const newest = runs.at(-1);
	assert.ok(newest, `there is a run of ${architecture}`);
	return join(REPORTS, architecture, newest);
}

/**
 * The same of a user's own system.
 * @param folder of its doubletake.yaml
 */
export async function newestProjectRun(folder: string) {
	const runs = join(folder, 'reports', nameOfFolder(folder));
	const newest = (await readdir(runs)).sort().at(-1);
	assert.ok(newest, `there is a run of ${folder}`);
	return join(runs, newest);
}

export const readJson = async (folder: string, file: string) => JSON.parse(await readFile(join(folder, file), 'utf8'));

export const readResult = (folder: string): Promise<Result> => readJson(folder, RECORD.result);

export const readManifest = (folder: string): Promise<Record<string, any>> => readJson(folder, RECORD.manifest);

/** @returns rows by name */
export const tableOf = ({ breakdowns }: Result, title: string): Record<string, (number | null)[]> =>
	Object.fromEntries(breakdowns.find((table) => table.title === title)?.rows.map(({ name, values }) => [name, values]) ?? []);

/** Of the calibrations of this machine. */
export const newestReading = async (): Promise<any> => (await readJson(REPORTS, 'calibration.json')).readings.at(-1);

/** Containers, networks and volumes of the lab, by name. */
async function leftovers() {
	const label = 'com.docker.compose.project';
	const lists = await Promise.all(
		[
			['ps', '--all', '--format', `{{.Label "${label}"}} {{.Names}}`],
			['network', 'ls', '--format', `{{.Label "${label}"}} {{.Name}}`],
			['volume', 'ls', '--format', `{{.Label "${label}"}} {{.Name}}`],
		].map((args) => execa('docker', [...args, '--filter', `label=${label}`], { timeout: ASK_LIMIT_MS })),
	);
	return lists.flatMap(({ stdout }) => stdout.split('\n').filter((line) => isOfLab(line.split(' ')[0])));
}

export async function assertNothingIsLeft() {
	assert.deepEqual(await leftovers(), []);
}
