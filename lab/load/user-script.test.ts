import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { loadDuration, loadStart } from '../../k6/lib/shapes.js';
import { ROOT } from '../base/paths.ts';
import { saying, withDocker } from '../docker/fixtures/docker-program.ts';
import type { UserScript } from './user-script.ts';
import { keptInside, readScript } from './user-script.ts';

const folder = mkdtempSync(join(os.tmpdir(), 'doubletake-script-test-'));
after(() => rmSync(folder, { recursive: true }));
chmodSync(folder, 0o755);
writeFileSync(join(folder, 'load.js'), 'export default function () {}\n');

/** What is known of a script of which k6 says so. */
async function scriptOf(inspected: Record<string, unknown>) {
	const project = { compose: [], entry: 'http://web:80/', services: {}, edges: [], load: { script: 'load.js' } };
	const read = () => readScript({ project, folder, image: 'grafana/k6', say: () => {} });
	const script = await withDocker(saying(JSON.stringify(inspected)), read);
	assert.ok(script);
	return script;
}

const shapeOfScript = async (inspected: Record<string, unknown>) => (await scriptOf(inspected)).shape;

const ramp = {
	executor: 'ramping-vus',
	stages: [
		{ duration: '20s', target: 60 },
		{ duration: '1m', target: 60 },
	],
};

test('a single ramp has the stages of the script, and begins at once', async () => {
	const shape = await shapeOfScript({ scenarios: { default: ramp }, maxVUs: 60 });
	assert.deepEqual(shape.stages, [
		{ duration_s: 20, target: 60 },
		{ duration_s: 60, target: 60, held: true },
	]);
	assert.deepEqual([loadStart(shape), loadDuration(shape), shape.title], [0, 80, 'load.js, as it is: up to 60 users for 80 s']);
});

test('several scenarios are one stage, until the last of them ends', async () => {
	const scenarios = { looking: ramp, buying: { executor: 'constant-vus', vus: 10, duration: '40s', startTime: '1m' } };
	assert.deepEqual((await shapeOfScript({ scenarios, maxVUs: 70 })).stages, [{ duration_s: 100, target: 70 }]);
});

test('a script that may end before its longest time says by what, and that its time is the longest', async () => {
	const scenarios = {
		buy: { executor: 'shared-iterations', vus: 20, iterations: 100_000, maxDuration: '1m' },
		look: { executor: 'per-vu-iterations', vus: 5, iterations: 40 },
		warm: { executor: 'shared-iterations', maxDuration: '30s' },
		stay: { executor: 'constant-vus', vus: 1, duration: '20s', startTime: '5s' },
	};
	const thresholds = { http_req_failed: [{ threshold: 'rate<0.1', abortOnFail: true }] };
	const { ends, title } = await shapeOfScript({ scenarios, maxVUs: 27, thresholds });
	assert.deepEqual(ends, { iterations: { buy: 100_000, look: 200, warm: 1 }, timed_s: 25, aborting: ['http_req_failed'] });
	assert.equal(title, 'load.js, as it is: up to 27 users for at most 600 s');
	assert.deepEqual((await shapeOfScript({ scenarios: { default: ramp }, thresholds })).ends?.aborting, ['http_req_failed']);
	assert.equal((await shapeOfScript({ scenarios: { default: ramp } })).ends, undefined);
});

test('a script that does not say when it ends, or that goes on for hours, is refused', async () => {
	const refused: Record<string, any>[] = [
		{},
		{ soak: { executor: 'constant-vus', vus: 1, duration: '5h' } },
		{ odd: { executor: 'constant-vus', duration: 'x' } },
	];
	for (const scenarios of refused) await assert.rejects(shapeOfScript({ scenarios }), /load\.js: expected a load that ends within an hour/);
});

test('thresholds that may end the script early are told by their metrics', async () => {
	const thresholds = { checks: ['rate>0.99'], http_req_failed: ['rate<0.5', { threshold: 'rate<0.1', abortOnFail: true }] };
	const abortingIn = async (inspected: object) => (await scriptOf({ scenarios: { default: ramp }, ...inspected })).aborting;
	assert.deepEqual(await abortingIn({ thresholds }), ['http_req_failed']);
	assert.deepEqual(await abortingIn({ thresholds: { checks: [{ abortOnFail: false }] } }), []);
	assert.deepEqual(await abortingIn({}), []);
});

test('a scenario that waits for others is known', async () => {
	const one = { executor: 'constant-vus', duration: '40s' };
	const isKnownAtOnce = async (startTime: string) => (await scriptOf({ scenarios: { one, other: { ...one, startTime } } })).isKnownAtOnce;
	assert.deepEqual([await isKnownAtOnce('0s'), await isKnownAtOnce('30s')], [true, false]);
});

test('a script whose iterations arrive at a rate is an open load of so many a second', async () => {
	const constant = {
		executor: 'constant-arrival-rate',
		rate: 90,
		timeUnit: '1m0s',
		startTime: null,
		duration: '30s',
		preAllocatedVUs: 5,
		maxVUs: 20,
	};
	const shape = await shapeOfScript({ scenarios: { default: constant }, maxVUs: 20 });
	assert.deepEqual([shape.model, shape.unit, shape.usersMost, shape.arriving], ['open', 'iterations/s', 20, ['default']]);
	assert.deepEqual(shape.stages, [{ duration_s: 30, target: 1.5, held: true }]);
	assert.equal(shape.title, 'load.js, as it is: up to 1.5 iterations a second by up to 20 users for 30 s');
	const stages = [
		{ duration: '10s', target: 100 },
		{ duration: '20s', target: 100 },
		{ duration: '0s', target: 5 },
	];
	const rising = await shapeOfScript({
		scenarios: { rise: { executor: 'ramping-arrival-rate', startRate: 10, timeUnit: null, stages } },
		maxVUs: 50,
	});
	assert.deepEqual(rising.stages, [
		{ duration_s: 0, target: 10 },
		{ duration_s: 10, target: 100 },
		{ duration_s: 20, target: 100, held: true },
		{ duration_s: 0, target: 5 },
	]);
});

test('of several scenarios those whose iterations arrive are reported; the load is open where all of them do', async () => {
	const arrive = { executor: 'constant-arrival-rate', rate: 50, duration: '30s' };
	const stay = { executor: 'constant-vus', vus: 2, duration: '30s' };
	const of = async (scenarios: any) => {
		const { model, unit, arriving, stages } = await shapeOfScript({ scenarios, maxVUs: 12 });
		return [model, unit, arriving, stages];
	};
	const one = [{ duration_s: 30, target: 12 }];
	assert.deepEqual(await of({ a: arrive, b: arrive }), ['open', 'users', ['a', 'b'], one]);
	assert.deepEqual(await of({ a: arrive, b: stay }), ['closed', 'users', ['a'], one]);
	assert.deepEqual(await of({ b: stay }), ['closed', 'users', [], one]);
});

const SCRIPT = { isInside: true } as unknown as UserScript;
const withSubnets = (...subnets: string[]) => ({
	networks: { default: { ipam: { config: subnets.map((subnet) => ({ subnet })) } } },
});

test('a load stays at private addresses where the networks of the file are private, and the script names no other host', () => {
	const isKept = (script: UserScript | null, config: any) => keptInside(script, config)?.isInside;
	assert.equal(isKept(SCRIPT, {}), true);
	assert.equal(isKept(SCRIPT, withSubnets('172.20.0.0/16', 'fd00:1::/64')), true);
	assert.equal(isKept(SCRIPT, withSubnets('10.0.0.0/8', '30.1.0.0/16')), false);
	assert.equal(isKept({ ...SCRIPT, isInside: false }, {}), false);
	assert.equal(keptInside(null, {}), null);
});

test('names that a script leads to its own machine are known, and no others', async () => {
	const hosts = {
		'Shop.test': '127.0.0.1:8080',
		'api.test': '127.0.0.1',
		'six.test': '[::1]:80',
		'*.x.test': '127.0.0.1',
		'far.test': '192.0.2.1',
	};
	assert.deepEqual((await scriptOf({ scenarios: { default: ramp }, hosts })).hosts, {
		'shop.test': '8080',
		'api.test': '',
		'six.test': '80',
	});
});

test('k6 sees the folder of the script, or that which holds what it imports in the folder of doubletake.yaml', async () => {
	const shop = join(folder, 'own');
	for (const name of ['load', 'data']) mkdirSync(join(shop, name), { recursive: true });
	for (const name of ['load/users.csv', 'data/users.csv']) writeFileSync(join(shop, name), 'ada');
	const project = { compose: [], entry: 'http://web:80/', services: {}, edges: [], load: { script: 'load/buy.js' } };
	const sources = async (opened: string) => {
		writeFileSync(join(shop, 'load/buy.js'), `const users = open('${opened}');\nexport default function () {}\n`);
		const read = () => readScript({ project, folder: shop, image: 'grafana/k6', say: () => {} });
		const script = await withDocker(saying(JSON.stringify({ scenarios: { default: ramp } })), read);
		return script?.places.map(({ source }) => source);
	};
	assert.deepEqual(await sources('./users.csv'), [join(shop, 'load')]);
	assert.deepEqual(await sources('../data/users.csv'), [shop]);
});

test('a path that a script computes is looked for in what is mounted, which is of its folder and of the lab alone', async () => {
	const own = join(folder, 'a,source=/root');
	mkdirSync(own, { recursive: true });
	symlinkSync('/', join(own, 'out'));
	writeFileSync(
		join(own, 'load.js'),
		"const up = ['..', '..', '..', 'etc', 'passwd'].join('/');\nopen(up);\nopen('./o' + 'ut/etc/passwd');\nexport default () => {};\n",
	);
	const project = { compose: [], entry: 'http://web:80/', services: {}, edges: [], load: { script: 'load.js' } };
	const noted = join(own, 'asked');
	const does = `printf '%s\\n' "$@" >> '${noted}'\n${saying(JSON.stringify({ scenarios: { default: ramp } }))}`;
	const script = await withDocker(does, () => readScript({ project, folder: own, image: 'grafana/k6', say: () => {} }));
	assert.deepEqual(script?.places, [{ source: own, target: own, readOnly: true }]);
	const args = readFileSync(noted, 'utf8').split('\n');
	const mounted = args.flatMap((arg, at) => (args[at - 1] === '--mount' ? [arg] : []));
	const [, source] = /^type=bind,"source=([^"]*)","target=\1",readonly$/.exec(mounted[0]) ?? [];
	// A comma in its name says nothing to the engine's client.
	assert.equal(source, own);
	const others = mounted.slice(1).filter((arg) => ![ROOT, os.tmpdir()].some((place) => arg.startsWith(`type=bind,"source=${place}`)));
	assert.deepEqual([others, mounted.length > 1], [[], true]);
});

test('what a script opens elsewhere is refused with its line before k6 is started, and mounted by itself where it is allowed', async () => {
	const [shop, other] = [join(folder, 'shop'), join(folder, 'other')];
	for (const one of [shop, other]) mkdirSync(one);
	writeFileSync(join(other, 'secret.txt'), 'secret');
	writeFileSync(join(shop, 'load.js'), "import './steps.js';\nexport default function () {}\n");
	writeFileSync(join(shop, 'steps.js'), `// Steps.\nconst secret = open('../other/secret.txt');\n`);
	const project = { compose: [], entry: 'http://web:80/', services: {}, edges: [], load: { script: 'load.js' } };
	const read = (...paths: string[]) =>
		withDocker(saying(JSON.stringify({ scenarios: { default: ramp } })), () =>
			readScript({ project, folder: shop, allowed: { paths, variables: [] }, image: 'grafana/k6', say: () => {} }),
		);
	await assert.rejects(read(), (error) => {
		assert.match(String(error), /steps\.js, line 2: ".*other\/secret\.txt"[\s\S]*--allow='?.*other\/secret\.txt'?/);
		return true;
	});
	const script = await read(other);
	assert.deepEqual(
		script?.places.map(({ source }) => source),
		[shop, join(other, 'secret.txt')],
	);
	// A link that is named as if it lay in the folder is no way around it.
	writeFileSync(join(shop, 'steps.js'), `const secret = open('./mine.txt');\n`);
	symlinkSync(join(other, 'secret.txt'), join(shop, 'mine.txt'));
	await assert.rejects(read(), /steps\.js, line 1: ".*mine\.txt", which leads to ".*other\/secret\.txt"/);
});
