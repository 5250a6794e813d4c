import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, reported, SQL, said, ZERO } from './fixtures/made-stack.ts';

const [BAD, GONE] = [
	{ status: 504, bad: true },
	{ end: 'given-up' as const, by: 'client' as const, status: null },
];
const CLOSED = { end: 'closed' as const, by: 'server' as const, status: null };
const MONTH = { template: '/month' };

/** A page that is quick, and so on all through. */
function days(stack: MadeStack) {
	each(-9, 30, 0.2, (at) => {
		stack.call('k6 lb', at, at + 0.02, { template: '/day' });
		stack.call('lb api', at + 0.001, at + 0.019, { template: '/day' });
	});
	return stack;
}

/**
 * The balancer gives up after 2 s; the answer comes all the same.
 * @param takes seconds
 */
function givenUp(stack: MadeStack, at: number, takes: number, rest: object = {}) {
	stack.call('k6 lb', at, at + 2.002, { ...MONTH, ...BAD });
	stack.call('lb api', at + 0.001, at + 2.001, { ...MONTH, ...GONE, late_at: ZERO + at + 0.001 + takes, ...rest });
}

function inTime(stack: MadeStack, at: number, takes: number) {
	stack.call('k6 lb', at, at + takes + 0.002, MONTH);
	stack.call('lb api', at + 0.001, at + takes + 0.001, MONTH);
}

test('who gives up what takes as long as ever loses it by its own limit', () => {
	const stack = days(new MadeStack());
	each(1, 26, 0.5, (at, index) => givenUp(stack, at, 3.2 + (index % 5) / 100));
	const [finding, ...others] = stack.follow().findings;
	assert.deepEqual([said(finding), others.length, finding.place.edge], ['lb: time-limit', 0, { from: 'lb', to: 'api' }]);
	assert.match(
		finding.title ?? '',
		/^gave api up after 2\.00 s, a time limit shorter than the 3\.2\d s that GET \/month takes there as a rule$/,
	);
	assert.ok(finding.doubts.some((doubt) => doubt.startsWith('no such call was answered in time')));
});

test('a limit in the midst of what a call takes as a rule is the limit’s too, and counted', () => {
	const stack = days(new MadeStack());
	each(1, 26, 0.5, (at, index) => (index % 2 === 0 ? givenUp(stack, at, 2.2) : inTime(stack, at, 1.7)));
	const [finding] = stack.follow().findings;
	assert.deepEqual([said(finding), finding.why_basis], ['lb: time-limit', 'counted']);
});

test('so is one beside what a call takes as a rule, where nobody answers in vain', () => {
	const stack = days(new MadeStack());
	const lost = (at: number) => givenUp(stack, at, 0, { late_at: undefined });
	each(1, 26, 0.25, (at, index) => (index % 3 === 0 ? lost(at) : inTime(stack, at, 1.6 + (index % 7) / 20)));
	assert.deepEqual(reported(stack), ['lb: time-limit']);
});

test('but not where such calls were quick before the line was long', () => {
	const stack = days(new MadeStack());
	each(1, 7, 0.25, (at, index) => inTime(stack, at, 0.1 + index / 13));
	each(7, 26, 0.25, (at, index) => (index % 3 === 0 ? givenUp(stack, at, 0, { late_at: undefined }) : inTime(stack, at, 1.9)));
	assert.equal(stack.follow().findings[0].place.service, 'api');
});

test('a limit that ends calls of a service which has become slow is how they ended, and not why', () => {
	const stack = days(new MadeStack());
	each(-9, 10, 0.5, (at) => inTime(stack, at, 0.3));
	each(10, 26, 0.5, (at) => givenUp(stack, at, 3.2));
	const [finding] = stack.follow().findings;
	assert.equal(finding.place.service, 'api');
	assert.notEqual(finding.mechanism, 'time-limit');
	assert.ok(finding.chain.some(({ said: how }) => how.endsWith('after 2.00 s')));
});

test('a line that grows, and answers that were errors, are no usual time', () => {
	const line = days(new MadeStack());
	each(1, 26, 0.5, (at, index) => givenUp(line, at, 2.1 + index / 5));
	assert.equal(line.follow().findings[0].place.service, 'api');
	const wrong = days(new MadeStack());
	each(1, 26, 0.5, (at) => givenUp(wrong, at, 3.2, { status: 500, bad: true }));
	assert.equal(wrong.follow().findings[0].place.service, 'api');
});

/**
 * The service ends its request by itself, and its query goes on, or is over.
 * @param about seconds
 */
function year(stack: MadeStack, at: number, { request, query, end }: { request: number; query: number; end: object }) {
	const isGood = Object.keys(end).length === 0;
	stack.call('k6 api', at, at + request, { template: '/year', ...end });
	stack.call('api db', at + 0.001, at + 0.001 + query, { ...SQL, on: isGood ? '' : `of ${at}` });
}

function quick(stack: MadeStack) {
	each(-9, 30, 0.2, (at) => {
		stack.call('k6 api', at, at + 0.02, { template: '/day' });
		stack.call('api db', at + 0.001, at + 0.01, SQL);
	});
	return stack;
}

test('a service that answers an error after equal times, while its callee works on as long as ever, has a limit of its own', () => {
	const stack = quick(new MadeStack());
	each(1, 26, 0.5, (at) => year(stack, at, { request: 2, query: 2.6, end: { status: 503, bad: true } }));
	assert.deepEqual(reported(stack), ['api: time-limit']);
});

test('one whose user left before the limit came is of the same end as the others', () => {
	const stack = quick(new MadeStack());
	const through = (at: number, end: object) => {
		stack.call('k6 lb', at, at + 2.001, { template: '/year', status: 503, bad: true, ...end });
		stack.call('lb api', at + 0.001, at + 2, { template: '/year', status: 503, bad: true });
		stack.call('api db', at + 0.002, at + 2.6, { ...SQL, on: `of ${at}` });
	};
	each(1, 26, 0.5, (at) => through(at, {}));
	through(26.1, { end: 'given-up', by: 'client', status: null, bad: false });
	assert.deepEqual(reported(stack), ['api: time-limit']);
});

test('one that lets requests wait for a pool until it turns them away has no limit on what its callee takes', () => {
	const stack = quick(new MadeStack());
	// Six at a time, 3.9 s each; whoever came before they began has waited for 2 s by then.
	each(2, 26, 4, (at) => {
		for (const [index, on] of ['one', 'two', 'three', 'four', 'five', 'six'].entries()) {
			stack.call('k6 api', at, at + 3.9, { template: '/year' });
			stack.call('api db', at + 0.001, at + 3.899, { ...SQL, on });
			if (index > 0) stack.call('k6 api', at - 1.2 + index / 10, at + 0.8 + index / 10, { template: '/year', status: 503, bad: true });
		}
	});
	assert.notDeepEqual(reported(stack), ['api: time-limit']);
});

test('so has one that closes: as soon as its callee has answered well, if all that took less were answered', () => {
	const stack = quick(new MadeStack());
	each(1, 26, 0.5, (at) => year(stack, at, { request: 2.603, query: 2.6, end: CLOSED }));
	const [finding] = stack.follow().findings;
	assert.deepEqual([said(finding), finding.place.edge], ['api: time-limit', { from: 'api', to: 'db' }]);
	assert.match(finding.title ?? '', /\(over 20 ms, at most 2\.60 s\)/);
	assert.ok(finding.doubts.some((doubt) => doubt.startsWith('an error of api in the work on GET /year')));
});

test('one that closes what others of the same length are answered has broken it off', () => {
	const stack = quick(new MadeStack());
	each(1, 26, 0.5, (at, index) => year(stack, at, { request: 2.603, query: 2.6, end: index % 2 === 0 ? CLOSED : {} }));
	assert.deepEqual(reported(stack), ['api: broken-off']);
});

test('where its callee has become slow, the callee is the cause', () => {
	for (const [request, end] of [
		[2, { status: 503, bad: true }],
		[2.603, CLOSED],
	] as [number, object][]) {
		const stack = quick(new MadeStack());
		each(-9, 10, 0.5, (at) => year(stack, at, { request: 0.3, query: 0.29, end: {} }));
		each(10, 26, 0.5, (at) => year(stack, at, { request, query: 2.6, end }));
		assert.equal(stack.follow().findings[0].place.service, 'db');
	}
});

/**
 * The user's time is over after 900 ms; what the shop sends on late is given up with it. Feed answers after 180 ms as ever.
 * @param most that the shop asks at a time, on one connection
 * @param slow what feed takes then
 */
function deadline(most: number, slow: number = 0.18) {
	const stack = new MadeStack();
	const on = 'one';
	each(-8, 5, 0.2, (at) => {
		stack.call('k6 shop', at, at + 0.19);
		stack.call('shop feed', at + 0.001, at + 0.181, { on });
	});
	// Of each row of `most` that goes on at a time, as many more stand in the shop, and the last are sent on too late.
	each(5, 25, slow, (at, row) => {
		for (let place = 0; place < most; place += 1) {
			const isLate = row % 2 === 1;
			const begun = at + place * 0.001;
			stack.call('k6 shop', begun - (isLate ? 0.75 : 0.3), begun + (isLate ? 0.15 : slow), isLate ? { status: 504 } : {});
			stack.call('shop feed', begun, begun + (isLate ? 0.148 : slow - 0.002), isLate ? { ...GONE, on } : { on });
		}
	});
	stack.reads('shop', () => ({ cores: 0.05 }));
	stack.reads('feed', () => ({ cores: 0.05 }));
	return stack;
}

test('a deadline that cuts what was sent on late is no limit of that call, and tells of whom it had waited for', () => {
	const { findings } = deadline(5).follow();
	assert.deepEqual(findings.map(said), ['shop: workers-taken']);
	assert.equal(
		findings[0].title,
		'asked feed 5 at a time, on 1 connection, and let the others stand: a limit of its own, or of streams on a connection',
	);
});

test('but where the callee has become slow it is followed', () => {
	assert.deepEqual(
		deadline(5, 0.75)
			.follow()
			.findings.map(({ place }) => place.service),
		['feed'],
	);
});

test('who begins an answer and does not end it is told apart from one who sends it slowly', () => {
	for (const isSlow of [false, true]) {
		const stack = new MadeStack();
		each(-5, 28, 0.05, (at, index) => {
			const isCut = at >= 5 && index % 6 === 0;
			stack.call('k6 web', at, at + (isCut ? 2.01 : 0.02), { status: isCut ? 502 : 200 });
			stack.call('web geo', at + 0.001, at + (isCut ? 2.001 : 0.012), {
				...(isCut ? { end: 'cut', by: 'client', first_at: ZERO + at + 0.01 } : {}),
			});
			const { connection } = stack.wire.calls.at(-1) ?? { connection: 0 };
			Object.assign(stack.wire.connections[connection], { last_at: ZERO + at + (isCut && isSlow ? 1.99 : 0.011) });
		});
		const [finding] = stack.follow().findings;
		assert.equal(finding.place.service, 'geo');
		assert.equal(finding.mechanism === 'unended', !isSlow, said(finding));
		if (!isSlow) assert.equal(finding.title, 'began its answers and did not end them: nothing more came for 1.99 s, until web gave up');
	}
});

/**
 * Exports are given up after two seconds: the api asks a rates service for each row, one after the other; other requests ask it once.
 * @param took of each call of an export, seconds
 * @param usual of all others
 */
function exported(took: number, usual: number = 0.01) {
	const stack = new MadeStack();
	each(-9, 29, 0.2, (at) => {
		stack.call('k6 api', at, at + usual + 0.02);
		stack.call('api rates', at + 0.005, at + 0.005 + usual, { on: `${Math.round(at * 5) % 3}` });
	});
	each(10, 26, 2.5, (at) => {
		stack.call('k6 api', at, at + 2, { template: '/export', end: 'given-up', by: 'client' });
		each(at + 0.002, at + 2.4, took + 0.001, (from) => stack.call('api rates', from, from + took, { on: `export ${at}` }));
	});
	for (const name of ['api', 'rates']) stack.reads(name, () => ({ cores: 0.05 }));
	const [finding] = stack.follow().findings;
	return finding;
}

test('who is asked again and again, and is as quick as ever each time, is not the place', () => {
	const finding = exported(0.01);
	assert.equal(said(finding), 'api: many-calls');
	assert.equal(finding.title, 'made about 200 calls to rates for each GET /export, which took 10 ms each (N+1 calls)');
	assert.ok(finding.evidence.includes('k6 gave up after 2.00 s each time.'));
});

test('nor is it the number of calls where the service itself takes the time between them', () => {
	const stack = new MadeStack();
	each(-9, 29, 0.2, (at) => {
		stack.call('k6 api', at, at + 0.03);
		stack.call('api rates', at + 0.005, at + 0.015, { on: `${Math.round(at * 5) % 3}` });
	});
	each(10, 26, 2.5, (at) => {
		stack.call('k6 api', at, at + 2, { template: '/export', end: 'given-up', by: 'client' });
		each(at + 0.002, at + 2.4, 0.05, (from) => stack.call('api rates', from, from + 0.01, { on: `export ${at}` }));
	});
	stack.reads('api', (second) => ({ cores: second >= 10 ? 0.95 : 0.1 }));
	stack.reads('rates', () => ({ cores: 0.05 }));
	assert.match(reported(stack)[0], /^api: (?!many-calls)/);
});

test('but it is where each takes longer than in calm seconds, or a good part of the request', () => {
	assert.equal(said(exported(0.1)).startsWith('rates: '), true);
	assert.equal(said(exported(0.02)), 'api: many-calls', 'a hundred of twice the time');
	assert.equal(said(exported(0.03)).startsWith('api: many-calls'), false);
	assert.notEqual(exported(0.5, 0.5).mechanism, 'many-calls');
});
