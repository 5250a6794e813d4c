/** What the runs of a search came to, as a record and in sentences. Pure. */

import { metricOf } from '../catalog/metrics.ts';
import { judgeExpectations } from '../diagnose/expectations.ts';
import type { Expectation } from '../options/expect.ts';
import { statementsOf } from '../record/touches.ts';
import type { LimitRun, LoadLimit, Result, RunDoubt } from '../record/types.js';
import { curveOf } from '../stats/curve.ts';
import { count, inUnit, tierName } from '../stats/figure-words.ts';
import { rangeOf } from '../stats/numbers.ts';
import type { End, Tried } from './search.ts';
import { confidenceOf, edgeOf } from './search.ts';

/** isBusy: a busy machine is allowed */
type About = { unit: LoadLimit['unit']; expectations: Expectation[]; repeats: number; isBusy: boolean };

/** suspect: what speaks against the generator */
type Reading = Tried & { row: LimitRun; suspect?: string };

/** Rules of the validity (../diagnose/validity): the generator did not make the load. */
const OF_GENERATOR = ['overhead', 'throttled', 'at-quota', 'dropped', 'exhausted', 'starts', 'lost-generator'];
/** That users who all wait are none to spare, and ever more work waits, is the doing of a system that breaks. */
const OF_OVERLOAD = ['dropped', 'drift', 'warm-up-left'];
/** The machine was not the run's alone: who allows that takes its runs as they come. Of stages the last one says it. */
const OF_MACHINE = ['stolen', 'kernel', 'engine', 'memory', 'neighbours', 'stages'];
/** Of all requests: fewer failures are not what broke a level whose answers are slow. */
const FAILED_LEAST = 0.001;

const isOf: (rules: string[], doubt: RunDoubt) => boolean = (rules, { rule }) => rules.includes(rule.split(/[^\w-]/)[0]);

export const levelWords: (unit: About['unit'], level: number | null) => string = (unit, level) =>
	`${count(Number(level))} ${unit === 'rps' ? 'requests a second' : level === 1 ? 'user' : 'users'}`;

/** What a run says of its level. One that is INVALID in what the thresholds read says nothing. */
export function readingOf(result: Result, level: number, { expectations, isBusy }: Pick<About, 'expectations' | 'isBusy'>): Reading {
	const { validity, metrics, run } = result;
	const missed = judgeExpectations(expectations, result).filter(({ met }) => !met);
	const read = expectations.flatMap(({ metric }) => statementsOf(metric));
	const doubts = [...validity.doubts, ...(validity.stages.at(-1)?.doubts ?? [])];
	const against = doubts.filter(
		(doubt) => doubt.grade === 'INVALID' && doubt.touches.some((kind) => read.includes(kind)) && !(isBusy && isOf(OF_MACHINE, doubt)),
	);
	const [doubt] = against.filter((one) => missed.length === 0 || !isOf(OF_OVERLOAD, one));
	const verdict: LimitRun['verdict'] = doubt !== undefined ? 'unclear' : missed.length > 0 ? 'broke' : 'held';
	const row = {
		...{ run, level, verdict, validity: validity.verdict, gave: verdict === 'broke' ? placeOf(result) : '' },
		...{ failure_rate: metrics.failure_rate, latency_ms_p95_ok: metrics.latency_ms.ok.p95, goodput_rps: metrics.goodput_rps },
		reason: doubt?.reason ?? missed.map(({ reason }) => reason).join('; '),
	};
	const isGenerator = doubt !== undefined && against.every((one) => isOf(OF_GENERATOR, one));
	return {
		level,
		verdict,
		isGenerator,
		row,
		suspect: doubts.find((one) => isOf(OF_GENERATOR, one) && !one.reason.endsWith('is not known'))?.reason,
	};
}

/** Where most requests failed, or of slow answers what was full. */
function placeOf({ ledger, bottleneck, metrics, giving_way: giving, bottleneck_reason: reason }: Result) {
	const [worst] = ledger.failures.toSorted((one, other) => other.count - one.count);
	if (worst !== undefined && (metrics.failure_rate ?? 0) >= FAILED_LEAST) return `${worst.service}: ${worst.cause_title}`;
	return bottleneck ? `${bottleneck.service ?? tierName(bottleneck.tier)}: ${bottleneck.evidence[0]}` : (giving[0] ?? reason);
}

export function findingOf(about: About, { tried, end, failure }: { tried: Reading[]; end: End; failure?: string }) {
	const { unit, expectations, repeats } = about;
	const edge = edgeOf(tried);
	const outcome: LoadLimit['outcome'] = end === 'found' || end === 'all-held' || end === 'all-broke' ? end : 'undecided';
	const thresholds = expectations.map(({ text }) => text).join(', ');
	const gave = gaveWayOf(tried, edge.high);
	const first =
		gave && `What gives way first: ${gave.what.replace(/\.$/, '')} (${gave.runs} of ${gave.of} runs at ${levelWords(unit, gave.level)}).`;
	return {
		...{ unit, thresholds, outcome, ...edge, gave_way: gave },
		confidence: outcome === 'found' ? confidenceOf(repeats) : null,
		sentence: [sentenceOf({ ...edge, unit, end, failure, tried, thresholds }), first].filter(Boolean).join(' '),
		runs: tried.map(({ row }) => row),
		curves: (['failure_rate', 'latency_ms_p95_ok', 'goodput_rps'] as const).map((id) => curveFrom(id, tried, about)),
		notes: notesOf(tried, { ...edge, unit }),
	};
}

/** Of the lowest level that broke, in all its runs where there is one. */
function gaveWayOf(tried: Reading[], high: number | null): LoadLimit['gave_way'] {
	const broke = tried.filter(({ verdict }) => verdict === 'broke');
	if (broke.length === 0) return null;
	const level = high ?? Math.min(...broke.map((one) => one.level));
	const own = broke.filter((one) => one.level === level).map(({ row }) => row);
	// Figures of the evidence differ from run to run.
	const alike = ({ gave }: LimitRun) =>
		own.filter((other) => other.gave.replaceAll(/[\d.,]+/g, '') === gave.replaceAll(/[\d.,]+/g, '')).length;
	const [most] = own.toSorted((one, other) => alike(other) - alike(one));
	return { what: most.gave, level, runs: alike(most), of: own.length, run: most.run };
}

function sentenceOf({
	unit,
	thresholds,
	end,
	failure,
	low,
	high,
	tried,
}: Pick<LoadLimit, 'unit' | 'thresholds' | 'low' | 'high'> & { end: End; failure?: string; tried: Reading[] }): string {
	const [least, most] = [low, high].map((level) => levelWords(unit, level));
	const good = rangeOf(tried.filter(({ level, verdict }) => level === low && verdict === 'held').map(({ row }) => row.goodput_rps));
	const bears = `It bears ${least} (${thresholds}; ${inUnit('rps', good.median, 'good answers')})`;
	if (end === 'found') return `${bears} and breaks at ${most}.`;
	if (end === 'all-broke') return `It breaks at ${most} already, the least that can be asked (${thresholds}).`;
	const unmade = tried.find(({ isGenerator }) => isGenerator);
	const generator = unmade ? ` The generator did not make ${levelWords(unit, unmade.level)}: ${unmade.row.reason}.` : '';
	if (end === 'all-held') return `${bears}, the most that was asked: nothing broke.${generator}`;
	const silent = `runs said nothing (${tried.at(-1)?.row.reason})`;
	const why = end === 'late' ? 'the time was over' : end === 'failed' ? `a further run could not be made (${failure})` : silent;
	const known = [...(low === null ? [] : [`up to ${least} every run held`]), ...(high === null ? [] : [`from ${most} on every run broke`])];
	return `Not decided, because ${[why, ...known].join('; ')}.${generator}`;
}

function curveFrom(
	id: 'failure_rate' | 'latency_ms_p95_ok' | 'goodput_rps',
	tried: Reading[],
	{ unit, expectations }: About,
): LoadLimit['curves'][number] {
	const counting = tried.filter(({ verdict }) => verdict !== 'unclear');
	const points = [...new Set(counting.map(({ level }) => level))].map((x) => {
		const rows = counting.filter(({ level }) => level === x).map(({ row }) => row);
		return {
			x,
			arm: levelWords(unit, x),
			values: rows.map((row) => Number(row[id] ?? Number.NaN)),
			failureRates: rows.map((row) => row.failure_rate),
		};
	});
	const bound = expectations.find(({ metric }) => metric === id)?.limit;
	return curveOf({ xLabel: unit === 'rps' ? 'requests a second asked' : 'users', metric: metricOf(id), points, isSetting: true, bound });
}

function notesOf(tried: Reading[], { low, high, unit }: Pick<LoadLimit, 'low' | 'high' | 'unit'>): string[] {
	const counting = tried.filter(({ verdict }) => verdict !== 'unclear');
	const between = counting.filter(({ level }) => level > (low ?? 0) && level < (high ?? Number.POSITIVE_INFINITY));
	const doubtful = counting.filter(({ row }) => row.validity !== 'VALID').length;
	const doubted = counting.find(({ verdict, suspect }) => verdict === 'broke' && suspect !== undefined);
	return [
		...(between.length > 0
			? [`in between runs came out either way: ${between.map(({ verdict, level }) => `${level} ${verdict}`).join(', ')}`]
			: []),
		...(doubtful > 0 ? [`${doubtful} of ${tried.length} runs count that are not VALID`] : []),
		...(doubted ? [`the generator is a suspect too at ${levelWords(unit, doubted.level)}: ${doubted.suspect}`] : []),
	];
}

/** For the terminal. */
export const rowWords = ({ verdict, failure_rate: failed, latency_ms_p95_ok: p95, goodput_rps: rps, reason }: LimitRun) =>
	`${verdict}: ${inUnit('share', failed)} failed, p95 ${inUnit('ms', p95)}, ${inUnit('rps', rps, 'good answers')}${verdict === 'unclear' ? ` (${reason})` : ''}`;
