/**
 * What is followed at all, and what is said where nothing is found.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, reported, SQL, said, ZERO } from './fixtures/made-stack.ts';

test('requests that never end are failures; what was sent away with the load’s end is not', () => {
	const stack = new MadeStack();
	each(-5, 28.5, 0.1, (at, index) => {
		if (at < 10 || index % 2) stack.call('k6 api', at, at + 0.02);
		else if (index % 10 === 0) stack.call('k6 api', at, null);
	});
	each(29.9, 30, 0.01, (at) => stack.call('k6 api', at, 30, { end: 'given-up', by: 'client' }));
	const { findings, failed } = stack.follow();
	assert.deepEqual(findings.map(said), ['api: stands']);
	assert.equal(failed, 19);
});

test('of fewer than five nothing but the place by ids is more than inferred', () => {
	const make = (hasId: boolean) => {
		const stack = new MadeStack();
		each(-5, 30, 0.1, (at, index) => {
			const rest = { status: index % 100 === 99 ? 500 : 200, ...(hasId ? { id: `${index}` } : {}) };
			stack.call('k6 lb', at, at + 0.02, rest);
			stack.call('lb api', at + 0.001, at + 0.019, rest);
		});
		return stack.follow().findings.map((finding) => `${said(finding)} ${finding.count} ${finding.basis} ${finding.why_basis}`);
	};
	assert.deepEqual(make(true), ['api: own-error 3 proved counted']);
	assert.deepEqual(make(false), ['api: own-error 3 inferred inferred']);
});

test('a stack that fails nothing has no finding', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.1, (at) => stack.call('k6 api', at, at + 0.01));
	assert.deepEqual(stack.follow(), { failed: 0, followed: 0, findings: [], doubts: [] });
});

test('what could not be read is a doubt about whom a service waited for', () => {
	const stack = new MadeStack();
	const id = stack.connect('api db', -8, { protocol: 'tls', asked_at: ZERO - 8, hidden_bytes: 12_345 });
	assert.equal(id, 0);
	each(-5, 30, 0.1, (at, index) =>
		stack.call('k6 api', at, at + (index % 10 ? 0.02 : 2), index % 10 ? {} : { end: 'given-up', by: 'client' }),
	);
	const { findings } = stack.follow();
	assert.deepEqual(findings.map(said), ['api: stands']);
	assert.ok(findings[0].doubts.some((text) => text.startsWith('12,345 bytes between api and db could not be read')));
});

test('a record with nothing in it, and calls of connections that are missing, are borne', () => {
	const stack = new MadeStack();
	assert.deepEqual(stack.follow().findings, []);
	stack.call('k6 api', 1, 2, { status: 500 });
	stack.wire.connections.length = 0;
	assert.deepEqual(stack.follow().findings, []);
});

test('few errors that come later than the others are of the same kind', () => {
	const stack = new MadeStack();
	each(-5, 30, 0.05, (at, index) => {
		const isBug = index % 5 === 0;
		stack.call('k6 web', at, at + (isBug ? (index % 50 === 0 ? 0.2 : 0.002) : 0.008), { status: isBug ? 500 : 200 });
		if (!isBug) stack.call('web store', at + 0.001, at + 0.007, { ...SQL, on: 'a' });
	});
	assert.deepEqual(reported(stack), ['web: own-error']);
});
