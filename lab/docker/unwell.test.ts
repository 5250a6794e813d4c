import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { afterEach, mock, test } from 'node:test';
import { secrets } from '../base/secrets.ts';
import { docker } from './docker.ts';
import type { Configured, Unwell } from './unwell.ts';
import { EACH_STAYS, explainUnwell, listUnwell, nextStep, quoteLog, waitedFor } from './unwell.ts';

afterEach(() => mock.restoreAll());

const unwell: (service: string, state: Unwell['state'], exitCode?: number) => Unwell = (service, state, exitCode = 0) => ({
	...{ id: service, service, name: service, state, exitCode },
	...{ isOutOfMemory: false, isFramed: false, checkSays: '' },
});

/** Jobs may end, and what is restarted comes back after a failure. */
const rules = {
	mayEnd: (service: string) => service === 'job',
	comesBack: (service: string, exitCode: number) => service === 'api' && exitCode !== 0,
};

/** @param logs by container */
function engineWith(logs: Record<string, string>) {
	mock.method(docker, 'getContainer', (id: string) => ({
		logs: async () => {
			if (logs[id] === undefined) throw new Error('the driver of its log does not support reading');
			return Buffer.from(logs[id]);
		},
	}));
}

const SYSTEM = { project: 'doubletake-run-1a2b', cwd: '/', flags: [] };

/** How a container of that state stands; undefined: it is well. */
async function stateOf(state: { Status: string; Running: boolean; Health?: { Status: string } }) {
	mock.method(docker, 'listContainers', async () => [{ Id: 'web', Names: ['/run-web-1'], Labels: {} }]);
	mock.method(docker, 'getContainer', () => ({
		inspect: async () => ({ State: { ExitCode: 0, OOMKilled: false, ...state }, Config: {} }),
	}));
	return (await listUnwell(SYSTEM))[0]?.state;
}

test('a container that runs is well once its health check says so, and without one at once', async () => {
	const running = { Status: 'running', Running: true };
	assert.equal(await stateOf(running), undefined);
	assert.equal(await stateOf({ ...running, Health: { Status: 'none' } }), undefined);
	assert.equal(await stateOf({ ...running, Health: { Status: 'healthy' } }), undefined);
	assert.equal(await stateOf({ ...running, Health: { Status: 'starting' } }), 'starting');
	assert.equal(await stateOf({ ...running, Health: { Status: 'unhealthy' } }), 'unhealthy');
	assert.equal(await stateOf({ Status: 'restarting', Running: true }), 'starting');
	assert.equal(await stateOf({ Status: 'created', Running: false }), 'created');
	assert.equal(await stateOf({ Status: 'exited', Running: false }), 'ended');
});

/**
 * What a container that is starting is asked, as its configuration has it.
 * @param waitedMs an answer that never comes
 */
async function askedBy(configured: Configured, waitedMs: number) {
	const asked = [] as { command: string[]; stream: Readable }[];
	let begin = () => {};
	const begun = new Promise((resolve) => {
		begin = resolve;
	}) as Promise<void>;
	mock.method(docker, 'listContainers', async () => [{ Id: 'web', Names: ['/run-web-1'], Labels: {} }]);
	mock.method(docker, 'getContainer', () => ({
		inspect: async () => ({
			State: { Status: 'running', Running: true, ExitCode: 0, OOMKilled: false, Health: { Status: 'starting' } },
			Config: configured,
		}),
		exec: async ({ Cmd }: { Cmd: string[] }) => ({
			start: async () => {
				const stream = new Readable({ read: begin });
				asked.push({ command: Cmd, stream });
				return stream;
			},
		}),
	}));
	mock.timers.enable({ apis: ['setTimeout'] });
	try {
		const listed = listUnwell(SYSTEM, { asks: true });
		await Promise.race([listed, begun]);
		mock.timers.tick(Math.max(0, waitedMs - 1));
		assert.ok(asked.every(({ stream }) => !stream.destroyed));
		mock.timers.tick(1);
		assert.ok(asked.every(({ stream }) => stream.destroyed));
		assert.deepEqual(
			(await listed).map(({ state }) => state),
			['starting'],
		);
	} finally {
		mock.timers.reset();
	}
	return asked.map(({ command }) => command);
}

test('a health check is asked as its engine asks it', async () => {
	const words = ['bash', '-c', 'exec 3<>/dev/tcp/127.0.0.1/3000'];
	assert.deepEqual(await askedBy({ Healthcheck: { Test: ['CMD', ...words], Timeout: 2e9 } }, 2000), [words]);
	assert.deepEqual(await askedBy({ Healthcheck: { Test: ['CMD-SHELL', 'pg_isready -U shop'] } }, 30_000), [
		['/bin/sh', '-c', 'pg_isready -U shop'],
	]);
	const inBash = { Healthcheck: { Test: ['CMD-SHELL', 'curl -f localhost'] }, Shell: ['/bin/bash', '-c'] };
	assert.deepEqual(await askedBy(inBash, 30_000), [['/bin/bash', '-c', 'curl -f localhost']]);
});

test('where there is none, nothing is asked', async () => {
	for (const configured of [{}, { Healthcheck: {} }, { Healthcheck: { Test: [] } }, { Healthcheck: { Test: ['NONE'] } }])
		assert.deepEqual(await askedBy(configured, 0), [], JSON.stringify(configured));
});

test('a job that ended well is none to wait for, and one that ended otherwise is a failure', () => {
	assert.equal(nextStep([unwell('job', 'ended')], rules).next, 'go');
	assert.equal(nextStep([unwell('job', 'ended'), unwell('web', 'starting')], rules).next, 'wait');
	assert.equal(nextStep([unwell('job', 'ended', 1)], rules).next, 'give up');
	assert.equal(nextStep([unwell('web', 'ended')], rules).next, 'give up');
	assert.equal(nextStep([unwell('job', 'ended')], EACH_STAYS).next, 'give up');
});

test('what the Compose file starts again is started again, unless something else failed', () => {
	const { next, ended } = nextStep([unwell('api', 'ended', 1), unwell('web', 'created')], rules);
	assert.deepEqual([next, ended.map(({ service }) => service)], ['again', ['api']]);
	assert.equal(nextStep([unwell('api', 'ended', 0)], rules).next, 'give up');
});

test('what its engine has given up may recover, unless others wait for it', () => {
	assert.equal(nextStep([unwell('web', 'unhealthy'), unwell('db', 'starting')], rules).next, 'recover');
	assert.equal(nextStep([unwell('web', 'unhealthy'), unwell('api', 'ended', 1)], rules).next, 'again');
	assert.equal(nextStep([unwell('db', 'unhealthy'), unwell('web', 'created')], rules).next, 'give up');
});

test('what no request needs may be unhealthy, unless something starts after it', () => {
	assert.equal(nextStep([unwell('job', 'unhealthy')], rules).next, 'go');
	assert.equal(nextStep([unwell('job', 'unhealthy'), unwell('web', 'starting')], rules).next, 'wait');
	assert.equal(nextStep([unwell('job', 'unhealthy'), unwell('web', 'created')], rules).next, 'give up');
	assert.equal(nextStep([unwell('job', 'unhealthy')], EACH_STAYS).next, 'recover');
});

test('what is waited for is told by what it has to do', () => {
	const found = [unwell('db', 'starting'), unwell('cache', 'starting'), unwell('migrate', 'working'), unwell('web', 'created')];
	assert.equal(waitedFor(found), 'db, cache to be healthy; migrate to end');
	assert.equal(waitedFor([unwell('web', 'created')]), '');
});

test('a container that was killed says so, whether or not the engine knows why', async () => {
	engineWith({ api: '' });
	assert.match(
		(await explainUnwell([unwell('api', 'ended', 137)]))[0],
		/^api exited with code 137 \(killed, most often for a lack of memory\);/,
	);
});

test('what is quoted of a log and of a health check has no secrets in it, be they of the files or of an image', async () => {
	secrets.learn(['hunter22']);
	engineWith({ api: 'cannot log in with hun\nter22\nnor with password=other\n' });
	const [reported] = await explainUnwell([{ ...unwell('api', 'unhealthy'), checkSays: 'no answer to hunter22' }]);
	assert.match(reported, /no answer to \*secret\*\n/);
	assert.match(reported, /cannot log in with \*secret\*\n\s+nor with password=\?$/);
});

test('what nobody starts is not waited for', () => {
	assert.equal(nextStep([unwell('web', 'created')], rules).next, 'give up');
});

test('a failure is reported with the last lines of the log, and with what its health check says', async () => {
	engineWith({ web: 'listening on 8080\n', api: '' });
	const sick = { ...unwell('web', 'unhealthy'), checkSays: '/bin/sh: curl: not found' };
	assert.deepEqual(await explainUnwell([sick, unwell('db', 'created')]), [
		'web is unhealthy; its health check says:\n    /bin/sh: curl: not found\n  The last lines of its log:\n    listening on 8080',
	]);
	const killed = { ...unwell('api', 'ended', 137), isOutOfMemory: true };
	assert.deepEqual(await explainUnwell([killed, unwell('job', 'ended')], rules), [
		'api exited with code 137 (out of memory); the last lines of its log:\n    (it wrote nothing)',
	]);
});

test('a failure whose log is long is reported with the line that it begins with', async () => {
	const frames = Array.from({ length: 30 }, () => '    at next (/app/server.js:1)').join('\n');
	engineWith({ web: `booting\nError: Cannot find module 'express'\n${frames}\nNode.js v24.21.0\n` });
	const [reported] = await explainUnwell([unwell('web', 'ended', 1)]);
	assert.match(reported, /^web exited with code 1; the first and last lines of its log:\n {4}Error: Cannot find module 'express'\n/);
});

test('a log that the engine does not give back is no failure of its own', async () => {
	engineWith({});
	assert.match((await explainUnwell([unwell('web', 'ended', 1)]))[0], /\(its log cannot be read: the driver of its log/);
});

test('containers are listed with their services, and those that are well are left out', async () => {
	const labels = (service: string) => ({ 'com.docker.compose.service': service });
	mock.method(docker, 'listContainers', async () => [
		{ Id: 'c1', Names: ['/run-web-1'], Labels: labels('web') },
		{ Id: 'c2', Names: ['/run-db-1'], Labels: labels('db') },
	]);
	const health = { Status: 'unhealthy', Log: [{ Output: 'first' }, { Output: 'last\n' }] };
	const states: Record<string, any> = {
		c1: { Status: 'running', Running: true, ExitCode: 0, OOMKilled: false, Health: health },
		c2: { Status: 'running', Running: true, ExitCode: 0, OOMKilled: false },
	};
	mock.method(docker, 'getContainer', (id: string) => ({
		inspect: async () => ({ State: states[id], Config: { Tty: true } }),
	}));
	const found = await listUnwell({ project: 'run', cwd: '/', flags: [] });
	assert.deepEqual(
		found.map(({ service, name, state, checkSays, isFramed }) => [service, name, state, checkSays, isFramed]),
		[['web', 'web', 'unhealthy', 'last', false]],
	);
});

test('one that its engine has not asked yet is asked by its own health check, where that is wanted', async () => {
	const asked = [] as string[][];
	mock.method(docker, 'listContainers', async () => ['web', 'db'].map((Id) => ({ Id, Names: [`/run-${Id}-1`], Labels: {} })));
	mock.method(docker, 'getContainer', (id: string) => ({
		inspect: async () => ({
			State: { Status: 'running', Running: true, ExitCode: 0, OOMKilled: false, Health: { Status: 'starting' } },
			Config: { Tty: false, Healthcheck: { Test: ['CMD', 'is-ready', id] } },
		}),
		exec: async ({ Cmd }: { Cmd: string[] }) => ({
			start: async () => asked.push(Cmd) && Readable.from([]),
			inspect: async () => ({ Running: false, ExitCode: id === 'web' ? 0 : 1 }),
		}),
	}));
	assert.deepEqual(
		(await listUnwell(SYSTEM)).map(({ id }) => id),
		['web', 'db'],
	);
	assert.deepEqual(asked, []);
	assert.deepEqual(
		(await listUnwell(SYSTEM, { asks: true })).map(({ id }) => id),
		['db'],
	);
	assert.deepEqual(asked, [
		['is-ready', 'web'],
		['is-ready', 'db'],
	]);
});

test('the log of a container that runs is quoted without its secrets', async () => {
	mock.method(docker, 'getContainer', () => ({
		inspect: async () => ({ Config: { Tty: true, Env: ['API_TOKEN=of-the-image'] } }),
		logs: async () => Buffer.from('one\ntwo\nthree\nfour of-the-image\n'),
	}));
	assert.equal(await quoteLog('web'), 'the last lines of its log:\n    two\n    three\n    four *secret*');
});
