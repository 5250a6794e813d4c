import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { after, afterEach, mock, test } from 'node:test';
import { EXIT, NotReadyError } from '../base/errors.ts';
import { codeWith } from '../base/left-behind.ts';
import { labelledSystem } from './containers.ts';
import { docker } from './docker.ts';
import { saying, withDocker } from './fixtures/docker-program.ts';
import { bringUp, keeperOf, takeDown } from './stack.ts';

const folder = mkdtempSync(join(os.tmpdir(), 'doubletake-stack-test-'));
after(() => rmSync(folder, { recursive: true }));
afterEach(() => mock.restoreAll());

const { signal } = new AbortController();
const system = { project: 'doubletake-run-1a2b', cwd: '/', flags: [] };
const rules = {
	mayEnd: (service: string) => service === 'job',
	comesBack: (service: string) => service === 'api',
};

/**
 * An engine with these containers; those that are started run.
 * @param states by service
 */
function engineWith(states: Record<string, any>) {
	const started = [] as string[];
	mock.method(docker, 'listContainers', async () =>
		Object.keys(states).map((service) => ({
			Id: service,
			Names: [`/${system.project}-${service}-1`],
			Labels: { 'com.docker.compose.service': service },
		})),
	);
	mock.method(docker, 'getContainer', (id: string) => ({
		inspect: async () => ({ State: states[id], Config: { Tty: true }, NetworkSettings: { Networks: {} }, HostConfig: {} }),
		logs: async () => Buffer.from('no such table: items\n'),
		start: async () => {
			started.push(id);
			states[id] = { Status: 'running', Running: true, ExitCode: 0, OOMKilled: false };
		},
	}));
	return started;
}

const ended = (ExitCode: number) => ({ Status: 'exited', Running: false, ExitCode, OOMKilled: false });

const running = (health: string) => ({ Status: 'running', Running: true, ExitCode: 0, Health: { Status: health } });

test('what ends before the load and comes back by its file is started again, and a job that is done is left', async () => {
	const started = engineWith({ api: ended(1), job: ended(0) });
	const said = [] as string[];
	const look = keeperOf({ system, rules, say: (text) => said.push(text), signal });
	assert.deepEqual([await look(), await look()], [false, true]);
	assert.deepEqual(started, ['api']);
	assert.deepEqual(said, ['api ended before the load, and is started again, as its Compose file has it']);
});

test('what ends and does not come back is reported with its log', async () => {
	engineWith({ web: ended(2) });
	await assert.rejects(
		keeperOf({ system, rules, say: () => {}, signal })(),
		/did not stay so until the load\.\nweb exited with code 2; the last lines of its log:\n {4}no such table: items\n {2}To do: correct/,
	);
});

test('what records the networks of a stack begins when they are made, and before the first service starts', async () => {
	const reported = join(folder, 'asked');
	mock.method(docker, 'listContainers', async () => []);
	await withDocker(`for word; do case $word in create|up) echo $word >> '${reported}';; esac; done`, async () => {
		await bringUp({
			system,
			env: {},
			signal,
			whenCreated: async () => writeFileSync(reported, `${readFileSync(reported, 'utf8')}begun\n`),
		});
		assert.equal(readFileSync(reported, 'utf8'), 'create\nbegun\nup\n');
		await bringUp({ system, env: {}, signal });
		assert.equal(readFileSync(reported, 'utf8'), 'create\nbegun\nup\nup\n');
	});
});

test('a bystander that is unhealthy is noted, and holds up nothing', async () => {
	engineWith({ api: running('healthy'), job: running('unhealthy') });
	const [said, noted] = [[], []] as string[][];
	const listening = { say: (text: string) => said.push(text), note: (text: string) => noted.push(text) };
	await withDocker('', () => bringUp({ system, env: {}, rules, signal, ...listening }));
	const note = 'job did not become healthy before the load; no request is known to need it, so the run went on all the same';
	assert.deepEqual([said, noted], [[], [note]]);
});

/**
 * What is to be done about a stack that does not start.
 * @param words with which Compose gives up
 * @param states by service, at that moment
 */
async function remedyOf(words: string, states: Record<string, any>) {
	engineWith(states);
	const isJob = (service: string) => service === 'migrate';
	try {
		await withDocker(`${saying(words, 2)}\nexit 1`, () => bringUp({ system, env: {}, signal, rules: { ...rules, isJob } }));
	} catch (error) {
		assert.ok(error instanceof NotReadyError);
		assert.match(error.message, /^The stack did not start \(it has 120 s to become healthy\)\./);
		return error.remedy;
	}
	return assert.fail('it starts');
}

const CREATED = { Status: 'created', Running: false, ExitCode: 0, OOMKilled: false };

test('what the engine says of its own parts is followed by what to do', async () => {
	const overlap = 'failed to create network x_back: Error response from daemon: Pool overlaps with other one on this address space';
	assert.match(await remedyOf(overlap, {}), /^the file gives a network a subnet that another network of this machine has/);
	assert.match(await remedyOf('could not select device driver "nvidia" with capabilities: [[gpu]]', {}), /a device or a runtime/);
	const mount = 'error mounting "/shop/web.conf": Are you trying to mount a directory onto a file (or vice-versa)?';
	assert.match(await remedyOf(mount, { web: CREATED }), /^create the file that is mounted/);
});

test('else the state of a container says it', async () => {
	assert.match(await remedyOf('', { web: running('unhealthy'), proxy: CREATED }), /^try its health check/);
	assert.match(await remedyOf('', { web: running('starting'), proxy: CREATED }), /what it waits for/);
	assert.match(await remedyOf('', { migrate: ended(1), web: CREATED }), /others start when this job has ended with 0/);
	assert.match(await remedyOf('', { web: ended(1) }), /write "tier: other" for it/);
	assert.match(await remedyOf('', { job: ended(1) }), /that no request passes may end before the load, but with 0/);
	assert.match(await remedyOf('', { web: { ...ended(137), OOMKilled: true } }), /^give it more memory/);
	assert.match(await remedyOf('something new', {}), /^correct what the lines above name/);
});

/** What the shell of somebody who works with Compose may have exported. */
const EXPORTED = {
	COMPOSE_FILE: 'my.yaml',
	COMPOSE_ENV_FILES: 'prod.env',
	COMPOSE_PROFILES: 'debug',
	COMPOSE_PROJECT_NAME: 'shop',
	COMPOSE_PATH_SEPARATOR: ';',
};

/**
 * Takes a run down with a `docker` that notes what Compose is told by its environment.
 * @param given does: lines of its script; left: containers that the engine has, volumes too
 */
async function takenDown({ does, left, volumes = [] }: { does: string; left: string[]; volumes?: any[] }) {
	const labels = { 'com.docker.compose.project': system.project, 'doubletake.lab': 'yes' };
	mock.method(docker, 'listContainers', async () => left.map((name) => ({ Id: name, Names: [`/${name}`], Labels: labels })));
	mock.method(docker, 'listNetworks', async () => []);
	mock.method(docker, 'listVolumes', async () => ({ Volumes: volumes }));
	const before = Object.keys(EXPORTED).map((name) => [name, process.env[name]]);
	Object.assign(process.env, EXPORTED);
	try {
		const noted = `env | grep ^COMPOSE_ | sort > '${folder}/told'`;
		const clause = await withDocker(`${noted}\n${does}`, () => takeDown({}, labelledSystem(system.project)));
		return { clause, reported: readFileSync(join(folder, 'told'), 'utf8') };
	} finally {
		for (const [name, value] of before) {
			if (value === undefined) delete process.env[String(name)];
			else process.env[String(name)] = value;
		}
	}
}

test('what is taken down by its labels is told nothing of what the user’s shell tells Compose', async () => {
	const { clause, reported } = await takenDown({ does: 'exit 0', left: [] });
	// What stays is what the lab itself says: no `.env` beside it, and no Compose file from a repository or a registry.
	const own = ['COMPOSE_DISABLE_ENV_FILE=1', 'COMPOSE_EXPERIMENTAL_GIT_REMOTE=false', 'COMPOSE_EXPERIMENTAL_OCI_REMOTE=false'];
	assert.deepEqual([clause, reported.trim().split('\n')], [null, own]);
});

test('what could not be taken down is reported with what Compose says, and the command is not done', async () => {
	const said = [] as string[];
	const code = (ended: number) => codeWith(ended, (text) => said.push(text));
	const given = { does: 'echo "stat /srv/my.yaml: no such file or directory" >&2; exit 1', left: ['run-web-1'] };
	const { clause } = await takenDown(given);
	assert.equal(clause, 'still there: container run-web-1; Compose said: stat /srv/my.yaml: no such file or directory');
	assert.deepEqual([code(EXIT.done), code(EXIT.thresholdNotMet)], [EXIT.notReady, EXIT.thresholdNotMet]);
	assert.deepEqual(said, [`not all is taken down: ${clause}`]);
	await takenDown({ does: 'exit 0', left: [] });
	assert.equal(code(EXIT.done), EXIT.done);
});

test('a volume that lost its labels as its removal failed is reported by its name', async () => {
	const volumes = [`${system.project}_data`, 'other_data'].map((name) => ({ Name: name, Labels: null }));
	const { clause } = await takenDown({ does: 'echo "unlinkat: operation not permitted" >&2; exit 1', left: [], volumes });
	assert.equal(clause, `still there: volume ${system.project}_data; Compose said: unlinkat: operation not permitted`);
	assert.equal((await takenDown({ does: 'exit 0', left: [], volumes })).clause, null);
});
