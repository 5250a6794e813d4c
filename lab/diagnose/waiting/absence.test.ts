/**
 * Absences end when the engine says so: pauses beside locks, backlogs after them, services that end again and again; as small records.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, reported, SQL, said } from './fixtures/made-stack.ts';

/** Who waited for so long gives up. */
const GIVEN_UP = { end: 'given-up', by: 'client' } as const;

/**
 * Users ask an API by a proxy, and each waits for a row that another client has locked: those that began in that time, until it lets go or they
 * give up. The API is paused for a while, too.
 */
function pausedBesideLock({
	locked: [locks, frees],
	paused,
	gives,
	apis = ['api'],
	others = 1,
}: {
	/** seconds of the load */
	locked: [number, number];
	paused: [number, number][];
	/** for which users wait */
	gives: number;
	/** containers that have the requests in turn; the first is paused */
	apis?: string[];
	/** of so many requests one waits for the row; the others ask for nothing that is locked */
	others?: number;
}) {
	const stack = new MadeStack(40);
	stack.call('batch db', locks - 0.01, locks, { ...SQL, template: 'UPDATE stock', on: 'holder' });
	each(-5, 38, 0.25, (at, index) => {
		const api = apis[index % apis.length];
		const wants = index % others === 0;
		const pause = api === apis[0] ? paused.find(([from, to]) => at >= from && at < to) : undefined;
		const reaches = (pause ? pause[1] : at) + 0.002;
		const done = (wants && reaches >= locks && reaches < frees ? frees : reaches) + 0.02;
		const isLost = done - at > gives;
		const rest = { template: wants ? '/buy' : '/look', ...(isLost ? GIVEN_UP : {}) };
		const over = isLost ? at + gives : done;
		stack.call('k6 lb', at, over, rest);
		stack.call(`lb ${api}`, at + 0.001, over - 0.001, rest);
		if (reaches > over) return;
		const sql = { ...SQL, template: wants ? 'UPDATE stock' : 'SELECT items', on: `${api} ${index}` };
		stack.call(`${api} db`, reaches, isLost ? over + 0.01 : done - 0.005, isLost ? { ...sql, ...GIVEN_UP } : sql);
	});
	for (const [from, to] of paused) {
		stack.event(apis[0], 'pause', from);
		stack.event(apis[0], 'unpause', to);
	}
	return stack;
}

const isOfPause = (stack: MadeStack) => reported(stack).some((text) => text.endsWith(': paused'));

test('requests that waited for a lock before, through and after a pause are not the pause’s', () => {
	assert.equal(isOfPause(pausedBesideLock({ locked: [5, 33], paused: [[14, 18]], gives: 10 })), false);
	assert.equal(isOfPause(pausedBesideLock({ locked: [5, 33], paused: [[14, 18]], gives: 2 })), false);
});

test('nor where a lock has long waits and a few requests alone', () => {
	const rare = pausedBesideLock({ locked: [5, 33], paused: [[14, 18]], gives: 10, others: 8 });
	assert.equal(isOfPause(rare), false);
});

test('nor where the service is paused twice within the lock', () =>
	assert.equal(
		isOfPause(
			pausedBesideLock({
				locked: [5, 36],
				paused: [
					[12, 15],
					[22, 25],
				],
				gives: 4,
			}),
		),
		false,
	));

test('nor where one of two containers is, and the lock holds up both', () =>
	assert.equal(isOfPause(pausedBesideLock({ locked: [8, 30], paused: [[14, 18]], gives: 3, apis: ['api-1', 'api-2'] })), false));

test('what a pause alone keeps waiting is its own, and it ended when the engine says', () => {
	const stack = pausedBesideLock({ locked: [-4, -3.9], paused: [[14, 18]], gives: 2 });
	const [finding, ...more] = stack.follow().findings;
	assert.deepEqual([said(finding), more.length], ['api: paused', 0]);
	assert.ok(finding.evidence.includes('api was paused in second 14; it went on in second 18.'), finding.evidence.join('\n'));
});

test('a service that is paused twice, with good answers between, was paused', () => {
	const stack = pausedBesideLock({
		locked: [-4, -3.9],
		paused: [
			[10, 14],
			[20, 24],
		],
		gives: 2,
	});
	assert.deepEqual(reported(stack), ['api: paused']);
	assert.ok(stack.follow().findings[0].evidence.some((text) => text === 'api was paused in second 20; it went on in second 24.'));
});

test('a lock that begins within a pause and lasts much longer is not the pause’s', () =>
	assert.equal(isOfPause(pausedBesideLock({ locked: [16, 34], paused: [[14, 18]], gives: 2 })), false));

test('a pause that ends before a lock begins keeps what it had', () => {
	const stack = pausedBesideLock({ locked: [28, 30.5], paused: [[10, 15]], gives: 2 });
	assert.ok(isOfPause(stack), reported(stack).join());
});

/**
 * After a pause of four seconds one request after the other is worked off, and users wait for three.
 * @param rate of requests that it works off in a second; two come
 */
function slowRecovery(rate: number) {
	const stack = new MadeStack(40);
	let free = 0;
	each(-5, 38, 0.5, (at) => {
		const begins = Math.max(at, free, at >= 14 && at < 18 ? 18 : 0);
		free = begins + 1 / rate;
		const isLost = free - at > 3;
		const rest = isLost ? GIVEN_UP : {};
		stack.call('k6 lb', at, isLost ? at + 3 : free, rest);
		stack.call('lb api', at + 0.001, isLost ? at + 2.999 : free - 0.001, rest);
	});
	stack.event('api', 'pause', 14);
	stack.event('api', 'unpause', 18);
	return stack;
}

test('what was kept waiting and comes too late afterwards is the pause’s for as long as that was', () =>
	assert.deepEqual(reported(slowRecovery(4)), ['api: paused']));

test('a service that ends again and again is told with how often and for how long', () => {
	const stack = new MadeStack(30);
	const ends = [6, 12, 18, 24];
	each(-5, 29, 0.1, (at) => {
		const isAway = ends.some((end) => at >= end && at < end + 2);
		stack.call('k6 lb', at, at + 0.02, { status: isAway ? 502 : 200 });
		if (isAway) stack.refused('lb api', at + 0.001);
		else stack.call('lb api', at + 0.001, at + 0.018);
	});
	for (const end of ends) {
		stack.event('api', 'die', end, 1);
		stack.event('api', 'start', end + 0.9);
	}
	const [finding, ...more] = stack.follow().findings;
	assert.deepEqual([said(finding), more.length], ['api: gone', 0]);
	assert.equal(finding.title, 'ended 4 times, and was back after 900 ms each time (median)');
	const text =
		'api ended 4 times with exit code 1, from second 6 to second 24; it was back after 900 ms each time (median), and answered well again after 2.02 s.';
	assert.ok(finding.evidence.includes(text), finding.evidence.join('\n'));
});

test('a service that was paused beside one that ended again and again is not at fault for it', () => {
	const stack = new MadeStack(30);
	const ends = [6, 14, 22];
	each(-5, 29, 0.1, (at) => {
		const isAway = ends.some((end) => at >= end && at < end + 2);
		stack.call('k6 lb', at, at + 0.02, { status: isAway ? 502 : 200 });
		if (isAway) stack.refused('lb api', at + 0.001);
		else stack.call('lb api', at + 0.001, at + 0.018);
	});
	for (const end of ends) {
		stack.event('api', 'die', end, 1);
		stack.event('api', 'start', end + 0.5);
	}
	stack.event('mailer', 'pause', 5);
	stack.event('mailer', 'unpause', 28);
	assert.deepEqual(reported(stack), ['api: gone']);
});

test('a refusal that is in no absence by the engine’s clock does not clear a service of its ends', () => {
	const stack = new MadeStack(30);
	each(-5, 29, 0.1, (at) => {
		const isAway = at >= 10 && at < 13;
		// One is refused before the end is told of, and one when it serves others already.
		const isOdd = [8, 16].includes(Math.round(at * 10) / 10);
		stack.call('k6 lb', at, at + 0.02, { status: isAway || isOdd ? 502 : 200 });
		if (isAway || isOdd) stack.refused('lb api', at + 0.001);
		else stack.call('lb api', at + 0.001, at + 0.018);
	});
	stack.event('api', 'die', 10, 1);
	stack.event('api', 'start', 11);
	assert.deepEqual(reported(stack), ['api: gone']);
});

test('an end that did not come back is told as what the file says of it', () => {
	const stack = new MadeStack(30);
	each(-5, 29, 0.1, (at) => {
		stack.call('k6 lb', at, at + 0.02, { status: at >= 10 ? 502 : 200 });
		if (at >= 10) stack.refused('lb api', at + 0.001);
		else stack.call('lb api', at + 0.001, at + 0.018);
	});
	stack.event('api', 'die', 10, 1);
	const textWith = (more: object) => {
		stack.manifest = { services: [{ name: 'api', service: 'api' }], ...more };
		return stack.follow().findings[0].evidence[0];
	};
	assert.equal(textWith({}), 'api ended in second 10 with exit code 1; it did not come back.');
	assert.match(
		textWith({ restarts: { api: 'always' } }),
		/did not come back: its Compose file has it started again, and a run leaves an end as it is\.$/,
	);
	assert.match(
		textWith({ restart_policies: { api: 'on-failure:3' } }),
		/did not come back: its Compose file has it started again after 3 failures at most\.$/,
	);
	assert.match(textWith({ restart_policies: { api: 'always' } }), /did not come back\.$/);
});
