/**
 * An experiment is a folder: nothing of the lab imports one, and to add one is to add its folder.
 */
import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { dirname, join, posix } from 'node:path';
import { after, describe, test } from 'node:test';
import { execa } from 'execa';
import { ROOT } from '../../lab/base/paths.ts';
import { experimentsWith } from '../../lab/catalog/experiment-folders.ts';
import { succeed } from './command.ts';

const LIMIT_MS = 300_000;
/** What has to work without any of them. */
const LAB = ['lab', 'k6', 'app', 'compose', 'site'];
/** What each part may import beside the same part of other experiments. The programs and k6's part run without the lab. */
const MAY_IMPORT = {
	app: /^app\//,
	k6: /^k6\/lib\//,
	// Tables, and sums over a record.
	lab: /^(lab\/(base|catalog|options|record)\/|lab\/stats\/numbers\.ts$|lab\/diagnose\/time\/(window|increments)\.ts$|k6\/lib\/)/,
};

const tracked = (await succeed('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...LAB, 'experiments']))
	.split('\n')
	.filter((file) => /\.[jt]s$/.test(file) && !/\.test\.[jt]s$|\/fixtures\//.test(file));

/** Whatever it names, for its types too. */
const NAMED = /(?:from |import |import\(|new URL\()'(\.[^']+)'/g;
/** What it cannot run without. */
const IMPORTED = /^(?:import|export) (?!type )[^;]*?from '(\.[^']+)'/gm;

/** Paths below the root. */
const pathsIn = (file: string, text: string, pattern: RegExp) =>
	[...text.matchAll(pattern)].map(([, path]) => posix.join(posix.dirname(file), path));

async function wrongIn(file: string, pattern: RegExp, isWrong: (path: string) => boolean) {
	const paths = pathsIn(file, await readFile(join(ROOT, file), 'utf8'), pattern).filter(isWrong);
	return paths.map((path) => `${file}: ${path}`);
}

/** What it is a part of. */
const partOf = (file: string) => (/^experiments\/[^/]+\/(app|k6)\//.exec(file)?.[1] ?? 'lab') as keyof typeof MAY_IMPORT;

test('an import is seen, be it of a value, of a type or made later', () => {
	const text = "import a from '../../experiments/x/a.js';\nimport type { B } from '../../experiments/x/b.js';\nawait import('./c.js');\n";
	assert.deepEqual(pathsIn('lab/catalog/y.js', text, NAMED), ['experiments/x/a.js', 'experiments/x/b.js', 'lab/catalog/c.js']);
	assert.deepEqual(pathsIn('lab/catalog/y.js', text, IMPORTED), ['experiments/x/a.js']);
});

test('nothing of the lab imports an experiment', async () => {
	const files = tracked.filter((file) => !file.startsWith('experiments/'));
	assert.ok(files.length > 100);
	const isExperiment = (path: string) => path.startsWith('experiments/');
	assert.deepEqual((await Promise.all(files.map((file) => wrongIn(file, NAMED, isExperiment)))).flat(), []);
});

test('an experiment imports the lab’s tables and what computes, its program and its users only what they run with', async () => {
	const files = tracked.filter((file) => file.startsWith('experiments/'));
	assert.ok(files.length > 10);
	const wrong = files.map((file) => {
		const part = partOf(file);
		const own = part === 'lab' ? 'experiments/' : `${file.split('/').slice(0, 3).join('/')}/`;
		return wrongIn(file, IMPORTED, (path) => !path.startsWith(own) && !MAY_IMPORT[part].test(path));
	});
	assert.deepEqual((await Promise.all(wrong)).flat(), []);
});

/** An experiment with all that one can have. */
const ADDED: Record<string, string> = {
	'experiment.ts': `export const experiment = {
    title: 'Tea or coffee', question: 'Which is made sooner?', load: 'sips', budget: 'none',
    arms: [{ id: 'one', architecture: 'tea' }, { id: 'two', architecture: 'tea', variables: { CUPS: '2' } }],
    pairs: [['one', 'two']],
    published: { section: 'tea-time', runs: { one: '1' }, figures: { goodput_rps: 'rps' } },
  };`,
	'claims.ts': `import { published } from '../../lab/catalog/published.ts';
    const quote = 'Two cups: {test 1}.';
    export const claims = [{
      id: 'T1', experiment: 'tea-time', statement: 'Two cups take twice as long.', source: published['tea-time'].source, published: [],
      test: 'in words', delta: '5 %', relief: null, shown: [], quotes: { HOLDS: quote, REFUTED: quote, INCONCLUSIVE: quote },
      tests: [{ kind: 'compare', label: 'goodput', metric: 'goodput_rps', base: 'one', other: 'two', wanted: 'at most', threshold: 0.5, published: 0.5 }],
    }];`,
	'published.json': '{ "source": "A cook book", "runs": { "1": { "rps": 3 } } }',
	'scenario.ts': `import { shapes } from './k6/shapes.js';
    export const scenario = {
      id: 'tea', request: 'GET /: makes tea', noun: 'cups', driver: 'k6', load: 'sips', loads: { sips: 'sips', smoke: 'sips' },
      think_time_s: 0, calibrated: false, refusals: { 418: 'refused' }, timed: false, written: null,
      figures: [{ id: 'leaves', label: 'leaves', unit: 'count', better: null, of_successes: false }], shapes,
    };`,
	'figures.ts': 'export const figuresOf = () => ({ figures: { leaves: 3 }, breakdowns: [], checks: [] });',
	'k6/shapes.js': `import { held } from '../../../k6/lib/shapes.js';
    export const shapes = { sips: () => held('sips', 2, 5, 3) };`,
	'k6/tea.js': "import { shapes } from './shapes.js'; export { shapes };",
	'app/server.js': "import '../../../app/lib/config.js';",
};
/** The system that starts its program. */
const SYSTEM = {
	'compose.yaml': `name: doubletake
include: [../lab.yaml]
services:
  tea-app-1:
    extends: {file: ../base.yaml, service: app-1}
    profiles: [arch-tea]
    command: [node, /experiments/tea-time/app/server.js]
`,
	'doubletake.yaml': `title: one kettle
question: How long does it take?
load: {scenario: tea}
entry: http://app-1:3000/
variables:
  CUPS: {about: cups, standard: "1", range: [1, 9]}
`,
};

describe('a copy of the lab with one more folder in experiments', async () => {
	const copy = await mkdtemp(join(os.tmpdir(), 'doubletake-experiments-'));
	after(() => rm(copy, { recursive: true }));
	const isLeftOut = (path: string) => /\/(node_modules|records)$/.test(path);
	for (const folder of ['lab', 'k6', 'app', 'compose', 'experiments', 'package.json', 'package-lock.json'])
		await cp(join(ROOT, folder), join(copy, folder), { recursive: true, filter: (path) => !isLeftOut(path) });
	await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
	for (const [folder, files] of Object.entries({ 'experiments/tea-time': ADDED, 'compose/tea': SYSTEM }))
		for (const [file, text] of Object.entries(files)) {
			await mkdir(dirname(join(copy, folder, file)), { recursive: true });
			await writeFile(join(copy, folder, file), text);
		}
	const inCopy = async (...args: string[]) => {
		const env = { DOUBLETAKE_FOLDER: copy, DOUBLETAKE_REPORTS: '' };
		const result = await execa('node', args, { cwd: copy, env, all: true, reject: false, timeout: LIMIT_MS, stdin: 'ignore' });
		assert.equal(result.exitCode, 0, result.all);
		return result.stdout;
	};

	test('lists the experiment last, and its loads', async () => {
		const { result } = JSON.parse(await inCopy('lab/cli/start.ts', 'list', '--json'));
		assert.deepEqual(result.experiments.at(-1), { id: 'tea-time', title: 'Tea or coffee', question: 'Which is made sooner?' });
		assert.equal(result.experiments.length, experimentsWith('experiment.ts').length + 1);
		const loads = result.loads.filter(({ scenario }: { scenario: string }) => scenario === 'tea');
		assert.deepEqual(
			loads.map(({ id }: { id: string }) => id),
			['sips', 'smoke'],
		);
	});

	test('knows its claims, published figures, metrics and the place of its script, and finds nothing wrong or missing', async () => {
		const reported = await inCopy(
			'--input-type=module',
			'--eval',
			`const { claimsOf } = await import('./lab/catalog/claims.ts');
      const { metricOf } = await import('./lab/catalog/metrics.ts');
      const { scriptOf } = await import('./lab/catalog/scenarios.ts');
      const { planExperiment } = await import('./lab/compare/experiment/make-plan.ts');
      const { claims } = await planExperiment('tea-time', {});
      console.log(JSON.stringify([claims.map(({ id, source }) => [id, source]), claimsOf('tea-time').length, metricOf('leaves').unit, scriptOf('tea')]));`,
		);
		assert.deepEqual(JSON.parse(reported), [
			[['T1', 'A cook book']],
			1,
			'count',
			{ SCENARIO: 'tea', SCENARIO_FOLDER: 'experiments/tea-time/k6' },
		]);
		const tests = ['catalog/claims', 'catalog/scenarios', 'catalog/systems', 'diagnose/figures'].map((name) => `lab/${name}.test.ts`);
		await inCopy('--test', '--test-concurrency=1', ...tests);
	});
});
