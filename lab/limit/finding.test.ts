import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readExpect } from '../options/expect.ts';
import { renderLimit } from '../report/limit.ts';
import { findingOf, readingOf } from './finding.ts';
import { runSearch } from './search.ts';

const EXPECT = readExpect('failure_rate<0.01,latency_ms_p95_ok<1000');
const ABOUT = { unit: 'rps' as const, expectations: EXPECT, repeats: 3, isBusy: false };

/** A pool that serves 40 requests a second: of those beyond it users wait, and some are refused. */
function resultAt(level: number, { rule, grade = 'INVALID' }: { rule?: string; grade?: string } = {}): any {
	const refused = Math.max(0, level - 40) / level;
	return {
		faults: [],
		stages: [],
		run: `limit/1/runs/${level}`,
		headline: `At.`,
		validity: {
			verdict: rule ? grade : 'VALID',
			stages: [],
			doubts: rule ? [{ rule, grade, reason: `by ${rule}`, touches: ['rates'] }] : [],
		},
		metrics: {
			failures: refused * 1000,
			failure_rate: refused,
			goodput_rps: Math.min(40, level),
			latency_ms: { ok: { p95: refused > 0 ? 2000 : 110 } },
		},
		ledger: { failures: refused > 0 ? [{ service: 'app', cause_title: '<no> free worker', count: refused * 1000 }] : [] },
		bottleneck: null,
		bottleneck_reason: 'none',
		giving_way: ['app was full'],
	};
}

/** @param measure gives a result */
async function found(measure: (level: number, run: number) => any, { most = 5000, late = Number.POSITIVE_INFINITY } = {}) {
	let runs = 0;
	const made = await runSearch({
		bounds: { first: 20, most, repeats: 3 },
		isLate: () => runs >= late,
		measure: async (level, run) => {
			runs = run;
			return readingOf(measure(level, run), level, ABOUT);
		},
	});
	assert.notEqual(made.end, 'interrupted');
	return findingOf(ABOUT, made as any);
}

test('The capacity has the interval that runs made, and what gives way first is of the lowest level that broke', async () => {
	const limit = await found((level) => resultAt(level));
	assert.deepEqual([limit.outcome, limit.low, limit.high, limit.confidence], ['found', 40, 44, 0.75]);
	assert.equal(
		limit.sentence,
		'It bears 40 requests a second (failure_rate<0.01, latency_ms_p95_ok<1000; 40 good answers a second) and breaks at 44 requests a second. What gives way first: app: <no> free worker (4 of 4 runs at 44 requests a second).',
	);
	assert.deepEqual(
		limit.curves.map(({ metric, bound }) => [metric, bound]),
		[
			['failure_rate', 0.01],
			['latency_ms_p95_ok', 1000],
			['goodput_rps', undefined],
		],
	);
});

test('Slow answers alone break a level too, and then what was full gives way', () => {
	const { verdict, row } = readingOf(
		{ ...resultAt(40), metrics: { ...resultAt(40).metrics, latency_ms: { ok: { p95: 1500 } } } },
		40,
		ABOUT,
	);
	assert.deepEqual([verdict, row.gave], ['broke', 'app was full']);
	assert.match(row.reason, /expected latency_ms_p95_ok < 1000 ms; found 1500 ms/);
});

test('Of a run that is INVALID nothing is said, but where the users who all wait are none to spare', () => {
	const verdictOf = (level: number, rule: string) => {
		const { verdict, isGenerator } = readingOf(resultAt(level, { rule }), level, ABOUT);
		return [verdict, isGenerator];
	};
	assert.deepEqual(verdictOf(30, 'at-quota'), ['unclear', true]);
	assert.deepEqual(verdictOf(80, 'at-quota'), ['unclear', true]);
	assert.deepEqual(verdictOf(30, 'dropped'), ['unclear', true]);
	assert.deepEqual(verdictOf(80, 'dropped'), ['broke', false]);
	assert.deepEqual(verdictOf(80, 'neighbours'), ['unclear', false]);
	assert.equal(readingOf(resultAt(80, { rule: 'neighbours' }), 80, { ...ABOUT, isBusy: true }).verdict, 'broke');
});

test('The generator is a suspect: where it made no more, and where it is in doubt at a level that broke', async () => {
	const most = await found((level) => (level > 30 ? resultAt(level, { rule: 'at-quota' }) : resultAt(level)));
	assert.match(most.sentence, /^It bears 30 requests .*: nothing broke\. The generator did not make 40 requests a second: by at-quota\.$/);
	const doubted = await found((level) => resultAt(level, level > 40 ? { rule: 'at-quota', grade: 'SUSPECT' } : {}));
	assert.ok(doubted.notes.includes('the generator is a suspect too at 80 requests a second: by at-quota'), doubted.notes.join());
});

test('Without an edge none is said: the least broke, the most held, or the time was over', async () => {
	const least = await found(() => resultAt(80));
	assert.match(least.sentence, /^It breaks at 1 requests a second already, the least that can be asked/);
	const most = await found((level) => resultAt(level), { most: 25 });
	assert.match(most.sentence, /^It bears 25 requests a second .*, the most that was asked: nothing broke\.$/);
	const late = await found((level) => resultAt(level), { late: 4 });
	assert.deepEqual([late.outcome, late.confidence], ['undecided', null]);
	assert.match(late.sentence, /^Not decided, because the time was over; up to 40 .* every run held; from 57 .* on every run broke\./);
});

test('The page has each run, the threshold in the drawings, and what stands in it escaped', async () => {
	const limit = await found((level) => resultAt(level));
	const page = renderLimit({
		...{ ...limit, schema: 1, id: 'limit/1', system: 'shop', started: '2026-11-30T06:00:00Z', took_s: 600, command: 'doubletake limit' },
		...{ method: '', machine: '2 cores' },
	});
	assert.equal(page.match(/<svg class="curve wide"/g)?.length, 3);
	assert.equal(page.match(/<line class="linear"/g)?.length, 4);
	assert.equal(
		page.match(/app: &lt;no&gt; free worker; expected/g)?.length,
		limit.runs.filter(({ verdict }) => verdict === 'broke').length,
	);
});
