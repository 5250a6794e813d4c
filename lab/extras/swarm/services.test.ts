import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { mock, test } from 'node:test';
import { docker } from '../../docker/docker.ts';
import { watchHosts, wavesOf } from './services.ts';

const SERVICES = {
	nginx: { depends_on: { 'app-1': {}, 'app-2': {} } },
	'app-1': { depends_on: { mongo: {} } },
	'app-2': { depends_on: { mongo: {} } },
	mongo: {},
	observer: { depends_on: null },
};

test('a service starts after all that it depends on, and together with those that may start then', () => {
	assert.deepEqual(wavesOf(SERVICES, Object.keys(SERVICES)), [['mongo', 'observer'], ['app-1', 'app-2'], ['nginx']]);
});

test('what is not started now is not waited for', () => {
	assert.deepEqual(wavesOf(SERVICES, ['app-1', 'nginx']), [['app-1'], ['nginx']]);
});

test('services that wait for each other are told', () => {
	assert.throws(() => wavesOf({ a: { depends_on: { b: {} } }, b: { depends_on: { a: {} } } }, ['a', 'b']), /a, b depend on each other/);
});

/** As the engine tells it. */
const update = (t: number, attributes: Record<string, string>) =>
	JSON.stringify({ Type: 'node', Action: 'update', Actor: { ID: 'x', Attributes: attributes }, timeNano: t * 1e9 });

/**
 * What is made of the engine's stream.
 * @returns changed: as they were told
 */
async function outagesIn(...lines: string[]): Promise<{ changed: object[]; all: object[] }> {
	const stream = new PassThrough();
	const asked = mock.method(docker, 'getEvents', async () => stream);
	const changed = [] as object[];
	try {
		const { outages, stop } = await watchHosts((outage) => changed.push({ ...outage }));
		stream.end(lines.map((line) => `${line}\n`).join(''));
		await new Promise((resolve) => stream.once('close', resolve));
		stop();
		return { changed, all: outages.all };
	} finally {
		asked.mock.restore();
	}
}

test('a host that is down and comes back was out in between', async () => {
	const { changed, all } = await outagesIn(
		update(100, { name: 'host2', 'state.new': 'down', 'state.old': 'ready' }),
		update(110, { name: 'host3' }),
		update(130, { name: 'host2', 'state.new': 'ready', 'state.old': 'down' }),
	);
	const outage = { host: 'host2', text: 'host2 down', began_s: 100, ended_s: 130 };
	assert.deepEqual(changed, [{ ...outage, ended_s: null }, outage]);
	assert.deepEqual(all, [outage]);
});

test('what is reported twice is one outage, and each host and each kind has its own', async () => {
	const { changed, all } = await outagesIn(
		update(1, { name: 'host2', 'state.new': 'disconnected', 'state.old': 'ready' }),
		update(2, { name: 'host2', 'state.new': 'down', 'state.old': 'disconnected' }),
		update(3, { name: 'host3', 'availability.new': 'drain', 'availability.old': 'active' }),
		update(4, { name: 'host3', 'availability.new': 'active', 'availability.old': 'drain' }),
	);
	assert.equal(changed.length, 3);
	assert.deepEqual(all, [
		{ host: 'host2', text: 'host2 down', began_s: 1, ended_s: null },
		{ host: 'host3', text: 'host3 drained', began_s: 3, ended_s: 4 },
	]);
});

test('a host that comes up and was never out is no outage', async () => {
	assert.deepEqual(await outagesIn(update(1, { name: 'host2', 'state.new': 'ready', 'state.old': 'unknown' })), { changed: [], all: [] });
});
