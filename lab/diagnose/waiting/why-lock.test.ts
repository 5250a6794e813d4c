import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, said, ZERO } from './fixtures/made-stack.ts';

const isBadIn = (second: number) => second >= 10;

/** @param holders that the store tells of */
function locked(holders: (second: number) => { address: string; state: string; waiting: number; held_s: number }[]) {
	const stack = new MadeStack();
	stack.holds('k6', 'web', 'store', 'job');
	each(-5, 30, 0.1, (at, index) => {
		const isBad = isBadIn(at);
		stack.call('k6 web', at, at + (isBad ? 3.001 : 0.02), isBad ? { status: 504 } : {});
		stack.call('web store', at + 0.001, at + (isBad ? 3 : 0.019), {
			protocol: 'postgresql',
			template: '',
			verb: 'UPDATE',
			on: `${isBad ? index : index % 4}`,
		});
	});
	stack.reads('store', () => ({ waits: { io_s: 0 } }));
	const samples = Array.from({ length: 40 }, (_, index) => ({ t: ZERO + index - 9, lock_holders: holders(index - 10) }));
	stack.adapted.push({ service: 'store', files: { samples } });
	return stack;
}

const JOB = { address: 'job', state: 'idle in transaction', waiting: 28, held_s: 12 };

test('whom a service tells of as the holder of a lock that the calls wait for is named', () => {
	const stack = locked((second) => (isBadIn(second) ? [JOB] : []));
	const [finding] = stack.follow().findings;
	assert.deepEqual(
		[said(finding), finding.why_basis, finding.title],
		['store: lock', 'counted', 'let calls wait for a lock that job held'],
	);
	assert.ok(finding.evidence.some((text) => text.startsWith('job held locks that 28 others waited for')));
});

test('a lock that few wait for, or as many in calm seconds, is not what the calls wait for', () => {
	assert.deepEqual(
		locked((second) => (isBadIn(second) ? [{ ...JOB, waiting: 3 }] : []))
			.follow()
			.findings.map(said),
		['store: stands'],
	);
	assert.deepEqual(
		locked(() => [JOB])
			.follow()
			.findings.map(said),
		['store: stands'],
	);
});

test('a client from within its container, and one that is none of the stack, are said as such', () => {
	const titleOf = (address: string) => locked((second) => (isBadIn(second) ? [{ ...JOB, address }] : [])).follow().findings[0].title;
	assert.equal(titleOf(''), 'let calls wait for a lock that a client within store held');
	assert.equal(titleOf('203.0.113.9'), 'let calls wait for a lock that 203.0.113.9 held');
});

/**
 * Writers whose COMMIT is answered no more from second 10 on, beside readers.
 * @param isKept somebody else keeps a transaction open
 */
function uncommitted(isKept: boolean) {
	const stack = new MadeStack();
	const sql = { protocol: 'postgres', template: '' };
	each(-5, 30, 0.1, (at, index) => {
		const isWrite = index % 5 === 0;
		const isBad = isWrite && isBadIn(at);
		const on = isWrite ? `write ${index}` : `read ${index % 4}`;
		stack.call('k6 web', at, at + (isBad ? 5 : 0.02), isBad ? { status: 504 } : {});
		if (!isWrite) return stack.call('web store', at + 0.001, at + 0.002, { ...sql, verb: 'SELECT', on });
		stack.call('web store', at + 0.001, at + 0.002, { ...sql, verb: 'INSERT', on, state: 'transaction' });
		stack.call('web store', at + 0.003, isBad ? null : at + 0.01, { ...sql, verb: 'COMMIT', on, state: 'idle' });
	});
	if (isKept) stack.call('job store', 9, 9.01, { ...sql, verb: 'UPDATE', on: 'kept', state: 'transaction' });
	stack.reads('store', () => ({ cores: 0.02 }));
	return stack.follow().findings[0];
}

test('who waits for the same answer in a transaction of its own holds nobody up, and what outlasted the record was let go by nothing', () => {
	const finding = uncommitted(false);
	assert.equal(said(finding), 'store: slow-kind');
	assert.match(String(finding.title), /^left each COMMIT unanswered, for [\d.]+ s so far$/);
});

test('but whoever keeps a transaction open beside them does', () => {
	assert.equal(uncommitted(true).title, 'let calls wait for a transaction that job kept open');
});

test('tables that a client has locked are told as such', () => {
	const stack = new MadeStack();
	stack.holds('k6', 'orders', 'db', 'backup');
	const insert = { protocol: 'mysql', verb: 'INSERT', template: 'INSERT orders', status: null };
	each(-5, 30, 0.1, (at, index) => {
		const isHeld = at > 12 && at < 18;
		stack.call('k6 orders', at, isHeld ? at + 2 : at + 0.02, isHeld ? { status: 503 } : {});
		stack.call('orders db', at + 0.001, isHeld ? 18.01 : at + 0.01, { ...insert, on: `${isHeld ? index : index % 4}` });
	});
	const own = { protocol: 'mysql', on: 'dump', status: null };
	stack.call('backup db', 11.9, 11.91, { ...own, verb: 'LOCK', template: 'LOCK orders', state: 'transaction' });
	stack.call('backup db', 11.92, 18, { ...own, verb: 'SELECT', template: 'SELECT orders', hole: true });
	stack.call('backup db', 18, 18.005, { ...own, verb: 'UNLOCK', template: 'UNLOCK', state: 'idle' });
	const [finding] = stack.follow().findings;
	assert.deepEqual([said(finding), finding.title], ['db: lock', 'let calls wait for tables that backup had locked']);
});

/**
 * Calls that stand in a database for up to three seconds, until second 18, beside a client with a lock that reads meanwhile.
 * @param given asks: what stands there; takes, gives: statements of the client; to: when it gives its lock back
 */
function beside({ asks = 'UPDATE orders', takes = 'FLUSH TABLES WITH READ LOCK', gives = 'UNLOCK', to = 18 }) {
	const stack = new MadeStack();
	const said = (template: string) => ({ protocol: 'mysql', verb: template.split(' ')[0], template, status: null });
	each(-5, 30, 0.1, (at, index) => {
		const isHeld = at > 8.2 && at < 18;
		const isLost = isHeld && at < 15;
		const over = isLost ? at + 3 : isHeld ? 18.01 : at + 0.01;
		stack.call('k6 orders', at, over + 0.01, isLost ? { status: 503 } : {});
		const given = isLost ? { end: 'given-up' as const, by: 'client' as const } : {};
		stack.call('orders db', at + 0.001, over, { ...said(asks), ...given, on: `${isHeld ? index : index % 4}` });
	});
	const own = { on: 'dump' };
	if (takes !== '') stack.call('backup db', 8, 8.01, { ...said(takes), ...own });
	each(8.1, 17.9, 0.3, (at) => {
		if (at < to) stack.call('backup db', at, at + 0.01, { ...said('SELECT items'), ...own });
	});
	if (gives !== '') stack.call('backup db', to, to + 0.001, { ...said(gives), ...own });
	stack.wire.calls.sort((one, other) => one.began_at - other.began_at);
	return stack.follow().findings;
}

test('a lock that a client took by a statement of its own is told with that', () => {
	const named = { asks: 'SELECT get_lock()', takes: 'SELECT get_lock()', gives: 'DO release_lock()' };
	// Of a record that does not say what was flushed, what is unlocked does.
	for (const given of [{}, { takes: 'FLUSH' }, named]) {
		const [finding, ...others] = beside(given);
		assert.deepEqual([said(finding), finding.why_basis, others], ['db: lock', 'counted', []]);
		const statement = given.takes === 'FLUSH' ? 'the command FLUSH' : (given.takes ?? 'FLUSH TABLES WITH READ LOCK');
		assert.equal(finding.title, `let calls wait for a lock that backup had taken with ${statement}`);
		assert.match(finding.evidence.join('\n'), /^30 such calls still waited as it was given back: 30 were over within 50 ms of that\.$/m);
	}
});

test('but not one that was given back long before, that readers go by, that others do not ask for, or that was none', () => {
	const none = [
		{ to: 12 },
		{ asks: 'SELECT orders' },
		{ takes: 'SELECT get_lock()', gives: 'DO release_lock()' },
		{ takes: 'FLUSH', gives: '' },
	];
	for (const given of none)
		assert.ok(
			beside(given).every(({ mechanism }) => mechanism !== 'lock'),
			JSON.stringify(given),
		);
});
