/** The records are those of two processes of a cluster, as the preload wrote them; one is killed two seconds before the other ends. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { aboutOf, FROM, filesOf, line } from '../fixtures/hop-files.ts';
import { read } from './read.ts';

const NAMES = new Map([
	['172.18.0.5', 'web-1'],
	['172.18.0.6', 'web-2'],
]);
const ABOUT = aboutOf({
	level: 3,
	service: 'web',
	names: new Map([
		['172.18.0.5', 'store'],
		['queue', 'queue'],
	]),
});

/** @param records rows by the number of the process */
const fileOf = (records: Record<string, any[]>) => (name: string) =>
	(records[/^process-(\d+)\.ndjson$/.exec(name)?.[1] ?? ''] ?? []).map((row) => `${JSON.stringify(row)}\n`).join('');

const row = (t: number, values?: object) => ({
	t,
	event: 'tick',
	received: 0,
	answered: {},
	aborted: 0,
	in_flight: 0,
	ok_ms: { count: 0, handler: 0 },
	logged: 0,
	late_ms: { max: 0 },
	busy_share: 0,
	...values,
});

/** What is read of processes that wrote these rows. */
const readOf = (...processes: any[][]) =>
	read({ ...filesOf(''), file: fileOf(Object.fromEntries(processes.map((rows, index) => [index + 1, rows]))) }, ABOUT);

test('an error that nobody caught ends with the version of Node, and nothing of the error is kept', () => {
	const log = [
		line(1, 'Error: password hunter2 is wrong'),
		line(1, '    at Server.<anonymous> (file:///srv/app.js:7:11)'),
		line(1, ''),
		line(1, 'Node.js v24.21.0'),
		line(2, 'this app runs on Node.js v24.21.0 today'),
	].join('');
	const { messages } = read(filesOf(log), aboutOf());
	assert.deepEqual(
		messages.map(({ signal, text }) => [signal, text]),
		[['worker-died', 'a process ended of an error nobody caught']],
	);
});

test('containers of one service are told apart by their addresses', () => {
	const file = fileOf({
		1: [row(1, { addresses: ['172.18.0.5'] })],
		2: [row(2, { addresses: ['172.18.0.6'] })],
		3: [row(3, { addresses: ['10.0.0.9'] })],
	});
	const begun = (service: string) => read({ ...filesOf(''), file }, { ...ABOUT, service, names: NAMES }).heartbeat?.map(({ t }) => t);
	assert.deepEqual(
		[begun('web-1'), begun('web-2')],
		[
			[1, 3],
			[2, 3],
		],
	);
});

test('half a line, as a process leaves it that is killed, is no row', () => {
	const file = (name: string) => (name === 'process-1.ndjson' ? `${JSON.stringify(row(1))}\n{"t":2,"ev` : '');
	const { heartbeat } = read({ ...filesOf(''), file }, ABOUT);
	assert.deepEqual(
		heartbeat?.map(({ t }) => t),
		[1],
	);
});

test('a single process is as it said itself', () => {
	const rows = [row(10.2, { event: 'start', versions: { node: '24.0.0' } }), row(11.2, { received: 5, in_flight: 2, busy_share: 0.4 })];
	const { heartbeat: joined = [] } = readOf(rows);
	assert.deepEqual(
		joined.map(({ t, event, received, in_flight, busy_share }) => [t, event, received, in_flight, busy_share]),
		[
			[10.2, 'start', 0, 0, 0],
			[11.2, 'tick', 5, 2, 0.4],
		],
	);
	assert.deepEqual(joined[0].versions, { node: '24.0.0' });
});

test('of several their counts are added up, and the busiest loop is the loop; what one had open that ended is gone', () => {
	const first = [row(10.1, { event: 'start' }), row(11.1, { received: 3, answered: { '2xx': 2 }, in_flight: 1, busy_share: 0.2 })];
	const second = [10.5, 11.5, 12.5, 13.5].map((t, index) =>
		row(t, { received: index * 2, answered: { '2xx': index }, in_flight: 1, busy_share: 0.9 }),
	);
	const { heartbeat: joined = [] } = readOf(first, second);
	assert.deepEqual(
		joined.map(({ t, received, answered, in_flight: open, busy_share: busy }) => [t, received, answered['2xx'] ?? 0, open, busy]),
		[
			[10.5, 0, 0, 1, 0.9],
			[11.5, 5, 3, 2, 0.9],
			[12.5, 7, 4, 1, 0.9],
			[13.5, 9, 5, 1, 0.9],
		],
	);
});

const fixture = (name: string) => readFileSync(new URL(`./fixtures/cluster/${name}`, import.meta.url), 'utf8');
const FIRST = JSON.parse(fixture('process-1.ndjson').split('\n')[0]);
const END = Math.max(...[1, 2].map((number) => JSON.parse(fixture(`process-${number}.ndjson`).trimEnd().split('\n').at(-1) ?? '').t));

const filesWith = (change: (name: string) => string = () => '') => ({
	...filesOf(''),
	file: (name: string) => {
		if (!/^process-[12][-.]/.test(name)) return '';
		return change(name) || fixture(name);
	},
});
const READ_ABOUT = aboutOf({ service: 'web', tier: 'app', level: 3, names: new Map(), window: { from: FIRST.t - 1, to: END + 0.5 } });
const LOG = readFileSync(new URL('../opaque/fixtures/gunicorn.log', import.meta.url), 'utf8');

test('each request is on record with what became of it, whichever process had it', () => {
	const record = read(filesWith(), READ_ABOUT);
	assert.deepEqual(record.coverage, { requests: 'full', reasons: 'partial', limits: 'full' });
	const became = new Map(record.requestRecords.map(({ id, outcome, status }) => [id, `${outcome} ${status}`]));
	assert.deepEqual(
		['1-1', '1-2', '1-3', '1-4'].map((id) => became.get(id)),
		['answered 200', 'answered 500', 'broken null', 'open null'],
	);
	const { received, answered_ok: ok, answered_error: errors, aborted } = record;
	assert.deepEqual([received, ok, errors, aborted], [record.requestRecords.length, Number(received) - 3, 1, 1]);
	assert.ok(record.requestRecords.every(({ service, received: at }) => service === 'web' && at >= FIRST.t - 1 && at <= END));
});

test('that a process of several was killed is said', () => {
	const { messages } = read(filesWith(), READ_ABOUT);
	assert.deepEqual(
		messages.map(({ signal, text }) => [signal, text.replace(/\d+/, 'N')]),
		[['worker-died', 'process N: wrote no last line, and no other after that']],
	);
});

test('it keeps the record that the lab’s own programs keep, once a second, and its heap has a limit', () => {
	const { heartbeat = [], limits } = read(filesWith(), READ_ABOUT);
	assert.ok(heartbeat.length >= 4 && heartbeat.every(({ t }, index) => index === 0 || t - heartbeat[index - 1].t < 2));
	const last = heartbeat[heartbeat.length - 1];
	assert.deepEqual([heartbeat[0].event, last.aborted, last.answered['5xx'], last.pool], ['start', 1, 1, null]);
	const [{ resource, size, unit, full = 0, used }] = limits;
	assert.deepEqual([resource, unit, full < size, used.every((reading) => reading.used < size)], ['heap', 'MB', true, true]);
});

test('where requests come without the load’s ids, nothing is proved by their want', () => {
	const record = read(
		filesWith((name) => (name.endsWith('.log') ? fixture(name).replaceAll(/^([+x-])\d+-\d+/gm, '$1other') : '')),
		READ_ABOUT,
	);
	assert.equal(record.coverage.requests, 'partial');
	assert.match(record.uncovered[0], /X-Request-Id/);
});

test('requests without an id are counted all the same', () => {
	const { requestRecords, coverage, received, answered_ok, answered_error, aborted } = read(
		filesWith((name) =>
			name.endsWith('.log') ? `${fixture(name).split('\n')[0]}\n` : fixture(name).replaceAll(/"logged":\d+/g, '"logged":0'),
		),
		READ_ABOUT,
	);
	assert.deepEqual([requestRecords.length, coverage.requests], [0, 'partial']);
	assert.deepEqual([received, answered_ok, answered_error, aborted], [45, 42, 1, 1]);
});

test('lines that were lost, and trouble of the preload itself, are said', () => {
	const lost = read(
		filesWith((name) => (name === 'process-1-requests.log' ? fixture(name).split('\n').slice(0, 3).join('\n') : '')),
		READ_ABOUT,
	);
	assert.deepEqual([lost.coverage.requests, /not in its record/.test(lost.uncovered[0])], ['partial', true]);
	const troubled = read(
		filesWith((name) =>
			name === 'process-1.ndjson' ? fixture(name).replace('"event":"tick"', '"event":"tick","trouble":"Error: ENOSPC"') : '',
		),
		READ_ABOUT,
	);
	assert.deepEqual([troubled.coverage.requests, /ENOSPC/.test(troubled.uncovered[0])], ['partial', true]);
});

test('without a record of the preload it is said why there may be none', () => {
	const { coverage, uncovered, heartbeat } = read(filesOf(''), READ_ABOUT);
	assert.deepEqual([coverage.requests, uncovered.length, heartbeat], ['none', 1, undefined]);
	assert.match(uncovered[0], /18\.18/);
});

test('without consent only its output is read: an access log, and that a process died', () => {
	const about = aboutOf({ service: 'web', tier: 'app' });
	const record = read(filesOf(`${LOG}${line(4, 'Node.js v24.21.0')}`), about);
	assert.deepEqual([record.received, record.coverage.requests, record.requestRecords], [4, 'partial', []]);
	assert.deepEqual(
		record.messages.map(({ signal, t }) => [signal, t - FROM]),
		[['worker-died', 4]],
	);
	assert.deepEqual(read(filesOf(LOG), { ...about, level: 0 }).received, null);
});
