/** Requests that are turned away by their number, or by what had failed before. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, said } from './fixtures/made-stack.ts';

/** A proxy that takes four at a time, or turns away at random, while bursts of six come. */
function bursts(isLimited: boolean) {
	const stack = new MadeStack();
	each(-8, 29, 0.5, (at, index) => {
		const size = at >= 5 && index % 3 === 0 ? 6 : 3;
		for (let one = 0; one < size; one += 1) {
			const from = at + one * 0.002;
			const isOver = at >= 5 && (isLimited ? one >= 4 : size === 6 && (index + one) % 3 === 0);
			stack.call('k6 gate', from, from + (isOver ? 0.0005 : 0.1), { status: isOver ? 503 : 200 });
			if (!isOver) stack.call('gate stock', from + 0.001, from + 0.098, { on: `${(index * 6 + one) % 12}` });
		}
	});
	return stack.follow().findings;
}

test('who turns away whatever is more than it takes at a time has its number counted', () => {
	const [finding] = bursts(true);
	assert.deepEqual([said(finding), finding.basis], ['gate: turned-away', 'counted']);
	assert.equal(finding.title, 'answered 503 when 4 or more of GET / were in it');
});

test('where one less is too many at times, as where several threads count, the number is that from which on hardly any goes well', () => {
	const stack = new MadeStack();
	each(-8, 29, 0.5, (at, index) => {
		const size = at >= 5 && index % 3 === 0 ? 12 : 3;
		const most = index % 12 === 0 ? 5 : 6;
		for (let one = 0; one < size; one += 1) {
			const from = at + one * 0.002;
			stack.call('k6 gate', from, from + (one >= most ? 0.0005 : 0.1), { status: one >= most ? 503 : 200 });
			if (one < most) stack.call('gate stock', from + 0.001, from + 0.098, { on: `${one}` });
		}
	});
	const [finding, ...more] = stack.follow().findings;
	assert.deepEqual([said(finding), more], ['gate: turned-away', []]);
	assert.equal(finding.title, 'answered 503 when 6 or more of GET / were in it, with 6 connections to stock');
	assert.match(finding.evidence.join(' '), /When 5 or more were in it it was 100 % and \d+ %\./);
});

test('nor where those that fail come when others stand in it, and good ones are of other seconds alone', () => {
	const stack = new MadeStack();
	each(-8, 29, 0.05, (at, index) => {
		const isDown = at >= 10;
		if (at < 10) stack.call('k6 gate', at, at + 0.01);
		// What came as it went down stands in it until the end.
		else if (at < 10.5) stack.call('k6 gate', at, at + 20);
		else stack.call('k6 gate', at, at + 0.0005, { status: 503 });
		if (!isDown) stack.call('gate stock', at + 0.001, at + 0.009, { on: `${index % 12}` });
	});
	assert.ok(stack.follow().findings.every(({ title }) => !/or more of/.test(title ?? '')));
});

test('no number is said where good requests come when as many are in it', () => {
	const [finding] = bursts(false);
	assert.equal(said(finding), 'gate: turned-away');
	assert.equal(finding.title, 'turned requests away with 503');
});

/**
 * A proxy that turns everything away for eight seconds.
 * @param how isFailing: one kind fails before; isFailingAlways: in calm seconds as much;
 * isSome: each third request is let through meanwhile
 */
function shut({
	isFailing = true,
	isFailingAlways = false,
	isSome = false,
}: {
	isFailing?: boolean;
	isFailingAlways?: boolean;
	isSome?: boolean;
}) {
	const stack = new MadeStack();
	each(-8, 29, 0.05, (at, index) => {
		const isExport = index % 7 === 0;
		const isOut = at >= 12 && at < 20 && !(isSome && index % 3 === 0);
		const isBad = isExport && (isFailingAlways || (isFailing && at >= 6 && at < 12));
		const template = isExport ? '/export' : '/item';
		stack.call('k6 gate', at, at + (isOut ? 0.0006 : 0.02), { template, status: isOut ? 503 : isBad ? 500 : 200 });
		if (!isOut) stack.call('gate app', at + 0.001, at + 0.018, { template, status: isBad ? 500 : 200 });
	});
	return stack.follow().findings.filter(({ place }) => place.service === 'gate');
}

test('who turns everything away after one kind had failed shuts by that', () => {
	const [finding, ...more] = shut({});
	assert.deepEqual([said(finding), finding.why_basis, more], ['gate: checks-failed', 'timed', []]);
	assert.match(
		finding.title ?? '',
		/^turned everything away with 503 for up to 7\.9\d s, after 9 % of its calls to app had failed \(GET \/export\)$/,
	);
});

test('but not where nothing had failed, where as much fails always, or where some are let through', () => {
	for (const how of [{ isFailing: false }, { isFailing: false, isFailingAlways: true }, { isSome: true }])
		assert.deepEqual(shut(how).map(said), ['gate: turned-away'], JSON.stringify(how));
});

/**
 * A web service opens a connection for each request; from second 5 on it gives some of them back no more, until the cache takes no more.
 * @param isLeft of the first twenty after that
 */
function leaking(isLeft: (index: number) => boolean) {
	const stack = new MadeStack();
	const cache = { protocol: 'redis', verb: 'PUBLISH', template: '' };
	let open = 0;
	each(-5, 29, 0.2, (at, index) => {
		const isFull = open >= 20;
		stack.call('k6 web', at, at + 0.01, { status: isFull ? 500 : 200 });
		if (isFull)
			return stack.call('web cache', at + 0.001, at + 0.002, { ...cache, verb: 'CONNECT', code: 'MAXCLIENTS', bad: true, role: 'connect' });
		const isKept = at >= 5;
		stack.call('web cache', at + 0.001, at + 0.002, isKept ? { ...cache, on: `${index}` } : cache);
		if (!isKept) return;
		open += 1;
		// Those that are not left are asked on to the end.
		if (!isLeft(open)) each(at + 0.5, 29.5, 0.5, (later) => stack.call('web cache', later, later + 0.001, { ...cache, on: `${index}` }));
	});
	const [finding] = stack.follow().findings;
	assert.equal(said(finding), 'cache: turned-away');
	return finding;
}

test('who has a callee full of connections that it uses no more is named with their number', () => {
	const left = leaking(() => true);
	assert.match(
		left.title ?? '',
		/^turned connections away with error MAXCLIENTS \(max number of clients reached: maxclients\), since it had 20 open and takes no more; web uses (19|20) of its own no more$/,
	);
	assert.ok(left.evidence.some((text) => /^Connections open at cache then: 20 of web, which asks nothing more on (19|20)\.$/.test(text)));
	const used = leaking((open) => open % 5 === 0);
	assert.match(used.title ?? '', /takes no more$/);
	assert.ok(used.evidence.includes('Connections open at cache then: 20 of web.'));
});

test('but not who closes each a while after its last use', () => {
	const stack = new MadeStack();
	const cache = { protocol: 'redis', verb: 'PUBLISH', template: '' };
	each(-5, 29, 0.1, (at, index) => {
		stack.call('k6 web', at, at + 0.01);
		stack.call('web cache', at + 0.001, at + 0.002, { ...cache, on: `${index}` });
		if (at < 5) return;
		stack.call('k6 web', at + 0.05, at + 0.06, { status: 500 });
		const refused = { verb: 'CONNECT', code: 'MAXCLIENTS', bad: true, role: 'connect' } as const;
		stack.call('web cache', at + 0.051, at + 0.052, { ...cache, ...refused });
	});
	for (const own of stack.wire.connections)
		if (own.server === 'cache' && own.outcome === 'open')
			Object.assign(own, { ended_at: own.opened_at + 2, outcome: 'closed', by: 'client' });
	const [finding] = stack.follow().findings;
	assert.equal(said(finding), 'cache: turned-away');
	assert.doesNotMatch(finding.title ?? '', /no more$/);
	assert.ok(
		finding.evidence.some((text) => /^Connections open at cache then: \d+ of web\.$/.test(text)),
		`${finding.evidence}`,
	);
});
