/**
 * Records that were analysed again, for the terminal: of each that moved, what it was and what it is.
 *
 *
 * @import { CapacityPlan } from '../record/types.js'
 * @import { PlacedRow, Replayed } from '../verify/freeze/choose.ts'
 * @import { Markdown } from './html.ts'
 */

import { capacityTitle, msBetween, rpsBetween, tierNamed } from './capacity/words.ts';
import { count, percent, plural, rate } from './format.ts';
import { markdown } from './html.ts';

/** Of whatever a system of the user's own is called, nothing may mean something to the terminal. */
const CONTROL = /\p{Cc}+/gu;

/** That are named. */
const FIELDS_MOST = 20;

/** @param {string} text */
const plain = (text) => text.replaceAll(CONTROL, ' ');

/** @param {Replayed} replayed @returns {string} empty where nothing moved */
export function formatReplayed({ record, outcome, reason = '', moves = [], requests = [], fields = [], headline }) {
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

/** @param {PlacedRow | null} placement */
const placementText = (placement) =>
	placement === null ? 'none' : `${count(placement.count)}${placement.basis === '' ? '' : ` (${placement.basis})`}`;

/**
 * @param {Replayed[]} all
 * @param {number} without  raw records that have no result to compare with
 * @returns {string} the last line
 */
export function formatTotal(all, without) {
	const number = (/** @type {(replayed: Replayed) => boolean} */ isSuch) => all.filter(isSuch).length;
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

/**
 * @param {object} measured
 * @param {{ headline: Markdown, commit: string }} measured.selftest  commit: whose rules judged it
 * @param {Record<string, number>} measured.runs  of the stored experiments, by their validity
 * @param {readonly string[]} measured.machines  in words
 * @returns {string}
 */
export function trustList({ selftest, runs, machines }) {
	const all = Object.values(runs).reduce((sum, number) => sum + number, 0);
	const each = VERDICTS.map((verdict) => `${count(runs[verdict] ?? 0)} ${verdict}`).join(', ');
	return [
		markdown`- **Runs.** ${plural(all, 'run')} behind the findings: ${each}. INVALID runs are excluded. A verdict that changes without the SUSPECT runs is INCONCLUSIVE.`,
		markdown`- **Machine.** ${machines.join('; ')}. Generator and system share the CPU.`,
		markdown`- **Known faults.** \`make selftest\` at commit ${selftest.commit}: ${selftest.headline} [Each fault](docs/diagnosis.md). The rules were changed after earlier runs of these faults, so this is no test of new ones.`,
	].join('\n');
}

/*
 * A capacity plan in a few lines, for the terminal.
 */

/**
 * @param {CapacityPlan} plan
 * @param {string} page  as the user would open it
 * @returns {string}
 */
export function formatCapacityPlan(plan, page) {
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

/** @param {CapacityPlan} plan */
function busiest({ tiers }) {
	const [most] = tiers.toSorted((one, other) => other.busy - one.busy);
	return `${tierNamed(most.tier)}, ${percent(most.busy)}`;
}
