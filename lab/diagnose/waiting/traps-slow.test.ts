/**
 * A callee that asks nobody and takes long, as small records: a lock, one kind of call, one statement.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, reported, SQL, said } from './fixtures/made-stack.ts';

/** A job keeps a transaction open for three seconds in six, for whose end orders wait. */
function lockedByJob(stack: MadeStack) {
	each(-5, 0, 0.1, (at, index) => {
		stack.call('k6 api', at, at + 0.01, { verb: 'POST', template: '/orders' });
		stack.call('api db', at + 0.001, at + 0.009, { ...SQL, verb: 'UPDATE', template: 'UPDATE stock', on: `${index % 8}` });
	});
	each(0, 24, 6, (at) => {
		stack.call('job db', at, at + 0.01, { ...SQL, on: 'job', state: 'transaction' });
		stack.call('job db', at + 3, at + 3.01, { ...SQL, verb: 'COMMIT', template: '', on: 'job', state: 'idle' });
		each(at + 0.1, at + 1, 0.1, (began, index) => {
			stack.call('k6 api', began, began + 2, { verb: 'POST', template: '/orders', end: 'given-up', by: 'client' });
			stack.call('api db', began + 0.001, at + 3.015, { ...SQL, verb: 'UPDATE', template: 'UPDATE stock', on: `${index % 8} ${at}` });
		});
	});
}

test('a lock that another client holds is found, and users of another URL do not matter', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.05, (at, index) => stack.call('k6 api', at, at + 0.03, { verb: 'GET', template: `/pages/${index % 2 ? ':n' : ''}` }));
	lockedByJob(stack);
	const { findings } = stack.follow();
	assert.deepEqual(findings.map(said), ['db: lock']);
	assert.ok(
		findings[0].evidence.includes(
			'job kept a transaction open at db, for up to 3.01 s, before and through 100 % of the calls that waited, and 0 % of the good ones.',
		),
		`${findings[0].evidence}`,
	);
});

test('one kind of call that holds up a server of one thread is named', () => {
	const stack = new MadeStack();
	const redis = { protocol: 'redis', template: '' };
	each(-5, 30, 0.02, (at, index) => {
		const isHeld = at >= 5 && at % 2.5 < 0.6;
		const until = at - (at % 2.5) + 0.6;
		stack.call('k6 api', at, isHeld ? at + 0.3 : at + 0.004, { status: isHeld && at + 0.3 < until ? 500 : 200 });
		if (isHeld && at + 0.3 < until)
			stack.call('api cache', at + 0.001, at + 0.2995, { ...redis, verb: 'GET', end: 'given-up', by: 'client', on: `${index}` });
		else stack.call('api cache', at + 0.001, isHeld ? until + 0.001 : at + 0.003, { ...redis, verb: 'GET', on: `${index}` });
	});
	each(5, 30, 2.5, (at) => stack.call('api cache', at - 0.001, at + 0.6, { ...redis, verb: 'KEYS', on: 'purge' }));
	const { findings } = stack.follow();
	assert.deepEqual(findings.map(said), ['cache: held-by-one']);
	assert.ok(
		findings[0].evidence.some((text) => text.startsWith('The command KEYS was first')),
		findings[0].evidence.join('\n'),
	);
	// A server of one thread goes on with what nobody waits for any more.
	assert.ok(findings[0].doubts.some((text) => text.startsWith('where callers give up, the first in a jam may be')));
});

test('of what is slow it is said after what time its caller gave up', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.05, (at) => {
		stack.call('k6 edge', at, at + 0.01, { template: '/items' });
		stack.call('edge api', at + 0.001, at + 0.009, { template: '/items' });
	});
	each(2, 28, 0.5, (at) => {
		stack.call('k6 edge', at, at + 1.001, { template: '/report', status: 504 });
		stack.call('edge api', at + 0.001, at + 1, { template: '/report', end: 'given-up', by: 'client' });
	});
	const [finding] = stack.follow().findings;
	assert.equal(said(finding), 'api: slow-kind');
	assert.equal(finding.title, 'left each GET /report unanswered until edge gave up after 999 ms');
});

test('a statement that is slow by itself, while others are as quick as ever, is named', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.05, (at, index) => {
		stack.call('k6 api', at, at + 0.01, { template: '/items' });
		stack.call('api db', at + 0.001, at + 0.009, { ...SQL, on: `${index % 4}` });
	});
	each(2, 28, 0.2, (at, index) => {
		stack.call('k6 api', at, at + 1, { template: '/report', end: 'given-up', by: 'client' });
		stack.call('api db', at + 0.001, at + 1.5, { ...SQL, template: 'SELECT report', on: `r${index % 10}` });
	});
	const [finding] = stack.follow().findings;
	assert.equal(said(finding), 'db: slow-kind');
	assert.equal(finding.title, 'took 1.50 s for each SELECT report');
});

/**
 * A pooler with one connection, which one statement takes for eight seconds.
 * @param template of it
 */
function oneStatement(template: string) {
	const stack = new MadeStack();
	each(-5, 10, 0.1, (at) => {
		stack.call('k6 pool', at, at + 0.01);
		stack.call('pool db', at + 0.001, at + 0.009, { ...SQL, template: 'SELECT items', on: 'one' });
	});
	stack.call('pool db', 10, 18, { ...SQL, template, on: 'one' });
	each(10, 17, 0.2, (at) => stack.call('k6 pool', at, at + 1, { status: 503 }));
	each(18.1, 30, 0.1, (at) => {
		stack.call('k6 pool', at, at + 0.01);
		stack.call('pool db', at + 0.001, at + 0.009, { ...SQL, template: 'SELECT items', on: 'one' });
	});
	stack.reads('db', () => ({ cores: 0.05 }));
	return stack.follow().findings;
}

test('a single statement that leaves no room for others is named, if calm seconds have none such', () => {
	const [finding] = oneStatement('SELECT report');
	assert.deepEqual([said(finding), finding.title, finding.why_basis], ['db: slow-kind', 'took 8.00 s for one SELECT report', 'inferred']);
	assert.deepEqual(oneStatement('SELECT items').map(said), ['db: stands']);
});

/**
 * A job keeps a row locked for three seconds in six, while a neighbour takes the machine's CPU.
 * @param kept_s how long of these it keeps it
 */
function lockedBesideNeighbour(kept_s: number) {
	const stack = new MadeStack();
	each(-5, 0, 0.1, (at, index) => {
		stack.call('k6 api', at, at + 0.01, { verb: 'POST', template: '/orders' });
		stack.call('api db', at + 0.001, at + 0.009, { ...SQL, verb: 'UPDATE', template: 'UPDATE stock', on: `${index % 8}` });
	});
	each(0, 24, 6, (at) => {
		stack.call('job db', at, at + 0.01, { ...SQL, on: 'job', state: 'transaction' });
		stack.call('job db', at + kept_s, at + kept_s + 0.01, { ...SQL, verb: 'COMMIT', template: '', on: 'job', state: 'idle' });
		each(at + 0.1, at + 1, 0.1, (began, index) => {
			stack.call('k6 api', began, began + 2, { verb: 'POST', template: '/orders', end: 'given-up', by: 'client' });
			stack.call('api db', began + 0.001, at + 3.015, { ...SQL, verb: 'UPDATE', template: 'UPDATE stock', on: `${index % 8} ${at}` });
		});
	});
	stack.reads('batch', (second) => ({ cores: second >= 0 ? 1.7 : 0.01 }));
	stack.reads('api', () => ({ cores: 0.1 }));
	stack.reads('db', () => ({ cores: 0.1 }));
	stack.machine((second) => (second >= 0 ? 0.97 : 0.2));
	return reported(stack);
}

test('waits that end with a transaction are for it, though a neighbour takes the CPU meanwhile', () => {
	assert.deepEqual(lockedBesideNeighbour(3), ['db: lock']);
	assert.deepEqual(lockedBesideNeighbour(0.05), ['batch: cpu-taken']);
});

test('users of one URL who keep a program busy are not why those of another wait for a lock', () => {
	const stack = new MadeStack();
	const isHeld = (at: number) => at >= 0 && at % 6 < 3;
	each(-5, 28, 0.05, (at) => stack.call('k6 api', at, at + (isHeld(at) ? 0.6 : 0.03), { verb: 'GET', template: '/pages' }));
	lockedByJob(stack);
	stack.reads('api', (second) => ({ cores: isHeld(second) ? 0.99 : 0.3 }));
	stack.reads('db', () => ({ cores: 0.1 }));
	assert.deepEqual(reported(stack), ['db: lock']);
});

/**
 * A job keeps some rows locked for five seconds in six; orders of those rows are given up by the database after two, orders of others are not
 * held up.
 * @param isSeen the job's transaction
 */
function rowsLocked(isSeen: boolean) {
	const stack = new MadeStack();
	const update = { protocol: 'mysql', verb: 'UPDATE', template: 'UPDATE stock' };
	each(-5, 30, 0.1, (at, index) => {
		const isHeld = at >= 0 && at % 6 < 3 && index % 2 === 0;
		stack.call('k6 api', at, at + (isHeld ? 2.002 : 0.01), { status: isHeld ? 500 : 200 });
		stack.call('api db', at + 0.001, at + (isHeld ? 2.001 : 0.009), { ...update, on: `${index % 40}`, code: isHeld ? '1205' : null });
	});
	if (isSeen)
		each(0, 30, 6, (at) => {
			stack.call('job db', at - 0.1, at - 0.09, { ...update, on: 'job', state: 'transaction' });
			stack.call('job db', at + 5, at + 5.01, { protocol: 'mysql', verb: 'COMMIT', template: '', on: 'job', state: 'idle' });
		});
	return stack.follow().findings;
}

test('what a database gave up for a lock was held by who kept a transaction open, though other rows went on', () => {
	const findings = rowsLocked(true);
	assert.deepEqual([findings.map(said), findings[0].why_basis], [['db: lock'], 'counted']);
	assert.equal(findings[0].title, 'let calls wait for a transaction that job kept open');
});

test('and where no transaction was seen, it is a lock of nobody that is known', () => {
	const findings = rowsLocked(false);
	assert.deepEqual([findings.map(said), findings[0].title], [['db: lock'], 'let calls wait for a lock until it gave them up']);
});

/**
 * As above, and nobody but the users gives a call up.
 * @param given what the job changes; of orders that are not held up
 */
function rowsWaitedFor({ table = 'stock', quick = 0.009 }: { table?: string; quick?: number } = {}) {
	const stack = new MadeStack();
	const update = { protocol: 'mysql', verb: 'UPDATE', template: 'UPDATE stock' };
	each(-5, 28, 0.1, (at, index) => {
		const isHeld = at >= 3 && index % 2 === 0;
		stack.call('k6 api', at, at + (isHeld ? 2 : quick + 0.001), isHeld ? { end: 'given-up', by: 'client' } : {});
		stack.call('api db', at + 0.001, at + (isHeld ? 2.1 : quick), {
			...update,
			on: `${index % 40}`,
			...(isHeld ? { end: 'given-up', by: 'client' } : {}),
		});
	});
	stack.call('job db', 2.8, 2.81, { ...update, template: `UPDATE ${table}`, on: 'job', state: 'transaction' });
	stack.reads('db', () => ({ cores: 0.2 }));
	return stack.follow().findings;
}

test('who waits for rows that a transaction has changed waits for it, though other rows of the table go on', () => {
	const findings = rowsWaitedFor();
	assert.deepEqual([findings.map(said), findings[0].why_basis], [['db: lock'], 'timed']);
	assert.equal(findings[0].title, 'let calls wait for a transaction that job kept open');
});

test('but not for one of another table, nor where all are slow', () => {
	assert.deepEqual(rowsWaitedFor({ table: 'prices' }).map(said), ['db: stands']);
	assert.deepEqual(rowsWaitedFor({ quick: 0.6 }).map(said), ['db: stands']);
});

/** @param line of the database's log, for each failed request */
function diskFull(line: string) {
	const stack = new MadeStack();
	each(-5, 30, 0.1, (at, index) => {
		const isFull = at >= 10 && index % 2 === 0;
		stack.call('k6 api', at, at + 0.01, { status: isFull ? 500 : 200 });
		stack.call('api db', at + 0.001, at + 0.009, { ...SQL, protocol: 'postgres', on: `${index % 4}`, code: isFull ? '53100' : null });
		if (isFull) stack.says('db', at + 0.009, line);
	});
	return stack.follow().findings[0];
}

test('a full disk is told by the code of the error, and what else has that code by the words beside it', () => {
	const shared = diskFull(
		'[31] ERROR:  could not resize shared memory segment "/PostgreSQL.180" to 16777216 bytes: No space left on device',
	);
	assert.deepEqual([said(shared), shared.title], ['db: shared-memory-full', 'had no shared memory left (/dev/shm)']);
	const finding = diskFull('[31] ERROR:  could not extend file "base/5/16384": No space left on device');
	assert.deepEqual([said(finding), finding.why_basis, finding.title], ['db: disk-full', 'counted', 'had no space left on its disk']);
});

/** A service that answers one kind of request no more from second 5 on; its users give up after four seconds, others go on. */
function stoppedAnswering({ cores = 0.01, comesBack = false }: { cores?: number; comesBack?: boolean } = {}) {
	const stack = new MadeStack();
	each(-5, 30, 0.2, (at) => stack.call('k6 api', at, at + 0.005, { template: '/list' }));
	each(-5, 26, 0.2, (at) => {
		const isLost = at >= 5 && !(comesBack && at >= 12);
		stack.call('k6 api', at, at + (isLost ? 4 : 0.01), { template: '/item', ...(isLost ? { end: 'given-up', by: 'client' } : {}) });
		stack.call('api recs', at + 0.001, isLost ? at + 3.999 : at + 0.009, {
			template: '/for',
			...(isLost ? { end: 'given-up', by: 'client' } : {}),
		});
	});
	stack.reads('recs', (second) => ({ cores: second >= 5 ? cores : 0.05 }));
	return stack.follow().findings;
}

test('a service that answers nobody any more, idle and waiting for nobody, hangs', () => {
	const findings = stoppedAnswering();
	assert.deepEqual([findings.map(said), findings[0].why_basis], [['recs: hung'], 'counted']);
	assert.ok(
		findings[0].evidence.includes('recs answered 50 requests of this kind until second 4.8, and none of the 105 after, for 24.80 s.'),
		`${findings[0].evidence}`,
	);
});

test('one that answers again, or is at work, does not hang', () => {
	assert.deepEqual(stoppedAnswering({ comesBack: true }).map(said), ['recs: stands']);
	assert.deepEqual(stoppedAnswering({ cores: 0.95 }).map(said), ['recs: busy']);
});

test('who was let go in time had waited for the same transaction, and is none of the others', () => {
	const stack = new MadeStack();
	const update = { protocol: 'postgres', verb: 'UPDATE', template: 'UPDATE items', status: null };
	const [held_s, every_s, patience_s] = [4, 6, 1.5];
	each(3, 28, every_s, (at) => {
		stack.call('job db', at - 0.01, at, { ...update, on: 'job', state: 'transaction' });
		stack.call('job db', at + held_s, at + held_s + 0.001, {
			protocol: 'postgres',
			verb: 'COMMIT',
			template: 'COMMIT',
			status: null,
			on: 'job',
		});
	});
	each(-5, 28, 0.1, (at, index) => {
		const into = at < 3 ? held_s : (at - 3) % every_s;
		const wait = index % 2 === 0 && into < held_s ? Math.min(patience_s, held_s - into) : 0.005;
		const isCancelled = wait === patience_s;
		stack.call('k6 api', at, at + wait + 0.004, isCancelled ? { status: 500 } : {});
		stack.call('api db', at + 0.001, at + wait + 0.002, {
			...update,
			on: `${index % 40}`,
			...(isCancelled ? { code: '57014', bad: true } : {}),
		});
	});
	stack.reads('db', () => ({ cores: 0.2 }));
	const { findings } = stack.follow();
	assert.deepEqual(findings.map(said), ['db: lock']);
	assert.equal(findings[0].title, 'let calls wait for a transaction that job kept open');
});

test('a key of a cache that runs out sends each wave to the store, of which good requests ask nothing', () => {
	const stack = new MadeStack(60);
	each(-8, 60, 0.1, (at, index) => {
		const since = (at + 10) % 10;
		const isMissed = at >= 0 && since < 1;
		// All that come within a second of it ask the store, for six seconds; the first of them waits no less than the last.
		stack.call('k6 news', at, at + (isMissed ? 5 : 0.01), { status: isMissed ? 504 : 200 });
		if (isMissed) stack.call('news db', at + 0.002, at + 6, { ...SQL, on: `${index % 12}` });
	});
	stack.reads('db', (second) => ({ cores: second >= 0 && second % 10 < 7 ? 0.98 : 0.02 }));
	stack.reads('news', () => ({ cores: 0.05 }));
	const [finding] = stack.follow().findings;
	assert.equal(finding.place.service, 'db', said(finding));
});
