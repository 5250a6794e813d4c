/**
 * Compose files in the shapes that people publish (test/corpus), each with what is true of it: what `init` says of a copy of each is
 * compared with that. No container is started, and no image has to be there.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cp, lstat, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { EXIT, LabError } from '../../lab/base/errors.ts';
import { ROOT } from '../../lab/base/paths.ts';
import { createReporter } from '../../lab/cli/reporter.ts';
import { init } from '../../lab/run/project/init-command.ts';

/** expected.json of a shape */
type Expected = {
	/** where users enter; `|` between what is right as well */
	entries: string[];
	/** tier and product of each, `|` between what is right as well */
	services: Record<string, string>;
	/** who asks whom on the way of a request: "web db" */
	edges: string[];
	/** services that a run leaves out */
	left_out: string[];
	/** file that the load is taken from; urls where there is none */
	load: string;
};

type Score = { right: number; of: number; wrong: string[] };

/** of `init`, about one shape */
type Answer = {
	shape: string;
	scores: Record<'entry' | 'entries' | 'tiers' | 'products' | 'recall' | 'precision' | 'left' | 'load' | 'taken', Score>;
	lines: number;
	/** files that are not as they were */
	changed: string[];
};

const CORPUS = join(ROOT, 'test/corpus');
const EXPECTED = 'expected.json';
/** What `init` is to write. */
const WRITTEN = 'doubletake.yaml';
const AT_ONCE = 2;
/** All of them together: 12 s of CPU time, and several times that where others use it too. */
const timeout = 300_000;
/** Of what is asked of a Compose file alone. A run corrects edges by the wire, and asks each published port whether it is an entry too. */
const LEAST = { entry: 0.95, entries: 0.8, tiers: 0.95, products: 0.95, recall: 0.9, precision: 0.9, left: 0.95, load: 0.95 };
const REFUSED_MOST = 1;

describe('init on Compose files as people publish them', () => {
	let place = '';
	let answers: Answer[] = [];
	before(
		async () => {
			place = await mkdtemp(join(os.tmpdir(), 'doubletake-corpus-'));
			const shapes = (await readdir(CORPUS)).sort();
			answers = await eachOf(shapes, AT_ONCE, (shape) => answerTo(shape, join(place, shape)));
		},
		{ timeout },
	);
	after(() => rm(place, { recursive: true, force: true }));

	test('there are at least twenty-five', () => assert.ok(answers.length >= 25));

	for (const [kind, least] of Object.entries(LEAST) as [keyof typeof LEAST, number][])
		test(`${kind}: ${least * 100} % and more are right`, (t) => {
			const { right, of, wrong } = sumOf(answers, kind);
			t.diagnostic(`${kind}: ${right} of ${of}${wrong.length > 0 ? `; ${wrong.join('; ')}` : ''}`);
			assert.ok(right / of >= least, `${kind}: ${right} of ${of}; ${wrong.join('; ')}`);
		});

	test(`at most ${REFUSED_MOST} is refused`, (t) => {
		const { right, of, wrong } = sumOf(answers, 'taken');
		t.diagnostic(`taken: ${right} of ${of}; ${wrong.join('; ')}`);
		assert.ok(of - right <= REFUSED_MOST, wrong.join('; '));
	});

	test('each is reported in fifteen lines', () =>
		assert.deepEqual(
			answers.filter(({ lines }) => lines > 15).map(({ shape, lines }) => `${shape}: ${lines}`),
			[],
		));

	test(`nothing of a folder changes but ${WRITTEN}`, () =>
		assert.deepEqual(
			answers.flatMap(({ shape, changed }) => changed.map((file) => `${shape}/${file}`)),
			[],
		));
});

async function answerTo(shape: string, folder: string): Promise<Answer> {
	const expected: Expected = JSON.parse(await readFile(join(CORPUS, shape, EXPECTED), 'utf8'));
	await cp(join(CORPUS, shape), folder, {
		recursive: true,
		preserveTimestamps: true,
		filter: (path) => path !== join(CORPUS, shape, EXPECTED),
	});
	const was = await stateOf(folder);
	const { found, words } = await initIn(folder);
	const is = await stateOf(folder);
	return {
		shape,
		scores: scoresOf(shape, expected, found, words),
		lines: words.trimEnd().split('\n').length,
		changed: [...new Set([...was.keys(), ...is.keys()])].filter((file) => file !== WRITTEN && was.get(file) !== is.get(file)),
	};
}

/**
 * The command without a process of its own, which takes longer to start than to look at a Compose file. As it is typed: project.test.js.
 * @returns what it gives a program, null where it refused; and what it says
 */
async function initIn(folder: string): Promise<{ found: any; words: string }> {
	const said = { out: '', err: '' };
	const into = (where: keyof typeof said) => ({
		write: (text: string) => {
			said[where] += text;
		},
	});
	const reporter = createReporter({ json: true, out: into('out'), err: into('err') });
	const ended = await init(folder, [], reporter).catch((error) => {
		if (!(error instanceof LabError)) throw error;
		reporter.fail(error);
		return error.exitCode;
	});
	reporter.end(ended);
	return { found: ended === EXIT.done ? JSON.parse(said.out).result : null, words: said.err };
}

/**
 * @param found what `init` gives a program; null where it refused
 * @param words what it says
 */
function scoresOf(
	shape: string,
	{ entries, services, edges, left_out: leftOut, load }: Expected,
	found: any,
	words: string,
): Answer['scores'] {
	const { project, differs = [], dangers = [] } = found ?? { project: { entry: [], services: {}, edges: [], load: {} } };
	const score = (all: string[], wrongIn: (one: string) => string | null) => {
		const wrong = all.flatMap((one) => wrongIn(one) ?? []).map((text) => `${shape}: ${text}`);
		return { right: all.length - wrong.length, of: all.length, wrong };
	};
	const isOneOf = (wanted: string, one: string) => wanted.split('|').includes(one);
	const entered: string[] = [project.entry].flat();
	const leftOutIn = differs.flatMap((text: string) => /^(\S+): left out of the run/.exec(text)?.[1] ?? []);
	// What is left out is no part of doubletake.yaml.
	const staying = Object.keys(services).filter((service) => !(leftOut.includes(service) && leftOutIn.includes(service)));
	const partOf = (at: 0 | 1) =>
		score(staying, (service) => {
			const { tier, product } = project.services[service] ?? {};
			const [is, wanted] = [[tier, product][at], services[service].split('/')[at]];
			return isOneOf(wanted, is) ? null : `${service} is ${wanted}, not ${is}`;
		});
	const asked: string[] = project.edges.map((pair: string[]) => pair.join(' '));
	const refused = dangers.filter(({ severity }: { severity: string }) => severity === 'refuse');
	const source = project.load.script ?? project.load.openapi ?? 'urls';
	return {
		entry: score(entered.slice(0, 1), (entry) => (entries.some((one) => isOneOf(one, entry)) ? null : `${entry}, not ${entries}`)),
		entries: score(entries, (wanted) => (entered.some((one) => isOneOf(wanted, one)) ? null : `${wanted} is not named`)),
		tiers: partOf(0),
		products: partOf(1),
		recall: score(edges, (edge) => (asked.includes(edge) ? null : `${edge} is missing`)),
		precision: score(asked, (edge) => (edges.includes(edge) ? null : `${edge} is none`)),
		left: score([...new Set([...leftOut, ...leftOutIn])], (service) =>
			leftOut.includes(service) && leftOutIn.includes(service) ? null : service,
		),
		load: score([load], () => (source === load || words.includes(load) ? null : `${load}, not ${source}`)),
		taken: score([shape], () => {
			if (found === null) return words.trim();
			return refused.length === 0 ? null : refused.map(({ service, what }: any) => `${service} ${what}`).join(', ');
		}),
	};
}

function sumOf(answers: Answer[], kind: keyof Answer['scores']): Score {
	const scores = answers.map((answer) => answer.scores[kind]);
	return {
		right: scores.reduce((sum, { right }) => sum + right, 0),
		of: scores.reduce((sum, score) => sum + score.of, 0),
		wrong: scores.flatMap(({ wrong }) => wrong),
	};
}

/** Bytes, times and modes of all that is in a folder. */
async function stateOf(folder: string): Promise<Map<string, string>> {
	const names = (await readdir(folder, { recursive: true })).sort();
	const states = await Promise.all(
		names.map(async (name) => {
			const about = await lstat(join(folder, name));
			// What is written into a folder changes its time.
			if (about.isDirectory()) return `folder ${about.mode}`;
			const hash = createHash('sha256').update(await readFile(join(folder, name)));
			return `${hash.digest('hex')} ${about.mtimeMs} ${about.mode}`;
		}),
	);
	return new Map(names.map((name, index) => [name, states[index]]));
}

async function eachOf<T, R>(items: T[], atOnce: number, what: (item: T) => Promise<R>): Promise<R[]> {
	const left = items.entries();
	const done: R[] = [];
	const work = async () => {
		for (const [index, item] of left) done[index] = await what(item);
	};
	await Promise.all(Array.from({ length: atOnce }, work));
	return done;
}
