/**
 * What each command takes of the options, and how it refuses the others. The text is what users read: where one of these tests fails,
 * either the change was meant (`node test/static/refusals.test.ts --write`), or something was lost.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

const GOLDEN = new URL('refusals.json', import.meta.url);
const folder = mkdtempSync(join(os.tmpdir(), 'doubletake-refusals-'));
after(() => rmSync(folder, { recursive: true }));
// Whatever is not refused gets as far as the engine, or as what it should read, and no further.
process.env.DOCKER_HOST = `unix://${join(folder, 'no-engine.sock')}`;
process.env.DOUBLETAKE_REPORTS = join(folder, 'reports');
writeFileSync(
	join(folder, 'doubletake.yaml'),
	'compose: [compose.yaml]\nservices:\n  web: { product: opaque, watch: 0, entry: http://web:80 }\nload: { urls: [/] }\n',
);

const { bench } = await import('../../lab/verify/overhead/targets.ts');
const { calibrate } = await import('../../lab/compare/calibrate.ts');
const { excerpt } = await import('../../lab/compare/experiment/excerpt.ts');
const { listen } = await import('../../lab/fixtures/reporter.ts');
const { NO_PERMISSION } = await import('../../lab/options/allowed.ts');
const { newAll } = await import('../../lab/compare/experiment/all-manifest.ts');
const { REFUSABLE } = await import('../../lab/options/accepted-options.ts');
const { planComparison, planExperiment } = await import('../../lab/compare/experiment/make-plan.ts');
const { planNodes } = await import('../../lab/capacity/plan-nodes.ts');
const { planProjectComparison, planProjectExperiment } = await import('../../lab/compare/experiment/project-plan.ts');
const { printManifests } = await import('../../lab/extras/kubernetes/print.ts');
const { replay } = await import('../../lab/cli/replay.ts');
const { run, runOnSwarm } = await import('../../lab/cli/commands.ts');
const { limit } = await import('../../lab/limit/limit.ts');
const { selftest } = await import('../../lab/verify/selftest/targets.ts');

const { readArm } = await import('../../lab/options/arms.ts');

type Env = Record<string, string>;

const { reporter } = listen();
const around = { reporter, signal: AbortSignal.abort() };
const asked = { folder, permission: NO_PERMISSION };
const own = { permission: NO_PERMISSION, ...around };
/** Without a system of its own. */
const nowhere = join(folder, 'none');
const ask = () => assert.fail('it would begin');
const given = { folder, permission: NO_PERMISSION, say: () => {}, signal: around.signal };

/** Each as the command line gives it. */
const COMMANDS: Record<string, (env: Env) => unknown> = {
	'run a': (env) => run({ architecture: 'a', ...asked }, env, around),
	'run tickets-1': (env) => run({ architecture: 'tickets-1', ...asked }, env, around),
	'run pools': (env) => run({ architecture: 'pools', ...asked }, env, around),
	'run tokyo': (env) => run({ architecture: 'tokyo', ...asked }, env, around),
	'swarm 2a': (env) => runOnSwarm({ architecture: '2a', ...asked }, env, around),
	'kubernetes 2a': (env) => printManifests('2a', env, reporter),
	'compare A=a B=2a': (env) => planComparison({ A: 'a', B: '2a', ...env }),
	'compare A=crud B=crud': (env) => planComparison({ A: 'crud', B: 'crud', ...env }),
	'experiment workers': (env) => planExperiment('workers', env),
	'experiment all': (env) => newAll(env),
	'bench-overhead': (env) => bench(nowhere, env, own),
	'bench-overhead CAPTURE=1': (env) => bench(nowhere, { CAPTURE: '1', ...env }, own),
	selftest: (env) => selftest(nowhere, env, { ask, ...own }),
	'selftest FAULTS=again': (env) => selftest(nowhere, { FAULTS: 'again', ...env }, { ask, ...own }),
	replay: (env) => replay(join(folder, 'none'), env, reporter),
	excerpt: (env) => excerpt(folder, folder, env, reporter),
	plan: (env) => planNodes(join(folder, 'none'), env, reporter),
	calibrate: (env) => calibrate(env, around),
	'an arm': (env) => readArm('A', `crud:${Object.entries(env).map(([name, value]) => `${name}=${value}`)}`),
	'run (own)': (env) => run(asked, env, around),
	'compare (own)': (env) => planProjectComparison({ ...given, a: ['rev:HEAD'], b: [], env }),
	'experiment (own)': (env) => planProjectExperiment({ ...given, file: 'experiment.yaml', env }),
	'limit (own)': (env) => limit(env, { folder, ...own }),
	'selftest (own)': (env) => selftest(folder, env, own),
	'bench-overhead (own)': (env) => bench(folder, env, own),
};
/** What is wrong with each, of the commands that read it. */
const WRONG: [string, Env][] = [
	...['LOAD', 'BUDGET', 'IMAGES', 'BUSY', 'SEED', 'USERS', 'DELAY', 'INTEGRITY', 'DASHBOARD', 'CAPTURE', 'GENERATORS'].map(wrong('run a')),
	...['TIMEOUT', 'RETRIES', 'BACKOFF', 'RETRY_BUDGET', 'RETRY_AFTER', 'EXPECT', 'FAULT'].map(wrong('run a')),
	['run a', { LOAD: 'patient', THINK: '0' }],
	['run a', { LOAD: 'open', RATE: '0' }],
	['run a', { LOAD: 'open', RATE: '0%' }],
	['run a', { BACKOFF: '5' }],
	['run a', { DASHBOARD: '1', GENERATORS: '2' }],
	['run a', { USERS: '6000' }],
	['run a', { THINK: '3' }],
	['run tickets-1', { BUDGET: 'fair' }],
	['run tokyo', { THREADS: 'x' }],
	['run pools', { VARIANT: 'x' }],
	['swarm 2a', { HOSTS: 'x' }],
	['compare A=a B=2a', { A: '3z' }],
	['compare A=a B=2a', { REPEATS: '0' }],
	['experiment workers', { ARMS: '3z' }],
	['bench-overhead', { PARTS: 'x' }],
	['replay', { WRITE: 'x' }],
	['plan', { TARGET_RPS: 'x' }],
	['plan', {}],
	['run (own)', { SEED: 'x' }],
	['run (own)', { BUSY: 'x' }],
	['run (own)', { LOAD: 'patient' }],
	['run (own)', { LOAD: 'open' }],
	['run (own)', { LOAD: 'open', RATE: '40', THINK: '5' }],
	['run (own)', { BUDGET: 'fair' }],
	['compare (own)', { BACKOFF: '5' }],
	['limit (own)', { RATE: '40%' }],
];

function wrong(command: string): (name: string) => [string, Env] {
	return (name) => [command, { [name]: 'x!' }];
}

/** what it says, with the folder's name taken out */
async function saidOf(command: string, env: Env): Promise<string> {
	try {
		await COMMANDS[command](env);
		return '';
	} catch (error) {
		const said = String(error instanceof Error ? error.message : error).replaceAll(folder, '<folder>');
		// Of a long list its begin: what is in it tables say.
		return said.replace(/(expected (?:one|some) of (?:[^ ,]+,\s*){3})(?:[^ ,]+,\s*){4,}[^ ;]+/, '$1...');
	}
}

/** Of these 3 is no value. */
const SWITCHES = ['INTEGRITY', 'DASHBOARD', 'STRICT', 'CAPTURE', 'PARTS', 'WRITE', 'RETRY_AFTER'];
const givenTo = (name: string) => (SWITCHES.includes(name) ? '1' : '3');
/** What says that a variable is none of a command's, and not that its value is wrong. */
const REFUSES = /expected (none|no [A-Z])|^EXPECT: expected a single|^ARMS: expected an experiment|: expected one of [A-Z]+, /;

/** All that are neither taken nor refused in other words. */
const OTHERS = 'all others';

/** Most refusals are one sentence: it is noted once, with the names that it is said of. */
async function refusalsOf(command: string) {
	const takes: string[] = [];
	const refuses: Map<string, string[]> = new Map();
	for (const name of REFUSABLE) {
		const said = await saidOf(command, { [name]: givenTo(name) });
		if (!REFUSES.test(said)) {
			takes.push(name);
			continue;
		}
		const sentence = said
			// The end of it: accepted-options.test.js.
			.replace(/; found ".*"\.\n {2}To do: leave it out; it has an effect .*/, ' ...')
			.replace(new RegExp(`(?<![A-Z_])${name}(?![A-Z_])`, 'g'), 'NAME')
			.replace(`found "${givenTo(name)}"`, 'found "..."');
		refuses.set(sentence, [...(refuses.get(sentence) ?? []), name]);
	}
	const most = Math.max(...[...refuses.values()].map(({ length }) => length));
	const noted = [...refuses].map(([sentence, names]) => [sentence, names.length === most ? OTHERS : names.join(' ')]);
	return { takes: takes.join(' '), refuses: Object.fromEntries(noted) };
}

const callOf = (command: string, env: Env) => [command, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)].join(' ');

if (process.argv.includes('--write')) {
	const found: { refusals: Record<string, unknown>; wrong: Record<string, string> } = { refusals: {}, wrong: {} };
	for (const command of Object.keys(COMMANDS)) found.refusals[command] = await refusalsOf(command);
	for (const [command, env] of WRONG) found.wrong[callOf(command, env)] = await saidOf(command, env);
	writeFileSync(GOLDEN, `${JSON.stringify(found, null, '\t')}\n`);
}
const golden = JSON.parse(readFileSync(GOLDEN, 'utf8'));

for (const command of Object.keys(COMMANDS))
	test(`what ${command} takes, and how it refuses the rest`, async () => {
		assert.deepEqual(await refusalsOf(command), golden.refusals[command]);
	});

test('what is said of a value that cannot be taken', async () => {
	for (const [command, env] of WRONG) assert.equal(await saidOf(command, env), golden.wrong[callOf(command, env)], callOf(command, env));
});
