import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bareRecord } from './bare-record.ts';
import { completeLines, isDuring, limitOf, parseRequestLog, sampledExtent } from './complete-lines.ts';
import { aboutOf, eachSecond, FROM, line, WINDOW } from './fixtures/hop-files.ts';

test('a line that was cut off is left out', () => {
	assert.deepEqual(
		completeLines(`${line(1, 'one')}${line(2, 'tw').trimEnd()}`).map(({ text }) => text),
		['one'],
	);
	assert.deepEqual(completeLines(''), []);
	assert.deepEqual(completeLines('no end'), []);
});

test('the moment at which the load begins is not part of it, that at which it ends is', () => {
	assert.deepEqual(
		[WINDOW.from, WINDOW.from + 0.1, WINDOW.to, WINDOW.to + 0.1].map((t) => isDuring(t, WINDOW)),
		[false, true, true, false],
	);
});

test('a limit has its size and what was used of it in the load', () => {
	const samples = eachSecond({ most: 20 }, (second) => ({ used: second }));
	const [{ size, used }] = limitOf(
		'slots',
		samples,
		WINDOW,
		(sample) => sample.most,
		(sample) => sample.used,
	);
	assert.equal(size, 20);
	assert.deepEqual(
		used.map((point) => point.used),
		[1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
	);
});

test('what has no size, or none above zero, is no limit', () => {
	for (const most of [undefined, 0, -1])
		assert.deepEqual(
			limitOf(
				'slots',
				eachSecond({ most, used: 1 }),
				WINDOW,
				(sample) => sample.most,
				(sample) => sample.used,
			),
			[],
		);
});

test('samples of each second cover the load', () => {
	assert.equal(sampledExtent(eachSecond({}), WINDOW), 'full');
});

test('a gap at the beginning, inside or at the end leaves the load covered in part', () => {
	const seconds = eachSecond({});
	for (const samples of [seconds.slice(6), [...seconds.slice(0, 4), ...seconds.slice(9)], seconds.slice(0, 6)])
		assert.equal(sampledExtent(samples, WINDOW), 'partial');
});

test('no sample in the load covers nothing', () => {
	assert.equal(sampledExtent([], WINDOW), 'none');
	assert.equal(sampledExtent([{ t: FROM - 1 }], WINDOW), 'none');
});

test('a service of which nothing is known has no figure, and none that is zero', () => {
	const record = bareRecord(aboutOf({ service: 'jobs', tier: 'queue' }), 'redis');
	assert.deepEqual([record.service, record.tier, record.product], ['jobs', 'queue', 'redis']);
	assert.deepEqual([record.received, record.answered_ok, record.answered_error, record.aborted], [null, null, null, null]);
	assert.deepEqual(record.coverage, { requests: 'none', reasons: 'none', limits: 'none' });
});

test('two records share no list', () => {
	bareRecord(aboutOf(), 'redis').uncovered.push('one');
	assert.deepEqual(bareRecord(aboutOf(), 'redis').uncovered, []);
});

const wanted = new Set(['w1-1', 'w2-7']);

const parse = (...lines: string[]) => parseRequestLog(lines.join('\n'), 'app-1', wanted);

test('a request is received, and answered with a status and the name of its error', () => {
	const { attempts } = parse('#1800000000000', '+w1-1 250', '-w1-1 750 500 MongoNetworkError');
	assert.deepEqual(attempts.get('w1-1'), [
		{
			node: 'app-1',
			received: 1_800_000_000.25,
			ended: 1_800_000_000.75,
			outcome: 'answered',
			status: 500,
			error: 'MongoNetworkError',
			place: '',
		},
	]);
});

test('a refusal has the request whose failure brought it about', () => {
	const { attempts } = parse('#1800000000000', '+w1-1 250', '-w1-1 251 503 BreakerOpenError w2-7');
	const [{ status, error, opener }] = attempts.get('w1-1') ?? [];
	assert.deepEqual([status, error, opener], [503, 'BreakerOpenError', 'w2-7']);
});

test('a request that was broken off has the place where it was, and no status', () => {
	const { attempts } = parse('#1800000000000', '+w1-1 250', '!w1-1 900 database');
	const [{ outcome, place, status, ended }] = attempts.get('w1-1') ?? [];
	assert.deepEqual([outcome, place, status, ended], ['broken', 'database', null, 1_800_000_000.9]);
});

test('each life of a node counts its milliseconds from its own start, and a request of the first is not ended by the second', () => {
	const { attempts } = parse('#1800000000000', '+w1-1 100', '+w2-7 200', '#1800000005000', '+w1-1 50', '-w1-1 60 200');
	assert.deepEqual(
		attempts.get('w2-7')?.map(({ received, ended, outcome }) => [received, ended, outcome]),
		[[1_800_000_000.2, null, 'open']],
	);
	const lives = attempts.get('w1-1')?.map(({ received, outcome }) => [received, outcome]);
	assert.deepEqual(lives, [
		[1_800_000_000.1, 'open'],
		[1_800_000_005.05, 'answered'],
	]);
});

test('half a line, as a node leaves it that is killed, is no request', () => {
	for (const half of ['+w1-1', '+w1-1 ', '-w', '+', '']) {
		const { attempts } = parse('#1800000000000', '+w2-7 100', half);
		assert.deepEqual([...attempts.keys()], ['w2-7'], half);
	}
});

test('only wanted requests are kept, and an end without a beginning is none', () => {
	const { attempts } = parse('#1800000000000', '+w9-9 100', '-w9-9 200 200', '-w1-1 300 200');
	assert.deepEqual([...attempts.values()].flat(), []);
});

test('when a node received a request once more is reported, wanted or not, and each of its attempts has its own end', () => {
	const own = ['+a-users 1', '+a-users 2'];
	const lines = ['#1800000000000', ...own, '+w9-9 1', '+w1-1 2', '!w1-1 3 app', '+w9-9 4', '+w1-1 5', '-w1-1 6 200', '+w9-9 7'];
	const { repeated, attempts, received } = parse(...lines);
	assert.deepEqual([repeated, received], [[1_800_000_000.004, 1_800_000_000.005, 1_800_000_000.007], 5]);
	assert.deepEqual(
		attempts.get('w1-1')?.map(({ outcome }) => outcome),
		['broken', 'answered'],
	);
});
