/**
 * The versions of a run's manifest and of what the lab writes beside its raw record, and the one place that knows what older ones lacked: a record is lifted
 * step by step as it is read, so that what reads it knows today's shape alone. What an older version did not know stays unknown: null, or a
 * list of nothing.
 */
import { NotReadyError } from '../base/errors.ts';
import { touchesOf } from './touches.ts';
import type { Documents, Result } from './types.js';

type Document = keyof Documents;

/** As the `schema` of each record says. */
export const VERSIONS = {
	result: 2,
	compare: 2,
	experiment: 2,
	plan: 2,
	findings: 2,
	proof: 1,
	limit: 1,
	squeeze: 1,
} as const;

/** From a version to the next. */
const STEPS: Partial<Record<Document, Record<number, (record: any) => any>>> = {
	result: { 1: secondResult },
	compare: { 1: ({ base, other, ...rest }) => ({ ...rest, base: { doubt: null, ...base }, other: { doubt: null, ...other } }) },
	experiment: { 1: secondExperiment },
	plan: { 1: ({ numbers, ...rest }) => ({ ...rest, numbers: numbers.map((row: any) => ({ capped_by: null, ...row })) }) },
};

/** What a version got without a new number, before there was this list. */
const COMPLETED: Partial<Record<Document, (record: any) => any>> = {
	result: completedResult,
	compare: completedComparison,
	experiment: completedExperiment,
};

/**
 * @param record as it was read
 * @param path of its file
 * @returns in the shape of today
 * @throws {NotReadyError} when a later version of the lab wrote it
 */
export function lifted(document: Document, record: any, path: string): any {
	const version = VERSIONS[document];
	refuseLater(record, version, path);
	let today = record;
	while (today.schema < version) today = { ...STEPS[document]?.[today.schema]?.(today), schema: today.schema + 1 };
	return COMPLETED[document]?.(today) ?? today;
}

/** Version of a run's manifest and raw record. 2: every request has an id. 3: it says how its system is read, and what files each service left. */
export const MANIFEST_SCHEMA_VERSION = 3;
/** Of the first version, of which no request has an id, nothing can be lifted: whoever reads the whole record refuses it. */
const FIRST_LIFTED = 2;

/**
 * @param manifest of a run, as it was read
 * @param path of its file
 * @returns in the shape of today; of a version that cannot be lifted as it is
 * @throws {NotReadyError} when a later version of the lab wrote it
 */
export function liftedManifest(manifest: any, path: string): any {
	refuseLater(manifest, MANIFEST_SCHEMA_VERSION, path);
	return manifest.schema === FIRST_LIFTED ? thirdManifest(manifest) : manifest;
}

function refuseLater({ schema }: any, version: number, path: string): void {
	// From a number far below it would be lifted step by step without end.
	if (schema !== undefined && !(Number.isInteger(schema) && schema >= 1))
		throw new NotReadyError(
			`${path}: expected a version of it, from 1 on; found ${JSON.stringify(schema)}.`,
			'measure again, or get it again from where it came.',
		);
	if (schema > version)
		throw new NotReadyError(
			`${path}: expected at most version ${version} of it; found ${schema}, of a later version of Doubletake.`,
			'read it with that version, or measure again with this one.',
		);
}

/**
 * Version 2 described only systems that the lab does not bring along, and did not say what files a service left beside the folders of others:
 * those without a label of their product did.
 */
function thirdManifest({ system, services, ...rest }: any) {
	const described = system && { ...system, title: system.arm?.title ?? system.title ?? system.files.join(', '), is_followed: true };
	return {
		...rest,
		schema: FIRST_LIFTED + 1,
		system: described ?? { title: null, is_followed: false },
		...(services && {
			services: services.map((one: any) => (one.product === undefined ? { ...one, files: null } : one)),
		}),
	};
}

/**
 * Of version 1 the ledger had a row for each tier and none for the connections between them, did not say how a failure is known, and its
 * runs were graded as a whole.
 */
function secondResult({ ledger, validity, metrics, series, stages, timeline, failures_by: by, ...rest }: any) {
	const { tiers, ...placed } = ledger;
	return {
		...{ scenario: 'documents', variables: {}, figures: {}, breakdowns: [], user_time: null, bottleneck_by_stage: [] },
		...{ ...rest, graded_by: 1, timeline, failures_by: by },
		validity: { stages: [], ...validity },
		metrics: {
			...{ unanswered: by.kind.unanswered ?? 0, dropped_arrivals: null },
			...{ failures_per_user_minute: null, failed_user_time_share: null, duration_ms: null },
			...metrics,
		},
		ledger: {
			...{ edges: [], near_misses: [], unattributed_reason: '', ...placed },
			hops: tiers.map(({ lost: _, ...tier }: any) => ({ ...tier, aborted: null, source: NOT_REPORTED })),
			failures: ledger.failures.map((failure: any) => ({
				...{ basis: { where: {}, why: {} }, amplifier: null, chain: null },
				...failure,
			})),
		},
		series: { bound_rps: timeline.map(() => null), ...series },
		stages: stages.map((stage: any) => ({ cpu_ms_per_request: {}, bound_rps: null, ...stage })),
	};
}

/** As a page writes what nobody told. */
const NOT_REPORTED = '–';

function completedResult({ metrics, stages, faults = [], try_next: advice, ...rest }: any) {
	return {
		...{ calibration: null, load_end: null, onset: null, client: null, queue: null, gone_writes: null, time_untold: [] },
		...{ giving_way: [], wire: null, waiting: null, ...rest },
		// It was what may relieve the system, which an INVALID run says nothing of.
		try_next: rest.giving_way === undefined && rest.validity.verdict === 'INVALID' ? [] : advice,
		validity: withDoubts(rest.validity),
		faults: faults.map((fault: any) => ({ backlog: null, ...fault })),
		metrics: { refused: null, ...metrics },
		stages: stages.map((stage: any) => ({ requests: null, ...stage })),
	};
}

/** How the reasons of rules begin that touch the lab's own readings alone: of what is older the rest is not known, and moves everything. */
const RULES_BY_WORDS: [RegExp, string][] = [
	[/^(?:in seconds .*?, )?the observers have a gap of /, 'observers'],
	[/^\S+ received \S+ % of its requests without a line in its log/, 'unlogged'],
];
const NOT_KNOWN = 'not known';

/** Before its doubts were told one by one, a run had their reasons: which of them made it INVALID is not known. */
function withDoubts<Graded extends { verdict: string; reasons: string[]; doubts?: object[]; stages?: any[] }>(validity: Graded): any {
	const { verdict, reasons, doubts, stages } = validity;
	const given = reasons.length > 0 ? reasons : ['no reason is on record'];
	const known = (verdict === 'VALID' ? [] : given).map((reason) => {
		const rule = RULES_BY_WORDS.find(([words]) => words.test(reason))?.[1] ?? NOT_KNOWN;
		return { rule, grade: verdict === 'INVALID' ? 'INVALID' : 'SUSPECT', reason, touches: touchesOf(rule) };
	});
	return { ...validity, doubts: doubts ?? known, ...(stages ? { stages: stages.map(withDoubts) } : {}) };
}

/** @param run of an arm */
const armRun = ({ validity, ...run }: any) => ({ ...run, validity: withDoubts(validity) });

function completedComparison({ base, other, ...rest }: any) {
	const complete = (arm: any) => ({ ...arm, runs: arm.runs.map(armRun) });
	return { ...rest, base: complete(base), other: complete(other) };
}

function completedExperiment({ arms, ...rest }: any) {
	return { ...rest, arms: arms.map((arm: any) => ({ ...arm, all_runs: arm.all_runs.map(armRun) })) };
}

/** Of version 1 the oldest have no figures of what became of requests, and claims that say all in one sentence. */
function secondExperiment({ arms, claims, headline, ...rest }: any) {
	return {
		...{ published: null, ...rest },
		headline: headline.replace(/^1 claims:/, '1 claim:'),
		arms: arms.map((arm: any) => ({ doubt: null, breakdowns: [], outcomes: null, price: null, ...arm })),
		claims: claims.map((claim: any) => {
			const { quote, sentence = quote, relief } = claim;
			return {
				...{ sentence, remarks: quote === sentence ? [] : [quote.slice(sentence.length).trim()] },
				...{ rules: 1, doubts: null, without_suspect: null, ...claim },
				relief: relief && { ...relief, rows: relief.rows.map((row: any) => ({ doubt: null, ...row })) },
			};
		}),
	};
}

/** Version by whose rules a run was graded and its failures were placed. */
export const gradedBy = ({ schema, graded_by: earlier = schema }: Pick<Result, 'schema' | 'graded_by'>) => earlier;
