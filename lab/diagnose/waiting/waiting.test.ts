import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, said } from './fixtures/made-stack.ts';

/** Errors of one of two containers of a service, which has all calls, or its share of them. */
function twoOfOne(isShared: boolean) {
	const stack = new MadeStack();
	stack.holds('api-1', 'api-2');
	each(-5, 30, 0.1, (at, index) => {
		const isBad = at > 5 && index % 5 === 0;
		const name = isShared && index % 2 ? 'api-2' : 'api-1';
		stack.call('k6 lb', at, at + 0.02, { status: isBad ? 500 : 200 });
		stack.call(`lb ${name}`, at + 0.001, at + 0.019, { status: isBad ? 500 : 200 });
	});
	for (const one of stack.wire.services) if (one.name.startsWith('api-')) one.service = 'api';
	return stack.follow().findings[0].evidence.filter((text) => text.includes('did not share'));
}

test('of services of one image that one asker knows it is said too, and of none that it does not know or that are of another', () => {
	const stack = new MadeStack();
	stack.holds('node-1', 'node-2', 'node-3');
	each(-5, 30, 0.1, (at, index) => {
		const status = at > 5 && index % 5 === 0 ? 500 : 200;
		stack.call('k6 lb', at, at + 0.02, { status });
		stack.call('lb node-1', at + 0.001, at + 0.019, { status });
	});
	const saidOf = (asked: string[], images: string[]) => {
		stack.manifest = {
			images: images.map((id, index) => ({ name: `node-${index + 1}`, id })),
			edges: asked.map((to) => ({ from: 'lb', to })),
		};
		return stack.follow().findings[0].evidence.filter((text) => text.includes('shared none'));
	};
	assert.deepEqual(saidOf(['node-1', 'node-2', 'node-3'], ['a', 'a', 'a']), [
		'node-1 had 300 calls in the load, and node-2 0, node-3 0: of the same image and known to lb too, they shared none of them.',
	]);
	assert.deepEqual(saidOf(['node-1', 'node-2', 'node-3'], ['a', 'b', 'c']), []);
	assert.deepEqual(saidOf(['node-1'], ['a', 'a', 'a']), []);
});

test('of containers of one service it is said where one had nearly all that the others were there for', () => {
	assert.match(String(twoOfOne(false)), /^api-1 had 300 calls in the load, and api-2 0: the containers of api did not share them\.$/);
	assert.deepEqual(twoOfOne(true), []);
});

test('kinds that are one finding say of which of them the counts are, after what tells the mechanism; a single kind does not', () => {
	const evidenceOf = (templates: string[]) => {
		const stack = new MadeStack();
		each(-5, 30, 0.05, (at, index) => {
			const status = at > 5 && index % 3 === 0 ? 500 : 200;
			stack.call('k6 web', at, at + 0.004, { status, bad: status === 500, template: templates[index % templates.length] });
		});
		const [finding, ...others] = stack.follow().findings;
		assert.equal(others.length, 0);
		assert.match(finding.evidence[0], /^1\d\d times web answered 500, at the median 4\.0 ms after it was asked\.$/);
		return { count: finding.count, evidence: finding.evidence.filter((text) => text.startsWith('This evidence is about')) };
	};
	assert.deepEqual(evidenceOf(['/a']), { count: 167, evidence: [] });
	const { count, evidence } = evidenceOf(['/a', '/b', '/a', '/a']);
	assert.equal(count, 167);
	assert.match(
		String(evidence),
		/^This evidence is about 12\d of the 167 failed requests \(GET \/a\)\. The quoted log lines were compared with all 167\.$/,
	);
});

test('what a place answered is counted over all kinds that are one finding', () => {
	const stack = new MadeStack();
	each(-5, 29, 0.05, (at, index) => {
		const isBad = at > 5 && index % 4 === 0;
		const template = ['/basket', '/item', '/list'][index % 3];
		stack.call('k6 web', at, at + (isBad ? 0.004 : 0.01), { template, status: isBad ? 500 : 200 });
	});
	const [finding, ...others] = stack.follow().findings;
	assert.deepEqual([said(finding), others], ['web: own-error', []]);
	assert.equal(finding.evidence[0], `${finding.count} times web answered 500, at the median 4.0 ms after it was asked.`);
	assert.ok(
		finding.count > 100 && finding.evidence.some((text) => /^This evidence is about \d\d of the/.test(text)),
		`${finding.evidence}`,
	);
});

/** Two nodes behind a balancer, which sends some of each ten calls to the first; that fails all of its own from second 5 on. */
function unlike(ofTen: number, other: (at: number, index: number) => number = () => 200) {
	const stack = new MadeStack();
	each(-5, 29, 0.05, (at, index) => {
		const isFirst = index % 10 < ofTen;
		const status = at <= 5 ? 200 : isFirst ? 500 : other(at, index);
		stack.call('k6 lb', at, at + 0.01, { status });
		stack.call(`lb ${isFirst ? 'node-1' : 'node-2'}`, at + 0.001, at + 0.009, { status });
	});
	return stack.follow().findings[0].title;
}

test('of one that fails while another does well with the same, that is said, and where it was sent far more', () => {
	assert.equal(unlike(5), 'answered 500 by itself; node-2 answered 235 such calls of lb well meanwhile');
	assert.equal(unlike(8), 'answered 500 by itself; lb sent it 383 such calls, and node-2 94 in all, which went well');
	assert.equal(
		unlike(5, (_, index) => (index % 20 === 9 ? 500 : 200)),
		'answered 500 by itself',
		'the other fails too',
	);
});

test('who is of the same image and asked for other things is no other of the same', () => {
	const stack = new MadeStack();
	stack.manifest = {
		images: ['rates', 'login'].map((name) => ({ name, id: 'python' })),
		edges: ['rates', 'login'].map((to) => ({ from: 'web', to })),
	};
	each(-5, 29, 0.05, (at, index) => {
		const status = at > 5 ? 500 : 200;
		stack.call('k6 web', at, at + 0.01, { status });
		stack.call('web rates', at + 0.001, at + 0.009, { status, template: '/rates' });
		if (index < 10) stack.call('web login', at + 0.0095, at + 0.0099, { template: '/token' });
	});
	assert.deepEqual(
		stack.follow().findings[0].evidence.filter((text) => text.includes('shared none')),
		[],
	);
});
