import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outcomesSection } from './finding.ts';

const NOTHING = { containers: 4, database_connections: 104, backlog: null, drained_after_s: null, stale_share: null };
const arm: (id: string, price: object | null) => any = (id, price) => ({
	id,
	price: price && { ...NOTHING, ...price },
	outcomes: { done_rps: 1, accepted_rps: 0, refused_rps: 0, failed_rps: 0 },
	typical_run: null,
	metrics: { cpu_ms_per_good: { median: 1.2 }, latency_ms_p95_ok: { median: 250 } },
});
const HEAD = '<h3>The price</h3>';
/** Empty where there is none. */
const tableOf = (arms: any[]) => {
	const page = String(outcomesSection({ arms } as any)).replaceAll('\u00a0', ' ');
	return page.includes(HEAD) ? page.slice(page.indexOf(HEAD)) : '';
};

test('each arm has its price, and what it leaves for later where any does', () => {
	const table = tableOf([
		arm('2a-slots', {}),
		arm('2a-list', { containers: 6, backlog: 4000, drained_after_s: 20 }),
		arm('2a-replica', { stale_share: 0.065 }),
	]);
	assert.match(table, /Left for later/);
	assert.match(
		table,
		/2a-slots<\/th><td class="number">250 ms<\/td><td class="number">1.2 s<\/td><td class="number">4<\/td><td class="number">104<\/td><td class="number">–</,
	);
	assert.match(table, /4,000 writes queued, 20 s to drain/);
	assert.match(table, /6.5 % of reads stale/);
});

test('where nothing is left for later there is no column of it, and results from before have no table', () => {
	const table = tableOf([arm('a', {}), arm('2a', {})]);
	assert.match(table, /<table class="price">/);
	assert.doesNotMatch(table, /Left for later/);
	assert.equal(tableOf([arm('a', null), arm('2a', {})]), '');
});

test('arms of several loads stand below their load, by the name of what they are', () => {
	const under = (load: string) => ({ ...arm(`2a (${load})`, {}), load });
	const table = tableOf([under('patient'), under('surge')]);
	assert.match(table, /colspan="5">load patient<[\s\S]*row">2a<[\s\S]*load surge<[\s\S]*row">2a</);
});

const outcomesArm: (id: string, outcomes: object | null) => any = (id, outcomes) => ({
	id,
	outcomes: outcomes && { done_rps: 0, accepted_rps: 0, refused_rps: 0, failed_rps: 0, ...outcomes },
	metrics: { cpu_ms_per_good: { median: 1.23, low: 1, high: 2 } },
	typical_run: null,
});
const pageOf = (arms: any[]) => String(outcomesSection({ arms } as any));

test('every arm has a bar of one scale, and only what there is has a part', () => {
	const page = pageOf([
		outcomesArm('2a', { done_rps: 600, failed_rps: 400 }),
		outcomesArm('2a-list', { done_rps: 500, accepted_rps: 300 }),
	]);
	assert.match(page, /2a<\/b>[\s\S]*part done" style="width:60%"[\s\S]*part lost" style="width:40%"/);
	assert.match(page, /2a-list<\/b>[\s\S]*part done" style="width:50%"[\s\S]*part accepted" style="width:30%"/);
	assert.doesNotMatch(page, /part refused/);
	assert.match(page, />40.%</);
});

test('arms of several loads stand by their load, on one scale', () => {
	const under = (load: string, done: number) => ({ ...outcomesArm(`2a (${load})`, { done_rps: done }), load });
	const page = pageOf([under('patient', 500), under('surge', 1000)]);
	assert.match(page, /load patient<[\s\S]*>2a<[\s\S]*width:50%[\s\S]*load surge<[\s\S]*>2a<[\s\S]*width:100%/);
	assert.doesNotMatch(pageOf([outcomesArm('a', { done_rps: 1 }), outcomesArm('b', { done_rps: 2 })]), /class="load"/);
});

test('the verdict of each arm stands beside its bar, where pairs were compared', () => {
	const arms = [outcomesArm('2a', { done_rps: 600 }), outcomesArm('2a-slots', { done_rps: 900 })];
	const pairs = [{ base: '2a', other: '2a-slots', href: 'pairs/x/compare.html', verdict: { word: 'better' } }];
	const page = String(outcomesSection({ arms, pairs } as any));
	assert.match(page, /2a-slots<\/b>[\s\S]*stamp better[\s\S]*href="\.\/pairs\/x\/compare\.html">against 2a</);
	assert.equal(page.split('class="stamp').length, 2);
	assert.doesNotMatch(pageOf(arms), /Verdict/);
});

test('arms of a result from before have none, and a single arm is no comparison', () => {
	assert.equal(outcomesSection({ arms: [outcomesArm('a', null), outcomesArm('b', { done_rps: 1 })] } as any), null);
});
