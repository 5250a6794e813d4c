/** One kind of call that is slow. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UNREAD } from '../../wire/turns.ts';
import { each, MadeStack, reported, SQL, said } from './fixtures/made-stack.ts';

/** One kind of call that lasts so long and fails from second 10 on, beside others. */
function lasting(lasts: (index: number) => number, status: number = 503) {
	const stack = new MadeStack();
	each(-5, 30, 0.1, (at, index) => {
		const isBad = at >= 10;
		stack.call('k6 web', at, at + (isBad ? lasts(index) : 0.005), { template: '/stock', ...(isBad ? { status, bad: status >= 500 } : {}) });
		stack.call('k6 web', at + 0.02, at + 0.023, { template: '/products' });
	});
	stack.reads('web', () => ({ cores: 0.05 }));
	return stack;
}

test('who gives up after one length of time waited for something, and was not slow', () => {
	const [finding] = lasting(() => 3).follow().findings;
	assert.deepEqual([said(finding), finding.why_basis], ['web: own-wait', 'counted']);
	assert.equal(
		finding.title,
		'waited 3.00 s each time for something that is not on record, such as a lock or a file, and then answered 503',
	);
});

test('what it waited for may be a message of one whose protocol is not read', () => {
	const stack = lasting(() => 3);
	stack.call('web broker', -5, -4, { protocol: 'unknown', on: 'mqtt', verb: '', template: '' });
	const [finding] = stack.follow().findings;
	assert.match(finding.title ?? '', /such as a message of broker, whose protocol is not read, or a lock,/);
	assert.equal(finding.why_basis, 'inferred');
});

test('but what takes as long as there is to do is slow', () => {
	assert.deepEqual(reported(lasting((index) => 1 + (index % 17) / 4)), ['web: slow-kind']);
});

/**
 * A store that is throttled from second 10 on.
 * @param isAll whether every kind of statement is slow then
 */
function throttledStore(isAll: boolean) {
	const stack = new MadeStack();
	each(-5, 30, 0.1, (at, index) => {
		const isLate = at >= 10;
		const isScan = index % 2 === 0;
		const took = isLate && (isScan || isAll) ? 1.5 : 0.01;
		stack.call('k6 api', at, at + took + 0.004, isLate && isScan ? { status: 504 } : {});
		stack.call('api db', at + 0.001, at + took, { ...SQL, template: isScan ? 'SELECT scan' : 'INSERT seen', on: `${index}` });
	});
	stack.reads('db', (second) => ({ cores: 0.5, throttled: second >= 10 ? 1 : 0 }));
	return stack.follow().findings[0];
}

test('who is short of CPU and slow for one statement alone is named with it', () => {
	const finding = throttledStore(false);
	assert.equal(said(finding), 'db: cpu-throttled');
	assert.match(
		finding.title ?? '',
		/^was throttled, having used up its CPU quota, and took 1\.50 s for each .*SELECT scan \(9\.0 ms in calm seconds\)$/,
	);
});

test('where all statements are slow none is named', () => {
	assert.equal(throttledStore(true).title, 'was throttled, having used up its CPU quota');
});

/**
 * One of two replicas that does nothing for five seconds of each twelve, or in which only some wait.
 * @param isAsking it waits for its mailer then
 */
function still(isWhole: boolean, isAsking: boolean = false) {
	const stack = new MadeStack();
	const endOf = (at: number) => [6, 18].map((from) => ({ from, to: from + 5 })).find(({ from, to }) => at > from && at < to);
	each(-5, 29, 0.1, (at, index) => {
		const span = endOf(at);
		const isHeld = span !== undefined && index % 2 === 0 && (isWhole || index % 4 === 0);
		const isLost = isHeld && span.to > at + 2;
		stack.call('k6 lb', at, isLost ? at + 2.001 : isHeld ? span.to + 0.02 : at + 0.012, { status: isLost ? 504 : 200 });
		const to = index % 2 ? 'docs-1' : 'docs-2';
		const given = isLost ? { end: 'given-up' as const, by: 'client' as const } : {};
		stack.call(`lb ${to}`, at + 0.001, isLost ? at + 2 : isHeld ? span.to + 0.01 : at + 0.01, given);
	});
	for (const from of isAsking ? [6, 18] : []) stack.call('docs-2 mailer', from + 0.005, from + 5.006, { protocol: UNREAD, on: 'mailer' });
	stack.reads('docs-2', (second) => ({ cores: 0.01, queued: endOf(second + 0.5) ? 4 : 0 }));
	stack.reads('docs-1', () => ({ cores: 0.02 }));
	return stack.follow().findings[0];
}

test('a program that does nothing at all for a while, and then goes on with all at once, stood still', () => {
	const finding = still(true);
	assert.deepEqual([said(finding), finding.why_basis], ['docs-2: hung', 'counted']);
	assert.match(finding.title ?? '', /^stood still 2 times, for up to 5\.\d\d s: it answered and asked nothing while connections waited/);
});

test('but not one that goes on answering others meanwhile, or that waits for an answer itself', () => {
	assert.doesNotMatch(still(false).title ?? '', /^stood still/);
	assert.doesNotMatch(still(true, true).title ?? '', /^stood still/);
});

test('who answers nobody any more has not hung while it asks on for requests, if for such as nobody waits for', () => {
	const silent = (isWorking: boolean) => {
		const stack = new MadeStack();
		each(-5, 27, 0.1, (at, index) => {
			const isLost = at >= 10;
			stack.call('k6 web', at, at + (isLost ? 2 : 0.06), isLost ? { end: 'given-up', by: 'client' } : {});
			if (!isLost || (isWorking && index % 3 === 0)) stack.call('web store', at + 0.001, at + 0.05, { ...SQL, on: 'only' });
		});
		stack.reads('web', () => ({ cores: 0.02 }));
		return reported(stack);
	};
	assert.deepEqual(silent(false), ['web: hung']);
	assert.doesNotMatch(`${silent(true)}`, /hung/);
});

test('what calls of a kind take explains nothing of some that get no answer for many times as long', () => {
	const stack = new MadeStack();
	each(-5, 29, 0.1, (at, index) => {
		const isLeft = at >= 8 && index % 20 === 0;
		stack.call('k6 shop', at, isLeft ? null : at + 0.25, { template: '/products' });
		stack.call('k6 shop', at + 0.05, at + 0.06, { template: '/health' });
	});
	stack.reads('shop', () => ({ cores: 0.3 }));
	assert.deepEqual(reported(stack), ['shop: stands']);
});

/**
 * Reports that get no answer from second 10 on, beside items, which nobody asks for in some stretches.
 * @param given isAsking: each waits for an answer of the database; areHeld: so do items; comesBack: some are answered
 */
function reports({ isAsking = false, areHeld = false, comesBack = false }: { isAsking?: boolean; areHeld?: boolean; comesBack?: boolean }) {
	const stack = new MadeStack();
	const lost = { end: 'given-up' as const, by: 'client' as const };
	each(-8, 26, 0.25, (at, index) => {
		const isLost = at >= 10 && !(comesBack && index % 3 === 0);
		stack.call('k6 api', at, at + (isLost ? 4 : 0.1), { template: '/report', ...(isLost ? lost : {}) });
		// Two have begun when there is no turn left.
		if (isLost && isAsking) stack.call('api db', at + 0.001, at + 4, { ...SQL, ...lost });
		else if (!isLost || at < 10.5) stack.call('api db', at + 0.001, at + 0.05, { ...SQL, on: `${index % 4}` });
	});
	each(-8, 29, 0.05, (at) => {
		if (at % 3 > 1.5) return;
		const isLost = at >= 10 && areHeld;
		stack.call('k6 api', at, at + (isLost ? 4 : 0.005), { template: '/item', ...(isLost ? lost : {}) });
	});
	stack.reads('api', () => ({ cores: 0.03 }));
	return stack.follow().findings;
}

test('a kind that is answered no more, in an idle service that answers all others, stands in a limit of its own', () => {
	const [finding, ...others] = reports({});
	assert.deepEqual([said(finding), finding.why_basis, others], ['api: hung', 'inferred', []]);
	assert.equal(finding.title, 'let each GET /report stand from second 10 on, in a limit of its own, 2 at a time');
	assert.match(finding.evidence.join('\n'), / 2 of the 64 had asked anybody, as good ones do\.$/m);
});

test('but not where each waits for a call, where others have no answer either, or where some are answered', () => {
	for (const given of [{ isAsking: true }, { areHeld: true }, { comesBack: true }])
		for (const { title } of reports(given)) assert.doesNotMatch(title ?? '', /^let each/, JSON.stringify(given));
});

test('who was asked for nothing else held nobody up', () => {
	for (const given of [{}, { comesBack: true }]) assert.ok(reports(given).every(({ mechanism }) => mechanism !== 'held-by-one'));
});
