/**
 * Whether a run can be believed, and which of its stages. Every rule grades an effect by its size; a reading that a rule
 * needs and that is missing is a doubt. The generator is the first suspect.
 */

import type { PutFault } from '../../options/fault-plan.ts';
import { ALL_STATEMENTS, touchesOf } from '../../record/touches.ts';
import type { Ledger, Stage, TimeLedger, TimelineRow, UserTime, Validity, Wire, WireComparison } from '../../record/types.js';
import { sum } from '../../stats/numbers.ts';
import type { Facts } from '../ledger/facts.ts';
import { acceptedIn, leftByWarmup } from '../queue.ts';
import type { Standstill } from '../time/standstill.ts';
import { doubtOf } from '../wire-compare.ts';
import { isTouched } from '../wire-gaps.ts';
import { exhaustion, generatorRules } from './generator-doubts.ts';
import type { Doubt } from './grade.ts';
import {
	count,
	eachStage,
	graded,
	incompleteness,
	irreconcilables,
	lostGenerators,
	percent,
	recordRules,
	startsApart,
	unloggedRequests,
	unreadStore,
	unwrittenRequests,
	wholeLoad,
} from './grade.ts';
import { busyBefore, clocksApart, machineRules } from './machine-doubts.ts';
import { damagedFiles } from './record-doubts.ts';
import { rotatedLogs } from './rotated-logs.ts';

/*
 * Whether the faults that a user put in (FAULT) were there: without one of them it is another run than the one that was asked for.
 */

/** @returns of the whole run */
function faultsNotPut({ facts: { raw } }: ValidityInput): Doubt[] {
	const put = (raw.manifest.faults ?? []) as PutFault[];
	return put
		.filter(({ failed }) => failed !== null)
		.map(({ text, began_s: began, failed }) => ({
			rule: `fault: ${text}`,
			grade: 'INVALID',
			reason: `the fault "${text}" was not ${began === null ? 'put in' : 'undone'}: ${failed}`,
		}));
}

/*
 * Whether a queue was empty when the load began: what the warm-up left in it is done in the load, and takes its workers' time.
 */

/** By what the load put in. The thousandth that counts may differ by, and the tenth that a rate may change by: the lab's own choice. */
const WARMUP_LEFT = { suspect: 0.001, invalid: 0.1 };

/** @returns of the whole run */
function leftInQueue({ facts: { raw, window } }: ValidityInput): Doubt[] {
	if (raw.queued === null) return [];
	const left = leftByWarmup(raw.queued, { window, at: window.from });
	const share = left / Math.max(1, acceptedIn(raw.queued.put, window).length);
	const reason = `${count(left)} writes of the warm-up were not done when the load began, ${percent(share)} of what the load put into the queue`;
	return graded('warm-up-left', share, WARMUP_LEFT, reason);
}

/*
 * Whether the wire and the other records of a run count the same requests, where that bears on what the run says.
 */

/** Of the failed requests, that a record may lack without it bearing on where they are placed: as of any log (../ledger/facts.ts). */
const LOST_SHARE = 0.01;

/**
 * A count of which the difference has no explanation says that one of the two records lacks requests. What the generator sent are the
 * figures of the run. What others recorded says where failed requests were lost, and where none failed a log that leaves lines out is reported
 * beside the wire and moves no figure. On an edge whose packets were dropped or not recorded it is the wire that lacks them, which its own
 * section says; and times tell how late a program reads, and no record wrong.
 * @returns of the whole run
 */
export function wireApart({
	wire,
	facts: { generator },
}: Pick<ValidityInput, 'wire'> & { facts: { generator: { name: string; failed: number } } }): Doubt[] {
	if (!wire || wire.networks.length === 0) return [];
	const least = generator.failed > 0 ? generator.failed * LOST_SHARE : Number.POSITIVE_INFINITY;
	const bears = ({ from, what, left }: WireComparison) => (from === generator.name && what === `sent by ${from}`) || Math.abs(left) > least;
	const isComplete = ({ from, to }: WireComparison) =>
		!isTouched(wire.gaps ?? [], ['unseen', 'dropped', 'ended'], (edge) => isOf(edge, { from, to }, generator.name));
	const counted = (wire.compared ?? []).filter(
		(compared) => !compared.holds && compared.unit === 'requests' && bears(compared) && isComplete(compared),
	);
	// What both its ends count is one doubt.
	const first = counted.filter(({ from, to }, index) => counted.findIndex((one) => one.from === from && one.to === to) === index);
	return first.map((compared) => ({
		rule: `wire: ${compared.from} ${compared.to}`,
		grade: 'SUSPECT',
		reason: `two records do not agree: ${doubtOf(compared)}`,
	}));
}

/** A comparison may be of several askers, and of all generators as one. */
const isOf: (edge: { from: string; to: string }, compared: { from: string; to: string }, generator: string) => boolean = (
	edge,
	{ from, to },
	generator,
) => to.split(', ').includes(edge.to) && (from === generator || from.split(', ').includes(edge.from));

/** Share of the stages' requests that may lie in INVALID ones: beyond half, the run's rates and percentiles are theirs. */
const INVALID_STAGES_SHARE = 0.5;

export type ValidityInput = {
	facts: Facts;
	ledger: Ledger;
	stages: Stage[];
	cpu: Record<string, (number | null)[]>;
	timeline: TimelineRow[];
	timeLedger: TimeLedger | null;
	userTime: UserTime | null;
	wire?: Wire | null;
	/** of the system: what follows of it is no doubt about the record */
	standstill?: Standstill | null;
	/** arrivals that found no user because all waited for it then */
	droppedAtStandstill?: number;
};

/** Of a stage's target. */
const UNITS = { users: 'users', rps: 'requests a second', 'iterations/s': 'iterations a second' };

/** Asked of the whole load, and of each stage by itself. */
const RULES = [...generatorRules, ...recordRules, ...machineRules];

/**
 * Each doubt says what it can move (../../record/touches.ts). The run is as doubtful as its worst doubt. A stage's doubt that the whole does not
 * show makes the run SUSPECT; INVALID stages make it INVALID when they hold more than half of the requests.
 */
export function validityOf({ ofRun, ofStages }: Doubts, all: ValidityInput['stages']): Validity {
	return {
		...gradedBy(ofRun),
		stages: ofStages.map((doubts, index) => {
			const { target, from_s, to_s } = all[index];
			return { target, from_s, to_s, ...gradedBy(doubts) };
		}),
	};
}

/** ofStages: in their order; none where the run is incomplete */
export type Doubts = { ofRun: Doubt[]; ofStages: Doubt[][] };

export function doubtsOf(input: ValidityInput): Doubts {
	const incomplete = incompleteness(input);
	if (incomplete.length > 0) return { ofRun: [...incomplete, ...damagedFiles(input)], ofStages: [] };
	const whole = wholeLoad(input.facts.window);
	const ofRun = [
		...RULES.flatMap((rule) => rule(input, whole)),
		...[
			exhaustion,
			irreconcilables,
			unloggedRequests,
			unwrittenRequests,
			unreadStore,
			busyBefore,
			clocksApart,
			faultsNotPut,
			leftInQueue,
			startsApart,
			lostGenerators,
			wireApart,
			rotatedLogs,
			damagedFiles,
		].flatMap((rule) => rule(input)),
	];
	const ofStages = eachStage(input.stages).map((span) => RULES.flatMap((rule) => rule(input, span)));
	return { ofRun: [...ofRun, ...invalidStages(input.stages, ofStages), ...onlyInStages(ofRun, ofStages, input.stages)], ofStages };
}

function verdictOf(doubts: Doubt[]): Validity['verdict'] {
	if (doubts.some(({ grade }) => grade === 'INVALID')) return 'INVALID';
	return doubts.length > 0 ? 'SUSPECT' : 'VALID';
}

const gradedBy = (doubts: Doubt[]): Omit<Validity, 'stages'> => ({
	verdict: verdictOf(doubts),
	reasons: doubts.map(({ reason }) => reason),
	doubts: doubts.map(({ rule, grade, reason, touches = touchesOf(rule) }) => ({ rule, grade, reason, touches })),
});

function invalidStages(stages: Stage[], doubts: Doubt[][]): Doubt[] {
	const requests = stages.map(({ requests: all, throughput_rps: rps, from_s, to_s }) => all ?? (rps ?? 0) * (to_s - from_s));
	const invalid = sum(requests.filter((_, index) => verdictOf(doubts[index]) === 'INVALID'));
	const share = invalid / Math.max(1, sum(requests));
	if (share <= INVALID_STAGES_SHARE) return [];
	const moved = new Set(doubts.flat().flatMap(({ grade, rule }) => (grade === 'INVALID' ? touchesOf(rule) : [])));
	return [
		{
			rule: 'stages',
			grade: 'INVALID',
			touches: ALL_STATEMENTS.filter((kind) => moved.has(kind)),
			reason: `${percent(share)} of the requests belong to stages of the load that are INVALID when each is judged alone; the limit is ${percent(INVALID_STAGES_SHARE)}`,
		},
	];
}

/** One doubt for each rule that some stage fails and the whole load does not, or not as badly: that of the worst stage. */
function onlyInStages(ofRun: Doubt[], ofStages: Doubt[][], stages: Stage[]): Doubt[] {
	const all = ofStages.flatMap((doubts, index) => doubts.map((doubt) => ({ ...doubt, stage: stages[index] })));
	return [...new Set(all.map(({ rule }) => rule))].flatMap((rule) => {
		const own = all.filter((doubt) => doubt.rule === rule);
		const invalid = own.filter(({ grade }) => grade === 'INVALID');
		const [worst] = (invalid.length > 0 ? invalid : own).toSorted((one, other) => (other.value ?? 0) - (one.value ?? 0));
		const known = ofRun.find((doubt) => doubt.rule === rule);
		if (known && (known.grade === 'INVALID' || worst.grade === 'SUSPECT')) return [];
		const others = own.length > 1 ? ', the worst of several stages' : '';
		return [{ rule, grade: 'SUSPECT', reason: `${nameOf(worst.stage)}${others}, ${worst.reason}` }];
	});
}

function nameOf({ from_s, to_s, target, unit, held }: Stage) {
	const load = `${target.toLocaleString('en-US')} ${UNITS[unit]}`;
	return `in seconds ${from_s} to ${to_s} (${held ? 'held at' : 'to'} ${load})`;
}
