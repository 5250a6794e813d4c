import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALL_STATEMENTS, wordOf } from '../../record/touches.ts';
import type { Validity } from '../../record/types.js';
import { inputOf, judged, NOTHING, runJudged, validityIn } from '../fixtures/judged.ts';
import { recordOf } from '../fixtures/record.ts';
import { crudRecord } from '../fixtures/scenario-records.ts';
import type { Raw } from '../fixtures/story.ts';
import { FROM, SECONDS, WARMUP_S } from '../fixtures/story.ts';
import type { Doubt } from './grade.ts';
import { graded, NEVER, notRecorded, percent, seconds } from './grade.ts';
import { eachStage, endsOf, longestGap, wholeLoad } from './span.ts';
import { unreadStore } from './whole-record.ts';

const LIMITS = { suspect: 0.05, invalid: 0.1 };
const gradeOf = (value: number) => graded('rule', value, LIMITS, 'it was')[0]?.grade ?? null;

test('a figure may be as large as its limit, and each limit has its grade', () => {
	assert.deepEqual([0.05, 0.051, 0.1, 0.101].map(gradeOf), [null, 'SUSPECT', 'SUSPECT', 'INVALID']);
});

test('a reason tells the limit that was passed', () => {
	assert.equal(graded('rule', 0.06, LIMITS, 'it was 6 %')[0].reason, 'it was 6 %; the limit is 5 %');
	assert.equal(graded('rule', 0.2, LIMITS, 'it was 20 %')[0].reason, 'it was 20 %; the limit is 10 %');
	assert.equal(graded('rule', 5, { suspect: 3, invalid: NEVER }, 'a gap of 5 s', seconds)[0].reason, 'a gap of 5 s; the limit is 3 s');
});

test('what was not recorded is a doubt', () => {
	assert.deepEqual(notRecorded('rule', 'the CPU', 'who used it'), [
		{ rule: 'rule', grade: 'SUSPECT', reason: 'the CPU was not recorded, so who used it is not known' },
	]);
});

test('small shares have a digit after the point, unless it is zero', () => {
	assert.deepEqual([0.001, 0.05, 0.077, 0.1, 0.586].map(percent), ['0.1 %', '5 %', '7.7 %', '10 %', '59 %']);
});

const window = { from: 100, to: 110, warmupFrom: 90 };
const at = (...times: number[]) => times.map((t) => ({ t }));
const stage = { from_s: 2, to_s: 5, stage: 0 };

test('the whole load is from its start to its last answer, and a stage is as the load has it', () => {
	assert.deepEqual(wholeLoad(window), { from_s: 0, to_s: 10, stage: null });
	assert.deepEqual(eachStage([{ from_s: 2, to_s: 5, target: 9 }] as any), [stage]);
});

test('counters are read at the last line before the span and at its last line', () => {
	const ends = endsOf(at(99, 101.5, 102.5, 104.5, 105.5), window, stage);
	assert.deepEqual([ends?.first.t, ends?.last.t, ends?.elapsed], [101.5, 104.5, 3]);
});

test('a record that begins within the span is read from its first line', () => {
	assert.equal(endsOf(at(103, 104, 105), window, stage)?.first.t, 103);
});

test('one line, or none, has no two readings', () => {
	for (const rows of [[], at(101), at(107)]) assert.equal(endsOf(rows, window, stage), null);
});

test('a gap counts for every span that it reaches into', () => {
	const rows = at(101, 102, 106, 107, 108, 109);
	assert.equal(longestGap(rows, window, wholeLoad(window)), 4);
	assert.equal(longestGap(rows, window, stage), 4);
	assert.equal(longestGap(rows, window, { from_s: 6, to_s: 10, stage: 1 }), 1);
});

test('a record that begins late, ends early or is empty has a gap there', () => {
	assert.equal(longestGap(at(106, 107, 108, 109), window, wholeLoad(window)), 6);
	assert.equal(longestGap(at(101, 102, 103), window, wholeLoad(window)), 7);
	assert.equal(longestGap([], window, stage), 10);
});

test('a run that finished no request is invalid', () => {
	const { verdict, reasons } = runJudged((raw) => {
		raw.summary.metrics = {};
	});
	assert.deepEqual([verdict, reasons], ['INVALID', ['no request was finished']]);
});

test('an interrupted run is invalid, and nothing else is asked of it', () => {
	const found = judged((raw) => {
		raw.manifest.interrupted = true;
		raw.summary = null;
	});
	const reason = 'the run was interrupted before its load had ended';
	const doubts = [{ rule: 'incomplete', grade: 'INVALID', reason, touches: ALL_STATEMENTS }];
	assert.deepEqual(found, { verdict: 'INVALID', reasons: [reason], doubts, stages: [] });
	assert.equal(wordOf(found), 'INVALID');
});

test('a run whose generator left no summary is invalid', () => {
	const found = runJudged((raw) => {
		raw.summary = null;
	});
	assert.deepEqual(found, { verdict: 'INVALID', reasons: ['the generator left no summary'] });
});

test('a node whose log lacks requests that it received is a doubt: more than a thousandth suspect, more than a hundredth invalid', () => {
	const lack = (count: number) =>
		runJudged((raw) => {
			raw.unlogged['app-1'] = count;
		});
	assert.deepEqual(lack(1), NOTHING);
	const { verdict, reasons } = lack(5);
	assert.deepEqual([verdict, reasons], ['SUSPECT', ['app-1 received 0.5 % of its requests without a line in its log; the limit is 0.1 %']]);
	assert.equal(lack(20).verdict, 'INVALID');
});

test('each request that k6 counted and its users did not write down is a doubt, and more than a hundredth of them invalid', () => {
	const lack = (missing: number, counted = 1000 as number | null) =>
		runJudged((raw) => {
			raw.written = { written: 1000 - missing, counted };
		});
	assert.deepEqual(lack(0), NOTHING);
	assert.deepEqual(lack(1), {
		verdict: 'SUSPECT',
		reasons: ['of the 1,000 requests of the load that k6 counted its users did not write down 1; the limit is 0 %'],
	});
	assert.deepEqual([lack(10).verdict, lack(11).verdict], ['SUSPECT', 'INVALID']);
	assert.match(lack(-5).reasons[0], /^k6's users wrote down 5 requests more than the 1,000 of the load that it counted; the limit is 0 %/);
	assert.match(lack(0, null).reasons[0], /^k6's count of the load's requests was not recorded/);
});

test('what a database keeps and nobody wrote down is a doubt, and no count of none', () => {
	const kept = (lines: string[] | null) =>
		unreadStore({ facts: { raw: { manifest: { scenario: 'tickets' }, writtenLines: lines } } } as any);
	assert.deepEqual(
		kept(null).map(({ grade, reason }) => [grade, reason]),
		[['SUSPECT', 'what the database kept (tickets.txt) was not recorded, so whether it is what was answered is not known']],
	);
	assert.deepEqual(kept([]), []);
});

test('counts that differ by more than a thousandth are suspect, by more than a hundredth invalid', () => {
	const miss = (missing: number) =>
		runJudged((raw) => {
			raw.database[raw.database.length - 1].documents_exact -= missing;
		});
	assert.deepEqual(miss(1), NOTHING);
	assert.deepEqual(miss(2), {
		verdict: 'SUSPECT',
		reasons: ['counts do not reconcile: MongoDB stored what it inserted; 998 against 1,000, and they may differ by 1'],
	});
	assert.equal(miss(10).verdict, 'SUSPECT');
	assert.equal(miss(11).verdict, 'INVALID');
});

test('a record of k6 that pauses for more than three seconds is a doubt, in the stages that it reaches into', () => {
	const without = (...seconds: number[]) =>
		judged((raw) => {
			raw.snapshots = raw.snapshots.filter(({ t }) => !seconds.includes(t - FROM));
		});
	assert.deepEqual(without(4, 5).reasons, []);
	const { reasons, stages } = without(4, 5, 6);
	assert.deepEqual(reasons, ["k6's own record has a gap of 4 s; the limit is 3 s"]);
	assert.deepEqual(
		stages.map(({ verdict }) => verdict),
		['VALID', 'SUSPECT'],
	);
});

/**
 * The balancer's own time of a good answer, of the 20 ms that its users waited; users think for 10 ms, and the generator is late.
 * @param to second
 */
const atBalancer =
	(ms: number, to: number = Number.POSITIVE_INFINITY, lateMs: number = 9) =>
	(raw: Raw) => {
		for (const { t, metrics } of raw.snapshots.slice(WARMUP_S)) if (t < FROM + to) metrics.iteration_duration = { avg: 31 + lateMs };
		for (const line of raw.accessLines)
			if (line.t < FROM + to) Object.assign(line, { request_s: ms / 1000, upstream_s: '0.012', connect_s: '0.001' });
	};

const gaps = (reasons: Doubt[] | string[]) => reasons.map(String).filter((reason) => reason.startsWith('the generator may have had'));

test('a tenth of the time of good answers may be the generator’s, beyond a quarter nothing rests on the run', () => {
	const missing = (ms: number) => gaps(runJudged(atBalancer(20 - ms), { balanced: true }).reasons);
	assert.deepEqual(missing(2), []);
	assert.deepEqual(missing(3), [
		'the generator may have had good answers for 15 % of the time that users waited for them: no tier had them for 3.0 ms, and the generator was 9.0 ms late in the mean; the limit is 10 %',
	]);
	assert.match(missing(5)[0], /the limit is 10 %$/);
	assert.match(missing(6)[0], /the limit is 25 %$/);
});

test('time that no tier had, and the generator cannot have had, is the system’s own', () => {
	const missing = (lateMs: number) => gaps(runJudged(atBalancer(10, Number.POSITIVE_INFINITY, lateMs), { balanced: true }).reasons);
	assert.deepEqual([missing(-1), missing(1)], [[], []]);
	assert.match(missing(3)[0], /^the generator may have had good answers for 15 % .* 8\.0 ms, and the generator was 3\.0 ms late/);
});

test('a gap counts in full where nothing says how late the generator was', () => {
	const { reasons } = runJudged(
		(raw) => {
			atBalancer(10)(raw);
			for (const { metrics } of raw.snapshots) delete metrics.iterations;
		},
		{ balanced: true },
	);
	assert.match(
		gaps(reasons)[0],
		/^the generator may have had good answers for 40 % .* how late the generator was is not recorded; the limit is 25 %$/,
	);
});

test('time that is missing in one stage is reported with the stage', () => {
	const { stages } = judged(atBalancer(12, 2), { balanced: true });
	assert.deepEqual(
		stages.map(({ reasons }) => gaps(reasons).length),
		[1, 0],
	);
});

test('less than a millisecond is no gap: the tiers’ clocks tell no more', () => {
	const raw = recordOf({ balanced: true });
	atBalancer(18)(raw);
	const input = inputOf(raw);
	const brief = (measured: number) => {
		const check = { sum_ms: measured / 2, measured_ms: measured, gap_fraction: 0.5 };
		return gaps(validityIn({ ...input, timeLedger: input.timeLedger && { ...input.timeLedger, check } }).reasons).length;
	};
	assert.deepEqual([brief(2), brief(2.2)], [0, 1]);
});

test('a run of timed requests without a time ledger is a doubt, and one of others is not', () => {
	const found = runJudged((raw) => {
		for (const rows of Object.values(raw.nodes)) for (const row of rows) row.ok_ms.count = 0;
	});
	assert.ok(found.reasons.includes("some tier's time was not recorded, so where the time of good answers went is not known"));
	assert.equal(validityIn(inputOf(crudRecord())).verdict, 'VALID');
});

/** One stage of 10 s whose rate is this at first and that at last. */
function drifting(first: number, last: number, held: boolean = true, faults: object[] = []): Validity {
	const raw = recordOf();
	raw.manifest.faults = faults;
	raw.manifest.shape.stages = [{ duration_s: 10, target: 3, held }];
	const input = inputOf(raw);
	const timeline = input.timeline.map((row) => ({ ...row, throughput_rps: row.t_s <= 3 ? first : row.t_s > 7 ? last : 100 }));
	return validityIn({ ...input, timeline });
}

test('a held stage that ends more than a tenth faster or slower than it began is a doubt', () => {
	assert.deepEqual(drifting(100, 110).verdict, 'VALID');
	const slower = drifting(1000, 850);
	assert.deepEqual(slower.stages[0].reasons, [
		'throughput fell from 1,000 to 850 requests a second although the load was held, by 15 % of the higher figure; the limit is 10 %',
	]);
	assert.equal(slower.verdict, 'SUSPECT');
	assert.equal(drifting(850, 1000).verdict, 'SUSPECT');
});

test('what a fault that the user put in did to the rate is no drift', () => {
	const fault = { text: 'pause mongo@5s+2s', failed: null, began_s: FROM + 5, ended_s: FROM + 7 };
	assert.equal(drifting(1000, 500, true, [fault]).verdict, 'VALID');
	assert.equal(drifting(1000, 500, true, [{ ...fault, began_s: FROM + 11 }]).verdict, 'SUSPECT');
});

test('a system that stood still has no drift: the stop is reported, not the rate that it changed', () => {
	const raw = recordOf();
	raw.manifest.shape.stages = [{ duration_s: 10, target: 3, held: true }];
	const input = inputOf(raw);
	const timeline = input.timeline.map((row) => ({ ...row, throughput_rps: row.t_s <= 5 ? 100 : 0 }));
	const stood = (from_s: number) => ({
		kind: 'stopped' as const,
		intervals: [{ from_s, to_s: 30 }],
		end_s: 30,
	});
	const judge = (from_s: number) => validityIn({ ...input, timeline, standstill: stood(from_s) });
	assert.deepEqual([judge(5).verdict, judge(12).verdict], ['VALID', 'SUSPECT']);
});

test('a ramp is to change, and a short stage has no thirds', () => {
	assert.equal(drifting(100, 900, false).verdict, 'VALID');
	const short = judged((raw) => {
		for (const { t, metrics } of raw.snapshots.slice(WARMUP_S))
			if (t > FROM + 8) Object.assign(metrics, { lab_finished: { count: 20 }, lab_ok: { count: 20 }, iterations: { count: 20 } });
	});
	assert.deepEqual(short.stages[1].reasons, []);
});

const together = ({ late = 0, endedBefore = 0, exitCode = 0 }: { late?: number; endedBefore?: number; exitCode?: number } = {}) =>
	runJudged((raw) => {
		const began = FROM - WARMUP_S;
		raw.manifest.load_ended_s = FROM + SECONDS;
		raw.manifest.generators = [
			{ name: 'k6-1', began_s: began, ended_s: FROM + SECONDS, exit_code: 0 },
			{ name: 'k6-2', began_s: began + late, ended_s: FROM + SECONDS - endedBefore, exit_code: exitCode },
		];
	});

test('generators that began within a tenth of a second made one load; beyond it is suspect, beyond half of one invalid', () => {
	assert.deepEqual(together({ late: 0.09 }), NOTHING);
	assert.deepEqual(together({ late: 0.2 }), {
		verdict: 'SUSPECT',
		reasons: ['the generators began 0.2 s apart, so that the load was not one; the limit is 0.1 s'],
	});
	assert.equal(together({ late: 0.6 }).verdict, 'INVALID');
});

test('one that dies takes its part of what was left of the load with it', () => {
	assert.deepEqual(together({ endedBefore: 4, exitCode: 137 }), {
		verdict: 'INVALID',
		reasons: [
			'the generator k6-2 ended 4 s before the load did (exit code 137): 20 % of the load was not made, and what it had not yet written is on no record; the limit is 1 %',
		],
	});
});

test('one that ends well before the last answer of the others is none of that', () => {
	assert.deepEqual(together({ endedBefore: 1 }), NOTHING);
});
