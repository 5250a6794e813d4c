/**
 * Workers that are all taken, and by what, as small records.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, reported, SQL, said, ZERO } from './fixtures/made-stack.ts';

/** @param took of a call of the partner */
function workersOfFive(stack: MadeStack, took: number, calmTook: number) {
	each(-10, 0, 0.5, (at) => {
		stack.call('k6 web', at, at + calmTook + 0.004);
		stack.call('web php', at + 0.001, at + calmTook + 0.003);
		stack.call('php partner', at + 0.002, at + calmTook + 0.002);
	});
	for (let worker = 0; worker < 5; worker += 1)
		each(worker / 10, 29, took + 0.002, (at) => {
			stack.call('php partner', at, at + took);
			stack.call('web php', Math.max(0, at - 9), at + took + 0.001);
			stack.call('k6 web', Math.max(0, at - 9), at + took + 0.0015);
		});
	each(1, 18, 0.1, (at) => {
		stack.call('k6 web', at, at + 10.001, { status: 504 });
		stack.call('web php', at + 0.0002, at + 10.0005, { end: 'given-up', by: 'client' });
	});
	stack.reads('php', () => ({ cores: 0.02, queued: 60 }));
}

test('as many at a time as there are workers, each waiting as long as in calm, are too few workers', () => {
	const stack = new MadeStack();
	workersOfFive(stack, 1, 1);
	const { findings } = stack.follow();
	assert.deepEqual(findings.map(said), ['php: workers-taken']);
	assert.ok(findings[0].evidence.some((text) => text.includes('5 at a time and never on more')));
});

test('the same, with a callee that takes ten times as long as in calm, is the callee', () => {
	const stack = new MadeStack();
	workersOfFive(stack, 1, 0.1);
	assert.deepEqual(reported(stack), ['partner: stands']);
});

/**
 * Eight threads; a page that waits for the printer takes all of them, and quick ones wait before.
 * @param took of a call of the printer
 */
function threadsOfEight(stack: MadeStack, took: number, calmTook: number) {
	const pdf = { template: '/pdf' };
	each(-10, -3, 1, (at) => {
		stack.call('k6 lb', at, at + calmTook + 0.004, pdf);
		stack.call('lb tickets', at + 0.001, at + calmTook + 0.003, pdf);
		stack.call('tickets printer', at + 0.002, at + calmTook + 0.002, { template: '/print' });
	});
	each(-10, 0, 0.25, (at) => {
		stack.call('k6 lb', at, at + 0.004, { template: '/event' });
		stack.call('lb tickets', at + 0.001, at + 0.003, { template: '/event' });
	});
	for (let worker = 0; worker < 8; worker += 1)
		each(worker / 4, 26, took + 0.002, (at, index) => {
			const sent = index === 0 ? at : at - 1.5;
			const isLate = at + took > sent + 3;
			stack.call('tickets printer', at + 0.001, at + took, { template: '/print' });
			stack.call('lb tickets', sent, isLate ? sent + 3 : at + took + 0.001, isLate ? { ...pdf, end: 'given-up', by: 'client' } : pdf);
			stack.call('k6 lb', sent - 0.001, isLate ? sent + 3.001 : at + took + 0.002, isLate ? { ...pdf, status: 504 } : pdf);
		});
	each(3, 25, 0.3, (at) => {
		stack.call('k6 lb', at, at + 3.001, { template: '/event', status: 504 });
		stack.call('lb tickets', at + 0.0002, at + 3.0005, { template: '/event', end: 'given-up', by: 'client' });
	});
	stack.reads('tickets', () => ({ cores: 0.02 }));
}

test('slots that are all taken bind those too that hold them, where whom they ask is as quick as in calm', () => {
	const stack = new MadeStack();
	threadsOfEight(stack, 2.5, 2.5);
	assert.deepEqual(reported(stack), ['tickets: workers-taken']);
});

test('but not where whom they ask takes longer than in calm', () => {
	const stack = new MadeStack();
	threadsOfEight(stack, 2.5, 0.1);
	assert.deepEqual(reported(stack), ['printer: stands']);
});

test('connections that callers keep open and do not use hold the workers', () => {
	const stack = new MadeStack();
	for (let index = 0; index < 4; index += 1) stack.call('partner web', -8 + index / 10, -7.99 + index / 10, { on: `${index}` });
	each(-5, 2, 0.1, (at) => stack.call('k6 web', at, at + 0.02));
	each(2, 20, 0.1, (at) => stack.call('k6 web', at, at + 5, { end: 'given-up', by: 'client' }));
	stack.reads('web', (second) => ({ cores: 0.01, queued: second >= 2 ? 50 : 0 }));
	const [finding, ...more] = stack.follow().findings;
	assert.deepEqual([said(finding), more], ['web: workers-idle-connections', []]);
	assert.equal(finding.title, 'had its workers held by 4 connections that partner kept open and did not use');
});

test('connections that went on in another protocol are in use, and whose they are and where they lead is said', () => {
	const stack = new MadeStack();
	for (let index = 0; index < 4; index += 1) {
		const at = index / 2;
		stack.call('tracker proxy', at, at + 0.01, { on: `${index}`, verb: 'CONNECT', template: '' });
		const until = { ended_at: ZERO + at + 22, outcome: 'closed' as const, by: 'client' as const };
		Object.assign(stack.wire.connections[stack.wire.connections.length - 1], { ...until, protocol: 'tunnel', hidden_bytes: 400 });
		stack.connect('proxy carrier', at + 0.005, { ...until, protocol: 'unknown', unknown_bytes: 400 });
	}
	each(-5, 2, 0.1, (at) => stack.call('k6 proxy', at, at + 0.02));
	each(3, 18, 0.1, (at) => stack.call('k6 proxy', at, at + 2, { end: 'given-up', by: 'client' }));
	stack.reads('proxy', (second) => ({ cores: 0.01, queued: second >= 2 ? 20 : 0 }));
	const [finding, ...more] = stack.follow().findings;
	assert.deepEqual([said(finding), more], ['proxy: workers-idle-connections', []]);
	assert.equal(finding.title, 'had its workers held by 4 connections of tracker that went on as tunnel to carrier, each for 22.00 s');
	assert.doesNotMatch(finding.evidence.join(' '), /sent nothing on them|waited for no callee/);
});

test('and are why its queue overflows, where its kernel has no room for more', () => {
	const stack = new MadeStack(40);
	for (let index = 0; index < 4; index += 1) stack.call('partner web', -8 + index / 10, -7.99 + index / 10, { on: `${index}` });
	each(-5, 2, 0.1, (at) => stack.call('k6 web', at, at + 0.02));
	each(2, 8, 0.1, (at) =>
		stack.connect('k6 web', at, { accepted_at: null, accepts: 0, outcome: 'unanswered', syns: 5, syn_at: ZERO + at + 15 }),
	);
	stack.reads('web', (second) => ({ cores: 0.01, queued: second >= 2 ? 128 : 0, overflows: second >= 2 ? 10 : 0 }));
	const { findings } = stack.follow();
	assert.deepEqual(findings.map(said), ['web: workers-idle-connections']);
	assert.ok(findings[0].evidence[0].endsWith('while its kernel counted that the queue was full.'), `${findings[0].evidence}`);
});

test('but not of a program that does not answer on them either', () => {
	const stack = new MadeStack();
	for (let index = 0; index < 8; index += 1) stack.call('proxy web', -8 + index / 10, -7.99 + index / 10, { on: `${index}` });
	each(-5, 2, 0.1, (at) => stack.call('k6 web', at, at + 0.02));
	each(2, 20, 0.1, (at) => stack.call('k6 web', at, at + 5, { end: 'given-up', by: 'client' }));
	for (let index = 0; index < 4; index += 1) stack.call('proxy web', 4 + index, 18, { on: `${index}`, end: 'given-up', by: 'client' });
	stack.reads('web', (second) => ({ cores: 0.01, queued: second >= 2 ? 50 : 0 }));
	assert.deepEqual(reported(stack), ['web: hung']);
});

test('who is busy computing and has mostly one call out has no workers taken by that', () => {
	const stack = new MadeStack();
	each(-5, 5, 0.2, (at) => {
		stack.call('k6 api', at, at + 0.05);
		stack.call('api db', at + 0.001, at + 0.02, { ...SQL, on: 'a' });
	});
	each(5, 25, 0.1, (at, index) => {
		stack.call('k6 api', at, at + 2, { status: 504 });
		const from = at - 0.03 + (index % 7) * 0.008;
		stack.call('api db', from, from + 0.063, { ...SQL, on: 'a' });
		// Now and then two at once.
		if (index % 20 === 0) stack.call('api db', from, from + 0.05, { ...SQL, on: 'b' });
	});
	stack.reads('api', (second) => ({ cores: second >= 5 ? 0.99 : 0.2 }));
	stack.reads('db', () => ({ cores: 0.1 }));
	assert.deepEqual(reported(stack), ['api: busy']);
});

test('others that it answers meanwhile say that it is no want of workers', () => {
	const stack = new MadeStack();
	workersOfFive(stack, 1, 1);
	const other = { template: '/static' };
	each(-10, 29, 0.2, (at) => {
		stack.call('k6 web', at, at + 0.006, other);
		stack.call('web php', at + 0.001, at + 0.005, other);
	});
	const [finding] = stack.follow().findings;
	assert.equal(said(finding), 'php: workers-taken');
	assert.match(finding.title ?? '', /^sent GET \/ on to partner 5 at a time and let the others stand, not for a lack of workers/);
	assert.match(
		finding.evidence.join(' '),
		/Meanwhile it answered \d+ of \d+ other requests, in 4\.0 ms at the median: its workers were not all taken\./,
	);
});

test('others that wait as long are for want of workers', () => {
	const stack = new MadeStack();
	workersOfFive(stack, 1, 1);
	each(1, 18, 0.2, (at) => {
		stack.call('k6 web', at, at + 9, { template: '/static' });
		stack.call('web php', at + 0.001, at + 8.999, { template: '/static' });
	});
	assert.match(stack.follow().findings[0].title ?? '', /^had all 5 workers taken/);
});

/**
 * Statements that take the printer long; api ends with some of them.
 * @param said to who asked for one that took too long
 */
function statements(said: { end: 'closed' | 'given-up'; by: 'server' | 'client' } | { status: number }) {
	const stack = new MadeStack();
	each(-10, 29, 0.25, (at, index) => {
		const isLong = at > 1 && index % 20 === 0;
		const took = isLong ? 4 + (index % 3) / 3 : 0.4;
		stack.call('k6 web', at, at + took + 0.004, isLong ? { status: 502 } : {});
		stack.call('web api', at + 0.001, at + took + 0.003, isLong ? said : {});
		stack.call('api pdf', at + 0.002, at + took + 0.002, isLong ? { end: 'given-up', by: 'client' } : {});
	});
	stack.reads('pdf', () => ({ cores: 0.02 }));
	return stack.follow().findings;
}

test('a process that ends breaks off what it was asked together with what it asked', () => {
	const [finding, ...others] = statements({ end: 'closed', by: 'server' });
	assert.deepEqual([said(finding), others], ['api: broken-off', []]);
	assert.match(
		finding.title ?? '',
		/^broke requests off after 4\.0\d s to 4\.67 s while it waited for pdf, and its calls to pdf in the same moment/,
	);
});

test('where good requests end beside given-up calls as often, that is chance', () => {
	const stack = new MadeStack();
	each(-10, 29, 0.25, (at, index) => {
		const isLong = at > 1 && index % 20 === 0;
		stack.call('k6 web', at, at + (isLong ? 4 : 0.4), isLong ? { status: 502 } : {});
		stack.call('web api', at + 0.001, at + (isLong ? 3.999 : 0.399), isLong ? { end: 'closed', by: 'server' } : {});
		stack.call('api pdf', at + 0.002, at + (isLong ? 3.998 : 0.398), isLong ? { end: 'given-up', by: 'client' } : {});
	});
	// For nobody's sake, all the time.
	each(-10, 33, 0.05, (at) => stack.call('api ads', at, at + 0.04, { template: '/ads', end: 'given-up', by: 'client' }));
	assert.notEqual(said(stack.follow().findings[0]), 'api: broken-off');
});

test('who answers that it gave its callee up has not ended: the callee keeps the place', () => {
	assert.deepEqual(statements({ status: 502 }).map(said), ['pdf: stands']);
});

/**
 * Watchers whose answers go on for 8 s, and notes beside.
 * @param isFull whether the streams take all there is
 */
function watched(isFull: boolean) {
	const stack = new MadeStack();
	const notes = { template: '/notes' };
	each(-10, 4, 0.25, (at) => stack.call('k6 board', at, at + 0.01, notes));
	for (let watcher = 0; watcher < 10; watcher += 1)
		each(4 + watcher / 10, 20, 8.2, (at) => stack.call('k6 board', at, at + 8, { template: '/events', first_at: ZERO + at + 0.05 }));
	each(5.2, 19, 0.4, (at, index) => {
		const isLost = isFull || index % 3 > 0;
		stack.call('k6 board', at, at + (isLost ? 3 : 0.02), isLost ? { ...notes, end: 'given-up', by: 'client' } : notes);
	});
	stack.reads('board', () => ({ cores: 0.03 }));
	return stack.follow().findings;
}

test('answers that go on take the workers of who has accepted all and answers nobody beside them', () => {
	const [finding, ...others] = watched(true);
	assert.deepEqual([said(finding), others], ['board: workers-taken', []]);
	assert.equal(finding.title, 'had its workers taken by GET /events of k6, 10 at a time for 8.00 s each');
});

test('who fails where no answers go on either fails by something else', () => {
	const stack = new MadeStack();
	const notes = { template: '/notes' };
	for (let watcher = 0; watcher < 10; watcher += 1)
		each(4 + watcher / 10, 20, 8.2, (at) => stack.call('k6 board', at, at + 8, { template: '/events', first_at: ZERO + at + 0.05 }));
	each(-10, 26, 0.4, (at) => stack.call('k6 board', at, at + 3, { ...notes, end: 'given-up', by: 'client' }));
	stack.reads('board', () => ({ cores: 0.03 }));
	assert.notEqual(said(stack.follow().findings[0]), 'board: workers-taken');
});

test('who answers others beside as many has workers left', () => {
	assert.notEqual(said(watched(false)[0]), 'board: workers-taken');
});

test('a few failed calls that may all be made for others tell nothing: what they stood before does', () => {
	const stack = new MadeStack();
	const calm: (from: number, to: number) => void = (from, to) =>
		each(from, to, 0.02, (at) => {
			stack.call('k6 lb', at, at + 0.004);
			stack.call('lb web', at + 0.0005, at + 0.0035);
			stack.call('web pool', at + 0.001, at + 0.003, SQL);
			stack.call('pool store', at + 0.0015, at + 0.0025, SQL);
		});
	calm(-10, 1);
	// A statement has the pool's one connection; both workers wait for it without success, for one request after another, given up or not.
	stack.call('pool store', 1.01, 9, SQL);
	each(1.02, 9, 1.33, (at) => {
		for (const worker of [0, 1]) stack.call('web pool', at + worker / 1000, at + 1.33 - worker / 1000, { ...SQL, code: '08P01' });
	});
	const ask: (at: number, over: number, how: 'good' | 'refused' | 'given-up') => void = (at, over, how) => {
		stack.call('k6 lb', at - 0.0005, over + 0.0005, how === 'good' ? {} : { status: how === 'refused' ? 500 : 504 });
		stack.call('lb web', at, over, how === 'good' ? {} : how === 'refused' ? { status: 500 } : { end: 'given-up', by: 'client' });
	};
	each(1.02, 1.3, 0.02, (at, index) => {
		const turn = Math.floor(index / 2) + 1;
		ask(at, turn <= 3 ? 1.02 + turn * 1.33 : at + 5, turn <= 3 ? 'refused' : 'given-up');
	});
	// Who is answered asks again at once, and stands at the end of the line, while a call begins for the head of it.
	for (const worker of [0, 1]) {
		for (const turn of [1, 2]) ask(1.0195 + turn * 1.33, 6.0195 + turn * 1.33, 'given-up');
		ask(1.0195 + 3 * 1.33, 9.02 + worker / 1000, 'good');
	}
	each(6.02, 6.3, 0.02, (at, index) => {
		ask(at, 9.03 + index / 500, 'good');
		stack.call('web pool', 9.022 + index / 500, 9.029 + index / 500, SQL);
	});
	calm(9.1, 20);
	stack.reads('web', () => ({ cores: 0.02, queued: 8 }));
	assert.deepEqual(reported(stack), ['store: stands']);
});

/**
 * Five threads; who waits more than four seconds for one is given up, and worked on all the same. From second 8 on the rates take three seconds.
 */
function fiveThreads(queued: number) {
	const stack = new MadeStack();
	const free = [0, 0, 0, 0, 0].map(() => -10);
	each(-9, 29, 0.15, (at, index) => {
		const isQuote = index % 2 === 0;
		const slot = free.indexOf(Math.min(...free));
		const from = Math.max(at, free[slot]);
		const took = isQuote ? (from >= 8 ? 3 : 0.1) : 0.3;
		free[slot] = from + 0.1 + took;
		const over = Math.min(free[slot], 29.9);
		const isLate = over > at + 4;
		const kind = { verb: isQuote ? 'POST' : 'GET' };
		stack.call('k6 web', at, isLate ? Math.min(at + 4, 29.9) : over, isLate ? { ...kind, end: 'given-up', by: 'client' } : kind);
		if (isQuote && from < 29.7) stack.call('web rates', from + 0.1, over, { on: `${slot}` });
	});
	stack.reads('web', (second) => ({ cores: 0.05, queued: second >= 8 ? queued : 0 }));
	stack.reads('rates', () => ({ cores: 0.05 }));
	return stack;
}

test('where connections are left in the accept queue, nearly as many at a time are all workers too', () => {
	const [finding] = fiveThreads(12).follow().findings;
	assert.equal(said(finding), 'rates: stands');
	assert.match(finding.title ?? '', /^web had all 5 workers taken, each waiting for rates/);
});

test('but not where all were accepted', () => {
	assert.ok(reported(fiveThreads(0)).every((text) => text !== 'rates: stands'));
});

test('nor where the calls that go on vary as what nothing limits does', () => {
	const stack = new MadeStack();
	each(-9, 26, 0.25, (at, index) => {
		const isLate = at >= 8;
		stack.call('k6 web', at, at + (isLate ? 4 : 0.1), isLate ? { end: 'given-up', by: 'client' } : {});
		if (!isLate) stack.call('web rates', at + 0.01, at + 0.09, { on: `${index % 3}` });
	});
	// One to nine at a time, which no worker's number explains.
	each(8, 29, 1, (at, index) => each(0, 1 + ((index * 4) % 9), 1, (_, one) => stack.call('web rates', at, at + 0.95, { on: `r ${one}` })));
	stack.reads('web', (second) => ({ cores: 0.05, queued: second >= 8 ? 12 : 0 }));
	stack.reads('rates', () => ({ cores: 0.05 }));
	assert.ok(stack.follow().findings.every(({ title }) => !title?.includes('all its workers taken')));
});

/**
 * A stock that asks its database for each request. Streams of boards come up beside it, of which each has a place there.
 * @param given workers: at a time from second 10 on, when there were four before; since: when the first board came
 */
function boards({ workers = 1, since = 2 }) {
	const stack = new MadeStack();
	const good: (at: number, sent: number) => void = (at, sent) => {
		stack.call('k6 stock', sent, at + 0.195);
		stack.call('stock db', at, at + 0.19, SQL);
	};
	each(-9, 10, 0.05, (at) => good(at, at - 0.001));
	for (let worker = 0; worker < workers; worker += 1) each(10 + worker / 20, 29, 0.2, (at) => good(at, Math.max(9.9, at - 1.8)));
	each(10, 27, 0.1, (at) => stack.call('k6 stock', at, at + 2, { end: 'given-up', by: 'client' }));
	each(0, 15, 1, (board) => {
		const at = since + board / 2;
		stack.call('boards stock', at, null, { template: '/events', first_at: ZERO + at + 0.01 });
	});
	stack.reads('stock', (second) => ({ cores: 0.05, queued: second >= 10 ? 20 : 0 }));
	stack.reads('db', () => ({ cores: 0.05 }));
	stack.wire.calls.sort((one, other) => one.began_at - other.began_at);
	return stack.follow().findings;
}

test('answers that go on have places too, and who has most is named', () => {
	const [finding, ...others] = boards({});
	assert.deepEqual([said(finding), finding.place.edge, others], ['stock: workers-taken', null, []]);
	assert.match(finding.title ?? '', /^had 15 of its 16 workers taken by GET \/events of boards, each for/);
	assert.match(finding.evidence.join('\n'), /^stock worked on 1 more at a time, and on up to 4 in calm seconds/m);
});

test('but not where it works on as many beside them as before, or where as many went on in calm seconds', () => {
	for (const given of [{ workers: 4 }, { since: -19 }])
		assert.ok(
			boards(given).every(({ title }) => !title?.includes('boards')),
			JSON.stringify(given),
		);
});
