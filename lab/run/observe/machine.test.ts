import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXIT, UnreadyMachineError } from '../../base/errors.ts';
import { readCpuTimes, waitForQuiet } from './machine.ts';
import { countLookups, parseListeners, parsePortRange, parsePorts } from './sockets.ts';

const STAT = `cpu  5153 10 1860 43576 675 3 284 235 0 0
cpu0 2500 5 900 21000 300 1 140 100 0 0
intr 123
`;

test('the first line of /proc/stat is the time of all cores by state, in seconds', () => {
	assert.deepEqual(readCpuTimes(STAT).stat, {
		user: 51.53,
		nice: 0.1,
		system: 18.6,
		idle: 435.76,
		iowait: 6.75,
		irq: 0.03,
		softirq: 2.84,
		steal: 2.35,
	});
});

test('a machine without /proc/stat, or with a shorter line, has no times by state', () => {
	for (const text of [null, 'cpu  1 2 3 4\n']) assert.equal(readCpuTimes(text).stat, null);
});

test('waiting for a disk and stolen time are time in which the machine was not busy', () => {
	const { busy, total } = readCpuTimes('cpu  100 200 400 800 1600 3200 6400 12800 0 0\n');
	assert.deepEqual([busy, total], [103, 255]);
});

const HEAD = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
const REST = ' 00:00000000 00000000     0        0 1060 1 00000000fc6020dc 100 0 0 10 0\n';
const line: (sl: number, local: string, remote: string, state: string, queued?: string) => string = (
	sl,
	local,
	remote,
	state,
	queued = '00000000',
) => `${String(sl).padStart(4)}: ${local} ${remote} ${state} 00000000:${queued}${REST}`;

const NONE = '00000000:0000';
const RESOLVER = line(0, '0B00007F:A1B2', NONE, '0A');
const NGINX = line(1, '00000000:0050', NONE, '0A', '000000FF');
const NODE = line(2, '00000000000000000000000000000000:0BB8', '00000000000000000000000000000000:0000', '0A', '00000003');
const ACCEPTED = line(3, '090013AC:0050', '070013AC:9C40', '01', '00000010');

test('listening sockets are read with what waits in their queues, those of IPv6 as well', () => {
	assert.deepEqual(parseListeners(HEAD + NGINX + NODE + ACCEPTED), [
		{ port: 80, queued: 255 },
		{ port: 3000, queued: 3 },
	]);
});

test("Docker's resolver is no queue of the service", () => {
	assert.deepEqual(parseListeners(HEAD + RESOLVER + NGINX), [{ port: 80, queued: 255 }]);
});

test('a line that is cut before its queue is left out, not taken for an empty queue', () => {
	assert.deepEqual(parseListeners(HEAD + NGINX + NODE.slice(0, 90)), [{ port: 80, queued: 255 }]);
});

test('a namespace without listening sockets has no queues', () => {
	assert.deepEqual(parseListeners(HEAD + ACCEPTED), []);
	assert.deepEqual(parseListeners(''), []);
});

const RANGE = [32768, 60999] as [number, number];
const TO_NODE = '050013AC:0BB8';
const outgoing = (port: number, state = '06', to = TO_NODE) =>
	line(9, `090013AC:${port.toString(16).toUpperCase().padStart(4, '0')}`, to, state);

test('local ports are counted by destination, those in TIME_WAIT too', () => {
	const text = HEAD + NGINX + outgoing(40_000) + outgoing(40_001, '01') + outgoing(40_002) + outgoing(40_000, '06', '060013AC:0BB8');
	assert.deepEqual(parsePorts(text, RANGE), { range: RANGE, by_destination: { '172.19.0.5:3000': 3, '172.19.0.6:3000': 1 } });
});

test('a connection that was accepted takes no port of the range', () => {
	assert.deepEqual(parsePorts(HEAD + NGINX + ACCEPTED, RANGE).by_destination, {});
});

test('the edges of the range are in it', () => {
	const text = HEAD + outgoing(32_767) + outgoing(32_768) + outgoing(60_999) + outgoing(61_000);
	assert.deepEqual(parsePorts(text, RANGE).by_destination, { '172.19.0.5:3000': 2 });
});

test('of many destinations the four that took most are kept', () => {
	const text = [1, 2, 3, 4, 5].flatMap((node) =>
		Array.from({ length: node }, (_, at) => outgoing(40_000 + at, '06', `0${node}0013AC:0BB8`)),
	);
	assert.deepEqual(parsePorts(HEAD + text.join(''), RANGE).by_destination, {
		'172.19.0.5:3000': 5,
		'172.19.0.4:3000': 4,
		'172.19.0.3:3000': 3,
		'172.19.0.2:3000': 2,
	});
});

test('the range of local ports is two numbers, or is not known', () => {
	assert.deepEqual(parsePortRange('32768\t60999\n'), RANGE);
	assert.equal(parsePortRange('cat: no such file'), null);
	assert.equal(parsePortRange(null), null);
});

test('lookups of names that wait are those sockets for datagrams that were connected to a resolver', () => {
	const lookup = line(4125, '090013AC:9C40', '0B00007F:0035', '01');
	const engine = line(4126, '0B00007F:A71B', NONE, '07');
	const metrics = line(4127, '090013AC:9C41', '060013AC:1FBD', '01');
	assert.equal(countLookups(HEAD + engine + lookup + metrics + lookup), 2);
	assert.equal(countLookups(''), 0);
});

/** A machine that is as busy as this, sample by sample; the last one lasts. */
function machine(...shares: number[]) {
	const seen = { samples: [] as number[], said: [] as string[] };
	return {
		seen,
		sample: async (forMs: number) => {
			seen.samples.push(forMs);
			return (shares.length > 1 ? shares.shift() : shares[0]) as number;
		},
		say: (text: string) => seen.said.push(text),
		signal: new AbortController().signal,
	};
}

test('a quiet machine is sampled for one second, and nothing is said', async () => {
	const quiet = machine(0.15);
	assert.deepEqual(await waitForQuiet({ busy: 'refuse', ...quiet }), { share: 0.15, warnings: [] });
	assert.deepEqual(quiet.seen, { samples: [1000], said: [] });
});

test('a machine that settles is waited for, and the run begins as soon as it is quiet', async () => {
	const settling = machine(0.9, 0.4, 0.05, 0.9);
	assert.deepEqual(await waitForQuiet({ busy: 'refuse', ...settling }), { share: 0.05, warnings: [] });
	assert.deepEqual(settling.seen, {
		samples: [1000, 5000, 5000],
		said: ['the machine is 90 % busy; waiting up to 60 s for it to be quiet'],
	});
});

test('a machine that stays busy for a minute is refused, with what was found and what to do', async () => {
	const busy = machine(0.16, 0.6);
	await assert.rejects(waitForQuiet({ busy: 'refuse', ...busy }), (error) => {
		assert.ok(error instanceof UnreadyMachineError);
		assert.equal(error.exitCode, EXIT.notReady);
		assert.match(error.message, /at most 15 % busy.*found 60 %.*60 s/);
		assert.match(error.message, /BUSY=allow/);
		return true;
	});
	assert.equal(
		busy.seen.samples.reduce((sum, ms) => sum + ms, 0),
		61_000,
	);
});

test('a single run is made on a machine that stays busy for a minute, and says so', async () => {
	const busy = machine(0.16, 0.6);
	assert.deepEqual(await waitForQuiet({ busy: 'wait', ...busy }), {
		share: 0.6,
		warnings: ['the machine was 60 % busy before the run: something else is using it'],
	});
	assert.equal(busy.seen.samples.length, 13);
});

test('a busy machine that is allowed is not waited for, and is said to be busy', async () => {
	const busy = machine(0.6);
	assert.deepEqual(await waitForQuiet({ busy: 'allow', ...busy }), {
		share: 0.6,
		warnings: ['the machine was 60 % busy before the run: something else is using it'],
	});
	assert.deepEqual(busy.seen, { samples: [1000], said: [] });
});
