/** Records that were analysed again, for the terminal: of each that moved, what it was and what it is. */

import type { CapacityPlan } from '../record/types.js';
import type { PlacedRow, Replayed } from '../verify/freeze/choose.ts';
import { capacityTitle, msBetween, rpsBetween, tierNamed } from './capacity/words.ts';
import { count, percent, plural, rate } from './format.ts';
import type { Markdown } from './html.ts';
import { markdown } from './html.ts';

/** Of whatever a system of the user's own is called, nothing may mean something to the terminal. */
const CONTROL = /\p{Cc}+/gu;

/** That are named. */
const FIELDS_MOST = 20;

const plain = (text: string) => text.replaceAll(CONTROL, ' ');

/** @returns empty where nothing moved */
export function formatReplayed({ record, outcome, reason = '', moves = [], requests = [], fields = [], headline }: Replayed): string {
	if (outcome === 'same') return '';
	if (outcome === 'unread') return `${plain(record)}: cannot be read: ${plain(reason)}\n`;
	// Its lines say where.
	if (outcome === 'failed') return `${plain(record)}: the analysis failed: ${reason.split('\n').map(plain).join('\n')}\n`;
	return [
		plain(record),
		...moves.map(
			({ from, place, why, before, now }) =>
				`  ${from}  ${plain(why === '' ? place : `${place}: ${why}`)}  ${placementText(before)} → ${placementText(now)}`,
		),
		...requests.map(({ text }) => `  ${plain(text)}`),
		...(fields.length > 0
			? [`  fields  ${plain(fields.slice(0, FIELDS_MOST).join(', '))}${fields.length > FIELDS_MOST ? ' and others' : ''}`]
			: []),
		...(headline ? [`  headline  ${plain(headline.before)}`, `         →  ${plain(headline.now)}`] : []),
		'',
	].join('\n');
}

const placementText = (placement: PlacedRow | null) =>
	placement === null ? 'none' : `${count(placement.count)}${placement.basis === '' ? '' : ` (${placement.basis})`}`;

/**
 * @param without raw records that have no result to compare with
 * @returns the last line
 */
export function formatTotal(all: Replayed[], without: number): string {
	const number = (isSuch: (replayed: Replayed) => boolean) => all.filter(isSuch).length;
	const moved = number(({ outcome, moves = [] }) => outcome === 'moved' && moves.length > 0);
	const beside = Object.entries({
		'with other figures alone': number(({ outcome, moves = [] }) => outcome === 'moved' && moves.length === 0),
		'could not be read': number(({ outcome }) => outcome === 'unread'),
		'could not be analysed': number(({ outcome }) => outcome === 'failed'),
		'without a result to compare with': without,
	}).filter(([, some]) => some > 0);
	return `${[`${count(all.length)} ${all.length === 1 ? 'record' : 'records'}, ${count(moved)} moved`, ...beside.map(([what, some]) => `${count(some)} ${what}`)].join('; ')}\n`;
}

/*
 * How far the lab is to be trusted, as a list for the README.
 */

const VERDICTS = ['VALID', 'SUSPECT', 'INVALID'];

export function trustList({
	selftest,
	runs,
	machines,
}: {
	/** commit: whose rules judged it */
	selftest: { headline: Markdown; commit: string };
	/** of the stored experiments, by their validity */
	runs: Record<string, number>;
	/** in words */
	machines: readonly string[];
}): string {
	const all = Object.values(runs).reduce((sum, number) => sum + number, 0);
	const each = VERDICTS.map((verdict) => `${count(runs[verdict] ?? 0)} ${verdict}`).join(', ');
	return [
		markdown`- **Runs.** The experiments made ${plural(all, 'run')}: ${each}. Small doubts remain about SUSPECT runs. INVALID runs are excluded. A result that needs the SUSPECT runs gets the verdict INCONCLUSIVE.`,
		markdown`- **Machine.** ${machines.join('; ')}. Generator and system share the CPU.`,
		markdown`- **Known faults.** \`make selftest\` breaks copies in known ways. At commit ${selftest.commit}, ${selftest.headline} [Each fault](docs/diagnosis.md). Doubletake had been improved after earlier runs with the same faults.`,
	].join('\n');
}

/*
 * A capacity plan in a few lines, for the terminal.
 */

/** @param page as the user would open it */
export function formatCapacityPlan(plan: CapacityPlan, page: string): string {
	const { target, headline, nodes, numbers, tiers, most, most_rps: mostRps, experiment, hold_out: check, doubt, verdict } = plan;
	const near = numbers.filter(({ n }) => n >= nodes - 1 && n <= nodes + 1);
	return [
		'',
		`  ${capacityTitle(target)}`,
		`  ${headline}`,
		'',
		...near.map(
			({ n, capacity_rps: capacity, response, basis, enough }) =>
				`  ${plural(n, 'node')}: ${rate(capacity.estimate)} (${rpsBetween(capacity)}), ${basis}; p95 ${response ? msBetween(response.p95_ms) : 'not borne'}; ${enough ? 'enough' : 'not enough'}`,
		),
		...tiers.map(({ tier, text, full_rps: full }) => `  ${tierNamed(tier)}: ${text}; full at ${rate(full)}`),
		`  hold-out check ${verdict}: ${check.sentence} ${count(check.runs_inside)} of its ${plural(check.runs, 'run')} are inside.`,
		...(doubt ? [`  in doubt: ${doubt.text}. ${doubt.without}`] : []),
		`  answered up to ${rate(mostRps)} and ${plural(most.reach, 'node')}; ${plural(experiment.runs, 'run')} of ${experiment.id}, ${count(experiment.left_out)} INVALID left out`,
		`  busiest at the target: ${busiest(plan)}`,
		'',
		`  plan: ${page}`,
		'',
	].join('\n');
}

function busiest({ tiers }: CapacityPlan) {
	const [most] = tiers.toSorted((one, other) => other.busy - one.busy);
	return `${tierNamed(most.tier)}, ${percent(most.busy)}`;
}
