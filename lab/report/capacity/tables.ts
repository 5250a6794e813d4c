/** The tables of a capacity plan: numbers of nodes, tiers, measured demands, and the model beside what was measured. */

import type { CapacityPlan } from '../../record/types.js';
import { extremes } from '../experiment/words.ts';
import { cores, count, figure, MISSING, milliseconds, numeric, percent, plural, rate } from '../format.ts';
import { html } from '../html.ts';
import { section, tierChip } from '../sections/parts.ts';
import { table } from '../table.ts';
import { msBetween, rpsBetween, tierNamed } from './words.ts';

export function numbersSection({ numbers, nodes, nodes_by_estimate: byEstimate, target }: CapacityPlan) {
	const rows = numbers.map(({ n, capacity_rps: capacity, capped_by: cap = null, response, enough, basis }) => [
		n === nodes ? html`<b>${count(n)}</b>` : count(n),
		rate(capacity.estimate),
		rpsBetween(capacity),
		response ? milliseconds(response.mean_ms.estimate) : MISSING,
		response ? msBetween(response.p95_ms) : MISSING,
		html`${enough ? html`<b>✓ yes</b>` : 'no'}${n === byEstimate && byEstimate < nodes && ' (by the estimate, yes)'}`,
		html`${basis}${cap !== null && `, up to the ${rate(cap.rps)} that the ${tierNamed(cap.tier)} bears`}`,
	]);
	const limit = target.p95_ms === null ? '' : `, and the upper end of the p95 is at most ${milliseconds(target.p95_ms)}`;
	return section('numbers', 'Every number of nodes', [
		html`<p class="lead">A number is enough when the lower end of its capacity bears ${rate(target.rps)}${limit}. Mean and p95 are at the target and extrapolated: no run was made at that rate. A dash: not borne. A capacity ends where another tier has no CPU left, however many nodes there are.</p>`,
		table('Every number of nodes', [...['Nodes', 'Capacity', '95 % interval', 'Mean', 'p95'].map(numeric), 'Enough', 'Capacity is'], rows),
	]);
}

export function tiersSection({ tiers, saturates, nodes }: CapacityPlan) {
	const { first, second } = saturates;
	const rows = tiers.map(({ tier, demand_ms: demand, basis, full_rps: full, busy, text }) => [
		tierChip(tier, tierNamed(tier)),
		milliseconds(demand),
		rate(full),
		percent(busy),
		text,
		basis,
	]);
	return section('tiers', 'What saturates next', [
		html`<p class="lead">With ${plural(nodes, 'node')} the first tier without CPU left: <b>${tierNamed(first.tier)}, at ${rate(first.rps)}</b>.${second && html` The second: <b>${tierNamed(second.tier)}, at ${rate(second.rps)}</b>.`} The nodes' rate is the fitted capacity; the others' is their CPU over their demand.</p>`,
		table(
			'What saturates next',
			['Tier', ...['CPU a good request', 'Full at', 'Busy at the target'].map(numeric), 'Wanted', 'Demand is'],
			rows,
		),
	]);
}

export function demandsSection({ demands }: CapacityPlan) {
	const rows = demands.map(({ tier, n, number, cores: quota, demand_ms: demand, busy }) => [
		tierChip(tier, tierNamed(tier)),
		count(n),
		count(number),
		cores(quota),
		milliseconds(demand.median),
		extremes(demand, milliseconds),
		percent(busy.median),
	]);
	return section('demands', 'Measured service demands', [
		html`<p class="lead">CPU of each tier for a good request, D = U / X, over the whole load: the median over the runs that are not INVALID, and the extremes. See whether it grows with the nodes.</p>`,
		table(
			'Measured service demands',
			['Tier', ...['With nodes', 'Servers', 'Quota', 'CPU a good request', 'Range', 'Busy'].map(numeric)],
			rows,
		),
	]);
}

export function modelSection({ model, p95_over_mean: ratio }: CapacityPlan) {
	const measured = ratio.measured.median === null ? 'not measured' : `${figure(ratio.measured.median)} in the runs`;
	const lead = html`<p class="lead">The measured demands alone, by exact mean value analysis at the users of the experiment, beside what was measured. Where the model serves more, nodes wait for something that is no CPU; the plan's capacity is fitted to the measured rates and has that in it. p95 over mean: ${measured}, ${figure(ratio.factor)} in the plan.</p>`;
	if (model.length === 0)
		return section('model', 'The model beside the runs', html`${lead}<p class="fine">The experiment did not hold one number of users.</p>`);
	const rows = model.map(({ n, users, measured_rps: found, model_rps: rps, measured_ms: foundMs, model_ms: ms }) => [
		count(n),
		count(users),
		rate(found),
		rate(rps),
		milliseconds(foundMs),
		milliseconds(ms),
	]);
	return section('model', 'The model beside the runs', [
		lead,
		table('The model beside the runs', ['Nodes', 'Users', 'Measured', 'Model', 'Mean, measured', 'Mean, model'].map(numeric), rows),
	]);
}
