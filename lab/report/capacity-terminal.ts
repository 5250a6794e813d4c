/** A capacity plan in a few lines, for the terminal. */

import type { CapacityPlan } from '../record/types.js';
import { capacityTitle, msBetween, rpsBetween, tierNamed } from './capacity/words.ts';
import { count, percent, plural, rate } from './format.ts';

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
