/**
 * What is asked for again and again without success, as small records.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UNREAD } from '../../wire/turns.ts';
import { each, MadeStack, reported, said, ZERO } from './fixtures/made-stack.ts';

const REDIS = { protocol: 'redis', on: 'kept', verb: 'SET', template: '', status: null };
const SELL = { verb: 'POST', template: '/sell' };

/** A shop takes a lock for each sale; a job takes it and ends. */
function lockLeft({
	held = (stack, at) => polls(stack, at, 50, 0.04),
	usual = 1,
	every = 0.5,
	cores = 0.03,
}: {
	/** what the shop does in the two seconds of a sale that fails */
	held?: (stack: MadeStack, at: number) => void;
	/** calls of a sale that goes well */
	usual?: number;
	/** seconds between those */
	every?: number;
	cores?: number;
} = {}) {
	const stack = new MadeStack();
	each(-10, 2, every, (at) => {
		stack.call('k6 shop', at, at + 0.1, SELL);
		polls(stack, at, usual, 0.0015);
	});
	each(-10, 28, 0.3, (at) => {
		stack.call('k6 shop', at + 0.21, at + 0.213, { template: '/stock' });
		stack.call('shop locks', at + 0.211, at + 0.2112, { ...REDIS, verb: 'GET' });
	});
	stack.call('nightly locks', 2, 2.001, { ...REDIS, on: 'job' });
	stack.event('nightly', 'die', 2.1, 0);
	each(2.2, 27, 0.5, (at) => {
		held(stack, at);
		stack.call('k6 shop', at, at + 2.03, { ...SELL, status: 503 });
	});
	stack.reads('shop', () => ({ cores }));
	stack.reads('locks', () => ({ cores: 0.02 }));
	return stack;
}

const polls = (stack: MadeStack, at: number, count: number, every: number) =>
	each(at + 0.001, at + 0.001 + count * every, every, (began) => stack.call('shop locks', began, began + 0.0002, REDIS));

test('what asks for a lock many times without success until its time is over, polls', () => {
	const { findings } = lockLeft().follow();
	assert.deepEqual(findings.map(said), ['shop: polled']);
	const [{ place, evidence }] = findings;
	assert.deepEqual(place.edge, { from: 'shop', to: 'locks' });
	assert.match(evidence.join(' '), /shop asked locks the command SET \d+ times for each failed request, 1 for each in calm seconds/);
	assert.match(evidence.join(' '), /nightly was the last other one to ask locks the command SET, in second 2, and ended in second 2\.1/);
});

const FRIENDS = {
	'as many calls as good ones make': { usual: 50 },
	'a few tries again': { held: (stack: MadeStack, at: number) => polls(stack, at, 3, 0.5) },
	'many calls between which it works': { cores: 0.9 },
};
for (const [name, about] of Object.entries(FRIENDS))
	test(`${name} are no polling`, () => {
		assert.ok(!reported(lockLeft(about)).includes('shop: polled'));
	});

test('what goes on by itself, as often in calm seconds, is no polling', () => {
	const stack = lockLeft({ held: () => {}, every: 0.05 });
	polls(stack, -9.9, 900, 0.04);
	assert.ok(!reported(stack).includes('shop: polled'));
});

/**
 * A page asks a store for what a worker puts there, and answers 504 when it has looked for too long; the worker takes its work from the same store.
 * @param how isWaiting: it has nothing to do, and waits for work; isGone: it closed its
 * connection, as who has done all; isForNobody: such pages do not ask the store; isAsking: it
 * never waits there, but asks or puts something there
 */
function stopped({
	isWaiting = false,
	isGone = false,
	isForNobody = false,
	isAsking = false,
}: {
	isWaiting?: boolean;
	isGone?: boolean;
	isForNobody?: boolean;
	isAsking?: boolean;
} = {}) {
	const stack = new MadeStack();
	const redis = { protocol: 'redis', status: null, template: '' } as const;
	each(-8, 14, 0.4, (at) =>
		stack.call('worker store', at, at + 0.3, {
			...redis,
			verb: isAsking ? 'RPUSH' : 'BRPOP',
			role: isAsking ? 'call' : 'wait',
			on: 'worker',
		}),
	);
	if (isWaiting) stack.call('worker store', 14.1, null, { ...redis, verb: 'BRPOP', role: 'wait', on: 'worker' });
	if (isGone) {
		const { connection } = stack.wire.calls[0];
		Object.assign(stack.wire.connections[connection], { ended_at: ZERO + 14.2, outcome: 'closed', by: 'client' });
	}
	each(-5, 29, 0.05, (at, index) => {
		const isLate = at >= 17 && index % 5 === 0;
		stack.call('k6 web', at, at + 0.004, { template: '/result', status: isLate ? 504 : 200 });
		if (!isForNobody || !isLate) stack.call('web store', at + 0.001, at + 0.002, { ...redis, verb: 'HGET', on: `${index % 3}` });
	});
	stack.wire.calls.sort((one, other) => one.began_at - other.began_at);
	return stack.follow().findings;
}

test('a worker that takes nothing more, though it is connected and work is there, is the place of what lacks its result', () => {
	const [finding] = stopped();
	assert.deepEqual([said(finding), finding.basis, finding.place.edge], ['worker: hung', 'inferred', { from: 'worker', to: 'store' }]);
	assert.equal(finding.title, 'took nothing more from store from second 14 on, though it was connected');
});

test('but not one that waits for work, that is done, that never waited there, or whose store such requests do not ask', () => {
	for (const how of [{ isWaiting: true }, { isGone: true }, { isForNobody: true }, { isAsking: true }])
		assert.deepEqual(stopped(how).map(said), ['web: own-error'], JSON.stringify(how));
});

/**
 * Jobs that two connections of a worker fetch from a queue whose protocol is not read; the web asks it for their results, and gives up after 4 s.
 */
function fetching({
	work,
	isStopped = false,
}: {
	/** seconds for one */
	work: (second: number) => number;
	/** from second 10 on nothing comes in any more */
	isStopped?: boolean;
}) {
	const stack = new MadeStack(30);
	for (const name of ['web', 'queue', 'worker']) stack.reads(name, () => ({ cores: 0.02 }));
	for (const on of ['1', '2'])
		for (let at = -8 + Number(on) / 10; at < 30; ) {
			const isDry = isStopped && at >= 10;
			stack.call('worker queue', at, isDry ? null : at + 0.2, { protocol: UNREAD, on });
			at += isDry ? 99 : 0.2 + work(at);
		}
	each(-5, 30, 0.1, (at, index) => {
		const isBad = at >= 10;
		stack.call('k6 web', at, at + (isBad ? 4.002 : 0.03), { status: isBad ? 503 : 200 });
		stack.call('web queue', at + 0.001, at + (isBad ? 4.001 : 0.029), { protocol: UNREAD, on: `${isBad ? index : index % 4}` });
	});
	return stack;
}

test('workers that fetch nothing any more, because each works on what it has, are the place', () => {
	const stack = fetching({ work: (second) => (second >= 9 ? 8 : 0.03) });
	const [finding] = stack.follow().findings;
	assert.deepEqual(reported(stack), ['worker: workers-taken']);
	assert.ok(
		finding.evidence.some((text) => text.startsWith('From an answer to its next question it took 8.00 s then')),
		`${finding.evidence}`,
	);
	assert.equal(finding.doubts.length > 0, true);
});

test('but not those that are done for good', () => {
	const stack = fetching({ work: (second) => (second >= 9 ? 99 : 0.03) });
	assert.deepEqual(reported(stack), ['queue: stands']);
});

test('nor those that wait for work, nor those that always took so long', () => {
	assert.deepEqual(reported(fetching({ work: () => 0.03, isStopped: true })), ['queue: stands']);
	assert.deepEqual(reported(fetching({ work: () => 8 })), ['queue: stands']);
});

/**
 * Users ask for a code, and look for it each 0.3 s; an answer of the api is 202 until the code was sent, and after 3 s 410. A sender takes jobs from
 * a table, the oldest first.
 */
function coded({
	given = campaign,
	looks = 1,
	status = 202,
	table = 'job',
	byApi = false,
}: {
	/** jobs that somebody else puts in at second 12 */
	given?: (stack: MadeStack) => number;
	/** a sender that is slow by itself: looks that find none, for each that finds one */
	looks?: number;
	/** of a code that is not sent yet */
	status?: number;
	/** of the sender's jobs */
	table?: string;
	/** users ask once, and the api looks for it */
	byApi?: boolean;
} = {}) {
	const stack = new MadeStack();
	const sql = { protocol: 'postgresql', status: null } as const;
	const select = { ...sql, verb: 'SELECT', template: `SELECT ${table}` };
	for (const name of ['api', 'db', 'sender']) stack.reads(name, () => ({ cores: 0.02 }));
	const left = given(stack);
	each(-8, left > 0 ? 12 : 28, 0.06, (at, index) => {
		stack.call('sender db', at, at + 0.001, { ...select, on: `${index % 3}` });
		if (index % 10 === 0)
			stack.call('sender db', at + 0.01, at + 0.011, { ...sql, verb: 'UPDATE', template: `UPDATE ${table}`, on: `${index % 3}` });
	});
	for (const on of ['0', '1', '2'])
		each(12 + Number(on) / 50, 12 + (left * 0.09) / 3, 0.09, (at) => {
			each(at, at + looks * 0.002, 0.002, (began) => stack.call('sender db', began, began + 0.001, { ...select, on }));
			stack.call('sender db', at + 0.08, at + 0.081, { ...sql, verb: 'UPDATE', template: `UPDATE ${table}`, on });
		});
	const api = { ...sql, verb: 'SELECT', template: 'SELECT job' };
	each(-5, 26, 0.1, (begin, index) => {
		const user = `${index % 40}`;
		const isBehind = begin >= 12;
		if (byApi) {
			const until = begin + (isBehind ? 3 : 0.2);
			stack.call('k6 api', begin, until, { template: '/codes', status: isBehind ? 504 : 200, on: user });
			each(begin + 0.05, until - 0.01, 0.1, (at) => stack.call('api db', at, at + 0.001, { ...api, on: user }));
			return;
		}
		each(begin, begin + (isBehind ? 3.4 : 0.7), 0.3, (at, look) => {
			const answer = {
				verb: 'GET',
				template: '/codes/:n',
				status: isBehind ? (look === 10 ? 410 : status) : look === 1 ? 200 : status,
				on: user,
			};
			if (look > 10 || (!isBehind && look > 1)) return;
			stack.call('k6 api', at, at + 0.003, { ...answer, bad: answer.status === 410 });
			stack.call('api db', at + 0.001, at + 0.002, { ...api, on: user });
		});
	});
	stack.wire.calls.sort((one, other) => one.began_at - other.began_at);
	return stack.follow().findings;
}

function campaign(stack: MadeStack) {
	stack.call('campaign db', 11.95, 11.99, {
		protocol: 'postgresql',
		status: null,
		verb: 'INSERT',
		template: 'INSERT job, member',
		on: 'c',
	});
	return 2000;
}

test('who does the work, and finds some at each look since another put much in, is the place of what stands behind it', () => {
	const [finding, ...more] = coded();
	assert.deepEqual([said(finding), finding.basis, more], ['sender: workers-taken', 'inferred', []]);
	assert.match(
		finding.title ?? '',
		/^was behind with its work from second 12 on: it did 3\d a second \(UPDATE job\), and what these had asked for stood behind what campaign had put there \(INSERT job, member\)$/,
	);
});

const ELSEWHERE = {
	'works as it always did': { given: () => 0 },
	'works off another table': { table: 'mail' },
	'finds none at most of its looks': { looks: 5 },
};
for (const [name, how] of Object.entries(ELSEWHERE))
	test(`but not who ${name}`, () => {
		assert.ok(!coded(how).map(said).includes('sender: workers-taken'));
	});

test('so it is where the service that is asked looks for it by itself', () => {
	assert.deepEqual(coded({ byApi: true }).map(said), ['sender: workers-taken']);
	assert.deepEqual(coded({ byApi: true, table: 'mail' }).map(said), ['api: polled']);
});

test('nor where as many of those requests are done as ever', () => {
	assert.ok(!coded({ status: 200 }).map(said).includes('sender: workers-taken'));
});
