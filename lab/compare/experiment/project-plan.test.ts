import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, mock, test } from 'node:test';
import { execa } from 'execa';
import { allowPaths } from '../../base/files.ts';
import { folderOf } from '../../catalog/architectures.ts';
import { projectIn } from '../../catalog/project-file.ts';
import { docker } from '../../docker/docker.ts';
import { withDocker } from '../../docker/fixtures/docker-program.ts';
import { NO_PERMISSION } from '../../options/allowed.ts';
import { readGivenArm } from '../../options/arms.ts';
import type { Plan } from '../plan.ts';
import { systemsOf } from '../planned-systems.ts';
import { readQuestion } from './experiment-file.ts';
import { planProjectComparison, planProjectExperiment, planProjectValues } from './project-plan.ts';

let folder = '';
/** A system in a repository, of which the first revision is called v1. */
let shop = '';
before(async () => {
	folder = await mkdtemp(join(os.tmpdir(), 'doubletake-test-'));
	await writeFile(
		join(folder, 'doubletake.yaml'),
		'compose: [compose.yaml]\nentry: http://web:80/\nservices:\n  web: { tier: app, product: opaque, watch: 0 }\nload:\n  urls: ["GET /"]\n',
	);
	shop = join(folder, 'shop');
	await mkdir(shop);
	const service = (tier: string) => `{ tier: ${tier}, product: opaque, watch: 0 }`;
	await writeFile(
		join(shop, 'doubletake.yaml'),
		`compose: [compose.yaml]
entry: http://web:80/
services:
  web: ${service('app')}
  cache: ${service('cache')}
  cron: ${service('other')}
edges:
  - [web, cache]
load:
  urls: ["GET /"]
`,
	);
	for (const file of ['compose.yaml', 'lean.yaml']) await writeFile(join(shop, file), 'services: { web: {}, cache: {}, cron: {} }\n');
	const identity = ['user.name=Ada', 'user.email=ada@example.org', 'commit.gpgsign=false'].flatMap((setting) => ['-c', setting]);
	for (const args of [
		['init', '--quiet'],
		['add', '.'],
		['commit', '--quiet', '--message', 'one'],
		['tag', 'v1'],
	])
		await execa('git', [...identity, ...args], { cwd: shop });
});
after(() => rm(folder, { recursive: true }));

/** Each of these is refused before Compose is asked. */
const refused: (given: { a?: string[]; b?: string[] }, env: Record<string, string>, text: RegExp, at?: string) => Promise<void> = (
	{ a = [], b = [] },
	env,
	text,
	at = folder,
) =>
	assert.rejects(
		planProjectComparison({ folder: at, a, b, permission: NO_PERMISSION, env, say: () => {}, signal: new AbortController().signal }),
		text,
	);

test('a link in the place of a file of the folder is not read, so that no error quotes it', async () => {
	const led = join(folder, 'led');
	await mkdir(led);
	await writeFile(join(folder, 'key'), 'token-1234: [');
	await writeFile(
		join(led, 'doubletake.yaml'),
		(await readFile(join(folder, 'doubletake.yaml'), 'utf8')).replace('urls: ["GET /"]', 'openapi: a.yaml'),
	);
	for (const name of ['a.yaml', 'experiment.yaml']) await symlink('../key', join(led, name));
	await refused({ b: ['POOL=2'] }, {}, /load\.openapi: "a\.yaml", which leads to/, led);
	await assert.rejects(readQuestion(led, 'experiment.yaml'), /^NotReadyError: experiment\.yaml: expected a file of .* leads to .*key\./);
	await rm(join(led, 'doubletake.yaml'));
	await symlink('../key', join(led, 'doubletake.yaml'));
	await assert.rejects(projectIn(led), /^NotReadyError: doubletake\.yaml: expected a file of .* leads to .*key\./);
	allowPaths([await realpath(folder)]);
	await assert.rejects(projectIn(led), /expected YAML/);
	allowPaths([]);
});

test('what is of shipped architectures, of a single run or of a plan that goes on is refused by name', async () => {
	for (const name of ['ARMS', 'EXPECT'])
		await refused(
			{},
			{ [name]: 'x' },
			new RegExp(`^NotReadyError: ${name}: expected none, because it changes nothing about your own system`),
		);
	await refused({ a: ['POOL=8'] }, { BASELINE: 'x' }, /BASELINE: expected its runs for the first arm; found --a POOL=8 too/);
	await refused({ a: ['POOL=8'] }, { RESUME: 'reports/compare/x' }, /RESUME: expected none [\s\S]*leave out --a and --b to go on with it/);
	await refused({}, { DELAY: '5' }, /DELAY: expected none, because it changes nothing about your own system/);
});

test('blocks, seed and arms are read before anything is asked', async () => {
	await refused({}, { REPEATS: '0' }, /REPEATS: expected a whole number from 1/);
	await refused({}, { SEED: 'x' }, /SEED: expected a whole number/);
	await refused({ b: ['rev:'] }, {}, /--b: expected a git revision/);
});

test('options of both arms, and of each, are read before anything is asked', async () => {
	await refused({}, { LOAD: 'open' }, /LOAD=open: expected RATE with it/);
	await refused({ b: ['.:RETRIES=x'] }, {}, /RETRIES: expected a whole number/);
	await refused({ b: ['.:BACKOFF=50'] }, {}, /BACKOFF: expected RETRIES with it/);
	await refused({ b: ['.:BACKOFF=50', 'tuned.yaml'] }, { RETRIES: '1' }, /expected a Compose file/);
});

test('a folder without doubletake.yaml, and a Compose file that is not there, are told', async () => {
	await refused({}, {}, /compare: expected doubletake\.yaml in \/nowhere, or two architectures; found neither/, '/nowhere');
	await refused({ a: ['tuned.yaml'] }, {}, /--a: expected a Compose file "tuned\.yaml" in /);
});

test('in the folder of a shipped system its arms are asked for by their names', () =>
	refused(
		{},
		{},
		/^NotReadyError: compare: expected two architectures, .* found the folder of 2a\.\n.*A=2a B=<architecture>/s,
		folderOf('2a'),
	));

test('an experiment without its file, or with options of another command, is refused', async () => {
	const asked = { folder, permission: NO_PERMISSION, say: () => {}, signal: new AbortController().signal };
	await assert.rejects(
		planProjectExperiment({ ...asked, file: 'experiment.yaml', env: {} }),
		/experiment: expected experiment\.yaml in .*; found none/,
	);
	for (const name of ['BASELINE', 'EXPECT', 'A'])
		await assert.rejects(
			planProjectExperiment({ ...asked, file: 'experiment.yaml', env: { [name]: 'x' } }),
			new RegExp(`^NotReadyError: ${name}: expected none, because it changes nothing about your own system`),
		);
});

test('a dot is the folder as it is', () => {
	assert.deepEqual(readGivenArm('--b', ['.']), { ...readGivenArm('--b', []), given: ['.'] });
});

afterEach(() => mock.restoreAll());

/** A Compose that resolves variables; what lean.yaml has is a shop without its cache. */
const COMPOSE = `case "$*" in
*lean.yaml*) cache= ;;
*) cache=', "cache": { "image": "acme/cache:1", "cpus": 0.5 }' ;;
esac
cat <<END
{ "name": "run", "services": {
  "web": { "image": "acme/web:1", "environment": { "POOL": "$POOL" }, "deploy": { "replicas": \${N:-1} } },
  "cron": { "image": "acme/cron:1" }$cache
} }
END`;

type Asked = { env?: Record<string, string>; allowData?: boolean; file?: string; a?: string[]; b?: string[] };

/** A plan of the shop, and what is said of it. */
async function planned(
	make: (given: any) => Promise<Plan>,
	{ env = {}, allowData = false, ...asked }: Asked,
): Promise<{ plan: Plan; notes: string[] }> {
	mock.method(docker, 'info', async () => ({}));
	mock.method(docker, 'listContainers', async () => []);
	mock.method(docker, 'listNetworks', async () => []);
	const notes = [] as string[];
	const given = {
		folder: shop,
		permission: { ...NO_PERMISSION, allowData },
		env,
		signal: new AbortController().signal,
		say: (text: string) => notes.push(text),
	};
	return { plan: await withDocker(COMPOSE, () => make({ ...given, ...asked })), notes };
}

const compared = (a: string[], b: string[], asked: Asked = {}) => planned(planProjectComparison, { a, b, ...asked });

/** @param text of its file */
async function experimented(text: string, { file = 'experiment.yaml', ...asked }: Asked & { file?: string } = {}) {
	await writeFile(join(shop, file), text);
	return planned(planProjectExperiment, { file, ...asked });
}

test('each arm says what is run for it, and which services of doubletake.yaml only the other has', async () => {
	const { plan } = await compared(['rev:v1'], ['lean.yaml', 'POOL=8']);
	const [base, other] = plan.arms;
	const { stdout: commit } = await execa('git', ['rev-parse', 'v1'], { cwd: shop });
	assert.deepEqual([base.id, other.id], ['rev:v1', 'lean.yaml, POOL=8']);
	assert.deepEqual(
		[base.architecture, base.resolved?.commit, base.resolved?.title],
		['shop', commit, `shop at v1 (${String(commit).slice(0, 7)})`],
	);
	assert.deepEqual([base.resolved?.absent, other.resolved?.absent], [[], ['cache']]);
	assert.deepEqual(
		[other.variables, other.resolved?.compose, other.resolved?.given],
		[{ POOL: '8' }, ['lean.yaml'], ['lean.yaml', 'POOL=8']],
	);
});

test('an arm has the options of its arm alone, and one without has none', async () => {
	const [base, other] = (await compared([], ['.:RETRIES=2'])).plan.arms;
	assert.deepEqual([base.resolved && 'options' in base.resolved, other.resolved?.options, other.variables], [false, { RETRIES: '2' }, {}]);
	assert.deepEqual([base.id, other.id], ['shop', 'RETRIES=2']);
});

test('the folder as it is on both arms is an A/A control, and that is said', async () => {
	const { plan, notes } = await compared([], ['.']);
	assert.deepEqual(
		plan.arms.map(({ id }) => id),
		['shop', 'shop again'],
	);
	assert.deepEqual(notes, ['note: to Compose shop and shop again are one system: this is an A/A control.']);
});

test('of two arms that differ nothing is said', async () => {
	assert.deepEqual((await compared(['POOL=8'], ['.'])).notes, []);
});

test('arms of an experiment have the names that were given, and of three each lacks what any other has', async () => {
	const { plan } = await experimented('question: Q\narms: { today: , eight: [lean.yaml, POOL=8], nine: [lean.yaml, POOL=9] }\n');
	assert.deepEqual(
		plan.arms.map(({ id, resolved }) => [id, resolved?.absent]),
		[
			['today', []],
			['eight', ['cache']],
			['nine', ['cache']],
		],
	);
});

test('the command repeats it with its order, and with the arms that were wanted', async () => {
	const { command } = (await compared(['rev:v1'], ['POOL=8'], { env: { SEED: '7', REPEATS: '8' }, allowData: true })).plan;
	assert.match(command, /^REPEATS=8 SEED=7 \S*doubletake compare --a '?rev:v1'? --b POOL=8 --allow$/);
	assert.match(
		(await compared([], ['.'], { env: { SEED: '1', REPEATS: '2' } })).plan.command,
		/^REPEATS=2 SEED=1 \S*doubletake compare --b \.$/,
	);
	const { plan } = await experimented('question: Q\narms: { one: POOL=1, two workers: POOL=2, three: POOL=3 }\n', {
		file: 'pool.yaml',
		env: { ARMS: 'one,two workers', SEED: '1', REPEATS: '2' },
	});
	assert.match(plan.command, /^ARMS='one,two workers' REPEATS=2 SEED=1 \S*doubletake experiment pool\.yaml$/);
});

test('a service on the way without a CPU quota is told before a curve is measured', async () => {
	const text =
		'question: Q\narms: { one: N=1, two: N=2, three: N=3, four: N=4 }\nnodes: { of: web, arms: { one: 1, two: 2, three: 3, four: 4 } }\n';
	assert.deepEqual((await experimented(text)).notes, [
		"note: no CPU quota for web: no capacity plan can be made of this experiment; give one, as in BUDGET='web=0.2'.",
	]);
	assert.deepEqual((await experimented(text, { env: { BUDGET: 'web=0.2' } })).notes, []);
});

const swept = (values: string[], asked: Asked = {}) => planned(planProjectValues, { values, a: [], b: [], ...asked } as any);

test('several values of a variable are one plan: each with each other, in every repetition, with a curve over their numbers', async () => {
	const { plan, notes } = await swept(['POOL=20,2,5,10'], { env: { SEED: '7' } });
	assert.deepEqual(notes, []);
	assert.deepEqual(plan.curve?.x, { 'POOL=2': 2, 'POOL=5': 5, 'POOL=10': 10, 'POOL=20': 20 });
	// The least p of 8 repetitions times 2 gates and 6 pairs is 0.094, of 9 repetitions 0.047.
	assert.deepEqual([plan.pairs.length, plan.schedule.length, plan.schedule[8].length], [6, 9, 4]);
	assert.match(plan.command, /^REPEATS=9 SEED=7 \S*doubletake compare POOL=2,5,10,20$/);
	assert.match(systemsOf(plan).command(['RESUME=reports/x']), /^RESUME=reports\/x \S*doubletake compare$/);
	assert.match(systemsOf(plan).again(), /doubletake compare POOL=2,5,10,20$/);
	const { curve, schedule } = (await swept(['POOL=small,large'])).plan;
	assert.deepEqual([curve, schedule.length], [null, 8]);
});

test('values of several variables, twice the same, or of what no file reads are refused', async () => {
	for (const values of [['POOL=2,5', 'N=1,2'], ['POOL=2,2']])
		await assert.rejects(swept(values), /expected 2 to 12 values of one variable/);
	await assert.rejects(swept(['IDLE=1,2']), /IDLE: expected a variable that compose\.yaml reads/);
	await assert.rejects(swept(['POOL=2,5'], { a: ['POOL=1'] }), /expected POOL=2,5 alone; found --a or --b too/);
	await assert.rejects(swept(['POOL=2,5'], { env: { FAIL_ON: 'worse' } }), /FAIL_ON: expected none/);
});
