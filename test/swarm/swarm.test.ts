/**
 * Runs on a Swarm of three engines, each with a network of its own: the same diagnosis as on one engine though a generator is killed, a
 * host that is cut off in the middle of a run, and a system that is none of the lab's.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { parseEnv } from 'node:util';
import { ENV_FILE, ROOT } from '../../lab/base/paths.ts';
import type { Result } from '../../lab/record/types.js';
import {
	assertRan,
	doubletakeIn,
	inLoad,
	machineImages,
	newestProjectRun,
	readManifest,
	readResult,
	saysSo,
	start,
} from '../e2e/commands.ts';
import { Engines } from './engines.ts';

const START_LIMIT_MS = 300_000;
const RUN_LIMIT_MS = 240_000;
/** Of each host. Both nodes would run on one host if it were the only one that may run them. */
const LABELS = [['generator', 'load-balancer', 'app'], ['app'], ['database']];
/** What each has before the first run, while the runs of others go on. What else its services need the lab brings to a host: the app's. */
const IMAGES = [['APP_IMAGE', 'NODE_IMAGE', 'NGINX_IMAGE', 'MONGO_IMAGE', 'K6_IMAGE'], ['NODE_IMAGE'], ['MONGO_IMAGE']];
const HELPERS = 'label=doubletake.helper';
const LOOK_MS = 200;
/** A file that `make test` names, and removes when no load is made any more beside these runs. Without it there is none. */
const { DOUBLETAKE_TEST_LOADED: LOADED = '' } = process.env;
/** Of all runs that are made meanwhile. */
const LOADED_LIMIT_MS = 900_000;
/** Of a cut that lasts to the end of the load, under a time-out of 2 s, only what was under way in the first moment had got further. */
const UNREACHED_LEAST = 0.75;
/** What a node that is slow for a moment costs requests by. */
const LATE = ['answer-lost', 'client-gave-up', 'event-loop-busy'];
/** Of the failed, by each: a time-out and an answer that meet. */
const LATE_MOST = 0.01;

/** Of Nginx before a program that fails one request in twenty; with consent Nginx has each request on record. */
const OWN = `compose: [compose.yaml]
entry: http://edge:8000/
services:
  edge: { tier: load-balancer, product: nginx, watch: 2 }
  web: { tier: app, product: node, watch: 1 }
edges: [[edge, web]]
load: { urls: ["GET /"], shape: brief, users: 20, think_ms: 50 }
`;

let engines: Engines;
let variables: Record<string, string>;

before(
	async () => {
		engines = await Engines.start(LABELS.length);
		const images = parseEnv(await readFile(ENV_FILE, 'utf8')) as Record<string, string>;
		for (const number of engines.numbers) {
			await engines.copyImages(
				number,
				IMAGES[number - 1].map((name) => images[name]),
			);
			const labels = LABELS[number - 1].flatMap((label) => ['--label-add', `doubletake.${label}=yes`]);
			await engines.docker(1, ['node', 'update', ...labels, engines.name(number)]);
		}
		variables = {
			DOCKER_HOST: `unix://${engines.socket(1)}`,
			HOSTS: engines.numbers
				.slice(1)
				.map((number) => `${engines.name(number)}=unix://${engines.socket(number)}`)
				.join(' '),
		};
		for (const endsAt = Date.now() + LOADED_LIMIT_MS; existsSync(LOADED); await wait(LOOK_MS))
			if (Date.now() > endsAt) throw new Error(`${LOADED} is still there after ${LOADED_LIMIT_MS / 1000} s`);
	},
	{ timeout: START_LIMIT_MS + LOADED_LIMIT_MS },
);
after(() => engines?.stop(), { timeout: START_LIMIT_MS });

/** Of the run that said this. */
function folderIn(output: string) {
	const [, report] = /report: (\S+)/.exec(output) ?? [];
	assert.ok(report, output);
	return join(ROOT, dirname(report));
}

/**
 * @param name of a generator
 * @returns its main process, as soon as it runs
 */
async function processOf(name: string): Promise<number> {
	const endsAt = Date.now() + RUN_LIMIT_MS;
	for (;;) {
		const { stdout: id } = await engines.docker(1, ['ps', '--quiet', '--filter', `label=doubletake.name=${name}`]);
		if (id !== '') return Number((await engines.docker(1, ['inspect', '--format', '{{.State.Pid}}', id])).stdout);
		if (Date.now() > endsAt) throw new Error(`${name} never ran`);
		await wait(LOOK_MS);
	}
}

/** Nothing of a run is left on any host. */
async function assertHostsAreClean() {
	for (const number of engines.numbers) {
		for (const filter of ['label=com.docker.stack.namespace', HELPERS]) {
			const { stdout } = await engines.docker(number, ['ps', '--all', '--quiet', '--filter', filter]);
			assert.equal(stdout, '', `${engines.name(number)}: ${filter}`);
		}
		const { stdout: volumes } = await engines.docker(number, ['volume', 'ls', '--quiet', '--filter', 'label=doubletake.lab=yes']);
		assert.equal(volumes, '', engines.name(number));
	}
}

describe('swarm 2a LOAD=smoke with two generators, and one is killed', () => {
	let result: Result;

	before(
		async () => {
			const child = start('lab/doubletake', ['swarm', '2a', 'LOAD=smoke', 'GENERATORS=2'], { variables, limitMs: RUN_LIMIT_MS });
			// What is killed is found out before the load, so that nothing but the kill, which takes no time, has to be within its seconds.
			const [pid] = await Promise.all([processOf('k6-2'), inLoad(child, 'smoke')]);
			process.kill(pid, 'SIGKILL');
			result = await readResult(folderIn(String((await child).all)));
		},
		{ timeout: RUN_LIMIT_MS },
	);

	test('the run is INVALID, with how much of the load was not made', () => {
		assert.equal(result.validity.verdict, 'INVALID');
		assert.match(result.validity.reasons.join('\n'), /% of the load was not made/);
	});

	test('the balancer’s table loses what fails, as on one engine, and no node loses anything', () => {
		const { failures, unattributed } = result.ledger;
		const [worst, ...others] = failures.toSorted((one, other) => other.count - one.count);
		assert.equal(worst?.tier, 'load-balancer');
		assert.match(worst.cause, /^connection-table-full/);
		// What the killed one had under way is its own.
		assert.deepEqual(
			others.filter(({ tier }) => !['generator', 'load-balancer'].includes(tier)).map(({ tier, cause, count }) => [tier, cause, count]),
			[],
		);
		assert.equal(unattributed, 0);
		assert.ok(result.metrics.requests > 0);
	});

	test('each host says what ran on it, and that all are one machine', () => {
		const hosts = result.hosts ?? [];
		assert.deepEqual(
			hosts.map(({ name }) => name),
			['host1', 'host2', 'host3'],
		);
		const ran = hosts.map(({ services }) => services);
		for (const name of ['k6-1', 'k6-2', 'nginx']) assert.ok(ran[0].includes(name), JSON.stringify(ran));
		assert.ok(ran[2].includes('mongo'), JSON.stringify(ran));
		assert.deepEqual(hosts[1].beside, ['host1', 'host3']);
		for (const { clock_offset_s: offset } of hosts.slice(1)) assert.ok(offset !== null && Math.abs(offset) < 0.5, String(offset));
		for (const service of ran.flat()) assert.ok(Number(result.resources[service]?.cpu_cores.max) > 0, service);
	});

	test('nothing is left on any host', assertHostsAreClean);
});

describe('swarm 2a-slots, and a host is cut off', () => {
	let result: Result;
	let services: { name: string; host: string; tier: string }[] = [];
	/** The node on the second host. */
	let lost = '';

	before(
		async () => {
			const child = start('lab/doubletake', ['swarm', '2a-slots', 'LOAD=steady', 'TIMEOUT=2000'], { variables, limitMs: RUN_LIMIT_MS });
			await inLoad(child, 'steady');
			await engines.cut(2);
			// The Swarm takes about 15 s of the 40 to notice. Of a host that is back within the load Swarm would end what ran on it.
			await saysSo(child, /collecting the record/);
			await engines.mend(2);
			const folder = folderIn(String((await child).all));
			result = await readResult(folder);
			services = (await readManifest(folder)).services;
			lost = services.find(({ host, tier }) => host === 'host2' && tier === 'app')?.name ?? '';
		},
		{ timeout: RUN_LIMIT_MS },
	);
	after(() => engines.mend(2));

	test('the two nodes began on two hosts', () => {
		const nodes = services.filter(({ tier }) => tier === 'app');
		assert.deepEqual(nodes.map(({ host }) => host).toSorted(), ['host1', 'host2'], JSON.stringify(nodes));
	});

	test('the host is on the timeline', () => {
		const [down] = result.faults.filter(({ text }) => text === 'host2 down');
		assert.ok(down?.began_s !== null, JSON.stringify(result.faults));
	});

	test('nearly all is placed on the way to the node there, and nothing on the other node', () => {
		const { failures, unattributed } = result.ledger;
		assert.equal(unattributed, 0);
		const reported = JSON.stringify(failures.map(({ tier, service, cause, count }) => [tier, service, cause, count]));
		const unreached = failures.filter(({ tier, service, cause }) => tier === 'app' && service === lost && cause === 'unreachable');
		assert.ok(unreached.length > 0 && unreached[0].share > UNREACHED_LEAST, reported);
		assert.ok(unreached[0].evidence.some((evidence) => evidence.kind === 'count' && evidence.text.startsWith('host2 down')));
		// The node that was there all the time lost hardly any, and neither did the balancer, whose table has room: that node has the load of two
		// then, on the cores of all, and what is answered in the moment in which its user gives up is answered too late.
		const isLate = ({ cause, share }: (typeof failures)[number]) => LATE.includes(cause) && share < LATE_MOST;
		for (const failure of failures) {
			const isOfOther = (failure.tier === 'app' && failure.service !== lost) || failure.tier === 'load-balancer';
			assert.ok(!isOfOther || isLate(failure), reported);
		}
	});

	test('counts add up across the hosts', () => {
		for (const { statement, left, right, holds } of result.ledger.checks) assert.ok(holds, `${statement}: ${left} and ${right}`);
	});

	test('nothing is left on any host', assertHostsAreClean);
});

describe('doubletake swarm in the folder of a user’s own system', () => {
	let folder = '';
	let result: Result;
	let manifest: any;

	before(
		async () => {
			folder = await mkdtemp(join(os.tmpdir(), 'doubletake-own-'));
			await cp(join(ROOT, 'test/own'), folder, { recursive: true });
			// Whose containers read it is another user.
			await chmod(folder, 0o755);
			await writeFile(join(folder, 'doubletake.yaml'), OWN);
			assertRan(await doubletakeIn(folder, ['swarm'], { ...variables, ...(await machineImages()) }));
			const run = await newestProjectRun(folder);
			[result, manifest] = [await readResult(run), await readManifest(run)];
		},
		{ timeout: RUN_LIMIT_MS },
	);
	after(() => rm(folder, { recursive: true, force: true }));

	test('each service stands where its tier may, and away from the load where it can', () => {
		const placed = manifest.services.map(({ name, host }: { name: string; host: string }) => `${name} ${host}`);
		assert.deepEqual(placed.toSorted(), ['edge host1', 'k6 host1', 'web host2']);
	});

	test('all that fails is placed at the program that answers with an error, and nothing else is lost', () => {
		const { failures, unattributed, checks } = result.ledger;
		assert.deepEqual(
			failures.map(({ tier, service, cause }) => [tier, service, cause]),
			[['app', 'web', 'app-error']],
		);
		assert.equal(unattributed, 0);
		// One in twenty, whatever the number.
		assert.ok(Math.abs(result.metrics.failures - result.metrics.requests / 20) <= 1, JSON.stringify(result.metrics));
		for (const { statement, left, right, holds } of checks) assert.ok(holds, `${statement}: ${left} and ${right}`);
	});

	test('nothing is left on any host', assertHostsAreClean);
});
