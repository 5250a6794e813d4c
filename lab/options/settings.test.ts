import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotReadyError } from '../base/errors.ts';
import { architectures } from '../catalog/architectures.ts';
import { budgets, DEFAULT_BUDGET } from '../catalog/budgets.ts';
import { scenarios } from '../catalog/scenarios.ts';
import { refuseIdle } from './accepted-options.ts';
import type { Settings } from './settings.ts';
import { clientEnvironment, readSettings } from './settings.ts';

const [anArchitecture] = Object.keys(architectures);

function refusalOf(architecture: string, env: Record<string, string>): NotReadyError {
	try {
		readSettings(architecture, env);
	} catch (error) {
		assert.ok(error instanceof NotReadyError);
		return error;
	}
	throw new assert.AssertionError({ message: 'the settings were taken' });
}

test('a misspelt name of a load, a budget or a metric is reported with the one that was meant', () => {
	for (const [architecture, env, meant] of [
		['a', { LOAD: 'smok' }, /To do: write "smoke" instead of "smok"/],
		['a', { BUDGET: 'fiar' }, /To do: write "fair" instead of "fiar"/],
		['a', { EXPECT: 'p95<800' }, /To do: write "latency_ms_p95_ok" instead of "p95"/],
		['a', { BUSY: 'maybe' }, /To do: use one of them\.$/],
	] as [string, Record<string, string>, RegExp][])
		assert.match(refusalOf(architecture, env).message, meant);
});

test('an empty environment gives the defaults', () => {
	assert.deepEqual(readSettings(anArchitecture, {}), {
		architecture: anArchitecture,
		load: 'ramp',
		budget: DEFAULT_BUDGET,
		images: 'auto',
		seed: 1,
		rate: null,
		rate_share: null,
		integrity: false,
		think: null,
		users: null,
		delay: 0,
		dashboard: false,
		capture: false,
		generators: 1,
		busy: 'refuse',
		variables: {},
		client: null,
		faults: [],
		expect: [],
		strict: false,
		cores: null,
		allowData: false,
		allowed: { paths: [], variables: [] },
		command: `make run-${anArchitecture} LOAD=ramp BUDGET=none SEED=1`,
	});
});

test('a variable that make exports empty counts as not given', () => {
	const empty = { LOAD: '', BUDGET: '', IMAGES: '', SEED: '', RATE: '', INTEGRITY: '', THINK: '', EXPECT: '' };
	assert.deepEqual(readSettings(anArchitecture, empty), readSettings(anArchitecture, {}));
});

test('an unknown load, budget or image mode is refused and the valid ones are named', () => {
	const valid = { LOAD: Object.keys(scenarios.documents.loads), BUDGET: Object.keys(budgets), IMAGES: ['auto', 'hub', 'local'] };
	for (const [name, values] of Object.entries(valid)) {
		const { message } = refusalOf(anArchitecture, { [name]: 'nonsense' });
		assert.match(message, new RegExp(`^${name}: .*"nonsense"`));
		for (const value of values) assert.ok(message.includes(value), `${value} is named`);
	}
});

test('a number that is none, is broken or is out of its range is refused with the range', () => {
	for (const [name, text] of [
		['SEED', 'abc'],
		['SEED', '1.5'],
		['SEED', '-1'],
		['SEED', '2147483648'],
		['RATE', '0'],
		['RATE', '100001'],
		['RATE', 'Infinity'],
		['INTEGRITY', '2'],
		['DASHBOARD', '2'],
		['THINK', '0'],
		['THINK', '0.5'],
	]) {
		assert.match(refusalOf(anArchitecture, { [name]: text }).message, new RegExp(`^${name}: .*from \\d+ to \\d+; found "${text}"`));
	}
});

test('thresholds are read with the rest, and a broken one is refused with it', () => {
	assert.deepEqual(
		readSettings(anArchitecture, { EXPECT: 'goodput_rps>100' }).expect.map(({ text }) => text),
		['goodput_rps>100'],
	);
	assert.match(refusalOf(anArchitecture, { EXPECT: 'goodput_rps' }).message, /^EXPECT: .*"goodput_rps"/);
});

test('a busy machine is refused unless it is allowed, and the command that repeats the run does not allow it', () => {
	assert.equal(readSettings(anArchitecture, { BUSY: 'allow' }).busy, 'allow');
	assert.doesNotMatch(readSettings(anArchitecture, { BUSY: 'allow' }).command, /BUSY/);
	assert.match(refusalOf(anArchitecture, { BUSY: '1' }).message, /^BUSY: expected one of refuse, wait, allow; found "1"/);
});

test('zero is a seed', () => {
	assert.equal(readSettings(anArchitecture, { SEED: '0' }).seed, 0);
});

test('the command that repeats a run reads back as the same settings', () => {
	const settings = readSettings(anArchitecture, { LOAD: 'open', BUDGET: 'none', SEED: '7', RATE: '250', INTEGRITY: '1' });
	const [make, target, ...variables] = settings.command.split(' ');
	assert.deepEqual([make, target], ['make', `run-${anArchitecture}`]);
	const env = Object.fromEntries(variables.map((variable) => variable.split('=')));
	assert.deepEqual(readSettings(anArchitecture, env), settings);
});

test('what passes the networks of an architecture is recorded where it is asked for, and the command that repeats it asks too', () => {
	assert.equal(readSettings(anArchitecture, {}).capture, false);
	assert.doesNotMatch(readSettings(anArchitecture, { CAPTURE: '0' }).command, /CAPTURE/);
	const settings = readSettings(anArchitecture, { CAPTURE: '1' });
	assert.equal(settings.capture, true);
	assert.match(settings.command, / CAPTURE=1( |$)/);
	assert.match(refusalOf(anArchitecture, { CAPTURE: 'yes' }).message, /^CAPTURE: expected/);
});

test('a think time is taken by the load that has none of its own, stands in the command that repeats it, and is refused elsewhere', () => {
	const settings = readSettings('2a', { LOAD: 'patient', THINK: '1400' });
	assert.equal(settings.think, 1400);
	assert.match(settings.command, / THINK=1400( |$)/);
	assert.equal(readSettings('2a', { LOAD: 'patient' }).think, null);
	assert.match(
		refusalOf('2a', { THINK: '1400' }).message,
		/^THINK: expected none, because LOAD=ramp has its own; found "1400"\.\n.*LOAD=patient/,
	);
	assert.match(refusalOf('crud', { THINK: '1400' }).message, /^THINK: expected none, because it changes nothing about crud/);
});

test('a rate may be a percentage of what the architecture serves', () => {
	const settings = readSettings('a', { LOAD: 'constant', RATE: '33%' });
	assert.deepEqual([settings.rate, settings.rate_share], [null, 0.33]);
	assert.match(settings.command, / RATE=33%( |$)/);
	for (const RATE of ['0%', '1001%'])
		assert.match(refusalOf('a', { LOAD: 'constant', RATE }).message, /^RATE: expected above 0% and at most 1000%/);
	assert.match(refusalOf('a', { RATE: '33%' }).message, /^RATE: expected none, because LOAD=ramp/);
});

test('a rate is taken by the load that arrives at one, and refused by every other', () => {
	assert.equal(readSettings('2a', { LOAD: 'open', RATE: '100' }).rate, 100);
	for (const load of ['ramp', 'calm', 'patient'])
		assert.match(
			refusalOf('2a', { LOAD: load, RATE: '100' }).message,
			new RegExp(`^RATE: expected none, because LOAD=${load} has no rate to be set; found "100"\\.\\n.*LOAD=open`),
		);
});

test('a budget that is computed from what a document costs is refused to what serves something else', () => {
	for (const budget of ['fair', 'scale']) {
		assert.match(
			refusalOf('tickets-1', { BUDGET: budget }).message,
			/^BUDGET: expected none or database or half-database for tickets-1; found "(fair|scale)"/,
		);
		assert.equal(readSettings('2a', { BUDGET: budget }).budget, budget);
	}
	assert.equal(readSettings('crud', { BUDGET: 'database' }).budget, 'database');
});

test('a variable that would change nothing about the architecture is refused, and one that is switched off is not', () => {
	assert.match(refusalOf('tickets-1', { INTEGRITY: '1' }).message, /^INTEGRITY: expected none, because it changes nothing about tickets-1/);
	assert.match(refusalOf('tokyo', { DELAY: '5' }).message, /^DELAY: expected none/);
	assert.match(refusalOf('crud', { RATE: '100' }).message, /^RATE: expected none/);
	assert.equal(readSettings('tokyo', { DELAY: '0', INTEGRITY: '0', RATE: '' }).delay, 0);
});

test('each scenario has its own loads', () => {
	assert.equal(readSettings('tickets-1', {}).load, 'checkout');
	assert.match(refusalOf('tickets-1', { LOAD: 'ramp' }).message, /^LOAD: expected one of checkout, smoke; found "ramp"/);
});

test('faults are checked against the architecture and its load, and are in the command that repeats the run', () => {
	const settings = readSettings('2a', { FAULT: 'kill app-2@30; pause mongo@20s+5s' });
	assert.match(settings.command, /FAULT='pause mongo@20s\+5s; kill app-2@30s'$/);
	assert.match(refusalOf('a', { FAULT: 'kill app-2@30s' }).message, /expected one of mongo, app-1 in "kill app-2@30s"; found "app-2"/);
	assert.match(refusalOf('a', { LOAD: 'smoke', FAULT: 'kill app-1@30s' }).message, /which lasts 12 s/);
	assert.match(refusalOf('tokyo', { FAULT: 'kill store@1s' }).message, /FAULT: expected none/);
});

test('users at the top are as many as the generators have memory for', () => {
	assert.equal(readSettings(anArchitecture, {}).users, null);
	assert.equal(readSettings(anArchitecture, { USERS: '5000' }).users, 5000);
	const many = readSettings(anArchitecture, { USERS: '10000', GENERATORS: '2' });
	assert.match(many.command, /USERS=10000 GENERATORS=2/);
	assert.match(refusalOf(anArchitecture, { USERS: '10000' }).message, /^USERS: expected at most 5000 .*\n {2}To do: use GENERATORS=2\./);
	assert.match(refusalOf(anArchitecture, { USERS: '100', LOAD: 'open' }).message, /^USERS: expected none, because LOAD=open/);
	assert.match(refusalOf(anArchitecture, { USERS: '3' }).message, /^USERS: .*from 20 to 40000/);
});

test('a run on a Swarm has hosts, and its command names them', () => {
	const settings = readSettings(anArchitecture, { HOSTS: 'host2=ssh://lab@10.0.0.2', SEED: '7' }, { command: 'swarm' });
	assert.deepEqual(settings.hosts, [{ name: 'host2', address: 'ssh://lab@10.0.0.2' }]);
	assert.match(settings.command, new RegExp(`^make swarm-${anArchitecture} .*SEED=7 HOSTS=.?host2=ssh://lab@10\\.0\\.0\\.2`));
	const alone = readSettings(anArchitecture, {}, { command: 'swarm' });
	assert.deepEqual(alone.hosts, []);
	assert.doesNotMatch(alone.command, /HOSTS/);
});

test('what a Swarm cannot do is refused', () => {
	const refused = (env: Record<string, string>, id = anArchitecture) => {
		try {
			refuseIdle('swarm', id, env);
			readSettings(id, env, { command: 'swarm' });
		} catch (error) {
			return (error as Error).message;
		}
		return '';
	};
	assert.match(refused({ DASHBOARD: '1' }), /^DASHBOARD: expected none/);
	assert.match(refused({ CAPTURE: '1' }), /^CAPTURE: expected none, because it changes nothing about /);
	assert.match(
		refused({ FAULT: 'restart app-1@5s' }),
		/^FAULT: expected one of kill, stop, pause, cpu, update, drain on a Swarm, kill and stop without a length/,
	);
	assert.match(refused({ FAULT: 'kill app-1@5s+2s' }), /found "kill app-1@5s\+2s"/);
	assert.equal(refused({ FAULT: 'kill app-1@5s; pause mongo@9s+2s; update app-1@20s; drain host2@30s+5s' }), '');
	assert.match(
		refusalOf(anArchitecture, { FAULT: 'update app-1@5s' }).message,
		/^FAULT: expected one that needs no Swarm; found "update app-1@5s"/,
	);
	assert.match(refused({}, 'tokyo'), /found "tokyo", whose load is a program of its own/);
});

const clientIn = (env: Record<string, string>) => readSettings(anArchitecture, env).client;

test('without variables users wait for 60 s and try nothing again', () => {
	assert.equal(clientIn({ TIMEOUT: '', RETRIES: '0' }), null);
	assert.deepEqual(clientEnvironment(null), { TIMEOUT: '', RETRIES: '', BACKOFF: '', RETRY_BUDGET: '', RETRY_AFTER: '' });
});

test('what is given is read, and handed on as it was given', () => {
	const env = { TIMEOUT: '3000', RETRIES: '4', BACKOFF: '100', RETRY_BUDGET: '10', RETRY_AFTER: '1' };
	const client = clientIn(env);
	assert.deepEqual(client, { timeout_ms: 3000, retries: 4, backoff_ms: 100, budget_percent: 10, retry_after: true });
	assert.deepEqual(clientEnvironment(client), env);
});

test('what is wrong or changes nothing is refused', () => {
	assert.throws(() => clientIn({ BACKOFF: '100' }), /BACKOFF: expected RETRIES with it; found none/);
	assert.throws(() => clientIn({ RETRIES: 'many' }), /RETRIES: expected a whole number from 0 to 100; found "many"/);
	assert.throws(() => clientIn({ TIMEOUT: '0' }), /TIMEOUT: expected a whole number of milliseconds from 1 to 60000/);
});

/** In the folder of a doubletake.yaml. */
const inFolder: (env: Record<string, string>, asked?: Parameters<typeof readSettings>[2]) => Settings = (env, asked) => {
	refuseIdle('run', 'shop', env);
	return readSettings('shop', env, asked);
};

test('the run of a folder is repeated in it by the same command', () => {
	const { architecture, seed, busy, command, expect } = inFolder({ SEED: '7', EXPECT: 'failure_rate<0.01' }, { allowData: true });
	assert.deepEqual([architecture, seed, busy, command, expect.length], ['shop', 7, 'refuse', 'SEED=7 doubletake run --allow', 1]);
	assert.deepEqual([inFolder({}).load, inFolder({}).capture], ['', true]);
});

test('what changes the load of a folder, its users or the quotas is in the command that repeats the run', () => {
	const given = { LOAD: 'constant', RATE: '50', RETRIES: '2', GENERATORS: '2', BUDGET: 'web=0.5,db=1', INTEGRITY: '1' };
	const { command, cores, integrity } = inFolder(given);
	assert.equal(command, 'LOAD=constant BUDGET=web=0.5,db=1 SEED=1 RATE=50 INTEGRITY=1 RETRIES=2 GENERATORS=2 doubletake run');
	assert.deepEqual([cores, integrity], [{ web: 0.5, db: 1 }, true]);
	for (const name of ['selftest', 'bench-overhead', 'init'] as const)
		assert.throws(() => refuseIdle(name, 'shop', { RETRIES: '2' }), /RETRIES: expected none/);
});

test('what the lab’s own architectures call theirs may be a user’s own, and is left alone', () => {
	assert.equal(inFolder({ WORKERS: '4', THREADS: '2', IMAGES: 'local' }).images, 'local');
});

test('a variable that changes nothing about a user’s own system is refused, and so is a wrong one', () => {
	for (const variable of ['DELAY', 'HOSTS', 'PARTS'])
		assert.throws(() => inFolder({ [variable]: '3' }), new RegExp(`^NotReadyError: ${variable}: expected none`));
	assert.throws(() => inFolder({ REPEATS: '3' }), /REPEATS: expected none, .* it has an effect on make compare/s);
	assert.throws(() => inFolder({ BUSY: 'often' }), /BUSY: expected one of refuse, wait, allow; found "often"/);
	assert.throws(() => inFolder({ SEED: 'x' }), /SEED: expected a whole number/);
});
