import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { aboutOf, containerOf, eachSecond, FROM, filesOf, line } from '../fixtures/hop-files.ts';
import type { State } from './read.ts';
import { read } from './read.ts';
import { redact } from './redact.ts';
import { sampleState } from './state.ts';

const LOG = readFileSync(new URL('./fixtures/own.log', import.meta.url), 'utf8');
const ABOUT = aboutOf({ service: 'cache', tier: 'cache' });

const readLog = (log: string) => read(filesOf(log), ABOUT);
/** What is told of a server that answers so. */
const stateIn = async (output: string) => (await sampleState(containerOf(output).container)) as State | null;

const SLOW = '# Slow script detected: still in execution after 5001 milliseconds. Script name is: hunter2';

test('what it says took long is told, in the load alone and without a name of the user’s', () => {
	const at = (second: number) => line(second, `1:M 21 Nov 2026 20:00:01.000 ${SLOW}`);
	assert.deepEqual(
		readLog(`${at(-1)}${LOG}${at(3)}`).messages.map(({ t, signal, text }) => [t - FROM, signal, text]),
		[[3, 'slow', 'Slow script detected: still in execution after 5001 milliseconds']],
	);
});

test('what is no line of its log, or has no end, is no message', () => {
	for (const log of [line(1, SLOW), line(1, `1:M 21 Nov 2026 20:00:01.000 ${SLOW}`).trimEnd()]) assert.deepEqual(readLog(log).messages, []);
});

const fixture = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8');
const READ_LOG = fixture('own.log');
const STATE = (await stateIn(fixture('info.txt'))) as State;

test('it tells what runs full in it, and of requests it knows nothing', () => {
	const record = read(filesOf(READ_LOG, eachSecond(STATE)), ABOUT);
	assert.deepEqual(record.coverage, { requests: 'none', reasons: 'none', limits: 'full' });
	assert.deepEqual([record.product, record.received], ['redis', null]);
});

test('it is of the tier that the user says', () => {
	assert.equal(read(filesOf(READ_LOG), aboutOf({ tier: 'queue' })).tier, 'queue');
});

test("a refusal of the lab's own question says that every connection was taken", () => {
	const samples = eachSecond(STATE).map((sample) => (sample.t === FROM + 4 ? { t: sample.t, refused: true } : sample));
	const { limits } = read(filesOf('', samples), ABOUT);
	assert.equal(limits[0].used.find(({ t }) => t === FROM + 4)?.used, 100);
});

test('connections and memory have limits; without maxmemory only connections', () => {
	assert.deepEqual(
		read(filesOf('', eachSecond(STATE)), ABOUT).limits.map(({ resource, size, used }) => [resource, size, used[0].used]),
		[
			['client connections', 100, 50],
			['memory', 104857600, 73400320],
		],
	);
	assert.equal(read(filesOf('', eachSecond({ ...STATE, max_memory: 0 })), ABOUT).limits.length, 1);
});

test('without samples and log nothing is covered', () => {
	const record = read(filesOf(''), ABOUT);
	assert.deepEqual(record.coverage, { requests: 'none', reasons: 'none', limits: 'none' });
	assert.deepEqual([record.limits, record.messages], [[], []]);
});

test('at level 0 the log is not read', () => {
	assert.deepEqual(read(filesOf(line(1, `1:M 21 Nov 2026 20:00:01.000 ${SLOW}`)), { ...ABOUT, level: 0 }).messages, []);
});

const INFO = readFileSync(new URL('./fixtures/info.txt', import.meta.url), 'utf8');

test('the state is read from INFO', async () => {
	assert.deepEqual(await stateIn(INFO.replaceAll('\n', '\r\n')), {
		clients: 50,
		max_clients: 100,
		used_memory: 73400320,
		max_memory: 104857600,
	});
});

test('what a version does not tell is not known', async () => {
	const old = await stateIn('connected_clients:2\nused_memory:1\n');
	assert.deepEqual([old?.clients, old?.max_clients, old?.used_memory, old?.max_memory], [1, null, 1, null]);
});

test('what is no answer gives no state', async () => {
	for (const output of ['', 'NOAUTH Authentication required.\n', 'Could not connect to Redis at 127.0.0.1:6379: Connection refused\n'])
		assert.equal(await stateIn(output), null, output);
});

test('an answer is the sample, asked within a second and without a key or a value', async () => {
	const { container, asked } = containerOf('connected_clients:2\r\n');
	const state = (await sampleState(container)) as State;
	assert.equal(state.clients, 1);
	assert.ok(asked[0].limitMs < 1000);
	assert.ok(!/SLOWLOG|MONITOR|KEYS|CLIENT LIST/.test(asked[0].command.join(' ')));
});

test('a refusal for lack of a connection is a sample of its own', async () => {
	assert.deepEqual(await sampleState(containerOf('ERR max number of clients reached\n', 1).container), { refused: true });
});

test('where it cannot be asked there is no sample', async () => {
	assert.equal(await sampleState(containerOf('NOAUTH Authentication required.\n').container), null);
	assert.equal(await sampleState(containerOf('', 127).container), null);
});

const STAMP = /^\S+Z /;

test('of the command that Redis crashed at its name and its length stay, and neither key nor value', () => {
	for (const [text, kept] of [
		["argc: '3'", "argc: '3'"],
		[`argv[0]: '"set"'`, `argv[0]: '"set"'`],
		[`argv[1]: '"card:4111"'`, 'argv[1]: ?'],
		[`argv[12]: '"hunter2"'`, 'argv[12]: ?'],
		[
			"1:M 21 Nov 2026 20:00:01.123 # key 'card:4111' found in DB containing the following object:",
			"1:M 21 Nov 2026 20:00:01.123 # key '?' found in DB containing the following object:",
		],
		['1:M 21 Nov 2026 20:00:01.123 # Object raw string content: hunter2', '1:M 21 Nov 2026 20:00:01.123 # Object raw string content: ?'],
	])
		assert.equal(redact(text), kept);
});

test('every line without a client’s name stays as it is, and what is read of the log is the same', () => {
	const redacted = LOG.replace(/^.*$/gm, (text) => {
		const stamp = STAMP.exec(text)?.[0] ?? '';
		return stamp + redact(text.slice(stamp.length));
	});
	assert.equal(redacted, LOG.replace('name=hunter2', 'name=?'));
	assert.deepEqual(readLog(redacted), readLog(LOG));
});
