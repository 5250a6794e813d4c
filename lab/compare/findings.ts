/** The findings of several experiments in one table, from their records alone. */

import { formatCommand, launcherOf } from '../base/format-command.ts';
import { judgedUnder } from '../catalog/budgets.ts';
import type { Claim } from '../catalog/claims.ts';
import type { Experiment } from '../catalog/experiments.ts';
import { isLabQuestion } from '../catalog/published.ts';
import type { ClaimFinding, ExperimentFinding, ExperimentResult, Findings, Result } from '../record/types.js';
import { listedCounts, tallied } from '../record/verdict-counts.ts';
import { gradedBy, VERSIONS } from '../record/versions.ts';
import { count } from '../stats/figure-words.ts';
import { claimFinding, notMeasured } from './claim-finding.ts';
import { readingsOf } from './reread.ts';

/**
 * a record, its folder below reports/, and its claims as
 *   they stood before its runs, where its manifest is there
 */
export type Found = { path: string; result: ExperimentResult; fixed?: Claim[] };

export type KeptRun = { arm: string; result: Result };

/**
 * href, markdown: of
 *  its page and of the same as Markdown, from the folder of the findings; kept: runs of which the result is there
 */
export type LinkedRecord = { href: string; markdown: string; result: ExperimentResult; fixed?: Claim[]; kept?: KeptRun[] };

/**
 * an
 *  experiment as the tables have it now
 */
type Asked = Pick<Experiment, 'title' | 'question' | 'load' | 'budget' | 'judged_under'> & { id: string; claims: Claim[] };

/**
 * How many claims came out how: those of publications and the lab's own questions apart, as they are read today and as they were registered.
 *
 */

const countsOf = (claims: ClaimFinding[]): Findings['counts'] => ({
	publications: tallied(claims.filter(({ own }) => !own).map(({ verdict }) => verdict)),
	own: tallied(claims.filter(({ own }) => own).map(({ verdict }) => verdict)),
	registered: tallied(claims.map(({ registered }) => registered?.verdict ?? 'not measured')),
});

/** `6 publications make 22 claims. Of these, 8 hold and 14 are refuted. The lab adds 12 claims of its own. Of these, 7 hold and 5 are refuted.` */
function headlineOf(claims: ClaimFinding[], publications: number) {
	const counts = countsOf(claims);
	const [published, own] = [claims.filter((claim) => !claim.own).length, claims.filter((claim) => claim.own).length];
	const sentences = [
		published > 0 &&
			`${many(publications, 'publication')} ${publications === 1 ? 'makes' : 'make'} ${many(published, 'claim')}. ${ofThese(published)}${listedCounts(counts.publications)}.`,
		own > 0 && `The lab adds ${many(own, 'claim')} of its own. ${ofThese(own)}${listedCounts(counts.own)}.`,
	].filter(Boolean);
	return sentences.length > 0 ? sentences.join(' ') : 'No claim was made.';
}

const ofThese = (claims: number) => (claims === 1 ? '' : 'Of these, ');

const many: (value: number, noun: string) => string = (value, noun) => `${count(value)} ${noun}${value === 1 ? '' : 's'}`;

/**
 * What was registered, and what is read otherwise since.
 * @returns null where nothing was measured
 */
function registeredSentence(claims: ClaimFinding[]): string | null {
	const measured = claims.filter(({ registered }) => registered !== null);
	if (measured.length === 0) return null;
	const counts = countsOf(measured).registered;
	const others = measured.filter(
		({ verdict, registered, statement }) => verdict !== registered?.verdict || statement !== registered.statement,
	);
	const before = `As registered before the runs, ${count(measured.length)} in all: ${listedCounts(counts)}.`;
	if (others.length === 0) return before;
	const parts = others.map(
		({ id, verdict, registered }) => `${id} ${registered?.verdict === verdict ? 'reworded' : `was ${registered?.verdict}`}`,
	);
	return `${before} Read otherwise today, each for a reason in its note: ${parts.join(', ')}.`;
}

function gradingSentence(experiments: ExperimentFinding[]): string | null {
	const ids = experiments.filter(({ grading }) => grading !== null).flatMap(({ claims }) => claims.map(({ id }) => id));
	return ids.length === 0
		? null
		: `${count(ids.length)} ${ids.length === 1 ? 'verdict rests' : 'verdicts rest'} on runs that were graded by rules replaced since: ${ids.join(', ')}.`;
}

/**
 * Whether runs were graded VALID by rules that were replaced since. `result.json` says by its version which they were: up to version 1 a run
 * was graded as a whole; from version 2 on by effect, stage by stage, and a held stage may not drift.
 *
 */

/** Since this version of result.json runs are graded as they are today. */
const GRADED_SINCE = 2;

/**
 * @param runs those that are kept of an experiment
 * @returns null where all were graded as today, or where no run is kept
 */
function replacedGrading(runs: Pick<Result, 'schema' | 'graded_by'>[]): string | null {
	const oldest = Math.min(...runs.map(gradedBy));
	if (!(oldest < GRADED_SINCE)) return null;
	return `Its runs were graded by rules that were replaced since (result.json version ${oldest}, today ${VERSIONS.result}): as a whole and not stage by stage, and without a limit to how far a held rate may drift. By today's rules some may be SUSPECT.`;
}

/**
 * The record that speaks for an experiment: one made under the budget and under a load that its claims are about, before any
 * other; then one with blocks enough for a verdict, the one that judges the most claims, the one with the most complete blocks,
 * the newest. Of a record and a copy of it, the record.
 * @param records of one experiment, in any order
 * @param own the experiment's entry
 */
export function chooseRecord(records: Found[], own: Pick<Experiment, 'load' | 'budget' | 'judged_under'>): Found | null {
	// The experiment's own condition before those that are judged too, and all of them before any other.
	const conditions = judgedUnder(own).toReversed();
	const isOwn = ({ result: { load, budget } }: Found) =>
		conditions.findIndex((condition) => condition.load === load && condition.budget === budget) + 1;
	const isEnough = ({ result: { blocks } }: Found) => Number(blocks.complete >= blocks.least);
	const isOriginal = ({ path, result }: Found) => Number(path === result.id);
	const [best = null] = records.toSorted(
		(one, other) =>
			isOwn(other) - isOwn(one) ||
			isEnough(other) - isEnough(one) ||
			other.result.claims.length - one.result.claims.length ||
			other.result.blocks.complete - one.result.blocks.complete ||
			other.result.started.localeCompare(one.result.started) ||
			isOriginal(other) - isOriginal(one),
	);
	return best;
}

/** @param records one at most for each experiment that has claims */
export function findingsOf(
	records: LinkedRecord[],
	{
		experiments,
		anchorOf,
		others = [],
		index,
		command,
	}: {
		/** all that are to stand in the table, in order */
		experiments: Asked[];
		/** where a claim is on its experiment's page */
		anchorOf: (claim: string) => string;
		/** further records, which may have been made under other loads and budgets */
		others?: ExperimentResult[];
		/** link to the list of everything */
		index: string | null;
		/** measures it all again */
		command: string;
	},
): Findings {
	const around = { anchorOf, others: [...records.map(({ result }) => result), ...others] };
	const rows = experiments.map((asked) => {
		const record = records.find(({ result }) => result.experiment === asked.id);
		return record ? measuredRow(record, asked, around) : missingRow(asked, command);
	});
	const unclaimed = records
		.filter(({ result }) => !experiments.some(({ id }) => id === result.experiment))
		.map((record) => measuredRow(record, { ...record.result, claims: [] }, around));
	const claims = rows.flatMap((row) => row.claims);
	const shown = records
		.filter(({ result }) => [...rows, ...unclaimed].some(({ record }) => record === result.id))
		.map(({ result }) => result);
	return {
		schema: VERSIONS.findings,
		headline: headlineOf(claims, new Set(rows.flatMap(publicationsOf)).size),
		registered: registeredSentence(claims),
		grading: gradingSentence(rows),
		counts: countsOf(claims),
		started: shown.map(({ started }) => started).sort()[0] ?? null,
		ended:
			shown
				.map(({ ended }) => ended)
				.sort()
				.at(-1) ?? null,
		machines: [...new Set(shown.map(({ machine }) => machine.text))],
		index,
		command,
		experiments: rows,
		unclaimed,
	};
}

function measuredRow(
	{ href, markdown, result, fixed = [], kept = [] }: LinkedRecord,
	asked: Asked,
	{ anchorOf, others }: { anchorOf: (claim: string) => string; others: ExperimentResult[] },
): ExperimentFinding {
	const { experiment, id, question, headline, blocks, load, budget, machine, started, claims } = result;
	const isCovered = (claim: Claim) => claims.some((judged) => judged.id === claim.id || judged.id === claim.replaces);
	const found = readingsOf(result, fixed, asked).map(({ judged, reading }) =>
		claimFinding({
			reading,
			judged,
			claim: asked.claims.find((own) => own.id === reading.id),
			fixed,
			result,
			others: others.filter((other) => other.id !== id),
			kept,
			href: `${href}#${anchorOf(judged.id)}`,
		}),
	);
	// As on the experiment's own page: the claim that was tested by relief says the most.
	const telling = asked.claims.find(({ relief }) => relief !== null)?.id;
	return {
		id: experiment,
		record: id,
		title: asked.title,
		question,
		source: sourceOf(claims.map((judged) => ({ ...judged, own: asked.claims.find((own) => own.id === judged.id)?.own }))),
		own: found.every(({ own }) => own),
		href,
		markdown,
		headline,
		blocks: { wanted: blocks.wanted, complete: blocks.complete, least: blocks.least },
		load,
		budget,
		machine: machine.text,
		started,
		// And claims about arms that were left out of the experiment.
		claims: [...found, ...asked.claims.filter((claim) => !isCovered(claim)).map(notMeasured)],
		reported: (found.find((claim) => claim.id === telling) ?? found[0])?.sentence ?? null,
		incomplete:
			blocks.complete < blocks.least
				? `${count(blocks.complete)} ${blocks.complete === 1 ? 'repetition is' : 'repetitions are'} complete, and a verdict needs ${count(blocks.least)}.`
				: null,
		grading: replacedGrading(kept.map((run) => run.result)),
	};
}

const missingRow: (asked: Asked, command: string) => ExperimentFinding = ({ id, title, question, claims }, command) => ({
	id,
	record: null,
	title,
	question,
	source: sourceOf(claims),
	own: claims.every(isLabQuestion),
	href: null,
	markdown: null,
	headline: null,
	blocks: null,
	load: null,
	budget: null,
	machine: null,
	started: null,
	claims: claims.map(notMeasured),
	reported: null,
	incomplete: `Not measured yet: ${formatCommand(['experiment', id], [], launcherOf(command))}`,
	grading: null,
});

/** Of its publications, if there are any. */
function sourceOf(claims: { source: string; own?: boolean }[]) {
	const published = claims.filter((claim) => !isLabQuestion(claim));
	return [...new Set((published.length > 0 ? published : claims).map(({ source }) => source))].join('; ');
}

const publicationsOf = ({ source, claims }: ExperimentFinding): string[] => (claims.some(({ own }) => !own) ? [source] : []);
