import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LiveState } from './live-server.ts';

const STATUS = { stage: 'to 100 users', users: 40, rps: 700, p95Ms: 12, failureRate: 0.1, leftS: 70 };

function described() {
	const state = new LiveState();
	state.describe([
		{ name: 'mongo', tier: 'database', cpuQuotaCores: null },
		{ name: 'app-1', tier: 'app', cpuQuotaCores: 0.5 },
		{ name: 'k6', tier: 'generator', cpuQuotaCores: null },
		{ name: 'database-observer', tier: 'observer', cpuQuotaCores: null },
	]);
	return state;
}

test('services stand in the order in which requests pass them, without those that none passes', () => {
	const { services } = described().snapshot(STATUS);
	assert.deepEqual(
		services.map(({ name, cores, cores_most: most, ended }) => [name, cores, most, ended]),
		[
			['k6', null, null, false],
			['app-1', null, 0.5, false],
			['mongo', null, null, false],
		],
	);
});

test('what a service uses is what it used between the last two readings', () => {
	const state = described();
	state.take('containers', { name: 'app-1', t: 10, cpu_s: 3, fds: { open_files: 80, limit: 1024 } });
	state.take('containers', { name: 'app-1', t: 11, cpu_s: 3.4 });
	state.take('kernel', {
		name: 'app-1',
		t: 11,
		sockets: { inuse: 57 },
		accept: [
			{ port: 1, queued: 2 },
			{ port: 2, queued: 3 },
		],
	});
	state.take('containers', { name: 'nobody', t: 11, cpu_s: 9 });
	const app = state.snapshot(STATUS).services[1];
	assert.deepEqual(
		{ ...app, cores: Number(app.cores?.toFixed(6)) },
		{
			...{ name: 'app-1', tier: 'app', cores: 0.4, cores_most: 0.5, connections: 57, connections_most: null, waiting: 5 },
			...{ files: null, files_most: null, ended: false },
		},
	);
});

test('a service whose table has so many slots is reported with them', () => {
	const state = new LiveState();
	state.limit('nginx', 1024);
	state.describe([{ name: 'nginx', tier: 'load-balancer', cpuQuotaCores: null }]);
	state.take('kernel', { name: 'nginx', t: 1, sockets: { inuse: 966 } });
	const [{ connections, connections_most: most }] = state.snapshot(STATUS).services;
	assert.deepEqual([connections, most], [966, 1024]);
});

test('one that ended is reported as such until it is back', () => {
	const state = described();
	state.take('events', { name: 'mongo', t: 1, action: 'die' });
	assert.equal(state.snapshot(STATUS).services[2].ended, true);
	state.take('events', { name: 'mongo', t: 2, action: 'start' });
	assert.equal(state.snapshot(STATUS).services[2].ended, false);
});

test('now is told apart from the seconds that the figures are of, both from the start of the load', () => {
	const state = described();
	const { services: _, ...reported } = state.snapshot({ ...STATUS, nowS: 49.2, ofS: [37.2, 42.2], isLongest: true });
	assert.deepEqual(reported, {
		...{ t_s: 49.2, of_s: [37.2, 42.2], stage: 'to 100 users', users: 40, rps: 700, p95_ms: 12, failed: 0.1 },
		...{ left_s: 70, is_longest: true },
	});
	const before = state.snapshot(STATUS);
	assert.deepEqual([before.t_s, before.of_s, before.is_longest], [null, null, false]);
});
