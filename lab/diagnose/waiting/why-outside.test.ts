/** Hosts outside of the stack and their names, as small records; beside each what looks the same and is not. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, reported, said } from './fixtures/made-stack.ts';

const PARTNER = 'api.partner.example';
const [PARTNER_AT, RESOLVER] = ['203.0.113.7', '198.51.100.53'];

/** Users ask web, which asks a host outside. */
function withOutside() {
	const stack = new MadeStack();
	stack.holds('k6', 'web', 'store');
	stack.lookup(`web ${RESOLVER}`, -9, -8.998, PARTNER, { addresses: [PARTNER_AT] });
	return stack;
}

test('a host outside that answers late is the end of the way, by the name that was looked up for it', () => {
	const stack = withOutside();
	each(-5, 30, 0.1, (at) => {
		const isSlow = at >= 10;
		stack.call('k6 web', at, at + (isSlow ? 4 : 0.05), isSlow ? { status: 504 } : {});
		stack.call(`web ${PARTNER_AT}`, at + 0.001, at + (isSlow ? 3.99 : 0.049));
	});
	const { findings } = stack.follow();
	assert.deepEqual(findings.map(said), ['web: outside-slow']);
	assert.deepEqual(findings[0].place.edge, { from: 'web', to: PARTNER });
	assert.equal(findings[0].title, `waited for ${PARTNER}, outside of the stack`);
	assert.equal(findings[0].why_basis, 'timed');
});

test('one that does not answer at all, until its caller gives up, too', () => {
	const stack = withOutside();
	each(-5, 30, 0.1, (at) => {
		const isDead = at >= 10;
		stack.call('k6 web', at, at + (isDead ? 5.01 : 0.05), isDead ? { status: 504 } : {});
		stack.call(`web ${PARTNER_AT}`, at + 0.001, at + (isDead ? 5.001 : 0.049), isDead ? { end: 'given-up', by: 'client' } : {});
	});
	const [finding] = stack.follow().findings;
	assert.equal(said(finding), 'web: outside-slow');
	assert.ok(finding.evidence.some((text) => text.includes('given up before a byte of the answer, each after 5.00 s')));
});

test('one that answers with errors has failed, and is not slow', () => {
	const stack = withOutside();
	each(-5, 30, 0.1, (at, index) => {
		const isBad = at >= 5 && index % 3 === 0;
		stack.call('k6 web', at, at + 0.05, { status: isBad ? 500 : 200 });
		stack.call(`web ${PARTNER_AT}`, at + 0.001, at + 0.049, { status: isBad ? 429 : 200 });
	});
	const [finding] = stack.follow().findings;
	assert.equal(said(finding), 'web: outside-failed');
	assert.equal(finding.title, `had its calls to ${PARTNER}, outside of the stack, answered 429`);
});

test('a slow host outside that good requests ask as well does not explain a bug', () => {
	const stack = withOutside();
	each(-5, 30, 0.1, (at, index) => {
		stack.call('k6 web', at, at + 1, { status: at >= 5 && index % 4 === 0 ? 500 : 200 });
		stack.call(`web ${PARTNER_AT}`, at + 0.001, at + 0.9);
	});
	assert.deepEqual(reported(stack), ['web: own-error']);
});

test('a slow service of the stack is not outside', () => {
	const stack = withOutside();
	each(-5, 30, 0.1, (at) => {
		const isSlow = at >= 10;
		stack.call('k6 web', at, at + (isSlow ? 4 : 0.05), isSlow ? { status: 504 } : {});
		stack.call('web store', at + 0.001, at + (isSlow ? 3.99 : 0.049));
		stack.call(`web ${PARTNER_AT}`, at, at + 0.0005);
	});
	assert.deepEqual(reported(stack), ['store: stands']);
});

test('a service that is asked by a port of this machine is followed through it', () => {
	const stack = withOutside();
	stack.wire.services.push({ address: 'host', service: 'host', name: 'host', container: '', from: 0, to: null });
	each(-5, 30, 0.1, (at) => {
		const isSlow = at >= 10;
		stack.call('k6 web', at, at + (isSlow ? 4 : 0.05), isSlow ? { status: 504 } : {});
		stack.call('web host', at + 0.001, at + (isSlow ? 3.99 : 0.049));
		stack.call('host store', at + 0.002, at + (isSlow ? 3.98 : 0.048));
	});
	assert.deepEqual(reported(stack), ['store: stands']);
});

test('a name that is not answered fails the requests that need it', () => {
	const stack = withOutside();
	each(-5, 30, 0.1, (at) => {
		const isSilent = at >= 10;
		stack.call('k6 web', at, at + (isSilent ? 5.02 : 0.05), isSilent ? { status: 502 } : {});
		stack.lookup(`web ${RESOLVER}`, at + 0.001, isSilent ? null : at + 0.003, PARTNER, isSilent ? {} : { addresses: [PARTNER_AT] });
		if (!isSilent) stack.call(`web ${PARTNER_AT}`, at + 0.004, at + 0.049);
	});
	const [finding] = stack.follow().findings;
	assert.equal(said(finding), 'web: name-unanswered');
	assert.equal(finding.title, `got no answer when it asked for the address of ${PARTNER}`);
});

test('a name that its resolver cannot find fails them at once', () => {
	const stack = withOutside();
	each(-5, 30, 0.1, (at, index) => {
		const isBad = at >= 5 && index % 3 === 0;
		stack.call('k6 web', at, at + (isBad ? 0.01 : 0.05), { status: isBad ? 500 : 200 });
		stack.lookup(`web ${RESOLVER}`, at + 0.001, at + 0.003, PARTNER, isBad ? { code: 'SERVFAIL', bad: true } : {});
		if (!isBad) stack.call(`web ${PARTNER_AT}`, at + 0.004, at + 0.049);
	});
	const [finding] = stack.follow().findings;
	assert.equal(said(finding), 'web: name-unanswered');
	assert.ok(
		finding.evidence.some((text) => text.includes('answered SERVFAIL')),
		finding.evidence.join('\n'),
	);
});

test('a resolver of the stack that is gone is a service that is gone', () => {
	const stack = withOutside();
	stack.holds('names');
	each(-5, 30, 0.1, (at) => {
		const isGone = at >= 10;
		stack.call('k6 web', at, at + (isGone ? 5.02 : 0.05), isGone ? { status: 502 } : {});
		stack.lookup('web names', at + 0.001, isGone ? null : at + 0.003, PARTNER);
		if (!isGone) stack.call(`web ${PARTNER_AT}`, at + 0.004, at + 0.049);
	});
	stack.event('names', 'die', 10, 137);
	assert.deepEqual(reported(stack), ['names: gone']);
});

test('a lookup that fails for good requests as well explains no bug', () => {
	const stack = withOutside();
	each(-5, 30, 0.1, (at, index) => {
		stack.call('k6 web', at, at + 0.03, { status: at >= 10 && index % 4 === 0 ? 500 : 200 });
		stack.lookup(`web ${RESOLVER}`, at + 0.001, at + 0.003, 'metrics.example', at >= 10 ? { code: 'SERVFAIL', bad: true } : {});
	});
	assert.deepEqual(reported(stack), ['web: own-error']);
});

test('names with a suffix that are never found, for good requests too, explain nothing', () => {
	const stack = withOutside();
	each(-5, 30, 0.1, (at, index) => {
		stack.call('k6 web', at, at + 0.05, { status: at >= 5 && index % 4 === 0 ? 500 : 200 });
		stack.lookup(`web ${RESOLVER}`, at + 0.001, at + 0.003, `${PARTNER}.lan`, { code: 'NXDOMAIN' });
		stack.lookup(`web ${RESOLVER}`, at + 0.004, at + 0.006, PARTNER, { addresses: [PARTNER_AT] });
	});
	assert.deepEqual(reported(stack), ['web: own-error']);
});

test('a name that there is not is told as it was answered', () => {
	const stack = withOutside();
	each(-5, 30, 0.1, (at) => {
		const isLate = at >= 10;
		stack.call('k6 web', at, at + 0.05, { status: isLate ? 502 : 200 });
		stack.lookup(
			`web ${RESOLVER}`,
			at + 0.001,
			at + 0.003,
			PARTNER,
			isLate ? { code: 'NXDOMAIN', bad: true } : { addresses: [PARTNER_AT] },
		);
		if (!isLate) stack.call(`web ${PARTNER_AT}`, at + 0.004, at + 0.049);
	});
	const [{ title }] = stack.follow().findings;
	assert.equal(title, `was answered NXDOMAIN (there is no such name) when it asked for the address of ${PARTNER}`);
});

test('an unanswered name that a service asks for by itself all the time lies in long requests, and explains none', () => {
	const stack = withOutside();
	each(-9, 30, 0.25, (at) => stack.lookup(`web ${RESOLVER}`, at, null, 'metrics.example'));
	each(-5, 30, 0.1, (at) => {
		const isSlow = at >= 10;
		stack.call('k6 web', at, at + (isSlow ? 3 : 0.02), isSlow ? { end: 'given-up', by: 'client' } : {});
	});
	assert.deepEqual(reported(stack), ['web: stands']);
});

test('lookups that the engine’s resolver leaves waiting are seen by their sockets alone', () => {
	const stack = withOutside();
	each(-5, 30, 0.1, (at) => stack.call('k6 web', at, at + (at >= 10 ? 5 : 0.02), at >= 10 ? { status: 502 } : {}));
	stack.reads('web', (second) => ({ cores: 0.02, lookups: second >= 10 ? 4 : 0 }));
	const [finding] = stack.follow().findings;
	assert.deepEqual([said(finding), finding.why_basis], ['web: name-unanswered', 'timed']);
});

test('sockets of the resolver that wait in a service without CPU tell of its quota', () => {
	const stack = withOutside();
	each(-5, 30, 0.1, (at) => stack.call('k6 web', at, at + (at >= 10 ? 5 : 0.02), at >= 10 ? { status: 502 } : {}));
	stack.reads('web', (second) => ({ cores: 0.05, throttled: second >= 10 ? 1 : 0.1, lookups: second >= 10 ? 4 : 0 }));
	assert.deepEqual(reported(stack), ['web: cpu-throttled']);
});

test('lookups that wait as often in calm seconds explain nothing', () => {
	const stack = withOutside();
	each(-5, 30, 0.1, (at) => stack.call('k6 web', at, at + (at >= 10 ? 5 : 0.02), at >= 10 ? { status: 502 } : {}));
	stack.reads('web', () => ({ cores: 0.02, lookups: 2 }));
	assert.deepEqual(reported(stack), ['web: stands']);
});

test('lookups of a helper that nobody answers lie in requests that sleep by chance, while others of the kind are quick', () => {
	const stack = withOutside();
	each(-5, 28, 0.1, (at, index) => {
		const isAsleep = at >= 5 && index % 10 === 0;
		stack.call('k6 web', at, at + (isAsleep ? 1.5 : 0.02), isAsleep ? { end: 'given-up', by: 'client' } : {});
		stack.call('web store', at + 0.001, at + 0.01, { protocol: 'postgresql', verb: 'SELECT', on: `${index % 5}` });
	});
	each(5, 28, 3, (at) => stack.lookup(`web ${RESOLVER}`, at + 0.5, null, 'metrics.example'));
	assert.deepEqual(reported(stack), ['web: stands']);
});
