/**
 * Whether a run can be believed, and which of its stages. Every rule grades an effect by its size; a reading that a rule
 * needs and that is missing is a doubt. The generator is the first suspect.
 */

import { ALL_STATEMENTS, touchesOf } from '../../record/touches.ts';
import type { Ledger, Stage, TimeLedger, TimelineRow, UserTime, Validity, Wire } from '../../record/types.js';
import { sum } from '../../stats/numbers.ts';
import type { Facts } from '../ledger/facts.ts';
import type { Standstill } from '../time/standstill.ts';
import { faultsNotPut } from './fault-doubts.ts';
import { exhaustion, generatorRules } from './generator-doubts.ts';
import { type Doubt, percent } from './grade.ts';
import { busyBefore, clocksApart, machineRules } from './machine-doubts.ts';
import { leftInQueue } from './queue-doubts.ts';
import { damagedFiles } from './record-doubts.ts';
import { rotatedLogs } from './rotated-logs.ts';
import { eachStage, wholeLoad } from './span.ts';
import { lostGenerators, startsApart } from './together-doubts.ts';
import { incompleteness, irreconcilables, recordRules, unloggedRequests, unreadStore, unwrittenRequests } from './whole-record.ts';
import { wireApart } from './wire-doubts.ts';

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
